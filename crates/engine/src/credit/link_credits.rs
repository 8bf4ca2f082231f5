//! State of the sender of a link with credits: its credits, those in flight back to it, and packets that will start.
//!
//! Models: at a port of a switch whose starts need not be seen, the start of a staged packet is known as soon as
//! credits suffice for it: the wire's next free instant. Such a packet goes onto the link at once, and what it holds
//! until its start, buffer space and bytes of data, is freed when the port is next accessed.
//! Leaves out: which packet is next (`arbiter.rs`), the wire (`port/credit.rs`).
//!
//! Invariants: departures are in order of their starts.

use std::collections::VecDeque;

use super::{CreditCounters, ReturnQueue};
use crate::packet::Packet;

/// A packet that is on the link already, and starts later.
#[derive(Debug, Clone, Copy)]
struct PrecomputedStart {
    /// When it starts, in ps.
    start: u64,
    bytes: u32,
    is_data: bool,
}

/// See the module. What every packet needs comes first.
#[repr(C, align(64))]
pub struct LinkCredits {
    /// Bytes after which packets count as arrived (cut-through), `u32::MAX` for all of them.
    pub cut_through: u32,
    /// Whether starts may be computed when packets are staged.
    pub precomputes_starts: bool,
    /// Whether the only effect of starts at a NIC is that credits are spent.
    pub only_spends: bool,
    /// Bytes of the departures.
    ahead_bytes: u64,
    /// Free buffer space at the other end.
    pub counters: CreditCounters,
    /// Packets that will start.
    departures: VecDeque<PrecomputedStart>,
    /// Credits in flight back to a port of a switch.
    pub returned: Option<ReturnQueue>,
}

impl LinkCredits {
    /// A link on which nothing has been sent.
    pub fn new(counters: CreditCounters) -> LinkCredits {
        LinkCredits {
            counters,
            returned: None,
            cut_through: u32::MAX,
            precomputes_starts: false,
            only_spends: false,
            departures: VecDeque::new(),
            ahead_bytes: 0,
        }
    }

    /// Counts the credits that have come back by `now`; returns whether they suffice for a packet.
    #[inline(never)]
    pub fn read_returned(&mut self, now: u64, packet: &Packet) -> bool {
        self.returned.as_mut().is_some_and(|returned| {
            returned.read(now, &mut self.counters);
            self.counters.suffices(packet)
        })
    }

    /// Bytes of packets that will start.
    #[inline]
    pub fn ahead_bytes(&self) -> u64 {
        self.ahead_bytes
    }

    /// The next start of these packets, `u64::MAX` for none.
    #[inline]
    pub fn next_departure(&self) -> u64 {
        self.departures.front().map_or(u64::MAX, |departure| departure.start)
    }

    /// Adds a packet that will start.
    #[inline]
    pub fn depart(&mut self, start: u64, bytes: u32, is_data: bool) {
        self.departures.push_back(PrecomputedStart { start, bytes, is_data });
        self.ahead_bytes += u64::from(bytes);
    }

    /// Removes packets that start before `until`; returns the bytes of data among them.
    #[inline]
    pub fn pass_departures(&mut self, until: u64) -> u64 {
        let mut data = 0;
        while let Some(&PrecomputedStart { start, bytes, is_data }) = self.departures.front()
            && start < until
        {
            self.departures.pop_front();
            self.ahead_bytes -= u64::from(bytes);
            data += if is_data { u64::from(bytes) } else { 0 };
        }
        data
    }

    /// Bytes of packets that start at `now` or later.
    pub fn ahead_at(&self, now: u64) -> u64 {
        let later = self.departures.iter().filter(|departure| departure.start >= now);
        later.map(|departure| u64::from(departure.bytes)).sum()
    }
}

#[cfg(test)]
mod tests {
    use netloom_model::{Credits, Forwarding, InputOrder};
    use netloom_units::{Bytes, Duration};

    use super::*;

    #[test]
    fn credits_held_until_a_start_are_released_at_the_start() {
        let credits = Credits {
            buffer: Bytes(1 << 16),
            vls: [0; 8],
            n_steps: 1,
            order: InputOrder::Voq,
            speedup: 2,
            output_buffer: Bytes(1 << 14),
            forwarding: Forwarding::StoreAndForward,
            latency: Duration::ZERO,
            is_ideal: false,
        };
        let mut link = LinkCredits::new(CreditCounters::new(&credits));
        assert_eq!(link.next_departure(), u64::MAX);
        link.depart(10, 1_000, true);
        link.depart(30, 64, false);
        link.depart(40, 500, true);
        assert_eq!((link.ahead_bytes(), link.ahead_at(30), link.next_departure()), (1_564, 564, 10));
        assert_eq!(link.pass_departures(30), 1_000, "a packet that starts at this instant is still here");
        assert_eq!((link.ahead_bytes(), link.next_departure()), (564, 30));
        assert_eq!(link.pass_departures(41), 500);
        assert_eq!((link.ahead_bytes(), link.next_departure()), (0, u64::MAX));
    }
}
