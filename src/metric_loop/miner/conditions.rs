//! The conditions that are worth looking at: one between every two measured values that are neighbours.

use super::measured::{Column, Measured};
use crate::script::{Condition, Test, Threshold};

/// Most thresholds of one measurement; of more, evenly spaced ones are kept.
const LEVELS: usize = 32;

/// The conditions on what was measured on these outputs, in the order of the columns.
pub(super) fn conditions(measured: &Measured, outputs: &[&[usize]]) -> Vec<Condition> {
    let of_column = |column: &Column| {
        let tests = if column.is_flag { vec![Test::Holds, Test::Not] } else { thresholds(&values(column, outputs)) };
        let feature = column.feature.clone();
        tests.into_iter().map(move |test| Condition::new(feature.clone(), test)).collect::<Vec<_>>()
    };
    measured.columns().iter().flat_map(of_column).collect()
}

/// The distinct values on these outputs, ascending.
fn values(column: &Column, outputs: &[&[usize]]) -> Vec<f64> {
    let mut values: Vec<f64> =
        outputs.iter().copied().flatten().filter_map(|output| column.values.get(*output).copied().flatten()).collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    values
}

fn thresholds(values: &[f64]) -> Vec<Test> {
    let gaps: Vec<(f64, f64)> = values.windows(2).map(|pair| (pair[0], pair[1])).collect();
    let kept = gaps.len().min(LEVELS);
    let spaced = (0..kept).map(|level| gaps[level * gaps.len() / kept]);
    let tests = |(low, high): (f64, f64)| {
        let (at_least, at_most) = between(low, high);
        [Threshold::new(at_least).map(Test::AtLeast), Threshold::new(at_most).map(Test::AtMost)]
    };
    spaced.flat_map(tests).flatten().collect()
}

/// The least and the greatest number on each side of a gap. Integers are thresholds themselves; between other values it
/// is their midpoint, with as few decimals as keep the two apart.
fn between(low: f64, high: f64) -> (f64, f64) {
    const DECIMALS: i32 = 12;
    if low.fract() == 0.0 && high.fract() == 0.0 {
        return (high, low);
    }
    let middle = low + (high - low) / 2.0;
    let rounded = |decimals: i32| {
        let scale = 10_f64.powi(decimals);
        (middle * scale).round() / scale
    };
    let apart = |threshold: &f64| low < *threshold && *threshold < high;
    match (0..=DECIMALS).map(rounded).find(apart) {
        Some(threshold) => (threshold, threshold),
        None => (high, low),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_thresholds_themselves_and_other_gaps_have_a_short_midpoint() {
        assert_eq!(between(0.0, 3.0), (3.0, 0.0));
        assert_eq!(between(1.0 / 3.0, 0.5), (0.4, 0.4));
        assert_eq!(between(0.25, 1.0), (0.6, 0.6));
        assert_eq!(between(0.5, 2.0), (1.0, 1.0));
        assert_eq!(between(0.111, 0.112), (0.1115, 0.1115));
        let close = (1.0 - f64::EPSILON, 1.0);
        assert_eq!(between(close.0, close.1), (1.0, close.0));
    }

    #[test]
    fn every_gap_is_a_threshold_until_there_are_many() {
        let texts = |values: &[f64]| -> Vec<String> {
            thresholds(values).into_iter().map(|test| Condition::new("x", test).to_string()).collect()
        };
        assert_eq!(texts(&[0.0, 1.0, 4.0]), ["x >= 1", "x <= 0", "x >= 4", "x <= 1"]);
        assert!(texts(&[2.0]).is_empty() && texts(&[]).is_empty());
        let many: Vec<f64> = (0..1000).map(f64::from).collect();
        assert_eq!(thresholds(&many).len(), 2 * LEVELS);
        assert_eq!(texts(&many)[0], "x >= 1");
    }
}
