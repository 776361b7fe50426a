//! Where a metric stands beside its baselines, on sealed labels.
//!
//! The only reader of opened labels. It is given outcomes that were fixed before, and gives figures back; nothing
//! that it returns is an input of a loop.

use serde::Serialize;

use super::locked::Sealed;
use crate::agreement::{Agreement, Item, worths};
use crate::base::{Error, Kind, Result};
use crate::expr::{Bits, Expr, Matrix, Outcome, State};
use crate::objective::hindsight;

/// A grader that is to be measured: what it says of each test output, in the order of `Dataset::test_outputs`. One
/// with several ties is measured as their mean.
pub struct Contestant {
    pub name: &'static str,
    pub ties: Vec<Vec<Outcome>>,
}

/// The best of three leaves that the sealed labels themselves would choose: an upper bound, never a metric.
pub struct Hindsight<'a> {
    pub matrix: &'a Matrix,
    pub root: &'a [State],
}

/// Agreement of every contestant with the sealed labels.
#[derive(Debug, Clone, Serialize)]
pub struct Standing {
    /// Which opening of the seal this was, counted from 1.
    pub opening: usize,
    pub rows: Vec<(&'static str, Agreement)>,
    /// The expression behind the row `HINDSIGHT`.
    pub hindsight: Option<String>,
}

/// The name of the row that the sealed labels chose for themselves.
pub const HINDSIGHT: &str = "hindsight best of three leaves";

impl Standing {
    /// Opens the seal, once, and measures. `run` names the run that asks: what it opened before for the same reason is
    /// not opened again.
    ///
    /// # Errors
    /// The labels are missing or altered, or have only one class.
    pub fn measure(
        sealed: &Sealed,
        why: &str,
        run: &str,
        contestants: Vec<Contestant>,
        hindsight: Option<&Hindsight>,
        seed: u64,
    ) -> Result<Self> {
        let labels = sealed.open(why, run)?;
        let outputs = sealed.dataset().corpus().outputs();
        let items = |outcomes: &[Outcome]| -> Vec<Item> {
            let pairs = labels.items.iter().zip(outcomes);
            pairs
                .map(|((output, pass), outcome)| Item { task: outputs[*output].task, fails: !pass, outcome: *outcome })
                .collect()
        };
        let mut rows = Vec::new();
        for contestant in contestants {
            let figures: Result<Vec<Agreement>> =
                contestant.ties.iter().map(|outcomes| Agreement::measure(&items(outcomes), seed)).collect();
            rows.push((contestant.name, mean(&figures?)?));
        }
        let best = hindsight.and_then(|over| best_of_three(over, &items(&vec![Outcome::Pass; labels.items.len()])));
        if let Some((_, outcomes)) = &best {
            rows.push((HINDSIGHT, Agreement::measure(&items(outcomes), seed)?));
        }
        Ok(Self { opening: labels.opening, rows, hindsight: best.map(|(expr, _)| expr.to_string()) })
    }

    /// The agreement of the contestant of this name.
    pub fn of(&self, name: &str) -> Option<&Agreement> {
        self.rows.iter().find(|(row, _)| *row == name).map(|(_, agreement)| agreement)
    }
}

fn best_of_three(hindsight_over: &Hindsight, items: &[Item]) -> Option<(Expr, Vec<Outcome>)> {
    let Hindsight { matrix, root } = hindsight_over;
    let below_root = Bits::from_fn(root.len(), |item| matches!(root[item], State::Drawback | State::Fault));
    let columns: Vec<usize> = (0..matrix.ops().len()).collect();
    let fails = Bits::from_fn(items.len(), |item| items[item].fails);
    let expr = hindsight(matrix, &below_root, &fails, &worths(items), &columns).exprs().next()?;
    let outcomes = matrix.outcomes(&expr).ok()?.into_iter().zip(*root).map(|(outcome, root)| outcome.under_root(*root));
    let outcomes = outcomes.collect();
    Some((expr, outcomes))
}

/// The mean figures of graders that tie.
fn mean(figures: &[Agreement]) -> Result<Agreement> {
    let Some(first) = figures.first() else {
        return Err(Error::new(Kind::CannotTell, "a baseline has nothing to be measured"));
    };
    let over = |of: fn(&Agreement) -> f64| figures.iter().map(of).sum::<f64>() / figures.len() as f64;
    Ok(Agreement {
        accuracy: over(|figure| figure.accuracy),
        balanced: over(|figure| figure.balanced),
        low: over(|figure| figure.low),
        high: over(|figure| figure.high),
        recall_fail: over(|figure| figure.recall_fail),
        recall_pass: over(|figure| figure.recall_pass),
        ..*first
    })
}
