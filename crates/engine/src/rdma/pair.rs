//! The two ends of a queue pair.

use std::collections::VecDeque;

use netloom_policy::congestion::State;
use netloom_policy::transport::{Receiver, Reliability, Sender};
use netloom_units::Rate;

use super::ack_feedback::Signals;
use crate::packet::HeaderFlags;
use crate::sender_waits::PairWaits;

/// The sending end.
#[derive(Debug)]
pub struct SendPair {
    /// Its number among the host's queue pairs, once it has sent: lower numbers are served first at equal instants.
    pub number: Option<u32>,
    /// The destination host.
    pub destination: u32,
    /// The slot of the receiving end there.
    pub peer_slot: u32,
    /// Flow-hash input of its packets.
    pub entropy: u32,
    /// The NIC port it uses.
    pub port: u32,
    /// The class its packets travel in.
    pub class: u8,
    /// Transport state of the sender.
    pub sender: Sender,
    /// Congestion control state: the current rate.
    pub rate: State,
    /// Upper limit of its rate, independent of congestion control.
    pub limit: Rate,
    /// The first message that is not wholly acknowledged; none if its end is at or below the acknowledged position.
    pub first: Posted,
    /// The messages after it, in order.
    pub later: VecDeque<Posted>,
    /// Bytes left of its scheduling turn, if a turn is more than a packet.
    pub turn_left: u64,
    /// The line rate of its port.
    pub line_rate: Rate,
    /// The earliest instant at which pacing allows the next packet, in ps.
    pub next_at: u64,
    /// Whether it is in the ready queue of its port.
    pub is_queued: bool,
    /// Since when it has had nothing that it was allowed to send, if it is not in the ready queue, in ps.
    pub idle_since: u64,
    /// How long it had nothing that it was allowed to send before that.
    pub waits: PairWaits,
    /// When the retransmission timeout expires, in ps; `u64::MAX` while nothing is in flight.
    pub deadline: u64,
    /// The instant for which a timer is set, `u64::MAX` for none.
    pub timer: u64,
    /// Timeouts since the last new acknowledgement.
    pub n_timeouts: u32,
    /// Whether a congestion window blocks it.
    pub is_window_limited: bool,
    /// State for congestion control that reacts to every acknowledgement; else `None`.
    pub signals: Option<Box<Signals>>,
}

/// A message on a queue pair.
#[derive(Debug, Clone, Copy, Default)]
pub struct Posted {
    /// Its slot in the flow table.
    pub flow: u32,
    /// Its slot among the host's outgoing messages.
    pub slot: u32,
    /// The position of its last packet, plus one.
    pub end: u64,
    /// Size of that packet on the wire.
    pub last_bytes: u32,
    /// Header fields common to all its packets.
    pub header_flags: HeaderFlags,
}

impl SendPair {
    /// A queue pair that has sent nothing.
    pub fn new(sender: Sender, rate: State) -> SendPair {
        SendPair {
            number: None,
            destination: 0,
            peer_slot: 0,
            entropy: 0,
            port: 0,
            class: 0,
            sender,
            rate,
            limit: Rate(u64::MAX),
            first: Posted::default(),
            later: VecDeque::new(),
            turn_left: 0,
            line_rate: Rate(u64::MAX),
            next_at: 0,
            is_queued: false,
            idle_since: 0,
            waits: PairWaits::default(),
            deadline: u64::MAX,
            timer: u64::MAX,
            n_timeouts: 0,
            is_window_limited: false,
            signals: None,
        }
    }

    /// Resets all state; allocated memory is kept.
    pub fn clear(&mut self, rate: State) {
        self.sender.clear();
        self.later.clear();
        let sender = std::mem::replace(&mut self.sender, Sender::new(Reliability::GoBackN, 0));
        let later = std::mem::take(&mut self.later);
        let mut signals = self.signals.take();
        if let Some(signals) = &mut signals {
            signals.clear();
        }
        *self = SendPair { later, signals, ..SendPair::new(sender, rate) };
    }

    /// The earliest instant at which it may send again after a packet in its turn: it stays first while bytes of the
    /// turn are left, unless pacing delays it.
    #[cold]
    #[inline(never)]
    pub fn keep_turn(&mut self, from: u64, bytes: u64, whole: u64, rate: Rate) -> u64 {
        if self.turn_left == 0 {
            self.turn_left = whole;
        }
        self.turn_left = self.turn_left.saturating_sub(bytes);
        if self.turn_left > 0 && rate >= self.line_rate { from } else { self.next_at }
    }

