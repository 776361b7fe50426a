//! What came of a request.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::rows::Rows;
use super::value::Value;

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It returned, and the value, or the rows, are here.
    Value,
    /// It raised, or the query is wrong (also `SystemExit`, a failed import, a missing entry point, or source that does not compile).
    Exception,
    /// It used up its CPU time, or its steps.
    Timeout,
    /// It was ended for another limit, or ended its own process.
    Killed,
    /// It was not run: over a budget, or a query that does more than read.
    Refused,
    /// It returned something that is not plain data.
    Opaque,
}

/// The type and message of what was raised, both capped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Raised {
    pub kind: String,
    pub message: String,
}

/// One run of one subject.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Observation {
    pub status: Status,
    /// What was returned; for an assert, what its inner call returned.
    pub value: Option<Value>,
    /// What a query came to.
    pub rows: Option<Rows>,
    /// For an assert: whether it holds.
    pub holds: Option<bool>,
    pub error: Option<Raised>,
    /// What was printed, capped.
    pub stdout: String,
    /// Whether the call changed an argument.
    pub args_changed: bool,
}

impl Observation {
    /// An observation that carries a status and nothing else.
    pub fn bare(status: Status) -> Self {
        Self { status, value: None, rows: None, holds: None, error: None, stdout: String::new(), args_changed: false }
    }

    pub fn value(value: Value) -> Self {
        Self { value: Some(value), ..Self::bare(Status::Value) }
    }

    pub fn rows(rows: Rows) -> Self {
        Self { rows: Some(rows), ..Self::bare(Status::Value) }
    }

    pub fn exception(kind: impl Into<String>, message: impl Into<String>) -> Self {
        Self { error: Some(Raised { kind: kind.into(), message: message.into() }), ..Self::bare(Status::Exception) }
    }
}

/// The answer to one request: the output's own run, and its peers' in peer order.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Seen {
    pub own: Option<Arc<Observation>>,
    pub peers: Vec<Arc<Observation>>,
}
