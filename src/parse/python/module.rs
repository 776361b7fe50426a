//! Questions about a program as a submission: what it does when loaded, and whether a function was written at all.

use super::scope::Reach;
use super::tree::{NodeId, Tree};

/// What authors of unfinished bodies write in comments.
const UNFINISHED: [&str; 6] = ["todo", "fixme", "placeholder", "not implemented", "implement", "your code"];

impl Tree {
    /// The module's statements that are neither definitions, imports nor documentation: what runs on loading.
    pub fn loose_statements(&self) -> Vec<NodeId> {
        let defines = |statement: NodeId| {
            matches!(
                self.kind(statement),
                "function_definition" | "class_definition" | "decorated_definition" | "type_alias_statement"
            ) || self.kind(statement).contains("import")
        };
        self.body(self.root()).into_iter().filter(|statement| !defines(*statement)).collect()
    }

    /// Whether the statement is `if __name__ == "__main__":`.
    pub fn is_main_guard(&self, statement: NodeId) -> bool {
        let condition = self.field(statement, "condition").filter(|_| self.is(statement, "if_statement"));
        condition.is_some_and(|condition| {
            self.comparisons(condition, Reach::Own).iter().any(|it| {
                let sides = [it.left, it.right];
                it.operator == "=="
                    && sides.iter().any(|side| self.text(*side) == "__name__")
                    && sides.iter().any(|side| self.literal(*side).is_some_and(|literal| literal.value == "__main__"))
            })
        })
    }

    /// Whether the function's body was left to be written: nothing but documentation, `pass`, `...` or
    /// `raise NotImplementedError`, or a lone `return None` beside a comment that says so.
    pub fn is_placeholder(&self, function: NodeId) -> bool {
        let body = self.body(function);
        let is_blank = |it: &NodeId| self.does_nothing(*it) || self.raises_not_implemented(*it);
        let written: Vec<NodeId> = body.into_iter().filter(|statement| !is_blank(statement)).collect();
        match written[..] {
            [] => true,
            [only] => self.returns_nothing(only) && self.has_unfinished_comment(function),
            _ => false,
        }
    }

    fn raises_not_implemented(&self, statement: NodeId) -> bool {
        let raised = self.value(statement).filter(|_| self.is(statement, "raise_statement"));
        raised.is_some_and(|raised| self.text(self.callee(raised).unwrap_or(raised)) == "NotImplementedError")
    }

    fn returns_nothing(&self, statement: NodeId) -> bool {
        self.is(statement, "return_statement") && self.value(statement).is_none_or(|value| self.is(value, "none"))
    }

    fn has_unfinished_comment(&self, function: NodeId) -> bool {
        let comments = self.descendants(function).filter(|node| self.is(*node, "comment"));
        comments.map(|it| self.text(it).to_lowercase()).any(|text| UNFINISHED.iter().any(|word| text.contains(word)))
    }
}
