//! What a switch that hosts hang below knows of the queue pairs that end there (Themis-D).
//!
//! Models: data packets about to take the last hop are remembered, and NACKs that hosts send are kept back if they tell of
//! nothing but reordering; NACKs that the switch makes itself.
//! Leaves out: which NACK is kept back; the policy knows.
//!
//! Invariants: queue pairs within the rack are left alone; a queue pair is forgotten when nothing of it is left, and only
//! then may its name be used again.

use std::collections::BTreeMap;

use netloom_model::Model;
use netloom_policy::edge::themis::{Filter, QueuePair, Themis};
use netloom_units::{HostId, NodeId, StateWriter};

use crate::desk::{Desk, Report};
use crate::flow::Flow;
use crate::node::Node;
use crate::packet::{Address, Packet, PacketKind};
use crate::round::Round;

/// See the module.
#[derive(Debug)]
pub struct Edge {
    themis: Themis,
    /// The hosts below, in rising order.
    below: Vec<u32>,
    /// By sender and place of the sending end there.
    pairs: BTreeMap<(u32, u32), QueuePair>,
    /// What happened to NACKs from each port.
    tallies: Vec<Tally>,
}

/// What happened to NACKs of the hosts at a port.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// They went on.
    pub forwarded: u64,
    /// They were kept back.
    pub blocked: u64,
    /// The switch made them.
    pub made: u64,
}

impl Edge {
    /// What a switch knows before the run; `None` at one without hosts or without other switches.
    pub fn at(model: &Model, node: NodeId) -> Option<Edge> {
        let chosen = model.balances.edge.as_ref()?;
        let ports = model.fabric.ports_of(node);
        let is_host = |port: &&netloom_model::Port| model.fabric.is_host(model.fabric.port(port.peer).node);
        let mut below: Vec<u32> =
            ports.iter().filter(is_host).map(|port| model.fabric.port(port.peer).node.0).collect();
        below.sort_unstable();
        below.dedup();
        let rate = ports.iter().filter(is_host).map(|port| port.rate).max()?;
        let far = (0..model.fabric.n_hosts() as u32).find(|host| below.binary_search(host).is_err())?;
        let n_paths = model.routing.next_hops(node, HostId(far)).len() as u32;
        let themis = Themis::new(&chosen.settings, n_paths, rate, model.transport.packet);
        let tallies = vec![Tally::default(); ports.len()];
        Some(Edge { themis, below, pairs: BTreeMap::new(), tallies })
    }

    fn is_below(&self, host: u32) -> bool {
        self.below.binary_search(&host).is_ok()
    }

    /// What happened to NACKs from a port.
    pub fn tally(&self, port: usize) -> Tally {
        self.tallies[port]
    }

    /// Nothing is left of a queue pair.
    pub fn forget(&mut self, source: HostId, pair: u32) {
        self.pairs.remove(&(source.0, pair));
    }

    /// Writes what later behaviour depends on.
    pub fn write_state(&self, out: &mut StateWriter) {
        self.pairs.values().for_each(|pair| pair.write_state(out));
    }
}

impl Node {
    /// A packet passes the edge; tells whether it goes on.
    #[inline(never)]
    pub fn pass_edge(
        &mut self,
        now: u64,
        ingress: u32,
        packet: &Packet,
        desk: &mut Desk,
        round: &Round,
    ) -> bool {
        match packet.kind() {
            PacketKind::Data => {
                self.note_data(now, packet, desk, round);
                true
            }
            PacketKind::Nack => self.filter_nack(ingress, packet, desk),
            _ => true,
        }
    }

    fn note_data(&mut self, now: u64, packet: &Packet, desk: &mut Desk, round: &Round) {
        let edge = self.edge.as_deref_mut().expect("seen by the caller");
        let Flow { source, send_pair, .. } = round.flows[packet.flow as usize];
        if !edge.is_below(packet.destination) || edge.is_below(source.0) {
            return;
        }
        let pair = edge.pairs.entry((source.0, send_pair)).or_default();
        let Some(made) = edge.themis.on_data(pair, packet.sequence) else { return };
        let rdma = round.model.transport.rdma().expect("queue pairs have such a transport");
        let to = Address { host: source.0, slot: send_pair };
        let (bytes, class) = (rdma.control.0 as u32, round.model.classes.control);
        let nack = packet.answer(PacketKind::Nack, to, bytes, class).expecting(made.psn);
        desk.reports.push(Report::Made { flow: packet.flow });
        let towards = self.port_to_host(packet.destination, round);
        self.edge.as_deref_mut().expect("seen above").tallies[towards].made += 1;
        self.forward::<true>(now, self.ports.len() as u32, &nack, desk, round);
    }

    /// A NACK from a host: whether it goes on to the sender.
    fn filter_nack(&mut self, ingress: u32, packet: &Packet, desk: &mut Desk) -> bool {
        let edge = self.edge.as_deref_mut().expect("seen by the caller");
        let is_from_below = edge.pairs.contains_key(&(packet.destination, packet.slot));
        if !is_from_below || edge.is_below(packet.destination) || ingress as usize >= edge.tallies.len() {
            return true;
        }
        let pair = edge.pairs.get_mut(&(packet.destination, packet.slot)).expect("just seen");
        let tally = &mut edge.tallies[ingress as usize];
        match edge.themis.on_nack(pair, packet.sequence) {
            Filter::Forward => {
                tally.forwarded += 1;
                true
            }
            Filter::Block => {
                tally.blocked += 1;
                desk.reports.push(Report::Lost { flow: packet.flow });
                false
            }
        }
    }

    /// The first port that leads to a host below.
    fn port_to_host(&self, host: u32, round: &Round) -> usize {
        let fabric = &round.model.fabric;
        let ports = fabric.ports_of(self.id);
        let leads = ports.iter().position(|port| fabric.port(port.peer).node.0 == host);
        leads.expect("the host is below")
    }
}
