//! CPython's own bytes, and bytes that it would never write.

use super::*;
use crate::observe::compare::same;
use crate::observe::repr::repr;
use crate::observe::sample::values;
use proptest::prelude::*;

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
}

/// Python literals and what `marshal.dumps(value, 2).hex()` gave for them.
const GOLDEN: [(&str, &str); 27] = [
    ("None", "4e"),
    ("True", "54"),
    ("False", "46"),
    ("...", "2e"),
    ("1", "6901000000"),
    ("-1", "69ffffffff"),
    ("2147483647", "69ffffff7f"),
    ("2147483648", "6c03000000000000000200"),
    ("-2147483648", "6900000080"),
    ("-2147483649", "6cfdffffff010000000200"),
    ("1180591620717411303424", "6c0500000000000000000000000004"),
    ("1.5", "67000000000000f83f"),
    ("float('inf')", "67000000000000f07f"),
    ("1+2j", "79000000000000f03f0000000000000040"),
    ("'abc'", "7503000000616263"),
    ("'é\\ud800'", "7505000000c3a9eda080"),
    ("b'x'", "730100000078"),
    ("(1, 2)", "280200000069010000006902000000"),
    ("()", "2800000000"),
    ("[1]", "5b010000006901000000"),
    ("{}", "7b30"),
    ("{'a': 1}", "7b750100000061690100000030"),
    ("{1}", "3c010000006901000000"),
    ("frozenset({2})", "3e010000006902000000"),
    ("['abc', 'abc']", "5b0200000075030000006162637503000000616263"),
    ("set()", "3c00000000"),
    ("{(1, 'k'): None}", "7b280200000069010000007501000000 6b4e30"),
];

#[test]
fn python_s_bytes_are_read_and_written() {
    for (literal, hex) in GOLDEN {
        let expected = crate::observe::literal::parse(literal).unwrap();
        let bytes = bytes(&hex.replace(' ', ""));
        assert_eq!(repr(&decode(&bytes).unwrap()), repr(&expected));
        assert_eq!(encode(&expected), bytes, "{literal}");
    }
}

#[test]
fn what_is_not_plain_data_is_refused() {
    let cases = [
        ("", "cut short"),
        ("53", "type code 0x53"),
        ("63", "type code 0x63"),
        ("e9", "type code 0xe9"),
        ("7200000000", "type code 0x72"),
        ("7403000000616263", "type code 0x74"),
        ("49010000000000000000", "type code 0x49"),
        ("30", "type code 0x30"),
        ("4e4e", "bytes after"),
        ("6900", "cut short"),
        ("6c01000000", "cut short"),
        ("6c0000008000", "cut short"),
        ("6c010000000080", "digit out of range"),
        ("6c0200000001000000", "leading zeros"),
        ("75ffffffff", "beyond the message"),
        ("75ffffff7f61", "beyond the message"),
        ("28ffffff7f4e", "beyond the message"),
        ("7501000000ff", "not UTF-8"),
        ("7503000000eda0", "beyond the message"),
        ("7503000000eda041", "not UTF-8"),
        ("7b4e", "cut short"),
        ("7b4e30", "type code 0x30"),
        ("7b5b000000004e30", "unhashable"),
        ("7b4e4e4e4e30", "repeated"),
        ("3c010000005b00000000", "unhashable"),
        ("3c020000005469010000 00", "repeated"),
    ];
    for (hex, message) in cases {
        let error = decode(&bytes(&hex.replace(' ', ""))).unwrap_err();
        assert!(error.message.contains(message), "{hex}: {error}");
    }
}

#[test]
fn depth_and_size_are_capped() {
    let nested = |depth: usize| [b"(\x01\0\0\0".repeat(depth), b"N".to_vec()].concat();
    assert!(decode(&nested(MAX_DEPTH)).is_ok());
    assert!(decode(&nested(100_000)).unwrap_err().message.contains("nested deeper"));
    let dicts = [b"{N".repeat(100_000), b"N".to_vec()].concat();
    assert!(decode(&dicts).unwrap_err().message.contains("nested deeper"));
    let mut many = vec![b'['];
    many.extend((MAX_NODES as u32 + 5).to_le_bytes());
    many.extend(vec![b'N'; MAX_NODES + 5]);
    assert!(decode(&many).unwrap_err().message.contains("more than"));
    // Content is compared at every level of nested sets, so their depth has a limit of its own.
    let sets = [b">\x01\0\0\0".repeat(100), b"N".to_vec()].concat();
    assert!(decode(&sets).is_err());
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(value in values()) {
        let bytes = encode(&value);
        let read = decode(&bytes).map_err(|error| TestCaseError::fail(format!("{}: {error}", repr(&value))))?;
        prop_assert!(same(&value, &read));
        prop_assert_eq!(encode(&read), bytes);
    }

    #[test]
    fn no_bytes_panic(value in values(), cut in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut bytes = encode(&value);
        let at = cut.index(bytes.len());
        bytes[at] = byte;
        let _ = decode(&bytes);
        let _ = decode(&bytes[..at]);
    }
}
