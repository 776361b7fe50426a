//! A finished run as a person reads it, from its events alone: the metric and what its leaves mean, how it was chosen,
//! what became of the pool, how it agrees with sealed labels, and which labels would help.

use crate::agreement::Agreement;
use crate::cli::table::{Side, plural, table};
use crate::dataset::Dataset;
use crate::expr::Expr;
use crate::journal::{Entry, Event, Standing, Survey};
use crate::metric_loop::run;

/// Lines of a list before the rest is counted.
const SHOWN: usize = 8;

/// The report of a run.
pub fn report(entries: &[Entry], dataset: &Dataset) -> String {
    let story = Story::of(entries);
    let parts = [story.opening(dataset), story.metric(), story.births(), story.ops(), story.sealed(), story.ties()];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

/// One line on a round that has just ended.
pub fn round_line(round: u32, entries: &[Entry]) -> Option<String> {
    let mut parts = Vec::new();
    let count = |is: fn(&Event) -> bool| entries.iter().filter(|entry| is(&entry.event)).count();
    for (what, n) in [
        ("born", count(|event| matches!(event, Event::Born { .. }))),
        ("rejected", count(|event| matches!(event, Event::Rejected { .. }))),
        ("promoted", count(|event| matches!(event, Event::Promoted { .. }))),
        ("retired", count(|event| matches!(event, Event::Retired { .. } | Event::Expired { .. }))),
    ] {
        if n > 0 {
            parts.push(format!("{n} {what}"));
        }
    }
    let (metric, right) = entries.iter().find_map(|entry| match &entry.event {
        Event::Ended { metric, right, .. } => Some((metric, right)),
        _ => None,
    })?;
    let is_new = |entry: &Entry| match &entry.event {
        Event::Chosen { .. } => true,
        Event::Selected { changed, .. } => *changed,
        _ => false,
    };
    if entries.iter().any(is_new) {
        parts.push(format!("metric {}, right on {}", text_of(metric.as_ref()), plural(*right, "dev label")));
    }
    let text = if parts.is_empty() { "nothing new".to_string() } else { parts.join(", ") };
    Some(format!("round {round}: {text}"))
}

/// Opening, rows, and the expression behind the row of hindsight.
type Audit<'e> = (usize, &'e [(String, Agreement)], Option<&'e str>);

/// What is known of a run, gathered from its events.
#[derive(Default)]
struct Story<'e> {
    pack: &'e str,
    seeds: usize,
    train: usize,
    dev: usize,
    metric: Option<&'e Expr>,
    why: &'e str,
    refused: Vec<(&'e str, usize)>,
    right: usize,
    passes: usize,
    standing: [usize; 3],
    births: Vec<Vec<String>>,
    rejected: usize,
    promoted: Vec<&'e str>,
    survey: &'e [Survey],
    faults: usize,
    rounds: u32,
    ended: &'e str,
    audit: Option<Audit<'e>>,
    ties: (usize, usize, usize),
    wanted: Vec<String>,
    misses: &'e [String],
    /// What the last round's births promise, and how much is needed.
    gains: Vec<(&'e str, f64, f64)>,
}

impl<'e> Story<'e> {
    fn of(entries: &'e [Entry]) -> Self {
        let mut story = Self::default();
        entries.iter().for_each(|entry| story.take(entry));
        story
    }

    fn take(&mut self, Entry { round, event }: &'e Entry) {
        match event {
            Event::Began { pack, ops, train_outputs, dev } => {
                (self.pack, self.seeds, self.train, self.dev) = (pack, ops.len(), *train_outputs, dev.len());
            }
            Event::Chosen { metric, why, refused, .. } => {
                (self.metric, self.why) = (metric.as_ref(), why);
                self.refused = refused.iter().map(|refused| (&*refused.op, refused.outputs.len())).collect();
            }
            Event::Selected { metric, why, changed, .. } => {
                self.metric = metric.as_ref();
                if *changed {
                    self.why = why;
                }
            }
            Event::Born { op, rule, standing, gate, .. } => {
                let fires = format!("{} of {}", gate.fires, gate.cluster);
                let row = [round.to_string(), op.clone(), rule.clone(), standing.word().to_string(), fires];
                self.births.push(row.into());
            }
            Event::Sensed { .. } => self.gains.clear(),
            Event::Estimated { op, gain, needed } => self.gains.push((op, *gain, *needed)),
            Event::Rejected { .. } => self.rejected += 1,
            Event::Promoted { op, .. } => self.promoted.push(op),
            Event::Ended { right, misses, passes, active, shadow, retired, .. } => {
                (self.right, self.passes, self.misses) = (*right, *passes, misses);
                self.standing = [*active, *shadow, *retired];
            }
            Event::Surveyed { ops, faults } => (self.survey, self.faults) = (ops, *faults),
            Event::Wanted { ties, behaviours, disputed, labels } => {
                self.ties = (*ties, *behaviours, *disputed);
                let words = |label: &crate::journal::WantedLabel| {
                    format!("{} ({} say fail, {} pass)", label.output, label.fail, label.pass + label.silent)
                };
                self.wanted = labels.iter().map(words).collect();
            }
            Event::Audited { opening, rows, hindsight, faults } => {
                self.audit = Some((*opening, rows, hindsight.as_deref()));
                self.faults += faults;
            }
            Event::Finished { rounds, why, .. } => (self.rounds, self.ended) = (*rounds, why),
            _ => {}
        }
    }

    fn opening(&self, dataset: &Dataset) -> String {
        let split = dataset.split();
        format!(
            "{}: {} of {}; train {}, dev {}, test {} sealed\n",
            self.pack,
            plural(dataset.corpus().outputs().len(), "output"),
            plural(dataset.corpus().tasks().len(), "task"),
            plural(split.train.len(), "task"),
            plural(self.dev, "label"),
            plural(split.test.len(), "task"),
        )
    }

    fn metric(&self) -> String {
        let mut text = format!("metric  {}\n", text_of(self.metric));
        text += &format!(
            "chosen  {}; right on {} of {} dev labels, passes {} of {}\n",
            self.why,
            self.right,
            self.dev,
            self.passes,
            plural(self.train, "train output")
        );
        let best = self.gains.iter().max_by(|(_, a, _), (_, b, _)| a.total_cmp(b));
        if let Some((op, gain, needed)) = best.filter(|(_, gain, needed)| gain <= needed) {
            text += &format!(
                "        of the ops born here {op} promises most: {gain:.3}, where {needed:.3} is needed to join it\n"
            );
        }
        if !self.misses.is_empty() {
            text += &format!("passes, though labelled fail: {}\n", self.misses.join(", "));
        }
        for (op, flagged) in &self.refused {
            text += &format!(
                "refused {op}: declared a proof, and it flags {} that the labels pass\n",
                plural(*flagged, "dev output")
            );
        }
        let leaves = self.metric.map(Expr::ops).unwrap_or_default();
        let rows: Vec<Vec<String>> = self
            .survey
            .iter()
            .filter(|op| leaves.contains(&&*op.op))
            .map(|op| vec![op.op.clone(), op.strength.word().to_string(), op.about.clone()])
            .collect();
        if !rows.is_empty() {
            text += "\n";
            text +=
                &table(&[("leaf", Side::Left), ("strength", Side::Left), ("an output fails if it", Side::Left)], &rows);
        }
        text
    }

    fn births(&self) -> String {
        let [active, shadow, retired] = self.standing;
        let mut text = format!(
            "pool    {}, {} born, {} rejected in {} ({}); now {active} active, {shadow} in the shadow, {retired} retired\n",
            plural(self.seeds, "seed"),
            self.births.len(),
            self.rejected,
            plural(self.rounds as usize, "round"),
            self.ended,
        );
        if self.births.is_empty() {
            return text;
        }
        let head = ["round", "born", "fires where", "as", "of its cluster"].map(|title| (title, Side::Left));
        text += "\n";
        text += &table(&head, &self.births[..self.births.len().min(SHOWN)]);
        if self.births.len() > SHOWN {
            text += &format!("and {} more\n", self.births.len() - SHOWN);
        }
        if !self.promoted.is_empty() {
            text += &format!("promoted out of the shadow: {}\n", self.promoted.join(", "));
        }
        text
    }

    /// What each living op says of the train outputs, and of the labelled ones.
    fn ops(&self) -> String {
        let row = |op: &Survey| {
            let counts = [op.drawback, op.clean, op.abstain, op.fault, op.on_dev].map(|count| count.to_string());
            let words = [op.op.clone(), op.strength.word().to_string()];
            words.into_iter().chain(counts).collect()
        };
        let (shadows, shown): (Vec<&Survey>, Vec<&Survey>) =
            self.survey.iter().partition(|op| op.standing == Standing::Shadow);
        let rows: Vec<Vec<String>> = shown.into_iter().map(row).collect();
        let numbers = ["drawback", "clean", "abstain", "fault", "on dev"].map(|title| (title, Side::Right));
        let head: Vec<(&str, Side)> =
            [("op, on train", Side::Left), ("strength", Side::Left)].into_iter().chain(numbers).collect();
        let mut text = table(&head, &rows);
        if !shadows.is_empty() {
            text += &format!("and {} that no metric may use yet\n", plural(shadows.len(), "shadow"));
        }
        if self.faults > 0 {
            text += &format!(
                "\n{} could not be had: see `gradus explain` on one of them\n",
                plural(self.faults, "verdict")
            );
        }
        text
    }

    fn sealed(&self) -> String {
        let Some((opening, rows, hindsight)) = self.audit else { return String::new() };
        let Some((_, first)) = rows.first() else { return String::new() };
        let mut text = format!(
            "Sealed audit, opening {opening}: {}, {}\n\n",
            plural(first.n_tasks, "task"),
            plural(first.n_outputs, "output")
        );
        let lines: Vec<Vec<String>> = rows.iter().map(|(name, figures)| figures_row(name, figures)).collect();
        let numbers =
            ["balanced", "95% interval", "on fails", "on passes", "accuracy"].map(|title| (title, Side::Right));
        let head: Vec<(&str, Side)> = [("agreement of", Side::Left)].into_iter().chain(numbers).collect();
        text += &table(&head, &lines);
        let single = rows.iter().find(|(name, _)| name == run::BEST_SEED).map(|(_, figures)| figures);
        if let Some(single) = single.filter(|single| single.balanced >= first.balanced) {
            text += &format!("\nHere the metric is no better than the best single op ({:.3}).\n", single.balanced);
        }
        if let Some(expression) = hindsight {
            text += &format!("\nThe last row is chosen by the sealed labels themselves: {expression}\n");
        }
        text
    }

    fn ties(&self) -> String {
        let (ties, behaviours, disputed) = self.ties;
        if ties == 0 {
            return String::new();
        }
        let mut text = match (ties, behaviours) {
            (1, _) => "By S(e) alone one expression of up to three leaves is best.\n".to_string(),
            (_, 1) => {
                format!("By S(e) alone {} tie, and say the same of every output here.\n", plural(ties, "expression"))
            }
            _ => format!(
                "By S(e) alone {} tie, {behaviours} of them different; they disagree on {}.\n",
                plural(ties, "expression"),
                plural(disputed, "train output")
            ),
        };
        if !self.wanted.is_empty() {
            text += &format!("Labels that would tell them apart best:\n  {}\n", self.wanted.join("\n  "));
        }
        text
    }
}

fn text_of(metric: Option<&Expr>) -> String {
    metric.map_or("pass everything".to_string(), ToString::to_string)
}

fn figures_row(name: &str, figures: &Agreement) -> Vec<String> {
    let share = |x: f64| format!("{x:.3}");
    vec![
        name.to_string(),
        share(figures.balanced),
        format!("{:.3} to {:.3}", figures.low, figures.high),
        share(figures.recall_fail),
        share(figures.recall_pass),
        share(figures.accuracy),
    ]
}
