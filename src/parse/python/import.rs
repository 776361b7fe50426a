//! Imports, one by one, in one shape whatever the statement.

use super::scope::Reach;
use super::tree::{NodeId, Tree};

/// One imported thing. `import a.b as c` has module `a.b` and alias `c`; `from .a import b` has module `.a`, name `b`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Import<'t> {
    /// The statement.
    pub node: NodeId,
    /// The module as written, with its leading dots.
    pub module: &'t str,
    /// What is taken from the module: a name, or `*`; none for a plain `import`.
    pub name: Option<&'t str>,
    /// The name after `as`.
    pub alias: Option<&'t str>,
    /// The identifier that ends up bound in the scope; none for `*`.
    pub binds: Option<NodeId>,
}

impl Tree {
    /// The imports of a scope, one for each imported thing.
    pub fn imports(&self, scope: NodeId, reach: Reach) -> Vec<Import<'_>> {
        let mut found = Vec::new();
        for node in self.walk(scope, reach) {
            match self.kind(node) {
                "import_statement" => found.extend(self.fields(node, "name").map(|item| self.plain(node, item))),
                "import_from_statement" => {
                    let module = self.field(node, "module_name").map_or("", |module| self.text(module));
                    self.extend_from(&mut found, node, module);
                }
                "future_import_statement" => self.extend_from(&mut found, node, "__future__"),
                _ => {}
            }
        }
        found
    }

    fn plain(&self, node: NodeId, item: NodeId) -> Import<'_> {
        let (path, alias) = self.item(item);
        let binds = alias.or_else(|| self.named_children(path).next());
        Import { node, module: self.text(path), name: None, alias: alias.map(|alias| self.text(alias)), binds }
    }

    fn extend_from<'t>(&'t self, found: &mut Vec<Import<'t>>, node: NodeId, module: &'t str) {
        if self.children(node).any(|child| self.is(child, "wildcard_import")) {
            found.push(Import { node, module, name: Some("*"), alias: None, binds: None });
        }
        for item in self.fields(node, "name") {
            let (path, alias) = self.item(item);
            let binds = alias.or_else(|| self.named_children(path).next());
            let alias = alias.map(|alias| self.text(alias));
            found.push(Import { node, module, name: Some(self.text(path)), alias, binds });
        }
    }

    /// The dotted name of an item, and the name after `as`.
    fn item(&self, item: NodeId) -> (NodeId, Option<NodeId>) {
        match self.kind(item) {
            "aliased_import" => (self.field(item, "name").unwrap_or(item), self.field(item, "alias")),
            _ => (item, None),
        }
    }
}
