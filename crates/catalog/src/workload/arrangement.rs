//! The order of the ranks in one collective, and a small cache of the orders in use.
//!
//! Models: as placed, shuffled by a random stream of the collective's own, or given.
//! Leaves out: what the order is used for.
//!
//! Invariants: all ranks of a collective see the same order, whichever rank requests it first and however late the last
//! one does; an order that was evicted is generated again, equal.

use std::collections::VecDeque;
use std::sync::Arc;

use netloom_model::Order;
use netloom_units::{Random, mix};

/// Purpose of the random streams.
const PURPOSE: u64 = 0x6f72_6465_7200;

/// The identity of a collective in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Key {
    /// Job, step, phase, bucket and its index in the bucket.
    pub(super) collective: [u32; 5],
    /// The group that it runs in; `None` of all ranks.
    pub(super) group: Option<u32>,
}

/// The order of the ranks in one collective.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Arrangement {
    /// As placed.
    Identity,
    /// By list.
    Listed {
        /// The rank at each position.
        ranks: Vec<u32>,
        /// The position of each rank.
        positions: Vec<u32>,
    },
}

impl Arrangement {
    fn listed(ranks: Vec<u32>) -> Arrangement {
        let mut positions = vec![0; ranks.len()];
        for (position, &rank) in (0_u32..).zip(&ranks) {
            positions[rank as usize] = position;
        }
        Arrangement::Listed { ranks, positions }
    }

    pub(super) fn position_of(&self, rank: u32) -> u32 {
        match self {
            Arrangement::Identity => rank,
            Arrangement::Listed { positions, .. } => positions[rank as usize],
        }
    }

    pub(super) fn rank_at(&self, position: u32) -> u32 {
        match self {
            Arrangement::Identity => position,
            Arrangement::Listed { ranks, .. } => ranks[position as usize],
        }
    }
}

/// Orders in use, the latest last.
#[derive(Debug)]
pub(super) struct Arrangements {
    seed: u64,
    capacity: usize,
    identity: Arc<Arrangement>,
    recent: VecDeque<(Key, Arc<Arrangement>)>,
}

impl Arrangements {
    /// A cache for this many orders.
    pub(super) fn new(seed: u64, capacity: usize) -> Arrangements {
        Arrangements { seed, capacity, identity: Arc::new(Arrangement::Identity), recent: VecDeque::new() }
    }

    /// The order of one collective; `sequence` counts the collectives of its job from the start of the run.
    pub(super) fn find(&mut self, key: Key, order: &Order, sequence: u64, n_ranks: u32) -> Arc<Arrangement> {
        if *order == Order::Rank {
            return Arc::clone(&self.identity);
        }
        if let Some((_, known)) = self.recent.iter().rev().find(|(other, _)| *other == key) {
            return Arc::clone(known);
        }
        let made = Arc::new(match order {
            Order::Given(lists) => {
                Arrangement::listed(lists[(sequence % lists.len() as u64) as usize].clone())
            }
            _ => Arrangement::listed(shuffled(self.seed, key, n_ranks)),
        });
        if self.recent.len() >= self.capacity {
            self.recent.pop_front();
        }
        self.recent.push_back((key, Arc::clone(&made)));
        made
    }
}

fn shuffled(seed: u64, key: Key, n_ranks: u32) -> Vec<u32> {
    // The first group has the order that all ranks would have: a group of all ranks is not another collective.
    let parts = key.collective.iter().copied().chain(key.group.filter(|&group| group > 0));
    let entity = parts.fold(0, |all, part| mix(all ^ u64::from(part)));
    let mut ranks: Vec<u32> = (0..n_ranks).collect();
    Random::stream(seed, PURPOSE, entity).shuffle(&mut ranks);
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_evicted_order_is_generated_again() {
        let mut small = Arrangements::new(7, 1);
        let key = |step| Key { collective: [0, step, 0, 0, 0], group: None };
        let first = small.find(key(0), &Order::Shuffled, 0, 50);
        let other = small.find(key(1), &Order::Shuffled, 1, 50);
        assert_ne!(first, other);
        assert_eq!(first, small.find(key(0), &Order::Shuffled, 0, 50));
        let position = first.position_of(13);
        assert_eq!(first.rank_at(position), 13);
    }

    #[test]
    fn given_orders_repeat_from_the_start() {
        let mut memory = Arrangements::new(7, 4);
        let order = Order::Given(vec![vec![1, 0], vec![0, 1]]);
        for sequence in 0..4 {
            let key = Key { collective: [0, sequence, 0, 0, 0], group: None };
            let found = memory.find(key, &order, u64::from(sequence), 2);
            assert_eq!(found.rank_at(0), (sequence + 1) % 2);
        }
    }
}
