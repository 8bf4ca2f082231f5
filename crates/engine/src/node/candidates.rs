//! The candidates of a packet as a balancing policy sees them.
//!
//! Invariants: a port is advanced to now before its queue is read.

use netloom_model::PortSet;
use netloom_policy::balance::{MOST_MASKED, Ports, ties_of_least};
use netloom_units::{Duration, HostId, NodeId, Rate};

use super::advance_port;
use crate::bits::bits;
use crate::context::PartitionContext;
use crate::load::PortLoads;
use crate::packet::Packet;
use crate::port::Egress;
use crate::round::Round;
use crate::route::Route;

/// The candidates as a policy sees them; lazy ports are advanced to `now` when their queues are read.
pub(super) struct Candidates<'a, 'r> {
    pub ports: &'a mut [Egress],
    pub loads: Option<&'a mut PortLoads>,
    pub set: PortSet<'a>,
    /// Next hops while nothing has failed, and the node and packet for which they are looked up.
    pub healthy: &'a Route,
    pub node: NodeId,
    pub packet: &'a Packet,
    pub now: u64,
    pub context: &'a mut PartitionContext,
    pub round: &'a Round<'r>,
}

impl Ports for Candidates<'_, '_> {
    #[inline]
    fn n_minimal(&self) -> usize {
        self.set.len()
    }

    fn n_non_minimal(&self) -> usize {
        0
    }

    #[inline]
    fn port(&self, candidate: usize) -> u32 {
        self.set.get(candidate)
    }

    #[inline]
    fn waiting_bytes(&mut self, candidate: usize) -> u64 {
        let port = self.set.get(candidate);
        advance_port(&mut self.ports[port as usize], self.now, self.context, self.round);
        self.ports[port as usize].waiting_bytes(self.now)
    }

    #[inline]
    fn waiting_packets(&mut self, candidate: usize) -> u64 {
        let port = self.set.get(candidate);
        if let Some(counted) = self.loads.as_mut().and_then(|loads| loads.packets_at(port, self.now)) {
            return counted;
        }
        advance_port(&mut self.ports[port as usize], self.now, self.context, self.round);
        self.ports[port as usize].waiting_packets(self.now)
    }

    #[inline(always)]
    fn fewest_bytes(&mut self) -> u64 {
        match self.loads.as_ref().and_then(|loads| loads.fewest_bytes(self.set, self.now)) {
            Some(ties) => ties,
            None => self.again().fewest(Candidates::waiting_bytes),
        }
    }

    #[inline(always)]
    fn fewest_packets(&mut self) -> u64 {
        match self.loads.as_mut().and_then(|loads| loads.fewest_packets(self.set, self.now)) {
            Some(ties) => ties,
            None => self.again().fewest(Candidates::waiting_packets),
        }
    }

    fn class_bytes(&mut self, candidate: usize, class: u8) -> u64 {
        let port = self.set.get(candidate);
        advance_port(&mut self.ports[port as usize], self.now, self.context, self.round);
        self.ports[port as usize].class_bytes(self.now, class)
    }

    fn below_limits(&mut self, class: u8, limits: &[u64]) -> Option<(usize, u64)> {
        let Candidates { ports, loads, set, now, context, round, .. } = self;
        let counts = loads.as_mut()?.data_counts(class)?;
        if set.len() > MOST_MASKED {
            return None;
        }
        for index in bits(counts.stale(*set, *now)) {
            let port = set.get(index as usize);
            advance_port(&mut ports[port as usize], *now, context, round);
            counts.note(port, &ports[port as usize]);
        }
        Some(counts.below_limits(*set, limits))
    }

    fn sent_bytes(&mut self, candidate: usize) -> u64 {
        let port = self.set.get(candidate);
        advance_port(&mut self.ports[port as usize], self.now, self.context, self.round);
        self.ports[port as usize].sent_bytes(self.now)
    }

    fn rate(&self, candidate: usize) -> Rate {
        self.ports[self.set.get(candidate) as usize].rate()
    }

    fn paused_for(&mut self, candidate: usize, class: u8) -> Duration {
        self.ports[self.set.get(candidate) as usize].paused_for(self.now, class)
    }

    fn n_healthy(&self) -> usize {
        self.members().len()
    }

    fn healthy_port(&self, number: usize) -> u32 {
        self.members().get(number)
    }
}

impl<'r> Candidates<'_, 'r> {
    /// The same, reborrowed: the candidates have to be in memory only where each one is queried.
    #[inline(always)]
    fn again(&mut self) -> Candidates<'_, 'r> {
        Candidates {
            ports: self.ports,
            loads: self.loads.as_deref_mut(),
            set: self.set,
            healthy: self.healthy,
            node: self.node,
            packet: self.packet,
            now: self.now,
            context: self.context,
            round: self.round,
        }
    }

    /// The candidates with the least backlog, a bit each, where each must be queried.
    #[inline(never)]
    fn fewest(mut self, backlog: impl Fn(&mut Self, usize) -> u64) -> u64 {
        ties_of_least((0..self.set.len()).map(|candidate| backlog(&mut self, candidate)))
    }

    fn members(&self) -> PortSet<'_> {
        self.healthy.next_hops(&self.round.model.routing, self.node, HostId(self.packet.destination))
    }
}

/// Candidates of which the first `n_minimal` are on shortest paths and the others on non-minimal paths.
pub(super) struct WithNonMinimal<'a, 'r> {
    pub all: Candidates<'a, 'r>,
    pub n_minimal: usize,
}

impl Ports for WithNonMinimal<'_, '_> {
    fn n_minimal(&self) -> usize {
        self.n_minimal
    }

    fn n_non_minimal(&self) -> usize {
        self.all.n_minimal() - self.n_minimal
    }

    fn port(&self, candidate: usize) -> u32 {
        self.all.port(candidate)
    }

    fn waiting_bytes(&mut self, candidate: usize) -> u64 {
        self.all.waiting_bytes(candidate)
    }

    fn waiting_packets(&mut self, candidate: usize) -> u64 {
        self.all.waiting_packets(candidate)
    }

    fn class_bytes(&mut self, candidate: usize, class: u8) -> u64 {
        self.all.class_bytes(candidate, class)
    }

    fn sent_bytes(&mut self, candidate: usize) -> u64 {
        self.all.sent_bytes(candidate)
    }

    fn rate(&self, candidate: usize) -> Rate {
        self.all.rate(candidate)
    }

    fn paused_for(&mut self, candidate: usize, class: u8) -> Duration {
        self.all.paused_for(candidate, class)
    }

    fn n_healthy(&self) -> usize {
        self.all.n_healthy()
    }

    fn healthy_port(&self, number: usize) -> u32 {
        self.all.healthy_port(number)
    }
}
