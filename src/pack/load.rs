//! From a folder to a checked pack: every script compiled, every name looked at, nothing half-loaded.
//!
//! Reads files once and never again; what a pack cannot be used for is an error here, not a surprise in a run.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::base::{Error, Id, Kind, Result};
use crate::expr::Expr;
use crate::pack::manifest::{Artifact, Manifest, is_name};
use crate::script::{Document, Feature, Features, Host, Module, Role, Tier};

/// The folder of a pack's ops that were born in runs.
pub const SYNTHESIZED: &str = "synthesized";

/// A script as text, with the path that errors and people call it by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Script {
    pub path: String,
    pub source: String,
}

/// A task family, ready to be run.
pub struct Pack {
    pub manifest: Manifest,
    dir: Option<PathBuf>,
    host: Host,
    root: Arc<Module>,
    ops: Vec<Arc<Module>>,
    anchor: Option<Arc<Module>>,
    features: Option<Arc<Module>>,
    default: Option<Expr>,
    baseline: Option<Expr>,
}

/// The scripts of a pack before they are compiled.
pub struct Scripts {
    pub root: Script,
    pub ops: Vec<Script>,
    pub anchor: Option<Script>,
}

impl Pack {
    /// Loads the pack in folder `dir`.
    ///
    /// # Errors
    /// The first file that cannot be read, does not compile or breaks a contract, with its line and a remedy.
    pub fn load(dir: impl AsRef<Path>) -> Result<Self> {
        Self::load_with(dir.as_ref(), Vec::new())
    }

    /// Loads the pack as it would be with more ops.
    ///
    /// # Errors
    /// As for `load`, the added ops included.
    pub fn load_with(dir: &Path, more: Vec<Script>) -> Result<Self> {
        let manifest_path = dir.join("pack.toml");
        if !manifest_path.is_file() {
            return Err(Error::failure("there is no pack.toml here")
                .at(dir, None)
                .help("A pack is a folder with pack.toml, root.lua and seeds/; `gradus new DIR` makes one"));
        }
        let manifest = Manifest::parse(&read(&manifest_path)?.source, &manifest_path)?;
        let mut ops = scripts_in(&dir.join("seeds"))?;
        ops.extend(scripts_in(&dir.join(SYNTHESIZED))?);
        ops.extend(more);
        let anchor = dir.join("anchor.lua");
        let anchor = if anchor.is_file() { Some(read(&anchor)?) } else { None };
        let scripts = Scripts { root: read(&dir.join("root.lua"))?, ops, anchor };
        let mut pack = Self::compile(manifest, scripts, &manifest_path)?;
        pack.dir = Some(dir.to_path_buf());
        let features = dir.join("features.lua");
        if features.is_file() {
            pack.measure_with(&read(&features)?)?;
        }
        Ok(pack)
    }

    /// Compiles a pack from text; `manifest_path` is for errors about the manifest's expressions.
    pub fn compile(manifest: Manifest, scripts: Scripts, manifest_path: &Path) -> Result<Self> {
        let host = Host::new(Default::default(), manifest.taxonomy.keys().cloned().collect());
        let load = |role, script: &Script| host.load(role, &script.path, &script.source).map(Arc::new);
        let root = load(Role::Root, &scripts.root)?;
        let anchor = scripts.anchor.as_ref().map(|script| load(Role::Anchor, script)).transpose()?;
        let mut ops: Vec<Arc<Module>> = Vec::with_capacity(scripts.ops.len());
        for script in &scripts.ops {
            let op = load(Role::Op, script)?;
            check_op(&op, &ops, &manifest)?;
            ops.push(op);
        }
        ops.sort_by(|a, b| a.name().cmp(b.name()));
        let expression = |key: &str, text: &Option<String>| {
            text.as_deref().map(|text| parse_expression(text, &ops, key, manifest_path)).transpose()
        };
        let default = expression("default", &manifest.default)?;
        let baseline = expression("baseline", &manifest.baseline)?;
        Ok(Self { manifest, dir: None, host, root, ops, anchor, features: None, default, baseline })
    }

