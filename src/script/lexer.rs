//! Tokens of Lua source, with their lines: enough to place a key and to follow blocks, not a parser.
//!
//! The compiler judges syntax; a text that it would refuse may give any tokens here.

/// What a token is, as far as blocks and keys are concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A name or keyword.
    Word,
    /// A number or string.
    Literal,
    /// A backtick: the start of an interpolated string, which plain Lua does not have.
    Backtick,
    Symbol,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token<'s> {
    pub kind: Kind,
    pub text: &'s str,
    /// Byte where the token starts.
    pub start: usize,
    /// 1-based.
    pub line: usize,
}

impl Token<'_> {
    /// The byte after its last.
    pub fn end(&self) -> usize {
        self.start + self.text.len()
    }
}

/// The tokens of `source`; an unfinished string or comment ends them.
pub(super) fn tokens(source: &str) -> Vec<Token<'_>> {
    let mut lexer = Lexer { source, at: 0, line: 1 };
    std::iter::from_fn(|| lexer.next()).collect()
}

struct Lexer<'s> {
    source: &'s str,
    at: usize,
    line: usize,
}

impl<'s> Lexer<'s> {
    fn next(&mut self) -> Option<Token<'s>> {
        self.skip_blanks_and_comments();
        let (start, line) = (self.at, self.line);
        let first = self.peek(0)?;
        let kind = match first {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                self.take_while(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
                Kind::Word
            }
            b'0'..=b'9' => self.number(),
            b'.' if self.peek(1).is_some_and(|byte| byte.is_ascii_digit()) => self.number(),
            b'"' | b'\'' => self.quoted(first),
            b'[' if self.long_bracket().is_some() => {
                self.long_string();
                Kind::Literal
            }
            b'`' => {
                self.at += 1;
                Kind::Backtick
            }
            _ => self.symbol(),
        };
        Some(Token { kind, text: &self.source[start..self.at], start, line })
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.source.as_bytes().get(self.at + ahead).copied()
    }

    fn take(&mut self) {
        if self.peek(0) == Some(b'\n') {
            self.line += 1;
        }
        self.at += 1;
    }

    fn take_while(&mut self, wanted: impl Fn(u8) -> bool) {
        while self.peek(0).is_some_and(&wanted) {
            self.take();
        }
    }

    fn skip_blanks_and_comments(&mut self) {
        loop {
            self.take_while(|byte| byte.is_ascii_whitespace() || byte == 0x0b);
            if self.peek(0) != Some(b'-') || self.peek(1) != Some(b'-') {
                return;
            }
            self.at += 2;
            if self.peek(0) == Some(b'[') && self.long_bracket().is_some() {
                self.long_string();
            } else {
                self.take_while(|byte| byte != b'\n');
            }
        }
    }

    /// Digits, a sign after an exponent, then whatever letters follow: `1e-5`, `0xff`, `1_000`.
    fn number(&mut self) -> Kind {
        self.take_while(|byte| byte.is_ascii_digit() || byte == b'.' || byte == b'_');
        if matches!(self.peek(0), Some(b'e' | b'E')) {
            self.take();
            if matches!(self.peek(0), Some(b'+' | b'-')) {
                self.take();
            }
        }
        self.take_while(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        Kind::Literal
    }

    fn quoted(&mut self, quote: u8) -> Kind {
        self.take();
        while let Some(byte) = self.peek(0) {
            match byte {
                b'\\' => self.escape(),
                b'\n' => break,
                _ => self.take(),
            }
            if byte == quote {
                break;
            }
        }
        Kind::Literal
    }

    /// A backslash and what it covers; `\z` covers all blanks after it.
    fn escape(&mut self) {
        self.take();
        match self.peek(0) {
            Some(b'z') => {
                self.take();
                self.take_while(|byte| byte.is_ascii_whitespace() || byte == 0x0b);
            }
            Some(b'\r') => {
                self.take();
                if self.peek(0) == Some(b'\n') {
                    self.take();
                }
            }
            Some(_) => self.take(),
            None => {}
        }
    }

    /// The level of a long bracket that opens here.
    fn long_bracket(&self) -> Option<usize> {
        let level = self.source.as_bytes()[self.at + 1..].iter().take_while(|byte| **byte == b'=').count();
        (self.peek(1 + level) == Some(b'[')).then_some(level)
    }

    fn long_string(&mut self) {
        let level = self.long_bracket().unwrap_or(0);
        let close = format!("]{}]", "=".repeat(level));
        let body = self.at + level + 2;
        let end = self.source[body..].find(&close).map_or(self.source.len(), |found| body + found + close.len());
        self.line += self.source[self.at..end].bytes().filter(|byte| *byte == b'\n').count();
        self.at = end;
    }

    fn symbol(&mut self) -> Kind {
        const LONG: [&str; 18] = [
            "...", "..=", "//=", "..", "==", "~=", "<=", ">=", "->", "::", "//", "+=", "-=", "*=", "/=", "%=", "^=",
            "=>",
        ];
        let rest = &self.source[self.at..];
        let length = LONG.iter().find(|symbol| rest.starts_with(**symbol)).map(|symbol| symbol.len());
        self.at += length.or_else(|| rest.chars().next().map(char::len_utf8)).unwrap_or(1);
        Kind::Symbol
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(source: &str) -> Vec<&str> {
        tokens(source).into_iter().map(|token| token.text).collect()
    }

    #[test]
    fn strings_and_comments_hide_words() {
        assert_eq!(
            texts("a --[[ for ]] 'do \\' end' -- in\n[==[ if ]] ]==] b"),
            ["a", "'do \\' end'", "[==[ if ]] ]==]", "b"]
        );
    }

    #[test]
    fn numbers_and_dots() {
        assert_eq!(
            texts("1e-5..x[0xff] .5 ... a.b"),
            ["1e-5", "..", "x", "[", "0xff", "]", ".5", "...", "a", ".", "b"]
        );
        assert_eq!(texts("1 ..x"), ["1", "..", "x"]);
    }

    #[test]
    fn lines_count_through_long_strings() {
        let found = tokens("a\n[[\n\n]] b \"x\\\ny\" c");
        let lines: Vec<_> = found.iter().map(|token| (token.text, token.line)).collect();
        assert_eq!(lines, [("a", 1), ("[[\n\n]]", 2), ("b", 4), ("\"x\\\ny\"", 4), ("c", 5)]);
    }

    #[test]
    fn an_unfinished_string_ends_the_tokens() {
        assert_eq!(texts("x = [[ never"), ["x", "=", "[[ never"]);
        assert_eq!(texts("x = 'never"), ["x", "=", "'never"]);
        assert_eq!(texts("--[[ never"), Vec::<&str>::new());
    }
}
