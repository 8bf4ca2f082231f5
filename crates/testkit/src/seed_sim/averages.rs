//! Means and percentiles with the roundings of the seed simulator.
//!
//! Models: sums with compensation of the rounding error, as Python's built-in sum does since 3.12; the mean as sum over
//! count; percentiles by linear interpolation on the sorted list.
//! Leaves out: other definitions of a percentile.
//! Source: specification of the seed simulator, section 11.

/// The sum, with the errors of its additions added at the end (A. Neumaier, 1974).
pub(super) fn sum(values: impl IntoIterator<Item = f64>) -> f64 {
    let (mut total, mut error) = (0.0_f64, 0.0);
    for value in values {
        let next = total + value;
        let (large, small) = if total.abs() >= value.abs() { (total, value) } else { (value, total) };
        error += (large - next) + small;
        total = next;
    }
    total + error
}

/// The arithmetic mean.
pub(super) fn mean(values: &[f64]) -> f64 {
    sum(values.iter().copied()) / values.len() as f64
}

/// The value below which `percent` of the values lie.
pub(super) fn percentile(values: &[f64], percent: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let rank = percent / 100.0 * (sorted.len() - 1) as f64;
    let fraction = rank - rank.floor();
    let low = sorted[rank.floor() as usize];
    let high = sorted[rank.ceil() as usize];
    low * (1.0 - fraction) + high * fraction
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "the test is about the last bit")]
mod tests {
    use super::*;

    #[test]
    fn sums_compensate_rounding_errors() {
        assert_eq!([sum([1e16, 1.0, 1.0, -1e16])], [2.0]);
        assert_eq!([mean(&[0.1; 10])], [0.1]);
    }

    #[test]
    fn percentiles_are_interpolated_between_neighbours() {
        let values = [4.0, 1.0, 3.0, 2.0];
        assert_eq!([0.0, 50.0, 100.0].map(|percent| percentile(&values, percent)), [1.0, 2.5, 4.0]);
        assert_eq!([7.0].map(|value| percentile(&[value], 95.0)), [7.0]);
    }
}