    /// Gives the pack the measurements of a features file.
    pub fn measure_with(&mut self, script: &Script) -> Result<()> {
        let module = self.host.load(Role::Features, &script.path, &script.source)?;
        for feature in module.features().map_or(&[][..], Features::all) {
            check_tier(feature.tier(), module.path(), &self.manifest)?;
        }
        self.features = Some(Arc::new(module));
        Ok(())
    }

    /// The same pack with some of its ops alone. Its default and its baseline lose the others, and are gone where nothing
    /// is left.
    pub fn only(self, ops: &[&str]) -> Self {
        let (kept, dropped): (Vec<_>, Vec<_>) = self.ops.into_iter().partition(|op| ops.contains(&op.name()));
        let less = |expr: Option<Expr>| dropped.iter().fold(expr, |expr, op| expr?.without(op.name()));
        Self { ops: kept, default: less(self.default), baseline: less(self.baseline), ..self }
    }

    /// The folder that the pack was loaded from; none for a pack out of a metric bundle.
    pub fn dir(&self) -> Option<&Path> {
        self.dir.as_deref()
    }

    /// The folder of the data that the pack is shown on, where it names one.
    pub fn dataset(&self) -> Option<PathBuf> {
        Some(self.dir.as_ref()?.join(self.manifest.dataset.as_ref()?))
    }

    /// The folder of the databases that the pack's tasks name, where it says.
    pub fn databases(&self) -> Option<PathBuf> {
        Some(self.dir.as_ref()?.join(&self.manifest.warehouse.as_ref()?.databases))
    }

    /// A text as this pack's scripts are handed it.
    pub fn document(&self, text: Arc<str>) -> Document {
        match self.manifest.artifact {
            Artifact::Python => Document::python(text),
            Artifact::Text => Document::plain(text),
        }
    }

    pub fn host(&self) -> &Host {
        &self.host
    }

    pub fn root(&self) -> &Arc<Module> {
        &self.root
    }

    /// All ops, by name.
    pub fn ops(&self) -> &[Arc<Module>] {
        &self.ops
    }

    pub fn anchor(&self) -> Option<&Arc<Module>> {
        self.anchor.as_ref()
    }

    /// The id of the script that the measurements come from.
    pub fn features_id(&self) -> Option<Id> {
        self.features.as_ref().map(|module| module.id())
    }

    /// What the op miner may measure, where the pack says so.
    pub fn features(&self) -> Option<&Features> {
        self.features.as_ref()?.features()
    }

    /// For each measurement, in order, the op of its name whose message is what it comes to.
    ///
    /// # Errors
    /// Where a gauge does not load.
    pub fn gauges(&self) -> Result<Vec<Arc<Module>>> {
        let Some(features) = self.features() else { return Ok(Vec::new()) };
        let gauge = |feature: &Feature| {
            let path = format!("gauges/{}.lua", feature.name);
            self.host.load(Role::Op, &path, &features.gauge(feature)).map(Arc::new)
        };
        features.all().iter().map(gauge).collect()
    }

    /// Whether an op or a measurement has outputs run.
    pub fn runs_candidates(&self) -> bool {
        let measured = self.features().map_or(&[][..], Features::all);
        self.ops.iter().any(|op| op.plans()) || measured.iter().any(|feature| feature.tier() != Tier::Static)
    }

    /// The op of this name.
    ///
    /// # Errors
    /// Where there is none, an error that names those that exist.
    pub fn op(&self, name: &str) -> Result<&Arc<Module>> {
        self.ops.iter().find(|op| op.name() == name).ok_or_else(|| unknown_op(Kind::Usage, name, &self.ops))
    }

