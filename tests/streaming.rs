//! Grading in pieces: the same grades as from memory, in any order of lines, and every fault of a file before the first.

use std::fs;
use std::path::Path;

use gradus::dataset::{Corpus, Stream};
use proptest::prelude::*;

mod support;
#[path = "support/small.rs"]
mod small;

use support::{gradus, stderr, stdout};

fn task(n: usize) -> String {
    format!("{{\"id\": \"t{n}\", \"prompt\": \"é {n}\"}}")
}

fn output(task: usize, n: usize) -> String {
    format!("{{\"id\": \"o{n}\", \"task\": \"t{task}\", \"solver\": \"s\", \"text\": \"def f():\\n    return {n}\"}}")
}

fn write(dir: &Path, tasks: &[String], outputs: &[String]) {
    fs::write(dir.join("tasks.jsonl"), tasks.join("\n")).unwrap();
    fs::write(dir.join("outputs.jsonl"), outputs.join("\r\n\n")).unwrap();
}

fn open(dir: &Path) -> gradus::base::Result<Stream> {
    Stream::open(&dir.join("tasks.jsonl"), &dir.join("outputs.jsonl"))
}

/// Each task with its outputs' ids, solvers and texts.
fn content(corpus: &Corpus) -> Vec<String> {
    let of = |at: usize| {
        let outputs = corpus.outputs_of(at).iter().map(|at| &corpus.outputs()[*at]);
        let outputs: Vec<_> = outputs.map(|one| (&one.id, &one.solver, &one.text)).collect();
        format!("{} {outputs:?}", corpus.tasks()[at].fields)
    };
    (0..corpus.tasks().len()).filter(|at| !corpus.outputs_of(*at).is_empty()).map(of).collect()
}

proptest! {
    #[test]
    fn pieces_hold_what_the_whole_holds_in_any_order_of_lines(
        of_task in prop::collection::vec(0..6_usize, 1..40),
        most in 1..12_usize,
    ) {
        let dir = tempfile::tempdir().unwrap();
        let outputs: Vec<String> = of_task.iter().enumerate().map(|(n, task)| output(*task, n)).collect();
        write(dir.path(), &(0..6).map(task).collect::<Vec<_>>(), &outputs);
        let whole = Corpus::load(&dir.path().join("tasks.jsonl"), &dir.path().join("outputs.jsonl")).unwrap();
        let mut stream = open(dir.path()).unwrap();
        prop_assert_eq!((stream.tasks(), stream.outputs()), (6, outputs.len()));
        let pieces: Vec<Corpus> = stream.pieces(most).map(Result::unwrap).collect();
        let read: Vec<String> = pieces.iter().flat_map(content).collect();
        prop_assert_eq!(read, content(&whole));
        let sizes: Vec<usize> = pieces.iter().map(|piece| piece.outputs().len()).collect();
        prop_assert!(sizes[..sizes.len() - 1].iter().all(|size| *size >= most), "{:?}", sizes);
        let before_last = |piece: &Corpus| {
            let last = (0..piece.tasks().len()).next_back().unwrap();
            piece.outputs().len() - piece.outputs_of(last).len()
        };
        prop_assert!(pieces.iter().all(|piece| before_last(piece) < most));
    }
}

#[test]
fn what_is_wrong_with_a_file_is_said_as_when_it_is_loaded() {
    let tasks: Vec<String> = (0..3).map(task).collect();
    let (sound, blank) = (output(0, 1), String::new());
    let cases = [
        (vec![task(0), task(1), task(0)], vec![sound.clone()]),
        (tasks.clone(), vec![sound.clone(), output(1, 2), blank, output(2, 1), output(1, 2), "[]".into()]),
        (tasks.clone(), vec![sound.clone(), output(7, 2)]),
        (tasks.clone(), vec![sound.clone(), "{\"id\": \"x\", \"task\": \"t0\"}".into(), output(0, 1)]),
        (tasks.clone(), vec![]),
        (vec![], vec![sound]),
    ];
    let ends = [
        "tasks.jsonl:3: duplicate task id `t0`, first on line 1. Keep one of the two.",
        "outputs.jsonl:7: duplicate output id `o1`, first on line 1; line 9: duplicate output id `o2`, first on line 3; \
         line 11: expected a JSON object, found a list. Keep one of the two.",
        "outputs.jsonl:3: unknown task `t7`. Add the task to tasks.jsonl, or leave this record out.",
        "outputs.jsonl:3: `solver` is missing; line 5: duplicate output id `o1`, first on line 1. Set `solver` to a string.",
        "outputs.jsonl: holds no output. Write one JSON object a line, one for each output.",
        "tasks.jsonl: holds no task. Write one JSON object a line, one for each task.",
    ];
    for ((tasks, outputs), end) in cases.into_iter().zip(ends) {
        let dir = tempfile::tempdir().unwrap();
        write(dir.path(), &tasks, &outputs);
        let streamed = open(dir.path()).err().unwrap().to_string();
        let loaded = Corpus::load(&dir.path().join("tasks.jsonl"), &dir.path().join("outputs.jsonl"));
        assert_eq!(streamed, loaded.err().unwrap().to_string());
        assert!(streamed.ends_with(end), "{streamed}");
    }
}

