//! One query on one guarded connection, to an observation.

use rusqlite::fallible_iterator::FallibleIterator;
use rusqlite::types::ValueRef;
use rusqlite::{Batch, ErrorCode, Statement};

use crate::observe::{Observation, Rows, Status, Value};

use super::super::Limits;
use super::guard::{Guarded, QUERY_BYTES};
use super::refused;

/// Messages of errors that mean a limit of SQLite's and no mistake of the query.
const OVER_LIMIT: [&str; 6] = [
    "Expression tree is too large",
    "parser stack overflow",
    "Recursion limit",
    "too many",
    "string or blob too big",
    "pattern too complex",
];

/// How errors begin that have a type of their own; the others are of the type `error`.
const TYPES: [(&str, &str); 12] = [
    ("no such column", "no such column"),
    ("no such table", "no such table"),
    ("no such function", "no such function"),
    ("no such", "no such object"),
    ("ambiguous column name", "ambiguous column name"),
    ("misuse of aggregate", "misuse of aggregate"),
    ("misuse of window function", "misuse of window function"),
    ("wrong number of arguments", "wrong number of arguments"),
    ("incomplete input", "syntax error"),
    ("unrecognized token", "syntax error"),
    ("near ", "syntax error"),
    ("malformed JSON", "malformed JSON"),
];

/// What the query comes to.
///
/// # Errors
/// What the database or the machine failed at, in words.
pub(super) fn run(guarded: &Guarded, query: &str, limits: &Limits) -> Result<Observation, String> {
    if query.len() > QUERY_BYTES {
        return Ok(refused(format!("the query has {} bytes, more than {QUERY_BYTES}", query.len())));
    }
    if query.contains('\0') {
        return Ok(Observation::exception("syntax error", "the query holds a zero byte"));
    }
    guarded.watch.prepare();
    let mut batch = Batch::new(&guarded.connection, query);
    let mut statement = match batch.next() {
        Ok(Some(statement)) => statement,
        Ok(None) => return Ok(Observation::exception("syntax error", "there is no statement")),
        Err(error) => return failed(&error, guarded),
    };
    if !matches!(batch.next(), Ok(None)) {
        return Ok(refused("there is more than one statement"));
    }
    if let Some(why) = unfit(&statement, limits) {
        return Ok(why);
    }
    guarded.watch.run(limits.steps);
    match read(&mut statement, limits) {
        Ok(observation) => Ok(observation),
        Err(error) => failed(&error, guarded),
    }
}

/// Why a statement that passed the authorizer is not run.
fn unfit(statement: &Statement<'_>, limits: &Limits) -> Option<Observation> {
    if !statement.readonly() {
        return Some(refused("does more than read"));
    }
    if statement.is_explain() != 0 {
        return Some(refused("explains a query instead of asking it"));
    }
    if statement.parameter_count() > 0 {
        return Some(Observation::exception("error", "the query has parameters, and nothing is bound to them"));
    }
    let columns = statement.column_count();
    (columns > limits.columns)
        .then(|| refused(format!("the result has {columns} columns, more than {}", limits.columns)))
}

fn read(statement: &mut Statement<'_>, limits: &Limits) -> rusqlite::Result<Observation> {
    let columns: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let width = columns.len();
    let (mut bytes, mut rows) = (0, Vec::new());
    let mut result = statement.raw_query();
    while let Some(row) = result.next()? {
        if rows.len() == limits.rows {
            return Ok(refused(format!("the result has more than {} rows", limits.rows)));
        }
        let mut cells = Vec::with_capacity(width);
        for at in 0..width {
            let cell = row.get_ref(at)?;
            let size = size(cell);
            if size > limits.cell_bytes {
                return Ok(refused(format!("a value has {size} bytes, more than {}", limits.cell_bytes)));
            }
            bytes += size;
            if bytes > limits.result_bytes {
                return Ok(refused(format!("the result has more than {} bytes", limits.result_bytes)));
            }
            cells.push(value(cell));
        }
        rows.push(cells);
    }
    Ok(Observation::rows(Rows { columns, rows }))
}

fn size(cell: ValueRef<'_>) -> usize {
    match cell {
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => bytes.len(),
        _ => size_of::<i64>(),
    }
}

/// A cell as the kernel's plain data. Text that is not UTF-8 is kept apart as bytes, as blobs are.
fn value(cell: ValueRef<'_>) -> Value {
    match cell {
        ValueRef::Null => Value::None,
        ValueRef::Integer(number) => Value::int(number),
        ValueRef::Real(number) => Value::Float(number),
        ValueRef::Text(bytes) if std::str::from_utf8(bytes).is_ok() => Value::Str(bytes.to_vec()),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Value::Bytes(bytes.to_vec()),
    }
}

/// Whose failure an error is: the query's is an observation.
fn failed(error: &rusqlite::Error, guarded: &Guarded) -> Result<Observation, String> {
    if let Some(why) = guarded.watch.denied() {
        return Ok(refused(why));
    }
    let message = words(error);
    match error.sqlite_error_code() {
        Some(ErrorCode::OperationInterrupted) if guarded.watch.late() => {
            Err("a query took too long on this machine; raise `wall_s` of [warehouse.limits], or lower `steps`"
                .to_owned())
        }
        Some(ErrorCode::OperationInterrupted) => Ok(Observation::bare(Status::Timeout)),
        Some(ErrorCode::AuthorizationForStatementDenied) => Ok(refused("does more than read")),
        Some(ErrorCode::TooBig) => Ok(refused(message)),
        Some(
            ErrorCode::DatabaseCorrupt
            | ErrorCode::NotADatabase
            | ErrorCode::DatabaseBusy
            | ErrorCode::DatabaseLocked
            | ErrorCode::CannotOpen
            | ErrorCode::SystemIoFailure
            | ErrorCode::OutOfMemory
            | ErrorCode::DiskFull
            | ErrorCode::PermissionDenied
            | ErrorCode::InternalMalfunction,
        ) => Err(message),
        _ if OVER_LIMIT.iter().any(|limit| message.starts_with(limit)) => Ok(refused(message)),
        _ => {
            let kind = TYPES.iter().find(|(begin, _)| message.starts_with(begin)).map_or("error", |(_, kind)| kind);
            Ok(Observation::exception(kind, message))
        }
    }
}

/// SQLite's own words.
fn words(error: &rusqlite::Error) -> String {
    match error {
        rusqlite::Error::SqlInputError { msg, .. } => msg.clone(),
        rusqlite::Error::SqliteFailure(_, Some(message)) => message.clone(),
        other => other.to_string(),
    }
}
