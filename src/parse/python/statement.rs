//! Statements by kind: returns, yields, raises, handlers, loops, conditions and comparisons, and what they carry.

use super::scope::Reach;
use super::tree::{NodeId, Tree};

/// One `except` clause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Handler {
    pub node: NodeId,
    /// What it catches; none for a bare `except:`.
    pub exception: Option<NodeId>,
    /// The name after `as`.
    pub alias: Option<NodeId>,
    /// Its block.
    pub body: NodeId,
    /// Its body is only `pass` or `...`.
    pub silent: bool,
}

/// One comparison of two operands; a chain `a < b < c` gives two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Comparison<'t> {
    /// The whole chain.
    pub node: NodeId,
    /// `<`, `==`, `not in`, …
    pub operator: &'t str,
    pub left: NodeId,
    pub right: NodeId,
}

impl Tree {
    /// The `return` statements of a function, not those of functions inside it.
    pub fn returns(&self, function: NodeId) -> Vec<NodeId> {
        self.find(function, Reach::Own, "return_statement").collect()
    }

    /// The `yield` expressions of a function; a function that has any is a generator.
    pub fn yields(&self, function: NodeId) -> Vec<NodeId> {
        self.find(function, Reach::Own, "yield").collect()
    }

    /// What the node carries: the value of a `return`, `yield` or `raise`, the right side of an assignment, the value
    /// of a keyword argument, a default, a walrus or a pair, the expression of an expression statement.
    pub fn value(&self, node: NodeId) -> Option<NodeId> {
        match self.kind(node) {
            "return_statement" | "yield" | "expression_statement" => self.named_children(node).next(),
            "raise_statement" => self.named_children(node).find(|child| self.field_name(*child) != Some("cause")),
            "assignment" | "augmented_assignment" => self.assigned_value(node),
            _ => self.field(node, "value"),
        }
    }

    /// The right side of an assignment; of a chain `a = b = 1`, the last.
    pub(super) fn assigned_value(&self, assignment: NodeId) -> Option<NodeId> {
        let mut value = self.field(assignment, "right")?;
        while self.is(value, "assignment") {
            value = self.field(value, "right")?;
        }
        Some(value)
    }

    /// The `raise` statements of a scope.
    pub fn raises(&self, scope: NodeId, reach: Reach) -> Vec<NodeId> {
        self.find(scope, reach, "raise_statement").collect()
    }

    /// The `except` clauses of a scope.
    pub fn handlers(&self, scope: NodeId, reach: Reach) -> Vec<Handler> {
        self.find(scope, reach, "except_clause").filter_map(|node| self.handler(node)).collect()
    }

    fn handler(&self, node: NodeId) -> Option<Handler> {
        let body = self.block(node)?;
        let value = self.field(node, "value");
        let (exception, alias) = match value {
            Some(pattern) if self.is(pattern, "as_pattern") => {
                let target = self.field(pattern, "alias").and_then(|target| self.named_children(target).next());
                (self.named_children(pattern).next(), target)
            }
            other => (other, self.field(node, "alias")),
        };
        let silent = self.statements(body).all(|statement| self.does_nothing(statement));
        Some(Handler { node, exception, alias, body, silent })
    }

    /// Whether the statement is `pass`, `...` or a lone string.
    pub(super) fn does_nothing(&self, statement: NodeId) -> bool {
        let silent = |it| matches!(self.kind(it), "ellipsis" | "string" | "concatenated_string");
        self.is(statement, "pass_statement") || self.lone_expression(statement).is_some_and(silent)
    }

    /// The `for` and `while` statements of a scope.
    pub fn loops(&self, scope: NodeId, reach: Reach) -> Vec<NodeId> {
        self.walk(scope, reach).filter(|node| self.is_loop(*node)).collect()
    }

    pub(super) fn is_loop(&self, node: NodeId) -> bool {
        matches!(self.kind(node), "for_statement" | "while_statement")
    }

    /// The expressions that a scope tests: of `if`, `elif`, `while`, conditional expressions, filters of
    /// comprehensions and guards of cases.
    pub fn conditions(&self, scope: NodeId, reach: Reach) -> Vec<NodeId> {
        self.walk(scope, reach).filter_map(|node| self.condition(node)).collect()
    }

    /// The expression that one statement, clause or conditional expression tests.
    pub fn condition(&self, node: NodeId) -> Option<NodeId> {
        match self.kind(node) {
            "if_clause" => self.named_children(node).next(),
            "conditional_expression" => self.named_children(node).nth(1),
            _ => self.field(node, "condition"),
        }
    }

    /// The comparisons of a scope, chains taken apart.
    pub fn comparisons(&self, scope: NodeId, reach: Reach) -> Vec<Comparison<'_>> {
        let mut found = Vec::new();
        for node in self.find(scope, reach, "comparison_operator") {
            let mut left = None;
            let mut operator = None;
            for part in self.children(node).filter(|part| !self.is_extra(*part)) {
                if self.field_name(part) == Some("operators") {
                    operator = Some(self.kind(part));
                    continue;
                }
                if let (Some(left), Some(operator)) = (left, operator.take()) {
                    found.push(Comparison { node, operator, left, right: part });
                }
                left = Some(part);
            }
        }
        found
    }

    /// The statement that the node is part of, or is.
    pub fn statement_of(&self, node: NodeId) -> Option<NodeId> {
        let mut below = node;
        for above in self.ancestors(node) {
            if matches!(self.kind(above), "block" | "module") {
                return Some(below);
            }
            below = above;
        }
        None
    }

    /// The comments of the text, in order, with their `#`.
    pub fn comments(&self) -> Vec<NodeId> {
        self.subtree(self.root()).filter(|node| self.is(*node, "comment")).collect()
    }

    /// The expression without the parentheses around it.
    pub fn unwrapped(&self, expression: NodeId) -> NodeId {
        let mut inner = expression;
        while self.is(inner, "parenthesized_expression") {
            let Some(next) = self.named_children(inner).next() else { break };
            inner = next;
        }
        inner
    }
}
