//! What a person reads when a pack, a pool, a bundle or the machine is not as it must be: one paragraph with file,
//! line and remedy, the right exit code, nothing half-written.

mod support;
#[path = "support/small.rs"]
mod small;

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use small::{new_pack, pool};
use support::{command, gradus, stderr, stdout};

/// Replaces `from` by `to` in a file; it must be there.
fn edit(path: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(path).unwrap();
    assert!(text.contains(from), "{} has no {from:?}", path.display());
    fs::write(path, text.replace(from, to)).unwrap();
}

/// Every file below a folder with its bytes, the cache apart, to see that nothing was written.
fn snapshot(dir: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files = Vec::new();
    let mut folders = vec![dir.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.extend((path != dir.join("cache")).then_some(path));
            } else {
                files.push((path.clone(), fs::read(&path).unwrap()));
            }
        }
    }
    files.sort();
    files
}

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
    let changed = snapshot(dir).into_iter().filter(|file| !before.contains(file)).map(|(path, _)| path);
    assert_eq!(changed.collect::<Vec<_>>(), Vec::<PathBuf>::new(), "{args:?} wrote something");
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

#[test]
fn a_bundle_that_was_edited_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    new_pack(dir.path());
    pool(dir.path(), 12);
    let made = gradus(dir.path(), &["evolve", "small", "--pool", "pool", "--dev", "4", "-o", "run"]);
    assert!(made.status.success(), "{}", stderr(&made));
    let metric = dir.path().join("run/metric.json");
    let whole = fs::read_to_string(&metric).unwrap();
    let args = ["grade", "run/metric.json", "--tasks", "pool/tasks.jsonl", "--outputs", "pool/outputs.jsonl"];
    let now = |from: &str, to: &str, words: &[&str]| {
        fs::write(&metric, &whole).unwrap();
        edit(&metric, from, to);
        refused(dir.path(), &args, 1, words);
    };
    let edited = ["run/metric.json", "says_nothing.lua", "does not match its id", "make it again"];
    now("returns no value", "returns some value", &edited);
    let missing = ["run/metric.json", "no op `other`", "says_nothing"];
    now("\"expression\": \"says_nothing\"", "\"expression\": \"other\"", &missing);
    now("\"api\"", "\"apis\"", &["run/metric.json", "not a metric bundle", "apis", "gradus evolve"]);
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let dir = tempfile::tempdir().unwrap();
    new_pack(dir.path());
    pool(dir.path(), 12);
    let grade = |tasks, outputs| ["grade", "--pack", "small", "--tasks", tasks, "--outputs", outputs];
    refused(dir.path(), &grade("nowhere.jsonl", "pool/outputs.jsonl"), 1, &["nowhere.jsonl", "No such file"]);
    refused(dir.path(), &grade("pool/tasks.jsonl", "pool"), 1, &["pool", "directory"]);
    refused(dir.path(), &["grade", "nowhere.json", "--tasks", "a", "--outputs", "b"], 1, &["nowhere.json"]);
    refused(dir.path(), &["evolve", "small", "--data", "pool"], 1, &["pool/splits.json", "gradus split"]);
    refused(dir.path(), &["evolve", "small", "--pool", "nowhere"], 1, &["nowhere", "no such folder", "labels.jsonl"]);
    refused(dir.path(), &["evolve", "small"], 2, &["small", "names no dataset", "--data or --pool"]);
}

#[test]
fn usage_that_makes_no_sense_is_code_2() {
    let dir = tempfile::tempdir().unwrap();
    new_pack(dir.path());
    pool(dir.path(), 12);
    let of_pool = ["--tasks", "pool/tasks.jsonl", "--outputs", "pool/outputs.jsonl"];
    let run = |args: &[&str], code, words: &[&str]| refused(dir.path(), args, code, words);
    run(&["split", "pool", "--dev", "3", "-o", "data"], 2, &["dev split of 3", "even --dev"]);
    run(&["split", "pool", "--train", "0", "-o", "data"], 2, &["--train 1"]);
    run(&["new", "Not-A-Name"], 2, &["`Not-A-Name` is not a pack's name", "Lower-case letters"]);
    run(&["new", "small"], 1, &["small", "exists already"]);
    run(&["test", "small", "--only", "nothing"], 2, &["no op `nothing`", "says_nothing"]);
    run(&["try", "small", "says_nothing", "--id", "t99#0", "--data", "pool"], 2, &["t99#0", "look like `t0#0`"]);
    run(&[&["grade", "--pack", "small", "-o", "out.xlsx"], &of_pool[..]].concat(), 2, &["out.xlsx", ".sarif"]);
    run(&["--threads", "0", "cache", "stats"], 2, &["zero threads"]);
    fs::write(dir.path().join("gradus.toml"), "threads = 1\ncash = \"here\"\n").unwrap();
    run(&["cache", "stats"], 2, &["gradus.toml:2", "cash", "cache, threads and python"]);
}

