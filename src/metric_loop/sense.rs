//! Step 1: where the incumbent is wrong, and where the pool has nothing to say (METHOD section 5.1).

use crate::expr::{Expr, Outcome};
use crate::metric_loop::sight::Sight;
use crate::objective::{Objective, discord};

/// What calls for an op, as items of dev and of train.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sensed {
    /// Dev items labelled fail that the incumbent passes.
    pub misses: Vec<usize>,
    /// Train items on which no active op opines.
    pub silent: Vec<usize>,
    /// Train items on which the votes of the active ops are split.
    pub split: Vec<usize>,
}

/// Looks for misses and gaps. An output that the root fails is neither.
pub fn sense(sight: &Sight, objective: &Objective, incumbent: Option<&Expr>, minority: f64) -> Sensed {
    let gaps = discord(&sight.train.matrix, &sight.train_root, objective.voters(), minority);
    Sensed {
        misses: misses(sight, incumbent),
        silent: gaps.silent.ones().collect(),
        split: gaps.split.ones().collect(),
    }
}

/// Dev items labelled fail that a metric passes; a fault is no pass.
pub fn misses(sight: &Sight, metric: Option<&Expr>) -> Vec<usize> {
    let outcomes = sight.dev.outcomes(metric);
    let passes = |item: &usize| matches!(outcomes[*item], Outcome::Pass | Outcome::Abstain);
    sight.split.dev_fails.ones().filter(passes).collect()
}
