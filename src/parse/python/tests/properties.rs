//! What holds of every text: the arena is consistent and equals the parser's own tree, queries map exactly.

use std::sync::LazyLock;

use proptest::prelude::*;

use super::super::tree::LANGUAGE;
use super::super::*;

/// Parents, ends and spans of an arena fit together.
fn assert_consistent(tree: &Tree) {
    assert_eq!(tree.subtree(tree.root()), 0..tree.len());
    for node in tree.subtree(tree.root()) {
        let (span, range) = (tree.span(node), tree.subtree(node));
        assert!(tree.text.is_char_boundary(span.start as usize) && tree.text.is_char_boundary(span.end as usize));
        let children: Vec<NodeId> = tree.children(node).collect();
        let ends = children.iter().map(|child| tree.subtree(*child).end);
        let starts: Vec<NodeId> = std::iter::once(node + 1).chain(ends).collect();
        assert_eq!(starts[..children.len()], children, "children follow each other");
        assert_eq!(starts.last(), Some(&range.end), "and fill the subtree");
        for child in children {
            assert_eq!(tree.parent(child), Some(node));
            assert!(span.start <= tree.span(child).start && tree.span(child).end <= span.end);
        }
    }
}

/// The arena equals a walk of a parse of its own, node by node.
fn assert_equals_parser(tree: &Tree) {
    let mut parser = tree_sitter::Parser::new();
    parser.set_language(&LANGUAGE).expect("the grammar fits the parser");
    let live = parser.parse(tree.source().as_bytes(), None).expect("a parser with a language parses");
    assert_eq!(live.root_node().descendant_count(), tree.len() as usize);
    let mut cursor = live.walk();
    for node in tree.subtree(tree.root()) {
        cursor.goto_descendant(node as usize);
        let theirs = cursor.node();
        assert_eq!(tree.kind(node), theirs.kind());
        assert_eq!(
            (tree.span(node).start as usize, tree.span(node).end as usize),
            (theirs.start_byte(), theirs.end_byte())
        );
        assert_eq!(tree.field_name(node), cursor.field_name());
        assert_eq!(tree.line(node) as usize, theirs.start_position().row + 1);
        assert_eq!(
            (tree.named(node), tree.is_error(node), tree.is_missing(node), tree.is_extra(node)),
            (theirs.is_named(), theirs.is_error(), theirs.is_missing(), theirs.is_extra())
        );
        assert_eq!(tree.ancestors(node).count(), cursor.depth() as usize);
    }
}

/// A query for everything captures each named node once.
fn assert_queries_map(tree: &Tree, everything: &Query) {
    let found = everything.captures(tree, tree.root()).expect("a small text is cheap");
    let mut ids: Vec<NodeId> = found.iter().map(|hit| hit.captures[0].1).collect();
    ids.sort_unstable();
    let named: Vec<NodeId> = tree.subtree(0).filter(|node| tree.named(*node)).collect();
    assert_eq!(ids, named);
}

/// Asks what walks a scope in a way of its own.
fn ask(tree: &Tree) {
    for scope in tree.all_functions().into_iter().chain([tree.root()]) {
        for reach in [Reach::Own, Reach::Nested] {
            let reads = tree.reads(scope, reach);
            assert!(reads.iter().all(|node| tree.is(*node, "identifier")));
            let places = tree.unreachable(scope, reach);
            assert!(places.iter().all(|node| tree.contains(scope, *node)));
            assert!(tree.literals(scope, reach).iter().all(|it| tree.contains(scope, it.node)));
            assert!(
                tree.assignments(scope, reach)
                    .iter()
                    .all(|it| it.targets.iter().all(|node| tree.contains(it.node, *node)))
            );
        }
        assert!(tree.parameters(scope).iter().all(|it| tree.contains(it.node, it.name)));
        assert!(!(tree.falls_through(scope) && tree.always_raises(scope)));
        tree.is_placeholder(scope);
    }
}

/// The wildcard means every named node but errors.
static EVERYTHING: LazyLock<Query> = LazyLock::new(|| Query::new("(_) @node (ERROR) @node").expect("a query"));

fn assert_holds(text: &str) {
    let tree = parse(text);
    assert_consistent(&tree);
    assert_equals_parser(&tree);
    assert_queries_map(&tree, &EVERYTHING);
    ask(&tree);
    assert!(tree.issues().iter().all(|issue| issue.span.end as usize <= text.len() && issue.line >= 1));
    assert_eq!(tree.issues(), parse(text).issues());
}

/// Pieces of programs in any order: nearer to Python than arbitrary characters.
fn pieces() -> impl Strategy<Value = String> {
    const PIECES: [&str; 48] = [
        "def f(a, b=1):",
        "class C:",
        "if x:",
        "elif y:",
        "else:",
        "for i in x:",
        "while True:",
        "try:",
        "except A as e:",
        "finally:",
        "with a as b:",
        "match x:",
        "case [p, *q]:",
        "return",
        "yield",
        "raise A",
        "break",
        "pass",
        "import a.b",
        "from a import *",
        "lambda x: x",
        "[x for x in y]",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "=",
        ":=",
        "==",
        "*",
        "**",
        ",",
        ":",
        ";",
        "'",
        "\"\"\"",
        "f'{x!r:>{w}}'",
        "\\\n",
        "\n",
        "\n    ",
        "\n\t",
        "# c\n",
        "x",
        "é",
        "0x1",
        "print x",
    ];
    let piece = prop::sample::select(PIECES.to_vec());
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn holds_of_arbitrary_text(text in any::<String>()) {
        assert_holds(&text);
    }

    #[test]
    fn holds_of_pieces_of_programs(text in pieces()) {
        assert_holds(&text);
    }

    #[test]
    fn any_text_is_a_query_or_says_why_not(text in "[(a-z_@)\\[\\]*+?.\"#! \n:]{0,60}") {
        if let Err(error) = Query::new(&text) {
            prop_assert!(error.line >= 1 && error.column >= 1 && !error.message.is_empty());
        }
    }
}

#[test]
fn holds_of_the_shared_corpus() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/data/code/outputs.jsonl");
    let Ok(lines) = std::fs::read_to_string(path) else { return println!("skipped: no corpus at {path}") };
    let mut texts = 0;
    for line in lines.lines() {
        let record: serde_json::Value = serde_json::from_str(line).expect("a line is an object");
        let tree = parse(record["text"].as_str().expect("an output has a text"));
        assert_consistent(&tree);
        assert_equals_parser(&tree);
        texts += 1;
    }
    assert!(texts > 0);
}
