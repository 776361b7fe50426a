//! Step 3 within a round: the search, the candidates, and what the rule makes of them (METHOD section 5.3).
//!
//! Which metric is taken is decided in `select`; here is what it is decided from.

use std::collections::BTreeSet;

use crate::base::Result;
use crate::base::rng::Stream;
use crate::expr::Expr;
use crate::journal::{Event, Figures, Origin, Standing};
use crate::metric_loop::evidence::Verdicts;
use crate::metric_loop::round::{Evolution, broken};
use crate::metric_loop::sight::Sight;
use crate::metric_loop::{facts, select, vary};
use crate::objective::rules::{Ground, extend, no_seed};
use crate::objective::{Objective, Rule, Score};

impl Evolution<'_> {
    /// Step 3.
    pub(super) fn select(&mut self, round: u32, verdicts: &Verdicts) -> Result<()> {
        let sight = self.sight(verdicts);
        let objective = self.objective(&sight, self.state.incumbent.as_ref())?;
        let incumbent = self.state.incumbent.clone();
        let held = objective.score(incumbent.as_ref()).map_err(broken)?;
        let ties = objective.search_in(self.options.grammar());
        let candidates = self.candidates(round, &sight, &objective, ties.winner(&objective).map(|(expr, _)| expr))?;
        let mut events = vec![facts::searched(&sight, &ties, self.options.grammar())];
        events.extend(candidates.iter().map(|(expr, origin, score)| facts::candidate(expr, *origin, score)));
        let scored: Vec<(Expr, Score)> = candidates.into_iter().map(|(expr, _, score)| (expr, score)).collect();
        let argmax = || match select::argmax(Some(&held), &scored) {
            Some(better) => (Some(better.clone()), "its S is strictly greater".to_string()),
            None => (incumbent.clone(), "no S is strictly greater".to_string()),
        };
        let (metric, why) = match (self.options.rule, self.pack.default_expression()) {
            (Rule::Paper, _) => argmax(),
            (Rule::Default, Some(_)) => {
                let (gains, needed) = self.gains(&sight)?;
                let estimated = |(op, gain): &(String, f64)| Event::Estimated { op: op.clone(), gain: *gain, needed };
                events.extend(gains.iter().map(estimated));
                select::keep_or_extend(self.state.kept.as_ref(), &gains, needed)
            }
            (Rule::Default, None) => match no_seed(&self.ground(&sight)).map(|picked| picked.expr) {
                Some(metric) => (Some(metric), select::ESTIMATED.to_string()),
                None => argmax(),
            },
        };
        let figures = Some(Figures::from(&objective.score(metric.as_ref()).map_err(broken)?));
        let changed = metric != incumbent;
        let replaces = incumbent.filter(|_| changed);
        events.push(Event::Selected { metric, changed, replaces, why, figures });
        self.note_all(events);
        Ok(())
    }

    /// What is scored by itself this round: the incumbent, the winner of the search, the elites, and variations.
    fn candidates(
        &self,
        round: u32,
        sight: &Sight,
        objective: &Objective,
        winner: Option<Expr>,
    ) -> Result<Vec<(Expr, Origin, Score)>> {
        let constants = &self.options.constants;
        let active: Vec<&str> = sight.active().into_iter().map(|column| sight.ops[column].name()).collect();
        let lives = |expr: &&Expr| expr.ops().iter().all(|op| active.contains(op));
        let elites: Vec<Expr> = self.state.elites.iter().filter(lives).take(constants.elites).cloned().collect();
        let mut known = BTreeSet::new();
        let mut found: Vec<(Expr, Origin)> = Vec::new();
        let standing = self.state.incumbent.iter().map(|expr| (expr.canonical(), Origin::Incumbent));
        let searched = winner.into_iter().map(|expr| (expr.canonical(), Origin::Search));
        let kept = elites.iter().map(|expr| (expr.clone(), Origin::Elite));
        for (expr, origin) in standing.chain(searched).chain(kept) {
            if known.insert(expr.clone()) {
                found.push((expr, origin));
            }
        }
        let mut stream = Stream::new(self.options.seed, u64::from(round), "vary");
        let most = constants.most_leaves;
        let mutations = vary::mutations(&elites, &active, constants.mutations, most, &mut known, &mut stream);
        let crossovers = vary::crossovers(&elites, constants.crossovers, most, &mut known, &mut stream);
        found.extend(mutations.into_iter().map(|expr| (expr, Origin::Mutation)));
        found.extend(crossovers.into_iter().map(|expr| (expr, Origin::Crossover)));
        let scored = found.into_iter().map(|(expr, origin)| {
            let score = objective.score(Some(&expr)).map_err(broken)?;
            Ok((expr, origin, score))
        });
        scored.collect()
    }

    /// What each op born in the run would add to what is kept, and how much is needed.
    fn gains(&self, sight: &Sight) -> Result<(Vec<(String, f64)>, f64)> {
        let needed = self.pack.manifest.selection.extend.needed;
        let Some(kept) = &self.state.kept else { return Ok((Vec::new(), needed)) };
        let born = self.state.living().filter(|op| op.source.is_some() && op.standing == Standing::Active);
        let born: Vec<Expr> = born.map(|op| Expr::op(&op.name)).collect();
        let found = extend(&self.ground(sight), kept, &born).map_err(broken)?;
        Ok((found.into_iter().map(|extension| (extension.op.to_string(), extension.gain)).collect(), needed))
    }

    pub(super) fn ground<'g>(&'g self, sight: &'g Sight) -> Ground<'g> {
        sight.ground(self.pack, self.options.objective(self.pack.manifest.objective))
    }
}
