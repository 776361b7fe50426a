//! Values as Python prints them.

use super::*;

#[test]
fn floats_are_written_as_python_writes_them() {
    let cases = [
        (0.0, "0.0"),
        (-0.0, "-0.0"),
        (1.0, "1.0"),
        (0.1, "0.1"),
        (1e15, "1000000000000000.0"),
        (9999999999999998.0, "9999999999999998.0"),
        (1_368_504_643_542_555.3, "1368504643542555.2"),
        (1e16, "1e+16"),
        (1.5e16, "1.5e+16"),
        (1e22, "1e+22"),
        (1e-4, "0.0001"),
        (1e-5, "1e-05"),
        (1.25e-7, "1.25e-07"),
        (5e-324, "5e-324"),
        (f64::MAX, "1.7976931348623157e+308"),
        (f64::INFINITY, "float(\"inf\")"),
        (f64::NEG_INFINITY, "float(\"-inf\")"),
        (f64::NAN, "float(\"nan\")"),
    ];
    for (x, expected) in cases {
        assert_eq!(repr(&Value::Float(x)), expected);
    }
}

#[test]
fn complex_numbers() {
    let cases = [
        (0.0, 1.0, "1j"),
        (0.0, -2.5, "-2.5j"),
        (-0.0, 1.0, "(-0+1j)"),
        (1.0, -0.0, "(1-0j)"),
        (1e16, 1e-5, "(1e+16+1e-05j)"),
        (f64::NAN, 1.0, "complex(float(\"nan\"), 1.0)"),
    ];
    for (re, im, expected) in cases {
        assert_eq!(repr(&Value::Complex(re, im)), expected);
    }
}

#[test]
fn texts_are_quoted_and_escaped_as_python_does() {
    let cases = [
        ("plain", "'plain'"),
        ("it's", "\"it's\""),
        ("say \"hi\"", "'say \"hi\"'"),
        ("'\"", "'\\'\"'"),
        ("a\\b\n\r\t\x07\x7f", "'a\\\\b\\n\\r\\t\\x07\\x7f'"),
        ("é\u{301}日😀", "'é\u{301}日😀'"),
        ("\u{a0}\u{ad}\u{200b}\u{2028}\u{e000}\u{10ffff}", "'\\xa0\\xad\\u200b\\u2028\\ue000\\U0010ffff'"),
    ];
    for (text, expected) in cases {
        assert_eq!(repr(&Value::str(text)), expected);
    }
    assert_eq!(repr(&Value::Str(vec![0xED, 0xBF, 0xBF])), "'\\udfff'");
    assert_eq!(repr(&Value::Bytes(b"a'\xff\n".to_vec())), "b\"a'\\xff\\n\"");
}

#[test]
fn an_integer_beyond_python_s_limit_is_hexadecimal() {
    let long = -(BigInt::from(1) << 20_000u32);
    let text = repr(&Value::Int(long.clone()));
    assert!(text.starts_with("-0x1000"), "{}", &text[..20]);
    assert_eq!(crate::observe::literal::parse(&text).unwrap(), Value::Int(long));
    let longest = "9".repeat(MAX_DECIMAL_DIGITS);
    assert_eq!(repr(&crate::observe::literal::parse(&longest).unwrap()).len(), 2 + 3572);
}
