//! Python's equality, sameness of runs, keys and tolerance, over tables and properties.

use super::*;
use crate::observe::literal::parse;
use crate::observe::repr::repr;
use crate::observe::sample::values;
use proptest::prelude::*;

fn value(text: &str) -> Value {
    parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn equality_is_python_s() {
    let cases = [
        ("1", "1.0", true),
        ("True", "1", true),
        ("0", "-0.0", true),
        ("1", "1+0j", true),
        ("1", "1+1j", false),
        ("9007199254740993", "9007199254740992.0", false),
        ("9007199254740992", "9007199254740992.0", true),
        (
            "10000000000000000159028911097599180468360808563945281389781327557747838772170381060813469985856815104",
            "1e100",
            true,
        ),
        ("0.1", "0.1+0j", true),
        ("float('inf')", "float('inf')", true),
        ("float('nan')", "float('nan')", false),
        ("[float('nan')]", "[float('nan')]", false),
        ("{1: float('nan')}", "{1: float('nan')}", false),
        ("[1, 2]", "(1, 2)", false),
        ("[1, 2]", "[1, 2, 3]", false),
        ("[1, (2, True)]", "[1.0, (2, 1)]", true),
        ("{1, 2}", "frozenset({2, 1})", true),
        ("{1, 2}", "{1, 3}", false),
        ("{1: 'a', 2: 'b'}", "{2: 'b', 1.0: 'a'}", true),
        ("{1: 'a'}", "{1: 'b'}", false),
        ("{}", "set()", false),
        ("'a'", "b'a'", false),
        ("'1'", "1", false),
        ("None", "False", false),
        ("...", "...", true),
        ("'a'", "'a'", true),
        ("[]", "[]", true),
    ];
    for (a, b, expected) in cases {
        assert_eq!(equal(&value(a), &value(b)), expected, "{a} == {b}");
        assert_eq!(equal(&value(b), &value(a)), expected, "{b} == {a}");
    }
}

#[test]
fn nan_agrees_with_nan_between_runs() {
    for text in ["float('nan')", "[1, {2: float('nan')}]", "{float('nan'), float('nan')}", "complex(float('nan'), 1)"] {
        assert!(same(&value(text), &value(text)), "{text}");
        assert!(!equal(&value(text), &value(text)), "{text}");
    }
    assert!(!same(&value("{float('nan')}"), &value("{float('nan'), float('nan')}")));
}

#[test]
fn closeness_is_elementwise() {
    let cases = [
        ("1.0", "1.0000001", true),
        ("1", "1.0000001", true),
        ("1.0", "1.1", false),
        ("[1.0, 2.0]", "[1.0000001, 2]", true),
        ("[1.0, 2.0]", "(1.0, 2.0)", false),
        ("[1.0]", "[1.0, 2.0]", false),
        ("{'a': 1.0, 'b': 2.0}", "{'b': 2.0000001, 'a': 1}", true),
        ("{'a': 1.0}", "{'b': 1.0}", false),
        ("{1.0, 2.0}", "{2.0000001, 1.0000001}", true),
        ("{1.0, 2.0}", "{1.0, 3.0}", false),
        ("{'a', 1.0}", "{1.0, 'a'}", true),
        ("True", "True", true),
        ("True", "1.0000001", false),
        ("'a'", "'a'", true),
        ("'a'", "'b'", false),
        ("1j", "1.0000001j", true),
        ("float('inf')", "float('inf')", true),
        ("float('inf')", "1.0", false),
        ("1.0", "float('inf')", false),
        ("float('nan')", "float('nan')", false),
        ("[[1.0], {'k': (1.0, None)}]", "[[1.0000001], {'k': (1, None)}]", true),
    ];
    for (a, b, expected) in cases {
        assert_eq!(close(&value(a), &value(b), 1e-6, 0.0), expected, "{a} ~ {b}");
    }
    assert!(close(&value("1000.0"), &value("1001.0"), 0.0, 1e-3));
    assert!(!close(&value("1000.0"), &value("1002.0"), 0.0, 1e-3));
    assert!(!close(&value("1000000001"), &value("1000000000"), 1.0, 1e-3), "ints are exact");
    let big = format!("1{}", "0".repeat(400));
    assert!(close(&value(&big), &value(&big), 0.0, 0.0));
    assert!(!close(&value(&big), &value(&format!("{big}0")), 1.0, 0.0));
}

#[test]
fn sets_of_iterables() {
    let cases = [
        ("[1, 2, 2]", "(2, 1.0)", true),
        ("{1, 2}", "[1, 2, 3]", false),
        ("'aab'", "['b', 'a']", true),
        ("b'a'", "[97]", true),
        ("{'a': 1}", "['a']", true),
        ("[[1]]", "[[1]]", false),
        ("[float('nan')]", "[float('nan')]", false),
        ("1", "1", false),
        ("[]", "''", true),
    ];
    for (a, b, expected) in cases {
        assert_eq!(set_equal(&value(a), &value(b)), expected, "set({a}) == set({b})");
    }
}

#[test]
fn long_dicts_and_sets_are_compared_in_passing() {
    let ints = |from: i64| (from..from + 50_000).map(Value::int);
    let (a, b) = (Value::set(ints(0).collect()).unwrap(), Value::set(ints(1).collect()).unwrap());
    assert!(equal(&a, &a) && !equal(&a, &b));
}

proptest! {
    #[test]
    fn sameness_is_equality_of_keys(a in values(), b in values()) {
        prop_assert!(same(&a, &a));
        prop_assert_eq!(same(&a, &b), key(&a) == key(&b), "{} {}", repr(&a), repr(&b));
        prop_assert_eq!(equal(&a, &b), same(&a, &b) && !has_nan(&a));
        prop_assert_eq!(close(&a, &a, 0.0, 0.0), !has_nan(&a));
    }

    #[test]
    fn the_order_of_a_dict_does_not_matter(value in values()) {
        if let Value::Dict(mut pairs) = value.clone() {
            pairs.reverse();
            prop_assert!(same(&value, &Value::Dict(pairs)));
        }
    }
}
