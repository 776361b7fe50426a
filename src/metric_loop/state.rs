//! What a run knows: the fold of its events, and nothing else.
//!
//! Pure. Whatever a later round depends on is here, so a run that is resumed from its events goes on as if it had
//! never stopped.

use std::collections::{BTreeMap, BTreeSet};

use crate::expr::{Expr, SAME_SCORE};
use crate::journal::{Entry, Event, Figures, Standing};

#[derive(Debug, Clone, PartialEq, Default)]
pub struct State {
    /// The last round that ended.
    pub round: u32,
    /// Whether round 0 has chosen.
    pub begun: bool,
    pub finished: bool,
    /// Seeds by name, then births in their order. Retired ops stay, as what was tried.
    pub pool: Vec<PoolOp>,
    pub incumbent: Option<Expr>,
    /// Round 0's metric.
    pub first: Option<Expr>,
    /// Whether a declared proof was refuted.
    pub refused: bool,
    /// The declared default less the proofs that the labels refute.
    pub kept: Option<Expr>,
    /// Expressions to vary, best first.
    pub elites: Vec<Expr>,
    /// For each miss of the last round, how many rounds in a row it has been one.
    pub missed: BTreeMap<String, u32>,
    /// For each labelled failure, how many ops were born that find it, retired ones included.
    pub attempts: BTreeMap<String, usize>,
    /// Rules that were authored, whatever became of them.
    pub tried: BTreeSet<String>,
    /// Rounds in a row in which nothing changed.
    pub quiet: u32,
    candidates: Vec<(Expr, Figures)>,
}

/// One op of the pool.
#[derive(Debug, Clone, PartialEq)]
pub struct PoolOp {
    pub name: String,
    pub class: String,
    pub standing: Standing,
    /// The round of its birth; 0 for the pack's own.
    pub born: u32,
    /// The script of an op that was born in the run.
    pub source: Option<String>,
    /// Rounds in a row in which it was of no use.
    pub idle: u32,
}

impl State {
    /// The state after all events of a journal.
    pub fn of<'e>(entries: impl IntoIterator<Item = &'e Entry>) -> Self {
        let mut state = Self::default();
        entries.into_iter().for_each(|entry| state.apply(entry));
        state
    }

    /// Takes one event in.
    pub fn apply(&mut self, Entry { round, event }: &Entry) {
        match event {
            Event::Began { ops, .. } => {
                let seed = |seed: &crate::journal::Seed| PoolOp::new(&seed.op, &seed.class, Standing::Active, 0, None);
                self.pool = ops.iter().map(seed).collect();
            }
            Event::Chosen { metric, refused, .. } => {
                self.refused = !refused.is_empty();
                self.incumbent.clone_from(metric);
                self.first.clone_from(metric);
                self.kept.clone_from(metric);
                self.begun = true;
            }
            Event::Sensed { misses, .. } => {
                let rounds = |id: &String| (id.clone(), self.missed.get(id).copied().unwrap_or(0) + 1);
                self.missed = misses.iter().map(rounds).collect();
            }
            Event::Rejected { rule, .. } => drop(self.tried.insert(rule.clone())),
            Event::Born { op, rule, class, standing, source, gate } => {
                self.tried.insert(rule.clone());
                gate.misses.iter().for_each(|miss| *self.attempts.entry(miss.clone()).or_insert(0) += 1);
                self.pool.push(PoolOp::new(op, class, *standing, *round, Some(source.clone())));
            }
            Event::Candidate { metric, figures, .. } => self.candidates.push((metric.clone(), *figures)),
            Event::Selected { metric, .. } => self.incumbent.clone_from(metric),
            Event::Promoted { op, .. } => self.set(op, Standing::Active),
            Event::Retired { op, .. } | Event::Expired { op, .. } => self.set(op, Standing::Retired),
            Event::Weighed { op, fitness } => {
                if let Some(op) = self.pool.iter_mut().find(|member| member.name == *op) {
                    op.idle = if *fitness <= SAME_SCORE { op.idle + 1 } else { 0 };
                }
            }
            Event::Ended { changed, .. } => {
                self.round = *round;
                self.quiet = if *changed { 0 } else { self.quiet + 1 };
                self.crown();
            }
            Event::Finished { .. } => self.finished = true,
            Event::Clustered { .. }
            | Event::Unauthored { .. }
            | Event::Searched { .. }
            | Event::Estimated { .. }
            | Event::Surveyed { .. }
            | Event::Wanted { .. }
            | Event::Audited { .. } => {}
        }
    }

    /// Ops that run: active ones and shadows, in the order of the pool.
    pub fn living(&self) -> impl Iterator<Item = &PoolOp> {
        self.pool.iter().filter(|op| op.standing != Standing::Retired)
    }

    pub fn count(&self, standing: Standing) -> usize {
        self.pool.iter().filter(|op| op.standing == standing).count()
    }

    pub fn find(&self, op: &str) -> Option<&PoolOp> {
        self.pool.iter().find(|member| member.name == op)
    }

    fn set(&mut self, op: &str, standing: Standing) {
        if let Some(op) = self.pool.iter_mut().find(|member| member.name == op) {
            (op.standing, op.idle) = (standing, 0);
        }
    }

    /// The round's best selectable candidates become the elites: S, coverage, fewer leaves, text order.
    fn crown(&mut self) {
        let mut best = std::mem::take(&mut self.candidates);
        best.retain(|(_, figures)| figures.selectable);
        best.sort_by(|(a, of_a), (b, of_b)| {
            let by_size = of_b.coverage.cmp(&of_a.coverage).then(of_a.leaves.cmp(&of_b.leaves));
            of_b.s.total_cmp(&of_a.s).then(by_size).then_with(|| a.to_string().cmp(&b.to_string()))
        });
        best.dedup_by(|(a, _), (b, _)| a == b);
        self.elites = best.into_iter().map(|(expr, _)| expr).collect();
    }
}

impl PoolOp {
    fn new(name: &str, class: &str, standing: Standing, born: u32, source: Option<String>) -> Self {
        Self { name: name.to_string(), class: class.to_string(), standing, born, source, idle: 0 }
    }
}
