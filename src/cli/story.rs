//! The story of a run in words: what happened in each round, and why.
//!
//! Read off the events alone; candidates are many and are told as their number and their best.

use std::path::Path;

use crate::agreement::Agreement;
use crate::cli::runs::Told;
use crate::cli::table::{count, plural};
use crate::expr::Expr;
use crate::journal::{DevLabel, Entry, Event, Figures, Gate, Origin, RefutedProof};
use crate::objective::Rule;

/// Ids, or expressions, that are named before the rest is counted.
const NAMED: usize = 5;

/// The whole story.
pub fn tell(folder: &Path, told: &Told) -> String {
    let summary = &told.summary;
    let seed = if told.seed().is_null() { String::new() } else { format!(", seed {}", told.seed()) };
    let state = match (&summary.finished, told.going_on) {
        (Some(why), _) => format!("finished after {}: {why}", plural(summary.rounds as usize, "round")),
        (None, true) => format!("going on; {} done", plural(summary.rounds as usize, "round")),
        (None, false) => format!(
            "stopped after {}; `gradus evolve --resume {}` goes on",
            plural(summary.rounds as usize, "round"),
            folder.display()
        ),
    };
    let mut text = format!("{}: {}{seed}, begun {}\n", folder.display(), told.pack(), when(told.file.began()));
    text += &format!("{state}\n");
    if let Some(metric) = told.metric() {
        text += &format!("metric  {metric}\n");
    }
    for round in told.entries.chunk_by(|a, b| a.round == b.round) {
        text += &format!("\nround {}\n", round[0].round);
        text += &lines(round);
    }
    text
}

/// A time to the minute: `2026-01-31 12:00`.
pub fn when(time: &str) -> String {
    time.get(..16).unwrap_or(time).replace('T', " ")
}

/// A round's lines; its candidates are one of them, where the first of them was.
fn lines(round: &[Entry]) -> String {
    let mut text = String::new();
    let mut candidates: Vec<(&Expr, Origin, &Figures)> = Vec::new();
    for entry in round {
        if let Event::Candidate { metric, origin, figures } = &entry.event {
            candidates.push((metric, *origin, figures));
            continue;
        }
        text += &tried(&std::mem::take(&mut candidates));
        text += &line(&entry.event);
    }
    text + &tried(&candidates)
}

fn say(verb: &str, words: impl AsRef<str>) -> String {
    format!("  {verb:<10}{}\n", words.as_ref())
}

fn tried(candidates: &[(&Expr, Origin, &Figures)]) -> String {
    let selectable = || candidates.iter().filter(|(_, _, figures)| figures.selectable);
    let best = selectable().max_by(|a, b| a.2.s.total_cmp(&b.2.s));
    match (candidates.len(), best) {
        (0, _) => String::new(),
        (n, None) => say("tried", format!("{}, none that the guards let be selected", plural(n, "candidate"))),
        (n, Some((metric, origin, figures))) => say(
            "tried",
            format!(
                "{}, {} selectable; best {metric} ({}) at S {:.3}",
                plural(n, "candidate"),
                count(selectable().count()),
                origin_word(*origin),
                figures.s
            ),
        ),
    }
}

fn line(event: &Event) -> String {
    match event {
        Event::Began { ops, train_outputs, dev, .. } => say("began", began(ops.len(), *train_outputs, dev)),
        Event::Chosen { metric, rule, why, figures, refused } => {
            let by = if *rule == Rule::Paper { "by S(e)" } else { "declared by the pack" };
            let chosen = format!("{}, {by}: {why}{}", metric_words(metric.as_ref()), figures_words(figures.as_ref()));
            say("chosen", chosen) + &refused.iter().map(refuted).collect::<String>()
        }
        Event::Sensed { misses, silent, split } => say("sensed", sensed(misses, silent, split)),
        Event::Clustered { class, misses, gaps, recurring } => say("cluster", {
            let often = if *recurring { "recurring" } else { "not recurring yet" };
            let (misses, gaps) = (some(misses, "miss", "misses"), some(gaps, "gap", "gaps"));
            format!("{}: {misses}; {gaps}; {often}", class_words(class.as_deref()))
        }),
        Event::Unauthored { class, why } => say("no op", format!("for {}: {why}", class_words(class.as_deref()))),
        Event::Rejected { op, rule, class, why, gate } => {
            say("rejected", format!("{op} ({rule}) for {class}: {why}; {}", gate_words(gate)))
        }
        Event::Born { op, rule, class, standing, gate, .. } => {
            say("born", format!("{op} ({rule}) for {class}, {}: {}", standing.word(), gate_words(gate)))
        }
        Event::Searched { ops, leaves, scored, best, behaviours, tied, .. } => say("searched", {
            let scored = usize::try_from(*scored).unwrap_or(usize::MAX);
            let expressions = format!("{} of up to {leaves} leaves over {ops} ops", plural(scored, "expression"));
            match best {
                None => format!("{expressions}; the guards let none be selected"),
                Some(best) => {
                    format!("{expressions}; best S {best:.3}, {}: {}", plural(*behaviours, "behaviour"), named(tied))
                }
            }
        }),
        Event::Candidate { .. } => String::new(),
        Event::Estimated { op, gain, needed } => {
            say("estimated", format!("{op} would add {gain:.3} to the declared default; {needed:.3} is needed"))
        }
        Event::Selected { metric, changed, replaces, why, figures } => {
            let (metric, figures) = (metric_words(metric.as_ref()), figures_words(figures.as_ref()));
            match (changed, replaces) {
                (false, _) => say("kept", format!("{metric}: {why}{figures}")),
                (true, None) => say("selected", format!("{metric}: {why}{figures}")),
                (true, Some(old)) => say("selected", format!("{metric} in place of {old}: {why}{figures}")),
            }
        }
        Event::Promoted { op, by, dev_before, dev_after } => {
            say("promoted", format!("{op}: agreement with dev goes from {dev_before:.3} to {dev_after:.3} in {by}"))
        }
        Event::Weighed { .. } | Event::Surveyed { .. } | Event::Wanted { .. } => String::new(),
        Event::Retired { op, fitness } => say("retired", format!("{op}: of no use any more (fitness {fitness:.3})")),
        Event::Expired { op, rounds } => {
            say("expired", format!("{op}: a shadow for {}", plural(*rounds as usize, "round")))
        }
        Event::Audited { opening, rows, .. } => match rows.first() {
            Some((_, figures)) => say("audited", audited(*opening, figures)),
            None => String::new(),
        },
        Event::Ended { passes, right, active, shadow, retired, .. } => {
            let pool = format!("{active} active, {shadow} in the shadow, {retired} retired");
            let (passes, right) = (plural(*passes, "train output"), plural(*right, "dev label"));
            say("ended", format!("the metric passes {passes} and is right on {right}; ops: {pool}"))
        }
        Event::Finished { metric, why, .. } => say("finished", format!("{why}; {}", metric_words(metric.as_ref()))),
    }
}

