//! `gradus cache`: what is kept between runs, and getting rid of it.

use clap::Subcommand;

use crate::base::{Error, Kind, Result};
use crate::cli::settings::Settings;
use crate::cli::table::count;
use crate::cli::talk;
use crate::store::Store;

/// Look at or clear the cache of verdicts and observations
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  gradus cache stats\n  gradus cache clear --cache cache.sqlite")]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Say where the cache is and what it holds
    Stats,
    /// Delete everything in it; the next run observes again
    Clear,
}

pub fn run(args: &Args, settings: &Settings) -> Result<u8> {
    let Some(path) = &settings.cache else {
        return Err(Error::new(Kind::Nothing, "there is no cache: --no-cache was given, or there is no cache folder"));
    };
    if let What::Clear = args.what {
        Store::clear_file(path)?;
    }
    let store = settings.store()?;
    let stats = store.stats()?;
    talk::notices(&store);
    say!("{}\n", path.display());
    say!("  observations  {:>10}\n", count(stats.observations as usize));
    say!("  outputs       {:>10}\n", count(stats.rows as usize));
    say!("  bytes         {:>10}\n", count(stats.bytes as usize));
    Ok(0)
}
