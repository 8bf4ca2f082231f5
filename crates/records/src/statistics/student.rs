//! Student's t: confidence intervals of the mean of a few observations.
//!
//! Models: the t that encloses a given share of the distribution, for integer degrees of freedom.
//! Leaves out: degrees beyond ten thousand, where the fourth digit no longer changes.

/// From here on the distribution is treated as normal.
const AS_NORMAL: u64 = 10_000;

/// The t such that a share of the distribution lies between -t and t, by bisection; infinite for zero degrees of
/// freedom.
pub fn within(coverage: f64, degrees: u64) -> f64 {
    if degrees == 0 {
        return f64::INFINITY;
    }
    let degrees = degrees.min(AS_NORMAL) as u32;
    let (mut low, mut high) = (0.0, 1024.0);
    for _ in 0..80 {
        let middle = f64::midpoint(low, high);
        if central_probability(middle, degrees) < coverage { low = middle } else { high = middle }
    }
    high
}

/// The probability that Student's t lies between -t and t: the finite series for whole degrees of freedom (Abramowitz,
/// Stegun 26.7.3 and 26.7.4).
fn central_probability(t: f64, degrees: u32) -> f64 {
    let angle = (t / f64::from(degrees).sqrt()).atan();
    let (sine, cosine) = angle.sin_cos();
    let odd = degrees % 2;
    let mut term = 1.0;
    let mut sum = 0.0;
    for k in 1..=degrees / 2 {
        sum += term;
        let (above, below) = (2 * k - 1 + odd, 2 * k + odd);
        term *= cosine * cosine * f64::from(above) / f64::from(below);
    }
    if odd == 1 { (angle + sine * cosine * sum) * std::f64::consts::FRAC_2_PI } else { sine * sum }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_the_tables() {
        // t(0.995) of 1, 2, 4, 19, 39 degrees of freedom.
        for (degrees, expected) in [(1, 63.657), (2, 9.925), (4, 4.604), (19, 2.861), (39, 2.708)] {
            assert!((within(0.99, degrees) - expected).abs() < 1e-3, "{degrees}");
        }
        // t(0.975).
        for (degrees, expected) in [(1, 12.706), (4, 2.776), (9, 2.262), (31, 2.0395), (199, 1.972)] {
            assert!((within(0.95, degrees) - expected).abs() < 1e-3, "{degrees}");
        }
    }

    #[test]
    fn many_observations_are_as_good_as_normal() {
        assert!((within(0.95, 1 << 40) - 1.959_964).abs() < 3e-4);
        assert!(within(0.95, 0).is_infinite());
    }
}
