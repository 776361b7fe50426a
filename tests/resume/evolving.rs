//! A small pool, a small copy of the code pack, and runs on them that are compared byte for byte.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use gradus::store::DATABASE;
use serde_json::Value;
use tempfile::TempDir;

use crate::support::{command, gradus, stderr};

/// Tasks with both classes among their outputs and nothing that runs into a time limit.
const TASKS: [&str; 6] =
    ["border-sum", "initials", "majority-vote", "minutes-between", "shared-letters", "weighted-mean"];
/// Seeds that leave something to be found.
const SEEDS: [&str; 4] = ["hard_coded_example", "mutates_arguments", "no_value", "prints_not_returns"];
/// What is told to a run besides its folders.
pub const OPTIONS: [&str; 4] = ["--selection", "paper", "--rounds", "3"];

/// A folder with a pack, a dataset whose openings are its own, an empty cache, and at most one run.
pub struct Place(TempDir);

/// Everything of a run that is to be the same.
#[derive(Clone, PartialEq, Eq)]
pub struct Made {
    pub events: String,
    /// Nothing where the run came to no metric, or has not ended.
    pub metric: Option<String>,
    pub ops: BTreeMap<String, String>,
}

/// A run that nothing disturbed, with two threads and an empty cache.
pub struct Undisturbed {
    pub place: Place,
    pub made: Made,
    pub lasted: Duration,
    pub commits: usize,
}

pub static UNDISTURBED: LazyLock<Undisturbed> = LazyLock::new(|| {
    let place = Place::new();
    let started = Instant::now();
    let ended = place.begin(&["--threads", "2"]);
    let lasted = started.elapsed();
    assert_eq!(ended.status.code(), Some(0), "{}", stderr(&ended));
    let (made, commits) = (place.made(), place.commits());
    Undisturbed { place, made, lasted, commits }
});

/// Pack and dataset, made once.
static TEMPLATE: LazyLock<TempDir> = LazyLock::new(|| {
    let dir = tempfile::tempdir().unwrap();
    pool(&dir.path().join("pool"), &TASKS);
    pack(&dir.path().join("pack"));
    split(dir.path(), "pool", "3", "data");
    dir
});

impl Place {
    pub fn new() -> Self {
        let place = tempfile::tempdir().unwrap();
        copy_folder(TEMPLATE.path(), place.path());
        Self(place)
    }

    /// A place with the verdicts of an undisturbed run in its cache, for what is not about killing.
    pub fn warm() -> Self {
        let place = Self::new();
        fs::copy(UNDISTURBED.place.path().join("cache.sqlite"), place.path().join("cache.sqlite")).unwrap();
        place
    }

    /// A copy of a place with its run.
    pub fn copy(other: &Self) -> Self {
        let place = tempfile::tempdir().unwrap();
        copy_folder(other.path(), place.path());
        Self(place)
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    pub fn run(&self) -> PathBuf {
        self.path().join("run")
    }

    /// The command that begins a run.
    pub fn beginning(&self, more: &[&str]) -> Command {
        let mut begin = command(self.path());
        begin.args(["evolve", "pack", "--data", "data", "-o", "run", "--cache", "cache.sqlite"]);
        begin.args(OPTIONS).args(more);
        begin
    }

    /// The command that goes on, from what the run itself knows.
    pub fn resuming(&self, more: &[&str]) -> Command {
        let mut resume = command(self.path());
        resume.args(["evolve", "--resume", "run", "--cache", "cache.sqlite"]).args(more);
        resume
    }

    pub fn begin(&self, more: &[&str]) -> Output {
        self.beginning(more).output().unwrap()
    }

    pub fn resume(&self, more: &[&str]) -> Output {
        self.resuming(more).output().unwrap()
    }

    /// Goes on to the end, and holds what was made against a run that nothing disturbed.
    #[track_caller]
    pub fn resume_to_the_same(&self, more: &[&str], what: &str) {
        let ended = self.resume(more);
        assert_eq!(ended.status.code(), Some(0), "{what}: {}", stderr(&ended));
        assert_same(&self.made(), &UNDISTURBED.made, what);
        assert_eq!(self.openings(), 1, "{what}");
    }

    pub fn made(&self) -> Made {
        let read = |path: &Path| fs::read_to_string(path).unwrap();
        let ops = files(&self.run().join("ops")).into_iter();
        Made {
            events: read(&self.run().join("events.jsonl")),
            metric: fs::read_to_string(self.run().join("metric.json")).ok(),
            ops: ops.map(|(name, bytes)| (name, String::from_utf8(bytes).unwrap())).collect(),
        }
    }

    /// How often the dataset says that its labels were opened.
    pub fn openings(&self) -> usize {
        fs::read_to_string(self.path().join("data/openings.jsonl")).unwrap_or_default().lines().count()
    }

    /// How often the run was written to.
    pub fn commits(&self) -> usize {
        let database = rusqlite::Connection::open(self.run().join(DATABASE)).unwrap();
        let commits: u32 = database.query_row("SELECT count(*) FROM commits", [], |row| row.get(0)).unwrap();
        commits as usize
    }
}

impl Made {
    /// The events of some kinds, or of all others.
    pub fn lines(&self, kept: impl Fn(&str) -> bool) -> Vec<&str> {
        self.events.lines().filter(|line| kept(&kind(line))).collect()
    }

