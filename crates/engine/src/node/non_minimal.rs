//! Data packets that may take a non-minimal path, through another group or another switch of their own group, at a
//! switch of a fabric of groups.
//!
//! Models: the ports towards the intermediate group of a packet, or else those on minimal paths; further ports that the
//! policy opens; the backlogs that it may read of neighbouring switches.
//! Leaves out: the choice of the path (the policy), and the layout of the tag (`netloom_policy::balance::detour`).
//!
//! Invariants: a candidate port is up; a packet that has passed its intermediate group takes a minimal path to its
//! destination; control packets never come here.

use std::ops::Range;

use netloom_model::{PortKind, PortSet};
use netloom_policy::balance::Ports;
use netloom_policy::balance::detour::{Detour, RemoteQueues};
use netloom_policy::balance::{Context, Pick};
use netloom_records::DropReason;
use netloom_units::{HostId, NodeId, PortId, Time};

use super::features::COUNTED_COMPARING;
use super::{Forwarding, Node, Route, advance_port, view};
use crate::context::PartitionContext;
use crate::packet::Packet;
use crate::port::Egress;
use crate::round::Round;

impl Node {
    /// Enables paths of data packets through other groups, before the run.
    pub fn enable_non_minimal(&mut self, own_group: u32) {
        self.own_group = Some(own_group);
    }

    /// As `forward_by_list`, where the policy may send packets through other groups; this group is `own`.
    #[inline(never)]
    pub(super) fn forward_non_minimal(
        &mut self,
        now: u64,
        ingress: u32,
        (packet, own): (&Packet, u32),
        context: &mut PartitionContext,
        round: &Round,
    ) {
        let mut list = std::mem::take(&mut context.scratch);
        list.clear();
        let mut detour = Detour::of(packet.tag).arrived_in(own);
        if let Some(group) = detour.through {
            self.list_live(round.model.routing.towards_group(self.id, group), &mut list);
            // Where no path leads to the group any more, the packet takes a minimal path.
            detour.through = detour.through.filter(|_| !list.is_empty());
        }
        if detour.through.is_none() {
            self.list_live(self.minimal(packet, round), &mut list);
        }
        let mut packet = *packet;
        packet.tag = detour.tag();
        let pick = self.pick_non_minimal(now, ingress, &packet, &mut list, context, round);
        if let Some(&port) = list.get(pick.candidate) {
            let (forwarding, onward) =
                (Forwarding { ingress, port }, || packet.with_hop_as(pick.class, pick.tag));
            self.enqueue::<COUNTED_COMPARING>(now, forwarding, pick.class, onward, context, round);
        } else {
            self.return_dropped_credits(now, ingress, &packet, context, round);
            self.lose(now, self.reason_or(DropReason::Unreachable), &packet, context, round);
        }
        context.scratch = list;
    }

    /// Next hops on minimal paths, dead ports included.
    fn minimal<'a>(&self, packet: &Packet, round: &'a Round) -> PortSet<'a> {
        let destination = HostId(packet.destination);
        let overlaid = round.overlay.and_then(|overlay| overlay.next_hops(self.id, destination));
        overlaid.unwrap_or_else(|| self.healthy.next_hops(&round.model.routing, self.id, destination))
    }

    fn list_live(&self, set: PortSet<'_>, list: &mut Vec<u32>) {
        list.extend(set.iter().filter(|&port| self.ports[port as usize].is_up()));
    }

    fn pick_non_minimal(
        &mut self,
        now: u64,
        ingress: u32,
        packet: &Packet,
        list: &mut Vec<u32>,
        context: &mut PartitionContext,
        round: &Round,
    ) -> Pick {
        let Node { balancer, ports, random, healthy, id, .. } = self;
        let n_minimal = list.len();
        let destination = HostId(packet.destination);
        let mut candidates = NonMinimalCandidates {
            ports,
            list,
            n_minimal,
            healthy,
            destination,
            node: *id,
            now,
            context,
            round,
        };
        let ports: &mut dyn Ports = &mut candidates;
        let mut context = Context { now: Time(now), random };
        balancer.pick(&mut context, || view(packet, ingress, round), || ports)
    }
}

