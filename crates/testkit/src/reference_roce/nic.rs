//! A NIC: its queue pairs, and which of them sends next.
//!
//! Models: the instant from which a queue pair is ready, the order among ready ones, the pace.
//! Leaves out: the wire (see `wire`) and events of a queue pair (see `host`).
//! Invariants: queue pairs are in the order of creation; `since` is set exactly while there is something to send.

use std::collections::BTreeMap;

use super::clock::Slot;
use super::dcqcn::Reaction;
use super::fabric::NodeIdx;
use super::packet::{Kind, Packet, QpIdx, psn};
use super::receiver::Receiver;
use super::scene::MessageIdx;
use super::sender::Sender;

/// A queue pair, at its sender.
#[derive(Debug)]
pub(super) struct Qp {
    pub(super) number: QpIdx,
    pub(super) to: NodeIdx,
    pub(super) first_psn: u32,
    pub(super) sender: Sender,
    /// Message of each position, and whether the position ends it.
    pub(super) parts: Vec<(MessageIdx, bool)>,
    pub(super) reaction: Option<Reaction>,
    /// When the next increase is due.
    pub(super) increase_at: Option<u64>,
    /// When the timeout expires.
    pub(super) timeout_at: Option<u64>,
    /// Since when there has been something to send.
    since: Option<u64>,
    /// The earliest start of the next packet by the pace.
    pub(super) paced_until: u64,
}

impl Qp {
    pub(super) fn new(
        number: QpIdx,
        to: NodeIdx,
        first_psn: u32,
        sender: Sender,
        reaction: Option<Reaction>,
    ) -> Qp {
        Qp {
            number,
            to,
            first_psn,
            sender,
            parts: Vec::new(),
            reaction,
            increase_at: None,
            timeout_at: None,
            since: None,
            paced_until: 0,
        }
    }

    /// The data packet at a position.
    pub(super) fn data(&self, from: NodeIdx, position: u64, again: bool) -> Packet {
        let (message, last) = self.parts[position as usize];
        Packet {
            kind: Kind::Data,
            source: from,
            destination: self.to,
            qp: Some(self.number),
            message: Some(message),
            position,
            psn: psn(self.first_psn, position),
            names: None,
            bytes: self.sender.size(position),
            marked: false,
            again,
            last,
        }
    }

    /// Checks whether there is something to send, after any event at this instant.
    pub(super) fn look_again(&mut self, now: u64) {
        self.since = self.sender.candidate().map(|_| self.since.unwrap_or(now));
    }

    /// The instant from which it is ready, if it has something to send.
    pub(super) fn ready_at(&self) -> Option<u64> {
        self.since.map(|since| since.max(self.paced_until))
    }
}

/// The queue pairs of a host.
#[derive(Debug, Default)]
pub(super) struct Nic {
    /// Sending sides, in the order of creation.
    pub(super) qps: Vec<Qp>,
    /// Receiving sides, by the number of the queue pair.
    pub(super) receivers: BTreeMap<QpIdx, Receiver>,
}

impl Nic {
    /// The queue pair that became or becomes ready first, and when.
    pub(super) fn first_ready(&self) -> Option<(u64, Slot)> {
        let ready = |(slot, qp): (Slot, &Qp)| Some((qp.ready_at()?, slot));
        self.qps.iter().enumerate().filter_map(ready).min()
    }

    pub(super) fn slot(&self, number: QpIdx) -> Slot {
        let found = self.qps.iter().position(|qp| qp.number == number);
        found.expect("the queue pair of an answer exists")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference_roce::scene::Recovery;

    fn qp(number: QpIdx, n_packets: u64) -> Qp {
        let mut qp = Qp::new(number, 9, 0, Sender::new(Recovery::GoBackN), None);
        (0..n_packets).for_each(|_| qp.sender.post(100));
        qp
    }

    #[test]
    fn queue_pairs_send_in_order_of_readiness_then_of_creation() {
        let mut nic = Nic { qps: vec![qp(3, 1), qp(5, 1), qp(7, 0)], ..Nic::default() };
        nic.qps.iter_mut().for_each(|qp| qp.look_again(10));
        assert_eq!(nic.first_ready(), Some((10, 0)));
        nic.qps[0].paced_until = 12;
        assert_eq!(nic.first_ready(), Some((10, 1)));
        nic.qps[1].paced_until = 13;
        assert_eq!(nic.first_ready(), Some((12, 0)));
        assert_eq!(nic.slot(5), 1);
    }

    #[test]
    fn a_queue_pair_is_ready_since_it_first_had_something_to_send() {
        let mut qp = qp(0, 2);
        qp.look_again(10);
        qp.look_again(20);
        assert_eq!(qp.ready_at(), Some(10));
        qp.sender.sent(0);
        qp.sender.sent(1);
        qp.look_again(25);
        assert_eq!(qp.ready_at(), None);
        qp.sender.timed_out();
        qp.look_again(30);
        assert_eq!(qp.ready_at(), Some(30));
    }
}
