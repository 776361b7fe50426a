//! gradus: an embeddable scripting host for packs of small Lua detectors, and the loops that evolve a grader out of them.

pub mod base;
pub mod verdict;
pub mod observe;
pub mod parse;
pub mod expr;
pub mod stats;
pub mod script;
pub mod sandbox;
pub mod store;
pub mod dataset;
pub mod pack;
pub mod grade;
pub mod objective;
pub mod cases;
pub mod audit;
pub mod metric_loop;
pub mod cli;
