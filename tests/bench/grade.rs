//! Verdicts a second of the code pack's static ops: cold, on two threads, against a bare parse of the same texts; and
//! from the disk cache, opened anew.
//!
//! Real texts of `../shared/data/code` where they are, else of `fixtures/code`.

use std::path::Path;
use std::time::{Duration, Instant};

use gradus::dataset::Corpus;
use gradus::grade::{Grader, Group};
use gradus::pack::Pack;
use gradus::parse::python;
use gradus::script::Tier;
use gradus::store::Store;

const RUNS: usize = 9;

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let real = root.join("../shared/data/code");
    let folder = if real.is_dir() { real } else { root.join("fixtures/code") };
    let corpus = Corpus::load(&folder.join("tasks.jsonl"), &folder.join("outputs.jsonl")).expect("the texts are there");
    let pack = Pack::load(root.join("packs/code")).expect("the pack is there");
    let is_static = |tier: Tier| tier == Tier::Static;
    let ops: Vec<_> =
        pack.ops().iter().filter(|op| op.op().is_some_and(|meta| is_static(meta.tier))).cloned().collect();
    let groups: Vec<Group> = (0..corpus.tasks().len()).map(|task| Group::of(&corpus, task)).collect();
    let verdicts = corpus.outputs().len() * ops.len();
    println!("{} texts, {} static ops, {verdicts} verdicts, median of {RUNS} runs", corpus.outputs().len(), ops.len());

    let parse = median(|| {
        for output in corpus.outputs() {
            std::hint::black_box(python::parse(output.text.clone()));
        }
    });
    let cold = |threads| {
        median(|| {
            let store = Store::in_memory().expect("memory is there");
            Grader::new(&pack, &store).threads(threads).matrix(&groups, &ops).expect("grading works");
        })
    };
    let (one, two) = (cold(1), cold(2));
    let dir = tempfile::tempdir().expect("a temporary folder can be made");
    let path = dir.path().join("cache.sqlite");
    let store = Store::open(&path).expect("a cache can be made");
    Grader::new(&pack, &store).matrix(&groups, &ops).expect("grading works");
    drop(store);
    let warm = median(|| {
        let store = Store::open(&path).expect("the cache is there");
        Grader::new(&pack, &store).threads(2).matrix(&groups, &ops).expect("grading works");
    });

    let rate = |time: Duration| verdicts as f64 / time.as_secs_f64();
    println!("bare parse of every text, one thread  {:>8.1} ms", parse.as_secs_f64() * 1e3);
    println!(
        "cold, one thread                      {:>8.1} ms  {:>9.0} verdicts/s",
        one.as_secs_f64() * 1e3,
        rate(one)
    );
    println!(
        "cold, two threads                     {:>8.1} ms  {:>9.0} verdicts/s",
        two.as_secs_f64() * 1e3,
        rate(two)
    );
    println!(
        "from the disk cache, opened anew      {:>8.1} ms  {:>9.0} verdicts/s",
        warm.as_secs_f64() * 1e3,
        rate(warm)
    );
    println!("cold one thread / bare parse          {:>8.2}", one.as_secs_f64() / parse.as_secs_f64());
}

fn median(mut work: impl FnMut()) -> Duration {
    work();
    let mut times: Vec<Duration> = (0..RUNS)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed()
        })
        .collect();
    times.sort_unstable();
    times[RUNS / 2]
}
