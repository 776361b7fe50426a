//! `gradus completions`: the command line, as a shell's completion script knows it.

use clap::CommandFactory;
use clap_complete::Shell;

use crate::base::Result;
use crate::cli::Cli;

/// Print a completion script for a shell
#[derive(clap::Args)]
#[command(after_help = "Examples:
  gradus completions bash > ~/.local/share/bash-completion/completions/gradus
  gradus completions zsh > ~/.zfunc/_gradus
  gradus completions fish > ~/.config/fish/completions/gradus.fish")]
pub struct Args {
    /// The shell that is to read it
    shell: Shell,
}

pub fn run(args: &Args) -> Result<u8> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "gradus", &mut script);
    say!("{}", String::from_utf8_lossy(&script));
    Ok(0)
}
