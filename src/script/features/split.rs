//! Takes the text of a features file apart: top-level `local` statements, and the entries of the table it returns.
//!
//! Works on tokens of a source that compiles; what Lua allows and composition cannot use is refused here, by line.

use std::collections::BTreeSet;
use std::ops::Range;

use super::super::lexer::{Kind, Token, tokens};
use super::super::nesting::Nesting;

/// A top-level `local` statement with the comments that belong to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Helper {
    /// The names that it makes.
    pub names: Vec<String>,
    /// Its own text, comments right above and on its last line included.
    pub text: String,
    /// Names that it mentions.
    pub uses: Vec<String>,
    /// For a `local function`, what stands between its parentheses.
    pub parameters: Option<String>,
    pub line: usize,
}

/// `name = …` in a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pair {
    pub name: String,
    pub line: usize,
    /// Bytes of the whole pair.
    pub span: Range<usize>,
    /// Tokens of the value.
    value: Range<usize>,
}

/// Why a file is not a features file: line, message, remedy.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    pub line: usize,
    pub message: String,
    pub help: &'static str,
}

const ONLY_LOCALS: &str = "Put it into a `local function`, or into a value after `local name =`.";
const WRITTEN_OUT: &str = "Write `return { name = { about = …, detects = …, measure = … } }`.";

/// Words after which an expression goes on or begins.
const OPENING: [&str; 14] =
    ["and", "or", "not", "local", "function", "return", "if", "then", "else", "elseif", "do", "in", "while", "until"];

pub(super) struct Source<'s> {
    text: &'s str,
    tokens: Vec<Token<'s>>,
    /// How many constructs are open before each token, and after the last.
    depths: Vec<usize>,
    /// Whether each token stands directly in a table.
    in_table: Vec<bool>,
}

impl<'s> Source<'s> {
    pub fn new(text: &'s str) -> Self {
        let tokens = tokens(text);
        let mut nesting = Nesting::default();
        let (mut depths, mut in_table) = (vec![0], Vec::with_capacity(tokens.len()));
        for token in &tokens {
            in_table.push(nesting.in_table());
            nesting.pass(token);
            depths.push(nesting.depth());
        }
        Self { text, tokens, depths, in_table }
    }

    /// The `local` statements, and the pairs of the returned table.
    pub fn split(&self) -> Result<(Vec<Helper>, Vec<Pair>), Refusal> {
        let (mut helpers, mut at) = (Vec::new(), 0);
        while let Some(token) = self.tokens.get(at) {
            match token.text {
                ";" => at += 1,
                "local" => {
                    let end = self.statement_end(at);
                    helpers.push(self.helper(at..end));
                    at = end;
                }
                "return" => return Ok((helpers, self.returned(at)?)),
                _ => {
                    let message = "at top level a features file has `local` statements only".to_owned();
                    return Err(Refusal { line: token.line, message, help: ONLY_LOCALS });
                }
            }
        }
        Err(Refusal { line: self.text.lines().count(), message: "returns nothing".to_owned(), help: WRITTEN_OUT })
    }

    /// The pairs of the table that is a pair's value.
    pub fn table(&self, pair: &Pair) -> Result<Vec<Pair>, Refusal> {
        self.pairs(pair.value.clone(), pair.line)
    }

    /// A pair's value as text, its first line's indent taken off every line.
    pub fn value(&self, pair: &Pair) -> String {
        let start = self.tokens[pair.value.start].start;
        let line_start = self.text[..start].rfind('\n').map_or(0, |newline| newline + 1);
        let indent = self.text[line_start..].bytes().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        shifted(&self.text[start..self.tokens[pair.value.end - 1].end()], indent, 0)
    }

