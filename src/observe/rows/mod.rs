//! What a query came to: named columns, and rows in the order in which they came.
//!
//! Pure data, and the questions of when two results are the same. Nothing here runs a query.

mod columns;
mod rule;
mod spider1;
mod spider2;

use serde::{Deserialize, Serialize};

pub use rule::Rule;

use super::compare;
use super::repr;
use super::value::Value;

/// A result. Every row has one value for each column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Rows {
    pub columns: Vec<String>,
    pub rows: Vec<Vec<Value>>,
}

impl Rows {
    /// The content as bytes: equal for results with the same number of columns and the same rows in any order, names
    /// aside. A query promises no order unless it asks for one, so this is when two runs came to the same.
    pub fn key(&self) -> Vec<u8> {
        let mut rows: Vec<Vec<u8>> = self.rows.iter().map(|row| row_key(row)).collect();
        rows.sort_unstable();
        let mut key = (self.columns.len() as u64).to_le_bytes().to_vec();
        for row in rows {
            key.extend((row.len() as u64).to_le_bytes());
            key.extend(row);
        }
        key
    }

    /// The columns' names and the first rows, for a person.
    pub fn repr(&self, most: usize) -> String {
        let mut text = format!("({}):", self.columns.join(", "));
        for row in self.rows.iter().take(most) {
            let cells: Vec<String> = row.iter().map(repr::repr).collect();
            text += &format!(" ({})", cells.join(", "));
        }
        match self.rows.len() {
            0 => text + " no rows",
            all if all > most => text + &format!(" ... {all} rows"),
            _ => text,
        }
    }
}

/// The values of a row one after the other. Keys of values carry their own lengths, so no two rows share one.
fn row_key(row: &[Value]) -> Vec<u8> {
    row.iter().flat_map(compare::key).collect()
}

#[cfg(test)]
mod tests;
