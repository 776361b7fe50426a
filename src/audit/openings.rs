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

    /// Records one opening and returns its number, counted from 1.
    pub(super) fn record(&self, why: &str) -> Result<usize> {
        let cannot = |error: std::io::Error| {
            let help =
                "An opening that cannot be recorded is refused: copy the dataset to a folder that can be written.";
            Error::io(&self.0, "record the opening of the sealed labels", &error).help(help)
        };
        let mut file: File = OpenOptions::new().create(true).read(true).append(true).open(&self.0).map_err(cannot)?;
        file.lock().map_err(cannot)?;
        let mut before = Vec::new();
        file.read_to_end(&mut before).map_err(cannot)?;
        let number = lines(&before) + 1;
        let torn = !before.is_empty() && !before.ends_with(b"\n");
        let line = json!({"n": number, "at": clock::now(), "why": why});
        let entry = format!("{}{line}\n", if torn { "\n" } else { "" });
        file.write_all(entry.as_bytes()).and_then(|()| file.sync_data()).map_err(cannot)?;
        Ok(number)
    }
}

/// Every line counts, a torn one too: its labels may have been read.
fn lines(bytes: &[u8]) -> usize {
    bytes.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty()).count()
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
        assert_eq!(log().record("first").unwrap(), 1);
        std::fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(b"{\"n\": 2, \"wh").unwrap();
        assert_eq!(log().record("third").unwrap(), 3);
        assert_eq!(log().count().unwrap(), 3);
        let text = std::fs::read_to_string(&path).unwrap();
        let last: serde_json::Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
        assert_eq!((&last["n"], &last["why"]), (&json!(3), &json!("third")));
    }

    #[test]
    fn openings_by_many_at_once_get_different_numbers() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("openings.jsonl");
        let mut numbers: Vec<usize> = std::thread::scope(|scope| {
            let one = || Log::new(path.clone()).record("race").unwrap();
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(one)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        numbers.sort_unstable();
        assert_eq!(numbers, (1..=8).collect::<Vec<_>>());
    }
}
