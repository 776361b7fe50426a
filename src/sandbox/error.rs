//! What the sandbox says when it cannot work: nothing here is ever a candidate's fault.

use std::fmt;

use crate::base;

/// The machine lacks something without which no candidate may run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    what: String,
    help: String,
}

impl Missing {
    pub(super) fn new(what: impl Into<String>) -> Self {
        Self { what: what.into(), help: String::new() }
    }

    pub(super) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = help.into();
        self
    }

    pub(super) fn remedy(&self) -> &str {
        &self.help
    }

    pub(super) fn what(&self) -> &str {
        &self.what
    }
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "candidates cannot run here: {}", self.what)?;
        if self.help.is_empty() { Ok(()) } else { write!(f, ". {}", self.help) }
    }
}

impl std::error::Error for Missing {}

impl From<Missing> for base::Error {
    fn from(missing: Missing) -> Self {
        let error = base::Error::failure(format!("candidates cannot run here: {}", missing.what));
        if missing.help.is_empty() { error } else { error.help(missing.help) }
    }
}

/// The sandbox failed at its own work: an infrastructure fault, never an observation.
#[derive(Debug)]
pub struct Error(pub(super) String);

impl Error {
    pub(super) fn io(doing: &str, source: impl fmt::Display) -> Self {
        Self(format!("cannot {doing}: {source}"))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the Python sandbox failed: {}", self.0)
    }
}

impl std::error::Error for Error {}

impl From<Error> for base::Error {
    fn from(error: Error) -> Self {
        base::Error::failure(error.to_string()).help("`gradus check --system` says what the sandbox needs")
    }
}
