//! `gradus check`: is this pack, or this machine, fit for use?

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::base::{Error, Result};
use crate::cli::settings::Settings;
use crate::cli::table::{Side, count, plural, table};
use crate::cli::{SAYS_NO, talk};
use crate::dataset::{Pool, REFERENCE, References, TASKS, read_tasks};
use crate::grade::{Budget, Grader, Group};
use crate::pack::Pack;
use crate::sandbox;
use crate::script::Feature;
use crate::verdict::Verdict;
use crate::warehouse::{Sqlite, Warehouse};

/// Check a pack, the system, or a pack's anchor against known labels
#[derive(clap::Args)]
#[command(after_help = "Examples:
  gradus check packs/code
  gradus check --system
  gradus check packs/code --anchor fixtures/code")]
pub struct Args {
    /// The pack's folder
    #[arg(required_unless_present = "system")]
    pack: Option<PathBuf>,
    /// Say what running untrusted code needs, and what is missing here
    #[arg(long)]
    system: bool,
    /// Grade a pool with the pack's anchor and compare with the pool's labels
    #[arg(long, value_name = "POOL", requires = "pack")]
    anchor: Option<PathBuf>,
}

pub fn run(args: &Args, settings: &Settings) -> Result<u8> {
    let mut fit = true;
    if args.system {
        fit &= check_system(settings)?;
    }
    if let Some(folder) = &args.pack {
        let pack = Pack::load(folder)?;
        match &args.anchor {
            Some(pool) => fit &= check_anchor(&pack, pool, settings)?,
            None => {
                describe(&pack)?;
                fit &= describe_databases(&pack, settings)?;
            }
        }
    }
    Ok(if fit { 0 } else { SAYS_NO })
}

fn check_system(settings: &Settings) -> Result<bool> {
    let checks = sandbox::system_report(settings.python.as_deref());
    let rows: Vec<Vec<String>> = checks
        .iter()
        .map(|check| {
            let state = if check.ok { "ok" } else { "missing" };
            vec![check.name.to_string(), state.to_string(), check.detail.clone()]
        })
        .collect();
    say!("{}", table(&[("needed", Side::Left), ("", Side::Left), ("found", Side::Left)], &rows));
    for check in checks.iter().filter(|check| !check.ok) {
        say!("\n{}: {}\n", check.name, check.remedy);
    }
    let ready = checks.iter().all(|check| check.ok);
    say!("\n{}\n", if ready { "Untrusted Python can be run here." } else { "Untrusted Python is not run here." });
    Ok(ready)
}

fn describe(pack: &Pack) -> Result<()> {
    let manifest = &pack.manifest;
    say!("{}: {}\n", manifest.name, manifest.about.as_deref().unwrap_or("a task family"));
    if let Some(default) = pack.default_expression() {
        say!("default  {default}\n");
    }
    say!("\n");
    let rows: Vec<Vec<String>> = pack
        .ops()
        .iter()
        .filter_map(|op| {
            let meta = op.op()?;
            let (tier, strength) = (meta.tier.word().to_string(), meta.strength.word().to_string());
            Some(vec![op.name().to_string(), tier, strength, meta.detects.clone(), meta.about.clone()])
        })
        .collect();
    let head = ["op", "tier", "strength", "detects", "fires when an output"].map(|title| (title, Side::Left));
    say!("{}", table(&head, &rows));
    let idle: Vec<&str> = manifest
        .taxonomy
        .keys()
        .filter(|class| !pack.ops().iter().filter_map(|op| op.op()).any(|meta| meta.detects == **class))
        .map(String::as_str)
        .collect();
    if !idle.is_empty() {
        say!("\nNo op detects: {}\n", idle.join(", "));
    }
    let ops = plural(rows.len(), "op");
    match describe_features(pack)? {
        0 => say!("\n{ops} and a root, all well formed.\n"),
        measurements => say!("\n{ops}, {} and a root, all well formed.\n", plural(measurements, "measurement")),
    }
    Ok(())
}

