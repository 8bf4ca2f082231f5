//! A switch with input buffers: packets that come, credits that come back, and what follows from both.

use netloom_model::Credits;
use netloom_records::DropReason;

use super::Crossbar;
use super::arbiter::Arbiter;
use crate::desk::{Desk, TimerKind};
use crate::node::{Node, Way};
use crate::packet::Packet;
use crate::round::Round;
use crate::trace::{Followed, Found};

impl Node {
    /// A packet that has chosen its egress stands in the input buffer.
    #[inline]
    pub fn stand(&mut self, now: u64, way: Way, packet: &Packet, desk: &mut Desk, round: &Round) {
        if self.crossbar.as_deref().is_some_and(Crossbar::is_special) {
            return self.stand_specially(now, way, packet, desk, round);
        }
        self.stand_as(now, way, packet, desk, round);
    }

    /// As [`Node::stand`], where lanes change on the way, or those who fill a host's port are throttled.
    #[inline(never)]
    fn stand_specially(&mut self, now: u64, way: Way, packet: &Packet, desk: &mut Desk, round: &Round) {
        let crossbar = self.crossbar.as_deref_mut().expect("seen by the caller");
        let throttles = crossbar.throttle.is_some();
        if crossbar.steps.is_some() {
            crossbar.queues.prepare();
        }
        // In the lane in which it will leave; without such a lane there is no way.
        let onward = match &crossbar.steps {
            Some(steps) => steps.onward(packet, way),
            None => Some(*packet),
        };
        let Some(onward) = &onward else {
            self.give_back(now, way.ingress, packet, desk, round);
            return self.lose(now, DropReason::Unreachable, packet, desk, round);
        };
        self.stand_as(now, way, onward, desk, round);
        if throttles {
            self.note_bottleneck(now, way.port, onward, desk, round);
        }
    }

    /// As [`Node::stand`], of a packet in the lane in which it will leave.
    #[inline(always)]
    fn stand_as(&mut self, now: u64, way: Way, packet: &Packet, desk: &mut Desk, round: &Round) {
        if self.notices.is_some() {
            self.tell_upstream(now, way, packet, desk, round);
        }
        if self.pass_directly(now, way, packet, desk, round) {
            return;
        }
        let Node { ports, crossbar, .. } = self;
        let crossbar = crossbar.as_deref_mut().expect("seen by the caller");
        let waiting = crossbar.outputs[way.port as usize].n_waiting;
        let found = ports[way.port as usize].expect_packet(now, packet, (way.ingress, waiting), round);
        let whole_at = crossbar.inputs[way.ingress as usize].whole_at(now, packet);
        let at = crossbar.insert(now, (way.ingress, way.port), packet, whole_at, found);
        self.expect_crossbar(at, desk);
    }

    /// Credits may be on their way to a port that waits for some.
    pub fn look_for_credits(&mut self, port: u32, desk: &mut Desk) {
        let Node { ports, crossbar: Some(crossbar), .. } = self else { return };
        if let Some(at) = ports[port as usize].awaited_credits() {
            crossbar.wakes.bring_forward(port, at);
            self.expect_crossbar(at, desk);
        }
    }

    /// When something will happen at the crossbar, `u64::MAX` for never.
    #[inline]
    pub fn next_arbitration(&self) -> u64 {
        self.crossbar.as_ref().map_or(u64::MAX, |crossbar| crossbar.event_at)
    }

    /// Something happens at the crossbar at an instant.
    #[inline]
    pub(super) fn expect_crossbar(&mut self, at: u64, desk: &mut Desk) {
        let crossbar = self.crossbar.as_deref_mut().expect("seen by the caller");
        if at < crossbar.event_at {
            crossbar.event_at = at;
            if !crossbar.is_alone {
                desk.set_timer(at, self.place, TimerKind::Crossbar);
            }
        }
    }

    /// The instant of something at the crossbar has come.
    pub fn arbitrate(&mut self, now: u64, desk: &mut Desk, round: &Round) {
        let Some(crossbar) = self.crossbar.as_deref_mut() else { return };
        if crossbar.event_at <= now {
            crossbar.event_at = u64::MAX;
        }
        let next = self.arbitrate_at(now, desk, round);
        if next != u64::MAX {
            self.expect_crossbar(next, desk);
        }
    }

