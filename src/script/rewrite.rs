//! Puts a check into every `for … in`: what is iterated must have an order that is the same in every process.
//!
//! Luau iterates a table directly (`for k, v in t do`), past any replaced `pairs`, and orders keys that are tables
//! or functions by their address. So the expression list of each generic `for` is handed to a host function on the
//! same line. Nothing else of the source changes.

use super::lexer::{Kind, Token, tokens};
use super::nesting::{Nesting, Turn};

/// The name under which the check is reached; scripts may not use it.
pub(super) const EACH: &str = "__each";

/// Why a source cannot be rewritten, and on which 1-based line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    pub line: usize,
    pub message: String,
}

/// The source with every generic `for` checked.
pub(super) fn checked_loops(source: &str) -> Result<String, Refusal> {
    let mut insertions: Vec<(usize, String)> = Vec::new();
    let mut nesting = Nesting::default();
    for token in &tokens(source) {
        refuse_foreign(token)?;
        match nesting.pass(token) {
            Turn::In => insertions.push((token.end(), format!(" {EACH}("))),
            Turn::Do => insertions.push((token.start, ") ".to_owned())),
            Turn::Plain => {}
        }
    }
    Ok(spliced(source, &insertions))
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
