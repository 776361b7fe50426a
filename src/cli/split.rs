//! `gradus split`: a labelled pool becomes a dataset with sealed test labels.

use std::path::PathBuf;

use crate::audit::locked;
use crate::base::Result;
use crate::cli::table::plural;
use crate::dataset::Sizes;

/// Divide a labelled pool into train, dev and sealed test
///
/// Train keeps its outputs and loses its labels; dev is a handful of labelled outputs, half of them failures, each of
/// its own task; the labels of everything else are sealed, and only the audit at the end of `evolve` opens them.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  gradus split fixtures/code --seed 0 -o data/code-0")]
pub struct Args {
    /// Folder with tasks.jsonl, outputs.jsonl and labels.jsonl
    pool: PathBuf,
    /// Which of the possible splits
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Train tasks [default: 60, or six tenths of what dev leaves]
    #[arg(long, value_name = "TASKS")]
    train: Option<usize>,
    /// Labelled outputs, half of them failures
    #[arg(long, default_value_t = 10, value_name = "OUTPUTS")]
    dev: usize,
    /// The dataset's folder; must not exist
    #[arg(short, long, value_name = "FOLDER")]
    output: PathBuf,
}

pub fn run(args: &Args) -> Result<u8> {
    let sizes = Sizes { train: args.train, dev: args.dev };
    let dataset = locked::split_to_folder(&args.pool, args.seed, sizes, &args.output)?;
    let split = dataset.split();
    say!("{}: seed {}\n", args.output.display(), args.seed);
    say!(
        "  train  {}, {}\n",
        plural(split.train.len(), "task"),
        plural(dataset.train_outputs().len(), "unlabelled output")
    );
    say!("  dev    {}\n", plural(dataset.dev().len(), "labelled output"));
    say!("  test   {}, {}\n", plural(split.test.len(), "task"), plural(dataset.test_outputs().len(), "sealed output"));
    Ok(0)
}
