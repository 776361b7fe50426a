//! Spider 2.0: does every gold column have a predicted column that matches it?
//!
//! Quirks of the original are kept: one predicted column may match several gold ones, NULL counts as the number 0,
//! sorting goes by the text of a value (10 before 9), so a value that the tolerance should forgive may land in another
//! place, and a predicted result without rows is never right.

use std::borrow::Cow;

use super::super::compare;
use super::super::repr;
use super::super::value::Value;
use super::Rows;

/// How far apart numbers may be: absolutely, or as a share of the larger (the default of Python's `math.isclose`).
const ABSOLUTE: f64 = 1e-2;
const RELATIVE: f64 = 1e-9;

const ZERO: &Value = &Value::Float(0.0);

pub(super) fn covers(predicted: &Rows, gold: &Rows, ordered: bool) -> bool {
    if predicted.rows.is_empty() || predicted.rows.len() != gold.rows.len() {
        return false;
    }
    let columns = |rows: &'_ Rows| (0..rows.columns.len()).collect::<Vec<_>>();
    let of_predicted: Vec<Vec<&Value>> =
        columns(predicted).into_iter().map(|at| column(predicted, at, ordered)).collect();
    columns(gold).into_iter().map(|at| column(gold, at, ordered)).all(|gold| {
        of_predicted.iter().any(|predicted| gold.iter().zip(predicted).all(|(gold, cell)| matches(gold, cell)))
    })
}

fn column(rows: &Rows, at: usize, ordered: bool) -> Vec<&Value> {
    let cells = rows.rows.iter().map(|row| match &row[at] {
        Value::None => ZERO,
        other => other,
    });
    let mut cells: Vec<&Value> = cells.collect();
    if !ordered {
        cells.sort_by_cached_key(|cell| (text(cell).into_owned(), number(cell).is_some()));
    }
    cells
}

/// Python's `str(value)`. NULL is the integer 0 there, and its text is kept.
fn text(value: &Value) -> Cow<'_, str> {
    match value {
        value if std::ptr::eq(value, ZERO) => Cow::Borrowed("0"),
        Value::Str(bytes) => String::from_utf8_lossy(bytes),
        other => Cow::Owned(repr::repr(other)),
    }
}

fn matches(a: &Value, b: &Value) -> bool {
    match (number(a), number(b)) {
        (Some(a), Some(b)) => a == b || (a - b).abs() <= (RELATIVE * a.abs().max(b.abs())).max(ABSOLUTE),
        _ => compare::same(a, b),
    }
}

fn number(value: &Value) -> Option<f64> {
    use num_traits::ToPrimitive;
    match value {
        Value::Float(number) => Some(*number),
        Value::Int(number) => number.to_f64(),
        _ => None,
    }
}
