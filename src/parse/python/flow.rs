//! Where control can go: how a scope ends, which statements it never reaches, which loops never end.
//!
//! Structured analysis without values: a condition counts as known only where it is a literal, every handler counts
//! as reachable, and only `raise`, `assert False` and the exits of the interpreter count as raising. Ids being in
//! pre-order, one pass from the last node to the first sees every statement after its parts.

use super::scope::Reach;
use super::tree::{NodeId, Tree};

/// Ways control can leave a statement, as bits.
type Ways = u8;
const NEXT: Ways = 1;
const BREAK: Ways = 2;
const CONTINUE: Ways = 4;
const RETURN: Ways = 8;
const RAISE: Ways = 16;

/// How a function, or any block, can end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WaysOut {
    /// By running past its last statement, so that a function returns `None`.
    pub falls_through: bool,
    pub returns: bool,
    pub raises: bool,
}

impl Tree {
    /// How control can leave a function's body, the module, or a block. None of the ways: it never ends.
    pub fn ways_out(&self, scope: NodeId) -> WaysOut {
        let ways = self.block(scope).map_or(RETURN, |block| self.flow(block).of(block));
        WaysOut { falls_through: ways & NEXT != 0, returns: ways & RETURN != 0, raises: ways & RAISE != 0 }
    }

    /// Whether control can reach the end of the body without a `return` or `raise`.
    pub fn falls_through(&self, function: NodeId) -> bool {
        self.ways_out(function).falls_through
    }

    /// Whether every way through the body ends in a raise.
    pub fn always_raises(&self, function: NodeId) -> bool {
        self.ways_out(function) == WaysOut { falls_through: false, returns: false, raises: true }
    }

    /// The first statement of each block that control cannot reach, because the one before it never ends normally.
    pub fn unreachable(&self, scope: NodeId, reach: Reach) -> Vec<NodeId> {
        let flow = self.flow(scope);
        let blocks = self.walk(scope, reach).filter(|node| matches!(self.kind(*node), "block" | "module"));
        blocks.filter_map(|block| self.first_unreached(&flow, block)).collect()
    }

    fn first_unreached(&self, flow: &Flow, block: NodeId) -> Option<NodeId> {
        let mut statements = self.statements(block);
        statements.by_ref().find(|statement| flow.of(*statement) & NEXT == 0)?;
        statements.next()
    }

    /// Whether the loop is a `while` whose condition is a true literal and that nothing in it leaves.
    pub fn is_endless(&self, node: NodeId) -> bool {
        self.is(node, "while_statement") && self.flow(node).of(node) == 0
    }

    /// The truth of an expression that is a literal.
    pub(super) fn truth(&self, expression: NodeId) -> Option<bool> {
        let inner = self.unwrapped(expression);
        match self.kind(inner) {
            "true" => Some(true),
            "false" | "none" => Some(false),
            "integer" => Some(self.text(inner).bytes().any(|digit| matches!(digit, b'1'..=b'9'))),
            _ => None,
        }
    }

    fn flow(&self, top: NodeId) -> Flow {
        let range = self.subtree(top);
        let mut flow = Flow { first: range.start, ways: vec![NEXT; range.len()] };
        for node in range.rev() {
            if self.named(node) {
                flow.ways[(node - top) as usize] = self.ways_of(&flow, node);
            }
        }
        flow
    }

    fn ways_of(&self, flow: &Flow, node: NodeId) -> Ways {
        match self.kind(node) {
            "return_statement" => RETURN,
            "raise_statement" => RAISE,
            "break_statement" => BREAK,
            "continue_statement" => CONTINUE,
            "assert_statement" if self.named_children(node).next().and_then(|it| self.truth(it)) == Some(false) => {
                RAISE
            }
            "expression_statement" if self.is_exit(node) => RAISE,
            "block" | "module" => self.ways_of_block(flow, node),
            "if_statement" => self.ways_of_if(flow, node),
            "while_statement" | "for_statement" => self.ways_of_loop(flow, node),
            "try_statement" => self.ways_of_try(flow, node),
            "with_statement" => self.inner(flow, node) | if self.suppresses(node) { NEXT } else { 0 },
            "match_statement" => self.ways_of_match(flow, node),
            "elif_clause" | "else_clause" | "except_clause" | "finally_clause" | "case_clause" => {
                self.inner(flow, node)
            }
            _ => NEXT,
        }
    }

