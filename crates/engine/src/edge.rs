//! State of a leaf (top-of-rack) switch about the queue pairs that end at its hosts (Themis-D).
//!
//! Models: data packets about to take the last hop are recorded, and NACKs from hosts are suppressed if they indicate
//! reordering only; NACKs that the switch generates itself; the amount of data enqueued for a host that has been sent;
//! failed links known to the switch.
//! Leaves out: which NACK is suppressed; the policy decides.
//!
//! Invariants: queue pairs within the rack are not tracked; the slot of a queue pair is reused only when nothing of it
//! is left; data counted as sent has been sent, though more may have been.

use std::num::NonZeroU32;

use netloom_model::{Model, Port};
use netloom_policy::edge::themis::{self, Compensation, Failure, Filter, LastHop, QueuePair, Themis};
use netloom_units::{HostId, NodeId, StateWriter};

use crate::context::{PartitionContext, Report};
use crate::flow::Flow;
use crate::node::features::COUNTED_COMPARING;
use crate::node::{Node, advance_port};
use crate::packet::{Address, Packet, PacketKind};
use crate::port::Egress;
use crate::round::Round;
use crate::slab::Slab;

/// See the module.
#[derive(Debug)]
pub struct TorFilter {
    themis: Themis,
    /// The hosts below, in ascending order.
    below: Vec<u32>,
    /// The first of them and their number, if their ids are consecutive; else a number of 0.
    block: (u32, u32),
    /// The tracked queue pairs, by the slots that messages carry.
    pairs: Slab<TrackedPair>,
    /// Number of queue pairs whose host waits for a missing PSN.
    n_holes: u32,
    /// Packet kinds that are inspected, one bit each: NACKs, and ACKs while some host waits.
    observed_kinds: u8,
    /// The ports that lead to each host below.
    ports_to: Vec<Vec<u32>>,
    /// Total bytes of data enqueued for each host, by class.
    enqueued: Vec<u64>,
    /// Counts of NACKs by port.
    tallies: Vec<NackCounts>,
    /// Entries that rings of closed queue pairs overwrote too early, for each host below.
    overwritten: Vec<u64>,
    /// The ports to other switches.
    uplinks: Vec<u32>,
    /// Failed links known to the switch.
    knows: Failures,
    /// Whether every NACK is forwarded.
    is_off: bool,
}

/// A queue pair that ends at a host below.
#[derive(Debug, Default)]
struct TrackedPair {
    source: u32,
    /// Index of its counter in `enqueued`.
    counter: u32,
    /// While its ring has fewer entries than this, the next data packet only needs to be recorded.
    limit: u32,
    pair: QueuePair,
}

/// Failures of links between switches that a switch knows of.
#[derive(Debug, Clone, Copy, Default)]
struct Failures {
    /// One of its own links has failed.
    own: bool,
    /// It was notified that a link somewhere has failed.
    knows_of_failure: bool,
}

/// Counts of NACKs of the hosts at a port.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct NackCounts {
    /// They were forwarded.
    pub forwarded: u64,
    /// They were suppressed.
    pub suppressed: u64,
    /// The switch generated them.
    pub generated: u64,
}

/// The bit of a packet kind.
const fn bit(kind: PacketKind) -> u8 {
    1 << kind as u8
}

const NACKS: u8 = bit(PacketKind::Nack);

/// Number of packet classes.
const N_CLASSES: usize = 8;

