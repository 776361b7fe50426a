//! The functions of dates and times, without the clock and the time zone of this machine.
//!
//! They are SQLite's own, asked on a connection beside. A call that would read the clock or the zone is refused, since
//! its answer would be another one tomorrow, or elsewhere.

use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex};

use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, params_from_iter};

use super::guard::Watch;
use super::lock;

/// Each function with how many arguments may come before the time.
const FUNCTIONS: [(&str, usize); 7] =
    [("date", 0), ("time", 0), ("datetime", 0), ("julianday", 0), ("unixepoch", 0), ("strftime", 1), ("timediff", 0)];

/// Arguments that stand for the clock or the zone.
const MACHINE: [&str; 3] = ["now", "localtime", "utc"];

pub(super) fn replace(connection: &Connection, watch: &Arc<Watch>) -> rusqlite::Result<()> {
    let own = Arc::new(AssertUnwindSafe(Mutex::new(Connection::open_in_memory()?)));
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC | FunctionFlags::SQLITE_INNOCUOUS;
    for (name, before) in FUNCTIONS {
        let (own, watch) = (Arc::clone(&own), AssertUnwindSafe(Arc::clone(watch)));
        connection.create_scalar_function(name, -1, flags, move |context| {
            let (own, watch) = (&own, &watch);
            if context.len() <= before || (0..context.len()).any(|at| is_machine(context.get_raw(at))) {
                watch.deny(format!("calls {name} with the clock or the time zone of this machine"));
                return Err(rusqlite::Error::UserFunctionError("refused".into()));
            }
            ask(&lock(own), name, context)
        })?;
    }
    Ok(())
}

fn is_machine(argument: ValueRef<'_>) -> bool {
    // SQLite looks no further than to the first zero byte.
    let (ValueRef::Text(bytes) | ValueRef::Blob(bytes)) = argument else { return false };
    let text = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
    MACHINE.iter().any(|word| word.as_bytes().eq_ignore_ascii_case(text))
}

fn ask(own: &Connection, name: &str, context: &Context<'_>) -> rusqlite::Result<Value> {
    let places: Vec<String> = (1..=context.len()).map(|at| format!("?{at}")).collect();
    let mut statement = own.prepare_cached(&format!("SELECT {name}({})", places.join(", ")))?;
    let arguments = (0..context.len()).map(|at| rusqlite::types::ToSqlOutput::Borrowed(context.get_raw(at)));
    statement.query_row(params_from_iter(arguments), |row| row.get(0))
}
