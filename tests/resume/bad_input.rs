//! A run that is gone on with under other conditions is refused in words and left alone; one whose files are damaged is
//! mended or refused; one whose disk fills goes on once there is room.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::LazyLock;

use gradus::store::DATABASE;

use crate::evolving::{OPTIONS, Place, UNDISTURBED, assert_same, files, pool, split};
use crate::killed::{die_at, signal, start};
use crate::support::{stderr, stdout};

/// What is done to a run's folder, and its name.
type Change = (&'static str, fn(&Path));

/// A run that was killed in round 3, when ops have been born.
static STOPPED: LazyLock<Place> = LazyLock::new(|| {
    let place = Place::warm();
    assert!(!die_at(&place, "3 Before").success());
    assert!(place.made().count("born") > 0, "{}", place.made().events);
    place
});

/// Goes on with a copy of a run; pack and data are named, since a copy does not lie where the run was begun.
fn go_on(place: &Place, more: &[&str]) -> Output {
    let data = if more.contains(&"--data") { &[][..] } else { &["--data", "data"] };
    place.resuming(&[&["pack"], data, more].concat()).output().unwrap()
}

/// That a change is refused with these words, and the run is as it was.
#[track_caller]
fn refused(change: impl FnOnce(&Path), more: &[&str], words: &[&str]) {
    let place = Place::copy(&STOPPED);
    change(place.path());
    let before = files(&place.run());
    let ended = go_on(&place, more);
    let said = stderr(&ended);
    assert_eq!(ended.status.code(), Some(1), "{said}");
    for word in words {
        assert!(said.contains(word), "{word}: {said}");
    }
    assert_eq!(stdout(&ended), "");
    assert!(files(&place.run()) == before, "the run was changed: {said}");
    assert_eq!(place.openings(), 0);
}

fn edit(path: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(path).unwrap();
    assert!(text.contains(from), "{}: {from}", path.display());
    fs::write(path, text.replacen(from, to, 1)).unwrap();
}

fn append(path: &Path, text: &str) {
    let before = fs::read_to_string(path).unwrap();
    fs::write(path, before + text).unwrap();
}

const BEGUN: &str = "gradus: run: this run was begun with something else: ";
const REMEDY: &str = ". Resume it as it was begun, or begin another run in another folder\n";

#[test]
fn a_copy_of_a_run_goes_on_elsewhere() {
    let place = Place::copy(&STOPPED);
    let ended = go_on(&place, &[]);
    assert_eq!(ended.status.code(), Some(0), "{}", stderr(&ended));
    assert_same(&place.made(), &UNDISTURBED.made, "a copy");
}

#[test]
fn another_pack_is_refused_and_what_differs_is_named() {
    let says = |difference: &str| format!("{BEGUN}{difference}{REMEDY}");
    let op = |dir: &Path| dir.join("pack/seeds/no_value.lua");
    refused(|dir| append(&op(dir), "-- changed\n"), &[], &[&says("the pack: op `no_value` has changed")]);
    let other = |dir: &Path| dir.join("pack/seeds/mutates_arguments.lua");
    refused(|dir| fs::remove_file(other(dir)).unwrap(), &[], &[&says("the pack: op `mutates_arguments` is gone")]);
    let root = |dir: &Path| append(&dir.join("pack/root.lua"), "-- changed\n");
    refused(root, &[], &[&says("the pack: root has changed")]);
    let features = |dir: &Path| append(&dir.join("pack/features.lua"), "-- changed\n");
    refused(features, &[], &[&says("the pack: features has changed")]);
    let without = |dir: &Path| fs::remove_file(dir.join("pack/features.lua")).unwrap();
    refused(without, &[], &["the pack: features"]);
    let kappa = |dir: &Path| edit(&dir.join("pack/pack.toml"), "kappa       = 10.0", "kappa = 11.0");
    refused(kappa, &[], &[&says("the pack: manifest has changed")]);
}

#[test]
fn other_data_are_refused_and_what_differs_is_named() {
    let tasks = ["border-sum", "initials", "majority-vote", "minutes-between", "shared-letters", "invert-index"];
    let dataset = |dir: &Path| {
        pool(&dir.join("other"), &tasks);
        split(dir, "other", "3", "elsewhere");
    };
    refused(dataset, &["--data", "elsewhere"], &[BEGUN, "the data: corpus has changed", REMEDY]);
    let another = |dir: &Path| split(dir, "pool", "4", "elsewhere");
    refused(another, &["--data", "elsewhere"], &[BEGUN, "the data: split has changed", REMEDY]);
    let label = |dir: &Path| edit(&dir.join("data/splits.json"), "\"pass\": true", "\"pass\": false");
    refused(label, &[], &[&format!("{BEGUN}the data: split has changed{REMEDY}")]);
    let seal = |dir: &Path| edit(&dir.join("data/splits.json"), "\"sealed\": \"", "\"sealed\": \"0");
    refused(seal, &[], &[BEGUN, "the data: sealed labels"]);
    let text = |dir: &Path| edit(&dir.join("data/outputs.jsonl"), "return", "return ");
    refused(text, &[], &["has changed since the split"]);
}

#[test]
fn other_options_are_refused_and_what_differs_is_named() {
    let option = |more: &[&str], difference: &str| refused(|_| (), more, &[&format!("{BEGUN}{difference}{REMEDY}")]);
    option(&["--rounds", "5"], "options: rounds: 3 then, 5 now");
    option(&["--selection", "default"], "options: rule: paper then, default now");
    option(&["--seed", "1"], "options: seed: 0 then, 1 now");
    option(&["--no-lifecycle"], "options: lifecycle: true then, false now");
    option(&["--no-miner"], "options: miner: true then, false now");
    option(&["--no-anchor-guards"], "options: guards: true then, false now");
    option(&["--no-audit"], "options: audit: at_the_end then, never now");
    option(&["--audit-every-round"], "options: audit: at_the_end then, every_round now");
    option(&["--seed", "1", "--rounds", "9"], "options: seed: 0 then, 1 now; options: rounds: 3 then, 9 now");
    option(&["--python", "/nowhere/python3"], "python and sandbox has changed");
    let place = Place::copy(&STOPPED);
    let ended = go_on(&place, &OPTIONS);
    assert_eq!(ended.status.code(), Some(0), "the same options are no others: {}", stderr(&ended));
    assert_same(&place.made(), &UNDISTURBED.made, "the same options");
}

#[test]
fn what_is_made_from_the_database_is_made_again() {
    let damages: [Change; 4] = [
        ("events cut in a line", |run| {
            let events = fs::read(run.join("events.jsonl")).unwrap();
            fs::write(run.join("events.jsonl"), &events[..events.len() - 40]).unwrap();
        }),
        ("events of another run", |run| fs::write(run.join("events.jsonl"), "{\"round\":9}\n").unwrap()),
        ("no events", |run| fs::remove_file(run.join("events.jsonl")).unwrap()),
        ("an op changed by hand, and a file half written", |run| {
            let op = fs::read_dir(run.join("ops")).unwrap().next().unwrap().unwrap().path();
            fs::write(&op, "return nil").unwrap();
            fs::write(run.join("ops/.new.lua.4711"), "return {").unwrap();
            fs::write(run.join(".events.jsonl.4711"), "{").unwrap();
        }),
    ];
    for (what, damage) in damages {
        let place = Place::copy(&STOPPED);
        damage(&place.run());
        let ended = go_on(&place, &[]);
        assert_eq!(ended.status.code(), Some(0), "{what}: {}", stderr(&ended));
        assert_same(&place.made(), &UNDISTURBED.made, what);
        assert!(files(&place.run()).keys().all(|name| !name.contains("4711")), "{what}");
    }
}

#[test]
fn a_database_that_is_not_this_runs_is_refused() {
    let sql = |text: &'static str| {
        move |dir: &Path| {
            rusqlite::Connection::open(dir.join("run").join(DATABASE)).unwrap().execute_batch(text).unwrap()
        }
    };
    let newer = "the run has format 9, from a newer gradus; this one knows up to 1. Nothing was changed. Update gradus";
    refused(sql("PRAGMA user_version = 9"), &[], &["gradus: run/run.sqlite: ", newer]);
    let foreign = |dir: &Path| {
        fs::remove_file(dir.join("run").join(DATABASE)).unwrap();
        sql("CREATE TABLE notes (text)")(dir);
    };
    refused(foreign, &[], &["run/run.sqlite: this database belongs to another program, not to a run of gradus"]);
    refused(sql("UPDATE events SET line = '{}' WHERE n = 3"), &[], &["the run is damaged", "Restore run.sqlite"]);
    for share in [0, 1, 50, 90] {
        let short = |dir: &Path| {
            let path = dir.join("run").join(DATABASE);
            let whole = fs::read(&path).unwrap();
            fs::write(&path, &whole[..whole.len() * share / 100]).unwrap();
        };
        refused(short, &[], &["gradus: run/run.sqlite: the run", "Nothing was changed. Restore run.sqlite"]);
    }
    refused(|dir| fs::remove_dir_all(dir.join("run")).unwrap(), &[], &["there is no run here"]);
}

