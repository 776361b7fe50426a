//! Making and opening a run's database, and the words for what can be wrong with it.
//!
//! Unlike the cache, a run is never started afresh and never done without: whatever is not as it must be is an error.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags};
use serde_json::Value;

use super::super::open::{busy, damaged};
use super::{Begun, DATABASE};
use crate::base::file::WRITABLE;
use crate::base::{Error, Id, Result, clock};

/// Rises with any change to the tables.
const SCHEMA: i64 = 1;

/// Marks a database as a run of ours ("grun").
const APPLICATION: i64 = 0x6772_756e;

/// How long to wait for a process that writes a round or reads it.
const PATIENCE: Duration = Duration::from_secs(20);

const TABLES: &str = "
    CREATE TABLE run (id TEXT NOT NULL, began TEXT NOT NULL, header TEXT NOT NULL, place TEXT NOT NULL,
                      head BLOB NOT NULL);
    CREATE TABLE commits (n INTEGER PRIMARY KEY, round INTEGER NOT NULL, events INTEGER NOT NULL, head BLOB NOT NULL,
                          at TEXT NOT NULL);
    CREATE TABLE events (n INTEGER PRIMARY KEY, round INTEGER NOT NULL, line TEXT NOT NULL);
    CREATE TABLE timings (n INTEGER PRIMARY KEY, round INTEGER NOT NULL, name TEXT NOT NULL, value REAL NOT NULL);";

pub(super) const DAMAGED: &str =
    "Nothing was changed. Restore run.sqlite from a copy, or begin a new run in another folder";

/// Why a database was not opened.
pub(super) enum Refusal {
    Sql(rusqlite::Error),
    Empty,
    Foreign,
    Newer(i64),
    /// Ours by its mark, and not as we write it.
    Odd,
}

impl From<rusqlite::Error> for Refusal {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sql(error)
    }
}

pub(super) fn refuse_existing(folder: &Path) -> Result<()> {
    match folder.join(DATABASE).exists() {
        false => Ok(()),
        true => Err(Error::failure("there is a run in this folder already")
            .at(folder, None)
            .help("Choose another folder, or go on with that run by `--resume`")),
    }
}

pub(super) fn require_existing(folder: &Path) -> Result<()> {
    match folder.join(DATABASE).exists() {
        true => Ok(()),
        false => Err(Error::failure(format!("there is no run here: {DATABASE} is missing"))
            .at(folder, None)
            .help("`gradus evolve PACK -o FOLDER` begins a run, and `gradus runs` lists those that there are")),
    }
}

/// Makes the database beside its place and renames it, so that one with its name has its tables and its header.
pub(super) fn make(folder: &Path, header: &Value, place: &Value) -> Result<()> {
    let (path, beside) = (folder.join(DATABASE), folder.join(format!(".{DATABASE}.new")));
    // Only the holder of the lock writes here, so what lies there was left by a process that was killed.
    let clear = || [beside.clone(), journal_of(&beside)].iter().for_each(|file| drop(std::fs::remove_file(file)));
    clear();
    fill(&beside, header, place)
        .map_err(|error| explain(&path, error.into()))
        .and_then(|()| std::fs::rename(&beside, &path).map_err(|error| Error::io(&path, "write this file", &error)))
        .inspect_err(|_| clear())
        .map_err(|error| error.help(WRITABLE))
}

fn fill(path: &Path, header: &Value, place: &Value) -> rusqlite::Result<()> {
    let mut connection = Connection::open(path)?;
    for_writing(&connection)?;
    let transaction = connection.transaction()?;
    transaction.execute_batch(TABLES)?;
    transaction.pragma_update(None, "application_id", APPLICATION)?;
    transaction.pragma_update(None, "user_version", SCHEMA)?;
    let id: String = transaction.query_row("SELECT lower(hex(randomblob(16)))", [], |row| row.get(0))?;
    let header = header.to_string();
    let head = start(&id, &header);
    transaction.execute(
        "INSERT INTO run (id, began, header, place, head) VALUES (?1, ?2, ?3, ?4, ?5)",
        (&id, clock::now(), &header, place.to_string(), head.bytes()),
    )?;
    transaction.commit()?;
    connection.close().map_err(|(_, error)| error)
}