/// The candidates, to which the policy may add more.
struct NonMinimalCandidates<'a, 'r> {
    ports: &'a mut [Egress],
    list: &'a mut Vec<u32>,
    n_minimal: usize,
    healthy: &'a Route,
    destination: HostId,
    node: NodeId,
    now: u64,
    context: &'a mut PartitionContext,
    round: &'a Round<'r>,
}

impl NonMinimalCandidates<'_, '_> {
    fn members(&self) -> PortSet<'_> {
        self.healthy.next_hops(&self.round.model.routing, self.node, self.destination)
    }

    fn egress(&mut self, port: u32) -> &mut Egress {
        let egress = &mut self.ports[port as usize];
        advance_port(egress, self.now, self.context, self.round);
        egress
    }

    fn is_global(&self, node: NodeId, port: u32) -> bool {
        self.round.model.routing.port_kind(node, port) == PortKind::Global
    }

    /// The current backlogs of a global link of this switch and of all its global links.
    fn beside(&mut self, port: u32) -> RemoteQueues {
        let now = self.now;
        let mut beyond = RemoteQueues { least: self.egress(port).waiting_bytes(now), sum: 0, count: 0 };
        for other in 0..self.ports.len() as u32 {
            if self.is_global(self.node, other) {
                beyond.sum += self.egress(other).waiting_bytes(now);
                beyond.count += 1;
            }
        }
        beyond
    }

    /// The same of another switch's global links towards a group, as of the last snapshot.
    fn at_neighbour(&self, node: NodeId, group: u32) -> Option<RemoteQueues> {
        let model = self.round.model;
        let range = model.fabric.port_range(node);
        let known = self.round.port_bytes.get(range.start as usize..range.end as usize)?;
        let towards = model.routing.towards_group(node, group);
        let least = towards.iter().filter(|&port| self.is_global(node, port));
        let least = least.map(|port| known[port as usize]).min()?;
        let all = (0..known.len() as u32).filter(|&port| self.is_global(node, port));
        let all = all.map(|port| known[port as usize]);
        Some(all.fold(RemoteQueues { least, sum: 0, count: 0 }, |beyond, waiting| RemoteQueues {
            sum: beyond.sum + waiting,
            count: beyond.count + 1,
            ..beyond
        }))
    }
}

impl Ports for NonMinimalCandidates<'_, '_> {
    fn n_minimal(&self) -> usize {
        self.n_minimal
    }

    fn n_non_minimal(&self) -> usize {
        self.list.len() - self.n_minimal
    }

    fn port(&self, candidate: usize) -> u32 {
        self.list[candidate]
    }

    fn waiting_bytes(&mut self, candidate: usize) -> u64 {
        let (port, now) = (self.list[candidate], self.now);
        self.egress(port).waiting_bytes(now)
    }

    fn waiting_packets(&mut self, candidate: usize) -> u64 {
        let (port, now) = (self.list[candidate], self.now);
        self.egress(port).waiting_packets(now)
    }

    fn open(&mut self, group: u32) -> Range<usize> {
        let start = self.list.len();
        let towards = self.round.model.routing.towards_group(self.node, group);
        self.list.extend(towards.iter().filter(|&port| self.ports[port as usize].is_up()));
        start..self.list.len()
    }

    fn n_healthy(&self) -> usize {
        self.members().len()
    }

    fn healthy_port(&self, number: usize) -> u32 {
        self.members().get(number)
    }

    fn beyond(&mut self, candidate: usize, group: u32) -> Option<RemoteQueues> {
        let port = self.list[candidate];
        if self.is_global(self.node, port) {
            return Some(self.beside(port));
        }
        let first = self.round.model.fabric.port_range(self.node).start;
        let neighbour = self.round.model.fabric.neighbour(PortId(first + port));
        self.at_neighbour(neighbour, group)
    }
}
