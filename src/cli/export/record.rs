//! One output's grade in the form that programs read: what `--json` prints and what every export is made of.

use serde::Serialize;

use crate::base::Span;
use crate::expr::Outcome;
use crate::grade::Grade;
use crate::verdict::Verdict;

/// One output's grade in its wire form.
#[derive(Debug, Serialize)]
pub struct Record {
    pub output: String,
    #[serde(skip)]
    pub task: String,
    pub verdict: &'static str,
    pub abstained: bool,
    pub root: Leaf,
    pub leaves: Vec<Leaf>,
}

/// A root's or an op's verdict in its wire form.
#[derive(Debug, Serialize)]
pub struct Leaf {
    #[serde(skip_serializing_if = "String::is_empty")]
    pub op: String,
    pub verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub span: Option<Span>,
}

impl Record {
    pub fn new(output: &str, task: &str, grade: &Grade) -> Self {
        Self {
            output: output.to_string(),
            task: task.to_string(),
            verdict: word(grade.outcome),
            abstained: grade.outcome == Outcome::Abstain,
            root: Leaf::new("", &grade.root),
            leaves: grade.leaves.iter().map(|(op, verdict)| Leaf::new(op, verdict)).collect(),
        }
    }

    /// What it failed or faulted for, of the root's and the leaves' verdicts.
    pub fn causes(&self) -> impl Iterator<Item = &Leaf> {
        let wanted = if self.verdict == "fault" { "fault" } else { "drawback" };
        [&self.root].into_iter().chain(&self.leaves).filter(move |leaf| leaf.verdict == wanted)
    }

    /// The causes in their own words, as `op: message`.
    pub fn reasons(&self) -> Vec<String> {
        self.causes().map(|leaf| format!("{}: {}", leaf.name(), leaf.message())).collect()
    }
}

impl Leaf {
    fn new(op: &str, verdict: &Verdict) -> Self {
        Self {
            op: op.to_string(),
            verdict: verdict.word(),
            message: verdict.message().map(str::to_string),
            span: verdict.span(),
        }
    }

    pub fn name(&self) -> &str {
        if self.op.is_empty() { "root" } else { &self.op }
    }

    pub fn message(&self) -> &str {
        self.message.as_deref().unwrap_or("")
    }
}

/// `pass`, `fail` or `fault`; an abstaining expression passes and says so apart.
fn word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Fail => "fail",
        Outcome::Pass | Outcome::Abstain => "pass",
        Outcome::Fault => "fault",
    }
}
