//! Opening the cache's database: identity, schema version, journal mode, and the ways in which it can be out of reach.
//!
//! A cache in the wrong place or a bad state must not stop the work: what cannot be written is read, what cannot be read
//! is done without, what is damaged is set aside. But a file that is newer or not ours is an error, because only a
//! person can say what it is.

use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};

use super::damage::{self, FileId, FolderLock, log_of};
use crate::base::Error;

/// Rises with any change to the tables or records; an older cache is then started afresh.
pub(super) const SCHEMA: i64 = 2;

/// Marks a database as ours ("grad").
const APPLICATION: i64 = 0x6772_6164;

/// How long to wait for another process.
const PATIENCE: Duration = Duration::from_secs(20);

const TABLES: &str = "
    DROP TABLE IF EXISTS observations;
    DROP TABLE IF EXISTS verdicts;
    CREATE TABLE observations (key BLOB PRIMARY KEY, data BLOB NOT NULL) WITHOUT ROWID;
    CREATE TABLE verdicts (key BLOB PRIMARY KEY, data BLOB NOT NULL) WITHOUT ROWID;";

/// Stands in the file of every cache, and in no other.
const MARKED_TABLE: &str = "CREATE TABLE observations (key BLOB PRIMARY KEY";

/// An open database, and what its user should know.
pub(super) struct Opened {
    pub(super) connection: Connection,
    pub(super) reach: Reach,
    pub(super) file: Option<FileId>,
    pub(super) notices: Vec<String>,
}

impl Opened {
    pub(super) fn new(connection: Connection, reach: Reach, notice: Option<String>) -> Self {
        Self { connection, reach, file: None, notices: notice.into_iter().collect() }
    }
}

/// What became of the file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    Shared,
    ReadOnly,
    /// Not even readable: memory in its place.
    Memory,
}

/// Why a database was not opened.
pub(super) enum Refusal {
    Sql(rusqlite::Error),
    Newer(i64),
    Foreign,
    /// No database, and not the rest of a cache either.
    Unknown,
    /// Read-only and of an older schema.
    Stale,
}

impl From<rusqlite::Error> for Refusal {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sql(error)
    }
}

/// How often a damaged file is set aside before that is an error.
const TRIES: usize = 3;

/// Opens or creates the database; read-only where it cannot be written, in memory where it cannot be reached, afresh
/// where it is damaged.
pub(super) fn open(path: &Path) -> Result<Opened, Refusal> {
    if let Some(parent) = path.parent() {
        // Where this fails, so does opening, which has the better message.
        let _ = std::fs::create_dir_all(parent);
    }
    let mut notices = Vec::new();
    for _ in 1..TRIES {
        let (file, opened) = open_as_it_is(path);
        let (Err(Refusal::Sql(error)), Some(file)) = (&opened, file) else { return opened.map(|it| it.after(notices)) };
        if !damaged(error) {
            return opened;
        }
        match make_way(path, file, error)? {
            Way::Free(notice) => notices.push(notice),
            Way::Blocked(opened) => return Ok(opened),
        }
    }
    open_as_it_is(path).1.map(|it| it.after(notices))
}

impl Opened {
    fn after(mut self, mut notices: Vec<String>) -> Self {
        notices.append(&mut self.notices);
        Self { notices, ..self }
    }
}

/// What became of a damaged file.
pub(super) enum Way {
    /// Its place is free, and a notice says so.
    Free(String),
    /// It cannot be moved; memory in its place.
    Blocked(Opened),
}

/// Sets a damaged file aside, if it was ours.
pub(super) fn make_way(path: &Path, file: FileId, error: &rusqlite::Error) -> Result<Way, Refusal> {
    if FileId::of(path) == Some(file) && !was_ours(path) {
        return Err(Refusal::Unknown);
    }
    let (shown, aside) = (path.display(), damage::aside(path));
    Ok(match damage::set_aside(path, file) {
        Ok(()) => Way::Free(format!(
            "the cache {shown} was damaged ({error}); it was set aside as {} and begun afresh",
            aside.display()
        )),
        Err(blocked) => {
            let notice = format!("the cache {shown} is damaged and cannot be set aside ({blocked}); nothing is kept");
            Way::Blocked(Opened::new(open_in_memory()?, Reach::Memory, Some(notice)))
        }
    })
}

