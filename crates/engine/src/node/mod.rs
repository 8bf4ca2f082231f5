//! A node: its egress ports, its balancing policy, and the forwarding of packets.
//!
//! Models: next hops (healthy, less dead ports, or recomputed), the policy's choice, the queue, the start of
//! transmissions, links that fail and return, the switch's hook.
//! Leaves out: what hosts do with messages (`host.rs`), the order of events (`partition.rs`).
//!
//! Invariants: the policy is called only where there is a choice; a packet without a live next hop is dropped and
//! counted, never queued.

use netloom_model::PortSet;
use netloom_policy::balance::{Balancer, Context, PacketView, Pick, Ports};
use netloom_records::DropReason;
use netloom_units::{HostId, NodeId, Random, Time};

use crate::buffer::SharedBuffer;
use crate::context::{Crossing, PartitionContext, Report};
use crate::credit::{Crossbar, HostReturns, Notices};
use crate::edge::TorFilter;
use crate::group_routes::GroupRoutes;
use crate::hook::Hook;
use crate::host::Host;
use crate::load::PortLoads;
use crate::packet::Packet;
use crate::port::Egress;
use crate::round::Round;
use crate::route::{Bundle, RailRoute, Route};
use crate::trace::{HopRecord, TracedPacket};

mod admission;
mod candidates;
mod enqueue;
mod fault;
pub mod features;
mod loss;
mod middlebox;
mod non_minimal;
mod pause_bound;
mod prefetches;
mod start;
mod static_routes;
mod storm;

use candidates::{Candidates, WithNonMinimal};
use features::{COMPARING, COUNTED, PAUSING, PAUSING_COMPARING, includes};
use pause_bound::PauseBound;
pub use start::{advance_port, push, transmit};
use static_routes::StaticRoutes;

/// One host or switch.
///
/// As in [`Egress`], fields are in the order in which packets need them.
#[repr(C)]
pub struct Node {
    /// Its egress ports.
    pub ports: Vec<Egress>,
    /// Input buffers and crossbar, at a switch with credits.
    pub crossbar: Option<Box<Crossbar>>,
    /// The host's part; `None` at a switch.
    pub host: Option<Box<Host>>,
    /// Next hops computed by arithmetic, while nothing has failed.
    route: Route,
    /// Return channels of credits, at a host on links with credits.
    pub returns: Option<Box<HostReturns>>,
    /// Next hops in a fabric of groups, at a switch that may send packets through other groups.
    groups: Option<Box<GroupRoutes>>,
    /// Congestion notices sent upstream, at a switch that sends them.
    pub notices: Option<Box<Notices>>,
    /// State of queue pairs, at a switch that filters NACKs.
    pub edge: Option<Box<TorFilter>>,
    /// Loads of the ports, at a node whose policy compares them.
    pub loads: Option<Box<PortLoads>>,
    /// Ports in lazy form that have packets waiting: one bit each.
    busy: Vec<u64>,
    random: Random,
    /// Its id.
    pub id: NodeId,
    /// Its index in the partition.
    pub index_in_partition: u32,
    /// Whether the next hops of groups are in force: nothing has failed, and no other rule takes precedence.
    is_by_groups: bool,
    /// Whether it is a host that returns credits, or answers with telemetry records.
    pub needs_host_slow_path: bool,
    /// Whether it is a switch that is down, which notices no failures.
    pub is_dead: bool,
    /// Whether next hops have been recomputed after failures elsewhere.
    overlaid: bool,
    /// Static routes, at a switch that has some.
    static_routes: Option<Box<StaticRoutes>>,
    /// The local view of dead ports, while there are any.
    live_ports: Option<Box<LivePorts>>,
    /// The middlebox, at a switch that has one.
    hook: Option<Box<dyn Hook>>,
    pub balancer: Balancer,
    /// The buffer that the ports share, at a switch that has one.
    buffer: Option<Box<SharedBuffer>>,
    /// No pause frame leaves before this instant.
    no_pause_before: u64,
    /// The bound that `no_pause_before` is computed from, at a switch that has one.
    frame_bound: Option<Box<PauseBound>>,
    /// Next hops at a leaf or a spine on rails, while nothing has failed.
    rail: Option<RailRoute>,
    healthy: Route,
    healthy_rail: Option<RailRoute>,
}

