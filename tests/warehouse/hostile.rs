//! Statements that do more than read, or never end: each works on a bare connection, and is refused here.

use std::path::Path;

use gradus::observe::{Observation, Status};
use gradus::warehouse::{Limits, Warehouse};
use rusqlite::Connection;

use crate::shop;

/// Statements that a bare connection carries out. `OUT` stands for a file that does not exist.
const DO_MORE_THAN_READ: [&str; 42] = [
    "INSERT INTO customer VALUES (99, 'x', 'y', 1)",
    "INSERT INTO customer SELECT 99, 'x', 'y', 1 RETURNING id",
    "REPLACE INTO customer VALUES (1, 'x', 'y', 1)",
    "UPDATE customer SET name = 'x'",
    "UPDATE customer SET name = 'x' RETURNING name",
    "WITH c AS (SELECT 1 AS x) UPDATE customer SET born = (SELECT x FROM c)",
    "DELETE FROM tag",
    "WITH c AS (SELECT 1) DELETE FROM tag WHERE label IN c RETURNING *",
    "DROP TABLE tag",
    "DROP VIEW spent",
    "DROP TRIGGER no_change",
    "CREATE TABLE t (x)",
    "CREATE TABLE t AS SELECT * FROM customer",
    "CREATE TEMP TABLE t (x)",
    "CREATE TEMP TABLE t AS SELECT * FROM customer",
    "CREATE VIEW v AS SELECT 1",
    "CREATE TEMP VIEW v AS SELECT 1",
    "CREATE INDEX i ON customer (city)",
    "CREATE TRIGGER t AFTER INSERT ON tag BEGIN DELETE FROM tag; END",
    "CREATE TEMP TRIGGER t AFTER INSERT ON tag BEGIN DELETE FROM tag; END",
    "CREATE VIRTUAL TABLE f USING fts5(x)",
    "ALTER TABLE tag RENAME TO tags",
    "ALTER TABLE tag ADD COLUMN more",
    "ATTACH 'OUT' AS other",
    "ATTACH ':memory:' AS other",
    "DETACH main_missing_but_named",
    "VACUUM",
    "VACUUM INTO 'OUT'",
    "REINDEX",
    "ANALYZE",
    "BEGIN",
    "BEGIN EXCLUSIVE",
    "SAVEPOINT s",
    "PRAGMA user_version = 7",
    "PRAGMA journal_mode = WAL",
    "PRAGMA writable_schema = 1",
    "PRAGMA query_only = 0",
    "PRAGMA table_info(customer)",
    "SELECT * FROM pragma_table_info('customer')",
    "SELECT * FROM pragma_database_list",
    "EXPLAIN SELECT 1",
    "EXPLAIN QUERY PLAN SELECT * FROM customer",
];

/// Queries whose answers are chance, or the time and place of this machine.
const DIFFER_EVERY_TIME: [&str; 14] = [
    "SELECT random()",
    "SELECT name FROM customer ORDER BY random()",
    "SELECT randomblob(8)",
    "SELECT current_timestamp",
    "SELECT CURRENT_DATE",
    "SELECT current_time",
    "SELECT date()",
    "SELECT datetime('now')",
    "SELECT date('NOW', '-1 day')",
    "SELECT strftime('%Y')",
    "SELECT strftime('%Y', 'no' || 'w')",
    "SELECT datetime('2024-01-01', 'localtime')",
    "SELECT julianday('2024-01-01', 'UTC')",
    "SELECT timediff('2024-01-01', 'now')",
];

fn bare(folder: &Path) -> Connection {
    Connection::open(folder.join("shop.sqlite")).unwrap()
}

fn carry_out(connection: &Connection, statement: &str) -> rusqlite::Result<usize> {
    let mut prepared = connection.prepare(statement)?;
    let mut rows = prepared.raw_query();
    let mut count = 0;
    while rows.next()?.is_some() {
        count += 1;
    }
    Ok(count)
}

fn status(seen: &Observation) -> (Status, &str) {
    (seen.status, seen.error.as_ref().map_or("", |error| error.message.as_str()))
}

