//! What an egress of a switch with input buffers does at an instant.
//!
//! Models: staged packets first, then one grant of a transfer through the crossbar; turns among lanes; room and credits.
//! Leaves out: which egresses are asked, and when (`switch.rs`); turns among ingresses (`turn.rs`).

use netloom_model::Credits;

use super::crossbar::{Crossbar, Output};
use super::grant::{Choice, Transfer};
use super::queues::NONE;
use crate::desk::Desk;
use crate::port::Egress;
use crate::round::Round;

/// An egress that is asked what it can do.
pub struct Arbiter<'a, 'r, const SMALL: bool> {
    pub crossbar: &'a mut Crossbar,
    pub egress: &'a mut Egress,
    /// Its local number.
    pub number: u32,
    pub now: u64,
    pub desk: &'a mut Desk,
    pub round: &'a Round<'r>,
}

/// What an egress can do for a lane.
#[derive(Clone, Copy)]
struct Able {
    /// Its wire is free, and nothing of the lane is staged.
    is_first: bool,
    /// A full packet may be staged.
    can_stage: bool,
}

impl<const SMALL: bool> Arbiter<'_, '_, SMALL> {
    /// Lets happen what can, and tells when it is to be asked again, `u64::MAX` for not before something else happens.
    pub fn ask(&mut self) -> u64 {
        self.egress.pass_departures(self.now + 1);
        let is_staged = self.crossbar.outputs[self.number as usize].staged_bytes > 0;
        let mut lacks_credits = is_staged && self.start_staged();
        if self.crossbar.outputs[self.number as usize].closed_until <= self.now {
            lacks_credits |= self.grant_one();
        }
        let is_starving = lacks_credits && self.is_free();
        if is_starving != self.egress.is_starving() {
            self.egress.starve(self.now, is_starving);
        }
        let next = self.next_ask();
        if is_starving { next.min(self.wait_for_credits()) } else { next }
    }

    /// When something ends that this egress waits for, `u64::MAX` for nothing.
    #[inline]
    fn next_ask(&self) -> u64 {
        let Output { closed_until, staged_bytes, n_heads, .. } = self.crossbar.outputs[self.number as usize];
        let start = if staged_bytes > 0 { self.next_start() } else { u64::MAX };
        if n_heads == 0 {
            start
        } else if closed_until > self.now {
            start.min(closed_until)
        } else {
            start.min(self.crossbar.next_idle(self.number, self.now))
        }
    }

    /// When a staged packet may start, if the wire is not free or none of them may start yet.
    #[inline(never)]
    fn next_start(&self) -> u64 {
        let lanes = &self.crossbar.output_lanes[self.number as usize * self.crossbar.n_lanes..];
        let staged = lanes[..self.crossbar.n_lanes].iter().map(|lane| lane.staged.first);
        let ready = |place| self.crossbar.queues.entry(place).ready_at.max(self.egress.free_at());
        let starts = staged.filter(|&first| first != NONE).map(ready);
        starts.filter(|&start| start > self.now).min().unwrap_or(u64::MAX)
    }

    /// When credits arrive, if some are known to be on their way.
    #[cold]
    fn wait_for_credits(&mut self) -> u64 {
        self.egress.wait_for_credits(self.desk).unwrap_or(u64::MAX)
    }

    #[inline]
    fn is_free(&self) -> bool {
        self.egress.free_at() <= self.now
    }

    /// Staged packets start, if some can; tells whether credits are lacking for one that could now.
    #[inline(never)]
    fn start_staged(&mut self) -> bool {
        if !self.egress.starts_ahead() {
            return self.is_free() && self.start_one_of_lanes();
        }
        while let place = self.crossbar.output_lane::<SMALL>(self.number, 0).staged.first
            && place != NONE
        {
            let entry = self.crossbar.queues.entry(place);
            let free_at = self.egress.free_at().max(self.now);
            if entry.ready_at > free_at {
                return false;
            }
            if !self.egress.has_credits(self.now, &entry.packet) {
                return free_at == self.now;
            }
            self.crossbar.take_staged(self.number, 0);
            self.start(place, 0);
        }
        false
    }

    /// A staged packet starts, if one can, lane by lane in turn; tells whether credits are lacking.
    #[inline]
    fn start_one_of_lanes(&mut self) -> bool {
        let mut lacks_credits = false;
        let mut lane = self.crossbar.outputs[self.number as usize].wire_lane;
        for _ in 0..self.crossbar.n_lanes {
            lane = self.crossbar.lane_after(lane);
            let first = self.crossbar.output_lane::<SMALL>(self.number, lane).staged.first;
            if first == NONE || self.crossbar.queues.entry(first).ready_at > self.now {
                continue;
            }
            if !self.egress.has_credits(self.now, &self.crossbar.queues.entry(first).packet) {
                lacks_credits = true;
                continue;
            }
            let place = self.crossbar.take_staged(self.number, lane);
            self.start(place, lane);
            return false;
        }
        lacks_credits
    }

