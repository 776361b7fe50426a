//! The order of effects: recall, run scripts, gather plans, observe, run scripts again, remember.
//!
//! Scripts run on as many threads as asked and change only their own item, so the result does not depend on how many
//! there are. This file decides when things happen; what is known lives in `matrix.rs` and `bench.rs`.

use std::num::NonZero;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::base::{Error, Id, Kind, Result};
use crate::grade::answerers::{Answerers, answer_queries};
use crate::grade::budget::Budget;
use crate::grade::keys;
use crate::grade::matrix::{Cell, Frame, Group, Item, Row, Work};
use crate::grade::progress::{Progress, Silent};
use crate::observe::{Observation, Request, Seen};
use crate::pack::Pack;
use crate::pack::manifest::Artifact;
use crate::sandbox::{self, Job, Sandbox};
use crate::script::{Module, Session, Vm};
use crate::store::{PackedRow, Store};
use crate::verdict::{Fault, FaultKind, Verdict};
use crate::warehouse::{Sqlite, Warehouse};

/// Rounds in which a plan may ask (DESIGN section 3).
const ROUNDS: usize = 3;
/// Outputs whose work is done, and committed, together.
const CHUNK: usize = 160;

/// One op's work on one output, for its author to look at.
pub struct Trace {
    /// What the root handed to the op.
    pub artifact: String,
    /// The requests of all rounds, and what came of each.
    pub asked: Vec<Request>,
    pub seen: Vec<Arc<Seen>>,
    pub verdict: Verdict,
}

/// Applies a pack's ops to outputs.
pub struct Grader<'a> {
    pack: &'a Pack,
    store: &'a Store,
    budget: Budget,
    threads: usize,
    python: Option<PathBuf>,
    progress: &'a dyn Progress,
    sandbox: OnceLock<Result<Sandbox, String>>,
    warehouse: Option<Arc<dyn Warehouse>>,
    vms: Mutex<Vec<Vm>>,
}

impl<'a> Grader<'a> {
    /// A grader with the limits of the pack's ops, one thread a core, and Python found on the path.
    pub fn new(pack: &'a Pack, store: &'a Store) -> Self {
        Self {
            pack,
            store,
            budget: Budget::of_ops(&pack.manifest),
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            python: None,
            progress: &Silent,
            sandbox: OnceLock::new(),
            warehouse: pack.databases().map(|folder| of_folder(pack, folder)),
            vms: Mutex::new(Vec::new()),
        }
    }

    pub fn budget(mut self, budget: Budget) -> Self {
        self.budget = budget;
        self
    }

