//! The birth gate and what comes of its absence, with an author that writes good ops and bad ones.

use std::fmt::Write;
use std::path::Path;

use crate::audit::locked;
use crate::base::Result;
use crate::dataset::{Pool, Sizes};
use crate::grade::Grader;
use crate::journal::{Entry, Event, Standing};
use crate::metric_loop::author::{Author, Bench, Draft, Wish};
use crate::metric_loop::run::{Plan, Session, Unkept};
use crate::metric_loop::{Audit, Options};
use crate::pack::load::Scripts;
use crate::pack::{Manifest, Pack, Script};
use crate::store::Store;

const MANIFEST: &str = "name = 'hand'\nartifact = 'text'\ntiers = ['static']\ndefault = 'sleeper'\n
[taxonomy]\nwrong = 'is wrong'\n";
const ROOT: &str = "return { check = function(task, text) return clean(), { text = text } end }";

/// Scripts to hand in, one a wish.
struct Hands(Vec<(&'static str, &'static str)>);

/// Blames every output, the known-good ones included.
const BLAMES_ALL: &str = "return drawback('as ever')";
/// Finds what the outputs that are labelled fail have in common.
const FINDS: &str = "if artifact.text:find('bad', 1, true) then return drawback('is bad') end return clean()";
/// Never finds anything.
const SLEEPS: &str = "return clean()";
/// Fails wherever it is asked.
const FAULTS: &str = "error('as ever')";

impl Author for Hands {
    fn draft(&self, wish: &Wish, _: &mut Bench) -> Result<Result<Draft, String>> {
        let next = self.0.iter().find(|(name, _)| !wish.tried.contains(*name));
        Ok(next.ok_or_else(|| "there is nothing left".to_string()).map(|(name, check)| {
            let script = Script { path: format!("synthesized/{name}.lua"), source: source(check) };
            Draft { rule: name.to_string(), script }
        }))
    }
}

fn source(check: &str) -> String {
    format!(
        "return {{ detects = 'wrong', about = 'a test', tier = 'static', strength = 'evidence',
         check = function(task, artifact) {check} end }}"
    )
}

/// A pack whose one op finds nothing.
fn pack() -> Pack {
    let path = Path::new("pack.toml");
    let root = Script { path: "root.lua".into(), source: ROOT.into() };
    let sleeper = Script { path: "seeds/sleeper.lua".into(), source: source(SLEEPS) };
    let scripts = Scripts { root, ops: vec![sleeper], anchor: None };
    Pack::compile(Manifest::parse(MANIFEST, path).unwrap(), scripts, path).unwrap()
}

/// Twelve tasks with a good and a bad output each.
fn pool() -> Pool {
    let (mut tasks, mut outputs, mut labels) = (String::new(), String::new(), String::new());
    for (n, word) in (0..12).flat_map(|n| [(n, "good"), (n, "bad")]) {
        if word == "good" {
            writeln!(tasks, r#"{{"id": "t{n}", "prompt": "Be good."}}"#).unwrap();
        }
        writeln!(outputs, r#"{{"id": "t{n}#{word}", "task": "t{n}", "solver": "s", "text": "{word} {n}"}}"#).unwrap();
        writeln!(labels, r#"{{"output": "t{n}#{word}", "pass": {}}}"#, word == "good").unwrap();
    }
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [("tasks", tasks), ("outputs", outputs), ("labels", labels)] {
        std::fs::write(folder.path().join(format!("{name}.jsonl")), text).unwrap();
    }
    Pool::load(folder.path()).unwrap()
}

fn events(scripts: &[(&'static str, &'static str)], options: Options) -> Vec<Entry> {
    let pack = pack();
    let (dataset, sealed) = locked::split(&pool(), 0, Sizes { train: Some(5), dev: 4 }).unwrap();
    let store = Store::in_memory().unwrap();
    let grader = Grader::new(&pack, &store).threads(1);
    let author = Hands(scripts.to_vec());
    let plan = Plan {
        dataset: &dataset,
        options: &options,
        author: Some(&author),
        sealed: Some(&sealed),
        audit_nothing: false,
        id: "",
    };
    Session::new(&pack, &grader, dataset.corpus()).evolve(&plan, Vec::new(), &mut Unkept).unwrap().entries
}

fn options(lifecycle: bool) -> Options {
    Options { rounds: 6, lifecycle, audit: Audit::Never, ..Options::default() }
}

/// What became of ops, in order.
fn fates(entries: &[Entry]) -> Vec<String> {
    let fate = |entry: &Entry| {
        Some(match &entry.event {
            Event::Born { op, standing: Standing::Active, .. } => format!("{op} is born"),
            Event::Born { op, .. } => format!("{op} is born as a shadow"),
            Event::Rejected { op, why, .. } => format!("{op} is rejected: {}", why.split(" on ").next().unwrap()),
            Event::Promoted { op, .. } => format!("{op} is promoted"),
            Event::Retired { op, .. } => format!("{op} retires"),
            Event::Expired { op, .. } => format!("{op} expires"),
            _ => return None,
        })
    };
    entries.iter().filter_map(fate).collect()
}

const SCRIPTS: [(&str, &str); 4] =
    [("blames_all", BLAMES_ALL), ("faults", FAULTS), ("sleeps", SLEEPS), ("finds", FINDS)];

#[test]
fn the_gate_rejects_what_blames_or_faults_on_known_good_outputs_or_finds_nothing_and_says_why() {
    let expected = [
        "blames_all is rejected: it blames or faults",
        "faults is rejected: it blames or faults",
        "sleeps is rejected: it fires",
        "finds is born as a shadow",
        "finds is promoted",
    ];
    assert_eq!(fates(&events(&SCRIPTS, options(true))), expected);
}

#[test]
fn without_lifecycle_every_op_is_born_active_and_none_is_rejected_promoted_or_retired() {
    let expected = ["blames_all is born", "faults is born", "sleeps is born", "finds is born"];
    assert_eq!(fates(&events(&SCRIPTS, options(false))), expected);
}
