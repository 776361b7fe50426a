//! The op miner: from a recurring cluster of outputs to a rule over a pack's measurements, and to the op that tests it
//! (METHOD section 5, step 2).
//!
//! Pure, and without a model: thresholds come from the cluster against outputs that are known to be good. A rule is
//! proposed only where the birth gate would let its op through, and the loop still holds the op itself to that gate.
//! By construction an op that is made here keys on no constant of an output and reads neither the task's words nor its
//! identity (METHOD section 10); its class is the cluster's only where one of its measurements detects that class.

mod conditions;
mod measured;

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::fmt;

pub use measured::{Behaviour, Column, Measured};

use crate::expr::Bits;
use crate::pack::Script;
use crate::pack::load::SYNTHESIZED;
use crate::script::{Certificate, Condition, Features, OpHead, Rule, Strength, Tier};
use conditions::conditions;

/// The share of the rest of train below which rarer is no better: a cluster is a few of the outputs that fail, and train
/// has others. It is the share of failures that METHOD section 12 reckons with at most. Lower ones, tried on splits of
/// `fixtures/code`, gave ops that did worse on tasks outside of the split's train and dev.
const COMMON: f64 = 0.35;
/// By how much a second condition must raise the score of the best single one.
const CLEARLY: f64 = 1.5;

/// Outputs that fail in one way, by position in the corpus.
#[derive(Debug, Clone, Copy)]
pub struct Cluster<'c> {
    pub outputs: &'c [usize],
    /// Their failure class, where it is known.
    pub class: Option<&'c str>,
}

/// A rule that fits a cluster, and what it was held against.
#[derive(Debug, Clone, PartialEq)]
pub struct Proposal {
    pub rule: Rule,
    /// The class that its op names.
    pub detects: String,
    /// Evidence where the rule runs the output, a smell where it only reads.
    pub strength: Strength,
    /// The cluster's class.
    pub class: Option<String>,
    pub cluster_size: usize,
    /// Outputs of the cluster that it fires on.
    pub fires_on_cluster: Vec<usize>,
    pub known_good: usize,
    pub train_size: usize,
    pub fires_on_train: usize,
    /// Share of the cluster over the share of the rest of train.
    pub score: f64,
}

/// Why there is no rule to propose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// Nothing to learn from, or nothing to hold a rule against.
    Empty,
    /// No rule fires on half of the cluster and on no known-good output.
    NoRule,
    /// Rules that do so fire on most of train.
    Vacuous,
    /// Rules that fit were tried before.
    Tried,
}

/// Proposes the best rule for a cluster that is not tried yet. `known_good` and `train` are positions in the corpus.
///
/// A rule fires on at least half of the cluster, on no known-good output, and on at most half of train. Its score is
/// the share of the cluster that it fires on, over the smoothed share of the rest of train, which counts as at least
/// `COMMON`. Ties go to the rule with a measurement that detects the cluster's class, then to fewer conditions,
/// then to the order of rules. Two conditions are proposed where their score is half as much again as the best of one.
pub fn propose(
    measured: &Measured,
    cluster: &Cluster<'_>,
    known_good: &[usize],
    train: &[usize],
    tried: &BTreeSet<Rule>,
) -> Result<Proposal, Refusal> {
    if cluster.outputs.is_empty() || known_good.is_empty() {
        return Err(Refusal::Empty);
    }
    let ground = Ground::new(measured, cluster, known_good, train, tried);
    let singles = ground.singles(&conditions(measured, &[cluster.outputs, known_good, train]));
    let mut search = Search::new(&ground);
    for (condition, behaviour) in &singles {
        search.consider(&[condition], behaviour);
    }
    let alone = search.best.take();
    for (at, (one, behaviour)) in singles.iter().enumerate() {
        for (other, another) in singles[at + 1..].iter().filter(|(other, _)| other.feature != one.feature) {
            search.consider(&[one, other], &behaviour.and(another));
        }
    }
    let clearly_better = |pair: &Fit| alone.as_ref().is_none_or(|alone| pair.score >= CLEARLY * alone.score);
    let best = search.best.take().filter(clearly_better).or(alone).ok_or(search.refusal)?;
    Ok(ground.proposal(best))
}

/// What every rule is held against.
struct Ground<'g> {
    measured: &'g Measured,
    cluster: &'g Cluster<'g>,
    in_cluster: Bits,
    known_good: Bits,
    train: Bits,
    /// Train without the cluster.
    rest: Bits,
    tried: BTreeSet<Behaviour>,
}

/// A rule that may be proposed.
struct Fit {
    rule: Rule,
    behaviour: Behaviour,
    score: f64,
    of_class: bool,
}

impl<'g> Ground<'g> {
    fn new(
        measured: &'g Measured,
        cluster: &'g Cluster<'g>,
        known_good: &[usize],
        train: &[usize],
        tried: &BTreeSet<Rule>,
    ) -> Self {
        let set = |outputs: &[usize]| {
            let outputs: BTreeSet<usize> = outputs.iter().copied().collect();
            Bits::from_fn(measured.outputs(), |output| outputs.contains(&output))
        };
        let (in_cluster, train) = (set(cluster.outputs), set(train));
        Self {
            measured,
            cluster,
            known_good: set(known_good),
            rest: train.and_not(&in_cluster),
            in_cluster,
            train,
            tried: tried.iter().filter_map(|rule| measured.behaviour(rule)).collect(),
        }
    }

