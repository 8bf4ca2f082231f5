//! Arbitration at an egress of a switch with input buffers, at an instant.
//!
//! Models: staged packets first, then one grant of a transfer through the crossbar; turns among VLs; room and credits.
//! Leaves out: which egresses are arbitrated, and when (`switch.rs`); turns among ingresses (`turn.rs`).

use netloom_model::Credits;

use super::crossbar::{Crossbar, Output, in_turn};
use super::grant::{Choice, Transfer};
use super::queues::NONE;
use crate::bits::bits;
use crate::context::PartitionContext;
use crate::port::Egress;
use crate::round::Round;

/// The arbitration of one egress.
pub struct Arbiter<'a, 'r, const SMALL: bool> {
    pub crossbar: &'a mut Crossbar,
    pub egress: &'a mut Egress,
    /// Its local port number.
    pub number: u32,
    pub now: u64,
    pub context: &'a mut PartitionContext,
    pub round: &'a Round<'r>,
}

/// What comes of an attempt to grant a transfer, in all VLs.
#[derive(Debug, Clone, Copy, Default)]
struct Outcome {
    /// Whether only lack of credits keeps a packet from starting.
    lacks_credits: bool,
    /// Whether no transfer was granted, and in some VL one could be if another ingress were idle: ingresses are busy for
    /// too long, or there are no credits for the head that has the turn.
    awaits_ingress: bool,
}

/// The result of an attempt to grant a transfer in a VL.
enum Attempt {
    /// A transfer was granted; whether only lack of credits keeps the packet from starting.
    Granted { lacks_credits: bool },
    /// The wire is busy, and no packet may be staged.
    NoRoom,
    /// The ingresses that have heads are busy for too long.
    Busy,
    /// There are no credits for the head that has the turn.
    NoCredits,
}

impl<const SMALL: bool> Arbiter<'_, '_, SMALL> {
    /// Starts packets and grants a transfer where possible; returns when to arbitrate again, `u64::MAX` for not before
    /// another event.
    pub fn arbitrate(&mut self) -> u64 {
        self.egress.pass_departures(self.now + 1);
        let is_staged = self.crossbar.outputs[self.number as usize].staged_vls != 0;
        let lacks_credits = is_staged && self.start_staged();
        let Output { closed_until, vls_with_heads, .. } = self.crossbar.outputs[self.number as usize];
        let mut outcome = Outcome::default();
        if closed_until <= self.now && vls_with_heads != 0 {
            outcome = self.grant_one(vls_with_heads);
        }
        let is_starving = (lacks_credits || outcome.lacks_credits) && self.is_free();
        if is_starving != self.egress.is_credit_blocked() {
            self.egress.set_credit_blocked(self.now, is_starving);
        }
        let next = self.next_ask(outcome.awaits_ingress);
        if is_starving { next.min(self.wait_for_credits()) } else { next }
    }

    /// When this egress must be arbitrated next, `u64::MAX` for not before another event; see [`Outcome`].
    #[inline]
    fn next_ask(&self, awaits_ingress: bool) -> u64 {
        let output = &self.crossbar.outputs[self.number as usize];
        let start = if output.staged_vls != 0 { self.next_start(output.staged_vls) } else { u64::MAX };
        if output.vls_with_heads == 0 {
            start
        } else if output.closed_until > self.now {
            start.min(output.closed_until)
        } else {
            start.min(self.next_decision(awaits_ingress))
        }
    }

    /// When a staged packet may start, if the wire is not free or none of them may start yet.
    #[inline(never)]
    fn next_start(&self, staged_vls: u32) -> u64 {
        let first = self.crossbar.vl_number::<SMALL>(self.number, 0);
        let vls = &self.crossbar.output_vls[first..];
        let ready = |vl: u32| self.crossbar.queues.entry(vls[vl as usize].staged.first).ready_at;
        let starts = bits(staged_vls.into()).map(ready).map(|ready| ready.max(self.egress.free_at()));
        starts.filter(|&start| start > self.now).min().unwrap_or(u64::MAX)
    }

    /// When a head that is granted no transfer now may be granted one: the wire is free, a packet leaves room, or an
    /// ingress is idle, if that may matter.
    #[inline(never)]
    fn next_decision(&self, awaits_ingress: bool) -> u64 {
        let free_at = if self.is_free() { u64::MAX } else { self.egress.free_at() };
        let next = free_at.min(self.egress.next_departure());
        if awaits_ingress { next.min(self.crossbar.next_idle(self.number, self.now)) } else { next }
    }