#[test]
fn of_two_processes_on_a_run_the_second_is_refused_while_the_first_works() {
    let place = Place::new();
    let first = start(&place);
    signal(&first, "STOP");
    let before = files(&place.run());
    let second = place.resume(&[]);
    let said = stderr(&second);
    assert_eq!(second.status.code(), Some(1), "{said}");
    assert!(said.starts_with("gradus: run: another process is working on this run. Wait for it"), "{said}");
    let begun = place.begin(&[]);
    assert_eq!(begun.status.code(), Some(1), "{}", stderr(&begun));
    assert!(files(&place.run()) == before);
    signal(&first, "CONT");
    let ended = first.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(0), "{}", stderr(&ended));
    assert_same(&place.made(), &UNDISTURBED.made, "the first of two");
}

#[test]
fn of_many_processes_that_begin_a_run_in_one_new_folder_one_does_and_the_others_leave_it_alone() {
    let place = Place::warm();
    let begin = || place.beginning(&[]).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let begun: Vec<_> = (0..6).map(|_| begin()).collect();
    let ended: Vec<Output> = begun.into_iter().map(|child| child.wait_with_output().unwrap()).collect();
    let (done, refused): (Vec<&Output>, Vec<&Output>) = ended.iter().partition(|ended| ended.status.success());
    assert_eq!(done.len(), 1, "{:?}", ended.iter().map(stderr).collect::<Vec<_>>());
    for said in refused.into_iter().map(stderr) {
        assert!(said.contains("another process") || said.contains("already"), "{said}");
    }
    assert_same(&place.made(), &UNDISTURBED.made, "the one of many");
}

