//! Tests of the Python parser, by subject; `check` is the one way a table of programs is compared with answers.

mod tree;
mod query;
mod issues;
mod define;
mod statement;
mod naming;
mod flow;
mod hostile;
mod properties;

use super::{NodeId, Tree, parse};

/// Each program's answer, as text, is the expected one.
fn check(cases: &[(&str, &str)], answer: impl Fn(&Tree) -> String) {
    for (source, expected) in cases {
        assert_eq!(answer(&parse(*source)), *expected, "for:\n{source}");
    }
}

/// The nodes' texts, with a bar between.
fn texts(tree: &Tree, nodes: impl IntoIterator<Item = NodeId>) -> String {
    let texts: Vec<&str> = nodes.into_iter().map(|node| tree.text(node)).collect();
    texts.join(" | ")
}

/// The function `f`.
fn f(tree: &Tree) -> NodeId {
    tree.function("f").expect("the program defines f")
}
