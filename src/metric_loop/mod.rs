//! The metric loop (METHOD section 5); so far its round 0: the first metric.
//!
//! `first` decides and is pure; `run` has the effects around it. Neither can read a sealed label: the audit takes
//! what they made, and gives figures back.

pub mod evidence;
pub mod first;
pub mod miner;
pub mod run;

pub use evidence::{Judged, Verdicts};
pub use first::{First, choose};
pub use run::{Run, Session};
