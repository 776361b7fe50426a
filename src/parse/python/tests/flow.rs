//! Ways out, unreachable statements, endless loops.

use super::super::*;
use super::{check, f, texts};

/// N falls through, R returns, X raises.
#[test]
fn ways_out_of_a_function() {
    let cases = [
        ("pass", "N"),
        ("return 1", "R"),
        ("raise A", "X"),
        ("if x: return 1", "NR"),
        ("if x: return 1\nelse: return 2", "R"),
        ("if x: return 1\nelif y: raise A\nelse: return 2", "RX"),
        ("if x: return 1\nelif y: return 2", "NR"),
        ("if True: return 1", "R"),
        ("if False: return 1", "N"),
        ("for i in x: return i", "NR"),
        ("for i in x: return i\nelse: return 0", "R"),
        ("for i in x:\n  if i: break\nelse: return 0", "NR"),
        ("while x: return 1", "NR"),
        ("while True: pass", ""),
        ("while 1:\n  if x: return 1", "R"),
        ("while (True):\n  if x: break", "N"),
        ("while True:\n  for i in x: break", ""),
        ("while True:\n  try: return 1\n  except A: continue", "R"),
        ("while 0: return 1", "N"),
        ("try: return 1\nexcept A: pass", "NR"),
        ("try: return 1\nexcept A: return 2", "R"),
        ("try: x\nexcept A: return 2\nelse: return 3", "R"),
        ("try: raise A\nexcept: return 1", "R"),
        ("try: raise A\nexcept B: return 1", "RX"),
        ("try: x\nfinally: return 1", "R"),
        ("try: return 1\nfinally: y", "R"),
        ("try: raise A\nfinally: return 1", "R"),
        ("with a as b: return 1", "R"),
        ("with a as b: pass", "N"),
        ("with suppress(A): raise A", "NX"),
        ("match x:\n  case 1: return 1\n  case _: return 2", "R"),
        ("match x:\n  case 1: return 1\n  case y: return 2", "R"),
        ("match x:\n  case 1: return 1\n  case _ if y: return 2", "NR"),
        ("match x:\n  case A.B: return 1", "NR"),
        ("assert False", "X"),
        ("assert x", "N"),
        ("sys.exit(1)", "X"),
        ("def g(): return 1", "N"),
        ("return 1\npass", "R"),
        ("x = lambda: 1", "N"),
    ];
    for (body, expected) in cases {
        let source = format!("def f(x):\n    {}\n", body.replace('\n', "\n    "));
        let tree = parse(source.as_str());
        assert!(!tree.has_errors(), "{source}");
        let out = tree.ways_out(f(&tree));
        let letters = [(out.falls_through, 'N'), (out.returns, 'R'), (out.raises, 'X')];
        let found: String = letters.into_iter().filter_map(|(holds, letter)| holds.then_some(letter)).collect();
        assert_eq!(found, expected, "{body}");
        assert_eq!(tree.falls_through(f(&tree)), expected.contains('N'), "{body}");
        assert_eq!(tree.always_raises(f(&tree)), expected == "X", "{body}");
    }
}

#[test]
fn unreachable_statements() {
    check(
        &[
            ("def f():\n    return 1\n    x = 2\n    y = 3\n", "x = 2"),
            ("def f():\n    if a:\n        raise A\n        b\n    c\n", "b"),
            ("def f():\n    for i in x:\n        continue\n        a\n    while True: pass\n    b\n", "b | a"),
            ("def f():\n    if a: return 1\n    else: return 2\n    # c\n    d\n", "d"),
            ("def f():\n    try: return 1\n    except A: pass\n    b\n", ""),
            ("def f():\n    def g():\n        return 1\n        h\n", ""),
        ],
        |tree| texts(tree, tree.unreachable(f(tree), Reach::Own)),
    );
    let tree = parse("import sys\nsys.exit()\nprint(1)\n");
    assert_eq!(texts(&tree, tree.unreachable(0, Reach::Own)), "print(1)");
}

#[test]
fn endless_loops() {
    check(
        &[
            ("while True: x\n", "true"),
            ("while 1:\n    for i in x: break\n", "true"),
            ("while True:\n    if x: break\n", "false"),
            ("while x: pass\n", "false"),
            ("for i in x: pass\n", "false"),
        ],
        |tree| tree.is_endless(tree.body(0)[0]).to_string(),
    );
    let tree = parse("def f():\n    while True:\n        return 1\n");
    assert!(!tree.is_endless(tree.loops(f(&tree), Reach::Own)[0]));
}

#[test]
fn a_lambda_returns() {
    let tree = parse("g = lambda: 1\n");
    let lambda = tree.find(0, Reach::Own, "lambda").next().expect("there is a lambda");
    assert_eq!(tree.ways_out(lambda), WaysOut { falls_through: false, returns: true, raises: false });
}
