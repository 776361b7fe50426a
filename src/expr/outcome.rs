//! What an expression says of one output, with faults kept apart, and whether it is already fixed.
//!
//! A fault is never a pass and never a drawback: it spreads to the outcome exactly when it could matter (METHOD 1).

use std::collections::BTreeMap;

use super::planes::State;
use super::tree::Expr;
use super::word::{Word, evaluate};

/// The verdict of an expression on one output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Outcome {
    Fail,
    Pass,
    /// No leaf had an opinion. Passes in a report of agreement, and says that it abstained.
    Abstain,
    /// A leaf that could change the outcome could not do its work. Counts as wrong.
    Fault,
}

impl Outcome {
    /// The outcome of a value without faults.
    pub fn of(value: Option<bool>) -> Self {
        match value {
            Some(true) => Outcome::Fail,
            Some(false) => Outcome::Pass,
            None => Outcome::Abstain,
        }
    }

    /// The verdict of the metric: the root's word goes first (METHOD section 1, "Root").
    pub fn under_root(self, root: State) -> Self {
        match root {
            State::Drawback => Outcome::Fail,
            State::Fault => {
                if self == Outcome::Fail {
                    self
                } else {
                    Outcome::Fault
                }
            }
            State::Clean | State::Abstain => self,
        }
    }
}

/// At most this many variables are enumerated: 2^16 assignments, 64 a word.
const MAX_VARIABLES: usize = 16;

/// The outcome of `expr` on one output: `Fault` exactly if setting the faulted leaves to 0 or 1 could change it from
/// what it is with those leaves unknown.
///
/// Once set, a faulted leaf is known, so which nodes are known no longer depends on how it is set, and the value is
/// monotone in every leaf occurrence, downwards under an odd number of `not`. An op that occurs in one direction only
/// therefore needs its two extremes, all such ops together one variable; an op that occurs in both directions is a
/// variable of its own. The assignments of these variables are evaluated 64 at a time. Past fifteen faulted ops that
/// occur in both directions the outcome is taken to be a fault unseen.
pub fn outcome<L: Ord>(expr: &Expr<L>, state: impl Fn(&L) -> State) -> Outcome {
    let Word { known, one } = evaluate(expr, &|leaf, _| constant(state(leaf)));
    let base = Outcome::of((known & 1 == 1).then_some(one & 1 == 1));
    let mut directions: BTreeMap<&L, [bool; 2]> = BTreeMap::new();
    expr.visit(&mut |leaf, negated| {
        if state(leaf) == State::Fault {
            directions.entry(leaf).or_default()[usize::from(negated)] = true;
        }
    });
    if directions.is_empty() {
        return base;
    }
    let both_ways: Vec<&L> = directions.iter().filter(|(_, seen)| **seen == [true; 2]).map(|(leaf, _)| *leaf).collect();
    if both_ways.len() >= MAX_VARIABLES {
        return Outcome::Fault;
    }
    let (known, one) = (if known & 1 == 1 { u64::MAX } else { 0 }, if one & 1 == 1 { u64::MAX } else { 0 });
    let blocks = 1usize << (both_ways.len() + 1).saturating_sub(6);
    let unchanged = (0..blocks).all(|block| {
        let set = |leaf: &L, negated: bool| match (state(leaf), both_ways.binary_search(&leaf)) {
            (State::Fault, Ok(variable)) => Word { known: u64::MAX, one: assignments(variable + 1, block) },
            (State::Fault, Err(_)) if negated => Word { known: u64::MAX, one: !assignments(0, block) },
            (State::Fault, Err(_)) => Word { known: u64::MAX, one: assignments(0, block) },
            (other, _) => constant(other),
        };
        evaluate(expr, &set) == Word { known, one }
    });
    if unchanged { base } else { Outcome::Fault }
}

/// One state on 64 lanes; a faulted leaf is unknown.
fn constant(state: State) -> Word {
    match state {
        State::Drawback => Word { known: u64::MAX, one: u64::MAX },
        State::Clean => Word { known: u64::MAX, one: 0 },
        State::Abstain | State::Fault => Word::default(),
    }
}

