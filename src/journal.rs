//! The closed set of events of a run of the metric loop (METHOD section 5).
//!
//! A run is the fold of its events: what the loop knows after a round is what they say, so a run that was killed goes
//! on from them. They hold decisions with their figures, and nothing that differs between two runs of one seed: no
//! times, no costs, no paths. Here are their shape and what can be read off them; who writes them is elsewhere.

mod header;
mod summary;

use serde::{Deserialize, Serialize};

use crate::agreement::Agreement;
use crate::base::{Error, Result};
use crate::expr::Expr;
use crate::objective::{Rule, Score};
use crate::script::{Strength, Tier};
use crate::store::{DATABASE, RunFile};
pub use header::differences;
pub use summary::{Audit, Birth, Summary};

/// One line of a journal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// 0 is what precedes the first round.
    pub round: u32,
    #[serde(flatten)]
    pub event: Event,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// The pool that the run begins with.
    Began { pack: String, ops: Vec<Seed>, train_outputs: usize, dev: Vec<DevLabel> },
    /// Round 0's incumbent, and the declared proofs that the dev labels refute.
    Chosen { metric: Option<Expr>, rule: Rule, why: String, figures: Option<Figures>, refused: Vec<RefutedProof> },
    /// Where the incumbent is wrong, or the pool has nothing to say (step 1).
    Sensed { misses: Vec<String>, silent: Vec<String>, split: Vec<String> },
    /// Outputs that call for an op (step 2).
    Clustered { class: Option<String>, misses: Vec<String>, gaps: Vec<String>, recurring: bool },
    /// A recurring cluster for which there is no op to try.
    Unauthored { class: Option<String>, why: String },
    /// An op that did not pass the birth gate.
    Rejected { op: String, rule: String, class: String, why: String, gate: Gate },
    /// An op that did.
    Born { op: String, rule: String, class: String, standing: Standing, gate: Gate, source: String },
    /// Every expression of a grammar, so that the best S is certain: how many different behaviours on dev and train reach
    /// it, on how many train outputs they disagree, and one expression for each of the first of them.
    Searched {
        ops: usize,
        leaves: usize,
        nested: bool,
        scored: u64,
        best: Option<f64>,
        behaviours: usize,
        disputed: usize,
        tied: Vec<Expr>,
    },
    /// One expression that was scored by itself.
    Candidate { metric: Expr, origin: Origin, figures: Figures },
    /// What an op would add to the declared default, estimated from unlabelled outputs (section 12).
    Estimated { op: String, gain: f64, needed: f64 },
    /// The incumbent after step 3; where it changed, `replaces` is the one before, if there was one.
    Selected { metric: Option<Expr>, changed: bool, replaces: Option<Expr>, why: String, figures: Option<Figures> },
    /// A shadow that may now be selected (step 4).
    Promoted { op: String, by: Expr, dev_before: f64, dev_after: f64 },
    /// What an active op is worth at the end of a round: to the incumbent if it is a leaf of it, else to the best metric.
    Weighed { op: String, fitness: f64 },
    /// An op that was of no use for two rounds.
    Retired { op: String, fitness: f64 },
    /// A shadow whose time is over.
    Expired { op: String, rounds: u32 },
    /// Agreement with the sealed labels (step 5): the metric's first, then its baselines'. No later event depends on it.
    Audited { opening: usize, rows: Vec<(String, Agreement)>, hindsight: Option<String>, faults: usize },
    /// The end of a round: train outputs that pass the metric, those above the root that do not, dev items on which it is
    /// right, labelled failures that it passes, and the pool.
    Ended {
        metric: Option<Expr>,
        passes: usize,
        flagged: usize,
        right: usize,
        misses: Vec<String>,
        active: usize,
        shadow: usize,
        retired: usize,
        changed: bool,
    },
    /// What the living ops say of train and dev, before the run ends.
    Surveyed { ops: Vec<Survey>, faults: usize },
    /// The flat expressions of up to three leaves that share the best S at the end, and the outputs whose labels would
    /// tell them apart, the most telling first.
    Wanted { ties: usize, behaviours: usize, disputed: usize, labels: Vec<WantedLabel> },
    /// The end of the run.
    Finished { metric: Option<Expr>, rounds: u32, why: String },
}

/// An op of the pack.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Seed {
    pub op: String,
    pub class: String,
    pub tier: Tier,
    pub strength: Strength,
    /// The id of its script.
    pub script: String,
}

