//! `gradus diff`: which outputs two metrics judge differently, and which leaves make the difference.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::audit::flips::{Cause, Crossing, Paired, Word, causes};
use crate::base::{Error, Result};
use crate::cli::settings::Settings;
use crate::cli::table::{Side, count, plural, table};
use crate::cli::{SAYS_NO, talk};
use crate::dataset::{Corpus, OUTPUTS, TASKS, read_labels};
use crate::grade::{Depth, Grade, Grader, Group, Metric};
use crate::pack::bundle::METRIC;
use crate::store::{DATABASE, RunFile, Store};

/// Compare two metrics output by output
///
/// Names every output that passes under one metric and not under the other, with the leaves that decide it. A leaf
/// decides where the verdict would be another without it, or with its opposite. Exits with 0 when nothing flips and
/// with 100 when something does.
///
/// Whether the difference could be chance is McNemar's exact test: with --labels on which metric is right, without on
/// which metric passes.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  gradus diff runs/a runs/b
  gradus diff runs/a/metric.json runs/b/metric.json --tasks tasks.jsonl --outputs outputs.jsonl
  gradus diff runs/a runs/b --tasks tasks.jsonl --outputs outputs.jsonl --labels labels.jsonl")]
pub struct Args {
    /// A run's folder, or a metric bundle
    a: PathBuf,
    /// Another
    b: PathBuf,
    /// Tasks, one JSON object a line [default: those that run A was made on]
    #[arg(long, value_name = "FILE", requires = "outputs")]
    tasks: Option<PathBuf>,
    /// Outputs, one JSON object a line [default: those that run A was made on]
    #[arg(long, value_name = "FILE", requires = "tasks")]
    outputs: Option<PathBuf>,
    /// Labels of outputs, some or all of them
    #[arg(long, value_name = "FILE")]
    labels: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args, settings: &Settings) -> Result<u8> {
    let (a, b) = (Metric::read(bundle(&args.a)?)?, Metric::read(bundle(&args.b)?)?);
    let corpus = corpus(args)?;
    let labels = args.labels.as_ref().map(|path| read_labels(path, corpus.outputs())).transpose()?;
    talk::listen_for_stop()?;
    let store = settings.store()?;
    let grades = [grades(&a, &corpus, &store, settings)?, grades(&b, &corpus, &store, settings)?];
    let diff = Diff { corpus: &corpus, metrics: [&a, &b], grades: &grades, labels };
    if args.json {
        say!("{}\n", diff.facts(args));
    } else {
        say!("{}", diff.report(args));
    }
    Ok(if diff.flips().is_empty() { 0 } else { SAYS_NO })
}

/// The bundle that a path stands for.
fn bundle(path: &Path) -> Result<PathBuf> {
    if !path.is_dir() {
        return Ok(path.to_owned());
    }
    let metric = path.join(METRIC);
    match metric.is_file() {
        true => Ok(metric),
        false => Err(Error::failure(format!("there is no {METRIC} in this folder"))
            .at(path, None)
            .help("Name a run whose metric is written, or a metric bundle")),
    }
}

fn corpus(args: &Args) -> Result<Corpus> {
    if let (Some(tasks), Some(outputs)) = (&args.tasks, &args.outputs) {
        return Corpus::load(tasks, outputs);
    }
    let folder = place(&args.a)?;
    let corpus = Corpus::load(&folder.join(TASKS), &folder.join(OUTPUTS))?;
    let bundle = crate::pack::Bundle::read(&bundle(&args.a)?)?;
    match bundle.provenance.get("corpus").and_then(Value::as_str) {
        Some(then) if then != corpus.fingerprint().to_string() => {
            Err(Error::failure("the data here is not what the run was made on")
                .at(folder, None)
                .help("Restore it, or name data with --tasks and --outputs"))
        }
        _ => Ok(corpus),
    }
}

