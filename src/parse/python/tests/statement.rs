//! Statements, calls, imports and literals.

use super::super::*;
use super::{check, f, texts};

#[test]
fn returns_and_their_values() {
    let render = |tree: &Tree| {
        let value = |it: NodeId| tree.value(it).map_or("-", |value| tree.text(value));
        tree.returns(f(tree)).into_iter().map(value).collect::<Vec<_>>().join(" | ")
    };
    check(
        &[
            ("def f():\n    return\n", "-"),
            ("def f():\n    return 1, 2\n", "1, 2"),
            ("def f():\n    return (x)  # c\n", "(x)"),
            ("def f():\n    if a: return 1\n    while b:\n        return 2\n", "1 | 2"),
            ("def f():\n    def g(): return 1\n    h = lambda: 2\n    return g\n", "g"),
            ("def f(): print(1)\n", ""),
        ],
        render,
    );
    let tree = parse("def f():\n    x = yield 1\n    yield from g\n    return (lambda: (yield))\n");
    assert_eq!(texts(&tree, tree.yields(f(&tree)).into_iter().filter_map(|it| tree.value(it))), "1 | g");
}

#[test]
fn calls_by_name_and_their_arguments() {
    let source = "def f(xs):\n    print(xs)\n    os.system('ls')\n    xs.sort(key=len, *a, **b)\n    sorted(x for x in xs)\n    ys.inner.sort()\n    return g(print)(1)\n";
    let tree = parse(source);
    let calls = |name| texts(&tree, tree.calls(f(&tree), name, Reach::Own));
    assert_eq!(calls(Some("print")), "print(xs)");
    assert_eq!(calls(Some("os.system")), "os.system('ls')");
    assert_eq!(calls(Some(".sort")), "xs.sort(key=len, *a, **b) | ys.inner.sort()");
    assert_eq!(calls(Some("sort")), "");
    assert_eq!(tree.calls(f(&tree), None, Reach::Own).len(), 7);
    let render = |call: NodeId| {
        let one = |it: Argument<'_>| format!("{}{}={}", it.splat, it.name.unwrap_or("_"), tree.text(it.value));
        tree.arguments(call).into_iter().map(one).collect::<Vec<_>>().join(" ")
    };
    let all: Vec<String> = tree.calls(f(&tree), None, Reach::Own).into_iter().map(render).collect();
    let expected = ["_=xs", "_='ls'", "key=len *_=a **_=b", "_=(x for x in xs)", "", "_=1", "_=print"];
    assert_eq!(all, expected);
}

#[test]
fn imports_in_one_shape() {
    let render = |tree: &Tree| {
        let one = |it: Import<'_>| {
            let binds = it.binds.map_or("-", |binds| tree.text(binds));
            format!("{}/{}/{}/{binds}", it.module, it.name.unwrap_or("-"), it.alias.unwrap_or("-"))
        };
        tree.imports(0, Reach::Nested).into_iter().map(one).collect::<Vec<_>>().join(" ")
    };
    check(
        &[
            ("import os\n", "os/-/-/os"),
            ("import os.path as p, sys\n", "os.path/-/p/p sys/-/-/sys"),
            ("import a.b\n", "a.b/-/-/a"),
            ("from typing import *\n", "typing/*/-/-"),
            ("from a.b import (c as d, e)\n", "a.b/c/d/d a.b/e/-/e"),
            ("from . import x\nfrom ..y import z\n", "./x/-/x ..y/z/-/z"),
            ("from __future__ import annotations\n", "__future__/annotations/-/annotations"),
            ("def f():\n    import math\n", "math/-/-/math"),
        ],
        render,
    );
}

#[test]
fn literals_mean_what_python_means() {
    let render = |tree: &Tree| {
        let one = |it: Literal| format!("{}:{}", it.kind.as_str(), it.value);
        tree.literals(0, Reach::Own).into_iter().map(one).collect::<Vec<_>>().join(" ")
    };
    check(
        &[
            (
                "x = 1, -2, 0x_fF, 0b11, 0o17, 1_000\n",
                "integer:1 integer:-2 integer:255 integer:3 integer:15 integer:1000",
            ),
            ("x = 1.5, -1e5, .5, 2j, 1_0.0\n", "float:1.5 float:-1e5 float:.5 complex:2j float:10.0"),
            ("x = 'a\\n', r'a\\n', b'\\xff', u'\\u00e9'\n", "string:a\n string:a\\n bytes:\u{ff} string:é"),
            ("x = '''a\nb''' 'c'\n", "string:a\nbc"),
            ("x = f'{a}', 'b' f'{c}'\n", "formatted:f'{a}' formatted:'b' f'{c}'"),
            ("x = True, None, ..., ''\n", "boolean:True none:None ellipsis:... string:"),
            ("'doc'\nx = y - 1\n'''note'''\n", "integer:1"),
            ("x = '\\N{DASH}'\n", "string:\\N{DASH}"),
            ("x = r'\\\\', r'', '', r\"\"\"a\\\"b\"\"\"\n", "string:\\\\ string: string: string:a\\\"b"),
            ("x = -y ** -3\n", "integer:-3"),
        ],
        render,
    );
}

#[test]
fn constants_are_made_of_literals() {
    check(
        &[
            ("[1, (2, 'a'), {3: -4}]\n", "true"),
            ("1 + 2 * 3\n", "true"),
            ("[x]\n", "false"),
            ("f(1)\n", "false"),
            ("f'{x}'\n", "false"),
        ],
        |tree| tree.is_constant(tree.body(0)[0]).to_string(),
    );
}

#[test]
fn raises_handlers_loops_conditions_comparisons() {
    let source = "def f():\n    try:\n        for x in y: pass\n    except (A, B) as e:\n        pass  # c\n    except:\n        raise\n    except C:\n        raise D(1) from e\n    while a < b <= c and not d:\n        z = 1 if e else 2\n    return [g for g in h if g is not None]\n";
    let tree = parse(source);
    let raised = tree.raises(f(&tree), Reach::Own).into_iter().map(|it| tree.value(it).map(|it| tree.text(it)));
    assert_eq!(raised.collect::<Vec<_>>(), [None, Some("D(1)")]);
    let text = |node: Option<NodeId>| node.map(|node| tree.text(node));
    let handlers =
        tree.handlers(f(&tree), Reach::Own).into_iter().map(|it| (text(it.exception), text(it.alias), it.silent));
    let expected = [(Some("(A, B)"), Some("e"), true), (None, None, false), (Some("C"), None, false)];
    assert_eq!(handlers.collect::<Vec<_>>(), expected);
    let loops = tree.loops(f(&tree), Reach::Own).into_iter().map(|it| tree.kind(it));
    assert_eq!(loops.collect::<Vec<_>>(), ["for_statement", "while_statement"]);
    assert_eq!(texts(&tree, tree.conditions(f(&tree), Reach::Own)), "a < b <= c and not d | e | g is not None");
    let comparisons = tree.comparisons(f(&tree), Reach::Own);
    let comparisons =
        comparisons.iter().map(|it| format!("{} {} {}", tree.text(it.left), it.operator, tree.text(it.right)));
    assert_eq!(comparisons.collect::<Vec<_>>(), ["a < b", "b <= c", "g is not None"]);
}

#[test]
fn values_without_their_parentheses() {
    let tree = parse("x = (((y)))\n");
    let assignment = tree.assignments(0, Reach::Own).remove(0);
    assert_eq!(assignment.value.map(|it| tree.text(tree.unwrapped(it))), Some("y"));
}
