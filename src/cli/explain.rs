//! `gradus explain`: one verdict, leaf by leaf, with the drawback marked in the output's own text.

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

use crate::base::{Error, Result};
use crate::cli::export::Record;
use crate::cli::settings::Settings;
use crate::cli::source::Source;
use crate::cli::table::{Side, table};
use crate::cli::{SAYS_NO, talk};
use crate::dataset::Corpus;
use crate::expr::Outcome;
use crate::grade::metric::Depth;
use crate::grade::{Grade, Grader, Group, Metric};
use crate::verdict::Verdict;

/// Show why a metric passes or fails one output
#[derive(clap::Args)]
#[command(after_help = "Example:
  gradus explain --pack packs/code --tasks fixtures/code/tasks.jsonl \\
      --outputs fixtures/code/outputs.jsonl --id 'to-base#03'")]
pub struct Args {
    #[command(flatten)]
    source: Source,
    /// The output's id
    #[arg(long, value_name = "OUTPUT")]
    id: String,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args, settings: &Settings) -> Result<u8> {
    let metric = args.source.metric()?;
    let corpus = args.source.corpus()?;
    talk::listen_for_stop()?;
    let output = find_output(&corpus, &args.id)?;
    let grade = grade_one(&metric, &corpus, output, settings)?;
    if args.json {
        let task = &corpus.tasks()[corpus.outputs()[output].task].id;
        say!("{}\n", serde_json::json!(Record::new(&args.id, task, &grade)));
    } else {
        say!("{}", explain(&metric, &corpus, output, &grade));
    }
    Ok(match grade.outcome {
        Outcome::Fail => SAYS_NO,
        Outcome::Fault => 3,
        Outcome::Pass | Outcome::Abstain => 0,
    })
}

/// The position of an output, or an error that says what ids look like here.
pub fn find_output(corpus: &Corpus, id: &str) -> Result<usize> {
    corpus.find_output(id).ok_or_else(|| {
        let like = corpus.outputs().first().map_or("", |output| output.id.as_str());
        Error::usage(format!("there is no output `{id}`")).help(format!("Ids here look like `{like}`"))
    })
}

fn grade_one(metric: &Metric, corpus: &Corpus, output: usize, settings: &Settings) -> Result<Grade> {
    let store = settings.store()?;
    let grader = Grader::new(metric.pack(), &store)
        .threads(settings.threads)
        .python(settings.python.clone())
        .databases(settings.databases.clone());
    let task = corpus.outputs()[output].task;
    let mut group = Group::of(corpus, task);
    for (wanted, position) in group.wanted.iter_mut().zip(corpus.outputs_of(task)) {
        *wanted = *position == output;
    }
    let grades = metric.grade_with(&grader, vec![group], Depth::EveryLeaf)?;
    talk::trouble(&grader, &store);
    let grade = grades.into_iter().flatten().flatten().next();
    grade.ok_or_else(|| Error::failure("the output was not graded"))
}

fn explain(metric: &Metric, corpus: &Corpus, output: usize, grade: &Grade) -> String {
    let output = &corpus.outputs()[output];
    let task = &corpus.tasks()[output.task];
    let word = match grade.outcome {
        Outcome::Fail => "fails",
        Outcome::Pass => "passes",
        Outcome::Abstain => "passes, without an opinion",
        Outcome::Fault => "could not be judged",
    };
    let mut text = format!("{} {word}\n\n", output.id);
    for key in ["prompt", "question"] {
        if let Some(prompt) = task.fields.get(key).and_then(|prompt| prompt.as_str()) {
            text += &format!("task    {prompt}\n");
        }
    }
    text += &format!("metric  {}\n\n", metric.expression());
    let row = |op: &str, verdict: &Verdict| {
        let class = metric.pack().op(op).ok().and_then(|op| op.op()).map_or("", |meta| meta.detects.as_str());
        vec![op.to_string(), verdict.word().to_string(), class.to_string(), verdict.message().unwrap_or("").to_string()]
    };
    let mut rows = vec![row("root", &grade.root)];
    rows.extend(grade.leaves.iter().map(|(op, verdict)| row(op, verdict)));
    let head =
        [("leaf", Side::Left), ("verdict", Side::Left), ("detects", Side::Left), ("in its own words", Side::Left)];
    text += &table(&head, &rows);
    let verdicts = [("root", &grade.root)].into_iter();
    for (op, verdict) in verdicts.chain(grade.leaves.iter().map(|(op, verdict)| (op.as_str(), verdict))) {
        text += &marked(op, verdict, &output.id, &output.text);
    }
    text
}

/// The output's text with a drawback's span marked; empty where the verdict has no span.
pub fn marked(op: &str, verdict: &Verdict, id: &str, text: &str) -> String {
    let (Verdict::Drawback(finding), Some(span)) = (verdict, verdict.span()) else { return String::new() };
    let end = (span.end as usize).min(text.len());
    let range = (span.start as usize).min(end)..end;
    let annotation = AnnotationKind::Primary.span(range).label(finding.message.as_str());
    let snippet = Snippet::source(text).path(id).annotation(annotation);
    let report = [Level::ERROR.primary_title(op).element(snippet)];
    format!("\n{}\n", Renderer::plain().render(&report))
}
