//! What an author declared, kept, extended, or left only for a clear reason (METHOD section 12).
//!
//! Ours are the rules that say so, and the last three: they ask how far ten labels and unlabelled outputs may move a
//! default without losing what it is worth. Each leaves the default alone unless several sources speak against it.

use super::extend::{Labels, Seed, extended, joined};
use super::ground::Ground;
use super::no_seed::{Worth, no_seed};
use crate::expr::{Expr, UnknownOp};
use crate::objective::baselines::best_singles;
use crate::objective::selection::keep_default;
use crate::verdict::Strength;

/// The default, less the proofs that dev refutes.
pub fn kept(ground: &Ground<'_>) -> Result<Option<Expr>, UnknownOp> {
    ground.default.map_or(Ok(None), |default| kept_of(ground, default))
}

fn kept_of(ground: &Ground<'_>, declared: &Expr) -> Result<Option<Expr>, UnknownOp> {
    let dev = ground.evidence.dev;
    let is_proof = |op: &str| dev.column(op).is_some_and(|column| ground.strengths[column] == Strength::Proof);
    Ok(keep_default(declared, is_proof, dev, ground.evidence.dev_fails)?.expr)
}

/// The plainest grader.
pub fn baseline(ground: &Ground<'_>) -> Result<Option<Expr>, UnknownOp> {
    Ok(ground.baseline.cloned())
}

/// The default, extended by at most one op.
pub fn kept_extended(ground: &Ground<'_>) -> Result<Option<Expr>, UnknownOp> {
    kept(ground)?.map(|default| extended(ground, &default)).transpose()
}

/// The plainest grader, extended by at most one op.
pub fn baseline_extended(ground: &Ground<'_>) -> Result<Option<Expr>, UnknownOp> {
    ground.baseline.map(|baseline| extended(ground, baseline)).transpose()
}

/// Ours: where no default is declared, all declared proofs are a sound seed. They are joined and extended by at most
/// one op; where there are none, F chooses.
pub fn proofs_extended(ground: &Ground<'_>) -> Result<Option<Expr>, UnknownOp> {
    let proofs = ground.active().into_iter().filter(|column| ground.strengths[*column] == Strength::Proof);
    let mut proofs: Vec<Expr> = proofs.map(|column| ground.op(column)).collect();
    let seed = if proofs.len() > 1 { Some(Expr::Any(proofs)) } else { proofs.pop() };
    match seed {
        Some(seed) => kept_of(ground, &seed)?.map(|seed| extended(ground, &seed)).transpose(),
        None => Ok(no_seed(ground).map(|picked| picked.expr)),
    }
}

/// The op that does best alone on dev, of several the first in text order.
pub fn best_single(ground: &Ground<'_>) -> Result<Option<Expr>, UnknownOp> {
    let evidence = &ground.evidence;
    let best = best_singles(evidence.dev, evidence.dev_fails, evidence.dev_root, &ground.active());
    Ok(best.into_iter().map(|column| ground.op(column)).min_by_key(Expr::to_string))
}

/// Drops a child of the default's outermost `any` that both sources speak against: what it alone flags on dev is more
/// often a pass than a fail, and without any label PX expects it to lose agreement for the other children. At most one
/// child goes, the one of which most is lost.
pub fn pruned(ground: &Ground<'_>) -> Result<Option<Expr>, UnknownOp> {
    let Some(default) = kept(ground)? else { return Ok(None) };
    let Expr::Any(children) = &default else { return Ok(Some(default)) };
    let mut worst: Option<(f64, Expr)> = None;
    for (at, child) in children.iter().enumerate() {
        let mut others = [&children[..at], &children[at + 1..]].concat();
        let rest = if others.len() > 1 { Expr::Any(others) } else { others.pop().unwrap_or_else(|| child.clone()) };
        let (seed, fired) = (Seed::new(ground, &rest)?, ground.fired(child)?);
        let labels = seed.labels(&fired);
        let gain = seed.gain(&fired, Labels::default()).unwrap_or(0.0);
        let refuted = labels.blamed_passes > labels.found_fails && gain < 0.0;
        if refuted && worst.as_ref().is_none_or(|(least, _)| gain < *least) {
            worst = Some((gain, rest));
        }
    }
    Ok(Some(worst.map_or(default, |(_, rest)| rest)))
}

/// The default, pruned and then extended by at most one op that it did not have.
pub fn revised(ground: &Ground<'_>) -> Result<Option<Expr>, UnknownOp> {
    pruned(ground)?.map(|pruned| extended(ground, &pruned)).transpose()
}

/// The choice of F, where F prefers it to the default by a clear margin, three dev items as it is set; otherwise the
/// default.
pub fn challenged(ground: &Ground<'_>) -> Result<Option<Expr>, UnknownOp> {
    let Some(default) = kept(ground)? else { return Ok(None) };
    let held = Worth::new(ground).value(ground, &default)?;
    let challenger = no_seed(ground).filter(|picked| picked.value > held + ground.selection.no_seed.challenge);
    Ok(Some(challenger.map_or(default, |picked| picked.expr)))
}

/// The most probable of the default and its neighbours: the default without one op, with one op more that is no smell,
/// and the plainest grader. The default has most of the prior, the neighbours share the rest; the expression that is
/// best is right on each dev item with one probability. Labels move the choice only where they are nearly unanimous.
pub fn trusted(ground: &Ground<'_>) -> Result<Option<Expr>, UnknownOp> {
    let Some(default) = kept(ground)? else { return Ok(None) };
    let inside: Vec<String> = default.ops().into_iter().map(String::from).collect();
    let mut family: Vec<Expr> = inside.iter().filter_map(|op| default.without(op)).collect();
    let outside = ground.active().into_iter().filter(|column| ground.strengths[*column] != Strength::Smell);
    let outside = outside.map(|column| ground.op(column)).filter(|op| !inside.contains(&op.to_string()));
    family.extend(outside.map(|op| joined(&default, op)));
    family.extend(ground.baseline.cloned());
    family.sort_by_cached_key(|expr| expr.canonical().to_string());
    family.dedup_by_key(|expr| expr.canonical().to_string());
    family.retain(|expr| expr.canonical() != default.canonical());
    let config = ground.selection.trusted;
    let items = ground.evidence.dev.items() as f64;
    let likelihood = |expr: &Expr| -> Result<f64, UnknownOp> {
        let right = ground.right(expr)? as f64;
        Ok(right * config.reliability.ln() + (items - right) * (1.0 - config.reliability).ln())
    };
    let shared = ((1.0 - config.default) / family.len() as f64).ln();
    let mut best = (config.default.ln() + likelihood(&default)?, default);
    for neighbour in family {
        let posterior = shared + likelihood(&neighbour)?;
        if posterior > best.0 {
            best = (posterior, neighbour);
        }
    }
    Ok(Some(best.1))
}
