//! What is kept of the expressions that a search scores: the best with all its ties, or the best with and without
//! each op.

use std::collections::HashMap;

use super::flat::SAME_SCORE;
use super::ground::Ground;
use super::key::{self, Key};
use crate::expr::tree::Expr;

/// A scored expression that may be selected.
pub struct Scored<'s> {
    pub score: f64,
    pub leaves: usize,
    pub judges: usize,
    pub(super) known: &'s [u64],
    pub(super) one: &'s [u64],
    pub(super) key: Key,
}

/// Where scored expressions go.
pub trait Sink {
    /// Whether it matters which ops an expression is made of, beside how it behaves.
    const BY_OPS: bool;

    /// The lowest score that can still matter. It never falls.
    fn floor(&self) -> f64;

    fn take(&mut self, scored: Scored<'_>);
}

/// A behaviour that reaches the best score, with its cheapest expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tie {
    pub expr: Expr<usize>,
    pub leaves: usize,
    pub judges: usize,
}

/// The best score, and every behaviour that reaches it.
#[derive(Default)]
pub struct Best {
    best: Option<f64>,
    ties: HashMap<Box<[u64]>, (usize, usize, Key)>,
}

impl Best {
    pub fn score(&self) -> Option<f64> {
        self.best
    }

    /// The ties, fewest leaves first, then fewest judges, then in text order.
    pub fn ties(self, ground: &Ground) -> Vec<Tie> {
        let mut ties: Vec<(usize, usize, Key)> = self.ties.into_values().collect();
        ties.sort();
        let columns = ground.columns();
        let tie = |(leaves, judges, key): (usize, usize, Key)| Tie { expr: key::expr(&key, &columns), leaves, judges };
        ties.into_iter().map(tie).collect()
    }
}

impl Sink for Best {
    const BY_OPS: bool = false;

    fn floor(&self) -> f64 {
        self.best.map_or(f64::NEG_INFINITY, |best| best - SAME_SCORE)
    }

    fn take(&mut self, scored: Scored<'_>) {
        if scored.score < self.floor() {
            return;
        }
        if self.best.is_none_or(|best| scored.score > best + SAME_SCORE) {
            self.ties.clear();
        }
        self.best = Some(self.best.map_or(scored.score, |best| best.max(scored.score)));
        let tie = (scored.leaves, scored.judges, scored.key);
        let values = [scored.known, scored.one].concat().into_boxed_slice();
        self.ties.entry(values).and_modify(|old| *old = old.clone().min(tie.clone())).or_insert(tie);
    }
}

/// For each op the best score of an expression that has it as a leaf, and of one that has not.
pub struct Shares {
    /// In the order of op names.
    with: Vec<f64>,
    without: Vec<f64>,
    /// The lowest of all those.
    floor: f64,
}

impl Shares {
    pub fn new(ground: &Ground) -> Self {
        let none = vec![f64::NEG_INFINITY; ground.leaves.len()];
        Self { with: none.clone(), without: none, floor: f64::NEG_INFINITY }
    }

    /// (column, best with it, best without it) of every leaf of the search; `None` where nothing may be selected.
    pub fn of(&self, ground: &Ground) -> Vec<(usize, Option<f64>, Option<f64>)> {
        let some = |score: f64| (score > f64::NEG_INFINITY).then_some(score);
        let scores = self.with.iter().zip(&self.without);
        ground
            .columns()
            .into_iter()
            .zip(scores)
            .map(|(column, (&with, &out))| (column, some(with), some(out)))
            .collect()
    }
}

impl Sink for Shares {
    const BY_OPS: bool = true;

    fn floor(&self) -> f64 {
        self.floor
    }

    fn take(&mut self, scored: Scored<'_>) {
        let has = key::ranks(&scored.key);
        for rank in 0..self.with.len() {
            let side = if has.contains(&(rank as u16)) { &mut self.with } else { &mut self.without };
            side[rank] = side[rank].max(scored.score);
        }
        self.floor = self.with.iter().chain(&self.without).copied().fold(f64::INFINITY, f64::min);
    }
}
