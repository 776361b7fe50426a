//! One process writes a run at a time: a lock on a file of its own, which the system lets go of when the process ends.
//!
//! Not on the database itself: SQLite has its own locks there, and readers do not ask for this one.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::time::{Duration, Instant};

use crate::base::file::WRITABLE;
use crate::base::{Error, Result};

const LOCK: &str = "run.lock";

/// Whoever looks whether a run is going on holds the lock for a moment.
const PATIENCE: Duration = Duration::from_millis(500);

/// The lock, held as long as the value lives.
pub(super) struct Lock(#[expect(dead_code, reason = "the open file is the lock")] File);

impl Lock {
    pub(super) fn take(folder: &Path) -> Result<Self> {
        let path = folder.join(LOCK);
        let cannot = |error: &std::io::Error| Error::io(folder, "work in this folder", error).help(WRITABLE);
        let file =
            File::options().create(true).truncate(false).write(true).open(&path).map_err(|error| cannot(&error))?;
        let deadline = Instant::now() + PATIENCE;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self(file)),
                Err(TryLockError::Error(error)) => return Err(cannot(&error)),
                Err(TryLockError::WouldBlock) if Instant::now() < deadline => {
                    std::thread::sleep(Duration::from_millis(10));
                }
                Err(TryLockError::WouldBlock) => {
                    return Err(Error::failure("another process is working on this run")
                        .at(folder, None)
                        .help("Wait for it to end or stop it, then try again; or use another folder"));
                }
            }
        }
    }
}

/// Removes the file of a lock that nobody holds.
pub(super) fn remove(folder: &Path) {
    std::fs::remove_file(folder.join(LOCK)).ok();
}

/// Whether a process holds the lock of this folder. Where that cannot be found out, none does.
pub(super) fn is_held(folder: &Path) -> bool {
    File::open(folder.join(LOCK)).is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
}
