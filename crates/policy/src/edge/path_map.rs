//! Naming a path from the edge: which bits of the UDP source port to flip so that switches with linear hashes send a
//! packet along another path.
//!
//! Models: hashes of flows that are linear over XOR (a CRC of 16 bits), several tiers of switches that each choose among
//! a power of two of next hops by some bits of such a hash, and the table of patterns, one per offset of the path.
//! Leaves out: hashes that are not linear, this simulator's own `ecmp` among them: there, no such table exists.
//!
//! Source: Themis, section 3.2, after `RePaC` (Zhang et al., USENIX ATC 2021): for a linear hash, H(k xor x) xor H(k) is
//! the same for all flows k. The construction by elimination is ours. Offsets compose by XOR and not, as equation 1 of
//! the paper has it, by addition modulo the number of paths; whether two packets share a path comes out the same.
//!
//! Invariants: for every flow, the pattern of offset d moves the path index by XOR d; offset 0 is the empty pattern.

use std::fmt;

/// What a switch hashes of a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FlowKey {
    /// Address of the sender.
    pub source: u32,
    /// Address of the receiver.
    pub destination: u32,
    /// Number of the protocol; 17 is UDP.
    pub protocol: u8,
    /// UDP source port: free to carry entropy.
    pub source_port: u16,
    /// UDP destination port; 4791 is `RoCE`.
    pub destination_port: u16,
}

impl FlowKey {
    /// The bytes in the order in which they are hashed.
    fn bytes(&self) -> [u8; 13] {
        let mut bytes = [0; 13];
        bytes[..4].copy_from_slice(&self.source.to_be_bytes());
        bytes[4..8].copy_from_slice(&self.destination.to_be_bytes());
        bytes[8] = self.protocol;
        bytes[9..11].copy_from_slice(&self.source_port.to_be_bytes());
        bytes[11..].copy_from_slice(&self.destination_port.to_be_bytes());
        bytes
    }
}

/// A CRC of 16 bits: linear over XOR up to a constant that follows from where it starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinearHash {
    /// The polynomial without its highest bit; `0x1021` is that of CCITT.
    pub polynomial: u16,
    /// Where the register starts: this may differ from switch to switch.
    pub initial: u16,
}

impl LinearHash {
    /// The hash of a flow.
    pub fn hash(self, key: &FlowKey) -> u16 {
        key.bytes().iter().fold(self.initial, |register, &byte| self.feed(register, byte))
    }

    fn feed(self, register: u16, byte: u8) -> u16 {
        (0..8).fold(register ^ (u16::from(byte) << 8), |register, _| {
            let carried = if register & 0x8000 == 0 { 0 } else { self.polynomial };
            (register << 1) ^ carried
        })
    }
}

/// One tier of switches that choose: all of them hash alike, but for where they start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tier {
    /// Its hash.
    pub hash: LinearHash,
    /// The lowest bit of the hash that chooses.
    pub shift: u8,
    /// How many bits choose: there are 2^bits next hops. `shift + bits` is at most 16.
    pub bits: u8,
}

impl Tier {
    /// The next hop of a flow.
    pub fn choose(&self, key: &FlowKey) -> u16 {
        let chosen = u32::from(self.hash.hash(key)) >> self.shift;
        (chosen & ((1 << self.bits) - 1)) as u16
    }
}

/// The path of a flow: the choices of all tiers, that of the first one in the lowest bits.
pub fn path(tiers: &[Tier], key: &FlowKey) -> u32 {
    let join = |(path, shift): (u32, u32), tier: &Tier| {
        (path | u32::from(tier.choose(key)) << shift, shift + u32::from(tier.bits))
    };
    tiers.iter().fold((0, 0), join).0
}

/// Why there is no table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unreachable {
    /// The bits of the source port move fewer bits of the path than it has.
    Rank {
        /// How many independent bits they move.
        rank: u32,
        /// How many bits the path has.
        needed: u32,
    },
    /// A tier chooses by bits that its hash does not have, or the path has more bits than a port.
    Bits,
}

impl fmt::Display for Unreachable {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unreachable::Rank { rank, needed } => write!(
                formatter,
                "the source port reaches 2^{rank} of 2^{needed} paths: tiers choose by dependent bits"
            ),
            Unreachable::Bits => formatter.write_str("a path has more bits than a hash or a port"),
        }
    }
}

/// Patterns for the source port, one per offset of the path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathMap {
    patterns: Vec<u16>,
}

/// What a pattern of port bits does to the path.
#[derive(Debug, Clone, Copy)]
struct Move {
    offset: u32,
    pattern: u16,
}

