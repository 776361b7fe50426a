//! A cache in a bad place, of another format or of another program: work goes on where it can, and what only a person
//! can settle is an error with its remedy. Damage is in `store_damage.rs`.
//!
//! Read-only and full places are made in a mount namespace of its own (root), or by permissions and a file size limit.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use gradus::base::Id;
use gradus::observe::{Observation, Value};
use gradus::store::{PackedRow, Store};
use gradus::verdict::Verdict;
use tempfile::TempDir;

const CACHE: &str = "GRADUS_TEST_CACHE";

fn key(n: usize) -> Id {
    Id::of("observation", [&n.to_le_bytes()[..]])
}

fn keys(n: usize) -> Vec<Id> {
    (0..n).map(key).collect()
}

fn observation(n: usize) -> Observation {
    Observation::value(Value::Str(format!("{n} {}", "x".repeat(400)).into_bytes()))
}

fn row(verdict: Verdict) -> PackedRow {
    let mut row = PackedRow::default();
    row.insert(&Id::of("op", []), verdict);
    row
}

/// A folder with a closed cache of `n` observations and one row.
fn cache_of(n: usize) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cache.sqlite");
    fill(&path, n);
    (folder, path)
}

fn fill(path: &Path, n: usize) {
    let store = Store::open(path).unwrap();
    store.put_observations(&(0..n).map(|n| (key(n), observation(n))).collect::<Vec<_>>()).unwrap();
    store.put_verdicts(&[(key(0), row(Verdict::Clean))]).unwrap();
    assert_eq!(store.take_notices(), Vec::<String>::new());
}

fn sql(path: &Path, sql: &str) {
    rusqlite::Connection::open(path).unwrap().execute_batch(sql).unwrap();
}

fn error_of<T>(result: gradus::base::Result<T>) -> String {
    result.err().expect("an error").to_string()
}

/// Runs an ignored test of this program on the cache `path`, in a shell after `setup`, which sees the folder as `$D`.
/// Skips, saying so, where the machine does not allow the setup.
fn in_a_bad_place(test: &str, setup: &str, path: &Path) {
    let root = fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0);
    let script = format!("{setup} || exit 77; exec \"$0\" --exact {test} --ignored --nocapture");
    let mut command = match root {
        true => Command::new("unshare"),
        false => Command::new("sh"),
    };
    if root {
        command.args(["--mount", "sh"]);
    }
    let run = command
        .args(["-c", &script])
        .arg(std::env::current_exe().unwrap())
        .env("D", path.parent().unwrap())
        .env("ROOT", if root { "1" } else { "" })
        .env(CACHE, path)
        .output();
    // Without a namespace of its own the setup outlives the process.
    let restored = Command::new("chmod").args(["-R", "u+w"]).arg(path.parent().unwrap()).status();
    assert!(restored.is_ok_and(|status| status.success()));
    let output = match run {
        Ok(output) => output,
        Err(error) => return eprintln!("skipped: {error}"),
    };
    let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    match output.status.success() {
        true => assert!(said.contains("1 passed"), "{said}"),
        false if said.contains("running 1 test") => panic!("{said}"),
        false => eprintln!("skipped: this machine does not allow the setup ({said})"),
    }
}

fn assigned() -> Option<PathBuf> {
    std::env::var_os(CACHE).map(PathBuf::from)
}

const READ_ONLY: &str =
    r#"if [ "$ROOT" ]; then mount --bind "$D" "$D" && mount -o remount,ro,bind "$D"; else chmod -R a-w "$D"; fi"#;

#[test]
fn a_read_only_cache_is_read_and_says_once_that_it_keeps_nothing() {
    let (_folder, path) = cache_of(20);
    in_a_bad_place("read_where_nothing_can_be_written", READ_ONLY, &path);
    sql(&path, "SELECT count(*) FROM observations");
    assert_eq!(Store::open(&path).unwrap().stats().unwrap().observations, 20);
}

#[test]
#[ignore = "a process of the test above"]
fn read_where_nothing_can_be_written() {
    let Some(path) = assigned() else { return };
    let store = Store::open(&path).unwrap();
    assert_eq!(store.observations(&keys(20)).unwrap().len(), 20);
    store.put_observations(&[(key(99), observation(99))]).unwrap();
    store.put_verdicts(&[(key(1), row(Verdict::Clean))]).unwrap();
    assert_eq!(store.observations(&[key(99)]).unwrap().len(), 0);
    assert_eq!(store.verdicts(&keys(2)).unwrap(), [Some(row(Verdict::Clean)), None]);
    let notices = store.take_notices();
    assert_eq!(notices.len(), 1, "{notices:?}");
    assert!(
        notices[0].contains("cannot be written") && notices[0].ends_with("new results are not kept"),
        "{notices:?}"
    );
    store.put_observations(&[(key(99), observation(99))]).unwrap();
    assert_eq!(store.take_notices(), Vec::<String>::new());
    assert!(error_of(store.clear()).contains("the cache cannot be written"));
    assert!(error_of(Store::clear_file(&path)).contains("the cache cannot be written"));
}

