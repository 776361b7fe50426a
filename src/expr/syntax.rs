//! Parsing the text of an expression, with errors that point at the exact place of a mistake.
//!
//! Parsing never panics and never recurses past `MAX_DEPTH`. Drawing a caret under the place is the command's work.

use std::fmt;
use std::str::FromStr;

use super::decimal::Decimal;
use super::tree::Expr;
use crate::base::Span;

/// How deep parentheses may nest.
pub const MAX_DEPTH: usize = 64;
/// How long an expression may be, in bytes.
pub const MAX_TEXT: usize = 64 * 1024;

const HEADS: [&str; 5] = ["any", "all", "not", "vote", "weighted"];
const ONE_OF_HEADS: &str = "`any`, `all`, `not`, `vote` or `weighted`";
const EXPRESSION: &str = "an op name or a parenthesised expression";

/// Whether a text can name an op: `[a-z][a-z0-9_]*`, and none of the five combinators.
pub fn is_op_name(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_lowercase())
        && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
        && !HEADS.contains(&text)
}

/// A mistake in an expression's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxError {
    /// The bytes at fault; empty at the end of the text.
    pub span: Span,
    /// 1-based line of the span's start.
    pub line: usize,
    /// 1-based column of the span's start, in characters.
    pub column: usize,
    /// What is wrong.
    pub message: String,
    /// What would have been right there.
    pub expected: String,
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}; expected {}", self.line, self.column, self.message, self.expected)
    }
}

impl std::error::Error for SyntaxError {}

impl FromStr for Expr {
    type Err = SyntaxError;

    fn from_str(text: &str) -> Result<Self, SyntaxError> {
        let mut parser = Parser { text, at: 0, depth: 0 };
        if text.len() > MAX_TEXT {
            let size = format!("the expression has {} bytes", text.len());
            return Err(parser.error(Span::new(0, 0), size, format!("at most {MAX_TEXT}")));
        }
        let expr = parser.expression(EXPRESSION)?;
        match parser.next() {
            None => Ok(expr),
            Some(token) => Err(parser.unexpected(Some(token), "the end of the expression")),
        }
    }
}

/// A parenthesis, or a run of other visible characters, with its place.
#[derive(Clone, Copy)]
struct Token<'t> {
    text: &'t str,
    span: Span,
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
}

impl<'t> Parser<'t> {
    fn expression(&mut self, expected: &str) -> Result<Expr, SyntaxError> {
        match self.next() {
            Some(Token { text: "(", span }) => self.combination(span),
            Some(token) if is_op_name(token.text) => Ok(Expr::op(token.text)),
            Some(token) if HEADS.contains(&token.text) => {
                let message = format!("`{}` is a combinator and stands behind an opening parenthesis", token.text);
                Err(self.error(token.span, message, format!("({} …)", token.text)))
            }
            Some(token) if token.text != ")" => {
                let message = format!("`{}` is no op name", shorten(token.text));
                Err(self.error(token.span, message, "a lower-case letter, then letters, digits or `_`"))
            }
            other => Err(self.unexpected(other, expected)),
        }
    }

