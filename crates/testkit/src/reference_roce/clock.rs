//! The heap of events and its order.
//!
//! Models: a clock in integer picoseconds that jumps from event to event.
//! Leaves out: cancelling; the handler of an event checks whether it is still valid.
//! Invariant: at one instant the order is that of [`Event`]'s variants, then node, then index (the in-link of an
//! arrival, the egress of credits, the message, the queue pair, the port), then scheduling.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::fabric::{NodeIdx, PortIdx};
use super::packet::Packet;
use super::scene::{Lane, MessageIdx};

/// Number of a queue pair at its sender, in the order of creation.
pub(super) type Slot = usize;

/// All events. The order of the variants is the order of events at one instant.
#[derive(Debug)]
pub(super) enum Event {
    /// A packet arrives: its last bit or, where switches cut through, enough of it to be forwarded.
    Arrival { node: NodeIdx, port: PortIdx, packet: Packet },
    /// Credits of a VL return to the sender of a link.
    Credit { node: NodeIdx, port: PortIdx, lane: Lane, blocks: u64 },
    /// A packet has left the buffer of an ingress.
    Departure { node: NodeIdx, ingress: PortIdx },
    /// A message is handed to its host.
    Post { node: NodeIdx, message: MessageIdx },
    /// The timer of alpha.
    Alpha { node: NodeIdx, slot: Slot },
    /// The check for a decrease.
    Decrease { node: NodeIdx, slot: Slot },
    /// The timer of the increase.
    Increase { node: NodeIdx, slot: Slot },
    /// No progress.
    Timeout { node: NodeIdx, slot: Slot },
    /// A port checks whether it can start a packet.
    Start { node: NodeIdx, port: PortIdx },
    /// A switch with a crossbar arbitrates.
    Arbitration { node: NodeIdx },
}

impl Event {
    /// Class, node and index.
    fn rank(&self) -> (u8, usize, usize) {
        match *self {
            Event::Arrival { node, port, .. } => (0, node, port),
            Event::Credit { node, port, .. } => (1, node, port),
            Event::Departure { node, ingress } => (2, node, ingress),
            Event::Post { node, message } => (3, node, message),
            Event::Alpha { node, slot } => (4, node, slot),
            Event::Decrease { node, slot } => (5, node, slot),
            Event::Increase { node, slot } => (6, node, slot),
            Event::Timeout { node, slot } => (7, node, slot),
            Event::Start { node, port } => (8, node, port),
            Event::Arbitration { node } => (9, node, 0),
        }
    }

    /// Whether it recurs for ever, so that the run need not continue for it.
    fn is_tick(&self) -> bool {
        matches!(self, Event::Alpha { .. } | Event::Decrease { .. } | Event::Increase { .. })
    }
}

struct Scheduled {
    key: (u64, (u8, usize, usize), u64),
    event: Event,
}

/// The current time and all pending events.
#[derive(Default)]
pub(super) struct Clock {
    now: u64,
    n_scheduled: u64,
    /// Pending events that are no ticks.
    n_reasons: usize,
    heap: BinaryHeap<Reverse<Scheduled>>,
}

impl Clock {
    pub(super) fn now(&self) -> u64 {
        self.now
    }

    pub(super) fn schedule(&mut self, at: u64, event: Event) {
        assert!(at >= self.now, "{event:?} at {at} comes too late at {}", self.now);
        self.n_reasons += usize::from(!event.is_tick());
        self.heap.push(Reverse(Scheduled { key: (at, event.rank(), self.n_scheduled), event }));
        self.n_scheduled += 1;
    }

    /// The next event, unless only ticks are left or it is after the deadline.
    pub(super) fn advance(&mut self, deadline: u64) -> Option<Event> {
        if self.n_reasons == 0 {
            return None;
        }
        let Reverse(next) = self.heap.pop().filter(|next| next.0.key.0 <= deadline)?;
        self.n_reasons -= usize::from(!next.event.is_tick());
        self.now = next.key.0;
        Some(next.event)
    }
}

impl Ord for Scheduled {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key.cmp(&other.key)
    }
}

impl PartialOrd for Scheduled {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Scheduled {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl Eq for Scheduled {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_of_one_instant_have_a_defined_order() {
        let mut clock = Clock::default();
        clock.schedule(5, Event::Arbitration { node: 0 });
        clock.schedule(5, Event::Start { node: 0, port: 0 });
        clock.schedule(5, Event::Departure { node: 0, ingress: 0 });
        clock.schedule(5, Event::Credit { node: 1, port: 0, lane: 0, blocks: 1 });
        clock.schedule(5, Event::Increase { node: 0, slot: 0 });
        clock.schedule(5, Event::Timeout { node: 0, slot: 0 });
        clock.schedule(5, Event::Decrease { node: 0, slot: 0 });
        clock.schedule(5, Event::Alpha { node: 0, slot: 1 });
        clock.schedule(5, Event::Post { node: 0, message: 3 });
        clock.schedule(4, Event::Start { node: 9, port: 1 });
        let order: Vec<u8> = std::iter::from_fn(|| clock.advance(9)).map(|event| event.rank().0).collect();
        assert_eq!(order, [8, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    }

    #[test]
    fn a_run_with_only_ticks_pending_ends() {
        let mut clock = Clock::default();
        clock.schedule(1, Event::Alpha { node: 0, slot: 0 });
        assert!(clock.advance(9).is_none());
    }
}
