//! `gradus runs`: which runs there are, and the story of one.

use std::path::{Path, PathBuf};

use clap::Subcommand;
use serde_json::{Value, json};

use crate::base::{Error, Kind, Result};
use crate::cli::table::{Side, table};
use crate::cli::{story, talk};
use crate::journal::{self, Entry, Summary};
use crate::store::{DATABASE, RunFile};

/// How many folders deep runs are looked for.
const DEPTH: usize = 3;
/// Characters of a metric that a table shows.
const METRIC: usize = 48;

/// List runs, or tell what happened in one
///
/// A run is a folder that `gradus evolve -o` made. It may be finished, going on in another process, or stopped: then
/// `gradus evolve --resume RUN` goes on with it.
#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
#[command(after_help = "Examples:
  gradus runs
  gradus runs experiments --json
  gradus runs show runs/code-0")]
pub struct Args {
    /// A run, or a folder with runs somewhere below it
    #[arg(default_value = "runs")]
    folder: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(subcommand)]
    what: Option<What>,
}

#[derive(Subcommand)]
enum What {
    Show(Show),
}

/// Tell the story of one run, round by round
///
/// Each round says where the metric was wrong, which ops were born or rejected and why, what was selected, and what was
/// promoted or retired.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  gradus runs show runs/code-0")]
pub struct Show {
    /// The run's folder
    run: PathBuf,
    /// Print one JSON object with every event
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> Result<u8> {
    match &args.what {
        None => list(&args.folder, args.json),
        Some(What::Show(args)) => show(&args.run, args.json),
    }
}

/// A run with its events.
pub struct Told {
    pub file: RunFile,
    pub entries: Vec<Entry>,
    pub summary: Summary,
    /// Whether a process works on it.
    pub going_on: bool,
}

impl Told {
    pub fn read(folder: &Path) -> Result<Self> {
        // Asked first, so that a run that ends meanwhile is not taken for one that was given up.
        let going_on = RunFile::is_going_on(folder);
        let file = RunFile::read(folder)?;
        let entries = journal::read(&file)?;
        let summary = Summary::of(&entries);
        Ok(Self { file, entries, summary, going_on })
    }

    pub fn state(&self) -> &'static str {
        match (&self.summary.finished, self.going_on) {
            (Some(_), _) => "finished",
            (None, true) => "going on",
            (None, false) => "stopped",
        }
    }

    pub fn pack(&self) -> &str {
        self.summary.pack.as_deref().unwrap_or("-")
    }

    /// The seed that the run was begun with, where its header has one.
    pub fn seed(&self) -> &Value {
        &self.file.header()["options"]["seed"]
    }

    /// The metric in words; nothing before there is one.
    pub fn metric(&self) -> Option<String> {
        let metric = self.summary.metric.as_ref()?;
        Some(metric.as_ref().map_or("pass everything".to_owned(), ToString::to_string))
    }

    fn facts(&self, folder: &Path) -> Value {
        let audit = self.summary.audit.map(|audit| {
            json!({"balanced": audit.balanced, "low": audit.low, "high": audit.high, "openings": audit.opening})
        });
        json!({
            "run": folder.display().to_string(),
            "pack": self.summary.pack,
            "seed": self.seed(),
            "rounds": self.summary.rounds,
            "state": self.state(),
            "metric": self.metric(),
            "sealed": audit,
            "began": self.file.began(),
        })
    }

    fn row(&self, folder: &Path) -> Vec<String> {
        let sealed = self.summary.audit.map_or("-".to_owned(), |audit| format!("{:.3}", audit.balanced));
        let metric = self.metric().map_or("-".to_owned(), |metric| shortened(&metric));
        vec![
            folder.display().to_string(),
            self.pack().to_owned(),
            if self.seed().is_null() { "-".to_owned() } else { self.seed().to_string() },
            self.summary.rounds.to_string(),
            self.state().to_owned(),
            metric,
            sealed,
            story::when(self.file.began()),
        ]
    }
}

fn list(folder: &Path, as_json: bool) -> Result<u8> {
    let mut folders = Vec::new();
    find(folder, DEPTH, &mut folders)?;
    folders.sort();
    if folders.is_empty() {
        return Err(Error::new(Kind::Nothing, "there are no runs here")
            .at(folder, None)
            .help("`gradus evolve PACK -o runs/NAME` begins one"));
    }
    let told: Vec<(PathBuf, Result<Told>)> =
        folders.into_iter().map(|folder| (folder.clone(), Told::read(&folder))).collect();
    if as_json {
        let facts = |(folder, told): &(PathBuf, Result<Told>)| match told {
            Ok(told) => told.facts(folder),
            Err(error) => {
                json!({"run": folder.display().to_string(), "state": "unreadable", "error": error.to_string()})
            }
        };
        say!("{}\n", json!({"runs": told.iter().map(facts).collect::<Vec<_>>()}));
    } else {
        say!("{}", listed(&told));
    }
    told.iter().filter_map(|(_, told)| told.as_ref().err()).for_each(talk::error);
    Ok(0)
}

fn listed(told: &[(PathBuf, Result<Told>)]) -> String {
    let row = |(folder, told): &(PathBuf, Result<Told>)| match told {
        Ok(told) => told.row(folder),
        Err(_) => {
            let mut row = vec!["-".to_owned(); 8];
            (row[0], row[4]) = (folder.display().to_string(), "unreadable".to_owned());
            row
        }
    };
    let head = [
        ("run", Side::Left),
        ("pack", Side::Left),
        ("seed", Side::Right),
        ("rounds", Side::Right),
        ("state", Side::Left),
        ("metric", Side::Left),
        ("sealed", Side::Right),
        ("begun", Side::Left),
    ];
    table(&head, &told.iter().map(row).collect::<Vec<_>>())
}

/// The run folders at or below `folder`; links are not followed.
fn find(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) -> Result<()> {
    if folder.join(DATABASE).is_file() {
        found.push(folder.to_owned());
        return Ok(());
    }
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        entries => entries.map_err(|error| Error::io(folder, "list this folder", &error))?,
    };
    for entry in entries {
        let entry = entry.map_err(|error| Error::io(folder, "list this folder", &error))?;
        if depth > 0 && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            find(&entry.path(), depth - 1, found)?;
        }
    }
    Ok(())
}

fn shortened(metric: &str) -> String {
    match metric.char_indices().nth(METRIC) {
        Some((end, _)) => format!("{}…", &metric[..end]),
        None => metric.to_owned(),
    }
}

fn show(folder: &Path, as_json: bool) -> Result<u8> {
    let told = Told::read(folder)?;
    if as_json {
        let mut facts = told.facts(folder);
        facts["id"] = json!(told.file.id());
        facts["header"] = told.file.header().clone();
        facts["place"] = told.file.place().clone();
        facts["entries"] = json!(told.entries);
        say!("{facts}\n");
    } else {
        say!("{}", story::tell(folder, &told));
    }
    Ok(0)
}
