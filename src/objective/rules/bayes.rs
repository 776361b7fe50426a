//! Naive Bayes over the ops, with what their strengths lead to expect as the prior, written as one `weighted`
//! expression; and the same with the unlabelled outputs taken in (Dawid and Skene, anchored on dev).
//!
//! Every op has a recall and a false alarm rate, each with a Beta prior by declared strength. An op that fires speaks
//! for a fail with ln(recall / false alarm), one that is clean with ln((1 - recall) / (1 - false alarm)), one that
//! abstains not at all. Both classes weigh the same, as in balanced agreement: an output fails if the sum is above zero.

use super::constants::Rate;
use super::ground::Ground;
use super::no_seed::logit;
use crate::expr::{Bits, Decimal, Expr, Planes, State};

/// The rates from the ten labels.
pub fn naive_bayes(ground: &Ground<'_>) -> Option<Expr> {
    weighted(ground, &from_labels(ground))
}

/// The rates from the ten labels and from all train outputs, each counted as far a fail as the last rates had it.
pub fn latent_classes(ground: &Ground<'_>) -> Option<Expr> {
    let mut rates = from_labels(ground);
    for _ in 0..ground.selection.bayes.rounds {
        let suspicions = suspicions(ground, &rates);
        rates = from_all(ground, &suspicions);
    }
    weighted(ground, &rates)
}

/// How often an op fired, of how often it opined, on one class.
#[derive(Clone, Copy)]
struct Count {
    fired: f64,
    opined: f64,
}

impl Count {
    fn on(planes: &Planes, items: &Bits) -> Self {
        Self { fired: planes.one.and(items).count() as f64, opined: planes.known.and(items).count() as f64 }
    }

    /// The mean of the posterior.
    fn rate(self, expected: f64, prior_labels: f64) -> f64 {
        (prior_labels * expected + self.fired) / (prior_labels + self.opined)
    }
}

fn from_labels(ground: &Ground<'_>) -> Vec<Rate> {
    from_all(ground, &[])
}

/// Rates in column order. Without suspicions the train outputs stay out.
fn from_all(ground: &Ground<'_>, suspicions: &[f64]) -> Vec<Rate> {
    let ((fails, passes), weights) = (ground.classes(), ground.weights());
    let rate = |column: usize| {
        let planes = ground.evidence.dev.planes(column);
        let (mut fail, mut pass) = (Count::on(planes, &fails), Count::on(planes, &passes));
        for (item, p) in suspicions.iter().enumerate() {
            let fired = match ground.evidence.train.state(column, item) {
                State::Drawback => 1.0,
                State::Clean => 0.0,
                State::Abstain | State::Fault => continue,
            };
            for (count, share) in [(&mut fail, *p), (&mut pass, 1.0 - p)] {
                let weight = weights.get(item) * share;
                *count = Count { fired: count.fired + weight * fired, opined: count.opined + weight };
            }
        }
        let (expected, labels) =
            (ground.selection.rates.of(ground.strengths[column]), ground.selection.bayes.prior_labels);
        Rate { recall: fail.rate(expected.recall, labels), false_alarm: pass.rate(expected.false_alarm, labels) }
    };
    (0..ground.pool.len()).map(rate).collect()
}

/// Pr(fail) of every train output.
fn suspicions(ground: &Ground<'_>, rates: &[Rate]) -> Vec<f64> {
    let prior = logit(ground.fail_share(ground.selection.bayes.fail_share));
    let active = ground.active();
    let suspicion = |item: usize| {
        let word = |column: &usize| match ground.evidence.train.state(*column, item) {
            State::Drawback => rates[*column].firing(),
            State::Clean => rates[*column].clean(),
            State::Abstain | State::Fault => 0.0,
        };
        1.0 / (1.0 + (-(prior + active.iter().map(word).sum::<f64>())).exp())
    };
    (0..ground.evidence.train.items()).map(suspicion).collect()
}

impl Rate {
    fn firing(self) -> f64 {
        (self.recall / self.false_alarm).ln()
    }

    fn clean(self) -> f64 {
        ((1.0 - self.recall) / (1.0 - self.false_alarm)).ln()
    }
}

/// The classifier as an expression. A firing op moves the sum from its clean term to its firing term, so that the
/// difference is its weight, and the threshold makes up for the clean terms of all.
///
/// Approximate in two ways. Weights have two decimals. `weighted` cannot tell an op that abstains from a clean one, so
/// the threshold counts a clean term by the share of the train outputs without a firing on which the op is clean.
/// An op that is no more likely to fire on a fail than on a pass has no weight and is left out.
fn weighted(ground: &Ground<'_>, rates: &[Rate]) -> Option<Expr> {
    let weights = ground.weights();
    let mut leaves: Vec<(Decimal, Expr)> = Vec::new();
    let mut threshold = 0.0;
    for column in ground.active() {
        let rate = rates[column];
        let Some(weight) = decimal(rate.firing() - rate.clean()) else { continue };
        let planes = ground.evidence.train.planes(column);
        let (clean, fired) = (weights.of(&planes.zero()), weights.of(&planes.one));
        let silent = weights.total() - fired;
        threshold -= if silent > 0.0 { clean / silent * rate.clean() } else { 0.0 };
        leaves.push((weight, ground.op(column)));
    }
    leaves.sort_by_cached_key(|(weight, op)| (std::cmp::Reverse(*weight), op.to_string()));
    let threshold = decimal(threshold).or_else(|| decimal(0.01))?;
    (!leaves.is_empty()).then_some(Expr::Weighted(threshold, leaves))
}

/// A number rounded to two decimals, where that is above zero.
fn decimal(number: f64) -> Option<Decimal> {
    format!("{number:.2}").parse().ok().filter(|decimal: &Decimal| !decimal.is_zero())
}
