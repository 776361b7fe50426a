//! A file that is read more than once: from its start, and at places that are known.
//!
//! What can be read only once, such as a pipe, is copied into a file without a name first. What the records mean is
//! not known here.

use std::fs::File;
use std::io::{BufReader, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::lines::Lines;
use super::record::{self, Record, Wrong};
use crate::base::{Error, Result};

/// Small enough to be filled again for every record of a file in a bad order.
const BUFFER: usize = 1 << 14;

pub(super) struct Source {
    path: PathBuf,
    file: BufReader<File>,
    at: u64,
}

impl Source {
    pub(super) fn open(path: &Path) -> Result<Self> {
        let file = File::open(path).map_err(|error| Error::io(path, "open", &error))?;
        let regular = file.metadata().is_ok_and(|metadata| metadata.is_file());
        let file = if regular { Ok(file) } else { copied(file) };
        let file = file.map_err(|error| Error::io(path, "read", &error))?;
        Ok(Self { path: path.to_owned(), file: BufReader::with_capacity(BUFFER, file), at: 0 })
    }

    /// Hands every record to `take`, as `record::each` does.
    pub(super) fn each(&mut self, noun: &str, take: impl FnMut(Record) -> Result<(), Wrong>) -> Result<()> {
        let rewound = self.file.seek(SeekFrom::Start(0));
        rewound.map_err(|error| Error::io(&self.path, "read", &error))?;
        let read = record::each_of(&mut self.file, &self.path, noun, take);
        let at = self.file.stream_position();
        self.at = at.map_err(|error| Error::io(&self.path, "read", &error))?;
        read
    }

    /// The `count` records from `at` on, which were sound when the file was read from its start.
    pub(super) fn read(&mut self, at: u64, count: usize) -> Result<Vec<Map<String, Value>>> {
        let failed = |error: std::io::Error| Error::io(&self.path, "read", &error);
        self.file.seek_relative(at as i64 - self.at as i64).map_err(failed)?;
        let mut lines = Lines::new(&mut self.file);
        let mut records = Vec::with_capacity(count);
        for _ in 0..count {
            records.extend(record::next_of(&mut lines).map_err(failed)?);
        }
        self.at = at + lines.read();
        if records.len() == count { Ok(records) } else { Err(self.changed()) }
    }

    pub(super) fn changed(&self) -> Error {
        Error::failure("the file was changed while it was read").at(&self.path, None).help("Run the command again")
    }
}

fn copied(mut file: File) -> std::io::Result<File> {
    let mut copy = tempfile::tempfile()?;
    std::io::copy(&mut file, &mut copy)?;
    Ok(copy)
}
