//! Exact positive decimals for the numbers of `weighted`: sums compare exactly and print as they were meant.
//!
//! No floating point: `0.1 + 0.2` reaches `0.3` here.

use std::fmt;
use std::str::FromStr;

const PLACES: usize = 12;
const UNIT: u64 = 1_000_000_000_000;

/// A non-negative decimal with up to twelve digits before and twelve after the point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Decimal(u128);

impl Decimal {
    /// The number in units of 10^-12, for exact sums: 2^40 of them fit a `u128` sum.
    pub fn units(self) -> u128 {
        self.0
    }

    /// A whole number.
    pub fn whole(number: u32) -> Self {
        Self(u128::from(number) * u128::from(UNIT))
    }

    pub fn is_zero(self) -> bool {
        self.0 == 0
    }
}

/// Why a text is no decimal, in words that finish "the number …".
impl FromStr for Decimal {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (whole, fraction) = match text.split_once('.') {
            Some((_, "")) => return Err("ends in a point"),
            Some(parts) => parts,
            None => (text, ""),
        };
        let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty() || !digits(whole) || !digits(fraction) {
            return Err("must be written in digits with at most one point");
        }
        let (whole, fraction) = (whole.trim_start_matches('0'), fraction.trim_end_matches('0'));
        if whole.len() > PLACES || fraction.len() > PLACES {
            return Err("has more than twelve digits on one side of its point");
        }
        let all = whole.bytes().chain(fraction.bytes().chain(std::iter::repeat(b'0')).take(PLACES));
        Ok(Self(all.fold(0, |sum, digit| sum * 10 + u128::from(digit - b'0'))))
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, fraction) = (self.0 / u128::from(UNIT), self.0 % u128::from(UNIT));
        if fraction == 0 {
            return write!(f, "{whole}");
        }
        let digits = format!("{fraction:0PLACES$}");
        write!(f, "{whole}.{}", digits.trim_end_matches('0'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(text: &str) -> Decimal {
        text.parse().expect("a decimal")
    }

    #[test]
    fn a_decimal_prints_in_one_way() {
        let shown =
            ["1", "1.0", "007.50", "0.000000000001", "999999999999.999999999999"].map(|t| decimal(t).to_string());
        assert_eq!(shown, ["1", "1", "7.5", "0.000000000001", "999999999999.999999999999"]);
    }

    #[test]
    fn sums_are_exact() {
        assert_eq!(decimal("0.1").units() + decimal("0.2").units(), decimal("0.3").units());
        assert_eq!(Decimal::whole(3), decimal("3.000"));
    }

    #[test]
    fn what_is_no_decimal_is_told_apart() {
        for text in ["", ".5", "-1", "1e3", "1.2.3", "½", "+2"] {
            assert_eq!(text.parse::<Decimal>(), Err("must be written in digits with at most one point"), "{text}");
        }
        assert_eq!("1.".parse::<Decimal>(), Err("ends in a point"));
        assert_eq!("1234567890123".parse::<Decimal>(), Err("has more than twelve digits on one side of its point"));
    }
}
