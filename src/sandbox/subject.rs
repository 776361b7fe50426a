//! One subject's calls to observations: which process runs what, and what a process' end means.
//!
//! A first process answers in bulk. Where it ends badly, the call in question is run again in a fresh process at four
//! times the limit, message by message, and only then is a timeout or a crash recorded; the calls after it go on in
//! another fresh process. So every observation is as if its call had a process of its own.

use std::time::Duration;

use super::error::Error;
use super::limits::Limits;
use super::pool::Seat;
use super::process::{Budget, End};
use super::request::{Call, Check};
use super::wire::{Frame, Reply};
use crate::observe::{Observation, Status, Value, compare};

/// A timeout is confirmed at this multiple of the limit.
const CONFIRM: u32 = 4;
/// A zygote that dies under a subject is replaced; more often than this, something is wrong with the machine.
const RESTARTS: u32 = 3;
/// The name under which an assert's expression finds the value.
const INNER: &str = "_value";

/// One subject under observation.
pub(super) struct Subject<'s> {
    pub source: &'s str,
    pub calls: &'s [Call],
    pub limits: &'s Limits,
    /// Whether a process may leave others behind, so that its zygote must end with it.
    pub one_candidate_a_zygote: bool,
}

/// How far the observation of a subject has come.
#[derive(Default)]
struct Progress {
    /// The first call without an observation.
    at: usize,
    /// After a bad end: four times the limit, and a message for every call.
    careful: bool,
    /// The module wants a process for every call.
    single: bool,
    timeouts: u8,
    restarts: u32,
}

/// How a process ended its service.
enum Outcome {
    /// All that was asked has been answered, or nobody wants to know more.
    Finished,
    /// The rest needs a fresh process.
    Again,
    /// The module itself does not load: so ends every call.
    Broken(Observation),
    /// It ended on its own or was ended; `loading` says whether it had not executed the module yet.
    Ended { end: End, loading: bool },
}

/// Takes the observation of one call; says whether more are wanted.
pub(super) type Take<'t> = dyn FnMut(usize, Observation) -> bool + 't;

