//! The one door to randomness: named ChaCha streams.
//!
//! A stream is fixed by (seed, round, purpose), so adding a consumer never shifts another's draws. Nothing else in
//! the library may draw a random number.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

use super::id::Id;

/// A reproducible stream of draws.
pub struct Stream(ChaCha8Rng);

impl Stream {
    /// The stream of `purpose` in `round` under `seed`.
    pub fn new(seed: u64, round: u64, purpose: &str) -> Self {
        let id = Id::of("rng", [&seed.to_le_bytes()[..], &round.to_le_bytes()[..], purpose.as_bytes()]);
        Self(ChaCha8Rng::from_seed(*id.bytes()))
    }

    /// 64 uniform bits.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A uniform index below `n`, without modulo bias. `n` must be positive.
    pub fn below(&mut self, n: usize) -> usize {
        assert!(n > 0, "an index below zero does not exist");
        let n = n as u64;
        let limit = u64::MAX - u64::MAX % n;
        loop {
            let bits = self.bits();
            if bits < limit {
                return (bits % n) as usize;
            }
        }
    }

    /// A uniform number in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Fisher-Yates.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_is_fixed_by_seed_round_and_purpose() {
        let draw = |seed, round, purpose: &str| Stream::new(seed, round, purpose).bits();
        assert_eq!(draw(0, 0, "split"), draw(0, 0, "split"));
        assert_ne!(draw(0, 0, "split"), draw(0, 0, "bootstrap"));
        assert_ne!(draw(0, 0, "split"), draw(0, 1, "split"));
        assert_ne!(draw(0, 0, "split"), draw(1, 0, "split"));
    }

    #[test]
    fn a_shuffle_keeps_the_items() {
        let mut items: Vec<u32> = (0..100).collect();
        Stream::new(7, 0, "test").shuffle(&mut items);
        assert_ne!(items, (0..100).collect::<Vec<_>>());
        items.sort_unstable();
        assert_eq!(items, (0..100).collect::<Vec<_>>());
    }
}
