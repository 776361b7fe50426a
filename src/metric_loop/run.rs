//! The effects around round 0: judge what may be read, choose, judge the rest, have it audited.
//!
//! Test outputs are judged only once the metric is fixed, and their labels are the audit's alone.

use serde_json::{Value, json};

use crate::audit::locked::Sealed;
use crate::audit::standing::{Contestant, Hindsight, Standing};
use crate::base::Result;
use crate::dataset::Dataset;
use crate::expr::Bits;
use crate::grade::Grader;
use crate::metric_loop::evidence::{Judged, Verdicts};
use crate::metric_loop::first::{First, choose};
use crate::objective::{Rule, Voter, pool_majority};
use crate::pack::{Bundle, Pack};

/// Row names of a standing.
pub const METRIC: &str = "this metric";
pub const DEFAULT: &str = "the pack's default";
pub const PAPER: &str = "S(e)'s choice";
pub const BEST_SEED: &str = "best single op on dev";
pub const MAJORITY: &str = "majority of the pool";
pub const BASELINE: &str = "plainest check";
pub const TIE_SET: &str = "majority of the tie set";

/// A pack on a corpus, and the verdicts made so far: several splits can share them.
pub struct Session<'a> {
    pack: &'a Pack,
    grader: &'a Grader<'a>,
    verdicts: Verdicts,
}

/// One split's first metric, and where it stands.
pub struct Run {
    pub first: First,
    /// What is known of the outputs that the run may read.
    pub dev: Judged,
    pub train: Judged,
    pub bundle: Option<Bundle>,
    pub standing: Option<Standing>,
    /// Verdicts of the pool that are faults.
    pub faults: usize,
}

impl<'a> Session<'a> {
    pub fn new(pack: &'a Pack, grader: &'a Grader<'a>, dataset: &Dataset) -> Self {
        Self { pack, grader, verdicts: Verdicts::new(pack.ops(), dataset.corpus()) }
    }

    pub fn verdicts(&self) -> &Verdicts {
        &self.verdicts
    }

    /// Judges every output of the corpus at once, for a study over many splits of it.
    pub fn judge_everything(&mut self, dataset: &Dataset) -> Result<()> {
        let tasks: Vec<usize> = (0..dataset.corpus().tasks().len()).collect();
        self.verdicts.judge(self.grader, dataset.corpus(), &tasks)
    }

    /// Chooses the first metric of a split. Judges nothing of its test tasks.
    pub fn choose(&mut self, dataset: &Dataset, rule: Rule) -> Result<Run> {
        let (dev_outputs, train_outputs) = (dev_outputs(dataset), dataset.train_outputs());
        self.judge_tasks(dataset, &[&dev_outputs, &train_outputs])?;
        let (dev, train) = (self.verdicts.of(&dev_outputs), self.verdicts.of(&train_outputs));
        let dev_fails = Bits::from_fn(dev_outputs.len(), |item| !dataset.dev()[item].pass);
        let first = choose(self.pack, &dev, &dev_fails, &train, rule)?;
        let bundle = first
            .expression
            .as_ref()
            .map(|expression| Bundle::new(self.pack, expression, provenance(dataset, &first)))
            .transpose()?;
        Ok(Run { first, dev, train, bundle, standing: None, faults: self.verdicts.faults() })
    }

    /// Judges the test tasks, opens the seal and sees where the metric stands.
    pub fn audit(&mut self, dataset: &Dataset, run: &mut Run, sealed: &Sealed) -> Result<()> {
        let standing = self.standing(dataset, &run.first, sealed)?;
        if let Some(bundle) = &mut run.bundle {
            bundle.audit = audit_facts(&standing);
        }
        run.standing = Some(standing);
        run.faults = self.verdicts.faults();
        Ok(())
    }

    fn standing(&mut self, dataset: &Dataset, first: &First, sealed: &Sealed) -> Result<Standing> {
        let outputs = dataset.test_outputs();
        self.judge_tasks(dataset, &[&outputs])?;
        let test = self.verdicts.of(&outputs);
        let voters: Vec<Voter> = (0..self.pack.ops().len()).map(Voter::equal).collect();
        let mut contestants = vec![one(METRIC, test.outcomes(first.expression.as_ref()))];
        if let Some(default) = self.pack.default_expression() {
            contestants.push(one(DEFAULT, test.outcomes(Some(default))));
        }
        if let Some((expression, _)) = &first.paper {
            contestants.push(one(PAPER, test.outcomes(Some(expression))));
            contestants.push(one(TIE_SET, test.under_root(first.ties.majority(&test.matrix))));
        }
        let singles = first.best_singles.iter().map(|op| test.outcomes(Some(op))).collect();
        contestants.push(Contestant { name: BEST_SEED, ties: singles });
        contestants.push(one(MAJORITY, test.under_root(pool_majority(&test.matrix, &voters))));
        if let Some(baseline) = self.pack.baseline_expression() {
            contestants.push(one(BASELINE, test.outcomes(Some(baseline))));
        }
        let hindsight = Hindsight { matrix: &test.matrix, root: &test.root };
        Standing::measure(sealed, "audit of the first metric", contestants, &hindsight, dataset.split().seed)
    }

    /// Judges the tasks of some outputs, those that are not judged yet.
    fn judge_tasks(&mut self, dataset: &Dataset, outputs: &[&[usize]]) -> Result<()> {
        let corpus = dataset.corpus();
        let open = outputs.iter().copied().flatten().filter(|output| self.verdicts.row(**output).is_none());
        let mut tasks: Vec<usize> = open.map(|output| corpus.outputs()[*output].task).collect();
        tasks.sort_unstable();
        tasks.dedup();
        if tasks.is_empty() { Ok(()) } else { self.verdicts.judge(self.grader, corpus, &tasks) }
    }
}

fn one(name: &'static str, outcomes: Vec<crate::expr::Outcome>) -> Contestant {
    Contestant { name, ties: vec![outcomes] }
}

fn dev_outputs(dataset: &Dataset) -> Vec<usize> {
    dataset.dev().iter().map(|item| item.output).collect()
}

/// The word of a selection rule, in reports and bundles.
pub fn rule_word(rule: Rule) -> &'static str {
    match rule {
        Rule::Default => "default",
        Rule::Paper => "paper",
    }
}

fn provenance(dataset: &Dataset, first: &First) -> Value {
    json!({
        "corpus": dataset.corpus().fingerprint().to_string(),
        "seed": dataset.split().seed,
        "selection": rule_word(first.rule),
        "refused": first.refused.iter().map(|refused| refused.op.clone()).collect::<Vec<_>>(),
        "dev": {"right": first.dev_right, "items": first.dev_items},
    })
}

fn audit_facts(standing: &Standing) -> Value {
    let row = standing.of(METRIC);
    json!({"openings": standing.opening, "sealed": row})
}