    /// What stands between the parentheses, where the value is a function written in place.
    pub fn parameters(&self, pair: &Pair) -> Option<&'s str> {
        self.function_parameters(pair.value.clone())
    }

    /// The names that a pair's value mentions.
    pub fn uses(&self, pair: &Pair) -> Vec<String> {
        self.mentions(pair.value.clone())
    }

    fn helper(&self, range: Range<usize>) -> Helper {
        let (first, last) = (&self.tokens[range.start], &self.tokens[range.end - 1]);
        let before = range.start.checked_sub(1).map_or(0, |at| self.tokens[at].end());
        let after = self.tokens.get(range.end).map_or(self.text.len(), |token| token.start);
        let above = comments_above(&self.text[before..first.start], before == 0);
        let beside = comment_beside(&self.text[last.end()..after]);
        let function = self.tokens[range.start + 1].text == "function";
        let names = if function {
            vec![self.tokens[range.start + 2].text.to_owned()]
        } else {
            self.bound(range.start + 1..range.end)
        };
        Helper {
            names,
            text: format!("{above}{}{beside}", &self.text[first.start..last.end()]),
            uses: self.mentions(range.clone()),
            parameters: function.then(|| self.parenthesised(range.start + 3)).map(str::to_owned),
            line: first.line,
        }
    }

    /// The names of `local a, b = …`, given what follows `local`.
    fn bound(&self, range: Range<usize>) -> Vec<String> {
        let depth = self.depths[range.start];
        let mut names = vec![self.tokens[range.start].text.to_owned()];
        for at in range.clone().skip(1).filter(|at| self.depths[*at] == depth) {
            match self.tokens[at].text {
                "=" => break,
                "," if at + 1 < range.end => names.push(self.tokens[at + 1].text.to_owned()),
                _ => {}
            }
        }
        names
    }

    /// The token after the statement that starts at `start`.
    fn statement_end(&self, start: usize) -> usize {
        let begins = |at: &usize| {
            let (before, token) = (&self.tokens[*at - 1], &self.tokens[*at]);
            let goes_on = matches!(token.text, "and" | "or");
            token.text == ";" || token.kind == Kind::Word && !goes_on && ends_expression(before)
        };
        (start + 1..self.tokens.len())
            .filter(|at| self.depths[*at] == self.depths[start])
            .find(begins)
            .unwrap_or(self.tokens.len())
    }

    /// The pairs of the table after `return`, which ends the file.
    fn returned(&self, at: usize) -> Result<Vec<Pair>, Refusal> {
        let mut end = self.tokens.len();
        while self.tokens[end - 1].text == ";" {
            end -= 1;
        }
        self.pairs(at + 1..end, self.tokens[at].line)
    }

    /// The pairs of a table that is written out, in whole, in these tokens.
    fn pairs(&self, range: Range<usize>, line: usize) -> Result<Vec<Pair>, Refusal> {
        let refusal = |line: usize, message: &str| Refusal { line, message: message.to_owned(), help: WRITTEN_OUT };
        let is_table = range.len() >= 2
            && self.tokens[range.start].text == "{"
            && self.closing(range.start) == Some(range.end - 1);
        if !is_table {
            return Err(refusal(line, "this must be a table that is written out, `{ name = … }`"));
        }
        let inside = self.depths[range.start + 1];
        let (mut pairs, mut at) = (Vec::new(), range.start + 1);
        while at < range.end - 1 {
            let separates = |at: &usize| self.depths[*at] == inside && matches!(self.tokens[*at].text, "," | ";");
            let end = (at..range.end - 1).find(separates).unwrap_or(range.end - 1);
            let name = &self.tokens[at];
            if end < at + 3 || name.kind != Kind::Word || self.tokens[at + 1].text != "=" {
                return Err(refusal(name.line, "this table has something other than `name = …`"));
            }
            pairs.push(Pair {
                name: name.text.to_owned(),
                line: name.line,
                span: name.start..self.tokens[end - 1].end(),
                value: at + 2..end,
            });
            at = end + 1;
        }
        Ok(pairs)
    }

    /// The token that closes what opens at `at`.
    fn closing(&self, at: usize) -> Option<usize> {
        (at + 1..self.tokens.len()).find(|close| self.depths[close + 1] == self.depths[at])
    }

    fn function_parameters(&self, range: Range<usize>) -> Option<&'s str> {
        let whole = self.tokens[range.start].text == "function" && self.closing(range.start) == Some(range.end - 1);
        whole.then(|| self.parenthesised(range.start + 1))
    }

    /// What stands between the parenthesis at `at` and its own end.
    fn parenthesised(&self, at: usize) -> &'s str {
        let close = self.closing(at).unwrap_or(at);
        &self.text[self.tokens[at].end()..self.tokens[close].start.max(self.tokens[at].end())]
    }

    /// The words of these tokens that may mean a name of the top level: neither fields, methods nor keys.
    fn mentions(&self, range: Range<usize>) -> Vec<String> {
        let mut names = BTreeSet::new();
        for at in range {
            let before = at.checked_sub(1).map_or("", |before| self.tokens[before].text);
            let after = self.tokens.get(at + 1).map_or("", |token| token.text);
            let is_key = self.in_table[at] && after == "=" && matches!(before, "{" | "," | ";");
            if self.tokens[at].kind == Kind::Word && !matches!(before, "." | ":") && !is_key {
                names.insert(self.tokens[at].text.to_owned());
            }
        }
        names.into_iter().collect()
    }
}

fn ends_expression(token: &Token<'_>) -> bool {
    match token.kind {
        Kind::Word => !OPENING.contains(&token.text),
        Kind::Literal => true,
        Kind::Backtick => false,
        Kind::Symbol => matches!(token.text, ")" | "]" | "}" | "..."),
    }
}

/// The line comments right above a statement, given what stands before it. Beside a long comment none are kept.
fn comments_above(between: &str, at_start: bool) -> String {
    if between.contains("--[") {
        return String::new();
    }
    let mut lines: Vec<&str> = between.split_inclusive('\n').collect();
    // The first line is what stands beside the statement before, and what follows the last newline is indent.
    lines.retain(|line| line.ends_with('\n'));
    let own = if at_start { &lines[..] } else { lines.get(1..).unwrap_or(&[]) };
    let first = own.iter().rposition(|line| !line.trim_start().starts_with("--")).map_or(0, |blank| blank + 1);
    own[first..].iter().map(|line| line.trim_start()).collect()
}

/// The line comment on a statement's last line, given what stands after it.
fn comment_beside(between: &str) -> &str {
    let line = between.lines().next().unwrap_or("");
    let is_comment = line.trim_start().starts_with("--") && !between.contains("--[");
    if is_comment { line } else { "" }
}

/// Lua with `less` blanks fewer and `more` spaces before every line but the first, strings left as they are.
pub(super) fn shifted(text: &str, less: usize, more: usize) -> String {
    let strings: Vec<Range<usize>> = tokens(text)
        .iter()
        .filter(|token| token.kind == Kind::Literal && token.text.contains('\n'))
        .map(|token| token.start + 1..token.end())
        .collect();
    let (mut shifted, mut at) = (String::with_capacity(text.len()), 0);
    for line in text.split_inclusive('\n') {
        if at == 0 || strings.iter().any(|string| string.contains(&at)) {
            shifted.push_str(line);
        } else {
            let blanks = line.bytes().take(less).take_while(|byte| matches!(byte, b' ' | b'\t')).count();
            let rest = &line[blanks..];
            if !rest.trim().is_empty() {
                shifted.extend(std::iter::repeat_n(' ', more));
            }
            shifted.push_str(rest);
        }
        at += line.len();
    }
    shifted
}

#[cfg(test)]
#[path = "split_tests.rs"]
mod tests;
