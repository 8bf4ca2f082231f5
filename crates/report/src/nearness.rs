//! How close simulated values are to measured ones.

use serde::Serialize;

/// Two values are close if the absolute logarithm of their quotient is at most this.
const NEAR: f64 = 0.1;

/// How close ratios are to measured ones.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Nearness {
    /// Median of |ln(ratio / measured)|.
    pub median_error: f64,
    /// The share of cells with at most 0.1.
    pub share_near: f64,
}

impl Nearness {
    /// From pairs of simulated and measured values; none without pairs.
    pub fn of(pairs: &[(f64, f64)]) -> Option<Nearness> {
        let error = |&(simulated, measured): &(f64, f64)| (simulated / measured).ln().abs();
        let mut errors: Vec<f64> = pairs.iter().map(error).filter(|error| error.is_finite()).collect();
        errors.sort_by(f64::total_cmp);
        let middle = errors.len() / 2;
        let median_error = match errors.len() {
            0 => return None,
            odd if odd % 2 == 1 => errors[middle],
            _ => f64::midpoint(errors[middle - 1], errors[middle]),
        };
        let near = errors.iter().filter(|error| **error <= NEAR).count();
        Some(Nearness { median_error, share_near: near as f64 / errors.len() as f64 })
    }
}
