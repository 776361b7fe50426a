//! Tasks and outputs that need not fit into memory: checked once as a whole, then read in pieces.
//!
//! A piece is a corpus of whole tasks, since the outputs of a task are each other's peers. Nothing is read in pieces
//! before both files are known to be sound.

use std::path::Path;

use super::index::{Outputs, Tasks};
use super::source::Source;
use super::{Corpus, Output, Task, read};
use crate::base::Result;

/// A piece ends with the task in which its texts reach this many bytes.
const MOST_TEXT: usize = 4 << 20;

/// A file of tasks and a file of their outputs, of which only the places are held.
pub struct Stream {
    task_file: Source,
    output_file: Source,
    task_at: Vec<u64>,
    outputs: Outputs,
}

impl Stream {
    /// Reads both files once.
    ///
    /// # Errors
    /// As for `Corpus::load`.
    pub fn open(tasks: &Path, outputs: &Path) -> Result<Self> {
        let mut task_file = Source::open(tasks)?;
        let tasks = Tasks::read(&mut task_file)?;
        let mut output_file = Source::open(outputs)?;
        let outputs = Outputs::read(&mut output_file, &tasks)?;
        Ok(Self { task_file, output_file, task_at: tasks.at, outputs })
    }

    pub fn tasks(&self) -> usize {
        self.task_at.len()
    }

    pub fn outputs(&self) -> usize {
        self.outputs.count
    }

    /// The tasks that have outputs, in file order, about `outputs` outputs at a time.
    pub fn pieces(&mut self, outputs: usize) -> impl Iterator<Item = Result<Corpus>> + '_ {
        let mut next = 0;
        std::iter::from_fn(move || self.piece(&mut next, outputs).transpose())
    }

    fn piece(&mut self, next: &mut usize, most: usize) -> Result<Option<Corpus>> {
        let (mut tasks, mut outputs, mut bytes) = (Vec::new(), Vec::new(), 0);
        while *next < self.tasks() && outputs.len() < most && bytes < MOST_TEXT {
            let position = *next;
            *next += 1;
            if self.outputs.of(position).next().is_none() {
                continue;
            }
            let task = self.task(position)?;
            let before = outputs.len();
            self.outputs_of(position, &task.id, tasks.len(), &mut outputs)?;
            bytes += outputs[before..].iter().map(|output: &Output| output.text.len()).sum::<usize>();
            tasks.push(task);
        }
        if tasks.is_empty() { Ok(None) } else { Corpus::new(tasks, outputs).map(Some) }
    }

    fn task(&mut self, position: usize) -> Result<Task> {
        let mut records = self.task_file.read(self.task_at[position], 1)?;
        let task = records.pop().and_then(|fields| read::task(fields, |_| Ok(())).ok());
        task.ok_or_else(|| self.task_file.changed())
    }

    /// Adds the outputs of a task, which is to be known as `place`.
    fn outputs_of(&mut self, position: usize, id: &str, place: usize, outputs: &mut Vec<Output>) -> Result<()> {
        for run in self.outputs.of(position) {
            for fields in self.output_file.read(run.at, run.outputs as usize)? {
                let of = |task: String| if task == id { Ok(place) } else { Err(read::unknown_task(&task)) };
                let output = read::output(fields, |_| Ok(()), of);
                outputs.push(output.map_err(|_| self.output_file.changed())?);
            }
        }
        Ok(())
    }
}
