//! The events in the database, and the chain of hashes over them.
//!
//! Each commit notes the hash of all that was ever written before it and with it, and the run notes the last of them.
//! So an event that was changed, removed or added by another hand is seen, and with it which rounds are whole.

use std::path::Path;

use rusqlite::{Connection, OptionalExtension};

use super::open;
use crate::base::{Error, Id, clock};

/// The events, and where their chain ends.
pub(super) struct Journal {
    pub(super) events: Vec<(u32, String)>,
    pub(super) head: Id,
}

/// Why the events cannot be read.
pub(super) struct Broken {
    /// The round up to which they are whole.
    last_good: Option<u32>,
    why: Why,
}

enum Why {
    Sql(rusqlite::Error),
    /// Not what was written.
    Changed,
}

impl Broken {
    pub(super) fn explain(self, path: &Path) -> Error {
        let error = match self.why {
            Why::Sql(error) if !super::super::open::damaged(&error) => return open::explain(path, error.into()),
            Why::Sql(error) => error.to_string(),
            Why::Changed => "its events are not those that were written".to_owned(),
        };
        let whole = match self.last_good {
            Some(round) => format!("it is whole up to round {round}"),
            None => "no round of it is whole".to_owned(),
        };
        Error::failure(format!("the run is damaged ({error}); {whole}")).at(path, None).help(open::DAMAGED)
    }
}

/// Adds a commit's events after `head` and returns the new head.
pub(super) fn append(
    connection: &Connection,
    head: Id,
    round: u32,
    events: &[String],
    timings: &[(String, f64)],
) -> rusqlite::Result<Id> {
    let mut add = connection.prepare_cached("INSERT INTO events (round, line) VALUES (?1, ?2)")?;
    let mut head = head;
    for line in events {
        add.execute((round, line))?;
        head = link(head, round, line);
    }
    let mut time = connection.prepare_cached("INSERT INTO timings (round, name, value) VALUES (?1, ?2, ?3)")?;
    for (name, value) in timings {
        time.execute((round, name, value))?;
    }
    connection.execute(
        "INSERT INTO commits (round, events, head, at) VALUES (?1, ?2, ?3, ?4)",
        (round, events.len() as i64, head.bytes(), clock::now()),
    )?;
    connection.execute("UPDATE run SET head = ?1", [head.bytes()])?;
    Ok(head)
}

/// Reads the events and holds them to their chain, which begins at `start`.
pub(super) fn read(connection: &Connection, start: Id) -> Result<Journal, Broken> {
    let mut last_good = None;
    walk(connection, start, &mut last_good).map_err(|why| Broken { last_good, why })
}

fn walk(connection: &Connection, start: Id, last_good: &mut Option<u32>) -> Result<Journal, Why> {
    let snapshot = connection.unchecked_transaction()?;
    let written: Option<[u8; 32]> = snapshot.query_row("SELECT head FROM run", [], |row| row.get(0)).optional()?;
    let mut commits = snapshot.prepare_cached("SELECT round, events, head FROM commits ORDER BY n")?;
    let mut lines = snapshot.prepare_cached("SELECT round, line FROM events ORDER BY n")?;
    let (mut commits, mut lines) = (commits.query([])?, lines.query([])?);
    let mut journal = Journal { events: Vec::new(), head: start };
    while let Some(commit) = commits.next()? {
        let (round, count, head): (u32, i64, [u8; 32]) = (commit.get(0)?, commit.get(1)?, commit.get(2)?);
        for _ in 0..count {
            let row = lines.next()?.ok_or(Why::Changed)?;
            let (of_round, line): (u32, String) = (row.get(0)?, row.get(1)?);
            journal.head = link(journal.head, of_round, &line);
            journal.events.push((of_round, line));
        }
        if *journal.head.bytes() != head {
            return Err(Why::Changed);
        }
        *last_good = Some(round);
    }
    match lines.next()? {
        None if written.as_ref() == Some(journal.head.bytes()) => Ok(journal),
        _ => Err(Why::Changed),
    }
}

fn link(head: Id, round: u32, line: &str) -> Id {
    Id::of("event", [head.bytes().as_slice(), &round.to_le_bytes(), line.as_bytes()])
}

impl From<rusqlite::Error> for Why {
    fn from(error: rusqlite::Error) -> Self {
        match error {
            // A column of another type, or out of its range: nothing that was written here.
            rusqlite::Error::InvalidColumnType(..)
            | rusqlite::Error::IntegralValueOutOfRange(..)
            | rusqlite::Error::FromSqlConversionFailure(..)
            | rusqlite::Error::Utf8Error(..) => Why::Changed,
            other => Why::Sql(other),
        }
    }
}
