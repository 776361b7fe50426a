//! How well outcomes agree with labels: accuracy, and balanced agreement with its interval over tasks.
//!
//! Balanced agreement is the mean of the two class recalls, each averaged over the tasks that have outputs of both
//! classes; where no task has several outputs, over outputs. An abstaining expression passes; a fault is wrong.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::base::rng::Stream;
use crate::base::{Error, Kind, Result};
use crate::expr::Outcome;
use crate::stats::bootstrap;

const RESAMPLES: usize = 2000;
const CONFIDENCE: f64 = 0.95;

/// One labelled output and what a grader says of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Item {
    /// Any number that outputs of one task share.
    pub task: usize,
    /// The label: whether the output fails.
    pub fails: bool,
    pub outcome: Outcome,
}

/// The agreement of a grader with labels. Shares are in [0, 1].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Agreement {
    pub n_tasks: usize,
    pub n_outputs: usize,
    /// Share of outputs with the right outcome.
    pub accuracy: f64,
    /// Mean of the two recalls below.
    pub balanced: f64,
    /// 95% percentile bootstrap interval of `balanced` over tasks, 2000 resamples.
    pub low: f64,
    pub high: f64,
    pub recall_fail: f64,
    pub recall_pass: f64,
}

impl Agreement {
    /// Measures outcomes against labels; `seed` fixes the resamples. Without failures or without passes among the
    /// labels there is no balanced agreement, which is an error of the kind "cannot tell".
    pub fn measure(items: &[Item], seed: u64) -> Result<Self> {
        let tasks = tally(items);
        let unit = Unit::of(&tasks);
        let all: Vec<usize> = (0..tasks.len()).collect();
        let (recall_fail, recall_pass) = unit.recalls(&tasks, &all).ok_or_else(|| {
            let missing = if items.iter().any(|item| item.fails) { "pass" } else { "fail" };
            Error::new(Kind::CannotTell, format!("agreement needs both classes, and no output is labelled {missing}"))
                .help("Add labelled outputs of that class")
        })?;
        let balanced = |drawn: &[usize]| unit.recalls(&tasks, drawn).map(|(fail, pass)| (fail + pass) / 2.0);
        let mut stream = Stream::new(seed, 0, "agreement bootstrap");
        let interval = bootstrap(tasks.len(), RESAMPLES, CONFIDENCE, &mut stream, balanced)
            .ok_or_else(|| Error::new(Kind::CannotTell, "hardly any resample of the tasks has both classes"))?;
        let right = tasks.iter().map(|task| task.fail.right + task.pass.right).sum::<usize>();
        Ok(Self {
            n_tasks: tasks.len(),
            n_outputs: items.len(),
            accuracy: right as f64 / items.len() as f64,
            balanced: (recall_fail + recall_pass) / 2.0,
            low: interval.low,
            high: interval.high,
            recall_fail,
            recall_pass,
        })
    }
}

/// What each item adds to balanced agreement when it is right: the sum over right items is the figure.
pub fn worths(items: &[Item]) -> Vec<f64> {
    let tasks = tally(items);
    let of_task: BTreeMap<usize, usize> = distinct(items).into_iter().zip(0..).collect();
    let mixed = tasks.iter().filter(|task| task.mixed()).count();
    let class = |task: &Task, fails: bool| if fails { task.fail.of } else { task.pass.of };
    let total = |fails| tasks.iter().map(|task| class(task, fails)).sum::<usize>();
    let (unit, fails, passes) = (Unit::of(&tasks), total(true), total(false));
    let weight = |item: &Item| {
        let own = &tasks[of_task[&item.task]];
        match unit {
            Unit::Task if own.mixed() => 0.5 / (mixed * class(own, item.fails)) as f64,
            Unit::Task => 0.0,
            Unit::Output => 0.5 / if item.fails { fails } else { passes } as f64,
        }
    };
    items.iter().map(weight).collect()
}

/// Right outcomes among the outputs of one class.
#[derive(Clone, Copy, Default)]
struct Recall {
    right: usize,
    of: usize,
}

impl Recall {
    fn share(self) -> f64 {
        self.right as f64 / self.of as f64
    }
}

#[derive(Clone, Copy, Default)]
struct Task {
    fail: Recall,
    pass: Recall,
}

impl Task {
    fn mixed(&self) -> bool {
        self.fail.of > 0 && self.pass.of > 0
    }
}

/// What a recall is averaged over.
enum Unit {
    /// The tasks with outputs of both classes, each weighing one.
    Task,
    /// The outputs, where no task has several, or none of those that have is mixed.
    Output,
}

impl Unit {
    fn of(tasks: &[Task]) -> Self {
        if tasks.iter().any(Task::mixed) { Unit::Task } else { Unit::Output }
    }

    /// Recall on fails and on passes over the tasks drawn; `None` where a class is missing.
    fn recalls(&self, tasks: &[Task], drawn: &[usize]) -> Option<(f64, f64)> {
        let drawn = drawn.iter().map(|index| &tasks[*index]);
        match self {
            Unit::Task => {
                let (mut count, mut fail, mut pass) = (0, 0.0, 0.0);
                for task in drawn.filter(|task| task.mixed()) {
                    count += 1;
                    fail += task.fail.share();
                    pass += task.pass.share();
                }
                (count > 0).then(|| (fail / f64::from(count), pass / f64::from(count)))
            }
            Unit::Output => {
                let (mut fail, mut pass) = (Recall::default(), Recall::default());
                for task in drawn {
                    fail = Recall { right: fail.right + task.fail.right, of: fail.of + task.fail.of };
                    pass = Recall { right: pass.right + task.pass.right, of: pass.of + task.pass.of };
                }
                (fail.of > 0 && pass.of > 0).then(|| (fail.share(), pass.share()))
            }
        }
    }
}

