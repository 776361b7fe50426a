//! What is wrong with a text, found in one pass over its tree: what the grammar could not place, what the parser had
//! to add, and (in `rules` and `layout`) what the grammar lets pass though Python does not.

use super::guard;
use super::layout::{self, Layout};
use super::rules::{self, Place};
use super::tree::{NodeId, Tree};
use crate::base::Span;
use crate::parse::Issue;

/// Issues reported for one text.
const ISSUE_LIMIT: usize = 100;
/// Characters of the text quoted in a message.
const QUOTE_LIMIT: usize = 20;

/// The issues of a tree, in order of place.
pub(super) fn issues(tree: &Tree) -> Vec<Issue> {
    let mut found = Found { tree, issues: Vec::new() };
    forbidden_characters(&mut found);
    let mut place = Place::default();
    let mut layout = Layout::default();
    let mut broken_until = 0;
    for node in tree.subtree(tree.root()) {
        if found.issues.len() >= ISSUE_LIMIT {
            break;
        }
        if tree.is_error(node) && node >= broken_until {
            broken_until = tree.at(node).after;
            unparsed(&mut found, node);
        } else if tree.is_missing(node) {
            let wanted = tree.kind(node).replace('_', " ");
            found.push(
                node,
                if tree.named(node) { format!("expected {wanted}") } else { format!("expected `{wanted}`") },
            );
        }
        place.enter(tree, node);
        layout.enter(&mut found, node);
        if let Some(rule) = rules::of(tree, node).filter(|_| node >= broken_until) {
            rule(&mut found, node, &place);
        }
    }
    if found.issues.is_empty() {
        layout::broken_lines(&mut found);
    }
    found.issues.sort_by_key(|issue| issue.span);
    found.issues.truncate(ISSUE_LIMIT);
    found.issues
}

/// The issues so far, and the tree they are about.
pub(super) struct Found<'t> {
    pub tree: &'t Tree,
    issues: Vec<Issue>,
}

impl Found<'_> {
    /// Reports a node.
    pub fn push(&mut self, node: NodeId, message: impl Into<String>) {
        let (span, line) = (self.tree.span(node), self.tree.line(node));
        self.issues.push(Issue { span, line, message: message.into() });
    }

    /// Reports a node as out of place, quoting its beginning.
    pub fn unexpected(&mut self, node: NodeId) {
        let text = self.tree.text(node).lines().next().unwrap_or_default();
        let quote: String = text.chars().take(QUOTE_LIMIT).collect();
        self.push(node, format!("unexpected `{quote}`"));
    }
}

/// Text that did not parse: the bracket or string that it never closes, or else its first token.
fn unparsed(found: &mut Found<'_>, error: NodeId) {
    let tree = found.tree;
    let mut open = Vec::new();
    for part in tree.children(error) {
        match tree.kind(part) {
            "(" | "[" | "{" => open.push(part),
            ")" | "]" | "}" => drop(open.pop()),
            "string_start" if !tree.text(part).ends_with('`') => {
                return found.push(part, format!("string is never closed: {}", tree.text(part)));
            }
            _ => {}
        }
    }
    if let Some(bracket) = open.first() {
        return found.push(*bracket, format!("`{}` is never closed", tree.kind(*bracket)));
    }
    let first = tree.subtree(error).find(|node| tree.at(*node).after == node + 1).unwrap_or(error);
    found.unexpected(first);
}

/// Characters that Python has no place for outside strings and comments, and NUL, which it has no place for at all.
fn forbidden_characters(found: &mut Found<'_>) {
    let text: &str = &found.tree.text;
    if let Some(at) = text.find('\0') {
        found.issues.push(at_byte(text, at, 1, "unexpected NUL character"));
    }
    if text.is_ascii() {
        return;
    }
    let invisible = text.match_indices(['\u{feff}', '\u{200b}', '\u{2060}']).filter(|(at, _)| *at > 0);
    for (at, character) in invisible.take(ISSUE_LIMIT / 10) {
        let issue = at_byte(text, at, character.len(), "unexpected invisible character");
        let holder = found.tree.node_at(issue.span);
        if !matches!(found.tree.kind(holder), "string_content" | "comment" | "string") {
            found.issues.push(issue);
        }
    }
}

fn at_byte(text: &str, at: usize, length: usize, message: &str) -> Issue {
    let span = Span::new(at, at + length);
    Issue { line: guard::line(text, span), span, message: message.to_owned() }
}
