//! What a switch that hosts hang below knows of the queue pairs that end there (Themis-D).
//!
//! Models: data packets about to take the last hop are remembered, and NACKs that hosts send are kept back if they tell of
//! nothing but reordering; NACKs that the switch makes itself; failed links that it learns of.
//! Leaves out: which NACK is kept back; the policy knows.
//!
//! Invariants: queue pairs within the rack are left alone; the place of a queue pair is used again only when nothing of it
//! is left.

use std::num::NonZeroU32;

use netloom_model::Model;
use netloom_policy::edge::themis::{Compensation, Failure, Filter, QueuePair, Themis};
use netloom_units::{HostId, NodeId, StateWriter};

use crate::desk::{Desk, Report};
use crate::flow::Flow;
use crate::node::{GUARDED, Node};
use crate::packet::{Address, Packet, PacketKind};
use crate::round::Round;
use crate::slab::Slab;

/// See the module.
#[derive(Debug)]
pub struct Edge {
    themis: Themis,
    /// The hosts below, in rising order.
    below: Vec<u32>,
    /// The first of them and how many, where their numbers follow each other; else nothing.
    block: (u32, u32),
    /// What is remembered of queue pairs, by the places that messages know.
    pairs: Slab<Known>,
    /// What happened to NACKs from each port.
    tallies: Vec<Tally>,
    /// The ports to other switches.
    uplinks: Vec<u32>,
    /// What it knows of failed links.
    knows: Failures,
    /// Whether every NACK passes.
    is_off: bool,
}

/// A queue pair that ends below.
#[derive(Debug, Default)]
struct Known {
    source: u32,
    pair: QueuePair,
}

/// What a switch knows of failed links between switches.
#[derive(Debug, Clone, Copy, Default)]
struct Failures {
    /// One of its own has failed.
    own: bool,
    /// One somewhere has failed, it was told.
    told: bool,
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
        let is_uplink = |&local: &u32| {
            let peer = ports[local as usize].peer;
            !model.fabric.is_host(model.fabric.port(peer).node)
        };
        let uplinks = (0..ports.len() as u32).filter(is_uplink).collect();
        let is_host = |port: &&netloom_model::Port| model.fabric.is_host(model.fabric.port(port.peer).node);
        let mut below: Vec<u32> =
            ports.iter().filter(is_host).map(|port| model.fabric.port(port.peer).node.0).collect();
        below.sort_unstable();
        below.dedup();
        let rate = ports.iter().filter(is_host).map(|port| port.rate).max()?;
        let far = (0..model.fabric.n_hosts() as u32).find(|host| below.binary_search(host).is_err())?;
        let n_choices = || model.routing.next_hops(node, HostId(far)).len() as u32;
        let n_paths = model.balances.path_map.as_ref().map_or_else(n_choices, |paths| paths.n_paths());
        let themis = Themis::new(&chosen.settings, n_paths, rate, model.transport.packet);
        let tallies = vec![Tally::default(); ports.len()];
        let n_below = below.len() as u32;
        let is_block = below[n_below as usize - 1] - below[0] + 1 == n_below;
        let block = (below[0], if is_block { n_below } else { 0 });
        let (pairs, knows) = (Slab::default(), Failures::default());
        Some(Edge { themis, below, block, pairs, tallies, uplinks, knows, is_off: false })
    }

    /// What happens when a link between switches is reported failed.
    pub fn failure(&self) -> Failure {
        self.themis.failure()
    }

    /// What it knows of failed links has changed; tells whether it judges no more, or again, if that has changed, too.
    fn learn(&mut self, knows: Failures) -> Option<bool> {
        self.knows = knows;
        let is_off = self.failure() == Failure::Ecmp && (knows.own || knows.told);
        if is_off == self.is_off {
            return None;
        }
        self.is_off = is_off;
        self.pairs.iter_mut().for_each(|known| known.pair.forget_packets());
        Some(is_off)
    }

    /// Paths that are left have changed: how many there are from a host elsewhere to one below.
    pub fn renew_paths(&mut self, n_left: impl Fn(HostId, HostId) -> Option<NonZeroU32>) {
        let below = HostId(self.below[0]);
        let all = self.themis.n_paths();
        for known in self.pairs.iter_mut() {
            let n_left = n_left(HostId(known.source), below);
            known.pair.leave_paths(n_left.filter(|n_left| n_left.get() != all));
        }
    }

    /// Whether a packet passing through must be looked at: data for a host below, or a NACK from one. (A NACK for a host below
    /// comes from elsewhere and has passed its own filter.)
    #[inline(always)]
    pub fn concerns(&self, packet: &Packet) -> bool {
        match packet.kind() {
            PacketKind::Data => self.is_below(packet.destination),
            PacketKind::Nack => !self.is_below(packet.destination),
            _ => false,
        }
    }

    #[inline(always)]
    fn is_below(&self, host: u32) -> bool {
        match self.block {
            (_, 0) => self.below.binary_search(&host).is_ok(),
            (first, count) => host.wrapping_sub(first) < count,
        }
    }

    /// A queue pair from a host elsewhere will end below: its place here; none for one from below.
    pub fn expect_pair(&mut self, source: HostId, n_left: Option<NonZeroU32>) -> Option<u32> {
        if self.is_below(source.0) {
            return None;
        }
        let (place, known) = self.pairs.place(Known::default);
        known.source = source.0;
        known.pair.leave_paths(n_left.filter(|n_left| n_left.get() != self.themis.n_paths()));
        Some(place)
    }

    /// What happened to NACKs from a port.
    pub fn tally(&self, port: usize) -> Tally {
        self.tallies[port]
    }

    /// Nothing is left of a queue pair.
    pub fn forget(&mut self, pair: u32) {
        self.pairs.get_mut(pair).pair.clear();
        self.pairs.remove(pair);
    }

    /// Writes what later behaviour depends on.
    pub fn write_state(&self, out: &mut StateWriter) {
        out.word(u64::from(self.is_off));
        self.pairs.iter().for_each(|known| known.pair.write_state(out));
    }
}

