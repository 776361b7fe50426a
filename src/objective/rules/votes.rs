//! Rules that let many expressions vote: those that tie on S, all ops that are no smells, or three rules.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::bayes::fitted_bayes;
use super::declared::{kept, proofs_extended};
use super::ground::Ground;
use super::no_seed::no_seed;
use crate::expr::{Expr, UnknownOp};
use crate::verdict::Strength;

/// `(vote K e1 … en)`: one expression for each different behaviour on dev and train, the behaviours that most ties
/// share first, then in text order, up to the configured number; K is more than half of them. One behaviour alone is
/// its own expression. A behaviour is shown by its tie with the fewest leaves, first in text order.
///
/// A child that abstains counts as a vote for clean here, where the majority of the tie set leaves it out.
pub fn tie_vote(ground: &Ground<'_>) -> Result<Option<Expr>, UnknownOp> {
    let ties = ground.objective(ground.objective, None)?.search();
    let mut behaviours = BTreeMap::new();
    for expr in ties.exprs() {
        let shown = (expr.leaf_count(), expr.to_string());
        let (count, least) =
            behaviours.entry(ground.behaviour(&expr)?).or_insert_with(|| (0usize, (shown.clone(), expr.clone())));
        *count += 1;
        if shown < least.0 {
            *least = (shown, expr);
        }
    }
    let mut voters: Vec<(usize, String, Expr)> =
        behaviours.into_values().map(|(count, ((_, text), expr))| (count, text, expr)).collect();
    voters.sort_by(|a, b| (Reverse(a.0), &a.1).cmp(&(Reverse(b.0), &b.1)));
    voters.truncate(ground.selection.ties.voters);
    let mut voters: Vec<Expr> = voters.into_iter().map(|(_, _, expr)| expr).collect();
    let most = u32::try_from(voters.len() / 2 + 1).unwrap_or(u32::MAX);
    Ok(if voters.len() > 1 { Some(Expr::Vote(most, voters)) } else { voters.pop() })
}

/// Ours: `(vote K …)` over all ops that are no smells, with the K whose firing share on train is nearest to the share of
/// failing outputs, of two such the greater. Looks at no label: unlabelled outputs show how often ops agree, and so how
/// many of them it takes.
pub fn rate_vote(ground: &Ground<'_>) -> Result<Option<Expr>, UnknownOp> {
    let firm = |column: &usize| ground.strengths[*column] != Strength::Smell;
    let ops: Vec<Expr> = ground.active().into_iter().filter(firm).map(|column| ground.op(column)).collect();
    let (weights, pi) = (ground.weights(), ground.fail_share(ground.selection.extend.fail_share));
    let mut best: Option<(f64, Expr)> = None;
    for least in (1..=u32::try_from(ops.len()).unwrap_or(u32::MAX)).rev() {
        let vote = Expr::Vote(least, ops.clone());
        let distance = (weights.of(&ground.fired(&vote)?.train) - pi * weights.total()).abs();
        if best.as_ref().is_none_or(|(nearest, _)| distance < *nearest) {
            best = Some((distance, vote));
        }
    }
    Ok(best.map(|(_, vote)| vote))
}

/// Ours: two of three choices that err in different ways. What the author declared (or, without a default, the proofs
/// and their extension) knows no labels; F weighs labels and suspicion over few ops; fitted naive Bayes hears all ops.
/// A poor default is outvoted where the other two agree. The first has the word where it equals the second, or where
/// not all three choose.
pub fn three_rules(ground: &Ground<'_>) -> Result<Option<Expr>, UnknownOp> {
    let declared = if ground.default.is_some() { kept(ground)? } else { proofs_extended(ground)? };
    let others = [no_seed(ground).map(|picked| picked.expr), fitted_bayes(ground)];
    let voters: Vec<Expr> = declared.into_iter().chain(others.into_iter().flatten()).collect();
    let decided = voters.len() < 3 || voters[0] == voters[1];
    Ok(if decided { voters.into_iter().next() } else { Some(Expr::Vote(2, voters)) })
}
