//! Verdicts a second of the code pack's static ops: cold, on two threads, against a bare parse of the same texts; and
//! from the disk cache, each time in a new process.
//!
//! Real texts of `../shared/data/code` where they are, else of `fixtures/code`.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use gradus::dataset::Corpus;
use gradus::grade::{Grader, Group};
use gradus::pack::Pack;
use gradus::parse::python;
use gradus::script::Tier;
use gradus::store::Store;

const RUNS: usize = 9;
/// The argument, before a cache's path, that makes this program one timed reader of it.
const FROM_CACHE: &str = "--from-cache";

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

    if let Some(cache) = std::env::args().skip_while(|arg| arg != FROM_CACHE).nth(1) {
        let start = Instant::now();
        let store = Store::open(Path::new(&cache)).expect("the cache is there");
        Grader::new(&pack, &store).threads(2).matrix(&groups, &ops).expect("grading works");
        println!("{}", start.elapsed().as_nanos());
        return;
    }
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
    let warm = middle((0..RUNS).map(|_| in_a_new_process(&path)).collect());

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
        "from the disk cache, new process      {:>8.1} ms  {:>9.0} verdicts/s",
        warm.as_secs_f64() * 1e3,
        rate(warm)
    );
    println!("cold one thread / bare parse          {:>8.2}", one.as_secs_f64() / parse.as_secs_f64());
}

/// Opens the cache and grades from it; what the new process takes to load pack and texts is not counted.
fn in_a_new_process(cache: &Path) -> Duration {
    let own = std::env::current_exe().expect("this program has a path");
    let output = Command::new(own).arg(FROM_CACHE).arg(cache).output().expect("it can be started again");
    let nanos = String::from_utf8_lossy(&output.stdout).trim().parse().expect("it prints a time");
    Duration::from_nanos(nanos)
}

fn median(mut work: impl FnMut()) -> Duration {
    work();
    let time = |_| {
        let start = Instant::now();
        work();
        start.elapsed()
    };
    middle((0..RUNS).map(time).collect())
}

fn middle(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}
