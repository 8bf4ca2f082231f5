//! Data packets that are counted, marked or lost at a port.
//!
//! Models: bytes of data in the class queues, for shared buffers and marking; marks at enqueue or dequeue; random loss
//! on the link, with a constant probability (`change.rs` has the varying one).
//! Leaves out: how ports share the buffer (`buffer.rs`), and which packet is marked (`mark.rs`).
//!
//! Invariants: a packet counted by [`Egress::count_and_mark`] is subtracted by [`Egress::dequeued`] or
//! [`Egress::uncount`].

use netloom_units::Random;

use super::{Egress, Start};
use crate::mark::Marker;
use crate::packet::{InFlight, Packet};

impl Egress {
    /// Sets the marker of data packets, before the run.
    pub fn set_marker(&mut self, marker: Marker) {
        self.enable_data_counting();
        // Adaptive thresholds are those of the instant at which a packet starts: every start must be seen.
        self.extras.watched |= marker.adapts();
        self.extras.marker = Some(marker);
        self.update_admission_conditions();
    }

    /// Updates the thresholds, where they are adaptive, as a packet starts.
    #[inline]
    pub fn observe(&mut self, start: &Start) {
        if self.extras.marker.as_ref().is_some_and(Marker::adapts) && start.packet.is_data() {
            let waiting = self.data_bytes - u64::from(start.packet.bytes);
            let marker = self.extras.marker.as_mut().expect("just seen");
            if marker.observe(start.at, start.end - start.at, waiting) {
                self.update_admission_conditions();
            }
        }
    }

    /// Sets the chance (in 2^-32) that the link loses a data packet, before the run.
    pub fn set_loss(&mut self, chance: u64, random: Random) {
        self.uses_fast_path = false;
        self.has_start_effects = true;
        self.extras.watched = true;
        self.extras.loss = Some(Box::new((chance, random)));
        self.update_admission_conditions();
    }

    /// Samples whether a data packet whose transmission starts is lost on the link.
    pub fn is_lost(&mut self, packet: &Packet) -> bool {
        let errors = self.extras.changing.as_deref_mut().is_some_and(|changing| changing.corrupts(packet));
        let Some((chance, random)) = self.extras.loss.as_deref_mut() else { return errors };
        u64::from(random.next_u32()) < *chance || errors
    }

    /// Whether data packets are counted or marked here, and must come by [`Egress::count_and_mark`], or there are
    /// credits.
    #[inline(always)]
    pub fn has_enqueue_effects(&self) -> bool {
        self.extras.has_enqueue_effects
    }

    /// Enables counting of data packets at enqueue and dequeue, before the run.
    pub fn enable_data_counting(&mut self) {
        (self.uses_fast_path, self.has_start_effects) = (false, true);
        (self.extras.has_enqueue_effects, self.extras.counts_data) = (true, true);
        self.update_admission_conditions();
    }

    /// Whether arriving data packets need more than [`Egress::count_in`]: their class is paused, or the marker
    /// decides about them now.
    #[inline(always)]
    pub fn needs_admission_check(&self) -> bool {
        self.needs_admission_check
    }

    /// Updates what [`Egress::needs_admission_check`] and [`Egress::may_join`] depend on.
    pub(super) fn update_admission_conditions(&mut self) {
        let marker = self.extras.marker.as_ref();
        self.must_observe_starts = self.count.is_some() || self.extras.watched || marker.is_some();
        self.needs_admission_check = marker.is_some_and(|marker| marker.at_enqueue)
            || self.blocked_classes != 0
            || self.is_by_class()
            || self.credits.is_some();
        let judges_starts = marker.filter(|marker| !marker.at_enqueue);
        self.extras.marked_above = judges_starts.map_or(u64::MAX, Marker::minimum);
        let is_seen = self.count.is_some() || self.extras.watched || self.needs_admission_check;
        // Data that is not guarded does not join. Where data is not the lowest class, data packets that join could
        // overtake others.
        let is_data_last = self.computed_from != u8::MAX || self.computed_unless_frames != u8::MAX;
        self.low_threshold = match marker {
            _ if is_seen || !is_data_last || !self.extras.has_enqueue_effects => 0,
            Some(marker) => marker.minimum(),
            None => u64::MAX,
        };
    }

    /// Whether a packet may join its class queue while starts before `now` are pending: the wire is busy until after
    /// `now` with packets that are all before it, and none of them is counted or marked.
    #[inline(always)]
    pub fn may_join(&self, now: u64, bytes: u32) -> bool {
        self.next_start.saturating_add(self.queued_ps) > now
            && self.data_bytes + u64::from(bytes) <= self.low_threshold
    }

    /// Whether a packet that comes at `now` starts before `next_at`, until which nothing else happens, and is neither
    /// counted nor marked.
    #[inline(always)]
    pub fn starts_before(&self, next_at: u64, now: u64, bytes: u32) -> bool {
        self.next_start == u64::MAX
            && self.free_at.max(now) < next_at
            && u64::from(bytes) <= self.low_threshold
            && self.form == super::Form::Lazy
    }

    /// Counts a data packet that joins its queue, with no other effect.
    #[inline(always)]
    pub fn count_in(&mut self, packet: &Packet) {
        self.data_bytes += u64::from(packet.bytes);
    }

