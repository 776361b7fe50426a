//! One task's workbench: which text was asked what, and what came of it.
//!
//! Requests of all ops and all siblings meet here, so each run happens once. Pure bookkeeping: the grader fetches
//! the answers.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::base::Id;
use crate::grade::answerers::Answerers;
use crate::grade::keys;
use crate::grade::peers::Subject;
use crate::observe::{Observation, On, Request, Seen, Status};
use crate::sandbox;
use crate::verdict::{Fault, FaultKind};

/// A run that is known to the bench: subject and probe, by index.
pub type Run = (usize, usize);

/// What is found out about a text, with the environment that the answer depends on.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Probe {
    /// By running it as Python in this world.
    Python { environment: Id, world: u8, probe: sandbox::Probe },
    /// By asking it as a query of this copy of the task's database.
    Query { environment: Id, copy: u8 },
}

/// Why an op cannot see yet, or at all.
#[derive(Debug, PartialEq, Eq)]
pub enum Unseen {
    Missing(Vec<Run>),
    Broken(Fault),
}

/// A request, resolved to runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ask {
    probe: usize,
    own: Option<usize>,
    peers: Vec<usize>,
}

/// Runs of one text in one world, to be done together.
pub struct Batch {
    pub subject: usize,
    pub world: u8,
    pub probes: Vec<(usize, sandbox::Probe)>,
}

#[derive(Default)]
pub struct Bench {
    subjects: Vec<Subject>,
    /// The task's database, where it names one.
    database: Option<String>,
    probes: Vec<Probe>,
    known_probes: HashMap<Probe, usize>,
    answers: HashMap<Run, Arc<Observation>>,
    /// Runs that the machine failed at.
    broken: HashMap<Run, Fault>,
    wanted: BTreeMap<Run, ()>,
}

impl Bench {
    pub fn new(distinct: &[Subject], database: Option<&str>) -> Self {
        Self { subjects: distinct.to_vec(), database: database.map(str::to_owned), ..Self::default() }
    }

    pub fn subject(&self, index: usize) -> &Subject {
        &self.subjects[index]
    }

    /// Resolves a request of the output that is subject `own`, and wants whatever has no answer yet.
    ///
    /// # Errors
    /// A fault where nobody can answer this request.
    pub fn ask(&mut self, request: &Request, own: usize, peers: &[usize], by: &Answerers) -> Result<Ask, Fault> {
        let (probe, on, subject) = match request {
            Request::Call { name, args, on, world, source } => {
                let environment = by.python()?;
                let subject = source.as_ref().map_or(own, |source| self.add_subject(source));
                let probe = sandbox::Probe::Call { name: name.clone(), args: args.clone() };
                (Probe::Python { environment, world: *world, probe }, *on, subject)
            }
            Request::Assert { text, on, world } => {
                let probe = sandbox::Probe::Assert { text: text.clone() };
                (Probe::Python { environment: by.python()?, world: *world, probe }, *on, own)
            }
            Request::Query { text, copy, on } => {
                let environment = by.query(self.database.as_deref(), *copy)?;
                let subject = text.as_ref().map_or(own, |text| self.add_subject(text));
                (Probe::Query { environment, copy: *copy }, *on, subject)
            }
            Request::Ask { .. } => {
                return Err(Fault::new(FaultKind::Infrastructure, "the plan asks a model, and none is bound"));
            }
        };
        let probe = self.add_probe(probe);
        let ask = Ask {
            probe,
            own: (on != On::Peers).then_some(subject),
            peers: if on == On::Own { Vec::new() } else { peers.to_vec() },
        };
        for run in ask.runs() {
            self.want(run);
        }
        Ok(ask)
    }

    fn add_subject(&mut self, source: &str) -> usize {
        let subject = Subject::new(Arc::from(source));
        self.subjects.iter().position(|known| known.id == subject.id).unwrap_or_else(|| {
            self.subjects.push(subject);
            self.subjects.len() - 1
        })
    }

    fn add_probe(&mut self, probe: Probe) -> usize {
        *self.known_probes.entry(probe).or_insert_with_key(|probe| {
            self.probes.push(probe.clone());
            self.probes.len() - 1
        })
    }

    pub fn want(&mut self, run: Run) {
        if !self.answers.contains_key(&run) && !self.broken.contains_key(&run) {
            self.wanted.insert(run, ());
        }
    }

    /// The key of a run in the cache.
    pub fn key(&self, (subject, probe): Run) -> Id {
        let subject = &self.subjects[subject].id;
        match &self.probes[probe] {
            Probe::Python { environment, world, probe } => keys::observation(environment, subject, *world, probe),
            Probe::Query { environment, .. } => keys::query(environment, subject),
        }
    }

    /// The runs without an answer, with their cache keys, in a fixed order.
    pub fn wanted_keys(&self) -> Vec<(Run, Id)> {
        self.wanted.keys().map(|run| (*run, self.key(*run))).collect()
    }

    /// The runs of Python without an answer, grouped by text and world.
    pub fn batches(&self) -> Vec<Batch> {
        let mut batches: BTreeMap<(usize, u8), Vec<(usize, sandbox::Probe)>> = BTreeMap::new();
        for (subject, index) in self.wanted.keys() {
            if let Probe::Python { world, probe, .. } = &self.probes[*index] {
                batches.entry((*subject, *world)).or_default().push((*index, probe.clone()));
            }
        }
        batches.into_iter().map(|((subject, world), probes)| Batch { subject, world, probes }).collect()
    }

