//! How observations and verdicts lie in the database: one format byte, then postcard.
//!
//! The format byte rises with any change to the encoded types; what an older gradus wrote is then a miss, and replaced.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::base::{Error, Result};

/// The format of every blob that this gradus writes.
pub(super) const FORMAT: u8 = 1;

pub(super) fn encode(value: &impl Serialize) -> Result<Vec<u8>> {
    postcard::to_extend(value, vec![FORMAT]).map_err(|error| Error::failure(format!("cannot encode a record: {error}")))
}

/// What is in a blob.
pub(super) enum Decoded<T> {
    Record(T),
    OtherFormat,
    Damaged,
}

pub(super) fn decode<T: DeserializeOwned>(blob: &[u8]) -> Decoded<T> {
    match blob {
        [FORMAT, rest @ ..] => match postcard::take_from_bytes(rest) {
            Ok((record, [])) => Decoded::Record(record),
            _ => Decoded::Damaged,
        },
        [] => Decoded::Damaged,
        _ => Decoded::OtherFormat,
    }
}

#[cfg(test)]
mod tests {
    use num_bigint::BigInt;
    use proptest::prelude::*;

    use super::*;
    use crate::observe::{Observation, Raised, Status, Value};

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::None),
            Just(Value::Ellipsis),
            any::<bool>().prop_map(Value::Bool),
            any::<i128>().prop_map(|int| Value::Int(BigInt::from(int) * BigInt::from(i128::MAX))),
            any::<f64>().prop_map(Value::Float),
            any::<(f64, f64)>().prop_map(|(re, im)| Value::Complex(re, im)),
            any::<Vec<u8>>().prop_map(Value::Str),
            any::<Vec<u8>>().prop_map(Value::Bytes),
        ];
        leaf.prop_recursive(4, 40, 5, |inner| {
            let many = || prop::collection::vec(inner.clone(), 0..5);
            prop_oneof![
                many().prop_map(Value::List),
                many().prop_map(Value::Tuple),
                many().prop_map(Value::Set),
                many().prop_map(Value::FrozenSet),
                prop::collection::vec((inner.clone(), inner.clone()), 0..5).prop_map(Value::Dict),
            ]
        })
    }

    fn decoded<T: DeserializeOwned>(blob: &[u8]) -> Option<T> {
        match decode(blob) {
            Decoded::Record(record) => Some(record),
            _ => None,
        }
    }

    proptest! {
        #[test]
        fn observations_survive(value in values(), stdout in ".*", holds: Option<bool>, args_changed: bool) {
            let error = Some(Raised { kind: "ValueError".into(), message: stdout.clone() });
            let before = Observation { status: Status::Opaque, value: Some(value), holds, error, stdout, args_changed };
            let after: Observation = decoded(&encode(&before).unwrap()).unwrap();
            // Compared as printed: a NaN is not equal to itself.
            prop_assert_eq!(format!("{before:?}"), format!("{after:?}"));
        }

        #[test]
        fn damage_is_seen_and_never_panics(value in values(), cut: prop::sample::Index) {
            let blob = encode(&Observation::value(value)).unwrap();
            let cut = cut.index(blob.len());
            prop_assert!(decoded::<Observation>(&blob[..cut]).is_none());
        }
    }

    #[test]
    fn a_nan_keeps_its_bits() {
        let odd = f64::from_bits(0x7ff8_dead_beef_0001);
        match decoded(&encode(&Value::Float(odd)).unwrap()) {
            Some(Value::Float(back)) => assert_eq!(back.to_bits(), odd.to_bits()),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn deep_values_survive() {
        let deep = (0..200).fold(Value::None, |inner, _| Value::List(vec![inner]));
        assert_eq!(decoded::<Value>(&encode(&deep).unwrap()).unwrap(), deep);
    }

    #[test]
    fn another_format_is_told_from_damage() {
        assert!(matches!(decode::<Value>(&[FORMAT + 1, 0]), Decoded::OtherFormat));
        assert!(matches!(decode::<Value>(&[]), Decoded::Damaged));
        assert!(matches!(decode::<Value>(&[FORMAT, 0, 0]), Decoded::Damaged));
    }
}
