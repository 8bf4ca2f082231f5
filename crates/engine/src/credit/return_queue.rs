//! Credits that come back to a port of a switch: counters in flight, read when a virtual lane (VL) runs short.
//!
//! Models: (instant, VL, blocks) in a ring beside the link. Credits cause no event while the port has enough: a port
//! reads what has come back when it lacks some, and only while it still lacks some does it wait for the next.
//! Leaves out: NICs, where each return is an event (`credit/host.rs`).
//!
//! Invariants: credits count from the instant at which they arrive, regardless of when they are read.

use super::CreditCounters;
use crate::activity::InLinkBit;
use crate::context::{PartitionContext, TimerKind};
use crate::ring::{Receiver, Sender};
use crate::round::Round;

/// Credits in flight back to the sender.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Returned {
    /// When they arrive, in ps.
    pub arrival: u64,
    /// Virtual lane.
    pub vl: u32,
    pub blocks: u32,
}

/// The port that credits come back to.
#[derive(Debug, Clone, Copy)]
pub enum Destination {
    /// In another partition, which is notified by the bit of an in-link.
    Partition(InLinkBit),
    /// In this one: the index of the node, and its local port.
    Inside { node: u32, port: u32 },
}

/// The end at the switch or host that frees buffer space.
pub struct ReturnSender {
    sender: Sender<Returned>,
    destination: Destination,
}

impl ReturnSender {
    /// An empty queue.
    pub fn new(sender: Sender<Returned>, destination: Destination) -> ReturnSender {
        ReturnSender { sender, destination }
    }

    /// Prefetches the memory of the next credits.
    #[inline(always)]
    pub fn prefetch_next(&self) {
        self.sender.prefetch_next();
    }

    /// Sends credits; the port is notified only if it waits for some.
    #[inline(always)]
    pub fn push(&mut self, returned: Returned, context: &mut PartitionContext, round: &Round) {
        context.credits_until = context.credits_until.max(returned.arrival);
        self.sender.push(returned);
        if self.sender.is_awaited() {
            self.announce(returned.arrival, context, round);
        }
    }

    #[inline(never)]
    fn announce(&self, arrival: u64, context: &mut PartitionContext, round: &Round) {
        match self.destination {
            Destination::Partition(index) => round.activity.announce(index, arrival),
            Destination::Inside { node, port } => {
                context.set_timer(arrival, node, TimerKind::Credits { port });
            }
        }
    }
}

/// The end at the port that spends the credits.
pub struct ReturnQueue {
    receiver: Receiver<Returned>,
    /// The in-link whose bit announces them, where they come from another partition.
    link: Option<u32>,
    /// Whether the port waits for the next entry.
    is_awaited: bool,
}

impl ReturnQueue {
    /// An empty queue.
    pub fn new(receiver: Receiver<Returned>, link: Option<u32>) -> ReturnQueue {
        ReturnQueue { receiver, link, is_awaited: false }
    }

    /// Adds the credits that have arrived by `now` to the counters.
    pub fn read(&mut self, now: u64, counters: &mut CreditCounters) {
        while let Some(&Returned { arrival, vl, blocks }) = self.receiver.peek()
            && arrival <= now
        {
            counters.replenish(vl as usize, blocks);
            self.receiver.drop_first();
        }
    }

    /// When the next credits arrive, if some are known to be in flight.
    pub fn next_arrival(&mut self) -> Option<u64> {
        self.receiver.peek().map(|returned| returned.arrival)
    }

    /// As [`ReturnQueue::next_arrival`]; where none are known, the port will be notified of the next ones.
    pub fn wait(&mut self, context: &mut PartitionContext) -> Option<u64> {
        let next = self.next_arrival();
        if next.is_none() && !self.is_awaited {
            self.set_awaited(true);
            // Credits pushed before the sender sees that are found by a check at the start of the next window.
            context.credit_links.extend(self.link);
        }
        next
    }

    /// The port no longer waits.
    pub fn stop_waiting(&mut self) {
        if self.is_awaited {
            self.set_awaited(false);
        }
    }

    fn set_awaited(&mut self, is_awaited: bool) {
        self.is_awaited = is_awaited;
        self.receiver.set_awaited(is_awaited);
    }

    /// All credits that have not been read.
    pub fn unread(&self) -> Vec<Returned> {
        let mut unread = Vec::new();
        self.receiver.for_each(|&returned| unread.push(returned));
        unread
    }
}

#[cfg(test)]
mod tests {
    use netloom_model::{Credits, Forwarding, InputOrder};
    use netloom_units::{Bytes, Duration, Random};

    use super::*;
    use crate::ring::ring;

    fn credits() -> Credits {
        Credits {
            buffer: Bytes(1 << 16),
            vls: [0; 8],
            n_steps: 2,
            order: InputOrder::Voq,
            speedup: 1,
            output_buffer: Bytes(0),
            forwarding: Forwarding::StoreAndForward,
            latency: Duration::ZERO,
            is_ideal: false,
        }
    }

    #[test]
    fn credits_count_from_their_arrival_regardless_of_reads() {
        let mut random = Random::stream(5, 6, 7);
        let (mut often, mut seldom) = (CreditCounters::new(&credits()), CreditCounters::new(&credits()));
        let ((mut sender, receiver), (mut other_sender, other_receiver)) = (ring(), ring());
        let mut queues = [ReturnQueue::new(receiver, None), ReturnQueue::new(other_receiver, None)];
        let (mut arrival, mut expected) = (0, often.blocks().to_vec());
        for _ in 0..500 {
            arrival += u64::from(random.below(3));
            let returned = Returned { arrival, vl: random.below(2), blocks: 1 + random.below(65) };
            sender.push(returned);
            other_sender.push(returned);
            expected[returned.vl as usize] += returned.blocks;
            queues[0].read(arrival.saturating_sub(20), &mut often);
        }
        assert_ne!(often.blocks(), expected, "credits that have not arrived do not count");
        queues[0].read(arrival, &mut often);
        queues[1].read(arrival, &mut seldom);
        assert_eq!((often.blocks(), seldom.blocks()), (&expected[..], &expected[..]));
        assert!(queues.iter_mut().all(|queue| queue.next_arrival().is_none()));
    }
}
