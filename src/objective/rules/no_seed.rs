//! F (METHOD section 12): the choice where an author declared strengths, and neither a default nor a sound seed.
//!
//! Every train output gets a suspicion, the probability that it fails as its ops' strengths have it. An expression is
//! worth the mean of two recalls, each over the dev items of its class and a few more that train stands for, less what
//! its leaves cost. Smells count for suspicion and cannot be leaves.

use super::ground::{Fired, Ground, Weights};
use crate::expr::{Expr, Lanes, Scorer, State, UnknownOp, search};
use crate::objective::ties::TieSet;
use crate::verdict::Strength;

/// What F found.
#[derive(Debug, Clone, PartialEq)]
pub struct Picked {
    /// Of the ties the one with the fewest leaves, first in text order.
    pub expr: Expr,
    pub value: f64,
    pub ties: TieSet,
}

/// F over one split: what flagging each item adds.
pub struct Worth {
    leaf_cost: f64,
    /// The worth of flagging nothing that the root lets through.
    base: f64,
    dev: Vec<f64>,
    train: Vec<f64>,
}

/// The best `any`, `all` or `vote` of up to three active ops that are no smells; `None` where there is no such op.
pub fn no_seed(ground: &Ground<'_>) -> Option<Picked> {
    let firm = |column: &usize| ground.strengths[*column] != Strength::Smell;
    let columns: Vec<usize> = ground.active().into_iter().filter(firm).collect();
    let lanes = Lanes::of(&[ground.evidence.dev, ground.evidence.train], &columns);
    let ties = TieSet::from_flat(search(&lanes, &Worth::new(ground).by_words()), ground.evidence.dev.ops().to_vec());
    let value = ties.best()?;
    let expr = ties.exprs().min_by_key(|expr| (expr.leaf_count(), expr.to_string()))?;
    Some(Picked { expr, value, ties })
}

/// Pr(fail) of every train output. Log-likelihood ratios of the opining ops are summed by strength, and each sum is
/// divided by the square root of how many opined, as ops of one strength are correlated.
pub fn suspicions(ground: &Ground<'_>) -> Vec<f64> {
    let prior = logit(ground.selection.no_seed.fail_share);
    let suspicion = |item: usize| {
        let sum: f64 = Strength::ALL.iter().map(|(_, strength)| of_strength(ground, item, *strength)).sum();
        1.0 / (1.0 + (-(prior + sum)).exp())
    };
    (0..ground.evidence.train.items()).map(suspicion).collect()
}

fn of_strength(ground: &Ground<'_>, item: usize, strength: Strength) -> f64 {
    let rate = ground.selection.rates.of(strength);
    let (mut sum, mut opining) = (0.0, 0);
    for column in ground.active().into_iter().filter(|column| ground.strengths[*column] == strength) {
        let ratio = match ground.evidence.train.state(column, item) {
            State::Drawback => rate.recall / rate.false_alarm,
            State::Clean => (1.0 - rate.recall) / (1.0 - rate.false_alarm),
            State::Abstain | State::Fault => continue,
        };
        (sum, opining) = (sum + ratio.ln(), opining + 1);
    }
    if opining == 0 { 0.0 } else { sum / f64::from(opining).sqrt() }
}

pub(super) fn logit(share: f64) -> f64 {
    (share / (1.0 - share)).ln()
}

impl Worth {
    pub fn new(ground: &Ground<'_>) -> Self {
        let config = ground.selection.no_seed;
        let (weights, suspicions) = (ground.weights(), suspicions(ground));
        let (fails, passes) = ground.classes();
        let labelled_fails = ground.evidence.dev_fails.count();
        let labelled_passes = ground.evidence.dev.items() - labelled_fails;
        let below_fails = labelled_fails - fails.count();
        // What one right dev item, and a full train recall, add to the mean of the two classes.
        let per_fail = share(0.5, labelled_fails as f64 + config.train_items);
        let per_pass = share(0.5, labelled_passes as f64 + config.train_items);
        let (suspected, trusted) = masses(&weights, &suspicions);
        let dev = |item: usize| match (fails.get(item), passes.get(item)) {
            (true, _) => per_fail,
            (_, true) => -per_pass,
            _ => 0.0,
        };
        let train = |item: usize| {
            let (weight, p) = (weights.get(item), suspicions[item]);
            config.train_items
                * (per_fail * share(weight * p, suspected) - per_pass * share(weight * (1.0 - p), trusted))
        };
        let train_passes = if trusted > 0.0 { config.train_items } else { 0.0 };
        Self {
            leaf_cost: config.leaf_cost,
            base: per_fail * below_fails as f64 + per_pass * (passes.count() as f64 + train_passes),
            dev: (0..ground.evidence.dev.items()).map(dev).collect(),
            train: (0..ground.evidence.train.items()).map(train).collect(),
        }
    }

    /// F of an expression with this many leaves that fires there.
    pub fn of(&self, fired: &Fired, leaves: usize) -> f64 {
        let gains = fired.dev.ones().map(|item| self.dev[item]);
        let sum: f64 = gains.chain(fired.train.ones().map(|item| self.train[item])).sum();
        self.base + sum - self.leaf_cost * leaves as f64
    }

    /// F of any expression.
    pub fn value(&self, ground: &Ground<'_>, expr: &Expr) -> Result<f64, UnknownOp> {
        Ok(self.of(&ground.fired(expr)?, expr.leaf_count()))
    }

    /// The gains in the words of a search over dev and train.
    fn by_words(&self) -> ByWords {
        let whole = |row: &[f64]| {
            let mut row = row.to_vec();
            row.resize(row.len().div_ceil(64) * 64, 0.0);
            row
        };
        ByWords { leaf_cost: self.leaf_cost, base: self.base, gains: [whole(&self.dev), whole(&self.train)].concat() }
    }
}

/// The weights of the fails and of the passes that suspicion sees on train.
fn masses(weights: &Weights, suspicions: &[f64]) -> (f64, f64) {
    let sum = |of: fn(f64) -> f64| suspicions.iter().enumerate().map(|(item, p)| weights.get(item) * of(*p)).sum();
    (sum(|p| p), sum(|p| 1.0 - p))
}

fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

struct ByWords {
    leaf_cost: f64,
    base: f64,
    gains: Vec<f64>,
}

impl Scorer for ByWords {
    type Opened = f64;

    fn open(&self, leaves: &[usize], _: &impl Fn(usize) -> u64) -> Option<f64> {
        Some(self.base - self.leaf_cost * leaves.len() as f64)
    }

    fn score(&self, opened: &f64, _: &impl Fn(usize) -> u64, one: &impl Fn(usize) -> u64, _: f64) -> Option<f64> {
        let mut sum = 0.0;
        for (at, gains) in self.gains.chunks_exact(64).enumerate() {
            let mut left = one(at);
            while left != 0 {
                sum += gains[left.trailing_zeros() as usize];
                left &= left - 1;
            }
        }
        Some(opened + sum)
    }
}