#[test]
fn a_cache_that_cannot_be_made_is_replaced_by_memory() {
    let folder = tempfile::tempdir().unwrap();
    in_a_bad_place("work_without_a_file", READ_ONLY, &folder.path().join("cache.sqlite"));
    let full =
        r#"[ "$ROOT" ] && mount -t tmpfs -o size=64k none "$D" && { dd if=/dev/zero of="$D/fill" 2>/dev/null; true; }"#;
    in_a_bad_place("work_without_a_file", full, &folder.path().join("cache.sqlite"));
}

#[test]
#[ignore = "a process of the test above"]
fn work_without_a_file() {
    let Some(path) = assigned() else { return };
    let store = Store::open(&path).unwrap();
    store.put_observations(&[(key(1), observation(1))]).unwrap();
    assert_eq!(store.observations(&keys(3)).unwrap().len(), 1);
    let notices = store.take_notices();
    assert_eq!(notices.len(), 1, "{notices:?}");
    assert!(notices[0].contains("out of reach") && notices[0].ends_with("nothing is kept"), "{notices:?}");
    assert_eq!(store.stats().unwrap().path, None);
}

#[test]
fn a_full_disk_ends_caching_and_damages_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let full = r#"if [ "$ROOT" ]; then mount -t tmpfs -o size=1m none "$D"; else trap '' XFSZ; ulimit -f 1024; fi"#;
    in_a_bad_place("write_until_the_disk_is_full", full, &folder.path().join("cache.sqlite"));
}

#[test]
#[ignore = "a process of the test above"]
fn write_until_the_disk_is_full() {
    let Some(path) = assigned() else { return };
    fill(&path, 20);
    let store = Store::open(&path).unwrap();
    let (mut stored, mut notices) = (20, Vec::new());
    while notices.is_empty() {
        let batch: Vec<_> = (stored..stored + 20).map(|n| (key(n), observation(n))).collect();
        store.put_observations(&batch).unwrap();
        notices = store.take_notices();
        stored += if notices.is_empty() { 20 } else { 0 };
        assert!(stored < 5_000, "the disk never filled");
    }
    assert_eq!(notices.len(), 1);
    assert!(notices[0].contains("can no longer be written"), "{notices:?}");
    assert!(stored > 100, "room for {stored} only");
    store.put_observations(&[(key(9_999), observation(9_999))]).unwrap();
    assert_eq!(store.take_notices(), Vec::<String>::new());
    assert_eq!(store.observations(&keys(6_000)).unwrap().len(), stored);
    drop(store);
    let again = Store::open(&path).unwrap();
    let found = again.observations(&keys(6_000)).unwrap();
    assert_eq!(found.len(), stored);
    assert!((0..stored).all(|n| found[&key(n)] == observation(n)));
    drop(again);
    let connection = rusqlite::Connection::open(&path).unwrap();
    let integrity: String = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(integrity, "ok");
}

#[test]
fn a_record_of_another_format_is_a_miss_and_replaced() {
    let (_folder, path) = cache_of(3);
    sql(&path, "UPDATE observations SET data = x'07aa'");
    let store = Store::open(&path).unwrap();
    assert_eq!(store.observations(&keys(3)).unwrap().len(), 0);
    store.put_observations(&[(key(1), observation(7))]).unwrap();
    store.put_observations(&[(key(1), observation(8))]).unwrap();
    assert_eq!(store.observations(&keys(3)).unwrap()[&key(1)], observation(7), "the first record stays");
    assert_eq!(store.take_notices(), Vec::<String>::new());
}

#[test]
fn an_older_cache_starts_afresh_a_newer_and_a_foreign_one_are_left_alone() {
    let (folder, path) = cache_of(3);
    sql(&path, "PRAGMA user_version = 0");
    let store = Store::open(&path).unwrap();
    assert!(store.take_notices()[0].ends_with("was of an older format and was started afresh"));
    assert_eq!(store.stats().unwrap().observations, 0);
    drop(store);

    fill(&path, 3);
    sql(&path, "PRAGMA user_version = 99");
    let error = error_of(Store::open(&path));
    assert!(error.contains("the cache has format 99, from a newer gradus") && error.ends_with("another cache file."));
    assert!(error_of(Store::clear_file(&path)).contains("format 99"));

    let other = folder.path().join("other.sqlite");
    sql(&other, "CREATE TABLE notes (text); INSERT INTO notes VALUES ('mine')");
    let before = fs::read(&other).unwrap();
    assert!(error_of(Store::open(&other)).contains("belongs to another program"));
    assert!(error_of(Store::clear_file(&other)).contains("belongs to another program"));
    assert_eq!(fs::read(&other).unwrap(), before);
}

#[test]
fn clearing_empties_the_file_and_gives_the_space_back() {
    let (_folder, path) = cache_of(2_000);
    let store = Store::open(&path).unwrap();
    let before = store.stats().unwrap();
    assert_eq!((before.observations, before.rows, before.path.as_deref()), (2_000, 1, Some(path.as_path())));
    assert!(before.bytes > 800_000);
    store.clear().unwrap();
    let after = store.stats().unwrap();
    assert_eq!((after.observations, after.rows), (0, 0));
    assert!(after.bytes < 50_000, "{after:?}");
    drop(store);
    fill(&path, 5);
    Store::clear_file(&path).unwrap();
    assert_eq!(Store::open(&path).unwrap().stats().unwrap().observations, 0);
    Store::clear_file(Path::new("no/such/cache.sqlite")).unwrap();
}