    /// When credits arrive, if some are known to be in flight.
    #[cold]
    fn wait_for_credits(&mut self) -> u64 {
        self.egress.wait_for_credits(self.context).unwrap_or(u64::MAX)
    }

    #[inline]
    fn is_free(&self) -> bool {
        self.egress.free_at() <= self.now
    }

    /// Starts staged packets, if some can start; returns whether credits are lacking for one that could start now.
    #[inline(never)]
    fn start_staged(&mut self) -> bool {
        if !self.egress.precomputes_starts() {
            return self.is_free() && self.start_one_of_vls();
        }
        while let index = self.crossbar.output_vl::<SMALL>(self.number, 0).staged.first
            && index != NONE
        {
            let entry = self.crossbar.queues.entry(index);
            let free_at = self.egress.free_at().max(self.now);
            if entry.ready_at > free_at {
                return false;
            }
            if !self.egress.has_credits(self.now, &entry.packet) {
                return free_at == self.now;
            }
            self.crossbar.take_staged(self.number, 0);
            self.start(index, 0);
        }
        false
    }

    /// Starts a staged packet, if one can start, VL by VL in turn; returns whether credits are lacking.
    #[inline]
    fn start_one_of_vls(&mut self) -> bool {
        let mut lacks_credits = false;
        let Output { staged_vls, wire_vl, .. } = self.crossbar.outputs[self.number as usize];
        for vl in in_turn(staged_vls, wire_vl) {
            let first = self.crossbar.output_vl::<SMALL>(self.number, vl).staged.first;
            let entry = self.crossbar.queues.entry(first);
            if entry.ready_at > self.now {
                continue;
            }
            if !self.egress.has_credits(self.now, &entry.packet) {
                lacks_credits = true;
                continue;
            }
            let index = self.crossbar.take_staged(self.number, vl);
            self.start(index, vl);
            return false;
        }
        lacks_credits
    }

    /// Grants a transfer to a head in these VLs, if possible.
    #[inline]
    fn grant_one(&mut self, vls: u32) -> Outcome {
        if SMALL {
            return match self.grant_in_vl(0, 0) {
                Attempt::Granted { lacks_credits } => Outcome { lacks_credits, awaits_ingress: false },
                Attempt::NoCredits => Outcome { lacks_credits: true, awaits_ingress: true },
                Attempt::Busy => Outcome { lacks_credits: false, awaits_ingress: true },
                Attempt::NoRoom => {
                    self.close();
                    Outcome::default()
                }
            };
        }
        self.grant_in_turn(vls)
    }

    /// As [`Arbiter::grant_one`], VL by VL in turn.
    #[inline(never)]
    fn grant_in_turn(&mut self, vls: u32) -> Outcome {
        let mut lacks_credits = false;
        let mut busy_vls = 0;
        for vl in in_turn(vls, self.crossbar.outputs[self.number as usize].vl) {
            match self.grant_in_vl(vl, busy_vls) {
                Attempt::Granted { lacks_credits } => {
                    return Outcome { lacks_credits, awaits_ingress: false };
                }
                Attempt::NoCredits => lacks_credits = true,
                Attempt::Busy => busy_vls |= 1 << vl,
                Attempt::NoRoom => {}
            }
        }
        Outcome { lacks_credits, awaits_ingress: lacks_credits || busy_vls != 0 }
    }

    /// Grants a transfer to a head in a VL, if possible; in other VLs, one bit each, ingresses were too busy.
    #[inline]
    fn grant_in_vl(&mut self, vl: usize, busy_vls: u32) -> Attempt {
        let is_first =
            self.is_free() && self.crossbar.output_vl::<SMALL>(self.number, vl).staged.first == NONE;
        let can_stage = self.has_room(vl);
        if !is_first && !can_stage {
            return Attempt::NoRoom;
        }
        let Choice::Ingress(ingress) = self.choose(vl) else { return Attempt::Busy };
        let input_vl = self.crossbar.input_vl(ingress, self.number, vl);
        let head = &self.crossbar.queues.head(ingress, input_vl, self.number).packet;
        let has_credits = is_first && self.egress.has_credits(self.now, head);
        if !has_credits && !can_stage {
            self.crossbar.note_lacking_credits(self.number);
            return Attempt::NoCredits;
        }
        if busy_vls != 0 {
            self.crossbar.bypass_holders(self.number, busy_vls, ingress);
        }
        // On a free wire a packet that may start is staged only for lack of credits.
        let lacks_credits = self.grant((ingress, input_vl), vl, has_credits) && self.is_free();
        Attempt::Granted { lacks_credits }
    }

