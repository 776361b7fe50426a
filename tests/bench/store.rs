//! Verdicts read from the disk cache, opening included: `cargo bench --bench store`.
//!
//! A file of 2,429 rows of 11 verdicts each is written once; every timed run opens it anew and reads all of it.

use std::time::Instant;

use gradus::base::{Id, Span};
use gradus::store::{PackedRow, Store};
use gradus::verdict::{Finding, Verdict};

const OUTPUTS: usize = 2_429;
const OPS: usize = 11;
const RUNS: usize = 21;

fn main() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("cache.sqlite");
    let rows: Vec<Id> = (0..OUTPUTS).map(|n| Id::of("row", [&n.to_le_bytes()[..]])).collect();
    let ops: Vec<Id> = (0..OPS).map(|n| Id::of("op", [&n.to_le_bytes()[..]])).collect();

    let batch: Vec<(Id, PackedRow)> = rows.iter().enumerate().map(|(n, row)| (*row, packed(n, &ops))).collect();
    let start = Instant::now();
    {
        let store = Store::open(&path).expect("a new cache");
        batch.chunks(64).for_each(|chunk| store.put_verdicts(chunk).expect("written"));
    }
    report("write, 64 rows a batch", start.elapsed().as_secs_f64());

    let mut times: Vec<f64> = (0..RUNS)
        .map(|_| {
            let start = Instant::now();
            let store = Store::open(&path).expect("the cache");
            let found = store.verdicts(&rows).expect("read");
            let drawbacks: usize = found
                .iter()
                .flatten()
                .map(|row| ops.iter().filter(|op| row.get(op).is_some_and(Verdict::is_drawback)).count())
                .sum();
            assert_eq!(drawbacks, (OUTPUTS * OPS).div_ceil(3));
            start.elapsed().as_secs_f64()
        })
        .collect();
    times.sort_by(f64::total_cmp);
    report("open and read, median", times[RUNS / 2]);
    report("open and read, slowest", times[RUNS - 1]);
}

fn packed(output: usize, ops: &[Id]) -> PackedRow {
    let mut row = PackedRow::default();
    for (n, op) in ops.iter().enumerate() {
        let verdict = match (output * OPS + n) % 3 {
            0 => Verdict::Drawback(Finding {
                message: format!("returns {output} on the visible example, which asks for another value"),
                span: Some(Span::new(output, output + 40)),
            }),
            1 => Verdict::Clean,
            _ => Verdict::Abstain("the task has no visible example of a plain call".into()),
        };
        row.insert(op, verdict);
    }
    row
}

fn report(what: &str, seconds: f64) {
    let verdicts = (OUTPUTS * OPS) as f64;
    println!("{what}: {:.1} ms, {:.0} verdicts/s", seconds * 1e3, verdicts / seconds);
}
