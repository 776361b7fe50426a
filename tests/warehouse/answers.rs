//! What queries come to: values of every kind, errors with their types, and limits.

use gradus::observe::{Status, Value};
use gradus::warehouse::{Limits, Warehouse};

use crate::shop;

#[test]
fn values_arrive_as_what_they_are_and_columns_keep_their_names() {
    let (_folder, warehouse) = shop::warehouse();
    let rows = shop::rows(
        &warehouse,
        0,
        "SELECT 9223372036854775807 AS big, 1.5 AS half, 'tä' AS text, x'00ff' AS blob, NULL AS missing, \
         CAST(x'fffe' AS TEXT) AS broken",
    );
    assert_eq!(rows.columns, ["big", "half", "text", "blob", "missing", "broken"]);
    let expected = [
        Value::int(i64::MAX),
        Value::Float(1.5),
        Value::str("tä"),
        Value::Bytes(vec![0, 255]),
        Value::None,
        Value::Bytes(vec![255, 254]),
    ];
    assert_eq!(rows.rows, [expected.to_vec()]);
    assert_eq!(shop::one(&warehouse, 0, "WITH c AS (SELECT * FROM spent) SELECT count(*) FROM c;"), Value::int(20));
    assert_eq!(shop::rows(&warehouse, 0, "SELECT name FROM customer WHERE 0").rows.len(), 0);
}

#[test]
fn mistakes_of_a_query_are_exceptions_with_a_type() {
    let (_folder, warehouse) = shop::warehouse();
    for (query, kind) in [
        ("SELEC 1", "syntax error"),
        ("SELECT (1", "syntax error"),
        ("SELECT 'open", "syntax error"),
        ("", "syntax error"),
        ("-- nothing", "syntax error"),
        ("SELECT 1\0", "syntax error"),
        ("SELECT price FROM purchase", "no such column"),
        ("SELECT * FROM orders", "no such table"),
        ("SELECT median(amount) FROM purchase", "no such function"),
        ("SELECT id FROM customer AS a JOIN customer AS b", "ambiguous column name"),
        ("SELECT number FROM purchase WHERE sum(amount) > 1", "misuse of aggregate"),
        ("SELECT substr()", "wrong number of arguments"),
        ("SELECT json('{')", "malformed JSON"),
        ("SELECT ?1", "error"),
        ("SELECT abs(-9223372036854775808)", "error"),
    ] {
        let seen = shop::ask(&warehouse, 0, query);
        assert_eq!(seen.status, Status::Exception, "{query}: {seen:?}");
        assert_eq!(seen.error.as_ref().unwrap().kind, kind, "{query}: {seen:?}");
    }
}

#[test]
fn a_result_over_a_limit_is_refused_and_one_at_it_is_not() {
    let limits = Limits { rows: 3, columns: 2, cell_bytes: 10, result_bytes: 40, ..Limits::default() };
    let (_folder, warehouse) = shop::with(limits);
    let ends = |query: &str| shop::ask(&warehouse, 0, query).status;
    for (within, beyond) in [
        ("SELECT id FROM customer LIMIT 3", "SELECT id FROM customer LIMIT 4"),
        ("SELECT 1, 2", "SELECT 1, 2, 3"),
        ("SELECT 'ten bytes.'", "SELECT 'eleven byte'"),
        (
            "VALUES ('ten bytes.', 'ten bytes.'), ('ten bytes.', 'ten bytes.')",
            "VALUES (1, 'ten bytes.'), (2, 'ten bytes.'), (3, 4)",
        ),
    ] {
        assert_eq!(ends(within), Status::Value, "{within}");
        assert_eq!(ends(beyond), Status::Refused, "{beyond}");
    }
}

#[test]
fn steps_are_counted_the_same_on_every_connection() {
    let query = |n: u32| {
        format!("WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT {n}) SELECT sum(x) FROM c")
    };
    let limits = Limits { steps: 100_000, ..Limits::default() };
    let last = |warehouse: &gradus::warehouse::Sqlite| {
        (1..).map(|n| n * 100).find(|n| shop::ask(warehouse, 0, &query(*n)).status == Status::Timeout).unwrap()
    };
    let (_folder, warehouse) = shop::with(limits.clone());
    let first = last(&warehouse);
    assert!((1_000..20_000).contains(&first), "{first}");
    shop::ask(&warehouse, 0, "SELECT count(*) FROM spent");
    assert_eq!(last(&warehouse), first);
    let (_folder, another) = shop::with(limits);
    assert_eq!(last(&another), first);
    let threads: Vec<u32> = std::thread::scope(|scope| {
        [(); 3].map(|()| scope.spawn(|| last(&warehouse))).map(|thread| thread.join().unwrap()).to_vec()
    });
    assert_eq!(threads, [first; 3]);
}

#[test]
fn an_answer_depends_on_content_copy_and_limits() {
    let (folder, warehouse) = shop::warehouse();
    let id = |copy| warehouse.environment("shop", copy).unwrap();
    assert_eq!(id(0), shop::with(Limits { wall_s: 5, ..Limits::default() }).1.environment("shop", 0).unwrap());
    assert_ne!(id(0), id(1));
    assert_ne!(id(0), shop::with(Limits { steps: 9_000, ..Limits::default() }).1.environment("shop", 0).unwrap());
    let other = gradus::warehouse::Sqlite::new(folder.path(), Limits::default());
    let before = id(0);
    rusqlite::Connection::open(folder.path().join("shop.sqlite")).unwrap().execute("DELETE FROM tag", []).unwrap();
    assert_ne!(other.environment("shop", 0).unwrap(), before);
}

#[test]
fn dates_are_sqlite_s_own_unless_they_read_the_clock() {
    let (_folder, warehouse) = shop::warehouse();
    let query = "SELECT date('2024-02-28', '+2 days'), strftime('%Y', '2024-05-06'), julianday('2000-01-01'), \
                 unixepoch('1970-01-02'), datetime(0, 'unixepoch'), date(NULL), date('nonsense')";
    let bare = rusqlite::Connection::open_in_memory().unwrap();
    let bare: (String, String, f64, i64, String, Option<String>, Option<String>) = bare
        .query_row(query, [], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?, row.get(5)?, row.get(6)?))
        })
        .unwrap();
    let expected = [
        Value::str(&bare.0),
        Value::str(&bare.1),
        Value::Float(bare.2),
        Value::int(bare.3),
        Value::str(&bare.4),
        Value::None,
        Value::None,
    ];
    assert_eq!((bare.5, bare.6), (None, None));
    assert_eq!(shop::rows(&warehouse, 0, query).rows, [expected.to_vec()]);
}
