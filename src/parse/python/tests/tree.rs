//! Navigation, text, lines and scopes.

use super::super::*;
use super::{check, f, texts};

#[test]
fn trees_and_queries_cross_threads() {
    fn shared<T: Send + Sync + 'static>() {}
    shared::<Tree>();
    shared::<Query>();
}

#[test]
fn a_node_is_small() {
    assert_eq!(size_of::<super::super::tree::Node>(), 24);
}

#[test]
fn an_empty_text_is_a_module() {
    for text in ["", "\n\n", "   ", "\u{feff}"] {
        let tree = parse(text);
        assert_eq!((tree.kind(tree.root()), tree.len(), tree.has_errors()), ("module", 1, false), "{text:?}");
        assert_eq!(tree.parent(tree.root()), None);
        assert!(tree.functions().is_empty());
    }
}

#[test]
fn navigation_by_field_child_and_ancestor() {
    let tree = parse("def f(a, b=1):\n    return a + b\n");
    let function = f(&tree);
    let body = tree.field(function, "body").expect("a function has a body");
    assert_eq!(tree.text(body), "return a + b");
    assert_eq!(tree.field_name(body), Some("body"));
    assert_eq!(tree.line(body), 2);
    assert_eq!(tree.field(function, "no such field"), None);
    assert_eq!(tree.parent(body), Some(function));
    let kinds: Vec<_> = tree.children(function).map(|child| (tree.kind(child), tree.named(child))).collect();
    let expected = [("def", false), ("identifier", true), ("parameters", true), (":", false), ("block", true)];
    assert_eq!(kinds, expected);
    let sum = tree.find(function, Reach::Own, "binary_operator").next().expect("there is a sum");
    let above: Vec<_> = tree.ancestors(sum).map(|node| tree.kind(node)).collect();
    assert_eq!(above, ["return_statement", "block", "function_definition", "module"]);
    assert_eq!(tree.node_at(tree.span(sum)), sum);
    assert!(tree.contains(function, sum) && !tree.contains(sum, function));
    assert_eq!(texts(&tree, tree.descendants(sum)), "a | + | b");
}

#[test]
fn spans_are_bytes_whatever_the_characters_and_line_ends() {
    let tree = parse("\u{feff}größe = 'é'\r\nπ = größe\r\n");
    let names: Vec<_> = tree.find(0, Reach::Own, "identifier").map(|node| (tree.text(node), tree.line(node))).collect();
    assert_eq!(names, [("größe", 1), ("π", 2), ("größe", 2)]);
    assert!(!tree.has_errors());
}

#[test]
fn scopes_are_entered_when_asked() {
    let source = "@deco(1)\ndef f(a=2):\n    x = 3\n    def g(b=4):\n        return 5\n    h = lambda c=6: 7\n    class C(8):\n        y = 9\n    return [10 for _ in x]\n";
    let tree = parse(source);
    let numbers = |scope, reach| texts(&tree, tree.find(scope, reach, "integer"));
    assert_eq!(numbers(tree.root(), Reach::Own), "1 | 2");
    assert_eq!(numbers(f(&tree), Reach::Own), "3 | 4 | 6 | 8 | 10");
    assert_eq!(numbers(f(&tree), Reach::Nested), "3 | 4 | 5 | 6 | 7 | 8 | 9 | 10");
    let inner = tree.functions_in(f(&tree));
    assert_eq!(numbers(inner[0], Reach::Own), "5");
    let lambda = tree.find(f(&tree), Reach::Own, "lambda").next().expect("there is a lambda");
    assert_eq!(numbers(lambda, Reach::Own), "7");
    let scopes = tree.find(0, Reach::Nested, "integer").map(|node| tree.line(tree.scope_of(node)).to_string());
    assert_eq!(scopes.collect::<Vec<_>>().join(" "), "1 1 2 2 4 2 6 2 7 2");
}

#[test]
fn comments_and_statements() {
    check(
        &[("# a\nx = 1  # b\n", "# a | # b"), ("x = '# no'\n", ""), ("def f():\n    pass\n    # last\n", "# last")],
        |tree| texts(tree, tree.comments()),
    );
    let tree = parse("if x:\n    y = (1 +\n         2)\n");
    let two = tree.find(0, Reach::Own, "integer").last().expect("there are integers");
    assert_eq!(tree.statement_of(two).map(|it| tree.text(it)), Some("y = (1 +\n         2)"));
    assert_eq!(tree.statement_of(tree.root()), None);
}

#[test]
fn every_field_is_found_by_its_name() {
    let language = &*super::super::tree::LANGUAGE;
    let names =
        (1..=language.field_count() as u16).map(|id| language.field_name_for_id(id).expect("a field has a name"));
    assert!(names.is_sorted(), "fields are looked up by binary search");
}
