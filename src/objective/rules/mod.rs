//! Selection rules side by side: each takes what a metric loop may read and gives an expression (METHOD section 12).
//!
//! Ten labels check a metric; they do not pick one out of thousands. What a rule is worth shows when all of them choose
//! on the same splits. A rule is a pure function: one ground, one expression.

mod bayes;
mod constants;
mod declared;
mod extend;
mod ground;
mod no_seed;
mod published;
mod votes;
#[cfg(test)]
mod tests;

use crate::expr::{Expr, UnknownOp};

pub use constants::{Bayes, Extend, NoSeed, Rate, Rates, Selection, Settle, Ties, Trusted};
pub use extend::{Extension, extend, extended, joined};
pub use ground::{Fired, Ground, Weights};
pub use no_seed::{Picked, Worth, no_seed, suspicions};

/// What a rule starts from, without which it has no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    /// Ops and labels alone.
    Nothing,
    /// The pack's declared default.
    Default,
    /// The pack's plainest grader.
    Baseline,
}

/// One way to choose.
pub struct Choice {
    /// Short, for a table.
    pub name: &'static str,
    /// One line for a person.
    pub about: &'static str,
    pub needs: Needs,
    choose: fn(&Ground<'_>) -> Result<Option<Expr>, UnknownOp>,
}

impl Choice {
    /// Whether the pack declares what the rule starts from.
    pub fn applies(&self, ground: &Ground<'_>) -> bool {
        match self.needs {
            Needs::Nothing => true,
            Needs::Default => ground.default.is_some(),
            Needs::Baseline => ground.baseline.is_some(),
        }
    }

    /// The chosen metric; `None` passes everything that the root lets through, as where every op was refused, or where
    /// the guards turn every expression away.
    ///
    /// # Errors
    /// A declared expression names an op that the matrices do not have.
    pub fn choose(&self, ground: &Ground<'_>) -> Result<Option<Expr>, UnknownOp> {
        (self.choose)(ground)
    }
}

/// Every rule, in the order of a table.
pub fn all() -> &'static [Choice] {
    ALL
}

/// The rule of this name.
pub fn named(name: &str) -> Option<&'static Choice> {
    ALL.iter().find(|choice| choice.name == name)
}

const ALL: &[Choice] = &[
    Choice {
        name: "default",
        about: "what the pack declares, less the proofs that dev refutes",
        needs: Needs::Default,
        choose: declared::kept,
    },
    Choice {
        name: "default, extended",
        about: "PX: the default and at most one op more, for a gain estimated from unlabelled outputs",
        needs: Needs::Default,
        choose: declared::kept_extended,
    },
    Choice {
        name: "default, pruned",
        about: "the default less one child that labels and unlabelled outputs both speak against",
        needs: Needs::Default,
        choose: declared::pruned,
    },
    Choice {
        name: "default, revised",
        about: "the default, pruned and then extended",
        needs: Needs::Default,
        choose: declared::revised,
    },
    Choice {
        name: "default, challenged",
        about: "the default, or the choice of F where F prefers it clearly",
        needs: Needs::Default,
        choose: declared::challenged,
    },
    Choice {
        name: "default, trusted",
        about: "the most probable of the default and its neighbours, the default having most of the prior",
        needs: Needs::Default,
        choose: declared::trusted,
    },
    Choice {
        name: "plainest check",
        about: "the baseline that the pack declares",
        needs: Needs::Baseline,
        choose: declared::baseline,
    },
    Choice {
        name: "plainest check, extended",
        about: "PX: the baseline and at most one op more, for a gain estimated from unlabelled outputs",
        needs: Needs::Baseline,
        choose: declared::baseline_extended,
    },
    Choice {
        name: "proofs, extended",
        about: "PX from all declared proofs; F where there is none",
        needs: Needs::Nothing,
        choose: declared::proofs_extended,
    },
    Choice {
        name: "F",
        about: "no seed declared: dev recalls and train recalls weighed by the strengths of the ops",
        needs: Needs::Nothing,
        choose: |ground| Ok(no_seed(ground).map(|picked| picked.expr)),
    },
    Choice {
        name: "naive Bayes",
        about: "ops weighed by rates from the labels, with priors by declared strength",
        needs: Needs::Nothing,
        choose: |ground| Ok(bayes::naive_bayes(ground)),
    },
    Choice {
        name: "naive Bayes, fitted",
        about: "naive Bayes with priors that agree with how often each op fires on train",
        needs: Needs::Nothing,
        choose: |ground| Ok(bayes::fitted_bayes(ground)),
    },
    Choice {
        name: "Dawid-Skene",
        about: "naive Bayes with the unlabelled outputs taken in, anchored on dev",
        needs: Needs::Nothing,
        choose: |ground| Ok(bayes::latent_classes(ground)),
    },
    Choice {
        name: "vote at the fail share",
        about: "a vote of all ops that are no smells, as strict as the share of failing outputs asks",
        needs: Needs::Nothing,
        choose: votes::rate_vote,
    },
    Choice {
        name: "vote of three rules",
        about: "two of three: the default, F, and fitted naive Bayes",
        needs: Needs::Nothing,
        choose: votes::three_rules,
    },
    Choice {
        name: "S(e)",
        about: "the argmax of the published objective",
        needs: Needs::Nothing,
        choose: published::argmax,
    },
    Choice {
        name: "S(e), w = 0.25",
        about: "the argmax of S(e) with the power that the paper gives to reports",
        needs: Needs::Nothing,
        choose: published::quarter_power,
    },
    Choice {
        name: "S(e), unweighted",
        about: "the argmax of S(e) with equal classes and equal votes",
        needs: Needs::Nothing,
        choose: published::unweighted,
    },
    Choice {
        name: "S(e), settled",
        about: "S(e) with votes weighed by the margins of its own choice, repeated until that stays",
        needs: Needs::Nothing,
        choose: published::settled,
    },
    Choice {
        name: "A_dev alone",
        about: "the argmax of agreement with the labels",
        needs: Needs::Nothing,
        choose: published::dev_alone,
    },
    Choice {
        name: "vote of the ties",
        about: "a vote of the different behaviours that tie on S(e)",
        needs: Needs::Nothing,
        choose: votes::tie_vote,
    },
    Choice {
        name: "best single op",
        about: "the op that does best alone on the labels",
        needs: Needs::Nothing,
        choose: declared::best_single,
    },
];
