//! Data packets that are counted, marked or lost at a port.
//!
//! Models: bytes of data in the class queues, for shared buffers and marking; marks on the way in or out; random loss on
//! the link.
//! Leaves out: who shares what (`buffer.rs`), and which packet is marked (`mark.rs`).
//!
//! Invariants: what came in by [`Egress::guard`] goes out by [`Egress::released`] or [`Egress::unguard`].

use netloom_units::Random;

use super::Egress;
use crate::mark::Marker;
use crate::packet::Packet;

/// What waits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Backlog {
    /// Packets.
    pub packets: usize,
    /// Their bytes.
    pub bytes: u64,
}

impl Egress {
    /// Lets data packets be marked here, before the run.
    pub fn set_marker(&mut self, marker: Marker) {
        self.set_guarded();
        self.extras.marker = Some(marker);
    }

    /// Lets data packets be lost on the link by chance (in 2^-32), before the run.
    pub fn set_loss(&mut self, chance: u64, random: Random) {
        self.plain = false;
        self.special = true;
        self.extras.watched = true;
        self.extras.loss = Some((chance, random));
    }

    /// Whether a data packet whose transmission starts is lost on the link.
    pub fn is_lost(&mut self) -> bool {
        let Some((chance, random)) = &mut self.extras.loss else { return false };
        u64::from(random.next_u32()) < *chance
    }

    /// Whether data packets are counted or marked here: they must come by [`Egress::guard`].
    #[inline(always)]
    pub fn is_guarded(&self) -> bool {
        self.extras.guarded
    }

    /// Lets data packets be counted on their way in and out, before the run.
    pub fn set_guarded(&mut self) {
        (self.plain, self.special, self.extras.guarded) = (false, true, true);
    }

    /// A packet about to join its queue, marked if that is judged there.
    pub fn guard(&mut self, packet: Packet) -> Packet {
        if !packet.is_data() {
            return packet;
        }
        let waiting = self.extras.data_bytes;
        self.extras.data_bytes += u64::from(packet.bytes);
        match &mut self.extras.marker {
            Some(marker) if marker.at_enqueue => marker.judge(waiting, packet),
            _ => packet,
        }
    }

    /// A packet whose transmission starts, marked if that is judged there.
    pub fn released(&mut self, packet: Packet) -> Packet {
        self.unguard(packet);
        let waiting = self.extras.data_bytes;
        match &mut self.extras.marker {
            Some(marker) if !marker.at_enqueue => marker.judge(waiting, packet),
            _ => packet,
        }
    }

    /// A packet has left its queue.
    pub fn unguard(&mut self, packet: Packet) {
        if self.extras.guarded && packet.is_data() {
            self.extras.data_bytes -= u64::from(packet.bytes);
        }
    }

    /// Data in the class queues, where it is counted; starts before now must have happened.
    #[inline]
    pub fn data_waiting(&self) -> Backlog {
        let class = self.data_class as usize & 7;
        let packets = self.queues.as_ref().map_or(0, |queues| queues.classes[class].len());
        Backlog { packets: packets + self.extras.aside.len(), bytes: self.extras.data_bytes }
    }

    /// A packet takes its time on the wire and does not arrive.
    pub fn count_lost(&mut self, packet: &Packet) {
        self.dropped += 1;
        self.lose(packet);
    }
}
