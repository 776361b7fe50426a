//! A pool: a corpus in which every output has a hard verdict. What a split is made of.

use std::path::Path;
use std::sync::Arc;

use super::corpus::{Corpus, Output};
use super::read;
use crate::base::{Error, Result};

/// Tasks, outputs, and a label for each output. Only splitting, and checking an anchor, has business with it.
#[derive(Debug, Clone)]
pub struct Pool {
    corpus: Arc<Corpus>,
    passes: Vec<bool>,
}

impl Pool {
    /// Joins a corpus with labels parallel to its outputs.
    ///
    /// # Errors
    /// As many labels as outputs are needed.
    pub fn new(corpus: Arc<Corpus>, passes: Vec<bool>) -> Result<Self> {
        if passes.len() != corpus.outputs().len() {
            let (labels, outputs) = (passes.len(), corpus.outputs().len());
            return Err(Error::failure(format!("{labels} labels for {outputs} outputs")));
        }
        Ok(Self { corpus, passes })
    }

    /// Reads `tasks.jsonl`, `outputs.jsonl` and `labels.jsonl` of a folder.
    ///
    /// # Errors
    /// A file is missing or malformed, or an output has no label.
    pub fn load(folder: &Path) -> Result<Self> {
        if !folder.is_dir() {
            let help = "A pool is a folder with tasks.jsonl, outputs.jsonl and labels.jsonl.";
            return Err(Error::failure("no such folder").at(folder, None).help(help));
        }
        let corpus = Corpus::load(&folder.join("tasks.jsonl"), &folder.join("outputs.jsonl"))?;
        let path = folder.join("labels.jsonl");
        let labels = read::read_labels(&path, corpus.outputs())?;
        let mut unlabelled = labels.iter().zip(corpus.outputs()).filter(|(label, _)| label.is_none());
        if let Some((_, output)) = unlabelled.next() {
            let more = match unlabelled.count() {
                0 => String::new(),
                n => format!(", nor have {n} others"),
            };
            let help = "Add the labels, or leave these outputs out of the pool.";
            return Err(Error::failure(format!("output `{}` has no label{more}", output.id)).at(path, None).help(help));
        }
        Self::new(Arc::new(corpus), labels.into_iter().flatten().collect())
    }

    /// The pool of some tasks alone, by their ids.
    pub fn only(&self, wanted: impl Fn(&str) -> bool) -> Result<Self> {
        let kept: Vec<usize> =
            (0..self.corpus.tasks().len()).filter(|task| wanted(&self.corpus.tasks()[*task].id)).collect();
        let outputs = self.corpus.outputs().iter().zip(&self.passes);
        let moved = |(output, pass): (&Output, &bool)| {
            let task = kept.binary_search(&output.task).ok()?;
            Some((Output { task, ..output.clone() }, *pass))
        };
        let (outputs, passes) = outputs.filter_map(moved).unzip();
        let tasks = kept.iter().map(|task| self.corpus.tasks()[*task].clone()).collect();
        Self::new(Arc::new(Corpus::new(tasks, outputs)?), passes)
    }

    pub fn corpus(&self) -> &Arc<Corpus> {
        &self.corpus
    }

    /// Whether each output passes, parallel to the corpus' outputs.
    pub fn passes(&self) -> &[bool] {
        &self.passes
    }
}
