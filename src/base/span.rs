//! A place in a text, in bytes.

use serde::{Deserialize, Serialize};

/// Half-open byte range `start..end` of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Span {
    pub start: u32,
    pub end: u32,
}

impl Span {
    pub fn new(start: usize, end: usize) -> Self {
        let cap = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Self { start: cap(start), end: cap(end.max(start)) }
    }

    /// The text under the span; empty where the span does not fit the text.
    pub fn of<'t>(&self, text: &'t str) -> &'t str {
        text.get(self.start as usize..self.end as usize).unwrap_or("")
    }

    /// 1-based line of the span's start.
    pub fn line(&self, text: &str) -> usize {
        let before = (self.start as usize).min(text.len());
        text.as_bytes()[..before].iter().filter(|byte| **byte == b'\n').count() + 1
    }
}
