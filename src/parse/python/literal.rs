//! Literals: numbers, strings and constants, with what they mean beside how they are spelled.

use num_bigint::BigUint;

use super::escape;
use super::scope::Reach;
use super::tree::{NodeId, Tree};

/// Python itself converts no longer decimal numbers without being told to.
const DIGIT_LIMIT: usize = 4300;

/// One literal. A minus before a number is part of it; adjacent strings are one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Literal {
    pub node: NodeId,
    pub kind: LiteralKind,
    /// What it means: an integer in decimal, a float without underscores, a string with its escapes resolved; of
    /// bytes, one character for each byte. A formatted string, and what does not decode, is as written.
    pub value: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LiteralKind {
    Integer,
    Float,
    Complex,
    String,
    Bytes,
    /// A string with an `f` or `t` in front.
    Formatted,
    Boolean,
    None,
    Ellipsis,
}

impl LiteralKind {
    /// The kind as scripts spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Integer => "integer",
            Self::Float => "float",
            Self::Complex => "complex",
            Self::String => "string",
            Self::Bytes => "bytes",
            Self::Formatted => "formatted",
            Self::Boolean => "boolean",
            Self::None => "none",
            Self::Ellipsis => "ellipsis",
        }
    }
}

impl Tree {
    /// The literals of a scope, in order; strings that stand alone as statements are commentary and left out.
    pub fn literals(&self, scope: NodeId, reach: Reach) -> Vec<Literal> {
        self.walk(scope, reach)
            .filter(|node| !self.is_part_of_literal(*node))
            .filter_map(|node| self.literal(node))
            .collect()
    }

    /// The node as a literal, if it is one.
    pub fn literal(&self, node: NodeId) -> Option<Literal> {
        let text = self.text(node);
        let (kind, value) = match self.kind(node) {
            "integer" | "float" => number(text),
            "unary_operator" => self.negative(node)?,
            "string" => self.string(node),
            "concatenated_string" => self.joined(node),
            "true" | "false" if self.named(node) => (LiteralKind::Boolean, text.to_owned()),
            "none" if self.named(node) => (LiteralKind::None, text.to_owned()),
            "ellipsis" => (LiteralKind::Ellipsis, text.to_owned()),
            _ => return None,
        };
        Some(Literal { node, kind, value })
    }

    /// Whether an expression is made of literals alone, in displays (`[1, (2, "a")]`) and operators or not.
    pub fn is_constant(&self, expression: NodeId) -> bool {
        let varies = |node: NodeId| {
            matches!(
                self.kind(node),
                "identifier" | "call" | "lambda" | "yield" | "await" | "interpolation" | "ERROR" | "named_expression"
            )
        };
        !self.subtree(expression).any(|node| self.named(node) && varies(node))
    }

    /// Whether the node is a number under its minus, a part of adjacent strings, or commentary.
    fn is_part_of_literal(&self, node: NodeId) -> bool {
        let Some(parent) = self.parent(node) else { return false };
        match self.kind(node) {
            "integer" | "float" => self.is(parent, "unary_operator") && self.text(parent).starts_with('-'),
            "string" => self.is(parent, "concatenated_string") || self.lone_expression(parent).is_some(),
            "concatenated_string" => self.lone_expression(parent).is_some(),
            _ => false,
        }
    }

    fn negative(&self, node: NodeId) -> Option<(LiteralKind, String)> {
        let argument = self.field(node, "argument").filter(|it| matches!(self.kind(*it), "integer" | "float"))?;
        self.text(node).starts_with('-').then(|| {
            let (kind, value) = number(self.text(argument));
            (kind, format!("-{value}"))
        })
    }

    fn string(&self, node: NodeId) -> (LiteralKind, String) {
        let text = self.text(node);
        // Of `r'\\'` the grammar makes the backslashes part of the closing quote; the opening one tells its length.
        let prefix = self.children(node).next().map_or("", |start| self.text(start));
        let closing = prefix.trim_start_matches(|it: char| it.is_ascii_alphabetic()).len();
        let flagged = |flag: char| prefix.contains(flag) || prefix.contains(flag.to_ascii_uppercase());
        if flagged('f') || flagged('t') {
            return (LiteralKind::Formatted, text.to_owned());
        }
        let kind = if flagged('b') { LiteralKind::Bytes } else { LiteralKind::String };
        let content = text.get(prefix.len()..text.len().saturating_sub(closing)).unwrap_or_default();
        let value = match kind {
            _ if flagged('r') => Some(escape::with_plain_line_ends(content)),
            LiteralKind::Bytes => escape::bytes(content),
            _ => escape::string(content),
        };
        (kind, value.unwrap_or_else(|| content.to_owned()))
    }

    fn joined(&self, node: NodeId) -> (LiteralKind, String) {
        let parts: Vec<_> = self.named_children(node).map(|part| self.string(part)).collect();
        if parts.iter().any(|(kind, _)| *kind == LiteralKind::Formatted) {
            return (LiteralKind::Formatted, self.text(node).to_owned());
        }
        let kind = parts.first().map_or(LiteralKind::String, |(kind, _)| *kind);
        (kind, parts.into_iter().map(|(_, value)| value).collect())
    }
}

fn number(text: &str) -> (LiteralKind, String) {
    let digits = text.replace('_', "").to_ascii_lowercase();
    let (radix, tail) = match digits.get(..2) {
        Some("0x") => (16, &digits[2..]),
        Some("0o") => (8, &digits[2..]),
        Some("0b") => (2, &digits[2..]),
        _ => (10, digits.as_str()),
    };
    if radix == 10 && tail.ends_with('j') {
        return (LiteralKind::Complex, digits);
    }
    if radix == 10 && tail.contains(['.', 'e']) {
        return (LiteralKind::Float, digits);
    }
    let value = (tail.len() <= DIGIT_LIMIT).then(|| BigUint::parse_bytes(tail.as_bytes(), radix)).flatten();
    (LiteralKind::Integer, value.map_or_else(|| text.to_owned(), |value| value.to_string()))
}
