//! A NIC that starts data packets no faster than its host can supply them.
//!
//! Models: one injection rate limit over all ports, and a lower one while several queue pairs have something to send:
//! between two starts there is at least the first packet's serialization time at the limit; of several ports the one
//! that could start first is served, and among equals the one that has been idle for longest.
//! Leaves out: control packets, which the NIC generates without the host; data separated by class, which has no such
//! limit.
//!
//! Invariants: start times do not depend on when the port is advanced.

use netloom_model::Model;
use netloom_units::{Bytes, Rate};

use super::nic::Nic;
use super::serve::{Pairs, let_control_start};
use crate::context::PartitionContext;
use crate::node::advance_port;
use crate::port::Egress;
use crate::round::Round;

/// See the module.
#[derive(Debug)]
pub struct Injection {
    rate: Rate,
    /// The limit while several queue pairs have something to send.
    to_many: Rate,
    /// No data packet starts before this instant, in ps.
    next: u64,
}

impl Injection {
    /// The limit of a model's hosts; `None` if there is none.
    pub fn of(model: &Model) -> Option<Box<Injection>> {
        let hosts = &model.workload.hosts;
        let limit = |rate| Injection { rate, to_many: hosts.injection_to_many.unwrap_or(rate), next: 0 };
        hosts.injection.map(|rate| Box::new(limit(rate)))
    }
}

impl Nic {
    /// The earliest instant at which the limit allows a start.
    pub fn not_before(&self) -> u64 {
        self.injection.as_ref().map_or(0, |injection| injection.next)
    }

    /// The port that could start a data packet first, with the start time.
    fn first_start(&self, ports: &[Egress], data: u8) -> Option<(u64, usize)> {
        let gate = self.not_before();
        let start = |(slot, (nic_port, egress)): (usize, (&super::nic::NicPort, &Egress))| {
            let from = nic_port.first_from(egress, data)?;
            let free = egress.free_at();
            Some((from.max(free).max(gate), free, slot))
        };
        let first = self.ports.iter().zip(ports).enumerate().filter_map(start).min();
        first.map(|(start, _, slot)| (start, slot))
    }

    /// As [`crate::node::Node::serve_now`], with an injection limit.
    #[inline(never)]
    pub(super) fn serve_limited(
        &mut self,
        ports: &mut [Egress],
        at: (u32, u32),
        until: u64,
        context: &mut PartitionContext,
        round: &Round,
    ) -> u64 {
        let data = round.model.classes.data;
        while let Some((start, slot)) = self.first_start(ports, data).filter(|(start, _)| *start < until) {
            let egress = &mut ports[slot];
            if let_control_start(egress, start, context, round) {
                continue;
            }
            let is_to_many = self.ports.iter().map(|nic_port| nic_port.ready.len()).sum::<usize>() > 1;
            let Nic { ports: nic_ports, sends, outgoing, injection, .. } = self;
            let nic_port = &mut nic_ports[slot];
            let turn = nic_port.ready.first().expect("it could start");
            let mut pairs = Pairs { sends, outgoing, at };
            let (controller, ready) = (&mut nic_port.controller, &mut nic_port.ready);
            let packet = pairs.take_packet::<true>(controller, ready, (turn, start), egress, context, round);
            if let Some(injection) = injection {
                let rate = if is_to_many { injection.to_many } else { injection.rate };
                injection.next = start + rate.serialization(Bytes(u64::from(packet.bytes))).0;
            }
            pairs.launch(egress, start, packet, context, round);
        }
        for egress in ports.iter_mut() {
            advance_port(egress, until, context, round);
        }
        self.idle_until = self.first_start(ports, data).map_or(u64::MAX, |(start, _)| start);
        self.idle_until
    }
}
