//! The four files of a pool: tasks, outputs, labels, references.
//!
//! A file is read whole or not at all, and every record's links to earlier files are resolved while its line is
//! still known.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::Path;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::record::{self, Wrong};
use super::{Corpus, Output, Task};
use crate::base::Result;

/// The longest output text, in bytes.
pub const MAX_TEXT: usize = 1 << 20;

/// Reads `tasks.jsonl`: `{id, …}`; every other field is kept as it is.
pub fn read_tasks(path: &Path) -> Result<Vec<Task>> {
    let mut tasks = Vec::new();
    let mut names = Names::new(TASK_ID);
    record::each(path, "task", |record| {
        let line = record.line;
        tasks.push(task(record.fields, |id| names.add(id, line))?);
        Ok(())
    })?;
    Ok(tasks)
}

/// Reads `outputs.jsonl`: `{id, task, solver, text}`, each of one of `tasks`. Other fields are ignored.
pub fn read_outputs(path: &Path, tasks: &[Task]) -> Result<Vec<Output>> {
    let known = positions(tasks.iter().map(|task| task.id.as_str()));
    let mut outputs = Vec::new();
    let mut names = Names::new(OUTPUT_ID);
    record::each(path, "output", |record| {
        let line = record.line;
        let of = |task: String| known.get(task.as_str()).copied().ok_or_else(|| unknown_task(&task));
        outputs.push(output(record.fields, |id| names.add(id, line), of)?);
        Ok(())
    })?;
    Ok(outputs)
}

pub(super) const TASK_ID: &str = "task id";
pub(super) const OUTPUT_ID: &str = "output id";

/// A task out of its line; `named` hears its id first.
pub(super) fn task(
    mut fields: Map<String, Value>,
    named: impl FnOnce(&str) -> Result<(), Wrong>,
) -> Result<Task, Wrong> {
    let id = record::take_name(&mut fields, "id")?;
    named(&id)?;
    fields.insert("id".to_owned(), Value::String(id.clone()));
    Ok(Task { id, fields: Value::Object(fields) })
}

/// An output out of its line; `named` hears its id first, and `of` finds its task.
pub(super) fn output(
    mut fields: Map<String, Value>,
    named: impl FnOnce(&str) -> Result<(), Wrong>,
    of: impl FnOnce(String) -> Result<usize, Wrong>,
) -> Result<Output, Wrong> {
    let id = record::take_name(&mut fields, "id")?;
    named(&id)?;
    let task = of(record::take_name(&mut fields, "task")?)?;
    let solver = record::take_text(&mut fields, "solver")?;
    let text = record::take_text(&mut fields, "text")?;
    if text.len() > MAX_TEXT {
        let what = format!("`text` has {} bytes; the limit is {MAX_TEXT}", text.len());
        return Err(Wrong::new(what, "Shorten the output or leave it out."));
    }
    Ok(Output { id, task, solver, text: Arc::from(text) })
}

/// Reads `labels.jsonl`: `{output, pass}`; the result is parallel to `outputs`, `None` where there is no label.
pub fn read_labels(path: &Path, outputs: &[Output]) -> Result<Vec<Option<bool>>> {
    let known = positions(outputs.iter().map(|output| output.id.as_str()));
    let mut labels = vec![None; outputs.len()];
    let mut names = Names::new("label of output");
    record::each(path, "label", |mut record| {
        let id = record::take_name(&mut record.fields, "output")?;
        names.add(&id, record.line)?;
        let output = *known.get(id.as_str()).ok_or_else(|| unknown("output", &id, "outputs.jsonl"))?;
        labels[output] = Some(record::flag(&record.fields, "pass")?);
        Ok(())
    })?;
    Ok(labels)
}

/// What an anchor may see and no op: the hidden tests or gold answer of each task, as given.
#[derive(Debug, Clone, Default)]
pub struct References(HashMap<String, Value>);

impl References {
    /// Reads `reference.jsonl`: `{task, …}`, each of one of the corpus' tasks.
    pub fn load(path: &Path, corpus: &Corpus) -> Result<Self> {
        let known = positions(corpus.tasks().iter().map(|task| task.id.as_str()));
        let mut references = HashMap::new();
        let mut names = Names::new("reference of task");
        record::each(path, "reference", |mut record| {
            let id = record::take_name(&mut record.fields, "task")?;
            names.add(&id, record.line)?;
            known.get(id.as_str()).ok_or_else(|| unknown_task(&id))?;
            record.fields.insert("task".to_owned(), Value::String(id.clone()));
            references.insert(id, Value::Object(record.fields));
            Ok(())
        })?;
        Ok(Self(references))
    }

    /// The whole object of a task, where there is one.
    pub fn get(&self, task: &str) -> Option<&Value> {
        self.0.get(task)
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

pub(super) fn positions<'a>(ids: impl Iterator<Item = &'a str>) -> HashMap<&'a str, usize> {
    ids.enumerate().map(|(position, id)| (id, position)).collect()
}

pub(super) fn unknown_task(id: &str) -> Wrong {
    unknown("task", id, "tasks.jsonl")
}

fn unknown(noun: &str, id: &str, home: &str) -> Wrong {
    let remedy = format!("Add the {noun} to {home}, or leave this record out.");
    Wrong::new(format!("unknown {noun} `{id}`"), remedy)
}

/// The names that a file has given so far, to find the second of a kind.
pub(super) struct Names {
    noun: &'static str,
    lines: HashMap<String, usize>,
}

impl Names {
    pub(super) fn new(noun: &'static str) -> Self {
        Self { noun, lines: HashMap::new() }
    }

    pub(super) fn add(&mut self, id: &str, line: usize) -> Result<(), Wrong> {
        match self.lines.entry(id.to_owned()) {
            Entry::Vacant(free) => {
                free.insert(line);
                Ok(())
            }
            Entry::Occupied(taken) => {
                let what = format!("duplicate {} `{id}`, first on line {}", self.noun, taken.get());
                Err(Wrong::new(what, "Keep one of the two."))
            }
        }
    }
}
