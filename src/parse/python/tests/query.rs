//! Queries: answers, places of errors, limits.

use super::super::*;
use super::{f, texts};

fn run(source: &str, pattern: &str) -> Vec<String> {
    let (tree, query) = (parse(source), Query::new(pattern).expect("a query"));
    let found = query.captures(&tree, tree.root()).expect("a cheap query");
    let render = |hit: &Match<'_>| {
        let parts = hit.captures.iter().map(|(name, node)| format!("{name}={}", tree.text(*node)));
        parts.collect::<Vec<_>>().join(" ")
    };
    found.iter().map(render).collect()
}

#[test]
fn captures_are_named_and_in_order() {
    let source = "print(1)\nos.system('ls')\nprint(a, b)\n";
    let pattern = "(call function: (identifier) @callee arguments: (argument_list) @arguments)";
    assert_eq!(run(source, pattern), ["callee=print arguments=(1)", "callee=print arguments=(a, b)"]);
    assert_eq!(run(source, "((identifier) @name (#eq? @name \"b\"))"), ["name=b"]);
    assert_eq!(run(source, "((string) @text (#match? @text \"^'l\"))"), ["text='ls'"]);
    assert_eq!(run("", "(identifier) @name"), [""; 0]);
}

#[test]
fn a_query_sees_what_is_under_its_node_alone() {
    let tree = parse("a\ndef f(b):\n    return c\nd\n");
    let query = Query::new("(identifier) @name").expect("a query");
    let names = |under| {
        let found = query.captures(&tree, under).expect("a cheap query");
        texts(&tree, found.iter().map(|hit| hit.captures[0].1))
    };
    assert_eq!(names(tree.root()), "a | f | b | c | d");
    assert_eq!(names(f(&tree)), "f | b | c");
    let c = tree.find(f(&tree), Reach::Own, "identifier").last().expect("there are identifiers");
    assert_eq!(names(c), "c");
}

#[test]
fn every_node_maps_to_itself() {
    let nested = "x = ((((1))))\nf()()()\na.b.c.d\n-(-1)\ndef f(:\n  pass\n(]\nif x: pass\n";
    let tree = parse(nested);
    let query = Query::new("(_) @node (ERROR) @node").expect("a query");
    let found = query.captures(&tree, tree.root()).expect("a cheap query");
    let mut ids: Vec<NodeId> = found.iter().map(|hit| hit.captures[0].1).collect();
    ids.sort_unstable();
    let named: Vec<NodeId> = tree.subtree(0).filter(|node| tree.named(*node)).collect();
    assert_eq!(ids, named);
}

#[test]
fn a_bad_query_says_where_and_what() {
    let cases = [
        ("(call\n  function: (identifer) @x)", (2, 14), "the Python grammar has no node `identifer`"),
        ("(call functoin: (_))", (1, 7), "the Python grammar has no field `functoin`"),
        ("(call (_) @a) (#eq? @b \"x\")", (1, 22), "no capture `@b` in this pattern"),
        ("(call", (1, 6), "not a query"),
        ("(module (integer))", (1, 9), "this pattern can never match"),
    ];
    for (source, place, message) in cases {
        let error = Query::new(source).expect_err(source);
        assert_eq!((error.line, error.column), place, "{source}: {error}");
        assert_eq!(error.message, message, "{source}");
    }
}

#[test]
fn queries_too_large_to_compile_are_refused() {
    let cases = [
        ("(_ ".repeat(5_000), "15000 bytes are over the limit of 4096"),
        ("(_ ".repeat(40) + &")".repeat(40), "40 levels of nesting are over the limit of 32"),
        ("(_) ".repeat(33), "33 patterns are over the limit of 32"),
        (format!("[{}]", "(call) ".repeat(33)), "33 quantifiers and alternatives are over the limit of 32"),
        (format!("(block {})", "(_)* ".repeat(33)), "33 quantifiers and alternatives are over the limit of 32"),
    ];
    for (source, message) in cases {
        assert_eq!(Query::new(&source).expect_err("too large").message, message);
    }
    assert!(
        Query::new("; ((((((((((((((((((((((((((((((((((((\n\"(((((((((((\" @x")
            .is_err_and(|it| it.message.contains("node"))
    );
}

#[test]
fn a_costly_run_ends_and_says_so() {
    let hostile = Query::new("(_ (_)* @a (_)* @b (_)* @c)").expect("a query");
    let broad = Query::new("(identifier) @name").expect("a query");
    let wide = parse("def f(a, b):\n    return [a, b, a, b]\n".repeat(5_000));
    assert_eq!(hostile.captures(&wide, 0), Err(TooCostly));
    assert_eq!(broad.captures(&wide, 0), Err(TooCostly));
    assert!(broad.captures(&wide, wide.functions()[4_000]).is_ok_and(|found| found.len() == 7));
    let deep = parse("1".to_owned() + &"+1".repeat(2_000));
    assert_eq!(broad.captures(&deep, 0), Err(TooCostly));
    let broken = parse("(".repeat(50_000));
    assert_eq!(broad.captures(&broken, 0), Err(TooCostly));
}