    /// Grants a transfer, if one can go; tells whether credits are lacking.
    #[inline]
    fn grant_one(&mut self) -> bool {
        let mut lacks_credits = false;
        let mut is_able = false;
        let mut busy_lanes = 0_u32;
        let n_lanes = if SMALL { 1 } else { self.crossbar.n_lanes };
        let mut lane = if SMALL { 0 } else { self.crossbar.outputs[self.number as usize].lane };
        for _ in 0..n_lanes {
            lane = if SMALL { 0 } else { self.crossbar.lane_after(lane) };
            let able = self.able(lane);
            if !able.is_first && !able.can_stage {
                continue;
            }
            is_able = true;
            let ingress = match self.choose(lane) {
                Choice::Nobody => continue,
                Choice::Busy => {
                    busy_lanes |= 1 << lane;
                    continue;
                }
                Choice::Ingress(ingress) => ingress,
            };
            let before = self.crossbar.lane_before(ingress, self.number, lane);
            let head = &self.crossbar.queues.head(ingress, before, self.number).packet;
            let has_credits = able.is_first && self.egress.has_credits(self.now, head);
            if !has_credits && !able.can_stage {
                lacks_credits = true;
                self.crossbar.starve(self.number);
                continue;
            }
            if !SMALL && busy_lanes != 0 {
                self.crossbar.pass_holders(self.number, busy_lanes, ingress);
            }
            // On a free wire nothing that may start is staged but for want of credits.
            return self.grant((ingress, before), lane, has_credits) && self.is_free();
        }
        if !is_able {
            self.close();
        }
        lacks_credits
    }

    /// There is no room: the egress is closed until the next start, if it is known.
    #[inline]
    fn close(&mut self) {
        let until = self.egress.next_departure().min(self.egress.free_at());
        self.crossbar.outputs[self.number as usize].closed_until = until;
    }

    #[inline]
    fn able(&mut self, lane: usize) -> Able {
        let is_first = self.is_free() && self.crossbar.output_lane::<SMALL>(self.number, lane).staged.first == NONE;
        Able { is_first, can_stage: self.has_room(lane) }
    }

    /// Whether another packet may be staged in a lane.
    #[inline]
    fn has_room(&self, lane: usize) -> bool {
        self.crossbar.has_room::<SMALL>(self.number, lane, self.egress.bytes_ahead_of_starts())
    }

    #[inline]
    fn choose(&mut self, lane: usize) -> Choice {
        let staged = self.crossbar.outputs[self.number as usize].staged_bytes;
        let Arbiter { crossbar, egress, number, now, .. } = self;
        // Until then the wire has enough to do.
        let runs_dry =
            || egress.free_at() + egress.serialization_of(u32::try_from(staged).unwrap_or(u32::MAX));
        crossbar.choose::<SMALL>(*number, lane, runs_dry, *now)
    }

    /// Grants a transfer to the head of an ingress, in the lane that it came by, and to packets behind it; tells whether a
    /// packet that is staged could start but for credits.
    #[inline]
    fn grant(&mut self, (ingress, before): (u32, usize), lane: usize, has_credits: bool) -> bool {
        let (now, egress) = (self.now, self.number);
        let begin = self.crossbar.begin_at(ingress, now);
        let mut place = self.crossbar.take_granted::<SMALL>(now, (ingress, before), lane, egress);
        self.crossbar.note_wait::<SMALL>(place, egress, lane, begin);
        let mut left = self.crossbar.full_blocks;
        let mut part = begin;
        loop {
            let entry = self.crossbar.queues.entry(place);
            let (bytes, whole_at) = (entry.packet.bytes, entry.ready_at);
            let (blocks, end) = (Credits::blocks(bytes), part + self.transfer_time(bytes));
            left = left.saturating_sub(blocks);
            if let Some(returns) = &mut self.crossbar.inputs[ingress as usize].returns {
                returns.give(end.max(whole_at), before, blocks, self.desk, self.round);
            }
            if part == now && has_credits {
                self.start(place, lane);
            } else {
                self.stage(place, lane, part);
            }
            part = end;
            let Some(next) = self.next_of_train((ingress, before), lane, left) else { break };
            place = next;
        }
        self.crossbar.grant::<SMALL>(Transfer { ingress, egress, lane, end: part });
        begin == now && !has_credits && self.crossbar.output_lane::<SMALL>(egress, lane).staged.first != NONE
    }

    /// A packet of a lane is staged that may start at `ready`; its start may be known.
    #[inline]
    fn stage(&mut self, place: u32, lane: usize, ready: u64) {
        let is_next = self.egress.starts_ahead()
            && ready <= self.egress.free_at().max(self.now)
            && self.crossbar.output_lane::<SMALL>(self.number, lane).staged.first == NONE;
        if is_next && self.egress.has_credits(self.now, &self.crossbar.queues.entry(place).packet) {
            self.start(place, lane);
        } else {
            self.crossbar.stage(self.number, lane, place, ready);
        }
    }

    /// Takes the packet behind those that are granted a transfer, if it may come along: it goes the same way, and there is room.
    #[inline]
    fn next_of_train(&mut self, (ingress, before): (u32, usize), lane: usize, left: u32) -> Option<u32> {
        let (now, egress) = (self.now, self.number);
        if left == 0 || !self.crossbar.is_wanted::<SMALL>(ingress, lane, egress) {
            return None;
        }
        let blocks = Credits::blocks(self.crossbar.queues.head(ingress, before, egress).packet.bytes);
        let fits = blocks <= left && self.has_room(lane);
        fits.then(|| self.crossbar.take_head::<SMALL>(now, (ingress, before), lane, egress))
    }

    #[inline]
    fn transfer_time(&self, bytes: u32) -> u64 {
        self.crossbar.transfer_time(self.egress.serialization_of(bytes))
    }

    /// The transmission of a packet of a lane that is in no queue any more starts, or is known to start when the wire is free.
    #[inline]
    fn start(&mut self, place: u32, lane: usize) {
        self.crossbar.outputs[self.number as usize].wire_lane = lane;
        let (packet, found) = self.crossbar.remove(self.number, place);
        if self.egress.starts_ahead() {
            self.egress.launch_ahead(self.now, &packet, self.desk, self.round);
        } else {
            self.egress.launch(self.now, &packet, found, self.desk, self.round);
        }
    }
}
