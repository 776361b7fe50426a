//! What an op says of an output: drawback, clean, abstain, or fault.
//!
//! A fault (error, limit, malformed reply) is a state of its own: never a pass, never a drawback (METHOD section 1).

use serde::{Deserialize, Serialize};

use crate::base::Span;

/// One op's word on one output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The op's failure class is present.
    Drawback(Finding),
    /// The op looked and found nothing.
    Clean,
    /// The op has no opinion, and why.
    Abstain(String),
    /// The op could not do its work.
    Fault(Fault),
}

/// A drawback's message, and the place in the output's text that it is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    pub message: String,
    pub span: Option<Span>,
}

/// Why an op could not do its work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    pub kind: FaultKind,
    /// Pack, file, line and the script's own words, or what the host lacks.
    pub message: String,
}

/// The kinds of fault. All but `Infrastructure` are reproducible and may be cached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultKind {
    /// The script raised an error.
    Error,
    /// The script used up its fuel.
    Fuel,
    /// The script used up its memory.
    Memory,
    /// The script broke the protocol: a wrong shape of plan or verdict.
    Malformed,
    /// The host could not answer: no sandbox, no interpreter, a wall-clock backstop. Never cached.
    Infrastructure,
}

/// What an op's drawback is worth, as its author declares (METHOD section 12).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Strength {
    /// Hardly ever a false alarm.
    Proof,
    Evidence,
    /// Weak, correlated, a matter of style.
    Smell,
}

impl Strength {
    pub const ALL: [(&'static str, Strength); 3] =
        [("proof", Strength::Proof), ("evidence", Strength::Evidence), ("smell", Strength::Smell)];

    pub fn word(self) -> &'static str {
        Self::ALL.iter().find(|(_, strength)| *strength == self).map_or("", |(word, _)| word)
    }
}

impl Fault {
    pub fn new(kind: FaultKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }
}

impl Verdict {
    pub fn is_drawback(&self) -> bool {
        matches!(self, Verdict::Drawback(_))
    }

    pub fn is_fault(&self) -> bool {
        matches!(self, Verdict::Fault(_))
    }

    /// The word a person and a test case use for it.
    pub fn word(&self) -> &'static str {
        match self {
            Verdict::Drawback(_) => "drawback",
            Verdict::Clean => "clean",
            Verdict::Abstain(_) => "abstain",
            Verdict::Fault(_) => "fault",
        }
    }

    /// The drawback's, abstention's or fault's own words.
    pub fn message(&self) -> Option<&str> {
        match self {
            Verdict::Drawback(finding) => Some(&finding.message),
            Verdict::Abstain(why) => Some(why),
            Verdict::Fault(fault) => Some(&fault.message),
            Verdict::Clean => None,
        }
    }

    pub fn span(&self) -> Option<Span> {
        match self {
            Verdict::Drawback(finding) => finding.span,
            _ => None,
        }
    }
}
