//! Runs whose process is killed, stopped or given other threads: going on gives the same bytes, and one opening.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::sleep;
use std::time::Duration;

use gradus::audit::locked;
use gradus::base::rng::Stream;
use gradus::grade::Grader;
use gradus::metric_loop::folder::RunFolder;
use gradus::metric_loop::header::header;
use gradus::metric_loop::mining::Miner;
use gradus::metric_loop::run::{Plan, Session};
use gradus::metric_loop::{Audit, Options};
use gradus::objective::Rule;
use gradus::pack::Pack;
use gradus::store::{DATABASE, Edge, RunFile, Store};
use serde_json::json;

use crate::evolving::{Place, UNDISTURBED, assert_same};
use crate::support::{stderr, stdout};

const DIR: &str = "GRADUS_TEST_DIR";
const MOMENT: &str = "GRADUS_TEST_MOMENT";

#[test]
fn ops_are_born_promoted_and_retired_in_the_run_that_is_disturbed() {
    let made = &UNDISTURBED.made;
    let counts = ["ended", "born", "promoted", "retired", "audited"].map(|event| made.count(event));
    assert_eq!(counts, [4, 2, 1, 4, 1]);
    assert_eq!(UNDISTURBED.commits, 6, "four rounds, the end, and the audit");
    let births: Vec<String> = made.ops.keys().cloned().collect();
    assert_eq!(births.len(), 2, "{births:?}");
    let metric = made.metric.as_ref().unwrap();
    let grown = births.iter().filter(|op| metric.contains(op.strip_suffix(".lua").unwrap())).count();
    assert!(grown > 0, "no op that was born is in the metric:\n{metric}");
    assert_eq!(UNDISTURBED.place.openings(), 1);
}

#[test]
fn one_thread_makes_what_two_make() {
    let place = Place::new();
    let ended = place.begin(&["--threads", "1"]);
    assert_eq!(ended.status.code(), Some(0), "{}", stderr(&ended));
    assert_same(&place.made(), &UNDISTURBED.made, "one thread");
}

/// Kills a run at one edge of each of its commits, and goes on each time.
fn killed_at(edge: Edge) {
    for commit in 0..UNDISTURBED.commits {
        let what = format!("killed {edge:?} in commit {commit}");
        let place = Place::new();
        let died = die_at(&place, &format!("{commit} {edge:?}"));
        assert!(!died.success(), "{what}: the process was to die");
        let kept = if matches!(edge, Edge::Before | Edge::Inside) { commit } else { commit + 1 };
        // To read is to roll back what the process left, which is for the command to do.
        let copy = Place::copy(&place);
        RunFile::read(&copy.run()).unwrap().events().unwrap();
        assert_eq!(copy.commits(), kept, "{what}");
        assert_eq!(place.openings(), usize::from(commit + 1 == UNDISTURBED.commits), "{what}");
        assert!(!place.run().join("metric.json").exists(), "{what}");
        place.resume_to_the_same(&["--threads", if commit % 2 == 0 { "1" } else { "2" }], &what);
        assert_eq!(place.commits(), UNDISTURBED.commits, "{what}");
    }
}

#[test]
fn a_run_that_is_killed_before_any_commit_goes_on_to_the_same_bytes() {
    killed_at(Edge::Before);
}

#[test]
fn a_run_that_is_killed_inside_any_commit_goes_on_to_the_same_bytes() {
    killed_at(Edge::Inside);
}

#[test]
fn a_run_that_is_killed_after_any_commit_goes_on_to_the_same_bytes() {
    killed_at(Edge::Committed);
}

#[test]
fn a_run_that_is_killed_once_its_events_lie_beside_the_old_ones_goes_on_to_the_same_bytes() {
    killed_at(Edge::Written);
}

#[test]
fn a_run_that_is_killed_once_its_events_are_in_place_goes_on_to_the_same_bytes() {
    killed_at(Edge::Projected);
}

