//! Python's plain data, as the kernel holds it: what literals, marshal and comparison have in common.
//!
//! Not a Python object: no identity, no subclass, no behaviour. The readers (`literal.rs`, `marshal.rs`) refuse values
//! nested deeper than [`MAX_DEPTH`], so everything that walks a value, dropping included, may recurse.

use std::borrow::Cow;
use std::collections::HashMap;

use num_bigint::BigInt;
use serde::{Deserialize, Serialize};

use super::compare;

/// Levels of nesting a reader accepts.
pub const MAX_DEPTH: usize = 200;

/// Levels of frozensets within a set or key: each level compares the content of all below it.
pub const MAX_SET_DEPTH: usize = 16;

/// A plain Python value. Sets and dicts keep the order in which they arrived; `==` is Python's (`compare.rs`), never
/// derived, so a value that holds NaN differs from itself.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Value {
    None,
    Bool(bool),
    Int(BigInt),
    Float(f64),
    Complex(f64, f64),
    /// UTF-8 in which a lone surrogate takes its three bytes, as Python's `surrogatepass` writes it.
    Str(Vec<u8>),
    Bytes(Vec<u8>),
    Ellipsis,
    List(Vec<Value>),
    Tuple(Vec<Value>),
    /// Hashable, distinct items: build with [`Value::set`].
    Set(Vec<Value>),
    FrozenSet(Vec<Value>),
    /// Hashable, distinct keys: build with [`Value::dict`].
    Dict(Vec<(Value, Value)>),
}

impl Value {
    pub fn int(value: impl Into<BigInt>) -> Self {
        Value::Int(value.into())
    }

    pub fn str(text: &str) -> Self {
        Value::Str(text.as_bytes().to_vec())
    }

    /// A set of the items, the first of equal ones kept; `None` where one cannot be hashed, or is a frozenset nested
    /// deeper than [`MAX_SET_DEPTH`].
    pub fn set(items: Vec<Value>) -> Option<Self> {
        distinct(items).map(Value::Set)
    }

    /// Like [`Value::set`], frozen.
    pub fn frozenset(items: Vec<Value>) -> Option<Self> {
        distinct(items).map(Value::FrozenSet)
    }

    /// A dict of the pairs as Python builds it: of equal keys the first stays, with the last value. `None` where a key
    /// cannot be hashed.
    pub fn dict(pairs: Vec<(Value, Value)>) -> Option<Self> {
        let mut places: HashMap<Vec<u8>, usize> = HashMap::with_capacity(pairs.len());
        let mut kept: Vec<(Value, Value)> = Vec::with_capacity(pairs.len());
        for (key, value) in pairs {
            if !key.is_hashable() || set_depth(&key) > MAX_SET_DEPTH {
                return None;
            }
            // A key that holds NaN equals no other.
            let known = if compare::has_nan(&key) { None } else { Some(compare::key(&key)) };
            match known {
                Some(content) => match places.get(&content) {
                    Some(place) => kept[*place].1 = value,
                    None => {
                        places.insert(content, kept.len());
                        kept.push((key, value));
                    }
                },
                None => kept.push((key, value)),
            }
        }
        Some(Value::Dict(kept))
    }

    /// The name Python's `type` gives.
    pub fn type_name(&self) -> &'static str {
        match self {
            Value::None => "NoneType",
            Value::Bool(_) => "bool",
            Value::Int(_) => "int",
            Value::Float(_) => "float",
            Value::Complex(..) => "complex",
            Value::Str(_) => "str",
            Value::Bytes(_) => "bytes",
            Value::Ellipsis => "ellipsis",
            Value::List(_) => "list",
            Value::Tuple(_) => "tuple",
            Value::Set(_) => "set",
            Value::FrozenSet(_) => "frozenset",
            Value::Dict(_) => "dict",
        }
    }

    /// Python's `len`: items, pairs, code points or bytes; `None` where Python has none.
    pub fn length(&self) -> Option<usize> {
        match self {
            Value::Str(text) => Some(text.iter().filter(|byte| !is_continuation(**byte)).count()),
            Value::Bytes(bytes) => Some(bytes.len()),
            Value::Dict(pairs) => Some(pairs.len()),
            _ => self.items().map(<[Value]>::len),
        }
    }

    /// The items of a list, tuple, set or frozenset.
    pub fn items(&self) -> Option<&[Value]> {
        match self {
            Value::List(items) | Value::Tuple(items) | Value::Set(items) | Value::FrozenSet(items) => Some(items),
            _ => None,
        }
    }

    /// The pairs of a dict.
    pub fn pairs(&self) -> Option<&[(Value, Value)]> {
        match self {
            Value::Dict(pairs) => Some(pairs),
            _ => None,
        }
    }

    /// Python's `value[index]` on a list, tuple, str or bytes; a negative index counts from the end.
    pub fn at(&self, index: i64) -> Option<Cow<'_, Value>> {
        let index = if index < 0 { i64::try_from(self.length()?).ok()?.checked_add(index)? } else { index };
        let index = usize::try_from(index).ok()?;
        match self {
            Value::List(items) | Value::Tuple(items) => items.get(index).map(Cow::Borrowed),
            Value::Str(text) => {
                let char = code_points(text).nth(index)?;
                Some(Cow::Owned(Value::Str(char.to_vec())))
            }
            Value::Bytes(bytes) => bytes.get(index).map(|byte| Cow::Owned(Value::int(*byte))),
            _ => None,
        }
    }

    /// Python's `value[key]` on a dict.
    pub fn get(&self, key: &Value) -> Option<&Value> {
        self.pairs()?.iter().find(|(candidate, _)| compare::equal(candidate, key)).map(|(_, value)| value)
    }

    /// The text of a str that holds no lone surrogate.
    pub fn text(&self) -> Option<&str> {
        match self {
            Value::Str(bytes) => std::str::from_utf8(bytes).ok(),
            _ => None,
        }
    }

    /// Whether Python can put it into a set.
    pub fn is_hashable(&self) -> bool {
        match self {
            Value::List(_) | Value::Set(_) | Value::Dict(_) => false,
            Value::Tuple(items) => items.iter().all(Value::is_hashable),
            _ => true,
        }
    }
}

