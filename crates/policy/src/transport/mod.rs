//! Transports: the responses of a receiver, and the retransmissions of a sender.
//!
//! Each transport is one file with a receiver's rule and a sender's rule over positions; the registry below is the only
//! list. A *position* counts the packets of a queue pair from 0 and never wraps; [`Psn`] is the number in a packet.
//!
//! Models: expected and received positions, ACKs and NACKs, retransmission, timeouts.
//! Leaves out: time, sizes, pacing, congestion control; the NIC has them.
//!
//! Invariants: a rule sees one queue pair and nothing else; acknowledged packets are never retransmitted.

mod arrivals;
mod go_back_n;
mod ideal;
mod irn;
mod nic_sr;
mod progress;
mod psn;

pub use arrivals::Arrivals;
pub use progress::SendProgress;
pub use psn::Psn;

/// The transport protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reliability {
    /// Out-of-order packets are dropped with a NACK, and everything from the first missing one on is retransmitted.
    GoBackN,
    /// As in commodity NICs: one NACK for each expected packet, one retransmission for each NACK.
    NicSr,
    /// Selective repeat; every NACK names the packet that caused it.
    Irn,
    /// Packets are accepted in any order and acknowledged one by one.
    Ideal,
}

/// The response of a receiver to a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Response {
    /// Nothing.
    Nothing,
    /// An ACK that may be coalesced with others.
    Acknowledge,
    /// An ACK that must be sent at once.
    AcknowledgeNow,
    /// A NACK.
    Nack,
}

/// The result of a data packet at its receiver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Receipt {
    /// Whether it was accepted, for the first time.
    pub is_new: bool,
    /// Whether it had been accepted before: its retransmission was spurious.
    pub is_duplicate: bool,
    /// Its distance from the expected packet; 0 in order.
    pub distance: u64,
    /// The response.
    pub response: Response,
}

/// The receiving end of a queue pair.
#[derive(Debug, Clone)]
pub struct Receiver {
    rule: Reliability,
    arrivals: Arrivals,
    /// The expected position for which a NACK was sent, plus one; 0 for none.
    refused: u64,
}

impl Receiver {
    /// A receiver without arrivals.
    pub fn new(rule: Reliability) -> Receiver {
        Receiver { rule, arrivals: Arrivals::default(), refused: 0 }
    }

    /// Resets the state; memory is kept.
    pub fn clear(&mut self) {
        self.arrivals.clear();
        self.refused = 0;
    }

    /// The lowest position that has not arrived.
    #[inline(always)]
    pub fn expected(&self) -> u64 {
        self.arrivals.expected()
    }

    /// A data packet arrives.
    #[inline(always)]
    pub fn receive(&mut self, position: u64) -> Receipt {
        let Receiver { rule, arrivals, refused } = self;
        if arrivals.add_next(position) {
            // If nothing above it has arrived, all rules agree.
            return Receipt {
                is_new: true,
                is_duplicate: false,
                distance: 0,
                response: Response::Acknowledge,
            };
        }
        match rule {
            Reliability::GoBackN => go_back_n::receive(arrivals, refused, position),
            Reliability::NicSr => nic_sr::receive(arrivals, refused, position),
            Reliability::Irn => irn::receive(arrivals, position),
            Reliability::Ideal => ideal::receive(arrivals, position),
        }
    }

    /// Whether a message is complete once its own packets have arrived, or only when all before it have arrived too.
    pub fn completes_in_any_order(&self) -> bool {
        self.rule == Reliability::Ideal
    }

    /// The state that later responses depend on, as words.
    pub fn words(&self) -> impl Iterator<Item = u64> + '_ {
        let refused = u64::from(self.refused == self.arrivals.expected() + 1);
        std::iter::once(refused).chain(self.arrivals.words())
    }
}

/// A packet to send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SendItem {
    /// Its position.
    pub position: u64,
    /// Whether it was sent before.
    pub is_again: bool,
}

/// The sending end of a queue pair.
#[derive(Debug, Clone)]
pub struct Sender {
    progress: SendProgress,
    repeats: Repeats,
}

/// The retransmission state of each rule.
///
/// Has a tag of its own: the rule is checked several times for each packet.
#[derive(Debug, Clone)]
#[repr(u8)]
enum Repeats {
    GoBackN,
    NicSr(nic_sr::Repeats),
    Irn(irn::Repeats),
    Ideal(ideal::Repeats),
}

impl Sender {
    /// Nothing posted yet; `window` is the largest number of packets in flight, which only `irn` uses.
    pub fn new(rule: Reliability, window: u64) -> Sender {
        let repeats = match rule {
            Reliability::GoBackN => Repeats::GoBackN,
            Reliability::NicSr => Repeats::NicSr(nic_sr::Repeats::default()),
            Reliability::Irn => Repeats::Irn(irn::Repeats::new(window)),
            Reliability::Ideal => Repeats::Ideal(ideal::Repeats::default()),
        };
        Sender { progress: SendProgress::default(), repeats }
    }