/// Begins a run in a process of its own that dies at a moment: a commit, counted from 0, and an edge.
pub fn die_at(place: &Place, moment: &str) -> std::process::ExitStatus {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "killed::die_at_an_edge", "--ignored", "--nocapture"])
        .env(DIR, place.path())
        .env(MOMENT, moment)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap()
}

#[test]
#[ignore = "a process of the tests above"]
fn die_at_an_edge() {
    let Some(dir) = std::env::var_os(DIR).map(PathBuf::from) else { return };
    let moment = std::env::var(MOMENT).unwrap();
    let (dying, at) = moment.split_once(' ').unwrap();
    let (dying, at) = (dying.parse::<usize>().unwrap(), at.to_owned());
    let begun = AtomicUsize::new(0);
    evolve(&dir, move |edge| {
        let commit =
            if edge == Edge::Before { begun.fetch_add(1, Ordering::SeqCst) } else { begun.load(Ordering::SeqCst) - 1 };
        if commit == dying && format!("{edge:?}") == at { std::process::abort() } else { Ok(()) }
    });
    std::process::exit(0);
}

/// What `gradus evolve` does, with an eye on the edges.
fn evolve(dir: &Path, watch: impl Fn(Edge) -> gradus::base::Result<()> + Send + Sync + 'static) {
    let pack = Pack::load(dir.join("pack")).unwrap();
    let (dataset, sealed) = locked::load(&dir.join("data")).unwrap();
    let options = Options { rounds: 3, rule: Rule::Paper, audit: Audit::AtTheEnd, ..Options::default() };
    let store = Store::open(&dir.join("cache.sqlite")).unwrap();
    let grader = Grader::new(&pack, &store).threads(2);
    let place = json!({"pack": dir.join("pack"), "data": dir.join("data"), "pool": null, "train": null, "dev": 10});
    let header = header(&pack, &dataset, &options, grader.environment());
    let mut folder = RunFolder::begin(&dir.join("run"), &header, &place).unwrap();
    folder.watch(watch);
    let miner = Miner::of(&pack).unwrap();
    let author = miner.as_ref().map(|miner| miner as _);
    let id = folder.file().id().to_owned();
    let plan =
        Plan { dataset: &dataset, options: &options, author, sealed: Some(&sealed), audit_nothing: false, id: &id };
    Session::new(&pack, &grader, dataset.corpus()).evolve(&plan, Vec::new(), &mut folder).unwrap();
}

/// The command that begins a run, or goes on where there is one.
fn going_on(place: &Place, threads: &str) -> Command {
    let more = ["--threads", threads];
    if place.run().join(DATABASE).exists() { place.resuming(&more) } else { place.beginning(&more) }
}

/// Kills runs at moments drawn over the time that an undisturbed run takes, some of them several times in a row; says
/// how many kills met a process at work.
fn killed_at_random(runs: std::ops::Range<u64>, threads: &str) -> usize {
    let mut met = 0;
    for run in runs {
        let mut stream = Stream::new(7, run, "moments");
        let place = Place::new();
        for _ in 0..if run % 3 == 0 { 3 } else { 1 } {
            let mut child = going_on(&place, threads).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            sleep(UNDISTURBED.lasted.mul_f64(stream.unit()));
            child.kill().unwrap();
            met += usize::from(!child.wait().unwrap().success());
        }
        let ended = going_on(&place, threads).output().unwrap();
        assert_eq!(ended.status.code(), Some(0), "run {run}: {}", stderr(&ended));
        assert_same(&place.made(), &UNDISTURBED.made, &format!("run {run}, killed at random, {threads} threads"));
        assert_eq!(place.openings(), 1, "run {run}");
    }
    met
}

#[test]
fn a_run_with_one_thread_that_is_killed_at_any_moment_goes_on_to_the_same_bytes() {
    let met = killed_at_random(0..10, "1");
    assert!(met >= 5, "only {met} kills met a process at work");
}

