//! What a run is a run of: pack, data and options, as far as its result depends on them.
//!
//! Two runs with equal headers make equal events; a run is resumed under an equal header only. No paths, no threads.

use serde_json::{Map, Value, json};

use crate::base::Id;
use crate::dataset::Dataset;
use crate::metric_loop::options::Options;
use crate::pack::Pack;
use crate::script::API_VERSION;

/// The header of a run.
pub fn header(pack: &Pack, dataset: &Dataset, options: &Options) -> Value {
    let ops: Map<String, Value> =
        pack.ops().iter().map(|op| (op.name().to_string(), json!(op.id().to_string()))).collect();
    let manifest = json!(pack.manifest).to_string();
    json!({
        "gradus": env!("CARGO_PKG_VERSION"),
        "api": API_VERSION,
        "pack": {
            "name": pack.manifest.name,
            "manifest": Id::of("manifest", [manifest.as_bytes()]).to_string(),
            "root": pack.root().id().to_string(),
            "features": pack.features_id().map(|id| id.to_string()),
            "ops": ops,
        },
        "data": {
            "corpus": dataset.corpus().fingerprint().to_string(),
            "split": split(dataset).to_string(),
        },
        "options": options,
    })
}

/// Which outputs are train, dev and test, and the dev labels.
fn split(dataset: &Dataset) -> Id {
    let split = dataset.split();
    let ids = |tasks: &[usize]| -> Vec<String> {
        tasks.iter().map(|task| dataset.corpus().tasks()[*task].id.clone()).collect()
    };
    let dev = split.dev.iter().map(|item| {
        let output = &dataset.corpus().outputs()[item.output].id;
        format!("{output} {}", if item.pass { "pass" } else { "fail" })
    });
    let [train, test] = [ids(&split.train), ids(&split.test)].map(|ids| ids.join("\n"));
    let dev = dev.collect::<Vec<_>>().join("\n");
    Id::of("split", [train.as_bytes(), dev.as_bytes(), test.as_bytes()])
}

/// What differs between two headers, each place in words; nothing for equal ones.
pub fn differences(then: &Value, now: &Value) -> Vec<String> {
    let mut found = Vec::new();
    compare(&mut Vec::new(), then, now, &mut found);
    found
}

fn compare<'v>(place: &mut Vec<&'v str>, then: &'v Value, now: &'v Value, found: &mut Vec<String>) {
    match (then, now) {
        (Value::Object(a), Value::Object(b)) => {
            let added = b.keys().filter(|key| !a.contains_key(*key));
            for key in a.keys().chain(added) {
                place.push(key);
                compare(place, &then[key], &now[key], found);
                place.pop();
            }
        }
        _ if then == now => {}
        _ => found.push(words(place, then, now)),
    }
}

fn words(place: &[&str], then: &Value, now: &Value) -> String {
    match place {
        ["pack", "ops", op] if now.is_null() => format!("the pack no longer has op `{op}`"),
        ["pack", "ops", op] if then.is_null() => format!("the pack has a new op `{op}`"),
        ["pack", "ops", op] => format!("op `{op}` has changed"),
        ["pack", "root"] => "root.lua has changed".to_string(),
        ["pack", "features"] => "features.lua has changed".to_string(),
        ["pack", "manifest"] => "pack.toml has changed".to_string(),
        ["pack", "name"] => format!("it was pack {then}, this is {now}"),
        ["data", "corpus"] => "tasks or outputs are other ones".to_string(),
        ["data", "split"] => "train, dev and test are other ones".to_string(),
        [.., option] => format!("{} was {then} and is {now}", option.replace('_', " ")),
        [] => "its header".to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_said_in_words() {
        let header = |seed: u64, op: &str, more: &[&str]| {
            let ops: Map<String, Value> = more.iter().map(|name| (name.to_string(), json!("1"))).collect();
            let mut ops = Value::Object(ops);
            ops["a"] = json!(op);
            json!({"pack": {"name": "code", "ops": ops}, "options": {"seed": seed, "constants": {"idle_rounds": 2}}})
        };
        assert_eq!(differences(&header(0, "x", &["b"]), &header(0, "x", &["b"])), Vec::<String>::new());
        let found = differences(&header(0, "x", &["b"]), &header(1, "y", &["c"]));
        let expected = [
            "the pack no longer has op `b`",
            "op `a` has changed",
            "the pack has a new op `c`",
            "seed was 0 and is 1",
        ];
        assert_eq!(found, expected);
    }
}