    /// The message that contains a packet position.
    #[inline(always)]
    pub fn message_at(&self, position: u64) -> Posted {
        if position < self.first.end {
            return self.first;
        }
        self.later[self.later.partition_point(|message| message.end <= position)]
    }

    /// Whether a message, given by its slot in the flow table, is not wholly acknowledged.
    pub fn is_sending(&self, flow: u32) -> bool {
        let first = (self.sender.progress().una < self.first.end).then_some(&self.first);
        first.into_iter().chain(&self.later).any(|message| message.flow == flow)
    }

    /// Whether it has something to send, if that differs from its presence in the ready queue.
    #[inline(always)]
    pub fn queue_change(&mut self) -> Option<bool> {
        let has_work = self.sender.has_work() && !self.is_window_limited;
        (self.is_queued != has_work).then_some(has_work)
    }

    /// How long it has had nothing that it was allowed to send before `now`.
    pub fn waits_at(&self, now: u64) -> PairWaits {
        let current = if self.is_queued { 0 } else { now - self.idle_since };
        PairWaits { window: self.waits.window + current, ..self.waits }
    }

    /// The retransmission timeout has expired: if it has waited since it last sent, that was for the timeout.
    pub fn note_timeout(&mut self, now: u64) {
        if !self.is_queued {
            self.waits.timeout += now - self.idle_since;
            self.idle_since = now;
        }
    }

    /// Posts one more message, of `n_packets` packets.
    pub fn post(&mut self, message: Posted, n_packets: u64) {
        if self.sender.progress().una < self.first.end {
            self.later.push_back(message);
        } else {
            self.first = message;
        }
        self.sender.post(n_packets);
    }

    /// Whether all of the first message is acknowledged, or there is none.
    #[inline(always)]
    pub fn is_first_done(&self) -> bool {
        self.sender.progress().una >= self.first.end
    }

    /// Removes and returns the first message if it is wholly acknowledged; the next one becomes the first.
    pub fn take_done(&mut self) -> Option<Posted> {
        if !self.is_first_done() {
            return None;
        }
        let next = self.later.pop_front().unwrap_or_default();
        Some(std::mem::replace(&mut self.first, next)).filter(|first| first.end > 0)
    }
}

/// The receiving end.
#[derive(Debug)]
pub struct ReceivePair {
    /// The source host.
    pub source: u32,
    /// The slot of the sending end there.
    pub peer_slot: u32,
    /// Transport state of the receiver.
    pub receiver: Receiver,
    /// Packets accepted since the last response.
    pub unanswered: u32,
    /// When the last CNP was sent, plus one; 0 for never.
    pub last_cnp: u64,
    /// Ends of messages of which the last packet has arrived: (position after it, slot in the flow table).
    pub ends: Vec<(u64, u32)>,
}

impl ReceivePair {
    /// A queue pair that has received nothing.
    pub fn new(receiver: Receiver) -> ReceivePair {
        ReceivePair { source: 0, peer_slot: 0, receiver, unanswered: 0, last_cnp: 0, ends: Vec::new() }
    }

    /// Resets all state; allocated memory is kept.
    pub fn clear(&mut self) {
        self.receiver.clear();
        self.ends.clear();
        (self.source, self.peer_slot, self.unanswered, self.last_cnp) = (0, 0, 0, 0);
    }

    /// Whether all packets up to the end of a message not yet taken have arrived.
    #[inline]
    pub fn has_ended(&self) -> bool {
        self.ends.iter().any(|end| end.0 <= self.receiver.expected())
    }

    /// Removes the message ends up to which all packets have arrived.
    #[inline]
    pub fn forget_ended(&mut self) {
        let expected = self.receiver.expected();
        self.ends.retain(|end| end.0 > expected);
    }

    /// Removes and returns the next message, in order, that has arrived completely together with all before it.
    pub fn take_ended(&mut self) -> Option<u32> {
        let expected = self.receiver.expected();
        let first = (0..self.ends.len()).min_by_key(|&index| self.ends[index].0)?;
        (self.ends[first].0 <= expected).then(|| self.ends.swap_remove(first).1)
    }
}
