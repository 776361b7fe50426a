//! `gradus evolve`: from ten labels and unlabelled outputs to a metric, audited on sealed labels.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::audit::agreement::Agreement;
use crate::audit::locked;
use crate::audit::standing::{HINDSIGHT, Standing};
use crate::base::file::check_writable;
use crate::base::{Error, Result};
use crate::cli::settings::Settings;
use crate::cli::study;
use crate::cli::table::{Side, plural, table};
use crate::cli::talk;
use crate::dataset::{Dataset, Pool, Sizes};
use crate::grade::Grader;
use crate::metric_loop::run::{self, Run, Session};
use crate::objective::Rule;
use crate::pack::{Bundle, Pack};

/// Select a metric for a pack and audit it on sealed labels
///
/// Takes a dataset made by `gradus split`, or a labelled pool, which it splits in memory; without either, the pool that
/// the pack ships with. The metric is the pack's declared default, checked by the dev labels; `--selection paper` takes
/// the argmax of the published objective instead. The last step opens the sealed labels, counts the opening, and shows
/// where the metric stands beside its baselines.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  gradus evolve packs/code
  gradus evolve packs/code --data data/code-0 -o runs/code-0
  gradus evolve packs/code --pool fixtures/code --seeds 0-19")]
pub struct Args {
    /// The pack's folder
    pack: PathBuf,
    /// A dataset made by `gradus split`
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["pool", "seed", "seeds", "train", "dev"])]
    data: Option<PathBuf>,
    /// A labelled pool, split in memory [default: the pack's dataset]
    #[arg(long, value_name = "FOLDER")]
    pool: Option<PathBuf>,
    /// Which split of the pool
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Study many splits, such as 0-19, and print means over them
    #[arg(long, value_name = "FIRST-LAST", conflicts_with_all = ["seed", "output", "no_audit"])]
    seeds: Option<study::Seeds>,
    /// Train tasks of a split [default: 60, or six tenths of what dev leaves]
    #[arg(long, value_name = "TASKS")]
    train: Option<usize>,
    /// Labelled outputs of a split, half of them failures
    #[arg(long, default_value_t = 10, value_name = "OUTPUTS")]
    dev: usize,
    /// How the metric is selected
    #[arg(long, value_enum, default_value = "default")]
    selection: Selection,
    /// Leave the sealed labels closed
    #[arg(long)]
    no_audit: bool,
    /// Folder to write metric.json to; must not hold one
    #[arg(short, long, value_name = "FOLDER")]
    output: Option<PathBuf>,
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
    let pack = Pack::load(&args.pack)?;
    let output = args.output.as_deref().map(RunFolder::open).transpose()?;
    let rule = match args.selection {
        Selection::Default => Rule::Default,
        Selection::Paper => Rule::Paper,
    };
    let store = settings.store()?;
    talk::listen_for_stop()?;
    let sizes = Sizes { train: args.train, dev: args.dev };
    if let Some(seeds) = args.seeds {
        let pool = pool(args, &pack)?;
        let study = study::Study { pack: &pack, pool: &pool, seeds, sizes, rule, as_json: args.json };
        return study::run(&study, &store, settings);
    }
    let (dataset, sealed) = match &args.data {
        Some(folder) => locked::load(folder)?,
        None => locked::split(&pool(args, &pack)?, args.seed, sizes)?,
    };
    let bar = talk::Bar::new("judging", dataset.corpus().outputs().len());
    let grader = Grader::new(&pack, &store).threads(settings.threads).python(settings.python.clone()).progress(&bar);
    let mut session = Session::new(&pack, &grader, &dataset);
    let mut run = session.choose(&dataset, rule)?;
    if output.is_some() {
        bundle_of(&run)?;
    }
    if !args.no_audit {
        session.audit(&dataset, &mut run, &sealed)?;
    }
    talk::trouble(&grader, &store);
    let written = output.as_ref().map(|folder| folder.write(&run)).transpose()?;
    if args.json {
        say!("{}\n", facts(&pack, &dataset, &run, written.as_deref()));
    } else {
        say!("{}", report(&pack, &dataset, &run));
        if let Some(path) = written {
            say!("\nWritten to {}\n", path.display());
        }
    }
    Ok(0)
}

