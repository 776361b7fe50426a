//! What a person reads when a pack, a pool, a bundle or the machine is not as it must be: one paragraph with file,
//! line and remedy, the right exit code, nothing half-written.

mod support;

use std::fs;
use std::path::Path;

use support::{edit, gradus, new_pack, pool, snapshot, stderr, stdout};

/// Runs the command, which must fail with `code`, write nothing, and say each of `words` in one paragraph.
fn refused(dir: &Path, args: &[&str], code: i32, words: &[&str]) {
    let before = snapshot(dir);
    let output = gradus(dir, args);
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(code), "{args:?} said {said}{}", stdout(&output));
    for word in words {
        assert!(said.contains(word), "{args:?} said {said:?}, not {word:?}");
    }
    assert_eq!(said.trim_end().lines().count(), 1, "more than a paragraph: {said}");
    let after: Vec<_> = snapshot(dir).into_iter().filter(|(path, _)| !path.starts_with(dir.join("cache"))).collect();
    assert_eq!(before, after, "{args:?} wrote something");
}

fn broken_pack(file: &str, from: &str, to: &str, words: &[&str]) {
    let dir = tempfile::tempdir().unwrap();
    let pack = new_pack(dir.path());
    edit(&pack.join(file), from, to);
    refused(dir.path(), &["check", "small"], 1, words);
}

#[test]
fn a_lua_syntax_error_has_its_file_and_line() {
    broken_pack("seeds/says_nothing.lua", "tier     = ", "tier     == ", &["small/seeds/says_nothing.lua:", "5"]);
}

#[test]
fn a_wrong_shape_of_op_names_the_key() {
    let words = ["small/seeds/says_nothing.lua", "tier"];
    broken_pack("seeds/says_nothing.lua", "tier     = \"static\",\n", "", &words);
    broken_pack(
        "seeds/says_nothing.lua",
        "\"static\"",
        "\"quick\"",
        &["small/seeds/says_nothing.lua", "quick", "static"],
    );
    broken_pack(
        "seeds/says_nothing.lua",
        "detects  =",
        "detcts  =",
        &["small/seeds/says_nothing.lua", "detcts", "detects"],
    );
}

#[test]
fn an_unknown_class_is_named_with_those_that_exist() {
    broken_pack(
        "seeds/says_nothing.lua",
        "\"no_answer\"",
        "\"nothing\"",
        &["says_nothing.lua", "nothing", "no_answer"],
    );
}

#[test]
fn a_manifest_with_a_typing_mistake_has_its_line() {
    broken_pack("pack.toml", "artifact", "artefact", &["small/pack.toml:4", "artefact"]);
    broken_pack(
        "pack.toml",
        "\"says_nothing\"",
        "\"(any says_nothing\"",
        &["small/pack.toml", "default", "(any says_nothing"],
    );
    broken_pack("pack.toml", "\"says_nothing\"", "\"says_much\"", &["small/pack.toml", "says_much", "says_nothing"]);
}

#[test]
fn two_ops_of_one_name_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let pack = new_pack(dir.path());
    fs::create_dir(pack.join("synthesized")).unwrap();
    fs::copy(pack.join("seeds/says_nothing.lua"), pack.join("synthesized/says_nothing.lua")).unwrap();
    let words = ["small/synthesized/says_nothing.lua", "small/seeds/says_nothing.lua", "Rename"];
    refused(dir.path(), &["check", "small"], 1, &words);
}

#[test]
fn a_folder_that_is_no_pack_says_how_to_make_one() {
    let dir = tempfile::tempdir().unwrap();
    refused(dir.path(), &["check", "nowhere"], 1, &["nowhere", "pack.toml", "gradus new"]);
}

fn broken_pool(file: &str, from: &str, to: &str, words: &[&str]) {
    let dir = tempfile::tempdir().unwrap();
    new_pack(dir.path());
    let pool = pool(dir.path(), 12);
    edit(&pool.join(file), from, to);
    refused(dir.path(), &["split", "pool", "-o", "data"], 1, words);
}

#[test]
fn a_bad_line_of_data_has_its_number() {
    broken_pool("tasks.jsonl", "{\"id\": \"t3\"", "{\"id\" \"t3\"", &["pool/tasks.jsonl:4"]);
    broken_pool("outputs.jsonl", "\"id\": \"t1#0\"", "\"id\": \"t0#1\"", &["pool/outputs.jsonl:3", "t0#1"]);
    broken_pool("outputs.jsonl", "\"task\": \"t2\"", "\"task\": \"t99\"", &["pool/outputs.jsonl:5", "t99"]);
    broken_pool("labels.jsonl", "\"t5#0\"", "\"t55#0\"", &["pool/labels.jsonl:11", "t55#0"]);
    broken_pool("labels.jsonl", "\"pass\": true", "\"pass\": 1", &["pool/labels.jsonl:1", "pass"]);
}

