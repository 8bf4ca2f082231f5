//! Two properties of Python that decide paths: how it prints a float and how it reduces a hash.
//!
//! Models: `repr` of a finite float, `hash` of a non-negative integer of 64 bits.
//! Leaves out: infinities and not-a-number, for which no label exists; negative integers.
//! Source: specification of the seed simulator, section 5; Python language reference, `float.__repr__` and numeric
//! hashing.

/// The shortest decimal that reads back as the same double, laid out as Python does.
pub fn float_repr(value: f64) -> String {
    assert!(value.is_finite(), "{value} has no decimal");
    let scientific = format!("{value:e}");
    let (mantissa, exponent) = scientific.split_once('e').expect("`{:e}` prints an exponent");
    let exponent: i32 = exponent.parse().expect("`{:e}` prints an integer exponent");
    let plain = (-4..16).contains(&exponent) || value == 0.0;
    if plain {
        // `Display` never uses exponents; `Debug` does, but its thresholds differ from Python's.
        let digits = format!("{value}");
        return if digits.contains('.') { digits } else { digits + ".0" };
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.abs())
}

/// Python's hash of a 64-bit unsigned integer: itself when it fits a signed word, else its remainder by 2^61 - 1.
pub fn folded_hash(value: u64) -> u64 {
    const MODULUS: u64 = (1 << 61) - 1;
    if value < 1 << 63 { value } else { value % MODULUS }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_print_as_in_python() {
        let expected = [
            (0.0, "0.0"),
            (1.0, "1.0"),
            (100.0, "100.0"),
            (0.1 + 0.2, "0.30000000000000004"),
            (10.000_999_999_999_896, "10.000999999999896"),
            (0.0001, "0.0001"),
            (0.000_15, "0.00015"),
            (0.000_099_9, "9.99e-05"),
            (75.0 * 1e-6, "7.5e-05"),
            (1e-5, "1e-05"),
            (2.5e-7, "2.5e-07"),
            (1e-100, "1e-100"),
            (123_456_789_012_345.6, "123456789012345.6"),
            (1e15, "1000000000000000.0"),
            (9_999_999_999_999_998.0, "9999999999999998.0"),
            (1e16, "1e+16"),
            (1.5e300, "1.5e+300"),
            (-2.5, "-2.5"),
            (5e-324, "5e-324"),
        ];
        for (value, text) in expected {
            assert_eq!(float_repr(value), text);
        }
    }

    #[test]
    fn only_hashes_beyond_a_signed_word_are_reduced() {
        assert_eq!(folded_hash((1 << 63) - 1), (1 << 63) - 1);
        assert_eq!(folded_hash(1 << 63), 4);
        assert_eq!(folded_hash(13_703_080_467_441_859_352), 2_173_865_421_373_389_597);
    }
}
