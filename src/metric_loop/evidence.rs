//! Verdicts of a corpus, and the rows of them that a step may read, as matrices.

use std::sync::Arc;

use crate::base::Result;
use crate::dataset::Corpus;
use crate::expr::{Bits, Expr, Matrix, Outcome, State};
use crate::grade::{Grader, Group, Row};
use crate::script::Module;

/// What every op says of the outputs judged so far, by position in the corpus.
pub struct Verdicts {
    ops: Vec<Arc<Module>>,
    rows: Vec<Option<Row>>,
}

/// Some outputs, in a fixed order: what the root and the ops say of them.
pub struct Judged {
    pub matrix: Matrix,
    pub root: Vec<State>,
}

impl Verdicts {
    pub fn new(ops: &[Arc<Module>], corpus: &Corpus) -> Self {
        Self { ops: ops.to_vec(), rows: vec![None; corpus.outputs().len()] }
    }

    /// Judges every output of some tasks.
    pub fn judge(&mut self, grader: &Grader, corpus: &Corpus, tasks: &[usize]) -> Result<()> {
        let groups: Vec<Group> = tasks.iter().map(|task| Group::of(corpus, *task)).collect();
        let rows = grader.matrix(&groups, &self.ops)?;
        for (task, rows) in tasks.iter().zip(rows) {
            for (output, row) in corpus.outputs_of(*task).iter().zip(rows) {
                self.rows[*output] = row;
            }
        }
        Ok(())
    }

    pub fn ops(&self) -> &[Arc<Module>] {
        &self.ops
    }

    /// Verdicts that are faults, roots' included.
    pub fn faults(&self) -> usize {
        let of_row = |row: &Row| row.leaves.iter().chain([&row.root]).filter(|verdict| verdict.is_fault()).count();
        self.rows.iter().flatten().map(of_row).sum()
    }

    /// The row of an output, once it is judged.
    pub fn row(&self, output: usize) -> Option<&Row> {
        self.rows[output].as_ref()
    }

    /// The verdicts on some outputs; one that was not judged is a fault throughout.
    pub fn of(&self, outputs: &[usize]) -> Judged {
        let names: Vec<String> = self.ops.iter().map(|op| op.name().to_string()).collect();
        let state =
            |op: usize, item: usize| self.row(outputs[item]).map_or(State::Fault, |row| State::from(&row.leaves[op]));
        let matrix = Matrix::from_fn(&names, outputs.len(), state);
        let root = outputs.iter().map(|output| self.row(*output).map_or(State::Fault, |row| State::from(&row.root)));
        Judged { matrix, root: root.collect() }
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
}
