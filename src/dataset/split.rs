//! Dividing a pool's tasks into train, dev and test (METHOD section 3).
//!
//! Task-disjoint, and fixed by the seed. Dev is drawn first, because it alone has demands: as many clear failures as
//! clean passes, each of a task of its own. Train is drawn from what remains; the rest is test.

use super::pool::Pool;
use crate::base::rng::Stream;
use crate::base::{Error, Result};

/// The usual number of train tasks; smaller pools give at most six tenths of what dev leaves.
const USUAL_TRAIN: usize = 60;

/// How many tasks to draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// Train tasks. By default 60, or six tenths of the tasks that dev leaves if that is less.
    pub train: Option<usize>,
    /// Dev items, half of them failures: an even number. Each takes a task.
    pub dev: usize,
}

impl Default for Sizes {
    fn default() -> Self {
        Self { train: None, dev: 10 }
    }
}

/// Which tasks are for what. Positions refer to the corpus and ascend.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignment {
    pub seed: u64,
    /// Tasks whose outputs are all unlabelled training material.
    pub train: Vec<usize>,
    pub dev: Vec<DevItem>,
    /// Tasks whose labels are sealed.
    pub test: Vec<usize>,
}

/// One labelled output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DevItem {
    /// Position of the output in the corpus.
    pub output: usize,
    pub pass: bool,
}

/// Draws a split. Tasks without outputs take no part.
///
/// # Errors
/// Sizes that make no sense; a pool without failures or without passes; too few tasks for the sizes.
pub fn assign(pool: &Pool, seed: u64, sizes: Sizes) -> Result<Assignment> {
    check_dev_size(sizes.dev)?;
    let mut tasks = candidates(pool);
    check_classes(&tasks)?;
    let train = train_size(&tasks, sizes)?;

    let mut stream = Stream::new(seed, 0, "split");
    stream.shuffle(&mut tasks);
    let (mut dev, rest) = draw_dev(tasks, sizes.dev / 2, &mut stream)?;
    let (train, test) = rest.split_at(train);

    dev.sort_by_key(|item| item.output);
    let positions = |tasks: &[Candidate]| {
        let mut positions: Vec<usize> = tasks.iter().map(|task| task.position).collect();
        positions.sort_unstable();
        positions
    };
    Ok(Assignment { seed, train: positions(train), dev, test: positions(test) })
}

/// A task with its outputs, by class.
struct Candidate {
    position: usize,
    fails: Vec<usize>,
    passes: Vec<usize>,
}

fn candidates(pool: &Pool) -> Vec<Candidate> {
    let corpus = pool.corpus();
    (0..corpus.tasks().len())
        .map(|position| {
            let (passes, fails) = corpus.outputs_of(position).iter().partition(|output| pool.passes()[**output]);
            Candidate { position, fails, passes }
        })
        .filter(|task| !task.fails.is_empty() || !task.passes.is_empty())
        .collect()
}

fn check_dev_size(dev: usize) -> Result<()> {
    if dev >= 2 && dev.is_multiple_of(2) {
        return Ok(());
    }
    let message = format!("a dev split of {dev} items cannot be half failures and half passes");
    Err(Error::usage(message).help("Choose an even --dev, at least 2."))
}

fn check_classes(tasks: &[Candidate]) -> Result<()> {
    for (absent, present, none) in [
        ("failing", "passes", tasks.iter().all(|task| task.fails.is_empty())),
        ("passing", "fails", tasks.iter().all(|task| task.passes.is_empty())),
    ] {
        if none {
            let message = format!("the pool has no {absent} output: every one {present}");
            let help = format!("Add {absent} outputs; nothing can be learned from one class.");
            return Err(Error::failure(message).help(help));
        }
    }
    Ok(())
}

