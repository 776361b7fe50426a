//! The work on a few tasks at once, as state: what is known of each output and each op, and what is still asked.
//!
//! No effects here: the grader moves this state along.

use std::sync::Arc;

use serde_json::Value;

use crate::base::Id;
use crate::dataset::Corpus;
use crate::grade::answerers::Answerers;
use crate::grade::bench::{Ask, Bench, Unseen};
use crate::grade::keys;
use crate::grade::peers::Siblings;
use crate::observe::{On, Request, Seen};
use crate::script::{Document, Module};
use crate::verdict::{Fault, FaultKind, Verdict};

/// A task with all its outputs.
#[derive(Clone)]
pub struct Group {
    /// The task as scripts see it.
    pub task: Value,
    /// The outputs' texts.
    pub texts: Vec<Arc<str>>,
    /// Whose verdicts are asked for; the others are peers only.
    pub wanted: Vec<bool>,
    /// What anchors alone may see.
    pub reference: Option<Value>,
}

impl Group {
    /// A task of which every output is to be judged.
    pub fn whole(task: Value, texts: Vec<Arc<str>>) -> Self {
        Self { task, wanted: vec![true; texts.len()], texts, reference: None }
    }

    /// A task of a corpus, every output wanted.
    pub fn of(corpus: &Corpus, task: usize) -> Self {
        let texts = corpus.outputs_of(task).iter().map(|output| Arc::clone(&corpus.outputs()[*output].text)).collect();
        Self::whole(corpus.tasks()[task].fields.clone(), texts)
    }
}

/// The verdicts on one output: root's, and each op's in the order asked. An output whose root is not clean has ops
/// that abstain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    pub root: Verdict,
    pub leaves: Vec<Verdict>,
}

/// One op on one output.
pub enum Cell {
    Missing,
    /// The plan has asked, and the op has not decided.
    Asking,
    /// Made now, and to be remembered if it is reproducible.
    Made(Verdict),
    /// Recalled from the cache, or implied by the root's verdict.
    Recalled(Verdict),
}

/// One output with its ops.
pub struct Item {
    pub group: usize,
    pub output: usize,
    pub own: usize,
    pub peers: Vec<usize>,
    pub text: Arc<str>,
    /// The text, parsed once a script has to see it.
    pub document: Option<Document>,
    pub row: Id,
    pub keys: Vec<Id>,
    pub root: Cell,
    pub cells: Vec<Cell>,
    /// What each op's plan asked for so far.
    pub asked: Vec<Vec<Request>>,
    asks: Vec<Vec<Ask>>,
    /// What each op was shown of it.
    pub seen: Vec<Vec<Arc<Seen>>>,
}

/// What a chunk of tasks needs to be judged.
pub struct Work<'g> {
    pub groups: &'g [Group],
    pub benches: Vec<Bench>,
    pub items: Vec<Item>,
}

/// What the keys and plans of a piece of work depend on beside the texts.
pub struct Frame<'a> {
    pub root: &'a Module,
    pub ops: &'a [Arc<Module>],
    /// What each op's verdicts depend on beside the texts.
    pub op_keys: Vec<Id>,
    pub answerers: Answerers<'a>,
    pub peers: usize,
    pub observations: usize,
    pub timeouts: u8,
}

impl<'g> Work<'g> {
    pub fn open(groups: &'g [Group], frame: &Frame) -> Self {
        let (mut benches, mut items) = (Vec::new(), Vec::new());
        for (index, group) in groups.iter().enumerate() {
            let siblings = Siblings::new(&group.texts);
            let reference = group.reference.as_ref().map(Value::to_string).unwrap_or_default();
            let task = group.task.to_string() + &reference;
            let database = group.task.get("db").and_then(Value::as_str);
            benches.push(Bench::new(&siblings.distinct, database));
            let content = frame.answerers.content(database);
            for output in (0..group.texts.len()).filter(|output| group.wanted[*output]) {
                items.push(Item::open(index, output, &siblings, &group.texts[output], &task, content.as_ref(), frame));
            }
        }
        Self { groups, benches, items }
    }

    /// Turns the requests of asking cells into runs on the benches.
    pub fn ask(&mut self, frame: &Frame) {
        for item in &mut self.items {
            let bench = &mut self.benches[item.group];
            for op in 0..item.cells.len() {
                item.ask(op, bench, frame);
            }
        }
    }

