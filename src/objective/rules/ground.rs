//! What a selection rule may look at: verdicts, ten labels, and what the pack's author declared.
//!
//! No rule sees more than this, and none of it is a sealed label.

use super::constants::Selection;
use crate::expr::{Bits, Expr, Planes, UnknownOp};
use crate::objective::config::Config;
use crate::objective::score::{Evidence, Member, Objective};
use crate::verdict::Strength;

/// One split as a rule sees it. Rows of ops lie in column order.
#[derive(Debug, Clone, Copy)]
pub struct Ground<'e> {
    pub evidence: Evidence<'e>,
    /// The task of each train output, as any number that outputs of one task share.
    pub tasks: &'e [usize],
    pub pool: &'e [Member],
    pub strengths: &'e [Strength],
    /// The expression that the author vouches for.
    pub default: Option<&'e Expr>,
    /// The plainest grader that the author knows.
    pub baseline: Option<&'e Expr>,
    /// The share of failing outputs that screening found, where there was a screening.
    pub fail_share: Option<f64>,
    pub objective: Config,
    pub selection: Selection,
}

/// The items above the root that an expression calls a drawback. An abstention or a fault is no firing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fired {
    pub dev: Bits,
    pub train: Bits,
}

/// Ours: what each train output counts where tasks weigh one. The outputs of a task share its weight equally; outputs
/// that fail the root weigh nothing, since every metric fails them; the sum is the number of outputs that weigh
/// something, so that a weight reads as a number of outputs.
#[derive(Debug, Clone, PartialEq)]
pub struct Weights(Vec<f64>);

impl<'e> Ground<'e> {
    /// S with another configuration, for an incumbent.
    pub fn objective(&self, config: Config, incumbent: Option<&Expr>) -> Result<Objective<'e>, UnknownOp> {
        Objective::new(config, self.evidence, self.pool, incumbent)
    }

    /// The columns of the active ops.
    pub fn active(&self) -> Vec<usize> {
        (0..self.pool.len()).filter(|column| self.pool[*column].active).collect()
    }

    /// The op of a column as an expression.
    pub fn op(&self, column: usize) -> Expr {
        Expr::op(self.evidence.dev.ops()[column].as_str())
    }

    /// Where an expression fires.
    pub fn fired(&self, expr: &Expr) -> Result<Fired, UnknownOp> {
        let Evidence { dev, train, dev_root, train_root, .. } = self.evidence;
        Ok(Fired { dev: dev.values(expr)?.one.and_not(dev_root), train: train.values(expr)?.one.and_not(train_root) })
    }

    /// What an expression says of every item: two expressions of one behaviour cannot be told apart here.
    pub fn behaviour(&self, expr: &Expr) -> Result<(Planes, Planes), UnknownOp> {
        Ok((self.evidence.dev.values(expr)?, self.evidence.train.values(expr)?))
    }

    /// The dev items that each class has above the root: fails, then passes.
    pub fn classes(&self) -> (Bits, Bits) {
        let Evidence { dev, dev_fails, dev_root, .. } = self.evidence;
        (dev_fails.and_not(dev_root), Bits::all(dev.items()).and_not(dev_fails).and_not(dev_root))
    }

    /// The dev items on which an expression is right, under the root; an abstaining one passes.
    pub fn right(&self, expr: &Expr) -> Result<usize, UnknownOp> {
        let (fails, passes) = self.classes();
        let fired = self.fired(expr)?.dev;
        let below = self.evidence.dev_root.and(self.evidence.dev_fails).count();
        Ok(below + fired.and(&fails).count() + passes.and_not(&fired).count())
    }

    /// pi: the screened share of failing outputs, held below `most`.
    pub fn fail_share(&self, most: f64) -> f64 {
        self.fail_share.map_or(most, |screened| screened.min(most))
    }

    /// # Panics
    /// If a train output has no task.
    pub fn weights(&self) -> Weights {
        let above = Bits::all(self.evidence.train.items()).and_not(self.evidence.train_root);
        assert_eq!(self.tasks.len(), above.len(), "every train output has a task");
        let mut outputs = std::collections::BTreeMap::new();
        above.ones().for_each(|item| *outputs.entry(self.tasks[item]).or_insert(0usize) += 1);
        let of_task = above.count() as f64 / outputs.len().max(1) as f64;
        let weight = |item: usize| if above.get(item) { of_task / outputs[&self.tasks[item]] as f64 } else { 0.0 };
        Weights((0..above.len()).map(weight).collect())
    }
}

impl Weights {
    pub fn of(&self, items: &Bits) -> f64 {
        items.ones().map(|item| self.0[item]).sum()
    }

    pub fn total(&self) -> f64 {
        self.0.iter().sum()
    }

    pub fn get(&self, item: usize) -> f64 {
        self.0[item]
    }
}
