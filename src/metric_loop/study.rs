//! Many splits of one pool: what every selection rule is worth on them, and what every part of the loop is.
//!
//! Verdicts are made once and shared; each split chooses, and is audited, by itself.

use crate::agreement::Agreement;
use crate::audit::locked::Sealed;
use crate::audit::standing::{Contestant, Hindsight, Standing};
use crate::base::{Error, Result};
use crate::dataset::Dataset;
use crate::expr::Expr;
use crate::journal::{Entry, Event, Standing as Tier};
use crate::metric_loop::options::Options;
use crate::metric_loop::run::{BEST_SEED, MAJORITY, Plan, Session, Unkept, one};
use crate::metric_loop::sight::{Sight, Split};
use crate::metric_loop::state::State;
use crate::metric_loop::{facts, mining::Miner};
use crate::objective::rules::all;
use crate::objective::{Rule, Voter, best_singles, pool_majority};

/// Every selection rule on one split: who is measured, and the expression that each chose.
pub struct Rules {
    pub standing: Standing,
    pub chosen: Vec<(&'static str, Option<Expr>)>,
}

/// Lets every rule that applies choose on dev and train, and measures all of them on test, in one opening.
pub fn rules(session: &mut Session, dataset: &Dataset, sealed: &Sealed) -> Result<Rules> {
    let split = Split::of(dataset);
    let outputs = dataset.test_outputs();
    let (pack, verdicts) = session.judged(dataset)?;
    let mut state = State::default();
    state.apply(&Entry { round: 0, event: facts::began(pack, dataset, &split) });
    let modules = pack.ops().iter().map(|op| (op.name().to_string(), op.clone())).collect();
    let sight = Sight::of(&split, &state, &modules, verdicts);
    let ground = sight.ground(pack, pack.manifest.objective);
    let test = verdicts.of(pack.ops(), &outputs);
    let (mut contestants, mut chosen) = (Vec::new(), Vec::new());
    for rule in all().iter().filter(|rule| rule.applies(&ground)) {
        let expr = rule.choose(&ground).map_err(|error| Error::failure(error.to_string()))?;
        contestants.push(one(rule.name, test.outcomes(expr.as_ref())));
        chosen.push((rule.name, expr));
    }
    let columns: Vec<usize> = (0..pack.ops().len()).collect();
    let best = best_singles(&sight.dev.matrix, &split.dev_fails, &sight.dev_root, &columns);
    let singles = best.into_iter().map(|column| test.outcomes(Some(&Expr::op(pack.ops()[column].name()))));
    contestants.push(Contestant { name: BEST_SEED, ties: singles.collect() });
    let voters: Vec<Voter> = columns.into_iter().map(Voter::equal).collect();
    contestants.push(one(MAJORITY, test.under_root(pool_majority(&test.matrix, &voters))));
    let hindsight = Hindsight { matrix: &test.matrix, root: &test.root };
    let why = "comparison of selection rules";
    let standing = Standing::measure(sealed, why, "", contestants, Some(&hindsight), dataset.split().seed)?;
    Ok(Rules { standing, chosen })
}

/// One way to run the loop.
pub struct Arm {
    pub name: &'static str,
    pub options: Options,
    /// Whether it starts from the pack's three weakest ops alone.
    pub crippled: bool,
}

/// What one run came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Came {
    pub metric: Option<Expr>,
    pub figures: Agreement,
    /// Share of the train outputs that pass the metric: 1 is vacuous.
    pub passes: f64,
    /// Whether the metric fails some train output above the root, and passes some.
    pub valid: bool,
    pub rounds: u32,
    pub born: usize,
    pub rejected: usize,
    pub active: usize,
    /// Whether a leaf of the metric was born in the run.
    pub grown: bool,
}

/// The loop's arms: the whole of it under both rules, less each of its parts, and from a crippled pack.
pub fn arms(rounds: u32) -> Vec<Arm> {
    let full = |rule| Options { rounds, rule, ..Options::default() };
    let arm = |name, options| Arm { name, options, crippled: false };
    let crippled = |name, options| Arm { name, options, crippled: true };
    let (default, paper) = (full(Rule::Default), full(Rule::Paper));
    vec![
        arm("default rule, round 0", Options { rounds: 0, ..default.clone() }),
        arm("default rule, full loop", default.clone()),
        arm("  without the miner", Options { miner: false, ..default.clone() }),
        arm("  without lifecycle", Options { lifecycle: false, ..default.clone() }),
        arm("  without anchor guards", Options { guards: false, ..default.clone() }),
        arm("papers' rule, round 0", Options { rounds: 0, ..paper.clone() }),
        arm("papers' rule, full loop", paper.clone()),
        arm("  without the miner", Options { miner: false, ..paper.clone() }),
        arm("  without lifecycle", Options { lifecycle: false, ..paper.clone() }),
        arm("  without anchor guards", Options { guards: false, ..paper.clone() }),
        crippled("three weakest ops, default rule, round 0", Options { rounds: 0, ..default.clone() }),
        crippled("  full loop", default),
        crippled("three weakest ops, papers' rule, round 0", Options { rounds: 0, ..paper.clone() }),
        crippled("  full loop", paper),
    ]
}

/// Runs one arm on one split.
pub fn run(session: &mut Session, arm: &Arm, dataset: &Dataset, sealed: &Sealed) -> Result<Came> {
    let options = Options { seed: dataset.split().seed, ..arm.options.clone() };
    let miner = if options.miner { Miner::of(session.pack())? } else { None };
    let author = miner.as_ref().map(|miner| miner as _);
    let plan = Plan { dataset, options: &options, author, sealed: Some(sealed), audit_nothing: true, id: "" };
    let run = session.evolve(&plan, Vec::new(), &mut Unkept)?;
    let figures = run.entries.iter().rev().find_map(|entry| match &entry.event {
        Event::Audited { rows, .. } => rows.first().map(|(_, figures)| *figures),
        _ => None,
    });
    let figures = figures.ok_or_else(|| Error::failure("the run was not audited"))?;
    let count = |is: fn(&Event) -> bool| run.entries.iter().filter(|entry| is(&entry.event)).count();
    let (mut passes, mut valid, mut train) = (0, false, 1);
    for entry in &run.entries {
        match &entry.event {
            Event::Began { train_outputs, .. } => train = *train_outputs,
            Event::Ended { passes: passed, flagged, .. } => (passes, valid) = (*passed, *passed > 0 && *flagged > 0),
            _ => {}
        }
    }
    let leaves = run.state.incumbent.as_ref().map(Expr::ops).unwrap_or_default();
    let is_born = |leaf: &&str| run.state.find(leaf).is_some_and(|op| op.source.is_some());
    Ok(Came {
        figures,
        passes: passes as f64 / train.max(1) as f64,
        valid,
        rounds: run.state.round,
        born: count(|event| matches!(event, Event::Born { .. })),
        rejected: count(|event| matches!(event, Event::Rejected { .. })),
        active: run.state.count(Tier::Active),
        grown: leaves.iter().any(is_born),
        metric: run.state.incumbent.clone(),
    })
}
