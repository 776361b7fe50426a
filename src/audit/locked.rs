//! The sealed test labels (METHOD section 3): made here, kept here, opened here, and every opening counted.
//!
//! Only the audit can open a seal; elsewhere it does not compile:
//!
//! ```compile_fail,E0624
//! fn peek(sealed: &gradus::audit::locked::Sealed) {
//!     let _ = sealed.open("curiosity", "");
//! }
//! ```
//! ```compile_fail,E0616
//! fn peek(sealed: &gradus::audit::locked::Sealed) {
//!     let _ = &sealed.place;
//! }
//! ```
//! What anyone may ask is how often that has happened:
//! ```
//! fn ask(sealed: &gradus::audit::locked::Sealed) -> gradus::base::Result<usize> {
//!     sealed.openings()
//! }
//! ```

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;

use super::openings::Log;
use crate::base::file::{NewFolder, WRITABLE};
use crate::base::{Error, Id, Result};
use crate::dataset::{self, Assignment, Dataset, Output, Pool, REFERENCE, Sizes};

const SEALED: &str = "sealed.jsonl";
const OPENINGS: &str = "openings.jsonl";

/// The labels of the test outputs of one dataset, out of reach.
pub struct Sealed {
    dataset: Dataset,
    place: Place,
}

enum Place {
    Memory { passes: Vec<bool>, openings: AtomicUsize },
    Folder(PathBuf),
}

/// Opened labels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Labels {
    /// Position of each test output, in the order of `Dataset::test_outputs`, and whether it passes.
    pub(super) items: Vec<(usize, bool)>,
    /// Which opening of this seal this was, counted from 1.
    pub(super) opening: usize,
}

/// Draws a split of a pool and seals its test labels in memory.
pub fn split(pool: &Pool, seed: u64, sizes: Sizes) -> Result<(Dataset, Sealed)> {
    Ok(seal(pool, dataset::assign(pool, seed, sizes)?))
}

/// Draws a split of the pool in the folder `pool` and writes it to the new folder `to`, whole or not at all.
///
/// # Errors
/// `to` exists, cannot be written, or the pool cannot be split.
pub fn split_to_folder(pool: &Path, seed: u64, sizes: Sizes, to: &Path) -> Result<Dataset> {
    if to.exists() {
        return Err(Error::failure("exists already")
            .at(to, None)
            .help("Choose another folder, or move this one away."));
    }
    let (dataset, sealed) = split(&Pool::load(pool)?, seed, sizes)?;
    let partial = NewFolder::beside(to)?;
    write_all(&dataset, &sealed, pool, partial.path()).map_err(|error| named_after(to, partial.path(), error))?;
    partial.keep(to)?;
    Ok(dataset)
}

/// Writes a dataset with its seal into an existing folder, and reads it back.
fn write_all(dataset: &Dataset, sealed: &Sealed, pool: &Path, folder: &Path) -> Result<()> {
    dataset.write_into(folder, pool)?;
    sealed.write_into(folder)?;
    let written = Dataset::load(folder)?;
    if folder.join(REFERENCE).exists() {
        dataset::References::load(&folder.join(REFERENCE), written.corpus())?;
    }
    Ok(())
}

/// Names a file by where it was to be, not by the passing folder that it was written in.
fn named_after(to: &Path, partial: &Path, error: Error) -> Error {
    let place = error.place().and_then(|(path, line)| Some((to.join(path.strip_prefix(partial).ok()?), line)));
    match place {
        Some((path, line)) => error.at(path, line),
        None => error,
    }
}

/// Reads a dataset and finds its seal, which stays closed: whether the labels are there and as they were is seen when
/// they are opened.
pub fn load(folder: &Path) -> Result<(Dataset, Sealed)> {
    let dataset = Dataset::load(folder)?;
    let sealed = Sealed { dataset: dataset.clone(), place: Place::Folder(folder.to_owned()) };
    Ok((dataset, sealed))
}

fn seal(pool: &Pool, split: Assignment) -> (Dataset, Sealed) {
    let corpus = pool.corpus();
    let test: Vec<usize> = split.test.iter().flat_map(|&task| corpus.outputs_of(task)).copied().collect();
    let passes: Vec<bool> = test.iter().map(|&output| pool.passes()[output]).collect();
    let seal = hash(test.iter().map(|&output| &corpus.outputs()[output]), &passes);
    let dataset = Dataset::new(corpus.clone(), split, seal);
    let place = Place::Memory { passes, openings: AtomicUsize::new(0) };
    (dataset.clone(), Sealed { dataset, place })
}

impl fmt::Debug for Sealed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sealed").finish_non_exhaustive()
    }
}

impl Sealed {
    /// The dataset whose test labels these are.
    pub fn dataset(&self) -> &Dataset {
        &self.dataset
    }

    /// How often these labels have been opened.
    pub fn openings(&self) -> Result<usize> {
        match &self.place {
            Place::Memory { openings, .. } => Ok(openings.load(Ordering::SeqCst)),
            Place::Folder(folder) => Log::new(folder.join(OPENINGS)).count(),
        }
    }

    /// Opens the seal. The opening is on record before a label is read; a run that was killed after that, and asks again
    /// for the same reason, is the same opening.
    ///
    /// # Errors
    /// The opening cannot be recorded, or the labels are missing or not those that were sealed.
    pub(super) fn open(&self, why: &str, run: &str) -> Result<Labels> {
        let (opening, passes) = match &self.place {
            Place::Memory { passes, openings } => (openings.fetch_add(1, Ordering::SeqCst) + 1, passes.clone()),
            Place::Folder(folder) => {
                (Log::new(folder.join(OPENINGS)).record(why, run)?, self.read_from(&folder.join(SEALED))?)
            }
        };
        let items = self.dataset.test_outputs().into_iter().zip(passes).collect();
        Ok(Labels { items, opening })
    }

    fn read_from(&self, path: &Path) -> Result<Vec<bool>> {
        let help = "Restore the file, or split the pool again.";
        let test = self.test_outputs();
        let labels = dataset::read_labels(path, &test).map_err(|error| match error.place() {
            Some((_, None)) => error.help(help),
            _ => error,
        })?;
        let passes: Vec<bool> = labels.iter().flatten().copied().collect();
        if passes.len() != test.len() || hash(test.iter(), &passes) != self.dataset.seal() {
            return Err(Error::failure("not the labels that were sealed").at(path, None).help(help));
        }
        Ok(passes)
    }

    fn write_into(&self, folder: &Path) -> Result<()> {
        let Place::Memory { passes, .. } = &self.place else {
            return Err(Error::failure("sealed labels are written once, when they are made").at(folder, None));
        };
        let path = folder.join(SEALED);
        let lines = self.test_outputs().into_iter().zip(passes);
        let text: String =
            lines.map(|(output, pass)| json!({"output": output.id, "pass": pass}).to_string() + "\n").collect();
        std::fs::write(&path, text).map_err(|error| Error::io(&path, "write", &error).help(WRITABLE))
    }

    fn test_outputs(&self) -> Vec<Output> {
        let corpus = self.dataset.corpus();
        self.dataset.test_outputs().into_iter().map(|output| corpus.outputs()[output].clone()).collect()
    }
}

fn hash<'a>(outputs: impl Iterator<Item = &'a Output>, passes: &[bool]) -> String {
    let verdict = |pass: bool| if pass { &b"pass"[..] } else { &b"fail"[..] };
    let fields = outputs.zip(passes).flat_map(|(output, &pass)| [output.id.as_bytes(), verdict(pass)]);
    Id::of("sealed", fields).to_string()
}

#[cfg(test)]
mod tests;