    fn combination(&mut self, opening: Span) -> Result<Expr, SyntaxError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            let message = format!("parentheses nest deeper than {MAX_DEPTH}");
            return Err(self.error(opening, message, "a flatter expression"));
        }
        let head = self.next();
        let expr = match head.map(|token| token.text) {
            Some("any") => Expr::Any(self.children()?),
            Some("all") => Expr::All(self.children()?),
            Some("vote") => Expr::Vote(self.count()?, self.children()?),
            Some("weighted") => Expr::Weighted(self.number("the threshold")?, self.weighted_children()?),
            Some("not") => {
                let child = self.expression(EXPRESSION)?;
                self.close("`)`, as `not` has one child")?;
                Expr::Not(Box::new(child))
            }
            Some(other) if !matches!(other, "(" | ")") => {
                let span = head.map_or(opening, |token| token.span);
                return Err(self.error(span, format!("unknown combinator `{}`", shorten(other)), ONE_OF_HEADS));
            }
            _ => return Err(self.unexpected(head, ONE_OF_HEADS)),
        };
        self.depth -= 1;
        Ok(expr)
    }

    /// One expression or more, up to and with the closing parenthesis.
    fn children(&mut self) -> Result<Vec<Expr>, SyntaxError> {
        let mut children = vec![self.expression(EXPRESSION)?];
        while !self.closes() {
            children.push(self.expression("`)` or one more expression")?);
        }
        Ok(children)
    }

    /// One `(W e)` or more, up to and with the closing parenthesis.
    fn weighted_children(&mut self) -> Result<Vec<(Decimal, Expr)>, SyntaxError> {
        let mut children = Vec::new();
        while children.is_empty() || !self.closes() {
            match self.next() {
                Some(Token { text: "(", .. }) => {}
                other => return Err(self.unexpected(other, "`(`, a weight, an expression, `)`")),
            }
            let weight = self.number("the weight")?;
            let child = self.expression(EXPRESSION)?;
            self.close("`)` behind the weighted expression")?;
            children.push((weight, child));
        }
        Ok(children)
    }

    fn count(&mut self) -> Result<u32, SyntaxError> {
        const EXPECTED: &str = "a whole number from 1 to 4294967295";
        let Some(token) = self.next() else { return Err(self.unexpected(None, EXPECTED)) };
        match token.text.parse() {
            Ok(count) if count >= 1 && token.text.bytes().all(|byte| byte.is_ascii_digit()) => Ok(count),
            _ => {
                let message = format!("`vote` needs to know how many children it takes, not `{}`", shorten(token.text));
                Err(self.error(token.span, message, EXPECTED))
            }
        }
    }

    fn number(&mut self, what: &str) -> Result<Decimal, SyntaxError> {
        const EXPECTED: &str = "a decimal above zero, such as 1 or 0.5";
        let Some(token) = self.next() else { return Err(self.unexpected(None, EXPECTED)) };
        match token.text.parse::<Decimal>() {
            Ok(number) if !number.is_zero() => Ok(number),
            Ok(_) => Err(self.error(token.span, format!("{what} is zero"), EXPECTED)),
            Err(why) => Err(self.error(token.span, format!("{what} `{}` {why}", shorten(token.text)), EXPECTED)),
        }
    }

    fn close(&mut self, expected: &str) -> Result<(), SyntaxError> {
        match self.next() {
            Some(Token { text: ")", .. }) => Ok(()),
            other => Err(self.unexpected(other, expected)),
        }
    }

    fn closes(&mut self) -> bool {
        let before = self.at;
        let closes = matches!(self.next(), Some(Token { text: ")", .. }));
        if !closes {
            self.at = before;
        }
        closes
    }

    fn next(&mut self) -> Option<Token<'t>> {
        let rest = self.text[self.at..].trim_start();
        let start = self.text.len() - rest.len();
        let first = rest.chars().next()?;
        let length = match first {
            '(' | ')' => 1,
            _ => rest.find(|c: char| c.is_whitespace() || matches!(c, '(' | ')')).unwrap_or(rest.len()),
        };
        self.at = start + length;
        Some(Token { text: &rest[..length], span: Span::new(start, self.at) })
    }

    fn unexpected(&self, token: Option<Token<'_>>, expected: &str) -> SyntaxError {
        match token {
            Some(token) => self.error(token.span, format!("unexpected `{}`", shorten(token.text)), expected),
            None => {
                let end = self.text.trim_end().len();
                self.error(Span::new(end, end), "the expression ends too early".into(), expected)
            }
        }
    }

    fn error(&self, span: Span, message: String, expected: impl Into<String>) -> SyntaxError {
        let before = &self.text[..span.start as usize];
        let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
        SyntaxError { span, line: span.line(self.text), column, message, expected: expected.into() }
    }
}