#[test]
fn bytes_that_are_not_utf8_have_their_line() {
    let dir = tempfile::tempdir().unwrap();
    let pool = pool(dir.path(), 12);
    let path = pool.join("outputs.jsonl");
    let mut bytes = fs::read(&path).unwrap();
    let second = bytes.iter().position(|byte| *byte == b'\n').unwrap() + 20;
    bytes[second] = 0xff;
    fs::write(&path, bytes).unwrap();
    refused(dir.path(), &["split", "pool", "-o", "data"], 1, &["pool/outputs.jsonl:2", "UTF-8"]);
}

#[test]
fn a_50_mb_output_is_refused_with_its_line() {
    let dir = tempfile::tempdir().unwrap();
    let pool = pool(dir.path(), 12);
    edit(&pool.join("outputs.jsonl"), "y = 2 * x", &"x".repeat(50_000_000 / 12));
    refused(dir.path(), &["split", "pool", "-o", "data"], 1, &["pool/outputs.jsonl:2"]);
}

#[test]
fn one_class_alone_teaches_nothing() {
    broken_pool("labels.jsonl", "false", "true", &["no failing output"]);
    broken_pool("labels.jsonl", "true", "false", &["no passing output"]);
}

#[test]
fn a_dataset_is_never_overwritten() {
    let dir = tempfile::tempdir().unwrap();
    pool(dir.path(), 12);
    let made = gradus(dir.path(), &["split", "pool", "--dev", "4", "-o", "data"]);
    assert!(made.status.success(), "{}", stderr(&made));
    refused(dir.path(), &["split", "pool", "--dev", "4", "-o", "data"], 1, &["data", "exists already"]);
}

#[test]
fn a_bundle_for_another_host_api_says_so() {
    let dir = tempfile::tempdir().unwrap();
    pool(dir.path(), 12);
    fs::write(dir.path().join("metric.json"), "{\"api\": 999}").unwrap();
    let args = ["grade", "metric.json", "--tasks", "pool/tasks.jsonl", "--outputs", "pool/outputs.jsonl"];
    refused(dir.path(), &args, 1, &["metric.json", "host API 999", "Evolve it again"]);
    fs::write(dir.path().join("metric.json"), "{\"api\": ").unwrap();
    refused(dir.path(), &args, 1, &["metric.json:1", "not a metric bundle"]);
}

#[test]
fn an_expression_with_a_mistake_shows_where() {
    let dir = tempfile::tempdir().unwrap();
    new_pack(dir.path());
    pool(dir.path(), 12);
    let with = |expr| {
        let files = ["--tasks", "pool/tasks.jsonl", "--outputs", "pool/outputs.jsonl"];
        ["grade", "--pack", "small", "--expr", expr].into_iter().chain(files).collect::<Vec<_>>()
    };
    refused(dir.path(), &with("(any says_nothing"), 2, &["(any says_nothing"]);
    refused(dir.path(), &with("(any says_nothing other)"), 2, &["no op `other`", "says_nothing"]);
}

#[test]
fn without_python_execution_ops_are_faults_and_the_command_says_what_to_do() {
    let dir = tempfile::tempdir().unwrap();
    let pack = new_pack(dir.path());
    pool(dir.path(), 2);
    let op =
        "return { detects = \"no_answer\", about = \"fails its example\", tier = \"execution\", strength = \"proof\",
      plan = function(task) return { { assert = task.examples[1] } } end,
      check = function(task, artifact, seen) return seen[1].own.holds and clean() or drawback(\"wrong\") end }";
    fs::write(pack.join("seeds/wrong.lua"), op).unwrap();
    let args = ["grade", "--pack", "small", "--expr", "wrong", "--python", "/nonexistent/python3", "--json"];
    let files = ["--tasks", "pool/tasks.jsonl", "--outputs", "pool/outputs.jsonl"];
    let output = gradus(dir.path(), &[&args[..], &files[..]].concat());
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    assert!(stdout(&output).lines().all(|line| line.contains("\"verdict\":\"fault\"")), "{}", stdout(&output));
    assert!(stderr(&output).contains("/nonexistent/python3"), "{}", stderr(&output));
    assert!(stderr(&output).contains("gradus check --system"), "{}", stderr(&output));
}
