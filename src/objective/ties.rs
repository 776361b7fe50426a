//! The whole set of expressions that share the best score: which one is taken, how many behaviours it holds, and the
//! grader that asks all of them.

use std::collections::BTreeSet;

use super::score::{Objective, Score};
use crate::expr::{Candidate, Expr, Found, Matrix, Outcome, Planes};

/// What an exhaustive search left over.
#[derive(Debug, Clone, PartialEq)]
pub struct TieSet {
    found: Found,
    ops: Vec<String>,
}

impl TieSet {
    pub(super) fn new(found: Found, ops: Vec<String>) -> Self {
        Self { found, ops }
    }

    /// How many expressions were looked at.
    pub fn scored(&self) -> u64 {
        self.found.scored
    }

    /// The best score; `None` if nothing may be selected.
    pub fn best(&self) -> Option<f64> {
        self.found.best
    }

    /// How many expressions reach it.
    pub fn size(&self) -> usize {
        self.found.ties.len()
    }

    pub fn candidates(&self) -> &[Candidate] {
        &self.found.ties
    }

    /// The tied expressions in canonical form, in order of enumeration.
    pub fn exprs(&self) -> impl Iterator<Item = Expr> + '_ {
        self.found.ties.iter().map(|tie| tie.expr(&self.ops))
    }

    /// How many different rows of values (drawback, clean, unknown) the ties have on all items of these matrices.
    pub fn behaviours(&self, matrices: &[&Matrix]) -> usize {
        let row = |tie: &Candidate| -> Vec<Planes> {
            let bound = tie.bound();
            matrices.iter().map(|matrix| matrix.values_of(&bound)).collect()
        };
        self.found.ties.iter().map(row).collect::<BTreeSet<_>>().len()
    }

    /// The tie that METHOD section 4 takes: most coverage, fewest leaves, fewest judges, first in text order.
    pub fn winner(&self, objective: &Objective<'_>) -> Option<(Expr, Score)> {
        let scored = self.exprs().filter_map(|expr| objective.score(Some(&expr)).ok().map(|score| (expr, score)));
        scored.min_by_key(|(expr, score)| {
            (std::cmp::Reverse(score.coverage), score.leaves, score.judges, expr.to_string())
        })
    }

    /// The majority of the tied expressions on every item: those that opine vote, an even split has no opinion, and a
    /// faulted vote that could turn the majority makes a fault.
    pub fn majority(&self, matrix: &Matrix) -> Vec<Outcome> {
        let mut votes = vec![[0usize; 4]; matrix.items()];
        for tie in &self.found.ties {
            let outcomes = matrix.outcomes_of(&tie.bound());
            votes.iter_mut().zip(outcomes).for_each(|(votes, outcome)| votes[outcome as usize] += 1);
        }
        votes
            .iter()
            .map(|&[fail, pass, _, fault]| carried(&fail, &pass, &fault, &(fail + fault), &(pass + fault)))
            .collect()
    }
}

/// The majority of votes, some of them withheld by faults; `fail_most` and `pass_most` count all of those in.
pub(super) fn carried<N: PartialOrd + Default>(fail: &N, pass: &N, fault: &N, fail_most: &N, pass_most: &N) -> Outcome {
    if fail > pass_most {
        Outcome::Fail
    } else if pass > fail_most {
        Outcome::Pass
    } else if *fault == N::default() {
        Outcome::Abstain
    } else {
        Outcome::Fault
    }
}
pub struct NextLabel {
    pub item: usize,
    pub fail: usize,
    pub pass: usize,
    pub silent: usize,
    pub left: usize,
}
impl TieSet {
    pub fn next_labels(&self, _m: &Matrix, _n: usize) -> Vec<NextLabel> {
        Vec::new()
    }
}
pub struct Bests {
    pub with: Option<f64>,
    pub without: Option<f64>,
}
impl Objective<'_> {
    pub fn bests(&self) -> Vec<Bests> {
        (0..self.evidence().dev.ops().len()).map(|_| Bests { with: None, without: None }).collect()
    }
}