/// A labelled output.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DevLabel {
    pub output: String,
    pub pass: bool,
}

/// A declared proof of the default, with the dev passes that it flags.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RefutedProof {
    pub op: String,
    pub outputs: Vec<String>,
}

/// Whether an op may be selected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    Active,
    /// Runs and records, and cannot be selected.
    Shadow,
    Retired,
}

/// Where a candidate came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    Incumbent,
    Elite,
    Search,
    Mutation,
    Crossover,
    Composer,
}

/// Verdicts of one op.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Survey {
    pub op: String,
    pub class: String,
    pub about: String,
    pub strength: Strength,
    pub standing: Standing,
    /// On train.
    pub drawback: usize,
    pub clean: usize,
    pub abstain: usize,
    pub fault: usize,
    /// Drawbacks on dev.
    pub on_dev: usize,
}

/// An unlabelled output, and how many of the tied behaviours say what of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WantedLabel {
    pub output: String,
    pub fail: usize,
    pub pass: usize,
    pub silent: usize,
    /// Behaviours that remain tied at worst once this label and those before it are known.
    pub left: usize,
}

/// What the birth gate saw of an op.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Gate {
    /// Outputs of its cluster on which it finds a drawback, of how many.
    pub fires: usize,
    pub cluster: usize,
    /// Labelled failures that the incumbent passes and the op finds.
    pub misses: Vec<String>,
    /// Known-good outputs on which it finds a drawback or faults, of how many.
    pub false_alarms: Vec<String>,
    pub known_good: usize,
    /// Train outputs on which it finds a drawback.
    pub train: usize,
}

/// S(e) and what it is made of.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    pub s: f64,
    pub a_dev: f64,
    pub a_train: f64,
    pub cost: f64,
    pub coverage: usize,
    pub leaves: usize,
    /// Whether the guards let it be selected.
    pub selectable: bool,
}

impl From<&Score> for Figures {
    fn from(score: &Score) -> Self {
        Self {
            s: score.s,
            a_dev: score.a_dev,
            a_train: score.a_train,
            cost: score.cost,
            coverage: score.coverage,
            leaves: score.leaves,
            selectable: score.refused.is_none(),
        }
    }
}

impl Gate {
    /// Of an op that never ran.
    pub fn closed(cluster: usize) -> Self {
        Self { fires: 0, cluster, misses: Vec::new(), false_alarms: Vec::new(), known_good: 0, train: 0 }
    }
}

impl Standing {
    pub fn word(self) -> &'static str {
        match self {
            Standing::Active => "active",
            Standing::Shadow => "shadow",
            Standing::Retired => "retired",
        }
    }
}

impl Entry {
    /// The line of `events.jsonl`, without its end.
    pub fn line(&self) -> String {
        serde_json::to_string(self).unwrap_or_else(|error| unreachable!("an event is plain data: {error}"))
    }

    /// Reads a line back.
    pub fn parse(line: &str) -> serde_json::Result<Self> {
        serde_json::from_str(line)
    }
}

/// The events of a run, in order.
///
/// # Errors
/// The run cannot be read, or has an event of a kind that only a newer gradus knows.
pub fn read(run: &RunFile) -> Result<Vec<Entry>> {
    let unknown = |number: usize, error: serde_json::Error| {
        Error::failure(format!("event {number} is none that this gradus knows: {error}"))
            .at(run.folder().join(DATABASE), None)
            .help("Use the gradus that the run was made with, or a newer one")
    };
    let lines = run.events()?.into_iter().enumerate();
    lines.map(|(at, (_, line))| Entry::parse(&line).map_err(|error| unknown(at + 1, error))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_reads_back_as_the_entry_that_wrote_it() {
        let figures = Figures {
            s: 0.1 + 0.2,
            a_dev: 1.0 / 3.0,
            a_train: 0.9,
            cost: 0.0,
            coverage: 7,
            leaves: 2,
            selectable: true,
        };
        let metric: Expr = "(any a (vote 2 b c d))".parse().unwrap();
        let entry = Entry { round: 3, event: Event::Candidate { metric, origin: Origin::Mutation, figures } };
        let line = entry.line();
        assert!(line.starts_with(r#"{"round":3,"event":"candidate","metric":"(any a (vote 2 b c d))""#), "{line}");
        assert_eq!(Entry::parse(&line).unwrap(), entry);
    }
}
