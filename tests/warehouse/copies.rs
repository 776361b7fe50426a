//! Perturbed copies: the same everywhere, true to their keys, and different where it matters.

use std::process::Command;

use gradus::observe::Value;
use gradus::warehouse::{Limits, Sqlite};

use crate::shop::{self, one, rows};

/// All rows of all tables, as text.
fn dump(warehouse: &Sqlite, copy: u8) -> String {
    let tables = ["SELECT * FROM customer", "SELECT * FROM purchase", "SELECT * FROM tag"];
    tables.map(|query| rows(warehouse, copy, query).repr(usize::MAX)).join("\n")
}

fn column(warehouse: &Sqlite, copy: u8, query: &str) -> Vec<Value> {
    rows(warehouse, copy, query).rows.into_iter().flatten().collect()
}

#[test]
fn every_copy_is_another_database_and_the_same_on_every_thread() {
    let (_folder, warehouse) = shop::warehouse();
    let dumps: Vec<String> = (0..=6).map(|copy| dump(&warehouse, copy)).collect();
    for (n, one) in dumps.iter().enumerate() {
        assert!(dumps[..n].iter().all(|other| other != one), "copy {n} is a copy of another");
    }
    let (_folder, another) = shop::warehouse();
    let on_threads: Vec<String> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..=6)
            .rev()
            .map(|copy| {
                scope.spawn({
                    let another = &another;
                    move || dump(another, copy)
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).rev().collect()
    });
    assert_eq!(on_threads, dumps);
}

/// What another process finds, where this test is that process.
const DUMP_TO: &str = "GRADUS_TEST_DUMP_TO";

#[test]
fn another_process_makes_the_same_copies() {
    let (folder, warehouse) = shop::warehouse();
    let dumps = |warehouse: &Sqlite| (0..=6).map(|copy| dump(warehouse, copy)).collect::<Vec<_>>().join("\n\n");
    if let Some(path) = std::env::var_os(DUMP_TO) {
        return std::fs::write(path, dumps(&warehouse)).unwrap();
    }
    let to = folder.path().join("dump.txt");
    let status = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "copies::another_process_makes_the_same_copies"])
        .env(DUMP_TO, &to)
        .status()
        .unwrap();
    assert!(status.success());
    assert_eq!(std::fs::read_to_string(to).unwrap(), dumps(&warehouse));
}

#[test]
fn copies_1_and_4_drop_rows_and_change_none() {
    let (_folder, warehouse) = shop::warehouse();
    for copy in [1, 4] {
        for (table, all) in [("customer", 40), ("purchase", 200), ("tag", 30)] {
            let base = rows(&warehouse, 0, &format!("SELECT * FROM {table}")).rows;
            let kept = rows(&warehouse, copy, &format!("SELECT * FROM {table}")).rows;
            assert!(kept.len() < all && kept.len() > all / 2, "{table}: {}", kept.len());
            assert!(kept.iter().all(|row| base.contains(row)), "{table}");
        }
    }
}

#[test]
fn copies_2_and_5_shuffle_values_within_their_columns() {
    let (_folder, warehouse) = shop::warehouse();
    for copy in [2, 5] {
        for (table, free) in [
            ("customer", "name"),
            ("customer", "born"),
            ("purchase", "amount"),
            ("purchase", "note"),
            ("tag", "weight"),
        ] {
            let (in_order, sorted) =
                (format!("SELECT {free} FROM {table}"), format!("SELECT {free} FROM {table} ORDER BY 1"));
            assert_ne!(column(&warehouse, copy, &in_order), column(&warehouse, 0, &in_order), "{table}.{free}");
            assert_eq!(column(&warehouse, copy, &sorted), column(&warehouse, 0, &sorted), "{table}.{free}");
        }
        for (table, key) in [
            ("customer", "id"),
            ("purchase", "number"),
            ("purchase", "buyer"),
            ("purchase", "paid"),
            ("tag", "label"),
            ("tag", "value"),
        ] {
            let keys = format!("SELECT {key} FROM {table}");
            assert_eq!(column(&warehouse, copy, &keys), column(&warehouse, 0, &keys), "{table}.{key}");
        }
        assert_eq!(
            one(&warehouse, copy, "SELECT count(*) FROM purchase WHERE double_amount <> amount * 2"),
            Value::int(0)
        );
    }
}

#[test]
fn every_foreign_key_of_a_copy_still_finds_its_row() {
    let (_folder, warehouse) = shop::warehouse();
    for copy in 1..=6 {
        let orphans = "SELECT count(*) FROM purchase WHERE buyer NOT IN (SELECT id FROM customer)";
        assert_eq!(one(&warehouse, copy, orphans), Value::int(0), "copy {copy}");
        let joined = "SELECT count(*) = (SELECT count(*) FROM purchase) FROM purchase JOIN customer ON buyer = id";
        assert_eq!(one(&warehouse, copy, joined), Value::int(1), "copy {copy}");
    }
}

#[test]
fn queries_that_agree_on_the_database_differ_on_a_copy() {
    let (_folder, warehouse) = shop::warehouse();
    for (right, wrong) in [
        ("SELECT max(amount) FROM purchase", "SELECT 250.0"),
        (
            "SELECT note FROM purchase ORDER BY amount DESC LIMIT 1",
            "SELECT note FROM purchase ORDER BY number DESC LIMIT 1",
        ),
        ("SELECT count(*) FROM tag", "SELECT 30"),
    ] {
        let ask = |copy| (rows(&warehouse, copy, right).rows, rows(&warehouse, copy, wrong).rows);
        let (a, b) = ask(0);
        assert_eq!(a, b, "{wrong}");
        let differs = |copy: &u8| {
            let (a, b) = ask(*copy);
            a != b
        };
        assert!((1..=6).any(|copy| differs(&copy)), "{wrong}");
    }
}

#[test]
fn a_database_over_the_limit_has_no_copies_but_can_be_asked() {
    let folder = tempfile::tempdir().unwrap();
    let path = shop::make(folder.path());
    let large = rusqlite::Connection::open(&path).unwrap();
    large.execute_batch("CREATE TABLE large (x); INSERT INTO large VALUES (zeroblob(1100000))").unwrap();
    drop(large);
    let warehouse = Sqlite::new(folder.path(), Limits { copy_mb: 1, ..Limits::default() });
    assert_eq!(one(&warehouse, 0, "SELECT length(x) FROM large"), Value::int(1_100_000));
    let seen = shop::ask(&warehouse, 1, "SELECT 1");
    assert_eq!(seen.status, gradus::observe::Status::Refused);
    assert_eq!(seen.error.unwrap().message, "the database is larger than 1 MiB, so it has no copies");
}
