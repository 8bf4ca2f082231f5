//! The receiving side of a queue pair: accepted packets and answers.
//!
//! Models: the table of answers, coalescing, the interval between CNPs.
//! Leaves out: the transmission of answers.
//! Invariant: `expected` is the lowest position that was not accepted; no held packet is below it.

use std::collections::BTreeMap;

use super::packet::Kind;
use super::scene::{Notify, Recovery, Transport};

/// An ACK or a NACK.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Reply {
    pub(super) kind: Kind,
    /// Everything below has been accepted.
    pub(super) expected: u64,
    /// A packet that has been accepted out of order.
    pub(super) names: Option<u64>,
}

/// The receiving side of one queue pair.
#[derive(Debug, Default)]
pub(super) struct Receiver {
    expected: u64,
    /// Accepted above `expected`; whether it ends a message.
    held: BTreeMap<u64, bool>,
    /// Whether a NACK has been sent for this value of `expected`.
    complained: bool,
    /// Packets accepted since the last ACK or NACK.
    taken: u32,
    last_cnp: Option<u64>,
}

impl Receiver {
    /// Whether a packet has been accepted.
    pub(super) fn has(&self, position: u64) -> bool {
        position < self.expected || self.held.contains_key(&position)
    }

    /// The lowest position that was not accepted.
    pub(super) fn expected(&self) -> u64 {
        self.expected
    }

    /// Whether everything below a position has been accepted.
    pub(super) fn has_all_below(&self, position: u64) -> bool {
        position <= self.expected
    }

    /// A data packet arrives; returns the answer, if one is due.
    pub(super) fn data(
        &mut self,
        transport: &Transport,
        position: u64,
        last: bool,
        marked: bool,
    ) -> Option<Reply> {
        let recovery = transport.recovery;
        let kind = if self.has(position) {
            Some(Kind::Ack)
        } else if position == self.expected {
            let ends = self.take_expected(last);
            let due = ends || marked || self.taken >= transport.coalesce;
            due.then_some(Kind::Ack)
        } else {
            self.take_above(recovery, position, last)
        }?;
        self.taken = 0;
        let named = match kind {
            Kind::Ack => recovery == Recovery::Ideal,
            _ => matches!(recovery, Recovery::Irn { .. }),
        };
        Some(Reply { kind, expected: self.expected, names: named.then_some(position) })
    }

    /// Accepts the expected packet; returns whether `expected` moved past the end of a message.
    fn take_expected(&mut self, last: bool) -> bool {
        let mut ends = last;
        self.expected += 1;
        while let Some(last) = self.held.remove(&self.expected) {
            ends |= last;
            self.expected += 1;
        }
        self.complained = false;
        self.taken += 1;
        ends
    }

    /// A packet beyond the expected one that has not arrived before.
    fn take_above(&mut self, recovery: Recovery, position: u64, last: bool) -> Option<Kind> {
        if recovery != Recovery::GoBackN {
            self.held.insert(position, last);
            self.taken += 1;
        }
        match recovery {
            Recovery::Ideal => Some(Kind::Ack),
            Recovery::Irn { .. } => Some(Kind::Nack),
            Recovery::GoBackN | Recovery::NicSr => {
                let first = !std::mem::replace(&mut self.complained, true);
                first.then_some(Kind::Nack)
            }
        }
    }

    /// Whether a marked packet that arrives now is answered by a CNP.
    pub(super) fn owes_cnp(&mut self, notify: Notify, now: u64) -> bool {
        let Notify::Packet { interval } = notify else { return false };
        let owes = self.last_cnp.is_none_or(|last| now >= last + interval);
        if owes {
            self.last_cnp = Some(now);
        }
        owes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference_roce::scene::QueuePairs;

    fn transport(recovery: Recovery, coalesce: u32) -> Transport {
        let (queue_pairs, notify) = (QueuePairs::PerPair, Notify::Never);
        Transport { recovery, queue_pairs, coalesce, timeout: 1, notify }
    }

    /// The answers to unmarked packets, as "kind expected/name" or "-"; position 9 ends a message.
    fn responses(recovery: Recovery, coalesce: u32, positions: &[u64]) -> String {
        let transport = transport(recovery, coalesce);
        let mut receiver = Receiver::default();
        let mut response = |&position: &u64| {
            let Some(reply) = receiver.data(&transport, position, position == 9, false) else {
                return "-".into();
            };
            let name = reply.names.map(|name| format!("/{name}")).unwrap_or_default();
            format!("{:?} {}{name}", reply.kind, reply.expected)
        };
        positions.iter().map(&mut response).collect::<Vec<String>>().join(", ")
    }

    #[test]
    fn go_back_n_accepts_in_order_only() {
        let reported = responses(Recovery::GoBackN, 1, &[0, 2, 3, 1, 3, 0, 2]);
        assert_eq!(reported, "Ack 1, Nack 1, -, Ack 2, Nack 2, Ack 2, Ack 3");
    }

    #[test]
    fn nic_sr_sends_one_nack_per_gap() {
        let reported = responses(Recovery::NicSr, 1, &[0, 2, 3, 6, 2, 1, 7, 4, 5]);
        assert_eq!(reported, "Ack 1, Nack 1, -, -, Ack 1, Ack 4, Nack 4, Ack 5, Ack 8");
    }

    #[test]
    fn irn_names_every_packet_out_of_order() {
        let reported = responses(Recovery::Irn { window: 1, timeout_low: 1 }, 1, &[0, 2, 3, 1]);
        assert_eq!(reported, "Ack 1, Nack 1/2, Nack 1/3, Ack 4");
    }

    #[test]
    fn ideal_names_every_packet() {
        let reported = responses(Recovery::Ideal, 1, &[0, 2, 2, 1]);
        assert_eq!(reported, "Ack 1/0, Ack 1/2, Ack 1/2, Ack 3/1");
    }

    #[test]
    fn acks_are_coalesced_until_a_message_ends() {
        let reported = responses(Recovery::NicSr, 3, &[0, 1, 2, 3, 5, 6, 4, 7, 9, 8]);
        // 5 is answered by a NACK; 6 and 4 are two, 7 is the third. The gap at 8, once filled, ends the message.
        assert_eq!(reported, "-, -, Ack 3, -, Nack 4, -, -, Ack 8, Nack 8, Ack 10");
    }

    #[test]
    fn marked_packets_are_acknowledged_at_once() {
        let mut receiver = Receiver::default();
        assert_eq!(receiver.data(&transport(Recovery::GoBackN, 8), 0, false, false), None);
        let reply = Reply { kind: Kind::Ack, expected: 2, names: None };
        assert_eq!(receiver.data(&transport(Recovery::GoBackN, 8), 1, false, true), Some(reply));
    }

    #[test]
    fn cnps_are_sent_at_most_once_per_interval() {
        let mut receiver = Receiver::default();
        let owes = [0, 9, 10, 15, 20].map(|now| receiver.owes_cnp(Notify::Packet { interval: 10 }, now));
        assert_eq!(owes, [true, false, true, false, true]);
        assert!(!receiver.owes_cnp(Notify::Acknowledgement, 99));
    }
}
