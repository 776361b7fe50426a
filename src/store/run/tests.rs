//! A run's database by itself: what was given comes back, an error at any edge leaves whole rounds, and a file that is
//! not what was written is told from one that is.

use std::fs;

use serde_json::json;
use tempfile::TempDir;

use super::*;
use crate::base::Error;

fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

fn header() -> Value {
    json!({"seed": 0, "weight": 0.1, "pack": {"name": "code", "ops": ["b", "a"]}})
}

fn begin(folder: &Path) -> RunFile {
    RunFile::create(folder, &header(), &json!({"data": "data/code-0"})).unwrap()
}

fn round(n: u32) -> Vec<String> {
    (0..=n).map(|k| json!({"round": n, "event": "sensed", "k": k}).to_string()).collect()
}

/// A run of `rounds` rounds that nobody holds.
fn run_of(rounds: u32) -> TempDir {
    let folder = folder();
    let mut run = begin(folder.path());
    for n in 0..rounds {
        run.commit(n, &round(n), &[("grade".to_owned(), 0.5)]).unwrap();
    }
    run.project().unwrap();
    folder
}

fn expected(rounds: u32) -> Vec<(u32, String)> {
    (0..rounds).flat_map(|n| round(n).into_iter().map(move |line| (n, line))).collect()
}

fn error_of<T>(result: Result<T>) -> String {
    result.err().expect("an error").to_string()
}

fn sql(folder: &Path, sql: &str) {
    Connection::open(folder.join(DATABASE)).unwrap().execute_batch(sql).unwrap();
}

#[test]
fn what_a_run_was_given_comes_back() {
    let folder = folder();
    let mut run = begin(folder.path());
    let id = run.id().to_owned();
    assert_eq!((id.len(), run.header(), run.place()), (32, &header(), &json!({"data": "data/code-0"})));
    assert_eq!(run.events().unwrap(), []);
    run.commit(0, &round(0), &[]).unwrap();
    run.commit(1, &round(1), &[("judge".to_owned(), 2.5), ("faults".to_owned(), 3.0)]).unwrap();
    run.commit(1, &["{}".to_owned()], &[]).unwrap();
    run.project().unwrap();
    drop(run);
    let run = RunFile::open(folder.path()).unwrap();
    assert_eq!((run.id(), run.header().to_string()), (id.as_str(), header().to_string()));
    let events = [expected(2), vec![(1, "{}".to_owned())]].concat();
    assert_eq!(run.events().unwrap(), events);
    assert_eq!(run.timings().unwrap(), [(1, "judge".to_owned(), 2.5), (1, "faults".to_owned(), 3.0)]);
    let lines: String = events.iter().map(|(_, line)| format!("{line}\n")).collect();
    assert_eq!(fs::read_to_string(folder.path().join(EVENTS)).unwrap(), lines);
}

#[test]
fn two_runs_of_the_same_beginning_have_names_of_their_own() {
    let (one, other) = (folder(), folder());
    assert_ne!(begin(one.path()).id(), begin(other.path()).id());
}

#[test]
fn an_error_at_any_edge_leaves_whole_rounds_and_the_round_can_be_kept_again() {
    let whole = run_of(3);
    let whole = fs::read(whole.path().join(EVENTS)).unwrap();
    for edge in Edge::ALL {
        let folder = run_of(2);
        let mut run = RunFile::open(folder.path()).unwrap();
        run.watch(move |at| if at == edge { Err(Error::failure("stopped")) } else { Ok(()) });
        let kept = run.commit(2, &round(2), &[]).and_then(|()| run.project());
        assert_eq!(error_of(kept), "stopped");
        let committed = !matches!(edge, Edge::Before | Edge::Inside);
        assert_eq!(run.events().unwrap(), expected(if committed { 3 } else { 2 }), "{edge:?}");
        run.watch(|_| Ok(()));
        if !committed {
            run.commit(2, &round(2), &[]).unwrap();
        }
        run.project().unwrap();
        assert_eq!(fs::read(folder.path().join(EVENTS)).unwrap(), whole, "{edge:?}");
        drop(run);
        assert_eq!(RunFile::open(folder.path()).unwrap().events().unwrap(), expected(3));
    }
}

