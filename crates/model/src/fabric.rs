//! Nodes, egress ports and links as flat arrays.
//!
//! Models: hosts and switches joined by full-duplex links; each direction of a link is one egress port.
//! Leaves out: routing, queues, names (names are derived or kept by the scenario).
//!
//! Invariants: hosts are nodes `0..n_hosts`, switches follow; the ports of a node are contiguous, in the order its
//! links were added; `ports[p].peer` is the port at the other end and its peer is `p`.

use netloom_units::{Duration, HostId, LinkId, NodeId, PortId, Rate};

/// One direction of one link: the egress port of `node`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Port {
    /// The node that sends here.
    pub node: NodeId,
    /// The port at the other end; its node receives.
    pub peer: PortId,
    /// The cable.
    pub link: LinkId,
    /// Rate of this direction.
    pub rate: Rate,
    /// Propagation delay.
    pub delay: Duration,
}

/// A cable between two ports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Link {
    /// The ports at its two ends, in the order it was added.
    pub ends: [PortId; 2],
}

/// The fabric: which nodes are joined, at what rates and delays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fabric {
    n_hosts: u32,
    first_port: Vec<u32>,
    ports: Vec<Port>,
    links: Vec<Link>,
}

impl Fabric {
    /// Changes the rate of every link in both directions, before the fabric is used.
    pub fn change_rates(&mut self, change: impl Fn(Rate) -> Rate) {
        for port in &mut self.ports {
            port.rate = change(port.rate);
        }
    }

    /// Number of hosts.
    pub fn n_hosts(&self) -> usize {
        self.n_hosts as usize
    }

    /// Number of nodes, hosts and switches together.
    pub fn n_nodes(&self) -> usize {
        self.first_port.len() - 1
    }

    /// Number of switches.
    pub fn n_switches(&self) -> usize {
        self.n_nodes() - self.n_hosts()
    }

    /// Whether a node is a host.
    #[inline]
    pub fn is_host(&self, node: NodeId) -> bool {
        node.0 < self.n_hosts
    }

    /// The node of a host.
    #[inline]
    pub fn host_node(&self, host: HostId) -> NodeId {
        NodeId(host.0)
    }

    /// All egress ports, by id.
    #[inline]
    pub fn ports(&self) -> &[Port] {
        &self.ports
    }

    /// All links, by id.
    #[inline]
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// One egress port.
    #[inline]
    pub fn port(&self, port: PortId) -> &Port {
        &self.ports[port.index()]
    }

    /// The ids of a node's ports, `start..end`.
    #[inline]
    pub fn port_range(&self, node: NodeId) -> std::ops::Range<u32> {
        self.first_port[node.index()]..self.first_port[node.index() + 1]
    }

    /// The ports of a node, in local order.
    #[inline]
    pub fn ports_of(&self, node: NodeId) -> &[Port] {
        let range = self.port_range(node);
        &self.ports[range.start as usize..range.end as usize]
    }

    /// Index of a port among its node's ports; also the in-link index of packets that arrive from its peer.
    #[inline]
    pub fn local_index(&self, port: PortId) -> u32 {
        port.0 - self.first_port[self.port(port).node.index()]
    }

    /// The node at the other end of a port's link.
    #[inline]
    pub fn neighbour(&self, port: PortId) -> NodeId {
        self.port(self.port(port).peer).node
    }

    /// By node, number of links to the nearest host: in trees the tier, with hosts at 0.
    pub fn tiers(&self) -> Vec<u32> {
        let mut tiers = vec![u32::MAX; self.n_nodes()];
        let mut queue: Vec<NodeId> = (0..self.n_hosts() as u32).map(NodeId).collect();
        tiers[..queue.len()].fill(0);
        let mut next = 0;
        while let Some(&node) = queue.get(next) {
            for end in self.neighbours(node) {
                if tiers[end.index()] == u32::MAX {
                    tiers[end.index()] = tiers[node.index()] + 1;
                    queue.push(end);
                }
            }
            next += 1;
        }
        tiers
    }

