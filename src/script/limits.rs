//! What a script may use up, and the gauge that measures it.
//!
//! Fuel decides: it counts safepoints of the VM (calls, loop edges, steps of pattern matching) and the work of host
//! functions, so the same script on the same input always uses the same amount. The wall clock is a backstop for a
//! broken host, never a verdict's reason.

use std::collections::HashSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use crate::base::Id;
use crate::verdict::{Fault, FaultKind};

/// Limits of one call of one script, and of what it may hand back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Safepoints a call may pass, instantiation included.
    pub fuel: u64,
    /// Bytes a call may allocate beyond what the VM held before it; nothing is collected during a call.
    pub memory: usize,
    /// Bytes of a script's source.
    pub source: usize,
    /// Bytes of a message in a verdict.
    pub message: usize,
    /// Requests in one plan.
    pub requests: usize,
    /// Bytes of any text in a request.
    pub request_text: usize,
    /// How often a plan is asked for; the kernel counts.
    pub rounds: usize,
    /// The backstop for one call. Running into it is an infrastructure fault, which is never cached.
    pub wall: Duration,
}

impl Limits {
    /// What an anchor may use. It is the pack author's own, never a model's, and its hidden tests may be many and long.
    pub fn of_anchor() -> Self {
        Self {
            fuel: 100_000_000,
            memory: 256 << 20,
            requests: 10_000,
            request_text: 1 << 20,
            wall: Duration::from_secs(60),
            ..Self::default()
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            fuel: 1_000_000,
            memory: 16 << 20,
            source: 64 << 10,
            message: 1000,
            requests: 100,
            request_text: 16 << 10,
            rounds: 3,
            wall: Duration::from_secs(5),
        }
    }
}

/// The limit that a call ran into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spent {
    Fuel,
    Memory,
    Wall,
}

/// One VM's gauge, shared by its interrupt and its host functions.
pub(super) struct Gauge {
    /// The gauge's own beginning of time.
    start: Instant,
    left: AtomicU64,
    ticks: AtomicU64,
    /// Nanoseconds after `start`.
    deadline: AtomicU64,
    /// 0, or the limit that was hit, as 1 + its number.
    spent: AtomicU8,
    running: AtomicBool,
    /// What the call has paid for once: compiled patterns.
    paid: Mutex<HashSet<Id>>,
}

/// How many safepoints pass between two looks at the clock.
const TICKS_PER_LOOK: u64 = 16;

impl Gauge {
    pub fn new() -> Self {
        Self {
            start: Instant::now(),
            left: AtomicU64::new(0),
            ticks: AtomicU64::new(0),
            deadline: AtomicU64::new(0),
            spent: AtomicU8::new(0),
            running: AtomicBool::new(false),
            paid: Mutex::default(),
        }
    }

    /// Opens the budget of one call.
    pub fn begin(&self, limits: &Limits) {
        self.left.store(limits.fuel, Relaxed);
        self.ticks.store(0, Relaxed);
        let deadline = self.start.elapsed() + limits.wall;
        self.deadline.store(u64::try_from(deadline.as_nanos()).unwrap_or(u64::MAX), Relaxed);
        self.spent.store(0, Relaxed);
        self.paid.lock().unwrap_or_else(|broken| broken.into_inner()).clear();
        self.running.store(true, Relaxed);
    }

    /// Closes it: what the host does afterwards costs nothing.
    pub fn end(&self) {
        self.running.store(false, Relaxed);
    }

    /// Fuel left in the open or last budget.
    pub fn left(&self) -> u64 {
        self.left.load(Relaxed)
    }

    /// One safepoint.
    pub fn tick(&self) -> mlua::Result<()> {
        let ticks = self.ticks.fetch_add(1, Relaxed);
        if ticks.is_multiple_of(TICKS_PER_LOOK) {
            self.look();
        }
        self.spend(1)
    }

    /// Pays for work before it is done. Once a limit is hit every further payment fails, so a script that catches
    /// the error gains nothing.
    pub fn spend(&self, amount: u64) -> mlua::Result<()> {
        if !self.running.load(Relaxed) {
            return Ok(());
        }
        let left = self.left.load(Relaxed);
        if left < amount {
            self.hit(Spent::Fuel);
        } else {
            self.left.store(left - amount, Relaxed);
        }
        match self.spent() {
            None => Ok(()),
            Some(_) => Err(mlua::Error::RuntimeError("a limit was hit".to_owned())),
        }
    }

    /// Pays `amount` the first time a call does `what`, whether or not the host has done it before.
    pub fn spend_once(&self, what: Id, amount: u64) -> mlua::Result<()> {
        let fresh = self.paid.lock().unwrap_or_else(|broken| broken.into_inner()).insert(what);
        if fresh { self.spend(amount) } else { Ok(()) }
    }

    /// Records that a limit was hit; the first one stands.
    pub fn hit(&self, limit: Spent) {
        let _ = self.spent.compare_exchange(0, 1 + limit as u8, Relaxed, Relaxed);
    }

    pub fn spent(&self) -> Option<Spent> {
        match self.spent.load(Relaxed) {
            0 => None,
            1 => Some(Spent::Fuel),
            2 => Some(Spent::Memory),
            _ => Some(Spent::Wall),
        }
    }

    fn look(&self) {
        let now = u64::try_from(self.start.elapsed().as_nanos()).unwrap_or(u64::MAX);
        if now > self.deadline.load(Relaxed) {
            self.hit(Spent::Wall);
        }
    }
}

impl Spent {
    /// The fault of a script that hit this limit.
    pub fn fault(self, path: &str, limits: &Limits) -> Fault {
        match self {
            Spent::Fuel => Fault::new(FaultKind::Fuel, format!("{path}: used up its {} steps", limits.fuel)),
            Spent::Memory => {
                let mebibytes = limits.memory as f64 / f64::from(1 << 20);
                Fault::new(FaultKind::Memory, format!("{path}: used up its {mebibytes} MiB of memory"))
            }
            Spent::Wall => {
                let message = format!("{path}: still running after {} s", limits.wall.as_secs_f64());
                Fault::new(FaultKind::Infrastructure, message)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spent_budget_stays_spent_until_the_next_call() {
        let gauge = Gauge::new();
        let limits = Limits { fuel: 3, ..Limits::default() };
        gauge.begin(&limits);
        assert!(gauge.tick().is_ok());
        assert!(gauge.spend(2).is_ok());
        assert!(gauge.tick().is_err());
        assert!(gauge.spend(0).is_err(), "catching the error does not help");
        assert_eq!(gauge.spent(), Some(Spent::Fuel));
        gauge.begin(&limits);
        assert_eq!(gauge.spent(), None);
        assert!(gauge.tick().is_ok());
    }

    #[test]
    fn a_pattern_is_paid_for_once_in_a_call() {
        let gauge = Gauge::new();
        gauge.begin(&Limits { fuel: 10, ..Limits::default() });
        let pattern = Id::of("query", [&b"(call)"[..]]);
        for _ in 0..5 {
            assert!(gauge.spend_once(pattern, 4).is_ok());
        }
        assert_eq!(gauge.left(), 6);
    }
}
