//! Databases that untrusted queries are asked of: read, never changed, within limits that are counted and not timed.
//!
//! What a query did is an observation: rows, an error of its own, too many steps, or a refusal. What the machine failed
//! at is an error, and never an observation: it says nothing of the query.

mod limits;
pub mod sqlite;

use std::fmt;
use std::path::Path;

use crate::base::Id;
use crate::observe::Observation;

pub use limits::Limits;
pub use sqlite::Sqlite;

/// Perturbed copies that a database has; copy 0 is the database itself.
pub const COPIES: u8 = 6;

/// Whatever can answer queries. It may be shared between threads.
pub trait Warehouse: Send + Sync {
    /// What an answer depends on beside the query: the database's content, the copy, the limits and the engine.
    ///
    /// # Errors
    /// Where the database is missing, locked or damaged.
    fn environment(&self, database: &str, copy: u8) -> Result<Id, Error>;

    /// What a query comes to. The same query on the same environment comes to the same, always.
    ///
    /// # Errors
    /// Where the database or the machine fails; never for what the query is.
    fn run(&self, database: &str, copy: u8, query: &str) -> Result<Observation, Error>;
}

/// The warehouse failed at its own work: an infrastructure fault, never an observation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error(String);

impl Error {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }

    /// A failure on one database.
    fn at(path: &Path, what: impl fmt::Display) -> Self {
        Self(format!("{}: {what}", path.display()))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}
