//! The objective against a second, naive way to the same figures, and the choices that rest on it.

use num_rational::BigRational;
use proptest::prelude::*;

use super::*;
use crate::expr::{Bits, Expr, Matrix, Outcome, State};

mod labels;
mod searching;

const OPS: [&str; 5] = ["a", "b", "c", "d", "e"];
const JUDGE: usize = 4;

fn expr(text: &str) -> Expr {
    text.parse().unwrap()
}

/// Columns as strings of `1` drawback, `0` clean, `?` abstain, `!` fault.
fn matrix(columns: &[(&str, &str)]) -> Matrix {
    let names: Vec<String> = columns.iter().map(|(name, _)| name.to_string()).collect();
    let state = |op: usize, item: usize| match columns[op].1.as_bytes()[item] {
        b'1' => State::Drawback,
        b'0' => State::Clean,
        b'?' => State::Abstain,
        _ => State::Fault,
    };
    Matrix::from_fn(&names, columns[0].1.len(), state)
}

fn bits(row: &str) -> Bits {
    Bits::from_fn(row.len(), |item| row.as_bytes()[item] == b'1')
}

fn same(a: f64, b: f64) -> bool {
    (a - b).abs() <= crate::expr::SAME_SCORE
}

fn pool(ops: usize) -> Vec<Member> {
    vec![Member { judge: false, active: true }; ops]
}

#[derive(Debug)]
struct Case {
    dev: Matrix,
    dev_fails: Bits,
    dev_root: Bits,
    train: Matrix,
    train_root: Bits,
}

impl Case {
    fn new(dev: &[(&str, &str)], dev_fails: &str, train: &[(&str, &str)]) -> Self {
        let (dev, train) = (matrix(dev), matrix(train));
        let (dev_root, train_root) = (Bits::none(dev.items()), Bits::none(train.items()));
        Self { dev, dev_fails: bits(dev_fails), dev_root, train, train_root }
    }

    fn evidence(&self) -> Evidence<'_> {
        Evidence {
            dev: &self.dev,
            dev_fails: &self.dev_fails,
            dev_root: &self.dev_root,
            train: &self.train,
            train_root: &self.train_root,
        }
    }
}

/// METHOD section 4 item by item: (A_dev, A_train, S, selectable), votes of weight one.
fn naive(case: &Case, config: &Config, expr: &Expr) -> (f64, f64, f64, bool) {
    let (dev, train) = (case.dev.values(expr).unwrap(), case.train.values(expr).unwrap());
    let empty = if config.guards == Guards::Open { 1.0 } else { 0.0 };
    let share = |right: &[bool]| {
        if right.is_empty() { empty } else { right.iter().filter(|r| **r).count() as f64 / right.len() as f64 }
    };
    let recall = |fails: bool| {
        let of_class = (0..case.dev.items()).filter(|item| case.dev_fails.get(*item) == fails);
        let verdicts = of_class.map(|item| if case.dev_root.get(item) { Some(true) } else { dev.get(item) });
        let verdicts: Vec<Option<bool>> = verdicts.collect();
        let right: Vec<bool> = verdicts.iter().flatten().map(|verdict| *verdict == fails).collect();
        (share(&right), 2 * right.len() >= verdicts.len())
    };
    let (fail, covers_fails) = recall(true);
    let (pass, covers_passes) = recall(false);
    let inside: Vec<usize> = (0..case.train.items()).filter(|item| !case.train_root.get(*item)).collect();
    let mut agreed = 0;
    let mut right = Vec::new();
    for &item in &inside {
        let votes: Vec<State> = (0..OPS.len()).map(|op| case.train.state(op, item)).collect();
        let count = |state| votes.iter().filter(|vote| **vote == state).count();
        let (ones, zeros) = (count(State::Drawback), count(State::Clean));
        if ones != zeros {
            agreed += 1;
            right.extend(train.get(item).map(|value| value == (ones > zeros)));
        }
    }
    let both = |values: Vec<Option<bool>>| values.contains(&Some(true)) && values.contains(&Some(false));
    let own_dev = (0..case.dev.items()).filter(|item| !case.dev_root.get(*item)).map(|item| dev.get(item)).collect();
    let valid = both(own_dev) && both(inside.iter().map(|item| train.get(*item)).collect());
    let guarded = covers_fails && covers_passes && 2 * right.len() >= agreed && valid;
    let a_dev = (config.weight_fail * fail + config.weight_pass * pass) / (config.weight_fail + config.weight_pass);
    let a_train = share(&right);
    let judges = expr.leaves().iter().filter(|leaf| **leaf == OPS[JUDGE]).count();
    let s = a_dev * a_train.powf(config.train_power) - config.cost(expr.leaf_count(), judges);
    (a_dev, a_train, s, config.guards == Guards::Open || guarded)
}

