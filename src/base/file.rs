//! Writing a file, or a folder of files, whole or not at all.
//!
//! Nothing else in the library creates a file that a person will read later.

use std::fs::File;
use std::io::{BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::error::{Error, Result};

/// Whether a file can be written at `path`, before there is anything to write.
///
/// # Errors
/// As `write_whole` would give.
pub fn check_writable(path: &Path) -> Result<()> {
    let beside = beside(path)?;
    let created = File::create(&beside).map(drop);
    created.and_then(|()| std::fs::remove_file(&beside)).map_err(|error| cannot(path, &error))
}

/// Writes `bytes` beside `path` and renames it into place, so that a reader, a kill or a full disk never meets half
/// a file.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    write_whole_watched(path, bytes, || Ok(()))
}

/// `write_whole` with a call between the writing and the renaming, whose error undoes the writing.
pub fn write_whole_watched(path: &Path, bytes: &[u8], written: impl FnOnce() -> Result<()>) -> Result<()> {
    let mut file = NewFile::beside(path)?;
    file.write_all(bytes).and_then(|()| file.sync()).map_err(|error| cannot(path, &error))?;
    written()?;
    file.keep()
}

/// Removes what killed processes left beside the files of a folder in which nobody else is writing.
pub fn remove_leftovers(folder: &Path) {
    let is_leftover = |name: &str| {
        let parts = name.strip_prefix('.').and_then(|name| name.rsplit_once('.'));
        parts.is_some_and(|(stem, pid)| !stem.is_empty() && pid.parse::<u32>().is_ok())
    };
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name().to_str().is_some_and(is_leftover) {
            std::fs::remove_file(entry.path()).ok();
        }
    }
}

/// A file that is being written beside its place, piece by piece; gone again unless it is kept.
pub struct NewFile {
    to: PathBuf,
    beside: PathBuf,
    file: BufWriter<File>,
}

impl NewFile {
    /// An empty file beside `to`.
    pub fn beside(to: &Path) -> Result<Self> {
        let beside = beside(to)?;
        let file = File::create(&beside).map_err(|error| cannot(to, &error))?;
        Ok(Self { to: to.to_owned(), beside, file: BufWriter::new(file) })
    }

    /// Gives the file its name.
    pub fn keep(mut self) -> Result<()> {
        let kept = self.sync().and_then(|()| std::fs::rename(&self.beside, &self.to));
        kept.map_err(|error| cannot(&self.to, &error))
    }

    fn sync(&mut self) -> std::io::Result<()> {
        self.file.flush()?;
        self.file.get_ref().sync_all()
    }

    /// The error of a write that failed.
    pub fn cannot(&self, error: &std::io::Error) -> Error {
        cannot(&self.to, error)
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.file.flush()
    }
}

impl Seek for NewFile {
    fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
        self.file.seek(to)
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        // Once it is kept there is nothing left here, and a leftover is harmless.
        std::fs::remove_file(&self.beside).ok();
    }
}

/// A folder that is being written beside its place; gone again unless it is kept.
pub struct NewFolder(PathBuf);

impl NewFolder {
    /// An empty folder beside `to`, whose parents are made.
    pub fn beside(to: &Path) -> Result<Self> {
        let folder = beside(to)?.with_extension("partial");
        let parent = folder.parent().unwrap_or(Path::new("."));
        std::fs::create_dir_all(parent)
            .and_then(|()| std::fs::create_dir(&folder))
            .map_err(|error| Error::io(to, "create this folder", &error).help(WRITABLE))?;
        Ok(Self(folder))
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Gives the folder its name.
    pub fn keep(self, to: &Path) -> Result<()> {
        std::fs::rename(&self.0, to).map_err(|error| Error::io(to, "create this folder", &error).help(WRITABLE))
    }
}

impl Drop for NewFolder {
    fn drop(&mut self) {
        // Once it is kept there is nothing left here, and a leftover is harmless.
        std::fs::remove_dir_all(&self.0).ok();
    }
}

/// The passing name of what is being written.
fn beside(path: &Path) -> Result<PathBuf> {
    let name = path.file_name().ok_or_else(|| Error::usage("this is not the name of a file").at(path, None))?;
    Ok(path.with_file_name(format!(".{}.{}", name.to_string_lossy(), std::process::id())))
}

fn cannot(path: &Path, error: &std::io::Error) -> Error {
    Error::io(path, "write this file", error).help(WRITABLE)
}

/// What to do where something cannot be written.
pub const WRITABLE: &str = "Choose a folder that can be written, on a disk with room";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_write_leaves_nothing_behind() {
        let dir = tempfile::tempdir().unwrap();
        let taken = dir.path().join("taken");
        std::fs::create_dir(&taken).unwrap();
        std::fs::write(taken.join("inside"), "x").unwrap();
        assert!(write_whole(&taken, b"text").is_err());
        let names: Vec<_> = std::fs::read_dir(dir.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(names, ["taken"]);
    }

    #[test]
    fn leftovers_are_what_was_never_renamed() {
        let dir = tempfile::tempdir().unwrap();
        let left = beside(&dir.path().join("events.jsonl")).unwrap();
        let kept = ["events.jsonl", ".hidden", ".7", "part.7"];
        for name in kept {
            std::fs::write(dir.path().join(name), "x").unwrap();
        }
        std::fs::write(&left, "x").unwrap();
        remove_leftovers(dir.path());
        assert!(!left.exists());
        assert!(kept.iter().all(|name| dir.path().join(name).exists()));
    }
}
