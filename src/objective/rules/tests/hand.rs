//! Each rule on a split that is small enough to be worked out by hand.

use super::*;
use Strength::{Evidence, Proof, Smell};

const FAILS: &str = "1111100000";

#[test]
fn naive_bayes_weighs_a_firing_against_a_clean_word() {
    // Recall (3.5 + 2)/15, false alarm 0.2/15: ln 27.5 = 3.314 for a firing, ln 0.6419 = -0.443 for a clean word. Two
    // of the three outputs on which `a` does not fire are clean. `b` fires on passes alone, and has no weight.
    let split = Split::new(FAILS, &[("a", Proof, "1100000000", "00?1"), ("b", Smell, "0000011111", "1000")]);
    assert_eq!(split.chosen("naive Bayes"), "(weighted 0.3 (3.76 a))");
}

#[test]
fn fitted_rates_agree_with_how_often_an_op_fires() {
    let split = Split::new(FAILS, &[("a", Evidence, "1100000000", "1000000000")]);
    // Declared: recall (5 + 2)/15, false alarm 1.5/15.
    assert_eq!(split.chosen("naive Bayes"), "(weighted 0.52 (2.06 a))");
    // f = 1.5/11, false alarm f/(0.35 * 10/3 + 0.65) = 0.0751, recall 0.2502; with the labels 0.0500 and 0.3001.
    assert_eq!(split.chosen("naive Bayes, fitted"), "(weighted 0.31 (2.1 a))");
}

#[test]
fn the_first_round_over_train_counts_outputs_by_their_suspicion() {
    let mut split = Split::new(FAILS, &[("a", Evidence, "1100000000", "1000000000")]);
    split.selection.bayes.rounds = 0;
    assert_eq!(split.chosen("Dawid-Skene"), split.chosen("naive Bayes, fitted"));
    // Suspicions 0.7636 of the output that fires and 0.2840 of the others: recall 5.2657/18.3199, false alarm
    // 0.9870/21.6801.
    split.selection.bayes.rounds = 1;
    assert_eq!(split.chosen("Dawid-Skene"), "(weighted 0.29 (2.13 a))");
}

#[test]
fn a_vote_is_as_strict_as_the_fail_share_asks() {
    let mut split = Split::new(
        "10",
        &[
            ("a", Evidence, "10", "1111100000"),
            ("b", Proof, "10", "1110000000"),
            ("c", Evidence, "10", "1000000000"),
            ("d", Smell, "10", "1111111111"),
        ],
    );
    // One vote flags five outputs, two flag three, three flag one; 3.5 are expected.
    assert_eq!(split.chosen("vote at the fail share"), "(vote 2 a b c)");
    split.fail_share = Some(0.1);
    assert_eq!(split.chosen("vote at the fail share"), "(vote 3 a b c)");
}

#[test]
fn two_of_three_rules_outvote_a_default() {
    let ops = [("a", Evidence, "1100000000", "1000000000"), ("b", Smell, "0000011111", "0111111111")];
    let mut split = Split::new(FAILS, &ops).declaring("b");
    assert_eq!(
        (split.chosen("F"), split.chosen("naive Bayes, fitted")),
        ("a".into(), "(weighted 0.31 (2.1 a))".into())
    );
    assert_eq!(split.chosen("vote of three rules"), "(vote 2 b a (weighted 0.31 (2.1 a)))");
    split.default = None;
    assert_eq!(split.chosen("vote of three rules"), "a");
    // Without an op that may be a leaf of F two are left, and the default has the word.
    split.pool[0].active = false;
    assert_eq!(split.declaring("b").chosen("vote of three rules"), "b");
}

#[test]
fn the_power_of_train_decides_between_labels_and_consensus() {
    // `a` is right on all of dev and on half of the consensus; `b` and `c` are the consensus and miss one fail.
    let split = Split::new(
        FAILS,
        &[
            ("a", Evidence, "1111100000", "1100000000"),
            ("b", Evidence, "1111000000", "0011100000"),
            ("c", Evidence, "1111000000", "0011100000"),
        ],
    );
    assert_eq!(split.chosen("S(e)"), "b");
    assert_eq!(split.chosen("S(e), w = 0.25"), "(any a b)");
    assert_eq!(split.chosen("A_dev alone"), "a");
    assert_eq!(split.chosen("best single op"), "a");
}

#[test]
fn without_weights_a_missed_fail_costs_as_much_as_a_blamed_pass() {
    // `a`: all fails, two of five passes; `b`: three fails, all passes.
    let split = Split::new(FAILS, &[("a", Evidence, "1111111100", "10"), ("b", Evidence, "1110000000", "10")]);
    assert_eq!(split.chosen("S(e)"), "a");
    assert_eq!(split.chosen("S(e), unweighted"), "b");
}

