//! Packet sequence numbers of 24 bits, as carried in packets.
//!
//! Invariants: a number means the position nearest to a known one; less than half of all numbers are in flight.

/// A packet sequence number: 24 bits that wrap (`InfiniBand` architecture specification, base transport header).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Psn(u32);

impl Psn {
    /// The number of sequence numbers.
    pub const COUNT: u64 = 1 << 24;

    /// The number of a position, on a queue pair that begins with `first`.
    #[inline]
    pub fn of(position: u64, first: u32) -> Psn {
        Psn(((position + u64::from(first)) % Psn::COUNT) as u32)
    }

    /// From the bits in a packet; higher bits are ignored.
    #[inline]
    pub fn from_bits(bits: u32) -> Psn {
        Psn(bits & (Psn::COUNT as u32 - 1))
    }

    /// The bits in a packet.
    #[inline]
    pub fn bits(self) -> u32 {
        self.0
    }

    /// The position nearest to a known one that has this number.
    #[inline]
    pub fn position(self, near: u64, first: u32) -> u64 {
        let behind = u64::from(self.0.wrapping_sub(Psn::of(near, first).0)) % Psn::COUNT;
        if behind < Psn::COUNT / 2 { near + behind } else { (near + behind).saturating_sub(Psn::COUNT) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_survive_the_wrap() {
        let first = 0xff_fff0;
        for near in [0_u64, 15, 16, 1 << 24, (1 << 24) + 5, 3 << 24] {
            for away in [-9_i64, -1, 0, 1, 16, 40, 1 << 22] {
                let Some(position) = near.checked_add_signed(away) else { continue };
                assert_eq!(Psn::of(position, first).position(near, first), position, "{near} {away}");
            }
        }
        assert_eq!(Psn::of(16, first).bits(), 0);
        assert_eq!(Psn::from_bits(0x01ff_fff0), Psn::of(0, first));
    }
}
