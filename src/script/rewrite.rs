//! Puts a check into every `for … in`: what is iterated must have an order that is the same in every process.
//!
//! Luau iterates a table directly (`for k, v in t do`), past any replaced `pairs`, and orders keys that are tables
//! or functions by their address. So the expression list of each generic `for` is handed to a host function on the
//! same line. Nothing else of the source changes.

use super::lexer::{Kind, Token, tokens};

/// The name under which the check is reached; scripts may not use it.
pub(super) const EACH: &str = "__each";

/// Why a source cannot be rewritten, and on which 1-based line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    pub line: usize,
    pub message: String,
}

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
}

/// The source with every generic `for` checked.
pub(super) fn checked_loops(source: &str) -> Result<String, Refusal> {
    let tokens = tokens(source);
    let mut insertions: Vec<(usize, String)> = Vec::new();
    let mut open: Vec<Open> = Vec::new();
    let mut in_expression = false;
    for token in &tokens {
        refuse_foreign(token)?;
        let top = open.last().copied();
        match token.text {
            "function" => open.push(Open::Block),
            "if" => open.push(if in_expression { Open::Choice } else { Open::If }),
            "for" | "while" => open.push(Open::Head { each: false }),
            "repeat" => open.push(Open::Repeat),
            "{" => open.push(Open::Brace),
            "in" => {
                if let Some(head @ Open::Head { each: false }) = open.last_mut() {
                    *head = Open::Head { each: true };
                    insertions.push((token.start + 2, format!(" {EACH}(")));
                }
            }
            "do" => match top {
                Some(Open::Head { each }) => {
                    if each {
                        insertions.push((token.start, ") ".to_owned()));
                    }
                    open.pop();
                    open.push(Open::Block);
                }
                _ => open.push(Open::Block),
            },
            "else" if top == Some(Open::Choice) => {
                open.pop();
            }
            "end" => close(&mut open, &[Open::Block, Open::If]),
            "until" => close(&mut open, &[Open::Repeat]),
            "}" => close(&mut open, &[Open::Brace]),
            _ => {}
        }
        in_expression = continues(token, top, open.last().copied());
    }
    Ok(spliced(source, &insertions))
}

/// Pops the innermost construct where the token closes it; anything else is left to the compiler.
fn close(open: &mut Vec<Open>, closes: &[Open]) {
    if open.last().is_some_and(|top| closes.contains(top)) {
        open.pop();
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

fn refuse_foreign(token: &Token<'_>) -> Result<(), Refusal> {
    let message = match token.kind {
        Kind::Backtick => "an interpolated string is not plain Lua: use `..` or string.format".to_owned(),
        Kind::Word if token.text == EACH => format!("the name `{EACH}` is the host's own"),
        _ => return Ok(()),
    };
    Err(Refusal { line: token.line, message })
}

fn spliced(source: &str, insertions: &[(usize, String)]) -> String {
    let mut text = String::with_capacity(source.len() + insertions.iter().map(|(_, added)| added.len()).sum::<usize>());
    let mut from = 0;
    for (at, added) in insertions {
        text.push_str(&source[from..*at]);
        text.push_str(added);
        from = *at;
    }
    text.push_str(&source[from..]);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rewritten(source: &str) -> String {
        checked_loops(source).expect("plain Lua").replace(EACH, "E")
    }

    #[test]
    fn every_generic_for_is_checked_and_nothing_else_changes() {
        assert_eq!(rewritten("for k, v in pairs(t) do f(k) end"), "for k, v in E( pairs(t) ) do f(k) end");
        assert_eq!(rewritten("for _ in next, t do end"), "for _ in E( next, t ) do end");
        assert_eq!(rewritten("for i = 1, 3 do while x do end end"), "for i = 1, 3 do while x do end end");
        assert_eq!(rewritten("for k in t do for j in u do end end"), "for k in E( t ) do for j in E( u ) do end end");
    }

    #[test]
    fn a_loop_inside_the_iterated_expression_is_followed() {
        let source = "for x in (function() for y in z do while a do end end if b then end end)() do end";
        let expected = "for x in E( (function() for y in E( z ) do while a do end end if b then end end)() ) do end";
        assert_eq!(rewritten(source), expected);
    }

    #[test]
    fn if_expressions_have_no_end() {
        let source = "for x in f(if a then if b then c else d else {e; if g then h else i}) do if j then k() end end";
        let expected =
            "for x in E( f(if a then if b then c else d else {e; if g then h else i}) ) do if j then k() end end";
        assert_eq!(rewritten(source), expected);
        let nested = "for x in f(function() local a = if b then c else d return a end) do end";
        assert_eq!(rewritten(nested), nested.replace("in f", "in E( f").replace(") do", ") ) do"));
    }

    #[test]
    fn the_hosts_name_and_backticks_are_refused() {
        assert_eq!(checked_loops("local x\nlocal __each = f").unwrap_err().line, 2);
        assert!(checked_loops("x = `a`").unwrap_err().message.contains("not plain Lua"));
        assert_eq!(rewritten("x = '__each `'"), "x = 'E `'");
    }
}
