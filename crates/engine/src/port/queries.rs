//! What a balancing policy may read of a port besides its backlog: bytes by class, bytes sent, the rate, pauses; and
//! what its node needs to compare its ports itself.

use netloom_units::{Bytes, Duration, Rate};

use super::Egress;
use crate::sender_waits::WireUse;

impl Egress {
    /// Lets the node compare this port with others, before the run, where its starts are computed and no packets are
    /// counted here; returns whether that is so.
    pub fn list_computed(&mut self) -> bool {
        self.is_comparable |= std::mem::take(&mut self.uses_fast_path);
        self.is_comparable
    }

    /// When the wire will have sent everything that was accepted, unless the port is blocked before that.
    #[inline(always)]
    pub fn drained_at(&self) -> u64 {
        if self.next_start == u64::MAX { self.free_at } else { self.next_start + self.queued_ps }
    }

    /// Whether the port is never blocked before that: then its backlog follows from [`Egress::drained_at`].
    #[inline(always)]
    pub fn is_drained_steadily(&self) -> bool {
        self.blocked_classes == 0 && self.ps_per_byte != 0 && (self.is_comparable || self.credits.is_none())
    }

    /// Picoseconds per byte, where that is whole and constant; else zero.
    pub fn ps_per_byte(&self) -> u64 {
        self.ps_per_byte
    }

    /// Bytes of data of a class in the class queues, or in the input buffers before this port; the port must be
    /// advanced to `now`. All that waits, where data is not counted.
    pub fn class_bytes(&self, now: u64, class: u8) -> u64 {
        if !self.extras.counts_data && self.credits.is_none() {
            return self.waiting_bytes(now);
        }
        if self.is_by_class() {
            return self.data_bytes_of(class);
        }
        if class == self.data_class { self.data_bytes() } else { 0 }
    }

    /// The class whose bytes are counted, where data is of one class and the link has no credits.
    pub fn class_counted(&self) -> Option<u8> {
        (self.extras.counts_data && self.credits.is_none() && !self.is_by_class()).then_some(self.data_class)
    }

    /// Bytes sent before `now`; the port must be advanced to `now`.
    pub fn sent_bytes(&self, now: u64) -> u64 {
        self.sent_with(now, self.waiting_bytes(now))
    }

    /// The same, while `waiting` bytes wait.
    #[inline]
    pub(super) fn sent_with(&self, now: u64, waiting: u64) -> u64 {
        // Bytes lost on the wire are no longer among those accepted.
        let unsent = waiting - self.lost_bytes_ahead(now).min(waiting);
        self.bytes.saturating_sub(unsent)
    }

    /// Until when the wire is busy with a packet that is lost on it, in ps.
    #[inline]
    pub(super) fn lost_until(&self) -> u64 {
        self.extras.lost.as_ref().map_or(0, |lost| lost.until)
    }

    /// Bytes of a packet lost on the wire that the wire is still busy with from `now` on.
    #[inline]
    fn lost_bytes_ahead(&self, now: u64) -> u64 {
        match self.lost_until().saturating_sub(now) {
            0 => 0,
            rest => self.bytes_on_wire(now, rest),
        }
    }

    /// How long the wire will be busy from `now` on with what was accepted, in ps; the port must be advanced to `now`.
    #[inline]
    pub fn backlog(&self, now: u64) -> u64 {
        self.free_at.max(now) - now + self.queued_ps
    }

    /// How its wire has been used before `now`; the port must be advanced to `now`.
    pub fn wire_use(&self, now: u64) -> WireUse {
        let backlog = self.backlog(now);
        let lost = self.extras.lost.as_ref().map_or(0, |lost| lost.bytes);
        let of_accepted = || self.span(self.bytes + lost).saturating_sub(backlog);
        let changing = self.has_rate_history().then(|| self.busy_at(now, self.sent_bytes(now))).flatten();
        let busy = changing.unwrap_or_else(of_accepted);
        WireUse { at: now, busy, backlog, blocked: self.blocked_time(now, 0) }
    }

    /// Bytes accepted and not lost.
    pub fn bytes_accepted(&self) -> u64 {
        self.bytes
    }

    /// The serialization time of this many bytes, in ps.
    pub fn span(&self, bytes: u64) -> u64 {
        if self.ps_per_byte != 0 {
            return bytes * self.ps_per_byte;
        }
        self.rate.serialization(Bytes(bytes)).0
    }

    /// The rate of its link.
    pub fn rate(&self) -> Rate {
        self.rate
    }

    /// For how long the other end has paused a class; zero where it is not paused, or where the link has credits.
    pub fn paused_for(&self, now: u64, class: u8) -> Duration {
        let is_paused = self.is_paused(class) && self.credits.is_none();
        Duration(if is_paused { now - self.paused_since(class) } else { 0 })
    }
}

#[cfg(test)]
mod tests {
    use netloom_units::PortId;

    use super::*;
    use crate::channel::{Channel, ReceiverLocation};
    use crate::packet::{Address, HeaderFlags, Packet, PacketKind};
    use crate::port::Form;
    use crate::ring::ring;

    #[test]
    fn a_class_has_its_own_queue_not_the_total_of_the_port() {
        let (sender, _receiver) = ring();
        let mut port =
            Egress::new(PortId(0), Channel::new(sender, ReceiverLocation::Inside(0)), Rate(8_000_000_000), 0);
        port.set_form(Form::Lazy);
        port.enable_data_counting();
        let to = Address { host: 1, slot: 0 };
        let data = Packet::data(to, 0, 0, 0, 1_000, HeaderFlags::new(0, true));
        let response = data.response(PacketKind::Acknowledgement, to, 64, 5);
        for _ in 0..3 {
            port.count_in(&data);
            port.enqueue(0, &data);
            port.enqueue(0, &response);
        }
        assert_eq!((port.class_bytes(0, 0), port.waiting_bytes(0)), (3_000, 3_192));
        // Answers are sent first; then a data packet is on the wire, which no longer waits.
        for _ in 0..4 {
            port.take_dequeued();
        }
        assert_eq!((port.class_bytes(192_000, 0), port.waiting_bytes(192_000)), (2_000, 3_000));
        assert_eq!((port.sent_bytes(192_000), port.sent_bytes(692_000)), (192, 692));
        assert_eq!(port.paused_for(200_000, 0), Duration(0));
        port.set_paused(200_000, 1, true);
        assert_eq!(port.paused_for(250_000, 0), Duration(50_000));
        assert_eq!(port.class_bytes(250_000, 0), 2_000, "packets of a paused class count as waiting");
    }

    #[test]
    fn packets_lost_on_the_wire_do_not_count_as_sent() {
        let (sender, _receiver) = ring();
        let mut port =
            Egress::new(PortId(0), Channel::new(sender, ReceiverLocation::Inside(0)), Rate(8_000_000_000), 0);
        port.set_form(Form::Lazy);
        let to = Address { host: 1, slot: 0 };
        let data = Packet::data(to, 0, 0, 0, 1_000, HeaderFlags::new(0, true));
        (0..3).for_each(|_| _ = port.enqueue(0, &data));
        let mut sent = Vec::new();
        for number in 0..3 {
            let start = port.take_start();
            if number != 1 {
                port.count_lost(&start.packet, start.end);
            }
            sent.extend([start.at, start.at + 400_000].map(|now| port.sent_bytes(now)));
        }
        assert_eq!(sent, [0, 0, 0, 400, 1_000, 1_000]);
        assert_eq!(port.sent_bytes(3_000_000), 1_000);
    }
}