/// The live ports, indexed so that a contiguous range of ports maps to a contiguous slice of live ones.
#[derive(Debug)]
struct LivePorts {
    /// Live local ports in rising order.
    live: Vec<u32>,
    /// For each local port, the number of live ports before it; one closing entry.
    before: Vec<u32>,
}

impl LivePorts {
    fn of(ports: &[Egress]) -> Option<Box<LivePorts>> {
        if ports.iter().all(Egress::is_up) {
            return None;
        }
        let mut view = LivePorts { live: Vec::new(), before: vec![0] };
        for (port, egress) in ports.iter().enumerate() {
            if egress.is_up() {
                view.live.push(port as u32);
            }
            view.before.push(view.live.len() as u32);
        }
        Some(Box::new(view))
    }

    fn range(&self, first: u32, count: u32) -> &[u32] {
        let start = self.before[first as usize] as usize;
        let end = self.before[(first + count) as usize] as usize;
        &self.live[start..end]
    }
}

impl Node {
    /// An idle node.
    pub fn new(
        id: NodeId,
        index: u32,
        ports: Vec<Egress>,
        route: Route,
        balancer: Balancer,
        random: Random,
    ) -> Node {
        let busy = vec![0; ports.len().div_ceil(64)];
        Node {
            id,
            index_in_partition: index,
            ports,
            loads: None,
            busy,
            live_ports: None,
            route,
            healthy: route,
            rail: None,
            healthy_rail: None,
            overlaid: false,
            is_dead: false,
            needs_host_slow_path: false,
            balancer,
            groups: None,
            is_by_groups: false,
            static_routes: None,
            random,
            buffer: None,
            no_pause_before: 0,
            frame_bound: None,
            crossbar: None,
            notices: None,
            returns: None,
            edge: None,
            hook: None,
            host: None,
        }
    }

    /// Gives the ports a shared buffer, before the run.
    pub fn share(&mut self, buffer: SharedBuffer) {
        self.buffer = Some(Box::new(buffer));
    }

    /// Whether its ports count or mark data, so that others may send it pause frames, or it filters NACKs.
    pub fn has_admission_effects(&self) -> bool {
        self.edge.is_some() || self.ports.iter().any(Egress::has_enqueue_effects)
    }

    /// Whether it is a host with queue pairs.
    #[inline(always)]
    pub fn has_nic(&self) -> bool {
        self.host.as_ref().is_some_and(|host| host.nic.is_some())
    }

    /// Handles a packet that has arrived by in-link `ingress`; `FEATURES` are the flags that the node needs.
    #[inline(always)]
    pub fn arrive<const FEATURES: u8>(
        &mut self,
        now: u64,
        ingress: u32,
        packet: &Packet,
        context: &mut PartitionContext,
        round: &Round,
    ) {
        if self.host.is_some() && packet.has(Packet::REPORTED) {
            self.report_crossing(now, ingress, packet, context, round);
        }
        if self.has_nic() {
            if includes(FEATURES, COUNTED) {
                self.return_credits(now, ingress, packet, context, round);
            }
            return self.receive_at_nic(now, ingress, packet, context, round);
        }
        if self.host.is_some() {
            return self.receive(now, packet, context, round);
        }
        self.arrive_at_switch::<FEATURES>(now, ingress, packet, context, round);
    }

    /// Reports that the last packet of a message has arrived here.
    #[cold]
    #[inline(never)]
    pub fn report_crossing(
        &self,
        now: u64,
        ingress: u32,
        packet: &Packet,
        context: &mut PartitionContext,
        round: &Round,
    ) {
        let fabric = &round.model.fabric;
        let crossing = Crossing {
            port: fabric.ports_of(self.id)[ingress as usize].peer,
            at: now,
            bytes: packet.bytes,
            is_retransmission: packet.has(Packet::RETRANSMISSION),
        };
        context.reports.push(Report::Crossed { flow: packet.flow, crossing });
    }

