//! A cache that is damaged: the file is set aside or the record dropped, a notice says so once, and what the cache then
//! answers is what it answered before or nothing, never something else.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use gradus::base::Id;
use gradus::base::rng::Stream;
use gradus::observe::{Observation, Value};
use gradus::store::{PackedRow, Store};
use gradus::verdict::Verdict;
use tempfile::TempDir;

mod support;
#[path = "support/small.rs"]
mod small;

use support::{command, gradus, stderr, stdout};

const CACHE: &str = "GRADUS_TEST_CACHE";
const NAME: &str = "GRADUS_TEST_NAME";

fn key(n: usize) -> Id {
    Id::of("observation", [&n.to_le_bytes()[..]])
}

fn keys(n: usize) -> Vec<Id> {
    (0..n).map(key).collect()
}

fn observation(n: usize) -> Observation {
    Observation::value(Value::Str(format!("{n} {}", "x".repeat(200)).into_bytes()))
}

fn row(n: usize) -> PackedRow {
    let mut row = PackedRow::default();
    row.insert(&Id::of("op", []), Verdict::Abstain(format!("as {n} says")));
    row
}

fn fill(path: &Path, n: usize) {
    let store = Store::open(path).unwrap();
    put(&store, n);
}

fn put(store: &Store, n: usize) {
    store.put_observations(&(0..n).map(|n| (key(n), observation(n))).collect::<Vec<_>>()).unwrap();
    store.put_verdicts(&(0..n).map(|n| (key(n), row(n))).collect::<Vec<_>>()).unwrap();
}

/// A folder with a closed cache of `n` observations and rows.
fn cache_of(n: usize) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cache.sqlite");
    fill(&path, n);
    (folder, path)
}

