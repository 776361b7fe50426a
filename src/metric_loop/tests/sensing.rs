//! Steps 1 and 2: misses, gaps, and what belongs together.

use super::{expr, objective, op, shadow, sight, split, state};
use crate::expr::{Bits, State as Said};
use crate::metric_loop::cluster::{Cluster, clusters};
use crate::metric_loop::sense::{Sensed, sense};

const THIRD: f64 = 1.0 / 3.0;

#[test]
fn a_miss_is_a_labelled_failure_that_passes_or_is_abstained_on_and_a_fault_is_none() {
    let split = split("FFFFPP", 1);
    let sight = sight(&split, &[op("a", "10?!0?", "0"), op("b", "000000", "0")]);
    let metric = expr("a");
    let sensed = sense(&sight, &objective(&sight, Some(&metric)), Some(&metric), THIRD);
    assert_eq!(sensed.misses, [1, 2]);
}

#[test]
fn without_a_metric_every_labelled_failure_that_the_root_lets_through_is_a_miss() {
    let split = split("FFFP", 1);
    let mut sight = sight(&split, &[op("a", "1111", "0")]);
    (sight.dev.root[1], sight.dev.root[2]) = (Said::Drawback, Said::Fault);
    sight.dev_root = sight.dev.below_root();
    assert_eq!(sense(&sight, &objective(&sight, None), None, THIRD).misses, [0]);
}

#[test]
fn a_gap_is_silence_of_the_active_ops_or_a_minority_of_a_third_among_them() {
    let split = split("FP", 6);
    // Two to one; nobody; a fault and nobody; one to two; all of one mind; all below the root.
    let pool = [op("a", "10", "1??101"), op("b", "10", "1??000"), op("c", "10", "0?!000"), shadow("s", "10", "111110")];
    let mut sight = sight(&split, &pool);
    sight.train_root = Bits::from_fn(6, |item| item == 5);
    let sensed = sense(&sight, &objective(&sight, None), None, THIRD);
    assert_eq!((sensed.split, sensed.silent), (vec![0, 3], vec![1, 2]));
    // Three to one is a minority of a quarter.
    let more = [op("a", "10", "1"), op("b", "10", "1"), op("c", "10", "0"), op("d", "10", "1")];
    let split = self::split("FP", 1);
    let sight = self::sight(&split, &more);
    let sensed = sense(&sight, &objective(&sight, None), None, THIRD);
    assert_eq!((sensed.split, sensed.silent), (vec![], vec![]));
}

#[test]
fn a_vote_weighs_what_its_op_adds_to_the_metric() {
    let split = split("FP", 1);
    let sight = sight(&split, &[op("a", "10", "1"), op("b", "00", "0"), op("c", "00", "0")]);
    assert_eq!(sense(&sight, &objective(&sight, None), None, THIRD).split, [0]);
    // A_dev of a is 1 and of nothing a third: a weighs 1 + 10 * 2/3 = 23/3, and the two others hold 6/29 of the votes.
    let metric = expr("a");
    assert_eq!(sense(&sight, &objective(&sight, Some(&metric)), Some(&metric), THIRD).split, [0; 0]);
}

fn cluster(class: Option<&str>, misses: &[usize], gaps: &[usize], recurring: bool) -> Cluster {
    Cluster { class: class.map(str::to_string), misses: misses.to_vec(), gaps: gaps.to_vec(), recurring }
}

#[test]
fn a_cluster_is_a_class_of_the_strongest_op_that_fires_and_what_has_none_keeps_misses_and_gaps_apart() {
    let split = split("FFFFP", 4);
    let pool = [
        op("a", "10000", "0000").detecting("crash", "proof"),
        op("b", "11000", "1000").detecting("wrong", "smell"),
        shadow("s", "00010", "0000").detecting("endless", "evidence"),
        // As strong as s, and after it by name.
        op("t", "00010", "0000").detecting("wrong", "evidence"),
    ];
    let sight = sight(&split, &pool);
    let sensed = Sensed { misses: vec![0, 1, 2, 3], silent: vec![1], split: vec![0, 2] };
    let mut known = state(&pool, None);
    let expected = [
        cluster(Some("crash"), &[0], &[], false),
        cluster(Some("endless"), &[3], &[], false),
        cluster(Some("wrong"), &[1], &[0], true),
        cluster(None, &[2], &[], false),
        cluster(None, &[], &[1, 2], true),
    ];
    assert_eq!(clusters(&sight, &known, &sensed, 2), expected);
    assert_eq!(expected[2].outputs(&sight), [1, 5], "misses first, by their places in the corpus");
    // One miss is enough once it has been one for two rounds.
    known.missed = [("dev0".to_string(), 2), ("dev2".to_string(), 1)].into();
    let recurring: Vec<bool> = clusters(&sight, &known, &sensed, 2).iter().map(|cluster| cluster.recurring).collect();
    assert_eq!(recurring, [true, false, true, false, true]);
}

#[test]
fn where_nothing_was_sensed_there_is_no_cluster() {
    let split = split("FP", 2);
    let pool = [op("a", "10", "10")];
    assert_eq!(clusters(&sight(&split, &pool), &state(&pool, None), &Sensed::default(), 2), []);
}
