//! Pausing a class at a port.
//!
//! Models: the packets of a paused class are moved out of the class queues, so that the scheduler need not check for
//! pauses; a transmission in progress is completed.
//!
//! Invariants: no packet of a paused class starts before the class is resumed, however late the port is accessed.

use super::{Egress, Enqueued, Extras, N_QUEUES};
use crate::packet::{Packet, PacketKind};
use crate::turns::classes_high_first;

/// Times for which classes were paused.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Pauses {
    /// When the current pause began, in ps.
    pub since: u64,
    /// Wire time of other classes since then, in ps; where there are credits.
    pub busy: u64,
    /// Sum of the pauses that are over, in ps.
    pub total: u64,
    /// Frames sent from here that pause a class at the other end.
    pub n_sent: u64,
}

impl Egress {
    /// Whether the other end has paused a class.
    #[inline(always)]
    pub fn is_paused(&self, class: u8) -> bool {
        u32::from(self.blocked_classes) >> class & 1 == 1
    }

    /// Pauses classes, one bit each, or resumes them, as the other end signals; the port must be advanced to `now`.
    /// Returns the next start where there was none before.
    pub fn set_paused(&mut self, now: u64, classes: u8, is_paused: bool) -> Option<u64> {
        let before = self.blocked_classes;
        self.blocked_classes = if is_paused { before | classes } else { before & !classes };
        self.update_admission_conditions();
        let (changed, paused) = (before ^ self.blocked_classes, self.blocked_classes);
        if let Some(by_class) = self.by_class_mut() {
            by_class.note_pauses(now, changed, paused);
        }
        match (before, self.blocked_classes) {
            (0, 1..) => self.extras.pauses.since = now,
            (1.., 0) => self.extras.pauses.total += now - self.extras.pauses.since,
            _ => {}
        }
        if before & !paused != 0 {
            // Nothing starts before the pause ends, regardless of when the port is accessed.
            self.free_at = self.free_at.max(now);
        }
        if changed == 0 || self.queues.is_none() {
            return None;
        }
        self.move_paused_classes(now, changed)
    }

    /// Moves the packets of classes, one bit each, out of the class queues when these are paused, and back when they
    /// are resumed. Returns the next start where there was none before.
    pub(super) fn move_paused_classes(&mut self, now: u64, classes: u8) -> Option<u64> {
        let filled =
            classes_high_first(classes).map(|class| self.swap_paused(class)).last().expect("at least one");
        let was_none = self.next_start == u64::MAX;
        self.next_start = match (filled, was_none) {
            (0, _) => u64::MAX,
            (_, true) => self.free_at.max(now),
            (_, false) => self.next_start,
        };
        (was_none && self.next_start != u64::MAX).then_some(self.next_start)
    }

    /// Counts a frame that pauses classes, one bit each, at the other end.
    pub fn count_pause(&mut self, classes: u8) {
        self.extras.pauses.n_sent += 1;
        if let Some(by_class) = self.by_class_mut() {
            by_class.count_pause(classes);
        }
    }

    /// Changes the kind of a waiting frame about a class, as a bit; returns the kind it had. The port must be advanced
    /// to now.
    pub fn amend_frame(&mut self, kind: PacketKind, class: u8) -> Option<PacketKind> {
        let queue = &mut self.queues.as_deref_mut()?.classes[Packet::BEFORE_CLASSES as usize];
        let frame = queue.iter_mut().find(|frame| frame.sequence == u32::from(class))?;
        let before = frame.kind();
        *frame = Packet::pause_frame(kind, class, frame.bytes);
        Some(before)
    }

    /// Subtracts a frame that pauses a class, as a bit, and will not be sent after all.
    pub fn uncount_pause(&mut self, class: u8) {
        self.extras.pauses.n_sent -= 1;
        if let Some(by_class) = self.by_class_mut() {
            by_class.uncount_pause(class);
        }
    }

    /// Swaps the class queue of a class and its queue of paused packets; returns the classes that have packets then.
    pub(super) fn swap_paused(&mut self, class: u8) -> u32 {
        let queues = self.queues.as_deref_mut().expect("class queues exist in this form");
        let queue = &mut queues.classes[class as usize % N_QUEUES];
        let Extras { paused_packets: paused, by_class, .. } = &mut *self.extras;
        let paused = by_class.as_deref_mut().map_or(paused, |by_class| by_class.paused_packets_of(class));
        std::mem::swap(queue, paused);
        queues.filled = queues.filled & !(1 << class) | u32::from(!queue.is_empty()) << class;
        queues.filled
    }

    /// Moves packets of paused classes back into the class queues, once no start is scheduled any more.
    pub(super) fn bring_back(&mut self) {
        if !self.extras.paused_packets.is_empty() {
            self.swap_paused(self.data_class);
        }
        let classes =
            self.extras.by_class.as_ref().map_or(0, |by_class| by_class.classes_with_paused_packets());
        classes_high_first(classes).for_each(|class| _ = self.swap_paused(class));
    }

    /// Appends a packet of a paused class; the port must be advanced to `now`. Returns whether the queue may hold it.
    pub fn enqueue_paused(&mut self, now: u64, packet: &Packet) -> bool {
        // As for any packet, except that no start follows from it.
        let before = std::mem::replace(&mut self.next_start, u64::MAX - 1);
        self.swap_paused(packet.class());
        let is_taken = self.enqueue(now, packet) != Enqueued::Full;
        self.swap_paused(packet.class());
        self.next_start = before;
        is_taken
    }
}

#[cfg(test)]
mod tests {
    use netloom_units::{PortId, Rate};

    use super::*;
    use crate::channel::{Channel, ReceiverLocation};
    use crate::packet::{Address, HeaderFlags, PacketKind};
    use crate::port::Form;
    use crate::ring::ring;

    #[test]
    fn paused_packets_are_lost_with_their_records() {
        let (sender, _receiver) = ring();
        let mut port =
            Egress::new(PortId(0), Channel::new(sender, ReceiverLocation::Inside(0)), Rate(8_000_000_000), 0);
        port.set_form(Form::Lazy);
        port.trace_packets(true);
        let to = Address { host: 1, slot: 0 };
        let data = |sequence| Packet::data(to, 0, sequence, 0, 1_000, HeaderFlags::new(0, true));
        let control = data(9).response(PacketKind::Acknowledgement, to, 64, 5);
        port.enqueue(10, &data(0));
        assert_eq!(port.set_paused(20, 1, true), None);
        assert!(port.enqueue_paused(30, &data(1)));
        port.enqueue(40, &control);
        let lost = port.go_down(50);
        let found: Vec<_> =
            lost.iter().map(|(packet, followed)| (packet.bytes, followed.unwrap().snapshot.at)).collect();
        assert_eq!(found, [(1_000, 10), (1_000, 30), (64, 40)]);
    }
}