#[test]
fn a_projection_that_was_cut_or_edited_is_made_anew() {
    let folder = run_of(3);
    let path = folder.path().join(EVENTS);
    let whole = fs::read(&path).unwrap();
    for content in [&whole[..whole.len() / 2], b"edited\n", b""] {
        fs::write(&path, content).unwrap();
        let run = RunFile::open(folder.path()).unwrap();
        assert_eq!(run.events().unwrap(), expected(3));
        run.project().unwrap();
        assert_eq!(fs::read(&path).unwrap(), whole);
    }
}

#[test]
fn a_second_run_in_a_folder_and_a_second_writer_are_refused() {
    let folder = folder();
    let run = begin(folder.path());
    let place = folder.path().display();
    assert_eq!(
        error_of(RunFile::create(folder.path(), &header(), &Value::Null)),
        format!(
            "{place}: there is a run in this folder already. Choose another folder, or go on with that run by `--resume`"
        )
    );
    assert_eq!(
        error_of(RunFile::open(folder.path())),
        format!(
            "{place}: another process is working on this run. Wait for it to end or stop it, then try again; or use \
             another folder"
        )
    );
    assert!(RunFile::is_going_on(folder.path()));
    drop(run);
    assert!(!RunFile::is_going_on(folder.path()));
    RunFile::open(folder.path()).unwrap();
}

