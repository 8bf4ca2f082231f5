//! A pause storm: a NIC that keeps pausing its switch.
//!
//! Models: pause frames at a fixed interval, and a resume at the end.
//! Leaves out: the cause; whether the NIC could accept packets makes no difference to the switch.

use netloom_model::Storm;

use super::{Node, advance_port};
use crate::context::{PartitionContext, TimerKind};
use crate::packet::PacketKind;
use crate::round::Round;

impl Node {
    /// Sends the next frame of a storm.
    #[cold]
    pub fn storm(&mut self, now: u64, number: u32, context: &mut PartitionContext, round: &Round) {
        let Storm { port, end, interval, .. } = round.model.storms[number as usize];
        let local = round.model.fabric.local_index(port);
        if self.has_nic() {
            self.serve(now, context, round);
        }
        advance_port(&mut self.ports[local as usize], now, context, round);
        if now >= end.0 {
            return self.send_storm_frame(now, local, context, round);
        }
        self.send_frame(now, local, PacketKind::Pause, round.model.pausing_classes(), context, round);
        let next = now.saturating_add(interval.0).min(end.0);
        context.set_timer(next, self.index_in_partition, TimerKind::Storm { number });
    }

    /// Sends the frame of a NIC that has storms when one of them ends or its link comes up, on which frames may have
    /// been lost: a pause if another storm is in progress, else a resume.
    pub(super) fn send_storm_frame(
        &mut self,
        now: u64,
        port: u32,
        context: &mut PartitionContext,
        round: &Round,
    ) {
        let id = self.ports[port as usize].id();
        let mut own =
            round.model.storms.iter().filter(|storm| storm.port == id && storm.at.0 <= now).peekable();
        if own.peek().is_none() {
            return;
        }
        let kind = if own.any(|storm| now < storm.end.0) { PacketKind::Pause } else { PacketKind::Resume };
        self.send_frame(now, port, kind, round.model.pausing_classes(), context, round);
    }
}