#[test]
fn a_run_is_not_begun_where_there_is_one() {
    for (other, words) in [(&*STOPPED, "there is a run in this folder already"), (&UNDISTURBED.place, "exists already")]
    {
        let place = Place::copy(other);
        let before = files(&place.run());
        let ended = place.begin(&[]);
        let said = stderr(&ended);
        assert_eq!(ended.status.code(), Some(1), "{said}");
        assert!(said.contains(words) && said.contains("Choose another folder"), "{said}");
        assert!(files(&place.run()) == before);
    }
}

/// What came of a run on a small disk.
enum OnSmallDisk {
    /// It failed with these words, and went on once the disk was larger.
    Mended(String),
    Fits,
    NotAllowed,
}

/// Begins a run on a disk of so many bytes, and goes on with it on a larger one where it fails. The disk is a mount in
/// a namespace of its own (root), or a limit on the size of files.
fn on_a_small_disk(place: &Place, bytes: usize) -> OnSmallDisk {
    let root = fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0);
    let (shell, script) = match root {
        true => (
            &["unshare", "--mount", "sh", "-c"][..],
            "mkdir run && mount -t tmpfs -o size=$BYTES none run || exit 77
             $BEGIN 2> first && exit 78
             mount -o remount,size=64m run || exit 77
             $RESUME 2> second || exit 79
             cp -r run kept && umount run && rmdir run && mv kept run",
        ),
        false => (
            &["sh", "-c"][..],
            "( trap '' XFSZ; ulimit -f $((BYTES / 512)) || exit 77; ! $BEGIN 2> first || exit 78 ) || exit $?
             $RESUME 2> second || exit 79",
        ),
    };
    let words = |command: Command| {
        let words = [command.get_program()].into_iter().chain(command.get_args()).map(|word| word.to_str().unwrap());
        words.collect::<Vec<_>>().join(" ")
    };
    let mut run = Command::new(shell[0]);
    run.args(&shell[1..]).arg(script).current_dir(place.path()).env("BYTES", bytes.to_string());
    run.env("BEGIN", words(place.beginning(&[]))).env("RESUME", words(place.resuming(&[])));
    let Ok(ended) = run.output() else { return OnSmallDisk::NotAllowed };
    let said = |name: &str| fs::read_to_string(place.path().join(name)).unwrap_or_default();
    match ended.status.code() {
        Some(0) => OnSmallDisk::Mended(said("first")),
        Some(78) => OnSmallDisk::Fits,
        Some(79) => panic!("{bytes} bytes: {} and then {}", said("first"), said("second")),
        _ => OnSmallDisk::NotAllowed,
    }
}