    /// How many threads run scripts, and how many candidates run at once.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads.max(1);
        self
    }

    /// The interpreter that candidates run with.
    pub fn python(mut self, python: Option<PathBuf>) -> Self {
        self.python = python;
        self
    }

    /// The folder of the databases that tasks name; without one, the pack's own.
    pub fn databases(mut self, folder: Option<PathBuf>) -> Self {
        self.warehouse = folder.map(|folder| of_folder(self.pack, folder)).or(self.warehouse);
        self
    }

    /// Another warehouse than a folder of SQLite files.
    pub fn warehouse(mut self, warehouse: Arc<dyn Warehouse>) -> Self {
        self.warehouse = Some(warehouse);
        self
    }

    pub fn progress(mut self, progress: &'a dyn Progress) -> Self {
        self.progress = progress;
        self
    }

    /// The verdicts of `ops` on the wanted outputs of each task; `None` for the others.
    ///
    /// # Errors
    /// When the cache fails or a person asked to stop; an op that fails is a fault in its cell, not an error.
    pub fn matrix(&self, groups: &[Group], ops: &[Arc<Module>]) -> Result<Vec<Vec<Option<Row>>>> {
        let total: usize = groups.iter().map(wanted).sum();
        let frame = self.frame(ops);
        let mut rows = Vec::with_capacity(groups.len());
        let (mut from, mut done) = (0, 0);
        while from < groups.len() {
            self.heed_stop(|| format!("stopped after {done} of {total} outputs"))?;
            let to = chunk_end(groups, from);
            rows.extend(self.chunk(&groups[from..to], &frame)?);
            done += groups[from..to].iter().map(wanted).sum::<usize>();
            from = to;
            self.progress.outputs(done, total);
        }
        Ok(rows)
    }

    /// An error in these words where a person asked to stop, for work that is long and judges nothing.
    ///
    /// # Errors
    /// Of kind `Interrupted`.
    pub fn heed_stop(&self, words: impl FnOnce() -> String) -> Result<()> {
        match self.progress.stopped() {
            true => Err(Error::new(Kind::Interrupted, words())
                .help("What was done is in the cache: run the same command again to go on")),
            false => Ok(()),
        }
    }

    /// One op on one output of a task, with all that passed between op and host. Recalls observations, never the
    /// verdict.
    pub fn trace(&self, group: &Group, output: usize, op: &Arc<Module>) -> Trace {
        let mut group = group.clone();
        group.wanted.fill(false);
        group.wanted[output] = true;
        let ops = std::slice::from_ref(op);
        let frame = self.frame(ops);
        let groups = [group];
        let mut work = Work::open(&groups, &frame);
        self.judge(&mut work, &frame);
        let document = self.pack.document(work.items[0].text.clone());
        let mut vm = self.take_vm();
        let mut session = vm.session(self.pack.root(), &groups[0].task, &document);
        session.root();
        let artifact = session.describe_artifact();
        drop(session);
        self.give_vm(vm);
        let item = work.items.swap_remove(0);
        let (asked, seen) = (item.asked.concat(), item.seen.concat());
        Trace { artifact, asked, seen, verdict: item.into_row().leaves.swap_remove(0) }
    }

    fn frame<'f>(&'f self, ops: &'f [Arc<Module>]) -> Frame<'f> {
        let answerers = self.answerers(ops.iter().any(|op| op.plans()));
        let environment = answerers.python.as_ref().ok();
        Frame {
            root: self.pack.root(),
            ops,
            op_keys: ops.iter().map(|op| keys::op(op, environment, self.budget.observations)).collect(),
            answerers,
            peers: self.budget.peers,
            observations: self.budget.observations,
            timeouts: self.budget.timeouts,
        }
    }

    /// Who answers what the ops ask for. Where outputs are queries and no Python, there is no sandbox.
    fn answerers(&self, plans: bool) -> Answerers<'_> {
        let python = match &self.warehouse {
            _ if !plans => Err("no op plans".to_owned()),
            Some(_) if self.pack.manifest.artifact != Artifact::Python => {
                Err("the plan runs Python, and this pack's outputs are asked of databases".to_owned())
            }
            _ => self.sandbox().map(|sandbox| sandbox.environment().id()),
        };
        let missing = "the plan queries a database, and it is not known where it is: name the folder of the databases in \
                       [warehouse] of pack.toml, or with --databases";
        Answerers { python, warehouse: self.warehouse.as_deref().ok_or_else(|| missing.to_owned()) }
    }

    fn chunk(&self, groups: &[Group], frame: &Frame) -> Result<Vec<Vec<Option<Row>>>> {
        let mut work = Work::open(groups, frame);
        self.recall(&mut work)?;
        self.judge(&mut work, frame);
        self.remember(&work)?;
        Ok(work.rows())
    }

    /// Runs scripts and what they ask for until every cell has its verdict.
    fn judge(&self, work: &mut Work, frame: &Frame) {
        self.each(work, Item::unfinished, |session, item| start(session, item, frame.ops));
        for round in 1..=ROUNDS {
            work.ask(frame);
            if !work.items.iter().any(Item::asking) {
                break;
            }
            if let Err(fault) = self.observe(work, frame) {
                fail_asking(work, &fault);
                break;
            }
            self.each(work, Item::asking, |session, item| proceed(session, item, frame.ops, round == ROUNDS));
        }
    }

    fn recall(&self, work: &mut Work) -> Result<()> {
        let keys: Vec<Id> = work.items.iter().map(|item| item.row).collect();
        for (item, packed) in work.items.iter_mut().zip(self.store.verdicts(&keys)?) {
            let Some(packed) = packed else { continue };
            if let Some(root) = packed.get(&keys::root()) {
                item.root = Cell::Recalled(root.clone());
            }
            for (cell, key) in item.cells.iter_mut().zip(&item.keys) {
                if let Some(verdict) = packed.get(key) {
                    *cell = Cell::Recalled(verdict.clone());
                }
            }
            settle_below_root(item);
        }
        Ok(())
    }

    fn remember(&self, work: &Work) -> Result<()> {
        let mut rows = Vec::new();
        for item in &work.items {
            let mut row = PackedRow::default();
            let root = keys::root();
            for (key, cell) in [(&root, &item.root)].into_iter().chain(item.keys.iter().zip(&item.cells)) {
                if let Cell::Made(verdict) = cell {
                    row.insert(key, verdict.clone());
                }
            }
            if !row.is_empty() {
                rows.push((item.row, row));
            }
        }
        self.store.put_verdicts(&rows)
    }

    /// Answers what the benches want until every asking cell sees all that it needs.
    fn observe(&self, work: &mut Work, frame: &Frame) -> Result<(), Fault> {
        let infrastructure = |error: String| Fault::new(FaultKind::Infrastructure, error);
        while !work.show(frame) {
            self.recall_observations(work).map_err(|error| infrastructure(error.to_string()))?;
            self.run_wanted(work, frame).map_err(infrastructure)?;
        }
        Ok(())
    }

    fn recall_observations(&self, work: &mut Work) -> Result<()> {
        let wanted: Vec<_> = work.benches.iter().map(|bench| bench.wanted_keys()).collect();
        let keys: Vec<Id> = wanted.iter().flatten().map(|(_, key)| *key).collect();
        let known = self.store.observations(&keys)?;
        for (bench, wanted) in work.benches.iter_mut().zip(wanted) {
            for (run, key) in wanted {
                if let Some(observation) = known.get(&key) {
                    bench.answer(run, Arc::new(observation.clone()));
                }
            }
        }
        Ok(())
    }

    fn run_wanted(&self, work: &mut Work, frame: &Frame) -> Result<(), String> {
        let mut fresh = self.run_candidates(work)?;
        if let Ok(warehouse) = &frame.answerers.warehouse {
            fresh.extend(answer_queries(work, *warehouse, self.threads, frame.timeouts));
        }
        work.benches.iter_mut().for_each(|bench| bench.give_up());
        self.store.put_observations(&fresh).map_err(|error| error.to_string())
    }

    fn run_candidates(&self, work: &mut Work) -> Result<Vec<(Id, Observation)>, String> {
        let (mut jobs, mut places) = (Vec::new(), Vec::new());
        for (index, bench) in work.benches.iter().enumerate() {
            for batch in bench.batches() {
                let probes = batch.probes.iter().map(|(_, probe)| probe.clone()).collect();
                jobs.push(Job { source: bench.subject(batch.subject).text.clone(), world: batch.world, probes });
                places.push((index, batch));
            }
        }
        if jobs.is_empty() {
            return Ok(Vec::new());
        }
        let answers = self.sandbox()?.run(&jobs, &|_| {}).map_err(|error| error.to_string())?;
        let mut fresh = Vec::new();
        for ((index, batch), answers) in places.into_iter().zip(answers) {
            let bench = &mut work.benches[index];
            for ((probe, _), answer) in batch.probes.into_iter().zip(answers) {
                let Some(observation) = answer else { continue };
                let run = (batch.subject, probe);
                fresh.push((bench.key(run), observation.clone()));
                bench.answer(run, Arc::new(observation));
            }
        }
        Ok(fresh)
    }

    /// What candidates run in: interpreter, harness, prelude and limits. Nothing where they cannot be run.
    pub fn environment(&self) -> Option<Id> {
        self.sandbox().ok().map(|sandbox| sandbox.environment().id())
    }

    /// Why candidates could not be run, where something asked for it and the sandbox did not start.
    pub fn sandbox_trouble(&self) -> Option<&str> {
        self.sandbox.get()?.as_ref().err().map(String::as_str)
    }

    fn sandbox(&self) -> Result<&Sandbox, String> {
        let start = || {
            Sandbox::start(sandbox::Config {
                python: self.python.clone(),
                prelude: self.budget.prelude.clone(),
                limits: sandbox::Limits {
                    call_cpu_ms: self.budget.call_cpu_ms,
                    memory_mb: self.budget.memory_mb,
                    timeouts: self.budget.timeouts,
                    ..Default::default()
                },
                workers: NonZero::new(self.threads),
                ..Default::default()
            })
            .map_err(|error| error.to_string())
        };
        self.sandbox.get_or_init(start).as_ref().map_err(Clone::clone)
    }

    /// Runs `act` in a session for every item that `needs` it, on the grader's threads.
    fn each(&self, work: &mut Work, needs: fn(&Item) -> bool, act: impl Fn(&mut Session, &mut Item) + Sync) {
        let groups = work.groups;
        let items: Vec<Mutex<&mut Item>> = work.items.iter_mut().filter(|item| needs(item)).map(Mutex::new).collect();
        let next = AtomicUsize::new(0);
        let worker = || {
            let mut vm = self.take_vm();
            while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                let mut item = item.lock().unwrap_or_else(PoisonError::into_inner);
                let text = item.text.clone();
                let document = item.document.get_or_insert_with(|| self.pack.document(text)).clone();
                let group = &groups[item.group];
                let session = vm.session(self.pack.root(), &group.task, &document);
                let mut session = session.with_reference(group.reference.as_ref());
                if matches!(item.root, Cell::Missing) {
                    item.root = Cell::Made(session.root());
                    settle_below_root(&mut item);
                }
                act(&mut session, &mut item);
            }
            self.give_vm(vm);
        };
        let threads = self.threads.min(items.len());
        if threads <= 1 {
            worker();
        } else {
            std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(worker))));
        }
    }

    fn take_vm(&self) -> Vm {
        let idle = self.vms.lock().unwrap_or_else(PoisonError::into_inner).pop();
        idle.unwrap_or_else(|| Vm::new(self.budget.script.clone()))
    }

    fn give_vm(&self, vm: Vm) {
        self.vms.lock().unwrap_or_else(PoisonError::into_inner).push(vm);
    }
}

