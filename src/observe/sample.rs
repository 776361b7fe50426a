//! Values for property tests: every type, nested a few levels.

use num_bigint::BigInt;
use proptest::prelude::*;

use super::value::Value;

pub fn values() -> impl Strategy<Value = Value> {
    scalars().prop_recursive(4, 40, 6, |inner| {
        let items = || prop::collection::vec(inner.clone(), 0..6);
        let pairs = prop::collection::vec((scalars(), inner.clone()), 0..5);
        prop_oneof![
            items().prop_map(Value::List),
            items().prop_map(Value::Tuple),
            prop::collection::vec(scalars(), 0..6).prop_filter_map("hashable", Value::set),
            items().prop_filter_map("hashable", Value::frozenset),
            pairs.prop_filter_map("hashable", Value::dict),
        ]
    })
}

pub fn scalars() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::None),
        Just(Value::Ellipsis),
        any::<bool>().prop_map(Value::Bool),
        (-3i64..4).prop_map(Value::int),
        any::<i128>().prop_map(|int| Value::Int(BigInt::from(int) * int)),
        (-3i32..4).prop_map(|int| Value::Float(f64::from(int))),
        any::<f64>().prop_map(Value::Float),
        (any::<f64>(), any::<f64>()).prop_map(|(re, im)| Value::Complex(re, im)),
        any::<String>().prop_map(|text| Value::str(&text)),
        "[a'\"\\\\\n ]{0,6}".prop_map(|text| Value::str(&text)),
        Just(Value::Str(vec![b'x', 0xED, 0xA0, 0x80])),
        any::<Vec<u8>>().prop_map(Value::Bytes),
    ]
}
