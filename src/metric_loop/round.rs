//! The order of a round: sense, grow, select, curate (METHOD section 5). Each step is pure; here they are put in turn,
//! and new ops are compiled and judged in between.
//!
//! What a round decides is in the events that it returns, and the next round depends on nothing else.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::base::{Error, Result};
use crate::dataset::Dataset;
use crate::expr::{Expr, Grammar, UnknownOp};
use crate::grade::Grader;
use crate::journal::{Entry, Event, Figures, Gate, Origin, Standing};
use crate::metric_loop::author::{Author, Bench, Wish};
use crate::metric_loop::cluster::{Cluster, clusters};
use crate::metric_loop::evidence::Verdicts;
use crate::metric_loop::options::Options;
use crate::metric_loop::sense::{Sensed, sense};
use crate::metric_loop::sight::{Sight, Split};
use crate::metric_loop::state::{PoolOp, State};
use crate::metric_loop::{curate, facts, gate, select};
use crate::objective::Objective;
use crate::objective::rules::no_seed;
use crate::pack::Pack;
use crate::pack::load::SYNTHESIZED;
use crate::script::{Module, Role};

/// A metric under evolution on one split.
pub struct Evolution<'a> {
    pub(super) pack: &'a Pack,
    grader: &'a Grader<'a>,
    dataset: &'a Dataset,
    pub(super) options: &'a Options,
    author: Option<&'a dyn Author>,
    split: Split,
    modules: BTreeMap<String, Arc<Module>>,
    pub(super) state: State,
    /// The round in work.
    working: u32,
    /// Its events so far.
    fresh: Vec<Entry>,
}

impl<'a> Evolution<'a> {
    /// Goes on from the events of a journal; from the beginning where there are none.
    ///
    /// # Errors
    /// A born op's script does not load under this host.
    pub fn resume(
        pack: &'a Pack,
        grader: &'a Grader<'a>,
        dataset: &'a Dataset,
        options: &'a Options,
        author: Option<&'a dyn Author>,
        past: &[Entry],
    ) -> Result<Self> {
        let state = State::of(past);
        let mut modules: BTreeMap<String, Arc<Module>> =
            pack.ops().iter().map(|op| (op.name().to_string(), Arc::clone(op))).collect();
        for op in &state.pool {
            if let Some(source) = &op.source {
                modules.insert(op.name.clone(), compile(pack, &op.name, source)?);
            }
        }
        let split = Split::of(dataset);
        Ok(Self { pack, grader, dataset, options, author, split, modules, state, working: 0, fresh: Vec::new() })
    }

    pub fn state(&self) -> &State {
        &self.state
    }

    pub fn options(&self) -> &Options {
        self.options
    }

    pub fn split(&self) -> &Split {
        &self.split
    }

    /// The scripts of the pool by name, retired ones included.
    pub fn modules(&self) -> &BTreeMap<String, Arc<Module>> {
        &self.modules
    }

    /// Round 0, or the next round, or the end: its events.
    pub fn step(&mut self, verdicts: &mut Verdicts) -> Result<Vec<Entry>> {
        let done = self.state.round >= self.options.rounds;
        let quiet = self.state.quiet >= self.options.constants.quiet_rounds;
        if !self.state.begun {
            self.begin(verdicts)?;
        } else if done || quiet {
            let why = if quiet { "nothing changes any more" } else { "all rounds are done" };
            self.finish(verdicts, why)?;
        } else {
            self.round(verdicts)?;
        }
        Ok(std::mem::take(&mut self.fresh))
    }

    fn begin(&mut self, verdicts: &mut Verdicts) -> Result<()> {
        self.note(facts::began(self.pack, self.dataset, &self.split));
        self.judge(verdicts)?;
        let sight = self.sight(verdicts);
        let objective = self.objective(&sight, None)?;
        let ties = objective.search_in(Grammar::flat(select::FIRST_LEAVES));
        let argmax = ties.winner(&objective);
        let mut events = vec![facts::searched(&sight, &ties, Grammar::flat(select::FIRST_LEAVES))];
        events.extend(argmax.iter().map(|(expr, score)| facts::candidate(expr, Origin::Search, score)));
        let argmax = argmax.map(|(expr, _)| expr);
        let choice = select::begin(
            self.pack,
            &sight,
            no_seed(&self.ground(&sight)).map(|picked| picked.expr),
            argmax,
            self.options.rule,
        )
        .map_err(broken)?;
        let figures = Some(Figures::from(&objective.score(choice.metric.as_ref()).map_err(broken)?));
        let refused = facts::refused(&self.split, &choice.refused);
        events.push(Event::Chosen { metric: choice.metric, rule: choice.rule, why: choice.why, figures, refused });
        self.note_all(events);
        self.end(verdicts);
        Ok(())
    }

