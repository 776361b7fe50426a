//! The cache: observations and verdicts that were paid for once, in one SQLite file that several processes share.
//!
//! What is stored never changes: the first record under a key stays. A batch is one transaction, so a crash leaves
//! whole batches. A cache that cannot be written is no error: the work goes on without it and a notice says so, once.

mod codec;
mod open;
mod row;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior};
use serde::de::DeserializeOwned;

use crate::base::{Error, Id, Result};
use crate::observe::Observation;
use codec::Decoded;
use open::{Opened, Reach, Refusal};
pub use row::PackedRow;

/// A shared cache of observations and verdicts. All methods may be called from any thread.
pub struct Store {
    connection: Mutex<Connection>,
    /// Empty for a cache in memory.
    path: PathBuf,
    writable: AtomicBool,
    notices: Mutex<Notices>,
}

#[derive(Default)]
struct Notices {
    all: Vec<String>,
    taken: usize,
}

/// What a cache holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stats {
    /// Where it is; nothing for a cache in memory.
    pub path: Option<PathBuf>,
    pub observations: u64,
    /// Outputs with stored verdicts.
    pub rows: u64,
    /// Size on disk, log included.
    pub bytes: u64,
}

#[derive(Clone, Copy)]
enum Table {
    Observations,
    Verdicts,
}

impl Table {
    fn select(self) -> &'static str {
        match self {
            Table::Observations => "SELECT data FROM observations WHERE key = ?1",
            Table::Verdicts => "SELECT data FROM verdicts WHERE key = ?1",
        }
    }
}

impl Store {
    /// Opens the cache, creating it and its folder where needed.
    ///
    /// A place that cannot be written is read; one that cannot be reached is replaced by memory; `take_notices` says so.
    ///
    /// # Errors
    /// The file is damaged, from a newer gradus, or another program's.
    pub fn open(path: &Path) -> Result<Self> {
        open::open(path).map(|opened| Self::of(path, opened)).map_err(|refusal| open::explain(path, refusal))
    }

    /// A cache that lasts as long as the value.
    pub fn in_memory() -> Result<Self> {
        let connection = open::open_in_memory().map_err(|error| open::explain_sql(Path::new(""), &error))?;
        Ok(Self::of(Path::new(""), Opened { connection, reach: Reach::Memory, notice: None }))
    }

    fn of(path: &Path, opened: Opened) -> Self {
        let path = if opened.reach == Reach::Memory { PathBuf::new() } else { path.to_owned() };
        Self {
            connection: Mutex::new(opened.connection),
            path,
            writable: AtomicBool::new(opened.reach != Reach::ReadOnly),
            notices: Mutex::new(Notices { all: opened.notice.into_iter().collect(), taken: 0 }),
        }
    }

    /// What a person should know of the cache: each thing once.
    pub fn take_notices(&self) -> Vec<String> {
        let mut notices = lock(&self.notices);
        let new = notices.all[notices.taken..].to_vec();
        notices.taken = notices.all.len();
        new
    }

    /// Those of the observations that are stored.
    pub fn observations(&self, keys: &[Id]) -> Result<HashMap<Id, Observation>> {
        let found = self.fetch(Table::Observations, keys)?;
        Ok(keys.iter().copied().zip(found).filter_map(|(key, found)| Some((key, found?))).collect())
    }

    /// Stores observations in one transaction.
    pub fn put_observations(&self, items: &[(Id, Observation)]) -> Result<()> {
        let blobs = items.iter().map(|(key, item)| Ok((key, codec::encode(item)?))).collect::<Result<Vec<_>>>()?;
        self.write(items.len(), |transaction| {
            let mut put = transaction.prepare_cached(
                "INSERT INTO observations (key, data) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE
                 SET data = excluded.data WHERE substr(data, 1, 1) <> substr(excluded.data, 1, 1)",
            )?;
            blobs.iter().try_for_each(|(key, blob)| put.execute((key.bytes(), blob)).map(drop))
        })
    }

    /// The stored verdicts of each output, parallel to `rows`.
    pub fn verdicts(&self, rows: &[Id]) -> Result<Vec<Option<PackedRow>>> {
        self.fetch(Table::Verdicts, rows)
    }

