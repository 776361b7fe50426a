//! `gradus grade`: a metric's verdict on every output of a file.

use std::io::Write;
use std::path::PathBuf;

use crate::base::{Kind, Result};
use crate::cli::SAYS_NO;
use crate::cli::export::{self, Record};
use crate::cli::settings::Settings;
use crate::cli::source::Source;
use crate::cli::table::{count, plural};
use crate::cli::talk;
use crate::dataset::Corpus;
use crate::grade::metric::Depth;
use crate::grade::{Grader, Group, Metric};

/// Apply a metric to outputs
///
/// Prints one line an output: its verdict, and for a failure the drawbacks found. Exits with 100 when an output failed,
/// with 3 when none failed but some could not be judged.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  gradus grade RUN/metric.json --tasks tasks.jsonl --outputs outputs.jsonl
  gradus grade --pack packs/code --expr '(any crashes_on_example fails_example)' \\
      --tasks tasks.jsonl --outputs outputs.jsonl -o grades.sarif")]
pub struct Args {
    #[command(flatten)]
    source: Source,
    /// Print one JSON object an output
    #[arg(long)]
    json: bool,
    /// Run every leaf, even where the verdict is already fixed
    #[arg(long)]
    every_leaf: bool,
    /// Write the grades to a file: .json, .jsonl, .csv, .junit.xml, .sarif or .md
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Outputs that are graded, and printed, together.
const CHUNK: usize = 400;

pub fn run(args: &Args, settings: &Settings) -> Result<u8> {
    if let Some(path) = &args.output {
        export::check_name(path)?;
    }
    let metric = args.source.metric()?;
    let corpus = args.source.corpus()?;
    talk::listen_for_stop()?;
    let records = grade(&metric, &corpus, args, settings)?;
    if let Some(path) = &args.output {
        export::write(&records, path)?;
    }
    let of = |verdict: &str| records.iter().filter(|record| record.verdict == verdict).count();
    let (failed, faults) = (of("fail"), of("fault"));
    let abstained = records.iter().filter(|record| record.abstained).count();
    talk::note(&format!(
        "{}: {} passed{}, {} failed, {} could not be judged",
        plural(records.len(), "output"),
        count(of("pass")),
        if abstained == 0 { String::new() } else { format!(" ({} without an opinion)", count(abstained)) },
        count(failed),
        count(faults)
    ));
    Ok(if failed > 0 {
        SAYS_NO
    } else if faults > 0 {
        3
    } else {
        0
    })
}

fn grade(metric: &Metric, corpus: &Corpus, args: &Args, settings: &Settings) -> Result<Vec<Record>> {
    let store = settings.store()?;
    let bar = talk::Bar::new("grading", corpus.outputs().len());
    let grader =
        Grader::new(metric.pack(), &store).threads(settings.threads).python(settings.python.clone()).progress(&bar);
    let depth = if args.every_leaf { Depth::EveryLeaf } else { Depth::Verdict };
    let mut stdout = std::io::BufWriter::new(std::io::stdout().lock());
    let mut records = Vec::new();
    for tasks in chunks(corpus) {
        let groups: Vec<Group> = tasks.iter().map(|task| Group::of(corpus, *task)).collect();
        let grades = metric.grade_with(&grader, groups, depth)?;
        for (task, grades) in tasks.iter().zip(grades) {
            for (output, grade) in corpus.outputs_of(*task).iter().zip(grades.into_iter().flatten()) {
                let record = Record::new(&corpus.outputs()[*output].id, &corpus.tasks()[*task].id, &grade);
                heard(print(&mut stdout, &record, args.json), args)?;
                records.push(record);
            }
        }
        bar.finished(records.len());
    }
    heard(stdout.flush(), args)?;
    talk::trouble(&grader, &store);
    Ok(records)
}

/// A reader that left ends the command, unless a file was asked for too.
fn heard(printed: std::io::Result<()>, args: &Args) -> Result<()> {
    match printed.map_err(|error| talk::not_written(&error)) {
        Err(error) if error.kind() == Kind::Unheard && args.output.is_some() => Ok(()),
        other => other,
    }
}

/// Whole tasks, about `CHUNK` outputs at a time.
fn chunks(corpus: &Corpus) -> Vec<Vec<usize>> {
    let mut chunks: Vec<Vec<usize>> = Vec::new();
    let mut outputs = CHUNK;
    for task in 0..corpus.tasks().len() {
        if outputs >= CHUNK {
            chunks.push(Vec::new());
            outputs = 0;
        }
        outputs += corpus.outputs_of(task).len();
        if let Some(chunk) = chunks.last_mut() {
            chunk.push(task);
        }
    }
    chunks
}

fn print(out: &mut impl Write, record: &Record, as_json: bool) -> std::io::Result<()> {
    if as_json {
        serde_json::to_writer(&mut *out, record)?;
        return writeln!(out);
    }
    let note = if record.abstained { vec!["no opinion".to_string()] } else { record.reasons() };
    let line = format!("{:<5}  {}  {}", record.verdict, record.output, note.join("; "));
    writeln!(out, "{}", line.trim_end())
}
