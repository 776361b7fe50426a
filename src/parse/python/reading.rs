//! Which identifiers read a name of a scope, as opposed to binding it, naming an attribute, or meaning another
//! scope's variable of the same name.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;

use super::scope::Reach;
use super::tree::{NodeId, Tree};

impl Tree {
    /// The identifiers of a scope that are read and mean its names or those around it, in order. Names that a
    /// comprehension or, with [`Reach::Nested`], a nested function binds for itself are left out.
    pub fn reads(&self, scope: NodeId, reach: Reach) -> Vec<NodeId> {
        let nodes: Vec<NodeId> = self.walk(scope, reach).collect();
        let written = self.written(&nodes);
        let mut hidden = Hidden::default();
        let mut found = Vec::new();
        for (place, node) in nodes.into_iter().enumerate() {
            hidden.leave(node);
            self.enter_comprehension(&mut hidden, node);
            if place > 0 {
                self.enter_function(&mut hidden, node);
            }
            let reads = self.is(node, "identifier") && !written.contains(&node) && !self.is_label(node);
            if reads && !hidden.covers(self.text(node)) {
                found.push(node);
            }
        }
        found
    }

    /// Where a scope reads a name; see [`Tree::reads`].
    pub fn uses(&self, scope: NodeId, name: &str, reach: Reach) -> Vec<NodeId> {
        let mut found = self.reads(scope, reach);
        found.retain(|node| self.text(*node) == name);
        found
    }

    /// The names that a scope reads, sorted.
    pub fn names_read(&self, scope: NodeId, reach: Reach) -> Vec<&str> {
        let names: BTreeSet<&str> = self.reads(scope, reach).into_iter().map(|node| self.text(node)).collect();
        names.into_iter().collect()
    }

    /// The names that a scope binds, sorted.
    pub fn names_bound(&self, scope: NodeId) -> Vec<&str> {
        let names: BTreeSet<&str> = self.bindings(scope).into_iter().map(|binding| self.text(binding.name)).collect();
        names.into_iter().collect()
    }

    /// The identifiers among the nodes that are bound rather than read; `x += 1` does both.
    fn written(&self, nodes: &[NodeId]) -> HashSet<NodeId> {
        let mut bound = Vec::new();
        for node in nodes {
            match self.kind(*node) {
                "augmented_assignment" => {}
                "lambda" | "function_definition" => {
                    let names = self.parameters(*node).into_iter().flat_map(|parameter| self.targets(parameter.name));
                    bound.extend(names);
                    bound.extend(self.field(*node, "name"));
                }
                "global_statement" | "nonlocal_statement" => bound.extend(self.named_children(*node)),
                _ => {
                    let mut bindings = Vec::new();
                    self.extend_bindings(&mut bindings, *node);
                    bound.extend(bindings.into_iter().map(|binding| binding.name));
                }
            }
        }
        bound.into_iter().collect()
    }

    /// Whether the identifier only names an attribute, a keyword or an imported path.
    fn is_label(&self, identifier: NodeId) -> bool {
        let Some(parent) = self.parent(identifier) else { return false };
        match self.kind(parent) {
            "attribute" => self.field_name(identifier) == Some("attribute"),
            "keyword_argument" => self.field_name(identifier) == Some("name"),
            "keyword_pattern" => identifier == parent + 1,
            "aliased_import" => true,
            "dotted_name" => identifier != parent + 1 || !self.is_pattern_value(parent),
            _ => false,
        }
    }

    /// Whether the dotted name is looked up by a case pattern, as opposed to imported.
    fn is_pattern_value(&self, dotted: NodeId) -> bool {
        self.parent(dotted).is_some_and(|parent| {
            matches!(self.kind(parent), "case_pattern" | "class_pattern" | "union_pattern" | "dict_pattern")
        })
    }

    /// Hides a comprehension's names within it, but not within what it runs over first.
    fn enter_comprehension<'t>(&'t self, hidden: &mut Hidden<'t>, node: NodeId) {
        if self.kind(node).ends_with("comprehension") || self.is(node, "generator_expression") {
            hidden.change(self.subtree(node), self.comprehension_names(node), 1);
        } else if self.is_first_iterable(node) {
            let comprehension = self.at(self.at(node).parent).parent;
            hidden.change(self.subtree(node), self.comprehension_names(comprehension), -1);
        }
    }

    /// Hides a nested function's names within its body.
    fn enter_function<'t>(&'t self, hidden: &mut Hidden<'t>, node: NodeId) {
        let parent = self.at(node).parent;
        if self.field_name(node) == Some("body") && matches!(self.kind(parent), "function_definition" | "lambda") {
            let names = self.bindings(parent).into_iter().map(|binding| self.text(binding.name));
            hidden.change(self.subtree(node), names.collect(), 1);
        }
    }

    fn comprehension_names(&self, comprehension: NodeId) -> HashSet<&str> {
        let clauses = self.named_children(comprehension).filter(|it| self.is(*it, "for_in_clause"));
        let targets = clauses.filter_map(|clause| self.field(clause, "left")).flat_map(|left| self.targets(left));
        targets.filter(|it| self.is(*it, "identifier")).map(|it| self.text(it)).collect()
    }

    /// Whether the node is what a comprehension's first `for` runs over, which Python evaluates outside of it.
    fn is_first_iterable(&self, node: NodeId) -> bool {
        let clause = self.at(node).parent;
        self.field_name(node) == Some("right")
            && self.is(clause, "for_in_clause")
            && self.named_children(self.at(clause).parent).find(|it| self.is(*it, "for_in_clause")) == Some(clause)
    }
}

/// The names that mean another scope's variables at the current place of a walk.
#[derive(Default)]
struct Hidden<'t> {
    depth: HashMap<&'t str, i32>,
    open: Vec<(NodeId, HashSet<&'t str>, i32)>,
}

impl<'t> Hidden<'t> {
    fn change(&mut self, within: Range<NodeId>, names: HashSet<&'t str>, by: i32) {
        for name in &names {
            *self.depth.entry(name).or_default() += by;
        }
        self.open.push((within.end, names, by));
    }

    /// Undoes the changes whose nodes end before this one.
    fn leave(&mut self, node: NodeId) {
        while let Some((_, names, by)) = self.open.pop_if(|(end, _, _)| *end <= node) {
            for name in names {
                *self.depth.entry(name).or_default() -= by;
            }
        }
    }

    fn covers(&self, name: &str) -> bool {
        self.depth.get(name).is_some_and(|depth| *depth > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::build::parse;
    use super::Reach;

    #[test]
    fn a_function_reads_its_own_parameters_and_not_those_of_functions_inside() {
        let tree = parse("def f(a, b):\n    def g(b):\n        return a + b\n    return [a for c in b]\n");
        let function = tree.function("f").expect("it is defined");
        let lines = |name: &str, reach| tree.uses(function, name, reach).into_iter().map(|node| tree.line(node));
        assert_eq!(lines("a", Reach::Own).collect::<Vec<_>>(), [4]);
        assert_eq!(lines("a", Reach::Nested).collect::<Vec<_>>(), [3, 4]);
        assert_eq!(lines("b", Reach::Nested).collect::<Vec<_>>(), [4]);
    }
}