/// Runs the command in a shell after `setup`, which sees the folder `place` as `$D`: in a mount namespace of its own.
/// `None`, with a word why, where the machine does not allow that.
fn in_a_bad_place(dir: &Path, setup: &str, args: &[&str]) -> Option<(i32, String, Vec<PathBuf>)> {
    let root = fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0);
    let place = dir.join("place");
    fs::create_dir_all(&place).unwrap();
    // What lies in the place is listed within its namespace, where it can be seen.
    let script =
        format!("{setup} || exit 77; \"$0\" \"$@\"; code=$?; find \"$D\" -mindepth 1 >\"$D.found\"; exit $code");
    let like = command(dir);
    let mut unshare = Command::new("unshare");
    unshare.args(if root { &["--mount"][..] } else { &["--mount", "--map-root-user"] });
    unshare.args(["sh", "-c", &script]).arg(like.get_program()).args(args).current_dir(dir).env("D", &place);
    for (name, value) in like.get_envs() {
        match value {
            Some(value) => unshare.env(name, value),
            None => unshare.env_remove(name),
        };
    }
    let output = match unshare.output() {
        Ok(output) if dir.join("place.found").is_file() => output,
        _ => {
            println!("skipped: no mount namespace here");
            return None;
        }
    };
    let found = fs::read_to_string(dir.join("place.found")).unwrap();
    fs::remove_file(dir.join("place.found")).unwrap();
    Some((output.status.code()?, stderr(&output), found.lines().map(PathBuf::from).collect()))
}

/// Every command that writes a result, told to write it below `place`, and the file that its error is to name.
fn writers() -> [(Vec<&'static str>, &'static str); 3] {
    let grade = ["grade", "--pack", "small", "--tasks", "pool/tasks.jsonl", "--outputs", "pool/outputs.jsonl"];
    [
        (vec!["evolve", "small", "--pool", "pool", "--dev", "4", "-o", "place/run"], "place/run"),
        (vec!["split", "pool", "--dev", "4", "-o", "place/data"], "place/data"),
        ([&grade[..], &["-o", "place/grades.sarif"]].concat(), "place/grades.sarif"),
    ]
}

fn cannot_write(setup: &str, why: &str, left: &[&str]) {
    let dir = tempfile::tempdir().unwrap();
    new_pack(dir.path());
    pool(dir.path(), 120);
    for (args, file) in writers() {
        let Some((code, said, found)) = in_a_bad_place(dir.path(), setup, &args) else { return };
        assert_eq!(code, 1, "{args:?} said {said}");
        let error = said.lines().find(|line| line.starts_with("gradus: ")).unwrap_or_default();
        for word in [file, "writ"] {
            assert!(error.contains(word), "{args:?} said {said:?}, not {word:?}");
        }
        let in_other_words = why.contains("No space") && error.contains("disk is full");
        assert!(error.contains(why) || in_other_words, "{args:?} said {said:?}, not {why:?}");
        assert!(error.contains(". C"), "{args:?} names no remedy: {said:?}");
        let names: Vec<_> = found.iter().filter_map(|path| path.file_name()?.to_str()).collect();
        assert_eq!(names, left, "{args:?} left something half-written");
    }
}

#[test]
fn a_read_only_folder_is_named_with_a_remedy() {
    cannot_write("mount -t tmpfs none \"$D\" && mount -o remount,ro \"$D\"", "Read-only file system", &[]);
}

#[test]
fn a_full_disk_leaves_nothing_half_written() {
    let setup = "mount -t tmpfs -o size=16k none \"$D\" && { dd if=/dev/zero of=\"$D/fill\" 2>/dev/null; true; }";
    cannot_write(setup, "No space left on device", &["fill"]);
}

#[test]
fn a_place_that_cannot_be_written_costs_no_opening_of_the_seal() {
    let dir = tempfile::tempdir().unwrap();
    new_pack(dir.path());
    pool(dir.path(), 12);
    let made = gradus(dir.path(), &["split", "pool", "--dev", "4", "-o", "data"]);
    assert!(made.status.success(), "{}", stderr(&made));
    let setup = "mount -t tmpfs none \"$D\" && mount -o remount,ro \"$D\"";
    let args = ["evolve", "small", "--data", "data", "-o", "place"];
    let Some((code, said, _)) = in_a_bad_place(dir.path(), setup, &args) else { return };
    assert_eq!(code, 1, "{said}");
    assert!(!dir.path().join("data/openings.jsonl").exists());
}