impl TorFilter {
    /// The initial state of a switch; `None` if it has no hosts, or all hosts are below it.
    pub fn at(model: &Model, node: NodeId) -> Option<TorFilter> {
        let chosen = model.balances.edge.as_ref()?;
        let ports = model.fabric.ports_of(node);
        let is_uplink = |&local: &u32| {
            let peer = ports[local as usize].peer;
            !model.fabric.is_host(model.fabric.port(peer).node)
        };
        let uplinks = (0..ports.len() as u32).filter(is_uplink).collect();
        let is_host = |port: &&Port| model.fabric.is_host(model.fabric.port(port.peer).node);
        let mut below: Vec<u32> =
            ports.iter().filter(is_host).map(|port| model.fabric.port(port.peer).node.0).collect();
        below.sort_unstable();
        below.dedup();
        let last_hop = last_hop(model, ports.iter().filter(is_host))?;
        let far = (0..model.fabric.n_hosts() as u32).find(|host| below.binary_search(host).is_err())?;
        let n_choices = || model.routing.next_hops(node, HostId(far)).len() as u32;
        let n_paths = model.balances.path_map.as_ref().map_or_else(n_choices, |paths| paths.n_paths());
        let themis = Themis::new(&chosen.settings, n_paths, &last_hop);
        let tallies = vec![NackCounts::default(); ports.len()];
        let n_below = below.len() as u32;
        let is_block = below[n_below as usize - 1] - below[0] + 1 == n_below;
        let block = (below[0], if is_block { n_below } else { 0 });
        let (pairs, knows) = (Slab::default(), Failures::default());
        let leads = |port: &Port, host: u32| model.fabric.port(port.peer).node.0 == host;
        let numbered = || (0..).zip(ports.iter());
        let of_host = |&host: &u32| {
            numbered().filter(|(_, port)| leads(port, host)).map(|(number, _)| number).collect()
        };
        let ports_to = below.iter().map(of_host).collect();
        let enqueued = vec![0; below.len() * N_CLASSES];
        Some(TorFilter {
            themis,
            below,
            block,
            pairs,
            n_holes: 0,
            observed_kinds: NACKS,
            ports_to,
            enqueued,
            tallies,
            overwritten: vec![0; n_below as usize],
            uplinks,
            knows,
            is_off: false,
        })
    }

    /// The action when a link between switches is reported failed.
    pub fn failure(&self) -> Failure {
        self.themis.failure()
    }

    /// Updates the known link failures; returns whether the filter is now off, if that has changed.
    fn learn(&mut self, knows: Failures) -> Option<bool> {
        self.knows = knows;
        let is_off = self.failure() == Failure::Ecmp && (knows.own || knows.knows_of_failure);
        if is_off == self.is_off {
            return None;
        }
        self.is_off = is_off;
        // The next data packet of each queue pair takes the slow path.
        self.pairs.iter_mut().for_each(|known| known.limit = 0);
        self.pairs.iter_mut().for_each(|known| known.pair.forget_packets());
        Some(is_off)
    }

    /// Updates the number of remaining paths from remote hosts to the hosts below.
    pub fn renew_paths(&mut self, n_left: impl Fn(HostId, HostId) -> Option<NonZeroU32>) {
        let below = HostId(self.below[0]);
        let all = self.themis.n_paths();
        for known in self.pairs.iter_mut() {
            let n_left = n_left(HostId(known.source), below);
            known.pair.leave_paths(n_left.filter(|n_left| n_left.get() != all));
        }
    }

    /// Whether a response passing through must be inspected: a NACK from a host below, or an ACK from one while some
    /// host waits. (A NACK for a host below comes from elsewhere and has passed its own filter.)
    #[inline(always)]
    pub fn observes(&self, packet: &Packet) -> bool {
        self.observed_kinds & bit(packet.kind()) != 0 && !self.is_below(packet.destination)
    }

    /// Whether a host is attached below.
    #[inline(always)]
    pub fn is_below(&self, host: u32) -> bool {
        match self.block {
            (_, 0) => self.below.binary_search(&host).is_ok(),
            (first, count) => host.wrapping_sub(first) < count,
        }
    }

    /// The index of a host among those below.
    #[inline(always)]
    fn index(&self, host: u32) -> usize {
        match self.block {
            (_, 0) => self.below.binary_search(&host).expect("the host is below"),
            (first, _) => (host - first) as usize,
        }
    }

    /// The counter index of data of a class for a host below.
    #[inline(always)]
    fn counter(&self, host: u32, class: u8) -> usize {
        self.index(host) * N_CLASSES + usize::from(class & 7)
    }

    /// The ports that lead to a host below.
    fn ports_to(&self, host: u32) -> &[u32] {
        &self.ports_to[self.index(host)]
    }

    /// Bytes queued for a host below or in transmission to it, of all classes.
    fn waiting_for(
        &self,
        host: u32,
        ports: &mut [Egress],
        now: u64,
        context: &mut PartitionContext,
        round: &Round,
    ) -> u64 {
        let waiting = |&number: &u32| {
            let port = &mut ports[number as usize];
            advance_port(port, now, context, round);
            port.waiting_bytes(now)
        };
        self.ports_to(host).iter().map(waiting).sum()
    }

    /// Tracks a new queue pair from a remote host to a host below, with its data class: returns its slot here; `None`
    /// for a queue pair within the rack.
    pub fn expect_pair(
        &mut self,
        source: HostId,
        (to, class): (HostId, u8),
        n_left: Option<NonZeroU32>,
    ) -> Option<u32> {
        if self.is_below(source.0) {
            return None;
        }
        let counter = self.counter(to.0, class) as u32;
        let (position, known) = self.pairs.allocate(TrackedPair::default);
        (known.source, known.counter) = (source.0, counter);
        known.pair.leave_paths(n_left.filter(|n_left| n_left.get() != self.themis.n_paths()));
        Some(position)
    }

