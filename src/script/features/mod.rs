//! `features.lua`: named measurements of an output, and the ops that are composed of them.
//!
//! A measurement has no verdict of its own. A *gauge* is an op that reports its number; a *rule* over one or two
//! measurements is an op that stands alone. Both are made of the author's own source, and loaded like any op.

mod check;
mod compose;
mod rule;
mod split;

pub(super) use check::features;
pub use compose::{Certificate, OpHead};
pub use rule::{Condition, Rule, Test, Threshold};
use split::Helper;

use super::module::Tier;

/// One measurement, as its author declares it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Feature {
    pub name: String,
    /// One line for a person.
    pub about: String,
    /// The class of the taxonomy that an op on this measurement names.
    pub detects: String,
    /// Whether it looks at the task's other outputs.
    pub peers: bool,
    plan: Option<Code>,
    measure: Code,
    /// Names that plan and measure mention.
    uses: Vec<String>,
}

/// Lua that gives a function.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Code {
    /// Written in place, from `function` to `end`.
    Function(String),
    /// Something else; of a plan, the name of a `local function`, which measurements may share.
    Expression(String),
}

/// The measurements of one file, with what they are made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Features {
    features: Vec<Feature>,
    /// The file's top-level statements, in order.
    helpers: Vec<Helper>,
}

impl Feature {
    /// The tier of an op on this measurement.
    pub fn tier(&self) -> Tier {
        if self.plan.is_some() { Tier::Execution } else { Tier::Static }
    }
}

impl Features {
    /// The measurements, in the order of the file.
    pub fn all(&self) -> &[Feature] {
        &self.features
    }

    /// The measurement of this name.
    pub fn get(&self, name: &str) -> Option<&Feature> {
        self.features.iter().find(|feature| feature.name == name)
    }
}

/// Whether `text` may name a pack, a class, an op or a measurement.
pub fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

/// `name`, or with the first number behind it that makes it new.
fn unlike(name: &str, taken: impl Fn(&str) -> bool) -> String {
    let numbered = (2..).map(|number| format!("{name}_{number}"));
    std::iter::once(name.to_owned()).chain(numbered).find(|name| !taken(name)).unwrap_or_default()
}
