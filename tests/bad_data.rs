//! Bad input files: each gets one paragraph that names file, line, field and remedy, and nothing is half-loaded.

use std::fs;
use std::io::Write;
use std::path::Path;

use gradus::base::Kind;
use gradus::dataset::{Corpus, Pool, References};
use tempfile::TempDir;

const TASKS: &str = "{\"id\": \"a\", \"prompt\": \"p\"}\n{\"id\": \"b\", \"prompt\": \"q\"}\n";
const OUTPUTS: &str = "{\"id\": \"a#0\", \"task\": \"a\", \"solver\": \"s\", \"text\": \"x\"}\n\
                       {\"id\": \"b#0\", \"task\": \"b\", \"solver\": \"s\", \"text\": \"y\"}\n";
const LABELS: &str = "{\"output\": \"a#0\", \"pass\": true}\n{\"output\": \"b#0\", \"pass\": false}\n";

/// A sound pool, with one file in another state.
fn pool_with(name: &str, content: impl AsRef<[u8]>) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (file, sound) in [("tasks.jsonl", TASKS), ("outputs.jsonl", OUTPUTS), ("labels.jsonl", LABELS)] {
        fs::write(folder.path().join(file), sound).unwrap();
    }
    fs::write(folder.path().join(name), content).unwrap();
    folder
}

/// The error of loading the pool, from the file's name on.
fn error_of(name: &str, content: impl AsRef<[u8]>) -> String {
    let folder = pool_with(name, content);
    let error = Pool::load(folder.path()).unwrap_err();
    assert_eq!(error.kind(), Kind::Failure);
    let text = error.to_string();
    assert!(!text.contains('\n'), "one paragraph: {text}");
    text.strip_prefix(&format!("{}/", folder.path().display())).unwrap_or(&text).to_owned()
}

