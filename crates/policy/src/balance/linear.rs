//! The hash of common switches: a CRC, linear over XOR.
//!
//! Models: CRC-16 with the polynomial of CCITT over the four bytes of a flow's hash input, the UDP source port last;
//! which of its bits select the next hop.
//! Leaves out: the header fields one by one: the upper half of the hash input represents the addresses.
//!
//! Source: CRC-16/CCITT (ITU-T V.41); that switches use such a hash, and that its linearity can be exploited, is
//! `RePaC` (Zhang et al., USENIX ATC 2021) and Themis, section 3.2. Which bits each tier takes is a modelling
//! assumption.
//!
//! Invariants: hash(a xor b) xor hash(a) is the same for every a, whatever the initial register.

/// The polynomial of CCITT without its highest bit.
const POLYNOMIAL: u16 = 0x1021;

/// The register after each byte, from zero.
static TABLE: [u16; 256] = table();

const fn table() -> [u16; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut register = (byte as u16) << 8;
        let mut bit = 0;
        while bit < 8 {
            let carried = if register & 0x8000 == 0 { 0 } else { POLYNOMIAL };
            register = (register << 1) ^ carried;
            bit += 1;
        }
        table[byte] = register;
        byte += 1;
    }
    table
}

/// The hash of one switch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinearHash {
    /// Initial value of the register.
    pub initial: u16,
    /// The lowest bit used for the choice; the bits above follow, wrapping around after the highest.
    pub shift: u32,
}

impl LinearHash {
    /// The hash of a flow, rotated so that the bits used for the choice are lowest.
    #[inline]
    pub fn hash(self, entropy: u32) -> u16 {
        let feed = |register: u16, byte: u8| {
            let index = (register >> 8) ^ u16::from(byte);
            (register << 8) ^ TABLE[usize::from(index & 0xff)]
        };
        entropy.to_be_bytes().into_iter().fold(self.initial, feed).rotate_right(self.shift)
    }

    /// The candidate for a flow. Not inlined, so that the non-linear hash does not pay for it.
    #[inline(never)]
    pub(super) fn choose(self, entropy: u32, n_candidates: usize) -> usize {
        usize::from(self.hash(entropy)) % n_candidates
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_crc_of_ccitt() {
        // Bit by bit, from a register of all ones.
        let slow = |entropy: u32| {
            (0..32).rev().fold(0xffff_u16, |register, bit| {
                let carry = register >> 15 ^ (entropy >> bit & 1) as u16;
                (register << 1) ^ (carry * POLYNOMIAL)
            })
        };
        let hash = LinearHash { initial: 0xffff, shift: 0 };
        for entropy in [0, 1, 0x3132_3334, 0xdead_beef, u32::MAX] {
            assert_eq!(hash.hash(entropy), slow(entropy));
        }
        // The published check value of CRC-16/CCITT-FALSE is over nine digits; that of the first four is this.
        assert_eq!(hash.hash(u32::from_be_bytes(*b"1234")), 0x5349);
    }

    #[test]
    fn flipping_bits_moves_every_flow_alike() {
        for flipped in [1, 0x8000, 0xbeef] {
            let moves = |initial: u16, entropy: u32| {
                let hash = LinearHash { initial, shift: 3 };
                hash.hash(entropy) ^ hash.hash(entropy ^ flipped)
            };
            let first = moves(0, 0);
            assert_ne!(first, 0);
            assert!((0..1000).all(|k: u32| moves(k as u16, k.wrapping_mul(2_654_435_761)) == first));
        }
    }
}
