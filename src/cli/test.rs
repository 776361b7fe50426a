//! `gradus test`: a pack held against its literate cases.

use std::path::PathBuf;

use crate::base::{Error, Kind, Result};
use crate::cases::{self, Case, Checked};
use crate::cli::settings::Settings;
use crate::cli::table::{Side, table};
use crate::cli::{SAYS_NO, talk};
use crate::grade::Grader;
use crate::pack::Pack;

/// Run a pack's literate cases
///
/// A case in cases/*.md shows an output and says what named ops must find in it. For every op the table counts cases
/// that are clean and found clean (Validated), drawbacks found (Reported), drawbacks not found (Missing) and false
/// alarms (Noisy). Abstentions and faults that a case asks for count as Validated.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  gradus test packs/code\n  gradus test packs/code --only fails_example")]
pub struct Args {
    /// The pack's folder
    pack: PathBuf,
    /// Check one op alone
    #[arg(long, value_name = "OP")]
    only: Option<String>,
}

pub fn run(args: &Args, settings: &Settings) -> Result<u8> {
    let pack = Pack::load(&args.pack)?;
    let folder = args.pack.join("cases");
    let cases = cases::load(&folder)?;
    if let Some(op) = args.only.as_ref().filter(|op| !["root", "anchor"].contains(&op.as_str())) {
        pack.op(op)?;
    }
    talk::listen_for_stop()?;
    let store = settings.store()?;
    let grader = Grader::new(&pack, &store)
        .threads(settings.threads)
        .python(settings.python.clone())
        .databases(settings.databases.clone());
    let wanted = |op: &str| args.only.as_ref().is_none_or(|only| only == op);
    let checked = cases::run(&pack, &grader, &cases, &wanted)?;
    talk::trouble(&grader, &store);
    if checked.is_empty() {
        return Err(Error::new(Kind::Nothing, "there are no cases to run")
            .at(folder, None)
            .help("packs/README.md shows what a case looks like"));
    }
    say!("{}", summary(&pack, &cases, &checked, &wanted));
    let failed = checked.iter().filter(|checked| checked.miss.is_some()).count();
    for checked in checked.iter().filter(|checked| checked.miss.is_some()) {
        say!("{}", failure(&cases, checked));
    }
    say!("\n{} passed, {failed} failed\n", checked.len() - failed);
    Ok(if failed == 0 { 0 } else { SAYS_NO })
}

/// The four words, op by op.
fn summary(pack: &Pack, cases: &[Case], checked: &[Checked], wanted: &dyn Fn(&str) -> bool) -> String {
    let fixed = ["root", "anchor"].into_iter();
    let names = fixed.chain(pack.ops().iter().map(|op| op.name())).filter(|name| wanted(name));
    let rows: Vec<Vec<String>> = names
        .filter_map(|name| {
            let of_op: Vec<(&str, &Checked)> = checked
                .iter()
                .map(|checked| (&cases[checked.case].expectations[checked.expectation], checked))
                .filter(|(expectation, _)| expectation.op == name)
                .map(|(expectation, checked)| (expectation.word.as_str(), checked))
                .collect();
            if of_op.is_empty() {
                return (!["root", "anchor"].contains(&name)).then(|| row(name, [0; 4]));
            }
            let count = |drawback: bool, kept: bool| {
                of_op
                    .iter()
                    .filter(|(word, checked)| (*word == "drawback") == drawback && checked.miss.is_none() == kept)
                    .count()
            };
            Some(row(name, [count(false, true), count(true, true), count(true, false), count(false, false)]))
        })
        .collect();
    let numbers = ["Validated", "Reported", "Missing", "Noisy"].map(|word| (word, Side::Right));
    let head: Vec<(&str, Side)> = [("op", Side::Left)].into_iter().chain(numbers).collect();
    table(&head, &rows)
}

fn row(name: &str, counts: [usize; 4]) -> Vec<String> {
    [name.to_string()].into_iter().chain(counts.map(|n| n.to_string())).collect()
}

fn failure(cases: &[Case], checked: &Checked) -> String {
    let case = &cases[checked.case];
    let expectation = &case.expectations[checked.expectation];
    let miss = checked.miss.as_deref().unwrap_or("");
    format!("\n{}:{}: {}\n  {}: {miss}\n", case.path, expectation.line, case.title, expectation.op)
}
