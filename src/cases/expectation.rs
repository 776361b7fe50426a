//! One line of a case: `` - `op` drawback at `text`: "words" ``.
//!
//! Knows the line's grammar and how a verdict measures up to it, nothing else.

use crate::verdict::Verdict;

/// What an op must say of a case's output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expectation {
    /// 1-based line in the file.
    pub line: usize,
    /// An op's name, or `root`.
    pub op: String,
    /// drawback, clean, abstain or fault.
    pub word: String,
    /// The text that the drawback's span covers.
    pub at: Option<String>,
    /// Words that the message contains.
    pub says: Option<String>,
}

const SHAPE: &str = "expected - `op` drawback|clean|abstain|fault, then perhaps at `text`, then perhaps : \"words\"";

impl Expectation {
    /// Parses the text of a list item.
    pub fn parse(item: &str, line: usize) -> Result<Self, String> {
        let shape = || SHAPE.to_string();
        let (op, rest) = quoted(item.trim(), '`').ok_or_else(shape)?;
        let rest = rest.trim_start();
        let word: String = rest.chars().take_while(char::is_ascii_lowercase).collect();
        if !["drawback", "clean", "abstain", "fault"].contains(&word.as_str()) {
            return Err(shape());
        }
        let mut rest = rest[word.len()..].trim_start();
        let mut at = None;
        if let Some(after) = rest.strip_prefix("at ") {
            let (text, after) = quoted(after.trim_start(), '`').ok_or_else(shape)?;
            (at, rest) = (Some(text.to_string()), after.trim_start());
        }
        let mut says = None;
        if let Some(after) = rest.strip_prefix(':') {
            let (text, after) = quoted(after.trim_start(), '"').ok_or_else(shape)?;
            (says, rest) = (Some(text.to_string()), after.trim_start());
        }
        if !rest.is_empty() {
            return Err(shape());
        }
        Ok(Self { line, op: op.to_string(), word, at, says })
    }

    /// What is wrong with `verdict` on `text`; nothing when it is as expected.
    pub fn miss(&self, verdict: &Verdict, text: &str) -> Option<String> {
        let found = || match verdict.message() {
            Some(message) => format!("{}: \"{message}\"", verdict.word()),
            None => verdict.word().to_string(),
        };
        if verdict.word() != self.word {
            return Some(format!("expected {}, found {}", self.word, found()));
        }
        if let Some(at) = &self.at {
            let under = verdict.span().map_or("", |span| span.of(text));
            if !under.starts_with(at.as_str()) {
                return Some(format!("expected it at `{at}`, found it at `{}`", first_line(under)));
            }
        }
        let says = self.says.as_ref()?;
        (!verdict.message().unwrap_or("").contains(says.as_str()))
            .then(|| format!("expected the words \"{says}\", found {}", found()))
    }
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or("")
}

/// Splits a text that starts with `mark` into what is between the marks and what follows.
fn quoted(text: &str, mark: char) -> Option<(&str, &str)> {
    let inner = text.strip_prefix(mark)?;
    let end = inner.find(mark)?;
    Some((&inner[..end], &inner[end + mark.len_utf8()..]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Span;
    use crate::verdict::Finding;

    #[test]
    fn a_line_gives_op_word_place_and_message() {
        let line = "`prints` drawback at `print(x)`: \"returns None\"";
        let expected = Expectation {
            line: 3,
            op: "prints".into(),
            word: "drawback".into(),
            at: Some("print(x)".into()),
            says: Some("returns None".into()),
        };
        assert_eq!(Expectation::parse(line, 3), Ok(expected));
        assert_eq!(Expectation::parse("`a` clean", 1).map(|e| e.word), Ok("clean".into()));
    }

    #[test]
    fn anything_else_is_an_error() {
        for line in ["a clean", "`a` happy", "`a` clean and more", "`a` drawback at x", "`a` clean: words"] {
            assert_eq!(Expectation::parse(line, 1), Err(SHAPE.into()), "{line}");
        }
    }

    #[test]
    fn a_verdict_is_held_against_word_place_and_message() {
        let text = "x = 1\nprint(x)\n";
        let verdict = Verdict::Drawback(Finding { message: "it returns None".into(), span: Some(Span::new(6, 14)) });
        let miss = |line: &str| Expectation::parse(line, 1).unwrap().miss(&verdict, text);
        assert_eq!(miss("`a` drawback at `print(x)`: \"returns None\""), None);
        assert_eq!(miss("`a` clean").as_deref(), Some("expected clean, found drawback: \"it returns None\""));
        assert_eq!(miss("`a` drawback at `x`").as_deref(), Some("expected it at `x`, found it at `print(x)`"));
        assert!(miss("`a` drawback: \"loops\"").is_some());
    }
}
