//! The fabric: hosts, switches, links and, per node and destination, the list of candidate ports.
//!
//! Models: any graph; a port has one link; both directions of a link have the same rate and delay; static
//! failures.
//! Leaves out: how routes are found (the caller installs them) and failures during a run.
//! Invariants: ports of a node are numbered from 0 in the order its links were connected; candidates keep the
//! order in which they were installed, without the ports whose link has failed.
//! Source: specification of the seed simulator, sections 2, 5 and 6.

use std::collections::BTreeMap;

/// Number of a node, in the order of creation.
pub type NodeIdx = usize;
/// Number of a port within its node, from 0.
pub type PortIdx = usize;
/// Number of a link, in the order of creation.
pub type LinkIdx = usize;

/// What a node does with a packet that reaches it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// Consumes it.
    Host,
    /// Forwards it.
    Switch,
}

/// A full-duplex link.
#[derive(Clone, Debug)]
pub struct Link {
    /// The two ends, as node and port: side 0 is the first node given to [`Fabric::connect`].
    pub ends: [(NodeIdx, PortIdx); 2],
    /// Rate of each direction, in bits per second.
    pub rate_bps: f64,
    /// Propagation delay, in seconds.
    pub delay_s: f64,
    /// Whether the link is down for the whole run.
    pub failed: bool,
}

#[derive(Clone, Debug)]
struct Node {
    kind: NodeKind,
    /// Link and side of each port.
    ports: Vec<(LinkIdx, usize)>,
    routes: BTreeMap<NodeIdx, Vec<PortIdx>>,
}

/// The graph and its routes.
#[derive(Clone, Debug, Default)]
pub struct Fabric {
    nodes: Vec<Node>,
    links: Vec<Link>,
}

impl Fabric {
    /// Adds a host without ports.
    pub fn add_host(&mut self) -> NodeIdx {
        self.add(NodeKind::Host)
    }

    /// Adds a switch without ports.
    pub fn add_switch(&mut self) -> NodeIdx {
        self.add(NodeKind::Switch)
    }

    fn add(&mut self, kind: NodeKind) -> NodeIdx {
        self.nodes.push(Node { kind, ports: Vec::new(), routes: BTreeMap::new() });
        self.nodes.len() - 1
    }

    /// Connects the next free port of `first` with the next free port of `second`.
    pub fn connect(&mut self, first: NodeIdx, second: NodeIdx, rate_bps: f64, delay_s: f64) -> LinkIdx {
        let link = self.links.len();
        let ends = [(first, self.n_ports(first)), (second, self.n_ports(second))];
        for (side, (node, _)) in ends.iter().enumerate() {
            self.nodes[*node].ports.push((link, side));
        }
        self.links.push(Link { ends, rate_bps, delay_s, failed: false });
        link
    }

    /// Takes a link down: both its ports are removed from all candidate lists.
    pub fn fail(&mut self, link: LinkIdx) {
        self.links[link].failed = true;
    }

    /// Installs the candidate ports of `node` towards the host `dst`, in order, in place of earlier ones.
    pub fn set_route(&mut self, node: NodeIdx, dst: NodeIdx, ports: Vec<PortIdx>) {
        assert!(
            ports.iter().all(|&port| port < self.n_ports(node)),
            "node {node} has not all of the ports {ports:?}"
        );
        self.nodes[node].routes.insert(dst, ports);
    }

    /// The live candidate ports of `node` towards `dst`; empty without a route.
    pub fn candidates(&self, node: NodeIdx, dst: NodeIdx) -> Vec<PortIdx> {
        let installed = self.nodes[node].routes.get(&dst).map_or(&[][..], Vec::as_slice);
        installed.iter().copied().filter(|&port| !self.link_at(node, port).failed).collect()
    }

    /// How many nodes there are.
    pub fn n_nodes(&self) -> usize {
        self.nodes.len()
    }

    /// How many ports a node has.
    pub fn n_ports(&self, node: NodeIdx) -> usize {
        self.nodes[node].ports.len()
    }

    /// What a node is.
    pub fn kind(&self, node: NodeIdx) -> NodeKind {
        self.nodes[node].kind
    }

    /// All links, in the order of creation.
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// The link that a port leads to.
    pub fn link_idx(&self, node: NodeIdx, port: PortIdx) -> LinkIdx {
        self.nodes[node].ports[port].0
    }

    /// The node at the other end of a port's link.
    pub fn neighbour(&self, node: NodeIdx, port: PortIdx) -> NodeIdx {
        let (link, side) = self.nodes[node].ports[port];
        self.links[link].ends[1 - side].0
    }

    fn link_at(&self, node: NodeIdx, port: PortIdx) -> &Link {
        &self.links[self.link_idx(node, port)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn candidates_keep_their_order_and_lose_failed_links() {
        let mut fabric = Fabric::default();
        let (switch, host) = (fabric.add_switch(), fabric.add_host());
        let links: Vec<_> = (0..3).map(|_| fabric.connect(switch, host, 1e9, 0.0)).collect();
        fabric.set_route(switch, host, vec![2, 0, 1]);
        fabric.fail(links[0]);
        assert_eq!(fabric.candidates(switch, host), [2, 1]);
        assert!(fabric.candidates(host, switch).is_empty());
        assert_eq!(fabric.neighbour(switch, 2), host);
    }
}