/// The measurements of features.lua, each of which must make a gauge; how many there are.
fn describe_features(pack: &Pack) -> Result<usize> {
    let Some(features) = pack.features() else { return Ok(0) };
    pack.gauges()?;
    let row = |feature: &Feature| {
        vec![feature.name.clone(), feature.tier().word().to_string(), feature.detects.clone(), feature.about.clone()]
    };
    let rows: Vec<Vec<String>> = features.all().iter().map(row).collect();
    let head = ["measurement", "tier", "detects", "what it is"].map(|title| (title, Side::Left));
    say!("\n{}", table(&head, &rows));
    Ok(rows.len())
}

/// What the pack's warehouse needs, and whether it is here: a folder, and each database that the tasks name.
fn describe_databases(pack: &Pack, settings: &Settings) -> Result<bool> {
    let Some(folder) = settings.databases.clone().or_else(|| pack.databases()) else { return Ok(true) };
    let limits = pack.manifest.warehouse.as_ref().map(|warehouse| warehouse.limits.clone()).unwrap_or_default();
    let copies = limits.copy_mb;
    say!("\ndatabases  {} (SQLite {}; copies of those up to {copies} MiB)\n", folder.display(), Sqlite::version());
    let tasks = pack.dataset().map(|dataset| dataset.join(TASKS)).filter(|tasks| tasks.is_file());
    let named = tasks.as_deref().map(named_databases).transpose()?.unwrap_or_default();
    let warehouse = Sqlite::new(folder, limits);
    let mut missing = 0;
    for (database, tasks) in &named {
        if let Err(error) = warehouse.environment(database, 0) {
            missing += 1;
            say!("  {database} ({}): {error}\n", plural(*tasks, "task"));
        }
    }
    say!(
        "{} of {} that the pack's tasks name can be read.\n",
        count(named.len() - missing),
        plural(named.len(), "database")
    );
    Ok(missing == 0)
}

/// The databases that tasks name, with how many tasks do.
fn named_databases(tasks: &Path) -> Result<BTreeMap<String, usize>> {
    let mut named = BTreeMap::new();
    for task in read_tasks(tasks)? {
        if let Some(database) = task.fields["db"].as_str() {
            *named.entry(database.to_owned()).or_default() += 1;
        }
    }
    Ok(named)
}

/// Says where the anchor's verdicts differ from a pool's labels.
fn check_anchor(pack: &Pack, folder: &Path, settings: &Settings) -> Result<bool> {
    let anchor = pack
        .anchor()
        .ok_or_else(|| Error::failure("this pack has no anchor.lua").at(pack.dir().unwrap_or(folder), None))?;
    let pool = Pool::load(folder)?;
    let corpus = pool.corpus();
    let references = References::load(&folder.join(REFERENCE), corpus)?;
    let groups: Vec<Group> = (0..corpus.tasks().len())
        .map(|task| {
            let mut group = Group::of(corpus, task);
            group.reference = references.get(&corpus.tasks()[task].id).cloned();
            group
        })
        .collect();
    talk::listen_for_stop()?;
    let store = settings.store()?;
    let bar = talk::Bar::new("anchor", corpus.outputs().len());
    let grader = Grader::new(pack, &store)
        .budget(Budget::of_anchor(&pack.manifest))
        .threads(settings.threads)
        .python(settings.python.clone())
        .databases(settings.databases.clone())
        .progress(&bar);
    let rows = grader.matrix(&groups, std::slice::from_ref(anchor))?;
    talk::trouble(&grader, &store);
    let mut different = Vec::new();
    for (task, rows) in rows.into_iter().enumerate() {
        for (output, row) in corpus.outputs_of(task).iter().zip(rows.into_iter().flatten()) {
            let verdict = if row.root == Verdict::Clean { row.leaves.into_iter().next() } else { Some(row.root) };
            let verdict = verdict.unwrap_or(Verdict::Clean);
            let passes = verdict == Verdict::Clean;
            if verdict.is_fault() || passes != pool.passes()[*output] {
                let label = if pool.passes()[*output] { "pass" } else { "fail" };
                let words = verdict.message().unwrap_or("").to_string();
                different.push(vec![corpus.outputs()[*output].id.clone(), label.into(), verdict.word().into(), words]);
            }
        }
    }
    let total = corpus.outputs().len();
    say!("{} of {} labels are what the anchor finds.\n", count(total - different.len()), count(total));
    if !different.is_empty() {
        let head = ["output", "label", "anchor", "in its own words"].map(|title| (title, Side::Left));
        say!("\n{}", table(&head, &different));
    }
    Ok(different.is_empty())
}
