//! What a step of the loop may read of one split: verdicts of the living pool on dev and train, and the ten labels.
//!
//! Nothing of test is here, and nothing can be asked for.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::dataset::Dataset;
use crate::expr::Bits;
use crate::journal::Standing;
use crate::metric_loop::evidence::{Judged, Verdicts};
use crate::metric_loop::state::State;
use crate::objective::rules::Ground;
use crate::objective::{Config, Evidence, Member};
use crate::pack::Pack;
use crate::script::{Module, Tier};
use crate::verdict::Strength;

/// Dev and train of a split; items of one that mean outputs carry their ids and their places in the corpus.
pub struct Split {
    pub dev: Vec<usize>,
    pub dev_ids: Vec<String>,
    /// Dev items labelled fail.
    pub dev_fails: Bits,
    pub train: Vec<usize>,
    pub train_ids: Vec<String>,
    /// The task of each train item.
    pub train_tasks: Vec<usize>,
    /// The tasks of dev and train.
    pub tasks: Vec<usize>,
}

/// A split as the living pool sees it.
pub struct Sight<'s> {
    pub split: &'s Split,
    pub ops: Vec<Arc<Module>>,
    pub members: Vec<Member>,
    pub strengths: Vec<Strength>,
    pub dev: Judged,
    pub train: Judged,
    pub dev_root: Bits,
    pub train_root: Bits,
}

impl Split {
    pub fn of(dataset: &Dataset) -> Self {
        let outputs = dataset.corpus().outputs();
        let dev: Vec<usize> = dataset.dev().iter().map(|item| item.output).collect();
        let train = dataset.train_outputs();
        let id = |output: &usize| outputs[*output].id.clone();
        let mut tasks: Vec<usize> = dev.iter().chain(&train).map(|output| outputs[*output].task).collect();
        tasks.sort_unstable();
        tasks.dedup();
        Self {
            dev_ids: dev.iter().map(id).collect(),
            dev_fails: Bits::from_fn(dev.len(), |item| !dataset.dev()[item].pass),
            train_ids: train.iter().map(id).collect(),
            train_tasks: train.iter().map(|output| outputs[*output].task).collect(),
            tasks,
            dev,
            train,
        }
    }

    /// Corpus positions of the outputs that an op must leave alone: the dev passes.
    pub fn known_good(&self) -> Vec<usize> {
        (0..self.dev.len()).filter(|item| !self.dev_fails.get(*item)).map(|item| self.dev[item]).collect()
    }
}

impl<'s> Sight<'s> {
    /// The living pool of a state, whose scripts are `modules` by name.
    pub fn of(split: &'s Split, state: &State, modules: &BTreeMap<String, Arc<Module>>, verdicts: &Verdicts) -> Self {
        let living: Vec<(Arc<Module>, bool)> = state
            .living()
            .filter_map(|op| Some((Arc::clone(modules.get(&op.name)?), op.standing == Standing::Active)))
            .collect();
        let judge = |op: &Module| op.op().is_some_and(|info| info.tier == Tier::Judge);
        let members = living.iter().map(|(op, active)| Member { judge: judge(op), active: *active }).collect();
        let ops: Vec<Arc<Module>> = living.into_iter().map(|(op, _)| op).collect();
        let (dev, train) = (verdicts.of(&ops, &split.dev), verdicts.of(&ops, &split.train));
        let (dev_root, train_root) = (dev.below_root(), train.below_root());
        let strength = |op: &Arc<Module>| op.op().map_or(Strength::Smell, |info| info.strength);
        let strengths = ops.iter().map(strength).collect();
        Self { split, ops, members, strengths, dev, train, dev_root, train_root }
    }

    pub fn evidence(&self) -> Evidence<'_> {
        Evidence {
            dev: &self.dev.matrix,
            dev_fails: &self.split.dev_fails,
            dev_root: &self.dev_root,
            train: &self.train.matrix,
            train_root: &self.train_root,
        }
    }

    /// What the selection rules may look at.
    pub fn ground<'g>(&'g self, pack: &'g Pack, objective: Config) -> Ground<'g> {
        Ground {
            evidence: self.evidence(),
            tasks: &self.split.train_tasks,
            pool: &self.members,
            strengths: &self.strengths,
            default: pack.default_expression(),
            baseline: pack.baseline_expression(),
            fail_share: None,
            objective,
            selection: pack.manifest.selection,
        }
    }

    /// Columns of the ops that may be selected.
    pub fn active(&self) -> Vec<usize> {
        (0..self.members.len()).filter(|column| self.members[*column].active).collect()
    }
}