fn of_folder(pack: &Pack, folder: PathBuf) -> Arc<dyn Warehouse> {
    let limits = pack.manifest.warehouse.as_ref().map(|warehouse| warehouse.limits.clone()).unwrap_or_default();
    Arc::new(Sqlite::new(folder, limits))
}

/// Static ops decide at once; the others say what they want to see.
fn start(session: &mut Session, item: &mut Item, ops: &[Arc<Module>]) {
    for (index, op) in ops.iter().enumerate() {
        if !matches!(item.cells[index], Cell::Missing) {
            continue;
        }
        item.cells[index] = if !op.plans() {
            Cell::Made(session.check(op, &[]))
        } else {
            match session.plan(op, &[]) {
                Ok(requests) if requests.is_empty() => Cell::Made(Verdict::Abstain("it asks for nothing here".into())),
                Ok(requests) => {
                    item.asked[index] = requests;
                    Cell::Asking
                }
                Err(fault) => Cell::Made(Verdict::Fault(fault)),
            }
        };
    }
}

/// An op that has seen its answers asks for something new, or decides.
fn proceed(session: &mut Session, item: &mut Item, ops: &[Arc<Module>], last: bool) {
    for (index, op) in ops.iter().enumerate() {
        if !matches!(item.cells[index], Cell::Asking) {
            continue;
        }
        let (asked, seen) = (&mut item.asked[index], &item.seen[index]);
        let more = if last { Ok(Vec::new()) } else { session.plan(op, seen) };
        let verdict = match more {
            Err(fault) => Verdict::Fault(fault),
            Ok(requests) => {
                let new: Vec<_> = requests.into_iter().filter(|request| !asked.contains(request)).collect();
                if !new.is_empty() {
                    asked.extend(new);
                    continue;
                }
                session.check(op, seen)
            }
        };
        item.cells[index] = Cell::Made(verdict);
    }
}

/// Ops have nothing to say of an output whose root is not clean.
fn settle_below_root(item: &mut Item) {
    let (Cell::Made(root) | Cell::Recalled(root)) = &item.root else { return };
    if *root == Verdict::Clean {
        return;
    }
    let why = format!("the root's verdict is {}", root.word());
    item.cells.iter_mut().for_each(|cell| *cell = Cell::Recalled(Verdict::Abstain(why.clone())));
}

fn fail_asking(work: &mut Work, fault: &Fault) {
    for cell in work.items.iter_mut().flat_map(|item| &mut item.cells) {
        if matches!(cell, Cell::Asking) {
            *cell = Cell::Made(Verdict::Fault(fault.clone()));
        }
    }
}

fn wanted(group: &Group) -> usize {
    group.wanted.iter().filter(|wanted| **wanted).count()
}

/// The end of the chunk that starts at `from`: whole tasks, about `CHUNK` outputs.
fn chunk_end(groups: &[Group], from: usize) -> usize {
    let (mut to, mut outputs) = (from, 0);
    while to < groups.len() && (to == from || outputs + groups[to].texts.len() <= CHUNK) {
        outputs += groups[to].texts.len();
        to += 1;
    }
    to
}