    /// Handles a packet that has arrived at this switch.
    #[inline(always)]
    pub fn arrive_at_switch<const FEATURES: u8>(
        &mut self,
        now: u64,
        ingress: u32,
        packet: &Packet,
        context: &mut PartitionContext,
        round: &Round,
    ) {
        if packet.has(Packet::REPORTED) {
            self.report_crossing(now, ingress, packet, context, round);
        }
        if includes(FEATURES, COUNTED) && packet.is_link_local() {
            return self.take_frame(now, ingress, packet, context, round);
        }
        if includes(FEATURES, COUNTED)
            && let Some(edge) = &self.edge
        {
            if packet.is_data() {
                if edge.is_below(packet.destination) {
                    self.remember_data(now, packet, context, round);
                }
            } else if edge.observes(packet) && !self.pass_response(now, ingress, packet, context, round) {
                return;
            }
        }
        self.forward::<FEATURES>(now, ingress, packet, context, round);
    }

    /// Chooses the egress port of a packet and queues it there. A node's own packets come by in-link `n_ports`.
    ///
    /// `FEATURES` is known at compile time, so that nodes do not pay for features they do not have.
    #[inline(always)]
    pub fn forward<const FEATURES: u8>(
        &mut self,
        now: u64,
        ingress: u32,
        packet: &Packet,
        context: &mut PartitionContext,
        round: &Round,
    ) {
        let mut bundle = self.route.bundle(HostId(packet.destination));
        // Elsewhere `forward_by_list` handles rails: one more branch here is 1 % of a packet-hop.
        if includes(FEATURES, PAUSING)
            && bundle.count == 0
            && let Some(rail) = &self.rail
        {
            bundle = rail.bundle(HostId(packet.destination));
        }
        let Bundle { first, count } = bundle;
        match count {
            0 => self.forward_otherwise(now, ingress, packet, context, round),
            1 => {
                let forwarding = Forwarding { ingress, port: first };
                self.enqueue::<FEATURES>(
                    now,
                    forwarding,
                    packet.class(),
                    || packet.with_hop(),
                    context,
                    round,
                );
            }
            _ => {
                let set = PortSet::Range { first, count };
                self.forward_chosen::<FEATURES>(now, ingress, packet, set, context, round);
            }
        }
    }

    /// As [`Node::forward`], where next hops are not computed by arithmetic.
    #[inline(never)]
    fn forward_otherwise(
        &mut self,
        now: u64,
        ingress: u32,
        packet: &Packet,
        context: &mut PartitionContext,
        round: &Round,
    ) {
        if self.is_by_groups {
            self.forward_in_groups(now, ingress, packet, context, round);
        } else if self.hook.is_some() {
            self.arrive_at_hook(now, ingress, *packet, context, round);
        } else {
            self.forward_by_list(now, ingress, packet, context, round);
        }
    }