fn pool(args: &Args, pack: &Pack) -> Result<Pool> {
    let folder = args.pool.clone().or_else(|| pack.dataset()).ok_or_else(|| {
        Error::usage("this pack names no dataset of its own").at(&args.pack, None).help("Give --data or --pool")
    })?;
    Pool::load(&folder)
}

/// Where a run is written. It is tried before the work, so that the seal is not opened for figures that cannot be kept,
/// and gone again if it was made here and nothing was put there.
struct RunFolder<'a> {
    path: &'a Path,
    made: bool,
}

impl<'a> RunFolder<'a> {
    fn open(folder: &'a Path) -> Result<Self> {
        let metric = folder.join("metric.json");
        if metric.exists() {
            return Err(Error::failure("exists already").at(metric, None).help("Choose another folder"));
        }
        let run = Self { path: folder, made: !folder.exists() };
        std::fs::create_dir_all(folder)
            .map_err(|error| Error::io(folder, "make this folder", &error).help("Choose one that can be written"))?;
        check_writable(&metric)?;
        Ok(run)
    }

    fn write(&self, run: &Run) -> Result<PathBuf> {
        let path = self.path.join("metric.json");
        bundle_of(run)?.write(&path)?;
        Ok(path)
    }
}

/// What there is to write, known before the seal is opened.
fn bundle_of(run: &Run) -> Result<&Bundle> {
    run.bundle.as_ref().ok_or_else(|| {
        Error::failure("every op of the default was refused, so there is no metric to write")
            .help("Run it again without -o to see the refusals, and mend the ops or their declared strength")
    })
}

impl Drop for RunFolder<'_> {
    fn drop(&mut self) {
        if self.made {
            // Fails, as it is meant to, on a folder with something in it.
            std::fs::remove_dir(self.path).ok();
        }
    }
}

fn report(pack: &Pack, dataset: &Dataset, run: &Run) -> String {
    let split = dataset.split();
    let mut text = format!(
        "{}: {} of {}; train {}, dev {}, test {} sealed\n\n",
        pack.manifest.name,
        plural(dataset.corpus().outputs().len(), "output"),
        plural(dataset.corpus().tasks().len(), "task"),
        plural(split.train.len(), "task"),
        plural(dataset.dev().len(), "label"),
        plural(split.test.len(), "task"),
    );
    let first = &run.first;
    let metric = first.expression.as_ref().map_or("pass everything".to_string(), ToString::to_string);
    text += &format!("metric  {metric}\n");
    text += &match first.rule {
        Rule::Default => {
            format!("chosen  declared by the pack; right on {} of {} dev labels\n", first.dev_right, first.dev_items)
        }
        Rule::Paper => format!(
            "chosen  by S(e) out of {} that tie, {} different on these outputs; right on {} of {} dev labels\n",
            first.ties.size(),
            first.behaviours,
            first.dev_right,
            first.dev_items
        ),
    };
    for refused in &first.refused {
        text += &format!(
            "refused {}: declared a proof, and it flags {} that the labels pass\n",
            refused.op,
            plural(refused.items.len(), "dev output")
        );
    }
    text += &format!("\n{}", ops_table(pack, run));
    if run.faults > 0 {
        text += &format!(
            "\n{}: see `gradus explain` on one of them\n",
            plural(run.faults, "verdict") + " could not be had"
        );
    }
    if let Some(standing) = &run.standing {
        text += &format!("\n{}", standing_text(standing));
    }
    text
}

