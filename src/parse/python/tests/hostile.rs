//! Texts made to hang, overflow or crash a parser. That these tests end, on a thread with a small stack, is the test.

use super::super::*;

fn on_small_stack(work: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(512 * 1024).spawn(work);
    thread.expect("a thread starts").join().expect("the work neither panics nor overflows");
}

/// Every helper once, over the whole tree; the sum keeps them from being left out.
fn ask_everything(tree: &Tree) -> usize {
    let root = tree.root();
    let all = Reach::Nested;
    let of_function = |function: NodeId| {
        tree.parameters(function).len()
            + tree.returns(function).len()
            + tree.yields(function).len()
            + tree.decorators(function).len()
            + tree.rebindings(function).len()
            + usize::from(tree.is_placeholder(function))
            + usize::from(tree.falls_through(function))
            + usize::from(tree.docstring(function).is_some())
    };
    tree.all_functions().into_iter().take(5).map(of_function).sum::<usize>()
        + tree.calls(root, Some(".x"), all).len()
        + tree.imports(root, all).len()
        + tree.literals(root, all).len()
        + tree.assignments(root, all).len()
        + tree.bindings(root).len()
        + tree.reads(root, all).len()
        + tree.raises(root, all).len()
        + tree.handlers(root, all).len()
        + tree.loops(root, all).len()
        + tree.conditions(root, all).len()
        + tree.comparisons(root, all).len()
        + tree.unreachable(root, all).len()
        + tree.loose_statements().into_iter().filter(|it| tree.is_main_guard(*it)).count()
        + tree.comments().len()
        + usize::from(tree.is_constant(root))
        + usize::from(tree.node_at(tree.span(root)) == root)
}

#[test]
fn deep_and_wide_texts() {
    on_small_stack(|| {
        let wrap = |open: &str, close: &str| open.repeat(5_000) + "x" + &close.repeat(5_000);
        let texts = [
            wrap("(", ")"),
            wrap("[", "]"),
            wrap("f(", ")"),
            wrap("-", ""),
            wrap("not ", ""),
            wrap("lambda: ", ""),
            wrap("", "+x"),
            wrap("", ".x"),
            wrap("", "()"),
            wrap("(yield ", ")"),
            wrap("[x for x in ", "]"),
            wrap("(x,", ")"),
            wrap("x = ", ""),
            wrap("", " if x else x"),
            wrap("(", ""),
            wrap("", ")"),
            wrap("f'{", "}'"),
            wrap("if x:\n", ""),
            wrap("x;", ""),
            wrap("x\n", ""),
            "def f(x):\n return x\n".repeat(5_000),
            wrap("\"\"\"", ""),
            format!("def f({}): pass\n", "x, /, ".repeat(5_000)),
        ];
        for text in texts {
            let tree = parse(text.as_str());
            assert!(tree.len() > 100, "{:.20} has {} nodes", text, tree.len());
            assert!(ask_everything(&tree) < text.len() * 4, "{text:.20}");
        }
    });
}

#[test]
fn deep_indentation() {
    let stairs = |steps: usize, line: &str| -> String {
        let step = |depth: usize| format!("{}{line}:\n", " ".repeat(depth));
        (0..steps).map(step).collect::<String>() + &" ".repeat(steps) + "return '''"
    };
    on_small_stack(move || {
        for line in ["if x", "def f()", "while True"] {
            let tree = parse(stairs(200, line));
            assert!(tree.len() > 600);
            assert!(ask_everything(&tree) > 0);
        }
    });
    // One string open under 511 blocks overruns the scanner's buffer by a byte.
    let tree = parse(stairs(511, "if x"));
    assert_eq!(tree.len(), 1);
    assert_eq!(tree.issues()[0].message, "512 widths of indentation are over the limit of 256");
}

#[test]
fn refused_texts_have_a_tree_of_one_node_and_say_why() {
    let cases = [
        ("x = 1\n".repeat(50_000), "300000 bytes are over the limit of 262144"),
        ("\\\n".repeat(1_001), "1001 lines that end in a backslash are over the limit of 1000"),
        ("x\n".to_owned() + &"# note\n\n".repeat(8_000), "too many lines in a row are comments"),
    ];
    for (text, message) in &cases {
        let tree = parse(text.as_str());
        let messages: Vec<&str> = tree.issues().iter().map(|issue| issue.message.as_str()).collect();
        assert_eq!(messages, [*message]);
        assert_eq!((tree.len(), tree.kind(0), tree.text(0)), (1, "module", text.as_str()));
        assert_eq!(ask_everything(&tree), 2);
        let query = Query::new("(module) @module").expect("a query");
        assert_eq!(query.captures(&tree, 0), Ok(vec![]));
    }
}

#[test]
fn ordinary_comments_and_joined_lines_are_welcome() {
    let text = "x = 1 + \\\n    2\n".repeat(500) + &"# a line of a long licence\n".repeat(500);
    assert_eq!(parse(text.as_str()).issues(), []);
}
