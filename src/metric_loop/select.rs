//! Step 3: which metric is the incumbent (METHOD sections 5.0, 5.3 and 12).
//!
//! Ten labels check what an author declared; they do not pick a metric out of thousands. So under the default rule the
//! declared expression stays, and a new op joins it only for a gain that unlabelled outputs promise. The papers' rule
//! takes the argmax of S.

use crate::expr::{Expr, UnknownOp};
use crate::metric_loop::sight::Sight;
use crate::objective::rules::joined;
use crate::objective::{Refused, Rule, Score, keep_default};
use crate::pack::Pack;
use crate::script::Strength;

/// Leaves of round 0's search under the papers' rule.
pub const FIRST_LEAVES: usize = 3;

/// Why a metric stands where no default is declared.
pub const ESTIMATED: &str = "no default is declared: the best by the strengths of the ops";

const SMELLS: &str = "no default is declared, and the ops are smells alone: the argmax of S";

/// Why everything passes.
pub const NOTHING: &str =
    "no expression over the ops passes the guards: each abstains too often, or never fires, or always does";

/// What is chosen, and why.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    pub metric: Option<Expr>,
    pub rule: Rule,
    pub why: String,
    pub refused: Vec<Refused>,
}

/// Round 0's incumbent. Where the pack declares no default, the default rule takes what is `estimated`, and where that
/// is nothing, the argmax of S. Where the guards refuse every expression too, everything passes until an op is born.
pub fn begin(
    pack: &Pack,
    sight: &Sight,
    estimated: Option<Expr>,
    argmax: Option<Expr>,
    rule: Rule,
) -> Result<Choice, UnknownOp> {
    let chosen = |metric: Option<Expr>, why: &str| Choice { metric, rule, why: why.into(), refused: Vec::new() };
    Ok(match (rule, pack.default_expression(), estimated, argmax) {
        (Rule::Default, Some(default), _, _) => {
            let is_proof =
                |op: &str| pack.op(op).ok().and_then(|op| op.op()).is_some_and(|info| info.strength == Strength::Proof);
            let kept = keep_default(default, is_proof, &sight.dev.matrix, &sight.split.dev_fails)?;
            Choice { refused: kept.refused, ..chosen(kept.expr, "declared by the pack") }
        }
        (Rule::Default, None, Some(metric), _) => chosen(Some(metric), ESTIMATED),
        (Rule::Default, None, None, Some(metric)) => chosen(Some(metric), SMELLS),
        (Rule::Paper, _, _, Some(metric)) => chosen(Some(metric), "the argmax of S"),
        (_, _, _, None) => chosen(None, NOTHING),
    })
}

/// The incumbent of a later round under the default rule: what was kept, with the op of the largest estimated gain if
/// that is more than is needed.
pub fn keep_or_extend(kept: Option<&Expr>, gains: &[(String, f64)], needed: f64) -> (Option<Expr>, String) {
    let Some(kept) = kept else { return (None, "every op of the default was refused".into()) };
    match gains.iter().max_by(|(a, x), (b, y)| x.total_cmp(y).then(b.cmp(a))).filter(|(_, gain)| *gain > needed) {
        Some((op, gain)) => {
            (Some(joined(kept, Expr::op(op))), format!("the default, and {op} for an estimated gain of {gain:.3}"))
        }
        None => (Some(kept.clone()), "the default stays".into()),
    }
}

/// The incumbent of a later round under the papers' rule: the best candidate, if its S is strictly greater. Ties go to
/// coverage, fewer leaves, fewer judges, text order.
pub fn argmax<'c>(incumbent: Option<&Score>, candidates: &'c [(Expr, Score)]) -> Option<&'c Expr> {
    let allowed = |score: &Score| incumbent.map_or(score.refused.is_none(), |held| score.replaces(held));
    let better = |(a, x): &&(Expr, Score), (b, y): &&(Expr, Score)| {
        let by_size = x.coverage.cmp(&y.coverage).then(y.leaves.cmp(&x.leaves)).then(y.judges.cmp(&x.judges));
        x.s.total_cmp(&y.s).then(by_size).then_with(|| b.to_string().cmp(&a.to_string()))
    };
    candidates.iter().filter(|(_, score)| allowed(score)).max_by(better).map(|(expr, _)| expr)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(s: f64, coverage: usize, leaves: usize) -> Score {
        Score { s, a_dev: s, a_train: 1.0, cost: 0.0, coverage, leaves, judges: 0, refused: None }
    }

    fn candidates(of: &[(&str, f64, usize, usize)]) -> Vec<(Expr, Score)> {
        of.iter().map(|(text, s, coverage, leaves)| (text.parse().unwrap(), score(*s, *coverage, *leaves))).collect()
    }

    #[test]
    fn an_incumbent_falls_only_to_a_strictly_greater_s() {
        let held = score(0.8, 10, 1);
        assert_eq!(argmax(Some(&held), &candidates(&[("a", 0.8, 99, 1), ("b", 0.7, 99, 1)])), None);
        let better = candidates(&[("a", 0.8, 99, 1), ("b", 0.9, 3, 2)]);
        assert_eq!(argmax(Some(&held), &better).unwrap().to_string(), "b");
    }

    #[test]
    fn ties_go_to_coverage_then_fewer_leaves_then_text_order() {
        let pick = |of| argmax(None, &candidates(of)).unwrap().to_string();
        assert_eq!(pick(&[("a", 0.8, 9, 1), ("b", 0.8, 10, 3)]), "b");
        assert_eq!(pick(&[("(any a b)", 0.8, 9, 2), ("c", 0.8, 9, 1)]), "c");
        assert_eq!(pick(&[("b", 0.8, 9, 1), ("a", 0.8, 9, 1)]), "a");
    }

    #[test]
    fn the_default_is_extended_by_one_op_for_a_gain_that_is_more_than_needed() {
        let kept: Expr = "(any a b)".parse().unwrap();
        let gains = [("x".to_string(), 0.05), ("y".to_string(), 0.09)];
        let (metric, why) = keep_or_extend(Some(&kept), &gains, 0.06);
        assert_eq!(metric.unwrap().to_string(), "(any a b y)");
        assert_eq!(why, "the default, and y for an estimated gain of 0.090");
        assert_eq!(keep_or_extend(Some(&kept), &gains, 0.09).0, Some(kept));
    }
}
