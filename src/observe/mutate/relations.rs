//! What the example shows to hold between arguments, and how a varied list of arguments is brought back to it.
//!
//! An integer that equals a sequence's length is taken for its length, one below it for a place in it; two integers
//! keep their order; sequences of one length keep one length; what is sorted stays sorted.

use num_bigint::BigInt;
use num_traits::ToPrimitive;

use super::super::value::Value;
use super::chance;
use super::container::{number, sort};
use crate::base::rng::Stream;

/// A sorted run like 1, 2, 3 is often an accident, so its order is kept less often.
const KEEP_RUN_SHARE: f64 = 0.5;

pub(super) struct Relations {
    /// (integer, sequence): the integer is the sequence's length.
    lengths: Vec<(usize, usize)>,
    /// (integer, sequence): the integer is a place in the sequence, or a count of its items.
    places: Vec<(usize, usize)>,
    /// (smaller, larger) integers.
    ordered: Vec<(usize, usize)>,
    /// Lists or tuples of the same length, and that length.
    parallel: Vec<usize>,
    parallel_length: usize,
    /// (list, whether it is a run of consecutive integers).
    sorted: Vec<(usize, bool)>,
}

impl Relations {
    pub fn learn(args: &[Value]) -> Self {
        let ints: Vec<(usize, &BigInt)> = args.iter().enumerate().filter_map(as_int).collect();
        let sequences: Vec<(usize, usize)> = args.iter().enumerate().filter_map(as_sequence).collect();
        let (mut lengths, mut places) = (Vec::new(), Vec::new());
        for (int, value) in &ints {
            // A length settles what the integer is; without one, the first sequence that has the place.
            let value = value.to_usize();
            let length = sequences.iter().find(|(_, length)| Some(*length) == value && *length > 2);
            let place = sequences.iter().find(|(_, length)| value.is_some_and(|value| value <= *length));
            match (length, place) {
                (Some((sequence, _)), _) => lengths.push((*int, *sequence)),
                (_, Some((sequence, _))) => places.push((*int, *sequence)),
                _ => {}
            }
        }
        let ordered = ints.windows(2).filter_map(|pair| match (pair[0], pair[1]) {
            ((a, x), (b, y)) if x < y => Some((a, b)),
            ((a, x), (b, y)) if x > y => Some((b, a)),
            _ => None,
        });
        let ordered = ordered.collect();
        let lists = || sequences.iter().filter(|(place, _)| args[*place].items().is_some());
        let parallel_length =
            lists().map(|(_, length)| *length).find(|length| lists().filter(|(_, other)| other == length).count() > 1);
        let parallel_length = parallel_length.unwrap_or(0);
        let parallel = lists().filter(|(_, length)| *length == parallel_length).map(|(place, _)| *place).collect();
        let sorted = args.iter().enumerate().filter_map(|(place, value)| Some((place, sortedness(value)?))).collect();
        Self { lengths, places, ordered, parallel, parallel_length, sorted }
    }

    /// Changes the arguments as little as brings the relations back.
    pub fn restore(&self, args: &mut [Value], rng: &mut Stream) {
        self.restore_parallel(args, rng);
        for (place, is_run) in &self.sorted {
            let keep = !is_run || chance(rng, KEEP_RUN_SHARE);
            if let Value::List(items) = &mut args[*place]
                && keep
            {
                sort(items);
            }
        }
        for (smaller, larger) in &self.ordered {
            if let (Value::Int(a), Value::Int(b)) = (&args[*smaller], &args[*larger])
                && a > b
            {
                args.swap(*smaller, *larger);
            }
        }
        for (int, sequence) in &self.places {
            let length = args[*sequence].length().unwrap_or(0);
            let fits =
                matches!(&args[*int], Value::Int(value) if value.to_usize().is_some_and(|value| value <= length));
            if !fits {
                args[*int] = Value::int(rng.below(length + 1));
            }
        }
        for (int, sequence) in &self.lengths {
            args[*int] = Value::int(args[*sequence].length().unwrap_or(0));
        }
    }

    /// Gives all parallel sequences the length that one of them changed to.
    fn restore_parallel(&self, args: &mut [Value], rng: &mut Stream) {
        let lengths = self.parallel.iter().filter_map(|place| args[*place].length());
        let Some(target) = lengths.into_iter().find(|length| *length != self.parallel_length) else { return };
        for place in &self.parallel {
            if let Value::List(items) | Value::Tuple(items) = &mut args[*place] {
                items.truncate(target);
                while items.len() < target && !items.is_empty() {
                    items.push(items[rng.below(items.len())].clone());
                }
            }
        }
    }
}

fn as_int((place, value): (usize, &Value)) -> Option<(usize, &BigInt)> {
    match value {
        Value::Int(int) => Some((place, int)),
        _ => None,
    }
}

/// A list, tuple or text of at least two, and its length.
fn as_sequence((place, value): (usize, &Value)) -> Option<(usize, usize)> {
    let length = match value {
        Value::List(_) | Value::Tuple(_) | Value::Str(_) => value.length()?,
        _ => return None,
    };
    (length >= 2).then_some((place, length))
}

/// Whether a list of at least three is in ascending order and not constant, and if so whether it is a run.
fn sortedness(value: &Value) -> Option<bool> {
    let Value::List(items) = value else { return None };
    if items.len() < 3 {
        return None;
    }
    if items.iter().all(|item| matches!(item, Value::Str(_))) {
        let texts: Vec<Option<&str>> = items.iter().map(Value::text).collect();
        return (texts.is_sorted() && texts.first() != texts.last()).then_some(false);
    }
    let numbers: Vec<f64> = items.iter().map(number).collect::<Option<_>>()?;
    let varies = numbers.first() != numbers.last();
    (numbers.is_sorted() && varies).then(|| numbers.windows(2).all(|pair| pair[1] - pair[0] == 1.0))
}
