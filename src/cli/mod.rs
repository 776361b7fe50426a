//! The command: one file a subcommand, and the only place that prints or reads the environment.
//!
//! stdout is data, stderr is talk. Exit codes are a contract: 0 fine, 1 error, 2 usage, 3 cannot tell, 4 nothing to
//! do, 100 outputs failed or differ or an audit says no, 130 interrupted.

#[macro_use]
mod talk;
mod adopt;
mod cache;
mod check;
mod compare;
mod diff;
mod completions;
mod evolve;
mod explain;
mod export;
mod facts;
mod grade;
mod import;
mod man;
mod new;
mod report;
mod runs;
mod settings;
mod source;
mod split;
mod story;
mod table;
mod test;
mod try_op;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::base::{Kind, Result};
use settings::Shared;

/// Exit code when outputs failed, or a check or an audit says no.
const SAYS_NO: u8 = 100;

const EXIT_CODES: &str = "Exit codes: 0 fine, 1 error, 2 usage, 3 cannot tell, 4 nothing to do, 100 outputs failed or
differ or a check says no, 130 interrupted. GRADUS_CACHE, GRADUS_THREADS, GRADUS_PYTHON and GRADUS_DATABASES,
or a gradus.toml with cache, threads, python and databases, stand in for the shared options.";

/// Evolve a readable grader for LLM outputs out of small Lua detectors, and apply it.
///
/// A pack holds one task family: a root check, detectors ("ops"), and an expression over them. Start with
/// `gradus evolve packs/code`, which selects a metric on the data that the pack ships with and audits it.
#[derive(Parser)]
#[command(name = "gradus", version, max_term_width = 100, after_help = EXIT_CODES)]
struct Cli {
    #[command(flatten)]
    shared: Shared,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    New(new::Args),
    Check(check::Args),
    Test(test::Args),
    Try(try_op::Args),
    Import(import::Args),
    Split(split::Args),
    Evolve(evolve::Args),
    Compare(compare::Args),
    Grade(grade::Args),
    Explain(explain::Args),
    Runs(runs::Args),
    Diff(diff::Args),
    Adopt(adopt::Args),
    Cache(cache::Args),
    Completions(completions::Args),
    Man(man::Args),
}

/// Runs the command line and says how the process is to exit.
pub fn main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(error) => {
            let code = u8::try_from(error.exit_code()).unwrap_or(2);
            error.print().ok();
            return ExitCode::from(code);
        }
    };
    match run(cli) {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            if error.kind() != Kind::Unheard {
                talk::error(&error);
            }
            ExitCode::from(error.kind().exit_code())
        }
    }
}

fn run(cli: Cli) -> Result<u8> {
    let settings = cli.shared.resolve()?;
    match cli.command {
        Command::New(args) => new::run(&args),
        Command::Check(args) => check::run(&args, &settings),
        Command::Test(args) => test::run(&args, &settings),
        Command::Try(args) => try_op::run(&args, &settings),
        Command::Import(args) => import::run(&args),
        Command::Split(args) => split::run(&args),
        Command::Evolve(args) => evolve::run(&args, &settings),
        Command::Compare(args) => compare::run(&args, &settings),
        Command::Grade(args) => grade::run(&args, &settings),
        Command::Explain(args) => explain::run(&args, &settings),
        Command::Runs(args) => runs::run(&args),
        Command::Diff(args) => diff::run(&args, &settings),
        Command::Adopt(args) => adopt::run(&args),
        Command::Cache(args) => cache::run(&args, &settings),
        Command::Completions(args) => completions::run(&args),
        Command::Man(args) => man::run(&args),
    }
}
