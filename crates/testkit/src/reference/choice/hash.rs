//! Equal-cost multipath as in the seed simulator: XXH64 of a printed key, with a label that may change along the flow.
//!
//! Models: the label is the injection time; with flowlets of N packets it grows by 1 ahead of the packets N-1, 2N-1,
//! 3N-1 and so on, so that the first flowlet has N-1 packets.
//! Leaves out: a salt per node. The same hash decides at every hop, hence one path per (hash, candidate counts).
//! Invariant: the label is accumulated with rounding at every step, never computed by one multiplication.
//! Source: specification of the seed simulator, sections 4 and 5.

use xxhash_rust::xxh64::xxh64;

use super::super::fabric::NodeIdx;
use super::super::python::{float_repr, folded_hash};
use super::{Choice, Decision};

/// Hashes source, destination and label of a packet.
#[derive(Clone, Debug)]
pub struct EcmpHash {
    addresses: Vec<String>,
    flowlet_packets: usize,
}

impl EcmpHash {
    /// Hashes with the address of each node (by [`NodeIdx`]; only those of hosts matter) and flowlets of this number of
    /// packets, or none if zero.
    pub fn new(addresses: Vec<String>, flowlet_packets: usize) -> Self {
        EcmpHash { addresses, flowlet_packets }
    }

    /// The hash of a packet, the same at all hops.
    pub fn hash(&self, src: NodeIdx, dst: NodeIdx, injected_at: f64, packet: usize) -> u64 {
        let label = float_repr(self.label(injected_at, packet));
        let key = format!("{}:1000 -> {}:2000 (TCP), ({label})", self.addresses[src], self.addresses[dst]);
        folded_hash(xxh64(key.as_bytes(), 0))
    }

    fn label(&self, injected_at: f64, packet: usize) -> f64 {
        let n_changes = (packet + 1).checked_div(self.flowlet_packets).unwrap_or(0);
        (0..n_changes).fold(injected_at, |label, _| label + 1.0)
    }
}

impl Choice for EcmpHash {
    fn pick(&mut self, decision: &Decision<'_>) -> usize {
        let Decision { message, injected_at, packet, candidates, .. } = decision;
        let hash = self.hash(message.src, message.dst, *injected_at, *packet);
        (hash % candidates.len() as u64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Source, destination, label; hash; its remainders by 8, 32, 7 and 30. Section 15 of the specification.
    const VECTORS: [(&str, &str, f64, u64, [u64; 4]); 7] = [
        ("10.1.1.1", "10.1.2.1", 0.0, 7_292_914_937_964_499_134, [6, 30, 4, 24]),
        ("10.1.1.1", "10.1.2.1", 0.01, 1_549_218_339_747_648_708, [4, 4, 5, 18]),
        ("10.1.1.1", "10.1.2.1", 1.01, 2_131_525_043_452_203_249, [1, 17, 4, 9]),
        ("10.1.3.4", "10.1.8.2", 0.000_075_000_000_000_000_01, 4_710_738_444_009_630_354, [2, 18, 0, 24]),
        ("10.1.3.4", "10.1.8.2", 0.000_150_000_000_000_000_01, 212_508_455_550_519_605, [5, 21, 1, 5]),
        ("10.1.5.2", "10.1.5.3", 1.25, 2_173_865_421_373_389_597, [5, 29, 0, 27]),
        ("10.1.2.3", "10.1.4.1", 0.020_288_768_000_000_25, 6_673_446_086_031_565_764, [4, 4, 0, 24]),
    ];

    #[test]
    fn hashes_are_those_of_the_seed_simulator() {
        for (src, dst, label, hash, remainders) in VECTORS {
            let ecmp = EcmpHash::new(vec![src.into(), dst.into()], 0);
            assert_eq!(ecmp.hash(0, 1, label, 0), hash, "{src} -> {dst} at {label}");
            assert_eq!([8, 32, 7, 30].map(|n| hash % n), remainders);
        }
    }

    #[test]
    fn the_first_flowlet_is_one_packet_shorter() {
        let ecmp = EcmpHash::new(Vec::new(), 3);
        let labels: Vec<_> = (0..9).map(|packet| ecmp.label(0.5, packet)).collect();
        assert_eq!(labels, [0.5, 0.5, 1.5, 1.5, 1.5, 2.5, 2.5, 2.5, 3.5]);
    }
}
