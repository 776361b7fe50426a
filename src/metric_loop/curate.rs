//! Step 4: shadows that have shown their use become active, shadows whose time is over expire, and ops without use
//! retire (METHOD section 5.4).

use crate::expr::{Expr, Grammar, SAME_SCORE, UnknownOp};
use crate::journal::{Event, Standing};
use crate::metric_loop::options::Constants;
use crate::metric_loop::sight::Sight;
use crate::metric_loop::state::State;
use crate::metric_loop::vary::flat;
use crate::objective::Objective;

/// The first shadow whose use shows: A_dev of the incumbent strictly rises with it beside, with it as a condition, or
/// in a leaf's place, and coverage does not fall.
pub fn promotion(state: &State, sight: &Sight, objective: &Objective) -> Result<Option<Event>, UnknownOp> {
    let incumbent = state.incumbent.as_ref();
    let before = objective.score(incumbent)?;
    let shadows = state.living().filter(|op| op.standing == Standing::Shadow);
    for shadow in shadows.filter(|shadow| sight.dev.matrix.column(&shadow.name).is_some()) {
        for expr in with(incumbent, &shadow.name) {
            let after = objective.score(Some(&expr))?;
            if after.a_dev > before.a_dev + SAME_SCORE && after.coverage >= before.coverage {
                let (dev_before, dev_after) = (before.a_dev, after.a_dev);
                return Ok(Some(Event::Promoted { op: shadow.name.clone(), by: expr, dev_before, dev_after }));
            }
        }
    }
    Ok(None)
}

/// The ways in which an op could join a metric: beside it, as a condition, or in place of one leaf.
fn with(metric: Option<&Expr>, op: &str) -> Vec<Expr> {
    let Some(metric) = metric else { return vec![Expr::op(op)] };
    let joined = |join: fn(Vec<Expr>) -> Expr| flat(join(vec![metric.clone(), Expr::op(op)])).canonical();
    let swapped = metric.ops().into_iter().map(|leaf| metric.renamed(leaf, op).canonical());
    [joined(Expr::Any), joined(Expr::All)].into_iter().chain(swapped).collect()
}

/// Shadows that have waited long enough.
pub fn expired(state: &State, round: u32, constants: &Constants) -> Vec<Event> {
    let waited = |op: &&crate::metric_loop::state::PoolOp| {
        op.standing == Standing::Shadow && round - op.born >= constants.shadow_rounds
    };
    let expire =
        |op: &crate::metric_loop::state::PoolOp| Event::Expired { op: op.name.clone(), rounds: round - op.born };
    state.living().filter(waited).map(expire).collect()
}

/// What every active op is worth, in the order of the sight's columns: to the incumbent as a leaf of it, else the best S
/// with it less the best S without it, where nothing selectable counts as one less than anything.
pub fn fitness(
    state: &State,
    sight: &Sight,
    objective: &Objective,
    grammar: Grammar,
) -> Result<Vec<(String, f64)>, UnknownOp> {
    let outside = objective.fitness_outside(grammar);
    let mut found = Vec::new();
    for column in sight.active() {
        let name = sight.ops[column].name();
        let worth = match state.incumbent.as_ref().filter(|expr| expr.ops().contains(&name)) {
            Some(incumbent) => objective.fitness_inside(incumbent, name)?,
            None => match (outside[column].with, outside[column].without) {
                (Some(with), Some(without)) => with - without,
                (Some(_), None) => 1.0,
                (None, Some(_)) => -1.0,
                (None, None) => 0.0,
            },
        };
        found.push((name.to_string(), worth));
    }
    Ok(found)
}

/// The op that retires next: idle before this round for long enough, still without use, and no leaf of the incumbent.
/// Of several the least fit, then the last by name.
pub fn retirement(state: &State, fitness: &[(String, f64)], constants: &Constants) -> Option<Event> {
    let leaves = state.incumbent.as_ref().map(Expr::ops).unwrap_or_default();
    let due = |(op, worth): &&(String, f64)| {
        let idle = state.find(op).map_or(0, |member| member.idle);
        *worth <= SAME_SCORE && idle + 1 >= constants.idle_rounds && !leaves.contains(&op.as_str())
    };
    let worst = fitness.iter().filter(due).min_by(|(a, of_a), (b, of_b)| of_a.total_cmp(of_b).then(b.cmp(a)));
    worst.map(|(op, fitness)| Event::Retired { op: op.clone(), fitness: *fitness })
}