fn every_small_expression() -> Vec<Expr> {
    let mut texts: Vec<String> = OPS.map(String::from).to_vec();
    for (i, a) in OPS.iter().enumerate() {
        for (j, b) in OPS.iter().enumerate().skip(i + 1) {
            texts.extend(["any", "all", "vote 2"].map(|head| format!("({head} {a} {b})")));
            for c in &OPS[j + 1..] {
                texts.extend(["any", "all", "vote 2", "vote 3"].map(|head| format!("({head} {a} {b} {c})")));
            }
        }
    }
    texts.iter().map(|text| expr(text)).collect()
}

fn case() -> impl Strategy<Value = Case> {
    let state = || prop_oneof![3 => Just(State::Drawback), 3 => Just(State::Clean), 2 => Just(State::Abstain), 1 => Just(State::Fault)];
    let rows =
        move |least, most| prop::collection::vec((prop::array::uniform5(state()), any::<bool>(), 0u8..8), least..most);
    (rows(2, 12), rows(1, 90)).prop_map(|(dev, train)| {
        let names = OPS.map(String::from).to_vec();
        Case {
            dev: Matrix::from_fn(&names, dev.len(), |op, item| dev[item].0[op]),
            dev_fails: Bits::from_fn(dev.len(), |item| dev[item].1),
            dev_root: Bits::from_fn(dev.len(), |item| dev[item].2 == 0),
            train: Matrix::from_fn(&names, train.len(), |op, item| train[item].0[op]),
            train_root: Bits::from_fn(train.len(), |item| train[item].2 == 0),
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn scores_and_search_equal_the_naive_way(case in case(), open in any::<bool>(), quarter in any::<bool>()) {
        let guards = if open { Guards::Open } else { Guards::Closed };
        let config = Config { guards, train_power: if quarter { 0.25 } else { 1.0 }, ..Config::default() };
        let mut pool = pool(OPS.len());
        pool[JUDGE].judge = true;
        let objective = Objective::new(config, case.evidence(), &pool, None).unwrap();
        let mut best: Option<f64> = None;
        for expr in every_small_expression() {
            let score = objective.score(Some(&expr)).unwrap();
            let (a_dev, a_train, s, selectable) = naive(&case, &config, &expr);
            prop_assert!((score.a_dev - a_dev).abs() < 1e-12, "{} {} {}", expr, score.a_dev, a_dev);
            prop_assert!((score.a_train - a_train).abs() < 1e-12, "{} {} {}", expr, score.a_train, a_train);
            prop_assert!((score.s - s).abs() < 1e-13, "{} {} {}", expr, score.s, s);
            prop_assert_eq!(score.refused.is_none(), selectable, "{} {:?}", expr, score);
            if selectable {
                best = Some(best.map_or(score.s, |best| best.max(score.s)));
            }
        }
        let ties = objective.search();
        prop_assert_eq!(ties.best().is_some(), best.is_some());
        prop_assert!(ties.best().is_none_or(|found| same(found, best.unwrap())));
        let reaches = |expr: &Expr| {
            let score = objective.score(Some(expr)).unwrap();
            score.refused.is_none() && best.is_some_and(|best| same(score.s, best))
        };
        let expected = every_small_expression().into_iter().filter(reaches).count();
        prop_assert_eq!(ties.size(), expected);
        prop_assert!(ties.exprs().all(|expr| reaches(&expr)));
        prop_assert_eq!(ties.winner(&objective).is_some(), best.is_some());
        let behaviours = ties.behaviours(&[&case.dev, &case.train]);
        prop_assert!(behaviours <= ties.size() && (behaviours > 0) == (ties.size() > 0));
    }

    #[test]
    fn hindsight_is_the_best_of_all(case in case()) {
        let fails = Bits::from_fn(case.train.items(), |item| item % 3 == 0);
        let worths: Vec<f64> = (0..case.train.items()).map(|item| [0.5, 0.25][item % 2]).collect();
        let value = |expr: &Expr| -> f64 {
            let values = case.train.values(expr).unwrap();
            let flagged = |item| case.train_root.get(item) || values.get(item) == Some(true);
            worths.iter().enumerate().filter(|(item, _)| fails.get(*item) == flagged(*item)).map(|(_, worth)| worth).sum()
        };
        let best = every_small_expression().iter().map(value).fold(0.0, f64::max);
        let ties = hindsight(&case.train, &case.train_root, &fails, &worths, &[0, 1, 2, 3, 4]);
        prop_assert!(same(ties.best().unwrap(), best));
        prop_assert!(ties.exprs().all(|expr| value(&expr) == best));
        prop_assert_eq!(ties.size(), every_small_expression().iter().filter(|expr| value(expr) == best).count());
    }
}

#[test]
fn margins_weigh_the_votes_of_the_incumbent() {
    // On dev x is right twice of two, y once: without x the incumbent loses, without y it does not.
    let case = Case::new(&[("x", "1100"), ("y", "1000"), ("z", "????")], "1100", &[("x", "1"), ("y", "0"), ("z", "0")]);
    let of = |incumbent: Option<&Expr>, pool: &[Member]| {
        let objective = Objective::new(Config::default(), case.evidence(), pool, incumbent).unwrap();
        let sides = (objective.consensus().drawback.count(), objective.consensus().clean.count());
        (objective.margins().to_vec(), sides)
    };
    let ratio = |above: i64, below: i64| BigRational::new(above.into(), below.into());
    assert_eq!(of(None, &pool(3)), (vec![ratio(0, 1); 3], (0, 1)));
    // A_dev: 1 with x, (2·½ + 1)/3 = 2/3 without; so x weighs 1 + 10/3 against two.
    let incumbent = expr("(any x y)");
    assert_eq!(of(Some(&incumbent), &pool(3)), (vec![ratio(1, 3), ratio(0, 1), ratio(0, 1)], (1, 0)));
    let mut shadowed = pool(3);
    shadowed[0].active = false;
    assert_eq!(of(Some(&incumbent), &shadowed), (vec![ratio(0, 1); 3], (0, 1)));
    assert_eq!(Objective::new(Config::default(), case.evidence(), &pool(3), Some(&expr("w"))).err().unwrap().0, "w");
}

#[test]
fn the_root_fails_dev_items_and_leaves_the_consensus() {
    let mut case = Case::new(&[("x", "10??")], "1010", &[("x", "1011")]);
    case.dev_root = bits("0011");
    case.train_root = bits("0001");
    let objective = Objective::new(Config::default(), case.evidence(), &pool(1), None).unwrap();
    let score = objective.score(Some(&expr("x"))).unwrap();
    // The root gives one right fail and one wrong pass beside those of x.
    assert!((score.a_dev - (2.0 + 0.5) / 3.0).abs() < 1e-12);
    assert_eq!((score.refused, score.coverage, score.a_train), (None, 7, 1.0));
    let nothing = objective.score(None).unwrap();
    assert_eq!(nothing.refused, Some(Guard::NoDrawbackOnDev));
}

#[test]
fn guards_name_what_is_missing() {
    let refused = |dev: &str, train: &str| {
        let case = Case::new(&[("x", dev), ("y", "??????")], "111000", &[("x", train), ("y", "1100")]);
        Objective::new(Config::default(), case.evidence(), &pool(2), None)
            .unwrap()
            .score(Some(&expr("x")))
            .unwrap()
            .refused
    };
    assert_eq!(refused("11?00?", "1?0?"), None);
    assert_eq!(refused("1??000", "1100"), Some(Guard::DevFails));
    assert_eq!(refused("111??0", "1100"), Some(Guard::DevPasses));
    assert_eq!(refused("111000", "1???"), Some(Guard::Consensus));
    assert_eq!(refused("000000", "1100"), Some(Guard::NoDrawbackOnDev));
    assert_eq!(refused("111111", "1100"), Some(Guard::NoCleanOnDev));
    assert_eq!(refused("111000", "0000"), Some(Guard::NoDrawbackOnTrain));
    assert_eq!(refused("111000", "1111"), Some(Guard::NoCleanOnTrain));
}

#[test]
fn equal_scores_are_told_apart_by_coverage_then_size_then_text() {
    let dev = [("b", "1100"), ("a", "1100"), ("wide", "1100")];
    let train = [("b", "10??"), ("a", "10??"), ("wide", "10?0")];
    let case = Case::new(&dev, "1100", &train);
    let objective = Objective::new(Config::default(), case.evidence(), &pool(3), None).unwrap();
    let ties = objective.search();
    let (winner, score) = ties.winner(&objective).unwrap();
    assert_eq!((winner.to_string().as_str(), score.s, score.coverage), ("wide", 1.0, 7));
    let narrow = Case::new(&dev[..2], "1100", &train[..2]);
    let objective = Objective::new(Config::default(), narrow.evidence(), &pool(2), None).unwrap();
    assert_eq!(objective.search().winner(&objective).unwrap().0.to_string(), "a");
    assert_eq!(objective.search().behaviours(&[&narrow.dev, &narrow.train]), 1);
    assert!(!score.replaces(&score));
    assert!(score.replaces(&Score { s: score.s - 1e-6, ..score }));
    assert!(!Score { refused: Some(Guard::Consensus), ..score }.replaces(&Score { s: 0.0, ..score }));
}

#[test]
fn a_refuted_proof_leaves_the_default() {
    let dev = matrix(&[("loud", "11110"), ("shy", "11100"), ("weak", "11111")]);
    let fails = bits("11000");
    let is_proof = |op: &str| op != "weak";
    let kept = keep_default(&expr("(any loud (all shy weak))"), is_proof, &dev, &fails).unwrap();
    assert_eq!(kept.expr, Some(expr("(all shy weak)")));
    assert_eq!(kept.refused, [Refused { op: "loud".into(), items: vec![2, 3] }]);
    let alone = keep_default(&expr("loud"), is_proof, &dev, &fails).unwrap();
    assert_eq!((alone.expr, alone.refused.len()), (None, 1));
    assert_eq!(keep_default(&expr("gone"), is_proof, &dev, &fails).unwrap_err().0, "gone");
}

#[test]
fn majorities_know_ties_and_faults() {
    use Outcome::{Abstain, Fail, Fault, Pass};
    let matrix = matrix(&[("a", "110?1?"), ("b", "100?!!"), ("c", "?11?00")]);
    let voters: Vec<Voter> = (0..3).map(Voter::equal).collect();
    assert_eq!(pool_majority(&matrix, &voters), [Fail, Fail, Pass, Abstain, Fault, Fault]);
    let heavy = Voter { column: 0, weight: BigRational::from_integer(3.into()) };
    let voters = [heavy, Voter::equal(1), Voter::equal(2)];
    assert_eq!(pool_majority(&matrix, &voters), [Fail, Fail, Pass, Abstain, Fail, Fault]);
}

#[test]
fn the_tie_set_votes_as_one() {
    // Right on dev and on train: x, y and most of what they make; they differ on the items to grade.
    let dev = [("x", "10"), ("y", "10")];
    let case = Case::new(&dev, "10", &dev);
    let objective = Objective::new(Config::default(), case.evidence(), &pool(2), None).unwrap();
    let ties = objective.search();
    assert_eq!((ties.scored(), ties.size()), (5, 5));
    let other = matrix(&[("x", "11?!1"), ("y", "10?01")]);
    // On the second item x, (any x y) fail; y, (all x y), (vote 2 x y) pass. On the fourth the fault
    // leaves two of them open, which three passes outvote.
    use Outcome::{Abstain, Fail, Fault, Pass};
    assert_eq!(ties.majority(&other), [Fail, Pass, Abstain, Pass, Fail]);
    assert_eq!(ties.behaviours(&[&other]), 3);
    let blind = matrix(&[("x", "!"), ("y", "!")]);
    assert_eq!(ties.majority(&blind), [Fault]);
}

#[test]
fn the_best_single_op_is_told_by_dev_as_reports_count() {
    let dev = matrix(&[("half", "1?00"), ("loud", "1111"), ("twin", "10?0"), ("lame", "1!!0"), ("full", "11?0")]);
    let (fails, root) = (bits("1100"), bits("0000"));
    assert_eq!(best_singles(&dev, &fails, &root, &[0, 1, 2, 3]), [0, 2]);
    assert_eq!(best_singles(&dev, &fails, &root, &[0, 1, 2, 3, 4]), [4]);
    assert_eq!(best_singles(&dev, &fails, &bits("0100"), &[0, 1, 2, 3, 4]), [0, 2, 4]);
}
