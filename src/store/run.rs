//! A run's database, `run.sqlite`: what the run was begun with, its events round by round, and how long things took.
//!
//! A round is one transaction, so a run that is killed at any moment holds a whole number of rounds. One process writes
//! at a time; any number may read. What an event says is not known here.

mod chain;
mod lock;
mod open;

use std::path::{Path, PathBuf};

use rusqlite::{Connection, TransactionBehavior};
use serde_json::Value;

use crate::base::{Error, Id, Result, file};
use lock::Lock;

/// The database of a run, in its folder.
pub const DATABASE: &str = "run.sqlite";
/// The events as lines, written from the database and never read back.
pub const EVENTS: &str = "events.jsonl";

/// Moments in the keeping of a round between which a process may end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edge {
    /// Nothing of the round is in the database.
    Before,
    /// Its events are in an open transaction.
    Inside,
    /// The transaction is committed; `events.jsonl` is that of the round before.
    Committed,
    /// The new `events.jsonl` lies beside the old one.
    Written,
    /// All is in place.
    Projected,
}

impl Edge {
    pub const ALL: [Self; 5] = [Self::Before, Self::Inside, Self::Committed, Self::Written, Self::Projected];
}

type Watch = Box<dyn Fn(Edge) -> Result<()> + Send + Sync>;

/// A run as it lies in its folder.
pub struct RunFile {
    folder: PathBuf,
    connection: Connection,
    begun: Begun,
    head: Id,
    watch: Watch,
    /// Held until the value or the process is gone; a reader has none.
    lock: Option<Lock>,
}

/// What a run was begun with.
struct Begun {
    id: String,
    header: Value,
    place: Value,
    at: String,
    /// Where the chain of events starts: it covers the header.
    start: Id,
}

impl RunFile {
    /// A new run in an existing folder. `header` is what a run that goes on is compared with, `place` what may differ
    /// then, such as where the data lies.
    ///
    /// # Errors
    /// There is a run in the folder already, another process works in it, or it cannot be written.
    pub fn create(folder: &Path, header: &Value, place: &Value) -> Result<Self> {
        open::refuse_existing(folder)?;
        let lock = Lock::take(folder)?;
        open::refuse_existing(folder)?;
        open::make(folder, header, place)?;
        Self::load(folder, Some(lock))
    }

    /// Opens a run to go on with it.
    ///
    /// # Errors
    /// There is none, it is damaged, from a newer gradus or another program's, or another process works on it. Nothing
    /// is changed then.
    pub fn open(folder: &Path) -> Result<Self> {
        open::require_existing(folder)?;
        let lock = Lock::take(folder)?;
        let run = Self::load(folder, Some(lock))?;
        file::remove_leftovers(folder);
        Ok(run)
    }

    /// Opens a run to look at it, also while a process works on it.
    ///
    /// # Errors
    /// As for `open`, but for other processes.
    pub fn read(folder: &Path) -> Result<Self> {
        open::require_existing(folder)?;
        Self::load(folder, None)
    }

    /// Removes a folder in which a run could not be begun, unless another process is at work there, or anything else is.
    pub fn clear_unbegun(folder: &Path) {
        if !folder.join(DATABASE).exists() && !lock::is_held(folder) {
            lock::remove(folder);
            std::fs::remove_dir(folder).ok();
        }
    }

    /// Whether a process works on the run in this folder.
    pub fn is_going_on(folder: &Path) -> bool {
        lock::is_held(folder)
    }

    fn load(folder: &Path, lock: Option<Lock>) -> Result<Self> {
        let path = folder.join(DATABASE);
        let connection = open::connect(&path, lock.is_some()).map_err(|refusal| open::explain(&path, refusal))?;
        let begun = open::begun(&connection).map_err(|error| open::explain(&path, error.into()))?;
        let head = chain::read(&connection, begun.start).map_err(|broken| broken.explain(&path))?.head;
        Ok(Self { folder: folder.to_owned(), connection, begun, head, watch: Box::new(|_| Ok(())), lock })
    }

    /// Calls `watch` at every edge of every round; an error stops the work there.
    pub fn watch(&mut self, watch: impl Fn(Edge) -> Result<()> + Send + Sync + 'static) {
        self.watch = Box::new(watch);
    }

    /// A unique name of this run, drawn when it was begun.
    pub fn id(&self) -> &str {
        &self.begun.id
    }

    /// What the run was begun with, as it was given.
    pub fn header(&self) -> &Value {
        &self.begun.header
    }

    /// What it was begun with and need not go on with.
    pub fn place(&self) -> &Value {
        &self.begun.place
    }

    /// When it was begun.
    pub fn began(&self) -> &str {
        &self.begun.at
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Adds the events of a round, one line of JSON each, and figures that are never compared: all of it or nothing.
    ///
    /// # Errors
    /// The database cannot be written: the rounds before are as they were.
    pub fn commit(&mut self, round: u32, events: &[String], timings: &[(String, f64)]) -> Result<()> {
        let path = self.folder.join(DATABASE);
        if self.lock.is_none() {
            return Err(Error::failure("the run was opened to be read only").at(path, None));
        }
        (self.watch)(Edge::Before)?;
        let not_kept = |error: rusqlite::Error| open::not_kept(&path, round, &error);
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(not_kept)?;
        let head = chain::append(&transaction, self.head, round, events, timings).map_err(not_kept)?;
        (self.watch)(Edge::Inside)?;
        transaction.commit().map_err(not_kept)?;
        self.head = head;
        (self.watch)(Edge::Committed)
    }

    /// The events with their rounds, in order.
    ///
    /// # Errors
    /// The database cannot be read, or does not hold what was written to it.
    pub fn events(&self) -> Result<Vec<(u32, String)>> {
        let path = self.folder.join(DATABASE);
        chain::read(&self.connection, self.begun.start)
            .map(|journal| journal.events)
            .map_err(|broken| broken.explain(&path))
    }

    /// The figures that are never compared: round, name and value, in the order in which they were added.
    pub fn timings(&self) -> Result<Vec<(u32, String, f64)>> {
        let rows = || -> rusqlite::Result<Vec<_>> {
            let mut query = self.connection.prepare("SELECT round, name, value FROM timings ORDER BY n")?;
            query.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?.collect()
        };
        rows().map_err(|error| open::explain(&self.folder.join(DATABASE), error.into()))
    }

    /// Writes `events.jsonl` anew from the database.
    pub fn project(&self) -> Result<()> {
        let mut text = String::new();
        for (_, line) in self.events()? {
            text += &line;
            text.push('\n');
        }
        file::write_whole_watched(&self.folder.join(EVENTS), text.as_bytes(), || (self.watch)(Edge::Written))?;
        (self.watch)(Edge::Projected)
    }
}

#[cfg(test)]
mod tests;