    pub fn count(&self, event: &str) -> usize {
        self.lines(|kind| kind == event).len()
    }
}

fn kind(line: &str) -> String {
    let event: Value = serde_json::from_str(line).unwrap();
    event["event"].as_str().unwrap().to_owned()
}

/// Says where two runs first differ.
#[track_caller]
pub fn assert_same(made: &Made, whole: &Made, what: &str) {
    assert_same_text(&made.events, &whole.events, &format!("{what}: events.jsonl"));
    let metric = |made: &Made| made.metric.clone().unwrap_or_default();
    assert_same_text(&metric(made), &metric(whole), &format!("{what}: metric.json"));
    assert_eq!(made.ops, whole.ops, "{what}: ops");
}

#[track_caller]
fn assert_same_text(one: &str, other: &str, what: &str) {
    for (n, (one, other)) in (1..).zip(one.lines().zip(other.lines())) {
        assert_eq!(one, other, "{what}: line {n}");
    }
    assert_eq!(one.len(), other.len(), "{what}: its length");
}

/// The files below a folder by name, as they are.
pub fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if path.is_dir() {
            found.extend(files(&path).into_iter().map(|(inner, bytes)| (format!("{name}/{inner}"), bytes)));
        } else {
            found.insert(name, fs::read(&path).unwrap());
        }
    }
    found
}

pub fn copy_folder(from: &Path, to: &Path) {
    for (name, bytes) in files(from) {
        let path = to.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
}

/// Some tasks of fixtures/code, as they are there.
pub fn pool(to: &Path, tasks: &[&str]) {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/code");
    fs::create_dir_all(to).unwrap();
    let keys = [("tasks", "id"), ("outputs", "task"), ("labels", "output"), ("reference", "task")];
    for (name, key) in keys.map(|(name, key)| (format!("{name}.jsonl"), key)) {
        let text = fs::read_to_string(from.join(&name)).unwrap();
        let kept = text.lines().filter(|line| {
            let record: Value = serde_json::from_str(line).unwrap();
            tasks.contains(&record[key].as_str().unwrap().split('#').next().unwrap())
        });
        fs::write(to.join(name), kept.map(|line| format!("{line}\n")).collect::<String>()).unwrap();
    }
}

/// The code pack with a few of its seeds, and a default over what is left.
fn pack(to: &Path) {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("packs/code");
    fs::create_dir_all(to.join("seeds")).unwrap();
    for name in ["anchor.lua", "features.lua", "root.lua"] {
        fs::copy(from.join(name), to.join(name)).unwrap();
    }
    for name in SEEDS.map(|seed| format!("seeds/{seed}.lua")) {
        fs::copy(from.join(&name), to.join(&name)).unwrap();
    }
    let manifest = fs::read_to_string(from.join("pack.toml")).unwrap();
    let is_kept = |line: &&str| !["default", "baseline", "dataset"].iter().any(|key| line.starts_with(key));
    let kept: String = manifest.lines().filter(is_kept).map(|line| format!("{line}\n")).collect();
    fs::write(to.join("pack.toml"), format!("default = \"no_value\"\n{kept}")).unwrap();
}

pub fn split(dir: &Path, pool: &str, seed: &str, to: &str) {
    let made = gradus(dir, &["split", pool, "--seed", seed, "--dev", "2", "--train", "2", "-o", to]);
    assert!(made.status.success(), "{}", stderr(&made));
}
