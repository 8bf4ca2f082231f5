//! The sending side of a queue pair: the next position to send.
//!
//! Models: `una`, `next` and `end`, pending retransmissions, and the four kinds of recovery.
//! Leaves out: when it may send (see `nic`), the timer itself (see `host`).
//! Invariants: nothing at or above `end` is sent; of the pending retransmissions the lowest position goes first, before
//! any new packet; a position that has been acknowledged or named is not retransmitted.

use std::collections::BTreeSet;

use super::scene::Recovery;

/// A recovery of `irn`.
#[derive(Debug)]
struct Mending {
    /// It ends when `una` reaches this position.
    until: u64,
    /// Positions retransmitted in it.
    sent: BTreeSet<u64>,
}

/// The sending side of one queue pair.
#[derive(Debug)]
pub(super) struct Sender {
    recovery: Recovery,
    /// Bytes on the wire of every packet posted, by position.
    sizes: Vec<u64>,
    una: u64,
    next: u64,
    /// One beyond the highest position ever sent.
    sent_end: u64,
    /// Pending retransmissions.
    again: BTreeSet<u64>,
    /// Known to have arrived, at or above `una`.
    named: BTreeSet<u64>,
    /// Sent and neither acknowledged nor named.
    in_flight: BTreeSet<u64>,
    mending: Option<Mending>,
}

impl Sender {
    pub(super) fn new(recovery: Recovery) -> Sender {
        Sender {
            recovery,
            sizes: Vec::new(),
            una: 0,
            next: 0,
            sent_end: 0,
            again: BTreeSet::new(),
            named: BTreeSet::new(),
            in_flight: BTreeSet::new(),
            mending: None,
        }
    }

    /// One more packet, of this number of bytes on the wire.
    pub(super) fn post(&mut self, bytes: u64) {
        self.sizes.push(bytes);
    }

    pub(super) fn una(&self) -> u64 {
        self.una
    }

    pub(super) fn size(&self, position: u64) -> u64 {
        self.sizes[position as usize]
    }

    /// The position to be sent now, if there is one.
    pub(super) fn candidate(&self) -> Option<u64> {
        let end = self.sizes.len() as u64;
        let new = (self.next < end).then_some(self.next);
        let position = self.lowest_again().or(new)?;
        self.within_window(position).then_some(position)
    }

    fn lowest_again(&self) -> Option<u64> {
        [self.again.first().copied(), self.hole()].into_iter().flatten().min()
    }

    /// The lowest packet that a recovery of `irn` has to retransmit.
    fn hole(&self) -> Option<u64> {
        let mending = self.mending.as_ref()?;
        let highest = *self.named.last()?;
        (self.una..highest)
            .find(|position| !self.named.contains(position) && !mending.sent.contains(position))
    }

    fn within_window(&self, position: u64) -> bool {
        let Recovery::Irn { window, .. } = self.recovery else { return true };
        self.in_flight.contains(&position) || (self.in_flight.len() as u64) < window
    }

    /// The candidate is sent; returns whether it was sent before.
    pub(super) fn sent(&mut self, position: u64) -> bool {
        let again = position < self.sent_end;
        self.again.remove(&position);
        if let Some(mending) = self.mending.as_mut().filter(|_| again) {
            mending.sent.insert(position);
        }
        if position == self.next {
            self.next += 1;
        }
        self.sent_end = self.sent_end.max(position + 1);
        self.in_flight.insert(position);
        again
    }

    /// An ACK arrives; returns whether `una` moved.
    pub(super) fn acknowledged(&mut self, expected: u64, names: Option<u64>) -> bool {
        let moved = self.take_expected(expected);
        self.take_name(names);
        moved
    }

    /// A NACK arrives; returns whether `una` moved.
    pub(super) fn missing(&mut self, expected: u64, names: Option<u64>) -> bool {
        let is_stale = expected < self.una;
        let moved = self.take_expected(expected);
        if is_stale {
            return moved;
        }
        match self.recovery {
            Recovery::GoBackN => self.next = expected,
            Recovery::NicSr => _ = self.again.insert(expected),
            Recovery::Irn { .. } => {
                self.take_name(names);
                let until = self.next;
                self.mending.get_or_insert_with(|| Mending { until, sent: BTreeSet::new() });
            }
            Recovery::Ideal => panic!("a receiver that accepts every packet sends no NACK"),
        }
        moved
    }

    fn take_expected(&mut self, expected: u64) -> bool {
        let moved = expected > self.una;
        let una = self.una.max(expected);
        self.una = una;
        self.next = self.next.max(una);
        self.again.retain(|&position| position >= una);
        self.named.retain(|&position| position >= una);
        self.in_flight.retain(|&position| position >= una);
        self.mending.take_if(|mending| una >= mending.until);
        moved
    }

