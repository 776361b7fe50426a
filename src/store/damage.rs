//! A cache file that is damaged is set aside, so that work goes on with a fresh one.
//!
//! Several processes may find the damage at once, and one may have begun the fresh file already. So a file is known by
//! its place on the disk and not by its name, and it is moved under a lock that whoever opens a cache shares. What is
//! not ours is never moved.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A file, whatever its name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct FileId {
    device: u64,
    inode: u64,
}

impl FileId {
    pub(super) fn of(path: &Path) -> Option<Self> {
        let metadata = fs::metadata(path).ok()?;
        Some(Self { device: metadata.dev(), inode: metadata.ino() })
    }
}

/// Keeps cache files of a folder where they are. Where the system offers no locks there is none, and only processes
/// that find damage at the same moment could notice.
pub(super) struct FolderLock(#[expect(dead_code, reason = "held until it is dropped")] Option<File>);

impl FolderLock {
    /// Many may hold it, to open what is there.
    pub(super) fn shared(path: &Path) -> Self {
        Self(folder(path).filter(|folder| folder.lock_shared().is_ok()))
    }

    /// One may hold it, to move or delete what is there.
    pub(super) fn alone(path: &Path) -> Self {
        Self(folder(path).filter(|folder| folder.lock().is_ok()))
    }
}

fn folder(path: &Path) -> Option<File> {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    File::open(parent.unwrap_or(Path::new("."))).ok()
}

/// Where a damaged cache is kept, until the next one.
pub(super) fn aside(path: &Path) -> PathBuf {
    with_end(path, ".damaged")
}

/// Moves the file out of the way and deletes its log, unless another process has done so already.
pub(super) fn set_aside(path: &Path, file: FileId) -> io::Result<()> {
    let _lock = FolderLock::alone(path);
    if FileId::of(path) != Some(file) {
        return Ok(());
    }
    fs::rename(path, aside(path))?;
    // A log that stayed behind would be taken for the fresh file's.
    gone(&log_of(path)).and_then(|()| gone(&shared_memory_of(path)))
}

/// Deletes the file, its log and its shared memory.
pub(super) fn delete(path: &Path) -> io::Result<()> {
    let _lock = FolderLock::alone(path);
    [path.to_owned(), log_of(path), shared_memory_of(path)].iter().try_for_each(|file| gone(file))
}

fn gone(file: &Path) -> io::Result<()> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Whether a file that SQLite cannot read was a cache of ours: it bears our mark or our tables, in itself or in its
/// log, or it begins as blank as a disk leaves a block that it lost.
pub(super) fn was_ours(path: &Path, mark: [u8; 4], tables: &str) -> bool {
    const MAGIC: &[u8] = b"SQLite format 3\0";
    /// The smallest database, which is one page.
    const SMALLEST: usize = 512;
    let head = beginning(path, 8 << 10);
    let contains = |bytes: &[u8]| memchr::memmem::find(bytes, tables.as_bytes()).is_some();
    head.get(68..72) == Some(&mark[..])
        || (head.len() < SMALLEST && head.starts_with(MAGIC))
        || head.iter().take(SMALLEST).all(|byte| *byte == 0)
        || contains(&head)
        || contains(&beginning(&log_of(path), 64 << 10))
}

/// Whether a file without a log has fewer pages than it says. SQLite takes what is missing for blank.
pub(super) fn is_cut_short(path: &Path) -> bool {
    let size = |path: &Path| fs::metadata(path).map_or(0, |metadata| metadata.len());
    let head = beginning(path, 100);
    let (Some(&[a, b]), Some(&[c, d, e, f])) = (head.get(16..18), head.get(28..32)) else { return false };
    let page = match u64::from(u16::from_be_bytes([a, b])) {
        1 => 1 << 16,
        page => page,
    };
    size(&log_of(path)) == 0 && size(path) < page * u64::from(u32::from_be_bytes([c, d, e, f]))
}

fn beginning(path: &Path, bytes: u64) -> Vec<u8> {
    let mut head = Vec::new();
    if let Ok(file) = File::open(path) {
        // What cannot be read says nothing.
        let _ = file.take(bytes).read_to_end(&mut head);
    }
    head
}

/// The write-ahead log's file.
pub(super) fn log_of(path: &Path) -> PathBuf {
    with_end(path, "-wal")
}

fn shared_memory_of(path: &Path) -> PathBuf {
    with_end(path, "-shm")
}

fn with_end(path: &Path, end: &str) -> PathBuf {
    let mut name: OsString = path.as_os_str().to_owned();
    name.push(end);
    name.into()
}
