//! What is wrong with a text: what the grammar could not place, and what it lets pass though Python does not.

use super::tree::Tree;
use crate::parse::Issue;

/// Issues reported for one text.
const ISSUE_LIMIT: usize = 100;

pub(super) fn issues(tree: &Tree) -> Vec<Issue> {
    let _ = (tree, ISSUE_LIMIT);
    Vec::new()
}
