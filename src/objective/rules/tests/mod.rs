//! The rules against values worked out elsewhere, and what must hold of each of them on any split.

mod golden;
mod hand;

use proptest::prelude::*;

use super::*;
use crate::expr::{Bits, Expr, Matrix, State};
use crate::objective::{Config, Evidence, Member};
use crate::verdict::Strength;

fn expr(text: &str) -> Expr {
    text.parse().unwrap()
}

fn bits(row: &str) -> Bits {
    Bits::from_fn(row.len(), |item| row.as_bytes()[item] == b'1')
}

/// A split that owns its parts.
#[derive(Debug, Clone)]
struct Split {
    dev: Matrix,
    dev_fails: Bits,
    dev_root: Bits,
    train: Matrix,
    train_root: Bits,
    tasks: Vec<usize>,
    pool: Vec<Member>,
    strengths: Vec<Strength>,
    default: Option<Expr>,
    baseline: Option<Expr>,
    fail_share: Option<f64>,
    selection: Selection,
}

impl Split {
    /// Ops as (name, strength, dev, train), in strings of `1` drawback, `0` clean, `?` abstain, `!` fault; each train
    /// output is of a task of its own, and no output fails the root.
    fn new(dev_fails: &str, ops: &[(&str, Strength, &str, &str)]) -> Self {
        let names: Vec<String> = ops.iter().map(|op| op.0.to_string()).collect();
        let state = |byte| match byte {
            b'1' => State::Drawback,
            b'0' => State::Clean,
            b'?' => State::Abstain,
            _ => State::Fault,
        };
        let train_items = ops[0].3.len();
        Self {
            dev: Matrix::from_fn(&names, dev_fails.len(), |op, item| state(ops[op].2.as_bytes()[item])),
            dev_fails: bits(dev_fails),
            dev_root: Bits::none(dev_fails.len()),
            train: Matrix::from_fn(&names, train_items, |op, item| state(ops[op].3.as_bytes()[item])),
            train_root: Bits::none(train_items),
            tasks: (0..train_items).collect(),
            pool: vec![Member { judge: false, active: true }; ops.len()],
            strengths: ops.iter().map(|op| op.1).collect(),
            default: None,
            baseline: None,
            fail_share: None,
            selection: Selection::default(),
        }
    }

    fn declaring(mut self, default: &str) -> Self {
        self.default = Some(expr(default));
        self
    }

    fn ground(&self) -> Ground<'_> {
        Ground {
            evidence: Evidence {
                dev: &self.dev,
                dev_fails: &self.dev_fails,
                dev_root: &self.dev_root,
                train: &self.train,
                train_root: &self.train_root,
            },
            tasks: &self.tasks,
            pool: &self.pool,
            strengths: &self.strengths,
            default: self.default.as_ref(),
            baseline: self.baseline.as_ref(),
            fail_share: self.fail_share,
            objective: Config::default(),
            selection: self.selection,
        }
    }

    /// What a rule chooses, as text.
    fn chosen(&self, name: &str) -> String {
        let chosen = named(name).unwrap().choose(&self.ground()).unwrap();
        chosen.map_or("nothing".into(), |expr| expr.to_string())
    }
}

const OPS: [&str; 6] = ["a", "b", "c", "d", "e", "f"];

