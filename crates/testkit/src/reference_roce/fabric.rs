//! Hosts, switches and links.
//!
//! Models: any graph; a port has one link; both directions of a link have the same rate and delay.
//! Leaves out: routes, failures.
//! Invariants: nodes, links and the ports of a node are numbered from 0 in the order they are added.

/// Number of a node.
pub type NodeIdx = usize;
/// Number of a port within its node.
pub type PortIdx = usize;
/// Number of a link.
pub type LinkIdx = usize;

/// Picoseconds in a second, times bits in a byte.
const BIT_PICOS: u128 = 8_000_000_000_000;

/// The transmission time of this number of bytes at a rate in bits per second, in picoseconds, rounded up.
pub(super) fn wire_time(bytes: u64, rate: u64) -> u64 {
    (u128::from(bytes) * BIT_PICOS).div_ceil(u128::from(rate)) as u64
}

/// The bytes that are sent at a rate within this number of picoseconds, including a partial one.
pub(super) fn sent_in(picos: u64, rate: u64) -> u64 {
    (u128::from(picos) * u128::from(rate)).div_ceil(BIT_PICOS) as u64
}

/// A full-duplex link.
#[derive(Clone, Debug)]
pub struct Link {
    /// Node and port of the two ends.
    pub ends: [(NodeIdx, PortIdx); 2],
    /// Rate of each direction, in bits per second.
    pub rate: u64,
    /// Propagation delay, in picoseconds.
    pub delay: u64,
}

#[derive(Clone, Debug)]
struct Node {
    is_host: bool,
    /// Link and side of each port.
    ports: Vec<(LinkIdx, usize)>,
}

/// The graph.
#[derive(Clone, Debug, Default)]
pub struct Fabric {
    nodes: Vec<Node>,
    links: Vec<Link>,
}

impl Fabric {
    /// Adds a host, which needs one link.
    pub fn add_host(&mut self) -> NodeIdx {
        self.add(true)
    }

    /// Adds a switch.
    pub fn add_switch(&mut self) -> NodeIdx {
        self.add(false)
    }

    fn add(&mut self, is_host: bool) -> NodeIdx {
        self.nodes.push(Node { is_host, ports: Vec::new() });
        self.nodes.len() - 1
    }

    /// Connects the next free port of `first` with the next free port of `second`, at a rate in bits per second and a
    /// delay in picoseconds.
    pub fn connect(&mut self, first: NodeIdx, second: NodeIdx, rate: u64, delay: u64) -> LinkIdx {
        let link = self.links.len();
        let ends = [(first, self.n_ports(first)), (second, self.n_ports(second))];
        for (side, (node, _)) in ends.iter().enumerate() {
            self.nodes[*node].ports.push((link, side));
        }
        self.links.push(Link { ends, rate, delay });
        link
    }

    /// How many nodes there are.
    pub fn n_nodes(&self) -> usize {
        self.nodes.len()
    }

    /// How many ports a node has.
    pub fn n_ports(&self, node: NodeIdx) -> usize {
        self.nodes[node].ports.len()
    }

    /// Whether a node is a host.
    pub fn is_host(&self, node: NodeIdx) -> bool {
        self.nodes[node].is_host
    }

    /// All links.
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// The number of the link at a port.
    pub fn link_idx(&self, node: NodeIdx, port: PortIdx) -> LinkIdx {
        self.nodes[node].ports[port].0
    }

    /// The link at a port.
    pub fn link(&self, node: NodeIdx, port: PortIdx) -> &Link {
        &self.links[self.link_idx(node, port)]
    }

    /// Node and port at the other end of a port's link.
    pub fn far_end(&self, node: NodeIdx, port: PortIdx) -> (NodeIdx, PortIdx) {
        let (link, side) = self.nodes[node].ports[port];
        self.links[link].ends[1 - side]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_bytes_are_rounded_up() {
        assert_eq!(wire_time(1, 8_000_000_000_000), 1);
        assert_eq!(wire_time(1, 8_000_000_000_001), 1);
        assert_eq!(wire_time(1, 7_999_999_999_999), 2);
        assert_eq!(sent_in(2 * 1_000_001, 400_000_000_000), 100_001);
    }

    #[test]
    fn the_far_end_of_a_port_is_the_other_end_of_its_link() {
        let mut fabric = Fabric::default();
        let (switch, host) = (fabric.add_switch(), fabric.add_host());
        let other = fabric.add_host();
        fabric.connect(other, switch, 1, 1);
        let link = fabric.connect(switch, host, 1, 1);
        assert_eq!((fabric.far_end(switch, 1), fabric.far_end(host, 0)), ((host, 0), (switch, 1)));
        assert_eq!((fabric.link_idx(host, 0), fabric.n_ports(switch)), (link, 2));
    }
}
