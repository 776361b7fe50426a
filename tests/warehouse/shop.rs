//! A small database: customers, their orders, and a few odd values.

use std::path::{Path, PathBuf};

use gradus::observe::{Observation, Rows, Status, Value};
use gradus::warehouse::{Limits, Sqlite, Warehouse};
use rusqlite::Connection;

const SCHEMA: &str = "
CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT, born INTEGER);
CREATE TABLE purchase (
  number INTEGER PRIMARY KEY, buyer INTEGER REFERENCES customer(id), amount REAL, paid TEXT UNIQUE, note TEXT,
  double_amount REAL GENERATED ALWAYS AS (amount * 2));
CREATE TABLE tag (label TEXT, value TEXT, weight INTEGER, PRIMARY KEY (label, value)) WITHOUT ROWID;
CREATE VIEW spent AS SELECT buyer, sum(amount) AS total FROM purchase GROUP BY buyer;
CREATE TRIGGER no_change BEFORE UPDATE ON purchase BEGIN SELECT raise(ABORT, 'purchases do not change'); END;
";

/// Makes `shop.sqlite` in a folder.
pub fn make(folder: &Path) -> PathBuf {
    let path = folder.join("shop.sqlite");
    let connection = Connection::open(&path).unwrap();
    connection.execute_batch("BEGIN").unwrap();
    connection.execute_batch(SCHEMA).unwrap();
    let cities = ["Ulm", "Bonn", "Kiel"];
    for id in 1_i32..=40 {
        let city = cities[id as usize % 3];
        connection
            .execute(
                "INSERT INTO customer VALUES (?1, ?2, ?3, ?4)",
                (id, format!("customer {id}"), city, 1950 + (id * 7) % 50),
            )
            .unwrap();
    }
    for number in 1..=200 {
        let (buyer, amount) = (1 + (number * 3) % 20, f64::from(number) * 1.25);
        connection
            .execute(
                "INSERT INTO purchase (number, buyer, amount, paid, note) VALUES (?1, ?2, ?3, ?4, ?5)",
                (number, buyer, amount, format!("paid {number}"), format!("note {}", number % 9)),
            )
            .unwrap();
    }
    for n in 0..30 {
        connection
            .execute("INSERT INTO tag VALUES (?1, ?2, ?3)", (format!("label {}", n % 5), n.to_string(), n))
            .unwrap();
    }
    connection.execute_batch("COMMIT").unwrap();
    path
}

/// A folder with the shop, and a warehouse on it.
pub fn warehouse() -> (tempfile::TempDir, Sqlite) {
    with(Limits::default())
}

pub fn with(limits: Limits) -> (tempfile::TempDir, Sqlite) {
    let folder = tempfile::tempdir().unwrap();
    make(folder.path());
    let warehouse = Sqlite::new(folder.path(), limits);
    (folder, warehouse)
}

/// What a query of the shop comes to.
pub fn ask(warehouse: &Sqlite, copy: u8, query: &str) -> Observation {
    warehouse.run("shop", copy, query).unwrap()
}

/// The rows of a query that has some.
pub fn rows(warehouse: &Sqlite, copy: u8, query: &str) -> Rows {
    let seen = ask(warehouse, copy, query);
    assert_eq!(seen.status, Status::Value, "{query}: {:?}", seen.error);
    seen.rows.unwrap()
}

/// The one value of a query that has one.
pub fn one(warehouse: &Sqlite, copy: u8, query: &str) -> Value {
    rows(warehouse, copy, query).rows.remove(0).remove(0)
}