    /// Shows the observations to the cells that have all of theirs; says whether every asking cell has.
    pub fn show(&mut self, frame: &Frame) -> bool {
        let mut complete = true;
        for item in &mut self.items {
            let bench = &mut self.benches[item.group];
            for op in 0..item.cells.len() {
                complete &= item.show(op, bench, frame.timeouts);
            }
        }
        complete
    }

    /// The verdicts, task by task.
    pub fn rows(self) -> Vec<Vec<Option<Row>>> {
        let mut rows: Vec<Vec<Option<Row>>> = self.groups.iter().map(|group| vec![None; group.texts.len()]).collect();
        for item in self.items {
            let (group, output) = (item.group, item.output);
            rows[group][output] = Some(item.into_row());
        }
        rows
    }
}

impl Item {
    fn open(
        group: usize,
        output: usize,
        siblings: &Siblings,
        text: &Arc<str>,
        task: &str,
        database: Option<&Id>,
        frame: &Frame,
    ) -> Self {
        let own = siblings.own(output);
        let peer_set = siblings.peer_set(output, frame.peers);
        let key = |(op, key): (&Arc<Module>, &Id)| {
            let key = if op.peers() { keys::op_with_peers(key, &peer_set) } else { *key };
            database.filter(|_| op.plans()).map_or(key, |database| keys::op_with_database(&key, database))
        };
        Self {
            group,
            output,
            own,
            peers: siblings.peers(output, frame.peers).collect(),
            text: text.clone(),
            document: None,
            row: keys::row(frame.root, task, &siblings.distinct[own].id),
            keys: frame.ops.iter().zip(&frame.op_keys).map(key).collect(),
            root: Cell::Missing,
            cells: frame.ops.iter().map(|_| Cell::Missing).collect(),
            asked: vec![Vec::new(); frame.ops.len()],
            asks: vec![Vec::new(); frame.ops.len()],
            seen: vec![Vec::new(); frame.ops.len()],
        }
    }

    pub fn into_row(self) -> Row {
        Row { root: self.root.verdict(), leaves: self.cells.into_iter().map(Cell::verdict).collect() }
    }

    /// Whether a script has to run on this output.
    pub fn unfinished(&self) -> bool {
        matches!(self.root, Cell::Missing) || self.cells.iter().any(|cell| matches!(cell, Cell::Missing))
    }

    pub fn asking(&self) -> bool {
        self.cells.iter().any(|cell| matches!(cell, Cell::Asking))
    }

    fn ask(&mut self, op: usize, bench: &mut Bench, frame: &Frame) {
        if !matches!(self.cells[op], Cell::Asking) {
            return;
        }
        let requests = &self.asked[op];
        let peers: &[usize] = if frame.ops[op].peers() { &self.peers } else { &[] };
        let total: usize = requests.iter().map(|request| runs_of(request, peers.len())).sum();
        if total > frame.observations {
            let why = format!("over budget: {total} observations asked, {} allowed", frame.observations);
            self.cells[op] = Cell::Made(Verdict::Abstain(why));
            return;
        }
        let asks = &mut self.asks[op];
        for request in &requests[asks.len()..] {
            match bench.ask(request, self.own, peers, &frame.answerers) {
                Ok(ask) => asks.push(ask),
                Err(fault) => {
                    self.cells[op] = Cell::Made(Verdict::Fault(fault));
                    return;
                }
            }
        }
    }

    fn show(&mut self, op: usize, bench: &mut Bench, timeouts: u8) -> bool {
        if !matches!(self.cells[op], Cell::Asking) {
            return true;
        }
        match bench.seen(&self.asks[op], timeouts) {
            Ok(seen) => {
                self.seen[op] = seen;
                true
            }
            Err(Unseen::Missing(missing)) => {
                missing.into_iter().for_each(|run| bench.want(run));
                false
            }
            Err(Unseen::Broken(fault)) => {
                self.cells[op] = Cell::Made(Verdict::Fault(fault));
                true
            }
        }
    }
}

/// How many observations a request asks for.
fn runs_of(request: &Request, peers: usize) -> usize {
    match request.on() {
        On::Own => 1,
        On::Peers => peers,
        On::Both => 1 + peers,
    }
}

impl Cell {
    fn verdict(self) -> Verdict {
        match self {
            Cell::Made(verdict) | Cell::Recalled(verdict) => verdict,
            Cell::Missing | Cell::Asking => {
                Verdict::Fault(Fault::new(FaultKind::Infrastructure, "the work was left unfinished"))
            }
        }
    }
}
