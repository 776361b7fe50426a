//! Paired comparisons: McNemar's exact test on discordant pairs, Wilcoxon's signed-rank test on differences.

use statrs::function::erf::erfc;

use super::proportion::binomial_cdf;
use super::rank::ranks;

/// Up to this many non-zero differences the distribution of the signed-rank sum is enumerated.
const EXACT_PAIRS: usize = 50;

/// McNemar's exact two-sided p for `gained` against `lost` discordant pairs.
pub fn mcnemar(gained: u64, lost: u64) -> f64 {
    (2.0 * binomial_cdf(gained.min(lost), gained + lost, 0.5)).min(1.0)
}

/// Wilcoxon's signed-rank test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wilcoxon {
    /// The smaller of the rank sums of positive and of negative differences.
    pub statistic: f64,
    /// Two-sided.
    pub p: f64,
    /// Whether `p` was enumerated rather than approximated.
    pub exact: bool,
}

/// The test on paired differences, zeros dropped; `None` when nothing is left.
///
/// Exact up to fifty differences, ties included (the distribution given the tied ranks); beyond, the normal
/// approximation with corrections for ties and continuity.
pub fn wilcoxon(differences: &[f64]) -> Option<Wilcoxon> {
    let left: Vec<f64> = differences.iter().copied().filter(|difference| *difference != 0.0).collect();
    if left.is_empty() {
        return None;
    }
    let ranks = ranks(&left.iter().map(|difference| difference.abs()).collect::<Vec<_>>());
    let total: f64 = ranks.iter().sum();
    let positive: f64 =
        ranks.iter().zip(&left).filter(|(_, difference)| **difference > 0.0).map(|(rank, _)| rank).sum();
    let statistic = positive.min(total - positive);
    let exact = left.len() <= EXACT_PAIRS;
    let p = if exact { enumerated(&ranks, statistic) } else { approximated(&ranks, statistic) };
    Some(Wilcoxon { statistic, p, exact })
}

/// Twice Pr(sum <= statistic) when every sign is a fair coin. Ranks are halves at worst, so doubled they are whole.
fn enumerated(ranks: &[f64], statistic: f64) -> f64 {
    let doubled: Vec<usize> = ranks.iter().map(|rank| (2.0 * rank) as usize).collect();
    let mut share = vec![0.0; doubled.iter().sum::<usize>() + 1];
    share[0] = 1.0;
    let mut reached = 0;
    for rank in doubled {
        reached += rank;
        for sum in (0..=reached).rev() {
            let with = if sum >= rank { share[sum - rank] } else { 0.0 };
            share[sum] = (share[sum] + with) / 2.0;
        }
    }
    let tail: f64 = share[..=(2.0 * statistic) as usize].iter().sum();
    (2.0 * tail).min(1.0)
}

fn approximated(ranks: &[f64], statistic: f64) -> f64 {
    let mean = ranks.iter().sum::<f64>() / 2.0;
    // The variance of a sum of fair ± ranks; the sum of squared mid-ranks is already corrected for ties.
    let variance = ranks.iter().map(|rank| rank * rank).sum::<f64>() / 4.0;
    let z = (mean - statistic - 0.5).max(0.0) / variance.sqrt();
    erfc(z / std::f64::consts::SQRT_2).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::super::close;
    use super::*;

    /// scipy 1.17.1: `binomtest(gained, gained + lost).pvalue`.
    #[test]
    fn mcnemar_is_exact() {
        close(mcnemar(61, 36), 0.014389633007095667);
        close(mcnemar(36, 20), 0.044046546102150766);
        close(mcnemar(20, 36), 0.044046546102150766);
        close(mcnemar(0, 5), 0.0625);
        close(mcnemar(1, 7), 0.0703125);
        assert_eq!((mcnemar(3, 3), mcnemar(0, 0)), (1.0, 1.0));
    }

    /// scipy 1.17.1: `wilcoxon(d, method="exact")`, with ties `method=PermutationMethod(n_resamples=10**6)`.
    #[test]
    fn small_samples_are_enumerated() {
        let darwin = [6.0, 8.0, 14.0, 16.0, 23.0, 24.0, 28.0, 29.0, 41.0, -48.0, 49.0, 56.0, 60.0, -67.0, 75.0];
        let cases = [
            (&darwin[..], 24.0, 0.041259765625),
            (&[1.0, 2.0, -3.0, 4.0, 5.0, 6.0, -7.0, 8.0], 10.0, 0.3125),
            (&[1.0, 1.0, -1.0, 2.0, 2.0, 3.0, -2.0, 4.0, 0.0, 0.0], 7.0, 0.1640625),
        ];
        for (differences, statistic, p) in cases {
            let found = wilcoxon(differences).unwrap();
            assert!(found.exact);
            assert_eq!(found.statistic, statistic);
            close(found.p, p);
        }
    }

    /// scipy 1.17.1: `wilcoxon(d, method="approx", correction=True)`.
    #[test]
    fn large_samples_are_approximated() {
        let differences: Vec<f64> = (1..=70).map(|i| f64::from(i * 37 % 101 - 45)).collect();
        let found = wilcoxon(&differences).unwrap();
        assert!(!found.exact);
        assert_eq!(found.statistic, 933.5);
        close(found.p, 0.10198534888792687);
    }

    #[test]
    fn no_difference_is_no_evidence() {
        assert_eq!(wilcoxon(&[0.0, 0.0]), None);
        assert_eq!(wilcoxon(&[1.0, -1.0]).map(|found| found.p), Some(1.0));
    }
}
