//! Several processes on one cache: none loses what another stored, and one that is killed leaves whole batches.
//!
//! The processes are this test program itself, run again for one ignored test.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use gradus::base::Id;
use gradus::observe::{Observation, Value};
use gradus::store::{PackedRow, Store};
use gradus::verdict::Verdict;

const BATCH: usize = 50;
const ROWS: usize = 40;
const CACHE: &str = "GRADUS_TEST_CACHE";
const NAME: &str = "GRADUS_TEST_NAME";

fn id(purpose: &str, name: &str, n: usize, i: usize) -> Id {
    Id::of(purpose, [name.as_bytes(), &n.to_le_bytes()[..], &i.to_le_bytes()[..]])
}

fn keys(name: &str, batch: usize) -> Vec<Id> {
    (0..BATCH).map(|i| id("observation", name, batch, i)).collect()
}

fn observation(name: &str, batch: usize) -> Observation {
    Observation::value(Value::Str(format!("{name} {batch} {}", "x".repeat(300)).into_bytes()))
}

/// Runs an ignored test of this program on a cache, under a name.
fn process(test: &str, cache: &Path, name: &str) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--ignored", "--nocapture"])
        .env(CACHE, cache)
        .env(NAME, name)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

fn assigned() -> Option<(Store, String)> {
    let cache = std::env::var_os(CACHE)?;
    Some((Store::open(Path::new(&cache)).unwrap(), std::env::var(NAME).unwrap()))
}

fn integrity(cache: &Path) -> String {
    let connection = rusqlite::Connection::open(cache).unwrap();
    connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap()
}

#[test]
#[ignore = "a process of the tests below"]
fn write_batches_without_end() {
    let Some((store, name)) = assigned() else { return };
    for batch in 0.. {
        let items: Vec<_> = keys(&name, batch).into_iter().map(|key| (key, observation(&name, batch))).collect();
        store.put_observations(&items).unwrap();
        println!("\nstored {batch}");
    }
}

#[test]
#[ignore = "a process of the tests below"]
fn add_verdicts_to_shared_rows() {
    let Some((store, name)) = assigned() else { return };
    for op in 0..10 {
        let rows: Vec<_> = (0..ROWS)
            .map(|row| {
                let mut packed = PackedRow::default();
                packed.insert(&id("op", &name, op, 0), Verdict::Abstain(format!("{name} {op} {row}")));
                (id("row", "", row, 0), packed)
            })
            .collect();
        store.put_verdicts(&rows).unwrap();
        store.put_observations(&[(id("observation", &name, op, 0), observation(&name, op))]).unwrap();
    }
    assert_eq!(store.take_notices(), Vec::<String>::new());
}

#[test]
fn a_killed_writer_leaves_whole_batches() {
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("cache.sqlite");
    for round in 0..3 {
        let name = format!("writer {round}");
        let mut child = process("write_batches_without_end", &cache, &name);
        let mut stored = Vec::new();
        for line in BufReader::new(child.stdout.take().unwrap()).lines() {
            let line = line.unwrap();
            let Some(batch) = line.strip_prefix("stored ") else { continue };
            stored.push(batch.parse::<usize>().unwrap());
            if stored.len() == 15 + round {
                child.kill().unwrap();
            }
        }
        child.wait().unwrap();
        assert!(stored.len() >= 15 + round);

        assert_eq!(integrity(&cache), "ok");
        let store = Store::open(&cache).unwrap();
        let found = |batch| store.observations(&keys(&name, batch)).unwrap();
        for &batch in &stored {
            let found = found(batch);
            assert_eq!(found.len(), BATCH, "batch {batch}");
            assert!(found.values().all(|seen| *seen == observation(&name, batch)));
        }
        assert!([0, BATCH].contains(&found(stored.len()).len()), "the batch in work is whole or absent");
        assert_eq!(found(stored.len() + 1).len(), 0);
    }
}

#[test]
fn processes_that_start_and_write_at_once_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("new").join("cache.sqlite");
    let names = ["one", "two", "three"];
    let children = names.map(|name| process("add_verdicts_to_shared_rows", &cache, name));
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    }
    assert_eq!(integrity(&cache), "ok");
    let store = Store::open(&cache).unwrap();
    let rows: Vec<Id> = (0..ROWS).map(|row| id("row", "", row, 0)).collect();
    for (row, packed) in store.verdicts(&rows).unwrap().into_iter().enumerate() {
        let packed = packed.unwrap();
        assert_eq!(packed.len(), 30);
        for name in names {
            for op in 0..10 {
                let expected = Verdict::Abstain(format!("{name} {op} {row}"));
                assert_eq!(packed.get(&id("op", name, op, 0)), Some(&expected));
            }
        }
    }
    assert_eq!(store.stats().unwrap().observations, 30);
}

#[test]
fn threads_share_a_store() {
    let store = Store::in_memory().unwrap();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let store = &store;
            scope.spawn(move || {
                for op in 0..25 {
                    let mut packed = PackedRow::default();
                    packed.insert(&id("op", "", thread, op), Verdict::Clean);
                    store.put_verdicts(&[(id("row", "", 0, 0), packed)]).unwrap();
                }
            });
        }
    });
    assert_eq!(store.verdicts(&[id("row", "", 0, 0)]).unwrap()[0].as_ref().unwrap().len(), 100);
}
