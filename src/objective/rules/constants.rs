//! The constants of the selection rules, each with the value of METHOD section 12 as its default where METHOD names
//! one.
//!
//! They are a pack's to change, as `[selection]` of its manifest; `check` refuses values under which a rule means
//! nothing.

use serde::{Deserialize, Serialize};

use crate::base::{Error, Result};
use crate::verdict::Strength;

/// All constants of all rules.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Selection {
    pub rates: Rates,
    pub extend: Extend,
    pub no_seed: NoSeed,
    pub bayes: Bayes,
    pub trusted: Trusted,
    pub ties: Ties,
    pub settle: Settle,
}

/// What an op of a strength is expected to do before anything is known of it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rate {
    /// Pr(drawback | the output fails, and the op opines).
    pub recall: f64,
    /// Pr(drawback | the output passes, and the op opines).
    pub false_alarm: f64,
}

/// Expected rates by declared strength.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Rates {
    pub proof: Rate,
    pub evidence: Rate,
    pub smell: Rate,
}

/// PX, the extension of a sound seed D by one op o.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Extend {
    /// pi is the screened share of failing outputs, and at most this; this, where nothing was screened.
    pub fail_share: f64,
    /// phi, D's false alarm rate.
    pub false_alarm: f64,
    /// Bounds of r, D's recall.
    pub recall_between: [f64; 2],
    /// Outputs that q, Pr(o fires | D fires), is smoothed by; o fires on them at its own rate.
    pub pseudo_outputs: f64,
    /// mu is q times this: o finds less where D finds nothing.
    pub discount: f64,
    /// Bounds of mu.
    pub recall_beyond_between: [f64; 2],
    /// The outputs that mu is worth as a prior of rho: rho ~ Beta(this * mu, this * (1 - mu)).
    pub confidence: f64,
    /// The gain from which on `(any D o)` is taken.
    pub needed: f64,
    /// Points at which rho is looked at, in the middle of steps of equal length.
    pub grid: usize,
}

/// F, the choice where no seed is declared.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NoSeed {
    /// The share of failing outputs that suspicion starts from.
    pub fail_share: f64,
    /// The dev items of each class that the train recalls count as.
    pub train_items: f64,
    /// Cost of a leaf.
    pub leaf_cost: f64,
    /// By how much F has to prefer another expression before the declared default is left (ours). One of ten labels is
    /// worth 0.05.
    pub challenge: f64,
}

/// Naive Bayes and its version for unlabelled outputs. METHOD names the rules and not these values, which are ours.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Bayes {
    /// The share of failing outputs among the unlabelled ones, unless a smaller one was screened.
    pub fail_share: f64,
    /// The labels of each class that a declared strength is worth: recall ~ Beta(this * recall, this * (1 - recall)).
    pub prior_labels: f64,
    /// Rounds of expectation and maximisation over the unlabelled outputs.
    pub rounds: usize,
}

/// The posterior over the default and its neighbours (ours).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Trusted {
    /// The prior probability that the default is the best of the family; its neighbours share the rest.
    pub default: f64,
    /// Pr(the best expression is right on a dev item).
    pub reliability: f64,
}

/// The tie set as one expression.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Ties {
    /// Behaviours that vote, the most frequent ones.
    pub voters: usize,
}

/// S with the margins of its own choice.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settle {
    /// Choices made at most.
    pub rounds: usize,
}

impl Default for Rates {
    fn default() -> Self {
        Self {
            proof: Rate { recall: 0.35, false_alarm: 0.02 },
            evidence: Rate { recall: 0.5, false_alarm: 0.15 },
            smell: Rate { recall: 0.2, false_alarm: 0.15 },
        }
    }
}

impl Default for Extend {
    fn default() -> Self {
        Self {
            fail_share: 0.35,
            false_alarm: 0.02,
            recall_between: [0.05, 0.95],
            pseudo_outputs: 4.0,
            discount: 0.7,
            recall_beyond_between: [0.03, 0.97],
            confidence: 30.0,
            needed: 0.06,
            grid: 400,
        }
    }
}

impl Default for NoSeed {
    fn default() -> Self {
        Self { fail_share: 0.35, train_items: 5.0, leaf_cost: 0.002, challenge: 0.15 }
    }
}

impl Default for Bayes {
    fn default() -> Self {
        Self { fail_share: 0.35, prior_labels: 10.0, rounds: 50 }
    }
}

impl Default for Trusted {
    fn default() -> Self {
        Self { default: 0.9, reliability: 0.8 }
    }
}

impl Default for Ties {
    fn default() -> Self {
        Self { voters: 15 }
    }
}

impl Default for Settle {
    fn default() -> Self {
        Self { rounds: 10 }
    }
}

