//! `gradus adopt`: ops that were born in a run become part of a pack.
//!
//! The pack must load with them before anything is written; what it has already is never overwritten.

use std::path::{Path, PathBuf};

use crate::base::file::{WRITABLE, write_whole};
use crate::base::{Error, Kind, Result};
use crate::cli::runs::Told;
use crate::cli::table::plural;
use crate::journal::{Birth, Standing};
use crate::pack::load::SYNTHESIZED;
use crate::pack::{Pack, Script};

/// Copy ops that were born in a run into a pack
///
/// Without --op these are the ops that may be selected when the run ends: born active or promoted, and not retired
/// since. They go to PACK/synthesized as they were written. Nothing is written unless the pack loads with all of them,
/// and a file that is there already and differs stays as it is.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  gradus adopt runs/code-0 packs/code
  gradus adopt runs/code-0 --op swaps_bounds --op off_by_one packs/code")]
pub struct Args {
    /// The run's folder
    run: PathBuf,
    /// The pack's folder
    pack: PathBuf,
    /// An op by name, whatever became of it; may be given more than once
    #[arg(long, value_name = "NAME")]
    op: Vec<String>,
}

pub fn run(args: &Args) -> Result<u8> {
    let told = Told::read(&args.run)?;
    let wanted = wanted(&told.summary.births, &args.op).map_err(|error| error.at(&args.run, None))?;
    for birth in &wanted {
        unedited(&args.run, birth)?;
    }
    let folder = args.pack.join(SYNTHESIZED);
    let mut new = Vec::new();
    for birth in &wanted {
        let path = folder.join(format!("{}.lua", birth.op));
        if !there_already(&path, birth)? {
            new.push((*birth, path));
        }
    }
    let script =
        |(birth, path): &(&Birth, PathBuf)| Script { path: path.display().to_string(), source: birth.source.clone() };
    Pack::load_with(&args.pack, new.iter().map(script).collect())?;
    std::fs::create_dir_all(&folder).map_err(|error| Error::io(&folder, "make this folder", &error).help(WRITABLE))?;
    for (birth, path) in &new {
        write_whole(path, birth.source.as_bytes())?;
        say!("{}  born in round {} for {}\n", path.display(), birth.round, birth.class);
    }
    let had = wanted.len() - new.len();
    if had > 0 {
        say!("{} there already\n", plural(had, "op"));
    }
    say!("\nNext: gradus check {pack} and gradus test {pack}\n", pack = args.pack.display());
    Ok(0)
}

/// The births to adopt, by name.
fn wanted<'b>(births: &'b [Birth], named: &[String]) -> Result<Vec<&'b Birth>> {
    if named.is_empty() {
        let mut active: Vec<&Birth> = births.iter().filter(|birth| birth.standing == Standing::Active).collect();
        active.sort_by(|a, b| a.op.cmp(&b.op));
        return if active.is_empty() { Err(nothing(births)) } else { Ok(active) };
    }
    let mut named: Vec<&String> = named.iter().collect();
    named.sort();
    named.dedup();
    let find = |name: &&String| {
        births.iter().find(|birth| birth.op == **name).ok_or_else(|| {
            Error::usage(format!("no op `{name}` was born in this run")).help(match births.is_empty() {
                true => "None was".to_owned(),
                false => format!("There are {}", standings(births)),
            })
        })
    };
    named.iter().map(find).collect()
}

fn nothing(births: &[Birth]) -> Error {
    match births.is_empty() {
        true => Error::new(Kind::Nothing, "no op was born in this run"),
        false => Error::new(Kind::Nothing, "no op that was born in this run may be selected at its end")
            .help(format!("Name one with --op: {}", standings(births))),
    }
}

fn standings(births: &[Birth]) -> String {
    births.iter().map(|birth| format!("{} ({})", birth.op, birth.standing.word())).collect::<Vec<_>>().join(", ")
}

/// The run's own copy of an op, where it has one, must be what was born: a change to it would be lost unseen.
fn unedited(run: &Path, birth: &Birth) -> Result<()> {
    let path = run.join("ops").join(format!("{}.lua", birth.op));
    match std::fs::read(&path) {
        Ok(bytes) if bytes != birth.source.as_bytes() => {
            Err(Error::failure("this file is not the op that was born in the run")
                .at(path, None)
                .help("Copy it into the pack by hand if its changes are meant, or delete it to adopt the op as born"))
        }
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(Error::io(&path, "read this file", &error)),
        _ => Ok(()),
    }
}

fn there_already(path: &Path, birth: &Birth) -> Result<bool> {
    match std::fs::read(path) {
        Ok(bytes) if bytes == birth.source.as_bytes() => Ok(true),
        Ok(_) => Err(Error::failure(format!("the pack has another op `{}`", birth.op))
            .at(path, None)
            .help("Rename or delete it, or adopt other ops by name with --op")),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(Error::io(path, "read this file", &error)),
    }
}
