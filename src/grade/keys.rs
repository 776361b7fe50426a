//! The keys under which observations and verdicts are kept (DESIGN section 5).
//!
//! A key holds everything that the answer depends on, and nothing else; that is what makes a cached answer right.

use crate::base::Id;
use crate::sandbox::Probe;
use crate::script::{API_VERSION, Module};

/// The key of one output's row of packed verdicts: root, host (its API and its release), task, text.
pub fn row(root: &Module, task: &str, text: &Id) -> Id {
    let api = API_VERSION.to_le_bytes();
    let release = env!("CARGO_PKG_VERSION").as_bytes();
    let (path, id) = (root.path().as_bytes(), root.id());
    Id::of("row", [&api[..], release, path, id.bytes(), task.as_bytes(), text.bytes()])
}

/// The key of a root's verdict within a row.
pub fn root() -> Id {
    Id::of("root", [])
}

/// The key of an op's verdict within a row: its source and path (faults name it), plus the environment and the budget
/// if it plans.
pub fn op(op: &Module, environment: Option<&Id>, budget: usize) -> Id {
    let (path, id) = (op.path().as_bytes(), op.id());
    if !op.plans() {
        return Id::of("op", [path, id.bytes()]);
    }
    let environment = environment.map(|id| id.bytes().to_vec()).unwrap_or_default();
    Id::of("op", [path, id.bytes(), &environment[..], &budget.to_le_bytes()[..]])
}

/// The same for an op that reads these peers.
pub fn op_with_peers(op: &Id, peers: &Id) -> Id {
    Id::of("op with peers", [&op.bytes()[..], peers.bytes()])
}

/// The same for an op that plans, on a task with a database: its content, and the limits of queries.
pub fn op_with_database(op: &Id, database: &Id) -> Id {
    Id::of("op with database", [&op.bytes()[..], database.bytes()])
}

/// The key of one query: environment (content, copy, limits, engine) and its text.
pub fn query(environment: &Id, text: &Id) -> Id {
    Id::of("query", [&environment.bytes()[..], text.bytes()])
}

/// The key of one run: environment (prelude, limits, interpreter, harness), subject, world, probe.
pub fn observation(environment: &Id, subject: &Id, world: u8, probe: &Probe) -> Id {
    let probe = match probe {
        Probe::Call { name, args } => ["call", name, args],
        Probe::Assert { text } => ["assert", text, ""],
    };
    let [kind, first, second] = probe.map(str::as_bytes);
    Id::of("observation", [&environment.bytes()[..], subject.bytes(), &[world], kind, first, second])
}