impl Node {
    /// A packet that concerns the edge passes it; tells whether it goes on.
    #[inline(always)]
    pub fn pass_edge(
        &mut self,
        now: u64,
        ingress: u32,
        packet: &Packet,
        desk: &mut Desk,
        round: &Round,
    ) -> bool {
        if !packet.is_data() {
            return self.filter_nack(ingress, packet, desk, round);
        }
        let edge = self.edge.as_deref_mut().expect("seen by the caller");
        let place = round.flows[packet.flow as usize].edge_pair;
        if place == u32::MAX {
            return true;
        }
        let pair = &mut edge.pairs.get_mut(place).pair;
        let made = if edge.is_off {
            edge.themis.on_data_unjudged(pair, packet.sequence)
        } else {
            edge.themis.on_data(pair, packet.sequence)
        };
        if let Some(made) = made {
            self.compensate(now, packet, made, desk, round);
        }
        true
    }

    /// The edge sends a NACK of its own.
    #[cold]
    #[inline(never)]
    fn compensate(&mut self, now: u64, packet: &Packet, made: Compensation, desk: &mut Desk, round: &Round) {
        let Flow { source, send_pair, .. } = round.flows[packet.flow as usize];
        let rdma = round.model.transport.rdma().expect("queue pairs have such a transport");
        let to = Address { host: source.0, slot: send_pair };
        let (bytes, class) = (rdma.control.0 as u32, round.model.classes.control);
        let nack = packet.answer(PacketKind::Nack, to, bytes, class).expecting(made.psn);
        desk.reports.push(Report::Made { flow: packet.flow });
        let towards = self.port_to_host(packet.destination, round);
        self.edge.as_deref_mut().expect("seen above").tallies[towards].made += 1;
        self.forward::<GUARDED>(now, self.ports.len() as u32, &nack, desk, round);
    }

    /// A NACK from a host: whether it goes on to the sender.
    #[inline(never)]
    fn filter_nack(&mut self, ingress: u32, packet: &Packet, desk: &mut Desk, round: &Round) -> bool {
        let edge = self.edge.as_deref_mut().expect("seen by the caller");
        let pair = round.flows[packet.flow as usize].edge_pair;
        if pair == u32::MAX || ingress as usize >= edge.tallies.len() {
            return true;
        }
        let tally = &mut edge.tallies[ingress as usize];
        if edge.is_off {
            tally.forwarded += 1;
            return true;
        }
        let pair = &mut edge.pairs.get_mut(pair).pair;
        match edge.themis.on_nack(pair, packet.sequence) {
            Filter::Forward => {
                tally.forwarded += 1;
                true
            }
            Filter::Block => {
                tally.blocked += 1;
                desk.reports.push(Report::Blocked { flow: packet.flow });
                false
            }
        }
    }

    /// A port has come up or gone down.
    pub fn learn_of_own(&mut self) {
        let Some(edge) = self.edge.as_deref_mut() else { return };
        let own = edge.uplinks.iter().any(|&port| !self.ports[port as usize].is_up());
        if let Some(is_off) = edge.learn(Failures { own, ..edge.knows }) {
            self.fall_back(is_off);
        }
    }

    /// It is told whether some link between switches has failed, where everybody who sprays falls back then.
    pub fn be_told(&mut self, told: bool) {
        let Some(edge) = self.edge.as_deref_mut() else { return self.fall_back(told) };
        if let Some(is_off) = edge.learn(Failures { told, ..edge.knows }) {
            self.fall_back(is_off);
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
