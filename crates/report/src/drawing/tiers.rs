//! Distance of nodes from hosts.

use std::collections::VecDeque;

use netloom_records::PortRow;
use netloom_units::NodeId;

/// Number of links from each node to the nearest host, by node; hosts are the first nodes. Absent for nodes without a
/// path to a host.
pub fn tiers(n_hosts: u32, ports: &[PortRow]) -> Vec<Option<u32>> {
    let n_nodes = ports.iter().map(|port| port.node.index().max(port.peer.index()) + 1).max().unwrap_or(0);
    let mut neighbours: Vec<Vec<NodeId>> = vec![Vec::new(); n_nodes];
    for port in ports {
        neighbours[port.node.index()].push(port.peer);
    }
    let mut found = vec![None; n_nodes];
    let mut ahead = VecDeque::new();
    for port in ports {
        if port.node.0 < n_hosts && found[port.node.index()].is_none() {
            found[port.node.index()] = Some(0);
            ahead.push_back((port.node, 0));
        }
    }
    while let Some((node, tier)) = ahead.pop_front() {
        for &peer in &neighbours[node.index()] {
            if found[peer.index()].is_none() {
                found[peer.index()] = Some(tier + 1);
                ahead.push_back((peer, tier + 1));
            }
        }
    }
    found
}
