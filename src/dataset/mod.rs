//! Tasks, outputs and splits (METHOD section 3).
//!
//! A `Pool` has a hard label for every output. `assign` divides its tasks into train, dev and test; what comes of it is
//! a `Dataset`, which simply has no test labels. They go to `audit::locked`, and nothing here can read them back.

mod corpus;
pub mod evalplus;
mod folder;
mod index;
mod lines;
mod pool;
mod problems;
mod read;
mod record;
mod source;
mod split;
mod stream;

use std::sync::Arc;

pub use corpus::{Corpus, Output, Task};
pub use folder::{OUTPUTS, REFERENCE, SPLITS, TASKS};
pub use pool::Pool;
pub use read::{MAX_TEXT, References, read_labels, read_outputs, read_tasks};
pub use split::{Assignment, DevItem, Sizes, assign};
pub use stream::Stream;

/// A corpus divided for evolution: unlabelled train outputs, a few labelled dev outputs, and test outputs whose labels
/// are elsewhere.
#[derive(Debug, Clone)]
pub struct Dataset {
    corpus: Arc<Corpus>,
    split: Assignment,
    seal: String,
}

impl Dataset {
    /// `seal` is the hash of the test labels, by which the audit knows them again.
    pub(crate) fn new(corpus: Arc<Corpus>, split: Assignment, seal: String) -> Self {
        Self { corpus, split, seal }
    }

    pub fn corpus(&self) -> &Arc<Corpus> {
        &self.corpus
    }

    pub fn split(&self) -> &Assignment {
        &self.split
    }

    /// The labelled items: ten outputs of ten tasks at the usual size. The other outputs of these tasks are peers only.
    pub fn dev(&self) -> &[DevItem] {
        &self.split.dev
    }

    /// Positions of the train outputs, task by task.
    pub fn train_outputs(&self) -> Vec<usize> {
        self.outputs_of_all(&self.split.train)
    }

    /// Positions of the test outputs, task by task.
    pub fn test_outputs(&self) -> Vec<usize> {
        self.outputs_of_all(&self.split.test)
    }

    pub(crate) fn seal(&self) -> &str {
        &self.seal
    }

    fn outputs_of_all(&self, tasks: &[usize]) -> Vec<usize> {
        tasks.iter().flat_map(|&task| self.corpus.outputs_of(task)).copied().collect()
    }
}
