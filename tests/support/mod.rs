//! What the tests of the command share: running it in a clean environment.

use std::path::Path;
use std::process::{Command, Output};

/// The command in `dir`, with no cache outside of it and nothing inherited that could change its words.
pub fn command(dir: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gradus"));
    for name in ["GRADUS_CACHE", "GRADUS_THREADS", "GRADUS_PYTHON", "GRADUS_DATABASES"] {
        command.env_remove(name);
    }
    command.current_dir(dir).env("XDG_CACHE_HOME", dir.join("cache"));
    command
}

pub fn gradus(dir: &Path, args: &[&str]) -> Output {
    command(dir).args(args).output().expect("the binary starts")
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}