    /// The NACK counts of a port.
    pub fn tally(&self, port: usize) -> NackCounts {
        self.tallies[port]
    }

    /// Counts data from a host below for another host below.
    #[inline(never)]
    fn count_local(&mut self, packet: &Packet) {
        let counter = self.counter(packet.destination, packet.class());
        self.enqueued[counter] += u64::from(packet.bytes);
    }

    /// Ring entries overwritten while their NACKs could still arrive, for each host below that has some.
    pub fn overwritten(&self) -> impl Iterator<Item = (HostId, u64)> {
        let mut all = self.overwritten.clone();
        for known in self.pairs.iter() {
            all[known.counter as usize / N_CLASSES] += known.pair.counters().overwritten;
        }
        self.below.iter().map(|&host| HostId(host)).zip(all).filter(|(_, overwritten)| *overwritten > 0)
    }

    /// Frees a queue pair of which nothing is left.
    pub fn forget(&mut self, pair: u32) {
        let known = self.pairs.get_mut(pair);
        self.overwritten[known.counter as usize / N_CLASSES] += known.pair.counters().overwritten;
        self.change(pair, |_, pair| pair.clear());
        self.pairs.remove(pair);
    }

    /// Applies a function to a queue pair and updates the count of those whose host waits for a PSN.
    fn change<T>(&mut self, pair: u32, what: impl FnOnce(&Themis, &mut QueuePair) -> T) -> T {
        let TrackedPair { pair, limit, .. } = self.pairs.get_mut(pair);
        let before = pair.has_hole();
        let done = what(&self.themis, pair);
        *limit = if self.is_off { 0 } else { self.themis.limit(pair) };
        self.n_holes = self.n_holes + u32::from(pair.has_hole()) - u32::from(before);
        let acknowledgements = if self.n_holes > 0 { bit(PacketKind::Acknowledgement) } else { 0 };
        self.observed_kinds = NACKS | acknowledgements;
        done
    }

    /// A data packet that was recorded is dropped at the port to its host.
    #[cold]
    pub fn uncount_dropped(&mut self, packet: &Packet, round: &Round) {
        if !packet.is_data() || !self.is_below(packet.destination) {
            return;
        }
        let position = round.flows[packet.flow as usize].edge_pair;
        let counter = if position == u32::MAX {
            self.counter(packet.destination, packet.class())
        } else {
            self.change(position, |themis, pair| themis.undo(pair, packet.sequence));
            self.pairs.get_mut(position).counter as usize
        };
        self.enqueued[counter] -= u64::from(packet.bytes);
    }

    /// Writes the state that later behaviour depends on.
    pub fn write_state(&self, out: &mut StateWriter) {
        out.word(u64::from(self.is_off));
        for known in self.pairs.iter() {
            known.pair.write_state(out, themis::units(self.enqueued[known.counter as usize]));
        }
    }
}

/// The links to hosts as the filter needs them: the highest rate, and the longest response time.
fn last_hop<'a>(model: &Model, ports: impl Iterator<Item = &'a Port> + Clone) -> Option<LastHop> {
    let rate = ports.clone().map(|port| port.rate).max()?;
    let rdma = model.transport.rdma()?;
    let packet = model.transport.packet;
    let response = ports.map(|port| rdma.response_time(port, packet)).max()?;
    Some(LastHop { rate, packet, response, coalesce: rdma.coalesce })
}

impl Node {
    /// Records a data packet for a host below that is about to be enqueued.
    #[inline(always)]
    pub fn remember_data(
        &mut self,
        now: u64,
        packet: &Packet,
        context: &mut PartitionContext,
        round: &Round,
    ) {
        let edge = self.edge.as_deref_mut().expect("seen by the caller");
        let position = round.flows[packet.flow as usize].edge_pair;
        if position == u32::MAX {
            return edge.count_local(packet);
        }
        let known = edge.pairs.get_mut(position);
        let enqueued = &mut edge.enqueued[known.counter as usize];
        *enqueued += u64::from(packet.bytes);
        if known.pair.n_remembered() >= known.limit {
            return self.process_data(now, position, packet, context, round);
        }
        known.pair.remember(packet.sequence, themis::units(*enqueued));
    }

