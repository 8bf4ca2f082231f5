//! The longest of the shortest paths of a fabric, in time.
//!
//! Leaves out: queues, and which path a policy takes.

use netloom_catalog::Built;
use netloom_catalog::placement::hosts_by_leaf;
use netloom_model::Port;
use netloom_units::{Bytes, HostId, NodeId, PortId, Rate};

pub(super) const PS_PER_BYTE_AT_1BPS: u128 = 8_000_000_000_000;
/// Up to this number of racks all pairs are checked; above it, the paths of the first one.
const MOST_RACKS: usize = 512;

/// Time that a packet takes over the longest of the shortest paths between hosts, in ps, with extra latency at each
/// link; of parallel links the slowest.
pub(super) fn longest_path(built: &Built, packet: Bytes, latency: u64) -> u64 {
    let racks = hosts_by_leaf(&built.fabric);
    // One host represents its rack, and a second one is for the path within it.
    let ends: Vec<HostId> = racks.iter().flat_map(|rack| rack.iter().take(2).copied()).collect();
    let n_starts = if racks.len() <= MOST_RACKS { ends.len() } else { 1 };
    let mut paths = Paths::new(built, packet, latency);
    let longest = ends.iter().map(|&end| paths.longest(&ends[..n_starts], end)).max().unwrap_or(0);
    // No path is longer than the detour via the first host.
    if n_starts == ends.len() { longest } else { longest.saturating_mul(2) }
}

/// Times of a packet over shortest paths to one host at a time, in ps.
struct Paths<'a> {
    built: &'a Built,
    /// By port: a packet's time on the wire, the link's delay and the extra latency.
    costs: Vec<u64>,
    /// By node: time from it to the host, if known; paths from different starts have most of their nodes in common.
    times: Vec<Option<u64>>,
    /// The nodes whose times are known.
    known: Vec<NodeId>,
}

impl Paths<'_> {
    fn new(built: &Built, packet: Bytes, latency: u64) -> Paths<'_> {
        // A time beyond the clock is reported elsewhere, with the links that cause it.
        let on_wire =
            |rate: Rate| (u128::from(packet.0) * PS_PER_BYTE_AT_1BPS).div_ceil(rate.0.max(1).into());
        let cost = |port: &Port| {
            let span = on_wire(port.rate) + u128::from(port.delay.0) + u128::from(latency);
            u64::try_from(span).unwrap_or(u64::MAX)
        };
        let costs = built.fabric.ports().iter().map(cost).collect();
        Paths { built, costs, times: vec![None; built.fabric.n_nodes()], known: Vec::new() }
    }

    /// The longest of the paths from some hosts to one.
    fn longest(&mut self, starts: &[HostId], end: HostId) -> u64 {
        self.learn(self.built.fabric.host_node(end), 0);
        let longest = starts.iter().map(|&start| self.time(start, end)).max().unwrap_or(0);
        for node in self.known.drain(..) {
            self.times[node.0 as usize] = None;
        }
        longest
    }

    fn time(&mut self, start: HostId, end: HostId) -> u64 {
        let mut node = self.built.fabric.host_node(start);
        let mut walked = Vec::new();
        // A shortest path has fewer links than there are nodes.
        while self.times[node.0 as usize].is_none() && walked.len() < self.times.len() {
            let Some((cost, next)) = self.slowest_link(node, end) else { break };
            walked.push((node, cost));
            node = next;
        }
        let mut time = self.times[node.0 as usize].unwrap_or(0);
        for (node, cost) in walked.into_iter().rev() {
            time = time.saturating_add(cost);
            self.learn(node, time);
        }
        time
    }

    fn slowest_link(&self, node: NodeId, end: HostId) -> Option<(u64, NodeId)> {
        let fabric = &self.built.fabric;
        let first = fabric.port_range(node).start;
        let hops = self.built.routing.next_hops(node, end);
        let ports = hops.iter().map(|hop| PortId(first + hop));
        let slowest = ports.max_by_key(|port| self.costs[port.0 as usize])?;
        Some((self.costs[slowest.0 as usize], fabric.neighbour(slowest)))
    }

    fn learn(&mut self, node: NodeId, time: u64) {
        self.times[node.0 as usize] = Some(time);
        self.known.push(node);
    }
}
