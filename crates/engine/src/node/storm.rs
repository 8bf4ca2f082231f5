//! A NIC that keeps pausing its switch.
//!
//! Models: pause frames at a fixed interval, the last of which lets packets go on.
//! Leaves out: why it does so; that it could take packets makes no difference to the switch.

use netloom_model::Storm;

use super::{Node, settle};
use crate::desk::{Desk, TimerKind};
use crate::packet::PacketKind;
use crate::round::Round;

impl Node {
    /// A frame of a storm is due.
    #[cold]
    pub fn storm(&mut self, now: u64, number: u32, desk: &mut Desk, round: &Round) {
        let Storm { port, end, interval, .. } = round.model.storms[number as usize];
        let local = round.model.fabric.local_index(port);
        if self.has_nic() {
            self.serve(now, desk, round);
        }
        settle(&mut self.ports[local as usize], now, desk, round);
        if now >= end.0 {
            return self.tell_storm(now, local, desk, round);
        }
        self.send_frame(now, local, PacketKind::Pause, round.model.pausing_classes(), desk, round);
        let next = now.saturating_add(interval.0).min(end.0);
        desk.set_timer(next, self.place, TimerKind::Storm { number });
    }

    /// What a NIC that has storms says when one of them ends, of which there may be others, and when its link comes up, on
    /// which frames may have been lost.
    pub(super) fn tell_storm(&mut self, now: u64, port: u32, desk: &mut Desk, round: &Round) {
        let id = self.ports[port as usize].id();
        let mut own =
            round.model.storms.iter().filter(|storm| storm.port == id && storm.at.0 <= now).peekable();
        if own.peek().is_none() {
            return;
        }
        let kind = if own.any(|storm| now < storm.end.0) { PacketKind::Pause } else { PacketKind::Resume };
        self.send_frame(now, port, kind, round.model.pausing_classes(), desk, round);
    }
}