    /// The queries without an answer: run, cache key, database, copy.
    pub fn queries(&self) -> Vec<(Run, Id, &str, u8)> {
        let Some(database) = self.database.as_deref() else { return Vec::new() };
        let query = |run: &Run| match &self.probes[run.1] {
            Probe::Query { copy, .. } => Some((*run, self.key(*run), database, *copy)),
            Probe::Python { .. } => None,
        };
        self.wanted.keys().filter_map(query).collect()
    }

    pub fn answer(&mut self, run: Run, observation: Arc<Observation>) {
        self.wanted.remove(&run);
        self.answers.insert(run, observation);
    }

    /// Notes that the machine failed at a run.
    pub fn break_off(&mut self, run: Run, fault: Fault) {
        self.wanted.remove(&run);
        self.broken.insert(run, fault);
    }

    /// Stops wanting what was not answered: the sandbox gave a text up, and an op may not need the rest.
    pub fn give_up(&mut self) {
        self.wanted.clear();
    }

    /// What an op sees of its requests; or, where runs that it needs have no answer, those runs.
    ///
    /// Once `timeouts` runs of one text did not end, in the op's own order, the text's later runs are shown as
    /// refused, whatever came of them: so an op's view never depends on what other ops asked.
    pub fn seen(&self, asks: &[Ask], timeouts: u8) -> Result<Vec<Arc<Seen>>, Unseen> {
        let refused = Arc::new(Observation::bare(Status::Refused));
        let mut hung: HashMap<usize, u8> = HashMap::new();
        let (mut missing, mut broken) = (Vec::new(), None);
        let mut look = |subject: usize, probe: usize| {
            let hung = hung.entry(subject).or_default();
            if *hung >= timeouts {
                return refused.clone();
            }
            let Some(answer) = self.answers.get(&(subject, probe)) else {
                match self.broken.get(&(subject, probe)) {
                    Some(fault) => _ = broken.get_or_insert_with(|| fault.clone()),
                    None => missing.push((subject, probe)),
                }
                return refused.clone();
            };
            *hung += u8::from(answer.status == Status::Timeout);
            answer.clone()
        };
        let mut seen = Vec::with_capacity(asks.len());
        for ask in asks {
            let own = ask.own.map(|own| look(own, ask.probe));
            let peers = ask.peers.iter().map(|peer| look(*peer, ask.probe)).collect();
            seen.push(Arc::new(Seen { own, peers }));
        }
        match broken {
            Some(fault) => Err(Unseen::Broken(fault)),
            None if missing.is_empty() => Ok(seen),
            None => Err(Unseen::Missing(missing)),
        }
    }
}

impl Ask {
    /// The runs that answer it.
    pub fn runs(&self) -> impl Iterator<Item = Run> + '_ {
        self.own.iter().chain(&self.peers).map(|subject| (*subject, self.probe))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bench(texts: &[&str]) -> Bench {
        Bench::new(&texts.iter().map(|text| Subject::new(Arc::from(*text))).collect::<Vec<_>>(), None)
    }

    fn python() -> Answerers<'static> {
        Answerers { python: Ok(Id::of("environment", [])), warehouse: Err("there is none".into()) }
    }

    fn call(args: &str, on: On) -> Request {
        Request::Call { name: "f".into(), args: args.into(), on, world: 0, source: None }
    }

    #[test]
    fn siblings_that_ask_the_same_share_the_runs() {
        let mut bench = bench(&["a", "b", "c"]);
        bench.ask(&call("[1]", On::Both), 0, &[1, 2], &python()).unwrap();
        bench.ask(&call("[1]", On::Both), 1, &[0, 2], &python()).unwrap();
        assert_eq!(bench.wanted_keys().len(), 3);
        assert_eq!(bench.batches().len(), 3);
    }

    #[test]
    fn runs_after_the_last_timeout_are_refused_in_the_ops_own_order() {
        let mut bench = bench(&["a"]);
        let asks: Vec<Ask> =
            (0..4).map(|n| bench.ask(&call(&format!("[{n}]"), On::Own), 0, &[], &python()).unwrap()).collect();
        for probe in 0..3 {
            bench.answer((0, probe), Arc::new(Observation::bare(Status::Timeout)));
        }
        let status = |bench: &Bench, timeouts| {
            let seen = bench.seen(&asks, timeouts)?;
            Ok(seen.iter().map(|seen| seen.own.as_ref().map(|own| own.status)).collect::<Vec<_>>())
        };
        let (timeout, refused) = (Some(Status::Timeout), Some(Status::Refused));
        assert_eq!(status(&bench, 2), Ok(vec![timeout, timeout, refused, refused]));
        assert_eq!(status(&bench, 4), Err(Unseen::Missing(vec![(0, 3)])));
        bench.break_off((0, 3), Fault::new(FaultKind::Infrastructure, "broken"));
        assert!(matches!(status(&bench, 4), Err(Unseen::Broken(fault)) if fault.message == "broken"));
    }

    #[test]
    fn an_anchors_source_is_a_subject_of_its_own() {
        let mut bench = bench(&["a"]);
        let request =
            Request::Call { name: "f".into(), args: "[]".into(), on: On::Own, world: 0, source: Some("b".into()) };
        let ask = bench.ask(&request, 0, &[], &python()).unwrap();
        assert_eq!(ask.runs().collect::<Vec<_>>(), [(1, 0)]);
        assert_eq!(&*bench.subject(1).text, "b");
    }
}
