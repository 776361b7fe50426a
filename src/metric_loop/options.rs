//! What a run may be told: seed, rounds, rule, guards, and every constant of METHOD section 5 with its value there.
//!
//! A run is resumed only under the options that it was begun with, so all of them are written down.

use serde::{Deserialize, Serialize};

use crate::expr::Grammar;
use crate::objective::{Config, Guards, Rule};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Options {
    /// Fixes every draw of the run.
    pub seed: u64,
    /// Rounds after round 0, at most.
    pub rounds: u32,
    pub rule: Rule,
    /// Whether S(e) is fail-closed; without guards it is the papers' naive arm.
    pub guards: bool,
    /// Birth gate, shadow tier and retirement.
    pub lifecycle: bool,
    /// Whether recurring clusters get ops from the pack's `features.lua`.
    pub miner: bool,
    /// Leaves of the expressions that are searched exhaustively.
    pub leaves: usize,
    /// Whether the search takes in expressions within expressions.
    pub nested: bool,
    pub audit: Audit,
    pub constants: Constants,
}

/// When the sealed labels are opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Audit {
    Never,
    AtTheEnd,
    EveryRound,
}

/// Constants of the loop; those without a source are ours (METHOD section 5).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Constants {
    /// Share of the votes on an output that disagree with the others, from which on the pool is split (ours).
    pub minority: f64,
    /// Outputs that make a cluster recur, or rounds that a single miss persists.
    pub recurring: usize,
    /// Share of its cluster that a new op has to fire on.
    pub gate: f64,
    /// Ops born for a labelled failure, after which it is abandoned (METHOD section 10).
    pub tries: usize,
    /// Rounds in a row without use after which an op retires.
    pub idle_rounds: u32,
    /// Rounds after which a shadow expires (ours).
    pub shadow_rounds: u32,
    /// Expressions that are kept to vary (ours).
    pub elites: usize,
    /// Variations a round (ours).
    pub mutations: usize,
    pub crossovers: usize,
    /// Leaves of a varied expression (ours).
    pub most_leaves: usize,
    /// Rounds in a row in which nothing changes, after which the run ends (ours).
    pub quiet_rounds: u32,
}

impl Default for Constants {
    fn default() -> Self {
        Self {
            minority: 1.0 / 3.0,
            recurring: 2,
            gate: 0.5,
            tries: 3,
            idle_rounds: 2,
            shadow_rounds: 20,
            elites: 8,
            mutations: 16,
            crossovers: 8,
            most_leaves: 6,
            quiet_rounds: 3,
        }
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            seed: 0,
            rounds: 20,
            rule: Rule::Default,
            guards: true,
            lifecycle: true,
            miner: true,
            leaves: 3,
            nested: true,
            audit: Audit::AtTheEnd,
            constants: Constants::default(),
        }
    }
}

impl Options {
    /// The expressions that are searched exhaustively.
    pub fn grammar(&self) -> Grammar {
        if self.nested { Grammar::nested(self.leaves) } else { Grammar::flat(self.leaves) }
    }

    /// The pack's objective under this run's guards.
    pub fn objective(&self, pack: Config) -> Config {
        Config { guards: if self.guards { Guards::Closed } else { Guards::Open }, ..pack }
    }
}
