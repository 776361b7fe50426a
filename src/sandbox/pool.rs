//! The workers: each has a zygote a world, started when first needed, and serves one subject at a time.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use super::error::Error;
use super::zygote::{Recipe, Zygote};

/// All workers of a sandbox.
pub(super) struct Pool {
    recipe: Arc<Recipe>,
    idle: Mutex<Vec<Worker>>,
    returned: Condvar,
    keeper: Mutex<Sender<Order>>,
}

/// One worker's zygotes, by world.
#[derive(Default)]
struct Worker(Vec<(u8, Zygote)>);

/// A request to the keeper: start a zygote for a world.
struct Order {
    world: u8,
    answer: Sender<Result<Zygote, Error>>,
}

impl Pool {
    pub(super) fn new(recipe: Recipe, workers: usize) -> Result<Self, Error> {
        let recipe = Arc::new(recipe);
        let (keeper, orders) = channel();
        let kept = recipe.clone();
        let started = thread::Builder::new().name("zygotes".into()).spawn(move || keep(&kept, &orders));
        started.map_err(|error| Error::io("start a thread", error))?;
        let idle = Mutex::new((0..workers).map(|_| Worker::default()).collect());
        Ok(Self { recipe, idle, returned: Condvar::new(), keeper: Mutex::new(keeper) })
    }

    pub(super) fn recipe(&self) -> &Recipe {
        &self.recipe
    }

    /// Takes an idle worker, waiting for one if need be; it goes back when the seat is dropped.
    pub(super) fn seat(&self, world: u8) -> Seat<'_> {
        let mut idle = unpoisoned(&self.idle);
        loop {
            // One that has a zygote for this world already, if there is one.
            let ready = idle.iter().rposition(|worker| worker.0.iter().any(|(served, _)| *served == world));
            let last = idle.len().checked_sub(1);
            if let Some(index) = ready.or(last) {
                return Seat { pool: self, world, worker: idle.swap_remove(index) };
            }
            idle = self.returned.wait(idle).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn zygote(&self, world: u8) -> Result<Zygote, Error> {
        let (answer, started) = channel();
        let gone = |_| Error("the thread that starts zygotes is gone".into());
        unpoisoned(&self.keeper).send(Order { world, answer }).map_err(|_| gone(()))?;
        let mut zygote = started.recv().map_err(|_| gone(()))??;
        zygote.greet(&self.recipe, world)?;
        Ok(zygote)
    }
}

/// A worker in use, for one world.
pub(super) struct Seat<'p> {
    pool: &'p Pool,
    world: u8,
    worker: Worker,
}

impl Seat<'_> {
    /// The zygote, started if there is none.
    pub(super) fn zygote(&mut self) -> Result<&mut Zygote, Error> {
        let index = match self.index() {
            Some(index) => index,
            None => {
                let zygote = self.pool.zygote(self.world)?;
                self.worker.0.push((self.world, zygote));
                self.worker.0.len() - 1
            }
        };
        Ok(&mut self.worker.0[index].1)
    }

    /// Whether there is a zygote and it answers.
    pub(super) fn is_alive(&mut self) -> bool {
        self.index().is_some_and(|index| self.worker.0[index].1.is_alive())
    }

    /// Ends the zygote; the next use starts another.
    pub(super) fn renew(&mut self) {
        if let Some(index) = self.index() {
            self.worker.0.swap_remove(index);
        }
    }

    fn index(&self) -> Option<usize> {
        self.worker.0.iter().position(|(world, _)| *world == self.world)
    }
}

impl Drop for Seat<'_> {
    fn drop(&mut self) {
        unpoisoned(&self.pool.idle).push(std::mem::take(&mut self.worker));
        self.pool.returned.notify_one();
    }
}

/// Starts zygotes until nobody wants any more. A zygote dies with the thread that forked it, and this one lives as
/// long as the sandbox.
fn keep(recipe: &Recipe, orders: &Receiver<Order>) {
    for order in orders {
        // Nobody waits any more: then the zygote ends here.
        let _ = order.answer.send(Zygote::spawn(recipe, order.world));
    }
}

/// A list of workers is whole between any two operations, whatever panicked meanwhile.
fn unpoisoned<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
