//! Some children, joined by one head, that wait for the last child.
//!
//! What can be worked out before that child is known is worked out once: two rows from which every value follows, and
//! the counts that bound how many counted items go wrong.

use super::ground::{Counts, Ground, total};
use super::key::Head;

/// The children so far.
pub(super) struct Prefix {
    /// Seats in the table, ascending.
    pub seats: Vec<usize>,
    pub leaves: usize,
    pub judges: usize,
    known: Vec<u64>,
    zero: Vec<u64>,
    /// Items on which at least 1, 2, … of the children are 1.
    at_least: Vec<Vec<u64>>,
}

impl Prefix {
    pub fn of(seat: usize, leaves: usize, judges: usize, known: &[u64], one: &[u64]) -> Self {
        let zero = known.iter().zip(one).map(|(known, one)| known & !one).collect();
        Self { seats: vec![seat], leaves, judges, known: known.to_vec(), zero, at_least: vec![one.to_vec()] }
    }

    pub fn with(&self, seat: usize, leaves: usize, judges: usize, known: &[u64], one: &[u64]) -> Self {
        let either = |a: &[u64], b: &[u64]| a.iter().zip(b).map(|(a, b)| a | b).collect::<Vec<u64>>();
        let other = Self::of(seat, leaves, judges, known, one);
        let mut at_least = vec![either(&self.at_least[0], one)];
        for (least, row) in self.at_least.iter().enumerate() {
            let more = self.at_least.get(least + 1);
            at_least.push((0..row.len()).map(|at| row[at] & one[at] | more.map_or(0, |more| more[at])).collect());
        }
        Self {
            seats: self.seats.iter().copied().chain([seat]).collect(),
            leaves: self.leaves + leaves,
            judges: self.judges + judges,
            known: either(&self.known, known),
            zero: either(&self.zero, &other.zero),
            at_least,
        }
    }

    pub fn gate(&self, ground: &Ground, head: Head) -> Gate {
        let width = self.known.len();
        let row = |least: usize| match least {
            0 => vec![u64::MAX; width],
            least => self.at_least.get(least - 1).cloned().unwrap_or_else(|| vec![0; width]),
        };
        let (low, high) = match head {
            Head::All => {
                let low = self.known.iter().zip(&self.zero).map(|(known, zero)| known & !zero).collect();
                (low, self.zero.iter().map(|zero| !zero).collect())
            }
            Head::Vote(least) => (row(usize::from(least)), row(usize::from(least) - 1)),
        };
        let of_ones = |row: &[u64]| -> u32 {
            ground.counted(row).iter().zip(&ground.wanted).map(|(word, wanted)| (word & wanted).count_ones()).sum()
        };
        let wanted = (ground.wanted_ones as u32, ground.wanted_zeros as u32);
        let of_zeros = |row: &[u64]| total(ground.counted(row)) - of_ones(row);
        let [zero_ones, zero_zeros] = [of_ones(&self.zero), of_zeros(&self.zero)];
        let high_zeros = match head {
            Head::All => wanted.1 - zero_zeros,
            Head::Vote(1) => wanted.1,
            Head::Vote(_) => of_zeros(&high),
        };
        Gate {
            head,
            known_ones: of_ones(&self.known),
            known_zeros: of_zeros(&self.known),
            low_ones: of_ones(&low),
            low_zeros: of_zeros(&low),
            high_ones: of_ones(&high),
            high_zeros,
            zero_ones,
            zero_zeros,
            wanted_zeros: wanted.1,
            known: self.known.clone(),
            low,
            high,
        }
    }
}

/// A prefix under one head. With a last child, the whole is 1 on `low | high & one` for a vote, and for `all` on
/// `high & one`, and on `low` where the child is unknown.
pub(super) struct Gate {
    pub head: Head,
    known: Vec<u64>,
    low: Vec<u64>,
    high: Vec<u64>,
    known_ones: u32,
    known_zeros: u32,
    low_ones: u32,
    low_zeros: u32,
    high_ones: u32,
    high_zeros: u32,
    zero_ones: u32,
    zero_zeros: u32,
    wanted_zeros: u32,
}

impl Gate {
    /// At least so many false alarms and misses, whatever the last child is beside its counts.
    pub fn least_wrong(&self, last: Counts) -> (usize, usize) {
        let (alarms, misses) = match self.head {
            Head::All => {
                let known = self.known_zeros.max(last.known_zeros);
                let right = self.zero_zeros + last.known_zeros - last.alarms;
                (known.saturating_sub(right), self.zero_ones.max(last.misses()))
            }
            Head::Vote(_) => {
                let hits = self.high_ones.min(self.low_ones + last.hits);
                let through = (last.alarms + self.high_zeros).saturating_sub(self.wanted_zeros);
                (self.low_zeros.max(through), self.known_ones.max(last.known_ones).saturating_sub(hits))
            }
        };
        (alarms as usize, misses as usize)
    }

    /// The values with a last child, word by word, into two rows as long as the child's.
    pub fn values(&self, last_known: &[u64], last_one: &[u64], known: &mut [u64], one: &mut [u64]) {
        let width = known.len();
        let (own, low, high) = (&self.known[..width], &self.low[..width], &self.high[..width]);
        let (last_known, last_one, one) = (&last_known[..width], &last_one[..width], &mut one[..width]);
        let all = self.all();
        for at in 0..width {
            known[at] = own[at] | last_known[at];
            one[at] = low[at] & !(last_known[at] & all) | high[at] & last_one[at];
        }
    }

    /// How many counted items go wrong with a last child.
    pub fn wrong(&self, ground: &Ground, last_known: &[u64], last_one: &[u64]) -> usize {
        let [known, low, high] = [&self.known, &self.low, &self.high].map(|row| ground.counted(row));
        let [last_known, last_one] = [last_known, last_one].map(|row| ground.counted(row));
        let (width, all) = (ground.counted, self.all());
        let (known, low, high, wanted) = (&known[..width], &low[..width], &high[..width], &ground.wanted[..width]);
        let (last_known, last_one) = (&last_known[..width], &last_one[..width]);
        let wrong = |at: usize| {
            let one = low[at] & !(last_known[at] & all) | high[at] & last_one[at];
            one ^ (known[at] | last_known[at]) & wanted[at]
        };
        (0..width).map(|at| u64::from(wrong(at).count_ones())).sum::<u64>() as usize
    }

    /// Every bit for `all`, none for a vote.
    fn all(&self) -> u64 {
        if self.head == Head::All { u64::MAX } else { 0 }
    }
}
