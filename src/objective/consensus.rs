//! The weighted-majority consensus of the pool on unlabelled outputs (METHOD section 4, A_train).
//!
//! Weights are exact rationals brought to whole numbers, so that a tie is a tie.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::One;

use super::config::exact;
use crate::expr::{Bits, Matrix};

/// An op that votes: its column and the weight of its vote.
#[derive(Debug, Clone, PartialEq)]
pub struct Voter {
    pub column: usize,
    pub weight: BigRational,
}

impl Voter {
    /// A vote of one.
    pub fn equal(column: usize) -> Self {
        Self { column, weight: BigRational::one() }
    }
}

/// The items on which the pool leans one way. Ties, and items without an opinion, are in neither.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Consensus {
    pub drawback: Bits,
    pub clean: Bits,
}

/// The items on which no voter opines, and those on which the lighter side holds at least a share of the votes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Discord {
    pub silent: Bits,
    pub split: Bits,
}

/// For one item: the weights that say drawback, that say clean, and that a fault withholds.
pub(super) struct Tally {
    pub drawback: BigInt,
    pub clean: BigInt,
    pub fault: BigInt,
}

/// What the opining voters say of each item that is not in `out` (outputs that fail the root).
pub fn consensus(matrix: &Matrix, out: &Bits, voters: &[Voter]) -> Consensus {
    let tallies = tallies(matrix, voters);
    let side = |wins: fn(&Tally) -> bool| Bits::from_fn(matrix.items(), |item| !out.get(item) && wins(&tallies[item]));
    Consensus {
        drawback: side(|tally| tally.drawback > tally.clean),
        clean: side(|tally| tally.clean > tally.drawback),
    }
}

/// Where the voters say nothing, or disagree: the gaps of METHOD section 5.1. Outputs that fail the root are in neither.
pub fn discord(matrix: &Matrix, out: &Bits, voters: &[Voter], minority: f64) -> Discord {
    let tallies = tallies(matrix, voters);
    let share = exact(minority);
    let split = |tally: &Tally| {
        let lighter = (&tally.drawback).min(&tally.clean);
        lighter > &BigInt::ZERO
            && BigRational::from(lighter.clone()) >= BigRational::from(&tally.drawback + &tally.clean) * &share
    };
    let silent = |tally: &Tally| tally.drawback == BigInt::ZERO && tally.clean == BigInt::ZERO;
    let of = |is: &dyn Fn(&Tally) -> bool| Bits::from_fn(matrix.items(), |item| !out.get(item) && is(&tallies[item]));
    Discord { silent: of(&silent), split: of(&split) }
}

pub(super) fn tallies(matrix: &Matrix, voters: &[Voter]) -> Vec<Tally> {
    let zero = || Tally { drawback: BigInt::ZERO, clean: BigInt::ZERO, fault: BigInt::ZERO };
    let mut tallies: Vec<Tally> = (0..matrix.items()).map(|_| zero()).collect();
    for (voter, weight) in voters.iter().zip(whole(voters)) {
        let planes = matrix.planes(voter.column);
        planes.one.ones().for_each(|item| tallies[item].drawback += &weight);
        planes.zero().ones().for_each(|item| tallies[item].clean += &weight);
        matrix.faults(voter.column).ones().for_each(|item| tallies[item].fault += &weight);
    }
    tallies
}

/// The weights over their common denominator.
fn whole(voters: &[Voter]) -> Vec<BigInt> {
    let common = voters.iter().fold(BigInt::one(), |common, voter| {
        let shared = BigRational::new(common.clone(), voter.weight.denom().clone());
        common * shared.denom()
    });
    voters.iter().map(|voter| (&voter.weight * &common).to_integer()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::State;

    #[test]
    fn weights_are_brought_to_whole_numbers() {
        let weigh = |above: i64, below: i64| Voter { column: 0, weight: BigRational::new(above.into(), below.into()) };
        let expected = [6, 9, 10, 12].map(BigInt::from);
        assert_eq!(whole(&[weigh(1, 2), weigh(3, 4), weigh(5, 6), weigh(1, 1)]), expected);
    }

    #[test]
    fn three_tenths_tie_with_one_and_two_tenths() {
        let ops: Vec<String> = ["a", "b", "c"].map(String::from).to_vec();
        let states = [State::Drawback, State::Drawback, State::Clean];
        let matrix = Matrix::from_fn(&ops, 1, |op, _| states[op]);
        let weights =
            [(1, 10), (2, 10), (3, 10)].map(|(above, below): (i64, i64)| BigRational::new(above.into(), below.into()));
        let voters: Vec<_> = weights.into_iter().enumerate().map(|(column, weight)| Voter { column, weight }).collect();
        let found = consensus(&matrix, &Bits::none(1), &voters);
        assert_eq!((found.drawback.count(), found.clean.count()), (0, 0));
        let found = consensus(&matrix, &Bits::none(1), &voters[..2]);
        assert_eq!((found.drawback.count(), found.clean.count()), (1, 0));
        let found = consensus(&matrix, &Bits::all(1), &voters[..2]);
        assert_eq!((found.drawback.count(), found.clean.count()), (0, 0));
    }
}