fn split() -> impl Strategy<Value = Split> {
    let state = || prop_oneof![4 => Just(State::Drawback), 6 => Just(State::Clean), 2 => Just(State::Abstain), 1 => Just(State::Fault)];
    let rows = move |least, most| {
        prop::collection::vec((prop::array::uniform6(state()), 0usize..9, any::<bool>()), least..most)
    };
    let strength = prop::sample::select(vec![Strength::Proof, Strength::Evidence, Strength::Smell]);
    let declared = prop::option::of(prop::sample::select(vec!["(any a b)", "(any c d e)", "(all a f)", "b"]));
    let pool = prop::array::uniform6((strength, any::<bool>(), prop::bool::weighted(0.8)));
    (rows(2, 14), rows(0, 80), pool, declared.clone(), declared, prop::option::of(prop_oneof![Just(0.0), 0.0f64..1.0]))
        .prop_map(|(dev, train, pool, default, baseline, fail_share)| {
            let names = OPS.map(String::from).to_vec();
            Split {
                dev: Matrix::from_fn(&names, dev.len(), |op, item| dev[item].0[op]),
                dev_fails: Bits::from_fn(dev.len(), |item| dev[item].2),
                dev_root: Bits::from_fn(dev.len(), |item| dev[item].1 == 0),
                train: Matrix::from_fn(&names, train.len(), |op, item| train[item].0[op]),
                train_root: Bits::from_fn(train.len(), |item| train[item].1 == 0 && train[item].2),
                tasks: train.iter().map(|row| row.1).collect(),
                pool: pool.map(|(_, judge, active)| Member { judge, active }).to_vec(),
                strengths: pool.map(|member| member.0).to_vec(),
                default: default.map(expr),
                baseline: baseline.map(expr),
                fail_share,
                selection: Selection::default(),
            }
        })
}

