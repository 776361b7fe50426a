//! The items that a search looks at, laid out so that what is counted most lies together.
//!
//! A row is: near words, far items with a wanted value, far items that only show what an expression says, and far
//! items that nothing counts but that still tell behaviours apart. Each part starts at a fresh word.

use crate::expr::bits::Bits;
use crate::expr::planes::Matrix;

/// An op that may be a leaf.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Leaf {
    pub column: usize,
    /// Judges are counted, since they cost.
    pub judge: bool,
}

/// The far items and what is wanted of them.
#[derive(Debug, Clone, Copy)]
pub struct Far<'a> {
    pub matrix: &'a Matrix,
    /// Items on which 1 is right.
    pub ones: &'a Bits,
    /// Items on which 0 is right.
    pub zeros: &'a Bits,
    /// Items outside both that do not count as said either.
    pub out: &'a Bits,
}

/// Rows of all leaves, in the order of op names.
pub struct Ground {
    pub(super) near: usize,
    /// Words of the far items with a wanted value.
    pub(super) counted: usize,
    /// Words of the far items on which what is said counts, the former included.
    pub(super) said: usize,
    pub(super) width: usize,
    /// The counted items on which 1 is right.
    pub(super) wanted: Vec<u64>,
    pub(super) wanted_ones: usize,
    pub(super) wanted_zeros: usize,
    pub(super) leaves: Vec<Leaf>,
    pub(super) known: Vec<u64>,
    pub(super) one: Vec<u64>,
}

impl Ground {
    /// `leaves` are columns of both matrices.
    pub fn new(near: &Matrix, far: Far<'_>, leaves: &[Leaf]) -> Self {
        let mut leaves = leaves.to_vec();
        leaves.sort_by(|a, b| near.ops()[a.column].cmp(&near.ops()[b.column]));
        let items =
            |test: &dyn Fn(usize) -> bool| (0..far.matrix.items()).filter(|item| test(*item)).collect::<Vec<_>>();
        let wanted = |item| far.ones.get(item) || far.zeros.get(item);
        let counted = items(&wanted);
        let open = items(&|item| !wanted(item) && !far.out.get(item));
        let out = items(&|item| !wanted(item) && far.out.get(item));
        let row = |of_near: &Bits, of_far: &Bits| {
            let part = |items: &[usize]| Bits::from_fn(items.len(), |at| of_far.get(items[at])).words().to_vec();
            [of_near.words().to_vec(), part(&counted), part(&open), part(&out)].concat()
        };
        let plane = |of: fn(&Matrix, usize) -> &Bits| {
            let rows = leaves.iter().map(|leaf| row(of(near, leaf.column), of(far.matrix, leaf.column)));
            rows.collect::<Vec<_>>().concat()
        };
        let words = |items: &[usize]| items.len().div_ceil(64);
        let near_words = near.items().div_ceil(64);
        let said = words(&counted) + words(&open);
        let wanted = Bits::from_fn(counted.len(), |at| far.ones.get(counted[at]));
        Self {
            near: near_words,
            counted: words(&counted),
            said,
            width: near_words + said + words(&out),
            wanted_ones: wanted.count(),
            wanted_zeros: counted.len() - wanted.count(),
            wanted: wanted.words().to_vec(),
            known: plane(|matrix, column| &matrix.planes(column).known),
            one: plane(|matrix, column| &matrix.planes(column).one),
            leaves,
        }
    }

    /// The column numbers in the order of op names, by which keys name ops.
    pub(super) fn columns(&self) -> Vec<usize> {
        self.leaves.iter().map(|leaf| leaf.column).collect()
    }

    /// The counted words of a row.
    pub(super) fn counted<'r>(&self, row: &'r [u64]) -> &'r [u64] {
        &row[self.near..self.near + self.counted]
    }

    /// What an expression says of the counted items.
    pub(super) fn counts(&self, known: &[u64], one: &[u64]) -> Counts {
        let (known, one) = (self.counted(known), self.counted(one));
        let of_ones =
            |row: &[u64]| row.iter().zip(&self.wanted).map(|(word, wanted)| (word & wanted).count_ones()).sum();
        let (known_ones, hits): (u32, u32) = (of_ones(known), of_ones(one));
        Counts { known_ones, hits, known_zeros: total(known) - known_ones, alarms: total(one) - hits }
    }
}

/// Of the counted items: those on which 1 is right that an expression opines on and calls 1; those on which 0 is right
/// that it opines on and calls 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Counts {
    pub known_ones: u32,
    pub hits: u32,
    pub known_zeros: u32,
    pub alarms: u32,
}

impl Counts {
    pub fn opined(self) -> usize {
        (self.known_ones + self.known_zeros) as usize
    }

    /// Items wrongly called 0.
    pub fn misses(self) -> u32 {
        self.known_ones - self.hits
    }

    pub fn wrong(self) -> usize {
        (self.misses() + self.alarms) as usize
    }
}

pub(super) fn total(words: &[u64]) -> u32 {
    words.iter().map(|word| word.count_ones()).sum()
}