/// What each op says of the train outputs, and of the labelled ones.
fn ops_table(pack: &Pack, run: &Run) -> String {
    use crate::expr::State;
    let count = |judged: &crate::metric_loop::Judged, op: usize, state: State| {
        (0..judged.matrix.items()).filter(|item| judged.matrix.state(op, *item) == state).count()
    };
    let rows: Vec<Vec<String>> = pack
        .ops()
        .iter()
        .enumerate()
        .map(|(index, op)| {
            let train = |state| count(&run.train, index, state).to_string();
            let strength = op.op().map_or("", |meta| meta.strength.word());
            let states = [State::Drawback, State::Clean, State::Abstain, State::Fault].map(train);
            let dev = count(&run.dev, index, State::Drawback).to_string();
            [op.name().to_string(), strength.to_string()].into_iter().chain(states).chain([dev]).collect()
        })
        .collect();
    let numbers = ["drawback", "clean", "abstain", "fault", "on dev"].map(|title| (title, Side::Right));
    let head: Vec<(&str, Side)> =
        [("op, on train", Side::Left), ("strength", Side::Left)].into_iter().chain(numbers).collect();
    table(&head, &rows)
}

fn standing_text(standing: &Standing) -> String {
    let first = &standing.rows[0].1;
    let mut text = format!(
        "Sealed audit, opening {}: {}, {}\n\n",
        standing.opening,
        plural(first.n_tasks, "task"),
        plural(first.n_outputs, "output")
    );
    let rows: Vec<Vec<String>> = standing.rows.iter().map(|(name, figures)| figures_row(name, figures)).collect();
    let numbers = ["balanced", "95% interval", "on fails", "on passes", "accuracy"].map(|title| (title, Side::Right));
    let head: Vec<(&str, Side)> = [("agreement of", Side::Left)].into_iter().chain(numbers).collect();
    text += &table(&head, &rows);
    if let Some(single) = standing.of(run::BEST_SEED).filter(|single| single.balanced >= first.balanced) {
        text += &format!("\nHere the metric is no better than the best single op ({:.3}).\n", single.balanced);
    }
    if let Some(expression) = &standing.hindsight {
        text += &format!("\nThe last row is chosen by the sealed labels themselves: {expression}\n");
    }
    text
}

fn figures_row(name: &str, figures: &Agreement) -> Vec<String> {
    let share = |x: f64| format!("{x:.3}");
    vec![
        name.to_string(),
        share(figures.balanced),
        format!("{:.3} to {:.3}", figures.low, figures.high),
        share(figures.recall_fail),
        share(figures.recall_pass),
        share(figures.accuracy),
    ]
}

/// The shape of DESIGN section 6.
fn facts(pack: &Pack, dataset: &Dataset, run: &Run, written: Option<&Path>) -> Value {
    let first = &run.first;
    let paper = first.paper.as_ref().map(|(expression, score)| json!({"metric": expression.to_string(), "s": score.s}));
    let sealed = run.standing.as_ref().and_then(|standing| {
        let mut figures = json!(standing.of(run::METRIC)?);
        figures["openings"] = json!(standing.opening);
        Some(figures)
    });
    let baselines = run.standing.as_ref().map(|standing| {
        let named = |(key, name): (&str, &str)| Some((key.to_string(), json!(standing.of(name)?)));
        let keys = [
            ("default", run::DEFAULT),
            ("paper", run::PAPER),
            ("best_seed_on_dev", run::BEST_SEED),
            ("majority", run::MAJORITY),
            ("baseline", run::BASELINE),
            ("tie_set_majority", run::TIE_SET),
            ("hindsight", HINDSIGHT),
        ];
        Value::Object(keys.into_iter().filter_map(named).collect())
    });
    json!({
        "metric": first.expression.as_ref().map(ToString::to_string),
        "selection": run::rule_word(first.rule),
        "refused": first.refused.iter().map(|refused| refused.op.clone()).collect::<Vec<_>>(),
        "objective": paper,
        "dev": {"agreement": first.dev_right as f64 / first.dev_items.max(1) as f64, "items": first.dev_items},
        "sealed": sealed,
        "baselines": baselines,
        "pool": {"seed": pack.ops().len(), "born": 0, "rejected": 0, "shadow": 0, "active": pack.ops().len(), "retired": 0},
        "tie_set": {"size": first.ties.size(), "behaviours": first.behaviours},
        "faults": run.faults,
        "split": {"seed": dataset.split().seed, "train": dataset.split().train.len(), "test": dataset.split().test.len()},
        "run": written.map(|path| path.display().to_string()),
    })
}
