//! The effects around the rounds: keep what each decided, have the metric audited, and bundle it.
//!
//! Test outputs are judged only for an audit, and their labels are the audit's alone.

use std::sync::Arc;
use std::time::Instant;

use serde_json::{Value, json};

use crate::audit::locked::Sealed;
use crate::audit::standing::{Contestant, Hindsight, Standing};
use crate::base::Result;
use crate::dataset::{Corpus, Dataset};
use crate::expr::{Expr, Outcome};
use crate::grade::Grader;
use crate::journal::{Entry, Event, Standing as Tier};
use crate::metric_loop::author::Author;
use crate::metric_loop::evidence::{Judged, Verdicts};
use crate::metric_loop::options::{Audit, Options};
use crate::metric_loop::round::Evolution;
use crate::metric_loop::state::State;
use crate::objective::{Voter, best_singles, pool_majority};
use crate::pack::{Bundle, Pack};
use crate::script::Module;

/// Row names of a standing.
pub const METRIC: &str = "this metric";
pub const FIRST: &str = "round 0's metric";
pub const DEFAULT: &str = "the pack's default";
pub const PAPER: &str = "S(e)'s choice";
pub const BEST_SEED: &str = "best single op on dev";
pub const MAJORITY: &str = "majority of the pool";
pub const BASELINE: &str = "plainest check";
pub const TIE_SET: &str = "majority of the tie set";

/// Where the events of a run go, a round at a time.
pub trait Keeper {
    /// Keeps what a round decided, whole or not at all, with figures that no other run has to share.
    fn commit(&mut self, round: u32, entries: &[Entry], timings: &[(String, f64)]) -> Result<()>;
}

/// Keeps nothing beyond the run's own result.
pub struct Unkept;

impl Keeper for Unkept {
    fn commit(&mut self, _: u32, _: &[Entry], _: &[(String, f64)]) -> Result<()> {
        Ok(())
    }
}

/// A pack on a corpus, and the verdicts made so far: several splits can share them.
pub struct Session<'a> {
    pack: &'a Pack,
    grader: &'a Grader<'a>,
    verdicts: Verdicts,
}

/// What a run is made on, and how.
pub struct Plan<'p> {
    pub dataset: &'p Dataset,
    pub options: &'p Options,
    pub author: Option<&'p dyn Author>,
    /// What the audit opens; nothing leaves it closed.
    pub sealed: Option<&'p Sealed>,
    /// Whether a metric that passes everything is audited too: it is no metric to keep, and not worth an opening.
    pub audit_nothing: bool,
    /// A name of this run for the log of openings, under which a resumed run opens nothing twice.
    pub id: &'p str,
}

/// A run that came to its end.
pub struct Run {
    pub entries: Vec<Entry>,
    pub state: State,
    pub bundle: Option<Bundle>,
}

impl<'a> Session<'a> {
    pub fn new(pack: &'a Pack, grader: &'a Grader<'a>, corpus: &Corpus) -> Self {
        Self { pack, grader, verdicts: Verdicts::new(corpus) }
    }

    /// Judges every output of the corpus by the pack's ops at once, for a study over many splits of it.
    pub fn judge_everything(&mut self, corpus: &Corpus) -> Result<()> {
        let tasks: Vec<usize> = (0..corpus.tasks().len()).collect();
        self.verdicts.judge(self.grader, corpus, &tasks, self.pack.ops())
    }

