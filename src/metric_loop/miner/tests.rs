//! Rules found by hand on small tables, and what the miner must not propose.

use super::*;
use proptest::prelude::*;

/// A column of whole numbers; a negative one stands for what cannot be measured.
fn column(feature: &str, detects: &str, values: &[i32]) -> Column {
    Column {
        feature: feature.to_owned(),
        detects: detects.to_owned(),
        tier: Tier::Static,
        is_flag: false,
        values: values.iter().map(|value| (*value >= 0).then_some(f64::from(*value))).collect(),
        faults: Bits::none(values.len()),
    }
}

fn table(columns: Vec<Column>) -> Measured {
    let outputs = columns[0].values.len();
    Measured::from_columns(columns, outputs)
}

/// Outputs 0 to 2 are the cluster, 3 and 4 are known to be good, the rest is train.
fn mine(measured: &Measured, class: Option<&str>, tried: &[&str]) -> Result<Proposal, Refusal> {
    let train: Vec<usize> = (5..measured.outputs()).collect();
    let tried = tried.iter().map(|rule| rule.parse().expect("a rule")).collect();
    propose(measured, &Cluster { outputs: &[0, 1, 2], class }, &[3, 4], &train, &tried)
}

fn rule(measured: &Measured, tried: &[&str]) -> Result<String, Refusal> {
    mine(measured, None, tried).map(|proposal| proposal.rule.to_string())
}

#[test]
fn the_threshold_lets_known_good_outputs_go_and_is_the_most_specific() {
    // Beyond 1, which a good output has: >= 2 takes the cluster and 3 of 8 others, >= 4 two of the cluster and 1 of 8.
    let loops = [2, 4, 5, 0, 1, 2, 3, 4, 0, 0, 1, 1, 0];
    let found = mine(&table(vec![column("loops", "bad", &loops)]), Some("bad"), &[]).expect("a rule");
    // (3/3) / (4/10) = 2.5; >= 3 and >= 4: (2/3) / .35 = 1.9; >= 5 takes one of three.
    assert_eq!((found.rule.to_string(), found.score), ("loops >= 2".to_owned(), 2.5));
    assert_eq!((found.fires_on_cluster, found.fires_on_train, found.train_size), (vec![0, 1, 2], 3, 8));
    assert_eq!((&*found.detects, found.strength, found.known_good), ("bad", Strength::Smell, 2));
}

#[test]
fn a_low_value_can_be_the_rule() {
    let returns = [0, 0, 1, 2, 3, 2, 2, 1, 3, 3, 2, 2, 2];
    assert_eq!(rule(&table(vec![column("returns", "bad", &returns)]), &[]), Ok("returns <= 1".to_owned()));
}

#[test]
fn what_was_tried_or_behaves_like_it_is_not_proposed_again() {
    let loops = [2, 4, 5, 0, 1, 2, 3, 4, 0, 0, 1, 1, 0];
    let measured = table(vec![column("loops", "bad", &loops)]);
    assert_eq!(rule(&measured, &["loops >= 2"]), Ok("loops >= 3".to_owned()));
    assert_eq!(rule(&measured, &["loops >= 2.5", "loops >= 2", "gone >= 1"]), Ok("loops >= 4".to_owned()));
    assert_eq!(rule(&measured, &["loops >= 4", "loops >= 2", "loops >= 3"]), Err(Refusal::Tried));
}

#[test]
fn a_second_condition_must_improve_clearly() {
    // `a` and `b` each fire on a good output; both take the cluster: 1 / .35 = 2.86.
    let a = [1, 1, 1, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0];
    let b = [1, 1, 1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0];
    let with = |c: &[i32]| table(vec![column("a", "bad", &a), column("b", "bad", &b), column("c", "bad", c)]);
    // `c` alone: (2/3) / (4/10) = 1.67, and 2.86 is over 1.5 times that.
    assert_eq!(rule(&with(&[1, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0]), &[]), Ok("a >= 1 and b >= 1".to_owned()));
    // `c` alone: 1 / (4/10) = 2.5, and 2.86 is not.
    assert_eq!(rule(&with(&[1, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0]), &[]), Ok("c >= 1".to_owned()));
}

#[test]
fn ties_go_to_the_clusters_class_then_to_the_order_of_rules() {
    let values = [1, 1, 1, 0, 0, 0, 0, 0, 0];
    let columns = || vec![column("b", "other", &values), column("a", "bad", &values), column("c", "bad", &values)];
    let found = |class| mine(&table(columns()), class, &[]).map(|found| (found.rule.to_string(), found.detects));
    assert_eq!(found(None), Ok(("a >= 1".to_owned(), "bad".to_owned())));
    assert_eq!(found(Some("other")), Ok(("b >= 1".to_owned(), "other".to_owned())));
    assert_eq!(found(Some("unheard")), Ok(("a >= 1".to_owned(), "bad".to_owned())), "no measurement detects it");
}