#[test]
fn what_does_more_than_read_is_refused_and_changes_nothing() {
    let (folder, warehouse) = shop::warehouse();
    let before = std::fs::read(folder.path().join("shop.sqlite")).unwrap();
    for statement in DO_MORE_THAN_READ {
        let out = folder.path().join("out.sqlite");
        let statement = statement.replace("OUT", out.to_str().unwrap());
        let victim = tempfile::tempdir().unwrap();
        std::fs::copy(folder.path().join("shop.sqlite"), victim.path().join("shop.sqlite")).unwrap();
        if !statement.starts_with("DETACH") {
            carry_out(&bare(victim.path()), &statement).unwrap_or_else(|error| panic!("{statement}: {error}"));
        }
        std::fs::remove_file(&out).ok();
        for copy in [0, 3] {
            let seen = shop::ask(&warehouse, copy, &statement);
            assert_eq!(seen.status, Status::Refused, "{statement}: {seen:?}");
            assert!(seen.rows.is_none());
        }
        assert!(!out.exists(), "{statement}");
    }
    assert_eq!(std::fs::read(folder.path().join("shop.sqlite")).unwrap(), before);
    let files: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(files, ["shop.sqlite"]);
}

#[test]
fn what_would_differ_tomorrow_or_elsewhere_is_refused() {
    let (folder, warehouse) = shop::warehouse();
    for query in DIFFER_EVERY_TIME {
        carry_out(&bare(folder.path()), query).unwrap_or_else(|error| panic!("{query}: {error}"));
        let seen = shop::ask(&warehouse, 0, query);
        let (end, why) = status(&seen);
        assert_eq!(end, Status::Refused, "{query}: {seen:?}");
        assert!(why.starts_with("calls "), "{why}");
    }
}

#[test]
fn only_one_statement_is_run() {
    let (folder, warehouse) = shop::warehouse();
    for text in ["SELECT 1; SELECT 2", "SELECT 1; DELETE FROM tag", "SELECT 1; nonsense", "SELECT 1;; VACUUM INTO 'x'"]
    {
        assert_eq!(
            status(&shop::ask(&warehouse, 0, text)),
            (Status::Refused, "there is more than one statement"),
            "{text}"
        );
    }
    bare(folder.path()).execute_batch("SELECT 1; DELETE FROM tag").unwrap();
    let (_folder, warehouse) = shop::warehouse();
    assert_eq!(shop::ask(&warehouse, 0, " ; SELECT 1;;; -- the end\n /* really */").status, Status::Value);
    assert_eq!(shop::ask(&warehouse, 0, &"SELECT 1;".repeat(7_000)).status, Status::Refused);
}

#[test]
fn files_and_extensions_are_out_of_reach() {
    let (folder, warehouse) = shop::warehouse();
    let file = folder.path().join("secret.txt");
    std::fs::write(&file, "secret").unwrap();
    for query in [
        "SELECT load_extension('libx.so')",
        "SELECT load_extension('libx.so', 'entry')",
        &format!("SELECT readfile('{}')", file.display()),
        &format!("SELECT writefile('{}', 'x')", file.display()),
        "SELECT fts3_tokenizer('simple')",
        "SELECT edit('x')",
        "SELECT * FROM fsdir('/')",
        "SELECT * FROM csv('/etc/passwd')",
        "SELECT * FROM sqlite_dbpage",
    ] {
        let seen = shop::ask(&warehouse, 0, query);
        assert!(matches!(seen.status, Status::Refused | Status::Exception), "{query}: {seen:?}");
    }
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "secret");
}

/// Queries that a bare connection works on for a very long time.
const NEVER_END: [&str; 6] = [
    "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c",
    "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x FROM c) SELECT x FROM c WHERE x = 2",
    "SELECT count(*) FROM purchase a, purchase b, purchase c, purchase d, purchase e",
    "SELECT a.number FROM purchase a, purchase b, purchase c, purchase d WHERE a.amount + b.amount + c.amount + d.amount < 0",
    "SELECT (SELECT count(*) FROM purchase b, purchase c, purchase d WHERE b.number > a.number) FROM purchase a",
    "WITH RECURSIVE c(x, y) AS (SELECT 1, 1 UNION SELECT x + y, y + 1 FROM c) SELECT max(x) FROM c",
];