    /// As [`Node::forward`], where links have failed, the graph is irregular or there are static routes.
    #[inline(never)]
    pub(super) fn forward_by_list(
        &mut self,
        now: u64,
        ingress: u32,
        packet: &Packet,
        context: &mut PartitionContext,
        round: &Round,
    ) {
        if let Some(rail) = self.rail {
            let Bundle { first, count } = rail.bundle(HostId(packet.destination));
            let set = PortSet::Range { first, count };
            return self.forward_among(now, ingress, packet, set, context, round);
        }
        if let Some(port) = self.static_port(packet, round) {
            let forwarding = Forwarding { ingress, port };
            return self.enqueue::<PAUSING_COMPARING>(
                now,
                forwarding,
                packet.class(),
                || packet.with_hop(),
                context,
                round,
            );
        }
        if self.groups.is_some() && packet.is_data() {
            return self.forward_non_minimal(now, ingress, packet, context, round);
        }
        let destination = HostId(packet.destination);
        let overlaid = round.overlay.and_then(|overlay| overlay.next_hops(self.id, destination));
        let set =
            overlaid.unwrap_or_else(|| self.healthy.next_hops(&round.model.routing, self.id, destination));
        // Where next hops were recomputed, non-minimal ones are unknown.
        if round.overlay.is_none() {
            let longer = round.model.routing.longer(self.id, destination);
            if !longer.is_empty() {
                return self.forward_with_longer(
                    now,
                    Reached { ingress, set, non_minimal: longer },
                    packet,
                    context,
                    round,
                );
            }
        }
        // Taken out for the time of the call, so that the candidates may borrow it.
        let Some(dead) = self.live_ports.take() else {
            return self.forward_among(now, ingress, packet, set, context, round);
        };
        let mut list = std::mem::take(&mut context.scratch);
        let live = match set {
            PortSet::Range { first, count } => dead.range(first, count),
            PortSet::List(ports) => {
                list.clear();
                list.extend(ports.iter().filter(|&&port| self.ports[port as usize].is_up()));
                &list
            }
        };
        self.forward_among(now, ingress, packet, PortSet::List(live), context, round);
        context.scratch = list;
        self.live_ports = Some(dead);
    }

    fn forward_among(
        &mut self,
        now: u64,
        ingress: u32,
        packet: &Packet,
        set: PortSet<'_>,
        context: &mut PartitionContext,
        round: &Round,
    ) {
        match set.len() {
            0 => {
                self.return_dropped_credits(now, ingress, packet, context, round);
                self.lose(now, self.reason_or(DropReason::Unreachable), packet, context, round);
            }
            1 => {
                let forwarding = Forwarding { ingress, port: set.get(0) };
                self.enqueue::<PAUSING_COMPARING>(
                    now,
                    forwarding,
                    packet.class(),
                    || packet.with_hop(),
                    context,
                    round,
                );
            }
            _ => self.forward_chosen::<PAUSING_COMPARING>(now, ingress, packet, set, context, round),
        }
    }

    /// Queues a packet at the port that the policy chooses among those on shortest paths and on non-minimal ones.
    #[inline(never)]
    fn forward_with_longer(
        &mut self,
        now: u64,
        Reached { ingress, set, non_minimal: longer }: Reached,
        packet: &Packet,
        context: &mut PartitionContext,
        round: &Round,
    ) {
        let mut list = std::mem::take(&mut context.scratch);
        list.clear();
        list.extend(set.iter().filter(|&port| self.ports[port as usize].is_up()));
        let n_minimal = list.len();
        list.extend(longer.iter().filter(|&&port| self.ports[port as usize].is_up()));
        if n_minimal == 0 || n_minimal == list.len() {
            self.forward_among(now, ingress, packet, PortSet::List(&list[..n_minimal]), context, round);
        } else {
            let Node { balancer, ports, loads, random, healthy, id, .. } = self;
            let (set, loads) = (PortSet::List(&list), loads.as_deref_mut());
            let all = Candidates { ports, loads, set, healthy, node: *id, packet, now, context, round };
            let mut candidates = WithNonMinimal { all, n_minimal };
            let candidates: &mut dyn Ports = &mut candidates;
            let mut policy_context = Context { now: Time(now), random };
            let pick = balancer.pick(&mut policy_context, || view(packet, ingress, round), || candidates);
            let forwarding = Forwarding { ingress, port: list[pick.candidate] };
            let onward = || packet.with_hop_as(pick.class, pick.tag);
            self.enqueue::<PAUSING_COMPARING>(now, forwarding, pick.class, onward, context, round);
        }
        context.scratch = list;
    }

    /// Queues a packet at the port that the policy chooses among several.
    #[inline(always)]
    fn forward_chosen<const FEATURES: u8>(
        &mut self,
        now: u64,
        ingress: u32,
        packet: &Packet,
        set: PortSet<'_>,
        context: &mut PartitionContext,
        round: &Round,
    ) {
        let Pick { candidate, class, tag } =
            self.choose::<FEATURES>(now, ingress, packet, set, context, round);
        let forwarding = Forwarding { ingress, port: set.get(candidate) };
        self.enqueue::<FEATURES>(now, forwarding, class, || packet.with_hop_as(class, tag), context, round);
    }

