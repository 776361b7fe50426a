//! The published objective S(e) and its variations, as rules: what each of its parts does to the choice.

use super::ground::Ground;
use crate::expr::{Expr, UnknownOp};
use crate::objective::config::Config;

/// The argmax of S as the pack configures it.
pub fn argmax(ground: &Ground<'_>) -> Result<Option<Expr>, UnknownOp> {
    argmax_of(ground, ground.objective)
}

/// The argmax of S with the power w = 0.25, which the paper gives to reports.
pub fn quarter_power(ground: &Ground<'_>) -> Result<Option<Expr>, UnknownOp> {
    argmax_of(ground, Config { train_power: 0.25, ..ground.objective })
}

/// The argmax of A_dev less costs: w = 0, so that train counts for the guards alone.
pub fn dev_alone(ground: &Ground<'_>) -> Result<Option<Expr>, UnknownOp> {
    argmax_of(ground, Config { train_power: 0.0, ..ground.objective })
}

/// The argmax of S without its weights: both classes of dev count the same, and so do all votes.
pub fn unweighted(ground: &Ground<'_>) -> Result<Option<Expr>, UnknownOp> {
    argmax_of(ground, Config { weight_fail: 1.0, weight_pass: 1.0, kappa: 0.0, ..ground.objective })
}

/// S iterated: each choice is the incumbent whose margins weigh the votes of the next, which takes its place only by a
/// strictly greater S. Ends with a choice that stays, or after the configured number of choices.
pub fn settled(ground: &Ground<'_>) -> Result<Option<Expr>, UnknownOp> {
    let mut incumbent: Option<Expr> = None;
    for _ in 0..ground.selection.settle.rounds {
        let objective = ground.objective(ground.objective, incumbent.as_ref())?;
        let Some((best, score)) = objective.search().winner(&objective) else { break };
        if incumbent.is_some() && !score.replaces(&objective.score(incumbent.as_ref())?) {
            break;
        }
        incumbent = Some(best);
    }
    Ok(incumbent)
}

fn argmax_of(ground: &Ground<'_>, config: Config) -> Result<Option<Expr>, UnknownOp> {
    let objective = ground.objective(config, None)?;
    Ok(objective.search().winner(&objective).map(|(expr, _)| expr))
}
