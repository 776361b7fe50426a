//! What parsing a Python program costs, against the bare parser: `cargo bench --bench parse`.
//!
//! Medians of many runs, in microseconds. Texts: a program of twenty lines, and the shared corpus where there is one.

use std::hint::black_box;
use std::time::Instant;

use gradus::parse::python::{Query, Reach, Tree, parse};
use tree_sitter::StreamingIterator;

const RUNS: usize = 2001;

const PROGRAM: &str = r#"from collections import Counter

def most_frequent(words, limit=3):
    """Return the most frequent words, the commonest first."""
    if not words:
        return []
    counts = Counter()
    for word in words:
        word = word.strip().lower()
        if len(word) < 2 or word in ("the", "and"):
            continue
        counts[word] += 1
    ranked = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    result = []
    for word, count in ranked[:limit]:
        result.append({"word": word, "count": count})
    return result

if __name__ == "__main__":
    print(most_frequent(["a", "bb", "bb", "cc"]))
"#;

const PATTERN: &str = "(call function: (identifier) @callee arguments: (argument_list) @arguments)";

fn main() {
    let language: tree_sitter::Language = tree_sitter_python::LANGUAGE.into();
    let query = Query::new(PATTERN).expect("the pattern is a query");
    let bare_query = tree_sitter::Query::new(&language, PATTERN).expect("the pattern is a query");
    let mut parser = tree_sitter::Parser::new();
    parser.set_language(&language).expect("the grammar fits the parser");
    let tree = parse(PROGRAM);
    let live = parser.parse(PROGRAM, None).expect("a parser with a language parses");

    let bare = median(|| parser.parse(PROGRAM, None));
    println!("20 lines, {} bytes, {} nodes", PROGRAM.len(), tree.len());
    row("tree-sitter parse", bare, bare);
    row("parse: arena and issues too", median(|| parse(PROGRAM)), bare);

    let bare = median(|| run_bare(&bare_query, &live));
    row("tree-sitter query", bare, bare);
    row("query", median(|| query.captures(&tree, tree.root())), bare);
    row(
        "first query of a tree",
        median_after(|| parse(PROGRAM), |tree| query.captures(tree, tree.root()).map(|it| it.len())),
        bare,
    );
    row("compile a query", median(|| Query::new(PATTERN)), bare);
    row("ten helpers", median(|| helpers(&tree)), bare);
    corpus();
}

fn run_bare(query: &tree_sitter::Query, live: &tree_sitter::Tree) -> usize {
    let mut cursor = tree_sitter::QueryCursor::new();
    let mut matches = cursor.matches(query, live.root_node(), PROGRAM.as_bytes());
    let mut captures = 0;
    while let Some(found) = matches.next() {
        captures += found.captures.len();
    }
    captures
}

fn helpers(tree: &Tree) -> usize {
    let Some(function) = tree.function("most_frequent") else { return 0 };
    tree.parameters(function).len()
        + tree.returns(function).len()
        + tree.calls(function, Some("print"), Reach::Own).len()
        + tree.literals(function, Reach::Nested).len()
        + tree.assignments(function, Reach::Own).len()
        + tree.uses(function, "words", Reach::Nested).len()
        + tree.loops(function, Reach::Own).len()
        + tree.unreachable(function, Reach::Own).len()
        + usize::from(tree.falls_through(function))
        + usize::from(tree.is_placeholder(function))
}

fn corpus() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/data/code/outputs.jsonl");
    let Ok(lines) = std::fs::read_to_string(path) else { return println!("no corpus at {path}: skipped") };
    let records = lines.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let texts: Vec<String> = records.filter_map(|record| Some(record.get("text")?.as_str()?.to_owned())).collect();
    let start = Instant::now();
    let nodes: u64 = texts.iter().map(|text| u64::from(parse(text.as_str()).len())).sum();
    let micros = start.elapsed().as_secs_f64() * 1e6;
    println!("corpus: {} texts, {nodes} nodes, {:.1} us a text", texts.len(), micros / texts.len() as f64);
}

fn row(what: &str, micros: f64, bare: f64) {
    println!("{what:30} {micros:9.1} us {:6.2} x", micros / bare);
}

fn median<T>(mut work: impl FnMut() -> T) -> f64 {
    median_after(|| (), |()| work())
}

fn median_after<S, T>(mut prepare: impl FnMut() -> S, mut work: impl FnMut(&S) -> T) -> f64 {
    let mut times: Vec<f64> = (0..RUNS)
        .map(|_| {
            let subject = prepare();
            let start = Instant::now();
            black_box(work(&subject));
            start.elapsed().as_secs_f64() * 1e6
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[RUNS / 2]
}
