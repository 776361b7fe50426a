//! From text to [`Tree`]: one parse, one walk with a cursor.

use std::ops::ControlFlow;
use std::sync::Arc;

use tree_sitter::{ParseOptions, ParseState, Parser, TreeCursor};

use super::guard;
use super::issues;
use super::query::Live;
use super::tree::{ERROR, EXTRA, LANGUAGE, MISSING, NAMED, Node, NodeId, Tree};
use crate::parse::Issue;

/// Parses a Python text. Never fails: what is wrong with it is in [`Tree::issues`], and a text that is refused (too
/// large, or too costly to parse) has a tree of one node.
pub fn parse(text: impl Into<Arc<str>>) -> Tree {
    let text = text.into();
    if let Some(issue) = guard::refusal(&text) {
        return refused(text, issue);
    }
    match parse_within(&text, step_limit(text.len())) {
        Some(live) => {
            let nodes = arena(&live);
            let mut tree = Tree { text, nodes, issues: Vec::new(), live: Some(Live::new(live)) };
            tree.issues = issues::issues(&tree);
            tree
        }
        None => {
            let issue = guard::whole(&text, "too costly to parse".to_owned());
            refused(text, issue)
        }
    }
}

/// How many hundreds of parser operations a text may take: several times what any text is known to. A backstop; what
/// keeps hostile texts cheap is `guard`.
fn step_limit(bytes: usize) -> usize {
    100 + bytes / 4
}

fn parse_within(text: &str, limit: usize) -> Option<tree_sitter::Tree> {
    let mut parser = Parser::new();
    parser.set_language(&LANGUAGE).ok()?;
    let mut steps = 0;
    let mut within_limit = |_: &ParseState| {
        steps += 1;
        if steps > limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut within_limit);
    parser.parse_with_options(&mut |at, _| text.as_bytes().get(at..).unwrap_or_default(), None, Some(options))
}

/// The tree of a text that was not parsed: a module and nothing in it.
fn refused(text: Arc<str>, issue: Issue) -> Tree {
    let kind = LANGUAGE.id_for_node_kind("module", true);
    let end = u32::try_from(text.len()).unwrap_or(u32::MAX);
    let module = Node { start: 0, end, row: 0, parent: 0, after: 1, kind, field: 0, flags: NAMED };
    Tree { text, nodes: vec![module], issues: vec![issue], live: None }
}

/// Copies the live tree in pre-order.
fn arena(live: &tree_sitter::Tree) -> Vec<Node> {
    let mut nodes = Vec::with_capacity(live.root_node().descendant_count());
    let mut cursor = live.walk();
    let mut parent: NodeId = 0;
    loop {
        let id = nodes.len() as NodeId;
        nodes.push(copy(&cursor, parent));
        if cursor.goto_first_child() {
            parent = id;
            continue;
        }
        nodes[id as usize].after = id + 1;
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return nodes;
            }
            let closed = parent as usize;
            nodes[closed].after = nodes.len() as NodeId;
            parent = nodes[closed].parent;
        }
    }
}

fn copy(cursor: &TreeCursor<'_>, parent: NodeId) -> Node {
    let node = cursor.node();
    let flag = |holds: bool, bit: u8| if holds { bit } else { 0 };
    Node {
        start: node.start_byte() as u32,
        end: node.end_byte() as u32,
        row: node.start_position().row as u32,
        parent,
        after: 0,
        kind: node.kind_id(),
        field: cursor.field_id().map_or(0, |field| field.get() as u8),
        flags: flag(node.is_named(), NAMED)
            | flag(node.is_extra(), EXTRA)
            | flag(node.is_missing(), MISSING)
            | flag(node.is_error(), ERROR),
    }
}
