//! Functions and classes: finding them, their parameters, decorators, documentation and body.

use super::scope::Reach;
use super::tree::{NodeId, Tree};

/// One parameter of a function or lambda. Separators (`/`, `*`) are not parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parameter {
    /// All of it: `b: int = 2`, `*args`.
    pub node: NodeId,
    /// Its name alone.
    pub name: NodeId,
    pub kind: ParameterKind,
    pub annotation: Option<NodeId>,
    pub default: Option<NodeId>,
}

/// How a parameter takes its argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParameterKind {
    /// Before a `/`.
    PositionalOnly,
    /// By place or by name.
    Positional,
    /// After a `*` or `*args`.
    KeywordOnly,
    /// `*args`
    Star,
    /// `**kwargs`
    DoubleStar,
}

impl ParameterKind {
    /// The kind as scripts spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::PositionalOnly => "positional_only",
            Self::Positional => "positional",
            Self::KeywordOnly => "keyword_only",
            Self::Star => "star",
            Self::DoubleStar => "double_star",
        }
    }
}

impl Tree {
    /// The functions defined in the module's own scope, in order; those under an `if` or `try` belong, methods and
    /// nested functions do not.
    pub fn functions(&self) -> Vec<NodeId> {
        self.find(self.root(), Reach::Own, "function_definition").collect()
    }

    /// Every function, method and nested function, in order.
    pub fn all_functions(&self) -> Vec<NodeId> {
        self.find(self.root(), Reach::Nested, "function_definition").collect()
    }

    /// The classes defined in the module's own scope.
    pub fn classes(&self) -> Vec<NodeId> {
        self.find(self.root(), Reach::Own, "class_definition").collect()
    }

    /// The function that the name means once the module has run, as far as definitions decide: the last one.
    pub fn function(&self, name: &str) -> Option<NodeId> {
        self.functions().into_iter().rfind(|function| self.name(*function) == Some(name))
    }

    /// The functions and methods defined directly in the body of a function or class.
    pub fn functions_in(&self, scope: NodeId) -> Vec<NodeId> {
        self.find(scope, Reach::Own, "function_definition").filter(|function| *function != scope).collect()
    }

    /// The name of a function, class, keyword argument or walrus.
    pub fn name(&self, node: NodeId) -> Option<&str> {
        self.field(node, "name").map(|name| self.text(name))
    }

    /// Whether the function is defined with `async`.
    pub fn is_async(&self, function: NodeId) -> bool {
        self.children(function).next().is_some_and(|first| self.is(first, "async"))
    }

    /// The parameters of a function or lambda, in order.
    pub fn parameters(&self, function: NodeId) -> Vec<Parameter> {
        let Some(list) = self.field(function, "parameters") else { return Vec::new() };
        let mut parameters: Vec<Parameter> = Vec::new();
        let (mut plain, mut separated) = (ParameterKind::Positional, false);
        for child in self.named_children(list) {
            match self.kind(child) {
                "positional_separator" if !separated => {
                    separated = true;
                    parameters.iter_mut().for_each(|before| before.kind = ParameterKind::PositionalOnly);
                }
                "keyword_separator" => plain = ParameterKind::KeywordOnly,
                "positional_separator" | "ERROR" => {}
                _ => {
                    let parameter = self.parameter(child, plain);
                    if parameter.kind == ParameterKind::Star {
                        plain = ParameterKind::KeywordOnly;
                    }
                    parameters.push(parameter);
                }
            }
        }
        parameters
    }

    fn parameter(&self, node: NodeId, plain: ParameterKind) -> Parameter {
        let annotation = self.field(node, "type");
        let default = self.field(node, "value");
        let bare = match self.kind(node) {
            "typed_parameter" => self.named_children(node).next().unwrap_or(node),
            _ => self.field(node, "name").unwrap_or(node),
        };
        let (kind, name) = match self.kind(bare) {
            "list_splat_pattern" => (ParameterKind::Star, self.named_children(bare).next().unwrap_or(bare)),
            "dictionary_splat_pattern" => (ParameterKind::DoubleStar, self.named_children(bare).next().unwrap_or(bare)),
            _ => (plain, bare),
        };
        Parameter { node, name, kind, annotation, default }
    }

    /// The annotation after `->`.
    pub fn return_type(&self, function: NodeId) -> Option<NodeId> {
        self.field(function, "return_type")
    }

    /// The expressions after `@`, top first.
    pub fn decorators(&self, definition: NodeId) -> Vec<NodeId> {
        let decorated = self.parent(definition).filter(|parent| self.is(*parent, "decorated_definition"));
        let lines = decorated.into_iter().flat_map(|decorated| self.named_children(decorated));
        let lines = lines.filter(|line| self.is(*line, "decorator"));
        lines.filter_map(|line| self.named_children(line).next()).collect()
    }

    /// The documentation of a function, class or the module: its first statement, where that is a plain string.
    pub fn docstring(&self, scope: NodeId) -> Option<NodeId> {
        let first = self.statements(self.block(scope)?).next()?;
        let string = self.lone_expression(first)?;
        let plain = |string: NodeId| !self.text(string).starts_with(['b', 'B', 'f', 'F', 't', 'T']);
        match self.kind(string) {
            "string" => plain(string).then_some(string),
            "concatenated_string" => self.named_children(string).all(plain).then_some(string),
            _ => None,
        }
    }

    /// The statements of a function, class, module, clause or block, without comments and without its documentation.
    pub fn body(&self, scope: NodeId) -> Vec<NodeId> {
        let Some(block) = self.block(scope) else { return Vec::new() };
        let skipped = self.docstring(scope).map_or(0, |_| 1);
        self.statements(block).skip(skipped).collect()
    }

    /// The block that holds the statements of a node that has some: the node itself where it is a block or the module.
    pub fn block(&self, node: NodeId) -> Option<NodeId> {
        match self.kind(node) {
            "module" | "block" => Some(node),
            "lambda" => None,
            _ => self.children(node).find(|child| self.is(*child, "block")),
        }
    }

    /// The statements directly in a block.
    pub(super) fn statements(&self, block: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        self.named_children(block)
    }

    /// The expression of a statement that is nothing but one expression.
    pub(super) fn lone_expression(&self, statement: NodeId) -> Option<NodeId> {
        let mut parts = self.children(statement).filter(|part| !self.is_extra(*part));
        let only = parts.next().filter(|_| self.is(statement, "expression_statement"))?;
        parts.next().is_none().then_some(only)
    }
}