impl Subject<'_> {
    /// Runs the calls in order. Where too many time out, the rest is left without observation.
    pub(super) fn observe(&self, seat: &mut Seat<'_>, take: &mut Take<'_>) -> Result<(), Error> {
        let mut progress = Progress::default();
        while progress.at < self.calls.len() && progress.timeouts < self.limits.timeouts {
            let before = progress.at;
            let outcome = match self.attempt(seat, &mut progress, take) {
                // Without seccomp a candidate can end its zygote, and has then ended itself.
                Ok(Outcome::Ended { .. }) if !self.one_candidate_a_zygote && !seat.is_alive() => {
                    Err(Error("a zygote died".into()))
                }
                outcome => outcome,
            };
            if self.one_candidate_a_zygote {
                seat.renew();
            }
            match outcome {
                Ok(Outcome::Finished) => break,
                Ok(Outcome::Again) => progress.careful &= progress.at == before,
                Ok(Outcome::Broken(observation)) => {
                    self.fill(&progress, &observation, take);
                    break;
                }
                Ok(Outcome::Ended { .. }) if !progress.careful => progress.careful = true,
                Ok(Outcome::Ended { end, loading }) => {
                    if !self.record(&mut progress, end, loading, take) {
                        break;
                    }
                }
                // What the zygote's process had not answered is asked again.
                Err(_) if progress.restarts < RESTARTS && !seat.is_alive() => {
                    progress.restarts += 1;
                    seat.renew();
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Lets one process answer as much as it can.
    fn attempt(&self, seat: &mut Seat<'_>, progress: &mut Progress, take: &mut Take<'_>) -> Result<Outcome, Error> {
        let budget = self.budget(progress.careful);
        let count = if progress.single { 1 } else { self.calls.len() - progress.at };
        let calls = &self.calls[progress.at..progress.at + count];
        let mut process = seat.zygote()?.fork()?;
        process.give(&self.job(calls, progress.careful, &budget), &budget)?;
        let mut loaded = false;
        let mut announced = false;
        for (index, call) in calls.iter().enumerate() {
            let done = loop {
                match process.next(&budget)? {
                    // Once a call at most, or a process could ask for a new budget without end.
                    Ok(Reply::Loaded) if !announced => (announced, loaded) = (true, true),
                    Ok(Reply::Again) if index > 0 => {
                        progress.single = true;
                        return Ok(Outcome::Again);
                    }
                    Ok(Reply::BrokenModule(observation)) => return Ok(Outcome::Broken(observation)),
                    Ok(Reply::Done(observation)) if loaded => break observation,
                    Ok(_) => return Ok(Outcome::Ended { end: End::Gone, loading: !loaded }),
                    Err(end) => return Ok(Outcome::Ended { end, loading: !loaded }),
                }
            };
            announced = false;
            if self.one_candidate_a_zygote && matches!(call.check, Check::Wrapped { .. }) {
                drop(process);
                seat.renew();
                let observation = self.judge(seat, call, done)?;
                progress.at += 1;
                return Ok(if take(progress.at - 1, observation) { Outcome::Again } else { Outcome::Finished });
            }
            let observation = self.judge(seat, call, done)?;
            progress.at += 1;
            if !take(progress.at - 1, observation) {
                return Ok(Outcome::Finished);
            }
        }
        Ok(if progress.at < self.calls.len() { Outcome::Again } else { Outcome::Finished })
    }

    /// Records a confirmed bad end of the call that was running; says whether to go on.
    fn record(&self, progress: &mut Progress, end: End, loading: bool, take: &mut Take<'_>) -> bool {
        let status = if end == End::Timeout { Status::Timeout } else { Status::Killed };
        let observation = Observation::bare(status);
        if loading {
            self.fill(progress, &observation, take);
            return false;
        }
        progress.timeouts += u8::from(end == End::Timeout);
        progress.at += 1;
        progress.careful = false;
        take(progress.at - 1, observation)
    }

    /// Gives all remaining calls the one end that they all have.
    fn fill(&self, progress: &Progress, observation: &Observation, take: &mut Take<'_>) {
        for index in progress.at..self.calls.len() {
            if !take(index, observation.clone()) {
                break;
            }
        }
    }

    /// Says of an assert whether it holds.
    fn judge(&self, seat: &mut Seat<'_>, call: &Call, mut observation: Observation) -> Result<Observation, Error> {
        let Some(value) = &observation.value else { return Ok(observation) };
        match &call.check {
            Check::None => {}
            Check::Equals(expected) => observation.holds = Some(compare::equal(value, expected)),
            Check::Wrapped { before, after } => match self.evaluate(seat, before, value, after)? {
                Ok(Reply::Truth(holds)) => observation.holds = Some(holds),
                Ok(Reply::Done(Observation { error: Some(error), .. })) => {
                    // An expression that cannot be evaluated at all says nothing of the subject.
                    let senseless = matches!(error.kind.as_str(), "NameError" | "SyntaxError");
                    observation.status = if senseless { Status::Refused } else { Status::Value };
                    observation.holds = if senseless { None } else { Some(false) };
                    observation.error = Some(error);
                }
                Ok(_) | Err(End::Gone) => observation = Observation::bare(Status::Killed),
                Err(End::Timeout) => observation = Observation::bare(Status::Timeout),
            },
        }
        Ok(observation)
    }

    /// Evaluates an assert's expression around a value, in a process that has never seen a candidate.
    fn evaluate(
        &self,
        seat: &mut Seat<'_>,
        before: &str,
        value: &Value,
        after: &str,
    ) -> Result<Result<Reply, End>, Error> {
        let budget = self.budget(true);
        let expression = format!("{before}{INNER}{after}");
        let job = self.header("evaluate", true, 1, &budget).text(expression.trim()).text(INNER).value(value);
        let mut process = seat.zygote()?.fork()?;
        process.give(&job.finish(), &budget)?;
        process.next(&budget)
    }

    fn job(&self, calls: &[Call], careful: bool, budget: &Budget) -> Vec<u8> {
        let listed = calls.iter().map(|call| (call.name.as_str(), call.args.as_slice()));
        self.header("run", careful, calls.len(), budget).text(self.source).calls(listed).finish()
    }

    /// What every job starts with: its kind, whether to answer message by message, and the limits that the process
    /// sets for itself.
    fn header(&self, kind: &str, careful: bool, calls: usize, budget: &Budget) -> Frame {
        // Only a backstop for the case that nobody watches: two budgets a call, for the module and for the call.
        let cpu_seconds = budget.cpu.as_secs_f64().mul_add(2.0 * calls as f64, 2.0).ceil() as u64;
        Frame::new().text(kind).flag(!careful).number(cpu_seconds)
    }

    fn budget(&self, careful: bool) -> Budget {
        let call = Duration::from_millis(u64::from(self.limits.call_cpu_ms));
        Budget {
            cpu: if careful { call * CONFIRM } else { call },
            idle: Duration::from_millis(u64::from(self.limits.idle_ms)),
            wall: call * self.limits.patience,
            frame: self.limits.output_bytes as usize,
        }
    }
}
