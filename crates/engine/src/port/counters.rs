//! What a port reports: its totals and samples, and the state that its later behaviour depends on.

use netloom_units::{StateWriter, Time};

use super::{ByClass, Egress};
use crate::sampler::PortSample;

/// Totals of a port up to an instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Totals {
    /// Packets accepted and not lost.
    pub packets: u64,
    /// Bytes sent.
    pub bytes: u64,
    /// Bytes accepted and not yet sent.
    pub waiting: u64,
    /// Peak number of packets waiting, the one on the wire not included; where packets are counted.
    pub peak_packets: Option<u32>,
    /// Peak of the bytes accepted and not yet sent.
    pub peak_bytes: u64,
    /// Packets dropped here.
    pub dropped: u64,
    /// Data packets marked here.
    pub marked: u64,
    /// Frames sent here that pause a class.
    pub pauses: u64,
    /// How long a class was paused, in ps.
    pub paused: u64,
    /// How long its wire was busy, in ps, where that does not follow from what it sent.
    pub busy: Option<u64>,
}

impl Egress {
    /// Totals before `now`; the port must be advanced to `now`.
    pub fn totals_at(&self, now: u64) -> Totals {
        let waiting = self.waiting_bytes(now);
        Totals {
            packets: self.channel.n_pushed() + u64::from(self.n_queued()),
            bytes: self.sent_bytes(now),
            waiting,
            peak_packets: self.count.as_ref().filter(|count| count.peak_wanted).map(|count| count.peak),
            peak_bytes: self.peak_bytes(),
            dropped: self.extras.dropped,
            marked: self.n_marked(),
            pauses: self.extras.pauses.n_sent,
            paused: self.blocked_time(now, 0),
            busy: self.busy_at(now, self.sent_bytes(now)),
        }
    }

    /// The sample of this port before `now`, with the pauses that are over; the port must be advanced to `now`.
    pub fn sample_at(&self, now: u64) -> PortSample {
        let waiting = self.waiting_bytes(now);
        let sent = if waiting == 0 { self.bytes } else { self.sent_with(now, waiting) };
        PortSample { sent, waiting, paused: self.extras.pauses.total, dropped: self.extras.dropped }
    }

    /// Writes what later behaviour depends on.
    pub fn write_state(&self, out: &mut StateWriter) {
        out.word(u64::from(self.up) | u64::from(self.blocked_classes) << 8);
        out.instant(Time(self.free_at));
        self.write_changes(out);
        if let Some(marker) = &self.extras.marker {
            marker.write_state(out);
        }
        let now = out.base().0;
        self.credits_at(now).into_iter().for_each(|blocks| out.word(u64::from(blocks)));
        for returned in self.credits_in_flight(now) {
            out.instant(Time(returned.arrival));
            out.word(u64::from(returned.vl) << 32 | u64::from(returned.blocks));
        }
        if let Some(queues) = &self.queues {
            out.word(u64::from(queues.n_packets()));
            let by_class = self.extras.by_class.as_deref();
            let paused = self
                .extras
                .paused_packets
                .iter()
                .chain(by_class.into_iter().flat_map(ByClass::paused_packets));
            for packet in queues.classes.iter().flatten().chain(paused) {
                crate::state::write_packet(packet, out);
            }
            if let Some(by_class) = by_class {
                by_class.write_state(out);
            }
        }
    }
}
