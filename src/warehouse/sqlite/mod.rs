//! SQLite: a folder of database files, opened for reading alone, and seeded copies of them in memory.
//!
//! Connections and copies are kept between queries, within bounds. What is kept never changes an answer.

mod cell;
mod clock;
mod copy;
mod database;
mod guard;
mod keep;
mod run;
mod tables;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::base::Id;
use crate::observe::{Observation, Raised, Status};

use super::{COPIES, Error, Limits, Warehouse};
use database::Database;
use guard::Guarded;
use keep::Keep;

pub use database::find;

/// Idle connections that are kept, and bytes of perturbed copies.
const KEPT_CONNECTIONS: usize = 32;
const KEPT_BYTES: usize = 512 << 20;
/// Rises with any change to how copies are made.
const COPY_FORMAT: u8 = 1;

/// A folder of SQLite databases.
pub struct Sqlite {
    folder: PathBuf,
    limits: Limits,
    known: Mutex<HashMap<String, Arc<Database>>>,
    idle: Mutex<Keep<Guarded>>,
    /// Held while a copy is made, so that each is made once.
    copies: Mutex<Keep<Arc<[u8]>>>,
}

impl Sqlite {
    /// The databases of a folder. Nothing is opened before it is asked for.
    pub fn new(folder: impl Into<PathBuf>, limits: Limits) -> Self {
        Self {
            folder: folder.into(),
            limits,
            known: Mutex::default(),
            idle: Mutex::new(Keep::new(KEPT_CONNECTIONS)),
            copies: Mutex::new(Keep::new(KEPT_BYTES)),
        }
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The version of the engine, which is part of every answer's environment.
    pub fn version() -> &'static str {
        rusqlite::version()
    }

    fn database(&self, name: &str) -> Result<Arc<Database>, Error> {
        if let Some(known) = lock(&self.known).get(name) {
            known.unchanged()?;
            return Ok(Arc::clone(known));
        }
        let opened = Arc::new(Database::open(&find(&self.folder, name)?)?);
        Ok(Arc::clone(lock(&self.known).entry(name.to_owned()).or_insert(opened)))
    }

    /// A perturbed copy as the bytes of a database file.
    fn image(&self, database: &Database, copy: u8) -> Result<Arc<[u8]>, Error> {
        let key = (database.content, copy);
        let mut copies = lock(&self.copies);
        if let Some(image) = copies.get(&key) {
            return Ok(Arc::clone(image));
        }
        let image: Arc<[u8]> = copy::make(database, copy)?.into();
        copies.put(key, Arc::clone(&image), image.len());
        Ok(image)
    }

    fn connect(&self, database: &Database, copy: u8) -> Result<Guarded, Error> {
        if let Some(idle) = lock(&self.idle).take(&(database.content, copy)) {
            return Ok(idle);
        }
        match copy {
            0 => Guarded::file(database, &self.limits),
            _ => Guarded::image(database, &self.image(database, copy)?, &self.limits),
        }
    }
}

impl Warehouse for Sqlite {
    fn environment(&self, database: &str, copy: u8) -> Result<Id, Error> {
        let database = self.database(database)?;
        let (content, limits) = (database.content, self.limits.key());
        let version = Self::version().as_bytes();
        Ok(Id::of("warehouse environment", [content.bytes(), &[copy, COPY_FORMAT][..], version, &limits]))
    }

    fn run(&self, database: &str, copy: u8, query: &str) -> Result<Observation, Error> {
        if copy > COPIES {
            return Err(Error::new(format!("there is no copy {copy}; copies are 0 to {COPIES}")));
        }
        let database = self.database(database)?;
        if copy > 0 && database.bytes > u64::from(self.limits.copy_mb) << 20 {
            return Ok(refused(format!(
                "the database is larger than {} MiB, so it has no copies",
                self.limits.copy_mb
            )));
        }
        let guarded = self.connect(&database, copy)?;
        let observation = run::run(&guarded, query, &self.limits).map_err(|what| Error::at(&database.path, what))?;
        lock(&self.idle).put((database.content, copy), guarded, 1);
        Ok(observation)
    }
}

/// A query that was not run, or not to its end, and why.
fn refused(why: impl Into<String>) -> Observation {
    let error = Raised { kind: "refused".to_owned(), message: why.into() };
    Observation { error: Some(error), ..Observation::bare(Status::Refused) }
}

/// A lock whose holder cannot have left anything half-done.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
