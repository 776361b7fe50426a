//! The percentile bootstrap over clusters: outputs of one task stand or fall together, so tasks are resampled.

use super::Interval;
use crate::base::rng::Stream;

/// How many draws in a row may leave the statistic undefined before the bootstrap gives up.
const PATIENCE: usize = 10_000;

/// The percentile interval of `statistic` over `resamples` draws of `clusters` clusters with replacement.
///
/// `statistic` gets the indices drawn. A draw on which it is undefined (`None`; say, a class is missing) is drawn
/// again, so the interval is conditional on its being defined. `None` if there is no cluster or no draw defines it.
pub fn bootstrap(
    clusters: usize,
    resamples: usize,
    confidence: f64,
    stream: &mut Stream,
    statistic: impl Fn(&[usize]) -> Option<f64>,
) -> Option<Interval> {
    if clusters == 0 {
        return None;
    }
    let mut drawn = vec![0; clusters];
    let mut one = || {
        (0..PATIENCE).find_map(|_| {
            drawn.iter_mut().for_each(|index| *index = stream.below(clusters));
            statistic(&drawn)
        })
    };
    let mut values = (0..resamples).map(|_| one()).collect::<Option<Vec<f64>>>()?;
    values.sort_by(f64::total_cmp);
    let tail = (1.0 - confidence) / 2.0;
    Some(Interval { low: percentile(&values, tail)?, high: percentile(&values, 1.0 - tail)? })
}

/// The quantile `share` of sorted values, linear between neighbours as in numpy's default.
pub fn percentile(sorted: &[f64], share: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let place = share.clamp(0.0, 1.0) * last as f64;
    let below = place.floor() as usize;
    let above = (below + 1).min(last);
    Some(sorted[below] + (place - below as f64) * (sorted[above] - sorted[below]))
}

#[cfg(test)]
mod tests {
    use super::super::close;
    use super::*;

    fn mean(values: &[f64], drawn: &[usize]) -> f64 {
        drawn.iter().map(|index| values[*index]).sum::<f64>() / drawn.len() as f64
    }

    /// numpy 2.4.6: `percentile([1, 2, 3, 4, 10], [2.5, 50, 97.5])`.
    #[test]
    fn percentiles_are_those_of_numpy() {
        let sorted = [1.0, 2.0, 3.0, 4.0, 10.0];
        for (share, golden) in [(0.025, 1.1), (0.5, 3.0), (0.975, 9.4)] {
            close(percentile(&sorted, share).unwrap(), golden);
        }
        assert_eq!(percentile(&[], 0.5), None);
    }

    #[test]
    fn the_interval_of_a_mean_is_close_to_the_normal_one() {
        let values: Vec<f64> = (0..100).map(|i| f64::from(i % 2)).collect();
        let draw = || bootstrap(100, 4000, 0.95, &mut Stream::new(3, 0, "test"), |drawn| Some(mean(&values, drawn)));
        let interval = draw().unwrap();
        assert!((interval.low - 0.402).abs() < 0.012, "{interval:?}");
        assert!((interval.high - 0.598).abs() < 0.012, "{interval:?}");
        assert_eq!(draw(), Some(interval));
    }

    #[test]
    fn undefined_draws_are_drawn_again() {
        let values = [0.0, 1.0];
        let only_mixed = |drawn: &[usize]| (drawn[0] != drawn[1]).then(|| mean(&values, drawn));
        let interval = bootstrap(2, 200, 0.95, &mut Stream::new(0, 0, "test"), only_mixed);
        assert_eq!(interval, Some(Interval { low: 0.5, high: 0.5 }));
        assert_eq!(bootstrap(2, 10, 0.95, &mut Stream::new(0, 0, "test"), |_| None), None);
        assert_eq!(bootstrap(0, 10, 0.95, &mut Stream::new(0, 0, "test"), |_| Some(1.0)), None);
    }
}
