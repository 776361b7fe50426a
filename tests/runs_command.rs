//! `gradus runs` as people and programs meet it: the table, the story of a run, and runs that cannot be read.

mod support;
#[path = "support/story.rs"]
mod story;

use std::fs;
use std::path::Path;
use std::process::Output;

use gradus::journal::Entry;
use serde_json::{Value, json};
use story::{rounds, run_of};
use support::{gradus, stderr, stdout};

fn run(dir: &Path, args: &[&str], code: i32) -> Output {
    let output = gradus(dir, args);
    assert_eq!(output.status.code(), Some(code), "{args:?}: {}{}", stdout(&output), stderr(&output));
    output
}

fn said(dir: &Path, args: &[&str]) -> String {
    stdout(&run(dir, args, 0))
}

/// What is printed, with the one thing in it that differs from day to day.
fn timeless(text: &str) -> String {
    let is_time =
        |word: &str| word.len() >= 5 && word.bytes().all(|byte| byte.is_ascii_digit() || b"-:".contains(&byte));
    text.lines()
        .map(|line| line.split(' ').map(|word| if is_time(word) { "WHEN" } else { word }).collect::<Vec<_>>().join(" "))
        .map(|line| line + "\n")
        .collect()
}

#[test]
fn runs_are_listed_with_where_they_stand() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    drop(run_of(&dir.join("runs/whole"), 3));
    drop(run_of(&dir.join("runs/deep/stopped"), 2));
    let held = run_of(&dir.join("runs/held"), 1);
    fs::create_dir_all(dir.join("runs/no run")).unwrap();
    insta::assert_snapshot!(timeless(&said(dir, &["runs"])), @r"
    run                pack   seed  rounds  state     metric                     sealed  begun
    runs/deep/stopped  small     7       1  stopped   (any prints says_nothing)       -  WHEN WHEN
    runs/held          small     7       0  going on  says_nothing                    -  WHEN WHEN
    runs/whole         small     7       2  finished  (any prints says_nothing)   0.824  WHEN WHEN
    ");
    let listed: Value = serde_json::from_str(&said(dir, &["runs", "--json"])).unwrap();
    let runs = listed["runs"].as_array().unwrap();
    let states: Vec<_> =
        runs.iter().map(|run| (run["run"].as_str().unwrap(), run["state"].as_str().unwrap())).collect();
    assert_eq!(states, [("runs/deep/stopped", "stopped"), ("runs/held", "going on"), ("runs/whole", "finished")]);
    assert_eq!(runs[2]["sealed"], json!({"balanced": 0.8235, "low": 0.78, "high": 0.861, "openings": 1}));
    assert_eq!((&runs[2]["rounds"], &runs[2]["metric"]), (&json!(2), &json!("(any prints says_nothing)")));
    assert_eq!((&runs[1]["rounds"], &runs[1]["seed"], &runs[1]["sealed"]), (&json!(0), &json!(7), &Value::Null));
    drop(held);
    assert!(
        timeless(&said(dir, &["runs", "runs/held"])).contains("runs/held  small     7       0  stopped  says_nothing")
    );
}

