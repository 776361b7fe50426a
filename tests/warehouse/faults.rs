//! What the machine or the database fails at is an error that names the file, and no observation.

use std::path::Path;

use gradus::observe::Value;
use gradus::warehouse::{Limits, Sqlite, Warehouse};
use rusqlite::Connection;

use crate::shop;

fn error(folder: &Path, database: &str, query: &str) -> String {
    Sqlite::new(folder, Limits::default()).run(database, 0, query).unwrap_err().to_string()
}

#[test]
fn a_missing_database_and_a_name_that_is_a_path_are_named() {
    let (folder, _) = shop::warehouse();
    let said = error(folder.path(), "market", "SELECT 1");
    assert!(said.contains("market.sqlite: there is no such database"), "{said}");
    for name in ["", "..", "../shop", "/etc/passwd", "shop\0", ".hidden", "a/b"] {
        let said = error(folder.path(), name, "SELECT 1");
        assert!(said.contains("is no name of a database"), "{name}: {said}");
    }
}

#[test]
fn a_database_may_lie_in_a_folder_of_its_name() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("shop")).unwrap();
    shop::make(&folder.path().join("shop"));
    let warehouse = Sqlite::new(folder.path(), Limits::default());
    assert_eq!(shop::one(&warehouse, 0, "SELECT count(*) FROM customer"), Value::int(40));
}

#[test]
fn a_locked_database_is_a_fault_until_it_is_free() {
    let folder = tempfile::tempdir().unwrap();
    let path = shop::make(folder.path());
    let writer = Connection::open(&path).unwrap();
    writer.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let warehouse = Sqlite::new(folder.path(), Limits::default());
    let said = warehouse.run("shop", 0, "SELECT 1").unwrap_err().to_string();
    assert!(said.contains("shop.sqlite: is locked"), "{said}");
    writer.execute_batch("COMMIT").unwrap();
    assert_eq!(shop::one(&warehouse, 0, "SELECT 1"), Value::int(1));
}

#[test]
fn a_write_that_is_not_merged_is_a_fault() {
    let folder = tempfile::tempdir().unwrap();
    let path = shop::make(folder.path());
    let writer = Connection::open(&path).unwrap();
    writer.execute_batch("PRAGMA journal_mode = WAL; INSERT INTO tag VALUES ('a', 'b', 1)").unwrap();
    let said = error(folder.path(), "shop", "SELECT 1");
    assert!(said.contains("write-ahead log"), "{said}");
    drop(writer);
    let warehouse = Sqlite::new(folder.path(), Limits::default());
    for copy in [0, 2] {
        assert_eq!(
            shop::one(&warehouse, copy, "SELECT count(*) FROM tag"),
            Value::int(31),
            "write-ahead mode, at rest"
        );
    }
    assert!(!folder.path().join("shop.sqlite-shm").exists());
}

#[test]
fn a_database_that_changes_while_it_is_in_use_is_a_fault() {
    let folder = tempfile::tempdir().unwrap();
    let path = shop::make(folder.path());
    let warehouse = Sqlite::new(folder.path(), Limits::default());
    shop::ask(&warehouse, 0, "SELECT 1");
    Connection::open(&path).unwrap().execute_batch("CREATE TABLE more AS SELECT * FROM purchase").unwrap();
    let said = warehouse.run("shop", 0, "SELECT 1").unwrap_err().to_string();
    assert!(said.contains("changed while it was in use"), "{said}");
}

#[test]
fn what_is_no_database_or_a_damaged_one_is_a_fault() {
    let folder = tempfile::tempdir().unwrap();
    for (content, said) in [(&b"not a database"[..], "is no SQLite database"), (&[7; 9000], "is no SQLite database")] {
        std::fs::write(folder.path().join("odd.sqlite"), content).unwrap();
        let error = error(folder.path(), "odd", "SELECT 1");
        assert!(error.contains("odd.sqlite: ") && error.contains(said), "{error}");
    }
    let path = shop::make(folder.path());
    let mut bytes = std::fs::read(&path).unwrap();
    let page = bytes.len() / 3 / 4096 * 4096;
    bytes[page..page + 8192].fill(0xA5);
    std::fs::write(&path, bytes).unwrap();
    let queries = ["SELECT * FROM customer, tag", "SELECT * FROM purchase", "SELECT paid FROM purchase ORDER BY paid"];
    let warehouse = Sqlite::new(folder.path(), Limits::default());
    let errors: Vec<String> = queries
        .iter()
        .filter_map(|query| warehouse.run("shop", 0, query).err())
        .map(|error| error.to_string())
        .collect();
    assert!(!errors.is_empty());
    assert!(errors.iter().all(|error| error.contains("shop.sqlite: ") && error.contains("malformed")), "{errors:?}");
}

#[test]
fn a_query_that_the_clock_stops_is_a_fault() {
    let folder = tempfile::tempdir().unwrap();
    shop::make(folder.path());
    let warehouse = Sqlite::new(folder.path(), Limits { wall_s: 1, steps: u64::MAX, ..Limits::default() });
    let endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c";
    let said = warehouse.run("shop", 0, endless).unwrap_err().to_string();
    assert!(said.contains("took too long on this machine"), "{said}");
}

#[test]
fn a_schema_that_is_not_utf8_is_a_fault() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("odd.sqlite");
    Connection::open(&path).unwrap().execute_batch("CREATE TABLE t (NAME_OF_A_COLUMN)").unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    let at = bytes.windows(16).position(|window| window == b"NAME_OF_A_COLUMN").unwrap();
    bytes[at] = 0xFF;
    std::fs::write(&path, bytes).unwrap();
    let said = error(folder.path(), "odd", "SELECT * FROM t");
    assert!(said.contains("odd.sqlite: ") && said.contains("utf-8"), "{said}");
}

#[test]
fn odd_values_survive_a_copy() {
    let folder = tempfile::tempdir().unwrap();
    let connection = Connection::open(folder.path().join("odd.db")).unwrap();
    connection
        .execute_batch(
            "CREATE TABLE odd (id INTEGER PRIMARY KEY, x); INSERT INTO odd (x) VALUES (x'00ff'), (CAST(x'fffe' AS TEXT)), \
             (9223372036854775807), (0.1), (NULL), (''), ('one'), ('two')",
        )
        .unwrap();
    drop(connection);
    let warehouse = Sqlite::new(folder.path(), Limits::default());
    let kinds = |copy: u8| {
        let seen = warehouse.run("odd", copy, "SELECT typeof(x), x FROM odd ORDER BY 1, 2").unwrap();
        seen.rows.unwrap()
    };
    assert_eq!(kinds(2), kinds(0));
    assert_eq!(kinds(0).rows.len(), 8);
}
