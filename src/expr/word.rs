//! Three-valued evaluation of an expression, 64 items at once.
//!
//! Everything that evaluates goes through `evaluate`: a whole matrix, one item, or 64 assignments of faulted leaves.

use super::tree::Expr;

/// The value of one expression on 64 items. A bit of `one` is set only where `known` is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Word {
    pub known: u64,
    pub one: u64,
}

/// Values of `expr`; `leaf` gives those of a leaf occurrence and hears whether an odd number of `not` is above it.
pub fn evaluate<L>(expr: &Expr<L>, leaf: &impl Fn(&L, bool) -> Word) -> Word {
    under(expr, false, leaf)
}

fn under<L>(expr: &Expr<L>, negated: bool, leaf: &impl Fn(&L, bool) -> Word) -> Word {
    let value = |child| under(child, negated, leaf);
    match expr {
        Expr::Op(name) => leaf(name, negated),
        Expr::Not(child) => {
            let Word { known, one } = under(child, !negated, leaf);
            Word { known, one: known & !one }
        }
        Expr::Any(children) => children
            .iter()
            .map(value)
            .fold(Word::default(), |sum, child| Word { known: sum.known | child.known, one: sum.one | child.one }),
        Expr::All(children) => {
            let (known, zero) = children
                .iter()
                .map(value)
                .fold((0, 0), |(known, zero), child| (known | child.known, zero | child.known & !child.one));
            Word { known, one: known & !zero }
        }
        Expr::Vote(least, children) => vote(*least, children.iter().map(value)),
        Expr::Weighted(threshold, children) => {
            let children = children.iter().map(|(weight, child)| (weight.units(), value(child)));
            weighted(threshold.units(), &children.collect::<Vec<_>>())
        }
    }
}

/// Counts ones in bit-sliced counters: `counters[i]` holds bit i of 64 counts.
fn vote(least: u32, children: impl Iterator<Item = Word>) -> Word {
    let mut counters = [0u64; usize::BITS as usize];
    let (mut known, mut used) = (0, 0);
    for child in children {
        known |= child.known;
        let (mut carry, mut at) = (child.one, 0);
        while carry != 0 {
            (counters[at], carry) = (counters[at] ^ carry, counters[at] & carry);
            at += 1;
        }
        used = used.max(at);
    }
    Word { known, one: at_least(&counters[..used], u64::from(least)) }
}

/// The items whose count is `least` or more, compared from the highest bit down.
fn at_least(counters: &[u64], least: u64) -> u64 {
    if least >> counters.len() != 0 {
        return 0;
    }
    let (mut greater, mut equal) = (0, u64::MAX);
    for (bit, counter) in counters.iter().enumerate().rev() {
        if least >> bit & 1 == 1 {
            equal &= counter;
        } else {
            greater |= equal & counter;
            equal &= !counter;
        }
    }
    greater | equal
}

fn weighted(threshold: u128, children: &[(u128, Word)]) -> Word {
    let known = children.iter().fold(0, |known, (_, child)| known | child.known);
    let reaches = |item: u32| {
        let fired = children.iter().filter(|(_, child)| child.one >> item & 1 == 1);
        fired.map(|(weight, _)| weight).sum::<u128>() >= threshold
    };
    let one =
        (0..u64::BITS).filter(|item| known >> item & 1 == 1 && reaches(*item)).fold(0, |one, item| one | 1 << item);
    Word { known, one }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_compare_with_any_threshold() {
        let words = [0b1111u64, 0b1110, 0b1100, 0b1000];
        let value = |least| vote(least, words.iter().map(|&one| Word { known: 0b1_1111, one })).one;
        assert_eq!([1, 2, 3, 4, 5, u32::MAX].map(value), [0b1111, 0b1110, 0b1100, 0b1000, 0, 0]);
    }

    #[test]
    fn many_voters_carry_through() {
        let ones = |count: usize| vote(200, std::iter::repeat_n(Word { known: 1, one: 1 }, count)).one;
        assert_eq!([199, 200, 201, 1000].map(ones), [0, 1, 1, 1]);
    }
}
