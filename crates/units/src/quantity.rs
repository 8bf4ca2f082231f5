//! Sizes in bytes, rates in bits per second, and the exact rule that relates them: serialization.

use crate::Duration;

/// A size in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bytes(pub u64);

/// A rate in bits per second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rate(pub u64);

impl Rate {
    /// The time `size` takes on a wire of this rate: ceil(bits x 10^12 / rate), in picoseconds.
    ///
    /// Exact in integers; a whole packet never arrives early by rounding.
    ///
    /// # Panics
    /// If the rate is zero, or the result exceeds 2^64 ps.
    #[inline]
    #[must_use]
    pub fn serialization(self, size: Bytes) -> Duration {
        const PER_BYTE: u64 = 8_000_000_000_000;
        // Packets are short: 64 bits suffice.
        if let Some(bits_ps) = size.0.checked_mul(PER_BYTE) {
            return Duration(bits_ps.div_ceil(self.0));
        }
        let bits_ps = u128::from(size.0) * u128::from(PER_BYTE);
        let span = bits_ps.div_ceil(u128::from(self.0));
        Duration(u64::try_from(span).expect("serialization time exceeds 213 days"))
    }

    /// Bytes that fit into `span` at this rate, rounded down.
    #[must_use]
    pub fn bytes_in(self, span: Duration) -> Bytes {
        Bytes((u128::from(self.0) * u128::from(span.0) / 8_000_000_000_000) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn serialization_is_exact_and_rounds_up() {
        assert_eq!(Rate(400_000_000_000).serialization(Bytes(4096)), Duration(81_920));
        assert_eq!(Rate(3).serialization(Bytes(1)), Duration(2_666_666_666_667));
        assert_eq!(Rate(4_000_000_000).serialization(Bytes(32_768)), Duration(65_536_000));
    }

    #[test]
    fn bytes_in_a_span_round_down() {
        assert_eq!(Rate(8_000_000_000).bytes_in(Duration(1_999)), Bytes(1));
    }
}
