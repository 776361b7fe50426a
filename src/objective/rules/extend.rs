//! PX (METHOD section 12): what `(any D o)` gains over a sound expression D, estimated from unlabelled outputs first.
//!
//! Two classes, fail and pass, with Pr(fail) = pi. D flags a share r of the fails and phi of the passes; r follows from
//! D's firing rate f, as f = pi r + (1 - pi) phi. Where D is silent, o flags a share rho of the fails and alpha of the
//! passes. What o flags beyond D has the share g = pi (1 - r) rho + (1 - pi) (1 - phi) alpha, so that rho decides
//! alpha. How often o fires where D does (q) says what to expect of rho; the dev items that D leaves unflagged say more.
//! The gain is what balanced agreement is expected to win: E[rho (1 - r) - alpha (1 - phi)] / 2.

use super::constants::Extend;
use super::ground::{Fired, Ground, Weights};
use crate::expr::{Bits, Expr, UnknownOp};

/// What joining a seed with another expression is expected to gain.
#[derive(Debug, Clone, PartialEq)]
pub struct Extension {
    pub op: Expr,
    /// Expected change of balanced agreement.
    pub gain: f64,
}

/// Estimates each candidate's gain for `seed`, the greatest first, equal ones in text order. A candidate is left out
/// if it flags nothing beyond the seed on train, or if no rate of false alarms explains what it flags.
pub fn extend(ground: &Ground<'_>, seed: &Expr, candidates: &[Expr]) -> Result<Vec<Extension>, UnknownOp> {
    let seed = Seed::new(ground, seed)?;
    let mut found = Vec::new();
    for op in candidates {
        let fired = ground.fired(op)?;
        found.extend(seed.gain(&fired, seed.labels(&fired)).map(|gain| Extension { op: op.clone(), gain }));
    }
    found.sort_by(|a, b| b.gain.total_cmp(&a.gain).then_with(|| a.op.to_string().cmp(&b.op.to_string())));
    Ok(found)
}

/// `(any seed o)` for the best single op that is expected to gain enough; otherwise the seed.
pub fn extended(ground: &Ground<'_>, seed: &Expr) -> Result<Expr, UnknownOp> {
    let inside = seed.ops();
    let ops = ground.active().into_iter().map(|column| ground.op(column));
    let outside: Vec<Expr> = ops.filter(|op| !inside.contains(&op.to_string().as_str())).collect();
    let best = extend(ground, seed, &outside)?.into_iter().next();
    Ok(match best.filter(|best| best.gain > ground.selection.extend.needed) {
        Some(best) => joined(seed, best.op),
        None => seed.clone(),
    })
}

/// `(any seed op)`, flat where the seed is an `any` itself.
pub fn joined(seed: &Expr, op: Expr) -> Expr {
    match seed {
        Expr::Any(children) => Expr::Any([&children[..], &[op]].concat()),
        other => Expr::Any(vec![other.clone(), op]),
    }
}

/// Dev items that the seed leaves unflagged: of each class, those that an op flags and those that it does not.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Labels {
    pub found_fails: usize,
    pub missed_fails: usize,
    pub blamed_passes: usize,
    pub spared_passes: usize,
}

/// D, and what is known of it.
pub(super) struct Seed {
    config: Extend,
    fired: Fired,
    fails: Bits,
    passes: Bits,
    weights: Weights,
    total: f64,
    /// The weight of the train outputs that D flags.
    flagged: f64,
    pi: f64,
    r: f64,
}

impl Seed {
    pub fn new(ground: &Ground<'_>, seed: &Expr) -> Result<Self, UnknownOp> {
        let config = ground.selection.extend;
        let (fired, weights, (fails, passes)) = (ground.fired(seed)?, ground.weights(), ground.classes());
        let (total, flagged) = (weights.total(), weights.of(&fired.train));
        let (pi, phi) = (ground.fail_share(config.fail_share), config.false_alarm);
        let f = if total > 0.0 { flagged / total } else { 0.0 };
        let r = clip((f - (1.0 - pi) * phi) / pi, config.recall_between);
        Ok(Self { config, fired, fails, passes, weights, total, flagged, pi, r })
    }

    /// What the labels say of an op where the seed is silent.
    pub fn labels(&self, op: &Fired) -> Labels {
        let (fails, passes) = (self.fails.and_not(&self.fired.dev), self.passes.and_not(&self.fired.dev));
        let (found_fails, blamed_passes) = (op.dev.and(&fails).count(), op.dev.and(&passes).count());
        Labels {
            found_fails,
            missed_fails: fails.count() - found_fails,
            blamed_passes,
            spared_passes: passes.count() - blamed_passes,
        }
    }

    /// The expected gain of `(any D o)`.
    pub fn gain(&self, op: &Fired, labels: Labels) -> Option<f64> {
        let Self { config, pi, r, .. } = self;
        let (pi, r, phi) = (*pi, *r, config.false_alarm);
        let beyond = self.weights.of(&op.train.and_not(&self.fired.train));
        if beyond == 0.0 {
            return None;
        }
        let g = beyond / self.total;
        let mu = clip(config.discount * self.overlap(op), config.recall_beyond_between);
        let (a, b) = (config.confidence * mu - 1.0, config.confidence * (1.0 - mu) - 1.0);
        let point = |at: usize| {
            let rho = (at as f64 + 0.5) / config.grid as f64;
            let alpha = (g - pi * (1.0 - r) * rho) / ((1.0 - pi) * (1.0 - phi));
            let prior = a * rho.ln() + b * (1.0 - rho).ln();
            let gain = (rho * (1.0 - r) - alpha * (1.0 - phi)) / 2.0;
            (0.0..=1.0).contains(&alpha).then(|| (prior + labels.log_likelihood(rho, alpha), gain))
        };
        mean(&(0..config.grid).filter_map(point).collect::<Vec<_>>())
    }

    /// q = Pr(o fires | D fires), drawn towards o's rate on all outputs.
    fn overlap(&self, op: &Fired) -> f64 {
        let pseudo = self.config.pseudo_outputs;
        let rate = self.weights.of(&op.train) / self.total;
        let both = self.weights.of(&op.train.and(&self.fired.train));
        if self.flagged + pseudo == 0.0 { rate } else { (both + pseudo * rate) / (self.flagged + pseudo) }
    }
}

impl Labels {
    fn log_likelihood(&self, rho: f64, alpha: f64) -> f64 {
        let times = |count: usize, share: f64| if count == 0 { 0.0 } else { count as f64 * share.ln() };
        times(self.found_fails, rho)
            + times(self.missed_fails, 1.0 - rho)
            + times(self.blamed_passes, alpha)
            + times(self.spared_passes, 1.0 - alpha)
    }
}

fn clip(value: f64, [low, high]: [f64; 2]) -> f64 {
    value.max(low).min(high)
}

/// The mean of values that are weighed by the exponentials of their log weights.
fn mean(points: &[(f64, f64)]) -> Option<f64> {
    let most = points.iter().map(|(log, _)| *log).fold(f64::NEG_INFINITY, f64::max);
    if most == f64::NEG_INFINITY {
        return None;
    }
    let (weights, sum) = points.iter().fold((0.0, 0.0), |(weights, sum), (log, value)| {
        let weight = (log - most).exp();
        (weights + weight, sum + weight * value)
    });
    Some(sum / weights)
}
