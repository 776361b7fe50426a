//! Which of a task's other outputs an op sees.
//!
//! The choice depends on the texts alone, so it is the same in every run and part of a verdict's key.

use std::sync::Arc;

use crate::base::Id;

/// A text that can be run, with its id.
#[derive(Debug, Clone)]
pub struct Subject {
    pub id: Id,
    pub text: Arc<str>,
}

impl Subject {
    pub fn new(text: Arc<str>) -> Self {
        Self { id: Id::of("subject", [text.as_bytes()]), text }
    }
}

/// The distinct texts of a task in order of their ids, and which of them each output is.
pub struct Siblings {
    pub distinct: Vec<Subject>,
    of_output: Vec<usize>,
}

impl Siblings {
    pub fn new(texts: &[Arc<str>]) -> Self {
        let subjects: Vec<Subject> = texts.iter().cloned().map(Subject::new).collect();
        let mut distinct = subjects.clone();
        distinct.sort_by_key(|subject| subject.id);
        distinct.dedup_by_key(|subject| subject.id);
        let place = |subject: &Subject| distinct.partition_point(|other| other.id < subject.id);
        let of_output = subjects.iter().map(place).collect();
        Self { distinct, of_output }
    }

    /// The index among `distinct` of an output.
    pub fn own(&self, output: usize) -> usize {
        self.of_output[output]
    }

    /// The peers of an output: distinct texts, itself excluded, the first `most` by id.
    pub fn peers(&self, output: usize, most: usize) -> impl Iterator<Item = usize> + use<> {
        let own = self.own(output);
        (0..self.distinct.len()).filter(move |index| *index != own).take(most)
    }

    /// What an op that reads peers depends on beside the output itself.
    pub fn peer_set(&self, output: usize, most: usize) -> Id {
        Id::of("peers", self.peers(output, most).map(|peer| &self.distinct[peer].id.bytes()[..]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn siblings(texts: &[&str]) -> Siblings {
        Siblings::new(&texts.iter().map(|text| Arc::from(*text)).collect::<Vec<_>>())
    }

    #[test]
    fn peers_are_distinct_and_exclude_every_copy_of_the_output() {
        let all = siblings(&["a", "b", "a", "c"]);
        assert_eq!(all.distinct.len(), 3);
        assert_eq!(all.own(0), all.own(2));
        let peers: Vec<&str> = all.peers(0, 16).map(|peer| &*all.distinct[peer].text).collect();
        assert_eq!(peers.len(), 2);
        assert!(!peers.contains(&"a"));
    }

    #[test]
    fn the_peer_set_does_not_depend_on_the_order_of_the_pool() {
        let (one, other) = (siblings(&["a", "b", "c"]), siblings(&["c", "a", "b"]));
        assert_eq!(one.peer_set(0, 16), other.peer_set(1, 16));
        assert_ne!(one.peer_set(0, 16), one.peer_set(1, 16));
        assert_eq!(one.peers(0, 1).count(), 1);
    }
}
