//! Queue pairs of several traffic classes at one NIC port.
//!
//! Models: strict classes before weighted ones, which are scheduled in turns; a class is backlogged if one of its queue
//! pairs is ready when the link is free; each class is paused separately.
//! Leaves out: scheduling among the queue pairs of one class.
//!
//! Invariants: as at egress ports, the turns depend only on what is ready when weighted packets start.

use netloom_model::Model;

use super::nic::NicPort;
use super::pair::SendPair;
use super::ready::{self, Ready};
use super::serve::Pairs;
use crate::context::PartitionContext;
use crate::node::advance_port;
use crate::port::Egress;
use crate::round::Round;
use crate::turns::{DeficitRoundRobin, classes_high_first};

/// See the module.
#[derive(Debug)]
pub struct ByClass {
    /// Queue pairs that have something to send, by class.
    ready: [Ready; 8],
    /// Classes with such queue pairs, one bit each.
    filled: u8,
    /// Weighted classes, one bit each.
    weighted: u8,
    turns: DeficitRoundRobin,
}

impl ByClass {
    /// Initially no queue pair is ready; `None` where data is not separated by class.
    pub fn of(model: &Model) -> Option<Box<ByClass>> {
        let classes = &model.queues.classes;
        let turns = DeficitRoundRobin::new(classes, model.transport.packet);
        let weighted = turns.weighted();
        let fresh = || ByClass { ready: Default::default(), filled: 0, weighted, turns };
        classes.separates_data().then(|| Box::new(fresh()))
    }

    /// Adds a queue pair of a class, ready from the instant in its turn.
    pub fn push(&mut self, class: u8, turn: ready::ReadyEntry) {
        self.ready[usize::from(class & 7)].push(turn);
        self.filled |= 1 << class;
    }

    /// Removes a queue pair of a class: it has nothing left to send.
    pub fn remove(&mut self, class: u8, slot: u32) {
        self.ready[usize::from(class & 7)].remove(slot);
        self.note_filled(class);
    }

    /// Whether no queue pair has something to send.
    pub fn is_empty(&self) -> bool {
        self.filled == 0
    }

    fn note_filled(&mut self, class: u8) {
        let is_filled = self.ready[usize::from(class & 7)].first().is_some();
        self.filled = self.filled & !(1 << class) | u8::from(is_filled) << class;
    }

    fn first_of(&self, class: u8) -> ready::ReadyEntry {
        self.ready[usize::from(class & 7)].first().expect("the class is marked as filled")
    }

    /// The earliest instant from which a queue pair of a class that is not paused is ready.
    pub fn first_from(&self, paused: impl Fn(u8) -> bool) -> Option<u64> {
        classes_high_first(self.filled)
            .filter(|&class| !paused(class))
            .map(|class| self.first_of(class).from)
            .min()
    }

    /// The class whose queue pair sends at `start`.
    fn in_turn(&mut self, start: u64, egress: &Egress, pairs: &mut Pairs, round: &Round) -> u8 {
        let is_ready = |class: &u8| !egress.is_paused(*class) && self.first_of(*class).from <= start;
        let ready =
            classes_high_first(self.filled).filter(is_ready).fold(0, |ready, class| ready | 1 << class);
        let strict = ready & !self.weighted;
        if strict != 0 {
            return 7 - strict.leading_zeros() as u8;
        }
        let ByClass { ready: queues, turns, .. } = self;
        turns.next(ready, |class| {
            let turn = queues[usize::from(class & 7)].first().expect("it is ready");
            u64::from(pairs.sends.get_mut(turn.slot).next_bytes(round))
        })
    }
}

impl SendPair {
    /// The size on the wire of the queue pair's next packet.
    fn next_bytes(&mut self, round: &Round) -> u32 {
        let position = self.sender.next_position();
        let message = self.message_at(position);
        let is_last = position + 1 == message.end;
        if is_last { message.last_bytes } else { round.model.transport.packet.0 as u32 }
    }
}

impl NicPort {
    /// As `NicPort::serve`, where data is separated by class.
    #[inline(never)]
    pub(super) fn serve_by_class(
        &mut self,
        pairs: &mut Pairs,
        egress: &mut Egress,
        until: u64,
        context: &mut PartitionContext,
        round: &Round,
    ) -> u64 {
        loop {
            let by_class = self.by_class.as_deref_mut().expect("seen by the caller");
            let Some(from) = by_class.first_from(|class| egress.is_paused(class)) else {
                advance_port(egress, until, context, round);
                return u64::MAX;
            };
            let start = from.max(egress.free_at());
            if start >= until {
                advance_port(egress, until, context, round);
                return from.max(egress.free_at());
            }
            // Queued control packets go first.
            if egress.has_start_before(start + 1) {
                advance_port(egress, start + 1, context, round);
                continue;
            }
            let class = by_class.in_turn(start, egress, pairs, round);
            let turn = by_class.first_of(class);
            let ready = &mut by_class.ready[usize::from(class & 7)];
            let packet =
                pairs.take_packet::<true>(&mut self.controller, ready, (turn, start), egress, context, round);
            if by_class.weighted >> class & 1 == 1 {
                by_class.turns.sent(class, packet.bytes, false);
            }
            by_class.note_filled(class);
            if egress.is_up() {
                egress.count_started(&packet);
            } else {
                egress.count_refused_of_class(&packet);
            }
            pairs.launch(egress, start, packet, context, round);
        }
    }
}
