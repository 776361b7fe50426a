//! When two values are the same: Python's `==`, agreement of two runs, tolerance, and equality as sets.
//!
//! Identity does not survive the way here, so `equal` treats every two values as distinct objects: `[nan] == [nan]` is
//! false, as it is in Python for two different NaN objects. `same` is what a detector asks of two runs, and there NaN
//! agrees with NaN. Everything is linear or n log n.

use std::collections::HashMap;

use num_bigint::{BigInt, Sign};
use num_traits::{FromPrimitive, Signed, ToPrimitive};

use super::value::{Value, code_points};
use crate::base::id::Id;

const DIGEST_ABOVE: usize = 64;

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        equal(self, other)
    }
}

/// Python's `a == b` for distinct objects.
pub fn equal(a: &Value, b: &Value) -> bool {
    matches_under(a, b, false)
}

/// `equal`, except that NaN agrees with NaN. Two values are the same exactly when their [`key`]s are.
pub fn same(a: &Value, b: &Value) -> bool {
    matches_under(a, b, true)
}

fn matches_under(a: &Value, b: &Value, nan_agrees: bool) -> bool {
    use Value::*;
    match (a, b) {
        (None, None) | (Ellipsis, Ellipsis) => true,
        (Str(a), Str(b)) | (Bytes(a), Bytes(b)) => a == b,
        (Int(a), Int(b)) => a == b,
        (List(a), List(b)) | (Tuple(a), Tuple(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| matches_under(a, b, nan_agrees))
        }
        (Set(x) | FrozenSet(x), Set(y) | FrozenSet(y)) => x.len() == y.len() && keys_match(a, b, nan_agrees),
        (Dict(x), Dict(y)) => x.len() == y.len() && keys_match(a, b, nan_agrees),
        (a, b) if is_number(a) && is_number(b) => keys_match(a, b, nan_agrees),
        _ => false,
    }
}

fn keys_match(a: &Value, b: &Value, nan_agrees: bool) -> bool {
    (nan_agrees || !has_nan(a)) && key(a) == key(b)
}

fn is_number(value: &Value) -> bool {
    matches!(value, Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Complex(..))
}

/// Whether NaN occurs anywhere in the value.
pub fn has_nan(value: &Value) -> bool {
    match value {
        Value::Float(x) => x.is_nan(),
        Value::Complex(re, im) => re.is_nan() || im.is_nan(),
        Value::Dict(pairs) => pairs.iter().any(|(key, value)| has_nan(key) || has_nan(value)),
        _ => value.items().is_some_and(|items| items.iter().any(has_nan)),
    }
}

/// The content of a value as bytes: equal for values that are [`same`] (`1`, `1.0` and `True` are; sets and dicts have
/// no order) and different for others.
pub fn key(value: &Value) -> Vec<u8> {
    let mut out = Vec::new();
    write_key(value, &mut out);
    out
}

fn write_key(value: &Value, out: &mut Vec<u8>) {
    match value {
        Value::None => out.push(b'N'),
        Value::Ellipsis => out.push(b'.'),
        Value::Bool(flag) => write_int(&BigInt::from(u8::from(*flag)), out),
        Value::Int(int) => write_int(int, out),
        Value::Float(x) => write_float(*x, out),
        Value::Complex(re, im) => {
            if *im != 0.0 {
                out.push(b'c');
                write_float(*im, out);
            }
            write_float(*re, out);
        }
        Value::Str(bytes) => write_blob(b's', bytes, out),
        Value::Bytes(bytes) => write_blob(b'b', bytes, out),
        Value::List(items) => write_sequence(b'[', items, out),
        Value::Tuple(items) => write_sequence(b'(', items, out),
        Value::Set(items) | Value::FrozenSet(items) => write_unordered(b'<', items.iter().map(key).collect(), out),
        Value::Dict(pairs) => {
            let entries = pairs.iter().map(|(name, value)| {
                let mut entry = key(name);
                write_key(value, &mut entry);
                entry
            });
            write_unordered(b'{', entries.collect(), out);
        }
    }
}

fn write_blob(tag: u8, bytes: &[u8], out: &mut Vec<u8>) {
    out.push(tag);
    out.extend((bytes.len() as u64).to_le_bytes());
    out.extend(bytes);
}

fn write_sequence(tag: u8, items: &[Value], out: &mut Vec<u8>) {
    out.push(tag);
    out.extend((items.len() as u64).to_le_bytes());
    for item in items {
        write_key(item, out);
    }
}

fn write_unordered(tag: u8, mut entries: Vec<Vec<u8>>, out: &mut Vec<u8>) {
    entries.sort_unstable();
    out.push(tag);
    out.extend((entries.len() as u64).to_le_bytes());
    for entry in entries {
        // A digest in place of long content: nested sets would otherwise copy it at every level.
        if entry.len() > DIGEST_ABOVE {
            out.push(b'#');
            out.extend(Id::of("value", [&entry[..]]).bytes());
        } else {
            out.extend(entry);
        }
    }
}

