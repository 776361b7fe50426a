//! A dataset on disk: tasks, outputs and `splits.json`.
//!
//! The files of the pool are copied byte for byte; ids alone say what is what. The labels of test are not written
//! here and not read here.

use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::read::positions;
use super::{Assignment, Corpus, Dataset, DevItem};
use crate::base::file::WRITABLE;
use crate::base::{Error, Result};

/// File names of a pool and a dataset.
pub const TASKS: &str = "tasks.jsonl";
pub const OUTPUTS: &str = "outputs.jsonl";
pub const REFERENCE: &str = "reference.jsonl";
pub const SPLITS: &str = "splits.json";

const VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SplitFile {
    version: u32,
    seed: u64,
    /// Ids of tasks.
    train: Vec<String>,
    dev: Vec<DevLine>,
    /// Ids of tasks.
    test: Vec<String>,
    /// Hash of tasks and outputs.
    corpus: String,
    /// Hash of the sealed labels.
    sealed: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct DevLine {
    output: String,
    pass: bool,
}

impl Dataset {
    /// Reads a folder that `gradus split` made.
    ///
    /// # Errors
    /// A file is missing or malformed, or tasks or outputs are not those that were split.
    pub fn load(folder: &Path) -> Result<Self> {
        let path = folder.join(SPLITS);
        let text = std::fs::read_to_string(&path).map_err(|error| {
            Error::io(&path, "read", &error).help("A dataset is a folder that `gradus split` made.")
        })?;
        let file: SplitFile = serde_json::from_str(&text).map_err(|error| {
            Error::failure(error.to_string()).at(&path, Some(error.line())).help("Split the pool again.")
        })?;
        if file.version != VERSION {
            let message = format!("format {}; this gradus reads {VERSION}", file.version);
            return Err(Error::failure(message).at(path, None).help("Split the pool again."));
        }
        let corpus = Corpus::load(&folder.join(TASKS), &folder.join(OUTPUTS))?;
        if corpus.fingerprint().to_string() != file.corpus {
            let help = "Restore the two files, or split the pool again.";
            let message = format!("{TASKS} or {OUTPUTS} has changed since the split");
            return Err(Error::failure(message).at(folder, None).help(help));
        }
        let split = resolve(&corpus, &file).map_err(|error| error.at(path, None).help("Split the pool again."))?;
        Ok(Self::new(Arc::new(corpus), split, file.sealed))
    }

    /// Writes everything but the sealed labels into an existing folder, with the pool's files copied from `pool`.
    pub(crate) fn write_into(&self, folder: &Path, pool: &Path) -> Result<()> {
        for name in [TASKS, OUTPUTS, REFERENCE] {
            let from = pool.join(name);
            if name == REFERENCE && !from.exists() {
                continue;
            }
            let bytes = std::fs::read(&from).map_err(|error| Error::io(&from, "read", &error))?;
            write(&folder.join(name), &bytes)?;
        }
        let path = folder.join(SPLITS);
        let mut text = serde_json::to_string_pretty(&self.split_file())
            .map_err(|error| Error::failure(error.to_string()).at(&path, None))?;
        text.push('\n');
        write(&path, text.as_bytes())
    }

    fn split_file(&self) -> SplitFile {
        let (corpus, split) = (self.corpus(), self.split());
        let ids = |tasks: &[usize]| tasks.iter().map(|&task| corpus.tasks()[task].id.clone()).collect();
        let line = |item: &DevItem| DevLine { output: corpus.outputs()[item.output].id.clone(), pass: item.pass };
        SplitFile {
            version: VERSION,
            seed: split.seed,
            train: ids(&split.train),
            dev: split.dev.iter().map(line).collect(),
            test: ids(&split.test),
            corpus: corpus.fingerprint().to_string(),
            sealed: self.seal().to_owned(),
        }
    }
}

fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    std::fs::write(path, bytes).map_err(|error| Error::io(path, "write", &error).help(WRITABLE))
}

/// From ids to positions, refusing a split whose parts share a task.
fn resolve(corpus: &Corpus, file: &SplitFile) -> Result<Assignment> {
    let tasks = positions(corpus.tasks().iter().map(|task| task.id.as_str()));
    let outputs = positions(corpus.outputs().iter().map(|output| output.id.as_str()));
    let mut used = vec![false; corpus.tasks().len()];
    let mut claim = |task: usize| {
        if std::mem::replace(&mut used[task], true) {
            let id = &corpus.tasks()[task].id;
            return Err(Error::failure(format!("task `{id}` is in the split twice")));
        }
        Ok(task)
    };
    let unknown = |id: &String| Error::failure(format!("`{id}` is not in the dataset"));
    let mut claim_all = |ids: &[String]| -> Result<Vec<usize>> {
        ids.iter().map(|id| claim(*tasks.get(id.as_str()).ok_or_else(|| unknown(id))?)).collect()
    };
    let (train, test) = (claim_all(&file.train)?, claim_all(&file.test)?);
    let mut dev = Vec::new();
    for line in &file.dev {
        let output = *outputs.get(line.output.as_str()).ok_or_else(|| unknown(&line.output))?;
        claim(corpus.outputs()[output].task)?;
        dev.push(DevItem { output, pass: line.pass });
    }
    Ok(Assignment { seed: file.seed, train, dev, test })
}
