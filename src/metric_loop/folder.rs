//! A run as a folder: its database, and what is written beside it for people and other programs.
//!
//! The database is the run. `events.jsonl`, `ops/` and `metric.json` are made from it and from the result; one that is
//! lost or damaged is made again, and none is ever read to go on.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::base::file::{remove_leftovers, write_whole};
use crate::base::{Error, Result};
use crate::journal::{Entry, Event, differences};
use crate::metric_loop::run::Keeper;
use crate::pack::Bundle;
use crate::store::{Edge, RunFile};

const METRIC: &str = "metric.json";
/// The folder of ops that were born in the run.
const OPS: &str = "ops";

pub struct RunFolder {
    file: RunFile,
    path: PathBuf,
}

impl RunFolder {
    /// Begins a run in a folder, which is made where it does not exist; `place` says where pack and data were found.
    ///
    /// # Errors
    /// The folder holds a run or a metric, or cannot be written.
    pub fn begin(path: &Path, header: &Value, place: &Value) -> Result<Self> {
        let metric = path.join(METRIC);
        if metric.exists() {
            return Err(Error::failure("exists already").at(metric, None).help("Choose another folder"));
        }
        let is_new = make(path)?;
        let file = RunFile::create(path, header, place).inspect_err(|_| {
            if is_new {
                RunFile::clear_unbegun(path);
            }
        })?;
        Ok(Self { file, path: path.to_owned() })
    }

    /// Opens a run to go on with it.
    ///
    /// # Errors
    /// There is none, it is in use, damaged or from a newer version.
    pub fn open(path: &Path) -> Result<Self> {
        Ok(Self { file: RunFile::open(path)?, path: path.to_owned() })
    }

    pub fn file(&self) -> &RunFile {
        &self.file
    }

    /// Calls `watch` at every edge of every commit; an error stops the work there.
    pub fn watch(&mut self, watch: impl Fn(Edge) -> Result<()> + Send + Sync + 'static) {
        self.file.watch(watch);
    }

    /// The events so far, if the run was begun under this header.
    ///
    /// # Errors
    /// It was begun with something else; the error says what differs.
    pub fn past(&self, header: &Value) -> Result<Vec<Entry>> {
        let differs = differences(self.file.header(), header);
        if !differs.is_empty() {
            let message = format!("this run was begun with something else: {}", differs.join("; "));
            return Err(Error::failure(message)
                .at(&self.path, None)
                .help("Resume it as it was begun, or begin another run in another folder"));
        }
        let read = |(_, line): (u32, String)| {
            Entry::parse(&line).map_err(|error| {
                Error::failure(format!("an event cannot be read: {error}"))
                    .at(&self.path, None)
                    .help("The run was made by another version; begin another run in another folder")
            })
        };
        let entries = self.file.events()?.into_iter().map(read).collect::<Result<Vec<Entry>>>()?;
        self.write_beside(&entries)?;
        remove_leftovers(&self.path.join(OPS));
        Ok(entries)
    }

    /// Writes the metric that the run came to.
    pub fn write_metric(&self, bundle: &Bundle) -> Result<PathBuf> {
        let path = self.path.join(METRIC);
        bundle.write(&path).map_err(|error| self.kept(error))?;
        Ok(path)
    }

    /// Writes what is made from the database anew, the scripts of these entries included.
    fn write_beside(&self, entries: &[Entry]) -> Result<()> {
        self.file.project().and_then(|()| self.write_ops(entries)).map_err(|error| self.kept(error))
    }

    /// The error of a file beside the database, without which the run is whole.
    fn kept(&self, error: Error) -> Error {
        let path = self.path.display();
        error.help(format!("The rounds are kept: let it be written, then go on with `gradus evolve --resume {path}`"))
    }

    /// The scripts of ops that were born, one file each.
    fn write_ops(&self, entries: &[Entry]) -> Result<()> {
        for entry in entries {
            if let Event::Born { op, source, .. } = &entry.event {
                let folder = self.path.join(OPS);
                std::fs::create_dir_all(&folder).map_err(|error| Error::io(&folder, "make this folder", &error))?;
                write_whole(&folder.join(format!("{op}.lua")), source.as_bytes())?;
            }
        }
        Ok(())
    }
}

/// Makes a folder with its parents; whether it was this process that did.
fn make(path: &Path) -> Result<bool> {
    let made = path.parent().map_or(Ok(()), std::fs::create_dir_all).and_then(|()| std::fs::create_dir(path));
    match made {
        Ok(()) => Ok(true),
        Err(_) if path.is_dir() => Ok(false),
        Err(error) => Err(Error::io(path, "make this folder", &error).help("Choose one that can be written")),
    }
}

impl Keeper for RunFolder {
    fn commit(&mut self, round: u32, entries: &[Entry], timings: &[(String, f64)]) -> Result<()> {
        let lines: Vec<String> = entries.iter().map(Entry::line).collect();
        self.file.commit(round, &lines, timings)?;
        self.write_beside(entries)
    }
}
