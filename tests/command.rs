//! The command as people and programs meet it: every subcommand as a process, its data on stdout, its talk on stderr,
//! its exit code.

mod support;
#[path = "support/code.rs"]
mod code;
#[path = "support/small.rs"]
mod small;

use std::fs;
use std::io::PipeWriter;
use std::path::Path;
use std::process::Output;

use code::{code_pack, code_pool};
use serde_json::Value;
use small::{new_pack, pool};
use support::{command, gradus, stderr, stdout};
use tempfile::TempDir;

const OUTPUTS: [&str; 4] = ["--tasks", "pool/tasks.jsonl", "--outputs", "pool/outputs.jsonl"];

/// A pack, a pool of twelve tasks, and a dataset made of it.
fn small() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    new_pack(dir.path());
    pool(dir.path(), 12);
    said(dir.path(), &["split", "pool", "--dev", "4", "-o", "data"], 0);
    dir
}

/// What the command prints, when it ends with `code`. What it prints and says is free of terminal control codes.
fn run(dir: &Path, args: &[&str], code: i32) -> Output {
    let output = gradus(dir, args);
    assert_eq!(output.status.code(), Some(code), "{args:?}: {}{}", stdout(&output), stderr(&output));
    for byte in output.stdout.iter().chain(&output.stderr) {
        assert!(*byte >= b' ' || *byte == b'\n', "{args:?} uses control code {byte}");
    }
    output
}

fn said(dir: &Path, args: &[&str], code: i32) -> String {
    stdout(&run(dir, args, code))
}

/// The JSON that is all of stdout.
fn json(dir: &Path, args: &[&str], code: i32) -> Value {
    let text = said(dir, args, code);
    assert_eq!(text.lines().count(), 1, "{args:?} prints more than an object: {text}");
    serde_json::from_str(&text).unwrap()
}

fn with<'a>(first: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    [first, more].concat()
}

