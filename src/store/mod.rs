//! What is kept on disk in SQLite: the cache, here, and a run (`run.rs`); no other file holds SQL of our own.
//!
//! The cache is observations and verdicts that were paid for once, in one file that several processes share. What is
//! stored never changes: the first record under a key stays. A batch is one transaction, so a crash leaves whole
//! batches. A cache that cannot be written is no error, nor is one that is damaged: the work goes on without it, or with
//! a fresh one, and a notice says so, once.

mod codec;
mod damage;
mod live;
mod open;
mod row;
mod run;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rusqlite::{Connection, OptionalExtension, Statement, TransactionBehavior};
use serde::de::DeserializeOwned;

use crate::base::{Error, Id, Result};
use crate::observe::Observation;
use codec::Decoded;
use live::Live;
use open::{Opened, Reach, Refusal};
pub use row::PackedRow;
pub use run::{DATABASE, EVENTS, Edge, RunFile};

/// A shared cache of observations and verdicts. All methods may be called from any thread.
pub struct Store {
    live: Mutex<Live>,
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

    fn delete(self) -> &'static str {
        match self {
            Table::Observations => "DELETE FROM observations WHERE key = ?1",
            Table::Verdicts => "DELETE FROM verdicts WHERE key = ?1",
        }
    }
}

impl Store {
    /// Opens the cache, creating it and its folder where needed.
    ///
    /// A place that cannot be written is read; one that cannot be reached is replaced by memory; a damaged file is set
    /// aside, under its name with `.damaged`, and a fresh one begun. `take_notices` says so.
    ///
    /// # Errors
    /// The file is from a newer gradus, or not a cache.
    pub fn open(path: &Path) -> Result<Self> {
        open::open(path).map(|opened| Self::of(path, opened)).map_err(|refusal| open::explain(path, refusal))
    }

    /// A cache that lasts as long as the value.
    pub fn in_memory() -> Result<Self> {
        let connection = open::open_in_memory().map_err(|error| open::explain_sql(Path::new(""), &error))?;
        Ok(Self::of(Path::new(""), Opened::new(connection, Reach::Memory, None)))
    }

    fn of(path: &Path, opened: Opened) -> Self {
        Self { live: Mutex::new(Live::new(path, opened)) }
    }

    /// What a person should know of the cache: each thing once.
    pub fn take_notices(&self) -> Vec<String> {
        self.live().take_notices()
    }

    /// Those of the observations that are stored.
    pub fn observations(&self, keys: &[Id]) -> Result<HashMap<Id, Observation>> {
        let found = self.fetch(Table::Observations, keys)?;
        Ok(keys.iter().copied().zip(found).filter_map(|(key, found)| Some((key, found?))).collect())
    }