    fn round(&mut self, verdicts: &mut Verdicts) -> Result<()> {
        self.working = self.state.round + 1;
        let round = self.working;
        self.judge(verdicts)?;
        for cluster in self.look(verdicts)? {
            self.grow(&cluster, round, verdicts)?;
        }
        self.select(round, verdicts)?;
        if self.options.lifecycle {
            self.curate(round, verdicts)?;
        }
        self.end(verdicts);
        Ok(())
    }

    /// Step 1, and the clusters of step 2.
    fn look(&mut self, verdicts: &Verdicts) -> Result<Vec<Cluster>> {
        let sight = self.sight(verdicts);
        let constants = &self.options.constants;
        let objective = self.objective(&sight, self.state.incumbent.as_ref())?;
        let sensed = sense(&sight, &objective, self.state.incumbent.as_ref(), constants.minority);
        let Sensed { misses, silent, split } = &sensed;
        let (dev, train) = (&self.split.dev_ids, &self.split.train_ids);
        let named = |items: &[usize], ids: &[String]| items.iter().map(|item| ids[*item].clone()).collect::<Vec<_>>();
        let event =
            Event::Sensed { misses: named(misses, dev), silent: named(silent, train), split: named(split, train) };
        let mut known = self.state.clone();
        known.apply(&Entry { round: 0, event: event.clone() });
        let found = clusters(&sight, &known, &sensed, constants.recurring);
        let clustered = |cluster: &Cluster| Event::Clustered {
            class: cluster.class.clone(),
            misses: named(&cluster.misses, dev),
            gaps: named(&cluster.gaps, train),
            recurring: cluster.recurring,
        };
        let events: Vec<Event> = found.iter().map(clustered).collect();
        self.note(event);
        events.into_iter().for_each(|event| self.note(event));
        Ok(found.into_iter().filter(|cluster| cluster.recurring).collect())
    }

    /// Step 2 for one cluster: an op is authored, judged, and born or rejected.
    fn grow(&mut self, cluster: &Cluster, round: u32, verdicts: &mut Verdicts) -> Result<()> {
        let Some(author) = self.author else { return Ok(()) };
        let names: BTreeSet<String> = self.state.pool.iter().map(|op| op.name.clone()).collect();
        let sight = self.sight(verdicts);
        if let Some(why) = self.answered(cluster, &sight, verdicts) {
            self.note(Event::Unauthored { class: cluster.class.clone(), why });
            return Ok(());
        }
        let wish = Wish { round, cluster, sight: &sight, tried: &self.state.tried, names: &names };
        let (grader, corpus, tasks) = (self.grader, &**self.dataset.corpus(), &self.split.tasks[..]);
        let draft = match author.draft(&wish, &mut Bench { verdicts: &mut *verdicts, grader, corpus, tasks })? {
            Ok(draft) => draft,
            Err(why) => {
                self.note(Event::Unauthored { class: cluster.class.clone(), why });
                return Ok(());
            }
        };
        let op = match self.pack.host().load(Role::Op, &draft.script.path, &draft.script.source) {
            Ok(op) => Arc::new(op),
            Err(error) => {
                let (op, class) = (draft.script.path, cluster.class.clone().unwrap_or_default());
                let gate = Gate::closed(cluster.misses.len() + cluster.gaps.len());
                self.note(Event::Rejected { op, rule: draft.rule, class, why: error.to_string(), gate });
                return Ok(());
            }
        };
        verdicts.judge(self.grader, self.dataset.corpus(), &self.split.tasks, &[Arc::clone(&op)])?;
        let found = gate::examine(&op, cluster, &sight, verdicts);
        let admitted = match self.options.lifecycle {
            true => gate::admit(&found, cluster, self.options.constants.gate),
            false => Ok(Standing::Active),
        };
        let class = op.op().map(|info| info.detects.clone()).unwrap_or_default();
        let (name, rule) = (op.name().to_string(), draft.rule);
        match admitted {
            Ok(standing) => {
                self.modules.insert(name.clone(), op);
                let source = draft.script.source;
                self.note(Event::Born { op: name, rule, class, standing, gate: found, source });
            }
            Err(why) => self.note(Event::Rejected { op: name, rule, class, why, gate: found }),
        }
        Ok(())
    }

