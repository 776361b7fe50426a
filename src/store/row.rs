//! The verdicts of many ops on one output, as one row of the cache.

use serde::{Deserialize, Serialize};

use crate::base::Id;
use crate::verdict::{FaultKind, Verdict};

/// As much of an op's key as tells ops apart within one row.
type Key = [u8; 16];

/// Verdicts by op key, sorted by key.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PackedRow(Vec<(Key, Verdict)>);

impl PackedRow {
    /// The verdict under an op key.
    pub fn get(&self, op: &Id) -> Option<&Verdict> {
        self.find(&key(op)).ok().map(|at| &self.0[at].1)
    }

    /// Adds a verdict, unless there is one under this key or it is an infrastructure fault: that says something of
    /// the machine and nothing of the output, so it is never kept.
    pub fn insert(&mut self, op: &Id, verdict: Verdict) {
        if matches!(&verdict, Verdict::Fault(fault) if fault.kind == FaultKind::Infrastructure) {
            return;
        }
        self.add(key(op), verdict);
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds what `other` has and this row lacks; says whether that was anything.
    pub(super) fn merge(&mut self, other: &PackedRow) -> bool {
        let before = self.len();
        other.0.iter().for_each(|(key, verdict)| self.add(*key, verdict.clone()));
        self.len() > before
    }

    fn add(&mut self, key: Key, verdict: Verdict) {
        if let Err(at) = self.find(&key) {
            self.0.insert(at, (key, verdict));
        }
    }

    fn find(&self, key: &Key) -> Result<usize, usize> {
        self.0.binary_search_by(|(have, _)| have.cmp(key))
    }
}

fn key(op: &Id) -> Key {
    let mut key = Key::default();
    key.copy_from_slice(&op.bytes()[..size_of::<Key>()]);
    key
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::Fault;

    fn op(name: &str) -> Id {
        Id::of("op", [name.as_bytes()])
    }

    #[test]
    fn the_first_verdict_under_a_key_stays() {
        let mut row = PackedRow::default();
        row.insert(&op("a"), Verdict::Clean);
        row.insert(&op("a"), Verdict::Abstain("late".into()));
        let mut other = PackedRow::default();
        other.insert(&op("a"), Verdict::Abstain("later".into()));
        assert!(!row.merge(&other));
        other.insert(&op("b"), Verdict::Clean);
        assert!(row.merge(&other));
        assert_eq!((row.get(&op("a")), row.get(&op("b"))), (Some(&Verdict::Clean), Some(&Verdict::Clean)));
        assert_eq!(row.get(&op("c")), None);
    }

    #[test]
    fn the_machines_faults_are_not_kept_and_the_ops_own_are() {
        let mut row = PackedRow::default();
        row.insert(&op("a"), Verdict::Fault(Fault::new(FaultKind::Infrastructure, "no sandbox")));
        assert!(row.is_empty());
        let fuel = Verdict::Fault(Fault::new(FaultKind::Fuel, "out of fuel"));
        row.insert(&op("a"), fuel.clone());
        assert_eq!(row.get(&op("a")), Some(&fuel));
    }
}
