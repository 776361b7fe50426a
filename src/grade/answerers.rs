//! Who answers what plans ask for: the sandbox runs Python, the warehouse answers queries.
//!
//! Says for a request whether anybody answers it, and what the answer depends on; runs nothing itself but queries.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::base::Id;
use crate::grade::bench::{Bench, Run};
use crate::grade::matrix::Work;
use crate::observe::{Observation, Status};
use crate::verdict::{Fault, FaultKind};
use crate::warehouse::{Error, Warehouse};

/// What a chunk of work can ask, or why it cannot.
pub struct Answerers<'a> {
    /// The environment of the sandbox.
    pub python: Result<Id, String>,
    pub warehouse: Result<&'a dyn Warehouse, String>,
}

impl Answerers<'_> {
    /// What a run of Python depends on beside text and request.
    pub fn python(&self) -> Result<Id, Fault> {
        self.python.clone().map_err(unanswerable)
    }

    /// What the answer to a query depends on beside its text.
    pub fn query(&self, database: Option<&str>, copy: u8) -> Result<Id, Fault> {
        let warehouse = self.warehouse.as_ref().map_err(|why| unanswerable(why.clone()))?;
        let database =
            database.ok_or_else(|| unanswerable("the task names no database: give it a text field `db`".to_owned()))?;
        warehouse.environment(database, copy).map_err(|error| unanswerable(error.to_string()))
    }

    /// What the verdicts of ops that plan depend on where a task has a database; nothing where it cannot be read, since
    /// what asks it is then a fault.
    pub fn content(&self, database: Option<&str>) -> Option<Id> {
        self.warehouse.as_ref().ok()?.environment(database?, 0).ok()
    }
}

fn unanswerable(why: String) -> Fault {
    Fault::new(FaultKind::Infrastructure, why)
}

/// A query that a bench wants answered.
struct Query<'w> {
    bench: usize,
    run: Run,
    key: Id,
    database: &'w str,
    copy: u8,
    text: &'w str,
}

type Answer = Result<Observation, Error>;

/// Answers the queries that the benches want, on so many threads; gives what is to be kept. A text that ran out of
/// steps `timeouts` times is given up, as the sandbox does it: the benches say whether the rest is needed after all.
pub fn answer_queries(
    work: &mut Work,
    warehouse: &dyn Warehouse,
    threads: usize,
    timeouts: u8,
) -> Vec<(Id, Observation)> {
    let queries = wanted(work);
    let of_texts: Vec<&[Query]> = queries.chunk_by(|a, b| (a.bench, a.run.0) == (b.bench, b.run.0)).collect();
    let answers = ask_all(&of_texts, warehouse, threads, timeouts);
    let places: Vec<(usize, Run, Id)> = of_texts
        .iter()
        .zip(&answers)
        .flat_map(|(queries, answers)| &queries[..answers.len()])
        .map(|query| (query.bench, query.run, query.key))
        .collect();
    let mut fresh = Vec::with_capacity(places.len());
    for ((bench, run, key), answer) in places.into_iter().zip(answers.into_iter().flatten()) {
        match answer {
            Ok(observation) => {
                fresh.push((key, observation.clone()));
                work.benches[bench].answer(run, observation.into());
            }
            Err(error) => work.benches[bench].break_off(run, unanswerable(error.to_string())),
        }
    }
    fresh
}

fn wanted<'w>(work: &'w Work) -> Vec<Query<'w>> {
    let of_bench = |(bench, of): (usize, &'w Bench)| {
        let query = |(run, key, database, copy): (Run, Id, _, u8)| Query {
            bench,
            run,
            key,
            database,
            copy,
            text: &of.subject(run.0).text,
        };
        of.queries().into_iter().map(query).collect::<Vec<_>>()
    };
    work.benches.iter().enumerate().flat_map(of_bench).collect()
}

/// For each text the answers to its queries, in their order, up to where it was given up.
fn ask_all(of_texts: &[&[Query]], warehouse: &dyn Warehouse, threads: usize, timeouts: u8) -> Vec<Vec<Answer>> {
    let next = AtomicUsize::new(0);
    let answers: Vec<Mutex<Vec<Answer>>> = of_texts.iter().map(|_| Mutex::default()).collect();
    let worker = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(queries) = of_texts.get(at) else { break };
            *answers[at].lock().unwrap_or_else(PoisonError::into_inner) = ask_text(queries, warehouse, timeouts);
        }
    };
    let threads = threads.min(of_texts.len());
    if threads <= 1 {
        worker();
    } else {
        std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(worker))));
    }
    answers.into_iter().map(|answers| answers.into_inner().unwrap_or_else(PoisonError::into_inner)).collect()
}

fn ask_text(queries: &[Query], warehouse: &dyn Warehouse, timeouts: u8) -> Vec<Answer> {
    let (mut answers, mut hung) = (Vec::with_capacity(queries.len()), 0);
    for query in queries {
        let answer = warehouse.run(query.database, query.copy, query.text);
        hung += u8::from(answer.as_ref().is_ok_and(|seen| seen.status == Status::Timeout));
        answers.push(answer);
        if hung >= timeouts {
            break;
        }
    }
    answers
}
