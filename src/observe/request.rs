//! What a plan may ask of the kernel.
//!
//! The keys are closed: a script cannot ask for anything that is not named here.

use serde::{Deserialize, Serialize};

/// Whose behaviour a request is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum On {
    #[default]
    Own,
    Peers,
    Both,
}

/// One entry of a plan (DESIGN section 3).
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Request {
    /// Call `name` with the argument list `args` (text of a Python list literal). `world` 1 is another hash seed.
    /// `source` runs this text in place of the output's: anchors only.
    Call { name: String, args: String, on: On, world: u8, source: Option<String> },
    /// Run one `assert …` statement of the task.
    Assert { text: String, on: On, world: u8 },
    /// Run a query: the output itself when `text` is absent. `copy` 0 is the database, 1 to 6 are perturbed copies.
    Query { text: Option<String>, copy: u8, on: On },
    /// Ask a model one narrow question.
    Ask { question: String, choices: Vec<String>, samples: u8 },
}

impl Request {
    pub fn on(&self) -> On {
        match self {
            Request::Call { on, .. } | Request::Assert { on, .. } | Request::Query { on, .. } => *on,
            Request::Ask { .. } => On::Own,
        }
    }
}
