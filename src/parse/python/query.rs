//! tree-sitter queries over a [`Tree`], compiled once, bounded in work, with answers in the arena's ids.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::OnceLock;

use tree_sitter::{QueryCursor, QueryCursorOptions, QueryCursorState, StreamingIterator};

use super::tree::{LANGUAGE, NodeId, Tree};

/// The longest query, in bytes, and its deepest nesting: the compiler of queries recurses.
const SOURCE_LIMIT: usize = 16 * 1024;
const NESTING_LIMIT: usize = 64;
/// Matches in progress at once.
const MATCH_LIMIT: u32 = 128;
/// Hundreds of steps a run may take beyond four for each node.
const SPARE_STEPS: usize = 1000;
/// Looks at siblings a run may take beyond sixteen for each node.
const SPARE_LOOKAHEAD: usize = 4_000_000;
/// Matches a run may give.
const ANSWER_LIMIT: usize = 1 << 16;

/// A compiled query: immutable and `Send + Sync`. Compiling takes about a millisecond, so do it once, at load.
#[derive(Debug)]
pub struct Query {
    compiled: tree_sitter::Query,
}

/// One match of one pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Match<'q> {
    /// Which of the query's patterns, from 0.
    pub pattern: usize,
    /// Capture names without `@`, with the captured nodes, in the text's order.
    pub captures: Vec<(&'q str, NodeId)>,
}

/// Why a text is not a query.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("query, line {line}, column {column}: {message}")]
pub struct QueryError {
    /// 1-based.
    pub line: usize,
    /// 1-based, in bytes.
    pub column: usize,
    pub message: String,
}

/// A query took more steps, or had more matches, than its tree allows; what it would have answered is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the query takes too many steps on this text; make its pattern narrower")]
pub struct TooCostly;

impl Query {
    /// Compiles a query in tree-sitter's syntax against the Python grammar.
    pub fn new(source: &str) -> Result<Self, QueryError> {
        if let Some(message) = unfit(source) {
            return Err(QueryError { line: 1, column: 1, message });
        }
        match tree_sitter::Query::new(&LANGUAGE, source) {
            Ok(compiled) => Ok(Self { compiled }),
            Err(error) => Err(QueryError { line: error.row + 1, column: error.column + 1, message: describe(&error) }),
        }
    }

    /// Names of the captures, in order of their first use.
    pub fn capture_names(&self) -> &[&str] {
        self.compiled.capture_names()
    }

    /// All matches at or below a node, in order of their end in a pre-order walk.
    pub fn captures(&self, tree: &Tree, under: NodeId) -> Result<Vec<Match<'_>>, TooCostly> {
        let Some(live) = &tree.live else { return Ok(Vec::new()) };
        let index = live.index(tree);
        if index.lookahead > SPARE_LOOKAHEAD + 16 * tree.nodes.len() {
            return Err(TooCostly);
        }
        let mut place = live.tree.walk();
        place.goto_descendant(under as usize);

        let mut steps = SPARE_STEPS + tree.subtree(under).len() / 25;
        let mut within_limit = |_: &QueryCursorState| {
            steps = steps.saturating_sub(1);
            if steps == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let options = QueryCursorOptions::new().progress_callback(&mut within_limit);
        let mut cursor = QueryCursor::new();
        cursor.set_match_limit(MATCH_LIMIT);

        let names = self.compiled.capture_names();
        let mut answers = Vec::new();
        let mut found = cursor.matches_with_options(&self.compiled, place.node(), tree.text.as_bytes(), options);
        while let Some(hit) = found.next() {
            if answers.len() == ANSWER_LIMIT {
                return Err(TooCostly);
            }
            let captures = hit.captures.iter().map(|it| (names[it.index as usize], index.id_of(it.node))).collect();
            answers.push(Match { pattern: hit.pattern_index, captures });
        }
        drop(found);
        if steps == 0 || cursor.did_exceed_match_limit() { Err(TooCostly) } else { Ok(answers) }
    }
}

/// The parser's own tree, kept for queries, with what the first of them finds out about it.
#[derive(Debug)]
pub(super) struct Live {
    tree: tree_sitter::Tree,
    index: OnceLock<Index>,
}

#[derive(Debug)]
struct Index {
    /// Addresses of the nodes, sorted, each with its place in pre-order. An address is unique within a tree.
    addresses: Box<[(usize, NodeId)]>,
    /// Looks ahead that the engine may take: at each node it searches the next siblings for a named one.
    lookahead: usize,
}

impl Live {
    pub fn new(tree: tree_sitter::Tree) -> Self {
        Self { tree, index: OnceLock::new() }
    }

    fn index(&self, tree: &Tree) -> &Index {
        self.index.get_or_init(|| Index { addresses: addresses(&self.tree), lookahead: lookahead(tree) })
    }
}

impl Index {
    /// The arena's id of a node of the live tree.
    fn id_of(&self, node: tree_sitter::Node<'_>) -> NodeId {
        let found = self.addresses.binary_search_by_key(&node.id(), |(address, _)| *address);
        found.map_or(0, |at| self.addresses[at].1)
    }
}

fn addresses(live: &tree_sitter::Tree) -> Box<[(usize, NodeId)]> {
    let mut cursor = live.walk();
    let mut places = Vec::with_capacity(live.root_node().descendant_count());
    'walk: loop {
        places.push((cursor.node().id(), places.len() as NodeId));
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                break 'walk;
            }
        }
    }
    places.sort_unstable();
    places.into_boxed_slice()
}

/// The sum of squares of the lengths of runs of unnamed siblings. Only text that did not parse has long ones.
fn lookahead(tree: &Tree) -> usize {
    let mut sum = 0;
    for node in tree.subtree(tree.root()) {
        let mut run = 0;
        for child in tree.children(node) {
            run = if tree.named(child) { 0 } else { run + 1 };
            sum += 2 * run;
        }
    }
    sum
}

/// What makes a source unfit for the compiler.
fn unfit(source: &str) -> Option<String> {
    if source.len() > SOURCE_LIMIT {
        return Some(format!("{} bytes are over the limit of {SOURCE_LIMIT}", source.len()));
    }
    let mut depth = 0_usize;
    for byte in source.bytes() {
        match byte {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > NESTING_LIMIT {
            return Some(format!("nested deeper than {NESTING_LIMIT}"));
        }
    }
    None
}

fn describe(error: &tree_sitter::QueryError) -> String {
    use tree_sitter::QueryErrorKind::*;
    let what = error.message.lines().next().unwrap_or_default();
    match error.kind {
        Syntax => "not a query".to_owned(),
        NodeType => format!("the Python grammar has no node `{what}`"),
        Field => format!("the Python grammar has no field `{what}`"),
        Capture => format!("no capture `@{what}` in this pattern"),
        Predicate => what.to_owned(),
        Structure => "this pattern can never match".to_owned(),
        Language => "made for another grammar".to_owned(),
    }
}

impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "query of {} patterns", self.compiled.pattern_count())
    }
}
