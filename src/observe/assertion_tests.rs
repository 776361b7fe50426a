//! Asserts taken apart: what is an equality, what wraps a call, and what is neither.

use super::*;
use proptest::prelude::*;

fn equals(text: &str) -> (String, String, String) {
    match Assertion::parse(text) {
        Some(Assertion::Equals { name, args, expected }) => (name, args, repr(&expected)),
        other => panic!("{text}: {other:?}"),
    }
}

fn wrapped(text: &str) -> (String, String, String, String) {
    match Assertion::parse(text) {
        Some(Assertion::Wrapped { name, args, before, after }) => (name, args, before, after),
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn a_call_compared_with_a_literal() {
    let cases = [
        ("assert f(1) == 2", "f", "[1]", "2"),
        ("assert f(1)==True", "f", "[1]", "True"),
        ("assert f() == None", "f", "[]", "None"),
        ("assert f (12345) == False", "f", "[12345]", "False"),
        ("  assert (f([1, 2], 'a, b)')) == ([1,\n 2])  # fine", "f", "[[1, 2], 'a, b)']", "[1, 2]"),
        ("assert(f(1) == 2)", "f", "[1]", "2"),
        ("assert ((f(1))==(2,)), 'a, message'", "f", "[1]", "(2,)"),
        ("assert 2 == f(1,)", "f", "[1]", "2"),
        ("assert f('\"Python\", \"PHP\"')==['Python', 'PHP']", "f", "['\"Python\", \"PHP\"']", "['Python', 'PHP']"),
        ("assert f(([1,2,3]))==False", "f", "[[1, 2, 3]]", "False"),
        ("assert f(-1, 1e3, 0x10) == -1", "f", "[-1, 1000.0, 16]", "-1"),
        ("assert f(\n  1, # one\n  2 # two\n) == {1: {2}}", "f", "[1, 2]", "{1: {2}}"),
        ("assert f('==') == '=='", "f", "['==']", "'=='"),
        ("assert sum([1]) == 1", "sum", "[[1]]", "1"),
        ("assert f(1) == set([18, 12])", "f", "[1]", "{18, 12}"),
    ];
    for (text, name, args, expected) in cases {
        assert_eq!(equals(text), (name.into(), args.into(), expected.into()), "{text}");
    }
}

#[test]
fn any_other_condition_around_one_call() {
    let cases = [
        ("assert f(1)", "f", "[1]", "", ""),
        ("assert not f(10)", "f", "[10]", "not ", ""),
        ("assert (not f(10))", "f", "[10]", "(not ", ")"),
        ("assert f(1) is None", "f", "[1]", "", " is None"),
        ("assert f(1) == 2 == 2", "f", "[1]", "", " == 2 == 2"),
        ("assert f(1) == a", "f", "[1]", "", " == a"),
        ("assert f(1) != 2, 'why'", "f", "[1]", "", " != 2"),
        ("assert f(1) in (1, 2)", "f", "[1]", "", " in (1, 2)"),
        ("assert f(1)[0] == 2", "f", "[1]", "", "[0] == 2"),
        ("assert f(1) == 10**5", "f", "[1]", "", " == 10**5"),
        ("assert abs(f(2, 3) - 1.5) < 1e-6", "f", "[2, 3]", "abs(", " - 1.5) < 1e-6"),
        (
            "assert math.isclose(f(0,1j), 1.57, rel_tol=0.001)",
            "f",
            "[0, 1j]",
            "math.isclose(",
            ", 1.57, rel_tol=0.001)",
        ),
        ("assert set(f([[1], [2]]))==set([18, 12])", "f", "[[[1], [2]]]", "set(", ")==set([18, 12])"),
        ("assert (f(1) == 2, 'always true')", "f", "[1]", "(", " == 2, 'always true')"),
        ("assert sorted(f('g(1)')) == [1]", "f", "['g(1)']", "sorted(", ") == [1]"),
    ];
    for (text, name, args, before, after) in cases {
        assert_eq!(wrapped(text), (name.into(), args.into(), before.into(), after.into()), "{text}");
    }
}

#[test]
fn what_it_does_not_read() {
    let cases = [
        "",
        "assert",
        "f(1) == 2",
        "assert x == 2",
        "assert f(x) == 2",
        "assert f(k=1) == 2",
        "assert f(*[1]) == 2",
        "assert f(g(1)) == 2",
        "assert f(1) == f(2)",
        "assert f(1) + g(2) == 3",
        "assert m.f(1) == 2",
        "assert f(1) == 2\nassert f(2) == 3",
        "assert f(1) == 2; x = 3",
        "assert f(1 == 2",
        "assert f(1)) == 2",
        "assert f('a == 2",
        "assert all(f(1) == x for x in y)",
        "assert (lambda: f(1))() == 2",
        "assert (y := f(1)) == 2",
        "assert len([1]) > 0",
        "assert 1 == 1",
        "assertf(1) == 2",
    ];
    for text in cases {
        assert_eq!(Assertion::parse(text), None, "{text}");
    }
}

proptest! {
    #[test]
    fn no_text_panics(text in "assert [f(1)=\\[\\]'\"., #\n\\\\:a-c]{0,30}", any in any::<String>()) {
        let _ = Assertion::parse(&text);
        let _ = Assertion::parse(&any);
    }
}
