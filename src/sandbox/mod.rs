//! Untrusted Python, run in confinement and observed from outside: the only `unsafe` of the library.
//!
//! Nothing that a candidate says is believed: it can only claim to have returned a value. What was expected of it stays
//! on this side, and where it cannot be confined it does not run.

use std::num::NonZero;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread;

use crate::base::Id;
use crate::observe::Observation;

use confine::Walls;
use interpreter::Interpreter;
use pool::Pool;
use request::Prepared;
use subject::Subject;
use zygote::{HARNESS, Recipe};

mod check;
mod confine;
mod error;
mod interpreter;
mod limits;
mod pool;
mod process;
mod request;
mod subject;
mod wire;
mod zygote;

pub use check::{Check, system_report};
pub use confine::Confinement;
pub use error::{Error, Missing};
pub use limits::Limits;

/// How to set up a sandbox.
#[derive(Debug, Clone, Default)]
pub struct Config {
    /// The interpreter; the first `python3` on the path if absent.
    pub python: Option<PathBuf>,
    /// Python text that is executed once before every candidate, such as `from typing import *`.
    pub prelude: String,
    pub limits: Limits,
    /// How many subjects run at once; one a core if absent.
    pub workers: Option<NonZero<usize>>,
    pub confinement: Confinement,
}

/// One thing to find out about a subject.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Probe {
    /// Call `name` with `args`, the text of a Python list or tuple literal.
    Call { name: String, args: String },
    /// Run one `assert …` statement.
    Assert { text: String },
}

/// One subject and what to find out about it.
#[derive(Debug, Clone)]
pub struct Job {
    pub source: Arc<str>,
    /// Which hash seed the interpreter has: 0, or 1 for another order of sets.
    pub world: u8,
    pub probes: Vec<Probe>,
}

/// The observations of a job's probes; those after too many timeouts are absent.
pub type Observations = Vec<Option<Observation>>;

/// All that an observation depends on besides the subject, the probe and the world.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Environment {
    /// Implementation and version.
    pub interpreter: String,
    /// The text that runs inside it.
    pub harness: Id,
    pub prelude: String,
    pub limits: Limits,
}

impl Environment {
    /// The part of an observation's cache key that stands for the environment. How the process is confined is no part
    /// of it.
    pub fn id(&self) -> Id {
        let limits = serde_json::to_vec(&self.limits).unwrap_or_default();
        let fields = [self.interpreter.as_bytes(), self.harness.bytes(), self.prelude.as_bytes(), &limits];
        Id::of("sandbox environment", fields)
    }
}

/// A set of workers that run untrusted Python. It may be shared between threads.
pub struct Sandbox {
    pool: Pool,
    workers: usize,
}

impl Sandbox {
    /// Finds an interpreter and a way to confine it, or says what is missing. Starts no worker yet.
    pub fn start(config: Config) -> Result<Self, Missing> {
        let walls = Walls::choose(config.confinement)?;
        let python = Interpreter::find(config.python.as_deref())?;
        let recipe = Recipe { walls, python, prelude: config.prelude, limits: config.limits };
        let cores = || thread::available_parallelism().map_or(1, NonZero::get);
        let workers = config.workers.map_or_else(cores, NonZero::get);
        let pool = Pool::new(recipe, workers).map_err(|error| Missing::new(error.to_string()))?;
        Ok(Self { pool, workers })
    }

    /// What observations made here depend on.
    pub fn environment(&self) -> Environment {
        let recipe = self.pool.recipe();
        Environment {
            interpreter: recipe.python.version.clone(),
            harness: Id::of("sandbox harness", [HARNESS.as_bytes()]),
            prelude: recipe.prelude.clone(),
            limits: recipe.limits.clone(),
        }
    }

    /// Observes every probe of every job, spread over the workers. The result is in the order of the jobs and the same
    /// however many workers there are; `on_done` hears of each finished job, on this thread.
    pub fn run(&self, jobs: &[Job], on_done: &dyn Fn(usize)) -> Result<Vec<Observations>, Error> {
        let mut results: Vec<Observations> = jobs.iter().map(|job| vec![None; job.probes.len()]).collect();
        let next = AtomicUsize::new(0);
        let (sender, finished) = channel();
        thread::scope(|scope| {
            for _ in 0..self.workers.min(jobs.len()) {
                let (next, sender) = (&next, sender.clone());
                scope.spawn(move || self.work(jobs, next, &sender));
            }
            drop(sender);
            for (index, result) in finished {
                match result {
                    Ok(observations) => results[index] = observations,
                    Err(error) => {
                        next.store(jobs.len(), Ordering::Relaxed);
                        return Err(error);
                    }
                }
                on_done(index);
            }
            Ok(results)
        })
    }

    /// Observes the probes of one job in order until `stop` has seen enough. It is not told of unanswered ones.
    pub fn run_until(&self, job: &Job, stop: &mut dyn FnMut(usize, &Observation) -> bool) -> Result<(), Error> {
        let Prepared { calls, refused } = Prepared::new(job);
        let mut refused = refused.into_iter().peekable();
        let mut stopped = false;
        let mut take = |call: usize, observation: Observation| {
            let probe = calls[call].probe;
            while let Some((before, why)) = refused.next_if(|(before, _)| *before < probe) {
                stopped = stopped || stop(before, &why);
            }
            stopped = stopped || stop(probe, &observation);
            !stopped
        };
        let recipe = self.pool.recipe();
        let subject = Subject {
            source: &job.source,
            calls: &calls,
            limits: &recipe.limits,
            one_candidate_a_zygote: recipe.walls.one_candidate_a_zygote(),
        };
        if !calls.is_empty() {
            subject.observe(&mut self.pool.seat(job.world), &mut take)?;
        }
        for (probe, why) in refused {
            stopped = stopped || stop(probe, &why);
        }
        Ok(())
    }

    /// Takes one job after another until there are none.
    fn work(&self, jobs: &[Job], next: &AtomicUsize, sender: &Sender<(usize, Result<Observations, Error>)>) {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(job) = jobs.get(index) else { return };
            let mut observations = vec![None; job.probes.len()];
            let result = self.run_until(job, &mut |probe, observation| {
                observations[probe] = Some(observation.clone());
                false
            });
            if sender.send((index, result.map(|()| observations))).is_err() {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests;
