//! Perturbed copies: the same database with rows dropped, values shuffled within their columns, or both.
//!
//! Copy n is made from the content of the database and n alone. Copies 1 and 4 drop rows, 2 and 5 shuffle values, 3 and
//! 6 do both.
//!
//! - Dropping: every row of every table goes with a chance of one in four. A row that another row refers to by a declared
//!   foreign key stays, and so does one row of every table.
//! - Shuffling: the values of each column that is no key change places among the rows of their table, each column by
//!   itself. What a key is, `tables.rs` says.
//!
//! So every join on keys still finds its rows, each value is still one of its column, and no value is made up. Virtual
//! tables, their shadows, and SQLite's own tables are left as they are; triggers and checks do not run.

use rusqlite::config::DbConfig;
use rusqlite::{Connection, params_from_iter};

use super::super::Error;
use super::cell::Cell;
use super::database::Database;
use super::tables::{Table, quoted, tables};
use crate::base::rng::Stream;

/// One in so many rows is dropped.
const DROP_ONE_IN: usize = 4;

/// The bytes of a copy, as of a database file.
pub(super) fn make(database: &Database, copy: u8) -> Result<Vec<u8>, Error> {
    let image = database.image()?;
    perturb(&image, database.content.prefix(), copy)
        .map_err(|error| Error::at(&database.path, format!("copy {copy} of the database cannot be made: {error}")))
}

fn perturb(image: &[u8], seed: u64, copy: u8) -> rusqlite::Result<Vec<u8>> {
    let mut connection = Connection::open_in_memory()?;
    connection.deserialize_read_exact("main", image, image.len(), false)?;
    connection.execute_batch(
        "PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON; PRAGMA temp_store = MEMORY; BEGIN",
    )?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    let tables = tables(&connection)?;
    if copy % 3 != 2 {
        drop_rows(&connection, &tables, seed, copy)?;
    }
    if copy % 3 != 1 {
        tables.iter().try_for_each(|table| shuffle(&connection, table, seed, copy))?;
    }
    connection.execute_batch("COMMIT")?;
    Ok(connection.serialize("main")?.to_vec())
}

/// The draws for one table: tables and purposes never shift each other's.
fn stream(seed: u64, copy: u8, purpose: &str, table: &Table) -> Stream {
    Stream::new(seed, copy.into(), &format!("warehouse: {purpose} {}", table.name))
}

/// What is dropped is decided for all tables before anything is.
fn drop_rows(connection: &Connection, tables: &[Table], seed: u64, copy: u8) -> rusqlite::Result<()> {
    let mut doomed = Vec::new();
    for table in tables {
        let mut draws = stream(seed, copy, "drop", table);
        let all = table.rows(connection)?;
        let mut rows = Vec::new();
        for row in &all {
            if draws.below(DROP_ONE_IN) == 0 && !row.referenced {
                rows.push(row.key.clone());
            }
        }
        rows.truncate(all.len().saturating_sub(1));
        doomed.push(rows);
    }
    for (table, rows) in tables.iter().zip(doomed) {
        let mut delete =
            connection.prepare(&format!("DELETE FROM {} WHERE {}", quoted(&table.name), table.is_row(1)))?;
        for key in rows {
            delete.execute(params_from_iter(key.iter().map(Cell::bound)))?;
        }
    }
    Ok(())
}

fn shuffle(connection: &Connection, table: &Table, seed: u64, copy: u8) -> rusqlite::Result<()> {
    let rows = table.rows(connection)?;
    let mut draws = stream(seed, copy, "shuffle", table);
    for column in &table.free {
        let (name, column) = (quoted(&table.name), quoted(column));
        let mut values = Vec::with_capacity(rows.len());
        let mut select = connection.prepare(&format!("SELECT {column} FROM {name} ORDER BY {}", table.order()))?;
        let mut found = select.raw_query();
        while let Some(row) = found.next()? {
            values.push(Cell::of(row.get_ref(0)?));
        }
        drop(found);
        draws.shuffle(&mut values);
        let mut update = connection.prepare(&format!("UPDATE {name} SET {column} = ?1 WHERE {}", table.is_row(2)))?;
        for (row, value) in rows.iter().zip(&values) {
            update.execute(params_from_iter([value].into_iter().chain(&row.key).map(Cell::bound)))?;
        }
    }
    Ok(())
}
