//! Python's own text of a value, which `literal.rs` reads back.
//!
//! It is `repr()` with three differences, each so that the text is a literal: infinities and NaN are written
//! `float("inf")`, `float("-inf")`, `float("nan")` (and `complex(…)` around them), and an integer longer than Python's
//! limit of decimal digits is written in hexadecimal. Sets and dicts keep their stored order.

use std::fmt::Write;

use num_bigint::BigInt;

use super::literal::MAX_DECIMAL_DIGITS;
use super::value::{Value, code_points};

/// The text of a value.
pub fn repr(value: &Value) -> String {
    let mut out = String::new();
    write_value(value, &mut out);
    out
}

fn write_value(value: &Value, out: &mut String) {
    match value {
        Value::None => out.push_str("None"),
        Value::Bool(true) => out.push_str("True"),
        Value::Bool(false) => out.push_str("False"),
        Value::Ellipsis => out.push_str("Ellipsis"),
        Value::Int(int) => write_int(int, out),
        Value::Float(x) => write_real(*x, out),
        Value::Complex(re, im) => write_complex(*re, *im, out),
        Value::Str(bytes) => write_str(bytes, out),
        Value::Bytes(bytes) => write_bytes(bytes, out),
        Value::List(items) => write_items("[", items, "]", out),
        Value::Tuple(items) if items.len() == 1 => write_items("(", items, ",)", out),
        Value::Tuple(items) => write_items("(", items, ")", out),
        Value::Set(items) if items.is_empty() => out.push_str("set()"),
        Value::Set(items) => write_items("{", items, "}", out),
        Value::FrozenSet(items) if items.is_empty() => out.push_str("frozenset()"),
        Value::FrozenSet(items) => write_items("frozenset({", items, "})", out),
        Value::Dict(pairs) => {
            out.push('{');
            for (i, (key, value)) in pairs.iter().enumerate() {
                out.push_str(if i == 0 { "" } else { ", " });
                write_value(key, out);
                out.push_str(": ");
                write_value(value, out);
            }
            out.push('}');
        }
    }
}

fn write_items(open: &str, items: &[Value], close: &str, out: &mut String) {
    out.push_str(open);
    for (i, item) in items.iter().enumerate() {
        out.push_str(if i == 0 { "" } else { ", " });
        write_value(item, out);
    }
    out.push_str(close);
}

fn write_int(int: &BigInt, out: &mut String) {
    // 3.3 bits make a decimal digit; hexadecimal is also linear in the length, decimal is not.
    if int.bits() as usize > MAX_DECIMAL_DIGITS * 33 / 10 {
        let sign = if int.sign() == num_bigint::Sign::Minus { "-" } else { "" };
        let _ = write!(out, "{sign}{:#x}", int.magnitude());
    } else {
        let _ = write!(out, "{int}");
    }
}

fn write_real(x: f64, out: &mut String) {
    if x.is_finite() {
        out.push_str(&float_digits(x, ".0"));
    } else {
        let _ = write!(out, "float(\"{}\")", word(x));
    }
}

fn write_complex(re: f64, im: f64, out: &mut String) {
    if !(re.is_finite() && im.is_finite()) {
        out.push_str("complex(");
        write_real(re, out);
        out.push_str(", ");
        write_real(im, out);
        out.push(')');
    } else if re == 0.0 && re.is_sign_positive() {
        let _ = write!(out, "{}j", float_digits(im, ""));
    } else {
        let sign = if im.is_sign_negative() { "" } else { "+" };
        let _ = write!(out, "({}{sign}{}j)", float_digits(re, ""), float_digits(im, ""));
    }
}

fn word(x: f64) -> &'static str {
    match x {
        x if x.is_nan() => "nan",
        x if x > 0.0 => "inf",
        _ => "-inf",
    }
}

/// The shortest digits that read back as `x`, with an exponent below 1e-4 and from 1e16 on; `whole` ends a number
/// without fraction.
fn float_digits(x: f64, whole: &str) -> String {
    let shortest = format!("{x:e}");
    let fraction = shortest.bytes().take_while(|byte| *byte != b'e').filter(u8::is_ascii_digit).count() - 1;
    // As many digits, but of two equally near candidates the even one, which is Python's choice.
    let nearest = format!("{x:.fraction$e}");
    let Some((mantissa, exponent)) = nearest.split_once('e') else { return nearest };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if x != 0.0 && !(-4..16).contains(&exponent) {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{mantissa}e{sign}{:02}", exponent.abs());
    }
    let decimals = (fraction as i32 - exponent).max(0) as usize;
    let plain = format!("{x:.decimals$}");
    if decimals > 0 { plain } else { plain + whole }
}

fn write_str(bytes: &[u8], out: &mut String) {
    let quote = quote_for(bytes);
    out.push(quote);
    for raw in code_points(bytes) {
        match std::str::from_utf8(raw).ok().and_then(|text| text.chars().next()) {
            Some(char) if char.is_ascii() => write_ascii(char as u8, quote, out),
            Some(char) if is_printable(char) => out.push(char),
            Some(char) => write_escape(char as u32, out),
            None => write_escape(surrogate(raw), out),
        }
    }
    out.push(quote);
}

fn write_bytes(bytes: &[u8], out: &mut String) {
    let quote = quote_for(bytes);
    out.push('b');
    out.push(quote);
    for byte in bytes {
        if byte.is_ascii() { write_ascii(*byte, quote, out) } else { write_escape(u32::from(*byte), out) }
    }
    out.push(quote);
}

fn quote_for(bytes: &[u8]) -> char {
    if bytes.contains(&b'\'') && !bytes.contains(&b'"') { '"' } else { '\'' }
}

fn write_ascii(byte: u8, quote: char, out: &mut String) {
    match byte {
        b'\n' => out.push_str("\\n"),
        b'\r' => out.push_str("\\r"),
        b'\t' => out.push_str("\\t"),
        b'\\' => out.push_str("\\\\"),
        b' '..=b'~' if char::from(byte) == quote => {
            out.push('\\');
            out.push(quote);
        }
        b' '..=b'~' => out.push(char::from(byte)),
        _ => write_escape(u32::from(byte), out),
    }
}

fn write_escape(code: u32, out: &mut String) {
    let _ = match code {
        0..=0xFF => write!(out, "\\x{code:02x}"),
        0x100..=0xFFFF => write!(out, "\\u{code:04x}"),
        _ => write!(out, "\\U{code:08x}"),
    };
}

/// The code of a lone surrogate from its three bytes.
fn surrogate(raw: &[u8]) -> u32 {
    raw.iter().fold(0, |code, byte| code << 6 | u32::from(byte & 0x3F)) & 0xFFF | 0xD000
}

/// Unicode's notion as Rust's `escape_debug` has it; behind another character, where it lets combining marks be.
fn is_printable(char: char) -> bool {
    let mut text = String::from("a");
    text.push(char);
    text.escape_debug().nth(1) == Some(char)
}

#[cfg(test)]
#[path = "repr_tests.rs"]
mod tests;
