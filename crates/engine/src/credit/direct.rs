//! The fast path through a crossbar: a packet with which none competes is granted a transfer as it comes.
//!
//! Models: the result of arbitration for the only head for an egress at an instant at which nothing else happens in the
//! switch; without input queues, bits or a second arbitration.
//! Leaves out: every other packet (`arbiter.rs`).
//!
//! Invariants: all state is as after arbitration; where anything could compete with the packet or observe it, it takes
//! the slow path.

use netloom_model::Credits;

use super::crossbar::{Crossbar, Input};
use super::queues::{Entry, NONE};
use crate::context::PartitionContext;
use crate::node::{Forwarding, Node};
use crate::packet::Packet;
use crate::port::Egress;
use crate::round::Round;

/// The destination of a packet whose transfer begins as it comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Target {
    /// The link: the wire is free, or the start is known.
    Link,
    /// The staged packets: it starts when the wire is free and its turn has come.
    Staged,
}

impl Node {
    /// Forwards a packet that has just come at once, if none competes with it at `now`; returns whether it was
    /// forwarded.
    #[inline(always)]
    pub(super) fn pass_directly<const SMALL: bool>(
        &mut self,
        now: u64,
        forwarding: Forwarding,
        packet: &Packet,
        context: &mut PartitionContext,
        round: &Round,
    ) -> bool {
        let Node { ports, crossbar: Some(crossbar), .. } = self else { return false };
        let Forwarding { ingress, port } = forwarding;
        if context.next_event_bound.min(crossbar.event_at) <= now
            || !crossbar.is_uncontended(now, forwarding)
            || (!SMALL && crossbar.outputs[port as usize].is_throttled)
        {
            return false;
        }
        let egress = &mut ports[port as usize];
        let vl = if SMALL { 0 } else { crossbar.vl(packet) };
        let Some(target) = crossbar.target::<SMALL>(now, port, vl, packet, egress) else { return false };
        let end = now + crossbar.transfer_time(egress.serialization_of(packet.bytes));
        let input_vl = if SMALL { 0 } else { crossbar.input_vl(ingress, port, vl) };
        let input = crossbar.grant_unopposed::<SMALL>(forwarding, vl, end);
        let whole_at = input.whole_at(now, packet);
        if let Some(returns) = &mut input.returns {
            returns.give(end.max(whole_at), input_vl, Credits::blocks(packet.bytes), context, round);
        }
        if target == Target::Link {
            if !SMALL {
                crossbar.outputs[port as usize].wire_vl = vl as u8;
            }
            egress.launch_on_arrival(now, packet, context, round);
        } else {
            egress.count_buffered_packet(now, packet, (ingress, 0), round);
            let start = egress.free_at();
            crossbar.stage_unopposed(now, port, vl, packet);
            crossbar.wakes.bring_forward(port, start);
            self.expect_crossbar(start, context);
        }
        true
    }
}

impl Crossbar {
    /// Whether a packet at an ingress is the only head for an egress at `now`, both are idle, and no other egress needs
    /// arbitration because of its transfer.
    #[inline(always)]
    fn is_uncontended(&self, now: u64, Forwarding { ingress, port }: Forwarding) -> bool {
        let (input, output) = (&self.inputs[ingress as usize], &self.outputs[port as usize]);
        input.n_queued | output.vls_with_heads == 0 && input.idle_at.max(output.closed_until) <= now
    }

    /// The destination of a packet at `now`, if there are room and credits, and its start need not be seen.
    #[inline(always)]
    fn target<const SMALL: bool>(
        &self,
        now: u64,
        port: u32,
        vl: usize,
        packet: &Packet,
        egress: &mut Egress,
    ) -> Option<Target> {
        if !egress.is_up() || egress.must_observe_starts() {
            return None;
        }
        egress.pass_departures(now + 1);
        let is_first = self.outputs[port as usize].staged_vls == 0;
        if egress.free_at() <= now {
            return (is_first && egress.has_credits(now, packet)).then_some(Target::Link);
        }
        if !self.has_room::<SMALL>(port, vl, egress.precomputed_bytes()) {
            return None;
        }
        let goes_ahead = is_first && egress.precomputes_starts() && egress.has_credits(now, packet);
        Some(if goes_ahead { Target::Link } else { Target::Staged })
    }

    /// As [`Crossbar::grant`], of a packet that is in no queue; returns its ingress.
    #[inline(always)]
    fn grant_unopposed<const SMALL: bool>(
        &mut self,
        Forwarding { ingress, port }: Forwarding,
        vl: usize,
        end: u64,
    ) -> &mut Input {
        let number = self.vl_number::<SMALL>(port, vl);
        self.clear_skips(number, ingress);
        self.n_grants += 1;
        let own = &mut self.output_vls[number];
        own.n_grants = own.n_grants.wrapping_add(1);
        (own.turn.holder, own.turn.last_holder) = (NONE, ingress);
        let output = &mut self.outputs[port as usize];
        output.n_grants += 1;
        (output.closed_until, output.last_grant, output.vl) = (end, self.n_grants, vl as u8);
        let input = &mut self.inputs[ingress as usize];
        input.n_grants = input.n_grants.wrapping_add(1);
        if !self.is_ideal {
            input.idle_at = end;
        }
        input
    }

    /// Stages a packet that was in no queue.
    #[inline]
    fn stage_unopposed(&mut self, now: u64, port: u32, vl: usize, packet: &Packet) {
        self.outputs[port as usize].n_waiting += 1;
        let index = self.queues.hold(Entry::new(packet, port, (now, now), 0));
        self.stage(port, vl, index, now);
    }
}
