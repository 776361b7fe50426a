//! Issues: what is reported, and that valid programs have none.

use super::check;
use crate::parse::python::{Tree, parse};

fn issues(tree: &Tree) -> String {
    let lines = tree.issues().iter().map(|issue| format!("{}: {}", issue.line, issue.message));
    lines.collect::<Vec<_>>().join(" | ")
}

#[test]
fn valid_programs_have_none() {
    let programs = [
        "",
        "\u{feff}x = 1\r\nif x:\r\n\ty = 2\r\n",
        "def f(a, /, b, *, c=1, **d): return lambda *e: (yield)\n",
        "async def f():\n    async with a as b, c: await d\n    return [x async for x in y]\n",
        "for i in x:\n    if i: break\nelse:\n    pass\n",
        "try:\n    x\nexcept (A, B) as e:\n    raise C from e\nfinally: pass\n",
        "with (open(a) as f, b):\n    pass\n",
        "match x:\n    case [1, *_] | {'k': v, **r} if v: pass\n    case C(a=1) as y: pass\n    case _: pass\n",
        "class A(B, metaclass=C):\n  \"\"\"d\"\"\"\n  x: int = 1\n\n  # c\n\n  @p\n  def f(self): return (self.x\n    .y)\n",
        "if (n := f(1, *a, k=2, **b)) and not c < d <= 2: pass\n",
        "x = 1; y = 2;\nif x: y; z\n",
        "x = 'a' \\\n    'b'\nassert x, \\\n  y\n",
        "print(f'{a!r:>{w}} {b[\"c\"]}', *x, sep='')\n",
        "a, (b, *c) = *d, 0x_ff, 0o17, 1_000, 1e5, 2j\n",
        "def f():\n    '''d\n  odd\n'''\n    return {\n  1: 2,\n        3: 4}\n",
        "x = [\n1,\n    2]\nprint >>f, x\n",
    ];
    for program in programs {
        assert_eq!(issues(&parse(program)), "", "{program}");
    }
}

#[test]
fn what_does_not_parse() {
    check(
        &[
            ("def f(:\n    return 1\n", "1: expected `)`"),
            ("x = (1, 2\ny = 3\n", "1: `(` is never closed"),
            ("x = 'abc\ny = 1\n", "1: string is never closed: '"),
            ("x = = 1\n", "1: unexpected `=`"),
            ("def f(a b):\n  pass\n", "1: unexpected `b`"),
            ("```python\nx = 1\n```\n", "1: unexpected ``` | 3: unexpected ```"),
            ("for i in range(3)\n    print(i)\n", "1: unexpected `for`"),
            ("x = 1 y = 2\n", "1: unexpected `1`"),
            ("from a import *import b\n", "1: expected a new line or `;` before this statement"),
            ("def\nf(): pass\n", "1: unexpected end of line after `def`"),
            ("x = 1\0\n", "1: unexpected `x` | 1: unexpected NUL character"),
            ("x = \u{200b}1\n", "1: unexpected invisible character"),
        ],
        issues,
    );
}

#[test]
fn indentation() {
    let none_match = "indentation does not match its block";
    check(
        &[
            ("def f():\nreturn 1\n", "1: expected an indented block | 2: `return` outside a function"),
            ("class A:\n", "1: expected an indented block"),
            ("  x = 1\n", &format!("1: {none_match}")),
            ("x = 1\n  y = 2\n", &format!("2: {none_match}")),
            ("if x:\n    a\n  b\n", &format!("3: {none_match}")),
            ("if x:\n  a\n else:\n  b\n", &format!("3: {none_match}")),
            ("if x:\n\ta\n        b\n", &format!("3: {none_match}")),
            ("if x:\n        if y:\n\t    a\n", "3: indented no deeper than the line that opens its block"),
        ],
        issues,
    );
}

#[test]
fn what_the_grammar_lets_pass() {
    check(
        &[
            ("print 'a', b\n", "1: expected parentheses after `print` (Python 2's statement)"),
            ("exec 'a'\n", "1: expected parentheses after `exec` (Python 2's statement)"),
            ("a <> b\n", "1: unexpected `<>`"),
            ("x = 10L + 0777\n", "1: unexpected `10L` | 1: unexpected `0777`"),
            ("x = ur'a'\n", "1: unexpected `ur'`"),
            ("x = `a`\n", "1: unexpected ```"),
            ("raise A, 'm'\n", "1: expected one exception after `raise`"),
            ("try: pass\nexcept A, e: pass\n", "2: expected parentheses around several exceptions"),
            ("try:\n    pass\n", "1: expected `except` or `finally` after this `try`"),
            ("return 1\n", "1: `return` outside a function"),
            ("class A:\n    yield\n", "2: `yield` outside a function"),
            ("def f():\n    break\n", "2: `break` outside a loop"),
            ("while x:\n    def f(): continue\n", "2: `continue` outside a loop"),
            ("for x in y: pass\nelse: break\n", "2: `break` outside a loop"),
            ("nonlocal x\n", "1: `nonlocal` outside a function"),
            ("def f():\n    from a import *\n", "2: `import *` is for the module level only"),
            ("def f(a=1, b): pass\n", "1: parameter `b` without a default after one with a default"),
            ("def f(a, a): pass\n", "1: parameter `a` appears twice"),
            ("def f(**a, b): pass\n", "1: parameter after `**`"),
            ("f(a=1, 2)\n", "1: positional argument after a keyword argument"),
            ("f(a=1, a=2)\n", "1: argument `a` appears twice"),
            ("x := 1\n", "1: unexpected `x := 1`"),
            ("x = (a as b)\n", "1: unexpected `as`"),
            ("a, b += 1, 2\n", "1: expected a single target"),
            ("x = *a\n", "1: unexpected `*a`"),
        ],
        issues,
    );
}

#[test]
fn issues_are_bounded_and_in_order() {
    let tree = parse("return\n".repeat(500));
    assert_eq!(tree.issues().len(), 100);
    assert!(tree.issues().is_sorted_by_key(|issue| issue.span));
}
