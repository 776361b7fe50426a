//! `gradus man`: the help of every command, as manual pages.

use std::path::PathBuf;

use clap::CommandFactory;
use clap_mangen::Man;

use crate::base::file::{WRITABLE, write_whole};
use crate::base::{Error, Result};
use crate::cli::Cli;
use crate::cli::table::plural;

/// Print the manual page, or write the pages of all commands
#[derive(clap::Args)]
#[command(after_help = "Examples:
  gradus man | man -l -
  gradus man -o ~/.local/share/man/man1")]
pub struct Args {
    /// Write gradus.1 and a page for each command into this folder
    #[arg(short, long, value_name = "FOLDER")]
    output: Option<PathBuf>,
}

pub fn run(args: &Args) -> Result<u8> {
    let mut command = Cli::command();
    command.build();
    let Some(folder) = &args.output else {
        say!("{}", String::from_utf8_lossy(&page(command)?));
        return Ok(0);
    };
    std::fs::create_dir_all(folder).map_err(|error| Error::io(folder, "create", &error).help(WRITABLE))?;
    let commands = pages(command);
    say!("{} in {}\n", plural(commands.len(), "page"), folder.display());
    for command in commands {
        let name = command.get_display_name().unwrap_or(command.get_name()).to_owned();
        write_whole(&folder.join(format!("{name}.1")), &page(command)?)?;
    }
    Ok(0)
}

/// The command and all commands below it.
fn pages(command: clap::Command) -> Vec<clap::Command> {
    let below: Vec<clap::Command> =
        command.get_subcommands().filter(|below| below.get_name() != "help").cloned().flat_map(pages).collect();
    [command].into_iter().chain(below).collect()
}

fn page(command: clap::Command) -> Result<Vec<u8>> {
    let mut page = Vec::new();
    let made = Man::new(command).render(&mut page);
    made.map_err(|error| Error::failure(format!("cannot make the page: {error}")))?;
    Ok(page)
}
