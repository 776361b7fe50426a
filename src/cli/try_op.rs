//! `gradus try`: one op on one output, with everything that it was given and everything that it asked.

use std::path::{Path, PathBuf};

use crate::base::{Error, Result};
use crate::cli::explain::{find_output, marked};
use crate::cli::settings::Settings;
use crate::cli::talk;
use crate::dataset::Corpus;
use crate::grade::{Grader, Group, Trace};
use crate::observe::{Observation, Request, Seen, repr};
use crate::pack::Pack;

/// Run one op on one output and show artifact, plan, observations and verdict
#[derive(clap::Args)]
#[command(after_help = "Example:\n  gradus try packs/code departs_from_peers --id 'to-base#03'")]
pub struct Args {
    /// The pack's folder
    pack: PathBuf,
    /// The op's name
    op: String,
    /// The output's id
    #[arg(long, value_name = "OUTPUT")]
    id: String,
    /// Folder with tasks.jsonl and outputs.jsonl [default: the pack's dataset]
    #[arg(long, value_name = "FOLDER")]
    data: Option<PathBuf>,
}

/// Characters of a value or a printed text that are shown.
const SHOWN: usize = 200;
/// Rows of a result that are shown.
const SHOWN_ROWS: usize = 5;

pub fn run(args: &Args, settings: &Settings) -> Result<u8> {
    let pack = Pack::load(&args.pack)?;
    let op = pack.op(&args.op)?;
    let folder = args.data.clone().or_else(|| pack.dataset()).ok_or_else(|| {
        Error::usage("this pack names no dataset").at(&args.pack, None).help("Give a folder of outputs with --data")
    })?;
    let corpus = load(&folder)?;
    talk::listen_for_stop()?;
    let output = find_output(&corpus, &args.id)?;
    let task = corpus.outputs()[output].task;
    let place = corpus.outputs_of(task).iter().position(|position| *position == output).unwrap_or(0);
    let store = settings.store()?;
    let grader = Grader::new(&pack, &store)
        .threads(settings.threads)
        .python(settings.python.clone())
        .databases(settings.databases.clone());
    let trace = grader.trace(&Group::of(&corpus, task), place, op);
    talk::trouble(&grader, &store);
    let text = &corpus.outputs()[output].text;
    say!("{}", show(&trace, corpus.outputs_of(task).len() - 1));
    say!("{}", marked(&args.op, &trace.verdict, &args.id, text));
    Ok(0)
}

fn load(folder: &Path) -> Result<Corpus> {
    Corpus::load(&folder.join("tasks.jsonl"), &folder.join("outputs.jsonl"))
}

fn show(trace: &Trace, siblings: usize) -> String {
    let mut text = format!("artifact\n{}\n", indent(&trace.artifact));
    if !trace.seen.is_empty() {
        text += &format!("\nplan and observations ({siblings} other outputs of this task)\n");
    }
    for (index, (request, seen)) in trace.asked.iter().zip(&trace.seen).enumerate() {
        text += &format!("  {:>3}  {}\n", index + 1, words(request));
        text += &observations(seen);
    }
    let verdict = trace.verdict.word();
    match trace.verdict.message() {
        Some(message) => text + &format!("\nverdict\n  {verdict}: {message}\n"),
        None => text + &format!("\nverdict\n  {verdict}\n"),
    }
}

fn words(request: &Request) -> String {
    match request {
        Request::Call { name, args, world, .. } => {
            let args = args.strip_prefix('[').and_then(|args| args.strip_suffix(']')).unwrap_or(args);
            let world = if *world == 0 { String::new() } else { format!("  in world {world}") };
            cut(&format!("{name}({args}){world}"))
        }
        Request::Assert { text, .. } => cut(text),
        Request::Query { text, copy, .. } => {
            let copy = if *copy == 0 { String::new() } else { format!("  on copy {copy}") };
            cut(&format!("query {}{copy}", text.as_deref().unwrap_or("itself")))
        }
        Request::Ask { question, .. } => cut(&format!("ask: {question}")),
    }
}

/// The own observation, then the peers' with equal ones counted.
fn observations(seen: &Seen) -> String {
    let mut text = String::new();
    if let Some(own) = &seen.own {
        text += &format!("         own    {}\n", outcome(own));
    }
    let mut peers: Vec<(String, usize)> = Vec::new();
    for peer in &seen.peers {
        let outcome = outcome(peer);
        match peers.iter_mut().find(|(known, _)| *known == outcome) {
            Some((_, count)) => *count += 1,
            None => peers.push((outcome, 1)),
        }
    }
    for (outcome, count) in peers {
        text += &format!("         {count:>2} of peers  {outcome}\n");
    }
    text
}

fn outcome(observation: &Observation) -> String {
    let mut parts = Vec::new();
    if let Some(value) = &observation.value {
        parts.push(cut(&repr::repr(value)));
    }
    if let Some(rows) = &observation.rows {
        parts.push(cut(&rows.repr(SHOWN_ROWS)));
    }
    if let Some(error) = &observation.error {
        parts.push(cut(&format!("{}: {}", error.kind, error.message)));
    }
    if parts.is_empty() {
        parts.push(format!("{:?}", observation.status).to_lowercase());
    }
    if let Some(holds) = observation.holds {
        parts.push(if holds { "holds".into() } else { "does not hold".into() });
    }
    if observation.args_changed {
        parts.push("changed its arguments".into());
    }
    if !observation.stdout.is_empty() {
        parts.push(cut(&format!("printed {:?}", observation.stdout)));
    }
    parts.join(", ")
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{} …", &text[..end]),
        None => text.to_string(),
    }
}

fn indent(text: &str) -> String {
    text.lines().map(|line| format!("  {line}\n")).collect::<String>().trim_end().to_string()
}
