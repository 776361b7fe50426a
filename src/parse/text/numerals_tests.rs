//! Numerals in prose: separators, signs, ranges, percents, full-width digits.

use super::*;
use proptest::prelude::*;

/// Each numeral as `text=value`, with `%` or the unit behind it.
fn read(text: &str) -> Vec<String> {
    let show = |numeral: Numeral| {
        let unit = numeral.unit.map(|unit| format!(" {}", unit.of(text))).unwrap_or_default();
        format!("{}={}{}{unit}", numeral.span.of(text), numeral.value, if numeral.percent { "%" } else { "" })
    };
    numerals(text).into_iter().map(show).collect()
}

#[test]
fn numbers_are_read_as_prose_writes_them() {
    let cases: &[(&str, &[&str])] = &[
        ("", &[]),
        ("no numbers, one word", &[]),
        ("It rose 12 points in 2020.", &["12=12", "2020=2020"]),
        ("1,234 and 1,234,567.89", &["1,234=1234", "1,234,567.89=1234567.89"]),
        ("1.234,56 and 1.234.567", &["1.234,56=1234.56", "1.234.567=1234567"]),
        ("3,5 or 3.5 or 0,123 or 1.000", &["3,5=3.5", "3.5=3.5", "0,123=0.123", "1.000=1"]),
        ("10 000 or 1\u{202f}234\u{202f}567", &["10 000=10000", "1\u{202f}234\u{202f}567=1234567"]),
        ("1'234 and 5'10", &["1'234=1234", "5=5", "10=10"]),
        ("1,2,3 and 4, 5", &["1=1", "2=2", "3=3", "4=4", "5=5"]),
        ("in 2020 150 people", &["2020=2020", "150=150"]),
        ("up 5% or 5 percent, 7 per cent, ５％", &["5=5%", "5=5%", "7=7%", "５=5%"]),
        ("-5, −6, +7 and (-8)", &["-5=-5", "−6=-6", "+7=7", "-8=-8"]),
        ("5-10 km, 3–4 kg, 2024-01-05", &["5=5", "10=10 km", "3=3", "4=4 kg", "2024=2024", "01=1", "05=5"]),
        ("1.5e-3 and 2E6, 7e", &["1.5e-3=0.0015", "2E6=2000000"]),
        ("$5 million, € 3, 4 €, 20 °C", &["5=5 million", "3=3 €", "4=4 €", "20=20 °C"]),
        ("$5 and -$6", &["5=5 $", "6=6 $"]),
        (
            "5km, 5 kWh, 5 days, 5 a day, 5 A, 60 km/h.",
            &["5=5 km", "5=5 kWh", "5=5 days", "5=5", "5=5 A", "60=60 km/h"],
        ),
        ("COVID19 v2 x_1 2nd 3D 1990s B2B", &[]),
        ("cited [1], [2, 3] and [4-6], not [about 7]", &["7=7"]),
        ("version 1.2.3, 192.168.0.1", &[]),
        ("共5个，１２．５％", &["5=5", "１２．５=12.5%"]),
        ("٣٫٥ and १२", &["٣٫٥=3.5", "१२=12"]),
        (".5 and 3. End", &[".5=0.5", "3=3"]),
        ("10:30", &["10=10", "30=30"]),
    ];
    for (text, expected) in cases {
        assert_eq!(read(text), *expected, "{text}");
    }
}

proptest! {
    #[test]
    fn numerals_are_ordered_and_finite(text in "[0-9.,' eE%$\\[\\]a-c+-]{0,40}|\\PC{0,40}") {
        let mut end = 0;
        for numeral in numerals(&text) {
            prop_assert!(numeral.span.start >= end && numeral.value.is_finite());
            prop_assert!(numeral.span.of(&text).chars().any(|char| digit(char).is_some()));
            end = numeral.span.end;
        }
    }

    #[test]
    fn a_number_alone_is_read_whole(value in -1_000_000_000i64..1_000_000_000, cents in 0u8..100) {
        let text = format!("{value}.{cents:02}");
        let read = numerals(&text);
        prop_assert_eq!(read.len(), 1);
        prop_assert_eq!(read[0].value, text.parse::<f64>().unwrap());
    }
}