impl Rates {
    pub fn of(&self, strength: Strength) -> Rate {
        match strength {
            Strength::Proof => self.proof,
            Strength::Evidence => self.evidence,
            Strength::Smell => self.smell,
        }
    }
}

impl Selection {
    /// Refuses constants that no rule can work with.
    ///
    /// # Errors
    /// A share that is not between 0 and 1, bounds out of order, a negative or endless number, a count of zero.
    pub fn check(&self) -> Result<()> {
        let Self { rates, extend, no_seed, bayes, trusted, ties, settle } = self;
        let shares = [
            ("rates.proof.recall", rates.proof.recall),
            ("rates.proof.false_alarm", rates.proof.false_alarm),
            ("rates.evidence.recall", rates.evidence.recall),
            ("rates.evidence.false_alarm", rates.evidence.false_alarm),
            ("rates.smell.recall", rates.smell.recall),
            ("rates.smell.false_alarm", rates.smell.false_alarm),
            ("extend.fail_share", extend.fail_share),
            ("extend.false_alarm", extend.false_alarm),
            ("extend.recall_between", extend.recall_between[0]),
            ("extend.recall_between", extend.recall_between[1]),
            ("extend.recall_beyond_between", extend.recall_beyond_between[0]),
            ("extend.recall_beyond_between", extend.recall_beyond_between[1]),
            ("no_seed.fail_share", no_seed.fail_share),
            ("bayes.fail_share", bayes.fail_share),
            ("trusted.default", trusted.default),
            ("trusted.reliability", trusted.reliability),
        ];
        refuse(&shares, |share| share > 0.0 && share < 1.0, "It must lie between 0 and 1, both excluded")?;
        let amounts = [
            ("extend.pseudo_outputs", extend.pseudo_outputs),
            ("extend.discount", extend.discount),
            ("extend.needed", extend.needed),
            ("no_seed.train_items", no_seed.train_items),
            ("no_seed.leaf_cost", no_seed.leaf_cost),
            ("no_seed.challenge", no_seed.challenge),
        ];
        refuse(&amounts, |amount| amount >= 0.0 && amount.is_finite(), "It must be zero or a positive number")?;
        let strong = [("extend.confidence", extend.confidence), ("bayes.prior_labels", bayes.prior_labels)];
        refuse(&strong, |amount| amount > 0.0 && amount.is_finite(), "It must be a positive number")?;
        let counts = [
            ("extend.grid", extend.grid as f64),
            ("ties.voters", ties.voters as f64),
            ("settle.rounds", settle.rounds as f64),
        ];
        refuse(&counts, |count| count >= 1.0, "It must be one or more")?;
        let bounds = [
            ("extend.recall_between", extend.recall_between),
            ("extend.recall_beyond_between", extend.recall_beyond_between),
        ];
        match bounds.into_iter().find(|(_, [low, high])| low > high) {
            Some((name, [low, high])) => {
                Err(Error::failure(format!("selection.{name} is [{low}, {high}]")).help("The lower bound comes first"))
            }
            None => Ok(()),
        }
    }
}

fn refuse(named: &[(&str, f64)], fits: impl Fn(f64) -> bool, help: &str) -> Result<()> {
    match named.iter().find(|(_, value)| !fits(*value)) {
        Some((name, value)) => Err(Error::failure(format!("selection.{name} is {value}")).help(help)),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pack_may_set_some_constants_and_keeps_the_others() {
        let found: Selection =
            toml::from_str("[extend]\nneeded = 0.1\n[rates]\nproof = { recall = 0.4, false_alarm = 0.01 }\n").unwrap();
        assert_eq!((found.extend.needed, found.extend.confidence), (0.1, 30.0));
        assert_eq!(found.rates.of(Strength::Proof), Rate { recall: 0.4, false_alarm: 0.01 });
        assert_eq!(found.rates.of(Strength::Smell), Rates::default().smell);
        assert!(toml::from_str::<Selection>("[extend]\nneded = 0.1\n").is_err());
    }

    #[test]
    fn constants_without_meaning_are_refused() {
        assert!(Selection::default().check().is_ok());
        let complaint = |text: &str| toml::from_str::<Selection>(text).unwrap().check().unwrap_err().to_string();
        assert!(complaint("extend.fail_share = 1.0").contains("selection.extend.fail_share is 1"));
        assert!(complaint("extend.recall_between = [0.9, 0.1]").contains("is [0.9, 0.1]"));
        assert!(complaint("ties.voters = 0").contains("selection.ties.voters is 0"));
        assert!(complaint("no_seed.leaf_cost = -1").contains("no_seed.leaf_cost is -1"));
        assert!(complaint("bayes.prior_labels = nan").contains("prior_labels is NaN"));
    }
}
