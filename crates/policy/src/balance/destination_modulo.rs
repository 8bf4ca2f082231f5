//! How destinations are distributed over next hops by their numbers.
//!
//! Models: the number of a destination among all hosts, divided by a constant per tier, so that every tier of a tree
//! uses a digit of its own; modulo the number of next hops it gives the next hop.
//! Leaves out: which hosts are below a node and the divisor of the tiers below it; the routing computes them.
//!
//! Invariants: stateless; consecutive hosts map to consecutive next hops, or to the same one.

use std::num::NonZeroU32;

use netloom_units::HostId;

/// See the module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DestinationModulo {
    /// The hosts below this node: the first one, and their number.
    below: (u32, u32),
    /// Number of consecutive hosts that share a turn, among those below and among all others.
    divisors: [NonZeroU32; 2],
}

impl DestinationModulo {
    /// Every host separately.
    pub const PLAIN: DestinationModulo = DestinationModulo { below: (0, 0), divisors: [NonZeroU32::MIN; 2] };

    /// Hosts in `below` (the first one, and their number) separately; all others in blocks of `divisor`.
    pub fn upwards(below: (u32, u32), divisor: u32) -> DestinationModulo {
        DestinationModulo { below, divisors: [NonZeroU32::MIN, at_least_one(divisor)] }
    }

    /// All hosts are below, in blocks of `divisor`.
    pub fn downwards(divisor: u32) -> DestinationModulo {
        DestinationModulo { below: (0, u32::MAX), divisors: [at_least_one(divisor); 2] }
    }

    /// The turn of a destination; the caller takes it modulo the number of next hops.
    #[inline]
    pub fn turn(&self, destination: HostId) -> usize {
        let (first, count) = self.below;
        let is_elsewhere = destination.0.wrapping_sub(first) >= count;
        (destination.0 / self.divisors[usize::from(is_elsewhere)]) as usize
    }
}

fn at_least_one(divisor: u32) -> NonZeroU32 {
    NonZeroU32::new(divisor).unwrap_or(NonZeroU32::MIN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_below_are_distributed_singly_and_others_in_blocks() {
        let deal = DestinationModulo::upwards((8, 4), 3);
        let turns =
            |hosts: std::ops::Range<u32>| hosts.map(|host| deal.turn(HostId(host))).collect::<Vec<_>>();
        assert_eq!(turns(8..12), [8, 9, 10, 11]);
        assert_eq!((turns(0..8), turns(12..16)), (vec![0, 0, 0, 1, 1, 1, 2, 2], vec![4, 4, 4, 5]));
        assert_eq!(DestinationModulo::downwards(4).turn(HostId(11)), 2);
        assert_eq!(DestinationModulo::PLAIN.turn(HostId(11)), 11);
    }
}
