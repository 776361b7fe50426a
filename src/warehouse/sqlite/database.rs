//! One database file: where it is, whether it can be read, and what it holds.
//!
//! The file is taken to be at rest. Whatever says that somebody writes it is an error, and so is a change while it is in
//! use: an answer must belong to the content that it is kept under.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::base::Id;

use super::super::Error;

pub(super) struct Database {
    pub path: PathBuf,
    pub content: Id,
    pub bytes: u64,
    changed: Option<SystemTime>,
}

/// The file of a database: `NAME.sqlite`, `NAME.db`, or the same in a folder `NAME`.
///
/// # Errors
/// Where there is none, or the name is no plain name.
pub fn find(folder: &Path, name: &str) -> Result<PathBuf, Error> {
    let plain = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "_-. ".contains(c));
    if !plain || name.starts_with('.') {
        return Err(Error::new(format!("`{name}` is no name of a database: it has letters, digits, _, - and .")));
    }
    let files =
        [format!("{name}.sqlite"), format!("{name}.db"), format!("{name}/{name}.sqlite"), format!("{name}/{name}.db")];
    let found = files.iter().map(|file| folder.join(file)).find(|path| path.is_file());
    found.ok_or_else(|| {
        Error::at(&folder.join(&files[0]), format!("there is no such database, nor {}", files[1..].join(", ")))
    })
}

impl Database {
    pub fn open(path: &Path) -> Result<Self, Error> {
        at_rest(path)?;
        let (bytes, changed) = stamp(path)?;
        let content = content(path)?;
        Ok(Self { path: path.to_owned(), content, bytes, changed })
    }

    /// # Errors
    /// Where the file is no longer the one that was read.
    pub fn unchanged(&self) -> Result<(), Error> {
        match stamp(&self.path)? == (self.bytes, self.changed) {
            true => Ok(()),
            false => Err(Error::at(&self.path, "the database changed while it was in use; run again")),
        }
    }

    /// The file's bytes, to be opened in memory: a database in write-ahead mode could not be.
    pub fn image(&self) -> Result<Vec<u8>, Error> {
        let mut image = std::fs::read(&self.path).map_err(|error| Error::at(&self.path, error))?;
        self.unchanged()?;
        if let Some(versions @ [2, 2]) = image.get_mut(18..20) {
            versions.fill(1);
        }
        Ok(image)
    }
}

fn stamp(path: &Path) -> Result<(u64, Option<SystemTime>), Error> {
    let meta = std::fs::metadata(path).map_err(|error| Error::at(path, error))?;
    Ok((meta.len(), meta.modified().ok()))
}

fn content(path: &Path) -> Result<Id, Error> {
    let mut hasher = blake3::Hasher::new();
    let file = File::open(path).map_err(|error| Error::at(path, error))?;
    hasher.update_reader(file).map_err(|error| Error::at(path, error))?;
    Ok(Id::from_bytes(*hasher.finalize().as_bytes()))
}

/// Refuses a file that somebody is writing, or that is no database.
fn at_rest(path: &Path) -> Result<(), Error> {
    for (suffix, what) in
        [("-wal", "a write-ahead log that is not merged"), ("-journal", "a journal of a write that did not end")]
    {
        let beside = PathBuf::from(format!("{}{suffix}", path.display()));
        if std::fs::metadata(&beside).is_ok_and(|meta| meta.len() > 0) {
            return Err(Error::at(
                path,
                format!("has {what}; close what writes it, or open and close it once with sqlite3"),
            ));
        }
    }
    let mut head = [0; 20];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut head));
    read.map_err(|error| Error::at(path, format!("is no SQLite database: {error}")))?;
    if !head.starts_with(b"SQLite format 3\0") {
        return Err(Error::at(path, "is no SQLite database"));
    }
    // A file in write-ahead mode cannot be asked for its lock without writing beside it; it has no log, so no writer.
    if head[18] == 2 {
        return Ok(());
    }
    let readable = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).and_then(|database| {
        database.busy_timeout(std::time::Duration::ZERO)?;
        database.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))
    });
    readable.map_err(|error| match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            Error::at(path, "is locked by another process; run again once it is done")
        }
        _ => Error::at(path, error),
    })
}
