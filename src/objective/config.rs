//! The constants of the objective, each with the value of METHOD section 4 as its default.
//!
//! A constant is kept as the decimal that its author wrote, so that votes are exact rationals.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Zero};
use serde::{Deserialize, Serialize};

use crate::base::{Error, Result};

/// Whether missing opinions count against an expression or for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Guards {
    /// Fail-closed: coverage guards and validity gate; an empty recall counts 0.
    #[default]
    Closed,
    /// `--no-anchor-guards`, the naive arm: no guard, an empty recall and an empty consensus count 1.
    Open,
}

/// S(e) = A_dev(e) · A_train(e)^w − C(e).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Weight of the recall on failing dev items.
    pub weight_fail: f64,
    /// Weight of the recall on passing dev items.
    pub weight_pass: f64,
    /// The power w of A_train.
    pub train_power: f64,
    /// How much an op's margin in the incumbent adds to its vote: 1 + kappa · max(0, m).
    pub kappa: f64,
    /// Cost of each leaf occurrence beyond `free_leaves`.
    pub leaf_cost: f64,
    /// Leaf occurrences that cost nothing.
    pub free_leaves: usize,
    /// Cost of each leaf occurrence of the judge tier.
    pub judge_cost: f64,
    /// A choice of the run, never of a pack.
    #[serde(skip)]
    pub guards: Guards,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            weight_fail: 2.0,
            weight_pass: 1.0,
            train_power: 1.0,
            kappa: 10.0,
            leaf_cost: 0.001,
            free_leaves: 3,
            judge_cost: 0.002,
            guards: Guards::Closed,
        }
    }
}

impl Config {
    /// Refuses constants under which S means nothing: negative or endless ones, or no weight on either recall.
    pub fn check(&self) -> Result<()> {
        let named = [
            ("weight_fail", self.weight_fail),
            ("weight_pass", self.weight_pass),
            ("train_power", self.train_power),
            ("kappa", self.kappa),
            ("leaf_cost", self.leaf_cost),
            ("judge_cost", self.judge_cost),
        ];
        if let Some((name, value)) = named.into_iter().find(|(_, value)| !value.is_finite() || *value < 0.0) {
            return Err(
                Error::failure(format!("objective.{name} is {value}")).help("It must be zero or a positive number")
            );
        }
        if self.weight_fail + self.weight_pass == 0.0 {
            return Err(Error::failure("objective.weight_fail and objective.weight_pass are both zero")
                .help("Give one of them a positive value"));
        }
        Ok(())
    }

    /// C(e) of an expression with this many leaf occurrences, of them judges.
    pub fn cost(&self, leaves: usize, judges: usize) -> f64 {
        self.leaf_cost * leaves.saturating_sub(self.free_leaves) as f64 + self.judge_cost * judges as f64
    }

    /// An op's weight in the consensus, from its margin m in the incumbent.
    pub(super) fn vote(&self, margin: &BigRational) -> BigRational {
        let gain = if margin > &BigRational::zero() { margin * exact(self.kappa) } else { BigRational::zero() };
        BigRational::one() + gain
    }

    /// A_dev from the two recalls.
    pub(super) fn dev_agreement(&self, recall_fail: BigRational, recall_pass: BigRational) -> BigRational {
        let (fail, pass) = (exact(self.weight_fail), exact(self.weight_pass));
        (&fail * recall_fail + &pass * recall_pass) / (fail + pass)
    }
}

/// A finite number as the shortest decimal that names it: 0.1 is one tenth, not its nearest binary fraction.
pub(super) fn exact(number: f64) -> BigRational {
    let text = number.to_string();
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let digits = format!("{whole}{fraction}").parse().unwrap_or_else(|_| BigInt::zero());
    BigRational::new(digits, BigInt::from(10).pow(fraction.len() as u32))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(above: i64, below: i64) -> BigRational {
        BigRational::new(above.into(), below.into())
    }

    #[test]
    fn a_constant_is_the_decimal_it_was_written_as() {
        assert_eq!(exact(0.1), ratio(1, 10));
        assert_eq!(exact(10.0), ratio(10, 1));
        assert_eq!(exact(0.0025), ratio(1, 400));
        assert_eq!(exact(1e-7), ratio(1, 10_000_000));
    }

    #[test]
    fn only_a_positive_margin_adds_to_a_vote() {
        let config = Config::default();
        assert_eq!(
            [ratio(1, 10), ratio(-1, 5), ratio(0, 1)].map(|m| config.vote(&m)),
            [ratio(2, 1), ratio(1, 1), ratio(1, 1)]
        );
    }

    #[test]
    fn leaves_beyond_three_and_judges_cost() {
        let config = Config::default();
        assert_eq!([config.cost(3, 0), config.cost(2, 1)], [0.0, 0.002]);
        assert!((config.cost(5, 2) - 0.006).abs() < 1e-15);
    }

    #[test]
    fn constants_without_meaning_are_refused() {
        let negative = Config { kappa: -1.0, ..Config::default() };
        assert!(negative.check().unwrap_err().to_string().contains("objective.kappa is -1"));
        let weightless = Config { weight_fail: 0.0, weight_pass: 0.0, ..Config::default() };
        assert!(weightless.check().is_err());
        assert!(Config::default().check().is_ok());
    }
}
