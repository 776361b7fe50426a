//! A metric at work: its expression over its leaves, on the outputs of a task.
//!
//! Leaves run cheapest first, and only on outputs whose verdict is still open; what is left out cannot change it.

use std::path::Path;
use std::sync::Arc;

use crate::base::Result;
use crate::expr::{Expr, Outcome, State, settled};
use crate::grade::grader::Grader;
use crate::grade::matrix::{Group, Row};
use crate::pack::{Bundle, Pack};
use crate::script::Module;
use crate::store::Store;
use crate::verdict::Verdict;

/// An expression with the pack that its leaves come from.
pub struct Metric {
    pack: Pack,
    expression: Expr,
}

/// A metric's word on one output, with the root's and the leaves' verdicts that it rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grade {
    pub outcome: Outcome,
    pub root: Verdict,
    /// Leaves that were run, cheapest first.
    pub leaves: Vec<(String, Verdict)>,
}

/// How much of a metric to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// Stop on an output as soon as its verdict is fixed.
    Verdict,
    /// Run every leaf, to explain the verdict.
    EveryLeaf,
}

impl Metric {
    /// The metric `expression` over the ops of `pack`.
    ///
    /// # Errors
    /// Where the text is not an expression or names an op that the pack lacks.
    pub fn new(pack: Pack, expression: &str) -> Result<Self> {
        let expression = pack.expression(expression)?;
        Ok(Self { pack, expression })
    }

    /// The expression that a pack's author vouches for, or `None` where the pack declares none.
    pub fn of_default(pack: Pack) -> Option<Self> {
        let expression = pack.default_expression()?.clone();
        Some(Self { pack, expression })
    }

    /// Reads a metric bundle.
    pub fn read(path: impl AsRef<Path>) -> Result<Self> {
        let (pack, expression) = Bundle::read(path.as_ref())?.open(path.as_ref())?;
        Ok(Self { pack, expression })
    }

    pub fn pack(&self) -> &Pack {
        &self.pack
    }

    pub fn expression(&self) -> &Expr {
        &self.expression
    }

    /// Grades the outputs of one task with a cache of its own in memory.
    pub fn grade(&self, task: &serde_json::Value, outputs: &[&str]) -> Result<Vec<Grade>> {
        let store = Store::in_memory()?;
        let group = Group::whole(task.clone(), outputs.iter().map(|text| Arc::from(*text)).collect());
        let grades = self.grade_with(&Grader::new(&self.pack, &store), vec![group], Depth::Verdict)?;
        Ok(grades.into_iter().flatten().flatten().collect())
    }

    /// Grades the wanted outputs of each task with a grader that was made for this metric's pack.
    pub fn grade_with(&self, grader: &Grader, mut groups: Vec<Group>, depth: Depth) -> Result<Vec<Vec<Option<Grade>>>> {
        let wanted: Vec<Vec<bool>> = groups.iter().map(|group| group.wanted.clone()).collect();
        let mut grades: Vec<Vec<Option<Grade>>> = wanted.iter().map(|group| vec![None; group.len()]).collect();
        for wave in self.waves(depth) {
            for (group, grades) in groups.iter_mut().zip(&grades) {
                for (wanted, grade) in group.wanted.iter_mut().zip(grades) {
                    *wanted &= grade.as_ref().is_none_or(|grade| depth == Depth::EveryLeaf || self.open(grade));
                }
            }
            let rows = grader.matrix(&groups, &wave)?;
            for (grade, row) in grades.iter_mut().flatten().zip(rows.into_iter().flatten()) {
                if let Some(row) = row {
                    add(grade, &wave, row);
                }
            }
        }
        grades.iter_mut().flatten().flatten().for_each(|grade| grade.outcome = self.outcome(grade));
        Ok(grades)
    }

    /// The leaves by what they cost: static, then execution, then those that run peers too.
    fn waves(&self, depth: Depth) -> Vec<Vec<Arc<Module>>> {
        let leaves = self.expression.ops();
        let mut ops: Vec<Arc<Module>> =
            self.pack.ops().iter().filter(|op| leaves.contains(&op.name())).cloned().collect();
        ops.sort_by_key(|op| cost(op));
        match depth {
            Depth::EveryLeaf => vec![ops],
            Depth::Verdict => ops.chunk_by(|a, b| cost(a) == cost(b)).map(<[_]>::to_vec).collect(),
        }
    }

    fn open(&self, grade: &Grade) -> bool {
        grade.root == Verdict::Clean && settled(&self.expression, |name| find(grade, name)).is_none()
    }

    fn outcome(&self, grade: &Grade) -> Outcome {
        // A leaf is left out only once the outcome is settled without it.
        let of_leaves = settled(&self.expression, |name| find(grade, name)).unwrap_or(Outcome::Fault);
        of_leaves.under_root(State::from(&grade.root))
    }
}

fn cost(op: &Module) -> (bool, bool) {
    (op.plans(), op.peers())
}

fn find(grade: &Grade, name: &str) -> Option<State> {
    grade.leaves.iter().find(|(leaf, _)| leaf == name).map(|(_, verdict)| State::from(verdict))
}

fn add(grade: &mut Option<Grade>, wave: &[Arc<Module>], row: Row) {
    let grade =
        grade.get_or_insert_with(|| Grade { outcome: Outcome::Abstain, root: row.root.clone(), leaves: vec![] });
    let names = wave.iter().map(|op| op.name().to_string());
    grade.leaves.extend(names.zip(row.leaves));
}
