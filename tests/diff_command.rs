//! `gradus diff` and `gradus adopt` as people and programs meet them.

#[path = "support/small.rs"]
mod small;
#[path = "support/story.rs"]
mod story;
mod support;

use std::fs;
use std::path::Path;
use std::process::Output;

use gradus::dataset::Corpus;
use gradus::journal::{Entry, Standing};
use gradus::pack::{Bundle, Pack};
use gradus::store::RunFile;
use serde_json::{Value, json};
use small::{new_pack, pool};
use story::{PRINTS, born, run_of};
use support::{gradus, stderr, stdout};
use tempfile::TempDir;

const DATA: [&str; 4] = ["--tasks", "pool/tasks.jsonl", "--outputs", "pool/outputs.jsonl"];

fn run(dir: &Path, args: &[&str], code: i32) -> Output {
    let output = gradus(dir, args);
    assert_eq!(output.status.code(), Some(code), "{args:?}: {}{}", stdout(&output), stderr(&output));
    output
}

fn said(dir: &Path, args: &[&str], code: i32) -> String {
    stdout(&run(dir, args, code))
}

fn on_data<'a>(args: &[&'a str]) -> Vec<&'a str> {
    [args, &DATA].concat()
}

/// A static op whose `check` has this body; `text` is the output's text.
fn op(pack: &Path, name: &str, body: &str) {
    let source = format!(
        "return {{ detects = 'no_answer', about = 'a test', tier = 'static', strength = 'evidence',
  check = function(task, artifact) local text = artifact.tree:text(); {body} end }}\n"
    );
    fs::write(pack.join("seeds").join(format!("{name}.lua")), source).unwrap();
}

/// Three tasks with a good and a bad output each, a pack that tells them apart in several ways, and metrics by name.
fn bench(metrics: &[(&str, &str)]) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    let pack = new_pack(dir.path());
    pool(dir.path(), 3);
    op(&pack, "doubles", "if text:find('2 * x', 1, true) then return drawback('doubles') end return clean()");
    op(&pack, "first", "if task.id == 't0' then return drawback('is of the first task') end return clean()");
    op(&pack, "breaks", "if task.id == 't2' then error('boom') end return clean()");
    let pack = Pack::load(&pack).unwrap();
    let pool = dir.path().join("pool");
    let corpus = Corpus::load(&pool.join("tasks.jsonl"), &pool.join("outputs.jsonl")).unwrap();
    for (name, metric) in metrics {
        let provenance = json!({"corpus": corpus.fingerprint().to_string()});
        let bundle = Bundle::new(&pack, &Default::default(), &metric.parse().unwrap(), provenance).unwrap();
        let folder = dir.path().join(name);
        fs::create_dir_all(&folder).unwrap();
        bundle.write(&folder.join("metric.json")).unwrap();
    }
    dir
}

fn check_mcnemar(told: &Value, counts: &Value, p: f64) {
    let mut found = told["mcnemar"].clone();
    let found_p = found.as_object_mut().unwrap().remove("p").unwrap().as_f64().unwrap();
    assert_eq!(&found, counts);
    assert!((found_p - p).abs() < 1e-12, "{found_p} is not {p}");
}

