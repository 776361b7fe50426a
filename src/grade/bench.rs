//! One task's workbench: which text was asked what, and what came of it.
//!
//! Requests of all ops and all siblings meet here, so each run happens once. Pure bookkeeping: the grader fetches
//! the answers.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::base::Id;
use crate::grade::keys;
use crate::grade::peers::Subject;
use crate::observe::{Observation, On, Request, Seen, Status};
use crate::sandbox::Probe;
use crate::verdict::{Fault, FaultKind};

/// A run that is known to the bench: subject and probe, by index.
pub type Run = (usize, usize);

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
    pub probes: Vec<usize>,
}

#[derive(Default)]
pub struct Bench {
    subjects: Vec<Subject>,
    probes: Vec<(u8, Probe)>,
    known_probes: HashMap<(u8, Probe), usize>,
    answers: HashMap<Run, Arc<Observation>>,
    wanted: BTreeMap<Run, ()>,
}

impl Bench {
    pub fn new(distinct: &[Subject]) -> Self {
        Self { subjects: distinct.to_vec(), ..Self::default() }
    }

    pub fn subject(&self, index: usize) -> &Subject {
        &self.subjects[index]
    }

    pub fn probe(&self, index: usize) -> &Probe {
        &self.probes[index].1
    }

    /// Resolves a request of the output that is subject `own`, and wants whatever has no answer yet.
    ///
    /// # Errors
    /// A fault where nothing here can answer this kind of request.
    pub fn ask(&mut self, request: &Request, own: usize, peers: &[usize]) -> Result<Ask, Fault> {
        let (world, probe, on, subject) = match request {
            Request::Call { name, args, on, world, source } => {
                let subject = source.as_ref().map_or(own, |source| self.add_subject(source));
                (*world, Probe::Call { name: name.clone(), args: args.clone() }, *on, subject)
            }
            Request::Assert { text, on, world } => (*world, Probe::Assert { text: text.clone() }, *on, own),
            Request::Query { .. } => return Err(unanswerable("queries a database, and this pack has none")),
            Request::Ask { .. } => return Err(unanswerable("asks a model, and none is bound")),
        };
        let probe = self.add_probe(world, probe);
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

    fn add_probe(&mut self, world: u8, probe: Probe) -> usize {
        *self.known_probes.entry((world, probe)).or_insert_with_key(|key| {
            self.probes.push(key.clone());
            self.probes.len() - 1
        })
    }

    pub fn want(&mut self, run: Run) {
        if !self.answers.contains_key(&run) {
            self.wanted.insert(run, ());
        }
    }

    /// The runs without an answer, with their cache keys, in a fixed order.
    pub fn wanted_keys(&self, environment: &Id) -> Vec<(Run, Id)> {
        let key = |(subject, probe): Run| {
            let (world, probe) = &self.probes[probe];
            keys::observation(environment, &self.subjects[subject].id, *world, probe)
        };
        self.wanted.keys().map(|run| (*run, key(*run))).collect()
    }

    /// The runs without an answer, grouped by text and world.
    pub fn batches(&self) -> Vec<Batch> {
        let mut batches: BTreeMap<(usize, u8), Vec<usize>> = BTreeMap::new();
        for (subject, probe) in self.wanted.keys() {
            batches.entry((*subject, self.probes[*probe].0)).or_default().push(*probe);
        }
        batches.into_iter().map(|((subject, world), probes)| Batch { subject, world, probes }).collect()
    }

    pub fn answer(&mut self, run: Run, observation: Arc<Observation>) {
        self.wanted.remove(&run);
        self.answers.insert(run, observation);
    }

    /// Stops wanting what was not answered: the sandbox gave a text up, and an op may not need the rest.
    pub fn give_up(&mut self) {
        self.wanted.clear();
    }

    /// What an op sees of its requests; or, where runs that it needs have no answer, those runs.
    ///
    /// Once `timeouts` runs of one text did not end, in the op's own order, the text's later runs are shown as
    /// refused, whatever came of them: so an op's view never depends on what other ops asked.
    pub fn seen(&self, asks: &[Ask], timeouts: u8) -> Result<Vec<Arc<Seen>>, Vec<Run>> {
        let refused = Arc::new(Observation::bare(Status::Refused));
        let mut hung: HashMap<usize, u8> = HashMap::new();
        let mut missing = Vec::new();
        let mut look = |subject: usize, probe: usize| {
            let hung = hung.entry(subject).or_default();
            if *hung >= timeouts {
                return refused.clone();
            }
            let Some(answer) = self.answers.get(&(subject, probe)) else {
                missing.push((subject, probe));
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
        if missing.is_empty() { Ok(seen) } else { Err(missing) }
    }
}

impl Ask {
    /// The runs that answer it.
    pub fn runs(&self) -> impl Iterator<Item = Run> + '_ {
        self.own.iter().chain(&self.peers).map(|subject| (*subject, self.probe))
    }
}

fn unanswerable(what: &str) -> Fault {
    Fault::new(FaultKind::Infrastructure, format!("the plan {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bench(texts: &[&str]) -> Bench {
        Bench::new(&texts.iter().map(|text| Subject::new(Arc::from(*text))).collect::<Vec<_>>())
    }

    fn call(args: &str, on: On) -> Request {
        Request::Call { name: "f".into(), args: args.into(), on, world: 0, source: None }
    }

    #[test]
    fn siblings_that_ask_the_same_share_the_runs() {
        let mut bench = bench(&["a", "b", "c"]);
        bench.ask(&call("[1]", On::Both), 0, &[1, 2]).unwrap();
        bench.ask(&call("[1]", On::Both), 1, &[0, 2]).unwrap();
        assert_eq!(bench.wanted_keys(&Id::of("environment", [])).len(), 3);
        assert_eq!(bench.batches().len(), 3);
    }

    #[test]
    fn runs_after_the_last_timeout_are_refused_in_the_ops_own_order() {
        let mut bench = bench(&["a"]);
        let asks: Vec<Ask> = (0..4).map(|n| bench.ask(&call(&format!("[{n}]"), On::Own), 0, &[]).unwrap()).collect();
        for probe in 0..3 {
            bench.answer((0, probe), Arc::new(Observation::bare(Status::Timeout)));
        }
        let status = |timeouts| {
            let seen = bench.seen(&asks, timeouts).map_err(|missing| missing.len())?;
            Ok(seen.iter().map(|seen| seen.own.as_ref().map(|own| own.status)).collect::<Vec<_>>())
        };
        let (timeout, refused) = (Some(Status::Timeout), Some(Status::Refused));
        assert_eq!(status(2), Ok(vec![timeout, timeout, refused, refused]));
        assert_eq!(status(4), Err(1));
    }

    #[test]
    fn an_anchors_source_is_a_subject_of_its_own() {
        let mut bench = bench(&["a"]);
        let request =
            Request::Call { name: "f".into(), args: "[]".into(), on: On::Own, world: 0, source: Some("b".into()) };
        let ask = bench.ask(&request, 0, &[]).unwrap();
        assert_eq!(ask.runs().collect::<Vec<_>>(), [(1, 0)]);
        assert_eq!(&*bench.subject(1).text, "b");
    }
}