#[test]
fn what_does_not_end_is_stopped_by_its_steps() {
    let (folder, warehouse) = shop::with(Limits { steps: 2_000_000, ..Limits::default() });
    for query in NEVER_END {
        let mut connection = bare(folder.path());
        let mut looks = 0;
        let more_than_ours = move || {
            looks += 1;
            looks > 4_000
        };
        connection.progress_handler(1_000, Some(more_than_ours)).unwrap();
        let ended = carry_out(&connection, query);
        assert_eq!(ended.unwrap_err().sqlite_error_code(), Some(rusqlite::ErrorCode::OperationInterrupted), "{query}");
        assert_eq!(shop::ask(&warehouse, 0, query).status, Status::Timeout, "{query}");
    }
}

/// Queries that make something huge out of little; a bare connection carries out all but the first four.
fn bombs() -> Vec<String> {
    let nested =
        |open: &str, inner: &str, close: &str, n: usize| format!("{}{inner}{}", open.repeat(n), close.repeat(n));
    vec![
        format!("SELECT {}", nested("(", "1", ")", 5_000)),
        format!("SELECT {}", nested("abs(", "1", ")", 2_000)),
        format!("SELECT {}1", "-~".repeat(5_000)),
        format!("SELECT {}", vec!["1"; 3_000].join(" UNION ALL SELECT ")),
        "SELECT zeroblob(900000000)".into(),
        "SELECT length(zeroblob(900000000) || 'x')".into(),
        "SELECT printf('%.*c', 900000000, 'x')".into(),
        "SELECT format('%900000000d', 1)".into(),
        "SELECT hex(zeroblob(100000000))".into(),
        "SELECT length(replace(hex(zeroblob(5000)), '0', hex(zeroblob(5000))))".into(),
        "SELECT zeroblob(2000000)".into(),
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 1000000) SELECT x FROM c".into(),
        "WITH RECURSIVE c(x) AS (SELECT 'aaaaaaaaaaaaaaaa' UNION ALL SELECT x || x FROM c LIMIT 22) SELECT max(length(x)) FROM c".into(),
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 3000) SELECT length(group_concat(zeroblob(100000))) FROM c".into(),
        format!("SELECT {}", (0..1_500).map(|n| n.to_string()).collect::<Vec<_>>().join(", ")),
        "SELECT * FROM purchase a, purchase b, purchase c LIMIT 20000".into(),
        "SELECT zeroblob(900000) FROM purchase".into(),
    ]
}

#[test]
fn what_grows_too_large_is_refused() {
    let (folder, warehouse) = shop::warehouse();
    let connection = bare(folder.path());
    for (index, query) in bombs().iter().enumerate() {
        let shown = &query[..query.len().min(80)];
        if index > 3 {
            carry_out(&connection, query).unwrap_or_else(|error| panic!("{shown}: {error}"));
        }
        let seen = shop::ask(&warehouse, 0, query);
        assert_eq!(seen.status, Status::Refused, "{shown}: {:?}", seen.error);
    }
    assert_eq!(shop::ask(&warehouse, 0, &format!("SELECT '{}'", "x".repeat(70_000))).status, Status::Refused);
}

#[test]
fn deep_nesting_does_not_break_a_thread_of_two_mebibytes() {
    let (_folder, warehouse) = shop::warehouse();
    let nested =
        |open: &str, inner: &str, close: &str, n: usize| format!("{}{inner}{}", open.repeat(n), close.repeat(n));
    let texts = [
        nested("SELECT * FROM (", "SELECT 1", ")", 3_000),
        format!("SELECT {}", nested("(SELECT ", "1", ")", 5_000)),
        format!("SELECT 1 WHERE {}", nested("EXISTS (SELECT 1 WHERE ", "1", ")", 2_000)),
        format!("SELECT 1 WHERE {}1", "NOT ".repeat(15_000)),
        format!("SELECT 1{}", "+1".repeat(30_000)),
        format!("SELECT {}", vec!["1"; 9_000].join(" AND ")),
        nested("WITH a AS (", "SELECT 1", ") SELECT * FROM a", 2_000),
        format!("SELECT {}", nested("CASE WHEN 1 THEN ", "1", " END", 2_500)),
    ];
    let run = || texts.iter().map(|text| warehouse.run("shop", 0, text).unwrap().status).collect::<Vec<_>>();
    let ends = std::thread::scope(|scope| {
        std::thread::Builder::new().stack_size(2 << 20).spawn_scoped(scope, run).unwrap().join().unwrap()
    });
    assert!(ends.iter().all(|end| matches!(end, Status::Refused | Status::Exception)), "{ends:?}");
}
