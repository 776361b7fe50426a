//! `gradus import`: published data sets as pools.

use std::path::PathBuf;

use clap::Subcommand;

use crate::base::Result;
use crate::cli::table::{count, plural};
use crate::dataset::evalplus;

/// Make a pool out of published data
#[derive(clap::Args)]
#[command(after_help = "Example:
  gradus import evalplus --problems MbppPlus.jsonl.gz --samples samples.jsonl -o POOL")]
pub struct Args {
    #[command(subcommand)]
    format: Format,
}

#[derive(Subcommand)]
enum Format {
    Evalplus(Evalplus),
}

/// HumanEval+ or MBPP+, with samples and results in the forms of EvalPlus
///
/// The pool has every problem as a task, its hidden tests as references, every sample as an output, and labels where
/// results are given. `packs/code` grades it, and `gradus check packs/code --anchor POOL` compares its labels with the
/// hidden tests.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  gradus import evalplus --problems HumanEvalPlus.jsonl.gz --samples samples.jsonl \\
      --results samples_eval_results.json -o POOL
  gradus grade --pack packs/code --tasks POOL/tasks.jsonl --outputs POOL/outputs.jsonl")]
struct Evalplus {
    /// HumanEvalPlus or MbppPlus, as .jsonl or .jsonl.gz
    #[arg(long, value_name = "FILE")]
    problems: PathBuf,
    /// A file of samples, a folder of such files, or a folder with one of .py files for each problem
    #[arg(long, value_name = "PATH")]
    samples: PathBuf,
    /// What EvalPlus wrote for the samples; for a folder of files, the folder of their STEM_eval_results.json
    #[arg(long, value_name = "PATH")]
    results: Option<PathBuf>,
    /// The pool's folder; must not exist
    #[arg(short, long, value_name = "POOL")]
    output: PathBuf,
}

pub fn run(args: &Args) -> Result<u8> {
    let Format::Evalplus(args) = &args.format;
    let made = evalplus::import(&args.problems, &args.samples, args.results.as_deref(), &args.output)?;
    let labels = match made.passing {
        Some(passing) => format!("{} passing and {} failing", count(passing), count(made.outputs - passing)),
        None => "without labels".to_owned(),
    };
    let (tasks, outputs) = (plural(made.tasks, "task"), plural(made.outputs, "output"));
    say!("{}: {tasks}, {outputs}, {labels}\n", args.output.display());
    Ok(0)
}