#[test]
fn byte_order_mark_crlf_blank_lines_and_a_missing_last_newline_are_fine() {
    let content = format!("\u{feff}{}", TASKS.trim_end().replace('\n', "\r\n\r\n  \r\n"));
    let folder = pool_with("tasks.jsonl", content);
    let pool = Pool::load(folder.path()).unwrap();
    let corpus = pool.corpus();
    assert_eq!(corpus.tasks().iter().map(|task| task.id.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(corpus.tasks()[1].fields.to_string(), "{\"id\":\"b\",\"prompt\":\"q\"}");
    assert_eq!((corpus.outputs_of(0), corpus.find_output("b#0"), corpus.find_task("c")), (&[0][..], Some(1), None));
    assert_eq!(pool.passes(), [true, false]);
}

#[test]
fn lines_that_are_no_records() {
    assert_eq!(
        error_of("tasks.jsonl", format!("{TASKS}{{\"id\": \"c\"\n")),
        "tasks.jsonl:3: not JSON: EOF while parsing an object (column 10). Write one JSON object a line."
    );
    assert_eq!(
        error_of("tasks.jsonl", "[1]\n"),
        "tasks.jsonl:1: expected a JSON object, found a list. Write one JSON object a line."
    );
    assert_eq!(
        error_of("outputs.jsonl", [OUTPUTS.as_bytes(), b"{\"id\": \"a#1\", \"text\": \"\xff\xfe\"}\n"].concat()),
        "outputs.jsonl:3: not UTF-8 at byte 24 of the line. Save the file as UTF-8."
    );
    let deep = format!("{{\"id\": \"c\", \"x\": {}1{}}}\n", "[".repeat(100_000), "]".repeat(100_000));
    assert!(error_of("tasks.jsonl", deep).starts_with("tasks.jsonl:1: not JSON: recursion limit exceeded"));
}

#[test]
fn fields_that_are_missing_or_of_another_type() {
    assert_eq!(
        error_of("tasks.jsonl", "{\"prompt\": \"p\"}\n"),
        "tasks.jsonl:1: `id` is missing. Set `id` to a string."
    );
    assert_eq!(
        error_of("tasks.jsonl", "{\"id\": \"\"}\n"),
        "tasks.jsonl:1: `id` is empty. Give every record a name of its own."
    );
    assert_eq!(
        error_of("outputs.jsonl", OUTPUTS.replace("\"y\"", "7")),
        "outputs.jsonl:2: `text` must be a string, found a number. Set `text` to a string."
    );
    assert_eq!(
        error_of("outputs.jsonl", OUTPUTS.replace("\"solver\": \"s\", ", "")),
        "outputs.jsonl:1: `solver` is missing; line 2: `solver` is missing. Set `solver` to a string."
    );
    assert_eq!(
        error_of("labels.jsonl", LABELS.replace("true", "\"yes\"")),
        "labels.jsonl:1: `pass` must be true or false, found a string. Set `pass` to true or false."
    );
}

#[test]
fn names_that_are_taken_or_unknown() {
    assert_eq!(
        error_of("tasks.jsonl", format!("{TASKS}\n{TASKS}")),
        "tasks.jsonl:4: duplicate task id `a`, first on line 1; line 5: duplicate task id `b`, first on line 2. \
         Keep one of the two."
    );
    assert!(error_of("outputs.jsonl", OUTPUTS.repeat(2)).starts_with("outputs.jsonl:3: duplicate output id `a#0`"));
    assert!(error_of("labels.jsonl", LABELS.repeat(2)).starts_with("labels.jsonl:3: duplicate label of output `a#0`"));
    assert_eq!(
        error_of("outputs.jsonl", OUTPUTS.replace("\"task\": \"b\"", "\"task\": \"z\"")),
        "outputs.jsonl:2: unknown task `z`. Add the task to tasks.jsonl, or leave this record out."
    );
    assert_eq!(
        error_of("labels.jsonl", LABELS.replace("b#0", "b#9")),
        "labels.jsonl:2: unknown output `b#9`. Add the output to outputs.jsonl, or leave this record out."
    );
    let short = "{\"output\": \"b#0\", \"pass\": false}\n";
    assert!(error_of("labels.jsonl", short).starts_with("labels.jsonl: output `a#0` has no label. Add the labels"));
}

#[test]
fn empty_and_missing_files() {
    assert_eq!(
        error_of("tasks.jsonl", "\n \n"),
        "tasks.jsonl: holds no task. Write one JSON object a line, one for each task."
    );
    assert!(error_of("outputs.jsonl", "").starts_with("outputs.jsonl: holds no output."));
    let folder = pool_with("tasks.jsonl", TASKS);
    fs::remove_file(folder.path().join("labels.jsonl")).unwrap();
    let error = Pool::load(folder.path()).unwrap_err().to_string();
    assert!(error.contains("labels.jsonl: cannot open: No such file"), "{error}");
    let error = Pool::load(Path::new("no/such/pool")).unwrap_err().to_string();
    assert_eq!(
        error,
        "no/such/pool: no such folder. A pool is a folder with tasks.jsonl, outputs.jsonl and labels.jsonl."
    );
}

#[test]
fn outputs_that_are_too_long() {
    let of = |bytes: usize| OUTPUTS.replace("\"y\"", &format!("\"{}\"", "y".repeat(bytes)));
    assert!(Pool::load(pool_with("outputs.jsonl", of(1 << 20)).path()).is_ok());
    assert_eq!(
        error_of("outputs.jsonl", of((1 << 20) + 1)),
        "outputs.jsonl:2: `text` has 1048577 bytes; the limit is 1048576. Shorten the output or leave it out."
    );
    let folder = pool_with("outputs.jsonl", OUTPUTS);
    let mut file = fs::OpenOptions::new().append(true).open(folder.path().join("outputs.jsonl")).unwrap();
    let megabyte = vec![b'z'; 1_000_000];
    (0..50).for_each(|_| file.write_all(&megabyte).unwrap());
    file.write_all(b"\n{\"id\": 4}\n").unwrap();
    let error = Pool::load(folder.path()).unwrap_err().to_string();
    let expected = "outputs.jsonl:3: the line has 50000001 bytes; the limit is 16777216; \
                    line 4: `id` must be a string, found a number. Shorten the record or leave it out.";
    assert!(error.ends_with(expected), "{error}");
}

#[test]
fn references_are_of_known_tasks_once() {
    let folder = pool_with("reference.jsonl", "{\"task\": \"b\", \"gold\": [1.0]}\n");
    let path = |name: &str| folder.path().join(name);
    let corpus = Corpus::load(&path("tasks.jsonl"), &path("outputs.jsonl")).unwrap();
    let references = References::load(&path("reference.jsonl"), &corpus).unwrap();
    assert_eq!((references.len(), references.get("a")), (1, None));
    assert_eq!(references.get("b").unwrap().to_string(), "{\"task\":\"b\",\"gold\":[1.0]}");
    fs::write(path("reference.jsonl"), "{\"task\": \"b\"}\n{\"task\": \"z\"}\n{\"task\": \"b\"}\n").unwrap();
    let error = References::load(&path("reference.jsonl"), &corpus).unwrap_err().to_string();
    assert!(
        error.contains(":2: unknown task `z`; line 3: duplicate reference of task `b`, first on line 1"),
        "{error}"
    );
}