    fn inner(&self, flow: &Flow, node: NodeId) -> Ways {
        self.block(node).map_or(NEXT, |block| flow.of(block))
    }

    fn ways_of_block(&self, flow: &Flow, block: NodeId) -> Ways {
        let mut ways = 0;
        for statement in self.statements(block) {
            let out = flow.of(statement);
            ways |= out & !NEXT;
            if out & NEXT == 0 {
                return ways;
            }
        }
        ways | NEXT
    }

    fn ways_of_if(&self, flow: &Flow, node: NodeId) -> Ways {
        let mut ways = 0;
        for arm in std::iter::once(node).chain(self.fields(node, "alternative")) {
            match self.condition(arm).and_then(|it| self.truth(it)) {
                Some(false) => continue,
                Some(true) => return ways | self.inner(flow, arm),
                None => ways |= self.inner(flow, arm),
            }
            if self.is(arm, "else_clause") {
                return ways;
            }
        }
        ways | NEXT
    }

    fn ways_of_loop(&self, flow: &Flow, node: NodeId) -> Ways {
        let known = self.field(node, "condition").and_then(|it| self.truth(it));
        let body = if known == Some(false) { 0 } else { self.inner(flow, node) };
        let done = match self.field(node, "alternative") {
            _ if known == Some(true) => 0,
            Some(otherwise) => flow.of(otherwise),
            None => NEXT,
        };
        let broken = if body & BREAK != 0 { NEXT } else { 0 };
        (body & (RETURN | RAISE)) | broken | done
    }

    fn ways_of_try(&self, flow: &Flow, node: NodeId) -> Ways {
        let mut ways = self.inner(flow, node);
        let mut handled = 0;
        let mut finally = NEXT;
        for clause in self.named_children(node) {
            match self.kind(clause) {
                "except_clause" => {
                    handled |= flow.of(clause);
                    if self.catches_all(clause) {
                        ways &= !RAISE;
                    }
                }
                "else_clause" if ways & NEXT != 0 => ways = ways & !NEXT | flow.of(clause),
                "finally_clause" => finally = flow.of(clause),
                _ => {}
            }
        }
        if finally & NEXT == 0 { finally } else { ways | handled | finally & !NEXT }
    }

    fn catches_all(&self, clause: NodeId) -> bool {
        let name = |value: NodeId| self.text(value).split_whitespace().next().unwrap_or_default();
        self.field(clause, "value").is_none_or(|value| matches!(name(value), "Exception" | "BaseException"))
    }

    fn ways_of_match(&self, flow: &Flow, node: NodeId) -> Ways {
        let cases = || self.field(node, "body").into_iter().flat_map(|body| self.named_children(body));
        let ways = cases().map(|case| flow.of(case)).fold(0, |all, ways| all | ways);
        if cases().any(|case| self.takes_anything(case)) { ways } else { ways | NEXT }
    }

    fn takes_anything(&self, case: NodeId) -> bool {
        let mut patterns = self.named_children(case).filter(|it| self.is(*it, "case_pattern"));
        let (first, second) = (patterns.next(), patterns.next());
        let open = |pattern: NodeId| self.text(pattern) == "_" || self.captured(pattern).is_some();
        second.is_none() && first.is_some_and(open) && self.field(case, "guard").is_none()
    }

    /// Whether the statement calls what ends the interpreter.
    fn is_exit(&self, statement: NodeId) -> bool {
        let callee = self.lone_expression(statement).and_then(|call| self.callee(call));
        callee.is_some_and(|callee| matches!(self.text(callee), "exit" | "quit" | "sys.exit" | "os._exit" | "os.abort"))
    }

    /// Whether the `with` may swallow what is raised in it.
    fn suppresses(&self, with: NodeId) -> bool {
        let clause = self.named_children(with).next();
        let calls = clause.map(|clause| self.calls(clause, None, Reach::Own)).unwrap_or_default();
        calls.into_iter().any(|call| self.calls_name(call, "suppress") || self.calls_name(call, ".suppress"))
    }
}

/// The ways out of each node of a subtree.
struct Flow {
    first: NodeId,
    ways: Vec<Ways>,
}

impl Flow {
    /// A node before the subtree, or past it, has nothing known and counts as ending normally.
    fn of(&self, node: NodeId) -> Ways {
        let at = node.checked_sub(self.first).map(|at| at as usize);
        at.and_then(|at| self.ways.get(at)).copied().unwrap_or(NEXT)
    }
}
