//! The script host: Luau machines that run detectors as pure functions.
//!
//! A script gets a frozen task, an artifact, observations and a closed list of host functions, and gives back a
//! verdict or a plan. Nothing here does I/O, reads the environment or prints; time is a backstop only.

mod limits;
mod lexer;
mod nesting;
mod rewrite;
mod absent;
mod trace;
mod registry;
mod host;
mod convert;
mod describe;
mod plan;
mod features;
mod module;
mod vm;
mod load;
mod session;

pub use crate::verdict::Strength;
pub use features::{Certificate, Condition, Feature, Features, OpHead, Rule, Test, Threshold, is_name};
pub use limits::Limits;
pub use load::Host;
pub use module::{Module, OpInfo, Role, Tier};
pub use registry::stubs;
pub use session::{Document, Session, Vm};

/// The version of what scripts may call and must return; part of every cached verdict's key.
pub const API_VERSION: u32 = 1;