/// Whether a file that SQLite cannot read was a cache of ours.
pub(super) fn was_ours(path: &Path) -> bool {
    damage::was_ours(path, (APPLICATION as u32).to_be_bytes(), MARKED_TABLE)
}

/// Opens the database, whatever state it is in, and says which file that was, if there was one.
pub(super) fn open_as_it_is(path: &Path) -> (Option<FileId>, Result<Opened, Refusal>) {
    let _lock = FolderLock::shared(path);
    (FileId::of(path), open_somehow(path))
}

/// The file itself, the file read-only, or memory.
fn open_somehow(path: &Path) -> Result<Opened, Refusal> {
    let unwritable = match open_writable(path) {
        Err(Refusal::Sql(error)) if out_of_reach(&error) => error,
        other => return other,
    };
    match open_read_only(path) {
        Ok(connection) => {
            let notice =
                format!("the cache {} cannot be written ({unwritable}); new results are not kept", path.display());
            Ok(Opened { file: FileId::of(path), ..Opened::new(connection, Reach::ReadOnly, Some(notice)) })
        }
        Err(Refusal::Sql(error)) if !out_of_reach(&error) => Err(Refusal::Sql(error)),
        Err(refusal @ (Refusal::Newer(_) | Refusal::Foreign)) => Err(refusal),
        Err(_) => {
            let notice = format!("the cache {} is out of reach ({unwritable}); nothing is kept", path.display());
            Ok(Opened::new(open_in_memory()?, Reach::Memory, Some(notice)))
        }
    }
}

pub(super) fn open_in_memory() -> Result<Connection, rusqlite::Error> {
    let connection = Connection::open_in_memory()?;
    connection.execute_batch(TABLES)?;
    Ok(connection)
}

/// The machine's doing, not the file's content: no space, no permission, no such place.
pub(super) fn out_of_reach(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(
            ErrorCode::CannotOpen
                | ErrorCode::ReadOnly
                | ErrorCode::PermissionDenied
                | ErrorCode::DiskFull
                | ErrorCode::SystemIoFailure
        )
    )
}

/// The file's content is not a sound database. Our statements never change, so that one which makes no sense to SQLite
/// says that the tables are not as they were made.
pub(super) fn damaged(error: &rusqlite::Error) -> bool {
    let code = match error {
        rusqlite::Error::SqlInputError { error, .. } => Some(error.code),
        other => other.sqlite_error_code(),
    };
    matches!(code, Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase | ErrorCode::Unknown))
}

/// Another process holds the database.
pub(super) fn busy(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

/// A refusal as a person reads it.
pub(super) fn explain(path: &Path, refusal: Refusal) -> Error {
    let (message, help) = match refusal {
        Refusal::Sql(error) => return explain_sql(path, &error),
        Refusal::Newer(version) => (
            format!("the cache has format {version}, from a newer gradus; this one knows up to {SCHEMA}"),
            "Update gradus, or use another cache file.",
        ),
        Refusal::Foreign => {
            ("this database belongs to another program, not to gradus".to_owned(), "Use another cache file.")
        }
        Refusal::Unknown => {
            let help = "Use another cache file, or delete this one if it holds nothing of yours.";
            ("this file is neither a cache nor what is left of one".to_owned(), help)
        }
        Refusal::Stale => ("the cache is of an older format and read-only".to_owned(), "Use another cache file."),
    };
    Error::failure(message).at(path, None).help(help)
}

pub(super) fn explain_sql(path: &Path, error: &rusqlite::Error) -> Error {
    let (message, help) = if damaged(error) {
        (format!("the cache is damaged again and again ({error})"), "Use another cache file, on another disk.")
    } else if busy(error) {
        (format!("another process holds the cache ({error})"), "Wait for it to end, or use another cache file.")
    } else {
        (format!("the cache failed ({error})"), "Use another cache file, or free the place that it is in.")
    };
    Error::failure(message).at(path, None).help(help)
}

fn open_writable(path: &Path) -> Result<Opened, Refusal> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(PATIENCE)?;
    let standing = Standing::of(&mut connection)?;
    standing.check()?;
    if damage::is_cut_short(path) {
        return Err(Refusal::Sql(corrupt("it is cut short")));
    }
    use_write_ahead_log(&connection)?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    let mut notice = None;
    if standing != Standing::Current && prepare(&mut connection)? {
        notice = Some(format!("the cache {} was of an older format and was started afresh", path.display()));
    }
    // SQLite falls back to reading where the file itself is write-protected.
    match connection.is_readonly("main")? {
        true => Err(Refusal::Sql(failure(rusqlite::ffi::SQLITE_READONLY, "the file is write-protected"))),
        false => Ok(Opened { file: FileId::of(path), ..Opened::new(connection, Reach::Shared, notice) }),
    }
}

