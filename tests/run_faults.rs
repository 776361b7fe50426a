//! A run whose process dies, whose disk fills, or that two processes want: whole rounds stay, and going on gives the
//! same bytes.
//!
//! The processes are this test program itself, run again for one ignored test. A full disk is made in a mount namespace
//! of its own (root), or by a file size limit.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use gradus::base::Error;
use gradus::store::{DATABASE, EVENTS, Edge, RunFile};
use serde_json::{Value, json};

const RUN: &str = "GRADUS_TEST_RUN";
const EDGE: &str = "GRADUS_TEST_EDGE";
const ROOMY: &str = "GRADUS_TEST_ROOMY";
const KEPT: u32 = 3;

fn round(n: u32) -> Vec<String> {
    (0..5).map(|k| json!({"round": n, "event": "sensed", "k": k, "words": "x".repeat(400)}).to_string()).collect()
}

fn begin(folder: &Path) -> RunFile {
    RunFile::create(folder, &json!({"seed": 0}), &Value::Null).unwrap()
}

fn keep(run: &mut RunFile, n: u32) -> gradus::base::Result<()> {
    commit(run, n)?;
    run.project()
}

fn commit(run: &mut RunFile, n: u32) -> gradus::base::Result<()> {
    run.commit(n, &round(n), &[("grade".to_owned(), f64::from(n))])
}

/// The rounds of a run, which must be whole.
fn rounds(run: &RunFile) -> u32 {
    let events = run.events().unwrap();
    let rounds = u32::try_from(events.len() / round(0).len()).unwrap();
    let expected: Vec<_> = (0..rounds).flat_map(|n| round(n).into_iter().map(move |line| (n, line))).collect();
    assert_eq!(events, expected);
    rounds
}

/// The rounds of a run that nobody works on, which must be whole with their timings.
fn settled_rounds(run: &RunFile) -> u32 {
    let timings: Vec<_> = (0..rounds(run)).map(|n| (n, "grade".to_owned(), f64::from(n))).collect();
    assert_eq!(run.timings().unwrap(), timings);
    rounds(run)
}

/// What `events.jsonl` holds after so many rounds without any trouble.
fn untroubled(rounds: u32) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let mut run = begin(folder.path());
    (0..rounds).for_each(|n| keep(&mut run, n).unwrap());
    fs::read(folder.path().join(EVENTS)).unwrap()
}

/// Runs an ignored test of this program on the run in `folder`.
fn process(test: &str, folder: &Path, edge: &str) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--ignored", "--nocapture"])
        .env(RUN, folder)
        .env(EDGE, edge)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

fn assigned() -> Option<std::path::PathBuf> {
    std::env::var_os(RUN).map(Into::into)
}

#[test]
fn a_process_that_dies_at_any_edge_leaves_whole_rounds_and_going_on_gives_the_same_bytes() {
    let whole = untroubled(KEPT + 2);
    for edge in Edge::ALL {
        let folder = tempfile::tempdir().unwrap();
        let status = process("die_at_an_edge", folder.path(), &format!("{edge:?}")).wait().unwrap();
        assert!(!status.success(), "the process was to die {edge:?}");
        let kept = if matches!(edge, Edge::Before | Edge::Inside) { KEPT } else { KEPT + 1 };
        assert_eq!(settled_rounds(&RunFile::read(folder.path()).unwrap()), kept, "read {edge:?}");
        let mut run = RunFile::open(folder.path()).unwrap();
        assert_eq!(settled_rounds(&run), kept, "opened {edge:?}");
        let on_disk = fs::read(folder.path().join(EVENTS)).unwrap();
        let projected = if edge == Edge::Projected { KEPT + 1 } else { KEPT };
        assert_eq!(on_disk, untroubled(projected), "{edge:?}");
        (kept..KEPT + 2).for_each(|n| keep(&mut run, n).unwrap());
        assert_eq!(fs::read(folder.path().join(EVENTS)).unwrap(), whole, "{edge:?}");
        let mut names: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, [EVENTS, "run.lock", DATABASE], "{edge:?}");
    }
}

#[test]
#[ignore = "a process of the test above"]
fn die_at_an_edge() {
    let Some(folder) = assigned() else { return };
    let edge = std::env::var(EDGE).unwrap();
    let mut run = begin(&folder);
    (0..KEPT).for_each(|n| keep(&mut run, n).unwrap());
    run.watch(move |at| if format!("{at:?}") == edge { std::process::abort() } else { Ok(()) });
    keep(&mut run, KEPT).unwrap();
    std::process::exit(0);
}

#[test]
fn a_process_that_is_killed_at_any_moment_leaves_every_round_that_it_said_was_kept() {
    let folder = tempfile::tempdir().unwrap();
    drop(begin(folder.path()));
    let mut before = 0;
    for turn in 0..4 {
        let mut child = process("keep_rounds_without_end", folder.path(), "");
        let mut said = before;
        for line in BufReader::new(child.stdout.take().unwrap()).lines() {
            let Some(n) = line.unwrap().strip_prefix("kept ").map(|n| n.parse::<u32>().unwrap()) else { continue };
            said = n + 1;
            if said == before + 6 + turn {
                child.kill().unwrap();
            }
        }
        child.wait().unwrap();
        let kept = settled_rounds(&RunFile::read(folder.path()).unwrap());
        assert!(kept == said || kept == said + 1, "{said} rounds were said to be kept, {kept} are");
        before = kept;
    }
    let run = RunFile::open(folder.path()).unwrap();
    run.project().unwrap();
    assert_eq!(fs::read(folder.path().join(EVENTS)).unwrap(), untroubled(before));
}