    /// Counts a packet about to join its queue, and marks it if the marker decides at enqueue and marks it.
    #[inline(always)]
    pub fn count_and_mark(&mut self, packet: Packet) -> Packet {
        if !packet.is_data() {
            return packet;
        }
        let waiting = self.data_bytes;
        self.data_bytes += u64::from(packet.bytes);
        if self.is_by_class() {
            return self.mark_at_enqueue(packet);
        }
        match &mut self.extras.marker {
            Some(marker) if marker.at_enqueue => marker.mark(waiting, packet),
            _ => packet,
        }
    }

    /// A packet whose transmission starts, marked if the marker decides at dequeue and marks it.
    pub fn dequeued(&mut self, packet: Packet) -> Packet {
        if !self.extras.counts_data {
            return packet;
        }
        let packet = self.dequeue_marked(packet);
        if self.is_by_class() && packet.is_data() { self.mark_at_dequeue(packet) } else { packet }
    }

    /// The next transmission out of the class queues of a guarded port, as it goes onto the link.
    #[inline(always)]
    pub fn take_dequeued(&mut self) -> InFlight {
        let Start { end, packet, .. } = self.take_start();
        let packet = self.dequeue_marked(packet);
        InFlight { arrival: end + self.delay, packet }
    }

    /// Subtracts a packet that leaves its queue at a guarded port, and marks it if the marker does.
    #[inline(always)]
    fn dequeue_marked(&mut self, packet: Packet) -> Packet {
        if !packet.is_data() {
            return packet;
        }
        self.data_bytes -= u64::from(packet.bytes);
        let waiting = self.data_bytes;
        let extras = &mut *self.extras;
        if waiting <= extras.marked_above {
            return packet;
        }
        extras.marker.as_mut().expect("the marker is at this port").mark(waiting, packet)
    }

    /// Subtracts a packet that has left its queue.
    #[inline(always)]
    pub fn uncount(&mut self, packet: Packet) {
        if self.extras.counts_data && packet.is_data() {
            self.data_bytes -= u64::from(packet.bytes);
        }
    }

    /// Bytes of data in the class queues, where they are counted; the port must be advanced to now.
    #[inline(always)]
    pub fn data_bytes(&self) -> u64 {
        self.data_bytes
    }

    /// Number of data packets in the class queues; the port must be advanced to now.
    pub fn data_waiting(&self) -> usize {
        let class = self.data_class as usize & 7;
        self.queues.as_ref().map_or(0, |queues| queues.classes[class].len())
            + self.extras.paused_packets.len()
    }

    /// Counts a packet that takes its time on the wire, until `end`, and does not arrive.
    pub fn count_lost(&mut self, packet: &Packet, end: u64) {
        self.extras.dropped += 1;
        let lost = self.extras.lost.get_or_insert_default();
        (lost.until, lost.bytes) = (end, lost.bytes + u64::from(packet.bytes));
        self.lose(packet);
        self.note_dropped(packet, true);
    }
}

#[cfg(test)]
mod tests {
    use netloom_units::{PortId, Rate};

    use super::*;
    use crate::channel::{Channel, ReceiverLocation};
    use crate::packet::{Address, HeaderFlags, PacketKind};
    use crate::port::Form;
    use crate::ring::{Receiver, ring};

    /// A port of 1 ns per byte before a link without delay; data in class 0, answers in class 1.
    fn port() -> (Egress, Receiver) {
        let (sender, receiver) = ring();
        let mut port =
            Egress::new(PortId(0), Channel::new(sender, ReceiverLocation::Inside(0)), Rate(8_000_000_000), 0);
        port.set_form(Form::Lazy);
        port.enable_data_counting();
        port.set_top_class(1);
        (port, receiver)
    }

    fn advance_port(port: &mut Egress, now: u64) {
        while port.has_start_before(now) {
            let entry = port.take_dequeued();
            port.channel.put(entry);
        }
    }

    #[test]
    fn joining_late_starts_gives_the_same_result() {
        let to = Address { host: 1, slot: 0 };
        for seed in 0..200 {
            let mut random = Random::stream(seed, 1, 1);
            let ((mut eager, mut seen), (mut late, mut seen_late)) = (port(), port());
            let (mut now, mut n_joined) = (0, 0);
            for number in 0..200 {
                now += random.next_u64() % 1_500_000;
                let data = Packet::data(to, 0, number, 0, 1_000, HeaderFlags::new(0, true));
                advance_port(&mut eager, now);
                if random.next_u32().is_multiple_of(3) {
                    let response = data.response(PacketKind::Acknowledgement, to, 64, 1);
                    advance_port(&mut late, now);
                    for port in [&mut eager, &mut late] {
                        let arrival = port.enqueue_computed(now, response.bytes).unwrap();
                        port.channel.put(InFlight { arrival, packet: response });
                    }
                    continue;
                }
                eager.count_in(&data);
                eager.enqueue(now, &data);
                if late.has_start_before(now) && late.may_join(now, data.bytes) {
                    n_joined += 1;
                } else {
                    advance_port(&mut late, now);
                }
                late.count_in(&data);
                late.join(now, &data);
            }
            assert!(n_joined > 0);
            advance_port(&mut eager, u64::MAX);
            advance_port(&mut late, u64::MAX);
            assert_eq!(eager.totals_at(now), late.totals_at(now), "{seed}");
            while let Some(&entry) = seen.peek() {
                assert_eq!(seen_late.peek(), Some(&entry), "{seed}");
                seen.drop_first();
                seen_late.drop_first();
            }
            assert!(seen_late.peek().is_none());
        }
    }
}
