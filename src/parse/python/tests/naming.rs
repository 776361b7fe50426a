//! Assignments, bindings and reads.

use super::super::*;
use super::{check, f, texts};

#[test]
fn assignments_of_every_form() {
    let render = |tree: &Tree| {
        let one = |it: Assignment| {
            let value = it.value.map_or("-", |value| tree.text(value));
            format!("{} {} := {value}", it.kind.as_str(), texts(tree, it.targets))
        };
        tree.assignments(0, Reach::Own).into_iter().map(one).collect::<Vec<_>>().join(" ; ")
    };
    check(
        &[
            ("a = 1\n", "plain a := 1"),
            ("a, (b, *c) = 1, 2\n", "plain a | b | c := 1, 2"),
            ("a = b = c\n", "plain a := c ; plain b := c"),
            ("a[0], b.c = x\n", "plain a[0] | b.c := x"),
            ("a: int\nb: int = 2\n", "annotated a := - ; annotated b := 2"),
            ("a += 1\n", "augmented a := 1"),
            ("if (a := f()): pass\n", "walrus a := f()"),
            ("for i, j in z: pass\n", "for i | j := z"),
            ("[x for x, in y]\n", "comprehension x := y"),
            ("with open(a) as g, h: pass\n", "with g := open(a)"),
            ("with (a as (b, c)): pass\n", "with b | c := a"),
            ("try: pass\nexcept A as e: pass\n", "except e := A"),
        ],
        render,
    );
}

#[test]
fn names_a_scope_binds() {
    check(
        &[
            ("def f(a, *b, c=1, **d):\n    e = 1\n", "a b c d e"),
            ("def f():\n    import os.path, sys as s\n    def g(): h = 1\n    class C: i = 2\n", "C g os s"),
            (
                "def f():\n    for i in x: pass\n    with a as b: pass\n    try: pass\n    except E as e: pass\n",
                "b e i",
            ),
            ("def f():\n    global a\n    a = 1\n    b = 2\n", "b"),
            ("def f():\n    return [x for x in y if (z := x)]\n", "z"),
            ("def f():\n    type A[T] = int\n    type(x).y = 1\n", "A"),
            ("def f():\n    a.b = 1\n    c[d] = 2\n", ""),
            (
                "def f(x):\n    match x:\n        case [p, *q] as r: pass\n        case {'k': v, **w}: pass\n        case A.B | C(n=m): pass\n        case other: pass\n",
                "m other p q r v w x",
            ),
        ],
        |tree| tree.names_bound(f(tree)).join(" "),
    );
}

#[test]
fn names_a_scope_reads() {
    let read = |reach| move |tree: &Tree| tree.names_read(f(tree), reach).join(" ");
    check(
        &[
            ("def f(a):\n    b = a + c\n    b += 1\n", "a b c"),
            ("def f():\n    x.y.z(k=v)\n", "v x"),
            ("def f():\n    return [i + j for i in k]\n", "j k"),
            ("def f():\n    return [i for i in i]\n", "i"),
            ("def f():\n    return [j for i in a for j in i if j and i]\n", "a"),
            ("def f():\n    import a.b\n    from c import d\n    global e\n", ""),
            ("def f():\n    def g(p=q): return r\n    return lambda s=t: u\n", "q t"),
            ("def f(x):\n    match x:\n        case A.B: pass\n        case C(n=m) if o: pass\n", "A C o x"),
            ("def f():\n    with a as b: pass\n    for c in d: e[g] = 1\n", "a d e g"),
        ],
        read(Reach::Own),
    );
    check(
        &[
            ("def f(x):\n    def g(y): return x + y + z\n", "x z"),
            ("def f(x):\n    def g():\n        x = 1\n        return x\n", ""),
            ("def f(x):\n    return lambda x, y=x: x\n", "x"),
            ("def f(x):\n    def g():\n        nonlocal x\n        x += 1\n", "x"),
        ],
        read(Reach::Nested),
    );
}

#[test]
fn uses_of_a_name() {
    let tree = parse("def f(xs):\n    xs = sorted(xs)\n    return [xs for xs in xs], xs.xs, g(xs=1), (lambda: xs)\n");
    let places = |reach| tree.uses(f(&tree), "xs", reach).into_iter().map(|it| tree.span(it).start).collect::<Vec<_>>();
    let source = tree.source();
    let at = |text: &str, offset: usize| (source.find(text).expect("it is there") + offset) as u32;
    let own = [at("sorted(xs", 7), at("in xs", 3), at("xs.xs", 0)];
    assert_eq!(places(Reach::Own), own);
    assert_eq!(places(Reach::Nested), [&own[..], &[at(": xs)", 2)]].concat());
}

#[test]
fn what_shadows_a_definition() {
    let kinds = |tree: &Tree| {
        let kinds = tree.rebindings(tree.functions()[0]).into_iter().map(|it| tree.kind(it.by));
        kinds.collect::<Vec<_>>().join(" ")
    };
    check(
        &[
            ("def f(): pass\n", ""),
            ("f = 1\ndef f(): pass\n", ""),
            ("def f(): pass\nf = memo(f)\n", "assignment"),
            ("def f(): pass\ndef f(): pass\nfrom a import f\n", "function_definition import_from_statement"),
            ("def f():\n    f = 1\n", ""),
            ("def f(): pass\nfor f in x: pass\nclass f: pass\n", "for_statement class_definition"),
        ],
        kinds,
    );
    let tree = parse("def f(): pass\nf = 1\n");
    assert_eq!(tree.bindings_of(0, "f").len(), 2);
}
