//! A switch with input buffers: arriving packets, returning credits, and the arbitration that follows from both.

use netloom_model::Credits;
use netloom_records::DropReason;

use super::arbiter::Arbiter;
use crate::context::PartitionContext;
use crate::node::{Forwarding, Node};
use crate::packet::Packet;
use crate::round::Round;
use crate::trace::{QueueSnapshot, TracedPacket};

impl Node {
    /// Puts a packet that has chosen its egress into the input buffer.
    #[inline(always)]
    pub fn buffer_at_input(
        &mut self,
        now: u64,
        forwarding: Forwarding,
        packet: &Packet,
        context: &mut PartitionContext,
        round: &Round,
    ) {
        let crossbar = self.crossbar.as_deref().expect("the switch has input buffers");
        if crossbar.is_small() && !crossbar.has_slow_arrivals() {
            self.buffer_in_only_vl(now, forwarding, packet, context, round);
        } else {
            self.buffer_in_one_of_vls(now, forwarding, packet, context, round);
        }
    }

    /// As [`Node::buffer_at_input`], at a small switch where nothing else follows from an arrival.
    #[inline(never)]
    fn buffer_in_only_vl(
        &mut self,
        now: u64,
        forwarding: Forwarding,
        packet: &Packet,
        context: &mut PartitionContext,
        round: &Round,
    ) {
        self.buffer_in_vl::<true>(now, forwarding, packet, context, round);
    }

    /// As [`Node::buffer_at_input`], where VLs may change on the path, or hosts that fill a host's port are throttled.
    #[inline(never)]
    fn buffer_in_one_of_vls(
        &mut self,
        now: u64,
        forwarding: Forwarding,
        packet: &Packet,
        context: &mut PartitionContext,
        round: &Round,
    ) {
        let crossbar = self.crossbar.as_deref_mut().expect("seen by the caller");
        let throttles = crossbar.outputs[forwarding.port as usize].is_throttled;
        let risen;
        let mut onward = packet;
        if let Some(steps) = &crossbar.steps {
            // In the VL in which it will leave; without such a VL the packet cannot be forwarded.
            let Some(in_its_vl) = steps.onward(packet, forwarding) else {
                self.return_dropped_credits(now, forwarding.ingress, packet, context, round);
                return self.lose(now, DropReason::Unreachable, packet, context, round);
            };
            risen = in_its_vl;
            onward = &risen;
        }
        self.buffer_in_vl::<false>(now, forwarding, onward, context, round);
        if throttles {
            self.note_bottleneck(now, forwarding.port, onward, context, round);
        }
    }

    /// As [`Node::buffer_at_input`], of a packet in the VL in which it will leave.
    #[inline(always)]
    fn buffer_in_vl<const SMALL: bool>(
        &mut self,
        now: u64,
        forwarding: Forwarding,
        packet: &Packet,
        context: &mut PartitionContext,
        round: &Round,
    ) {
        if context.prefetches {
            self.prefetch_transfer(forwarding, packet);
        }
        if self.notices.is_some() {
            self.notify_upstream(now, forwarding, packet, context, round);
        }
        if self.pass_directly::<SMALL>(now, forwarding, packet, context, round) {
            return;
        }
        let Node { ports, crossbar, .. } = self;
        let crossbar = crossbar.as_deref_mut().expect("seen by the caller");
        let waiting = crossbar.outputs[forwarding.port as usize].n_waiting;
        let snapshot = ports[forwarding.port as usize].count_buffered_packet(
            now,
            packet,
            (forwarding.ingress, waiting),
            round,
        );
        let whole_at = crossbar.inputs[forwarding.ingress as usize].whole_at(now, packet);
        if !SMALL {
            crossbar.queues.prepare();
        }
        let at =
            crossbar.insert::<SMALL>(now, (forwarding.ingress, forwarding.port), packet, whole_at, snapshot);
        self.expect_crossbar(at, context);
    }

    /// Schedules arbitration for credits that may be in flight to a port that waits for some.
    pub fn look_for_credits(&mut self, port: u32, context: &mut PartitionContext) {
        let Node { ports, crossbar: Some(crossbar), .. } = self else { return };
        if let Some(at) = ports[port as usize].awaited_credits() {
            crossbar.wakes.bring_forward(port, at);
            self.expect_crossbar(at, context);
        }
    }

    /// When the crossbar is next arbitrated, `u64::MAX` for never.
    #[inline]
    pub fn next_arbitration(&self) -> u64 {
        self.crossbar.as_ref().map_or(u64::MAX, |crossbar| crossbar.event_at)
    }

    /// Schedules arbitration at the crossbar at an instant.
    #[inline]
    pub(super) fn expect_crossbar(&mut self, at: u64, context: &mut PartitionContext) {
        let crossbar = self.crossbar.as_deref_mut().expect("seen by the caller");
        if at < crossbar.event_at {
            crossbar.event_at = at;
            context.schedule_arbitration(self.index_in_partition, at);
        }
    }

