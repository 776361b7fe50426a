//! Literals of every kind, in and out of repr, and texts that are none.

use super::*;
use crate::observe::compare::same;
use crate::observe::repr::repr;
use crate::observe::sample::values;
use proptest::prelude::*;

/// What Python's `repr` gives for the text's value.
fn reads(cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        match parse(text) {
            Ok(value) => assert_eq!(repr(&value), *expected, "{text}"),
            Err(error) => panic!("{text}: {error}"),
        }
    }
}

#[test]
fn numbers() {
    reads(&[
        ("0", "0"),
        ("-0", "0"),
        ("000", "0"),
        ("1_000_000", "1000000"),
        ("0xFF", "255"),
        ("0x_ff", "255"),
        ("0o17", "15"),
        ("0B101", "5"),
        ("--+-7", "-7"),
        ("9007199254740993", "9007199254740993"),
        ("123456789012345678901234567890", "123456789012345678901234567890"),
        ("1.", "1.0"),
        (".5", "0.5"),
        ("1e3", "1000.0"),
        ("1_0.2_5E-0_1", "1.025"),
        ("-1e400", "float(\"-inf\")"),
        ("007.5", "7.5"),
        ("1+2j", "(1+2j)"),
        ("-1-2.5J", "(-1-2.5j)"),
        ("3j", "3j"),
        ("float('inf')", "float(\"inf\")"),
        ("-float(\"Infinity\")", "float(\"-inf\")"),
        ("float(' nan ')", "float(\"nan\")"),
        ("complex(1, float('inf'))", "complex(1.0, float(\"inf\"))"),
    ]);
}

#[test]
fn strings() {
    reads(&[
        ("''", "''"),
        (r#""it's""#, r#""it's""#),
        (r#"'a' "b" '''c'''"#, "'abc'"),
        (r"'\n\t\\\'\x41\101\u00e9\U0001F600\0'", r#""\n\t\\'AAé😀\x00""#),
        (r"'\d'", r"'\\d'"),
        (r"r'\n'", r"'\\n'"),
        (r"R'\''", r#""\\'""#),
        ("'a\\\nb'", "'ab'"),
        ("'a\\\r\nb'", "'ab'"),
        ("'''a\r\nb'''", r"'a\nb'"),
        (r"'\ud83d'", r"'\ud83d'"),
        (r"b'\xff\'\101'", r#"b"\xff'A""#),
        (r"Rb'\x'", r"b'\\x'"),
        (r"b'\u0041'", r"b'\\u0041'"),
        ("u'é'", "'é'"),
    ]);
}

#[test]
fn containers() {
    reads(&[
        ("()", "()"),
        ("(1,)", "(1,)"),
        ("(1)", "1"),
        ("((1, 2),)", "((1, 2),)"),
        ("[1, [2, [3]],]", "[1, [2, [3]]]"),
        ("{}", "{}"),
        ("{1: 2, 'a': [3],}", "{1: 2, 'a': [3]}"),
        ("{1, 1.0, True, 2}", "{1, 2}"),
        ("{1: 'a', True: 'b'}", "{1: 'b'}"),
        ("set()", "set()"),
        ("set([3, 1])", "{3, 1}"),
        ("frozenset({1, 2})", "frozenset({1, 2})"),
        ("frozenset()", "frozenset()"),
        ("[None, True, False, ..., Ellipsis]", "[None, True, False, Ellipsis, Ellipsis]"),
        (" \n[ # a comment ]\n 1 ,\n\t2\\\n]\n # end", "[1, 2]"),
    ]);
}

#[test]
fn what_is_no_literal_is_refused_where_it_stands() {
    let cases = [
        ("", 0),
        ("[1, x]", 4),
        ("[1 2]", 3),
        ("1, 2", 1),
        ("(,)", 1),
        ("[1,,2]", 3),
        ("{1: 2, 3}", 8),
        ("{[1]: 2}", 0),
        ("{[1]}", 0),
        ("1 + 2", 0),
        ("1j + 2", 0),
        ("-'a'", 0),
        ("-True", 0),
        ("'abc", 0),
        ("'a\nb'", 0),
        ("f'a'", 0),
        ("'a' b'b'", 4),
        ("'\\x4'", 1),
        ("'\\U00110000'", 1),
        ("'\\N{BULLET}'", 1),
        ("b'é'", 0),
        ("1__0", 0),
        ("1_", 0),
        ("0x", 0),
        ("012", 0),
        ("1e", 0),
        ("1.2.3", 0),
        ("[1, 2", 5),
        ("1 if x else 2", 2),
        ("float('x')", 0),
        ("open('x')", 0),
        ("1\n2", 2),
        ("]", 0),
        ("$", 0),
    ];
    for (text, at) in cases {
        match parse(text) {
            Ok(value) => panic!("{text}: {}", repr(&value)),
            Err(error) => assert_eq!(error.at, at, "{text}: {error}"),
        }
    }
}

#[test]
fn a_prefix_ends_with_its_value() {
    for (text, end) in [("1, 2", 1), ("[1] == x", 3), ("'a' 'b', c", 7), ("f(x)", 0), ("(1)\n2", 3)] {
        let read = parse_prefix(text);
        assert_eq!(read.map_or(0, |(_, end)| end), end, "{text}");
    }
}

#[test]
fn depth_and_digits_are_capped() {
    let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    assert!(parse(&nested(28)).is_ok());
    assert!(parse(&nested(MAX_DEPTH)).is_ok());
    for open in ["[", "(", "{1:", "frozenset(", "[("] {
        let error = parse(&open.repeat(100_000)).unwrap_err();
        assert!(error.message.starts_with("nested deeper"), "{error}");
    }
    assert!(parse(&("-".repeat(100_000) + "1")).is_ok());
    assert!(parse(&"9".repeat(MAX_DECIMAL_DIGITS)).is_ok());
    assert!(parse(&"9".repeat(MAX_DECIMAL_DIGITS + 1)).is_err());
    assert!(parse(&("0x".to_owned() + &"f".repeat(100_000))).is_ok());
}

proptest! {
    #[test]
    fn what_repr_writes_is_read_back(value in values()) {
        let text = repr(&value);
        let read = parse(&text).map_err(|error| TestCaseError::fail(format!("{text}: {error}")))?;
        prop_assert!(same(&value, &read), "{text}");
        prop_assert_eq!(parse_prefix(&text).map(|(_, end)| end), Ok(text.len()));
    }

    #[test]
    fn no_text_panics(text in "[\\[\\](){}0-9a-z_.'\"\\\\,:+jx# \n-]{0,40}", any in any::<String>()) {
        let _ = parse(&text);
        let _ = parse_prefix(&any);
    }
}