/// Where the data of a run lies, as the run was told.
fn place(a: &Path) -> Result<PathBuf> {
    let unknown = |why: &str| {
        Error::usage(format!("{why}, so there are no outputs to compare on"))
            .at(a, None)
            .help("Name them with --tasks and --outputs")
    };
    let run = if a.is_dir() { a } else { a.parent().unwrap_or(a) };
    if !run.join(DATABASE).is_file() {
        return Err(unknown("this is not the metric of a run"));
    }
    let run = RunFile::read(run)?;
    let named = ["data", "pool"].iter().find_map(|key| run.place().get(key)?.as_str());
    let folder = PathBuf::from(named.ok_or_else(|| unknown("this run does not say where its data lies"))?);
    match folder.is_dir() {
        true => Ok(folder),
        false => Err(unknown(&format!("the run's data is no longer at {}", folder.display()))),
    }
}

/// A grade for each output, in the corpus' order, with every leaf run.
fn grades(metric: &Metric, corpus: &Corpus, store: &Store, settings: &Settings) -> Result<Vec<Grade>> {
    let bar = talk::Bar::new("grading", corpus.outputs().len());
    let grader = Grader::new(metric.pack(), store)
        .threads(settings.threads)
        .python(settings.python.clone())
        .databases(settings.databases.clone())
        .progress(&bar);
    let groups: Vec<Group> = (0..corpus.tasks().len()).map(|task| Group::of(corpus, task)).collect();
    let by_task = metric.grade_with(&grader, groups, Depth::EveryLeaf)?;
    talk::trouble(&grader, store);
    let mut grades = vec![None; corpus.outputs().len()];
    for (task, of_task) in by_task.into_iter().enumerate() {
        for (output, grade) in corpus.outputs_of(task).iter().zip(of_task) {
            grades[*output] = grade;
        }
    }
    grades.into_iter().collect::<Option<Vec<_>>>().ok_or_else(|| Error::failure("an output was not graded"))
}

/// Two metrics on the same outputs.
struct Diff<'a> {
    corpus: &'a Corpus,
    metrics: [&'a Metric; 2],
    grades: &'a [Vec<Grade>; 2],
    labels: Option<Vec<Option<bool>>>,
}

