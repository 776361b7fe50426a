//! `gradus compare`: every selection rule, or every arm of the loop, on many splits of one pool, in one table.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Instant;

use serde_json::{Map, Value, json};

use crate::agreement::Agreement;
use crate::audit::locked;
use crate::audit::standing::HINDSIGHT;
use crate::base::rng::Stream;
use crate::base::{Id, Result};
use crate::cli::evolve::pool;
use crate::cli::settings::Settings;
use crate::cli::table::{Side, plural, table};
use crate::cli::talk;
use crate::dataset::{Pool, Sizes};
use crate::grade::Grader;
use crate::metric_loop::Session;
use crate::metric_loop::study::{self, Arm, Came};
use crate::pack::Pack;
use crate::script::Strength;
use crate::stats::{Interval, bootstrap};

/// Compare selection rules, or the arms of the loop, on many splits of a pool
///
/// Every split has its own train tasks, ten labels and sealed rest. By default each selection rule chooses on each
/// split; with --loop the whole loop is run, and the loop less each of its parts. Figures are balanced agreement with
/// the sealed labels; their interval is a bootstrap over the splits, which overlap, so it speaks of splits and not of
/// new pools.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  gradus compare packs/code
  gradus compare packs/code --pool POOL --seeds 0-19 --half even
  gradus compare packs/code --loop --seeds 0-4")]
pub struct Args {
    /// The pack's folder
    pack: PathBuf,
    /// A labelled pool [default: the pack's dataset]
    #[arg(long, value_name = "FOLDER")]
    pool: Option<PathBuf>,
    /// Splits, by their seeds
    #[arg(long, value_name = "FIRST-LAST", default_value = "0-19")]
    seeds: Seeds,
    /// Train tasks of a split [default: 60, or six tenths of what dev leaves]
    #[arg(long, value_name = "TASKS")]
    train: Option<usize>,
    /// Labelled outputs of a split, half of them failures
    #[arg(long, default_value_t = 10, value_name = "OUTPUTS")]
    dev: usize,
    /// Half of the tasks alone, by the hash of their ids: one to decide on, one to report
    #[arg(long, value_enum)]
    half: Option<Half>,
    /// Run the loop, and the loop less each of its parts
    #[arg(long = "loop")]
    arms: bool,
    /// Rounds of the loop, at most
    #[arg(long, default_value_t = 20, requires = "arms", value_name = "N")]
    rounds: u32,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Half {
    Even,
    Odd,
}

/// A range of seeds, both ends included.
#[derive(Clone, Copy)]
struct Seeds {
    first: u64,
    last: u64,
}

impl FromStr for Seeds {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split_once('-').unwrap_or((text, text));
        match (parts.0.parse(), parts.1.parse()) {
            (Ok(first), Ok(last)) if first <= last && last - first < 10_000 => Ok(Self { first, last }),
            _ => Err("expected FIRST-LAST, such as 0-19".into()),
        }
    }
}

pub fn run(args: &Args, settings: &Settings) -> Result<u8> {
    let pack = Pack::load(&args.pack)?;
    let mut data = Pool::load(&pool(args.pool.as_deref(), &pack)?)?;
    if let Some(half) = args.half {
        let wanted = u64::from(half == Half::Odd);
        data = data.only(|task| Id::of("half", [task.as_bytes()]).prefix() % 2 == wanted)?;
    }
    talk::listen_for_stop()?;
    let weakest = weakest(&pack);
    let bench = Bench { args, settings, pool: &data };
    let (text, facts) = match args.arms {
        true => bench.arms(pack, Pack::load(&args.pack)?.only(&weakest.iter().map(|op| &**op).collect::<Vec<_>>()))?,
        false => bench.rules(pack)?,
    };
    if args.json {
        say!("{facts}\n");
    } else {
        say!("{text}");
    }
    Ok(0)
}

/// The three ops that their author trusts least, the last by name among equals.
fn weakest(pack: &Pack) -> Vec<String> {
    let mut ops: Vec<(Strength, String)> =
        pack.ops().iter().filter_map(|op| Some((op.op()?.strength, op.name().to_string()))).collect();
    ops.sort();
    ops.into_iter().rev().take(3).map(|(_, op)| op).collect()
}

struct Bench<'a> {
    args: &'a Args,
    settings: &'a Settings,
    pool: &'a Pool,
}

/// One row over all splits.
struct Line {
    name: String,
    figures: Vec<Agreement>,
}

