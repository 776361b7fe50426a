//! Indentation as Python demands it; the grammar's scanner forgives most of what is wrong with it.

use super::issues::Found;
use super::tree::{NodeId, Tree};

/// The width of a line's leading blanks, with tabs to the next eighth column and with tabs as one: two lines are
/// indented alike only where both agree.
type Width = (usize, usize);

const BYTE_ORDER_MARK: char = '\u{feff}';

/// The blocks around the current node of a pass, each with its end and width, where it has lines of its own.
#[derive(Default)]
pub(super) struct Layout {
    open: Vec<(NodeId, Option<Width>)>,
}

impl Layout {
    /// Takes note of the node, and reports it where its line is not indented as its block demands.
    pub fn enter(&mut self, found: &mut Found<'_>, node: NodeId) {
        let tree = found.tree;
        while self.open.pop_if(|(end, _)| *end <= node).is_some() {}
        match tree.kind(node) {
            "module" => self.open.push((tree.at(node).after, Some((0, 0)))),
            "block" => self.enter_block(found, node),
            "elif_clause" | "else_clause" | "except_clause" | "finally_clause" => self.line_up(found, node),
            _ if self.is_statement(tree, node) => self.line_up(found, node),
            _ => {}
        }
    }

    fn enter_block(&mut self, found: &mut Found<'_>, block: NodeId) {
        let tree = found.tree;
        let Some(first) = tree.named_children(block).next() else {
            return found.push(tree.at(block).parent, "expected an indented block");
        };
        let outer = self.open.last().and_then(|(_, width)| *width);
        let width = width_before(tree, first);
        if let (Some(outer), Some(width)) = (outer, width)
            && !(width.0 > outer.0 && width.1 > outer.1)
        {
            found.push(first, "indented no deeper than the line that opens its block");
        }
        self.open.push((tree.at(block).after, width));
    }

    fn is_statement(&self, tree: &Tree, node: NodeId) -> bool {
        tree.named(node) && !tree.is_extra(node) && !tree.is_error(node) && {
            let parent = tree.at(node).parent;
            matches!(tree.kind(parent), "block" | "module")
        }
    }

    fn line_up(&self, found: &mut Found<'_>, node: NodeId) {
        let Some((_, Some(wanted))) = self.open.last() else { return };
        if width_before(found.tree, node).is_some_and(|width| width != *wanted) {
            found.push(node, "indentation does not match its block");
        }
    }
}

/// The width of the blanks before a node that is the first of its line; none where it is not.
fn width_before(tree: &Tree, node: NodeId) -> Option<Width> {
    let before = tree.text.get(..tree.at(node).start as usize)?;
    let head = before.trim_end_matches([' ', '\t', '\x0c', BYTE_ORDER_MARK]);
    let joined = head.trim_end_matches(['\r', '\n']).ends_with('\\');
    if joined || !(head.is_empty() || head.ends_with(['\r', '\n'])) {
        return None;
    }
    let widen = |(column, characters): Width, blank| match blank {
        '\t' => (column / 8 * 8 + 8, characters + 1),
        '\x0c' => (0, 0),
        BYTE_ORDER_MARK => (column, characters),
        _ => (column + 1, characters + 1),
    };
    Some(before[head.len()..].chars().fold((0, 0), widen))
}

/// Reports where a line ends inside a statement, and where a statement starts on the line of another.
pub(super) fn broken_lines(found: &mut Found<'_>) {
    let tree = found.tree;
    let (mut depth, mut commented, mut skipped) = (0_usize, false, 0);
    let mut before: Option<NodeId> = None;
    for node in tree.subtree(tree.root()) {
        commented |= tree.is(node, "comment");
        let whole = tree.at(node).after == node + 1 || tree.is(node, "string_content");
        if node < skipped || !whole || tree.is_extra(node) || tree.text(node).is_empty() {
            continue;
        }
        skipped = tree.at(node).after;
        let starts = starts_line(tree, node);
        if starts {
            depth = 0;
        }
        if let Some(before) = before.filter(|_| depth == 0) {
            let broken = commented || ends_line(&tree.text[tree.at(before).end as usize..tree.at(node).start as usize]);
            if broken && !starts {
                found.push(before, format!("unexpected end of line after `{}`", tree.text(before)));
            } else if starts && !broken && !matches!(tree.kind(before), ";" | ":") {
                found.push(node, "expected a new line or `;` before this statement");
            }
        }
        match tree.kind(node) {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
        before = Some(node);
        commented = false;
    }
}

/// Whether the blanks between two tokens end a line, other than by a backslash.
fn ends_line(gap: &str) -> bool {
    gap.match_indices(['\n', '\r']).any(|(at, _)| !gap[..at].ends_with(['\\', '\r']))
}

/// Whether the token is the first of a statement, clause or decorated definition.
fn starts_line(tree: &Tree, token: NodeId) -> bool {
    let mut node = token;
    while let Some(parent) = tree.parent(node) {
        if matches!(tree.kind(parent), "block" | "module") {
            return tree.named(node);
        }
        let clause = matches!(
            tree.kind(node),
            "elif_clause" | "else_clause" | "except_clause" | "finally_clause" | "case_clause" | "decorator"
        );
        if clause || tree.field_name(node) == Some("definition") {
            return true;
        }
        if node != parent + 1 {
            return false;
        }
        node = parent;
    }
    false
}
