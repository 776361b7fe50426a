//! One JSON object a line: reading the records of a file and taking their fields.
//!
//! Which fields a record has is for `read.rs`; here are the ways in which any record can be malformed.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use serde_json::{Map, Value};

use super::lines::{Line, Lines, MAX_LINE};
use super::problems::Problems;
use crate::base::{Error, Result};

/// A field that is not as it must be: what is wrong, and the remedy.
pub(super) struct Wrong {
    pub(super) what: String,
    pub(super) remedy: String,
}

impl Wrong {
    pub(super) fn new(what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { what: what.into(), remedy: remedy.into() }
    }
}

/// The object of one line, the line's number, and its offset from where reading began.
pub(super) struct Record {
    pub(super) line: usize,
    pub(super) at: u64,
    pub(super) fields: Map<String, Value>,
}

/// Hands every object of the file to `take`. Any problem in any line is an error for the whole file; so is a file
/// without records. `noun` names a record in the errors.
pub(super) fn each(path: &Path, noun: &str, take: impl FnMut(Record) -> Result<(), Wrong>) -> Result<()> {
    let file = File::open(path).map_err(|error| Error::io(path, "open", &error))?;
    each_of(BufReader::with_capacity(1 << 16, file), path, noun, take)
}

/// The same of a file that is open.
pub(super) fn each_of(
    file: impl BufRead,
    path: &Path,
    noun: &str,
    mut take: impl FnMut(Record) -> Result<(), Wrong>,
) -> Result<()> {
    let mut lines = Lines::new(file);
    let mut problems = Problems::default();
    let mut records = 0;
    while let Some((place, content)) = lines.next().map_err(|error| Error::io(path, "read", &error))? {
        let (line, at) = (place.number, place.at);
        if is_blank(&content) {
            continue;
        }
        records += 1;
        let taken = object(content).and_then(|fields| take(Record { line, at, fields }));
        if let Err(Wrong { what, remedy }) = taken {
            problems.add(line, what, remedy);
        }
    }
    problems.into_result(path)?;
    if records == 0 {
        let help = format!("Write one JSON object a line, one for each {noun}.");
        return Err(Error::failure(format!("holds no {noun}")).at(path, None).help(help));
    }
    Ok(())
}

/// The next object of lines that were read before, when every one of them was an object or blank.
pub(super) fn next_of(lines: &mut Lines<impl BufRead>) -> std::io::Result<Option<Map<String, Value>>> {
    while let Some((_, content)) = lines.next()? {
        if !is_blank(&content) {
            return Ok(object(content).ok());
        }
    }
    Ok(None)
}

fn is_blank(line: &Line) -> bool {
    matches!(line, Line::Text(text) if text.trim().is_empty())
}

fn object(line: Line<'_>) -> Result<Map<String, Value>, Wrong> {
    let text = match line {
        Line::Text(text) => text,
        Line::TooLong(bytes) => {
            let what = format!("the line has {bytes} bytes; the limit is {MAX_LINE}");
            return Err(Wrong::new(what, "Shorten the record or leave it out."));
        }
        Line::NotUtf8(at) => {
            let what = format!("not UTF-8 at byte {at} of the line");
            return Err(Wrong::new(what, "Save the file as UTF-8."));
        }
    };
    match serde_json::from_str(text) {
        Ok(Value::Object(fields)) => Ok(fields),
        Ok(other) => {
            let what = format!("expected a JSON object, found {}", kind(&other));
            Err(Wrong::new(what, "Write one JSON object a line."))
        }
        Err(error) => {
            let said = error.to_string();
            let said = said.split(" at line ").next().unwrap_or(&said);
            let what = format!("not JSON: {said} (column {})", error.column());
            Err(Wrong::new(what, "Write one JSON object a line."))
        }
    }
}

/// Takes a text field out of a record.
pub(super) fn take_text(fields: &mut Map<String, Value>, name: &str) -> Result<String, Wrong> {
    match fields.get_mut(name) {
        Some(Value::String(text)) => Ok(std::mem::take(text)),
        other => Err(mismatch(name, "a string", other.as_deref())),
    }
}

/// A text field that names something: not empty.
pub(super) fn take_name(fields: &mut Map<String, Value>, name: &str) -> Result<String, Wrong> {
    let text = take_text(fields, name)?;
    if text.is_empty() {
        return Err(Wrong::new(format!("`{name}` is empty"), "Give every record a name of its own."));
    }
    Ok(text)
}

pub(super) fn flag(fields: &Map<String, Value>, name: &str) -> Result<bool, Wrong> {
    match fields.get(name) {
        Some(Value::Bool(flag)) => Ok(*flag),
        other => Err(mismatch(name, "true or false", other)),
    }
}

fn mismatch(name: &str, expected: &str, found: Option<&Value>) -> Wrong {
    let what = match found {
        None => format!("`{name}` is missing"),
        Some(value) => format!("`{name}` must be {expected}, found {}", kind(value)),
    };
    Wrong::new(what, format!("Set `{name}` to {expected}."))
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
