//! Which nodes belong to a scope: the walk every helper stands on.
//!
//! Functions, lambdas and classes open scopes of their own. Their bodies are not entered unless asked; their
//! decorators, default values, annotations and base classes belong to the scope around them, where Python evaluates
//! them. Comprehensions are walked as part of the scope they stand in.

use super::tree::{NodeId, Tree};

/// How far a walk goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Reach {
    /// The scope's own nodes; bodies of nested functions, lambdas and classes are left out.
    #[default]
    Own,
    /// Nested scopes too.
    Nested,
}

impl Tree {
    /// The nodes of a scope in order. A function, lambda or class stands for its body, a module for all of it; any
    /// other node (a block, a statement, an expression) for itself and what is below.
    pub fn walk(&self, scope: NodeId, reach: Reach) -> Walk<'_> {
        let start = if self.opens_scope(scope) { self.field(scope, "body") } else { Some(scope) };
        let ids = start.map_or(0..0, |start| self.subtree(start));
        Walk { tree: self, next: ids.start, end: ids.end, start: ids.start, reach }
    }

    /// The nodes of one kind in a scope: `tree.find(function, Reach::Own, "try_statement")`.
    pub fn find<'t>(&'t self, scope: NodeId, reach: Reach, kind: &'t str) -> impl Iterator<Item = NodeId> + 't {
        self.walk(scope, reach).filter(move |node| self.named(*node) && self.is(*node, kind))
    }

    /// Whether the node opens a scope of its own: a function, lambda or class.
    pub fn opens_scope(&self, node: NodeId) -> bool {
        matches!(self.kind(node), "function_definition" | "lambda" | "class_definition") && self.named(node)
    }

    /// The function, lambda, class or module whose scope the node belongs to.
    pub fn scope_of(&self, node: NodeId) -> NodeId {
        let mut below = node;
        for above in self.ancestors(node) {
            if self.opens_scope(above) && self.field_name(below) == Some("body") {
                return above;
            }
            below = above;
        }
        self.root()
    }

    fn is_nested_body(&self, node: NodeId) -> bool {
        self.field_name(node) == Some("body") && self.opens_scope(self.at(node).parent)
    }
}

/// See [`Tree::walk`].
#[derive(Debug, Clone)]
pub struct Walk<'t> {
    tree: &'t Tree,
    next: NodeId,
    end: NodeId,
    start: NodeId,
    reach: Reach,
}

impl Iterator for Walk<'_> {
    type Item = NodeId;

    fn next(&mut self) -> Option<NodeId> {
        while self.next < self.end {
            let node = self.next;
            if self.reach == Reach::Own && node != self.start && self.tree.is_nested_body(node) {
                self.next = self.tree.at(node).after;
                continue;
            }
            self.next += 1;
            return Some(node);
        }
        None
    }
}