    /// The nodes at the other ends of a node's ports, in local order.
    pub fn neighbours(&self, node: NodeId) -> Vec<NodeId> {
        self.port_range(node).map(|port| self.neighbour(PortId(port))).collect()
    }
}

/// Collects links one by one, then builds flat arrays.
#[derive(Debug, Clone)]
pub struct FabricBuilder {
    n_hosts: u32,
    n_nodes: u32,
    links: Vec<Cable>,
}

#[derive(Debug, Clone, Copy)]
struct Cable {
    ends: [NodeId; 2],
    rate: Rate,
    delay: Duration,
}

impl FabricBuilder {
    /// A fabric of this many hosts and switches, without links yet.
    pub fn new(n_hosts: u32, n_switches: u32) -> FabricBuilder {
        FabricBuilder { n_hosts, n_nodes: n_hosts + n_switches, links: Vec::new() }
    }

    /// Joins two nodes; ports are numbered in the order of these calls.
    pub fn link(&mut self, from: NodeId, to: NodeId, rate: Rate, delay: Duration) -> LinkId {
        assert!(from.0 < self.n_nodes && to.0 < self.n_nodes, "link to a node that does not exist");
        self.links.push(Cable { ends: [from, to], rate, delay });
        LinkId(self.links.len() as u32 - 1)
    }

    /// Builds the fabric.
    pub fn build(self) -> Fabric {
        let first_port = self.first_ports();
        let mut next = first_port.clone();
        let mut take = |node: NodeId| {
            let port = next[node.index()];
            next[node.index()] += 1;
            PortId(port)
        };
        let mut links = Vec::with_capacity(self.links.len());
        let filler =
            Port { node: NodeId(0), peer: PortId(0), link: LinkId(0), rate: Rate(1), delay: Duration::ZERO };
        let mut ports = vec![filler; 2 * self.links.len()];
        for (number, cable) in self.links.iter().enumerate() {
            let ends = [take(cable.ends[0]), take(cable.ends[1])];
            for side in 0..2 {
                ports[ends[side].index()] = Port {
                    node: cable.ends[side],
                    peer: ends[1 - side],
                    link: LinkId(number as u32),
                    rate: cable.rate,
                    delay: cable.delay,
                };
            }
            links.push(Link { ends });
        }
        Fabric { n_hosts: self.n_hosts, first_port, ports, links }
    }

    fn first_ports(&self) -> Vec<u32> {
        let mut degree = vec![0_u32; self.n_nodes as usize];
        for node in self.links.iter().flat_map(|cable| cable.ends) {
            degree[node.index()] += 1;
        }
        let mut first = Vec::with_capacity(degree.len() + 1);
        let mut sum = 0;
        first.push(0);
        for n in degree {
            sum += n;
            first.push(sum);
        }
        first
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_are_contiguous_and_peers_mutual() {
        let mut builder = FabricBuilder::new(2, 1);
        builder.link(NodeId(0), NodeId(2), Rate(1), Duration(5));
        builder.link(NodeId(1), NodeId(2), Rate(2), Duration(6));
        builder.link(NodeId(0), NodeId(2), Rate(3), Duration(7));
        let fabric = builder.build();
        assert_eq!(fabric.port_range(NodeId(0)), 0..2);
        assert_eq!(fabric.port_range(NodeId(2)), 3..6);
        for (number, port) in fabric.ports().iter().enumerate() {
            assert_eq!(fabric.port(port.peer).peer, PortId(number as u32));
            assert_eq!(fabric.port(port.peer).rate, port.rate);
        }
        assert_eq!(fabric.local_index(fabric.links()[2].ends[1]), 2);
        assert_eq!(fabric.neighbour(PortId(0)), NodeId(2));
    }
}
