//! Events that state what is the case, from verdicts and searches: they decide nothing.

use crate::dataset::Dataset;
use crate::expr::{Expr, Grammar, Outcome, State};
use crate::journal::{DevLabel, Event, Figures, Origin, RefutedProof, Seed, Standing, Survey, WantedLabel};
use crate::metric_loop::evidence::Verdicts;
use crate::metric_loop::sense::misses;
use crate::metric_loop::sight::{Sight, Split};
use crate::metric_loop::state::State as Known;
use crate::objective::{Refused, Score, TieSet};
use crate::pack::Pack;
use crate::script::Module;

/// Tied expressions that an event lists; how many there are in all is a number beside them.
const LISTED: usize = 20;
/// Labels that are asked for.
const LABELS: usize = 5;

pub fn began(pack: &Pack, dataset: &Dataset, split: &Split) -> Event {
    let seed = |op: &Module| {
        let info = op.op()?;
        let (class, script) = (info.detects.clone(), op.id().to_string());
        Some(Seed { op: op.name().to_string(), class, tier: info.tier, strength: info.strength, script })
    };
    let label =
        |(output, item): (&String, &crate::dataset::DevItem)| DevLabel { output: output.clone(), pass: item.pass };
    Event::Began {
        pack: pack.manifest.name.clone(),
        ops: pack.ops().iter().filter_map(|op| seed(op)).collect(),
        train_outputs: split.train.len(),
        dev: split.dev_ids.iter().zip(dataset.dev()).map(label).collect(),
    }
}

pub fn refused(split: &Split, refused: &[Refused]) -> Vec<RefutedProof> {
    let outputs = |refused: &Refused| refused.items.iter().map(|item| split.dev_ids[*item].clone()).collect();
    refused.iter().map(|refused| RefutedProof { op: refused.op.clone(), outputs: outputs(refused) }).collect()
}

pub fn searched(sight: &Sight, ties: &TieSet, grammar: Grammar) -> Event {
    Event::Searched {
        ops: sight.active().len(),
        leaves: grammar.leaves(),
        nested: grammar.is_nested(),
        scored: ties.scored(),
        best: ties.best(),
        behaviours: ties.size(),
        disputed: ties.disagreements(&sight.train.matrix).count(),
        tied: ties.exprs().take(LISTED).collect(),
    }
}

pub fn candidate(metric: &Expr, origin: Origin, score: &Score) -> Event {
    Event::Candidate { metric: metric.clone(), origin, figures: Figures::from(score) }
}

/// The end of a round in which something changed, or nothing did.
pub fn ended(known: &Known, sight: &Sight, changed: bool) -> Event {
    let metric = known.incumbent.as_ref();
    let above = sight.train_root.len() - sight.train_root.count();
    let passes = sight.train.passes(metric);
    Event::Ended {
        metric: metric.cloned(),
        passes,
        flagged: above - passes,
        right: right(sight, metric),
        misses: misses(sight, metric).into_iter().map(|item| sight.split.dev_ids[item].clone()).collect(),
        active: known.count(Standing::Active),
        shadow: known.count(Standing::Shadow),
        retired: known.count(Standing::Retired),
        changed,
    }
}

/// Dev items on which a metric is right; a fault is wrong.
fn right(sight: &Sight, metric: Option<&Expr>) -> usize {
    let is_right = |(item, outcome): &(usize, Outcome)| match outcome {
        Outcome::Fail => sight.split.dev_fails.get(*item),
        Outcome::Pass | Outcome::Abstain => !sight.split.dev_fails.get(*item),
        Outcome::Fault => false,
    };
    sight.dev.outcomes(metric).into_iter().enumerate().filter(is_right).count()
}

pub fn surveyed(known: &Known, sight: &Sight, verdicts: &Verdicts) -> Event {
    let survey = |(column, op): (usize, &std::sync::Arc<Module>)| {
        let info = op.op()?;
        let count = |state: State| {
            (0..sight.train.matrix.items()).filter(|item| sight.train.matrix.state(column, *item) == state).count()
        };
        Some(Survey {
            op: op.name().to_string(),
            class: info.detects.clone(),
            about: info.about.clone(),
            strength: info.strength,
            standing: known.find(op.name()).map_or(Standing::Active, |op| op.standing),
            drawback: count(State::Drawback),
            clean: count(State::Clean),
            abstain: count(State::Abstain),
            fault: count(State::Fault),
            on_dev: sight.dev.matrix.planes(column).one.count(),
        })
    };
    let judged = [&sight.split.dev[..], &sight.split.train[..]].concat();
    Event::Surveyed {
        ops: sight.ops.iter().enumerate().filter_map(survey).collect(),
        faults: verdicts.faults(&sight.ops, &judged),
    }
}

/// The expressions that tie, and the labels that would tell them apart.
pub fn wanted(sight: &Sight, ties: &TieSet) -> Event {
    let label = |label: crate::objective::NextLabel| WantedLabel {
        output: sight.split.train_ids[label.item].clone(),
        fail: label.fail,
        pass: label.pass,
        silent: label.no_opinion,
        left: label.worst_case(),
    };
    Event::Wanted {
        ties: ties.size(),
        behaviours: ties.behaviours(&[&sight.dev.matrix, &sight.train.matrix]),
        disputed: ties.disagreements(&sight.train.matrix).count(),
        labels: ties.next_labels(&sight.train.matrix, LABELS).into_iter().map(label).collect(),
    }
}
