//! What each op is worth to the incumbent on dev, exactly: the consensus weighs votes by it (METHOD section 4).

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Zero};

use super::config::{Config, Guards};
use super::score::{Evidence, Member};
use crate::expr::{Bits, Expr, Planes, UnknownOp};

/// A_dev as an exact rational, which votes need.
fn dev_agreement(config: &Config, evidence: &Evidence<'_>, expr: Option<&Expr>) -> Result<BigRational, UnknownOp> {
    let values = match expr {
        Some(expr) => evidence.dev.values(expr)?,
        None => Planes::clean(evidence.dev.items()),
    };
    let (fails, passes) = (evidence.dev_fails, Bits::all(evidence.dev.items()).and_not(evidence.dev_fails));
    let (known, one) = (values.known.or(evidence.dev_root), values.one.or(evidence.dev_root));
    let recall = |right: Bits, opined: Bits| match (opined.count(), config.guards) {
        (0, Guards::Open) => BigRational::one(),
        (0, Guards::Closed) => BigRational::zero(),
        (opined, _) => BigRational::new(BigInt::from(right.count()), BigInt::from(opined)),
    };
    let recall_fail = recall(one.and(fails), known.and(fails));
    let recall_pass = recall(known.and_not(&one).and(&passes), known.and(&passes));
    Ok(config.dev_agreement(recall_fail, recall_pass))
}

/// m of each op in column order: A_dev(incumbent) - A_dev(incumbent without it); 0 for ops outside it and for shadows.
pub(super) fn margins(
    config: &Config,
    evidence: &Evidence<'_>,
    pool: &[Member],
    incumbent: Option<&Expr>,
) -> Result<Vec<BigRational>, UnknownOp> {
    let mut margins = vec![BigRational::zero(); pool.len()];
    let Some(incumbent) = incumbent else { return Ok(margins) };
    let whole = dev_agreement(config, evidence, Some(incumbent))?;
    for op in incumbent.ops() {
        let column = evidence.dev.column(op).ok_or_else(|| UnknownOp(op.into()))?;
        if pool[column].active {
            margins[column] = &whole - dev_agreement(config, evidence, incumbent.without(op).as_ref())?;
        }
    }
    Ok(margins)
}
