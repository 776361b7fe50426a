//! Tokens of a Python expression, for the two readers that stop short of a parser: literals and assert statements.
//!
//! It never fails: what it cannot read is one `Bad` token. It knows nothing of grammar.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Name,
    Number,
    /// One string literal with its prefix and quotes.
    Str,
    Op,
    /// A line's end outside brackets.
    Newline,
    End,
    /// An unterminated string, or a character that starts no token.
    Bad,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Token<'t> {
    pub kind: Kind,
    pub text: &'t str,
    /// Byte offset of its first character.
    pub at: usize,
}

impl Token<'_> {
    pub fn end(&self) -> usize {
        self.at + self.text.len()
    }

    pub fn is_op(&self, op: &str) -> bool {
        self.kind == Kind::Op && self.text == op
    }
}

/// Longest first.
const OPERATORS: [&str; 23] = [
    "...", "**=", "//=", "<<=", ">>=", "==", "!=", "<=", ">=", "**", "//", "<<", ">>", ":=", "->", "+=", "-=", "*=",
    "/=", "%=", "&=", "|=", "^=",
];

#[derive(Clone)]
pub(super) struct Lexer<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
}

impl<'t> Lexer<'t> {
    pub fn new(text: &'t str) -> Self {
        Self { text, at: 0, depth: 0 }
    }

    /// The next token; `End` for ever after the last.
    pub fn next(&mut self) -> Token<'t> {
        self.skip_blank();
        let rest = &self.text[self.at..];
        let (kind, length) = classify(rest);
        if kind == Kind::Op {
            match &rest[..length] {
                "(" | "[" | "{" => self.depth += 1,
                ")" | "]" | "}" => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
        }
        let token = Token { kind, text: &rest[..length], at: self.at };
        self.at += length;
        token
    }

    fn skip_blank(&mut self) {
        loop {
            let rest = &self.text.as_bytes()[self.at..];
            self.at += match rest {
                [b' ' | b'\t' | b'\x0c', ..] => 1,
                [b'\r' | b'\n', ..] if self.depth > 0 => 1,
                [b'\\', b'\r', b'\n', ..] => 3,
                [b'\\', b'\n', ..] => 2,
                [b'#', ..] => rest.iter().take_while(|byte| !matches!(byte, b'\n' | b'\r')).count(),
                _ => return,
            };
        }
    }
}

fn classify(rest: &str) -> (Kind, usize) {
    let bytes = rest.as_bytes();
    let Some(first) = rest.chars().next() else { return (Kind::End, 0) };
    if matches!(first, '\n' | '\r') {
        return (Kind::Newline, 1);
    }
    if let Some(quote) = string_start(bytes) {
        return match string_end(bytes, quote) {
            Some(end) => (Kind::Str, end),
            None => (Kind::Bad, rest.len()),
        };
    }
    if first.is_ascii_digit() || (first == '.' && bytes.get(1).is_some_and(u8::is_ascii_digit)) {
        return (Kind::Number, number_end(bytes));
    }
    if first == '_' || first.is_alphabetic() {
        let end = rest.find(|char: char| char != '_' && !char.is_alphanumeric()).unwrap_or(rest.len());
        return (Kind::Name, end);
    }
    if let Some(op) = OPERATORS.iter().find(|op| rest.starts_with(**op)) {
        return (Kind::Op, op.len());
    }
    let kind = if "()[]{},:.;@=+-*/%&|^~<>".contains(first) { Kind::Op } else { Kind::Bad };
    (kind, first.len_utf8())
}

/// Where the opening quote stands, after a prefix of at most two letters.
fn string_start(bytes: &[u8]) -> Option<usize> {
    let prefix = bytes.iter().take(3).take_while(|byte| byte.is_ascii_alphabetic()).count();
    let known = matches!(
        bytes[..prefix].to_ascii_lowercase().as_slice(),
        b"" | b"r" | b"b" | b"u" | b"f" | b"br" | b"rb" | b"fr" | b"rf"
    );
    (known && matches!(bytes.get(prefix), Some(b'\'' | b'"'))).then_some(prefix)
}

fn string_end(bytes: &[u8], quote: usize) -> Option<usize> {
    let mark = bytes[quote];
    let triple = bytes[quote..].starts_with(&[mark; 3]);
    let mut at = quote + if triple { 3 } else { 1 };
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' if bytes[at + 1..].starts_with(b"\r\n") => at += 2,
            b'\\' => at += 1,
            b'\n' | b'\r' if !triple => return None,
            byte if *byte == mark && !triple => return Some(at + 1),
            byte if *byte == mark && bytes[at..].starts_with(&[mark; 3]) => return Some(at + 3),
            _ => {}
        }
        at += 1;
    }
    None
}

/// The longest run that could be one number; whether it is one, its reader says.
fn number_end(bytes: &[u8]) -> usize {
    let based = bytes.len() > 1
        && bytes[0] == b'0'
        && bytes[1].is_ascii_alphabetic()
        && !matches!(bytes[1], b'e' | b'E' | b'j' | b'J');
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let exponent_sign = !based && matches!(byte, b'+' | b'-') && at > 0 && matches!(bytes[at - 1], b'e' | b'E');
        let point = !based && *byte == b'.';
        if !(byte.is_ascii_alphanumeric() || *byte == b'_' || exponent_sign || point) {
            break;
        }
        at += 1;
    }
    at
}
