//! A connection that can only read: what is allowed is listed, all else is refused, and its steps are counted.
//!
//! The schema is loaded before the limits are set, so that a limit on queries never makes a database unreadable.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::limits::Limit;
use rusqlite::{Connection, OpenFlags};

use super::super::{Error, Limits};
use super::clock;
use super::database::Database;
use super::lock;

/// Steps between two looks at the count.
const TICK: i32 = 1000;
/// Bytes of a query.
pub(super) const QUERY_BYTES: usize = 64 << 10;
/// Bytes of any value or row on the way to a result.
const VALUE_BYTES: i32 = 16 << 20;
/// Bytes that all of SQLite may hold in this process. A query that runs into it is a fault.
const HEAP_BYTES: u64 = 2 << 30;

/// Functions whose answers are chance, or that reach beyond the database. The functions of dates are in `clock.rs`.
const FORBIDDEN: [&str; 10] = [
    "random",
    "randomblob",
    "current_date",
    "current_time",
    "current_timestamp",
    "load_extension",
    "readfile",
    "writefile",
    "fts3_tokenizer",
    "sqlite_log",
];

/// What a connection's hooks and its user tell each other.
pub(super) struct Watch {
    ticks: AtomicU64,
    most: AtomicU64,
    started: Mutex<Instant>,
    wall: Duration,
    late: AtomicBool,
    denied: Mutex<Option<String>>,
}

impl Watch {
    fn new(limits: &Limits) -> Self {
        Self {
            ticks: AtomicU64::new(0),
            most: AtomicU64::new(u64::MAX),
            started: Mutex::new(Instant::now()),
            wall: Duration::from_secs(limits.wall_s.into()),
            late: AtomicBool::new(false),
            denied: Mutex::new(None),
        }
    }

    /// A query is about to be prepared: no step counts yet, since what SQLite does here depends on what it did before.
    pub fn prepare(&self) {
        self.most.store(u64::MAX, Relaxed);
        *lock(&self.started) = Instant::now();
        *lock(&self.denied) = None;
    }

    /// A prepared query is about to be run.
    pub fn run(&self, steps: u64) {
        self.ticks.store(0, Relaxed);
        self.most.store(steps.div_ceil(TICK as u64), Relaxed);
    }

    /// Whether the last query was stopped by the clock and not by its count.
    pub fn late(&self) -> bool {
        self.late.load(Relaxed)
    }

    pub fn deny(&self, why: impl Into<String>) {
        lock(&self.denied).get_or_insert_with(|| why.into());
    }

    /// Why the query was refused, if it was.
    pub fn denied(&self) -> Option<String> {
        lock(&self.denied).clone()
    }

    fn tick(&self) -> bool {
        if self.ticks.fetch_add(1, Relaxed) + 1 >= self.most.load(Relaxed) {
            return true;
        }
        let late = lock(&self.started).elapsed() > self.wall;
        self.late.fetch_or(late, Relaxed);
        late
    }
}

/// A connection that can only read.
pub(super) struct Guarded {
    pub connection: Connection,
    pub watch: Arc<Watch>,
}

impl Guarded {
    /// On the file itself, which is taken to be at rest.
    pub fn file(database: &Database, limits: &Limits) -> Result<Self, Error> {
        let at = |error| Error::at(&database.path, error);
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(uri(&database.path)?, flags).map_err(at)?;
        Self::new(connection, limits).map_err(at)
    }

    /// On the bytes of a database file.
    pub fn image(database: &Database, image: &[u8], limits: &Limits) -> Result<Self, Error> {
        let open = || {
            let mut connection = Connection::open_in_memory()?;
            connection.deserialize_read_exact("main", image, image.len(), true)?;
            Self::new(connection, limits)
        };
        open().map_err(|error| Error::at(&database.path, error))
    }

    fn new(mut connection: Connection, limits: &Limits) -> rusqlite::Result<Self> {
        let watch = Arc::new(Watch::new(limits));
        // Sorts stay in memory: no query leaves a file behind.
        connection.execute_batch(&format!("PRAGMA temp_store = MEMORY; PRAGMA hard_heap_limit = {HEAP_BYTES}"))?;
        load_schema(&connection)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
        for (limit, most) in [
            (Limit::SQLITE_LIMIT_LENGTH, VALUE_BYTES),
            (Limit::SQLITE_LIMIT_SQL_LENGTH, QUERY_BYTES as i32 + 1),
            (Limit::SQLITE_LIMIT_EXPR_DEPTH, 500),
            (Limit::SQLITE_LIMIT_PARSER_DEPTH, 500),
            (Limit::SQLITE_LIMIT_COMPOUND_SELECT, 200),
            (Limit::SQLITE_LIMIT_VDBE_OP, 200_000),
            (Limit::SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000),
            (Limit::SQLITE_LIMIT_ATTACHED, 0),
            (Limit::SQLITE_LIMIT_WORKER_THREADS, 0),
        ] {
            connection.set_limit(limit, most)?;
        }
        clock::replace(&connection, &watch)?;
        let ticking = Arc::clone(&watch);
        connection.progress_handler(TICK, Some(move || ticking.tick()))?;
        let watching = Arc::clone(&watch);
        connection.authorizer(Some(move |context: AuthContext<'_>| allow(&context.action, &watching)))?;
        Ok(Self { connection, watch })
    }
}

/// Reads the schema, whose names must be UTF-8 to be named in a result.
fn load_schema(connection: &Connection) -> rusqlite::Result<()> {
    let mut select = connection.prepare("SELECT sql FROM sqlite_schema")?;
    let mut found = select.raw_query();
    while let Some(row) = found.next()? {
        let text = row.get_ref(0)?.as_bytes_or_null().unwrap_or_default().unwrap_or_default();
        std::str::from_utf8(text).map_err(|error| rusqlite::Error::Utf8Error(0, error))?;
    }
    Ok(())
}

/// The file as SQLite's own kind of address, which says that nobody writes it.
fn uri(path: &std::path::Path) -> Result<String, Error> {
    let path = std::path::absolute(path).map_err(|error| Error::at(path, error))?;
    let text = path.to_str().ok_or_else(|| Error::at(&path, "the path is not UTF-8"))?;
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-".contains(&byte);
    let escaped: String = text
        .bytes()
        .map(|byte| if plain(byte) { (byte as char).to_string() } else { format!("%{byte:02X}") })
        .collect();
    Ok(format!("file:{escaped}?mode=ro&immutable=1"))
}

fn allow(action: &AuthAction<'_>, watch: &Watch) -> Authorization {
    let why = match action {
        AuthAction::Select | AuthAction::Read { .. } | AuthAction::Recursive => return Authorization::Allow,
        AuthAction::Function { function_name } => {
            if !FORBIDDEN.iter().any(|name| name.eq_ignore_ascii_case(function_name)) {
                return Authorization::Allow;
            }
            format!("calls {function_name}, which does more than read the database")
        }
        AuthAction::Insert { table_name }
        | AuthAction::Update { table_name, .. }
        | AuthAction::Delete { table_name } => {
            format!("writes to {table_name}")
        }
        AuthAction::Pragma { pragma_name, .. } => format!("asks for the pragma {pragma_name}"),
        AuthAction::Attach { .. } => "attaches another database".to_owned(),
        _ => "does more than read".to_owned(),
    };
    watch.deny(why);
    Authorization::Deny
}