    /// Calls the policy.
    #[inline(always)]
    fn choose<const FEATURES: u8>(
        &mut self,
        now: u64,
        ingress: u32,
        packet: &Packet,
        set: PortSet<'_>,
        context: &mut PartitionContext,
        round: &Round,
    ) -> Pick {
        let Node { balancer, ports, loads, random, healthy, id, .. } = self;
        let mut policy_context = Context { now: Time(now), random };
        let view = || view(packet, ingress, round);
        let loads = loads.as_deref_mut();
        let candidates = || Candidates { ports, loads, set, healthy, node: *id, packet, now, context, round };
        if includes(FEATURES, COMPARING) {
            balancer.pick_comparing(&mut policy_context, view, candidates)
        } else {
            balancer.pick(&mut policy_context, view, candidates)
        }
    }

    /// Whether this node has a single port, which leads to a host, and compares no ports.
    pub fn has_one_port_towards(&self, host: HostId, round: &Round) -> bool {
        if self.ports.len() != 1 || self.loads.is_some() {
            return false;
        }
        self.route.bundle(host).count == 1 || self.has_one_listed_port_towards(host, round)
    }

    /// The same where next hops are not computed by arithmetic, if neither faults nor other rules choose among them.
    fn has_one_listed_port_towards(&self, host: HostId, round: &Round) -> bool {
        let is_by_list = self.hook.is_none()
            && self.rail.is_none()
            && self.static_routes.is_none()
            && self.groups.is_none()
            && self.live_ports.is_none()
            && round.overlay.is_none();
        let routing = &round.model.routing;
        is_by_list
            && self.healthy.next_hops(routing, self.id, host).len() == 1
            && routing.longer(self.id, host).is_empty()
    }

    /// The egress port of a packet that this node sends itself; the first port where no path leads to the destination.
    pub fn port_towards(
        &mut self,
        now: u64,
        packet: &Packet,
        context: &mut PartitionContext,
        round: &Round,
    ) -> u32 {
        if self.ports.len() == 1 {
            return 0;
        }
        let destination = HostId(packet.destination);
        let set = self.healthy.next_hops(&round.model.routing, self.id, destination);
        let live: Vec<u32> = set.iter().filter(|&port| self.ports[port as usize].is_up()).collect();
        match live.len() {
            0 => 0,
            1 => live[0],
            _ => {
                let own = self.ports.len() as u32;
                let pick = self.choose::<COUNTED>(now, own, packet, PortSet::List(&live), context, round);
                live[pick.candidate]
            }
        }
    }

    /// Appends the hop records of the packets that wait.
    pub fn trace_waiting(&mut self, hop_records: &mut Vec<HopRecord>) {
        for egress in &mut self.ports {
            let waiting = egress.left_waiting();
            let Some(trace) = egress.trace() else { continue };
            hop_records.extend(waiting.iter().map(|(packet, traced)| trace.hop_record(packet, *traced)));
        }
        for (entry, found) in self.crossbar.iter().flat_map(|crossbar| crossbar.waiting()) {
            let Some(trace) = self.ports[entry.egress as usize].trace() else { continue };
            let found = found.expect("a traced port records the state that a packet finds");
            hop_records.push(trace.hop_record(&entry.packet, TracedPacket { snapshot: found, start: None }));
        }
    }

    /// Handles the timer of a start at a port in timed form.
    pub fn start(&mut self, now: u64, port: u32, context: &mut PartitionContext, round: &Round) {
        self.ports[port as usize].timer_came(now);
        if self.has_nic() {
            self.serve(now + 1, context, round);
        }
        if self.ports[port as usize].has_start_before(now + 1) {
            let start = self.ports[port as usize].take_next();
            if self.hook.is_some() {
                self.start_at_hook(port, start, context, round);
            } else {
                transmit(&mut self.ports[port as usize], &start, context, round);
            }
            self.leave_buffer(now, port, context, round);
        }
        if let Some(next) = self.ports[port as usize].next_start() {
            self.schedule_start(port, next, context);
        }
        self.note_load(port);
    }

