//! The `gradus` command; everything it does is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    gradus::cli::main(std::env::args_os())
}