#[test]
fn a_run_whose_disk_fills_says_what_to_do_and_goes_on_to_the_same_bytes_once_there_is_room() {
    const PAGE: usize = 4096;
    let mut failed = Vec::new();
    for pages in 9.. {
        let place = Place::warm();
        match on_a_small_disk(&place, pages * PAGE) {
            OnSmallDisk::NotAllowed => return eprintln!("skipped: this machine does not allow the setup"),
            OnSmallDisk::Fits => break,
            OnSmallDisk::Mended(said) => {
                assert!(said.contains("go on with `gradus evolve --resume"), "{pages} pages: {said}");
                assert_same(&place.made(), &UNDISTURBED.made, &format!("a disk of {pages} pages"));
                assert_eq!(place.openings(), 1, "{pages} pages");
                failed.push(said);
            }
        }
    }
    assert!(failed.len() > 3, "{failed:?}");
}

#[test]
fn a_run_whose_other_files_cannot_be_written_keeps_its_rounds_and_goes_on_once_they_can() {
    let ways: [Change; 3] = [
        ("events.jsonl", |run| fs::create_dir_all(run.join("events.jsonl/taken")).unwrap()),
        ("ops", |run| fs::write(run.join("ops"), "taken").unwrap()),
        ("metric.json", |run| fs::create_dir_all(run.join("metric.json/taken")).unwrap()),
    ];
    for (name, block) in ways {
        let place = Place::warm();
        assert!(!die_at(&place, "0 Committed").success());
        let blocked = place.run().join(name);
        fs::remove_file(&blocked).ok();
        block(&place.run());
        let ended = place.resume(&[]);
        let said = stderr(&ended);
        assert_eq!(ended.status.code(), Some(1), "{said}");
        assert!(said.contains(&format!("gradus: run/{name}: cannot ")), "{said}");
        assert!(said.contains("The rounds are kept") && said.contains("`gradus evolve --resume run`"), "{said}");
        fs::remove_file(&blocked).or_else(|_| fs::remove_dir_all(&blocked)).unwrap();
        place.resume_to_the_same(&[], name);
    }
}
