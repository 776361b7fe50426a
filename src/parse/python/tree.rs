//! The arena: one flat vector of nodes in pre-order, and the ways around it.
//!
//! Knows nothing of Python beyond the grammar's node kinds and field names.

use std::ops::Range;
use std::sync::{Arc, LazyLock};

use super::query::Live;
use crate::base::Span;
use crate::parse::Issue;

/// A node of one [`Tree`]: its position in pre-order, so the root is 0 and a parent is smaller than its children.
pub type NodeId = u32;

/// A parsed text: arena, issues, and the live tree that queries run on. Immutable, `Send + Sync`.
#[derive(Debug)]
pub struct Tree {
    pub(super) text: Arc<str>,
    pub(super) nodes: Vec<Node>,
    pub(super) issues: Vec<Issue>,
    /// What queries run on; absent where the text was refused.
    pub(super) live: Option<Live>,
}

/// One node in 24 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Node {
    pub start: u32,
    pub end: u32,
    /// 0-based line of `start`.
    pub row: u32,
    /// The root is its own parent.
    pub parent: NodeId,
    /// First id past the subtree.
    pub after: NodeId,
    pub kind: u16,
    /// Field under which the parent holds the node; 0 for none.
    pub field: u8,
    pub flags: u8,
}

pub(super) const NAMED: u8 = 1;
pub(super) const EXTRA: u8 = 2;
pub(super) const MISSING: u8 = 4;
pub(super) const ERROR: u8 = 8;

pub(super) static LANGUAGE: LazyLock<tree_sitter::Language> = LazyLock::new(|| tree_sitter_python::LANGUAGE.into());

/// Kind names by kind id; the error kind lies past the end.
static KINDS: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let count = LANGUAGE.node_kind_count() as u16;
    (0..count).map(|id| LANGUAGE.node_kind_for_id(id).unwrap_or("")).collect()
});

/// Field names by field id, which is their order; 0 is no field.
static FIELDS: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let count = LANGUAGE.field_count() as u16;
    (0..=count).map(|id| LANGUAGE.field_name_for_id(id).unwrap_or("")).collect()
});

impl Tree {
    /// The text that was parsed.
    pub fn source(&self) -> &Arc<str> {
        &self.text
    }

    /// What is wrong with the text, in order of place; empty where Python would most likely accept it.
    pub fn issues(&self) -> &[Issue] {
        &self.issues
    }

    /// Whether the text has any issue.
    pub fn has_errors(&self) -> bool {
        !self.issues.is_empty()
    }

    /// The `module` node.
    pub fn root(&self) -> NodeId {
        0
    }

    /// Number of nodes; ids are `0..len`.
    pub fn len(&self) -> u32 {
        self.nodes.len() as u32
    }

    /// Always false: there is a root even for an empty text.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The grammar's name of the node's kind: `function_definition`, `identifier`, `(`; `ERROR` for what did not parse.
    pub fn kind(&self, node: NodeId) -> &'static str {
        KINDS.get(self.at(node).kind as usize).copied().unwrap_or("ERROR")
    }

    /// Whether the node is of the kind.
    pub fn is(&self, node: NodeId, kind: &str) -> bool {
        self.kind(node) == kind
    }

    /// Where the node is, in bytes.
    pub fn span(&self, node: NodeId) -> Span {
        let Node { start, end, .. } = *self.at(node);
        Span { start, end }
    }

    /// The node's own text.
    pub fn text(&self, node: NodeId) -> &str {
        self.span(node).of(&self.text)
    }

    /// 1-based line of the node's start.
    pub fn line(&self, node: NodeId) -> u32 {
        self.at(node).row + 1
    }

    /// Whether the grammar names the node, as opposed to punctuation and keywords.
    pub fn named(&self, node: NodeId) -> bool {
        self.at(node).flags & NAMED != 0
    }

    /// Whether the node is a comment or a line continuation, which may stand anywhere.
    pub fn is_extra(&self, node: NodeId) -> bool {
        self.at(node).flags & EXTRA != 0
    }

    /// Whether the node is text that did not parse.
    pub fn is_error(&self, node: NodeId) -> bool {
        self.at(node).flags & ERROR != 0
    }

    /// Whether the parser put the node in where the text lacks it; its span is empty.
    pub fn is_missing(&self, node: NodeId) -> bool {
        self.at(node).flags & MISSING != 0
    }

    /// The node above; none for the root.
    pub fn parent(&self, node: NodeId) -> Option<NodeId> {
        (node != 0).then(|| self.at(node).parent)
    }

    /// The nodes above, nearest first, ending with the root.
    pub fn ancestors(&self, node: NodeId) -> Ancestors<'_> {
        Ancestors { tree: self, node }
    }

    /// All nodes directly below, in order.
    pub fn children(&self, node: NodeId) -> Children<'_> {
        Children { tree: self, next: node + 1, end: self.at(node).after }
    }

    /// The named nodes directly below, comments left out.
    pub fn named_children(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        self.children(node).filter(|child| self.at(*child).flags & (NAMED | EXTRA) == NAMED)
    }

    /// The node with everything below it, in pre-order: a range of ids.
    pub fn subtree(&self, node: NodeId) -> Range<NodeId> {
        node..self.at(node).after
    }

    /// Everything below the node, in pre-order.
    pub fn descendants(&self, node: NodeId) -> Range<NodeId> {
        node + 1..self.at(node).after
    }

    /// Whether `inner` is `outer` or below it.
    pub fn contains(&self, outer: NodeId, inner: NodeId) -> bool {
        self.subtree(outer).contains(&inner)
    }

    /// The first child under the field's name: `tree.field(function, "body")`.
    pub fn field(&self, node: NodeId, name: &str) -> Option<NodeId> {
        self.fields(node, name).next()
    }

    /// All children under the field's name.
    pub fn fields<'t>(&'t self, node: NodeId, name: &str) -> impl Iterator<Item = NodeId> + 't {
        let wanted = FIELDS.binary_search(&name).unwrap_or(0) as u8;
        self.children(node).filter(move |child| wanted != 0 && self.at(*child).field == wanted)
    }

    /// The field under which the parent holds the node.
    pub fn field_name(&self, node: NodeId) -> Option<&'static str> {
        let field = self.at(node).field;
        (field != 0).then(|| FIELDS[field as usize])
    }

    /// The smallest node that covers the bytes.
    pub fn node_at(&self, span: Span) -> NodeId {
        let covers = |node: NodeId| self.at(node).start <= span.start && span.end <= self.at(node).end;
        let mut node = self.root();
        while let Some(inner) = self.children(node).find(|child| covers(*child)) {
            node = inner;
        }
        node
    }

    /// An id is only ever made by this tree, so it is within it.
    pub(super) fn at(&self, node: NodeId) -> &Node {
        &self.nodes[node as usize]
    }
}

/// See [`Tree::children`].
#[derive(Debug, Clone)]
pub struct Children<'t> {
    tree: &'t Tree,
    next: NodeId,
    end: NodeId,
}

impl Iterator for Children<'_> {
    type Item = NodeId;

    fn next(&mut self) -> Option<NodeId> {
        if self.next >= self.end {
            return None;
        }
        let child = self.next;
        self.next = self.tree.at(child).after;
        Some(child)
    }
}

/// See [`Tree::ancestors`].
#[derive(Debug, Clone)]
pub struct Ancestors<'t> {
    tree: &'t Tree,
    node: NodeId,
}

impl Iterator for Ancestors<'_> {
    type Item = NodeId;

    fn next(&mut self) -> Option<NodeId> {
        self.node = self.tree.parent(self.node)?;
        Some(self.node)
    }
}
