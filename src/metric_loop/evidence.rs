//! Verdicts of a corpus, op by op, and the parts of them that a step may read, as matrices.
//!
//! Ops come and go while a metric evolves; what was judged once is kept by the op's script.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::base::{Id, Result};
use crate::dataset::Corpus;
use crate::expr::{Bits, Expr, Matrix, Outcome, State};
use crate::grade::{Grader, Group};
use crate::script::Module;
use crate::verdict::Verdict;

/// What the root and each op say of the outputs judged so far, by position in the corpus.
pub struct Verdicts {
    root: Column,
    columns: BTreeMap<Id, Column>,
}

type Column = Vec<Option<Verdict>>;

/// Some outputs, in a fixed order: what the root and the ops say of them.
pub struct Judged {
    pub matrix: Matrix,
    pub root: Vec<State>,
}

impl Verdicts {
    pub fn new(corpus: &Corpus) -> Self {
        Self { root: vec![None; corpus.outputs().len()], columns: BTreeMap::new() }
    }

    /// Judges every output of some tasks by some ops, where that was not done.
    pub fn judge(&mut self, grader: &Grader, corpus: &Corpus, tasks: &[usize], ops: &[Arc<Module>]) -> Result<()> {
        let open = |column: Option<&Column>, task: usize| {
            let missing = |column: &Column| corpus.outputs_of(task).iter().any(|output| column[*output].is_none());
            column.is_none_or(missing)
        };
        let ops: Vec<Arc<Module>> = ops
            .iter()
            .filter(|op| tasks.iter().any(|task| open(self.columns.get(&op.id()), *task)))
            .map(Arc::clone)
            .collect();
        let is_open = |task: &usize| {
            open(Some(&self.root), *task) || ops.iter().any(|op| open(self.columns.get(&op.id()), *task))
        };
        let tasks: Vec<usize> = tasks.iter().copied().filter(is_open).collect();
        if tasks.is_empty() {
            return Ok(());
        }
        let groups: Vec<Group> = tasks.iter().map(|task| Group::of(corpus, *task)).collect();
        let rows = grader.matrix(&groups, &ops)?;
        for (task, rows) in tasks.iter().zip(rows) {
            for (output, row) in corpus.outputs_of(*task).iter().zip(rows) {
                let Some(row) = row else { continue };
                self.root[*output] = Some(row.root);
                for (op, verdict) in ops.iter().zip(row.leaves) {
                    self.column(op)[*output] = Some(verdict);
                }
            }
        }
        Ok(())
    }

    /// Forgets what other ops said.
    pub fn keep(&mut self, ops: &[Arc<Module>]) {
        self.columns.retain(|id, _| ops.iter().any(|op| op.id() == *id));
    }

    /// Verdicts of these ops on some outputs that are faults, the root's included.
    pub fn faults(&self, ops: &[Arc<Module>], outputs: &[usize]) -> usize {
        let columns = ops.iter().filter_map(|op| self.columns.get(&op.id())).chain([&self.root]);
        let is_fault = |verdict: &Option<Verdict>| verdict.as_ref().is_some_and(Verdict::is_fault);
        columns.map(|column| outputs.iter().filter(|output| is_fault(&column[**output])).count()).sum()
    }

    /// What an op says of an output, once it is judged.
    pub fn verdict(&self, op: &Module, output: usize) -> Option<&Verdict> {
        self.columns.get(&op.id())?[output].as_ref()
    }

    /// The verdicts of `ops` on some outputs, in their order; one that was not judged is a fault.
    pub fn of(&self, ops: &[Arc<Module>], outputs: &[usize]) -> Judged {
        let names: Vec<String> = ops.iter().map(|op| op.name().to_string()).collect();
        let state = |verdict: Option<&Verdict>| verdict.map_or(State::Fault, State::from);
        let matrix = Matrix::from_fn(&names, outputs.len(), |op, item| state(self.verdict(&ops[op], outputs[item])));
        let root = outputs.iter().map(|output| state(self.root[*output].as_ref())).collect();
        Judged { matrix, root }
    }

    fn column(&mut self, op: &Module) -> &mut Column {
        let outputs = self.root.len();
        self.columns.entry(op.id()).or_insert_with(|| vec![None; outputs])
    }
}

impl Judged {
    /// The items whose root is not clean.
    pub fn below_root(&self) -> Bits {
        Bits::from_fn(self.root.len(), |item| matches!(self.root[item], State::Drawback | State::Fault))
    }

    /// A metric's outcomes; without an expression everything that the root lets through passes.
    pub fn outcomes(&self, expr: Option<&Expr>) -> Vec<Outcome> {
        let of_leaves =
            expr.map(|expr| self.matrix.outcomes(expr).unwrap_or_else(|_| vec![Outcome::Fault; self.root.len()]));
        self.under_root(of_leaves.unwrap_or_else(|| vec![Outcome::Pass; self.root.len()]))
    }

    /// Outcomes of a grader that looked at the ops alone, with the root's word put first.
    pub fn under_root(&self, outcomes: Vec<Outcome>) -> Vec<Outcome> {
        outcomes.into_iter().zip(&self.root).map(|(outcome, root)| outcome.under_root(*root)).collect()
    }

    /// How many items pass a metric, abstentions included.
    pub fn passes(&self, expr: Option<&Expr>) -> usize {
        self.outcomes(expr).into_iter().filter(|outcome| matches!(outcome, Outcome::Pass | Outcome::Abstain)).count()
    }
}