fn audited(opening: usize, figures: &Agreement) -> String {
    let Agreement { balanced, low, high, recall_fail, recall_pass, accuracy, .. } = figures;
    format!(
        "opening {opening}: balanced {balanced:.3} ({low:.3} to {high:.3}), {recall_fail:.3} of failures and \
         {recall_pass:.3} of passes found, accuracy {accuracy:.3}"
    )
}

fn began(ops: usize, train: usize, dev: &[DevLabel]) -> String {
    let passes = dev.iter().filter(|label| label.pass).count();
    format!(
        "{}, {}, {} ({passes} pass, {} fail)",
        plural(ops, "op"),
        plural(train, "train output"),
        plural(dev.len(), "dev label"),
        dev.len() - passes
    )
}

fn refuted(proof: &RefutedProof) -> String {
    say(
        "refused",
        format!("{}: declared a proof, and it flags {}, which the labels pass", proof.op, named(&proof.outputs)),
    )
}

fn sensed(misses: &[String], silent: &[String], split: &[String]) -> String {
    let missed = some(misses, "failure that the metric passes", "failures that the metric passes");
    format!(
        "{missed}; {} without any opinion, {} on which the ops split",
        plural(silent.len(), "output"),
        count(split.len())
    )
}

fn gate_words(gate: &Gate) -> String {
    format!(
        "fires on {} of {} of its cluster and on {}, finds {}, flags {} of {} known good",
        gate.fires,
        gate.cluster,
        plural(gate.train, "train output"),
        some(&gate.misses, "miss", "misses"),
        gate.false_alarms.len(),
        gate.known_good
    )
}

fn figures_words(figures: Option<&Figures>) -> String {
    let Some(figures) = figures else { return String::new() };
    let (s, dev, train) = (figures.s, figures.a_dev, figures.a_train);
    format!(" (S {s:.3}: dev {dev:.3}, train {train:.3}, opines on {})", count(figures.coverage))
}

fn metric_words(metric: Option<&Expr>) -> String {
    metric.map_or("pass everything".to_owned(), ToString::to_string)
}

fn class_words(class: Option<&str>) -> &str {
    class.unwrap_or("an unknown class")
}

fn origin_word(origin: Origin) -> &'static str {
    match origin {
        Origin::Incumbent => "the incumbent",
        Origin::Elite => "an elite",
        Origin::Search => "from the search",
        Origin::Mutation => "a mutation",
        Origin::Crossover => "a crossover",
        Origin::Composer => "from the composer",
    }
}

/// `no miss`, `1 miss (a)`, `2 misses (a, b)`.
fn some(ids: &[String], one: &str, many: &str) -> String {
    match ids.len() {
        0 => format!("no {one}"),
        1 => format!("1 {one} ({})", ids[0]),
        n => format!("{} {many} ({})", count(n), named(ids)),
    }
}

/// The first few, and how many more there are.
fn named<T: ToString>(all: &[T]) -> String {
    let first: Vec<String> = all.iter().take(NAMED).map(ToString::to_string).collect();
    match all.len().saturating_sub(NAMED) {
        0 => first.join(", "),
        more => format!("{} and {} more", first.join(", "), count(more)),
    }
}
