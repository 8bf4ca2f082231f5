//! How evenly a resource is shared.
//!
//! Models: sum, Jain's index and variance of shares.
//! Leaves out: which share would be right; an even one is not always.
//!
//! Invariants: sums are taken in the given order, so the results for the same rows are the same to the last bit.
//!
//! Source: Jain, Chiu, Hawe, DEC-TR-301 (1984): the index. The variance is that of the shares themselves, divided by
//! their number (modelling assumption: papers rarely say by what).

use serde::{Deserialize, Serialize};

/// See the module.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Fairness {
    /// The sum of all shares.
    pub sum: f64,
    /// (sum x)^2 / (n sum x^2): 1 if all are equal, 1/n if one has everything; absent if all are zero.
    pub jain: Option<f64>,
    /// The mean of the squared distance from the mean, in the square of the unit of the shares.
    pub variance: f64,
}

impl Fairness {
    /// Of these shares; `None` for an empty list.
    pub fn of(shares: &[f64]) -> Option<Fairness> {
        let n = shares.len() as f64;
        if shares.is_empty() {
            return None;
        }
        let sum: f64 = shares.iter().sum();
        let squares: f64 = shares.iter().map(|share| share * share).sum();
        let mean = sum / n;
        let variance = shares.iter().map(|share| (share - mean) * (share - mean)).sum::<f64>() / n;
        let jain = (squares > 0.0).then(|| sum * sum / (n * squares));
        Some(Fairness { sum, jain, variance })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn expect(shares: &[f64], sum: f64, jain: Option<f64>, variance: f64) {
        let found = Fairness::of(shares).expect("there are some");
        let is_close = |left: f64, right: f64| (left - right).abs() < 1e-12 * right.abs().max(1.0);
        assert!(is_close(found.sum, sum) && is_close(found.variance, variance), "{found:?}");
        assert_eq!(found.jain.is_some(), jain.is_some(), "{found:?}");
        assert!(is_close(found.jain.unwrap_or(0.0), jain.unwrap_or(0.0)), "{found:?}");
    }

    #[test]
    fn figures_are_those_of_their_definitions() {
        expect(&[5.0], 5.0, Some(1.0), 0.0);
        expect(&[3.0, 3.0, 3.0], 9.0, Some(1.0), 0.0);
        expect(&[8.0, 0.0, 0.0, 0.0], 8.0, Some(0.25), 12.0);
        // 200, 100, 100: 400^2 / (3 * 60000), and the mean of (200/3)^2 and twice (100/3)^2.
        expect(&[200.0, 100.0, 100.0], 400.0, Some(8.0 / 9.0), 20_000.0 / 9.0);
        expect(&[0.0, 0.0], 0.0, None, 0.0);
        assert_eq!(Fairness::of(&[]), None);
    }
}
