//! `gradus evolve`: from ten labels and unlabelled outputs to a metric, audited on sealed labels.

use std::path::{Path, PathBuf};
use std::time::Instant;

use serde_json::{Value, json};

use crate::audit::locked::{self, Sealed};
use crate::base::{Error, Kind, Result};
use crate::cli::settings::Settings;
use crate::cli::{facts, report, talk};
use crate::dataset::{Dataset, Pool, Sizes};
use crate::grade::Grader;
use crate::journal::Entry;
use crate::metric_loop::folder::RunFolder;
use crate::metric_loop::header::header;
use crate::metric_loop::mining::Miner;
use crate::metric_loop::run::{Keeper, Plan, Session, Unkept};
use crate::metric_loop::select;
use crate::metric_loop::state::State;
use crate::metric_loop::{Audit, Options};
use crate::objective::Rule;
use crate::pack::Pack;

/// Evolve a metric for a pack and audit it on sealed labels
///
/// Takes a dataset made by `gradus split`, or a labelled pool, which it splits in memory; without either, the pool that
/// the pack ships with. It begins with the pack's declared default, checked by the dev labels. Each round looks for
/// labelled failures that the metric passes and for outputs on which the ops say nothing or disagree, writes new ops for
/// those that recur (from the pack's features.lua), lets in what passes the birth gate, selects, and retires what is of
/// no use. The last step opens the sealed labels, counts the opening, and shows where the metric stands.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  gradus evolve packs/code
  gradus evolve packs/code --data data/code-0 --rounds 20 -o runs/code-0
  gradus evolve --resume runs/code-0")]
pub struct Args {
    /// The pack's folder
    #[arg(required_unless_present = "resume")]
    pack: Option<PathBuf>,
    /// A dataset made by `gradus split`
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["pool", "train", "dev"])]
    data: Option<PathBuf>,
    /// A labelled pool, split in memory [default: the pack's dataset]
    #[arg(long, value_name = "FOLDER")]
    pool: Option<PathBuf>,
    /// Fixes every draw of the run, and which split of a pool is taken [default: 0]
    #[arg(long)]
    seed: Option<u64>,
    /// Train tasks of a split [default: 60, or six tenths of what dev leaves]
    #[arg(long, value_name = "TASKS")]
    train: Option<usize>,
    /// Labelled outputs of a split, half of them failures [default: 10]
    #[arg(long, value_name = "OUTPUTS")]
    dev: Option<usize>,
    /// Rounds at most; a run ends earlier once nothing changes any more [default: 20]
    #[arg(long, value_name = "N")]
    rounds: Option<u32>,
    /// How the metric is selected [default: default]
    #[arg(long, value_enum)]
    selection: Option<Selection>,
    /// Leaves of the expressions that are all scored, nested ones included [default: 3]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=5))]
    leaves: Option<u8>,
    /// Leave out the guards that keep a metric from saying nothing (the papers' naive arm)
    #[arg(long)]
    no_anchor_guards: bool,
    /// Let every new op in, and retire none
    #[arg(long)]
    no_lifecycle: bool,
    /// Write no new ops
    #[arg(long)]
    no_miner: bool,
    /// Open the sealed labels after every round
    #[arg(long, conflicts_with = "no_audit")]
    audit_every_round: bool,
    /// Leave the sealed labels closed
    #[arg(long)]
    no_audit: bool,
    /// Folder of the run; must not hold one
    #[arg(short, long, value_name = "FOLDER", conflicts_with = "resume")]
    output: Option<PathBuf>,
    /// Go on with the run in this folder, as it was begun
    #[arg(long, value_name = "FOLDER")]
    resume: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Selection {
    /// Keep the pack's declared default, checked by the dev labels
    Default,
    /// The argmax of the published objective S(e)
    Paper,
}

