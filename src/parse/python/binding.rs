//! What binds names in a scope: assignments of every form, definitions, imports, parameters, patterns.

use std::collections::{HashMap, HashSet};

use super::scope::Reach;
use super::tree::{NodeId, Tree};

/// One construct that assigns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignment {
    /// The assignment, walrus, loop, clause or `as` pattern.
    pub node: NodeId,
    pub kind: AssignmentKind,
    /// What is assigned to, tuples taken apart: identifiers, attributes and subscripts, in order.
    pub targets: Vec<NodeId>,
    /// The assigned expression; of a loop what it runs over, of a `with` the context; none for a bare annotation.
    pub value: Option<NodeId>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AssignmentKind {
    /// `a = 1`; a chain gives one for each `=`.
    Plain,
    /// `a: int = 1`, or without a value.
    Annotated,
    /// `a += 1`
    Augmented,
    /// `(a := 1)`
    Walrus,
    /// `for a in …:`
    For,
    /// `… for a in …` of a comprehension, whose names stay inside it.
    Comprehension,
    /// `with … as a`
    With,
    /// `except … as a`
    Except,
}

impl AssignmentKind {
    /// The kind as scripts spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Annotated => "annotated",
            Self::Augmented => "augmented",
            Self::Walrus => "walrus",
            Self::For => "for",
            Self::Comprehension => "comprehension",
            Self::With => "with",
            Self::Except => "except",
        }
    }
}

/// One name bound in a scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Binding {
    /// The identifier.
    pub name: NodeId,
    /// What binds it: an assignment of some kind, a definition, an import, a parameter, a case pattern.
    pub by: NodeId,
}

impl Tree {
    /// Everything in a scope that assigns, in order.
    pub fn assignments(&self, scope: NodeId, reach: Reach) -> Vec<Assignment> {
        let mut found: Vec<_> = self.walk(scope, reach).filter_map(|node| self.direct_assignment(node)).collect();
        let mut links = HashMap::new();
        for assignment in found.iter_mut().rev().filter(|it| self.is(it.node, "assignment")) {
            if let Some(last) = assignment.value.and_then(|value| links.get(&value)) {
                assignment.value = *last;
            }
            links.insert(assignment.node, assignment.value);
        }
        found
    }

    /// The node as an assignment, if it is one.
    pub fn assignment(&self, node: NodeId) -> Option<Assignment> {
        let direct = self.direct_assignment(node)?;
        let value = if self.is(node, "assignment") { self.assigned_value(node) } else { direct.value };
        Some(Assignment { value, ..direct })
    }

    /// The node as an assignment; the value of a chain is the rest of the chain.
    fn direct_assignment(&self, node: NodeId) -> Option<Assignment> {
        use AssignmentKind::*;
        let (kind, target, value) = match self.kind(node) {
            "assignment" => {
                let kind = if self.field(node, "type").is_some() { Annotated } else { Plain };
                (kind, self.field(node, "left"), self.field(node, "right"))
            }
            "augmented_assignment" => (Augmented, self.field(node, "left"), self.field(node, "right")),
            "named_expression" => (Walrus, self.field(node, "name"), self.field(node, "value")),
            "for_statement" => (For, self.field(node, "left"), self.field(node, "right")),
            "for_in_clause" => (Comprehension, self.field(node, "left"), self.field(node, "right")),
            "as_pattern" => {
                let kind = if self.parent(node).is_some_and(|it| self.is(it, "except_clause")) { Except } else { With };
                (kind, self.field(node, "alias"), self.named_children(node).next())
            }
            _ => return None,
        };
        Some(Assignment { node, kind, targets: self.targets(target?), value })
    }

    /// The identifiers, attributes and subscripts of a target.
    pub(super) fn targets(&self, target: NodeId) -> Vec<NodeId> {
        let mut found = Vec::new();
        let range = self.subtree(target);
        let mut node = range.start;
        while node < range.end {
            if self.named(node) && matches!(self.kind(node), "identifier" | "attribute" | "subscript") {
                found.push(node);
                node = self.at(node).after;
            } else {
                node += 1;
            }
        }
        found
    }

    /// The names that a scope binds, in order: parameters first, then what its statements bind. Names declared
    /// `global` or `nonlocal` belong elsewhere, and names of comprehensions to them.
    pub fn bindings(&self, scope: NodeId) -> Vec<Binding> {
        let parameters = self.parameters(scope).into_iter();
        let parameters =
            parameters.flat_map(|it| self.targets(it.name).into_iter().map(move |name| Binding { name, by: it.node }));
        let mut found: Vec<Binding> = parameters.collect();
        let mut elsewhere = HashSet::new();
        for node in self.walk(scope, Reach::Own) {
            match self.kind(node) {
                "global_statement" | "nonlocal_statement" => {
                    elsewhere.extend(self.named_children(node).map(|name| self.text(name)));
                }
                "for_in_clause" => {}
                _ => self.extend_bindings(&mut found, node),
            }
        }
        found.retain(|binding| !elsewhere.contains(self.text(binding.name)));
        found
    }

    /// Adds the names that one node binds, not those that nodes below it bind.
    pub(super) fn extend_bindings(&self, found: &mut Vec<Binding>, by: NodeId) {
        let mut bind = |name: NodeId| found.push(Binding { name, by });
        match self.kind(by) {
            "function_definition" | "class_definition" => self.field(by, "name").into_iter().for_each(bind),
            "import_statement" | "import_from_statement" | "future_import_statement" => {
                self.imports(by, Reach::Own).into_iter().filter_map(|import| import.binds).for_each(bind);
            }
            "type_alias_statement" => {
                let left = self.field(by, "left").into_iter().flat_map(|it| self.targets(it));
                left.filter(|it| self.is(*it, "identifier")).take(1).for_each(bind);
            }
            "splat_pattern" => self.named_children(by).for_each(bind),
            "case_pattern" | "keyword_pattern" => self.captured(by).into_iter().for_each(bind),
            "as_pattern" if self.field(by, "alias").is_none() => {
                self.named_children(by).filter(|it| self.is(*it, "identifier")).for_each(bind);
            }
            _ => {
                let targets = self.direct_assignment(by).map(|it| it.targets).unwrap_or_default();
                targets.into_iter().filter(|it| self.is(*it, "identifier")).for_each(&mut bind);
            }
        }
    }

    /// The name that a case pattern, or the value of a keyword pattern, captures all by itself.
    pub(super) fn captured(&self, pattern: NodeId) -> Option<NodeId> {
        let dotted = self.named_children(pattern).find(|it| self.is(*it, "dotted_name"))?;
        let mut names = self.named_children(dotted);
        let name = names.next()?;
        names.next().is_none().then_some(name)
    }

    /// Where a scope binds a name.
    pub fn bindings_of(&self, scope: NodeId, name: &str) -> Vec<Binding> {
        self.bindings(scope).into_iter().filter(|binding| self.text(binding.name) == name).collect()
    }

    /// What binds a definition's name again, later in the same scope: the definition is shadowed there.
    pub fn rebindings(&self, definition: NodeId) -> Vec<Binding> {
        let Some(name) = self.name(definition) else { return Vec::new() };
        let after = self.at(definition).after;
        let mut found = self.bindings_of(self.scope_of(definition), name);
        found.retain(|binding| binding.name >= after);
        found
    }
}
