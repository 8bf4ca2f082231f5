//! Changes of a node's links over time, and the node's view of them.
//!
//! Models: ports that go down at once or after a delay, dead links that the node has not noticed yet, rates and errors.
//! Leaves out: when changes happen (`assemble/faults.rs` sets the timers), and what the port does (`port/change.rs`).

use netloom_model::FaultAction;
use netloom_records::DropReason;

use super::{LivePorts, Node, advance_port};
use crate::context::{Change, PartitionContext};
use crate::packet::Packet;
use crate::round::Round;
use crate::trace::TracedPacket;

impl Node {
    /// Applies a change to the link at a port.
    pub fn fault(
        &mut self,
        now: u64,
        port: u32,
        change: Change,
        context: &mut PartitionContext,
        round: &Round,
    ) {
        if self.has_nic() {
            self.serve(now, context, round);
            // The wire may be free earlier than computed.
            self.reevaluate_starts();
        }
        advance_port(&mut self.ports[port as usize], now, context, round);
        match change {
            Change::LinkLost => {
                let lost = self.ports[port as usize].cut(now);
                self.lose_all(port, now, lost, context);
            }
            Change::Down => {
                let lost = self.ports[port as usize].go_down(now);
                self.lose_all(port, now, lost, context);
                self.leave_buffer(now, port, context, round);
                self.on_port_state_change(now, port, context);
            }
            Change::Up => {
                self.ports[port as usize].come_up(now);
                self.resend_pauses(now, port, context, round);
                self.on_port_state_change(now, port, context);
            }
            // Pause frames may have been lost unnoticed.
            Change::LinkRestored => self.resend_pauses(now, port, context, round),
            Change::RateOrErrors(number) => self.set(now, port, round.model.faults[number as usize].action),
        }
        self.note_load(port);
    }

    /// Changes the rate or the errors, before the run or in it; the port must be advanced to `now`.
    pub fn set(&mut self, now: u64, port: u32, action: FaultAction) {
        let Node { ports, crossbar, .. } = self;
        let egress = &mut ports[port as usize];
        match action {
            FaultAction::Rate(rate) => {
                let waiting = crossbar.iter().flat_map(|crossbar| crossbar.waiting());
                let towards = waiting.filter(|(entry, _)| entry.egress == port);
                egress.set_rate(now, rate, towards.map(|(entry, _)| entry.packet.bytes));
            }
            FaultAction::Errors(errors) => egress.set_errors(errors),
            FaultAction::Down | FaultAction::Up => {}
        }
    }

    /// Records packets that are lost with their link.
    fn lose_all(
        &mut self,
        port: u32,
        now: u64,
        lost: impl IntoIterator<Item = (Packet, Option<TracedPacket>)>,
        context: &mut PartitionContext,
    ) {
        let reason = self.reason_or(DropReason::LinkDown);
        for (packet, traced) in lost {
            self.lose_at(port, now, reason, (&packet, traced), context);
        }
    }

    /// Why a packet is lost at a port or before it: that the switch is down takes precedence over every other reason.
    pub(crate) fn reason_or(&self, reason: DropReason) -> DropReason {
        if self.is_dead { DropReason::SwitchDown } else { reason }
    }

    /// Updates arbitration and the view of dead ports after a port has come up or gone down.
    fn on_port_state_change(&mut self, now: u64, port: u32, context: &mut PartitionContext) {
        self.request_arbitration_at(now, port, context);
        self.update_live_ports();
    }

    /// Updates the local view of dead ports.
    pub fn update_live_ports(&mut self) {
        self.live_ports = LivePorts::of(&self.ports);
        self.note_route();
        self.learn_of_own();
    }
}