    /// Stores observations in one transaction.
    pub fn put_observations(&self, items: &[(Id, Observation)]) -> Result<()> {
        let blobs = items.iter().map(|(key, item)| Ok((key, codec::encode(key, item)?))).collect::<Result<Vec<_>>>()?;
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
        let blobs = rows.iter().map(|(key, row)| codec::encode(key, row)).collect::<Result<Vec<_>>>()?;
        self.write(rows.len(), |transaction| {
            let mut get = transaction.prepare_cached(Table::Verdicts.select())?;
            let mut put = transaction.prepare_cached("INSERT OR REPLACE INTO verdicts (key, data) VALUES (?1, ?2)")?;
            for ((key, row), blob) in rows.iter().zip(&blobs) {
                let Some(Decoded::Record::<PackedRow>(mut merged)) = find(&mut get, key)? else {
                    put.execute((key.bytes(), blob))?;
                    continue;
                };
                if merged.merge(row) {
                    let blob = codec::encode(key, &merged)
                        .map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))?;
                    put.execute((key.bytes(), &blob))?;
                }
            }
            Ok(())
        })
    }

    /// Counts what is stored.
    pub fn stats(&self) -> Result<Stats> {
        let mut live = self.live();
        let counted = live.read(|connection| {
            let number = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0).map(i64::unsigned_abs));
            Ok([
                number("SELECT count(*) FROM observations")?,
                number("SELECT count(*) FROM verdicts")?,
                number("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")?,
            ])
        });
        let [observations, rows, pages] = explained(&live, counted)?;
        let path = live.on_disk().map(Path::to_owned);
        let bytes = match &path {
            Some(path) => {
                let files = [path.clone(), damage::log_of(path)];
                files.iter().filter_map(|file| file.metadata().ok()).map(|file| file.len()).sum()
            }
            None => pages,
        };
        Ok(Stats { path, observations, rows, bytes })
    }

    /// Removes everything that is stored and gives the space back.
    ///
    /// # Errors
    /// The cache cannot be written, or other processes keep it busy.
    pub fn clear(&self) -> Result<()> {
        let mut live = self.live();
        if !live.writable() {
            return Err(not_writable(live.path()));
        }
        let erased = live.read(erase);
        explained(&live, erased)
    }

    /// Lets go of what a cache in memory holds, once a piece of the work is done; a file keeps all.
    pub fn forget(&self) -> Result<()> {
        let mut live = self.live();
        if live.on_disk().is_some() {
            return Ok(());
        }
        let emptied =
            live.read(|connection| connection.execute_batch("DELETE FROM observations; DELETE FROM verdicts;"));
        explained(&live, emptied)
    }

    /// Clears the cache in a file, and deletes a damaged one that was set aside. Where there is none, nothing happens.
    ///
    /// # Errors
    /// As for `open` and `clear`.
    pub fn clear_file(path: &Path) -> Result<()> {
        let aside = damage::aside(path);
        if aside.exists() {
            damage::delete(&aside).map_err(|error| Error::io(&aside, "delete", &error))?;
        }
        if !path.exists() {
            return Ok(());
        }
        let (_, opened) = open::open_as_it_is(path);
        let erased = match opened {
            Ok(opened) if opened.reach != Reach::Shared => return Err(not_writable(path)),
            Ok(mut opened) => erase(&mut opened.connection).map_err(Refusal::from),
            Err(refusal) => Err(refusal),
        };
        match erased {
            Err(Refusal::Sql(error)) if open::damaged(&error) && open::was_ours(path) => {
                damage::delete(path).map_err(|error| Error::io(path, "delete", &error))
            }
            Err(Refusal::Sql(error)) if open::damaged(&error) => Err(open::explain(path, Refusal::Unknown)),
            other => other.map_err(|refusal| open::explain(path, refusal)),
        }
    }

    fn fetch<T: DeserializeOwned>(&self, table: Table, keys: &[Id]) -> Result<Vec<Option<T>>> {
        // Neighbours lie on the same pages, so the keys are looked up in their order.
        let mut order: Vec<usize> = (0..keys.len()).collect();
        order.sort_unstable_by_key(|&at| keys[at]);
        let mut live = self.live();
        let fetched = live.read(|connection| {
            let (mut found, mut damaged) = (Vec::new(), Vec::new());
            found.resize_with(keys.len(), || None);
            let snapshot = connection.transaction()?;
            let mut get = snapshot.prepare_cached(table.select())?;
            for &at in &order {
                match find(&mut get, &keys[at])? {
                    Some(Decoded::Record(record)) => found[at] = Some(record),
                    Some(Decoded::Damaged) => damaged.push(&keys[at]),
                    Some(Decoded::OtherFormat) | None => {}
                }
            }
            Ok((found, damaged))
        });
        let (found, damaged) = explained(&live, fetched)?;
        drop_damaged::<T>(&mut live, table, &damaged)?;
        Ok(found)
    }

    /// Writes a batch of this many items in one transaction.
    fn write(&self, items: usize, work: impl Fn(&rusqlite::Transaction) -> rusqlite::Result<()>) -> Result<()> {
        if items == 0 {
            return Ok(());
        }
        let mut live = self.live();
        let written = live.write(work);
        explained(&live, written)
    }

    /// A transaction that a panic cut short was rolled back, so the data behind a poisoned lock is sound.
    fn live(&self) -> MutexGuard<'_, Live> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Deletes records that cannot be read, unless the whole file is unsound or another process has replaced them by now.
fn drop_damaged<T: DeserializeOwned>(live: &mut Live, table: Table, keys: &[&Id]) -> Result<()> {
    if keys.is_empty() {
        return Ok(());
    }
    let sound = live.is_sound();
    if !explained(live, sound)? {
        return Ok(());
    }
    live.notice(format!("the cache {} had damaged records; they are dropped and made again", live.path().display()));
    let dropped = live.write(|transaction| {
        let mut get = transaction.prepare_cached(table.select())?;
        let mut delete = transaction.prepare_cached(table.delete())?;
        for key in keys {
            if let Some(Decoded::Damaged) = find::<T>(&mut get, key)? {
                delete.execute([key.bytes()])?;
            }
        }
        Ok(())
    });
    explained(live, dropped)
}

fn find<T: DeserializeOwned>(get: &mut Statement, key: &Id) -> rusqlite::Result<Option<Decoded<T>>> {
    let decode = |row: &rusqlite::Row| {
        let blob = row.get_ref(0)?.as_blob();
        Ok(blob.map_or(Decoded::Damaged, |blob| codec::decode(key, blob)))
    };
    get.query_row([key.bytes()], decode).optional()
}

fn erase(connection: &mut Connection) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    transaction.execute_batch("DELETE FROM observations; DELETE FROM verdicts;")?;
    transaction.commit()?;
    connection.execute_batch("VACUUM; PRAGMA wal_checkpoint(TRUNCATE);")
}

fn explained<T>(live: &Live, result: std::result::Result<T, Refusal>) -> Result<T> {
    result.map_err(|refusal| open::explain(live.path(), refusal))
}

fn not_writable(path: &Path) -> Error {
    Error::failure("the cache cannot be written").at(path, None).help("Clear it from an account that may write it.")
}
