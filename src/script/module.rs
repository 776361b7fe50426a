//! A script that passed its checks: source, bytecode of the host's own making, and what it declares.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::features::Features;
use crate::base::Id;
use crate::observe::{On, Request};
use crate::verdict::Strength;

/// What a script is for, and so what it must return and may see.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// `check(task, text) -> verdict, artifact`; sees the raw output.
    Root,
    /// A detector: `check(task, artifact, seen) -> verdict`, with an optional plan.
    Op,
    /// Ground truth: like an op, and sees `task.reference`.
    Anchor,
    /// Measurements: a table of them by name, never run as it is.
    Features,
}

impl Role {
    /// The role's name in messages.
    pub fn word(self) -> &'static str {
        match self {
            Role::Root => "root",
            Role::Op => "op",
            Role::Anchor => "anchor",
            Role::Features => "features",
        }
    }
}

/// What an op needs (METHOD section 1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tier {
    /// Parses only.
    Static,
    /// Runs the output.
    Execution,
    /// Asks a model one narrow question.
    Judge,
}

impl Tier {
    pub const ALL: [(&'static str, Tier); 3] =
        [("static", Tier::Static), ("execution", Tier::Execution), ("judge", Tier::Judge)];

    pub fn word(self) -> &'static str {
        Self::ALL.iter().find(|(_, tier)| *tier == self).map_or("", |(word, _)| word)
    }
}

/// What an op says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpInfo {
    /// The class of the pack's taxonomy that it detects.
    pub detects: String,
    /// One line for a person.
    pub about: String,
    pub tier: Tier,
    pub strength: Strength,
    /// Whether it may look at the task's other outputs.
    pub peers: bool,
}

/// A loaded script. Immutable, `Send + Sync`, cheap to clone; made by [`super::Host::load`] alone.
#[derive(Debug, Clone)]
pub struct Module(pub(super) Arc<Parts>);

#[derive(Debug)]
pub(super) struct Parts {
    pub role: Role,
    pub name: String,
    pub path: String,
    pub source: String,
    pub id: Id,
    pub bytecode: Vec<u8>,
    pub declared: Declared,
}

/// What a script's table says of it.
#[derive(Debug, Default)]
pub(super) struct Declared {
    pub plans: bool,
    pub op: Option<OpInfo>,
    pub features: Option<Features>,
}

impl Module {
    pub fn role(&self) -> Role {
        self.0.role
    }

    /// The file stem: an op's name.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// The path as messages show it.
    pub fn path(&self) -> &str {
        &self.0.path
    }

    pub fn source(&self) -> &str {
        &self.0.source
    }

    /// Made from role, name and source; where the file lies does not matter to a verdict.
    pub fn id(&self) -> Id {
        self.0.id
    }

    /// Whether it has a plan, and so needs observations.
    pub fn plans(&self) -> bool {
        self.0.declared.plans
    }

    /// What an op declares; nothing for other roles.
    pub fn op(&self) -> Option<&OpInfo> {
        self.0.declared.op.as_ref()
    }

    /// The measurements of a features file; nothing for other roles.
    pub fn features(&self) -> Option<&Features> {
        self.0.declared.features.as_ref()
    }

    /// Whether its requests may be about peers.
    pub fn peers(&self) -> bool {
        self.op().is_some_and(|op| op.peers)
    }

    /// Where it lies in memory: tells loaded modules apart within one process.
    pub(super) fn address(&self) -> usize {
        Arc::as_ptr(&self.0) as usize
    }

    pub(super) fn bytecode(&self) -> &[u8] {
        &self.0.bytecode
    }

    /// Why this request is not this module's to make.
    pub(super) fn refuses(&self, request: &Request) -> Option<&'static str> {
        let tier = self.op().map(|op| op.tier);
        match request {
            Request::Call { source: Some(_), .. } if self.role() != Role::Anchor => {
                Some("only an anchor may run a source of its own")
            }
            Request::Ask { .. } if tier != Some(Tier::Judge) => Some("only an op of tier \"judge\" may ask a model"),
            _ if request.on() != On::Own && !self.peers() => Some("an op that looks at peers says `peers = true`"),
            _ => None,
        }
    }
}