#[test]
fn rarer_than_failures_are_is_no_better() {
    // Of 98 others `often` fires on 34 and `seldom` on none: (34+1)/100 is the floor.
    let rest = |ones: usize| (0..98).map(move |at| i32::from(at < ones));
    let values = |cluster: [i32; 3], ones| cluster.into_iter().chain([0, 0]).chain(rest(ones)).collect::<Vec<_>>();
    let columns = vec![
        column("often", "bad", &values([1, 1, 1], 34)),
        column("seldom", "bad", &values([1, 1, 1], 0)),
        column("partly", "bad", &values([1, 1, 0], 0)),
    ];
    let found = mine(&table(columns), None, &[]).expect("a rule");
    assert_eq!((found.rule.to_string(), found.score), ("often >= 1".to_owned(), 1.0 / 0.35));
}

#[test]
fn a_flag_is_a_condition_without_a_threshold() {
    let flags = |values: [i32; 9]| Column { is_flag: true, tier: Tier::Execution, ..column("ends", "bad", &values) };
    let found = mine(&table(vec![flags([0, 0, 0, 1, 1, 1, 1, 0, 1])]), None, &[]).expect("a rule");
    assert_eq!((found.rule.to_string(), found.strength), ("not ends".to_owned(), Strength::Evidence));
    assert_eq!(rule(&table(vec![flags([1, 1, -1, 0, 0, 0, 0, 0, 0])]), &[]), Ok("ends".to_owned()));
}

#[test]
fn a_rule_that_cannot_be_held_to_anything_is_refused() {
    let of = |values: &[i32]| table(vec![column("a", "bad", values)]);
    assert_eq!(rule(&of(&[1, 0, 0, 0, 0, 0, 0]), &[]), Err(Refusal::NoRule), "one of three is less than half");
    assert_eq!(rule(&of(&[1, 1, 1, 1, 0, 0, 0]), &[]), Err(Refusal::NoRule), "a good output has it too");
    assert_eq!(rule(&of(&[1, -1, -1, 0, 0, 0, 0]), &[]), Err(Refusal::NoRule), "what is not measured does not fire");
    assert_eq!(rule(&of(&[1, 1, 1, 0, 0, 1, 1, 1, 0]), &[]), Err(Refusal::Vacuous));
    let measured = of(&[1, 1, 1, 0, 0, 0]);
    let nothing = propose(&measured, &Cluster { outputs: &[], class: None }, &[3], &[5], &BTreeSet::new());
    assert_eq!(nothing, Err(Refusal::Empty));
    let ungrounded = propose(&measured, &Cluster { outputs: &[0], class: None }, &[], &[5], &BTreeSet::new());
    assert_eq!(ungrounded, Err(Refusal::Empty));
    let mut faulty = column("a", "bad", &[1, 1, 1, -1, 0, 0, 0]);
    faulty.faults = Bits::from_fn(7, |output| output == 3);
    assert_eq!(rule(&table(vec![faulty]), &[]), Err(Refusal::NoRule), "measuring fails on a good output");
}

proptest! {
    /// Whatever is measured, a proposal passes the birth gate, is new, and does not depend on the order of outputs.
    #[test]
    fn a_proposal_always_passes_the_gate(
        values in prop::collection::vec(prop::collection::vec(-1..4_i32, 20), 1..5),
        class in prop::option::of("[ab]"),
    ) {
        let names = ["a", "b", "c", "d"];
        let columns: Vec<Column> =
            values.iter().zip(names).map(|(values, name)| column(name, name, values)).collect();
        let measured = table(columns);
        let (cluster, known_good) = ([0, 1, 2], [3, 4]);
        let mut train: Vec<usize> = (5..20).collect();
        let mut tried = BTreeSet::new();
        while let Ok(found) =
            propose(&measured, &Cluster { outputs: &cluster, class: class.as_deref() }, &known_good, &train, &tried)
        {
            let fires = measured.behaviour(&found.rule).expect("its measurements").fires;
            prop_assert!(2 * cluster.iter().filter(|output| fires.get(**output)).count() >= 3);
            prop_assert!(known_good.iter().all(|output| !fires.get(*output)));
            prop_assert!(2 * train.iter().filter(|output| fires.get(**output)).count() <= 15);
            train.reverse();
            let again =
                propose(&measured, &Cluster { outputs: &[2, 0, 1], class: class.as_deref() }, &[4, 3], &train, &tried);
            prop_assert_eq!(again, Ok(found.clone()));
            prop_assert!(tried.insert(found.rule));
        }
        prop_assert!(tried.len() < 1000);
    }
}
