//! The whole set of expressions that share the best score: which one is taken, how many behaviours it holds, and the
//! grader that asks all of them.

use std::collections::BTreeMap;

use super::score::{Objective, Score};
use crate::expr::{Bits, Expr, Found, Matrix, Outcome, Planes};

/// What an exhaustive search left over.
#[derive(Debug, Clone, PartialEq)]
pub struct TieSet {
    scored: u64,
    best: Option<f64>,
    ties: Vec<Expr<usize>>,
    ops: Vec<String>,
}

/// Tied expressions that say the same of every item of some matrices.
#[derive(Debug, Clone, PartialEq)]
pub struct Behaviour {
    /// Of the fewest leaves, then first in text order.
    pub expr: Expr,
    /// How many members of the tie set behave so.
    pub ties: usize,
    /// What they say, a row for each matrix.
    pub values: Vec<Planes>,
}

impl TieSet {
    /// `ties` are expressions over column numbers.
    pub(super) fn new(scored: u64, best: Option<f64>, ties: Vec<Expr<usize>>, ops: Vec<String>) -> Self {
        Self { scored, best, ties, ops }
    }

    pub(super) fn from_flat(found: Found, ops: Vec<String>) -> Self {
        Self::new(found.scored, found.best, found.ties.iter().map(|tie| tie.bound()).collect(), ops)
    }

    /// How many expressions the search covered.
    pub fn scored(&self) -> u64 {
        self.scored
    }

    /// The best score; `None` if nothing may be selected.
    pub fn best(&self) -> Option<f64> {
        self.best
    }

    /// How many members the set has: from the flat search of three leaves every tied expression, from the search of a
    /// grammar one for each tied behaviour.
    pub fn size(&self) -> usize {
        self.ties.len()
    }

    /// The members in canonical form, in the order of the search.
    pub fn exprs(&self) -> impl Iterator<Item = Expr> + '_ {
        self.ties.iter().map(|tie| self.named(tie))
    }

    fn named(&self, tie: &Expr<usize>) -> Expr {
        let Ok(named) = tie.try_map(&mut |column| Ok::<_, std::convert::Infallible>(self.ops[*column].clone()));
        named.canonical()
    }

    /// How many different rows of values (drawback, clean, unknown) the ties have on all items of these matrices.
    pub fn behaviours(&self, matrices: &[&Matrix]) -> usize {
        self.by_values(matrices).len()
    }

    /// Those behaviours, most readable first: fewest leaves, then text order.
    pub fn each_behaviour(&self, matrices: &[&Matrix]) -> Vec<Behaviour> {
        let behaviour = |(values, ties): (Vec<Planes>, Vec<&Expr<usize>>)| {
            let named = ties.iter().map(|tie| self.named(tie));
            let expr = named.min_by_key(|expr| (expr.leaf_count(), expr.to_string()))?;
            Some(Behaviour { expr, ties: ties.len(), values })
        };
        let mut all: Vec<Behaviour> = self.by_values(matrices).into_iter().filter_map(behaviour).collect();
        all.sort_by_cached_key(|behaviour| (behaviour.expr.leaf_count(), behaviour.expr.to_string()));
        all
    }

    fn by_values(&self, matrices: &[&Matrix]) -> BTreeMap<Vec<Planes>, Vec<&Expr<usize>>> {
        let mut rows: BTreeMap<Vec<Planes>, Vec<&Expr<usize>>> = BTreeMap::new();
        for tie in &self.ties {
            let row = matrices.iter().map(|matrix| matrix.values_of(tie)).collect();
            rows.entry(row).or_default().push(tie);
        }
        rows
    }

    /// The items on which not all ties say the same; to have no opinion is to say something else.
    pub fn disagreements(&self, matrix: &Matrix) -> Bits {
        let mut rows = self.ties.iter().map(|tie| matrix.values_of(tie));
        let Some(first) = rows.next() else { return Bits::none(matrix.items()) };
        let differ = |a: &Bits, b: &Bits| a.and_not(b).or(&b.and_not(a));
        rows.fold(Bits::none(matrix.items()), |sum, row| {
            sum.or(&differ(&row.known, &first.known)).or(&differ(&row.one, &first.one))
        })
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
        for tie in &self.ties {
            let outcomes = matrix.outcomes_of(tie);
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
