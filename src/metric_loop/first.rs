//! Round 0: which metric to begin with (METHOD sections 5.0 and 12).
//!
//! Ten labels check the pack's declared default; they do not pick a metric out of thousands. What the published
//! objective would have picked is worked out beside it, with its tie set, so that a run can say what it is worth.

use crate::base::{Error, Result};
use crate::expr::{Bits, Expr, Outcome};
use crate::metric_loop::evidence::Judged;
use crate::objective::{Config, Evidence, Member, Objective, Refused, Rule, Score, TieSet, best_singles, keep_default};
use crate::pack::Pack;
use crate::script::{Strength, Tier};

/// The first metric, and what else was in sight.
pub struct First {
    /// The metric; none passes everything that the root lets through.
    pub expression: Option<Expr>,
    pub rule: Rule,
    /// Declared proofs that the dev labels refute.
    pub refused: Vec<Refused>,
    /// Dev items on which the metric is right, of how many.
    pub dev_right: usize,
    pub dev_items: usize,
    /// What S(e) would choose, and everything that ties with it.
    pub paper: Option<(Expr, Score)>,
    pub ties: TieSet,
    /// How many different behaviours tie, over dev and train.
    pub behaviours: usize,
    /// Ops that do best alone on dev, all ties.
    pub best_singles: Vec<Expr>,
}

/// Chooses by `rule`; under the default rule a pack that declares no default falls to S(e).
///
/// # Errors
/// Under `Rule::Paper`, or where nothing is declared, when the guards refuse every expression.
pub fn choose(pack: &Pack, dev: &Judged, dev_fails: &Bits, train: &Judged, rule: Rule) -> Result<First> {
    let members: Vec<Member> = pack
        .ops()
        .iter()
        .map(|op| Member { judge: op.op().is_some_and(|meta| meta.tier == Tier::Judge), active: true })
        .collect();
    let (dev_root, train_root) = (dev.below_root(), train.below_root());
    let evidence =
        Evidence { dev: &dev.matrix, dev_fails, dev_root: &dev_root, train: &train.matrix, train_root: &train_root };
    let config: Config = pack.manifest.objective;
    let objective = Objective::new(config, evidence, &members, None).map_err(broken)?;
    let ties = objective.search();
    let paper = ties.winner(&objective);
    let rule = if pack.default_expression().is_some() { rule } else { Rule::Paper };
    let (expression, refused) = match (rule, pack.default_expression()) {
        (Rule::Default, Some(default)) => {
            let kept = keep_default(default, |op| is_proof(pack, op), &dev.matrix, dev_fails).map_err(broken)?;
            (kept.expr, kept.refused)
        }
        _ => (Some(paper.as_ref().ok_or_else(nothing_selectable)?.0.clone()), Vec::new()),
    };
    let right = |(item, outcome): (usize, Outcome)| match outcome {
        Outcome::Fail => dev_fails.get(item),
        Outcome::Pass | Outcome::Abstain => !dev_fails.get(item),
        Outcome::Fault => false,
    };
    let outcomes = dev.outcomes(expression.as_ref());
    let columns: Vec<usize> = (0..pack.ops().len()).collect();
    let singles = best_singles(&dev.matrix, dev_fails, &dev_root, &columns);
    Ok(First {
        dev_items: outcomes.len(),
        dev_right: outcomes.into_iter().enumerate().filter(|item| right(*item)).count(),
        expression,
        rule,
        refused,
        behaviours: ties.behaviours(&[&dev.matrix, &train.matrix]),
        paper,
        ties,
        best_singles: singles.into_iter().map(|column| Expr::op(pack.ops()[column].name())).collect(),
    })
}

fn is_proof(pack: &Pack, op: &str) -> bool {
    pack.op(op).ok().and_then(|op| op.op()).is_some_and(|meta| meta.strength == Strength::Proof)
}

fn broken(error: crate::expr::UnknownOp) -> Error {
    Error::failure(error.to_string())
}

fn nothing_selectable() -> Error {
    Error::failure(
        "no expression over the pack's ops passes the guards: each abstains too often, or never fires, or always does",
    )
    .help("Declare a `default` expression in pack.toml, or add ops that have an opinion on more outputs")
}