#[test]
#[ignore = "a process of the test above"]
fn keep_rounds_without_end() {
    let Some(folder) = assigned() else { return };
    let mut run = RunFile::open(&folder).unwrap();
    for n in rounds(&run).. {
        keep(&mut run, n).unwrap();
        println!("\nkept {n}");
    }
}

#[test]
fn of_two_processes_on_a_run_the_second_is_refused_and_nothing_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    drop(begin(folder.path()));
    let mut child = process("keep_rounds_without_end", folder.path(), "");
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut kept = || lines.find_map(|line| line.unwrap().strip_prefix("kept ").map(|n| n.parse::<u32>().unwrap()));
    kept().unwrap();
    assert!(RunFile::is_going_on(folder.path()));
    let error = RunFile::open(folder.path()).err().unwrap().to_string();
    let place = folder.path().display().to_string();
    assert!(error.starts_with(&format!("{place}: another process is working on this run. Wait for it")), "{error}");
    for _ in 0..20 {
        assert!(rounds(&RunFile::read(folder.path()).unwrap()) > 0, "a reader is never refused");
    }
    let last = (0..5).map(|_| kept().unwrap()).last().unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!RunFile::is_going_on(folder.path()));
    let run = RunFile::open(folder.path()).unwrap();
    assert!(settled_rounds(&run) > last);
}

/// Runs an ignored test of this program on the run in `folder`, in a shell after `setup`, which sees the folder as `$D`.
/// False, saying so, where the machine does not allow the setup.
fn in_a_bad_place(test: &str, setup: &str, folder: &Path, roomy: &Path) -> bool {
    let script = format!("{setup} || exit 77; exec \"$0\" --exact {test} --ignored --nocapture");
    let mut command = Command::new(if is_root() { "unshare" } else { "sh" });
    if is_root() {
        // What is mounted on the folder goes with the process.
        command.args(["--mount", "sh"]).env(ROOMY, roomy);
    }
    command.args(["-c", &script]).arg(std::env::current_exe().unwrap());
    command.env("D", folder).env("ROOT", if is_root() { "1" } else { "" }).env(RUN, folder);
    let output = match command.output() {
        Ok(output) => output,
        Err(error) => {
            eprintln!("skipped: {error}");
            return false;
        }
    };
    let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    match output.status.success() {
        true => assert!(said.contains("1 passed"), "{said}"),
        false if said.contains("running 1 test") => panic!("{said}"),
        false => eprintln!("skipped: this machine does not allow the setup ({said})"),
    }
    output.status.success()
}

fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0)
}

#[test]
fn a_disk_that_fills_loses_no_kept_round_and_going_on_after_making_room_gives_the_same_bytes() {
    let full = r#"if [ "$ROOT" ]; then mount -t tmpfs -o size=600k none "$D"; else trap '' XFSZ; ulimit -f 300; fi"#;
    let (folder, roomy) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    if !in_a_bad_place("fill_the_disk", full, folder.path(), roomy.path()) {
        return;
    }
    let left = if is_root() { roomy } else { folder };
    let mut run = RunFile::open(left.path()).unwrap();
    let kept = settled_rounds(&run);
    keep(&mut run, kept).unwrap();
    assert_eq!(fs::read(left.path().join(EVENTS)).unwrap(), untroubled(kept + 1));
}

#[test]
#[ignore = "a process of the test above"]
fn fill_the_disk() {
    let Some(folder) = assigned() else { return };
    let mut run = begin(&folder);
    let error = (0..).find_map(|n| commit(&mut run, n).err()).unwrap();
    let kept = settled_rounds(&run);
    assert!(kept > 20, "room for {kept} rounds only");
    check_full(&error, kept);
    let again = commit(&mut run, kept).err().unwrap();
    check_full(&again, kept);
    assert_eq!(settled_rounds(&run), kept);
    drop(run);
    if let Some(roomy) = std::env::var_os(ROOMY) {
        fs::copy(folder.join(DATABASE), Path::new(&roomy).join(DATABASE)).unwrap();
    }
}

fn check_full(error: &Error, round: u32) {
    let words = error.to_string();
    assert!(words.contains(&format!("round {round} was not kept: ")), "{words}");
    assert!(words.contains("as when a disk is full"), "{words}");
    assert!(words.ends_with("the rounds before are kept") && words.contains("--resume"), "{words}");
}

#[test]
fn a_run_where_nothing_can_be_written_is_read_and_not_gone_on_with() {
    let read_only =
        r#"if [ "$ROOT" ]; then mount --bind "$D" "$D" && mount -o remount,ro,bind "$D"; else chmod -R a-w "$D"; fi"#;
    let folder = tempfile::tempdir().unwrap();
    let mut run = begin(folder.path());
    (0..KEPT).for_each(|n| keep(&mut run, n).unwrap());
    drop(run);
    in_a_bad_place("read_where_nothing_can_be_written", read_only, folder.path(), folder.path());
    let restored = Command::new("chmod").args(["-R", "u+w"]).arg(folder.path()).status();
    assert!(restored.is_ok_and(|status| status.success()));
    assert_eq!(settled_rounds(&RunFile::open(folder.path()).unwrap()), KEPT);
}

#[test]
#[ignore = "a process of the test above"]
fn read_where_nothing_can_be_written() {
    let Some(folder) = assigned() else { return };
    assert!(!RunFile::is_going_on(&folder));
    assert_eq!(settled_rounds(&RunFile::read(&folder).unwrap()), KEPT);
    let error = RunFile::open(&folder).err().unwrap().to_string();
    assert!(error.contains("cannot work in this folder"), "{error}");
    assert!(error.ends_with("Choose a folder that can be written, on a disk with room"), "{error}");
}