/// The values of one variable in 64 consecutive assignments: bit `variable` of the assignment's number.
fn assignments(variable: usize, block: usize) -> u64 {
    const WITHIN: [u64; 6] = [
        0xAAAA_AAAA_AAAA_AAAA,
        0xCCCC_CCCC_CCCC_CCCC,
        0xF0F0_F0F0_F0F0_F0F0,
        0xFF00_FF00_FF00_FF00,
        0xFFFF_0000_FFFF_0000,
        0xFFFF_FFFF_0000_0000,
    ];
    match WITHIN.get(variable) {
        Some(pattern) => *pattern,
        None if block >> (variable - WITHIN.len()) & 1 == 1 => u64::MAX,
        None => 0,
    }
}

/// Streaming: the outcome, if the leaves seen so far fix it whatever the others say, or if all have been seen.
///
/// Never wrong; it may come later than it could where an op occurs twice, as occurrences are taken to be independent.
pub fn settled<L: Ord>(expr: &Expr<L>, seen: impl Fn(&L) -> Option<State>) -> Option<Outcome> {
    match possible(expr, &|leaf| seen(leaf).map_or(Possible::ANY, Possible::of)) {
        Possible::ONE => return Some(Outcome::Fail),
        Possible::ZERO => return Some(Outcome::Pass),
        Possible::UNKNOWN => return Some(Outcome::Abstain),
        _ => {}
    }
    let complete = expr.leaves().into_iter().all(|leaf| seen(leaf).is_some());
    complete.then(|| outcome(expr, |leaf| seen(leaf).unwrap_or(State::Fault)))
}

/// The values that a node can still take.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Possible {
    zero: bool,
    one: bool,
    unknown: bool,
}

impl Possible {
    const ZERO: Self = Self { zero: true, one: false, unknown: false };
    const ONE: Self = Self { zero: false, one: true, unknown: false };
    const UNKNOWN: Self = Self { zero: false, one: false, unknown: true };
    const ANY: Self = Self { zero: true, one: true, unknown: true };

    fn of(state: State) -> Self {
        match state {
            State::Drawback => Self::ONE,
            State::Clean => Self::ZERO,
            State::Abstain => Self::UNKNOWN,
            State::Fault => Self::ANY,
        }
    }
}

fn possible<L>(expr: &Expr<L>, leaf: &impl Fn(&L) -> Possible) -> Possible {
    let all = |children: &[Expr<L>]| children.iter().map(|child| (1, possible(child, leaf))).collect::<Vec<_>>();
    match expr {
        Expr::Op(name) => leaf(name),
        Expr::Not(child) => {
            let child = possible(child, leaf);
            Possible { zero: child.one, one: child.zero, unknown: child.unknown }
        }
        Expr::Any(children) => reaching(1, &all(children)),
        Expr::Vote(least, children) => reaching(u128::from(*least), &all(children)),
        Expr::Weighted(threshold, children) => {
            let children = children.iter().map(|(weight, child)| (weight.units(), possible(child, leaf)));
            reaching(threshold.units(), &children.collect::<Vec<_>>())
        }
        Expr::All(children) => {
            let children = all(children);
            Possible {
                zero: children.iter().any(|(_, child)| child.zero),
                one: children.iter().all(|(_, child)| child.one || child.unknown)
                    && children.iter().any(|(_, child)| child.one),
                unknown: children.iter().all(|(_, child)| child.unknown),
            }
        }
    }
}

/// A node that is 1 once the weights of its children that are 1 reach `threshold`.
fn reaching(threshold: u128, children: &[(u128, Possible)]) -> Possible {
    let sum = |test: fn(&Possible) -> bool| -> u128 {
        children.iter().filter(|(_, child)| test(child)).map(|(weight, _)| weight).sum()
    };
    let forced = sum(|child| *child == Possible::ONE);
    let stays_below = |(weight, child): &(u128, Possible)| {
        child.zero || *child == Possible::ONE || child.one && forced + weight < threshold
    };
    Possible {
        zero: forced < threshold && children.iter().any(stays_below),
        one: sum(|child| child.one) >= threshold,
        unknown: children.iter().all(|(_, child)| child.unknown),
    }
}
