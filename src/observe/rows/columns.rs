//! Two results as columns of small numbers: equal numbers stand for equal cells.

use std::collections::HashMap;

use super::super::compare;
use super::Rows;

/// A result by column; each cell is the number of its content.
pub(super) type Columns = Vec<Vec<u32>>;

/// Both results, with one numbering of their contents.
pub(super) fn of_both(a: &Rows, b: &Rows) -> (Columns, Columns) {
    let mut known: HashMap<Vec<u8>, u32> = HashMap::new();
    let mut columns = |rows: &Rows| -> Columns {
        let mut columns = vec![Vec::with_capacity(rows.rows.len()); rows.columns.len()];
        for row in &rows.rows {
            for (column, cell) in columns.iter_mut().zip(row) {
                let next = known.len() as u32;
                column.push(*known.entry(compare::key(cell)).or_insert(next));
            }
        }
        columns
    };
    (columns(a), columns(b))
}