    /// Why a cluster gets no further op: for gaps, a living op answers it; labelled failures that the metric still passes
    /// get a few tries each, and are then abandoned (METHOD section 10).
    fn answered(&self, cluster: &Cluster, sight: &Sight, verdicts: &Verdicts) -> Option<String> {
        let constants = &self.options.constants;
        if !cluster.misses.is_empty() {
            let tried = |item: &usize| self.state.attempts.get(&self.split.dev_ids[*item]).copied().unwrap_or(0);
            let abandoned = cluster.misses.iter().all(|item| tried(item) >= constants.tries);
            return abandoned.then(|| format!("{} ops were tried: abandoned", constants.tries));
        }
        let answers = |op: &&PoolOp| {
            let module = self.modules.get(&op.name).filter(|_| op.source.is_some());
            let found = module.map(|module| gate::examine(module, cluster, sight, verdicts));
            found.is_some_and(|found| gate::admit(&found, cluster, constants.gate).is_ok())
        };
        self.state.living().find(answers).map(|op| format!("{} answers it", op.name))
    }

    /// Step 4.
    fn curate(&mut self, round: u32, verdicts: &Verdicts) -> Result<()> {
        loop {
            let sight = self.sight(verdicts);
            let objective = self.objective(&sight, self.state.incumbent.as_ref())?;
            let promotion = curate::promotion(&self.state, &sight, &objective).map_err(broken)?;
            let Some(promotion) = promotion else { break };
            self.note(promotion);
        }
        self.note_all(curate::expired(&self.state, round, &self.options.constants));
        loop {
            let sight = self.sight(verdicts);
            let objective = self.objective(&sight, self.state.incumbent.as_ref())?;
            let fitness = curate::fitness(&self.state, &sight, &objective, self.options.grammar()).map_err(broken)?;
            match curate::retirement(&self.state, &fitness, &self.options.constants) {
                Some(retirement) => self.note(retirement),
                None => {
                    self.note_all(fitness.into_iter().map(|(op, fitness)| Event::Weighed { op, fitness }).collect());
                    return Ok(());
                }
            }
        }
    }

    fn finish(&mut self, verdicts: &mut Verdicts, why: &str) -> Result<()> {
        self.judge(verdicts)?;
        let sight = self.sight(verdicts);
        let objective = self.objective(&sight, self.state.incumbent.as_ref())?;
        let events = [
            facts::surveyed(&self.state, &sight, verdicts),
            facts::wanted(&sight, &objective.search()),
            Event::Finished { metric: self.state.incumbent.clone(), rounds: self.state.round, why: why.to_string() },
        ];
        self.note_all(events.into());
        Ok(())
    }

    /// Judges dev and train by the living pool, where that was not done.
    fn judge(&self, verdicts: &mut Verdicts) -> Result<()> {
        let living = self.state.living().filter_map(|op| self.modules.get(&op.name));
        let ops: Vec<Arc<Module>> = living.map(Arc::clone).collect();
        verdicts.judge(self.grader, self.dataset.corpus(), &self.split.tasks, &ops)
    }

    /// The living pool on dev and train.
    pub fn sight(&self, verdicts: &Verdicts) -> Sight<'_> {
        Sight::of(&self.split, &self.state, &self.modules, verdicts)
    }

    /// S of this round.
    pub fn objective<'s>(&self, sight: &'s Sight, incumbent: Option<&Expr>) -> Result<Objective<'s>> {
        let config = self.options.objective(self.pack.manifest.objective);
        Objective::new(config, sight.evidence(), &sight.members, incumbent).map_err(broken)
    }

    fn note(&mut self, event: Event) {
        let round = if matches!(event, Event::Finished { .. } | Event::Surveyed { .. } | Event::Wanted { .. }) {
            self.state.round
        } else {
            self.working
        };
        let entry = Entry { round, event };
        self.state.apply(&entry);
        self.fresh.push(entry);
    }

    pub(super) fn note_all(&mut self, events: Vec<Event>) {
        events.into_iter().for_each(|event| self.note(event));
    }

    /// Closes the round.
    fn end(&mut self, verdicts: &Verdicts) {
        let ended = facts::ended(&self.state, &self.sight(verdicts), self.fresh.iter().any(is_change));
        self.note(ended);
    }
}

/// Whether an event makes the next round another one.
fn is_change(entry: &Entry) -> bool {
    match &entry.event {
        Event::Selected { changed, .. } => *changed,
        event => matches!(
            event,
            Event::Chosen { .. }
                | Event::Rejected { .. }
                | Event::Born { .. }
                | Event::Promoted { .. }
                | Event::Retired { .. }
                | Event::Expired { .. }
        ),
    }
}

/// Compiles an op as it stands in a journal, by the path that it was born with.
fn compile(pack: &Pack, name: &str, source: &str) -> Result<Arc<Module>> {
    pack.host().load(Role::Op, &format!("{SYNTHESIZED}/{name}.lua"), source).map(Arc::new)
}

pub(super) fn broken(error: UnknownOp) -> Error {
    Error::failure(error.to_string())
}