fn open_read_only(path: &Path) -> Result<Connection, Refusal> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    let attempt = |uri: String| -> Result<Connection, Refusal> {
        let mut connection = Connection::open_with_flags(uri, flags)?;
        connection.busy_timeout(PATIENCE)?;
        match Standing::of(&mut connection)? {
            Standing::Current => Ok(connection),
            Standing::Fresh | Standing::Older => Err(Refusal::Stale),
            other => other.check().map(|()| connection),
        }
    };
    let name = uri_path(path);
    match attempt(format!("file:{name}?mode=ro")) {
        // Without a log there is no writer, so the file may be read as it lies.
        Err(Refusal::Sql(error)) if out_of_reach(&error) && !log_of(path).exists() => {
            attempt(format!("file:{name}?mode=ro&immutable=1"))
        }
        other => other,
    }
}

fn uri_path(path: &Path) -> String {
    let mut uri = String::new();
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => uri.push(*byte as char),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

/// What a database file is to this gradus.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// Nothing is in it yet.
    Fresh,
    Current,
    Older,
    Newer(i64),
    Foreign,
    /// Our tables under another mark.
    Marred,
}

impl Standing {
    fn of(connection: &mut Connection) -> Result<Self, rusqlite::Error> {
        let snapshot = connection.transaction()?;
        let tables: i64 = snapshot.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
        let application: i64 = snapshot.pragma_query_value(None, "application_id", |row| row.get(0))?;
        let version: i64 = snapshot.pragma_query_value(None, "user_version", |row| row.get(0))?;
        let named = "SELECT count(*) FROM sqlite_schema WHERE name IN ('observations', 'verdicts')";
        let ours: i64 = snapshot.query_row(named, [], |row| row.get(0))?;
        Ok(match (application == APPLICATION, version) {
            (false, _) if tables == 0 => Self::Fresh,
            (false, _) if ours == 2 && tables == 2 => Self::Marred,
            (false, _) => Self::Foreign,
            (true, SCHEMA) => Self::Current,
            (true, newer) if newer > SCHEMA => Self::Newer(newer),
            (true, _) => Self::Older,
        })
    }

    fn check(self) -> Result<(), Refusal> {
        match self {
            Self::Newer(version) => Err(Refusal::Newer(version)),
            Self::Foreign => Err(Refusal::Foreign),
            Self::Marred => Err(Refusal::Sql(corrupt("its mark is not ours"))),
            Self::Fresh | Self::Current | Self::Older => Ok(()),
        }
    }
}

/// Turns the log on. Two processes that do this to a new file at once can meet a lock that no busy handler waits for.
fn use_write_ahead_log(connection: &Connection) -> Result<(), rusqlite::Error> {
    let mode: String = connection.pragma_query_value(None, "journal_mode", |row| row.get(0))?;
    if mode == "wal" {
        return Ok(());
    }
    let deadline = Instant::now() + PATIENCE;
    loop {
        match connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(())) {
            Err(error) if busy(&error) && Instant::now() < deadline => std::thread::sleep(Duration::from_millis(5)),
            // A file system without shared memory keeps its rollback journal, which is slower and as safe.
            other => return other,
        }
    }
}

/// Makes the tables unless another process just did; says whether an older cache had to go.
fn prepare(connection: &mut Connection) -> Result<bool, rusqlite::Error> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let version: i64 = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let tables: i64 = transaction.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    if version == SCHEMA && tables > 0 {
        return Ok(false);
    }
    transaction.execute_batch(TABLES)?;
    transaction.pragma_update(None, "application_id", APPLICATION)?;
    transaction.pragma_update(None, "user_version", SCHEMA)?;
    transaction.commit()?;
    Ok(tables > 0)
}

/// The error of a file that is damaged in a way that SQLite does not look for.
pub(super) fn corrupt(what: &str) -> rusqlite::Error {
    failure(rusqlite::ffi::SQLITE_CORRUPT, what)
}

fn failure(code: i32, what: &str) -> rusqlite::Error {
    rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(code), Some(what.to_owned()))
}
