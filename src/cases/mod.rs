//! Literate cases: Markdown that says what named ops must find in an output, and that people can read.
//!
//! `parse` turns a file into cases, `run` holds a pack against them. Nothing here prints.

mod expectation;
mod parse;
mod run;
mod seen;

pub use expectation::Expectation;
pub use parse::{Case, load};
pub use run::{Checked, run};
