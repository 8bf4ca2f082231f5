//! A switch signals to the hosts that fill the port of a host below it the rates that they are allowed.
//!
//! Models: the rule of `docs/congestion/slingshot.md` at ports towards hosts; notices are packets of the control class
//! to the hosts that send.
//! Leaves out: the rule itself (the policy), and how hosts react (`rdma/share.rs`).
//!
//! Invariants: evaluated when a data packet comes, on the bytes that wait then, so results do not depend on other
//! accesses.

use netloom_model::Model;
use netloom_policy::congestion::slingshot::Bottleneck;
use netloom_units::{NodeId, PortId, Rate, StateWriter, Time};

use crate::context::PartitionContext;
use crate::node::Node;
use crate::node::features::CREDIT;
use crate::packet::Packet;
use crate::round::Round;

/// Ports of a switch; those that lead to no host are left out.
pub struct Throttle {
    ports: Box<[Option<Bottleneck>]>,
    /// Hosts to notify and their rates, kept so that the memory is reused.
    rates: Vec<(u32, Rate)>,
}

impl Throttle {
    /// A switch without congestion; absent where no notices are configured, or there are no hosts below.
    pub fn of(model: &Model, node: NodeId) -> Option<Throttle> {
        let of_port = |port: u32| {
            let (port, id) = (model.fabric.port(PortId(port)), PortId(port));
            let is_last_hop = model.fabric.is_host(model.fabric.neighbour(id));
            let bottleneck = || Bottleneck::of(&model.congestion, port.rate, model.transport.packet);
            is_last_hop.then(bottleneck).flatten()
        };
        let ports: Box<[_]> = model.fabric.port_range(node).map(of_port).collect();
        ports.iter().any(Option::is_some).then(|| Throttle { ports, rates: Vec::new() })
    }

    /// Whether packets that wait for a port are monitored.
    #[inline]
    pub fn watches(&self, port: u32) -> bool {
        self.ports[port as usize].is_some()
    }

    /// Writes what later notices depend on.
    pub fn write_state(&self, out: &mut StateWriter) {
        self.ports.iter().flatten().for_each(|port| port.write_state(out));
    }
}

impl Node {
    /// A packet has come for a port: notifies the hosts that fill it, if it is congested.
    #[inline(never)]
    pub(super) fn note_bottleneck(
        &mut self,
        now: u64,
        port: u32,
        packet: &Packet,
        context: &mut PartitionContext,
        round: &Round,
    ) {
        let Some(throttle) =
            self.crossbar.as_deref_mut().and_then(|crossbar| crossbar.throttle.as_deref_mut())
        else {
            return;
        };
        if !packet.is_data() {
            return;
        }
        let Throttle { ports, rates } = throttle;
        let Some(bottleneck) = &mut ports[port as usize] else { return };
        let source = round.flows[packet.flow as usize].source;
        self.ports[port as usize].pass_departures(now);
        let waiting = self.ports[port as usize].data_bytes();
        bottleneck.came(Time(now), source.0, waiting, |host, rate| rates.push((host, rate)));
        if rates.is_empty() {
            return;
        }
        let mut rates = std::mem::take(rates);
        let control = round.model.transport.rdma().map_or(0, |rdma| rdma.control.0 as u32);
        let own = self.ports.len() as u32;
        for (host, rate) in rates.drain(..) {
            let megabits = u32::try_from(rate.0 / 1_000_000).unwrap_or(u32::MAX).max(1);
            let class = round.model.classes.control;
            let notice = Packet::rate_notice(host, packet.destination, megabits, control, class);
            self.forward::<CREDIT>(now, own, &notice, context, round);
        }
        let crossbar = self.crossbar.as_deref_mut();
        if let Some(throttle) = crossbar.and_then(|crossbar| crossbar.throttle.as_deref_mut()) {
            throttle.rates = rates;
        }
    }
}