/// A token as far as a message needs it.
fn shorten(token: &str) -> String {
    match token.char_indices().nth(40) {
        Some((end, _)) => format!("{}…", &token[..end]),
        None => token.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaint(text: &str) -> String {
        text.parse::<Expr>().expect_err("a mistake").to_string()
    }

    #[test]
    fn a_mistake_names_its_place_and_what_was_expected() {
        let cases = [
            ("", "line 1, column 1: the expression ends too early; expected an op name or a parenthesised expression"),
            ("(any)", "line 1, column 5: unexpected `)`; expected an op name or a parenthesised expression"),
            (
                "(any a\n (al b c))",
                "line 2, column 3: unknown combinator `al`; expected `any`, `all`, `not`, `vote` or `weighted`",
            ),
            ("()", "line 1, column 2: unexpected `)`; expected `any`, `all`, `not`, `vote` or `weighted`"),
            ("(any a b", "line 1, column 9: the expression ends too early; expected `)` or one more expression"),
            (
                "any a b",
                "line 1, column 1: `any` is a combinator and stands behind an opening parenthesis; expected (any …)",
            ),
            ("a b", "line 1, column 3: unexpected `b`; expected the end of the expression"),
            ("(not a b)", "line 1, column 8: unexpected `b`; expected `)`, as `not` has one child"),
            (
                "(any É B)",
                "line 1, column 6: `É` is no op name; expected a lower-case letter, then letters, digits or `_`",
            ),
            (
                "(vote 0 a)",
                "line 1, column 7: `vote` needs to know how many children it takes, not `0`; expected a whole number from 1 to 4294967295",
            ),
            (
                "(vote +1 a)",
                "line 1, column 7: `vote` needs to know how many children it takes, not `+1`; expected a whole number from 1 to 4294967295",
            ),
            (
                "(weighted 0.0 (1 a))",
                "line 1, column 11: the threshold is zero; expected a decimal above zero, such as 1 or 0.5",
            ),
            (
                "(weighted 1 (x a))",
                "line 1, column 14: the weight `x` must be written in digits with at most one point; expected a decimal above zero, such as 1 or 0.5",
            ),
            ("(weighted 1 a)", "line 1, column 13: unexpected `a`; expected `(`, a weight, an expression, `)`"),
            ("(weighted 1 (1 a b))", "line 1, column 18: unexpected `b`; expected `)` behind the weighted expression"),
        ];
        for (text, expected) in cases {
            assert_eq!(complaint(text), expected, "{text}");
        }
    }

    #[test]
    fn a_span_is_in_bytes_and_a_column_in_characters() {
        let error = "(any é_ B)".parse::<Expr>().unwrap_err();
        assert_eq!((error.span, error.column), (Span::new(5, 8), 6));
        let late = "(any a\u{a0}ß)".parse::<Expr>().unwrap_err();
        assert_eq!((late.span, late.column), (Span::new(8, 10), 8));
    }

    #[test]
    fn depth_and_length_are_bounded() {
        let nested = |depth: usize| format!("{}a{}", "(not ".repeat(depth), ")".repeat(depth));
        assert!(nested(MAX_DEPTH).parse::<Expr>().is_ok());
        assert_eq!(
            complaint(&nested(MAX_DEPTH + 1)),
            "line 1, column 321: parentheses nest deeper than 64; expected a flatter expression"
        );
        assert!(complaint(&"(not ".repeat(13_000)).contains("nest deeper"));
        assert_eq!(
            complaint(&"a".repeat(MAX_TEXT + 1)),
            "line 1, column 1: the expression has 65537 bytes; expected at most 65536"
        );
    }

    #[test]
    fn op_names_are_plain() {
        for name in ["a", "fails_example", "x2_"] {
            assert!(is_op_name(name), "{name}");
        }
        for name in ["", "A", "2a", "_a", "a-b", "any", "weighted", "é"] {
            assert!(!is_op_name(name), "{name}");
        }
    }
}