    /// As above, if a data packet needs more than to be recorded.
    #[cold]
    #[inline(never)]
    fn process_data(
        &mut self,
        now: u64,
        position: u32,
        packet: &Packet,
        context: &mut PartitionContext,
        round: &Round,
    ) {
        let Node { edge, ports, .. } = self;
        let edge = edge.as_deref_mut().expect("seen by the caller");
        let enqueued = edge.enqueued[edge.pairs.get_mut(position).counter as usize];
        let waiting = edge.waiting_for(packet.destination, ports, now, context, round);
        // The packet itself is already counted but not yet enqueued.
        let left = themis::units(enqueued.saturating_sub(waiting + u64::from(packet.bytes)));
        let is_off = edge.is_off;
        let made = edge.change(position, |filter, pair| {
            let (psn, end) = (packet.sequence, themis::units(enqueued));
            if is_off {
                filter.on_data_unjudged(pair, psn, end, left)
            } else {
                filter.on_data(pair, psn, end, left)
            }
        });
        if let Some(made) = made {
            self.compensate(now, packet, made, context, round);
        }
    }

    /// The edge sends a NACK of its own.
    #[cold]
    #[inline(never)]
    fn compensate(
        &mut self,
        now: u64,
        packet: &Packet,
        made: Compensation,
        context: &mut PartitionContext,
        round: &Round,
    ) {
        let Flow { source, send_pair, .. } = round.flows[packet.flow as usize];
        let rdma = round.model.transport.rdma().expect("queue pairs have such a transport");
        let to = Address { host: source.0, slot: send_pair };
        let (bytes, class) = (rdma.control.0 as u32, round.model.classes.control);
        let nack = packet.response(PacketKind::Nack, to, bytes, class).expecting(made.psn);
        context.reports.push(Report::NackGenerated { flow: packet.flow });
        let edge = self.edge.as_deref_mut().expect("seen above");
        let towards = edge.ports_to(packet.destination)[0] as usize;
        edge.tallies[towards].generated += 1;
        self.forward::<COUNTED_COMPARING>(now, self.ports.len() as u32, &nack, context, round);
    }

    /// An ACK or NACK from a host: returns whether it is forwarded to the sender.
    #[cold]
    #[inline(never)]
    pub fn pass_response(
        &mut self,
        now: u64,
        ingress: u32,
        packet: &Packet,
        context: &mut PartitionContext,
        round: &Round,
    ) -> bool {
        let Node { edge, ports, .. } = self;
        let edge = edge.as_deref_mut().expect("seen by the caller");
        let flow = &round.flows[packet.flow as usize];
        let position = flow.edge_pair;
        if position == u32::MAX || ingress as usize >= edge.tallies.len() {
            return true;
        }
        let is_nack = packet.kind() == PacketKind::Nack;
        let is_filtered = is_nack && !edge.is_off;
        if !is_filtered {
            edge.change(position, |themis, pair| themis.on_response(pair, packet.sequence));
            edge.tallies[ingress as usize].forwarded += u64::from(is_nack);
            return true;
        }
        let counter = edge.pairs.get_mut(position).counter as usize;
        let waiting = edge.waiting_for(flow.message.to.0, ports, now, context, round);
        let left = themis::units(edge.enqueued[counter].saturating_sub(waiting));
        let response = edge.change(position, |themis, pair| themis.on_nack(pair, packet.sequence, left));
        let tally = &mut edge.tallies[ingress as usize];
        match response {
            Filter::Forward => {
                tally.forwarded += 1;
                true
            }
            Filter::Block => {
                tally.suppressed += 1;
                context.reports.push(Report::NackSuppressed { flow: packet.flow });
                false
            }
        }
    }

    /// A port has come up or gone down.
    pub fn learn_of_own(&mut self) {
        let Some(edge) = self.edge.as_deref_mut() else { return };
        let own = edge.uplinks.iter().any(|&port| !self.ports[port as usize].is_up());
        if let Some(is_off) = edge.learn(Failures { own, ..edge.knows }) {
            self.set_spraying(is_off);
        }
    }

    /// Notifies the switch whether some link between switches has failed, where all switches that spray then fall back
    /// to ECMP.
    pub fn set_failure_known(&mut self, is_failed: bool) {
        let Some(edge) = self.edge.as_deref_mut() else { return self.set_spraying(is_failed) };
        if let Some(is_off) = edge.learn(Failures { knows_of_failure: is_failed, ..edge.knows }) {
            self.set_spraying(is_off);
        }
    }
}
