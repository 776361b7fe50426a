//! The searches over the active ops that S decides: the best with its ties, and what each op adds (METHOD sections 4,
//! 5.3, 5.4 and 10).
//!
//! Consensus and margins stay those of the objective throughout: leaving an op out of an expression does not silence its
//! vote.

use super::score::Objective;
use super::ties::TieSet;
use crate::expr::{Best, Effort, Expr, Far, Grammar, Ground, Lanes, Leaf, Shares, Tally, UnknownOp, explore, search};

/// The best S among the selectable expressions that have an op as a leaf, and among those that have not.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fitness {
    pub with: Option<f64>,
    pub without: Option<f64>,
}

impl Fitness {
    /// METHOD section 5.4, "outside": the best S with the op minus the best S without it. `None` where one of the two
    /// has nothing selectable.
    pub fn gain(self) -> Option<f64> {
        Some(self.with? - self.without?)
    }
}

impl Objective<'_> {
    /// Scores every flat expression of up to three leaves over the active ops; every tied expression is in the set.
    pub fn search(&self) -> TieSet {
        let columns: Vec<usize> = self.leaves().iter().map(|leaf| leaf.column).collect();
        let evidence = self.evidence();
        let found = search(&Lanes::of(&[evidence.dev, evidence.train], &columns), self);
        TieSet::from_flat(found, evidence.dev.ops().to_vec())
    }

    /// The best of a grammar over the active ops. The set holds one expression for each behaviour on dev and train that
    /// reaches the best S: that of the fewest leaves, then of the fewest judges, then first in text order among those made
    /// of such expressions.
    pub fn search_in(&self, grammar: Grammar) -> TieSet {
        self.search_counting(grammar, Effort::default()).0
    }

    /// The same, with a say in how it is done, and what it cost.
    pub fn search_counting(&self, grammar: Grammar, effort: Effort) -> (TieSet, Tally) {
        let (ground, mut best) = (self.ground(), Best::default());
        let tally = explore(&ground, self, grammar, effort, &mut best);
        let scored = u64::try_from(grammar.count(self.leaves().len())).unwrap_or(u64::MAX);
        let score = best.score();
        let ties = best.ties(&ground).into_iter().map(|tie| tie.expr).collect();
        (TieSet::new(scored, score, ties, self.evidence().dev.ops().to_vec()), tally)
    }

    /// METHOD section 5.4, for an op in the incumbent: S(e) - S(e without it), where an emptied expression passes
    /// everything. Zero for an op that is no leaf of it.
    pub fn fitness_inside(&self, incumbent: &Expr, op: &str) -> Result<f64, UnknownOp> {
        Ok(self.score(Some(incumbent))?.s - self.score(incumbent.without(op).as_ref())?.s)
    }

    /// METHOD section 5.4, for every op in column order, from one search: the best S of the grammar with it and without it.
    /// A shadow is in no expression, so all of them are without it.
    pub fn fitness_outside(&self, grammar: Grammar) -> Vec<Fitness> {
        let ground = self.ground();
        let mut shares = Shares::new(&ground);
        explore(&ground, self, grammar, Effort::default(), &mut shares);
        let active = shares.of(&ground);
        let best = active.iter().flat_map(|(_, with, without)| [*with, *without]).flatten().max_by(f64::total_cmp);
        let mut fitness = vec![Fitness { with: None, without: best }; self.pool().len()];
        active.into_iter().for_each(|(column, with, without)| fitness[column] = Fitness { with, without });
        fitness
    }

    fn leaves(&self) -> Vec<Leaf> {
        let active = self.pool().iter().enumerate().filter(|(_, member)| member.active);
        active.map(|(column, member)| Leaf { column, judge: member.judge }).collect()
    }

    fn ground(&self) -> Ground {
        let (evidence, consensus) = (self.evidence(), self.consensus());
        let far = Far {
            matrix: evidence.train,
            ones: &consensus.drawback,
            zeros: &consensus.clean,
            out: evidence.train_root,
        };
        Ground::new(evidence.dev, far, &self.leaves())
    }
}