    /// Processes every start before the end of the window; returns the earliest start left, `u64::MAX` for none.
    #[inline(always)]
    pub fn advance_all_ports(&mut self, context: &mut PartitionContext, round: &Round) -> u64 {
        let own = self.finish_serving(context, round);
        self.advance_busy_ports(context, round).min(own)
    }

    #[inline(always)]
    fn advance_busy_ports(&mut self, context: &mut PartitionContext, round: &Round) -> u64 {
        let mut next = u64::MAX;
        for word in 0..self.busy.len() {
            let mut bits = self.busy[word];
            while bits != 0 {
                let port = word as u32 * 64 + bits.trailing_zeros();
                bits &= bits - 1;
                advance_port(&mut self.ports[port as usize], round.end, context, round);
                match self.ports[port as usize].next_start() {
                    Some(start) => next = next.min(start),
                    None => self.busy[word] &= !(1 << (port % 64)),
                }
            }
        }
        next
    }

    /// Stops spraying by the balancing policy (`is_off`), or resumes it.
    pub fn set_spraying(&mut self, is_off: bool) {
        self.balancer.fall_back(is_off);
    }

    /// Sets the next hops that a leaf or a spine on rails computes by arithmetic.
    pub fn set_rail_routes(&mut self, rail: Option<RailRoute>) {
        self.healthy_rail = rail;
        self.note_route();
    }

    /// Records that an overlay of next hops is in force from now on.
    pub fn note_overlay(&mut self) {
        self.overlaid = true;
        self.note_route();
    }

    /// Arithmetic gives next hops only while nothing has failed, and there is neither a middlebox nor a static route;
    /// without it every packet takes the slow path.
    pub(super) fn note_route(&mut self) {
        let plain = self.live_ports.is_none()
            && !self.overlaid
            && self.hook.is_none()
            && self.static_routes.is_none();
        self.route = if plain { self.healthy } else { Route::unknown() };
        self.rail = self.healthy_rail.filter(|_| plain);
        self.is_by_groups = plain && self.groups.is_some();
    }

    /// Writes what later behaviour depends on.
    pub fn write_state(&self, out: &mut netloom_units::StateWriter) {
        self.ports.iter().for_each(|port| port.write_state(out));
        self.balancer.write_state(out);
        out.random(&self.random);
        if let Some(hook) = &self.hook {
            hook.write_state(out);
        }
        if let Some(buffer) = &self.buffer {
            buffer.write_state(out);
        }
        if let Some(crossbar) = &self.crossbar {
            crossbar.write_state(out);
        }
        if let Some(edge) = &self.edge {
            edge.write_state(out);
        }
        if let Some(host) = &self.host {
            host.write_state(out);
        }
    }
}

/// A packet as balancing policies see it.
#[inline(always)]
fn view<'a>(packet: &Packet, ingress: u32, round: &'a Round) -> PacketView<'a> {
    PacketView {
        entropy: packet.entropy,
        sequence: packet.sequence,
        bytes: packet.bytes,
        class: packet.class(),
        tag: packet.tag,
        is_data: packet.is_data(),
        may_reorder: packet.has(Packet::MAY_REORDER),
        is_drained: packet.has(Packet::DRAINED),
        ingress,
        destination: HostId(packet.destination),
        message: packet.flow,
        senders: round,
    }
}

/// The in-link of a packet and its candidate ports: those on shortest paths and those on non-minimal ones.
struct Reached<'a> {
    ingress: u32,
    set: PortSet<'a>,
    non_minimal: &'a [u32],
}

/// The in-link and the egress port of a packet.
#[derive(Debug, Clone, Copy)]
pub struct Forwarding {
    /// The in-link.
    pub ingress: u32,
    /// The local port.
    pub port: u32,
}