    pub fn pack(&self) -> &'a Pack {
        self.pack
    }

    /// The verdicts of the pack's ops on a whole corpus.
    pub fn judged(&mut self, dataset: &Dataset) -> Result<(&'a Pack, &Verdicts)> {
        self.judge_everything(dataset.corpus())?;
        Ok((self.pack, &self.verdicts))
    }

    /// Runs to the end, from the events of `past` on.
    pub fn evolve(&mut self, plan: &Plan, past: Vec<Entry>, keeper: &mut dyn Keeper) -> Result<Run> {
        let Plan { dataset, options, author, .. } = *plan;
        let mut entries = past;
        let mut evolution = Evolution::resume(self.pack, self.grader, dataset, options, author, &entries)?;
        while !evolution.state().finished {
            let started = Instant::now();
            let mut fresh = evolution.step(&mut self.verdicts)?;
            if options.audit == Audit::EveryRound && !evolution.state().finished {
                fresh.extend(self.audit(plan, &evolution, Depth::Metric)?);
            }
            let timings = [("seconds".to_string(), started.elapsed().as_secs_f64())];
            keeper.commit(evolution.state().round, &fresh, &timings)?;
            entries.extend(fresh);
            self.grader.heed_stop(|| format!("stopped after round {}", evolution.state().round))?;
        }
        let is_audited = matches!(entries.last().map(|entry| &entry.event), Some(Event::Audited { .. }));
        let is_due = options.audit != Audit::Never && !is_audited;
        if is_due && let Some(audited) = self.audit(plan, &evolution, Depth::Baselines)? {
            keeper.commit(evolution.state().round, std::slice::from_ref(&audited), &[])?;
            entries.push(audited);
        }
        let bundle = bundle(self.pack, plan, &evolution, &entries)?;
        let seeds = self.pack.ops();
        self.verdicts.keep(seeds);
        Ok(Run { state: evolution.state().clone(), entries, bundle })
    }

    /// Judges the test tasks, opens the seal and sees where the metric stands.
    fn audit(&mut self, plan: &Plan, evolution: &Evolution, depth: Depth) -> Result<Option<Entry>> {
        let (Some(sealed), dataset) = (plan.sealed, plan.dataset) else { return Ok(None) };
        let (outputs, state) = (dataset.test_outputs(), evolution.state());
        if state.incumbent.is_none() && !plan.audit_nothing {
            return Ok(None);
        }
        let born = state.living().filter(|op| op.source.is_some()).filter_map(|op| evolution.modules().get(&op.name));
        let ops: Vec<Arc<Module>> = self.pack.ops().iter().chain(born).map(Arc::clone).collect();
        self.verdicts.judge(self.grader, dataset.corpus(), &dataset.split().test, &ops)?;
        if depth == Depth::Baselines {
            // The baselines are chosen on dev and train, which a run that goes on from its last round has not judged.
            self.verdicts.judge(self.grader, dataset.corpus(), &evolution.split().tasks, &ops)?;
        }
        let test = self.verdicts.of(&ops, &outputs);
        let mut contestants = vec![one(METRIC, test.outcomes(state.incumbent.as_ref()))];
        if depth == Depth::Baselines {
            contestants.extend(self.baselines(evolution, &ops, &test, &outputs)?);
        }
        let hindsight = Hindsight { matrix: &test.matrix, root: &test.root };
        let hindsight = (depth == Depth::Baselines).then_some(&hindsight);
        let why = match depth {
            Depth::Metric => format!("round {}", state.round),
            Depth::Baselines => "the final metric".to_string(),
        };
        let standing = Standing::measure(sealed, &why, plan.id, contestants, hindsight, plan.options.seed)?;
        let rows = standing.rows.into_iter().map(|(name, figures)| (name.to_string(), figures)).collect();
        let faults = self.verdicts.faults(&ops, &outputs);
        let event = Event::Audited { opening: standing.opening, rows, hindsight: standing.hindsight, faults };
        Ok(Some(Entry { round: state.round, event }))
    }

    /// What the metric has to beat: what stood before it, and what needs no loop.
    fn baselines(
        &self,
        evolution: &Evolution,
        ops: &[Arc<Module>],
        test: &Judged,
        outputs: &[usize],
    ) -> Result<Vec<Contestant>> {
        let state = evolution.state();
        let of = |name, expr: Option<&Expr>| one(name, test.outcomes(expr));
        let mut found = Vec::new();
        if state.first != state.incumbent {
            found.push(of(FIRST, state.first.as_ref()));
        }
        if let Some(default) = self.pack.default_expression() {
            found.push(of(DEFAULT, Some(default)));
        }
        let sight = evolution.sight(&self.verdicts);
        let objective = evolution.objective(&sight, state.incumbent.as_ref())?;
        let ties = objective.search_in(evolution.options().grammar());
        if let Some((expr, _)) = ties.winner(&objective) {
            found.push(of(PAPER, Some(&expr)));
            let same_columns = self.verdicts.of(&sight.ops, outputs);
            found.push(one(TIE_SET, test.under_root(ties.majority(&same_columns.matrix))));
        }
        let dev = self.verdicts.of(self.pack.ops(), &evolution.split().dev);
        let columns: Vec<usize> = (0..self.pack.ops().len()).collect();
        let best = best_singles(&dev.matrix, &evolution.split().dev_fails, &dev.below_root(), &columns);
        let singles = best.into_iter().map(|column| test.outcomes(Some(&Expr::op(self.pack.ops()[column].name()))));
        found.push(Contestant { name: BEST_SEED, ties: singles.collect() });
        let is_active = |op: &Module| state.find(op.name()).is_some_and(|op| op.standing == Tier::Active);
        let voters = (0..ops.len()).filter(|column| is_active(&ops[*column])).map(Voter::equal);
        found.push(one(MAJORITY, test.under_root(pool_majority(&test.matrix, &voters.collect::<Vec<_>>()))));
        if let Some(baseline) = self.pack.baseline_expression() {
            found.push(of(BASELINE, Some(baseline)));
        }
        Ok(found)
    }
}

/// What an audit measures.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Depth {
    Metric,
    Baselines,
}

/// A contestant without ties.
pub fn one(name: &'static str, outcomes: Vec<Outcome>) -> Contestant {
    Contestant { name, ties: vec![outcomes] }
}

fn bundle(pack: &Pack, plan: &Plan, evolution: &Evolution, entries: &[Entry]) -> Result<Option<Bundle>> {
    let Some(metric) = &evolution.state().incumbent else { return Ok(None) };
    let mut bundle = Bundle::new(pack, evolution.modules(), metric, provenance(plan, evolution))?;
    bundle.audit = entries.iter().rev().find_map(|entry| sealed_facts(&entry.event)).unwrap_or(Value::Null);
    Ok(Some(bundle))
}

fn sealed_facts(event: &Event) -> Option<Value> {
    let Event::Audited { opening, rows, .. } = event else { return None };
    let (_, figures) = rows.first()?;
    Some(json!({"openings": opening, "sealed": figures}))
}

fn provenance(plan: &Plan, evolution: &Evolution) -> Value {
    let state = evolution.state();
    let born = state.living().filter(|op| op.source.is_some()).map(|op| op.name.as_str());
    json!({
        "corpus": plan.dataset.corpus().fingerprint().to_string(),
        "split": plan.dataset.split().seed,
        "seed": plan.options.seed,
        "selection": plan.options.rule,
        "rounds": state.round,
        "born": born.collect::<Vec<_>>(),
    })
}