/// Every `any`, `all` and `vote` of up to three of some ops.
fn small(ops: &[Expr]) -> Vec<Expr> {
    let mut found = ops.to_vec();
    for (i, a) in ops.iter().enumerate() {
        for (j, b) in ops.iter().enumerate().skip(i + 1) {
            let pair = vec![a.clone(), b.clone()];
            let triples = ops[j + 1..].iter().map(|c| [&pair[..], std::slice::from_ref(c)].concat());
            for leaves in std::iter::once(pair.clone()).chain(triples) {
                let most = leaves.len() as u32;
                found.extend([Expr::Any(leaves.clone()), Expr::All(leaves.clone())]);
                found.extend((2..=most).map(|least| Expr::Vote(least, leaves.clone())));
            }
        }
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_rule_chooses_the_same_twice_and_what_it_chooses_can_be_written_and_read(split in split()) {
        let ground = split.ground();
        for rule in all() {
            let chosen = rule.choose(&ground).unwrap();
            prop_assert_eq!(&chosen, &rule.choose(&ground).unwrap(), "{}", rule.name);
            if !rule.applies(&ground) {
                prop_assert_eq!(&chosen, &None, "{}", rule.name);
            }
            if let Some(chosen) = chosen {
                prop_assert_eq!(&expr(&chosen.to_string()), &chosen, "{}", rule.name);
                let declared = |op: &str| {
                    [ground.default, ground.baseline].into_iter().flatten().any(|expr| expr.ops().contains(&op))
                };
                for op in chosen.ops() {
                    let active = ground.pool[ground.evidence.dev.column(op).unwrap()].active;
                    prop_assert!(active || declared(op), "{} takes {}", rule.name, op);
                }
            }
        }
    }

    #[test]
    fn weights_give_each_task_the_same_and_sum_to_the_outputs_above_the_root(split in split()) {
        let (weights, above) = (split.ground().weights(), Bits::all(split.train.items()).and_not(&split.train_root));
        prop_assert!((weights.total() - above.count() as f64).abs() < 1e-9);
        let of_task = |task: usize| weights.of(&Bits::from_fn(split.train.items(), |item| split.tasks[item] == task));
        let sums: Vec<f64> = (0..9).map(of_task).filter(|sum| *sum > 0.0).collect();
        prop_assert!(sums.iter().all(|sum| (sum - sums[0]).abs() < 1e-9));
    }

    #[test]
    fn f_is_the_greatest_value_of_all_small_expressions_without_smells(split in split()) {
        let ground = split.ground();
        let firm = ground.active().into_iter().filter(|column| split.strengths[*column] != Strength::Smell);
        let worth = Worth::new(&ground);
        let values: Vec<(f64, Expr)> = small(&firm.map(|column| ground.op(column)).collect::<Vec<_>>())
            .into_iter()
            .map(|expr| (worth.value(&ground, &expr).unwrap(), expr))
            .collect();
        let best = values.iter().map(|value| value.0).fold(f64::NEG_INFINITY, f64::max);
        match no_seed(&ground) {
            None => prop_assert!(values.is_empty()),
            Some(picked) => {
                prop_assert!((picked.value - best).abs() < 1e-12);
                let ties = values.iter().filter(|value| value.0 > best - 1e-12);
                prop_assert_eq!(picked.ties.size(), ties.clone().count());
                let first = ties.map(|(_, expr)| expr).min_by_key(|expr| (expr.leaf_count(), expr.to_string()));
                prop_assert_eq!(Some(&picked.expr), first);
            }
        }
    }

    #[test]
    fn gains_lie_between_a_full_loss_and_a_full_win_in_falling_order(split in split()) {
        let ground = split.ground();
        let ops: Vec<Expr> = OPS.iter().map(|op| expr(op)).collect();
        let found = extend(&ground, &expr("(any a b)"), &ops).unwrap();
        prop_assert!(found.iter().all(|extension| extension.gain.abs() <= 0.5));
        prop_assert!(found.iter().all(|extension| !["a", "b"].contains(&extension.op.to_string().as_str())));
        prop_assert!(found.is_sorted_by(|one, next| one.gain >= next.gain));
        let backwards: Vec<Expr> = ops.into_iter().rev().collect();
        prop_assert_eq!(extend(&ground, &expr("(any a b)"), &backwards).unwrap(), found);
    }

    #[test]
    fn a_vote_of_the_ties_has_one_voter_for_a_behaviour_and_each_of_them_ties(split in split(), voters in 1usize..5) {
        let mut split = split;
        split.selection.ties.voters = voters;
        let ground = split.ground();
        let objective = ground.objective(ground.objective, None).unwrap();
        let ties = objective.search();
        let behaviours = ties.behaviours(&[&split.dev, &split.train]);
        let chosen = named("vote of the ties").unwrap().choose(&ground).unwrap();
        let children = match chosen {
            None => vec![],
            Some(Expr::Vote(least, children)) if behaviours > 1 && voters > 1 => {
                prop_assert_eq!(least as usize, children.len() / 2 + 1);
                children
            }
            Some(only) => vec![only],
        };
        prop_assert_eq!(children.len(), behaviours.min(voters));
        let told_apart: std::collections::BTreeSet<_> =
            children.iter().map(|child| ground.behaviour(child).unwrap()).collect();
        prop_assert_eq!(told_apart.len(), children.len());
        for child in children {
            let s = objective.score(Some(&child)).unwrap().s;
            prop_assert!((s - ties.best().unwrap()).abs() < 1e-12);
        }
    }

    #[test]
    fn a_settled_choice_stays_under_its_own_margins(split in split()) {
        let settled = |rounds| {
            let selection = Selection { settle: Settle { rounds }, ..split.selection };
            named("S(e), settled").unwrap().choose(&Split { selection, ..split.clone() }.ground()).unwrap()
        };
        let ground = split.ground();
        prop_assert_eq!(settled(1), named("S(e)").unwrap().choose(&ground).unwrap());
        let Some(chosen) = settled(10).filter(|_| settled(10) == settled(11)) else { return Ok(()) };
        let objective = ground.objective(ground.objective, Some(&chosen)).unwrap();
        let (_, best) = objective.search().winner(&objective).unwrap();
        prop_assert!(!best.replaces(&objective.score(Some(&chosen)).unwrap()));
    }
}

#[test]
fn names_are_distinct_and_found() {
    for rule in all() {
        assert_eq!(named(rule.name).map(|found| found.about), Some(rule.about));
    }
    let names: std::collections::BTreeSet<_> = all().iter().map(|rule| rule.name).collect();
    assert_eq!(names.len(), all().len());
    assert!(named("no such rule").is_none());
}
