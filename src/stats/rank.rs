//! Ranks, and Spearman's correlation of them.

use statrs::function::beta::beta_reg;

/// Ranks from 1; equal values share the mean of their ranks.
pub fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut ranks = vec![0.0; values.len()];
    let mut start = 0;
    for tied in order.chunk_by(|&a, &b| values[a] == values[b]) {
        let shared = (2 * start + tied.len() + 1) as f64 / 2.0;
        tied.iter().for_each(|&at| ranks[at] = shared);
        start += tied.len();
    }
    ranks
}

/// Spearman's rank correlation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spearman {
    pub rho: f64,
    /// Two-sided, by Student's t with n - 2 degrees of freedom, as scipy has it.
    pub p: f64,
}

/// The rank correlation of two rows of equal length; `None` under three pairs or where one row is constant.
pub fn spearman(a: &[f64], b: &[f64]) -> Option<Spearman> {
    let n = a.len();
    if n < 3 || n != b.len() {
        return None;
    }
    let centred =
        |values: &[f64]| -> Vec<f64> { ranks(values).into_iter().map(|rank| rank - (n + 1) as f64 / 2.0).collect() };
    let (a, b) = (centred(a), centred(b));
    let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
    let spread = dot(&a, &a) * dot(&b, &b);
    if spread == 0.0 {
        return None;
    }
    let rho = (dot(&a, &b) / spread.sqrt()).clamp(-1.0, 1.0);
    // Pr(|T| > t) with t² = ν rho² / (1 - rho²) is the regularised beta function at 1 - rho².
    let p = beta_reg((n - 2) as f64 / 2.0, 0.5, 1.0 - rho * rho);
    Some(Spearman { rho, p })
}

#[cfg(test)]
mod tests {
    use super::super::close;
    use super::*;

    #[test]
    fn equal_values_share_a_rank() {
        assert_eq!(ranks(&[3.0, 1.0, 3.0, 2.0]), [3.5, 1.0, 3.5, 2.0]);
        assert_eq!(ranks(&[]), [0.0; 0]);
    }

    /// scipy 1.17.1: `spearmanr`.
    #[test]
    fn correlations_are_those_of_scipy() {
        let iq = [106.0, 100.0, 86.0, 101.0, 99.0, 103.0, 97.0, 113.0, 112.0, 110.0];
        let hours = [7.0, 27.0, 2.0, 50.0, 28.0, 29.0, 20.0, 12.0, 6.0, 17.0];
        let found = spearman(&iq, &hours).unwrap();
        close(found.rho, -0.17575757575757575);
        close(found.p, 0.6271883447764846);
        let tied =
            spearman(&[1.0, 2.0, 2.0, 3.0, 4.0, 5.0, 5.0, 5.0], &[2.0, 1.0, 3.0, 3.0, 5.0, 4.0, 6.0, 6.0]).unwrap();
        close(tied.rho, 0.8759284757666266);
        close(tied.p, 0.0043415245307816324);
    }

    #[test]
    fn without_spread_there_is_no_correlation() {
        assert_eq!(spearman(&[1.0, 1.0, 1.0], &[1.0, 2.0, 3.0]), None);
        assert_eq!(spearman(&[1.0, 2.0], &[1.0, 2.0]), None);
        assert_eq!(spearman(&[1.0, 2.0, 3.0], &[1.0, 2.0]), None);
        assert_eq!(spearman(&[1.0, 2.0, 3.0], &[2.0, 4.0, 6.0]), Some(Spearman { rho: 1.0, p: 0.0 }));
    }
}
