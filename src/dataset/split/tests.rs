//! What every split keeps to, whatever the pool.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::base::Kind;
use crate::dataset::{Corpus, Output, Task};

/// A pool of tasks with outputs of these labels.
fn pool(tasks: &[Vec<bool>]) -> Pool {
    let task = |n: usize| Task { id: format!("t{n}"), fields: json!({"id": format!("t{n}")}) };
    let outputs = tasks.iter().enumerate().flat_map(|(task, labels)| {
        (0..labels.len()).map(move |n| Output {
            id: format!("t{task}#{n}"),
            task,
            solver: "s".into(),
            text: format!("text {task} {n}").into(),
        })
    });
    let corpus = Corpus::new((0..tasks.len()).map(task).collect(), outputs.collect()).unwrap();
    Pool::new(Arc::new(corpus), tasks.concat()).unwrap()
}

/// `n` tasks, each with one passing and one failing output.
fn mixed(n: usize) -> Pool {
    pool(&vec![vec![true, false]; n])
}

fn sizes(train: usize, dev: usize) -> Sizes {
    Sizes { train: Some(train), dev }
}

fn message(result: Result<Assignment>) -> String {
    result.unwrap_err().to_string()
}

proptest! {
    #[test]
    fn a_split_is_task_disjoint_and_of_the_sizes_asked(
        tasks in prop::collection::vec(prop::collection::vec(any::<bool>(), 0..5), 0..40),
        seed: u64,
        train in 1usize..20,
        half in 1usize..6,
    ) {
        let pool = pool(&tasks);
        let drawn = assign(&pool, seed, sizes(train, 2 * half));
        let with = |wanted: fn(&[bool]) -> bool| tasks.iter().filter(|labels| !labels.is_empty() && wanted(labels)).count();
        let (fails, passes) = (with(|l| l.iter().all(|p| !p)), with(|l| l.iter().all(|p| *p)));
        let (all, both) = (with(|_| true), with(|l| l.contains(&true) && l.contains(&false)));
        let dev_possible = (0..=both).any(|lent| fails + lent >= half && passes + both - lent >= half);
        prop_assert_eq!(drawn.is_ok(), dev_possible && all > train + 2 * half);
        let Ok(split) = drawn else { return Ok(()) };

        let corpus = pool.corpus();
        let dev_tasks: Vec<usize> = split.dev.iter().map(|item| corpus.outputs()[item.output].task).collect();
        let used: HashSet<usize> = split.train.iter().chain(&split.test).chain(&dev_tasks).copied().collect();
        prop_assert_eq!(used.len(), split.train.len() + split.test.len() + dev_tasks.len());
        prop_assert_eq!(used.len(), all);
        prop_assert_eq!((split.train.len(), split.dev.len()), (train, 2 * half));
        prop_assert_eq!(split.dev.iter().filter(|item| item.pass).count(), half);
        prop_assert!(split.dev.iter().all(|item| pool.passes()[item.output] == item.pass));
        prop_assert!(split.train.is_sorted() && split.test.is_sorted());
        prop_assert_eq!(assign(&pool, seed, sizes(train, 2 * half)).unwrap(), split);
    }
}

#[test]
fn seeds_differ_and_every_task_comes_to_every_part() {
    let pool = mixed(30);
    let splits: Vec<Assignment> = (0..200).map(|seed| assign(&pool, seed, sizes(10, 10)).unwrap()).collect();
    let different: HashSet<&Vec<usize>> = splits.iter().map(|split| &split.train).collect();
    assert_eq!(different.len(), splits.len());
    for task in 0..30 {
        let share = |part: fn(&Assignment) -> &Vec<usize>| splits.iter().filter(|s| part(s).contains(&task)).count();
        // 200 draws at a third each: 66.7 expected, standard deviation 6.7.
        assert!((35..100).contains(&share(|s| &s.train)), "train {}", share(|s| &s.train));
        assert!((35..100).contains(&share(|s| &s.test)), "test {}", share(|s| &s.test));
    }
}

#[test]
fn small_pools_give_six_tenths_of_what_dev_leaves() {
    let usual = |tasks: usize| assign(&mixed(tasks), 0, Sizes::default()).unwrap();
    assert_eq!((usual(36).train.len(), usual(36).test.len()), (15, 11));
    assert_eq!((usual(126).train.len(), usual(126).test.len()), (60, 56));
}

#[test]
fn a_pool_of_one_class_is_refused_by_name() {
    let passes = pool(&vec![vec![true, true]; 40]);
    assert_eq!(
        message(assign(&passes, 0, Sizes::default())),
        "the pool has no failing output: every one passes. Add failing outputs; nothing can be learned from one class."
    );
    let fails = pool(&vec![vec![false]; 40]);
    assert!(message(assign(&fails, 0, Sizes::default())).starts_with("the pool has no passing output"));
}

#[test]
fn too_few_tasks_are_counted_and_a_size_that_fits_is_named() {
    assert_eq!(
        message(assign(&mixed(20), 0, sizes(10, 10))),
        "the pool has 20 tasks with outputs, too few for 10 dev items, 10 train tasks and at least one test task. \
         Choose a smaller --train or --dev, or add tasks."
    );
    assert_eq!(assign(&mixed(21), 0, sizes(10, 10)).unwrap().test.len(), 1);
    let mut tasks = vec![vec![true]; 30];
    tasks.extend(vec![vec![false, true]; 3]);
    assert_eq!(
        message(assign(&pool(&tasks), 0, Sizes::default())),
        "3 tasks have a failing and 33 a passing output (3 have both), too few for 5 of each from 10 different tasks. \
         Choose --dev 6 or less, or add tasks."
    );
    assert_eq!(assign(&pool(&tasks), 0, Sizes { dev: 6, train: None }).unwrap().dev.len(), 6);
}

#[test]
fn sizes_that_make_no_sense_are_usage_errors() {
    for wrong in [sizes(10, 0), sizes(10, 7), sizes(0, 10)] {
        assert_eq!(assign(&mixed(40), 0, wrong).unwrap_err().kind(), Kind::Usage, "{wrong:?}");
    }
}

#[test]
fn real_pools_split_as_their_notes_say() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data");
    if !data.is_dir() {
        eprintln!("skipped: {} is absent", data.display());
        return;
    }
    for (family, outputs, passing, test) in
        [("code", 2429, 1669, 56), ("sql", 1934, 1276, 195), ("report", 165, 47, 95)]
    {
        let pool = Pool::load(&data.join(family)).unwrap();
        assert_eq!(pool.corpus().outputs().len(), outputs);
        assert_eq!(pool.passes().iter().filter(|pass| **pass).count(), passing);
        for seed in 0..20 {
            let split = assign(&pool, seed, Sizes::default()).unwrap();
            assert_eq!((split.train.len(), split.dev.len(), split.test.len()), (60, 10, test), "{family} {seed}");
        }
    }
}
