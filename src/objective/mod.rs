//! What a metric is worth on the evidence of the metric loop, and which one is taken (METHOD sections 4, 5.0, 12).
//!
//! Works on matrices alone: no scripts, no files, and no sealed label ever comes here but as an argument of
//! `hindsight`, which the audit calls.

mod config;
mod consensus;
mod margins;
mod score;
mod searching;
mod ties;
mod labels;
mod selection;
mod baselines;
pub mod rules;
#[cfg(test)]
mod tests;

pub use baselines::{best_singles, hindsight, pool_majority};
pub use config::{Config, Guards};
pub use consensus::{Consensus, Discord, Voter, consensus, discord};
pub use labels::NextLabel;
pub use score::{Evidence, Guard, Member, Objective, Score};
pub use searching::Fitness;
pub use selection::{Kept, Refused, Rule, keep_default};
pub use ties::{Behaviour, TieSet};