/// A rollback journal works on any file system. `EXTRA` is `FULL` that also survives a power cut right after a commit.
fn for_writing(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update_and_check(None, "journal_mode", "DELETE", |_| Ok(()))?;
    connection.pragma_update(None, "synchronous", "EXTRA")
}

/// Opens the database; a reader too may have to roll back what a killed writer left, so it opens the file like one
/// where that is allowed.
pub(super) fn connect(path: &Path, writes: bool) -> Result<Connection, Refusal> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(PATIENCE)?;
    let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    let application: i64 = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    match (application, version) {
        (APPLICATION, SCHEMA) if tables > 0 => {}
        (APPLICATION, newer) if newer > SCHEMA => return Err(Refusal::Newer(newer)),
        (APPLICATION, _) => return Err(Refusal::Odd),
        _ if tables == 0 => return Err(Refusal::Empty),
        _ => return Err(Refusal::Foreign),
    }
    if !writes {
        connection.pragma_update(None, "query_only", true)?;
        return Ok(connection);
    }
    for_writing(&connection)?;
    // SQLite falls back to reading where the file itself is write-protected.
    match connection.is_readonly("main")? {
        true => Err(Refusal::Sql(failure(rusqlite::ffi::SQLITE_READONLY))),
        false => Ok(connection),
    }
}

/// What the run was begun with.
pub(super) fn begun(connection: &Connection) -> rusqlite::Result<Begun> {
    let (id, at, header, place): (String, String, String, String) =
        connection.query_row("SELECT id, began, header, place FROM run", [], |row| row.try_into())?;
    let parse = |text: &str| serde_json::from_str(text).map_err(|_| failure(rusqlite::ffi::SQLITE_CORRUPT));
    Ok(Begun { start: start(&id, &header), header: parse(&header)?, place: parse(&place)?, id, at })
}

fn start(id: &str, header: &str) -> Id {
    Id::of("run", [id.as_bytes(), header.as_bytes()])
}

fn failure(code: std::ffi::c_int) -> rusqlite::Error {
    rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(code), None)
}

/// The rollback journal's file.
fn journal_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push("-journal");
    name.into()
}

/// A refusal as a person reads it.
pub(super) fn explain(path: &Path, refusal: Refusal) -> Error {
    let (message, help) = match refusal {
        Refusal::Sql(error) => explain_sql(&error),
        Refusal::Empty => ("the run's database is empty".to_owned(), DAMAGED),
        Refusal::Foreign => (
            "this database belongs to another program, not to a run of gradus".to_owned(),
            "Nothing was changed. Use the folder of a run, which `gradus runs` lists",
        ),
        Refusal::Newer(version) => (
            format!("the run has format {version}, from a newer gradus; this one knows up to {SCHEMA}"),
            "Nothing was changed. Update gradus, or begin a new run in another folder",
        ),
        Refusal::Odd => ("the run's database is not as gradus writes it".to_owned(), DAMAGED),
    };
    Error::failure(message).at(path, None).help(help)
}

/// The error of a round that could not be written.
pub(super) fn not_kept(path: &Path, round: u32, error: &rusqlite::Error) -> Error {
    let (message, help) = explain_sql(error);
    Error::failure(format!("round {round} was not kept: {message}")).at(path, None).help(help)
}

fn explain_sql(error: &rusqlite::Error) -> (String, &'static str) {
    if damaged(error) || matches!(error, rusqlite::Error::QueryReturnedNoRows) {
        return (format!("the run's database is damaged ({error})"), DAMAGED);
    }
    if busy(error) {
        return (format!("another process holds the run's database ({error})"), "Wait for it to end, and try again");
    }
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull | ErrorCode::SystemIoFailure) => (
            format!("the run's database could not be read or written, as when a disk is full ({error})"),
            "Make room on the disk, then go on with `gradus evolve --resume FOLDER`; the rounds before are kept",
        ),
        Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => (
            format!("the run's database cannot be written ({error})"),
            "Let the folder be written, or copy it to where it can be, then go on with `gradus evolve --resume FOLDER`",
        ),
        _ => (format!("the run's database failed ({error})"), DAMAGED),
    }
}