    /// The conditions that can be part of a rule: they hold on half of the cluster, and can be measured without a
    /// fault on what is known to be good.
    fn singles(&self, conditions: &[Condition]) -> Vec<(Condition, Behaviour)> {
        let usable = |condition: &Condition| {
            let column = self.measured.column(&condition.feature)?;
            let behaviour = column.behaviour(condition);
            let sound = column.faults.and(&self.known_good).count() == 0;
            (sound && self.covers_half(&behaviour)).then(|| (condition.clone(), behaviour))
        };
        conditions.iter().filter_map(usable).collect()
    }

    fn covers_half(&self, behaviour: &Behaviour) -> bool {
        2 * behaviour.fires.and(&self.in_cluster).count() >= self.in_cluster.count()
    }

    fn score(&self, behaviour: &Behaviour) -> f64 {
        let covered = behaviour.fires.and(&self.in_cluster).count() as f64 / self.in_cluster.count() as f64;
        let fired = behaviour.fires.and(&self.rest).count() as f64;
        let share = (fired + 1.0) / (self.rest.count() as f64 + 2.0);
        covered / share.max(COMMON)
    }

    fn is_of_class(&self, conditions: &[&Condition]) -> bool {
        let detects = |condition: &&Condition| {
            self.measured.column(&condition.feature).is_some_and(|column| Some(&*column.detects) == self.cluster.class)
        };
        conditions.iter().any(detects)
    }

    fn proposal(&self, fit: Fit) -> Proposal {
        let columns: Vec<&Column> =
            fit.rule.conditions().iter().filter_map(|condition| self.measured.column(&condition.feature)).collect();
        let own = || columns.first().map(|column| column.detects.clone()).unwrap_or_default();
        let runs = columns.iter().any(|column| column.tier != Tier::Static);
        Proposal {
            rule: fit.rule,
            detects: self.cluster.class.filter(|_| fit.of_class).map_or_else(own, str::to_owned),
            strength: if runs { Strength::Evidence } else { Strength::Smell },
            class: self.cluster.class.map(str::to_owned),
            cluster_size: self.in_cluster.count(),
            fires_on_cluster: fit.behaviour.fires.and(&self.in_cluster).ones().collect(),
            known_good: self.known_good.count(),
            train_size: self.train.count(),
            fires_on_train: fit.behaviour.fires.and(&self.train).count(),
            score: fit.score,
        }
    }
}

/// The best rule so far, and why there is none while there is none.
struct Search<'g> {
    ground: &'g Ground<'g>,
    best: Option<Fit>,
    refusal: Refusal,
}

impl<'g> Search<'g> {
    fn new(ground: &'g Ground<'g>) -> Self {
        Self { ground, best: None, refusal: Refusal::NoRule }
    }

    fn consider(&mut self, conditions: &[&Condition], behaviour: &Behaviour) {
        let ground = self.ground;
        if !ground.covers_half(behaviour) || behaviour.fires.and(&ground.known_good).count() > 0 {
            return;
        }
        if 2 * behaviour.fires.and(&ground.train).count() > ground.train.count() {
            self.refuse(Refusal::Vacuous);
        } else if ground.tried.contains(behaviour) {
            self.refuse(Refusal::Tried);
        } else if let Some(rule) = Rule::new(conditions.iter().map(|condition| (*condition).clone()).collect()) {
            let (score, of_class) = (ground.score(behaviour), ground.is_of_class(conditions));
            let fit = Fit { rule, behaviour: behaviour.clone(), score, of_class };
            if self.best.as_ref().is_none_or(|best| fit.before(best)) {
                self.best = Some(fit);
            }
        }
    }

    /// Remembers the reason that came closest to a rule.
    fn refuse(&mut self, reason: Refusal) {
        if self.refusal != Refusal::Tried {
            self.refusal = reason;
        }
    }
}

impl Fit {
    /// Whether it is the better of two rules.
    fn before(&self, other: &Self) -> bool {
        let order = (other.score.total_cmp(&self.score))
            .then(other.of_class.cmp(&self.of_class))
            .then(self.rule.conditions().len().cmp(&other.rule.conditions().len()))
            .then(self.rule.cmp(&other.rule));
        order == Ordering::Less
    }
}

impl Proposal {
    /// The op that tests the rule, as a file of `synthesized/`. None where the measurements are not those that the
    /// rule was found on.
    pub fn script(&self, features: &Features, name: &str, round: u32) -> Option<Script> {
        let certificate = Certificate {
            round,
            cluster: self.class.clone().unwrap_or_else(|| "of unknown class".to_owned()),
            cluster_size: self.cluster_size,
            fires_on_cluster: self.fires_on_cluster.len(),
            known_good: self.known_good,
            train_size: self.train_size,
            fires_on_train: self.fires_on_train,
        };
        let head = OpHead { detects: self.detects.clone(), strength: self.strength, certificate };
        let source = features.op(&self.rule, &head)?;
        Some(Script { path: format!("{SYNTHESIZED}/{name}.lua"), source })
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Refusal::Empty => "there is no cluster, or no output is known to be good",
            Refusal::NoRule => "no rule fires on half of the cluster and on no known-good output",
            Refusal::Vacuous => "every rule that fits the cluster fires on most of train",
            Refusal::Tried => "every rule that fits the cluster was tried before",
        })
    }
}

#[cfg(test)]
mod tests;
