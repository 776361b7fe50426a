//! A run as one JSON object, from its events alone.

use std::path::Path;

use serde_json::{Map, Value, json};

use crate::agreement::Agreement;
use crate::audit::standing::HINDSIGHT;
use crate::dataset::Dataset;
use crate::journal::{Entry, Event, Standing};
use crate::metric_loop::run;

/// Keys of the baselines, and the names of their rows.
const BASELINES: [(&str, &str); 8] = [
    ("round_0", run::FIRST),
    ("default", run::DEFAULT),
    ("paper", run::PAPER),
    ("best_seed_on_dev", run::BEST_SEED),
    ("majority", run::MAJORITY),
    ("baseline", run::BASELINE),
    ("tie_set_majority", run::TIE_SET),
    ("hindsight", HINDSIGHT),
];

/// The shape is documented in the README.
pub fn facts(entries: &[Entry], dataset: &Dataset, folder: Option<&Path>) -> Value {
    let mut facts = Map::new();
    let mut pool = Pool::default();
    for entry in entries {
        pool.count(&entry.event);
        state(&mut facts, &entry.event);
    }
    facts.insert("pool".into(), pool.facts());
    let split = dataset.split();
    let sizes = json!({"seed": split.seed, "train": split.train.len(), "test": split.test.len()});
    facts.insert("split".into(), sizes);
    facts.insert("run".into(), json!(folder.map(|folder| folder.display().to_string())));
    Value::Object(facts)
}

/// What an event says of the run as it stands; later events overwrite earlier ones.
fn state(facts: &mut Map<String, Value>, event: &Event) {
    let mut put = |key: &str, value: Value| drop(facts.insert(key.to_string(), value));
    match event {
        Event::Began { dev, .. } => put("dev", json!({"items": dev.len()})),
        Event::Chosen { metric, rule, why, figures, refused } => {
            put("metric", json!(metric));
            put("selection", json!(rule));
            put("why", json!(why));
            put("objective", json!(figures));
            put("refused", json!(refused.iter().map(|refused| &refused.op).collect::<Vec<_>>()));
        }
        Event::Selected { metric, why, figures, .. } => {
            put("metric", json!(metric));
            put("why", json!(why));
            put("objective", json!(figures));
        }
        Event::Ended { right, passes, .. } => {
            put("train_passes", json!(passes));
            let items = facts["dev"]["items"].as_u64().unwrap_or(0);
            facts["dev"]["agreement"] = json!(*right as f64 / items.max(1) as f64);
        }
        Event::Surveyed { faults, .. } => put("faults", json!(faults)),
        Event::Wanted { ties, behaviours, disputed, labels } => {
            put("tie_set", json!({"size": ties, "behaviours": behaviours, "disputed": disputed}));
            put("next_labels", json!(labels));
        }
        Event::Audited { opening, rows, .. } => {
            let of = |name: &str| rows.iter().find(|(row, _)| row == name).map(|(_, figures)| figures);
            put("sealed", sealed(of(run::METRIC), *opening));
            let beside = BASELINES.iter().filter_map(|(key, name)| Some((key.to_string(), json!(of(name)?))));
            put("baselines", Value::Object(beside.collect()));
        }
        Event::Finished { rounds, why, .. } => put("rounds", json!({"done": rounds, "ended": why})),
        _ => {}
    }
}

fn sealed(figures: Option<&Agreement>, opening: usize) -> Value {
    let mut figures = json!(figures);
    figures["openings"] = json!(opening);
    figures
}

#[derive(Default)]
struct Pool {
    seed: usize,
    born: usize,
    rejected: usize,
    standing: [usize; 3],
}

impl Pool {
    fn count(&mut self, event: &Event) {
        match event {
            Event::Began { ops, .. } => self.seed = ops.len(),
            Event::Born { .. } => self.born += 1,
            Event::Rejected { .. } => self.rejected += 1,
            Event::Ended { active, shadow, retired, .. } => self.standing = [*active, *shadow, *retired],
            _ => {}
        }
    }

    fn facts(&self) -> Value {
        let [active, shadow, retired] = self.standing;
        let words = [Standing::Shadow, Standing::Active, Standing::Retired].map(Standing::word);
        json!({
            "seed": self.seed, "born": self.born, "rejected": self.rejected,
            words[0]: shadow, words[1]: active, words[2]: retired,
        })
    }
}