#[test]
fn a_run_with_two_threads_that_is_killed_at_any_moment_goes_on_to_the_same_bytes() {
    let met = killed_at_random(10..20, "2");
    assert!(met >= 5, "only {met} kills met a process at work");
}

pub fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").args([format!("-{name}"), child.id().to_string()]).status();
    assert!(sent.unwrap().success());
}

/// Starts a run and waits until it is in its folder, and so hears what it is told.
pub fn start(place: &Place) -> Child {
    let mut child = place.beginning(&[]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    for _ in 0..5000 {
        if place.run().join(DATABASE).exists() {
            return child;
        }
        sleep(Duration::from_millis(2));
    }
    child.kill().and_then(|()| child.wait()).unwrap();
    panic!("the run never began");
}

#[test]
fn a_run_that_is_interrupted_ends_with_130_says_how_to_go_on_and_goes_on_to_the_same_bytes() {
    for name in ["INT", "TERM"] {
        let place = Place::new();
        let child = start(&place);
        signal(&child, name);
        let ended = child.wait_with_output().unwrap();
        let said = stderr(&ended);
        assert_eq!(ended.status.code(), Some(130), "{said}");
        assert!(said.contains("stopping after the outputs in work; once more to stop at once"), "{said}");
        assert!(said.contains("Go on with `gradus evolve --resume run`"), "{said}");
        assert!(stdout(&ended).is_empty() && !place.run().join("metric.json").exists());
        assert_eq!(place.openings(), 0);
        place.resume_to_the_same(&[], name);
    }
}

#[test]
fn a_run_that_is_interrupted_at_any_moment_stops_or_ends_and_goes_on_to_the_same_bytes() {
    let mut stream = Stream::new(8, 0, "moments");
    for turn in 0..4 {
        let place = Place::new();
        let child = start(&place);
        sleep(UNDISTURBED.lasted.mul_f64(stream.unit()));
        // Where the run has ended there is nobody to tell.
        drop(Command::new("kill").args(["-INT", &child.id().to_string()]).stderr(Stdio::null()).status());
        let ended = child.wait_with_output().unwrap();
        let said = stderr(&ended);
        match ended.status.code() {
            Some(130) => assert!(said.contains("Go on with `gradus evolve --resume run`"), "{said}"),
            code => assert_eq!(code, Some(0), "{said}"),
        }
        place.resume_to_the_same(&[], &format!("interruption {turn}"));
    }
}

#[test]
fn a_run_that_has_ended_is_resumed_to_itself() {
    let place = Place::copy(&UNDISTURBED.place);
    let before = fs::read(place.run().join(DATABASE)).unwrap();
    for name in ["metric.json", "events.jsonl"] {
        fs::remove_file(place.run().join(name)).unwrap();
    }
    fs::remove_dir_all(place.run().join("ops")).unwrap();
    place.resume_to_the_same(&["--data", "data"], "ended");
    assert!(fs::read(place.run().join(DATABASE)).unwrap() == before);
}

#[test]
fn a_run_that_came_to_no_metric_is_resumed_to_itself_without_another_commit() {
    let place = Place::warm();
    let ended = place.begin(&["--no-miner"]);
    assert_eq!(ended.status.code(), Some(1), "{}", stderr(&ended));
    assert!(stderr(&ended).contains("there is no metric"), "{}", stderr(&ended));
    let (made, before) = (place.made(), fs::read(place.run().join(DATABASE)).unwrap());
    let again = place.resume(&[]);
    assert_eq!(again.status.code(), Some(1));
    assert!(stderr(&again).contains("there is no metric"), "{}", stderr(&again));
    assert_same(&place.made(), &made, "again");
    assert!(fs::read(place.run().join(DATABASE)).unwrap() == before);
    assert_eq!(place.openings(), 0);
}
