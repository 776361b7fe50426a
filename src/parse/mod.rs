//! Parsers that never fail and do no I/O: text in, tree and issues out.

pub mod python;
pub mod text;

use crate::base::Span;

/// Something wrong with a text that was parsed: a value beside the tree, never an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Issue {
    /// Where, in bytes of the text.
    pub span: Span,
    /// 1-based line of the span's start.
    pub line: u32,
    /// What, in a few words: "expected `:`", "unexpected `)`".
    pub message: String,
}
