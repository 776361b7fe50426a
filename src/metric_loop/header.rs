//! What a run is a run of: pack, data and options, as far as its result depends on them.
//!
//! Two runs with equal headers make equal events; a run is resumed under an equal header only. No paths, no threads.

use serde_json::{Map, Value, json};

use crate::base::Id;
use crate::dataset::Dataset;
use crate::metric_loop::options::Options;
use crate::pack::Pack;
use crate::script::API_VERSION;

/// The header of a run. `environment` is what candidates run in.
pub fn header(pack: &Pack, dataset: &Dataset, options: &Options, environment: Option<Id>) -> Value {
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
            "sealed_labels": dataset.seal(),
        },
        "python_and_sandbox": environment.map(|id| id.to_string()),
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
