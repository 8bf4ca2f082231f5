//! Data packets that may take a non-minimal path, through another group or another switch of their own group, at a
//! switch of a fabric of groups.
//!
//! Models: the ports towards the intermediate group of a packet, or else those on minimal paths; further ports that the
//! policy opens; the backlogs that it may read of neighbouring switches; packets whose path is decided, for which the
//! policy is not called.
//! Leaves out: the choice of the path (the policy), and the layout of the tag (`netloom_policy::balance::detour`).
//!
//! Invariants: a candidate port is up; a packet that has passed its intermediate group takes a minimal path to its
//! destination; control packets take minimal paths.

use std::ops::Range;

use netloom_model::{PortKind, PortSet};
use netloom_policy::balance::detour::{Detour, RemoteQueues};
use netloom_policy::balance::{Context, MOST_MASKED, Pick, Ports, one_of, ties_of_least};
use netloom_records::DropReason;
use netloom_units::{HostId, NodeId, PortId, Time};

use super::features::PAUSING_COMPARING;
use super::{Forwarding, Node, advance_port, view};
use crate::context::PartitionContext;
use crate::group_routes::GroupRoutes;
use crate::packet::Packet;
use crate::port::Egress;
use crate::round::Round;

impl Node {
    /// Enables paths of data packets through other groups, before the run.
    pub fn enable_non_minimal(&mut self, routes: Option<GroupRoutes>) {
        self.groups = routes.map(Box::new);
        self.note_route();
    }

    /// Forwards a packet where the policy may send data packets through other groups, and nothing has failed.
    #[inline(never)]
    pub(super) fn forward_in_groups(
        &mut self,
        now: u64,
        ingress: u32,
        packet: &Packet,
        context: &mut PartitionContext,
        round: &Round,
    ) {
        let Some(groups) = &self.groups else { return };
        let (routing, destination) = (&round.model.routing, HostId(packet.destination));
        if !packet.is_data() {
            let set = groups.next_hops(routing, destination);
            if set.len() != 1 {
                return self.forward_by_list(now, ingress, packet, context, round);
            }
            let forwarding = Forwarding { ingress, port: set.get(0) };
            let (class, onward) = (packet.class(), || packet.with_hop());
            return self.enqueue::<PAUSING_COMPARING>(now, forwarding, class, onward, context, round);
        }
        let detour = Detour::of(packet.tag).arrived_in(groups.own());
        if detour.is_decided || !groups.may_choose(ingress, destination) {
            let set = match detour.through {
                Some(group) => groups.towards(routing, group),
                None => groups.next_hops(routing, destination),
            };
            if (1..=MOST_MASKED).contains(&set.len()) {
                return self.forward_decided(now, ingress, (packet, detour), set, context, round);
            }
        }
        self.forward_non_minimal(now, ingress, packet, context, round);
    }

    /// Forwards a packet whose path is decided, so that it takes the port with the least backlog, as all policies of
    /// this kind do.
    #[inline]
    fn forward_decided(
        &mut self,
        now: u64,
        ingress: u32,
        (packet, detour): (&Packet, Detour),
        set: PortSet<'_>,
        context: &mut PartitionContext,
        round: &Round,
    ) {
        let Node { ports, random, .. } = self;
        let backlog = |port: u32| {
            let egress = &mut ports[port as usize];
            advance_port(egress, now, context, round);
            egress.waiting_bytes(now)
        };
        // A random draw for a single candidate, too: a policy draws one for each packet.
        let ties = if set.len() == 1 { 1 } else { ties_of_least(set.iter().map(backlog)) };
        let forwarding = Forwarding { ingress, port: set.get(one_of(ties, random)) };
        let class = packet.class();
        let onward = || packet.with_hop_as(class, detour.tag());
        self.enqueue::<PAUSING_COMPARING>(now, forwarding, class, onward, context, round);
    }

    /// As [`Node::forward_in_groups`], of a data packet for which the policy chooses, or where ports may be dead.
    #[inline(never)]
    pub(super) fn forward_non_minimal(
        &mut self,
        now: u64,
        ingress: u32,
        packet: &Packet,
        context: &mut PartitionContext,
        round: &Round,
    ) {
        let Some(groups) = &self.groups else { return };
        let mut detour = Detour::of(packet.tag).arrived_in(groups.own());
        let mut list = std::mem::take(&mut context.scratch);
        list.clear();
        if let Some(group) = detour.through {
            self.list_live(groups.towards(&round.model.routing, group), &mut list);
            // Where no path leads to the group any more, the packet takes a minimal path.
            detour.through = detour.through.filter(|_| !list.is_empty());
        }
        if detour.through.is_none() {
            self.list_live(self.minimal(packet, groups, round), &mut list);
        }
        let mut packet = *packet;
        packet.tag = detour.tag();
        let pick = self.pick_non_minimal(now, ingress, &packet, &mut list, context, round);
        if let Some(&port) = list.get(pick.candidate) {
            let (forwarding, onward) =
                (Forwarding { ingress, port }, || packet.with_hop_as(pick.class, pick.tag));
            self.enqueue::<PAUSING_COMPARING>(now, forwarding, pick.class, onward, context, round);
        } else {
            self.return_dropped_credits(now, ingress, &packet, context, round);
            self.lose(now, self.reason_or(DropReason::Unreachable), &packet, context, round);
        }
        context.scratch = list;
    }

    /// Next hops on minimal paths, dead ports included.
    fn minimal<'a>(&self, packet: &Packet, groups: &GroupRoutes, round: &'a Round) -> PortSet<'a> {
        let destination = HostId(packet.destination);
        let overlaid = round.overlay.and_then(|overlay| overlay.next_hops(self.id, destination));
        overlaid.unwrap_or_else(|| groups.next_hops(&round.model.routing, destination))
    }

    fn list_live(&self, set: PortSet<'_>, list: &mut Vec<u32>) {
        list_live(set, &self.ports, self.live_ports.is_some(), list);
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
        let Node { balancer, ports, random, groups: Some(groups), live_ports, id, .. } = self else {
            unreachable!("seen by the caller")
        };
        let (n_minimal, has_dead_ports) = (list.len(), live_ports.is_some());
        let destination = HostId(packet.destination);
        let mut candidates = NonMinimalCandidates {
            ports,
            list,
            n_minimal,
            has_dead_ports,
            groups,
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

/// Appends the ports of a set that are up to a list. While all ports are, none of them is visited.
#[inline]
fn list_live(set: PortSet<'_>, ports: &[Egress], has_dead_ports: bool, list: &mut Vec<u32>) {
    match set {
        _ if has_dead_ports => list.extend(set.iter().filter(|&port| ports[port as usize].is_up())),
        PortSet::Range { first, count } => list.extend(first..first + count),
        PortSet::List(numbers) => list.extend_from_slice(numbers),
    }
}

/// The candidates, to which the policy may add more.
struct NonMinimalCandidates<'a, 'r> {
    ports: &'a mut [Egress],
    list: &'a mut Vec<u32>,
    n_minimal: usize,
    has_dead_ports: bool,
    groups: &'a GroupRoutes,
    destination: HostId,
    node: NodeId,
    now: u64,
    context: &'a mut PartitionContext,
    round: &'a Round<'r>,
}

impl NonMinimalCandidates<'_, '_> {
    fn members(&self) -> PortSet<'_> {
        self.groups.next_hops(&self.round.model.routing, self.destination)
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
        let towards = self.groups.towards(&self.round.model.routing, group);
        list_live(towards, self.ports, self.has_dead_ports, self.list);
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
