//! What one query may cost.
//!
//! All but the last are counted, so that the same query ends in the same way on every machine.

use serde::{Deserialize, Serialize};

/// The limits of a query, and of a perturbed copy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// Steps of SQLite's virtual machine; beyond them the query is a timeout.
    pub steps: u64,
    /// Rows of a result; beyond them, as beyond the next three, the query is refused.
    pub rows: usize,
    pub columns: usize,
    pub cell_bytes: usize,
    pub result_bytes: usize,
    /// Size of a database of which there are perturbed copies, in MiB.
    pub copy_mb: u32,
    /// Seconds of a query before the machine is taken to be too slow: a fault, never an answer.
    pub wall_s: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            steps: 50_000_000,
            rows: 10_000,
            columns: 200,
            cell_bytes: 1 << 20,
            result_bytes: 8 << 20,
            copy_mb: 64,
            wall_s: 60,
        }
    }
}

impl Limits {
    /// The limits that an answer depends on.
    pub(super) fn key(&self) -> Vec<u8> {
        serde_json::to_vec(&Self { wall_s: 0, ..self.clone() }).unwrap_or_default()
    }

    /// Whether one of them is zero, with which nothing could be asked.
    pub fn has_zero(&self) -> bool {
        let sizes = [self.rows, self.columns, self.cell_bytes, self.result_bytes];
        sizes.contains(&0) || self.steps == 0 || self.copy_mb == 0 || self.wall_s == 0
    }
}
