//! The problems: what a solver sees of them, and the hidden tests.

use std::path::Path;

use super::super::lines::{Line, Lines};
use super::super::problems::Problems;
use super::super::record::Wrong;
use super::{json, open, shapes};
use crate::base::{Error, Result};
use crate::observe::Value;
use crate::observe::literal;
use crate::observe::repr::repr;

pub(super) struct Problem {
    pub(super) id: String,
    /// The text in front of a completion.
    pub(super) prompt: String,
    pub(super) statement: String,
    pub(super) entry_point: String,
    pub(super) examples: Vec<String>,
    pub(super) canonical_solution: String,
    /// Argument lists as Python literals, those of the base tests first.
    pub(super) inputs: Vec<String>,
    pub(super) base_count: usize,
    pub(super) atol: f64,
    pub(super) comparison: &'static str,
}

/// Entry points of MBPP+ whose answers are compared as sets.
const AS_SETS: [&str; 8] = [
    "similar_elements",
    "find_char_long",
    "common_in_nested_lists",
    "extract_singly",
    "larg_nnum",
    "intersection_array",
    "find_dissimilar",
    "Diff",
];
/// Entry points of MBPP+ of which only whether there is an answer is compared.
const WHETHER_ANY: [&str; 3] = ["check_str", "text_match_three", "text_starta_endb"];

pub(super) fn read(path: &Path) -> Result<Vec<Problem>> {
    let mut lines = Lines::new(open(path)?);
    let (mut problems, mut wrong): (Vec<Problem>, _) = (Vec::new(), Problems::default());
    while let Some((place, line)) = lines.next().map_err(|error| Error::io(path, "read", &error))? {
        let text = match line {
            Line::Text(text) if text.trim().is_empty() => continue,
            Line::Text(text) => Ok(text),
            Line::TooLong(bytes) => Err(Wrong::new(format!("the line has {bytes} bytes"), "Leave this problem out.")),
            Line::NotUtf8(_) => Err(Wrong::new("not UTF-8", "Save the file as UTF-8.")),
        };
        match text.and_then(problem) {
            Ok(new) if problems.iter().any(|known| known.id == new.id) => {
                wrong.add(place.number, format!("duplicate task_id `{}`", new.id), "Keep one of the two.");
            }
            Ok(new) => problems.push(new),
            Err(Wrong { what, remedy }) => wrong.add(place.number, what, remedy),
        }
    }
    wrong.into_result(path)?;
    if problems.is_empty() {
        let help = "Give HumanEvalPlus or MbppPlus, as .jsonl or .jsonl.gz.";
        return Err(Error::failure("holds no problem").at(path, None).help(help));
    }
    Ok(problems)
}

fn problem(line: &str) -> Result<Problem, Wrong> {
    let whole = json::parse(line).map_err(|(what, at)| {
        Wrong::new(format!("not JSON: {what} (column {})", at + 1), "Download the file again.")
    })?;
    let text = |name: &str| {
        let found = json::get(&whole, name).and_then(json::text).map(str::to_owned);
        found.ok_or_else(|| missing(name, "text"))
    };
    let id = text("task_id")?;
    let list = |name: &str| match json::get(&whole, name) {
        Some(Value::List(calls)) => {
            Ok(calls.iter().map(|args| repr(&shapes::restored(&id, args.clone()))).collect::<Vec<_>>())
        }
        // An empty list of further tests is published as an empty object.
        Some(Value::Dict(none)) if none.is_empty() => Ok(Vec::new()),
        _ => Err(missing(name, "a list of argument lists")),
    };
    let atol = match json::get(&whole, "atol") {
        Some(Value::Int(int)) => int.to_string().parse().unwrap_or(0.0),
        Some(Value::Float(float)) => *float,
        _ => return Err(missing("atol", "a number")),
    };
    let (base, plus) = (list("base_input")?, list("plus_input")?);
    let (prompt, entry_point) = (text("prompt")?, text("entry_point")?);
    let (statement, examples) = visible(&prompt, &entry_point);
    let is_mbpp = id.starts_with("Mbpp/");
    let comparison = match entry_point.as_str() {
        entry if is_mbpp && AS_SETS.contains(&entry) => "set",
        entry if is_mbpp && WHETHER_ANY.contains(&entry) => "not_none",
        _ => "equal",
    };
    let (base_count, inputs) = (base.len(), [base, plus].concat());
    let canonical_solution = text("canonical_solution")?;
    Ok(Problem {
        id,
        prompt,
        statement,
        entry_point,
        examples,
        canonical_solution,
        inputs,
        base_count,
        atol,
        comparison,
    })
}

fn missing(name: &str, what: &str) -> Wrong {
    Wrong::new(format!("`{name}` must be {what}"), "Give a problem file of EvalPlus, with its tests.")
}

/// The statement, and the examples that it shows as asserts. MBPP+ has a docstring that ends with an assert; HumanEval+
/// has the head of a function, whose calls are shown as in a Python shell.
fn visible(prompt: &str, entry_point: &str) -> (String, Vec<String>) {
    let lines: Vec<&str> = prompt.lines().map(str::trim).collect();
    let asserts: Vec<String> =
        lines.iter().filter(|line| line.starts_with("assert ")).map(|line| (*line).to_owned()).collect();
    if !asserts.is_empty() {
        let said: Vec<&str> = lines.iter().filter(|line| !line.starts_with("assert ")).copied().collect();
        return (said.join("\n").replace("\"\"\"", "").trim().to_owned(), asserts);
    }
    let call = format!(">>> {entry_point}(");
    let shown = lines.windows(2).filter(|pair| pair[0].starts_with(&call) && literal::parse(pair[1]).is_ok());
    let examples = shown.map(|pair| format!("assert {} == {}", &pair[0][4..], pair[1])).collect();
    (prompt.trim().to_owned(), examples)
}
