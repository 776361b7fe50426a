//! Bit planes: what every op says of every item, and what an expression makes of it.
//!
//! A matrix holds verdicts without their words. Labels, tasks and texts live elsewhere.

use std::collections::BTreeMap;
use std::fmt;

use super::bits::Bits;
use super::outcome::{Outcome, outcome};
use super::tree::Expr;
use super::word::{Word, evaluate};
use crate::verdict::Verdict;

/// A verdict without its words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum State {
    Drawback,
    Clean,
    Abstain,
    Fault,
}

impl From<&Verdict> for State {
    fn from(verdict: &Verdict) -> Self {
        match verdict {
            Verdict::Drawback(_) => State::Drawback,
            Verdict::Clean => State::Clean,
            Verdict::Abstain(_) => State::Abstain,
            Verdict::Fault(_) => State::Fault,
        }
    }
}

/// Three values over a row of items: unknown, 0 (clean) or 1 (drawback). `one` is a subset of `known`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Planes {
    pub known: Bits,
    pub one: Bits,
}

impl Planes {
    /// The value of "pass everything": 0 on every item.
    pub fn clean(items: usize) -> Self {
        Self { known: Bits::all(items), one: Bits::none(items) }
    }

    /// `None` where unknown, else whether it is 1.
    pub fn get(&self, item: usize) -> Option<bool> {
        self.known.get(item).then(|| self.one.get(item))
    }

    /// The items that are 0.
    pub fn zero(&self) -> Bits {
        self.known.and_not(&self.one)
    }
}

/// An expression names an op that the matrix does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownOp(pub String);

impl fmt::Display for UnknownOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no op `{}`", self.0)
    }
}

impl std::error::Error for UnknownOp {}

/// Ops by items.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Matrix {
    items: usize,
    names: Vec<String>,
    columns: Vec<Column>,
    by_name: BTreeMap<String, usize>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Column {
    planes: Planes,
    fault: Bits,
}

impl Matrix {
    /// The matrix of `ops` (distinct names) by `items`, asked for as `state(op, item)`.
    pub fn from_fn(ops: &[String], items: usize, state: impl Fn(usize, usize) -> State) -> Self {
        let column = |op| {
            let rows = |wanted: &[State]| Bits::from_fn(items, |item| wanted.contains(&state(op, item)));
            let planes = Planes { known: rows(&[State::Drawback, State::Clean]), one: rows(&[State::Drawback]) };
            Column { planes, fault: rows(&[State::Fault]) }
        };
        Self {
            items,
            names: ops.to_vec(),
            columns: (0..ops.len()).map(column).collect(),
            by_name: ops.iter().enumerate().map(|(at, op)| (op.clone(), at)).collect(),
        }
    }

    /// The matrix of verdicts that lie op by op: `verdicts[op][item]`.
    pub fn from_verdicts(ops: &[String], verdicts: &[Vec<Verdict>]) -> Self {
        let items = verdicts.first().map_or(0, Vec::len);
        Self::from_fn(ops, items, |op, item| State::from(&verdicts[op][item]))
    }

    /// Some of the items, in the order given.
    pub fn rows(&self, items: &[usize]) -> Self {
        Self::from_fn(&self.names, items.len(), |op, at| self.state(op, items[at]))
    }

    pub fn items(&self) -> usize {
        self.items
    }

    /// Op names in column order.
    pub fn ops(&self) -> &[String] {
        &self.names
    }

    /// The column of an op.
    pub fn column(&self, op: &str) -> Option<usize> {
        self.by_name.get(op).copied()
    }

    /// An op's values, with its faults unknown.
    pub fn planes(&self, op: usize) -> &Planes {
        &self.columns[op].planes
    }

    /// The items on which an op faulted.
    pub fn faults(&self, op: usize) -> &Bits {
        &self.columns[op].fault
    }

    pub fn state(&self, op: usize, item: usize) -> State {
        match self.columns[op].planes.get(item) {
            Some(true) => State::Drawback,
            Some(false) => State::Clean,
            None if self.columns[op].fault.get(item) => State::Fault,
            None => State::Abstain,
        }
    }

    /// The expression over column numbers.
    pub fn bind(&self, expr: &Expr) -> Result<Expr<usize>, UnknownOp> {
        expr.try_map(&mut |op: &String| self.column(op).ok_or_else(|| UnknownOp(op.clone())))
    }

    /// The values of an expression, as selection sees them: a faulted leaf is unknown.
    pub fn values(&self, expr: &Expr) -> Result<Planes, UnknownOp> {
        Ok(self.values_of(&self.bind(expr)?))
    }

    /// The same for an expression bound to this matrix.
    pub fn values_of(&self, expr: &Expr<usize>) -> Planes {
        let words = (0..self.items.div_ceil(64)).map(|at| {
            evaluate(expr, &|&op: &usize, _| {
                let planes = &self.columns[op].planes;
                Word { known: planes.known.words()[at], one: planes.one.words()[at] }
            })
        });
        let (known, one) = words.map(|word| (word.known, word.one)).unzip();
        Planes { known: Bits::from_words(self.items, known), one: Bits::from_words(self.items, one) }
    }

    /// The outcome of an expression on every item, as a report sees it: a fault that matters is a fault.
    pub fn outcomes(&self, expr: &Expr) -> Result<Vec<Outcome>, UnknownOp> {
        Ok(self.outcomes_of(&self.bind(expr)?))
    }

    /// The same for an expression bound to this matrix.
    pub fn outcomes_of(&self, expr: &Expr<usize>) -> Vec<Outcome> {
        let values = self.values_of(expr);
        let leaves = expr.leaves();
        let faulted = leaves.iter().fold(Bits::none(self.items), |sum, op| sum.or(self.faults(**op)));
        let of = |item| match faulted.get(item) {
            true => outcome(expr, |op| self.state(*op, item)),
            false => Outcome::of(values.get(item)),
        };
        (0..self.items).map(of).collect()
    }
}
