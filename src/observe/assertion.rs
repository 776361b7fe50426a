//! What a visible `assert` statement asks: which call, with which arguments, and what must come of it.
//!
//! Most are `f(literals) == literal`, which is decided by comparing values. For the rest the inner call is observed and
//! the expression around it evaluated elsewhere with the value put in; nothing is evaluated here.

use super::lex::{Kind, Lexer, Token};
use super::literal;
use super::repr::repr;
use super::value::Value;

/// An assert statement with exactly one call of the function under test, on literal positional arguments.
///
/// `args` is the text of the list of arguments, as [`repr`] writes it.
#[derive(Debug, Clone, PartialEq)]
pub enum Assertion {
    /// `assert name(args) == expected`, either way round.
    Equals { name: String, args: String, expected: Value },
    /// Any other condition: it holds when `before`, the call's value and `after`, put together, are true. The value
    /// must go in as one operand (a name, or in parentheses).
    Wrapped { name: String, args: String, before: String, after: String },
}

impl Assertion {
    /// Reads one assert statement; `None` for anything else, and for calls that are nested, several, or not literal.
    pub fn parse(text: &str) -> Option<Self> {
        let tokens = condition(text)?;
        equals(text, &tokens).or_else(|| wrapped(text, &tokens))
    }

    pub fn name(&self) -> &str {
        match self {
            Assertion::Equals { name, .. } | Assertion::Wrapped { name, .. } => name,
        }
    }

    pub fn args(&self) -> &str {
        match self {
            Assertion::Equals { args, .. } | Assertion::Wrapped { args, .. } => args,
        }
    }
}

/// The tokens of the asserted expression, without the message.
fn condition(text: &str) -> Option<Vec<Token<'_>>> {
    let mut tokens = tokens(text)?;
    if tokens.first()?.text != "assert" {
        return None;
    }
    tokens.remove(0);
    let mut depth = 0;
    let comma = tokens.iter().position(|token| {
        depth += nesting(token);
        depth == 0 && token.is_op(",")
    });
    tokens.truncate(comma.unwrap_or(tokens.len()));
    // Statements beyond the first, and bindings, have no place in one condition.
    let strange = |token: &Token| {
        token.is_op(";") || token.is_op(":=") || matches!(token.text, "assert" | "lambda" | "for" | "await" | "yield")
    };
    (!tokens.is_empty() && !tokens.iter().any(strange)).then_some(tokens)
}

fn tokens(text: &str) -> Option<Vec<Token<'_>>> {
    let mut lexer = Lexer::new(text);
    let (mut tokens, mut depth, mut ended) = (Vec::new(), 0, false);
    loop {
        let token = lexer.next();
        depth += nesting(&token);
        match token.kind {
            Kind::End => return (depth == 0).then_some(tokens),
            Kind::Newline => ended = !tokens.is_empty(),
            _ if token.kind == Kind::Bad || depth < 0 || ended => return None,
            _ => tokens.push(token),
        }
    }
}

fn nesting(token: &Token) -> i32 {
    match token.text {
        "(" | "[" | "{" => 1,
        ")" | "]" | "}" => -1,
        _ => 0,
    }
}

fn equals(text: &str, tokens: &[Token]) -> Option<Assertion> {
    let tokens = unwrapped(tokens);
    let mut depth = 0;
    let comparison = tokens.iter().position(|token| {
        depth += nesting(token);
        depth == 0 && token.is_op("==")
    })?;
    let (left, right) = (&tokens[..comparison], &tokens[comparison + 1..]);
    let decided = |call: &[Token], expected: &[Token]| {
        let (name, args) = whole_call(text, unwrapped(call))?;
        let expected = literal::parse(source(text, expected)?).ok()?;
        Some(Assertion::Equals { name, args, expected })
    };
    decided(left, right).or_else(|| decided(right, left))
}

/// The tokens within parentheses that enclose all of them and no tuple.
fn unwrapped<'a, 't>(mut tokens: &'a [Token<'t>]) -> &'a [Token<'t>] {
    while let [open, inner @ .., _] = tokens {
        if !open.is_op("(") || closing(tokens, 0) != Some(tokens.len() - 1) || has_comma(inner) {
            break;
        }
        tokens = inner;
    }
    tokens
}

fn has_comma(tokens: &[Token]) -> bool {
    let mut depth = 0;
    tokens.iter().any(|token| {
        depth += nesting(token);
        depth == 0 && token.is_op(",")
    })
}

/// Where the bracket at `open` closes.
fn closing(tokens: &[Token], open: usize) -> Option<usize> {
    let mut depth = 0;
    let offset = tokens[open..].iter().position(|token| {
        depth += nesting(token);
        depth == 0
    })?;
    Some(open + offset)
}

fn source<'t>(text: &'t str, tokens: &[Token]) -> Option<&'t str> {
    text.get(tokens.first()?.at..tokens.last()?.end())
}

/// The name and arguments where the tokens are one call and nothing else.
fn whole_call(text: &str, tokens: &[Token]) -> Option<(String, String)> {
    let [name, open, ..] = tokens else { return None };
    let plain = name.kind == Kind::Name && !KEYWORDS.contains(&name.text) && open.is_op("(");
    if !plain || closing(tokens, 1) != Some(tokens.len() - 1) {
        return None;
    }
    let args = &text[open.end()..tokens[tokens.len() - 1].at];
    let args = literal::parse(&format!("[{args}\n]")).ok()?;
    Some((name.text.to_owned(), repr(&args)))
}

fn wrapped(text: &str, tokens: &[Token]) -> Option<Assertion> {
    let calls: Vec<usize> = (0..tokens.len().saturating_sub(1)).filter(|at| is_inner_call(tokens, *at)).collect();
    let [at] = calls[..] else { return None };
    let end = closing(tokens, at + 1)?;
    let (name, args) = whole_call(text, &tokens[at..=end])?;
    let before = text[tokens[0].at..tokens[at].at].to_owned();
    let after = text[tokens[end].end()..tokens[tokens.len() - 1].end()].to_owned();
    Some(Assertion::Wrapped { name, args, before, after })
}

/// Whether a call of a plain name that is not Python's own starts here.
fn is_inner_call(tokens: &[Token], at: usize) -> bool {
    let name = &tokens[at];
    name.kind == Kind::Name
        && tokens[at + 1].is_op("(")
        && !(at > 0 && tokens[at - 1].is_op("."))
        && !KEYWORDS.contains(&name.text)
        && !BUILTINS.contains(&name.text)
}

const KEYWORDS: [&str; 12] =
    ["and", "assert", "else", "False", "if", "in", "is", "lambda", "None", "not", "or", "True"];

const BUILTINS: [&str; 53] = [
    "abs",
    "all",
    "any",
    "ascii",
    "bin",
    "bool",
    "bytearray",
    "bytes",
    "callable",
    "chr",
    "complex",
    "dict",
    "dir",
    "divmod",
    "enumerate",
    "filter",
    "float",
    "format",
    "frozenset",
    "getattr",
    "hasattr",
    "hash",
    "hex",
    "id",
    "int",
    "isinstance",
    "issubclass",
    "iter",
    "len",
    "list",
    "map",
    "max",
    "memoryview",
    "min",
    "next",
    "object",
    "oct",
    "ord",
    "pow",
    "range",
    "repr",
    "reversed",
    "round",
    "set",
    "slice",
    "sorted",
    "str",
    "sum",
    "super",
    "tuple",
    "type",
    "vars",
    "zip",
];

#[cfg(test)]
#[path = "assertion_tests.rs"]
mod tests;