#[test]
fn of_many_that_begin_a_run_in_one_folder_at_once_one_does() {
    let folder = folder();
    let path = folder.path();
    let runs: Vec<Result<RunFile>> = std::thread::scope(|scope| {
        let begin = || RunFile::create(path, &header(), &Value::Null);
        let threads: Vec<_> = (0..6).map(|_| scope.spawn(begin)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let begun: Vec<RunFile> = runs.into_iter().filter_map(Result::ok).collect();
    assert_eq!(begun.len(), 1);
    assert_eq!(RunFile::read(path).unwrap().id(), begun[0].id());
}

#[test]
fn a_reader_sees_the_rounds_that_are_kept_and_cannot_write() {
    let folder = folder();
    let mut run = begin(folder.path());
    run.commit(0, &round(0), &[]).unwrap();
    let mut reader = RunFile::read(folder.path()).unwrap();
    assert_eq!(reader.events().unwrap(), expected(1));
    run.commit(1, &round(1), &[]).unwrap();
    assert_eq!(reader.events().unwrap(), expected(2));
    assert!(error_of(reader.commit(2, &round(2), &[])).contains("opened to be read only"));
    assert_eq!(run.events().unwrap(), expected(2));
}

#[test]
fn events_that_are_not_those_that_were_written_are_damage() {
    let changes = [
        ("UPDATE events SET line = '{}' WHERE n = 3", "it is whole up to round 0"),
        ("UPDATE events SET round = 7 WHERE n = 5", "it is whole up to round 1"),
        ("UPDATE events SET line = x'00' WHERE n = 5", "it is whole up to round 1"),
        ("DELETE FROM events WHERE n = 6", "it is whole up to round 1"),
        ("DELETE FROM events WHERE n > 3; DELETE FROM commits WHERE n > 2", "it is whole up to round 1"),
        ("INSERT INTO events (round, line) VALUES (3, '{}')", "it is whole up to round 2"),
        ("UPDATE events SET n = 9 WHERE n = 1", "no round of it is whole"),
        ("UPDATE run SET header = '{\"seed\":1}'", "no round of it is whole"),
    ];
    for (change, whole) in changes {
        let folder = run_of(3);
        sql(folder.path(), change);
        let before = fs::read(folder.path().join(DATABASE)).unwrap();
        for opened in [RunFile::open(folder.path()), RunFile::read(folder.path())] {
            let error = error_of(opened);
            let path = folder.path().join(DATABASE).display().to_string();
            let says = format!(
                "{path}: the run is damaged (its events are not those that were written); {whole}. Nothing was changed. \
                 Restore run.sqlite from a copy, or begin a new run in another folder"
            );
            assert_eq!(error, says, "{change}");
        }
        assert_eq!(fs::read(folder.path().join(DATABASE)).unwrap(), before);
    }
}

#[test]
fn a_file_that_is_no_run_is_refused_and_left_alone() {
    let folder = run_of(60);
    let path = folder.path().join(DATABASE);
    let whole = fs::read(&path).unwrap();
    let mut scribbled = whole.clone();
    scribbled[4096..].iter_mut().for_each(|byte| *byte ^= 0x5a);
    let cases = [
        (Vec::new(), "the run's database is empty"),
        (whole[..whole.len() / 2].to_vec(), "damaged"),
        (whole[..50].to_vec(), "damaged"),
        (scribbled, "damaged"),
        (b"no database at all, but long enough to look like one".repeat(40), "damaged"),
    ];
    for (content, words) in cases {
        fs::write(&path, &content).unwrap();
        for opened in [RunFile::open(folder.path()), RunFile::read(folder.path())] {
            let error = error_of(opened);
            assert!(error.contains(words) && error.contains("Nothing was changed. Restore run.sqlite"), "{error}");
        }
        assert_eq!(fs::read(&path).unwrap(), content);
    }
}

#[test]
fn a_newer_run_and_another_programs_database_are_left_alone() {
    let folder = run_of(1);
    sql(folder.path(), "PRAGMA user_version = 9");
    let error = error_of(RunFile::open(folder.path()));
    assert!(error.contains("the run has format 9, from a newer gradus; this one knows up to 1"), "{error}");
    assert!(error.ends_with("Update gradus, or begin a new run in another folder"), "{error}");
    let other = self::folder();
    sql(other.path(), "CREATE TABLE notes (text); INSERT INTO notes VALUES ('mine')");
    let before = fs::read(other.path().join(DATABASE)).unwrap();
    for opened in [RunFile::open(other.path()), RunFile::read(other.path())] {
        assert!(error_of(opened).contains("belongs to another program"));
    }
    assert_eq!(fs::read(other.path().join(DATABASE)).unwrap(), before);
    let nothing = self::folder();
    let error = error_of(RunFile::open(nothing.path()));
    assert!(error.contains("there is no run here: run.sqlite is missing"), "{error}");
    assert_eq!(fs::read_dir(nothing.path()).unwrap().count(), 0);
}

#[test]
fn what_a_killed_process_left_while_making_a_run_is_in_nobodys_way() {
    let folder = folder();
    fs::write(folder.path().join(".run.sqlite.new"), "half a database").unwrap();
    fs::write(folder.path().join(".run.sqlite.new-journal"), "half a journal").unwrap();
    assert!(error_of(RunFile::open(folder.path())).contains("there is no run here"));
    drop(begin(folder.path()));
    fs::write(folder.path().join(".events.jsonl.4194304"), "half a projection").unwrap();
    drop(RunFile::open(folder.path()).unwrap());
    let mut names: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["run.lock", "run.sqlite"]);
}

#[test]
fn a_folder_without_a_run_is_cleared_and_one_with_a_run_or_anything_else_is_not() {
    let made = self::folder();
    let folder = made.path().join("run");
    let lay = |names: &[&str]| {
        fs::create_dir(&folder).unwrap();
        names.iter().for_each(|name| fs::write(folder.join(name), "").unwrap());
    };
    lay(&["run.lock"]);
    RunFile::clear_unbegun(&folder);
    assert!(!folder.exists());
    lay(&["run.lock", "notes"]);
    RunFile::clear_unbegun(&folder);
    assert!(folder.join("notes").exists());
    fs::remove_dir_all(&folder).unwrap();
    lay(&[]);
    let held = super::Lock::take(&folder).unwrap();
    RunFile::clear_unbegun(&folder);
    assert!(folder.join("run.lock").exists(), "another process is about to begin a run here");
    drop(held);
    fs::write(folder.join(DATABASE), "").unwrap();
    RunFile::clear_unbegun(&folder);
    assert!(folder.join(DATABASE).exists() && folder.join("run.lock").exists());
}
