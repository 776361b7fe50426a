//! tree-sitter queries over a [`Tree`], compiled once, bounded in work, with answers in the arena's ids.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::OnceLock;

use tree_sitter::{QueryCursor, QueryCursorOptions, QueryCursorState, StreamingIterator};

use super::shape::Shape;
use super::tree::{LANGUAGE, NodeId, Tree};

/// Matches in progress at once; a step takes as long as their square.
const MATCH_LIMIT: u32 = 64;
/// Hundreds of steps that a run may take: two or three for each node, so that trees of up to some 16,000 nodes (40 KB
/// of source) can be queried. A query with many choices takes longer over a step, and gets fewer.
const STEP_LIMIT: usize = 400;
/// How deep a tree may be; the deepest of real programs are a tenth of it.
const DEPTH_LIMIT: usize = 1000;
/// Siblings that a run may look past.
const LOOKAHEAD_LIMIT: usize = 4_000_000;
/// Matches and captures that a run may give, together.
const ANSWER_LIMIT: usize = 1 << 16;

/// A compiled query: immutable and `Send + Sync`. Compiling takes about a millisecond, so do it once, at load.
#[derive(Debug)]
pub struct Query {
    compiled: tree_sitter::Query,
    step_limit: usize,
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
        let shape = Shape::of(source);
        if let Some(message) = shape.excess(source) {
            return Err(QueryError { line: 1, column: 1, message });
        }
        let step_limit = STEP_LIMIT / (1 + shape.choices / 8);
        match tree_sitter::Query::new(&LANGUAGE, source) {
            Ok(compiled) => Ok(Self { compiled, step_limit }),
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
        if index.lookahead > LOOKAHEAD_LIMIT || index.depth > DEPTH_LIMIT {
            return Err(TooCostly);
        }
        let mut place = live.tree.walk();
        place.goto_descendant(under as usize);

        let mut steps = 0;
        let mut within_limit = |_: &QueryCursorState| {
            steps += 1;
            if steps > self.step_limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let options = QueryCursorOptions::new().progress_callback(&mut within_limit);
        let mut cursor = QueryCursor::new();
        cursor.set_match_limit(MATCH_LIMIT);

        let names = self.compiled.capture_names();
        let mut answers = Vec::new();
        let mut size = 0;
        let mut found = cursor.matches_with_options(&self.compiled, place.node(), tree.text.as_bytes(), options);
        while let Some(hit) = found.next() {
            size += 1 + hit.captures.len();
            if size > ANSWER_LIMIT {
                return Err(TooCostly);
            }
            let captures = hit.captures.iter().map(|it| (names[it.index as usize], index.id_of(it.node))).collect();
            answers.push(Match { pattern: hit.pattern_index, captures });
        }
        drop(found);
        if steps > self.step_limit || cursor.did_exceed_match_limit() { Err(TooCostly) } else { Ok(answers) }
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
    depth: usize,
}

impl Live {
    pub fn new(tree: tree_sitter::Tree) -> Self {
        Self { tree, index: OnceLock::new() }
    }

    fn index(&self, tree: &Tree) -> &Index {
        self.index.get_or_init(|| Index::new(tree, &self.tree))
    }
}

impl Index {
    fn new(tree: &Tree, live: &tree_sitter::Tree) -> Self {
        let (addresses, depth) = addresses(live);
        Self { addresses, lookahead: lookahead(tree), depth }
    }

    /// The arena's id of a node of the live tree.
    fn id_of(&self, node: tree_sitter::Node<'_>) -> NodeId {
        let found = self.addresses.binary_search_by_key(&node.id(), |(address, _)| *address);
        found.map_or(0, |at| self.addresses[at].1)
    }
}

/// The sorted addresses, and the depth of the tree.
fn addresses(live: &tree_sitter::Tree) -> (Box<[(usize, NodeId)]>, usize) {
    let mut cursor = live.walk();
    let mut places = Vec::with_capacity(live.root_node().descendant_count());
    let (mut depth, mut deepest) = (0, 0);
    'walk: loop {
        places.push((cursor.node().id(), places.len() as NodeId));
        if cursor.goto_first_child() {
            depth += 1;
            deepest = deepest.max(depth);
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                break 'walk;
            }
            depth -= 1;
        }
    }
    places.sort_unstable();
    (places.into_boxed_slice(), deepest)
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

fn describe(error: &tree_sitter::QueryError) -> String {
    use tree_sitter::QueryErrorKind::*;
    let what = error.message.lines().next().unwrap_or_default().trim_matches('"');
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
