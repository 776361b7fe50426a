//! Time an output and peak memory of `gradus grade` as a file of distinct outputs grows: 1,000 to 1,000,000 outputs,
//! twenty a task, the code pack's four static ops, no cache, one export.
//!
//! Each size is one process of the built command on files made here from `fixtures/code`. What the process takes for one
//! output alone is its start, and is not counted. `cargo bench --bench scale -- 10000` stops at ten thousand.

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use gradus::dataset::Corpus;
use serde_json::json;

const SIZES: [usize; 4] = [1_000, 10_000, 100_000, 1_000_000];
const OUTPUTS_A_TASK: usize = 20;
const METRIC: &str = "(any no_value prints_not_returns shadowed_entry hard_coded_example)";
/// Small sizes are the median of more runs.
const OUTPUTS_A_SIZE: usize = 20_000;

fn main() {
    let most = std::env::args().skip(1).find_map(|arg| arg.parse().ok()).unwrap_or(usize::MAX);
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let fixtures = root.join("fixtures/code");
    let corpus = Corpus::load(&fixtures.join("tasks.jsonl"), &fixtures.join("outputs.jsonl")).expect("they are there");
    let dir = tempfile::tempdir().expect("a temporary folder can be made");
    println!("{METRIC}, {OUTPUTS_A_TASK} outputs a task, two threads, no cache");

    write_pool(dir.path(), &corpus, 1);
    let start = median(15, || grade(root, dir.path(), 1)).0;
    println!("start, with one output: {:.1} ms\n", start.as_secs_f64() * 1e3);
    println!("{:>9}  {:>8}  {:>12}  {:>10}  {:>10}", "outputs", "seconds", "us an output", "outputs/s", "peak MiB");
    for size in SIZES.into_iter().filter(|size| *size <= most) {
        write_pool(dir.path(), &corpus, size);
        let runs = (OUTPUTS_A_SIZE / size).clamp(1, 15);
        let (time, peak) = median(runs, || grade(root, dir.path(), size));
        let each = (time.saturating_sub(start)).as_secs_f64() / size as f64;
        println!(
            "{size:>9}  {:>8.2}  {:>12.1}  {:>10.0}  {:>10.1}",
            time.as_secs_f64(),
            each * 1e6,
            1.0 / each,
            peak as f64 / 1024.0
        );
    }
}

/// Writes tasks and outputs until there are `size` outputs: those of the fixtures over and over, each made distinct.
fn write_pool(dir: &Path, corpus: &Corpus, size: usize) {
    let create = |name: &str| BufWriter::new(File::create(dir.join(name)).expect("the folder can be written"));
    let (mut tasks, mut outputs) = (create("tasks.jsonl"), create("outputs.jsonl"));
    for n in 0..size.div_ceil(OUTPUTS_A_TASK) {
        let origin = n % corpus.tasks().len();
        let mut task = corpus.tasks()[origin].fields.clone();
        task["id"] = json!(format!("task-{n}"));
        writeln!(tasks, "{task}").expect("there is room");
        let texts = corpus.outputs_of(origin);
        for k in 0..OUTPUTS_A_TASK.min(size - n * OUTPUTS_A_TASK) {
            let text = &corpus.outputs()[texts[k % texts.len()]].text;
            let text = format!("{}\n# answer {k} to task {n}\n", text.trim_end());
            let id = format!("task-{n}#{k:02}");
            let line = json!({"id": id, "task": format!("task-{n}"), "solver": format!("solver-{k}"), "text": text});
            writeln!(outputs, "{line}").expect("there is room");
        }
    }
    tasks.flush().and_then(|()| outputs.flush()).expect("there is room");
}

/// Grades the pool in a process of its own: its wall time, and its peak resident memory in KiB.
#[expect(clippy::zombie_processes, reason = "wait4 waits for it, and tells what it used")]
fn grade(root: &Path, dir: &Path, size: usize) -> (Duration, i64) {
    let begun = Instant::now();
    let child = Command::new(env!("CARGO_BIN_EXE_gradus"))
        .args(["grade", "--no-cache", "--threads", "2", "--every-leaf", "--expr", METRIC, "--pack"])
        .arg(root.join("packs/code"))
        .args(["--tasks", "tasks.jsonl", "--outputs", "outputs.jsonl", "-o", "grades.jsonl"])
        .current_dir(dir)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the command starts");
    let (mut status, mut usage) = (0, std::mem::MaybeUninit::<libc::rusage>::zeroed());
    // SAFETY: the process is our child, nobody else waits for it, and both places are ours.
    let waited = unsafe { libc::wait4(child.id() as i32, &mut status, 0, usage.as_mut_ptr()) };
    let time = begun.elapsed();
    assert!(waited > 0 && libc::WIFEXITED(status), "the command ends by itself");
    assert!([0, 100].contains(&libc::WEXITSTATUS(status)), "exit code {}", libc::WEXITSTATUS(status));
    assert_eq!(lines(&dir.join("grades.jsonl")), size);
    // SAFETY: zeroed at first and filled by the call above.
    (time, unsafe { usage.assume_init() }.ru_maxrss)
}

/// Counted within little memory, since a child's peak begins at its parent's.
fn lines(path: &Path) -> usize {
    let file = BufReader::new(File::open(path).expect("the grades were written"));
    file.split(b'\n').try_fold(0, |lines, line| line.map(|_| lines + 1)).expect("the grades can be read")
}

/// The median time of some runs, and the highest peak.
fn median(runs: usize, mut run: impl FnMut() -> (Duration, i64)) -> (Duration, i64) {
    let (mut times, peaks): (Vec<Duration>, Vec<i64>) = (0..runs).map(|_| run()).unzip();
    times.sort_unstable();
    (times[runs / 2], peaks.into_iter().max().unwrap_or(0))
}
