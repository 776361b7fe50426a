//! The code pack, and a few tasks of its fixtures that are quick to run.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// Tasks with both classes among their outputs and nothing that runs into a time limit.
const TASKS: [&str; 8] = [
    "border-sum",
    "initials",
    "invert-index",
    "longest-plateau",
    "majority-vote",
    "minutes-between",
    "shared-letters",
    "weighted-mean",
];

pub fn code_pack() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("packs/code")
}

/// A pool of eight tasks of fixtures/code, as they are there.
pub fn code_pool(dir: &Path) -> PathBuf {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/code");
    let to = dir.join("pool");
    fs::create_dir_all(&to).unwrap();
    for (file, key) in [("tasks.jsonl", "id"), ("outputs.jsonl", "task"), ("labels.jsonl", "output")] {
        let text = fs::read_to_string(from.join(file)).unwrap();
        let kept: String = text.lines().filter(|line| is_kept(line, key)).map(|line| format!("{line}\n")).collect();
        fs::write(to.join(file), kept).unwrap();
    }
    to
}

fn is_kept(line: &str, key: &str) -> bool {
    let record: Value = serde_json::from_str(line).unwrap();
    let name = record[key].as_str().unwrap();
    TASKS.contains(&name.split('#').next().unwrap())
}
