//! How observations and verdicts lie in the database: one format byte, a checksum, then postcard.
//!
//! The format byte rises with any change to the encoded types; what an older gradus wrote is then a miss, and replaced.
//! The checksum covers key and content, so that no record of a damaged file passes for another.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::base::{Error, Id, Result};

/// The format of every blob that this gradus writes.
pub(super) const FORMAT: u8 = 3;

/// Bytes before the content: format and checksum.
const HEAD: usize = 1 + size_of::<u32>();

pub(super) fn encode(key: &Id, value: &impl Serialize) -> Result<Vec<u8>> {
    let mut blob = postcard::to_extend(value, vec![FORMAT, 0, 0, 0, 0])
        .map_err(|error| Error::failure(format!("cannot encode a record: {error}")))?;
    let checksum = checksum(key, &blob[HEAD..]);
    blob[1..HEAD].copy_from_slice(&checksum);
    Ok(blob)
}

/// What is in a blob.
pub(super) enum Decoded<T> {
    Record(T),
    OtherFormat,
    Damaged,
}

pub(super) fn decode<T: DeserializeOwned>(key: &Id, blob: &[u8]) -> Decoded<T> {
    match blob {
        [FORMAT, a, b, c, d, content @ ..] if checksum(key, content) == [*a, *b, *c, *d] => {
            match postcard::take_from_bytes(content) {
                Ok((record, [])) => Decoded::Record(record),
                _ => Decoded::Damaged,
            }
        }
        [] | [FORMAT, ..] => Decoded::Damaged,
        _ => Decoded::OtherFormat,
    }
}

fn checksum(key: &Id, content: &[u8]) -> [u8; 4] {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(key.bytes());
    hasher.update(content);
    hasher.finalize().to_le_bytes()
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

    fn key() -> Id {
        Id::of("observation", [])
    }

    fn decoded<T: DeserializeOwned>(blob: &[u8]) -> Option<T> {
        match decode(&key(), blob) {
            Decoded::Record(record) => Some(record),
            _ => None,
        }
    }

    proptest! {
        #[test]
        fn observations_survive(value in values(), stdout in ".*", holds: Option<bool>, args_changed: bool) {
            let error = Some(Raised { kind: "ValueError".into(), message: stdout.clone() });
            let before = Observation { status: Status::Opaque, value: Some(value), rows: None, holds, error, stdout, args_changed };
            let after: Observation = decoded(&encode(&key(), &before).unwrap()).unwrap();
            // Compared as printed: a NaN is not equal to itself.
            prop_assert_eq!(format!("{before:?}"), format!("{after:?}"));
        }

        #[test]
        fn damage_is_seen_and_never_panics(value in values(), at: prop::sample::Index, flip in 1..=255_u8) {
            let mut blob = encode(&key(), &Observation::value(value)).unwrap();
            let at = at.index(blob.len());
            prop_assert!(decoded::<Observation>(&blob[..at]).is_none());
            blob[at] ^= flip;
            prop_assert!(decoded::<Observation>(&blob).is_none());
        }
    }

    #[test]
    fn a_nan_keeps_its_bits() {
        let odd = f64::from_bits(0x7ff8_dead_beef_0001);
        match decoded(&encode(&key(), &Value::Float(odd)).unwrap()) {
            Some(Value::Float(back)) => assert_eq!(back.to_bits(), odd.to_bits()),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn deep_values_survive() {
        let deep = (0..200).fold(Value::None, |inner, _| Value::List(vec![inner]));
        assert_eq!(decoded::<Value>(&encode(&key(), &deep).unwrap()).unwrap(), deep);
    }

    #[test]
    fn another_format_is_told_from_damage() {
        assert!(matches!(decode::<Value>(&key(), &[FORMAT + 1, 0]), Decoded::OtherFormat));
        assert!(matches!(decode::<Value>(&key(), &[]), Decoded::Damaged));
        assert!(matches!(decode::<Value>(&key(), &[FORMAT, 0, 0]), Decoded::Damaged));
    }

    #[test]
    fn a_record_under_anothers_key_is_damage() {
        let blob = encode(&key(), &Value::None).unwrap();
        assert!(matches!(decode::<Value>(&Id::of("observation", [&b"x"[..]]), &blob), Decoded::Damaged));
    }
}
