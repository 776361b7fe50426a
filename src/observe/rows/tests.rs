//! Golden cases of the three rules, worked out by hand, and the size of the search.

use super::*;

const NULL: Value = Value::None;

fn int(number: i64) -> Value {
    Value::int(number)
}

fn text(text: &str) -> Value {
    Value::str(text)
}

fn rows(columns: usize, cells: Vec<Value>) -> Rows {
    Rows {
        columns: (0..columns).map(|at| format!("c{at}")).collect(),
        rows: cells.chunks(columns.max(1)).map(<[Value]>::to_vec).collect(),
    }
}

fn holds(rule: &str, ordered: Option<bool>, predicted: &Rows, gold: &Rows) -> Option<bool> {
    Rule::named(rule, ordered).unwrap().holds(predicted, gold)
}

#[test]
fn strict_wants_the_same_rows_in_order_and_ignores_names() {
    let gold = rows(2, vec![int(1), text("a"), int(2), text("b")]);
    let strict = |predicted: &Rows| holds("strict", None, predicted, &gold).unwrap();
    assert!(strict(&rows(2, vec![Value::Float(1.0), text("a"), int(2), text("b")])));
    assert!(strict(&Rows { columns: vec!["x".into(), "y".into()], ..gold.clone() }));
    assert!(!strict(&rows(2, vec![int(2), text("b"), int(1), text("a")])));
    assert!(!strict(&rows(2, vec![text("a"), int(1), text("b"), int(2)])));
    assert!(!strict(&rows(3, vec![int(1), text("a"), NULL, int(2), text("b"), NULL])));
    assert!(!strict(&rows(2, vec![int(1), text("a")])));
    assert!(!strict(&rows(2, vec![text("1"), text("a"), int(2), text("b")])), "a text is no number");
    assert_eq!(holds("strict", None, &rows(1, vec![NULL]), &rows(1, vec![NULL])), Some(true));
    assert_eq!(holds("strict", None, &rows(1, vec![]), &rows(2, vec![])), Some(false));
}

#[test]
fn spider1_permutes_columns_and_counts_rows() {
    let gold = rows(2, vec![int(1), text("a"), int(2), text("b"), int(2), text("b")]);
    let same = |predicted: &Rows| holds("spider1", None, predicted, &gold).unwrap();
    assert!(same(&rows(2, vec![text("b"), int(2), text("a"), int(1), text("b"), int(2)])));
    assert!(!same(&rows(2, vec![int(1), text("a"), int(1), text("a"), int(2), text("b")])), "how often counts");
    assert!(!same(&rows(2, vec![int(1), text("b"), int(2), text("a"), int(2), text("b")])), "rows hold together");
    assert!(!same(&rows(1, vec![int(1), int(2), int(2)])));
    let ordered = |predicted: &Rows| holds("spider1", Some(true), predicted, &gold).unwrap();
    assert!(ordered(&rows(2, vec![text("a"), int(1), text("b"), int(2), text("b"), int(2)])));
    assert!(!ordered(&rows(2, vec![int(2), text("b"), int(1), text("a"), int(2), text("b")])));
    assert_eq!(holds("spider1", None, &rows(1, vec![]), &rows(3, vec![])), Some(true), "empty is empty");
    assert_eq!(holds("spider1", None, &rows(1, vec![NULL]), &rows(1, vec![int(0)])), Some(false));
}

#[test]
fn spider1_tells_columns_apart_that_hold_the_same_values() {
    // Both columns hold 1, 2, 3; only the pairing differs, and no permutation mends it.
    let gold = rows(2, vec![int(1), int(2), int(2), int(3), int(3), int(1)]);
    let other = rows(2, vec![int(2), int(1), int(3), int(2), int(1), int(3)]);
    assert_eq!(holds("spider1", None, &other, &gold), Some(true));
    let other = rows(2, vec![int(1), int(1), int(2), int(2), int(3), int(3)]);
    assert_eq!(holds("spider1", None, &other, &gold), Some(false));
}

