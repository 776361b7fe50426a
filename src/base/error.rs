//! One error type for the whole library, and the one table from failure to exit code.
//!
//! An error is a paragraph for a person: where (file and line), what, and what to do about it. A script that
//! misbehaves is not an error but a fault (`verdict.rs`); an output that fails is neither.

use std::fmt;
use std::path::{Path, PathBuf};

pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What went wrong, as far as the exit code is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Data, a pack or the machine is not as it must be.
    Failure,
    /// The command line or a setting makes no sense.
    Usage,
    /// The evidence does not decide.
    CannotTell,
    /// There was nothing to do.
    Nothing,
    /// A person or the system stopped the work.
    Interrupted,
    /// Whoever read the output went away, and has what it wanted.
    Unheard,
}

impl Kind {
    /// The process exit code for this kind of failure.
    pub fn exit_code(self) -> u8 {
        match self {
            Kind::Failure => 1,
            Kind::Usage => 2,
            Kind::CannotTell => 3,
            Kind::Nothing => 4,
            Kind::Interrupted => 130,
            Kind::Unheard => 0,
        }
    }
}

/// A failure as a person reads it: place, message, remedy.
#[derive(Debug)]
pub struct Error {
    kind: Kind,
    message: String,
    place: Option<(PathBuf, Option<usize>)>,
    help: Option<String>,
}

impl Error {
    pub fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), place: None, help: None }
    }

    pub fn failure(message: impl Into<String>) -> Self {
        Self::new(Kind::Failure, message)
    }

    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(Kind::Usage, message)
    }

    /// An operating-system failure on a file, in the system's own words.
    pub fn io(path: &Path, doing: &str, source: &std::io::Error) -> Self {
        Self::failure(format!("cannot {doing}: {source}")).at(path, None)
    }

    /// Names the file, and the 1-based line where there is one.
    pub fn at(mut self, path: impl Into<PathBuf>, line: Option<usize>) -> Self {
        self.place = Some((path.into(), line));
        self
    }

    /// Says what to do about it, in one sentence.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    pub fn kind(&self) -> Kind {
        self.kind
    }

    pub fn message(&self) -> &str {
        &self.message
    }

    pub fn place(&self) -> Option<(&Path, Option<usize>)> {
        self.place.as_ref().map(|(path, line)| (path.as_path(), *line))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((path, line)) = &self.place {
            write!(f, "{}", path.display())?;
            if let Some(line) = line {
                write!(f, ":{line}")?;
            }
            f.write_str(": ")?;
        }
        f.write_str(&self.message)?;
        if let Some(help) = &self.help {
            write!(f, ". {help}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_reads_place_message_remedy() {
        let error = Error::failure("unknown key `detcts`")
            .at("packs/code/seeds/x.lua", Some(3))
            .help("Did you mean `detects`?");
        assert_eq!(error.to_string(), "packs/code/seeds/x.lua:3: unknown key `detcts`. Did you mean `detects`?");
    }

    #[test]
    fn exit_codes_are_a_contract() {
        let kinds = [Kind::Failure, Kind::Usage, Kind::CannotTell, Kind::Nothing, Kind::Interrupted, Kind::Unheard];
        assert_eq!(kinds.map(Kind::exit_code), [1, 2, 3, 4, 130, 0]);
    }
}