fn write_int(int: &BigInt, out: &mut Vec<u8>) {
    let tag = if int.sign() == Sign::Minus { b'-' } else { b'+' };
    write_blob(tag, &int.magnitude().to_bytes_le(), out);
}

fn write_float(x: f64, out: &mut Vec<u8>) {
    if x.is_nan() {
        out.push(b'n');
    } else if let Some(int) = integral(x) {
        write_int(&int, out);
    } else {
        out.push(b'f');
        out.extend(x.to_le_bytes());
    }
}

fn integral(x: f64) -> Option<BigInt> {
    if x.is_finite() && x.fract() == 0.0 { BigInt::from_f64(x) } else { None }
}

/// Equality with tolerance: numbers of which one is no int within `abs + rel * |b|`, containers item by item, dicts by
/// key, everything else (ints among themselves and bools included) by [`equal`]. Lists and tuples differ; sets of numbers are compared in ascending order. NaN is
/// close to nothing, an infinity to itself alone.
pub fn close(a: &Value, b: &Value, abs: f64, rel: f64) -> bool {
    use Value::*;
    match (a, b) {
        (List(a), List(b)) | (Tuple(a), Tuple(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| close(a, b, abs, rel))
        }
        (Dict(a), Dict(b)) => close_dicts(a, b, abs, rel),
        (Set(x) | FrozenSet(x), Set(y) | FrozenSet(y)) => equal(a, b) || close_sets(x, y, abs, rel),
        (Bool(_), _) | (_, Bool(_)) => equal(a, b),
        (a, b) if is_number(a) && is_number(b) => close_numbers(a, b, abs, rel),
        _ => equal(a, b),
    }
}

fn close_dicts(a: &[(Value, Value)], b: &[(Value, Value)], abs: f64, rel: f64) -> bool {
    if a.len() != b.len() || a.iter().any(|(name, _)| has_nan(name)) {
        return false;
    }
    let by_key: HashMap<Vec<u8>, &Value> = b.iter().map(|(name, value)| (key(name), value)).collect();
    a.iter().all(|(name, value)| by_key.get(&key(name)).is_some_and(|other| close(value, other, abs, rel)))
}

fn close_sets(a: &[Value], b: &[Value], abs: f64, rel: f64) -> bool {
    let sorted = |items: &[Value]| -> Option<Vec<f64>> {
        let mut reals = items.iter().map(real).collect::<Option<Vec<f64>>>()?;
        reals.sort_by(f64::total_cmp);
        Some(reals)
    };
    match (sorted(a), sorted(b)) {
        (Some(a), Some(b)) => {
            a.len() == b.len() && a.iter().zip(&b).all(|(a, b)| within((a - b).abs(), b.abs(), abs, rel))
        }
        _ => false,
    }
}

fn close_numbers(a: &Value, b: &Value, abs: f64, rel: f64) -> bool {
    if equal(a, b) {
        return true;
    }
    match (a, b) {
        (Value::Int(_), Value::Int(_)) => false,
        _ => {
            let ((a_re, a_im), (b_re, b_im)) = (parts(a), parts(b));
            within((a_re - b_re).hypot(a_im - b_im), b_re.hypot(b_im), abs, rel)
        }
    }
}

fn within(distance: f64, size: f64, abs: f64, rel: f64) -> bool {
    distance.is_finite() && size.is_finite() && distance <= abs + rel * size
}

fn as_float(int: &BigInt) -> f64 {
    int.to_f64().unwrap_or(f64::INFINITY)
}

fn real(value: &Value) -> Option<f64> {
    match value {
        Value::Int(int) => Some(as_float(int)),
        Value::Float(x) => Some(*x),
        _ => None,
    }
}

fn parts(value: &Value) -> (f64, f64) {
    match value {
        Value::Complex(re, im) => (*re, *im),
        _ => (real(value).unwrap_or(f64::NAN), 0.0),
    }
}

/// Python's `set(a) == set(b)`; false where either is no iterable of hashable items.
pub fn set_equal(a: &Value, b: &Value) -> bool {
    match (members(a), members(b)) {
        (Some(a), Some(b)) => a == b,
        _ => false,
    }
}

fn members(value: &Value) -> Option<Vec<Vec<u8>>> {
    let mut keys: Vec<Vec<u8>> = match value {
        Value::Str(text) => code_points(text).map(|char| key(&Value::Str(char.to_vec()))).collect(),
        Value::Bytes(bytes) => bytes.iter().map(|byte| key(&Value::int(*byte))).collect(),
        Value::Dict(pairs) => hashable_keys(pairs.iter().map(|(name, _)| name))?,
        _ => hashable_keys(value.items()?.iter())?,
    };
    keys.sort_unstable();
    keys.dedup();
    Some(keys)
}

fn hashable_keys<'v>(items: impl Iterator<Item = &'v Value>) -> Option<Vec<Vec<u8>>> {
    items.map(|item| (item.is_hashable() && !has_nan(item)).then(|| key(item))).collect()
}

#[cfg(test)]
#[path = "compare_tests.rs"]
mod tests;
