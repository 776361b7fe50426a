//! The metric loop (METHOD section 5): it senses where the metric is wrong, grows ops, selects, curates and is audited.
//!
//! The steps are pure; `round` puts them in turn and has ops judged between them, and `run` has the other effects. What
//! a run knows is the fold of its events (`state`). None of it can read a sealed label: the audit takes what the loop
//! made, and gives figures back that no later event depends on.

pub mod evidence;
pub mod options;
pub mod state;
pub mod sight;
mod sense;
pub mod cluster;
mod gate;
pub mod author;
pub mod miner;
pub mod mining;
mod vary;
pub mod select;
mod curate;
mod facts;
pub mod round;
mod choice;
pub mod run;
pub mod header;
pub mod folder;
pub mod study;
#[cfg(test)]
mod tests;

pub use evidence::{Judged, Verdicts};
pub use options::{Audit, Options};
pub use run::Session;
