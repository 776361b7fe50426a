//! `gradus grade`: a metric's verdict on every output of a file.

use std::io::Write;
use std::path::PathBuf;

use crate::base::{Kind, Result};
use crate::cli::SAYS_NO;
use crate::cli::export::{Counts, Export, Record};
use crate::cli::settings::Settings;
use crate::cli::source::Source;
use crate::cli::table::{count, plural};
use crate::cli::talk;
use crate::dataset::Stream;
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

/// Outputs that are read, graded and printed together.
const PIECE: usize = 400;

pub fn run(args: &Args, settings: &Settings) -> Result<u8> {
    let export = args.output.as_deref().map(Export::new).transpose()?;
    let metric = args.source.metric()?;
    let stream = args.source.stream()?;
    talk::listen_for_stop()?;
    let counts = grade(&metric, stream, export, args, settings)?;
    let Counts { passed, abstained, failed, faults } = counts;
    talk::note(&format!(
        "{}: {} passed{}, {} failed, {} could not be judged",
        plural(counts.total(), "output"),
        count(passed),
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

/// Grades piece by piece: nothing of a piece is held once its records are written.
fn grade(
    metric: &Metric,
    mut stream: Stream,
    mut export: Option<Export>,
    args: &Args,
    settings: &Settings,
) -> Result<Counts> {
    let store = settings.store()?;
    let bar = talk::Bar::new("grading", stream.outputs());
    let grader = Grader::new(metric.pack(), &store)
        .threads(settings.threads)
        .python(settings.python.clone())
        .databases(settings.databases.clone())
        .progress(&bar);
    let depth = if args.every_leaf { Depth::EveryLeaf } else { Depth::Verdict };
    let mut stdout = std::io::BufWriter::new(std::io::stdout().lock());
    let mut counts = Counts::default();
    for piece in stream.pieces(PIECE) {
        let piece = piece?;
        let groups = (0..piece.tasks().len()).map(|task| Group::of(&piece, task)).collect();
        for (task, grades) in metric.grade_with(&grader, groups, depth)?.into_iter().enumerate() {
            for (output, grade) in piece.outputs_of(task).iter().zip(grades.into_iter().flatten()) {
                let record = Record::new(&piece.outputs()[*output].id, &piece.tasks()[task].id, &grade);
                heard(print(&mut stdout, &record, args.json), args)?;
                export.as_mut().map_or(Ok(()), |export| export.add(&record))?;
                counts.add(&record);
            }
        }
        bar.finished(counts.total());
        store.forget()?;
    }
    heard(stdout.flush(), args)?;
    talk::trouble(&grader, &store);
    export.map_or(Ok(()), Export::finish)?;
    Ok(counts)
}

/// A reader that left ends the command, unless a file was asked for too.
fn heard(printed: std::io::Result<()>, args: &Args) -> Result<()> {
    match printed.map_err(|error| talk::not_written(&error)) {
        Err(error) if error.kind() == Kind::Unheard && args.output.is_some() => Ok(()),
        other => other,
    }
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