pub fn run(args: &Args, settings: &Settings) -> Result<u8> {
    let resumed = args.resume.as_deref().map(RunFolder::open).transpose()?;
    let begun = resumed.as_ref().map(Begun::of).transpose()?.unwrap_or_default();
    let place = Place::of(args, &begun, settings)?;
    let pack = Pack::load(&place.pack)?;
    let options = options(args, begun.options.unwrap_or_default());
    let (dataset, sealed) = place.data(&pack, &options)?;
    let store = settings.store()?;
    talk::listen_for_stop()?;
    let bar = talk::Bar::new("judging", dataset.corpus().outputs().len());
    let grader = Grader::new(&pack, &store)
        .threads(settings.threads)
        .python(settings.python.clone())
        .databases(place.databases.clone())
        .progress(&bar);
    let environment = if pack.runs_candidates() { grader.environment() } else { None };
    let header = header(&pack, &dataset, &options, environment);
    let (mut folder, past) = match (resumed, &args.output) {
        (Some(folder), _) => {
            let past = folder.past(&header)?;
            (Some(folder), past)
        }
        (None, Some(path)) => (Some(RunFolder::begin(path, &header, &place.facts(&pack))?), Vec::new()),
        (None, None) => (None, Vec::new()),
    };
    let path = args.resume.as_ref().or(args.output.as_ref());
    let miner = if options.miner { Miner::of(&pack)? } else { None };
    let id = folder.as_ref().map(|folder| folder.file().id().to_string()).unwrap_or_default();
    let plan = Plan {
        dataset: &dataset,
        options: &options,
        author: miner.as_ref().map(|miner| miner as _),
        sealed: (options.audit != Audit::Never).then_some(&sealed),
        audit_nothing: false,
        id: &id,
    };
    let mut unkept = Unkept;
    let keeper: &mut dyn Keeper = folder.as_mut().map_or(&mut unkept, |folder| folder);
    let mut session = Session::new(&pack, &grader, dataset.corpus());
    let run = session
        .evolve(&plan, past, &mut Told { keeper, started: Instant::now() })
        .map_err(|error| resumable(error, path.map(PathBuf::as_path)))?;
    talk::trouble(&grader, &store);
    if let (Some(folder), Some(bundle)) = (&folder, &run.bundle) {
        folder.write_metric(bundle)?;
    }
    if args.json {
        say!("{}\n", facts::facts(&run.entries, &dataset, path.map(PathBuf::as_path)));
    } else {
        say!("{}", report::report(&run.entries, &dataset));
        if let Some(path) = path.filter(|_| run.bundle.is_some()) {
            say!("\nThe run lies in {}; grade with {}\n", path.display(), path.join("metric.json").display());
        }
    }
    match run.bundle {
        Some(_) => Ok(0),
        None => Err(no_metric(&run.state)),
    }
}

/// A run that ends without a metric has failed, whatever else it tells.
fn no_metric(state: &State) -> Error {
    match state.refused {
        true => Error::failure("every op of the default was refused, so there is no metric")
            .help("Mend the ops, or their declared strength"),
        false => Error::failure(format!("there is no metric: {}", select::NOTHING))
            .help("Declare a `default` expression in pack.toml, or add ops that have an opinion on more outputs"),
    }
}

/// What a run was begun with, where one goes on.
#[derive(Default)]
struct Begun {
    place: Value,
    options: Option<Options>,
}

impl Begun {
    fn of(folder: &RunFolder) -> Result<Self> {
        let options = serde_json::from_value(folder.file().header()["options"].clone()).map_err(|error| {
            Error::failure(format!("the options of this run cannot be read: {error}"))
                .at(folder.file().folder(), None)
                .help("It was begun by another version of gradus; begin another run in another folder")
        })?;
        Ok(Self { place: folder.file().place().clone(), options: Some(options) })
    }
}

/// Where pack and data are.
struct Place {
    pack: PathBuf,
    data: Option<PathBuf>,
    pool: Option<PathBuf>,
    databases: Option<PathBuf>,
    sizes: Sizes,
}