    /// Arbitrates at the crossbar of a switch that is one of several nodes.
    pub fn arbitrate(&mut self, now: u64, context: &mut PartitionContext, round: &Round) {
        let next = self.arbitrate_at(now, context, round);
        if let Some(crossbar) = &mut self.crossbar {
            crossbar.event_at = next;
        }
        context.schedule_arbitration(self.index_in_partition, next);
    }

    /// Runs all arbitrations at the crossbar before `until`; no other events happen until then.
    pub fn arbitrate_until(&mut self, until: u64, context: &mut PartitionContext, round: &Round) {
        let mut at = self.next_arbitration();
        while at < until {
            at = self.arbitrate_at(at, context, round);
        }
        if let Some(crossbar) = &mut self.crossbar {
            crossbar.event_at = at;
        }
    }

    /// Arbitrates at an instant; returns the next instant of arbitration.
    #[inline]
    fn arbitrate_at(&mut self, now: u64, context: &mut PartitionContext, round: &Round) -> u64 {
        let Some(crossbar) = self.crossbar.as_deref_mut() else { return u64::MAX };
        crossbar.request_due_arbitrations(now);
        // An action of one egress may enable another one that was arbitrated before.
        while let Node { ports, crossbar: Some(crossbar), .. } = self
            && let Some(number) = crossbar.take_next_egress()
        {
            let egress = &mut ports[number as usize];
            if egress.is_up() {
                let next = if crossbar.is_small() {
                    Arbiter::<true> { crossbar, egress, number, now, context, round }.arbitrate()
                } else {
                    Arbiter::<false> { crossbar, egress, number, now, context, round }.arbitrate()
                };
                if next != u64::MAX {
                    crossbar.wakes.bring_forward(number, next);
                }
            } else {
                self.drop_for_dead_port(now, number, context, round);
            }
        }
        self.crossbar.as_ref().map_or(u64::MAX, |crossbar| crossbar.wakes.next())
    }

    /// Drops packets that are staged at a dead port or wait for it at the heads of queues, whose buffer space is free
    /// then.
    #[cold]
    fn drop_for_dead_port(&mut self, now: u64, port: u32, context: &mut PartitionContext, round: &Round) {
        if self.ports[port as usize].is_credit_blocked() {
            self.ports[port as usize].set_credit_blocked(now, false);
        }
        if let Some(crossbar) = self.crossbar.as_deref_mut() {
            crossbar.forget_turns(port);
        }
        while let Some((packet, snapshot)) = self.take_for(now, port, context, round) {
            self.ports[port as usize].forget_buffered(now, &packet, snapshot);
            let traced = snapshot.map(|snapshot| TracedPacket { snapshot, start: None });
            let reason = self.reason_or(DropReason::LinkDown);
            self.lose_at(port, now, reason, (&packet, traced), context);
        }
    }

    /// Takes a packet for a port: a staged one, else one in an input buffer that is at the head of a queue.
    fn take_for(
        &mut self,
        now: u64,
        port: u32,
        context: &mut PartitionContext,
        round: &Round,
    ) -> Option<(Packet, Option<QueueSnapshot>)> {
        let crossbar = self.crossbar.as_deref_mut()?;
        if let Some(index) = crossbar.take_any_staged(port) {
            return Some(crossbar.remove(port, index));
        }
        let head = |vl| Some((vl, crossbar.next_ingress(port, vl)?));
        let (vl, ingress) = (0..crossbar.n_vls).find_map(head)?;
        let input_vl = crossbar.input_vl(ingress, port, vl);
        let index = crossbar.take_head::<false>(now, (ingress, input_vl), vl, port);
        crossbar.request_arbitration_for_heads(ingress);
        let (packet, snapshot) = crossbar.remove(port, index);
        if let Some(returns) = &mut crossbar.inputs[ingress as usize].returns {
            returns.give(now, input_vl, Credits::blocks(packet.bytes), context, round);
        }
        Some((packet, snapshot))
    }

    /// Requests the arbitration of a port that has gone down or come up.
    pub fn request_arbitration_at(&mut self, now: u64, port: u32, context: &mut PartitionContext) {
        if let Some(crossbar) = self.crossbar.as_deref_mut() {
            crossbar.request_arbitration(port);
            self.expect_crossbar(now, context);
        }
    }

    /// Frees the buffer space of a packet that is lost before it has chosen an egress.
    pub fn return_dropped_credits(
        &mut self,
        now: u64,
        ingress: u32,
        packet: &Packet,
        context: &mut PartitionContext,
        round: &Round,
    ) {
        let Some(crossbar) = self.crossbar.as_deref_mut() else { return };
        let vl = crossbar.vl(packet);
        if let Some(returns) = &mut crossbar.inputs[ingress as usize].returns {
            returns.give(now, vl, Credits::blocks(packet.bytes), context, round);
        }
    }
}