impl Bench<'_> {
    fn seeds(&self) -> std::ops::RangeInclusive<u64> {
        self.args.seeds.first..=self.args.seeds.last
    }

    fn sizes(&self) -> Sizes {
        Sizes { train: self.args.train, dev: self.args.dev }
    }

    fn rules(&self, pack: Pack) -> Result<(String, Value)> {
        let store = self.settings.store()?;
        let bar = talk::Bar::new("judging", self.pool.corpus().outputs().len());
        let grader = Grader::new(&pack, &store)
            .threads(self.settings.threads)
            .python(self.settings.python.clone())
            .databases(self.settings.databases.clone())
            .progress(&bar);
        let mut session = Session::new(&pack, &grader, self.pool.corpus());
        let mut lines: Vec<Line> = Vec::new();
        let mut chosen: Map<String, Value> = Map::new();
        for seed in self.seeds() {
            let (dataset, sealed) = locked::split(self.pool, seed, self.sizes())?;
            let found = study::rules(&mut session, &dataset, &sealed)?;
            for (name, figures) in found.standing.rows {
                add(&mut lines, name, figures);
            }
            for (name, expr) in found.chosen {
                let all = chosen.entry(name).or_insert_with(|| json!([]));
                all.as_array_mut().into_iter().for_each(|all| all.push(json!(expr)));
            }
        }
        talk::trouble(&grader, &store);
        let mut text = self.opening(&pack);
        let rows: Vec<Vec<String>> = lines.iter().map(Line::row).collect();
        text += &table(&head(&[]), &rows);
        if let Some(regret) = regret(&lines) {
            text += &format!("\nThe default falls short of hindsight by {regret:.3} on average.\n");
        }
        let facts: Map<String, Value> = lines.iter().map(|line| (line.name.clone(), line.facts())).collect();
        Ok((text, json!({"pack": pack.manifest.name, "rules": facts, "regret": regret(&lines), "chosen": chosen})))
    }

    fn arms(&self, pack: Pack, crippled: Pack) -> Result<(String, Value)> {
        let store = self.settings.store()?;
        let bar = talk::Bar::new("judging", self.pool.corpus().outputs().len());
        let graders = [&pack, &crippled].map(|pack| {
            let grader = Grader::new(pack, &store).threads(self.settings.threads);
            grader.python(self.settings.python.clone()).databases(self.settings.databases.clone()).progress(&bar)
        });
        let mut text = self.opening(&pack);
        let (mut rows, mut facts) = (Vec::new(), Vec::new());
        for (at, arm) in study::arms(self.args.rounds).iter().enumerate() {
            let (pack, grader) = if arm.crippled { (&crippled, &graders[1]) } else { (&pack, &graders[0]) };
            let mut session = Session::new(pack, grader, self.pool.corpus());
            let (came, seconds) = self.arm(arm, &mut session)?;
            talk::note(&format!("{} of {} arms: {}", at + 1, study::arms(0).len(), arm.name.trim()));
            let line = Line { name: arm.name.into(), figures: came.iter().map(|came| came.figures).collect() };
            rows.push(line.row().into_iter().chain(beside(&came, seconds)).collect());
            facts.push(json!({"arm": arm.name, "figures": line.facts(), "runs": runs(&came)}));
        }
        let numbers = ["passes", "valid", "grown", "born", "rejected", "active", "rounds", "seconds"];
        text += &table(&head(&numbers), &rows);
        text += "\npasses: share of train outputs that pass; valid: splits whose metric fails some train output and passes \
                 some;\ngrown: splits whose metric has a leaf born in the run; the rest are means a run. The three weakest \
                 ops:\n";
        text += &format!("{}\n", crippled.ops().iter().map(|op| op.name()).collect::<Vec<_>>().join(", "));
        Ok((text, json!({"pack": pack.manifest.name, "arms": facts})))
    }

    /// One arm on every split, and its seconds a run.
    fn arm(&self, arm: &Arm, session: &mut Session) -> Result<(Vec<Came>, f64)> {
        let started = Instant::now();
        let mut came = Vec::new();
        for seed in self.seeds() {
            let (dataset, sealed) = locked::split(self.pool, seed, self.sizes())?;
            came.push(study::run(session, arm, &dataset, &sealed)?);
        }
        let seconds = started.elapsed().as_secs_f64() / came.len().max(1) as f64;
        Ok((came, seconds))
    }

    fn opening(&self, pack: &Pack) -> String {
        let splits = (self.args.seeds.last - self.args.seeds.first + 1) as usize;
        let mut text = format!(
            "{}: {} of {}, {}\n",
            pack.manifest.name,
            plural(self.pool.corpus().outputs().len(), "output"),
            plural(self.pool.corpus().tasks().len(), "task"),
            plural(splits, "split"),
        );
        if let Some(default) = pack.default_expression() {
            text += &format!("default  {default}\n");
        }
        text + "\nBalanced agreement with the sealed labels, mean over splits:\n\n"
    }
}