    fn take_name(&mut self, name: Option<u64>) {
        if let Some(name) = name.filter(|&name| name >= self.una) {
            self.named.insert(name);
            self.again.remove(&name);
            self.in_flight.remove(&name);
        }
    }

    /// The timeout has ended without progress.
    pub(super) fn timed_out(&mut self) {
        match self.recovery {
            Recovery::GoBackN => self.next = self.una,
            Recovery::NicSr => _ = self.again.insert(self.una),
            Recovery::Irn { .. } => {
                self.again.insert(self.una);
                self.mending = Some(Mending { until: self.next, sent: BTreeSet::new() });
            }
            Recovery::Ideal => {
                let missing = (self.una..self.next).filter(|position| !self.named.contains(position));
                self.again.extend(missing);
            }
        }
    }

    /// Whether something sent is not acknowledged.
    pub(super) fn is_waiting(&self) -> bool {
        self.una < self.sent_end
    }

    /// The current timeout for progress.
    pub(super) fn timeout(&self, timeout: u64) -> u64 {
        match self.recovery {
            Recovery::Irn { timeout_low, .. } if self.in_flight.len() <= 3 => timeout_low,
            _ => timeout,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sender(recovery: Recovery, n_packets: u64) -> Sender {
        let mut sender = Sender::new(recovery);
        (0..n_packets).for_each(|_| sender.post(100));
        sender
    }

    /// Sends at most this number of packets; returns their positions.
    fn send(sender: &mut Sender, most: usize) -> Vec<u64> {
        let next = |sender: &mut Sender| {
            let position = sender.candidate()?;
            sender.sent(position);
            Some(position)
        };
        std::iter::from_fn(|| next(sender)).take(most).collect()
    }

    #[test]
    fn go_back_n_continues_from_the_position_of_the_nack() {
        let mut sender = sender(Recovery::GoBackN, 6);
        assert_eq!(send(&mut sender, 5), [0, 1, 2, 3, 4]);
        assert!(sender.missing(2, None));
        assert_eq!(send(&mut sender, 1), [2]);
        assert!(sender.acknowledged(5, None), "the receiver had more than the sender had assumed");
        assert!(!sender.missing(3, None), "an outdated NACK has no effect");
        assert_eq!(send(&mut sender, 9), [5]);
        sender.timed_out();
        assert_eq!(send(&mut sender, 9), [5]);
        assert!(sender.acknowledged(6, None) && !sender.is_waiting());
    }

    #[test]
    fn nic_sr_retransmits_one_packet_before_new_ones() {
        let mut sender = sender(Recovery::NicSr, 6);
        send(&mut sender, 4);
        sender.missing(1, None);
        assert_eq!(send(&mut sender, 2), [1, 4]);
        sender.timed_out();
        assert!(sender.acknowledged(2, None));
        assert_eq!(send(&mut sender, 9), [5], "packets acknowledged in time are not sent");
    }

    #[test]
    fn irn_retransmits_every_missing_packet_once() {
        let mut sender = sender(Recovery::Irn { window: 8, timeout_low: 7 }, 20);
        assert_eq!(send(&mut sender, 99).len(), 8, "the window is full");
        sender.missing(1, Some(3));
        sender.missing(1, Some(6));
        assert_eq!(
            send(&mut sender, 5),
            [1, 2, 4, 5, 8],
            "missing packets below 6, then new ones, within the window"
        );
        sender.missing(1, Some(7));
        assert_eq!(send(&mut sender, 1), [9], "1 to 5 have been retransmitted in this recovery");
        sender.acknowledged(8, None);
        sender.missing(8, Some(9));
        assert_eq!(send(&mut sender, 1), [8], "a new recovery has begun at 8");
    }

    #[test]
    fn irn_restarts_a_recovery_on_a_timeout() {
        let mut sender = sender(Recovery::Irn { window: 4, timeout_low: 7 }, 20);
        send(&mut sender, 99);
        assert_eq!(sender.timeout(50), 50);
        sender.timed_out();
        assert_eq!(send(&mut sender, 99), [0]);
        sender.missing(0, Some(2));
        assert_eq!(send(&mut sender, 1), [1], "0 has been retransmitted");
        sender.timed_out();
        assert_eq!(send(&mut sender, 2), [0, 1], "both may be retransmitted again");
        sender.acknowledged(1, None);
        assert_eq!(sender.timeout(50), 7);
        assert_eq!(send(&mut sender, 99), [4, 5]);
    }

    #[test]
    fn ideal_retransmits_all_packets_not_known_to_have_arrived() {
        let mut sender = sender(Recovery::Ideal, 6);
        send(&mut sender, 5);
        sender.acknowledged(1, Some(0));
        sender.acknowledged(1, Some(3));
        sender.timed_out();
        sender.acknowledged(1, Some(4));
        assert_eq!(send(&mut sender, 9), [1, 2, 5]);
    }
}