    /// Lets all happen at the crossbar that does before `until`; nothing else does.
    pub fn arbitrate_until(&mut self, until: u64, desk: &mut Desk, round: &Round) {
        let mut at = self.next_arbitration();
        while at < until {
            at = self.arbitrate_at(at, desk, round);
        }
        if let Some(crossbar) = &mut self.crossbar {
            crossbar.event_at = at;
        }
    }

    /// What happens at the crossbar at an instant; tells the next one.
    #[inline]
    fn arbitrate_at(&mut self, now: u64, desk: &mut Desk, round: &Round) -> u64 {
        let Some(crossbar) = self.crossbar.as_deref_mut() else { return u64::MAX };
        crossbar.stir_due(now);
        // What one does may let another, which was asked before, do something as well.
        while let Node { ports, crossbar: Some(crossbar), .. } = self
            && let Some(number) = crossbar.take_stirred()
        {
            let egress = &mut ports[number as usize];
            if egress.is_up() {
                let next = if crossbar.is_small() {
                    Arbiter::<true> { crossbar, egress, number, now, desk, round }.ask()
                } else {
                    Arbiter::<false> { crossbar, egress, number, now, desk, round }.ask()
                };
                if next != u64::MAX {
                    crossbar.wakes.bring_forward(number, next);
                }
            } else {
                self.swallow(now, number, desk, round);
            }
        }
        self.crossbar.as_ref().map_or(u64::MAX, |crossbar| crossbar.wakes.next())
    }

    /// What is staged at a dead port is lost, and what waits for it at the heads of queues, whose places are free then.
    #[cold]
    fn swallow(&mut self, now: u64, port: u32, desk: &mut Desk, round: &Round) {
        if self.ports[port as usize].is_starving() {
            self.ports[port as usize].starve(now, false);
        }
        if let Some(crossbar) = self.crossbar.as_deref_mut() {
            crossbar.forget_turns(port);
        }
        while let Some((packet, found)) = self.take_for(now, port, desk, round) {
            self.ports[port as usize].forget_expected(now, &packet, found);
            let followed = found.map(|found| Followed { found, start: None });
            let reason = self.reason_or(DropReason::LinkDown);
            self.lose_at(port, now, reason, (&packet, followed), desk);
        }
    }

    /// Takes a packet for a port out of what is staged there, else out of an input buffer where one is at the head of a queue.
    fn take_for(
        &mut self,
        now: u64,
        port: u32,
        desk: &mut Desk,
        round: &Round,
    ) -> Option<(Packet, Option<Found>)> {
        let crossbar = self.crossbar.as_deref_mut()?;
        if let Some(place) = crossbar.take_any_staged(port) {
            return Some(crossbar.remove(port, place));
        }
        let head = |lane| Some((lane, crossbar.next_ingress(port, lane)?));
        let (lane, ingress) = (0..crossbar.n_lanes).find_map(head)?;
        let before = crossbar.lane_before(ingress, port, lane);
        let place = crossbar.take_head::<false>(now, (ingress, before), lane, port);
        crossbar.stir_wanted(ingress);
        let (packet, found) = crossbar.remove(port, place);
        if let Some(returns) = &mut crossbar.inputs[ingress as usize].returns {
            returns.give(now, before, Credits::blocks(packet.bytes), desk, round);
        }
        Some((packet, found))
    }

    /// A port has gone down or come up.
    pub fn stir_crossbar(&mut self, now: u64, port: u32, desk: &mut Desk) {
        if let Some(crossbar) = self.crossbar.as_deref_mut() {
            crossbar.stir(port);
            self.expect_crossbar(now, desk);
        }
    }

    /// A packet is lost before it has chosen an egress: its place in the input buffer is free.
    pub fn give_back(&mut self, now: u64, ingress: u32, packet: &Packet, desk: &mut Desk, round: &Round) {
        let Some(crossbar) = self.crossbar.as_deref_mut() else { return };
        let lane = crossbar.lane(packet);
        if let Some(returns) = &mut crossbar.inputs[ingress as usize].returns {
            returns.give(now, lane, Credits::blocks(packet.bytes), desk, round);
        }
    }
}