    /// There is no room in the only VL: closes the egress until the next start, if that is known.
    #[inline]
    fn close(&mut self) {
        let until = self.egress.next_departure().min(self.egress.free_at());
        self.crossbar.outputs[self.number as usize].closed_until = until;
    }

    /// Whether another packet may be staged in a VL.
    #[inline]
    fn has_room(&self, vl: usize) -> bool {
        self.crossbar.has_room::<SMALL>(self.number, vl, self.egress.precomputed_bytes())
    }

    #[inline]
    fn choose(&mut self, vl: usize) -> Choice {
        let staged = self.crossbar.outputs[self.number as usize].staged_bytes;
        let Arbiter { crossbar, egress, number, now, .. } = self;
        // The wire has work until then.
        let runs_dry =
            || egress.free_at() + egress.serialization_of(u32::try_from(staged).unwrap_or(u32::MAX));
        crossbar.choose::<SMALL>(*number, vl, runs_dry, *now)
    }

    /// Grants a transfer to the head of an ingress, in the VL that it came by, and to packets behind it; returns
    /// whether only lack of credits keeps a staged packet from starting.
    #[inline]
    fn grant(&mut self, (ingress, input_vl): (u32, usize), vl: usize, has_credits: bool) -> bool {
        let (now, egress) = (self.now, self.number);
        let begin = self.crossbar.begin_at(ingress, now);
        let mut index = self.crossbar.take_granted::<SMALL>(now, (ingress, input_vl), vl, egress);
        self.crossbar.note_wait::<SMALL>(index, egress, vl, begin);
        let mut left = self.crossbar.full_blocks;
        let mut part = begin;
        loop {
            let entry = self.crossbar.queues.entry(index);
            let (bytes, whole_at) = (entry.packet.bytes, entry.ready_at);
            let (blocks, end) = (Credits::blocks(bytes), part + self.transfer_time(bytes));
            left = left.saturating_sub(blocks);
            if let Some(returns) = &mut self.crossbar.inputs[ingress as usize].returns {
                returns.give(end.max(whole_at), input_vl, blocks, self.context, self.round);
            }
            if part == now && has_credits {
                self.start(index, vl);
            } else {
                self.stage(index, vl, part);
            }
            part = end;
            let Some(next) = self.next_of_train((ingress, input_vl), vl, left) else { break };
            index = next;
        }
        self.crossbar.grant::<SMALL>(Transfer { ingress, egress, vl, end: part });
        begin == now && !has_credits && self.crossbar.output_vl::<SMALL>(egress, vl).staged.first != NONE
    }

    /// Stages a packet of a VL that may start at `ready`; its start may be known.
    #[inline]
    fn stage(&mut self, index: u32, vl: usize, ready: u64) {
        let is_next = self.egress.precomputes_starts()
            && ready <= self.egress.free_at().max(self.now)
            && self.crossbar.output_vl::<SMALL>(self.number, vl).staged.first == NONE;
        if is_next && self.egress.has_credits(self.now, &self.crossbar.queues.entry(index).packet) {
            self.start(index, vl);
        } else {
            self.crossbar.stage(self.number, vl, index, ready);
        }
    }

    /// Takes the packet behind those that are granted a transfer, if it may join the train: it leaves by the same
    /// egress and VL, and there is room.
    #[inline]
    fn next_of_train(&mut self, (ingress, input_vl): (u32, usize), vl: usize, left: u32) -> Option<u32> {
        let (now, egress) = (self.now, self.number);
        if left == 0 || !self.crossbar.has_request::<SMALL>(ingress, vl, egress) {
            return None;
        }
        let blocks = Credits::blocks(self.crossbar.queues.head(ingress, input_vl, egress).packet.bytes);
        let fits = blocks <= left && self.has_room(vl);
        fits.then(|| self.crossbar.take_head::<SMALL>(now, (ingress, input_vl), vl, egress))
    }

    #[inline]
    fn transfer_time(&self, bytes: u32) -> u64 {
        self.crossbar.transfer_time(self.egress.serialization_of(bytes))
    }

    /// Starts a packet of a VL that is in no queue any more, at once or, where starts are computed ahead, when the wire
    /// is free.
    #[inline]
    fn start(&mut self, index: u32, vl: usize) {
        self.crossbar.outputs[self.number as usize].wire_vl = vl as u8;
        let (packet, snapshot) = self.crossbar.remove(self.number, index);
        if self.egress.precomputes_starts() {
            self.egress.launch_precomputed(self.now, &packet, self.context, self.round);
        } else {
            self.egress.launch(self.now, &packet, snapshot, self.context, self.round);
        }
    }
}