#[test]
fn spider2_wants_each_gold_column_and_forgives_others() {
    let gold = rows(2, vec![text("a"), Value::Float(1.0), text("b"), Value::Float(2.0)]);
    let covers = |predicted: &Rows| holds("spider2", None, predicted, &gold).unwrap();
    assert!(covers(&rows(3, vec![int(9), Value::Float(1.009), text("a"), int(9), int(2), text("b")])));
    assert!(!covers(&rows(2, vec![text("a"), Value::Float(1.02), text("b"), int(2)])), "beyond the tolerance");
    assert!(!covers(&rows(1, vec![text("a"), text("b")])), "a gold column is missing");
    assert!(!covers(&rows(2, vec![text("b"), int(2), text("a"), int(1)])), "rows in another order");
    assert!(!covers(&rows(2, vec![text("a"), int(1)])), "a row is missing");
    assert!(!covers(&rows(2, vec![text("a"), text("1.0"), text("b"), text("2.0")])), "a text is no number");
}

#[test]
fn spider2_keeps_the_quirks_of_the_original() {
    // Columns are sorted each by itself, so rows need not hold together.
    let gold = rows(2, vec![int(1), text("a"), int(2), text("b")]);
    let torn = rows(2, vec![int(1), text("b"), int(2), text("a")]);
    assert_eq!(holds("spider2", Some(false), &torn, &gold), Some(true));
    assert_eq!(holds("spider2", Some(true), &torn, &gold), Some(false));
    // One predicted column may stand for two gold ones, but not the other way round.
    let (one, twice) = (rows(1, vec![int(1), int(2)]), rows(2, vec![int(1), int(1), int(2), int(2)]));
    assert_eq!(holds("spider2", None, &one, &twice), Some(true));
    // NULL counts as 0.
    assert_eq!(holds("spider2", None, &rows(1, vec![NULL]), &rows(1, vec![int(0)])), Some(true));
    // A result without rows is never right, not even where none are wanted.
    assert_eq!(holds("spider2", None, &rows(1, vec![]), &rows(1, vec![])), Some(false));
    // Sorted by text, 10 comes before 9, and 9.0 before 9.995: what is near in order is not, sorted.
    let (gold, near) = (rows(1, vec![int(10), int(9)]), rows(1, vec![Value::Float(9.995), Value::Float(9.0)]));
    assert_eq!(holds("spider2", Some(false), &near, &gold), Some(false));
    assert_eq!(holds("spider2", Some(true), &near, &gold), Some(true));
}

#[test]
fn an_unknown_rule_and_an_order_that_cannot_be_left_out_are_named() {
    assert_eq!(
        Rule::named("spider", None).unwrap_err(),
        "there is no rule `spider`; there are strict, spider1 and spider2"
    );
    assert!(Rule::named("strict", Some(false)).unwrap_err().contains("order"));
}

/// A table of `n` columns whose rows are all cyclic shifts: every column holds every value once.
fn shifts(n: i64) -> Rows {
    rows(n as usize, (0..n).flat_map(|row| (0..n).map(move |column| int((row + column) % n))).collect())
}

#[test]
fn columns_that_are_all_alike_are_matched_without_trying_every_permutation() {
    for n in [8, 12, 20] {
        let gold = shifts(n);
        let mut turned = gold.clone();
        turned.rows.reverse();
        turned.rows.iter_mut().for_each(|row| row.reverse());
        assert_eq!(holds("spider1", None, &turned, &gold), Some(true), "{n}");
        let mut wrong = turned;
        let last = wrong.rows.len() - 1;
        wrong.rows[last].swap(0, 1);
        assert_eq!(holds("spider1", None, &wrong, &gold), Some(false), "{n}");
    }
    let ones = rows(30, vec![int(1); 30 * 50]);
    assert_eq!(holds("spider1", None, &ones, &ones), Some(true));
}

#[test]
fn a_result_is_the_same_in_any_order_of_rows() {
    let one = rows(2, vec![int(1), text("a"), int(2), text("b")]);
    let other = rows(2, vec![int(2), text("b"), Value::Float(1.0), text("a")]);
    assert_eq!(one.key(), other.key());
    assert_ne!(one.key(), rows(2, vec![int(1), text("b"), int(2), text("a")]).key());
    assert_ne!(rows(1, vec![]).key(), rows(2, vec![]).key());
    assert_ne!(rows(1, vec![int(1), int(2)]).key(), rows(2, vec![int(1), int(2)]).key());
}

#[test]
fn a_result_shows_its_first_rows() {
    let rows = rows(2, vec![int(1), text("a"), NULL, text("b")]);
    assert_eq!(rows.repr(1), "(c0, c1): (1, 'a') ... 2 rows");
    assert_eq!(rows.repr(5), "(c0, c1): (1, 'a') (None, 'b')");
}
