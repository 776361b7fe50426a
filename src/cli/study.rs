//! `gradus evolve --seeds`: every rule on many splits of one pool, in one table.
//!
//! The verdicts are made once; each split chooses and is audited by itself.

use std::str::FromStr;

use serde_json::json;

use crate::audit::locked;
use crate::audit::standing::{HINDSIGHT, Standing};
use crate::base::Result;
use crate::base::rng::Stream;
use crate::cli::settings::Settings;
use crate::cli::table::{Side, plural, table};
use crate::cli::talk;
use crate::dataset::{Pool, Sizes};
use crate::grade::Grader;
use crate::metric_loop::Session;
use crate::metric_loop::run::DEFAULT;
use crate::objective::Rule;
use crate::pack::Pack;
use crate::stats::{Interval, bootstrap};
use crate::store::Store;

/// A range of seeds, both ends included.
#[derive(Clone, Copy)]
pub struct Seeds {
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

/// One rule over all splits.
struct Line {
    name: &'static str,
    balanced: Vec<f64>,
    on_fails: f64,
    on_passes: f64,
}

/// What is studied, and how each split is made.
pub struct Study<'a> {
    pub pack: &'a Pack,
    pub pool: &'a Pool,
    pub seeds: Seeds,
    pub sizes: Sizes,
    pub rule: Rule,
    pub as_json: bool,
}

pub fn run(study: &Study, store: &Store, settings: &Settings) -> Result<u8> {
    let Study { pack, pool, seeds, sizes, rule, as_json } = *study;
    let bar = talk::Bar::new("judging", pool.corpus().outputs().len());
    let grader = Grader::new(pack, store).threads(settings.threads).python(settings.python.clone()).progress(&bar);
    let mut standings = Vec::new();
    let mut session = None;
    let mut ties = Vec::new();
    for seed in seeds.first..=seeds.last {
        let (dataset, sealed) = locked::split(pool, seed, sizes)?;
        let session = session.get_or_insert_with(|| Session::new(pack, &grader, &dataset));
        if seed == seeds.first {
            session.judge_everything(&dataset)?;
            talk::trouble(&grader, store);
        }
        let mut run = session.choose(&dataset, rule)?;
        session.audit(&dataset, &mut run, &sealed)?;
        ties.push((run.first.ties.size(), run.first.behaviours));
        standings.extend(run.standing);
    }
    let lines = lines(&standings);
    if as_json {
        say!("{}\n", facts(pack, &lines, &standings));
    } else {
        say!("{}", report(pack, pool, &lines, &ties));
    }
    Ok(0)
}

fn lines(standings: &[Standing]) -> Vec<Line> {
    let names = standings.first().map(|standing| standing.rows.iter().map(|(name, _)| *name).collect::<Vec<_>>());
    let line = |name| {
        let figures: Vec<_> = standings.iter().filter_map(|standing| standing.of(name)).collect();
        let mean = |of: fn(&crate::audit::agreement::Agreement) -> f64| {
            figures.iter().map(|figure| of(figure)).sum::<f64>() / figures.len() as f64
        };
        Line {
            name,
            on_fails: mean(|figure| figure.recall_fail),
            on_passes: mean(|figure| figure.recall_pass),
            balanced: figures.iter().map(|figure| figure.balanced).collect(),
        }
    };
    names.unwrap_or_default().into_iter().map(line).collect()
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
fn regret(lines: &[Line]) -> Option<Vec<f64>> {
    let of = |name| lines.iter().find(|line| line.name == name);
    let pairs = of(HINDSIGHT)?.balanced.iter().zip(&of(DEFAULT)?.balanced);
    Some(pairs.map(|(best, default)| best - default).collect())
}

fn report(pack: &Pack, pool: &Pool, lines: &[Line], ties: &[(usize, usize)]) -> String {
    let splits = lines.first().map_or(0, |line| line.balanced.len());
    let mut text = format!(
        "{}: {} of {}, {}\n",
        pack.manifest.name,
        plural(pool.corpus().outputs().len(), "output"),
        plural(pool.corpus().tasks().len(), "task"),
        plural(splits, "split"),
    );
    if let Some(default) = pack.default_expression() {
        text += &format!("default  {default}\n");
    }
    if let Some(baseline) = pack.baseline_expression() {
        text += &format!("plainest check  {baseline}\n");
    }
    text += "\nBalanced agreement with the sealed labels, mean over splits:\n\n";
    let rows: Vec<Vec<String>> = lines
        .iter()
        .map(|line| {
            let interval = interval(&line.balanced);
            vec![
                line.name.to_string(),
                format!("{:.3}", mean(&line.balanced)),
                interval.map_or(String::new(), |interval| format!("{:.3} to {:.3}", interval.low, interval.high)),
                format!("{:.3}", deviation(&line.balanced)),
                format!("{:.3}", line.on_fails),
                format!("{:.3}", line.on_passes),
            ]
        })
        .collect();
    let numbers = ["balanced", "95% interval", "sd", "on fails", "on passes"].map(|title| (title, Side::Right));
    let head: Vec<(&str, Side)> = [("agreement of", Side::Left)].into_iter().chain(numbers).collect();
    text += &table(&head, &rows);
    if let Some(regret) = regret(lines) {
        text += &format!("\nThe default falls short of hindsight by {:.3} on average.\n", mean(&regret));
    }
    let over = |of: fn(&(usize, usize)) -> usize| {
        let mut sizes: Vec<usize> = ties.iter().map(of).collect();
        sizes.sort_unstable();
        sizes.get(sizes.len() / 2).copied().unwrap_or(0)
    };
    text += &format!(
        "S(e) leaves {} tied in the median split, {} of them different on dev and train.\n",
        plural(over(|ties| ties.0), "expression"),
        over(|ties| ties.1)
    );
    text
}

fn facts(pack: &Pack, lines: &[Line], standings: &[Standing]) -> serde_json::Value {
    let line = |line: &Line| {
        json!({
            "balanced": mean(&line.balanced),
            "interval": interval(&line.balanced),
            "sd": deviation(&line.balanced),
            "recall_fail": line.on_fails,
            "recall_pass": line.on_passes,
            "splits": line.balanced,
        })
    };
    json!({
        "pack": pack.manifest.name,
        "default": pack.default_expression().map(ToString::to_string),
        "splits": standings.len(),
        "rules": lines.iter().map(|row| (row.name.to_string(), line(row))).collect::<serde_json::Map<_, _>>(),
        "regret": regret(lines).map(|regret| mean(&regret)),
        "hindsight": standings.iter().map(|standing| standing.hindsight.clone()).collect::<Vec<_>>(),
    })
}