impl PathMap {
    /// The table for these tiers, flipping only bits of the source port that are set in `may_flip`.
    ///
    /// # Errors
    /// If some path cannot be reached.
    pub fn new(tiers: &[Tier], may_flip: u16) -> Result<PathMap, Unreachable> {
        let needed = tiers.iter().map(|tier| u32::from(tier.bits)).sum();
        if needed > 16 || tiers.iter().any(|tier| tier.shift + tier.bits > 16) {
            return Err(Unreachable::Bits);
        }
        let basis = basis(tiers, may_flip);
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

    /// The source port that moves a packet by `psn` modulo the number of paths, by XOR on the path index.
    #[inline]
    pub fn rewrite(&self, source_port: u16, psn: u32) -> u16 {
        source_port ^ self.patterns[psn as usize & (self.patterns.len() - 1)]
    }
}

/// The highest bit of a number that is not zero.
fn highest(offset: u32) -> u32 {
    1 << offset.ilog2()
}

/// Moves that each own their highest bit: it is set in no other (reduced echelon form, by Gauss and Jordan).
fn basis(tiers: &[Tier], may_flip: u16) -> Vec<Move> {
    let zero = FlowKey { source: 0, destination: 0, protocol: 0, source_port: 0, destination_port: 0 };
    let still = path(tiers, &zero);
    let mut basis: Vec<Move> = Vec::new();
    for bit in (0..16).map(|bit| 1 << bit).filter(|bit| may_flip & bit != 0) {
        let moved = path(tiers, &FlowKey { source_port: bit, ..zero });
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
    /// Both moves, one after the other.
    fn and(self, other: Move) -> Move {
        Move { offset: self.offset ^ other.offset, pattern: self.pattern ^ other.pattern }
    }
}

#[cfg(test)]
mod tests {
    use netloom_units::Random;

    use super::*;

    const CCITT: LinearHash = LinearHash { polynomial: 0x1021, initial: 0xffff };
    const ARC: LinearHash = LinearHash { polynomial: 0x8005, initial: 0x0000 };

    /// Two choosing tiers, as in a fat tree of k ports: k / 2 next hops each.
    fn fat_tree(k: u32, second: LinearHash, shift: u8) -> [Tier; 2] {
        let bits = (k / 2).ilog2() as u8;
        [Tier { hash: CCITT, shift: 0, bits }, Tier { hash: second, shift, bits }]
    }

    fn flow(random: &mut Random) -> FlowKey {
        FlowKey {
            source: random.next_u32(),
            destination: random.next_u32(),
            protocol: 17,
            source_port: random.next_u32() as u16,
            destination_port: 4791,
        }
    }

    #[test]
    fn every_offset_lands_on_its_path() {
        let mut random = Random::stream(1, 0, 0);
        for (k, n_paths) in [(8, 16), (32, 256)] {
            for tiers in
                [fat_tree(k, CCITT, 8), fat_tree(k, ARC, 3), fat_tree(k, CCITT, 12 - 2 * (k / 32) as u8)]
            {
                let map = PathMap::new(&tiers, 0xffff).expect("all paths can be reached");
                assert_eq!(map.n_paths(), n_paths);
                for _ in 0..300 {
                    let key = flow(&mut random);
                    let base = path(&tiers, &key);
                    let moved = |delta| {
                        path(&tiers, &FlowKey { source_port: map.rewrite(key.source_port, delta), ..key })
                    };
                    assert!((0..n_paths).all(|delta| moved(delta) == base ^ delta));
                }
            }
        }
    }

    #[test]
    fn switches_of_a_tier_may_start_their_hash_anywhere() {
        let map = PathMap::new(&fat_tree(8, ARC, 3), 0xffff).unwrap();
        let mut random = Random::stream(2, 0, 0);
        for _ in 0..300 {
            let mut tiers = fat_tree(8, ARC, 3);
            tiers[0].hash.initial = random.next_u32() as u16;
            tiers[1].hash.initial = random.next_u32() as u16;
            let key = flow(&mut random);
            let moved = FlowKey { source_port: map.rewrite(key.source_port, 0b1011), ..key };
            assert_eq!(path(&tiers, &moved), path(&tiers, &key) ^ 0b1011);
        }
    }

    #[test]
    fn packets_share_a_path_if_their_numbers_agree_modulo_the_paths() {
        let tiers = fat_tree(8, CCITT, 8);
        let map = PathMap::new(&tiers, 0xffff).unwrap();
        let key = flow(&mut Random::stream(3, 0, 0));
        let taken = |psn| path(&tiers, &FlowKey { source_port: map.rewrite(key.source_port, psn), ..key });
        for psn in 0..64 {
            for other in 0..64 {
                assert_eq!(taken(psn) == taken(other), psn % 16 == other % 16);
            }
        }
    }

    #[test]
    fn a_tier_that_repeats_the_choice_of_another_is_found() {
        assert_eq!(
            PathMap::new(&fat_tree(8, CCITT, 0), 0xffff),
            Err(Unreachable::Rank { rank: 2, needed: 4 })
        );
        let overlapping = fat_tree(32, CCITT, 2);
        assert_eq!(PathMap::new(&overlapping, 0xffff), Err(Unreachable::Rank { rank: 6, needed: 8 }));
    }

    #[test]
    fn only_bits_that_may_be_flipped_are() {
        // The two highest bits stay, so ports stay in the range from 49152 on.
        let map = PathMap::new(&fat_tree(32, CCITT, 8), 0x3fff).unwrap();
        assert!((0..256).all(|psn| map.rewrite(0xc000, psn) >= 0xc000));
        let few = PathMap::new(&fat_tree(32, CCITT, 8), 0x0007);
        assert_eq!(few, Err(Unreachable::Rank { rank: 3, needed: 8 }));
    }

    #[test]
    fn more_bits_than_there_are_is_an_error() {
        let tier = Tier { hash: CCITT, shift: 10, bits: 7 };
        assert_eq!(PathMap::new(&[tier], 0xffff), Err(Unreachable::Bits));
        let tier = Tier { hash: CCITT, shift: 0, bits: 9 };
        assert_eq!(PathMap::new(&[tier, tier], 0xffff), Err(Unreachable::Bits));
    }
}
