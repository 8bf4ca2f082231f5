//! Rounding of embedded numbers: six significant digits, which is more than a chart can show.

/// The number with six significant digits.
pub fn six_digits(number: f64) -> f64 {
    format!("{number:.5e}").parse().unwrap_or(number)
}

/// A share with four decimals: hundredths of a percent.
pub fn share(number: f64) -> f64 {
    (number * 1e4).round() / 1e4
}

/// Picoseconds as seconds.
pub fn seconds(picoseconds: f64) -> f64 {
    six_digits(picoseconds / 1e12)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn significant_digits_are_kept() {
        assert_eq!(seconds(360_512_345_678.0).to_string(), "0.360512");
        assert_eq!(six_digits(1_234_567.0).to_string(), "1234570");
        assert_eq!(six_digits(0.0).to_string(), "0");
        assert_eq!(share(0.123_456).to_string(), "0.1235");
    }
}
