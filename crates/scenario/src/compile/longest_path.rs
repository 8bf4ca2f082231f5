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

#[cfg(test)]
mod tests {
    use super::*;
    use netloom_catalog::topology::custom::{self, Bundle, Graph};
    use netloom_units::{Duration, Random};

    /// A random tree of switches with further links, two hosts at each; of parallel links some are slower.
    fn random_fabric(random: &mut Random) -> Built {
        let n_switches = 2 + random.below(8);
        let mut links = Vec::new();
        let mut link = |from: String, to: String, random: &mut Random, count| {
            let rate = Rate(u64::from(1 + random.below(4)) * 100_000_000_000);
            let delay = Duration(u64::from(random.below(1_000)) * 1_000);
            links.push(Bundle { from, to, rate, delay, count });
        };
        for switch in 0..n_switches {
            for host in 0..2 {
                link(format!("host{switch}_{host}"), format!("switch{switch}"), random, 1);
            }
            if switch > 0 {
                for _ in 0..=random.below(2) {
                    let other = random.below(switch);
                    let count = 1 + random.below(2);
                    link(format!("switch{switch}"), format!("switch{other}"), random, count);
                }
            }
        }
        let hosts = (0..n_switches).flat_map(|switch| (0..2).map(move |host| format!("host{switch}_{host}")));
        let switches = (0..n_switches).map(|switch| format!("switch{switch}"));
        custom::build(&Graph { hosts: hosts.collect(), switches: switches.collect(), links })
            .expect("it is valid")
    }

    /// Time of one path, link by link.
    fn time_of_path(built: &Built, (from, to): (u32, u32), packet: Bytes, latency: u64) -> u64 {
        let Built { fabric, routing, .. } = built;
        let (mut node, mut time) = (fabric.host_node(HostId(from)), 0);
        while node != fabric.host_node(HostId(to)) {
            let ports = fabric.ports_of(node);
            let time_of_link = |port: &&Port| port.rate.serialization(packet).0 + port.delay.0 + latency;
            let hops = routing.next_hops(node, HostId(to));
            let slowest =
                hops.iter().map(|hop| &ports[hop as usize]).max_by_key(time_of_link).expect("it reaches");
            time += time_of_link(&slowest);
            node = fabric.port(slowest.peer).node;
        }
        time
    }

    #[test]
    fn the_longest_path_is_that_of_the_slowest_pair_of_hosts() {
        let mut random = Random::stream(1, 2, 3);
        for _ in 0..100 {
            let built = random_fabric(&mut random);
            let (packet, latency) =
                (Bytes(64 + u64::from(random.below(9_000))), u64::from(random.below(500_000)));
            let n_hosts = built.fabric.n_hosts() as u32;
            let pairs = (0..n_hosts).flat_map(|from| (0..n_hosts).map(move |to| (from, to)));
            let longest = pairs.map(|pair| time_of_path(&built, pair, packet, latency)).max();
            assert_eq!(Some(longest_path(&built, packet, latency)), longest);
        }
    }
}