#[test]
fn what_flips_is_named_with_the_leaves_that_decide_it() {
    let dir = bench(&[("a", "says_nothing"), ("b", "(any first (all doubles says_nothing))")]);
    insta::assert_snapshot!(said(dir.path(), &on_data(&["diff", "a", "b"]), 100), @r"
    A  says_nothing  (a)
    B  (any first (all doubles says_nothing))  (b)

    6 outputs, 1 of which flips.

              B passes  B fails  B faults
    A passes         2        1         0
    A fails          0        3         0
    A faults         0        0         0

    On 6 outputs that both can judge, A alone passes on 1 and B alone on 0; exact McNemar p = 1.000.

    output  A     B     because
    t0#0    pass  fail  B by first: is of the first task
    ");
    let told: Value =
        serde_json::from_str(&said(dir.path(), &on_data(&["diff", "a", "b/metric.json", "--json"]), 100)).unwrap();
    assert_eq!(told["b"], json!({"from": "b/metric.json", "metric": "(any first (all doubles says_nothing))"}));
    assert_eq!((&told["outputs"], &told["counts"]["pass_to_fail"]), (&json!(6), &json!(1)));
    check_mcnemar(&told, &json!({"on": "verdicts", "items": 6, "only_a": 1, "only_b": 0}), 1.0);
    assert_eq!(
        told["flips"],
        json!([{
            "output": "t0#0", "task": "t0", "a": "pass", "b": "fail", "label": null,
            "because": [
                {"side": "B", "op": "doubles", "verdict": "drawback", "message": "doubles", "decisive": false},
                {"side": "B", "op": "first", "verdict": "drawback", "message": "is of the first task", "decisive": true},
            ],
        }])
    );
}

#[test]
fn with_labels_the_test_is_on_who_is_right() {
    let dir = bench(&[("a", "(all doubles (not says_nothing))"), ("b", "says_nothing")]);
    let args = on_data(&["diff", "a", "b", "--labels", "pool/labels.jsonl"]);
    insta::assert_snapshot!(said(dir.path(), &args, 100), @r"
    A  (all doubles (not says_nothing))  (a)
    B  says_nothing  (b)

    6 outputs, 6 of which flip.

              B passes  B fails  B faults
    A passes         0        3         0
    A fails          3        0         0
    A faults         0        0         0

    On 6 labelled outputs, A alone is right on 0 and B alone on 6; exact McNemar p = 0.031.

    output  A     B     label  because
    t0#0    fail  pass  pass   A by doubles: doubles; says_nothing clean
    t0#1    pass  fail  fail   B by says_nothing: returns no value
    t1#0    fail  pass  pass   A by doubles: doubles; says_nothing clean
    t1#1    pass  fail  fail   B by says_nothing: returns no value
    t2#0    fail  pass  pass   A by doubles: doubles; says_nothing clean
    t2#1    pass  fail  fail   B by says_nothing: returns no value
    ");
    let told: Value = serde_json::from_str(&said(dir.path(), &[&args[..], &["--json"]].concat(), 100)).unwrap();
    check_mcnemar(&told, &json!({"on": "labels", "items": 6, "only_a": 0, "only_b": 6}), 0.03125);
    assert_eq!(told["flips"][0]["label"], "pass");
}

#[test]
fn faults_and_votes_have_their_words() {
    let dir = bench(&[("a", "(vote 2 doubles first says_nothing)"), ("b", "breaks")]);
    let told = said(dir.path(), &on_data(&["diff", "a", "b"]), 100);
    insta::assert_snapshot!(told, @r"
    A  (vote 2 doubles first says_nothing)  (a)
    B  breaks  (b)

    6 outputs, 5 of which flip.

              B passes  B fails  B faults
    A passes         1        0         1
    A fails          3        0         1
    A faults         0        0         0

    On 4 outputs that both can judge, A alone passes on 0 and B alone on 3; exact McNemar p = 0.250.

    output  A     B      because
    t0#0    fail  pass   A by doubles: doubles; first: is of the first task
    t0#1    fail  pass   A by none alone of doubles: doubles; first: is of the first task; says_nothing: returns no value
    t1#1    fail  pass   A by doubles: doubles; says_nothing: returns no value
    t2#0    pass  fault  B by breaks fault: seeds/breaks.lua:2: boom
    t2#1    fail  fault  A by doubles: doubles; says_nothing: returns no value / B by breaks fault: seeds/breaks.lua:2: boom
    ");
}

#[test]
fn metrics_that_agree_exit_with_zero() {
    let dir = bench(&[("a", "says_nothing"), ("b", "(any says_nothing (all first says_nothing))")]);
    let same = said(dir.path(), &on_data(&["diff", "a", "b"]), 0);
    assert!(same.contains("6 outputs, none of which flips."), "{same}");
    assert!(same.contains("A alone passes on 0 and B alone on 0; exact McNemar p = 1.000."), "{same}");
    let told: Value = serde_json::from_str(&said(dir.path(), &on_data(&["diff", "a", "b", "--json"]), 0)).unwrap();
    assert_eq!(told["flips"], json!([]));
}

#[test]
fn the_data_of_run_a_is_taken_where_none_is_named() {
    let dir = bench(&[("a", "says_nothing"), ("b", "first")]);
    let dir = dir.path();
    let unknown = stderr(&run(dir, &["diff", "a", "b"], 2));
    assert_eq!(
        unknown,
        "gradus: a: this is not the metric of a run, so there are no outputs to compare on. Name them with --tasks and \
         --outputs\n"
    );
    drop(RunFile::create(&dir.join("a"), &json!({}), &json!({"pool": dir.join("pool")})).unwrap());
    let told = said(dir, &["diff", "a", "b"], 100);
    assert_eq!(told, said(dir, &on_data(&["diff", "a", "b"]), 100));
    assert_eq!(said(dir, &["diff", "a/metric.json", "b"], 100).lines().count(), told.lines().count());
    let outputs = dir.join("pool/outputs.jsonl");
    fs::write(&outputs, fs::read_to_string(&outputs).unwrap().replace("2 * x", "3 * x")).unwrap();
    assert!(stderr(&run(dir, &["diff", "a", "b"], 1)).contains("the data here is not what the run was made on"));
    fs::remove_dir_all(dir.join("pool")).unwrap();
    assert!(stderr(&run(dir, &["diff", "a", "b"], 2)).contains("the run's data is no longer at"));
    fs::remove_file(dir.join("b/metric.json")).unwrap();
    assert!(stderr(&run(dir, &["diff", "a", "b"], 1)).contains("b: there is no metric.json in this folder"));
}

#[test]
fn ops_that_were_born_active_or_promoted_are_adopted() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let pack = new_pack(dir);
    drop(run_of(&dir.join("run"), 2));
    fs::create_dir_all(dir.join("run/ops")).unwrap();
    fs::write(dir.join("run/ops/prints.lua"), PRINTS).unwrap();
    insta::assert_snapshot!(said(dir, &["adopt", "run", "small"], 0), @r"
    small/synthesized/prints.lua  born in round 1 for no_answer

    Next: gradus check small and gradus test small
    ");
    assert_eq!(fs::read_to_string(pack.join("synthesized/prints.lua")).unwrap(), PRINTS);
    let ops: Vec<String> = Pack::load(&pack).unwrap().ops().iter().map(|op| op.name().to_owned()).collect();
    assert_eq!(ops, ["prints", "says_nothing"]);
    let again = said(dir, &["adopt", "run", "--op", "prints", "small"], 0);
    assert!(again.starts_with("1 op there already\n"), "{again}");
    fs::write(pack.join("synthesized/prints.lua"), format!("{PRINTS}-- mine\n")).unwrap();
    let refused = stderr(&run(dir, &["adopt", "run", "small"], 1));
    assert!(
        refused.starts_with("gradus: small/synthesized/prints.lua: the pack has another op `prints`."),
        "{refused}"
    );
    assert!(fs::read_to_string(pack.join("synthesized/prints.lua")).unwrap().ends_with("-- mine\n"));
}

#[test]
fn what_would_break_the_pack_is_not_written() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let pack = new_pack(dir);
    drop(run_of(&dir.join("run"), 2));
    let refused = stderr(&run(dir, &["adopt", "run", "--op", "prints", "--op", "nested", "small"], 1));
    assert!(refused.starts_with("gradus: small/synthesized/nested.lua:"), "{refused}");
    assert!(!pack.join("synthesized").exists());
    let unknown = stderr(&run(dir, &["adopt", "run", "--op", "other", "small"], 2));
    assert_eq!(
        unknown,
        "gradus: run: no op `other` was born in this run. There are prints (active), nested (shadow)\n"
    );
    fs::create_dir_all(dir.join("run/ops")).unwrap();
    fs::write(dir.join("run/ops/prints.lua"), "return {}").unwrap();
    let edited = stderr(&run(dir, &["adopt", "run", "small"], 1));
    assert!(edited.starts_with("gradus: run/ops/prints.lua: this file is not the op that was born in the run."));
    op(&pack, "prints", "return clean()");
    fs::remove_dir_all(dir.join("run/ops")).unwrap();
    let twin = stderr(&run(dir, &["adopt", "run", "small"], 1));
    assert!(twin.contains("an op named `prints` exists already in small/seeds/prints.lua"), "{twin}");
    assert!(!pack.join("synthesized").exists());
}

#[test]
fn a_run_without_births_has_nothing_to_adopt() {
    let dir = tempfile::tempdir().unwrap();
    new_pack(dir.path());
    let mut file = run_of(&dir.path().join("run"), 1);
    let nothing = stderr(&run(dir.path(), &["adopt", "run", "small"], 4));
    assert_eq!(nothing, "gradus: run: no op was born in this run\n");
    let entry = Entry { round: 1, event: born("prints", Standing::Shadow, PRINTS) };
    file.commit(1, &[entry.line()], &[]).unwrap();
    let shadows = stderr(&run(dir.path(), &["adopt", "run", "small"], 4));
    assert_eq!(
        shadows,
        "gradus: run: no op that was born in this run may be selected at its end. Name one with --op: prints (shadow)\n"
    );
    run(dir.path(), &["adopt", "run", "--op", "prints", "small"], 0);
    assert!(dir.path().join("small/synthesized/prints.lua").exists());
}
