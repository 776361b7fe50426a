//! The graders that a chosen metric must beat: the best single op, the majority of the pool, and hindsight.
//!
//! `hindsight` reads the labels it is judged by, so it is a yardstick for an audit and never a metric.

use num_rational::Ratio;

use super::consensus::{Voter, tallies};
use super::ties::{TieSet, carried};
use crate::expr::{Bits, Lanes, Matrix, Outcome, Scorer, search};

/// The majority of the opining voters on every item; an even split has no opinion, and faulted votes that could turn
/// the majority make a fault.
pub fn pool_majority(matrix: &Matrix, voters: &[Voter]) -> Vec<Outcome> {
    let outcome = |tally: super::consensus::Tally| {
        let (fail_most, pass_most) = (&tally.drawback + &tally.fault, &tally.clean + &tally.fault);
        carried(&tally.drawback, &tally.clean, &tally.fault, &fail_most, &pass_most)
    };
    tallies(matrix, voters).into_iter().map(outcome).collect()
}

/// The columns that do best on dev as a metric of one op, all ties: the mean of the two class recalls, where an
/// abstaining op passes as it does in every report of agreement, a fault is wrong, and the root goes first.
pub fn best_singles(dev: &Matrix, dev_fails: &Bits, dev_root: &Bits, columns: &[usize]) -> Vec<usize> {
    let share = |right: usize, of: usize| if of == 0 { Ratio::from(0) } else { Ratio::new(right, of) };
    let passes = Bits::all(dev.items()).and_not(dev_fails);
    let agreement = |column: usize| {
        let flagged = dev.planes(column).one.or(dev_root);
        let faulted = dev.faults(column).and_not(dev_root);
        let right_fail = flagged.and(dev_fails).count();
        let right_pass = passes.and_not(&flagged).and_not(&faulted).count();
        share(right_fail, dev_fails.count()) + share(right_pass, passes.count())
    };
    let best = columns.iter().map(|column| agreement(*column)).max();
    columns.iter().copied().filter(|column| Some(agreement(*column)) == best).collect()
}

/// The expressions of up to three leaves with the greatest worth on labelled items: `worths` says what getting each
/// item right adds, as in balanced agreement. A faulted leaf is unknown, and an abstaining expression passes.
pub fn hindsight(matrix: &Matrix, root: &Bits, fails: &Bits, worths: &[f64], columns: &[usize]) -> TieSet {
    let scorer = ByWorth::new(root, fails, worths);
    TieSet::from_flat(search(&Lanes::of(&[matrix], columns), &scorer), matrix.ops().to_vec())
}

/// Flagging gains an item's worth where it fails and loses it where it passes.
struct ByWorth {
    /// Items of one worth and one class: what flagging one gains, and which they are.
    groups: Vec<(f64, Bits)>,
    /// The worth of passing everything that the root passes.
    base: f64,
}

impl ByWorth {
    fn new(root: &Bits, fails: &Bits, worths: &[f64]) -> Self {
        let gain = |item: usize| if fails.get(item) { worths[item] } else { -worths[item] };
        let mut gains: Vec<f64> = (0..worths.len()).map(gain).collect();
        gains.sort_by(f64::total_cmp);
        gains.dedup();
        let group = |wanted| (wanted, Bits::from_fn(worths.len(), |item| !root.get(item) && gain(item) == wanted));
        let right = (0..worths.len()).filter(|item| fails.get(*item) == root.get(*item));
        Self { base: right.map(|item| worths[item]).sum(), groups: gains.into_iter().map(group).collect() }
    }
}

impl Scorer for ByWorth {
    type Opened = ();

    fn open(&self, _: &[usize], _: &impl Fn(usize) -> u64) -> Option<()> {
        Some(())
    }

    fn score(&self, _: &(), _: &impl Fn(usize) -> u64, one: &impl Fn(usize) -> u64, _: f64) -> Option<f64> {
        let flagged = |mask: &Bits| -> u32 {
            mask.words().iter().enumerate().map(|(at, mask)| (one(at) & mask).count_ones()).sum()
        };
        Some(self.base + self.groups.iter().map(|(gain, mask)| gain * f64::from(flagged(mask))).sum::<f64>())
    }
}