fn train_size(tasks: &[Candidate], sizes: Sizes) -> Result<usize> {
    let left = tasks.len().saturating_sub(sizes.dev);
    let train = sizes.train.unwrap_or(USUAL_TRAIN.min(left * 6 / 10));
    if sizes.train == Some(0) {
        return Err(Error::usage("a split needs train tasks").help("Choose --train 1 or more."));
    }
    if train == 0 || train >= left {
        let message = format!(
            "the pool has {} tasks with outputs, too few for {} dev items, {} train tasks and at least one test task",
            tasks.len(),
            sizes.dev,
            train.max(1)
        );
        return Err(Error::failure(message).help("Choose a smaller --train or --dev, or add tasks."));
    }
    Ok(train)
}

/// Walks the shuffled tasks, taking one output of each that can still serve, as long as the tasks behind it can
/// supply what is missing then. Returns the items and the tasks not taken, in their order.
fn draw_dev(tasks: Vec<Candidate>, each: usize, stream: &mut Stream) -> Result<(Vec<DevItem>, Vec<Candidate>)> {
    let mut behind = Supply::of(&tasks);
    let mut missing = Missing { fails: each, passes: each };
    if !behind.covers(missing) {
        return Err(too_few_for_dev(&behind, each));
    }
    let mut items = Vec::new();
    let mut rest = Vec::new();
    for task in tasks {
        behind.remove(&task);
        let mut offers = [false, true];
        stream.shuffle(&mut offers);
        let taken = offers
            .into_iter()
            .find(|&pass| !task.of(pass).is_empty() && missing.without(pass).is_some_and(|left| behind.covers(left)));
        let Some(pass) = taken else {
            rest.push(task);
            continue;
        };
        missing = missing.without(pass).unwrap_or(missing);
        let outputs = task.of(pass);
        items.push(DevItem { output: outputs[stream.below(outputs.len())], pass });
    }
    Ok((items, rest))
}

impl Candidate {
    fn of(&self, pass: bool) -> &[usize] {
        if pass { &self.passes } else { &self.fails }
    }
}

/// Dev items still to be found.
#[derive(Clone, Copy)]
struct Missing {
    fails: usize,
    passes: usize,
}

impl Missing {
    /// What is missing once an item of this class is found; nothing where none of it is missing.
    fn without(self, pass: bool) -> Option<Self> {
        Some(match pass {
            true => Self { passes: self.passes.checked_sub(1)?, ..self },
            false => Self { fails: self.fails.checked_sub(1)?, ..self },
        })
    }
}

/// How many tasks have outputs of which class.
#[derive(Default)]
struct Supply {
    only_fails: usize,
    only_passes: usize,
    mixed: usize,
}

impl Supply {
    fn of(tasks: &[Candidate]) -> Self {
        let mut supply = Self::default();
        tasks.iter().for_each(|task| *supply.count(task) += 1);
        supply
    }

    fn remove(&mut self, task: &Candidate) {
        *self.count(task) -= 1;
    }

    fn count(&mut self, task: &Candidate) -> &mut usize {
        match (task.fails.is_empty(), task.passes.is_empty()) {
            (true, _) => &mut self.only_passes,
            (_, true) => &mut self.only_fails,
            _ => &mut self.mixed,
        }
    }

    /// Whether different tasks can give all that is missing: mixed tasks fill in for either class, once each.
    fn covers(&self, missing: Missing) -> bool {
        let short_of = |wanted: usize, have: usize| wanted.saturating_sub(have);
        short_of(missing.fails, self.only_fails) + short_of(missing.passes, self.only_passes) <= self.mixed
    }
}

fn too_few_for_dev(supply: &Supply, each: usize) -> Error {
    let (fails, passes) = (supply.only_fails + supply.mixed, supply.only_passes + supply.mixed);
    let most = (1..each).rev().find(|&each| supply.covers(Missing { fails: each, passes: each })).unwrap_or(0);
    let message = format!(
        "{fails} tasks have a failing and {passes} a passing output ({} have both), too few for {each} of each from {} different tasks",
        supply.mixed,
        2 * each
    );
    let help = match most {
        0 => "Add tasks or outputs.".to_owned(),
        _ => format!("Choose --dev {} or less, or add tasks.", 2 * most),
    };
    Error::failure(message).help(help)
}

#[cfg(test)]
mod tests;
