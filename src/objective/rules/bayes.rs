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

/// The rates that strengths lead to expect, updated by the ten labels.
pub fn naive_bayes(ground: &Ground<'_>) -> Option<Expr> {
    weighted(ground, &updated(ground, &declared(ground), &[]))
}

/// The same from rates that agree with how often each op fires on train.
pub fn fitted_bayes(ground: &Ground<'_>) -> Option<Expr> {
    weighted(ground, &updated(ground, &fitted(ground), &[]))
}

/// The same with the train outputs counted too, each as far a fail as the last rates had it.
pub fn latent_classes(ground: &Ground<'_>) -> Option<Expr> {
    let expected = fitted(ground);
    let mut rates = updated(ground, &expected, &[]);
    for _ in 0..ground.selection.bayes.rounds {
        let suspicions = suspicions(ground, &rates);
        rates = updated(ground, &expected, &suspicions);
    }
    weighted(ground, &rates)
}

/// What each op's strength leads to expect, in column order.
fn declared(ground: &Ground<'_>) -> Vec<Rate> {
    ground.strengths.iter().map(|strength| ground.selection.rates.of(*strength)).collect()
}

/// Ours: a strength says how much more likely a firing is on a fail than on a pass, L = recall / false alarm; how often
/// the op fires at all is seen on train. From pi recall + (1 - pi) false alarm = f follow both rates, so that a rare
/// op's silence does not count as a word for a pass. An op is taken to fire on half an output more than it did, of one
/// more that it opined on.
fn fitted(ground: &Ground<'_>) -> Vec<Rate> {
    let (weights, pi) = (ground.weights(), ground.fail_share(ground.selection.bayes.fail_share));
    let rate = |(column, expected): (usize, Rate)| {
        let planes = ground.evidence.train.planes(column);
        let f = (weights.of(&planes.one) + 0.5) / (weights.of(&planes.known) + 1.0);
        let ratio = expected.recall / expected.false_alarm;
        let false_alarm = (f / (pi * ratio + 1.0 - pi)).min(MOST / ratio).min(MOST);
        Rate { recall: ratio * false_alarm, false_alarm }
    };
    declared(ground).into_iter().enumerate().map(rate).collect()
}

/// No rate is above this, whatever train shows.
const MOST: f64 = 0.95;

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

/// Expected rates, updated by the labels and by the train outputs, in column order. Without suspicions the train outputs
/// stay out.
fn updated(ground: &Ground<'_>, expected: &[Rate], suspicions: &[f64]) -> Vec<Rate> {
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
        let (expected, labels) = (expected[column], ground.selection.bayes.prior_labels);
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
