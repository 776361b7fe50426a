//! Flags, environment and `gradus.toml`, in that order of strength.
//!
//! Nothing below the command line reads the environment; what a layer needs to know is handed to it from here.

use std::path::{Path, PathBuf};

use clap::Args;
use serde::Deserialize;

use crate::base::{Error, Result};
use crate::store::Store;

/// Options of every command.
#[derive(Args)]
pub struct Shared {
    /// File of the verdict and observation cache [default: gradus/cache.sqlite in the user's cache folder]
    #[arg(long, global = true, value_name = "FILE", help_heading = "Shared options")]
    cache: Option<PathBuf>,
    /// Keep nothing between runs
    #[arg(long, global = true, conflicts_with = "cache", help_heading = "Shared options")]
    no_cache: bool,
    /// Threads for scripts, and candidates run at once [default: one a core]
    #[arg(long, global = true, value_name = "N", help_heading = "Shared options")]
    threads: Option<usize>,
    /// Python interpreter for candidates [default: python3 on the path]
    #[arg(long, global = true, value_name = "PATH", help_heading = "Shared options")]
    python: Option<PathBuf>,
    /// Folder of the databases that tasks name in `db` [default: the pack's own]
    #[arg(long, global = true, value_name = "FOLDER", help_heading = "Shared options")]
    databases: Option<PathBuf>,
}

/// `gradus.toml` in the current folder.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    cache: Option<PathBuf>,
    threads: Option<usize>,
    python: Option<PathBuf>,
    databases: Option<PathBuf>,
}

/// What the commands run with.
pub struct Settings {
    /// `None` keeps the cache in memory.
    pub cache: Option<PathBuf>,
    pub threads: usize,
    pub python: Option<PathBuf>,
    pub databases: Option<PathBuf>,
}

impl Shared {
    pub fn resolve(&self) -> Result<Settings> {
        let file = File::read(Path::new("gradus.toml"))?;
        let threads = self.threads.or(env_number("GRADUS_THREADS")?).or(file.threads);
        if threads == Some(0) {
            return Err(Error::usage("zero threads cannot do anything").help("Leave --threads out for one a core"));
        }
        let cache = self.cache.clone().or_else(|| env_path("GRADUS_CACHE")).or(file.cache).or_else(default_cache);
        Ok(Settings {
            cache: cache.filter(|_| !self.no_cache),
            threads: threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from)),
            python: self.python.clone().or_else(|| env_path("GRADUS_PYTHON")).or(file.python),
            databases: self.databases.clone().or_else(|| env_path("GRADUS_DATABASES")).or(file.databases),
        })
    }
}

impl Settings {
    /// Opens the cache that was asked for.
    pub fn store(&self) -> Result<Store> {
        match &self.cache {
            Some(path) => Store::open(path),
            None => Store::in_memory(),
        }
    }
}

impl File {
    fn read(path: &Path) -> Result<Self> {
        if !path.is_file() {
            return Ok(Self::default());
        }
        let text = std::fs::read_to_string(path).map_err(|error| Error::io(path, "read the settings", &error))?;
        toml::from_str(&text).map_err(|error| {
            let line = error.span().map(|span| text[..span.start.min(text.len())].matches('\n').count() + 1);
            Error::usage(error.message().replace('\n', " "))
                .at(path, line)
                .help("It may set cache, threads and python, and databases")
        })
    }
}

fn env_path(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

fn env_number(name: &str) -> Result<Option<usize>> {
    let Some(value) = std::env::var_os(name).filter(|value| !value.is_empty()) else { return Ok(None) };
    let number = value.to_str().and_then(|text| text.parse().ok());
    number.map(Some).ok_or_else(|| Error::usage(format!("{name} is {value:?}")).help("Give it a whole number"))
}

fn default_cache() -> Option<PathBuf> {
    let base = env_path("XDG_CACHE_HOME").or_else(|| Some(env_path("HOME")?.join(".cache")))?;
    Some(base.join("gradus").join("cache.sqlite"))
}