fn add(lines: &mut Vec<Line>, name: &str, figures: Agreement) {
    match lines.iter_mut().find(|line| line.name == name) {
        Some(line) => line.figures.push(figures),
        None => lines.push(Line { name: name.to_string(), figures: vec![figures] }),
    }
}

fn head<'h>(more: &[&'h str]) -> Vec<(&'h str, Side)> {
    let numbers = ["balanced", "95% interval", "sd", "on fails", "on passes"];
    let numbers = numbers.iter().chain(more).map(|title| (*title, Side::Right));
    [("agreement of", Side::Left)].into_iter().chain(numbers).collect()
}

impl Line {
    fn balanced(&self) -> Vec<f64> {
        self.figures.iter().map(|figures| figures.balanced).collect()
    }

    fn mean_of(&self, of: fn(&Agreement) -> f64) -> f64 {
        mean(&self.figures.iter().map(of).collect::<Vec<_>>())
    }

    fn row(&self) -> Vec<String> {
        let balanced = self.balanced();
        let interval = interval(&balanced);
        vec![
            self.name.clone(),
            format!("{:.3}", mean(&balanced)),
            interval.map_or(String::new(), |interval| format!("{:.3} to {:.3}", interval.low, interval.high)),
            format!("{:.3}", deviation(&balanced)),
            format!("{:.3}", self.mean_of(|figures| figures.recall_fail)),
            format!("{:.3}", self.mean_of(|figures| figures.recall_pass)),
        ]
    }

    fn facts(&self) -> Value {
        let balanced = self.balanced();
        json!({
            "balanced": mean(&balanced),
            "interval": interval(&balanced),
            "sd": deviation(&balanced),
            "recall_fail": self.mean_of(|figures| figures.recall_fail),
            "recall_pass": self.mean_of(|figures| figures.recall_pass),
            "splits": balanced,
        })
    }
}

/// What a loop's arm has beside agreement.
fn beside(came: &[Came], seconds: f64) -> Vec<String> {
    let mean_of = |of: fn(&Came) -> f64| mean(&came.iter().map(of).collect::<Vec<_>>());
    let share = |is: fn(&Came) -> bool| format!("{}/{}", came.iter().filter(|came| is(came)).count(), came.len());
    vec![
        format!("{:.3}", mean_of(|came| came.passes)),
        share(|came| came.valid),
        share(|came| came.grown),
        format!("{:.1}", mean_of(|came| came.born as f64)),
        format!("{:.1}", mean_of(|came| came.rejected as f64)),
        format!("{:.1}", mean_of(|came| came.active as f64)),
        format!("{:.1}", mean_of(|came| f64::from(came.rounds))),
        format!("{seconds:.2}"),
    ]
}

fn runs(came: &[Came]) -> Vec<Value> {
    let run = |came: &Came| {
        json!({
            "metric": came.metric, "balanced": came.figures.balanced, "train_passes": came.passes, "valid": came.valid,
            "rounds": came.rounds, "born": came.born, "rejected": came.rejected, "active": came.active,
            "grown": came.grown,
        })
    };
    came.iter().map(run).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn deviation(values: &[f64]) -> f64 {
    let center = mean(values);
    let squares: f64 = values.iter().map(|value| (value - center).powi(2)).sum();
    (squares / (values.len() as f64 - 1.0).max(1.0)).sqrt()
}

/// 95% bootstrap interval of the mean over splits.
fn interval(values: &[f64]) -> Option<Interval> {
    let mut stream = Stream::new(0, 0, "study bootstrap");
    bootstrap(values.len(), 2000, 0.95, &mut stream, |drawn| {
        Some(drawn.iter().map(|index| values[*index]).sum::<f64>() / drawn.len() as f64)
    })
}

/// By how much the declared default falls short of hindsight, split by split.
fn regret(lines: &[Line]) -> Option<f64> {
    let of = |name: &str| lines.iter().find(|line| line.name == name).map(Line::balanced);
    let (best, default) = (of(HINDSIGHT)?, of("default")?);
    Some(mean(&best.iter().zip(&default).map(|(best, default)| best - default).collect::<Vec<_>>()))
}
