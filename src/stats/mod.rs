//! The statistics of a report: intervals, paired tests, rank tests. Golden-tested against scipy 1.17.1.
//!
//! Special functions come from `statrs`; what it lacks is here. Nothing here knows what is being counted.

mod bootstrap;
mod paired;
mod proportion;
mod rank;

pub use bootstrap::{bootstrap, percentile};
pub use paired::{Wilcoxon, mcnemar, wilcoxon};
pub use proportion::{binomial_cdf, clopper_pearson, wilson};
pub use rank::{Spearman, ranks, spearman};

/// A two-sided interval.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Interval {
    pub low: f64,
    pub high: f64,
}

#[cfg(test)]
fn close(value: f64, golden: f64) {
    assert!((value - golden).abs() <= 1e-9 * golden.abs().max(1e-3), "{value} is not {golden}");
}