fn end(path: &Path, end: &str) -> PathBuf {
    format!("{}{end}", path.display()).into()
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn integrity(path: &Path) -> String {
    let connection = rusqlite::Connection::open(path).unwrap();
    connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap()
}

/// How many of `n` observations and rows are found. Those that are, are right.
fn right(store: &Store, n: usize) -> (usize, usize) {
    let found = store.observations(&keys(n)).unwrap();
    assert!((0..n).all(|n| found.get(&key(n)).is_none_or(|found| *found == observation(n))));
    let rows = store.verdicts(&keys(n)).unwrap();
    assert!(rows.iter().enumerate().all(|(n, found)| found.as_ref().is_none_or(|found| *found == row(n))));
    (found.len(), rows.iter().flatten().count())
}

/// Whatever is left of the cache, it can be filled again, and is then whole.
fn made_whole(path: &Path, n: usize) {
    let store = Store::open(path).unwrap();
    right(&store, n);
    put(&store, n);
    assert_eq!(right(&store, n), (n, n));
    drop(store);
    let again = Store::open(path).unwrap();
    assert_eq!(right(&again, n), (n, n));
    assert_eq!(again.take_notices(), Vec::<String>::new());
}

#[test]
fn a_damaged_file_is_set_aside_and_a_fresh_one_begun() {
    let (folder, path) = cache_of(500);
    let whole = fs::read(&path).unwrap();
    let mut scribbled = whole.clone();
    scribbled[4096..].iter_mut().for_each(|byte| *byte ^= 0x5a);
    let mut lost = whole.clone();
    lost[..4096].fill(0);
    for content in [whole[..whole.len() / 2].to_vec(), whole[..50].to_vec(), scribbled, lost] {
        fs::write(&path, &content).unwrap();
        let store = Store::open(&path).unwrap();
        right(&store, 500);
        let notices = store.take_notices();
        assert_eq!(notices.len(), 1, "{notices:?}");
        let aside = end(&path, ".damaged");
        let says = format!("it was set aside as {} and begun afresh", aside.display());
        assert!(notices[0].contains("was damaged (") && notices[0].ends_with(&says), "{notices:?}");
        put(&store, 3);
        assert_eq!((right(&store, 500), store.take_notices()), ((3, 3), vec![]));
        drop(store);
        assert_eq!(fs::read(&aside).unwrap()[..50], content[..50]);
        made_whole(&path, 20);
        assert_eq!(integrity(&path), "ok");
        assert_eq!(names(folder.path()), ["cache.sqlite", "cache.sqlite.damaged"], "one generation, and no log");
    }
    Store::clear_file(&path).unwrap();
    assert_eq!(names(folder.path()), ["cache.sqlite"]);
    fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    Store::clear_file(&path).unwrap();
    assert_eq!(Store::open(&path).unwrap().stats().unwrap().observations, 0);
}

#[test]
fn flipped_bytes_anywhere_never_change_an_answer() {
    let (_folder, path) = cache_of(60);
    let whole = fs::read(&path).unwrap();
    let mut stream = Stream::new(3, 0, "damage");
    let anywhere = (0..250).map(|_| stream.below(whole.len())).collect::<Vec<_>>();
    let (mut set_aside, mut dropped) = (0, 0);
    for at in (0..100).chain(anywhere) {
        let mut content = whole.clone();
        content[at] ^= 1 + stream.below(255) as u8;
        fs::write(&path, &content).unwrap();
        match Store::open(&path) {
            Err(error) => {
                // The four bytes of the version may say that the cache is from a newer gradus.
                assert!((60..64).contains(&at) && error.to_string().contains("from a newer gradus"), "{at}: {error}");
                fs::remove_file(&path).unwrap();
            }
            Ok(store) => {
                right(&store, 60);
                let notices = store.take_notices().join("; ");
                set_aside += usize::from(notices.contains("was damaged"));
                dropped += usize::from(notices.contains("had damaged records"));
                drop(store);
                if notices.contains("cannot be written") {
                    fs::remove_file(&path).unwrap();
                }
            }
        }
        made_whole(&path, 60);
    }
    assert!(set_aside > 20 && dropped > 20, "{set_aside} set aside, {dropped} with damaged records");
}

#[test]
fn truncation_anywhere_never_changes_an_answer() {
    let (_folder, path) = cache_of(60);
    let whole = fs::read(&path).unwrap();
    for length in (0..whole.len()).step_by(whole.len() / 60) {
        fs::write(&path, &whole[..length]).unwrap();
        made_whole(&path, 60);
    }
}

#[test]
fn a_log_of_garbage_is_no_data() {
    let mut stream = Stream::new(5, 0, "log");
    for size in [1, 32, 4_000, 40_000] {
        let (_folder, path) = cache_of(60);
        let garbage: Vec<u8> = (0..size).map(|_| stream.below(256) as u8).collect();
        fs::write(end(&path, "-wal"), &garbage).unwrap();
        fs::write(end(&path, "-shm"), &garbage).unwrap();
        let store = Store::open(&path).unwrap();
        assert_eq!(right(&store, 60), (60, 60));
        drop(store);
        made_whole(&path, 60);
    }
}

#[test]
fn a_log_with_flipped_bytes_never_changes_an_answer() {
    let (folder, path) = cache_of(0);
    let store = Store::open(&path).unwrap();
    put(&store, 60);
    let (whole, log) = (fs::read(&path).unwrap(), fs::read(end(&path, "-wal")).unwrap());
    drop(store);
    assert!(log.len() > 20_000, "the log was not written out yet");
    let mut stream = Stream::new(4, 0, "damage");
    for _ in 0..100 {
        names(folder.path()).iter().for_each(|name| fs::remove_file(folder.path().join(name)).unwrap());
        let mut content = log.clone();
        content[stream.below(log.len())] ^= 1 + stream.below(255) as u8;
        fs::write(&path, &whole).unwrap();
        fs::write(end(&path, "-wal"), &content).unwrap();
        made_whole(&path, 60);
    }
}

#[test]
fn a_damaged_record_is_dropped_noticed_once_and_made_again() {
    let (folder, path) = cache_of(4);
    let connection = rusqlite::Connection::open(&path).unwrap();
    let spoil = "UPDATE observations SET data = substr(data, 1, length(data) - 1) || x'00' WHERE key = ?1";
    let swap = "UPDATE verdicts SET data = (SELECT data FROM verdicts WHERE key = ?2) WHERE key = ?1";
    let text = "UPDATE observations SET data = 'no blob' WHERE key = ?1";
    connection.execute(spoil, [key(1).bytes()]).unwrap();
    connection.execute(text, [key(3).bytes()]).unwrap();
    connection.execute(swap, [key(2).bytes(), key(0).bytes()]).unwrap();
    drop(connection);
    let store = Store::open(&path).unwrap();
    assert_eq!(right(&store, 4), (2, 3));
    let notices = store.take_notices();
    assert_eq!(notices, [format!("the cache {} had damaged records; they are dropped and made again", path.display())]);
    assert_eq!((store.stats().unwrap().observations, store.stats().unwrap().rows), (2, 3));
    put(&store, 4);
    assert_eq!((right(&store, 4), store.take_notices()), ((4, 4), vec![]));
    assert_eq!(names(folder.path()).iter().filter(|name| name.ends_with("damaged")).count(), 0);
}

#[test]
fn what_was_never_a_cache_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.txt");
    for content in ["mine\n".repeat(5), "no database at all, but long enough to look like one ".repeat(400)] {
        fs::write(&path, &content).unwrap();
        for error in [Store::open(&path).err(), Store::clear_file(&path).err()] {
            let error = error.unwrap().to_string();
            assert!(error.contains("this file is neither a cache nor what is left of one"), "{error}");
            assert!(error.ends_with("or delete this one if it holds nothing of yours."), "{error}");
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), content);
    }
    let other = folder.path().join("other.sqlite");
    rusqlite::Connection::open(&other)
        .unwrap()
        .execute_batch("CREATE TABLE notes (text); WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 999) INSERT INTO notes SELECT hex(randomblob(50)) FROM n")
        .unwrap();
    let mut content = fs::read(&other).unwrap();
    content[100..4096].fill(0xee);
    fs::write(&other, &content).unwrap();
    assert!(Store::open(&other).err().unwrap().to_string().contains("neither a cache"));
    assert_eq!(fs::read(&other).unwrap(), content);
    assert_eq!(names(folder.path()), ["notes.txt", "other.sqlite"]);
}

