//! The behaviours found so far, each with its cheapest expressions, by number of leaves.
//!
//! Two rows are one behaviour exactly if their words are equal; hashes only find candidates.

use std::collections::HashMap;

use super::ground::{Counts, Ground};
use super::key::{Key, ranks};

/// One kept expression, without its values.
pub(super) struct Entry {
    pub leaves: usize,
    pub judges: usize,
    pub key: Key,
    pub counts: Counts,
}

/// Entries of one size that have the same values on the near items.
#[derive(Clone, Copy)]
pub(super) struct Group {
    pub start: usize,
    pub end: usize,
}

pub(super) struct Table {
    width: usize,
    near: usize,
    /// Whether expressions of the same values over different ops are kept apart.
    by_ops: bool,
    pub entries: Vec<Entry>,
    known: Vec<u64>,
    one: Vec<u64>,
    /// By number of leaves, less one.
    pub levels: Vec<Vec<Group>>,
    /// Entries of closed levels.
    closed: usize,
    first_by_hash: HashMap<u64, u32>,
    next: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl Table {
    pub fn new(ground: &Ground, by_ops: bool) -> Self {
        Self {
            width: ground.width,
            near: ground.near,
            by_ops,
            entries: Vec::new(),
            known: Vec::new(),
            one: Vec::new(),
            levels: Vec::new(),
            closed: 0,
            first_by_hash: HashMap::new(),
            next: Vec::new(),
        }
    }

    pub fn known(&self, at: usize) -> &[u64] {
        &self.known[at * self.width..][..self.width]
    }

    pub fn one(&self, at: usize) -> &[u64] {
        &self.one[at * self.width..][..self.width]
    }

    /// Adds an expression to the level that is being filled, unless one at least as cheap behaves like it.
    pub fn keep(&mut self, known: &[u64], one: &[u64], entry: Entry) {
        let hash = hash(known, one);
        let mut at = self.first_by_hash.get(&hash).copied().unwrap_or(NONE);
        while at != NONE {
            let seat = at as usize;
            at = self.next[seat];
            if self.known(seat) != known || self.one(seat) != one {
                continue;
            }
            let old = &mut self.entries[seat];
            if self.by_ops && ranks(&old.key) != ranks(&entry.key) {
                continue;
            }
            if old.leaves == entry.leaves {
                if (entry.judges, &entry.key) < (old.judges, &old.key) {
                    *old = entry;
                }
                return;
            }
            if old.judges <= entry.judges {
                return;
            }
        }
        self.push(known, one, entry);
        let seat = self.entries.len() - 1;
        self.enter(hash, seat);
    }

    /// Adds an expression whatever behaves like it.
    pub fn push(&mut self, known: &[u64], one: &[u64], entry: Entry) {
        self.entries.push(entry);
        self.known.extend_from_slice(known);
        self.one.extend_from_slice(one);
        self.next.push(NONE);
    }

    fn enter(&mut self, hash: u64, seat: usize) {
        let first = self.first_by_hash.entry(hash).or_insert(NONE);
        self.next[seat] = *first;
        *first = seat as u32;
    }

    /// Ends a level: its entries are put in order of their near values, then of discovery, and grouped.
    pub fn close_level(&mut self) {
        let start = self.entries.len() - self.open_entries();
        let near = |seat: &usize| (&self.known(*seat)[..self.near], &self.one(*seat)[..self.near]);
        let mut order: Vec<usize> = (start..self.entries.len()).collect();
        order.sort_by(|a, b| near(a).cmp(&near(b)));
        let mut groups = Vec::new();
        for (at, seat) in order.iter().enumerate() {
            if at == 0 || near(seat) != near(&order[at - 1]) {
                groups.push(Group { start: start + at, end: start + at });
            }
            if let Some(group) = groups.last_mut() {
                group.end += 1;
            }
        }
        let known: Vec<u64> = order.iter().flat_map(|seat| self.known(*seat)).copied().collect();
        let one: Vec<u64> = order.iter().flat_map(|seat| self.one(*seat)).copied().collect();
        self.known.truncate(start * self.width);
        self.known.extend(known);
        self.one.truncate(start * self.width);
        self.one.extend(one);
        let mut unsorted: Vec<Option<Entry>> = self.entries.drain(start..).map(Some).collect();
        self.entries.extend(order.iter().filter_map(|seat| unsorted[seat - start].take()));
        self.levels.push(groups);
        self.closed = self.entries.len();
        self.enter_all();
    }

    /// How many entries the level that is being filled has.
    pub fn open_entries(&self) -> usize {
        self.entries.len() - self.closed
    }

    /// Forgets the level that was closed last.
    pub fn drop_level(&mut self) {
        let entries = self.levels.pop().iter().flatten().map(|group| group.end - group.start).sum::<usize>();
        self.closed -= entries;
        self.entries.truncate(self.closed);
        self.known.truncate(self.closed * self.width);
        self.one.truncate(self.closed * self.width);
        self.next.truncate(self.closed);
        self.enter_all();
    }

    fn enter_all(&mut self) {
        self.first_by_hash.clear();
        self.next.fill(NONE);
        for seat in 0..self.entries.len() {
            self.enter(hash(self.known(seat), self.one(seat)), seat);
        }
    }
}

fn hash(known: &[u64], one: &[u64]) -> u64 {
    known.iter().chain(one).fold(0, |hash: u64, word| (hash.rotate_left(23) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15))
}