#[test]
fn a_file_that_changes_between_check_and_reading_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), &[task(0), task(1)], &[output(0, 0), output(1, 1)]);
    let mut stream = open(dir.path()).unwrap();
    write(dir.path(), &[task(0), task(1)], &[output(1, 0), output(0, 1)]);
    let error = stream.pieces(1).next().unwrap().err().unwrap().to_string();
    assert!(error.ends_with("outputs.jsonl: the file was changed while it was read. Run the command again"), "{error}");
}

#[test]
fn grades_do_not_depend_on_the_order_of_lines_and_a_bad_last_line_stops_all_of_them() {
    let dir = tempfile::tempdir().unwrap();
    small::new_pack(dir.path());
    let pool = small::pool(dir.path(), 300);
    let grade = ["grade", "--pack", "small", "--tasks", "pool/tasks.jsonl", "--no-cache", "-o", "g.csv", "--outputs"];
    let graded = |outputs: &str| {
        let output = gradus(dir.path(), &[&grade[..], &[outputs]].concat());
        assert_eq!(output.status.code(), Some(100), "{}", stderr(&output));
        (stdout(&output), fs::read_to_string(dir.path().join("g.csv")).unwrap())
    };
    let text = fs::read_to_string(pool.join("outputs.jsonl")).unwrap();
    let in_order = graded("pool/outputs.jsonl");
    assert_eq!(in_order.0.lines().count(), 600);
    let lines: Vec<&str> = text.lines().collect();
    let by_solver: Vec<&str> = lines.iter().step_by(2).chain(lines.iter().skip(1).step_by(2)).copied().collect();
    fs::write(dir.path().join("by-solver.jsonl"), by_solver.join("\n")).unwrap();
    assert_eq!(graded("by-solver.jsonl"), in_order);

    fs::remove_file(dir.path().join("g.csv")).unwrap();
    fs::write(dir.path().join("bad.jsonl"), format!("{text}{}", lines[0])).unwrap();
    let refused = gradus(dir.path(), &[&grade[..], &["bad.jsonl"]].concat());
    assert_eq!((refused.status.code(), stdout(&refused)), (Some(1), String::new()));
    assert!(stderr(&refused).contains("bad.jsonl:601: duplicate output id `t0#0`, first on line 1"));
    let left: Vec<_> = fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().contains("g.csv")), "{left:?}");
}

#[test]
fn outputs_may_come_through_a_pipe() {
    let dir = tempfile::tempdir().unwrap();
    small::new_pack(dir.path());
    small::pool(dir.path(), 3);
    let piped = support::command(dir.path())
        .args(["grade", "--pack", "small", "--tasks", "pool/tasks.jsonl", "--outputs", "/dev/stdin", "--no-cache"])
        .stdin(pipe_of(&fs::read(dir.path().join("pool/outputs.jsonl")).unwrap()))
        .output()
        .unwrap();
    assert_eq!(stderr(&piped), "6 outputs: 3 passed, 3 failed, 0 could not be judged\n");
}

/// The reading end of a pipe that holds these few bytes.
fn pipe_of(bytes: &[u8]) -> std::io::PipeReader {
    let (reader, mut writer) = std::io::pipe().unwrap();
    std::io::Write::write_all(&mut writer, bytes).unwrap();
    reader
}
