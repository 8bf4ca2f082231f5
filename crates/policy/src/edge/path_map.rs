//! Selecting a path at the edge: which bits of the UDP source port to flip so that switches with linear hashes send a
//! packet along another path.
//!
//! Models: several tiers of switches that each choose among a power of two of next hops by some bits of a hash that is
//! linear over XOR, and the table of patterns, one per offset of the path.
//! Leaves out: hashes that are not linear, such as the default hash of `ecmp`: for these no such table exists.
//!
//! Source: Themis, section 3.2, after `RePaC` (Zhang et al., USENIX ATC 2021): for a linear hash, H(k xor x) xor H(k)
//! is the same for all flows k. The construction by elimination is a modelling assumption. Offsets compose by XOR and
//! not, as in equation 1 of the paper, by addition modulo the number of paths; which packets share a path is the same.
//!
//! Invariants: for every flow, the pattern of offset d moves the path index by XOR d; offset 0 is the empty pattern.

use std::fmt;

use crate::balance::linear::LinearHash;

/// One tier of switches with a choice: all have the same hash function, but for its initial value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tier {
    /// Its hash.
    pub hash: LinearHash,
    /// Number of hash bits that choose, at most 16: there are 2^bits next hops.
    pub bits: u32,
}

impl Tier {
    /// The next hop of a flow.
    pub fn choose(&self, entropy: u32) -> u16 {
        (u32::from(self.hash.hash(entropy)) & ((1 << self.bits) - 1)) as u16
    }
}

/// The path of a flow: the choices of all tiers, that of the first one in the lowest bits.
pub fn path(tiers: &[Tier], entropy: u32) -> u32 {
    let join = |(path, shift): (u32, u32), tier: &Tier| {
        (path | u32::from(tier.choose(entropy)) << shift, shift + tier.bits)
    };
    tiers.iter().fold((0, 0), join).0
}

/// Bits of a UDP source port, the lowest ones of a flow's hash input.
const PORT_BITS: u32 = 16;

/// Why no table exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unreachable {
    /// The bits of the source port change fewer bits of the path than it has.
    Rank {
        /// Number of independent bits that they change.
        rank: u32,
        /// Number of bits of the path.
        needed: u32,
    },
    /// The path has more bits than a port.
    Bits,
}

impl fmt::Display for Unreachable {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unreachable::Rank { rank, needed } => write!(
                formatter,
                "the source port reaches 2^{rank} of 2^{needed} paths: the tiers use dependent hash bits"
            ),
            Unreachable::Bits => formatter.write_str("a path has more bits than the source port has"),
        }
    }
}

/// Patterns for the source port, one per offset of the path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathMap {
    patterns: Vec<u16>,
}

/// The effect of a pattern of port bits on the path.
#[derive(Debug, Clone, Copy)]
struct Move {
    offset: u32,
    pattern: u16,
}

impl PathMap {
    /// The table for these tiers.
    ///
    /// # Errors
    /// If some path cannot be reached.
    pub fn new(tiers: &[Tier]) -> Result<PathMap, Unreachable> {
        let needed = tiers.iter().map(|tier| tier.bits).sum();
        if needed > PORT_BITS {
            return Err(Unreachable::Bits);
        }
        let basis = basis(tiers);
        let rank = basis.len() as u32;
        if rank < needed {
            return Err(Unreachable::Rank { rank, needed });
        }
        let pattern = |offset: u32| {
            let used = basis.iter().filter(|entry| offset & highest(entry.offset) != 0);
            used.fold(0, |pattern, entry| pattern ^ entry.pattern)
        };
        Ok(PathMap { patterns: (0..1 << needed).map(pattern).collect() })
    }

    /// The number of paths, a power of two.
    pub fn n_paths(&self) -> u32 {
        self.patterns.len() as u32
    }

    /// The bits of the source port to flip in a packet with this sequence number: they XOR the path index with the
    /// number modulo the number of paths.
    #[inline]
    pub fn pattern(&self, psn: u32) -> u32 {
        u32::from(self.patterns[psn as usize & (self.patterns.len() - 1)])
    }
}

/// The highest bit of a number that is not zero.
fn highest(offset: u32) -> u32 {
    1 << offset.ilog2()
}

