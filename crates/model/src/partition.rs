//! Partitioning: which nodes are advanced together, and the lookahead between partitions.
//!
//! Models: a partition is one or more nodes with one local event order; the lookahead is the smallest propagation delay
//! between two partitions.
//! Leaves out: threads; partitions depend on the fabric alone.
//!
//! The rule (a design choice): links without delay never separate two partitions. Short links are placed inside a
//! partition if that at least doubles the lookahead and no partition then holds more than a quarter of all ports.
//!
//! Invariants: every link between two partitions is at least as long as the lookahead, which is not zero.

use netloom_units::{Duration, NodeId};

use crate::fabric::Fabric;

/// The assignment of nodes to partitions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Partitions {
    of_node: Vec<u32>,
    count: u32,
    lookahead: Option<Duration>,
}

impl Partitions {
    /// The partitions of a fabric.
    pub fn of(fabric: &Fabric) -> Partitions {
        let mut delays: Vec<Duration> = fabric.ports().iter().map(|port| port.delay).collect();
        delays.sort_unstable();
        delays.dedup();
        delays.retain(|&delay| delay > Duration::ZERO);
        let Some(&shortest) = delays.first() else { return Partitions::joined_below(fabric, Duration(1)) };
        let mut best = Partitions::joined_below(fabric, shortest);
        let mut lookahead = shortest;
        for &delay in &delays[1..] {
            // Shares only grow with the delay: where a skipped delay would break off, the next one does as well.
            if delay.0 / 2 < lookahead.0 {
                continue;
            }
            let coarser = Partitions::joined_below(fabric, delay);
            if coarser.largest_share(fabric) > 0.25 || coarser.count == 1 {
                break;
            }
            best = coarser;
            lookahead = delay;
        }
        best
    }

    /// Joins neighbouring partitions `factor` by `factor`: for tests, since results must not change.
    #[must_use]
    pub fn coarser(&self, fabric: &Fabric, factor: u32) -> Partitions {
        let of_node = self.of_node.iter().map(|&number| number / factor).collect();
        Partitions::numbered(fabric, of_node)
    }

    /// All nodes joined by links shorter than `limit`.
    fn joined_below(fabric: &Fabric, limit: Duration) -> Partitions {
        let mut parent: Vec<u32> = (0..fabric.n_nodes() as u32).collect();
        for port in fabric.ports().iter().filter(|port| port.delay < limit) {
            let a = root(&mut parent, port.node.0);
            let b = root(&mut parent, fabric.port(port.peer).node.0);
            parent[a.max(b) as usize] = a.min(b);
        }
        let roots = (0..parent.len() as u32).map(|node| root(&mut parent, node)).collect();
        Partitions::numbered(fabric, roots)
    }

    /// Numbers partitions by their first node, given any label per node.
    fn numbered(fabric: &Fabric, labels: Vec<u32>) -> Partitions {
        let mut number_of_label = vec![u32::MAX; labels.len()];
        let mut n_partitions = 0;
        let mut of_node = labels;
        for label in &mut of_node {
            let number = &mut number_of_label[*label as usize];
            if *number == u32::MAX {
                *number = n_partitions;
                n_partitions += 1;
            }
            *label = *number;
        }
        let between = |port: &&crate::fabric::Port| {
            of_node[port.node.index()] != of_node[fabric.port(port.peer).node.index()]
        };
        let lookahead = fabric.ports().iter().filter(between).map(|port| port.delay).min();
        Partitions { of_node, count: n_partitions, lookahead }
    }

    fn largest_share(&self, fabric: &Fabric) -> f64 {
        let mut n_ports = vec![0_usize; self.n_partitions()];
        for (node, &partition) in self.of_node.iter().enumerate() {
            n_ports[partition as usize] += fabric.ports_of(NodeId(node as u32)).len();
        }
        let largest = n_ports.into_iter().max().unwrap_or(0);
        largest as f64 / fabric.ports().len().max(1) as f64
    }

    /// The partition of a node.
    pub fn of_node(&self, node: NodeId) -> u32 {
        self.of_node[node.index()]
    }

    /// Number of partitions.
    pub fn n_partitions(&self) -> usize {
        self.count as usize
    }

    /// The smallest delay between two partitions; `None` where there is only one.
    pub fn lookahead(&self) -> Option<Duration> {
        self.lookahead
    }
}

/// The representative of a node's set, with path halving.
fn root(parent: &mut [u32], mut node: u32) -> u32 {
    while parent[node as usize] != node {
        parent[node as usize] = parent[parent[node as usize] as usize];
        node = parent[node as usize];
    }
    node
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabric::FabricBuilder;
    use netloom_units::Rate;

    /// Two hosts per leaf on links of one delay, leaves joined to one spine by links of another.
    fn tree(n_leaves: u32, host_delay: u64, fabric_delay: u64) -> Fabric {
        let n_hosts = 2 * n_leaves;
        let mut builder = FabricBuilder::new(n_hosts, n_leaves + 1);
        for host in 0..n_hosts {
            let leaf = NodeId(n_hosts + host / 2);
            builder.link(NodeId(host), leaf, Rate(1), Duration(host_delay));
        }
        for leaf in 0..n_leaves {
            let spine = NodeId(n_hosts + n_leaves);
            builder.link(NodeId(n_hosts + leaf), spine, Rate(1), Duration(fabric_delay));
        }
        builder.build()
    }

    #[test]
    fn equal_delays_give_one_partition_per_node() {
        let partitions = Partitions::of(&tree(8, 1000, 1000));
        assert_eq!(partitions.n_partitions(), 25);
        assert_eq!(partitions.lookahead(), Some(Duration(1000)));
    }

    #[test]
    fn hosts_with_short_links_share_the_partition_of_their_switch() {
        let partitions = Partitions::of(&tree(8, 10, 1000));
        assert_eq!(partitions.n_partitions(), 9);
        assert_eq!(partitions.lookahead(), Some(Duration(1000)));
        assert_eq!(partitions.of_node(NodeId(1)), partitions.of_node(NodeId(16)));
    }

    #[test]
    fn partitions_are_not_merged_into_one() {
        let partitions = Partitions::of(&tree(2, 10, 1000));
        assert_eq!(partitions.lookahead(), Some(Duration(10)));
    }

    #[test]
    fn nodes_at_zero_delay_share_a_partition() {
        let partitions = Partitions::of(&tree(8, 0, 0));
        assert_eq!(partitions.n_partitions(), 1);
        assert_eq!(partitions.lookahead(), None);
        let partitions = Partitions::of(&tree(8, 0, 5));
        assert_eq!((partitions.n_partitions(), partitions.lookahead()), (9, Some(Duration(5))));
    }
}
