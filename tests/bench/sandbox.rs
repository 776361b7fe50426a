//! Times the sandbox on the reference data: every output against every hidden input, stopping at the first failure.
//!
//! `sandbox DATA [EVERY]` prints one line an output, `id <tab> pass|fail <tab> milliseconds`, for `sandbox_vs_evalplus.py` to
//! compare. Expectations come from the canonical solutions, observed in the same sandbox.

use std::collections::HashMap;
use std::fs;
use std::num::NonZero;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use gradus::observe::{Observation, Status, Value, compare};
use gradus::sandbox::{Config, Job, Limits, Probe, Sandbox};
use serde_json::Value as Json;

/// As the checker that it is compared with: both workers, a second a call, the same memory.
const WORKERS: usize = 2;
const MEMORY_MB: u32 = 4096;

struct Task {
    probes: Vec<Probe>,
    expected: Vec<Option<Observation>>,
    tolerance: f64,
    as_set: bool,
}

fn main() {
    let mut args = std::env::args().skip(1).filter(|arg| !arg.starts_with("--"));
    let data = args.next().unwrap_or_else(|| "../shared/data/code".into());
    let every: usize = args.next().and_then(|text| text.parse().ok()).unwrap_or(1);
    if !Path::new(&data).exists() {
        println!("skipped: there is no {data}");
        return;
    }
    let limits = Limits { memory_mb: MEMORY_MB, timeouts: 1, ..Limits::default() };
    let workers = NonZero::new(WORKERS);
    let config = Config { prelude: "from typing import *".into(), limits, workers, ..Config::default() };
    let sandbox = Sandbox::start(config).unwrap_or_else(|missing| panic!("{missing}"));
    let tasks = tasks(&sandbox, &data);
    let outputs: Vec<Json> = lines(&data, "outputs.jsonl").into_iter().step_by(every).collect();
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                while let Some(output) = outputs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let started = Instant::now();
                    let pass = passes(&sandbox, &tasks[text(output, "task")], text(output, "text"));
                    let spent = started.elapsed().as_secs_f64() * 1000.0;
                    println!("{}\t{}\t{spent:.3}", text(output, "id"), if pass { "pass" } else { "fail" });
                }
            });
        }
    });
}

fn tasks(sandbox: &Sandbox, data: &str) -> HashMap<String, Task> {
    let references = lines(data, "reference.jsonl");
    let task = |reference: &Json| {
        let inputs = reference["inputs"].as_array().unwrap().iter().map(|input| input.as_str().unwrap());
        let name = text(reference, "entry_point");
        let probes: Vec<Probe> = inputs.map(|args| Probe::Call { name: name.into(), args: args.into() }).collect();
        let job = Job { source: Arc::from(text(reference, "canonical_solution")), world: 0, probes: probes.clone() };
        let expected = sandbox.run(&[job], &|_| {}).unwrap().remove(0);
        let odd = expected.iter().filter(|seen| seen.as_ref().is_none_or(|seen| seen.status != Status::Value)).count();
        if odd > 0 {
            eprintln!("{}: {odd} expectations are not plain values", text(reference, "task"));
        }
        let tolerance = reference["atol"].as_f64().unwrap();
        Task { probes, expected, tolerance, as_set: reference["comparison"] == "set" }
    };
    references.iter().map(|reference| (text(reference, "task").to_owned(), task(reference))).collect()
}

fn passes(sandbox: &Sandbox, task: &Task, source: &str) -> bool {
    let job = Job { source: Arc::from(source), world: 0, probes: task.probes.clone() };
    let mut right = 0;
    let stop = &mut |probe: usize, seen: &Observation| {
        let agrees = match (&seen.value, task.expected[probe].as_ref().and_then(|expected| expected.value.as_ref())) {
            (Some(value), Some(expected)) => task.accepts(value, expected),
            _ => false,
        };
        right += usize::from(agrees);
        !agrees
    };
    sandbox.run_until(&job, stop).unwrap();
    right == task.probes.len()
}

impl Task {
    fn accepts(&self, value: &Value, expected: &Value) -> bool {
        if self.as_set {
            return compare::set_equal(value, expected);
        }
        if compare::equal(value, expected) {
            return true;
        }
        let floats = is_float(expected) || expected.items().is_some_and(|items| items.iter().all(is_float));
        let tolerant = self.tolerance != 0.0 || floats;
        tolerant
            && value.type_name() == expected.type_name()
            && compare::close(value, expected, self.tolerance.max(1e-6), 1e-7)
    }
}

fn is_float(value: &Value) -> bool {
    matches!(value, Value::Float(_))
}

fn lines(data: &str, file: &str) -> Vec<Json> {
    let text = fs::read_to_string(Path::new(data).join(file)).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn text<'j>(object: &'j Json, key: &str) -> &'j str {
    object[key].as_str().unwrap()
}