#[test]
#[ignore = "a process of the test below"]
fn meet_the_damage() {
    let Some(path) = std::env::var_os(CACHE) else { return };
    let name = std::env::var(NAME).unwrap();
    let store = Store::open(Path::new(&path)).unwrap();
    for batch in 0..5_usize {
        right(&store, 300);
        let own = Id::of(&name, [&batch.to_le_bytes()[..]]);
        store.put_observations(&[(own, observation(batch))]).unwrap();
    }
}

#[test]
fn processes_that_find_the_same_damage_keep_each_others_work() {
    let (_folder, path) = cache_of(300);
    let mut content = fs::read(&path).unwrap();
    content[8192..].iter_mut().step_by(7).for_each(|byte| *byte ^= 0x11);
    for round in 0..8 {
        fs::write(&path, &content).unwrap();
        let names: Vec<String> = (0..4).map(|n| format!("{round} {n}")).collect();
        let children: Vec<Child> = names.iter().map(|name| process(&path, name)).collect();
        for child in children {
            let output = child.wait_with_output().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        }
        let store = Store::open(&path).unwrap();
        for name in &names {
            let own: Vec<Id> = (0..5_usize).map(|batch| Id::of(name, [&batch.to_le_bytes()[..]])).collect();
            let found = store.observations(&own).unwrap();
            assert!((0..5).all(|batch| found.get(&own[batch]) == Some(&observation(batch))), "{name}: {}", found.len());
        }
        assert_eq!(store.take_notices(), Vec::<String>::new());
        drop(store);
        assert_eq!(integrity(&path), "ok");
    }
}

fn process(cache: &Path, name: &str) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "meet_the_damage", "--ignored", "--nocapture"])
        .env(CACHE, cache)
        .env(NAME, name)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

#[test]
fn a_file_that_was_set_aside_under_an_open_cache_is_followed() {
    let (_folder, path) = cache_of(3);
    let store = Store::open(&path).unwrap();
    fs::rename(&path, end(&path, ".damaged")).unwrap();
    ["-wal", "-shm"].iter().for_each(|of_log| fs::remove_file(end(&path, of_log)).unwrap());
    let other = Store::open(&path).unwrap();
    other.put_observations(&[(key(7), observation(7))]).unwrap();
    store.put_observations(&[(key(8), observation(8))]).unwrap();
    assert_eq!(other.observations(&keys(9)).unwrap().len(), 2);
    drop(store);
    assert_eq!(other.observations(&keys(9)).unwrap().len(), 2, "closing the old file takes nothing from the new one");
}

#[test]
fn grades_are_the_same_before_damage_through_it_and_after() {
    let dir = tempfile::tempdir().unwrap();
    small::new_pack(dir.path());
    small::pool(dir.path(), 60);
    let args = ["grade", "--pack", "small", "--tasks", "pool/tasks.jsonl", "--outputs", "pool/outputs.jsonl", "--json"];
    let args = [&args[..], &["--cache", "c.sqlite"]].concat();
    let before = gradus(dir.path(), &args);
    assert_eq!(before.status.code(), Some(100), "{}", stderr(&before));
    let cache = dir.path().join("c.sqlite");
    let mut content = fs::read(&cache).unwrap();
    let half = content.len() / 2;
    content[half..].iter_mut().step_by(3).for_each(|byte| *byte ^= 0x2a);
    fs::write(&cache, content).unwrap();
    let notices = [1, 0].map(|_| {
        let output = command(dir.path()).args(&args).output().unwrap();
        assert_eq!((output.status.code(), stdout(&output)), (Some(100), stdout(&before)));
        stderr(&output).matches("damaged").count()
    });
    assert!(notices[0] > 0 && notices[1] == 0, "{notices:?}");
    let mut magic = [0; 6];
    fs::File::open(&cache).unwrap().read_exact(&mut magic).unwrap();
    assert_eq!(&magic, b"SQLite");
}
