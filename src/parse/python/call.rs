//! Calls: what is called, and with what.

use super::scope::Reach;
use super::tree::{NodeId, Tree};

/// One argument of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Argument<'t> {
    /// All of it: `key=len`, `*rest`.
    pub node: NodeId,
    /// The keyword, of a keyword argument.
    pub name: Option<&'t str>,
    /// The expression.
    pub value: NodeId,
    /// `*` or `**` in front, else empty.
    pub splat: &'t str,
}

impl Tree {
    /// The calls of a scope. With a name, those whose callee reads so: `print`, `os.system`; a name with a leading
    /// dot, `.sort`, means that method of anything.
    pub fn calls(&self, scope: NodeId, name: Option<&str>, reach: Reach) -> Vec<NodeId> {
        let wanted = |call: &NodeId| name.is_none_or(|name| self.calls_name(*call, name));
        self.find(scope, reach, "call").filter(wanted).collect()
    }

    /// Whether the call is of that name; see [`Tree::calls`].
    pub fn calls_name(&self, call: NodeId, name: &str) -> bool {
        let Some(callee) = self.callee(call) else { return false };
        match name.strip_prefix('.') {
            Some(method) => self.field(callee, "attribute").is_some_and(|attribute| self.text(attribute) == method),
            None => self.text(callee) == name,
        }
    }

    /// The expression that is called.
    pub fn callee(&self, call: NodeId) -> Option<NodeId> {
        self.field(call, "function")
    }

    /// The arguments of a call, or of a class's bases, in order.
    pub fn arguments(&self, call: NodeId) -> Vec<Argument<'_>> {
        let list = self.field(call, "arguments").or_else(|| self.field(call, "superclasses"));
        match list {
            None => Vec::new(),
            Some(generator) if self.is(generator, "generator_expression") => {
                vec![Argument { node: generator, name: None, value: generator, splat: "" }]
            }
            Some(list) => self.named_children(list).map(|node| self.argument(node)).collect(),
        }
    }

    fn argument(&self, node: NodeId) -> Argument<'_> {
        let inner = || self.named_children(node).next().unwrap_or(node);
        match self.kind(node) {
            "keyword_argument" => {
                let value = self.field(node, "value").unwrap_or(node);
                Argument { node, name: self.name(node), value, splat: "" }
            }
            "list_splat" => Argument { node, name: None, value: inner(), splat: "*" },
            "dictionary_splat" => Argument { node, name: None, value: inner(), splat: "**" },
            _ => Argument { node, name: None, value: node, splat: "" },
        }
    }
}