impl Diff<'_> {
    fn words(&self) -> Vec<(Word, Word)> {
        let [a, b] = self.grades;
        a.iter().zip(b).map(|(a, b)| (Word::of(a.outcome), Word::of(b.outcome))).collect()
    }

    /// Positions of the outputs that flip, with both words.
    fn flips(&self) -> Vec<(usize, [Word; 2])> {
        let words = self.words().into_iter().enumerate();
        words.filter(|(_, (a, b))| a != b).map(|(output, (a, b))| (output, [a, b])).collect()
    }

    fn causes(&self, side: usize, output: usize) -> Vec<Cause> {
        causes(self.metrics[side].expression(), &self.grades[side][output])
    }

    fn label(&self, output: usize) -> Option<&'static str> {
        let pass = self.labels.as_ref()?[output]?;
        Some(if pass { Word::Pass.text() } else { Word::Fail.text() })
    }

    fn paired(&self) -> Paired {
        match &self.labels {
            Some(labels) => Paired::by_labels(&self.words(), labels),
            None => Paired::by_verdicts(&self.words()),
        }
    }

    fn facts(&self, args: &Args) -> Value {
        let crossing = Crossing::of(self.words());
        let pairs = Word::ALL.into_iter().flat_map(|a| Word::ALL.map(|b| (a, b)));
        let counts: serde_json::Map<String, Value> =
            pairs.map(|(a, b)| (format!("{}_to_{}", a.text(), b.text()), json!(crossing.get(a, b)))).collect();
        let side = |side: usize, path: &Path| json!({"from": path.display().to_string(), "metric": self.metrics[side].expression().to_string()});
        let paired = self.paired();
        let on = if self.labels.is_some() { "labels" } else { "verdicts" };
        json!({
            "a": side(0, &args.a),
            "b": side(1, &args.b),
            "outputs": self.corpus.outputs().len(),
            "counts": counts,
            "mcnemar": {"on": on, "items": paired.items, "only_a": paired.only_a, "only_b": paired.only_b,
                        "p": paired.p},
            "flips": self.flips().into_iter().map(|flip| self.flip_facts(flip)).collect::<Vec<_>>(),
        })
    }

    fn flip_facts(&self, (output, [a, b]): (usize, [Word; 2])) -> Value {
        let because = |side: usize| {
            let fact = move |cause: Cause| {
                json!({
                    "side": SIDES[side], "op": cause.op, "verdict": cause.verdict.word(),
                    "message": cause.verdict.message(), "decisive": cause.decisive,
                })
            };
            self.causes(side, output).into_iter().map(fact).collect::<Vec<_>>()
        };
        let of = &self.corpus.outputs()[output];
        let because = [because(0), because(1)].concat();
        json!({
            "output": of.id, "task": self.corpus.tasks()[of.task].id, "a": a.text(), "b": b.text(),
            "label": self.label(output), "because": because,
        })
    }

    fn report(&self, args: &Args) -> String {
        let mut text = String::new();
        for (side, path) in [&args.a, &args.b].into_iter().enumerate() {
            text += &format!("{}  {}  ({})\n", SIDES[side], self.metrics[side].expression(), path.display());
        }
        let flips = self.flips();
        let outputs = self.corpus.outputs().len();
        text += &format!(
            "\n{}, {}.\n",
            plural(outputs, "output"),
            match flips.len() {
                0 => "none of which flips".to_owned(),
                1 => "1 of which flips".to_owned(),
                n => format!("{} of which flip", count(n)),
            }
        );
        text += &format!("{}\n", self.crossing_words());
        text += &self.paired_words();
        if !flips.is_empty() {
            text += &format!("\n{}", self.flips_table(&flips));
        }
        text
    }

    fn crossing_words(&self) -> String {
        let crossing = Crossing::of(self.words());
        let head = [("", Side::Left), ("B passes", Side::Right), ("B fails", Side::Right), ("B faults", Side::Right)];
        let rows: Vec<Vec<String>> = [(Word::Pass, "A passes"), (Word::Fail, "A fails"), (Word::Fault, "A faults")]
            .into_iter()
            .map(|(a, title)| {
                let counts = Word::ALL.map(|b| count(crossing.get(a, b)));
                [title.to_owned()].into_iter().chain(counts).collect()
            })
            .collect();
        format!("\n{}", table(&head, &rows))
    }

    fn paired_words(&self) -> String {
        let Paired { items, only_a, only_b, p } = self.paired();
        let (what, of) = match self.labels {
            Some(_) => ("is right", "labelled outputs"),
            None => ("passes", "outputs that both can judge"),
        };
        format!(
            "On {} {of}, A alone {what} on {} and B alone on {}; exact McNemar p = {p:.3}.\n",
            count(items),
            count(only_a),
            count(only_b)
        )
    }

    fn flips_table(&self, flips: &[(usize, [Word; 2])]) -> String {
        let mut head = vec![("output", Side::Left), ("A", Side::Left), ("B", Side::Left)];
        if self.labels.is_some() {
            head.push(("label", Side::Left));
        }
        head.push(("because", Side::Left));
        let row = |(output, [a, b]): &(usize, [Word; 2])| {
            let mut row = vec![self.corpus.outputs()[*output].id.clone(), a.text().to_owned(), b.text().to_owned()];
            if self.labels.is_some() {
                row.push(self.label(*output).unwrap_or("-").to_owned());
            }
            let sides = (0..2).map(|side| because(SIDES[side], &self.causes(side, *output)));
            row.push(sides.filter(|words| !words.is_empty()).collect::<Vec<_>>().join(" / "));
            row
        };
        table(&head, &flips.iter().map(row).collect::<Vec<_>>())
    }
}

const SIDES: [&str; 2] = ["A", "B"];

/// What decides a side's word; where nothing does by itself, all that speaks for it.
fn because(side: &str, causes: &[Cause]) -> String {
    let word = |cause: &&Cause| {
        let words = cause.verdict.message().map_or(String::new(), |message| format!(": {message}"));
        match cause.verdict.is_drawback() {
            true => format!("{}{words}", cause.op),
            false => format!("{} {}{words}", cause.op, cause.verdict.word()),
        }
    };
    let decisive: Vec<String> = causes.iter().filter(|cause| cause.decisive).map(|cause| word(&cause)).collect();
    if !decisive.is_empty() {
        return format!("{side} by {}", decisive.join("; "));
    }
    let all: Vec<String> = causes.iter().map(|cause| word(&cause)).collect();
    match all.is_empty() {
        true => String::new(),
        false => format!("{side} by none alone of {}", all.join("; ")),
    }
}
