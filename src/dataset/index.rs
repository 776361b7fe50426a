//! Where the records of two large files lie: what a stream keeps of them instead of their content.
//!
//! One pass over each file finds everything that `read.rs` would find wrong. A task costs a few bytes here, and so
//! does each run of outputs of one task; an output's id costs eight bytes, and only while its file is read.

use std::collections::HashSet;

use super::read::{self, Names};
use super::record::{Record, Wrong};
use super::source::Source;
use crate::base::{Id, Result};

/// Outputs of one task that follow each other in their file.
#[derive(Clone, Copy)]
pub(super) struct Run {
    /// Where the first of them begins.
    pub(super) at: u64,
    pub(super) outputs: u32,
    /// The task's next run.
    next: u32,
}

/// No run.
const NONE: u32 = u32::MAX;

/// Where the tasks begin, and how to tell their ids.
#[derive(Default)]
pub(super) struct Tasks {
    pub(super) at: Vec<u64>,
    /// Half a hash of each id, which no two ids share in practice, and the task's position; sorted.
    known: Vec<([u8; 16], u32)>,
}

/// The runs of outputs, in file order, and the first and last of each task.
pub(super) struct Outputs {
    runs: Vec<Run>,
    of_task: Vec<(u32, u32)>,
    pub(super) count: usize,
}

impl Tasks {
    pub(super) fn read(source: &mut Source) -> Result<Self> {
        let mut tasks = indexed(source, "task", read::TASK_ID, Self::default, |tasks, record, ids| {
            let (line, at) = (record.line, record.at);
            let task = read::task(record.fields, |id| ids.add(id, line))?;
            tasks.known.push((key(&task.id), tasks.at.len() as u32));
            tasks.at.push(at);
            Ok(())
        })?;
        tasks.known.sort_unstable();
        Ok(tasks)
    }

    fn find(&self, id: &str) -> Option<u32> {
        let key = key(id);
        self.known.binary_search_by(|(known, _)| known.cmp(&key)).ok().map(|found| self.known[found].1)
    }
}

impl Outputs {
    pub(super) fn read(source: &mut Source, tasks: &Tasks) -> Result<Self> {
        let none = || Self { runs: Vec::new(), of_task: vec![(NONE, NONE); tasks.at.len()], count: 0 };
        indexed(source, "output", read::OUTPUT_ID, none, |outputs, record, ids| {
            let (line, at) = (record.line, record.at);
            let of = |task: String| tasks.find(&task).map(|at| at as usize).ok_or_else(|| read::unknown_task(&task));
            let output = read::output(record.fields, |id| ids.add(id, line), of)?;
            outputs.add(output.task, at);
            Ok(())
        })
    }

    fn add(&mut self, task: usize, at: u64) {
        self.count += 1;
        let latest = (self.runs.len() as u32).wrapping_sub(1);
        let (first, last) = &mut self.of_task[task];
        if *last != NONE && *last == latest {
            self.runs[latest as usize].outputs += 1;
            return;
        }
        let new = self.runs.len() as u32;
        match *last {
            NONE => *first = new,
            last => self.runs[last as usize].next = new,
        }
        *last = new;
        self.runs.push(Run { at, outputs: 1, next: NONE });
    }

    /// The runs of a task, in file order.
    pub(super) fn of(&self, task: usize) -> impl Iterator<Item = Run> + '_ {
        let run = |index: u32| self.runs.get(index as usize).copied();
        std::iter::successors(run(self.of_task[task].0), move |last| run(last.next))
    }
}

/// Reads a file into what `new` makes. Where hashes say that an id may come twice, reads it again with those ids whole,
/// and then knows.
fn indexed<T>(
    source: &mut Source,
    noun: &str,
    id: &'static str,
    new: impl Fn() -> T,
    mut take: impl FnMut(&mut T, Record, &mut Ids) -> Result<(), Wrong>,
) -> Result<T> {
    let (mut made, mut ids) = (new(), Ids::hashed());
    let read = source.each(noun, |record| take(&mut made, record, &mut ids));
    let repeated = ids.repeated();
    if repeated.is_empty() {
        return read.map(|()| made);
    }
    (made, ids) = (new(), Ids::Whole(repeated, Names::new(id)));
    source.each(noun, |record| take(&mut made, record, &mut ids))?;
    Ok(made)
}

/// Part of an id's hash: small, as a file may have millions, and long enough that two ids hardly ever share it.
type Hash = [u8; 6];

/// The ids of a file: all of them as hashes, or some of them whole.
enum Ids {
    Hashed(Vec<Hash>),
    Whole(HashSet<Hash>, Names),
}

impl Ids {
    fn hashed() -> Self {
        Self::Hashed(Vec::new())
    }

    fn add(&mut self, id: &str, line: usize) -> Result<(), Wrong> {
        let hash = hash(id);
        match self {
            Self::Hashed(hashes) => hashes.push(hash),
            Self::Whole(repeated, names) if repeated.contains(&hash) => names.add(id, line)?,
            Self::Whole(..) => {}
        }
        Ok(())
    }

    /// The hashes that came more than once.
    fn repeated(self) -> HashSet<Hash> {
        let Self::Hashed(mut hashes) = self else { return HashSet::new() };
        hashes.sort_unstable();
        hashes.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]).collect()
    }
}

fn hash(id: &str) -> Hash {
    let [a, b, c, d, e, f, ..] = *Id::of("stream", [id.as_bytes()]).bytes();
    [a, b, c, d, e, f]
}

fn key(id: &str) -> [u8; 16] {
    let mut key = [0; 16];
    key.copy_from_slice(&Id::of("stream", [id.as_bytes()]).bytes()[..16]);
    key
}
