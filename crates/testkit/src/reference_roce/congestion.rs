//! Congestion control at a host: its inputs and its timers.
//!
//! Models: CNPs, echoed marks and NACKs as they arrive; three timers per queue pair, an event for every tick.
//! Leaves out: their effect on the rate (see `dcqcn`).
//! Invariants: the timers of alpha and of the decrease start with the first CNP and never stop; the timer of the
//! increase restarts with every decrease.

use super::clock::{Event, Slot};
use super::dcqcn::Reaction;
use super::fabric::NodeIdx;
use super::outcome::{Cause, RateChange};
use super::packet::{Kind, Packet};
use super::scene::{Congestion, Dcqcn, NackMeans};
use super::world::World;

impl World<'_> {
    /// The effect of an answer on congestion control.
    pub(super) fn feed_congestion_control(&mut self, node: NodeIdx, slot: Slot, packet: &Packet) {
        let Congestion::Dcqcn(settings) = &self.scene.congestion else { return };
        let is_nack = packet.kind == Kind::Nack;
        if packet.kind == Kind::Cnp || packet.marked || (is_nack && settings.nack == NackMeans::Cnp) {
            self.report_congestion(node, slot);
        }
        if is_nack && settings.nack == NackMeans::SlowStart {
            self.reaction(node, slot).fall();
            self.restart_increase(node, slot);
            self.note_rate(node, slot);
        }
    }

    fn report_congestion(&mut self, node: NodeIdx, slot: Slot) {
        if self.reaction(node, slot).notify() {
            let (now, settings) = (self.clock.now(), self.dcqcn());
            self.clock.schedule(now + settings.alpha_period, Event::Alpha { node, slot });
            self.clock.schedule(now + settings.decrease_period, Event::Decrease { node, slot });
        }
    }

    fn reaction(&mut self, node: NodeIdx, slot: Slot) -> &mut Reaction {
        self.qp(node, slot)
            .reaction
            .as_mut()
            .expect("only a queue pair with congestion control has its timers")
    }

    fn dcqcn(&self) -> Dcqcn {
        match &self.scene.congestion {
            Congestion::Dcqcn(settings) => settings.clone(),
            Congestion::None => panic!("nothing ticks without congestion control"),
        }
    }

    /// The timer of alpha ticks.
    pub(super) fn tick_alpha(&mut self, node: NodeIdx, slot: Slot) {
        self.note(node, Cause::Tick(slot));
        self.reaction(node, slot).update_alpha();
        let next = self.clock.now() + self.dcqcn().alpha_period;
        self.clock.schedule(next, Event::Alpha { node, slot });
    }

    /// The check for a decrease is due.
    pub(super) fn tick_decrease(&mut self, node: NodeIdx, slot: Slot) {
        self.note(node, Cause::Tick(slot));
        if self.reaction(node, slot).check_decrease() {
            self.restart_increase(node, slot);
            self.note_rate(node, slot);
        }
        let next = self.clock.now() + self.dcqcn().decrease_period;
        self.clock.schedule(next, Event::Decrease { node, slot });
    }

    /// The timer of the increase ticks, if it has not been restarted meanwhile.
    pub(super) fn tick_increase(&mut self, node: NodeIdx, slot: Slot) {
        let now = self.clock.now();
        if self.qp(node, slot).increase_at == Some(now) {
            self.note(node, Cause::Tick(slot));
            self.reaction(node, slot).increase();
            self.restart_increase(node, slot);
            self.note_rate(node, slot);
        }
    }

    fn restart_increase(&mut self, node: NodeIdx, slot: Slot) {
        let at = self.clock.now() + self.dcqcn().increase_period;
        self.qp(node, slot).increase_at = Some(at);
        self.clock.schedule(at, Event::Increase { node, slot });
    }

    fn note_rate(&mut self, node: NodeIdx, slot: Slot) {
        let (at, rate, qp) = (self.clock.now(), self.reaction(node, slot).rate(), self.qp(node, slot).number);
        self.outcome.rates.push(RateChange { at, qp, rate });
    }
}
