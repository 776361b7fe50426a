//! What is kept for another time, up to a bound: the longest unused goes first.

use std::collections::VecDeque;

use crate::base::Id;

/// A database's content and the number of a copy.
pub(super) type Key = (Id, u8);

pub(super) struct Keep<T> {
    most: usize,
    size: usize,
    /// Latest used last.
    kept: VecDeque<(Key, usize, T)>,
}

impl<T> Keep<T> {
    pub fn new(most: usize) -> Self {
        Self { most, size: 0, kept: VecDeque::new() }
    }

    /// Looks at one, which is then the latest used.
    pub fn get(&mut self, key: &Key) -> Option<&T> {
        let at = self.find(key)?;
        let found = self.kept.remove(at)?;
        self.kept.push_back(found);
        self.kept.back().map(|(_, _, kept)| kept)
    }

    pub fn take(&mut self, key: &Key) -> Option<T> {
        let (_, size, kept) = self.kept.remove(self.find(key)?)?;
        self.size -= size;
        Some(kept)
    }

    pub fn put(&mut self, key: Key, value: T, size: usize) {
        self.kept.push_back((key, size, value));
        self.size += size;
        while self.size > self.most && self.kept.len() > 1 {
            let oldest = self.kept.pop_front();
            self.size -= oldest.map_or(0, |(_, size, _)| size);
        }
    }

    fn find(&self, key: &Key) -> Option<usize> {
        self.kept.iter().rposition(|(other, _, _)| other == key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_unused_goes_first() {
        let key = |copy| (Id::of("content", []), copy);
        let mut keep = Keep::new(3);
        keep.put(key(0), "a", 1);
        keep.put(key(1), "b", 1);
        assert_eq!(keep.get(&key(0)), Some(&"a"));
        keep.put(key(2), "c", 2);
        assert_eq!(keep.get(&key(1)), None);
        assert_eq!((keep.take(&key(0)), keep.take(&key(2))), (Some("a"), Some("c")));
        keep.put(key(3), "too large to keep with another", 9);
        assert_eq!((keep.size, keep.kept.len()), (9, 1));
    }
}