fn keys(object: &Value) -> Vec<&str> {
    object.as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn a_new_pack_passes_its_own_check_and_cases() {
    let dir = tempfile::tempdir().unwrap();
    let made = said(dir.path(), &["new", "small"], 0);
    insta::assert_snapshot!(made, @r"
    small/pack.toml
    small/root.lua
    small/seeds/says_nothing.lua
    small/cases/says_nothing.md

    Next: gradus check small and gradus test small
    ");
    insta::assert_snapshot!(said(dir.path(), &["check", "small"], 0), @r"
    small: say here what the outputs are meant to do
    default  says_nothing

    op            tier    strength  detects    fires when an output
    says_nothing  static  evidence  no_answer  returns no value on any path

    1 op and a root, all well formed.
    ");
    insta::assert_snapshot!(said(dir.path(), &["test", "small"], 0), @r"
    op            Validated  Reported  Missing  Noisy
    root                  0         1        0      0
    says_nothing          2         1        0      0

    4 passed, 0 failed
    ");
    insta::assert_snapshot!(said(dir.path(), &["test", "small", "--only", "says_nothing"], 0), @r"
    op            Validated  Reported  Missing  Noisy
    says_nothing          2         1        0      0

    3 passed, 0 failed
    ");
}

#[test]
fn check_validates_the_measurements_of_a_pack() {
    let dir = tempfile::tempdir().unwrap();
    let pack = new_pack(dir.path());
    let measurement =
        "return { lines = { about = 'lines of text', detects = 'CLASS', measure = function() return 1 end } }";
    let manifest = fs::read_to_string(pack.join("pack.toml")).unwrap();
    let class = manifest.lines().skip_while(|line| !line.starts_with("[taxonomy]")).nth(1).unwrap();
    let class = class.split_whitespace().next().unwrap();
    fs::write(pack.join("features.lua"), measurement.replace("CLASS", class)).unwrap();
    let report = said(dir.path(), &["check", "small"], 0);
    assert!(report.contains("1 op, 1 measurement and a root, all well formed."), "{report}");
    assert!(report.contains("lines of text"), "{report}");
    fs::write(pack.join("features.lua"), measurement).unwrap();
    let refused = gradus(dir.path(), &["check", "small"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(
        stderr(&refused).contains("features.lua:1: `CLASS` is not a class of the taxonomy"),
        "{}",
        stderr(&refused)
    );
}

#[test]
fn a_new_pack_for_text_passes_its_own_check_and_cases() {
    let dir = tempfile::tempdir().unwrap();
    said(dir.path(), &["new", "prose", "--artifact", "text"], 0);
    assert!(said(dir.path(), &["check", "prose"], 0).contains("1 op and a root, all well formed."));
    insta::assert_snapshot!(said(dir.path(), &["test", "prose"], 0), @r"
    op         Validated  Reported  Missing  Noisy
    too_short          1         1        0      0

    2 passed, 0 failed
    ");
}

#[test]
fn a_case_that_does_not_hold_is_shown_with_its_line() {
    let dir = tempfile::tempdir().unwrap();
    let case = new_pack(dir.path()).join("cases/says_nothing.md");
    let text = fs::read_to_string(&case).unwrap();
    fs::write(&case, text.replace("- `says_nothing` clean", "- `says_nothing` drawback")).unwrap();
    let said = said(dir.path(), &["test", "small"], 100);
    assert!(said.contains("small/cases/says_nothing.md:23: stays clean: returns its answer"), "{said}");
    assert!(said.contains("3 passed, 1 failed"), "{said}");
    fs::remove_dir_all(dir.path().join("small/cases")).unwrap();
    assert!(stderr(&run(dir.path(), &["test", "small"], 4)).contains("there are no cases to run"));
}

#[test]
fn from_a_pool_to_a_metric_to_an_explanation() {
    let dir = small();
    let dir = dir.path();
    let report = said(dir, &["evolve", "small", "--data", "data", "-o", "run"], 0);
    for words in [
        "small: 24 outputs of 12 tasks; train 4 tasks, dev 4 labels, test 4 tasks sealed",
        "metric  says_nothing",
        "declared by the pack; right on 4 of 4 dev labels",
        "Sealed audit, opening 1: 4 tasks, 8 outputs",
        "The run lies in run; grade with run/metric.json",
    ] {
        assert!(report.contains(words), "{report}");
    }
    let grades = run(dir, &with(&["grade", "run/metric.json"], &OUTPUTS), 100);
    assert_eq!(
        stdout(&grades).lines().take(2).collect::<Vec<_>>(),
        ["pass   t0#0", "fail   t0#1  says_nothing: returns no value"]
    );
    assert_eq!(stderr(&grades), "24 outputs: 12 passed, 12 failed, 0 could not be judged\n");
    let explain = with(&["explain", "run/metric.json", "--id", "t0#1"], &OUTPUTS);
    insta::assert_snapshot!(said(dir, &explain, 100), @r"
    t0#1 fails

    task    Double it.
    metric  says_nothing

    leaf          verdict   detects    in its own words
    root          clean
    says_nothing  drawback  no_answer  returns no value

    error: says_nothing
     --> t0#1:1:1
      |
    1 | / def double(x):
    2 | |     y = 2 * x
      | |_____________^ returns no value
    ");
    let told = json(dir, &with(&explain, &["--json"]), 100);
    assert_eq!(told["leaves"][0]["span"], serde_json::json!({"start": 0, "end": 28}));
    let passing = with(&["explain", "run/metric.json", "--json", "--id", "t0#0"], &OUTPUTS);
    assert_eq!(json(dir, &passing, 0)["verdict"], "pass");
    insta::assert_snapshot!(said(dir, &["try", "small", "says_nothing", "--id", "t0#0", "--data", "pool"], 0), @r"
    artifact
      entry = node function_definition at line 1
      tree = node module at line 1

    verdict
      clean
    ");
}

#[test]
fn a_bundle_grades_without_its_pack() {
    let dir = small();
    said(dir.path(), &["evolve", "small", "--data", "data", "-o", "run"], 0);
    let by_pack = said(dir.path(), &with(&["grade", "--pack", "small", "--json"], &OUTPUTS), 100);
    fs::remove_dir_all(dir.path().join("small")).unwrap();
    let by_bundle = said(dir.path(), &with(&["grade", "run/metric.json", "--json", "--no-cache"], &OUTPUTS), 100);
    assert_eq!(by_bundle, by_pack);
    assert_eq!(by_bundle.lines().count(), 24);
    for line in by_bundle.lines() {
        let record: Value = serde_json::from_str(line).unwrap();
        assert_eq!(keys(&record), ["output", "verdict", "abstained", "root", "leaves"]);
    }
}

#[test]
fn exit_codes_of_grade_are_a_contract() {
    let dir = small();
    let dir = dir.path();
    let outputs = fs::read_to_string(dir.join("pool/outputs.jsonl")).unwrap();
    let good: String = outputs.lines().filter(|line| line.contains("#0\"")).map(|line| format!("{line}\n")).collect();
    fs::write(dir.join("good.jsonl"), good).unwrap();
    let grade = ["grade", "--pack", "small", "--tasks", "pool/tasks.jsonl", "--outputs"];
    run(dir, &with(&grade, &["pool/outputs.jsonl"]), 100);
    run(dir, &with(&grade, &["good.jsonl"]), 0);
    fs::write(
        dir.join("small/seeds/broken.lua"),
        "return { detects = 'no_answer', about = 'breaks', tier = 'static',
      strength = 'smell', check = function() error('boom') end }",
    )
    .unwrap();
    run(dir, &with(&grade, &["good.jsonl", "--expr", "broken"]), 3);
    run(dir, &with(&grade, &["pool/outputs.jsonl", "--expr", "(any broken says_nothing)"]), 100);
    run(dir, &with(&grade, &["nowhere.jsonl"]), 1);
    run(dir, &["grade"], 2);
}

#[test]
fn grades_are_written_in_the_form_of_the_files_name() {
    let dir = small();
    let grade = with(&["grade", "--pack", "small"], &OUTPUTS);
    let written = |name: &str| {
        run(dir.path(), &with(&grade, &["-o", name]), 100);
        fs::read_to_string(dir.path().join(name)).unwrap()
    };
    let all: Value = serde_json::from_str(&written("grades.json")).unwrap();
    assert_eq!(all.as_array().unwrap().len(), 24);
    assert_eq!(all[1]["leaves"][0]["message"], "returns no value");
    let lines: Vec<Value> = written("grades.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(Value::from(lines), all);
    let table = written("grades.csv");
    assert_eq!(table.lines().nth(2), Some("\"t0#1\",\"t0\",fail,false,\"says_nothing: returns no value\""));
    assert_eq!(table.lines().count(), 25);
    let sarif: Value = serde_json::from_str(&written("grades.sarif")).unwrap();
    assert_eq!(sarif["version"], "2.1.0");
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    assert_eq!((results.len(), &results[0]["ruleId"]), (12, &Value::from("says_nothing")));
    let junit = written("grades.junit.xml");
    assert!(junit.contains("<testsuite name=\"gradus\" tests=\"24\" failures=\"12\" errors=\"0\">"), "{junit}");
    assert_eq!(junit.matches("<testcase ").count(), 24);
    assert_eq!(junit.matches("<failure message=\"says_nothing: returns no value\"/>").count(), 12);
    let page = written("grades.md");
    assert_eq!(page.lines().nth(3), Some("| t0#1 | fail | says_nothing: returns no value |"));
    assert_eq!(page.lines().count(), 26);
}

#[test]
fn evolve_prints_one_object_with_the_documented_keys() {
    let dir = small();
    let facts = json(dir.path(), &["evolve", "small", "--data", "data", "-o", "run", "--json"], 0);
    let documented = ["metric", "objective", "dev", "sealed", "baselines", "pool", "tie_set", "faults", "run"];
    for key in documented {
        assert!(facts.get(key).is_some_and(|value| !value.is_null()), "{key} of {facts}");
    }
    assert_eq!(facts["metric"], "says_nothing");
    assert_eq!(facts["dev"]["agreement"], 1.0);
    let figures = ["n_tasks", "n_outputs", "accuracy", "balanced", "low", "high"];
    for key in figures.into_iter().chain(["openings"]) {
        assert!(facts["sealed"][key].is_number(), "sealed.{key} of {facts}");
    }
    for baseline in ["default", "best_seed_on_dev", "majority", "tie_set_majority"] {
        for key in figures {
            assert!(facts["baselines"][baseline][key].is_number(), "baselines.{baseline}.{key} of {facts}");
        }
    }
    assert_eq!(keys(&facts["pool"]), ["seed", "born", "rejected", "shadow", "active", "retired"]);
    assert_eq!(keys(&facts["tie_set"]), ["size", "behaviours", "disputed"]);
    assert_eq!((&facts["faults"], &facts["run"]), (&Value::from(0), &Value::from("run")));
}

#[test]
fn openings_of_the_seal_are_counted_and_printed() {
    let dir = small();
    let dir = dir.path();
    let openings = || fs::read_to_string(dir.join("data/openings.jsonl")).map(|text| text.lines().count()).unwrap_or(0);
    let closed = json(dir, &["evolve", "small", "--data", "data", "--no-audit", "--json"], 0);
    assert_eq!((&closed["sealed"], &closed["baselines"]), (&Value::Null, &Value::Null));
    assert!(!dir.join("data/openings.jsonl").exists());
    for n in 1..=2 {
        let open = json(dir, &["evolve", "small", "--data", "data", "--json"], 0);
        assert_eq!((&open["sealed"]["openings"], openings()), (&Value::from(n), n));
    }
    assert!(said(dir, &["evolve", "small", "--data", "data"], 0).contains("Sealed audit, opening 3:"));
    let report = said(dir, &["evolve", "small", "--data", "data", "--no-audit"], 0);
    assert!(!report.to_lowercase().contains("audit"), "{report}");
    assert_eq!(openings(), 3);
}

#[test]
fn a_comparison_over_splits_prints_means() {
    let dir = small();
    let compare = ["compare", "small", "--pool", "pool", "--dev", "4", "--seeds", "0-2"];
    assert!(said(dir.path(), &compare, 0).contains("24 outputs of 12 tasks, 3 splits"));
    let facts = json(dir.path(), &with(&compare, &["--json"]), 0);
    assert_eq!(facts["rules"]["default"]["splits"], serde_json::json!([1.0, 1.0, 1.0]));
    assert_eq!(facts["chosen"]["default"], serde_json::json!(["says_nothing", "says_nothing", "says_nothing"]));
    run(dir.path(), &with(&compare, &["--rounds", "1"]), 2);
}

#[test]
fn a_comparison_of_the_loops_arms_has_a_line_for_each() {
    let dir = small();
    let compare = ["compare", "small", "--pool", "pool", "--dev", "4", "--seeds", "0-1", "--loop", "--rounds", "2"];
    let facts = json(dir.path(), &with(&compare, &["--json"]), 0);
    let arms = facts["arms"].as_array().unwrap();
    assert_eq!(arms.len(), 14);
    assert_eq!((&arms[1]["arm"], &arms[1]["figures"]["balanced"]), (&"default rule, full loop".into(), &1.0.into()));
    assert_eq!(arms[1]["runs"][0]["metric"], "says_nothing");
    assert_eq!(arms[1]["runs"][0]["valid"], true);
}

#[test]
fn the_cache_is_where_it_was_asked_to_be_and_can_be_cleared() {
    let dir = small();
    let dir = dir.path();
    let number = |text: &str, what: &str| {
        let line = text.lines().find(|line| line.trim_start().starts_with(what)).unwrap();
        line.split_whitespace().last().unwrap().replace(',', "").parse::<usize>().unwrap()
    };
    run(dir, &with(&["grade", "--pack", "small", "--cache", "mine.sqlite"], &OUTPUTS), 100);
    let stats = said(dir, &["cache", "stats", "--cache", "mine.sqlite"], 0);
    assert!(stats.starts_with("mine.sqlite\n"), "{stats}");
    assert_eq!(number(&stats, "outputs"), 24, "one row an output");
    assert!(number(&stats, "bytes") > 0);
    let cleared = said(dir, &["cache", "clear", "--cache", "mine.sqlite"], 0);
    assert_eq!(number(&cleared, "outputs"), 0);
    assert_eq!(number(&said(dir, &["cache", "stats"], 0), "outputs"), 0, "the usual cache is another");
    run(dir, &["cache", "stats", "--no-cache"], 4);
    fs::write(dir.join("gradus.toml"), "cache = \"by_file.sqlite\"\n").unwrap();
    assert!(said(dir, &["cache", "stats"], 0).starts_with("by_file.sqlite\n"));
    let by_flag = said(dir, &["cache", "stats", "--cache", "mine.sqlite"], 0);
    assert!(by_flag.starts_with("mine.sqlite\n"), "a flag is stronger than the file: {by_flag}");
    let by_variable = command(dir).env("GRADUS_CACHE", "by_variable.sqlite").args(["cache", "stats"]).output().unwrap();
    assert!(stdout(&by_variable).starts_with("by_variable.sqlite\n"), "{}", stdout(&by_variable));
}

#[test]
fn every_help_has_an_example() {
    let dir = tempfile::tempdir().unwrap();
    let commands = [
        "new",
        "check",
        "test",
        "try",
        "import",
        "split",
        "evolve",
        "compare",
        "grade",
        "explain",
        "runs",
        "diff",
        "adopt",
        "cache",
        "completions",
        "man",
    ];
    let overview = said(dir.path(), &["--help"], 0);
    for name in commands {
        assert!(overview.contains(&format!("\n  {name} ")), "{name} is not in {overview}");
        let help = said(dir.path(), &[name, "--help"], 0);
        let examples = help.split("Example").nth(1).unwrap_or_else(|| panic!("{name} has no example: {help}"));
        assert!(examples.contains(&format!("  gradus {name} ")), "{help}");
    }
}

/// The writing end of a pipe that nobody reads.
fn no_reader() -> PipeWriter {
    std::io::pipe().unwrap().1
}

#[test]
fn a_reader_that_leaves_early_is_no_error() {
    let dir = small();
    for args in [
        vec!["check", "small"],
        vec!["evolve", "small", "--data", "data", "--no-audit"],
        with(&["grade", "--pack", "small", "--json"], &OUTPUTS),
    ] {
        let output = command(dir.path()).args(&args).stdout(no_reader()).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{args:?} said {}", stderr(&output));
        assert_eq!(stderr(&output), "", "{args:?}");
    }
    let args = with(&["grade", "--pack", "small", "-o", "grades.jsonl"], &OUTPUTS);
    let output = command(dir.path()).args(&args).stdout(no_reader()).output().unwrap();
    assert_eq!(output.status.code(), Some(100), "a file that was asked for is written all the same");
    assert_eq!(fs::read_to_string(dir.path().join("grades.jsonl")).unwrap().lines().count(), 24);
}

#[test]
fn a_result_that_cannot_be_printed_is_an_error() {
    let dir = small();
    for args in [vec!["check", "small"], with(&["grade", "--pack", "small"], &OUTPUTS)] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = command(dir.path()).args(&args).stdout(full).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{args:?} said {}", stderr(&output));
        assert_eq!(stderr(&output), "gradus: cannot write to stdout: No space left on device (os error 28)\n");
    }
}

#[test]
fn the_code_pack_finds_what_is_wrong_with_real_outputs() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    code_pool(dir);
    let pack = code_pack();
    let pack = pack.to_str().unwrap();
    let evolve = ["evolve", pack, "--pool", "pool", "--dev", "2", "--train", "3", "-o", "run", "--json"];
    let facts = json(dir, &evolve, 0);
    assert_eq!((&facts["pool"]["seed"], &facts["faults"]), (&Value::from(11), &Value::from(0)));
    let grades = said(dir, &with(&["grade", "run/metric.json", "--json"], &OUTPUTS), 100);
    let labels = fs::read_to_string(dir.join("pool/labels.jsonl")).unwrap();
    let right = grades.lines().zip(labels.lines()).filter(|(grade, label)| {
        let (grade, label): (Value, Value) =
            (serde_json::from_str(grade).unwrap(), serde_json::from_str(label).unwrap());
        assert_eq!(grade["output"], label["output"]);
        (grade["verdict"] == "pass") == label["pass"].as_bool().unwrap()
    });
    let (right, all) = (right.count(), labels.lines().count());
    assert!(right * 10 > all * 6, "{right} of {all} agree with the labels");
    let seen = said(dir, &["try", pack, "departs_from_peers", "--id", "minutes-between#00", "--data", "pool"], 0);
    for words in
        ["plan and observations (4 other outputs of this task)", "minutes_between(", "own ", "of peers", "verdict"]
    {
        assert!(seen.contains(words), "{words:?} is not in {seen}");
    }
    let explain = with(&["explain", "run/metric.json", "--json", "--id", "minutes-between#00"], &OUTPUTS);
    let code = gradus(dir, &explain).status.code().unwrap();
    let told = json(dir, &explain, code);
    assert_eq!(told["leaves"].as_array().unwrap().len(), 3, "an explanation has every leaf: {told}");
    assert_eq!(told["verdict"] == "fail", code == 100);
}

#[test]
fn a_copied_pack_reported_the_first_ones_path_in_its_faults() {
    let dir = small();
    let op = "return { detects = 'no_answer', about = 'breaks', tier = 'static', strength = 'smell',
      check = function(task, artifact) error('boom') end }";
    fs::write(dir.path().join("small/seeds/breaks.lua"), op).unwrap();
    let copied = dir.path().join("moved");
    for folder in ["seeds", "cases"] {
        fs::create_dir_all(copied.join(folder)).unwrap();
    }
    for file in ["pack.toml", "root.lua", "seeds/breaks.lua", "seeds/says_nothing.lua"] {
        fs::copy(dir.path().join("small").join(file), copied.join(file)).unwrap();
    }
    for pack in ["small", "moved"] {
        let args = with(&["grade", "--pack", pack, "--expr", "breaks"], &OUTPUTS);
        let output = command(dir.path()).args(&args).output().unwrap();
        let path = format!("breaks: {pack}/seeds/breaks.lua:2: boom");
        assert!(stdout(&output).contains(&path), "{}", stdout(&output));
    }
}

#[test]
fn a_metric_that_could_not_be_written_opened_the_seal() {
    let dir = small();
    let op = "return { detects = 'no_answer', about = 'blames all', tier = 'static', strength = 'proof',
      check = function(task, artifact) return drawback('is here') end }";
    fs::write(dir.path().join("small/seeds/blames_all.lua"), op).unwrap();
    let manifest = fs::read_to_string(dir.path().join("small/pack.toml")).unwrap();
    let manifest = manifest.replace("default  = \"says_nothing\"", "default  = \"blames_all\"");
    assert!(manifest.contains("blames_all"));
    fs::write(dir.path().join("small/pack.toml"), manifest).unwrap();
    let output = command(dir.path()).args(["evolve", "small", "--data", "data", "-o", "run"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(stderr(&output).contains("every op of the default was refused"), "{}", stderr(&output));
    assert!(!dir.path().join("data/openings.jsonl").exists());
    assert!(!dir.path().join("run/metric.json").exists());
    assert!(stdout(&output).contains("refused blames_all: declared a proof"), "{}", stdout(&output));
}