    /// The expression that the pack's author vouches for.
    pub fn default_expression(&self) -> Option<&Expr> {
        self.default.as_ref()
    }

    /// The plainest grader that needs no label.
    pub fn baseline_expression(&self) -> Option<&Expr> {
        self.baseline.as_ref()
    }

    /// Parses an expression over this pack's ops.
    pub fn expression(&self, text: &str) -> Result<Expr> {
        let expr =
            text.parse::<Expr>().map_err(|error| Error::usage(format!("in the expression `{text}`: {error}")))?;
        leaves_exist(Kind::Usage, &expr, &self.ops)?;
        Ok(expr)
    }

    /// Parses an expression that file `path` declares under `key`.
    pub(super) fn declared(&self, text: &str, key: &str, path: &Path) -> Result<Expr> {
        parse_expression(text, &self.ops, key, path)
    }
}

fn parse_expression(text: &str, ops: &[Arc<Module>], key: &str, path: &Path) -> Result<Expr> {
    let expr = text
        .parse::<Expr>()
        .map_err(|error| Error::failure(format!("`{key}` = \"{text}\": {error}")).at(path, None))?;
    leaves_exist(Kind::Failure, &expr, ops).map_err(|error| error.at(path, None))?;
    Ok(expr)
}

fn leaves_exist(kind: Kind, expr: &Expr, ops: &[Arc<Module>]) -> Result<()> {
    match expr.ops().into_iter().find(|leaf| ops.iter().all(|op| op.name() != *leaf)) {
        Some(leaf) => Err(unknown_op(kind, leaf, ops)),
        None => Ok(()),
    }
}

fn unknown_op(kind: Kind, name: &str, ops: &[Arc<Module>]) -> Error {
    let names: Vec<&str> = ops.iter().map(|op| op.name()).collect();
    let names = if names.is_empty() { vec!["none"] } else { names };
    Error::new(kind, format!("this pack has no op `{name}`")).help(format!("It has {}", names.join(", ")))
}

fn check_op(op: &Module, earlier: &[Arc<Module>], manifest: &Manifest) -> Result<()> {
    if !is_name(op.name()) {
        return Err(Error::failure(format!("`{}` is not an op's name", op.name()))
            .at(op.path(), None)
            .help("An op is named by its file: lower-case letters, digits and underscores, a letter first"));
    }
    if let Some(twin) = earlier.iter().find(|other| other.name() == op.name()) {
        return Err(Error::failure(format!("an op named `{}` exists already in {}", op.name(), twin.path()))
            .at(op.path(), None)
            .help("Rename one of the two files"));
    }
    op.op().map_or(Ok(()), |meta| check_tier(meta.tier, op.path(), manifest))
}

fn check_tier(tier: Tier, path: &str, manifest: &Manifest) -> Result<()> {
    if manifest.tiers.contains(&tier) {
        return Ok(());
    }
    Err(Error::failure(format!("tier {} is not among the pack's `tiers`", tier.word()))
        .at(path, None)
        .help("Add it to pack.toml, or choose another tier"))
}

fn read(path: &Path) -> Result<Script> {
    let source = std::fs::read_to_string(path).map_err(|error| Error::io(path, "read this script", &error))?;
    Ok(Script { path: path.display().to_string(), source })
}

/// The Lua files of a folder by name; none where the folder does not exist.
fn scripts_in(dir: &Path) -> Result<Vec<Script>> {
    if !dir.is_dir() {
        return Ok(Vec::new());
    }
    let entries = std::fs::read_dir(dir).map_err(|error| Error::io(dir, "list this folder", &error))?;
    let mut paths = Vec::new();
    for entry in entries {
        let path = entry.map_err(|error| Error::io(dir, "list this folder", &error))?.path();
        if path.extension().is_some_and(|extension| extension == "lua") {
            paths.push(path);
        }
    }
    paths.sort();
    paths.iter().map(|path| read(path)).collect()
}