/// The tasks in order of number.
fn distinct(items: &[Item]) -> BTreeSet<usize> {
    items.iter().map(|item| item.task).collect()
}

fn tally(items: &[Item]) -> Vec<Task> {
    let mut tasks: BTreeMap<usize, Task> = BTreeMap::new();
    for item in items {
        let task = tasks.entry(item.task).or_default();
        let class = if item.fails { &mut task.fail } else { &mut task.pass };
        let right = match item.outcome {
            Outcome::Fail => item.fails,
            Outcome::Pass | Outcome::Abstain => !item.fails,
            Outcome::Fault => false,
        };
        *class = Recall { right: class.right + usize::from(right), of: class.of + 1 };
    }
    tasks.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use Outcome::{Abstain, Fail, Fault, Pass};

    fn items(rows: &[(usize, &str, Outcome)]) -> Vec<Item> {
        rows.iter().map(|&(task, label, outcome)| Item { task, fails: label == "fail", outcome }).collect()
    }

    fn measure(rows: &[(usize, &str, Outcome)]) -> Agreement {
        Agreement::measure(&items(rows), 0).unwrap()
    }

    #[test]
    fn tasks_weigh_one_whatever_their_outputs() {
        let found = measure(&[
            (7, "fail", Fail),
            (7, "fail", Pass),
            (7, "fail", Pass),
            (7, "fail", Pass),
            (7, "pass", Pass),
            (9, "fail", Fail),
            (9, "pass", Fail),
            (9, "pass", Abstain),
        ]);
        // Fails: 1/4 and 1; passes: 1 and 1/2.
        assert_eq!((found.recall_fail, found.recall_pass, found.balanced), (0.625, 0.75, 0.6875));
        assert_eq!((found.n_tasks, found.n_outputs, found.accuracy), (2, 8, 0.5));
        // The two tasks alone have 0.625 and 0.75, and only those and their mean can be drawn.
        assert_eq!((found.low, found.high), (0.625, 0.75));
    }

    #[test]
    fn tasks_of_one_class_count_for_accuracy_alone() {
        let mixed = [(0, "fail", Fail), (0, "pass", Pass)];
        let more = [&mixed[..], &[(1, "fail", Pass), (1, "fail", Pass), (2, "pass", Fail)]].concat();
        let found = measure(&more);
        assert_eq!((found.balanced, found.accuracy, found.n_tasks), (1.0, 0.4, 3));
        assert_eq!((found.low, found.high), (1.0, 1.0));
    }

    #[test]
    fn where_no_task_has_several_outputs_recalls_are_over_outputs() {
        let found = measure(&[(0, "fail", Fail), (1, "fail", Abstain), (2, "pass", Pass), (3, "pass", Fault)]);
        assert_eq!((found.recall_fail, found.recall_pass, found.accuracy), (0.5, 0.5, 0.5));
        assert!(found.low < 0.5 && found.high > 0.5);
    }

    #[test]
    fn a_fault_is_wrong_for_either_label() {
        let found = measure(&[(0, "fail", Fault), (0, "pass", Fault), (0, "pass", Pass)]);
        assert_eq!((found.recall_fail, found.recall_pass), (0.0, 0.5));
    }

    #[test]
    fn one_class_alone_tells_nothing() {
        let error = Agreement::measure(&items(&[(0, "fail", Fail), (1, "fail", Pass)]), 0).unwrap_err();
        assert_eq!(error.kind(), Kind::CannotTell);
        assert!(error.message().contains("no output is labelled pass"));
        assert!(Agreement::measure(&[], 0).is_err());
    }

    #[test]
    fn the_seed_fixes_the_interval() {
        let rows: Vec<Item> = (0..60)
            .map(|at| Item { task: at / 3, fails: at % 3 == 0, outcome: if at % 5 == 0 { Fail } else { Pass } })
            .collect();
        let of = |seed| Agreement::measure(&rows, seed).unwrap();
        assert_eq!(of(4), of(4));
        assert_eq!(of(4).balanced, of(5).balanced);
        assert!(of(4).low < of(4).balanced && of(4).balanced < of(4).high);
    }

    #[test]
    fn worths_of_right_items_sum_to_balanced_agreement() {
        let several = [
            (0, "fail", Fail),
            (0, "fail", Pass),
            (0, "pass", Pass),
            (1, "pass", Fail),
            (1, "fail", Fail),
            (2, "pass", Fail),
        ];
        let single = [(0, "fail", Fail), (1, "pass", Fail), (2, "pass", Pass), (3, "pass", Pass)];
        for rows in [&several[..], &single[..]] {
            let items = items(rows);
            let right = |item: &Item| item.fails == (item.outcome == Fail);
            let sum: f64 =
                items.iter().zip(worths(&items)).filter(|(item, _)| right(item)).map(|(_, worth)| worth).sum();
            assert!((sum - Agreement::measure(&items, 0).unwrap().balanced).abs() < 1e-12);
        }
    }
}
