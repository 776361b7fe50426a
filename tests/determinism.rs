//! The same input gives the same bytes: in another process, with more threads, with a warm cache, after a run that was
//! stopped or killed; and the sealed labels have no part in a metric.

mod support;
#[path = "support/code.rs"]
mod code;

use std::fs;
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::LazyLock;
use std::thread::sleep;
use std::time::Duration;

use code::{code_pack, code_pool};
use support::{command, gradus, stderr, stdout};
use tempfile::TempDir;

/// Everything of a run that is to be the same.
#[derive(PartialEq, Eq)]
struct Made {
    json: String,
    metric: String,
}

impl std::fmt::Debug for Made {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{}\n{}", self.json, self.metric)
    }
}

/// A folder with the pool, split: each has openings of its own, which are counted in what a run says.
fn fresh() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    code_pool(dir.path());
    let split = gradus(dir.path(), &["split", "pool", "--seed", "3", "--dev", "2", "--train", "3", "-o", "data"]);
    assert!(split.status.success(), "{}", stderr(&split));
    dir
}

fn evolve<'a>(pack: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&["evolve", pack, "--data", "data", "-o", "run", "--json"][..], more].concat()
}

fn run(dir: &Path, more: &[&str]) -> Made {
    let pack = code_pack();
    made(dir, &evolve(pack.to_str().unwrap(), more))
}

fn resume(dir: &Path, threads: &str) -> Made {
    made(dir, &["evolve", "--resume", "run", "--json", "--threads", threads, "--cache", "cache.sqlite"])
}

fn made(dir: &Path, args: &[&str]) -> Made {
    let output = gradus(dir, args);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let made = Made { json: stdout(&output), metric: fs::read_to_string(dir.join("run/metric.json")).unwrap() };
    fs::remove_dir_all(dir.join("run")).unwrap();
    made
}

/// One run with one thread and an empty cache, which stays where it is for those who want a warm one.
static FIRST: LazyLock<(TempDir, Made)> = LazyLock::new(|| {
    let dir = fresh();
    let made = run(dir.path(), &["--threads", "1", "--cache", "cache.sqlite"]);
    (dir, made)
});

fn warm_cache(dir: &Path) {
    let from = FIRST.0.path().join("cache.sqlite");
    fs::copy(from, dir.join("cache.sqlite")).unwrap();
}

#[test]
fn the_metric_and_the_figures_are_real() {
    let facts: serde_json::Value = serde_json::from_str(&FIRST.1.json).unwrap();
    assert_eq!(facts["metric"], "(any crashes_on_example fails_example departs_from_peers)");
    assert_eq!(facts["faults"], 0);
    assert_eq!(facts["sealed"]["openings"], 1);
    assert_eq!(facts["sealed"]["n_tasks"], 3);
    assert!(facts["sealed"]["balanced"].as_f64().unwrap() > 0.5, "{facts}");
}

#[test]
fn another_process_with_two_threads_and_a_fresh_cache_makes_the_same() {
    let dir = fresh();
    assert_eq!(run(dir.path(), &["--threads", "2", "--cache", "other.sqlite"]), FIRST.1);
}

#[test]
fn a_warm_cache_makes_the_same() {
    LazyLock::force(&FIRST);
    let dir = fresh();
    warm_cache(dir.path());
    assert_eq!(run(dir.path(), &["--threads", "2", "--cache", "cache.sqlite"]), FIRST.1);
}

/// Starts a run and waits until it is in its folder and candidates can be run.
fn start(dir: &Path) -> Option<Child> {
    let pack = code_pack();
    let args = evolve(pack.to_str().unwrap(), &["--threads", "2", "--cache", "cache.sqlite"]);
    let child = command(dir).args(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let children = format!("/proc/{0}/task/{0}/children", child.id());
    for _ in 0..2000 {
        match fs::read_to_string(&children) {
            Ok(pids) if !pids.trim().is_empty() && dir.join("run/run.sqlite").exists() => return Some(child),
            Ok(_) => sleep(Duration::from_millis(5)),
            Err(_) => break,
        }
    }
    println!("skipped: cannot see a process's children here");
    None
}

fn signal(child: &Child, name: &str) {
    let sent = std::process::Command::new("kill").args([format!("-{name}"), child.id().to_string()]).status();
    assert!(sent.unwrap().success());
}

#[test]
fn a_run_that_was_interrupted_goes_on_and_makes_the_same() {
    let dir = fresh();
    let Some(child) = start(dir.path()) else { return };
    signal(&child, "INT");
    let output = child.wait_with_output().unwrap();
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(said.contains("stopping after the outputs in work"), "{said}");
    assert!(said.contains("Go on with `gradus evolve --resume run`"), "{said}");
    assert_eq!(stdout(&output), "");
    assert!(!dir.path().join("run/metric.json").exists(), "an interrupted run leaves no metric");
    assert!(!dir.path().join("data/openings.jsonl").exists(), "and opens no seal");
    assert_eq!(resume(dir.path(), "1"), FIRST.1);
}

#[test]
fn a_run_that_was_killed_goes_on_and_makes_the_same() {
    let dir = fresh();
    let Some(mut child) = start(dir.path()) else { return };
    signal(&child, "KILL");
    assert!(!child.wait().unwrap().success());
    assert_eq!(resume(dir.path(), "2"), FIRST.1);
}

#[test]
fn sealed_labels_have_no_part_in_a_metric() {
    LazyLock::force(&FIRST);
    let closed = |change: fn(&Path)| {
        let dir = fresh();
        warm_cache(dir.path());
        change(&dir.path().join("data/sealed.jsonl"));
        let made = run(dir.path(), &["--cache", "cache.sqlite", "--no-audit"]);
        assert!(!dir.path().join("data/openings.jsonl").exists());
        made
    };
    let untouched = closed(|_| ());
    assert_eq!(closed(flip), untouched);
    assert_eq!(closed(|path| fs::remove_file(path).unwrap()), untouched);
    let without_audit = |metric: &str| {
        let mut bundle: serde_json::Value = serde_json::from_str(metric).unwrap();
        bundle["audit"] = serde_json::Value::Null;
        bundle
    };
    assert_eq!(without_audit(&untouched.metric), without_audit(&FIRST.1.metric));
}

/// Turns every pass into a fail and every fail into a pass.
fn flip(path: &Path) {
    let text = fs::read_to_string(path).unwrap();
    let flipped = text.replace("true", "?").replace("false", "true").replace('?', "false");
    assert_ne!(flipped, text);
    fs::write(path, flipped).unwrap();
}

#[test]
fn labels_that_are_not_those_that_were_sealed_are_refused() {
    LazyLock::force(&FIRST);
    let refused = |change: fn(&Path), words: &[&str]| {
        let dir = fresh();
        warm_cache(dir.path());
        change(&dir.path().join("data/sealed.jsonl"));
        let pack = code_pack();
        let output = gradus(dir.path(), &evolve(pack.to_str().unwrap(), &["--cache", "cache.sqlite"]));
        assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
        for word in words {
            assert!(stderr(&output).contains(word), "{}", stderr(&output));
        }
        assert_eq!(stdout(&output), "");
        assert!(!dir.path().join("run/metric.json").exists());
        let openings = fs::read_to_string(dir.path().join("data/openings.jsonl")).unwrap();
        assert_eq!(openings.lines().count(), 1, "an opening counts even when the labels are refused");
    };
    refused(flip, &["data/sealed.jsonl", "not the labels that were sealed", "Restore the file"]);
    refused(|path| fs::remove_file(path).unwrap(), &["data/sealed.jsonl", "No such file", "Restore the file"]);
}
