//! Python's plain data, as the kernel holds it: what literals, marshal and comparison have in common.
//!
//! Not a Python object: no identity, no subclass, no behaviour.

use num_bigint::BigInt;
use serde::{Deserialize, Serialize};

/// A plain Python value. Sets and dicts keep the order in which they arrived; equality is Python's (`compare.rs`),
/// never derived.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Value {
    None,
    Bool(bool),
    Int(BigInt),
    Float(f64),
    Complex(f64, f64),
    /// Code points; lone surrogates are kept as WTF-8 would, hence bytes.
    Str(Vec<u8>),
    Bytes(Vec<u8>),
    Ellipsis,
    List(Vec<Value>),
    Tuple(Vec<Value>),
    Set(Vec<Value>),
    FrozenSet(Vec<Value>),
    Dict(Vec<(Value, Value)>),
}
