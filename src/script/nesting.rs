//! Which constructs are open at each token of Lua source: what a loop's `in`, a statement's end and a table's commas
//! belong to.
//!
//! Follows sources that compile; of others it only promises not to fail.

use super::lexer::{Kind, Token};

/// A construct that is open at some token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Open {
    /// Ends with `end`.
    Block,
    /// A statement; ends with `end`.
    If,
    /// An expression; ends when its `else` is met.
    Choice,
    /// Ends with `until`.
    Repeat,
    /// A `for` or `while` whose `do` is still to come; whether its `in` was met.
    Head {
        each: bool,
    },
    Brace,
    /// A parenthesis or an index.
    Bracket,
}

/// What a token is to the loop around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    Plain,
    /// The `in` of a generic `for`.
    In,
    /// The `do` that ends what such a loop iterates.
    Do,
}

/// The open constructs, token after token.
#[derive(Debug, Default)]
pub(super) struct Nesting {
    open: Vec<Open>,
    in_expression: bool,
}

impl Nesting {
    /// How many constructs are open.
    pub fn depth(&self) -> usize {
        self.open.len()
    }

    /// Whether the innermost open construct is a table.
    pub fn in_table(&self) -> bool {
        self.open.last() == Some(&Open::Brace)
    }

    /// Goes past a token.
    pub fn pass(&mut self, token: &Token<'_>) -> Turn {
        let top = self.open.last().copied();
        let mut turn = Turn::Plain;
        match token.text {
            "function" => self.open.push(Open::Block),
            "if" => self.open.push(if self.in_expression { Open::Choice } else { Open::If }),
            "for" | "while" => self.open.push(Open::Head { each: false }),
            "repeat" => self.open.push(Open::Repeat),
            "{" => self.open.push(Open::Brace),
            "(" | "[" => self.open.push(Open::Bracket),
            "in" => {
                if let Some(head @ Open::Head { each: false }) = self.open.last_mut() {
                    *head = Open::Head { each: true };
                    turn = Turn::In;
                }
            }
            "do" => {
                if let Some(Open::Head { each }) = top {
                    turn = if each { Turn::Do } else { Turn::Plain };
                    self.open.pop();
                }
                self.open.push(Open::Block);
            }
            "else" if top == Some(Open::Choice) => {
                self.open.pop();
            }
            "end" => self.close(&[Open::Block, Open::If]),
            "until" => self.close(&[Open::Repeat]),
            "}" => self.close(&[Open::Brace]),
            ")" | "]" => self.close(&[Open::Bracket]),
            _ => {}
        }
        self.in_expression = continues(token, top, self.open.last().copied());
        turn
    }

    /// Pops the innermost construct where the token closes it; anything else is left to the compiler.
    fn close(&mut self, closes: &[Open]) {
        if self.open.last().is_some_and(|top| closes.contains(top)) {
            self.open.pop();
        }
    }
}

/// Whether an `if` right after this token would be an expression.
fn continues(token: &Token<'_>, before: Option<Open>, after: Option<Open>) -> bool {
    match token.kind {
        Kind::Literal | Kind::Backtick => false,
        Kind::Symbol => match token.text {
            ")" | "]" | "}" | "..." | "::" => false,
            ";" => after == Some(Open::Brace),
            _ => true,
        },
        Kind::Word => match token.text {
            "and" | "or" | "not" | "return" | "in" | "while" | "until" | "if" | "elseif" => true,
            "then" | "else" => before == Some(Open::Choice),
            _ => false,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::super::lexer::tokens;
    use super::*;

    /// The depth after each token.
    fn depths(source: &str) -> Vec<usize> {
        let mut nesting = Nesting::default();
        let tokens = tokens(source);
        tokens.iter().map(|token| (nesting.pass(token), nesting.depth()).1).collect()
    }

    #[test]
    fn every_construct_closes_at_its_own_end() {
        assert_eq!(depths("while f(x) do end"), [1, 1, 2, 2, 1, 1, 0]);
        assert_eq!(depths("repeat t[1] = {} until x"), [1, 1, 2, 2, 1, 1, 2, 1, 0, 0]);
        assert_eq!(depths("local a = if b then {c} else d"), [0, 0, 0, 1, 1, 1, 2, 2, 1, 0, 0]);
        assert_eq!(depths("if b then return function() end end"), [1, 1, 1, 1, 2, 3, 2, 1, 0]);
    }

    #[test]
    fn a_wrong_end_closes_nothing() {
        assert_eq!(depths("{ end } )"), [1, 1, 0, 0]);
    }
}
