//! Tasks and their outputs: what may be graded, without a word on what is right.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use serde_json::Value;

use super::read;
use crate::base::{Error, Id, Result};

/// One task, as its author gave it.
#[derive(Debug, Clone, PartialEq)]
pub struct Task {
    pub id: String,
    /// The whole JSON object, `id` included: what scripts see as `task`.
    pub fields: Value,
}

/// One solver's answer to a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    pub id: String,
    /// Position of its task in the corpus.
    pub task: usize,
    pub solver: String,
    pub text: Arc<str>,
}

/// Tasks with their outputs, in the order of their files. Outputs of one task are each other's peers.
#[derive(Debug)]
pub struct Corpus {
    tasks: Vec<Task>,
    outputs: Vec<Output>,
    of_task: Vec<Vec<usize>>,
}

impl Corpus {
    /// Joins tasks and outputs that are already in memory.
    ///
    /// # Errors
    /// Two tasks or two outputs of one id, or an output whose task does not exist.
    pub fn new(tasks: Vec<Task>, outputs: Vec<Output>) -> Result<Self> {
        distinct("task", tasks.iter().map(|task| task.id.as_str()))?;
        distinct("output", outputs.iter().map(|output| output.id.as_str()))?;
        let mut of_task = vec![Vec::new(); tasks.len()];
        for (position, output) in outputs.iter().enumerate() {
            let of = of_task.get_mut(output.task).ok_or_else(|| {
                Error::failure(format!("output `{}` is of task {}, which does not exist", output.id, output.task))
            })?;
            of.push(position);
        }
        Ok(Self { tasks, outputs, of_task })
    }

    /// Reads a file of tasks and a file of outputs.
    pub fn load(tasks: &Path, outputs: &Path) -> Result<Self> {
        let tasks = read::read_tasks(tasks)?;
        let outputs = read::read_outputs(outputs, &tasks)?;
        Self::new(tasks, outputs)
    }

    pub fn tasks(&self) -> &[Task] {
        &self.tasks
    }

    pub fn outputs(&self) -> &[Output] {
        &self.outputs
    }

    /// Positions of a task's outputs, in file order.
    pub fn outputs_of(&self, task: usize) -> &[usize] {
        &self.of_task[task]
    }

    /// Position of the output with this id.
    pub fn find_output(&self, id: &str) -> Option<usize> {
        self.outputs.iter().position(|output| output.id == id)
    }

    /// Position of the task with this id.
    pub fn find_task(&self, id: &str) -> Option<usize> {
        self.tasks.iter().position(|task| task.id == id)
    }

    /// A hash of all that a script can see of the corpus.
    pub fn fingerprint(&self) -> Id {
        let tasks = self.tasks.iter().map(|task| task.fields.to_string()).collect::<Vec<_>>();
        let outputs = self.outputs.iter().flat_map(|output| {
            let task = &self.tasks[output.task].id;
            [output.id.as_bytes(), task.as_bytes(), output.solver.as_bytes(), output.text.as_bytes()]
        });
        Id::of("corpus", tasks.iter().map(|task| task.as_bytes()).chain(outputs))
    }
}

fn distinct<'a>(noun: &str, ids: impl Iterator<Item = &'a str>) -> Result<()> {
    let mut seen = HashSet::new();
    for id in ids {
        if !seen.insert(id) {
            return Err(Error::failure(format!("two {noun}s have the id `{id}`")));
        }
    }
    Ok(())
}