/// The code points of a str's bytes, each as its own bytes.
pub(crate) fn code_points(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.first()?;
        let width =
            if *first < 0x80 { 1 } else { 1 + rest[1..].iter().take_while(|byte| is_continuation(**byte)).count() };
        let (char, tail) = rest.split_at(width);
        rest = tail;
        Some(char)
    })
}

fn is_continuation(byte: u8) -> bool {
    byte & 0xC0 == 0x80
}

/// Levels of frozensets in a hashable value.
fn set_depth(value: &Value) -> usize {
    let below = || value.items().into_iter().flatten().map(set_depth).max().unwrap_or(0);
    match value {
        Value::FrozenSet(_) => 1 + below(),
        Value::Tuple(_) => below(),
        _ => 0,
    }
}

fn distinct(items: Vec<Value>) -> Option<Vec<Value>> {
    let mut seen = std::collections::HashSet::with_capacity(items.len());
    let mut kept = Vec::with_capacity(items.len());
    for item in items {
        if !item.is_hashable() || set_depth(&item) > MAX_SET_DEPTH {
            return None;
        }
        if compare::has_nan(&item) || seen.insert(compare::key(&item)) {
            kept.push(item);
        }
    }
    Some(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_and_dicts_keep_one_of_equals() {
        let set = Value::set(vec![Value::int(1), Value::Bool(true), Value::Float(1.0), Value::int(2)]);
        assert_eq!(set.unwrap().length(), Some(2));
        let nan = Value::set(vec![Value::Float(f64::NAN), Value::Float(f64::NAN)]);
        assert_eq!(nan.unwrap().length(), Some(2));
        let dict = Value::dict(vec![(Value::int(1), Value::str("a")), (Value::Bool(true), Value::str("b"))]).unwrap();
        assert!(matches!(dict.pairs().unwrap(), [(Value::Int(_), value)] if *value == Value::str("b")));
        assert!(Value::set(vec![Value::List(vec![])]).is_none());
        assert!(Value::set(vec![Value::Tuple(vec![Value::List(vec![])])]).is_none());
        assert!(Value::dict(vec![(Value::Dict(vec![]), Value::None)]).is_none());
    }

    #[test]
    fn lengths_and_places_are_python_s() {
        let text = Value::str("aé😀");
        assert_eq!(text.length(), Some(3));
        assert_eq!(*text.at(-1).unwrap(), Value::str("😀"));
        assert_eq!(*text.at(1).unwrap(), Value::str("é"));
        assert!(text.at(3).is_none() && text.at(-4).is_none());
        assert_eq!(*Value::Bytes(vec![7, 8]).at(1).unwrap(), Value::int(8));
        let list = Value::List(vec![Value::int(5), Value::None]);
        assert_eq!(*list.at(0).unwrap(), Value::int(5));
        assert!(list.at(i64::MIN).is_none() && list.at(i64::MAX).is_none());
        assert_eq!(Value::int(3).length(), None);
        assert!(Value::Set(vec![Value::None]).at(0).is_none());
    }

    #[test]
    fn a_dict_is_read_by_equal_keys() {
        let dict = Value::dict(vec![(Value::int(1), Value::str("one"))]).unwrap();
        assert_eq!(dict.get(&Value::Float(1.0)).and_then(Value::text), Some("one"));
        assert!(dict.get(&Value::str("1")).is_none());
    }
}
