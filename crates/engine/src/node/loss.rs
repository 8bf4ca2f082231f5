//! Packets that a node drops.
//!
//! Models: what a drop updates: the records, the hop records of traced packets, and the edge.
//! Leaves out: why a packet is dropped; the caller gives the reason.

use netloom_records::DropReason;

use super::Node;
use crate::context::PartitionContext;
use crate::packet::Packet;
use crate::round::Round;
use crate::trace::{HopRecord, TracedPacket, is_followed};

impl Node {
    /// Corrects the edge, which has counted a packet that is dropped here. Where there is an edge, queues that may be
    /// full count their data, so every drop comes here.
    pub(super) fn take_back_at_edge(&mut self, packet: &Packet, round: &Round) {
        if let Some(edge) = &mut self.edge {
            edge.uncount_dropped(packet, round);
        }
    }

    /// Drops a packet that a port does not accept.
    #[cold]
    #[inline(never)]
    pub(super) fn refuse(
        &mut self,
        now: u64,
        port: u32,
        reason: DropReason,
        packet: &Packet,
        context: &mut PartitionContext,
    ) {
        let found = self.ports[port as usize].snapshot_for_dropped(now);
        let traced = found.map(|found| TracedPacket { snapshot: found, start: None });
        self.lose_at(port, now, reason, (packet, traced), context);
    }

    /// Drops a packet before a port was chosen.
    #[cold]
    pub(crate) fn lose(
        &self,
        now: u64,
        reason: DropReason,
        packet: &Packet,
        context: &mut PartitionContext,
        round: &Round,
    ) {
        context.dropped(now, self.id.0, None, reason, packet);
        context.forget_record(packet);
        if is_followed(packet, round.flows) {
            context.record_hop(HopRecord::without_port(packet, self.id, now, reason));
        }
    }

    /// Drops a packet at a port.
    #[cold]
    pub(crate) fn lose_at(
        &mut self,
        port: u32,
        now: u64,
        reason: DropReason,
        (packet, traced): (&Packet, Option<TracedPacket>),
        context: &mut PartitionContext,
    ) {
        context.dropped(now, self.id.0, Some(port), reason, packet);
        context.forget_record(packet);
        if !matches!(reason, DropReason::LinkDown | DropReason::SwitchDown | DropReason::Corrupted) {
            self.ports[port as usize].count_refused_of_class(packet);
        }
        if let (Some(traced), Some(trace)) = (traced, self.ports[port as usize].trace()) {
            context
                .record_hop(HopRecord { dropped: Some((now, reason)), ..trace.hop_record(packet, traced) });
        }
    }
}
