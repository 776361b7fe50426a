//! The open database. It is replaced where its file proves damaged, or where another process found that first.
//!
//! What is stored, and under which keys, is not known here.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::damage::FileId;
use super::open::{self, Opened, Reach, Refusal, Way};

/// How often one piece of work is begun again on another file.
const TRIES: usize = 3;

pub(super) struct Live {
    path: PathBuf,
    connection: Connection,
    reach: Reach,
    file: Option<FileId>,
    notices: Vec<String>,
    taken: usize,
}

impl Live {
    pub(super) fn new(path: &Path, opened: Opened) -> Self {
        let Opened { connection, reach, file, notices } = opened;
        Self { path: path.to_owned(), connection, reach, file, notices, taken: 0 }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Where the database is; nothing for one in memory.
    pub(super) fn on_disk(&self) -> Option<&Path> {
        (self.reach != Reach::Memory).then_some(self.path.as_path())
    }

    pub(super) fn writable(&self) -> bool {
        self.reach != Reach::ReadOnly
    }

    /// Reads, again where the file was damaged: from the fresh one.
    pub(super) fn read<T>(&mut self, work: impl Fn(&mut Connection) -> rusqlite::Result<T>) -> Result<T, Refusal> {
        for _ in 1..TRIES {
            match work(&mut self.connection) {
                Err(error) if open::damaged(&error) => self.replace(error)?,
                other => return other.map_err(Refusal::from),
            }
        }
        work(&mut self.connection).map_err(Refusal::from)
    }

    /// Runs `work` in one transaction, again where the file was damaged or another process has set it aside. Where the
    /// machine forbids writing, the batch is dropped and a notice left.
    pub(super) fn write(&mut self, work: impl Fn(&Transaction) -> rusqlite::Result<()>) -> Result<(), Refusal> {
        for _ in 0..TRIES {
            if !self.writable() {
                break;
            }
            let begun = self.connection.transaction_with_behavior(TransactionBehavior::Immediate);
            let written = begun.and_then(|transaction| {
                work(&transaction)?;
                transaction.commit()
            });
            match written {
                Ok(()) if self.stands() => break,
                Ok(()) => self.take(open::open(&self.path)?),
                Err(error) if open::damaged(&error) => self.replace(error)?,
                Err(error) if open::out_of_reach(&error) => {
                    self.reach = Reach::ReadOnly;
                    let path = self.path.display();
                    self.notice(format!(
                        "the cache {path} can no longer be written ({error}); new results are not kept"
                    ));
                }
                Err(error) if open::busy(&error) => {
                    self.notice(format!("the cache {} was busy; some results were not kept", self.path.display()));
                    break;
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Looks through the whole file, once something in it was found damaged; says whether the rest of it is sound. If
    /// not, a fresh one is in its place.
    pub(super) fn is_sound(&mut self) -> Result<bool, Refusal> {
        let looked = self.connection.query_row("PRAGMA quick_check(1)", [], |row| row.get::<_, String>(0));
        let error = match looked {
            Ok(word) if word == "ok" => return Ok(true),
            Ok(words) => open::corrupt(&words.replace('\n', " ")),
            Err(error) => error,
        };
        self.replace(error).map(|()| false)
    }

    pub(super) fn notice(&mut self, notice: String) {
        if !self.notices.contains(&notice) {
            self.notices.push(notice);
        }
    }

    /// The notices that were not taken yet.
    pub(super) fn take_notices(&mut self) -> Vec<String> {
        let new = self.notices[self.taken..].to_vec();
        self.taken = self.notices.len();
        new
    }

    /// Whether the file still has its name.
    fn stands(&self) -> bool {
        self.reach == Reach::Memory || FileId::of(&self.path) == self.file
    }

    fn replace(&mut self, error: rusqlite::Error) -> Result<(), Refusal> {
        let Some(file) = self.file else { return Err(error.into()) };
        let opened = match open::make_way(&self.path, file, &error)? {
            Way::Free(notice) => {
                self.notice(notice);
                open::open(&self.path)?
            }
            Way::Blocked(opened) => opened,
        };
        self.take(opened);
        Ok(())
    }

    fn take(&mut self, opened: Opened) {
        let Opened { connection, reach, file, notices } = opened;
        (self.connection, self.reach, self.file) = (connection, reach, file);
        notices.into_iter().for_each(|notice| self.notice(notice));
    }
}
