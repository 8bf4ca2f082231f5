//! The fast path through a crossbar: a packet that meets nobody is granted a transfer as it comes.
//!
//! Models: what arbitration would do with the only head for an egress at an instant at which nothing else happens in the switch;
//! without queues, bits or another look.
//! Leaves out: every other packet (`arbiter.rs`).
//!
//! Invariants: all state is as after arbitration; where anything could compete, or take notice, the packet goes the long way.

use netloom_model::Credits;

use super::crossbar::Crossbar;
use super::queues::NONE;
use crate::desk::Desk;
use crate::node::{Node, Way};
use crate::packet::Packet;
use crate::port::Egress;
use crate::round::Round;

impl Node {
    /// Lets a packet that has just come go at once, if nobody competes with it at `now`; tells whether it has gone.
    #[inline(always)]
    pub(super) fn pass_directly(
        &mut self,
        now: u64,
        way: Way,
        packet: &Packet,
        desk: &mut Desk,
        round: &Round,
    ) -> bool {
        let Node { ports, crossbar: Some(crossbar), .. } = self else { return false };
        let egress = &mut ports[way.port as usize];
        let is_watched = crossbar.throttle.as_ref().is_some_and(|throttle| throttle.watches(way.port));
        if desk.quiet_until <= now
            || crossbar.event_at <= now
            || is_watched
            || !crossbar.is_uncontended(now, way)
        {
            return false;
        }
        let lane = crossbar.lane(packet);
        if !crossbar.can_go(now, way.port, lane, packet, egress) {
            return false;
        }
        let end = now + crossbar.transfer_time(egress.serialization_of(packet.bytes));
        let before = crossbar.lane_before(way.ingress, way.port, lane);
        crossbar.grant_unopposed(way, lane, end);
        let input = &mut crossbar.inputs[way.ingress as usize];
        let whole_at = input.whole_at(now, packet);
        if let Some(returns) = &mut input.returns {
            returns.give(end.max(whole_at), before, Credits::blocks(packet.bytes), desk, round);
        }
        egress.launch_unexpected(now, packet, desk, round);
        true
    }
}

impl Crossbar {
    /// Whether a packet at an ingress is the only head for an egress at `now`, both are idle, and nobody would be asked because
    /// of its transfer.
    #[inline]
    fn is_uncontended(&self, now: u64, Way { ingress, port }: Way) -> bool {
        let (input, output) = (&self.inputs[ingress as usize], &self.outputs[port as usize]);
        input.n_queued == 0
            && output.lanes_with_heads == 0
            && output.staged_bytes == 0
            && input.idle_at <= now
            && output.closed_until <= now
    }

    /// Whether there are room and credits for a packet, and nobody has to see its start.
    #[inline]
    fn can_go(&self, now: u64, port: u32, lane: usize, packet: &Packet, egress: &mut Egress) -> bool {
        if !egress.is_up() || egress.sees_starts() {
            return false;
        }
        egress.pass_departures(now + 1);
        let is_free = egress.free_at() <= now;
        (is_free
            || egress.starts_ahead() && self.has_room::<false>(port, lane, egress.bytes_ahead_of_starts()))
            && egress.has_credits(now, packet)
    }

    /// As [`Crossbar::grant`], of a packet that is in no queue.
    #[inline]
    fn grant_unopposed(&mut self, Way { ingress, port }: Way, lane: usize, end: u64) {
        let number = port as usize * self.n_lanes + lane;
        self.forgive(number, ingress);
        self.n_grants += 1;
        let own = &mut self.output_lanes[number];
        own.n_grants = own.n_grants.wrapping_add(1);
        (own.turn.holder, own.turn.last_holder) = (NONE, ingress);
        let output = &mut self.outputs[port as usize];
        output.n_grants += 1;
        (output.closed_until, output.last_grant) = (end, self.n_grants);
        (output.lane, output.wire_lane) = (lane, lane);
        let input = &mut self.inputs[ingress as usize];
        input.n_grants = input.n_grants.wrapping_add(1);
        if !self.is_ideal {
            input.idle_at = end;
        }
    }
}
