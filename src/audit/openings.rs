//! The log of openings beside a dataset: one line each, appended under a lock.
//!
//! It knows nothing of labels.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::path::PathBuf;

use serde_json::json;

use crate::base::{Error, Result, clock};

pub(super) struct Log(PathBuf);

impl Log {
    pub(super) fn new(path: PathBuf) -> Self {
        Self(path)
    }

    /// How many openings are on record.
    pub(super) fn count(&self) -> Result<usize> {
        let bytes = match std::fs::read(&self.0) {
            Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
            read => read.map_err(|error| Error::io(&self.0, "read", &error))?,
        };
        Ok(lines(&bytes))
    }

    /// Records one opening and returns its number, counted from 1; one that this run has on record is not recorded again.
    pub(super) fn record(&self, why: &str, run: &str) -> Result<usize> {
        let cannot = |error: std::io::Error| {
            let help =
                "An opening that cannot be recorded is refused: copy the dataset to a folder that can be written.";
            Error::io(&self.0, "record the opening of the sealed labels", &error).help(help)
        };
        let mut file: File = OpenOptions::new().create(true).read(true).append(true).open(&self.0).map_err(cannot)?;
        file.lock().map_err(cannot)?;
        let mut before = Vec::new();
        file.read_to_end(&mut before).map_err(cannot)?;
        if let Some(number) = earlier(&before, why, run) {
            return Ok(number);
        }
        let number = lines(&before) + 1;
        let torn = !before.is_empty() && !before.ends_with(b"\n");
        let line = json!({"n": number, "at": clock::now(), "why": why, "run": run});
        let entry = format!("{}{line}\n", if torn { "\n" } else { "" });
        file.write_all(entry.as_bytes()).and_then(|()| file.sync_data()).map_err(cannot)?;
        Ok(number)
    }
}

/// Every line counts, a torn one too: its labels may have been read.
fn lines(bytes: &[u8]) -> usize {
    bytes.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty()).count()
}

/// The number under which a named run has opened for this reason.
fn earlier(bytes: &[u8], why: &str, run: &str) -> Option<usize> {
    let entries = bytes.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
    let is_same = |line: &&[u8]| {
        let entry: serde_json::Value = serde_json::from_slice(line).unwrap_or_default();
        !run.is_empty() && entry["run"] == run && entry["why"] == why
    };
    entries.enumerate().find(|(_, line)| is_same(line)).map(|(at, _)| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn openings_are_numbered_across_handles_and_after_a_torn_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("openings.jsonl");
        let log = || Log::new(path.clone());
        assert_eq!(log().count().unwrap(), 0);
        assert_eq!(log().record("first", "a").unwrap(), 1);
        std::fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(b"{\"n\": 2, \"wh").unwrap();
        assert_eq!(log().record("third", "a").unwrap(), 3);
        assert_eq!(log().count().unwrap(), 3);
        let text = std::fs::read_to_string(&path).unwrap();
        let last: serde_json::Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
        assert_eq!((&last["n"], &last["why"]), (&json!(3), &json!("third")));
    }

    #[test]
    fn a_run_that_asks_again_for_the_same_reason_is_the_same_opening() {
        let folder = tempfile::tempdir().unwrap();
        let log = Log::new(folder.path().join("openings.jsonl"));
        let asked = [("end", "a"), ("end", "b"), ("end", "a"), ("round 1", "a"), ("end", ""), ("end", "")];
        assert_eq!(asked.map(|(why, run)| log.record(why, run).unwrap()), [1, 2, 1, 3, 4, 5]);
    }

    #[test]
    fn openings_by_many_at_once_get_different_numbers() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("openings.jsonl");
        let mut numbers: Vec<usize> = std::thread::scope(|scope| {
            let one = || Log::new(path.clone()).record("race", "").unwrap();
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(one)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        numbers.sort_unstable();
        assert_eq!(numbers, (1..=8).collect::<Vec<_>>());
    }
}
