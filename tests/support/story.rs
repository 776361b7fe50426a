//! A run of two rounds as the metric loop writes it down, for what reads runs.

use std::path::Path;

use gradus::agreement::Agreement;
use gradus::journal::{DevLabel, Entry, Event, Figures, Gate, Origin, RefutedProof, Seed, Standing};
use gradus::objective::Rule;
use gradus::script::{Strength, Tier};
use gradus::store::RunFile;
use serde_json::json;

/// An op that is born in the run: fires where a function prints.
pub const PRINTS: &str = "return {
  detects = \"no_answer\", about = \"prints instead of answering\", tier = \"static\", strength = \"evidence\",
  check = function(task, artifact)
    if artifact.tree:text():find(\"print\", 1, true) then return drawback(\"prints\") end
    return clean()
  end,
}
";

pub fn figures(s: f64) -> Figures {
    Figures { s, a_dev: 1.0, a_train: s, cost: 0.0, coverage: 20, leaves: 1, selectable: true }
}

pub fn born(op: &str, standing: Standing, source: &str) -> Event {
    let gate =
        Gate { fires: 2, cluster: 3, misses: vec!["t1#1".into()], false_alarms: vec![], known_good: 5, train: 9 };
    let (rule, class, source) = ("contains".into(), "no_answer".into(), source.into());
    Event::Born { op: op.into(), rule, class, standing, gate, source }
}

fn seed(op: &str) -> Seed {
    Seed {
        op: op.into(),
        class: "no_answer".into(),
        tier: Tier::Static,
        strength: Strength::Evidence,
        script: "ab".repeat(32),
    }
}

fn agreement() -> Agreement {
    Agreement {
        n_tasks: 14,
        n_outputs: 86,
        accuracy: 0.83,
        balanced: 0.8235,
        low: 0.78,
        high: 0.861,
        recall_fail: 0.75,
        recall_pass: 0.897,
    }
}

fn ended(metric: &str, changed: bool) -> Event {
    Event::Ended {
        metric: Some(metric.parse().unwrap()),
        passes: 12,
        flagged: 7,
        right: 8,
        misses: Vec::new(),
        active: 2,
        shadow: 1,
        retired: 0,
        changed,
    }
}

/// The events of each round; the last ends the run.
pub fn rounds() -> Vec<Vec<Event>> {
    let label = |n: usize| DevLabel { output: format!("t{n}#0"), pass: n.is_multiple_of(2) };
    let seeds = || vec![seed("says_nothing"), seed("too_long")];
    let (first, better) = ("says_nothing", "(any prints says_nothing)");
    let refused = RefutedProof { op: "too_long".into(), outputs: vec!["t0#0".into(), "t2#0".into()] };
    let gate =
        Gate { fires: 1, cluster: 3, misses: vec![], false_alarms: vec!["t2#0".into()], known_good: 5, train: 4 };
    vec![
        vec![
            Event::Began { pack: "small".into(), ops: seeds(), train_outputs: 24, dev: (0..10).map(label).collect() },
            Event::Chosen {
                metric: Some(first.parse().unwrap()),
                rule: Rule::Default,
                why: "right on 9 of 10 dev labels".into(),
                figures: Some(figures(0.8125)),
                refused: vec![refused],
            },
            ended(first, true),
        ],
        vec![
            Event::Sensed {
                misses: vec!["t1#1".into()],
                silent: vec![],
                split: (0..3).map(|n| format!("t{n}#1")).collect(),
            },
            Event::Clustered {
                class: Some("no_answer".into()),
                misses: vec!["t1#1".into()],
                gaps: (0..7).map(|n| format!("t{n}#1")).collect(),
                recurring: true,
            },
            Event::Unauthored { class: None, why: "no class to write an op for".into() },
            Event::Rejected {
                op: "is_short".into(),
                rule: "threshold".into(),
                class: "no_answer".into(),
                why: "false alarm on a known-good output".into(),
                gate,
            },
            born("prints", Standing::Active, PRINTS),
            born("nested", Standing::Shadow, "-- nested"),
            Event::Estimated { op: "prints".into(), gain: 0.0712, needed: 0.06 },
            Event::Candidate { metric: first.parse().unwrap(), origin: Origin::Incumbent, figures: figures(0.8125) },
            Event::Candidate { metric: better.parse().unwrap(), origin: Origin::Mutation, figures: figures(0.9) },
            Event::Searched {
                ops: 3,
                leaves: 3,
                scored: 1234,
                best: Some(0.9),
                nested: false,
                behaviours: 2,
                disputed: 0,
                tied: vec![better.parse().unwrap(), "(any says_nothing prints)".parse().unwrap()],
            },
            Event::Selected {
                metric: Some(better.parse().unwrap()),
                changed: true,
                replaces: Some(first.parse().unwrap()),
                why: "its estimated gain is enough".into(),
                figures: Some(figures(0.9)),
            },
            ended(better, true),
        ],
        vec![
            Event::Sensed { misses: vec![], silent: vec!["t4#1".into()], split: vec![] },
            Event::Selected {
                metric: Some(better.parse().unwrap()),
                changed: false,
                replaces: None,
                why: "nothing scores higher".into(),
                figures: Some(figures(0.9)),
            },
            Event::Promoted { op: "nested".into(), by: "nested".parse().unwrap(), dev_before: 0.8, dev_after: 0.9 },
            Event::Retired { op: "too_long".into(), fitness: -0.001 },
            ended(better, false),
            Event::Audited { opening: 1, rows: vec![("this metric".into(), agreement())], hindsight: None, faults: 0 },
            Event::Finished {
                metric: Some(better.parse().unwrap()),
                rounds: 2,
                why: "as many rounds as were asked for".into(),
            },
        ],
    ]
}

/// A run with the first `kept` rounds, still held.
pub fn run_of(folder: &Path, kept: usize) -> RunFile {
    std::fs::create_dir_all(folder).unwrap();
    let header = json!({"options": {"seed": 7}, "pack": {"name": "small"}});
    let mut run = RunFile::create(folder, &header, &json!({"data": "data"})).unwrap();
    for (round, events) in (0..).zip(rounds().into_iter().take(kept)) {
        let lines: Vec<String> = events.into_iter().map(|event| Entry { round, event }.line()).collect();
        run.commit(round, &lines, &[("grade".into(), 0.25)]).unwrap();
    }
    run.project().unwrap();
    run
}
