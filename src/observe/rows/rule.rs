//! The rules by which two results count as the same. Each is named after whoever decides so.

use super::super::compare;
use super::{Rows, spider1, spider2};

/// When a predicted result is as good as a gold one. Names of columns are never looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// As many columns, and the same rows in the same order.
    Strict,
    /// Spider's test suite: the same rows as often, under one permutation of the columns.
    Spider1 { ordered: bool },
    /// Spider 2.0: every gold column is matched by some predicted column.
    Spider2 { ordered: bool },
}

impl Rule {
    /// The rule of this name; `ordered` says whether the order of rows counts, and is by default what the rule's
    /// authors do.
    ///
    /// # Errors
    /// In the words of a script's author.
    pub fn named(name: &str, ordered: Option<bool>) -> Result<Self, String> {
        match (name, ordered) {
            ("strict", Some(false)) => Err("the rule strict always looks at the order of rows".to_owned()),
            ("strict", _) => Ok(Rule::Strict),
            ("spider1", ordered) => Ok(Rule::Spider1 { ordered: ordered.unwrap_or(false) }),
            ("spider2", ordered) => Ok(Rule::Spider2 { ordered: ordered.unwrap_or(true) }),
            _ => Err(format!("there is no rule `{name}`; there are strict, spider1 and spider2")),
        }
    }

    /// Whether `predicted` is as good as `gold`; nothing where finding out would take too long, which takes many
    /// columns that are all alike.
    pub fn holds(self, predicted: &Rows, gold: &Rows) -> Option<bool> {
        match self {
            Rule::Strict => Some(strict(predicted, gold)),
            Rule::Spider1 { ordered } => spider1::same(predicted, gold, ordered),
            Rule::Spider2 { ordered } => Some(spider2::covers(predicted, gold, ordered)),
        }
    }
}

fn strict(a: &Rows, b: &Rows) -> bool {
    a.columns.len() == b.columns.len()
        && a.rows.len() == b.rows.len()
        && a.rows.iter().flatten().zip(b.rows.iter().flatten()).all(|(a, b)| compare::same(a, b))
}