/// Moves that each have their own highest bit, set in no other (reduced echelon form, by Gauss and Jordan).
fn basis(tiers: &[Tier]) -> Vec<Move> {
    let still = path(tiers, 0);
    let mut basis: Vec<Move> = Vec::new();
    for bit in (0..PORT_BITS).map(|bit| 1_u16 << bit) {
        let moved = path(tiers, u32::from(bit));
        let mut new = Move { offset: moved ^ still, pattern: bit };
        for entry in &basis {
            if new.offset & highest(entry.offset) != 0 {
                new = new.and(*entry);
            }
        }
        if new.offset == 0 {
            continue;
        }
        for entry in &mut basis {
            if entry.offset & highest(new.offset) != 0 {
                *entry = entry.and(new);
            }
        }
        basis.push(new);
    }
    basis
}

impl Move {
    /// Both moves combined.
    fn and(self, other: Move) -> Move {
        Move { offset: self.offset ^ other.offset, pattern: self.pattern ^ other.pattern }
    }
}

#[cfg(test)]
mod tests {
    use netloom_units::Random;

    use super::*;

    const fn hash(shift: u32) -> LinearHash {
        LinearHash { initial: 0xffff, shift }
    }

    /// Two tiers with a choice, as in a fat tree of k ports: k / 2 next hops each.
    fn fat_tree(k: u32, shift: u32) -> [Tier; 2] {
        let bits = (k / 2).ilog2();
        [Tier { hash: hash(0), bits }, Tier { hash: hash(shift), bits }]
    }

    #[test]
    fn every_offset_selects_its_path() {
        let mut random = Random::stream(1, 0, 0);
        for (k, n_paths) in [(8, 16), (32, 256)] {
            for tiers in [fat_tree(k, (k / 2).ilog2()), fat_tree(k, 8), fat_tree(k, 12)] {
                let map = PathMap::new(&tiers).expect("all paths can be reached");
                assert_eq!(map.n_paths(), n_paths);
                for _ in 0..300 {
                    let flow = random.next_u32();
                    let base = path(&tiers, flow);
                    let moved = |delta| path(&tiers, flow ^ map.pattern(delta));
                    assert!((0..n_paths).all(|delta| moved(delta) == base ^ delta));
                }
            }
        }
    }

    #[test]
    fn paths_are_named_for_any_initial_hash_values() {
        let map = PathMap::new(&fat_tree(8, 3)).unwrap();
        let mut random = Random::stream(2, 0, 0);
        for _ in 0..300 {
            let mut tiers = fat_tree(8, 3);
            tiers[0].hash.initial = random.next_u32() as u16;
            tiers[1].hash.initial = random.next_u32() as u16;
            let flow = random.next_u32();
            assert_eq!(path(&tiers, flow ^ map.pattern(0b1011)), path(&tiers, flow) ^ 0b1011);
        }
    }

    #[test]
    fn packets_share_a_path_if_their_numbers_agree_modulo_the_paths() {
        let tiers = fat_tree(8, 8);
        let map = PathMap::new(&tiers).unwrap();
        let flow = Random::stream(3, 0, 0).next_u32();
        let taken = |psn| path(&tiers, flow ^ map.pattern(psn));
        for psn in 0..64 {
            for other in 0..64 {
                assert_eq!(taken(psn) == taken(other), psn % 16 == other % 16);
            }
        }
    }

    #[test]
    fn a_tier_that_repeats_the_choice_of_another_is_rejected() {
        assert_eq!(PathMap::new(&fat_tree(8, 0)), Err(Unreachable::Rank { rank: 2, needed: 4 }));
        assert_eq!(PathMap::new(&fat_tree(32, 2)), Err(Unreachable::Rank { rank: 6, needed: 8 }));
    }

    #[test]
    fn only_the_source_port_is_flipped() {
        let map = PathMap::new(&fat_tree(32, 4)).unwrap();
        assert!((0..256).all(|psn| map.pattern(psn) < 1 << 16));
        assert_eq!(map.pattern(256), 0, "offset 0 is the empty pattern");
    }

    #[test]
    fn more_path_bits_than_port_bits_are_rejected() {
        let tier = Tier { hash: hash(0), bits: 9 };
        assert_eq!(PathMap::new(&[tier, tier]), Err(Unreachable::Bits));
    }
}