impl Place {
    /// What the command line says, and for the rest what the run was begun with.
    fn of(args: &Args, begun: &Begun, settings: &Settings) -> Result<Self> {
        let path = |key: &str| begun.place[key].as_str().map(PathBuf::from);
        let number = |key: &str| begun.place[key].as_u64().map(|number| number as usize);
        let pack = args.pack.clone().or_else(|| path("pack"));
        let pack = pack.ok_or_else(|| Error::usage("name the pack's folder: this run does not say where it was"))?;
        let said = args.data.is_some() || args.pool.is_some();
        Ok(Self {
            pack,
            data: args.data.clone().or_else(|| path("data").filter(|_| !said)),
            pool: args.pool.clone().or_else(|| path("pool").filter(|_| !said)),
            databases: settings.databases.clone().or_else(|| path("databases")),
            sizes: Sizes {
                train: args.train.or_else(|| number("train")),
                dev: args.dev.or_else(|| number("dev")).unwrap_or(10),
            },
        })
    }

    fn data(&self, pack: &Pack, options: &Options) -> Result<(Dataset, Sealed)> {
        match &self.data {
            Some(folder) => locked::load(folder),
            None => locked::split(&Pool::load(&pool(self.pool.as_deref(), pack)?)?, options.seed, self.sizes),
        }
    }

    fn facts(&self, pack: &Pack) -> Value {
        let pool = pool(self.pool.as_deref(), pack).ok().filter(|_| self.data.is_none());
        let whole = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned()).display().to_string();
        json!({
            "pack": whole(&self.pack),
            "data": self.data.as_deref().map(whole),
            "pool": pool.as_deref().map(whole),
            "databases": self.databases.as_deref().map(whole),
            "train": self.sizes.train,
            "dev": self.sizes.dev,
        })
    }
}

/// The labelled pool that was named, or that the pack ships with.
pub fn pool(named: Option<&Path>, pack: &Pack) -> Result<PathBuf> {
    named.map(Path::to_owned).or_else(|| pack.dataset()).ok_or_else(|| {
        let error = Error::usage("this pack names no dataset of its own").help("Give --data or --pool");
        match pack.dir() {
            Some(dir) => error.at(dir, None),
            None => error,
        }
    })
}

fn options(args: &Args, begun: Options) -> Options {
    let rule = args.selection.map(|selection| match selection {
        Selection::Default => Rule::Default,
        Selection::Paper => Rule::Paper,
    });
    Options {
        seed: args.seed.unwrap_or(begun.seed),
        rounds: args.rounds.unwrap_or(begun.rounds),
        rule: rule.unwrap_or(begun.rule),
        leaves: args.leaves.map_or(begun.leaves, usize::from),
        guards: begun.guards && !args.no_anchor_guards,
        lifecycle: begun.lifecycle && !args.no_lifecycle,
        miner: begun.miner && !args.no_miner,
        audit: match (args.no_audit, args.audit_every_round) {
            (true, _) => Audit::Never,
            (_, true) => Audit::EveryRound,
            _ => begun.audit,
        },
        ..begun
    }
}

/// Adds to an interruption how to go on.
fn resumable(error: Error, path: Option<&Path>) -> Error {
    match path {
        Some(path) if error.kind() == Kind::Interrupted => {
            error.help(format!("Go on with `gradus evolve --resume {}`", path.display()))
        }
        _ => error,
    }
}

/// Says what each round did, once a run takes more than a second.
struct Told<'k> {
    keeper: &'k mut dyn Keeper,
    started: Instant,
}

impl Keeper for Told<'_> {
    fn commit(&mut self, round: u32, entries: &[Entry], timings: &[(String, f64)]) -> Result<()> {
        self.keeper.commit(round, entries, timings)?;
        let line = report::round_line(round, entries).filter(|_| self.started.elapsed().as_secs_f64() > 1.0);
        line.inspect(|line| talk::note(line));
        Ok(())
    }
}
