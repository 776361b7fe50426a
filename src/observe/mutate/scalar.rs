//! Neighbours of numbers: a step, a redraw of the same magnitude, another digit, zero and one.
//!
//! No integer leaves its argument's bound, so that a program that counts up to it stays fast.

use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive};

use super::style::Style;
use super::{chance, pick};
use crate::base::rng::Stream;

/// Redraws take their range from the number only up to here; larger numbers change by steps and digits.
const MAX_REDRAW: u64 = 1 << 40;

/// How seldom a number below zero is kept where the example has none.
const NEW_NEGATIVE_SHARE: f64 = 0.1;

impl Style {
    pub(super) fn vary_int(&self, int: &BigInt, rng: &mut Stream) -> BigInt {
        let varied = match rng.below(20) {
            0..5 => int + step(rng, 1),
            5..7 => int + step(rng, 3),
            7..12 => redraw(int, rng),
            12..15 => change_digits(int, rng),
            15 => int * 2,
            16 => int / 2,
            17 => BigInt::from(rng.below(2)),
            18 => -int,
            _ => int + step(rng, 10),
        };
        let below_zero = varied.is_negative() && !self.negatives && !chance(rng, NEW_NEGATIVE_SHARE);
        let varied = if below_zero { varied.abs() } else { varied };
        if varied.abs() <= self.bound { varied } else { int.clone() }
    }

    pub(super) fn vary_float(&self, x: f64, rng: &mut Stream) -> f64 {
        if !x.is_finite() {
            return 0.0;
        }
        let varied = match rng.below(12) {
            0..2 => x + *pick(rng, &[1.0, -1.0]),
            2..4 => x + *pick(rng, &[0.5, -0.5, 0.1, -0.1]),
            4..8 => rng.unit() * (2.0 * x.abs() + 10.0) * if x < 0.0 { -1.0 } else { 1.0 },
            8 => x * 2.0,
            9 => x / 2.0,
            10 => x.round(),
            _ => -x,
        };
        let below_zero = varied < 0.0 && !self.negatives && !chance(rng, NEW_NEGATIVE_SHARE);
        let varied = if below_zero { varied.abs() } else { varied };
        // The decimal text keeps the example's precision, and never an odd last bit.
        format!("{varied:.*}", self.decimals).parse().ok().filter(|x: &f64| x.is_finite()).unwrap_or(x) + 0.0
    }
}

/// One to `most`, either way.
fn step(rng: &mut Stream, most: usize) -> i64 {
    let size = 1 + rng.below(most) as i64;
    if chance(rng, 0.5) { size } else { -size }
}

/// Any number from zero to twice the size and ten, with the sign kept.
fn redraw(int: &BigInt, rng: &mut Stream) -> BigInt {
    let size = int.abs().to_u64().filter(|size| *size <= MAX_REDRAW);
    let Some(size) = size else { return int + step(rng, 10) };
    let drawn = BigInt::from(rng.below(2 * size as usize + 11));
    if int.is_negative() { -drawn } else { drawn }
}

/// A digit changed, dropped, repeated, or two exchanged: functions of digits see what steps never show.
fn change_digits(int: &BigInt, rng: &mut Stream) -> BigInt {
    if int.bits() > 256 {
        return int + step(rng, 3);
    }
    let mut digits = int.abs().to_string().into_bytes();
    let at = rng.below(digits.len());
    match rng.below(4) {
        0 => digits[at] = b'0' + rng.below(10) as u8,
        1 if digits.len() > 1 => {
            digits.remove(at);
        }
        2 => {
            let other = rng.below(digits.len());
            digits[at] = digits[other];
        }
        _ => {
            let other = rng.below(digits.len());
            digits.swap(at, other);
        }
    }
    let changed = BigInt::parse_bytes(&digits, 10).unwrap_or_default();
    if int.is_negative() { -changed } else { changed }
}