#[test]
fn the_most_frequent_behaviours_of_the_ties_vote_first() {
    // One on dev, and each right wherever both ops agree on train: all five expressions tie, two behave alike.
    let ops = [("a", Evidence, "10", "1100"), ("b", Evidence, "10", "1010")];
    let mut split = Split::new("10", &ops);
    assert_eq!(split.chosen("vote of the ties"), "(vote 3 (all a b) (any a b) a b)");
    split.selection.ties.voters = 3;
    assert_eq!(split.chosen("vote of the ties"), "(vote 2 (all a b) (any a b) a)");
    split.selection.ties.voters = 1;
    assert_eq!(split.chosen("vote of the ties"), "(all a b)");
}

/// A default of a sound op and another, with what the other does on dev; on train it flags six of twenty outputs that
/// the sound one, which finds nearly all fails, leaves alone.
fn doubtful(on_dev: &str) -> Split {
    let ops = [("a", Proof, "1111000000", "11111110000000000000"), ("b", Evidence, on_dev, "00000001111110000000")];
    Split::new(FAILS, &ops).declaring("(any a b)")
}

#[test]
fn a_child_that_labels_and_unlabelled_outputs_speak_against_is_dropped() {
    assert_eq!(doubtful("0000011000").chosen("default, pruned"), "a");
    assert_eq!(doubtful("0000111000").chosen("default, pruned"), "a");
}

#[test]
fn a_child_that_one_source_alone_speaks_against_stays() {
    // As many fails as passes are found by it alone.
    assert_eq!(doubtful("0000110000").chosen("default, pruned"), "(any a b)");
    // Labels speak against `b`. Without them it is expected to find fails: `a` finds few, and `b` fires wherever it does.
    let ops =
        [("a", Proof, "1000000000", "11000000000000000000"), ("b", Evidence, "1000011000", "11110000000000000000")];
    assert_eq!(Split::new(FAILS, &ops).declaring("(any a b)").chosen("default, pruned"), "(any a b)");
    assert_eq!(doubtful("0000011000").declaring("(vote 1 a b)").chosen("default, pruned"), "(vote 1 a b)");
}

#[test]
fn a_revision_prunes_before_it_extends() {
    let mut split = doubtful("0000011000");
    assert_eq!(split.chosen("default, revised"), "a");
    split.selection.extend.needed = 0.0;
    assert_eq!(split.chosen("default, revised"), "a");
}

#[test]
fn a_neighbour_is_trusted_more_than_the_default_for_two_labels_of_ten() {
    // With one neighbour the odds are nine to one against it, and each label is worth four to one.
    let split = |on_dev| {
        let ops = [("a", Proof, "1100000000", "10"), ("b", Evidence, on_dev, "10"), ("c", Smell, "1111100000", "10")];
        Split::new(FAILS, &ops).declaring("a")
    };
    assert_eq!(split("1110000000").chosen("default, trusted"), "a");
    assert_eq!(split("1111000000").chosen("default, trusted"), "(any a b)");
    assert_eq!(split("1111100000").chosen("default, trusted"), "(any a b)");
    assert_eq!(split("1111110000").chosen("default, trusted"), "(any a b)");
    assert_eq!(split("1111111000").chosen("default, trusted"), "a");
}

#[test]
fn a_default_is_left_for_a_clear_margin_only() {
    let ops = [("a", Evidence, "0000000000", "0000"), ("b", Evidence, "1111100000", "1000")];
    let mut split = Split::new(FAILS, &ops).declaring("a");
    assert_eq!(split.chosen("default, challenged"), "b");
    split.selection.no_seed.challenge = 0.5;
    assert_eq!(split.chosen("default, challenged"), "a");
}

#[test]
fn a_refuted_proof_leaves_every_rule_that_starts_from_the_default() {
    let ops = [("a", Proof, "1110000000", "1100"), ("b", Proof, "0001111000", "0010")];
    let split = Split::new(FAILS, &ops).declaring("(any a b)");
    for rule in ["default", "default, extended", "default, pruned", "default, revised", "proofs, extended"] {
        assert_eq!(split.chosen(rule), "a", "{rule}");
    }
    assert_eq!(split.declaring("b").chosen("default"), "nothing");
}

#[test]
fn without_a_declared_proof_f_chooses() {
    let split = Split::new(FAILS, &[("a", Evidence, "1111000000", "1100"), ("b", Smell, "1111100000", "1100")]);
    assert_eq!(split.chosen("proofs, extended"), "a");
    assert_eq!(split.chosen("F"), "a");
}

#[test]
fn rules_that_lack_their_declaration_say_so() {
    let split = Split::new("10", &[("a", Evidence, "10", "10")]);
    let silent = |needs| all().iter().filter(move |rule| rule.needs == needs);
    assert!(silent(Needs::Default).chain(silent(Needs::Baseline)).all(|rule| !rule.applies(&split.ground())));
    assert!(silent(Needs::Nothing).all(|rule| rule.applies(&split.ground()) && split.chosen(rule.name) != "nothing"));
    let mut split = split.declaring("a");
    split.baseline = split.default.clone();
    assert!(all().iter().all(|rule| rule.applies(&split.ground()) && split.chosen(rule.name) != "nothing"));
}
