//! What one argument of the example shows of its values: size, sign, decimals, and the scalars seen beside it.
//!
//! Varying dispatches on type here; how each type varies is told in its own file.

use num_bigint::BigInt;
use num_traits::Signed;

use super::super::value::Value;
use super::{chance, pick};
use crate::base::rng::Stream;

/// Scalars remembered from the example.
const MAX_DONORS: usize = 200;

/// The style of one argument.
pub(super) struct Style {
    /// No integer grows beyond: twice the largest of the argument, and ten.
    pub bound: BigInt,
    /// Whether a number below zero occurs.
    pub negatives: bool,
    /// Decimals of the floats, one to four.
    pub decimals: usize,
    /// All scalars of all arguments: what may be put in place of another of its type.
    donors: Vec<Value>,
}

impl Style {
    pub fn learn(args: &[Value], place: usize) -> Self {
        let mut own = Vec::new();
        collect(&args[place], &mut own);
        let mut donors = own.clone();
        args.iter().enumerate().filter(|(i, _)| *i != place).for_each(|(_, arg)| collect(arg, &mut donors));
        donors.truncate(MAX_DONORS);
        let mut style = Self { bound: BigInt::from(0), negatives: false, decimals: 1, donors };
        for scalar in &own {
            match scalar {
                Value::Int(int) => {
                    style.bound = style.bound.max(int.abs());
                    style.negatives |= int.is_negative();
                }
                Value::Float(x) => {
                    style.negatives |= *x < 0.0;
                    let text = format!("{x}");
                    let decimals = text.split_once('.').map_or(0, |(_, fraction)| fraction.len());
                    style.decimals = style.decimals.max(decimals.min(4));
                }
                _ => {}
            }
        }
        style.bound = style.bound * 2 + 10;
        style
    }

    /// A neighbour of the value, of the same type; sometimes the value itself.
    pub fn vary(&self, value: &Value, rng: &mut Stream) -> Value {
        if chance(rng, 0.1)
            && let Some(donor) = self.donor(value, rng)
        {
            return donor;
        }
        match value {
            Value::Bool(flag) => Value::Bool(!flag),
            Value::Int(int) => Value::Int(self.vary_int(int, rng)),
            Value::Float(x) => Value::Float(self.vary_float(*x, rng)),
            Value::Complex(re, im) if chance(rng, 0.5) => Value::Complex(self.vary_float(*re, rng), *im),
            Value::Complex(re, im) => Value::Complex(*re, self.vary_float(*im, rng)),
            Value::Str(_) => value.text().map_or_else(|| value.clone(), |text| Value::str(&self.vary_text(text, rng))),
            Value::Bytes(bytes) => Value::Bytes(super::string::vary_bytes(bytes, rng)),
            Value::None | Value::Ellipsis => value.clone(),
            _ => self.vary_container(value, rng),
        }
    }

    /// Another scalar of the example with the value's type.
    pub fn donor(&self, value: &Value, rng: &mut Stream) -> Option<Value> {
        let fits = |donor: &&Value| {
            donor.type_name() == value.type_name() && (self.negatives || !is_negative(donor)) && self.fits(donor, value)
        };
        let fitting: Vec<&Value> = self.donors.iter().filter(fits).collect();
        if fitting.is_empty() { None } else { Some((*pick(rng, &fitting)).clone()) }
    }

    /// Sizes stay in bounds, and a single character gives way to single characters only.
    fn fits(&self, donor: &Value, value: &Value) -> bool {
        match donor {
            Value::Int(int) => int.abs() <= self.bound,
            Value::Str(_) => value.length() != Some(1) || donor.length() == Some(1),
            _ => true,
        }
    }

    /// The texts of the example.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.donors.iter().filter_map(Value::text)
    }
}

fn is_negative(value: &Value) -> bool {
    match value {
        Value::Int(int) => int.is_negative(),
        Value::Float(x) => *x < 0.0,
        _ => false,
    }
}

fn collect(value: &Value, scalars: &mut Vec<Value>) {
    match value {
        Value::Dict(pairs) => pairs.iter().for_each(|(key, value)| {
            collect(key, scalars);
            collect(value, scalars);
        }),
        Value::None | Value::Ellipsis => {}
        _ => match value.items() {
            Some(items) => items.iter().for_each(|item| collect(item, scalars)),
            None => scalars.push(value.clone()),
        },
    }
}
