//! A share of successes: its interval by Wilson's score, its exact interval by Clopper and Pearson, its distribution.

use statrs::function::{beta::beta_reg, erf::erfc_inv};

use super::Interval;

/// Wilson's score interval for `successes` of `trials` at `confidence` (such as 0.95). No trials: 0 to 1.
pub fn wilson(successes: u64, trials: u64, confidence: f64) -> Interval {
    if trials == 0 {
        return Interval { low: 0.0, high: 1.0 };
    }
    let (n, share) = (trials as f64, successes as f64 / trials as f64);
    let z = std::f64::consts::SQRT_2 * erfc_inv(1.0 - confidence);
    let scale = 1.0 + z * z / n;
    let centre = (share + z * z / (2.0 * n)) / scale;
    let half = z / scale * (share * (1.0 - share) / n + z * z / (4.0 * n * n)).sqrt();
    Interval {
        low: if successes == 0 { 0.0 } else { (centre - half).max(0.0) },
        high: if successes == trials { 1.0 } else { (centre + half).min(1.0) },
    }
}

/// The exact (Clopper-Pearson) interval for `successes` of `trials` at `confidence`. No trials: 0 to 1.
pub fn clopper_pearson(successes: u64, trials: u64, confidence: f64) -> Interval {
    let tail = (1.0 - confidence) / 2.0;
    let (hits, misses) = (successes as f64, (trials - successes.min(trials)) as f64);
    let low = if successes == 0 { 0.0 } else { root(|p| beta_reg(hits, misses + 1.0, p) - tail) };
    let high = if successes >= trials { 1.0 } else { root(|p| beta_reg(hits + 1.0, misses, p) - (1.0 - tail)) };
    Interval { low, high }
}

/// Pr(X <= successes) for X binomial with `trials` and probability `p` in [0, 1].
pub fn binomial_cdf(successes: u64, trials: u64, p: f64) -> f64 {
    if successes >= trials {
        return 1.0;
    }
    beta_reg((trials - successes) as f64, successes as f64 + 1.0, 1.0 - p)
}

/// The zero of a rising function on [0, 1], to the last bit.
fn root(rising: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (0.0f64, 1.0f64);
    loop {
        let middle = low + (high - low) / 2.0;
        if middle <= low || middle >= high {
            return middle;
        }
        if rising(middle) < 0.0 { low = middle } else { high = middle }
    }
}

#[cfg(test)]
mod tests {
    use super::super::close;
    use super::*;

    /// scipy 1.17.1: `binomtest(k, n).proportion_ci(0.95, "exact" | "wilson")`.
    const GOLDEN: [(u64, u64, [f64; 4]); 7] = [
        (0, 10, [0.0, 0.30849710781876294, 0.0, 0.27753279986288926]),
        (3, 10, [0.06673951117773447, 0.652452850060008, 0.10779126740630102, 0.6032218525388546]),
        (10, 10, [0.6915028921812371, 1.0, 0.7224672001371109, 1.0]),
        (57, 97, [0.4831064277330437, 0.6866526536841722, 0.4881546966424227, 0.680426759822102]),
        (36, 97, [0.2751831910680559, 0.4751802929712037, 0.28162375465940875, 0.47046233877511384]),
        (1, 1000, [2.5317487491674634e-05, 0.0055589242798499, 0.00017654637062607809, 0.0056425585979579355]),
        (499, 1000, [0.4675521862537382, 0.5304537166617128, 0.468073488750724, 0.529934164766247]),
    ];

    #[test]
    fn intervals_are_those_of_scipy() {
        for (successes, trials, [exact_low, exact_high, wilson_low, wilson_high]) in GOLDEN {
            let (exact, score) = (clopper_pearson(successes, trials, 0.95), wilson(successes, trials, 0.95));
            close(exact.low, exact_low);
            close(exact.high, exact_high);
            close(score.low, wilson_low);
            close(score.high, wilson_high);
        }
    }

    #[test]
    fn no_trials_say_nothing() {
        let all = Interval { low: 0.0, high: 1.0 };
        assert_eq!((wilson(0, 0, 0.95), clopper_pearson(0, 0, 0.95)), (all, all));
    }

    #[test]
    fn the_binomial_distribution_is_that_of_scipy() {
        close(binomial_cdf(10, 24, 0.45), 0.4539146565765553);
        close(binomial_cdf(36, 97, 0.5), 0.007194816503547833);
        close(binomial_cdf(3, 1000, 0.01), 0.010072654772014291);
        assert_eq!(binomial_cdf(24, 24, 0.45), 1.0);
    }
}
