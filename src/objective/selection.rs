//! Which metric is taken (METHOD section 12): ten labels check what an author declared, they do not choose.

use serde::{Deserialize, Serialize};

use crate::expr::{Bits, Expr, Matrix, UnknownOp};

/// How many dev passes a proof may flag before it is no proof.
const FALSE_PROOFS: usize = 2;

/// How round 0 finds its incumbent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// The pack's declared default, checked by dev.
    #[default]
    Default,
    /// The argmax of S over every expression of up to three leaves, as the papers have it.
    Paper,
}

/// A proof of the default expression that dev refutes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    pub op: String,
    /// The dev passes that it flags, as item numbers of the dev matrix.
    pub items: Vec<usize>,
}

/// What is left of the default.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// `None` if every op was refused: that metric passes everything.
    pub expr: Option<Expr>,
    /// In order of op name.
    pub refused: Vec<Refused>,
}

/// Keeps the default, less every op that is declared a proof and flags two or more dev passes.
pub fn keep_default(
    default: &Expr,
    is_proof: impl Fn(&str) -> bool,
    dev: &Matrix,
    dev_fails: &Bits,
) -> Result<Kept, UnknownOp> {
    let mut kept = Kept { expr: Some(default.clone()), refused: Vec::new() };
    for op in default.ops() {
        let column = dev.column(op).ok_or_else(|| UnknownOp(op.into()))?;
        let items: Vec<usize> = dev.planes(column).one.and_not(dev_fails).ones().collect();
        if is_proof(op) && items.len() >= FALSE_PROOFS {
            kept.expr = kept.expr.and_then(|expr| expr.without(op));
            kept.refused.push(Refused { op: op.into(), items });
        }
    }
    Ok(kept)
}
