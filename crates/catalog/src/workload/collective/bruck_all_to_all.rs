//! # Idea
//! Blocks travel in hops of powers of two: in round k every rank hands the blocks whose distance still to go has bit k
//! set to the rank 2^k further on, all in one message.
//!
//! # Source
//! Bruck, Ho, Kipnis, Upfal, Weathersby, "Efficient Algorithms for All-to-All Communications in Multiport
//! Message-Passing Systems", IEEE TPDS 1997.
//!
//! # Parameters
//! None.
//!
//! # Invariants
//! ceil(log2 n) rounds, each a shift. A block of distance d is sent as often as d has bits: with n a power of two a rank
//! sends S / 2 in every round, S log2(n) / 2 in all, and n - 1 messages become log2 n. Round k + 1 of a member waits for
//! its round k.
//!
//! # When it misleads
//! Made for small messages: for large ones it sends up to log2(n) / 2 times the bytes of the other all-to-alls. `busbw`
//! counts a block once. Copies that collect blocks inside a rank are not counted. With `dependent: false` a member
//! forwards blocks that it does not have.

use netloom_units::{Settings, Spec};

use super::exchange::{self, Exchange};
use super::{Algorithm, Demand, Factor, Frame, Posted, Step};

/// The specification.
pub static SPEC: Spec = Spec {
    name: "bruck_all_to_all",
    summary: "all-to-all in log2 n steps that forward blocks",
    source: "Bruck et al., IEEE TPDS 1997",
    parameters: &[],
};

/// The plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BruckAllToAll {
    frame: Frame,
}

impl BruckAllToAll {
    fn n_rounds(&self) -> u32 {
        self.frame.n_ranks.next_power_of_two().ilog2()
    }

    /// Size of what a member sends in a round: of the blocks that began with a distance d, bit k of it set, those of the
    /// lower bits have been travelled. So 2^k blocks go to each member that is an odd multiple of 2^k away, except the
    /// last one, where d ends at n - 1.
    fn bytes(&self, position: u32, round: u32) -> u64 {
        let (n, hop) = (u64::from(self.frame.n_ranks), 1_u64 << round);
        // Odd multiples of the hop below n, at least one.
        let n_targets = ((n - 1) / hop).div_ceil(2);
        let last = (2 * n_targets - 1) * hop;
        let n_last = hop.min(n - last);
        let n_blocks = (n_targets - 1) * hop + n_last;
        let larger = self.frame.size % n;
        let n_larger = hop * self.n_in_larger(position, hop, n_targets - 1, larger)
            + n_last * u64::from((u64::from(position) + last) % n < larger);
        n_blocks * (self.frame.size / n) + n_larger
    }

    /// Of the first `n_targets` members that are odd multiples of the hop away, the number of those below `larger`.
    fn n_in_larger(&self, position: u32, hop: u64, n_targets: u64, larger: u64) -> u64 {
        let n = u64::from(self.frame.n_ranks);
        // Number of targets that lie before `end`, counted from position 0 on without wrapping.
        let before = |end: u64| end.saturating_sub(u64::from(position)).div_ceil(hop) / 2;
        let before = |end: u64| before(end).min(n_targets);
        before(larger) + before(n + larger) - before(n)
    }

    fn exchange(&self, position: u32, round: u32) -> Exchange {
        let (to, from) = (self.frame.after(position, 1 << round), self.frame.before(position, 1 << round));
        Exchange { sent: (to, self.bytes(position, round)), received: (from, self.bytes(from, round)) }
    }
}

impl Algorithm for BruckAllToAll {
    fn new(frame: Frame, _: &Settings) -> Result<Self, String> {
        Ok(BruckAllToAll { frame })
    }

    fn operation(&self, position: u32, index: u64) -> Option<Step> {
        exchange::operation(&self.frame, index, self.n_tags(), |round| self.exchange(position, round))
    }

    fn n_tags(&self) -> u64 {
        self.n_rounds().into()
    }

    fn bus_factor(&self) -> Factor {
        Factor::of_others(self.frame.n_ranks)
    }

    fn demand(&self) -> Demand {
        Demand::Pairs
    }

    fn total_bytes(&self) -> u128 {
        let n = u128::from(self.frame.n_ranks);
        // Of the distances 0 to n - 1, the number of those with bit k set.
        let with_bit =
            |round: u32| (n >> (round + 1) << round) + (n % (2 << round)).saturating_sub(1 << round);
        (0..self.n_rounds()).map(with_bit).sum::<u128>() * u128::from(self.frame.size)
    }

    fn sends_first(&self) -> bool {
        !self.frame.dependent
    }

    fn lists_receives(&self) -> bool {
        self.frame.dependent
    }

    fn posted(&self, position: u32, index: u64, number: u32) -> Option<Posted> {
        exchange::posted(index, number, self.n_tags(), |round| self.exchange(position, round))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closed_form_counts_the_blocks() {
        for (n_ranks, size) in (1..40).flat_map(|n| [0, 1, 7, 33, 1000].map(|size| (n, size))) {
            let plan = BruckAllToAll { frame: Frame { n_ranks, size, dependent: true } };
            for (position, round) in
                (0..n_ranks).flat_map(|position| (0..plan.n_rounds()).map(move |round| (position, round)))
            {
                let has_bit = |distance: &u32| distance >> round & 1 == 1;
                let to_go = |distance: u32| plan.frame.after(position, distance >> round << round);
                let blocks = (0..n_ranks).filter(has_bit).map(|distance| plan.frame.part(to_go(distance)));
                assert_eq!(
                    plan.bytes(position, round),
                    blocks.sum::<u64>(),
                    "n {n_ranks} size {size} position {position}"
                );
            }
        }
    }

    #[test]
    fn every_block_arrives() {
        for n_ranks in 1..40_u32 {
            let plan = BruckAllToAll { frame: Frame { n_ranks, size: 1 << 20, dependent: true } };
            // Pairs of source and destination, by the member that has them.
            let mut held: Vec<Vec<(u32, u32)>> =
                (0..n_ranks).map(|from| (0..n_ranks).map(|to| (from, to)).collect()).collect();
            for round in 0..plan.n_rounds() {
                let mut next = vec![Vec::new(); n_ranks as usize];
                for (position, blocks) in (0_u32..).zip(held) {
                    for (from, to) in blocks {
                        let distance = plan.frame.before(to, from);
                        let moves = distance >> round & 1 == 1;
                        let at = if moves { plan.frame.after(position, 1 << round) } else { position };
                        next[at as usize].push((from, to));
                    }
                }
                held = next;
            }
            for (position, blocks) in (0_u32..).zip(held) {
                assert!(
                    blocks.len() == n_ranks as usize && blocks.iter().all(|&(_, to)| to == position),
                    "{n_ranks}"
                );
            }
        }
    }
}
