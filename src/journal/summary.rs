//! What a run has come to, folded from its events.

use crate::agreement::Agreement;
use crate::expr::Expr;
use crate::journal::{Entry, Event, Gate, Standing};

/// A run in a few facts.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Summary {
    /// The pack's name, once the run began.
    pub pack: Option<String>,
    /// The last round that ended.
    pub rounds: u32,
    /// The incumbent, once there was one; none within passes everything.
    pub metric: Option<Option<Expr>>,
    /// Why the run is over, once it is.
    pub finished: Option<String>,
    /// The last audit.
    pub audit: Option<Audit>,
    /// In the order of their birth.
    pub births: Vec<Birth>,
    pub rejected: usize,
}

/// Agreement with the sealed labels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Audit {
    pub opening: usize,
    pub balanced: f64,
    pub low: f64,
    pub high: f64,
}

/// An op that was born in the run.
#[derive(Debug, Clone, PartialEq)]
pub struct Birth {
    pub op: String,
    pub round: u32,
    pub class: String,
    pub source: String,
    pub gate: Gate,
    /// Where it stands now.
    pub standing: Standing,
}

impl Summary {
    pub fn of(entries: &[Entry]) -> Self {
        let mut summary = Self::default();
        entries.iter().for_each(|entry| summary.add(entry));
        summary
    }

    fn add(&mut self, entry: &Entry) {
        match &entry.event {
            Event::Began { pack, .. } => self.pack = Some(pack.clone()),
            Event::Chosen { metric, .. } | Event::Selected { metric, .. } => self.metric = Some(metric.clone()),
            Event::Rejected { .. } => self.rejected += 1,
            Event::Born { op, class, standing, gate, source, .. } => self.births.push(Birth {
                op: op.clone(),
                round: entry.round,
                class: class.clone(),
                source: source.clone(),
                gate: gate.clone(),
                standing: *standing,
            }),
            Event::Promoted { op, .. } => self.stands(op, Standing::Active),
            Event::Retired { op, .. } | Event::Expired { op, .. } => self.stands(op, Standing::Retired),
            Event::Audited { opening, rows, .. } => {
                let of = |(_, figures): &(String, Agreement)| Audit {
                    opening: *opening,
                    balanced: figures.balanced,
                    low: figures.low,
                    high: figures.high,
                };
                self.audit = rows.first().map(of);
            }
            Event::Ended { metric, .. } => {
                self.rounds = entry.round;
                self.metric = Some(metric.clone());
            }
            Event::Finished { metric, why, .. } => {
                self.metric = Some(metric.clone());
                self.finished = Some(why.clone());
            }
            Event::Sensed { .. }
            | Event::Clustered { .. }
            | Event::Unauthored { .. }
            | Event::Searched { .. }
            | Event::Candidate { .. }
            | Event::Weighed { .. }
            | Event::Surveyed { .. }
            | Event::Wanted { .. }
            | Event::Estimated { .. } => {}
        }
    }

    /// Seeds retire too, and are not born here.
    fn stands(&mut self, op: &str, standing: Standing) {
        self.births.iter_mut().filter(|birth| birth.op == op).for_each(|birth| birth.standing = standing);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn born(op: &str, standing: Standing) -> Event {
        let gate = Gate { fires: 2, cluster: 3, misses: vec![], false_alarms: vec![], known_good: 5, train: 9 };
        let (rule, class, source) = ("literal".to_string(), "wrong".to_string(), format!("-- {op}"));
        Event::Born { op: op.to_string(), rule, class, standing, gate, source }
    }

    #[test]
    fn an_ops_standing_is_what_last_happened_to_it() {
        let events = [
            born("a", Standing::Shadow),
            born("b", Standing::Shadow),
            born("c", Standing::Active),
            Event::Promoted { op: "a".into(), by: Expr::op("a"), dev_before: 0.5, dev_after: 0.6 },
            Event::Expired { op: "b".into(), rounds: 20 },
            Event::Retired { op: "seed".into(), fitness: 0.0 },
        ];
        let summary = Summary::of(&events.map(|event| Entry { round: 2, event }));
        let standings: Vec<_> = summary.births.iter().map(|birth| (birth.op.as_str(), birth.standing)).collect();
        assert_eq!(standings, [("a", Standing::Active), ("b", Standing::Retired), ("c", Standing::Active)]);
        assert_eq!((summary.rounds, summary.metric), (0, None));
    }

    #[test]
    fn the_metric_is_the_last_one_and_the_rounds_are_those_that_ended() {
        let ended = |metric: &str| Event::Ended {
            metric: Some(metric.parse().unwrap()),
            passes: 3,
            flagged: 2,
            right: 7,
            misses: Vec::new(),
            active: 2,
            shadow: 0,
            retired: 0,
            changed: false,
        };
        let selected = Event::Selected {
            metric: Some(Expr::op("b")),
            changed: false,
            replaces: None,
            why: String::new(),
            figures: None,
        };
        let entry = |round, event| Entry { round, event };
        let mut entries = vec![entry(1, ended("a")), entry(2, selected)];
        let summary = Summary::of(&entries);
        assert_eq!((summary.rounds, summary.metric, summary.finished), (1, Some(Some(Expr::op("b"))), None));
        entries.push(entry(2, Event::Finished { metric: None, rounds: 2, why: "as many as asked".into() }));
        let summary = Summary::of(&entries);
        assert_eq!((summary.metric, summary.finished.as_deref()), (Some(None), Some("as many as asked")));
    }
}