    /// Resets the state; memory is kept.
    pub fn clear(&mut self) {
        self.progress = SendProgress::default();
        match &mut self.repeats {
            Repeats::GoBackN => {}
            Repeats::NicSr(repeats) => repeats.clear(),
            Repeats::Irn(repeats) => repeats.clear(),
            Repeats::Ideal(repeats) => repeats.clear(),
        }
    }

    /// The progress of the sender.
    #[inline(always)]
    pub fn progress(&self) -> &SendProgress {
        &self.progress
    }

    /// Posts more packets to send.
    pub fn post(&mut self, packets: u64) {
        self.progress.end += packets;
    }

    /// Whether there is something to send.
    #[inline(always)]
    pub fn has_work(&mut self) -> bool {
        let Sender { progress, repeats } = self;
        match repeats {
            Repeats::GoBackN => progress.has_more(),
            Repeats::NicSr(repeats) => repeats.has_work(progress),
            Repeats::Irn(repeats) => repeats.has_work(progress),
            Repeats::Ideal(repeats) => repeats.has_work(progress),
        }
    }

    /// The position of the packet that [`Sender::take`] would return.
    pub fn next_position(&mut self) -> u64 {
        let Sender { progress, repeats } = self;
        let again = match repeats {
            Repeats::GoBackN => None,
            Repeats::NicSr(repeats) => repeats.first(),
            Repeats::Irn(repeats) => repeats.hole(progress),
            Repeats::Ideal(repeats) => repeats.missing(progress),
        };
        again.unwrap_or(progress.next)
    }

    /// Whether a packet that the receiver is known to miss is to be retransmitted, whatever is in flight.
    pub fn has_repeat(&mut self) -> bool {
        let Sender { progress, repeats } = self;
        match repeats {
            // Everything from the first missing one on: none of it counts as in flight any more.
            Repeats::GoBackN => false,
            Repeats::NicSr(repeats) => repeats.first().is_some(),
            Repeats::Irn(repeats) => repeats.hole(progress).is_some(),
            Repeats::Ideal(repeats) => repeats.missing(progress).is_some(),
        }
    }

    /// The next packet to send, once [`Sender::has_work`] has said that there is one.
    #[inline(always)]
    pub fn take(&mut self) -> SendItem {
        let Sender { progress, repeats } = self;
        match repeats {
            Repeats::GoBackN => progress.forward(),
            Repeats::NicSr(repeats) => repeats.take(progress),
            Repeats::Irn(repeats) => repeats.take(progress),
            Repeats::Ideal(repeats) => repeats.take(progress),
        }
    }

    /// An ACK: everything below `expected` has arrived, and so has `named`. Returns whether it acknowledges more than
    /// before.
    #[inline(always)]
    pub fn acknowledged(&mut self, expected: u64, named: impl FnOnce() -> u64) -> bool {
        let Sender { progress, repeats } = self;
        match repeats {
            Repeats::GoBackN | Repeats::NicSr(_) => progress.acknowledged(expected),
            Repeats::Irn(repeats) => repeats.acknowledged(progress, expected),
            Repeats::Ideal(repeats) => repeats.acknowledged(progress, expected, named()),
        }
    }

    /// A NACK: everything below `expected` has arrived, `expected` has not, and `named` has. Returns whether it
    /// acknowledges more than before.
    pub fn refused(&mut self, expected: u64, named: u64) -> bool {
        let Sender { progress, repeats } = self;
        match repeats {
            Repeats::GoBackN => go_back_n::refused(progress, expected),
            Repeats::NicSr(repeats) => repeats.refused(progress, expected),
            Repeats::Irn(repeats) => repeats.refused(progress, expected, named),
            Repeats::Ideal(repeats) => repeats.acknowledged(progress, expected, named),
        }
    }

    /// The retransmission timeout has expired.
    pub fn timeout(&mut self) {
        let Sender { progress, repeats } = self;
        match repeats {
            Repeats::GoBackN => go_back_n::timeout(progress),
            Repeats::NicSr(repeats) => repeats.timeout(progress),
            Repeats::Irn(repeats) => repeats.timeout(progress),
            Repeats::Ideal(repeats) => repeats.timeout(progress),
        }
    }

    /// Packets sent and not known to have arrived.
    #[inline(always)]
    pub fn in_flight(&self) -> u64 {
        let Sender { progress, repeats } = self;
        match repeats {
            Repeats::GoBackN => progress.next - progress.una,
            Repeats::NicSr(_) => progress.highest - progress.una,
            Repeats::Irn(repeats) => repeats.in_flight(progress),
            Repeats::Ideal(repeats) => repeats.in_flight(progress),
        }
    }

    /// The state that later decisions depend on, as words relative to the acknowledged position.
    pub fn words(&self) -> Vec<u64> {
        let Sender { progress, repeats } = self;
        let mut words =
            vec![progress.next - progress.una, progress.highest - progress.una, progress.end - progress.una];
        match repeats {
            Repeats::GoBackN => {}
            Repeats::NicSr(repeats) => repeats.write(progress, &mut words),
            Repeats::Irn(repeats) => repeats.write(progress, &mut words),
            Repeats::Ideal(repeats) => repeats.write(progress, &mut words),
        }
        words
    }
}

#[cfg(test)]
mod tests;
