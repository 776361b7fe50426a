//! A set of items as one bit each, 64 items a word.
//!
//! Bits past the last item are zero always, so that counts and comparisons need no care.

/// A fixed-length row of bits.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Bits {
    len: usize,
    words: Vec<u64>,
}

impl Bits {
    /// No item of `len`.
    pub fn none(len: usize) -> Self {
        Self { len, words: vec![0; len.div_ceil(64)] }
    }

    /// Every item of `len`.
    pub fn all(len: usize) -> Self {
        Self::from_words(len, vec![u64::MAX; len.div_ceil(64)])
    }

    /// The items for which `test` holds.
    pub fn from_fn(len: usize, mut test: impl FnMut(usize) -> bool) -> Self {
        let mut bits = Self::none(len);
        for item in 0..len {
            bits.words[item / 64] |= u64::from(test(item)) << (item % 64);
        }
        bits
    }

    /// Whole words as they are; bits past `len` are cleared.
    pub(super) fn from_words(len: usize, mut words: Vec<u64>) -> Self {
        let spare = words.len() * 64 - len;
        if let Some(last) = words.last_mut() {
            *last &= u64::MAX >> spare;
        }
        Self { len, words }
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// Whether `item` is in the set; an item past the end is not.
    pub fn get(&self, item: usize) -> bool {
        item < self.len && self.words[item / 64] >> (item % 64) & 1 == 1
    }

    /// How many items are in the set.
    pub fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The items in the set, in order.
    pub fn ones(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(at, &word)| {
            std::iter::successors((word != 0).then_some(word), |left| {
                let rest = left & (left - 1);
                (rest != 0).then_some(rest)
            })
            .map(move |left| at * 64 + left.trailing_zeros() as usize)
        })
    }

    /// Items in both. Both rows have the same length.
    pub fn and(&self, other: &Self) -> Self {
        self.zip(other, |a, b| a & b)
    }

    /// Items in this one and not in the other. Both rows have the same length.
    pub fn and_not(&self, other: &Self) -> Self {
        self.zip(other, |a, b| a & !b)
    }

    /// Items in either. Both rows have the same length.
    pub fn or(&self, other: &Self) -> Self {
        self.zip(other, |a, b| a | b)
    }

    fn zip(&self, other: &Self, join: impl Fn(u64, u64) -> u64) -> Self {
        assert_eq!(self.len, other.len, "two rows of bits describe the same items");
        let words = self.words.iter().zip(&other.words).map(|(&a, &b)| join(a, b)).collect();
        Self { len: self.len, words }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_count_list_and_join_their_items() {
        let threes = Bits::from_fn(130, |item| item % 3 == 0);
        let evens = Bits::from_fn(130, |item| item % 2 == 0);
        assert_eq!(threes.count(), 44);
        assert_eq!(threes.ones().take(4).collect::<Vec<_>>(), [0, 3, 6, 9]);
        assert_eq!(threes.ones().last(), Some(129));
        assert_eq!(threes.and(&evens).count(), 22);
        assert_eq!(threes.and_not(&evens).count(), 22);
        assert_eq!(threes.or(&evens).count(), 87);
        assert!(threes.get(129) && !threes.get(128) && !threes.get(132));
    }

    #[test]
    fn bits_past_the_end_are_zero() {
        assert_eq!(Bits::all(70).count(), 70);
        assert_eq!(Bits::all(64).count(), 64);
        assert_eq!(Bits::all(0).count(), 0);
        assert_eq!(Bits::none(0).ones().count(), 0);
    }
}
