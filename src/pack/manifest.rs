//! `pack.toml`: the closed set of things a pack says about itself.
//!
//! This file knows shapes and defaults, not scripts; unknown keys are errors, so a typing mistake never becomes a
//! silent default.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::base::{Error, Result};
use crate::objective::Config;
use crate::objective::rules::Selection;
use crate::script::Tier;
pub use crate::script::is_name;
use crate::warehouse;

/// What the outputs of a family are written in; decides which parser root and ops are handed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Artifact {
    Python,
    Text,
}

/// What the birth gate may hold an op against.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum KnownGood {
    /// The dev items labelled as passing.
    #[default]
    Dev,
}

/// The manifest of a pack.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    pub artifact: Artifact,
    /// Tiers that ops of this pack may have.
    pub tiers: Vec<Tier>,
    /// The expression that the author vouches for (METHOD section 12).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
    /// The plainest grader that needs no label; reported beside every metric.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<String>,
    #[serde(default)]
    pub known_good: KnownGood,
    /// Folder of the data that the pack is shown on, relative to the pack.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dataset: Option<String>,
    /// Failure class to its one-line meaning; closed.
    pub taxonomy: BTreeMap<String, String>,
    #[serde(default)]
    pub objective: Config,
    #[serde(default)]
    pub selection: Selection,
    #[serde(default)]
    pub limits: Limits,
    /// Where the databases are that the tasks name in `db`, and what a query may cost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warehouse: Option<Databases>,
}

/// The databases of a task family.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Databases {
    /// Their folder, relative to the pack.
    pub databases: String,
    #[serde(default)]
    pub limits: warehouse::Limits,
}

/// What one op may cost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// CPU time of one call, in milliseconds; a call past it is tried again with four times as much.
    pub call_cpu_ms: u32,
    /// CPU time of one call of the anchor's hidden tests, in milliseconds.
    pub anchor_cpu_ms: u32,
    /// Memory of one candidate process, in MiB.
    pub memory_mb: u32,
    /// Calls of one subject that may run out of CPU time before the rest of an op's requests is refused.
    pub timeouts: u8,
    /// Observations one op may see of one output, its peers' included; more and the op abstains.
    pub observations: usize,
    /// Peers an op sees.
    pub peers: usize,
    /// Python put in front of every candidate.
    pub prelude: String,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            call_cpu_ms: 1000,
            anchor_cpu_ms: 1000,
            memory_mb: 512,
            timeouts: 2,
            observations: 600,
            peers: 16,
            prelude: String::new(),
        }
    }
}

impl Manifest {
    /// Reads a manifest's text; `path` is for errors.
    pub fn parse(text: &str, path: &Path) -> Result<Self> {
        let manifest: Self = toml::from_str(text).map_err(|error| {
            let line = error.span().map(|span| text[..span.start.min(text.len())].matches('\n').count() + 1);
            Error::failure(error.message().replace('\n', " "))
                .at(path, line)
                .help("packs/README.md lists every key of a pack.toml")
        })?;
        manifest.validate().map_err(|error| error.at(path, None))?;
        Ok(manifest)
    }

    fn validate(&self) -> Result<()> {
        if !is_name(&self.name) {
            return Err(Error::failure(format!("`name` is \"{}\"", self.name)).help(NAME_HELP));
        }
        if self.tiers.is_empty() {
            return Err(Error::failure("`tiers` is empty").help("Name at least one of static, execution, judge"));
        }
        if self.taxonomy.is_empty() {
            return Err(
                Error::failure("[taxonomy] is empty").help("Name at least one failure class and say what it is")
            );
        }
        if let Some(class) = self.taxonomy.keys().find(|class| !is_name(class)) {
            return Err(Error::failure(format!("[taxonomy] names a class \"{class}\"")).help(NAME_HELP));
        }
        self.objective.check()?;
        self.selection.check()?;
        let limits = &self.limits;
        if [limits.call_cpu_ms, limits.anchor_cpu_ms, limits.memory_mb, limits.timeouts.into()].contains(&0) {
            return Err(Error::failure("[limits] has a limit of zero").help("Leave a limit out to get its default"));
        }
        if self.warehouse.as_ref().is_some_and(|warehouse| warehouse.limits.has_zero()) {
            let error = Error::failure("[warehouse.limits] has a limit of zero");
            return Err(error.help("Leave a limit out to get its default"));
        }
        Ok(())
    }
}

const NAME_HELP: &str = "A name starts with a lower-case letter and has lower-case letters, digits and underscores";

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str =
        "name = \"code\"\nartifact = \"python\"\ntiers = [\"static\"]\n\n[taxonomy]\nwrong = \"is wrong\"\n";

    fn parse(text: &str) -> Result<Manifest> {
        Manifest::parse(text, Path::new("pack.toml"))
    }

    #[test]
    fn defaults_are_those_of_the_method() {
        let manifest = parse(SMALL).unwrap();
        assert_eq!(manifest.objective, Config::default());
        assert_eq!((manifest.limits.observations, manifest.limits.peers), (600, 16));
    }

    #[test]
    fn an_unknown_key_names_its_line() {
        let error = parse(&SMALL.replace("tiers", "teirs")).unwrap_err().to_string();
        assert!(error.starts_with("pack.toml:3: unknown field `teirs`"), "{error}");
    }

    #[test]
    fn an_empty_taxonomy_and_a_bad_name_are_refused() {
        let error = parse(&SMALL.replace("wrong = \"is wrong\"\n", "")).unwrap_err().to_string();
        assert!(error.contains("[taxonomy] is empty"), "{error}");
        let error = parse(&SMALL.replace("\"code\"", "\"Code!\"")).unwrap_err().to_string();
        assert!(error.contains("`name` is \"Code!\""), "{error}");
    }
}
