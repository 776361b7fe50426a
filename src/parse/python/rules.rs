//! Rules of Python that the grammar does not hold: Python 2's forms, statements outside the construct they need,
//! parameters and arguments out of order. Best effort: a text without issues may still not compile.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::issues::Found;
use super::tree::{LANGUAGE, NodeId, Tree};

/// Looks at one node and reports what is wrong with it.
pub(super) type Rule = fn(&mut Found<'_>, NodeId, &Place);

/// The rule for the node's kind.
pub(super) fn of(tree: &Tree, node: NodeId) -> Option<Rule> {
    static RULES: LazyLock<Vec<Option<Rule>>> = LazyLock::new(|| {
        let count = LANGUAGE.node_kind_count() as u16;
        let named = (0..count).filter(|id| LANGUAGE.node_kind_is_named(*id));
        let mut rules = vec![None; count as usize];
        named.for_each(|id| rules[id as usize] = rule(LANGUAGE.node_kind_for_id(id).unwrap_or_default()));
        rules
    });
    RULES.get(tree.at(node).kind as usize).copied().flatten()
}

fn rule(kind: &str) -> Option<Rule> {
    Some(match kind {
        "print_statement" => |found, node, _| {
            let tree = found.tree;
            if !tree.children(node).any(|child| tree.is(child, "chevron")) {
                found.push(node, "expected parentheses after `print` (Python 2's statement)");
            }
        },
        "exec_statement" => {
            |found, node, _| found.push(node, "expected parentheses after `exec` (Python 2's statement)")
        }
        "return_statement" => |found, node, place| {
            if !place.around().function {
                found.push(node, "`return` outside a function");
            }
        },
        "yield" | "await" => |found, node, place| {
            if !place.around().function {
                let word = found.tree.kind(node);
                found.push(node, format!("`{word}` outside a function"));
            }
        },
        "break_statement" | "continue_statement" => |found, node, place| {
            if !place.around().looping {
                let word = found.tree.text(node).to_owned();
                found.push(node, format!("`{word}` outside a loop"));
            }
        },
        "nonlocal_statement" => |found, node, place| {
            if place.around().module {
                found.push(node, "`nonlocal` outside a function");
            }
        },
        "wildcard_import" => |found, node, place| {
            if !place.around().module {
                found.push(node, "`import *` is for the module level only");
            }
        },
        "try_statement" => |found, node, _| {
            let tree = found.tree;
            if !tree.children(node).any(|it| matches!(tree.kind(it), "except_clause" | "finally_clause")) {
                found.push(node, "expected `except` or `finally` after this `try`");
            }
        },
        "except_clause" => |found, node, _| {
            if let Some(second) = found.tree.fields(node, "value").nth(1) {
                found.push(second, "expected parentheses around several exceptions");
            }
        },
        "raise_statement" => |found, node, _| {
            let tree = found.tree;
            if let Some(list) = tree.named_children(node).find(|it| tree.is(*it, "expression_list")) {
                found.push(list, "expected one exception after `raise`");
            }
        },
        "expression_statement" => |found, node, _| {
            let tree = found.tree;
            if let Some(lone) =
                tree.lone_expression(node).filter(|it| matches!(tree.kind(*it), "named_expression" | "list_splat"))
            {
                found.unexpected(lone);
            }
        },
        "as_pattern" => misplaced_as,
        "comparison_operator" => |found, node, _| {
            let tree = found.tree;
            if let Some(operator) = tree.children(node).find(|it| tree.is(*it, "<>")) {
                found.unexpected(operator);
            }
        },
        "list_splat" => list_splat,
        "integer" => integer,
        "string_start" => string_start,
        "assignment" | "augmented_assignment" => assignment,
        "parameters" | "lambda_parameters" => parameters,
        "argument_list" => argument_list,
        _ => return None,
    })
}

fn misplaced_as(found: &mut Found<'_>, node: NodeId, _: &Place) {
    let tree = found.tree;
    let Some(target) = tree.field(node, "alias") else { return };
    let mut above = tree.at(node).parent;
    if matches!(tree.kind(above), "parenthesized_expression" | "tuple") {
        above = tree.at(above).parent;
    }
    if !matches!(tree.kind(above), "with_item" | "except_clause") {
        found.push(target, "unexpected `as`");
    }
}

fn list_splat(found: &mut Found<'_>, node: NodeId, _: &Place) {
    let parent = found.tree.kind(found.tree.at(node).parent);
    if parent.ends_with("operator") || matches!(parent, "conditional_expression" | "assignment" | "return_statement") {
        found.unexpected(node);
    }
}

fn integer(found: &mut Found<'_>, node: NodeId, _: &Place) {
    let text = found.tree.text(node);
    let zeros = text.starts_with('0') && text.bytes().all(|it| matches!(it, b'0'..=b'9' | b'_'));
    if text.ends_with(['l', 'L', '_']) || zeros && text.bytes().any(|it| matches!(it, b'1'..=b'9')) {
        found.unexpected(node);
    }
}

fn string_start(found: &mut Found<'_>, node: NodeId, _: &Place) {
    let text = found.tree.text(node).to_ascii_lowercase();
    let prefix = text.trim_end_matches(['"', '\'']);
    if !matches!(prefix, "" | "r" | "u" | "b" | "br" | "rb" | "f" | "fr" | "rf" | "t" | "tr" | "rt") {
        found.unexpected(node);
    }
}

fn assignment(found: &mut Found<'_>, node: NodeId, _: &Place) {
    let tree = found.tree;
    let simple = tree.field(node, "type").is_some() || tree.is(node, "augmented_assignment");
    let several = |target: &NodeId| matches!(tree.kind(*target), "pattern_list" | "tuple_pattern" | "list_pattern");
    if let Some(target) = tree.field(node, "left").filter(|target| simple && several(target))
        && (tree.text(target).contains(',') || tree.is(target, "list_pattern"))
    {
        found.push(target, "expected a single target");
    }
}

fn parameters(found: &mut Found<'_>, list: NodeId, _: &Place) {
    let tree = found.tree;
    let mut names = HashSet::new();
    let (mut defaults, mut starred, mut closed) = (false, false, false);
    for parameter in tree.named_children(list) {
        if closed {
            return found.push(parameter, "parameter after `**`");
        }
        let text = tree.text(parameter);
        let name = text.trim_start_matches('*').split([':', '=']).next().unwrap_or_default().trim();
        let has_default = tree.field(parameter, "value").is_some();
        closed = text.starts_with("**");
        if text.starts_with('*') {
            starred |= !closed;
        } else if !has_default && defaults && !starred && !tree.is(parameter, "positional_separator") {
            found.push(parameter, format!("parameter `{name}` without a default after one with a default"));
        }
        defaults |= has_default;
        if tree.is(parameter, "tuple_pattern") {
            found.unexpected(parameter);
        } else if !matches!(name, "" | "/") && !names.insert(name) {
            found.push(parameter, format!("parameter `{name}` appears twice"));
        }
    }
}

fn argument_list(found: &mut Found<'_>, list: NodeId, _: &Place) {
    let tree = found.tree;
    let mut names = HashSet::new();
    let mut unpacked = false;
    for argument in tree.named_children(list) {
        match tree.kind(argument) {
            "keyword_argument" => {
                let name = tree.name(argument).unwrap_or_default();
                if !names.insert(name) {
                    found.push(argument, format!("argument `{name}` appears twice"));
                }
            }
            "dictionary_splat" => unpacked = true,
            "list_splat" if !unpacked => {}
            "ERROR" => {}
            _ if unpacked || !names.is_empty() => found.push(argument, "positional argument after a keyword argument"),
            _ => {}
        }
    }
}

/// What stands around the current node of a pass.
#[derive(Default)]
pub(super) struct Place {
    open: Vec<(NodeId, Around)>,
}

#[derive(Clone, Copy)]
struct Around {
    module: bool,
    function: bool,
    looping: bool,
}

impl Place {
    /// Takes note of the node.
    pub fn enter(&mut self, tree: &Tree, node: NodeId) {
        while self.open.pop_if(|(end, _)| *end <= node).is_some() {}
        if tree.field_name(node) != Some("body") {
            return;
        }
        let around = match tree.kind(tree.at(node).parent) {
            "function_definition" | "lambda" => Around { module: false, function: true, looping: false },
            "class_definition" => Around { module: false, function: false, looping: false },
            "for_statement" | "while_statement" => Around { looping: true, ..self.around() },
            _ => return,
        };
        self.open.push((tree.at(node).after, around));
    }

    fn around(&self) -> Around {
        self.open.last().map_or(Around { module: true, function: false, looping: false }, |(_, around)| *around)
    }
}