#[test]
fn the_story_of_a_run_is_told_round_by_round() {
    let dir = tempfile::tempdir().unwrap();
    drop(run_of(&dir.path().join("run"), 3));
    insta::assert_snapshot!(timeless(&said(dir.path(), &["runs", "show", "run"])), @r"
    run: small, seed 7, begun WHEN WHEN
    finished after 2 rounds: as many rounds as were asked for
    metric  (any prints says_nothing)

    round 0
      began     2 ops, 24 train outputs, 10 dev labels (5 pass, 5 fail)
      chosen    says_nothing, declared by the pack: right on 9 of 10 dev labels (S 0.812: dev 1.000, train 0.812, opines on 20)
      refused   too_long: declared a proof, and it flags t0#0, t2#0, which the labels pass
      ended     the metric passes 12 train outputs and is right on 8 dev labels; ops: 2 active, 1 in the shadow, 0 retired

    round 1
      sensed    1 failure that the metric passes (t1#1); 0 outputs without any opinion, 3 on which the ops split
      cluster   no_answer: 1 miss (t1#1); 7 gaps (t0#1, t1#1, t2#1, t3#1, t4#1 and 2 more); recurring
      no op     for an unknown class: no class to write an op for
      rejected  is_short (threshold) for no_answer: false alarm on a known-good output; fires on 1 of 3 of its cluster and on 4 train outputs, finds no miss, flags 1 of 5 known good
      born      prints (contains) for no_answer, active: fires on 2 of 3 of its cluster and on 9 train outputs, finds 1 miss (t1#1), flags 0 of 5 known good
      born      nested (contains) for no_answer, shadow: fires on 2 of 3 of its cluster and on 9 train outputs, finds 1 miss (t1#1), flags 0 of 5 known good
      estimated prints would add 0.071 to the declared default; 0.060 is needed
      tried     2 candidates, 2 selectable; best (any prints says_nothing) (a mutation) at S 0.900
      searched  1,234 expressions of up to 3 leaves over 3 ops; best S 0.900, 2 behaviours: (any prints says_nothing), (any says_nothing prints)
      selected  (any prints says_nothing) in place of says_nothing: its estimated gain is enough (S 0.900: dev 1.000, train 0.900, opines on 20)
      ended     the metric passes 12 train outputs and is right on 8 dev labels; ops: 2 active, 1 in the shadow, 0 retired

    round 2
      sensed    no failure that the metric passes; 1 output without any opinion, 0 on which the ops split
      kept      (any prints says_nothing): nothing scores higher (S 0.900: dev 1.000, train 0.900, opines on 20)
      promoted  nested: agreement with dev goes from 0.800 to 0.900 in nested
      retired   too_long: of no use any more (fitness -0.001)
      ended     the metric passes 12 train outputs and is right on 8 dev labels; ops: 2 active, 1 in the shadow, 0 retired
      audited   opening 1: balanced 0.824 (0.780 to 0.861), 0.750 of failures and 0.897 of passes found, accuracy 0.830
      finished  as many rounds as were asked for; (any prints says_nothing)
    ");
}

#[test]
fn a_run_that_goes_on_and_one_that_was_stopped_say_so() {
    let dir = tempfile::tempdir().unwrap();
    let held = run_of(&dir.path().join("run"), 2);
    let story = said(dir.path(), &["runs", "show", "run"]);
    assert_eq!(story.lines().nth(1), Some("going on; 1 round done"));
    drop(held);
    let story = said(dir.path(), &["runs", "show", "run"]);
    assert_eq!(story.lines().nth(1), Some("stopped after 1 round; `gradus evolve --resume run` goes on"));
}

#[test]
fn every_event_is_in_the_json_of_a_run() {
    let dir = tempfile::tempdir().unwrap();
    let file = run_of(&dir.path().join("run"), 3);
    let told: Value = serde_json::from_str(&said(dir.path(), &["runs", "show", "run", "--json"])).unwrap();
    assert_eq!((&told["id"], &told["header"]), (&json!(file.id()), file.header()));
    assert_eq!(told["place"], json!({"data": "data"}));
    let events = (0..).zip(rounds()).flat_map(|(round, events)| events.into_iter().map(move |event| (round, event)));
    let entries: Vec<Entry> = events.map(|(round, event)| Entry { round, event }).collect();
    assert_eq!(told["entries"], json!(entries));
}

#[test]
fn what_is_no_run_is_an_error_that_says_what_to_do() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let none = stderr(&run(dir, &["runs"], 4));
    assert_eq!(none, "gradus: runs: there are no runs here. `gradus evolve PACK -o runs/NAME` begins one\n");
    fs::create_dir_all(dir.join("runs/other")).unwrap();
    let none = stderr(&run(dir, &["runs", "show", "runs/other"], 1));
    assert_eq!(
        none,
        "gradus: runs/other: there is no run here: run.sqlite is missing. `gradus evolve PACK -o FOLDER` begins a run, \
         and `gradus runs` lists those that there are\n"
    );
    drop(run_of(&dir.join("runs/good"), 3));
    fs::write(dir.join("runs/other/run.sqlite"), "").unwrap();
    let listed = run(dir, &["runs"], 0);
    assert_eq!(stdout(&listed).lines().count(), 3);
    assert!(stdout(&listed).contains("runs/other  -         -       -  unreadable"), "{}", stdout(&listed));
    assert!(stderr(&listed).starts_with("gradus: runs/other/run.sqlite: the run's database is empty."));
    let listed: Value = serde_json::from_str(&stdout(&run(dir, &["runs", "--json"], 0))).unwrap();
    assert_eq!(listed["runs"][1]["state"], "unreadable");
}

#[test]
fn an_event_of_a_later_gradus_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let mut file = run_of(&dir.path().join("run"), 1);
    file.commit(1, &[r#"{"round":1,"event":"dreamt"}"#.to_owned()], &[]).unwrap();
    let error = stderr(&run(dir.path(), &["runs", "show", "run"], 1));
    assert!(error.contains("event 4 is none that this gradus knows: unknown variant `dreamt`"), "{error}");
    assert!(error.contains("Use the gradus that the run was made with, or a newer one"), "{error}");
}
