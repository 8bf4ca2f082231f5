//! The middlebox of a switch: its actions on packets that arrive, on packets about to start, and at its timers.
//!
//! Models: packets that pass, are held, dropped or made; timers.
//! Leaves out: what a middlebox decides (`hook.rs` of the crate).

use netloom_records::DropReason;
use netloom_units::Time;

use super::Node;
use super::start::transmit_as;
use crate::context::{PartitionContext, TimerKind};
use crate::hook::{Actions, Hook, Verdict};
use crate::packet::Packet;
use crate::port::{Form, Start};
use crate::round::Round;
use crate::trace::TracedPacket;

impl Node {
    /// Installs a middlebox. It needs every start as an event of its own.
    pub fn install_hook(&mut self, hook: Box<dyn Hook>) {
        self.ports.iter_mut().for_each(|port| port.set_form(Form::Timed));
        self.hook = Some(hook);
        self.note_route();
    }

    /// Gives an arriving packet to the middlebox before it is forwarded.
    pub(super) fn arrive_at_hook(
        &mut self,
        now: u64,
        ingress: u32,
        mut packet: Packet,
        context: &mut PartitionContext,
        round: &Round,
    ) {
        let mut actions = Actions::default();
        let hook = self.hook.as_mut().expect("seen by the caller");
        match hook.on_arrival(Time(now), ingress, &mut packet, &mut actions) {
            Verdict::Pass => self.forward_by_list(now, ingress, &packet, context, round),
            Verdict::Drop => self.lose(now, DropReason::Hook, &packet, context, round),
            Verdict::Absorb => {}
        }
        self.carry_out(now, actions, context, round);
    }

    /// Handles a timer of the middlebox.
    pub fn hook_timer(&mut self, now: u64, number: u32, context: &mut PartitionContext, round: &Round) {
        let mut actions = Actions::default();
        self.hook.as_mut().expect("only a hook sets its timers").on_timer(Time(now), number, &mut actions);
        self.carry_out(now, actions, context, round);
    }

    fn carry_out(&mut self, now: u64, actions: Actions, context: &mut PartitionContext, round: &Round) {
        for (at, number) in actions.timers {
            context.set_timer(at.0.max(now), self.index_in_partition, TimerKind::Hook { number });
        }
        let own = self.ports.len() as u32;
        for packet in actions.emit {
            self.forward_by_list(now, own, &packet, context, round);
        }
    }

    #[inline(never)]
    pub(super) fn start_at_hook(
        &mut self,
        port: u32,
        mut start: Start,
        context: &mut PartitionContext,
        round: &Round,
    ) {
        let hook = self.hook.as_mut().expect("seen by the caller");
        let mut actions = Actions::default();
        let class = start.packet.class();
        // The hook sees, and may keep, a packet that has not crossed this link.
        start.packet = start.packet.without_hop();
        let verdict = hook.on_start(Time(start.at), port, &mut start.packet, &mut actions);
        match verdict {
            Verdict::Pass => {
                start.packet = start.packet.with_hop();
                transmit_as(class, &mut self.ports[port as usize], &start, context, round);
            }
            Verdict::Drop | Verdict::Absorb => {
                let egress = &mut self.ports[port as usize];
                egress.take_back(&start);
                let found = egress.trace().map(|trace| trace.left(class));
                if verdict == Verdict::Drop {
                    egress.count_refused();
                    let traced = found.map(|found| TracedPacket { snapshot: found, start: None });
                    let packet = start.packet.with_hop();
                    self.lose_at(port, start.at, DropReason::Hook, (&packet, traced), context);
                }
            }
        }
        self.carry_out(start.at, actions, context, round);
    }
}