    /// Adds verdicts to the outputs' rows in one transaction; verdicts that other processes stored stay.
    pub fn put_verdicts(&self, rows: &[(Id, PackedRow)]) -> Result<()> {
        let blobs = rows.iter().map(|(_, row)| codec::encode(row)).collect::<Result<Vec<_>>>()?;
        self.write(rows.len(), |transaction| {
            let mut get = transaction.prepare_cached(Table::Verdicts.select())?;
            let mut put = transaction.prepare_cached("INSERT OR REPLACE INTO verdicts (key, data) VALUES (?1, ?2)")?;
            for ((key, row), blob) in rows.iter().zip(&blobs) {
                let stored = get.query_row([key.bytes()], decode_first).optional()?;
                let Some(Decoded::Record::<PackedRow>(mut merged)) = stored else {
                    put.execute((key.bytes(), blob))?;
                    continue;
                };
                if merged.merge(row) {
                    let blob = codec::encode(&merged)
                        .map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))?;
                    put.execute((key.bytes(), &blob))?;
                }
            }
            Ok(())
        })
    }

    /// Counts what is stored.
    pub fn stats(&self) -> Result<Stats> {
        let connection = lock(&self.connection);
        let number = |sql: &str| {
            connection
                .query_row(sql, [], |row| row.get::<_, i64>(0).map(i64::unsigned_abs))
                .map_err(|e| self.explain(&e))
        };
        let bytes = match self.on_disk() {
            Some(path) => [path.to_owned(), open::log_of(path)]
                .iter()
                .filter_map(|file| file.metadata().ok())
                .map(|file| file.len())
                .sum(),
            None => number("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")?,
        };
        Ok(Stats {
            path: self.on_disk().map(Path::to_owned),
            observations: number("SELECT count(*) FROM observations")?,
            rows: number("SELECT count(*) FROM verdicts")?,
            bytes,
        })
    }

    /// Removes everything that is stored and gives the space back.
    ///
    /// # Errors
    /// The cache cannot be written, or other processes keep it busy.
    pub fn clear(&self) -> Result<()> {
        if !self.writable.load(Ordering::SeqCst) {
            return Err(not_writable(&self.path));
        }
        self.erase().map_err(|error| self.explain(&error))
    }

    /// Lets go of what a cache in memory holds, once a piece of the work is done; a file keeps all.
    pub fn forget(&self) -> Result<()> {
        if self.on_disk().is_some() {
            return Ok(());
        }
        let connection = lock(&self.connection);
        let emptied = connection.execute_batch("DELETE FROM observations; DELETE FROM verdicts;");
        emptied.map_err(|error| self.explain(&error))
    }

    /// Clears the cache in a file. A damaged one is deleted; where there is none, nothing happens.
    ///
    /// # Errors
    /// As for `open` and `clear`, but for damage.
    pub fn clear_file(path: &Path) -> Result<()> {
        if !path.exists() {
            return Ok(());
        }
        let erased = match open::open(path) {
            Ok(opened) if opened.reach != Reach::Shared => return Err(not_writable(path)),
            Ok(opened) => Self::of(path, opened).erase(),
            Err(Refusal::Sql(error)) => Err(error),
            Err(refusal) => return Err(open::explain(path, refusal)),
        };
        match erased {
            Err(error) if open::damaged(&error) => delete(path),
            other => other.map_err(|error| open::explain_sql(path, &error)),
        }
    }

    fn erase(&self) -> rusqlite::Result<()> {
        let mut connection = lock(&self.connection);
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        transaction.execute_batch("DELETE FROM observations; DELETE FROM verdicts;")?;
        transaction.commit()?;
        connection.execute_batch("VACUUM; PRAGMA wal_checkpoint(TRUNCATE);")
    }

    fn fetch<T: DeserializeOwned>(&self, table: Table, keys: &[Id]) -> Result<Vec<Option<T>>> {
        // Neighbours lie on the same pages, so the keys are looked up in their order.
        let mut order: Vec<usize> = (0..keys.len()).collect();
        order.sort_unstable_by_key(|&at| keys[at]);
        let mut found: Vec<Option<T>> = keys.iter().map(|_| None).collect();
        let mut connection = lock(&self.connection);
        let fetched = connection.transaction().and_then(|snapshot| {
            let mut get = snapshot.prepare_cached(table.select())?;
            for at in order {
                match get.query_row([keys[at].bytes()], decode_first).optional()? {
                    Some(Decoded::Record(record)) => found[at] = Some(record),
                    Some(Decoded::Damaged) => return Err(damaged_record()),
                    Some(Decoded::OtherFormat) | None => {}
                }
            }
            Ok(())
        });
        fetched.map(|()| found).map_err(|error| self.explain(&error))
    }

    /// Runs `work` in one transaction. Where the machine forbids writing, the batch is dropped and a notice left.
    fn write(&self, items: usize, work: impl FnOnce(&Transaction) -> rusqlite::Result<()>) -> Result<()> {
        if items == 0 || !self.writable.load(Ordering::SeqCst) {
            return Ok(());
        }
        let mut connection = lock(&self.connection);
        let written = connection.transaction_with_behavior(TransactionBehavior::Immediate).and_then(|transaction| {
            work(&transaction)?;
            transaction.commit()
        });
        match written {
            Err(error) if open::out_of_reach(&error) => {
                let path = self.path.display();
                self.writable.store(false, Ordering::SeqCst);
                self.notice(format!("the cache {path} can no longer be written ({error}); new results are not kept"));
                Ok(())
            }
            Err(error) if open::busy(&error) => {
                self.notice(format!("the cache {} was busy; some results were not kept", self.path.display()));
                Ok(())
            }
            other => other.map_err(|error| self.explain(&error)),
        }
    }

    fn notice(&self, notice: String) {
        let mut notices = lock(&self.notices);
        if !notices.all.contains(&notice) {
            notices.all.push(notice);
        }
    }

    fn on_disk(&self) -> Option<&Path> {
        (!self.path.as_os_str().is_empty()).then_some(self.path.as_path())
    }

    fn explain(&self, error: &rusqlite::Error) -> Error {
        open::explain_sql(&self.path, error)
    }
}

/// A transaction that a panic cut short was rolled back, so the data behind a poisoned lock is sound.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn decode_first<T: DeserializeOwned>(row: &rusqlite::Row) -> rusqlite::Result<Decoded<T>> {
    Ok(codec::decode(row.get_ref(0)?.as_blob()?))
}

fn not_writable(path: &Path) -> Error {
    Error::failure("the cache cannot be written").at(path, None).help("Clear it from an account that may write it.")
}

fn damaged_record() -> rusqlite::Error {
    let code = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CORRUPT);
    rusqlite::Error::SqliteFailure(code, Some("a record cannot be decoded".to_owned()))
}

fn delete(path: &Path) -> Result<()> {
    let mut shared = path.as_os_str().to_owned();
    shared.push("-shm");
    for file in [path.to_owned(), open::log_of(path), shared.into()] {
        match std::fs::remove_file(&file) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(Error::io(&file, "delete", &error));
            }
            _ => {}
        }
    }
    Ok(())
}
