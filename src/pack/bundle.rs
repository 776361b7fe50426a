//! `metric.json`: a metric that grades anywhere, with no pack beside it.
//!
//! A bundle holds text only: the expression, and the sources that it needs. It never holds bytecode, and a bundle
//! whose sources do not match their ids is refused.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::base::{Error, Id, Result};
use crate::expr::Expr;
use crate::pack::load::{Pack, Script, Scripts};
use crate::pack::manifest::Manifest;
use crate::script::{API_VERSION, Module};

/// The file name of a metric in a run's folder.
pub const METRIC: &str = "metric.json";

/// A metric and everything that it takes to apply it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bundle {
    /// Version of the host API that the sources were written against.
    pub api: u32,
    pub expression: String,
    pub manifest: Manifest,
    pub root: Source,
    /// The expression's leaves, by name.
    pub ops: Vec<Source>,
    /// Where the metric came from: data, seed, rule, dev agreement.
    pub provenance: serde_json::Value,
    /// The sealed audit, once there was one.
    #[serde(default)]
    pub audit: serde_json::Value,
}

/// A script and the id of its text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    pub path: String,
    pub id: String,
    pub source: String,
}

impl Source {
    /// A script as a bundle holds it: its path within the pack, so that it does not matter where the pack lies.
    fn of(module: &Module, pack: &Pack) -> Self {
        let source = module.source().to_string();
        let within = pack.dir().and_then(|dir| Path::new(module.path()).strip_prefix(dir).ok());
        let path = within.map_or_else(|| module.path().to_string(), |within| within.display().to_string());
        Self { path, id: source_id(&source), source }
    }

    fn script(&self) -> Script {
        Script { path: self.path.clone(), source: self.source.clone() }
    }
}

fn source_id(source: &str) -> String {
    Id::of("script", [source.as_bytes()]).to_string()
}

impl Bundle {
    /// Bundles `expression` with what it needs of `pack` and of `modules`, the scripts of its leaves by name.
    pub fn new(
        pack: &Pack,
        modules: &BTreeMap<String, Arc<Module>>,
        expression: &Expr,
        provenance: serde_json::Value,
    ) -> Result<Self> {
        let mut ops = Vec::new();
        for leaf in expression.ops() {
            ops.push(Source::of(modules.get(leaf).map_or_else(|| pack.op(leaf), Ok)?, pack));
        }
        let mut manifest = pack.manifest.clone();
        (manifest.default, manifest.baseline, manifest.dataset) = (None, None, None);
        Ok(Self {
            api: API_VERSION,
            expression: expression.to_string(),
            manifest,
            root: Source::of(pack.root(), pack),
            ops,
            provenance,
            audit: serde_json::Value::Null,
        })
    }

    /// Reads a bundle.
    ///
    /// # Errors
    /// Where the file is not a bundle, was written for another host API, or holds a source that was changed.
    pub fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).map_err(|error| Error::io(path, "read this metric", &error))?;
        let at = |error: serde_json::Error| {
            Error::failure(format!("this is not a metric bundle: {error}"))
                .at(path, Some(error.line()))
                .help("`gradus evolve PACK --data DATA -o RUN` writes one as RUN/metric.json")
        };
        let value: serde_json::Value = serde_json::from_str(&text).map_err(at)?;
        let api = value.get("api").and_then(serde_json::Value::as_u64);
        if let Some(api) = api.filter(|api| *api != u64::from(API_VERSION)) {
            return Err(Error::failure(format!(
                "this metric was written for host API {api}; this gradus has {API_VERSION}"
            ))
            .at(path, None)
            .help("Evolve it again with this version, or use the version that wrote it"));
        }
        let bundle: Self = serde_json::from_str(&text).map_err(at)?;
        for source in bundle.ops.iter().chain([&bundle.root]) {
            if source_id(&source.source) != source.id {
                return Err(Error::failure(format!("the source of {} does not match its id", source.path))
                    .at(path, None)
                    .help("The bundle was edited by hand or damaged; make it again from its pack"));
            }
        }
        Ok(bundle)
    }

    /// Writes the bundle whole or not at all.
    pub fn write(&self, path: &Path) -> Result<()> {
        let mut text = serde_json::to_string_pretty(self).map_err(|error| Error::failure(error.to_string()))?;
        text.push('\n');
        crate::base::file::write_whole(path, text.as_bytes())
    }

    /// Compiles the bundle's scripts into a pack that has just these ops, and its expression.
    pub fn open(&self, path: &Path) -> Result<(Pack, Expr)> {
        let scripts =
            Scripts { root: self.root.script(), ops: self.ops.iter().map(Source::script).collect(), anchor: None };
        let pack = Pack::compile(self.manifest.clone(), scripts, path)?;
        let expression = pack.declared(&self.expression, "expression", path)?;
        Ok((pack, expression))
    }
}
