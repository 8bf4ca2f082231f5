//! The scalable unit: a two-tier fabric with parallel links everywhere, its names, routes and failures.
//!
//! Models: leaves with servers below and spines above, each pair joined by several links of its own.
//! Leaves out: more than one unit.
//! Invariants: nodes are hosts (leaf-major), leaves, spines. Links are created in the order in which failures are
//! sampled: host links by leaf, server, NIC, then fabric links by leaf, spine, number. That order also numbers the
//! ports.
//! Source: specification of the seed simulator, sections 2, 5 and 6.

use super::config::Topology;
use crate::reference::{Fabric, LinkIdx, NodeIdx, PortIdx, Twister};

/// Propagation delay of every link, in seconds.
const LINK_DELAY_S: f64 = 1e-6;

/// The fabric with the names of its parts.
#[derive(Clone, Debug)]
pub struct ScalableUnit {
    /// Nodes, links, routes.
    pub fabric: Fabric,
    /// Name of each node.
    pub node_names: Vec<String>,
    /// Address of each host, by node.
    pub addresses: Vec<String>,
    /// Name of each link.
    pub link_names: Vec<String>,
    /// Number of hosts; they are the first nodes.
    pub n_hosts: usize,
    servers_per_leaf: usize,
    leaves: Vec<NodeIdx>,
    spines: Vec<NodeIdx>,
}

/// One port, as listed in results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Port {
    /// The node's name.
    pub node: String,
    /// The port's number, from 1.
    pub number: usize,
    /// The link's name.
    pub link: String,
    /// Whether the link is down.
    pub link_failed: bool,
    /// The longest queue seen, in packets.
    pub peak: usize,
}

impl ScalableUnit {
    /// Builds nodes and links, samples failures from `twister` (not at all if their probability is zero), installs
    /// routes.
    pub fn new(topology: &Topology, twister: &mut Twister) -> Self {
        let mut unit = Self::with_nodes(topology);
        unit.connect_servers(topology);
        unit.connect_spines(topology);
        unit.draw_failures(topology.links.failure_percent, twister);
        unit.route_all();
        unit
    }

    fn with_nodes(topology: &Topology) -> Self {
        let size = &topology.ai_factory_su;
        let mut fabric = Fabric::default();
        let (mut node_names, mut addresses) = (Vec::new(), Vec::new());
        for leaf in 0..size.leaves {
            for server in 0..size.servers_per_leaf {
                fabric.add_host();
                node_names.push(format!("su1_leaf{leaf}_srv{server}"));
                addresses.push(format!("10.1.{}.{}", leaf + 1, server + 1));
            }
        }
        let n_hosts = fabric.n_nodes();
        node_names.extend((0..size.leaves).map(|leaf| format!("su1_leaf{leaf}")));
        node_names.extend((0..size.spines).map(|spine| format!("su1_spine{spine}")));
        let leaves = (0..size.leaves).map(|_| fabric.add_switch()).collect();
        let spines = (0..size.spines).map(|_| fabric.add_switch()).collect();
        let servers_per_leaf = size.servers_per_leaf;
        ScalableUnit {
            fabric,
            node_names,
            addresses,
            link_names: Vec::new(),
            n_hosts,
            servers_per_leaf,
            leaves,
            spines,
        }
    }

    fn connect_servers(&mut self, topology: &Topology) {
        let rate_bps = topology.links.bandwidth_bps.server_to_leaf;
        for host in 0..self.n_hosts {
            let (leaf, server) = (self.leaf_of(host), host % self.servers_per_leaf);
            for nic in 0..topology.ai_factory_su.server_parallel_links {
                self.fabric.connect(host, self.leaves[leaf], rate_bps, LINK_DELAY_S);
                self.link_names.push(format!("su1_l_leaf{leaf}_srv{server}_nic{nic}"));
            }
        }
    }

    fn connect_spines(&mut self, topology: &Topology) {
        let rate_bps = topology.links.bandwidth_bps.leaf_to_spine;
        for (leaf, &leaf_node) in self.leaves.iter().enumerate() {
            for (spine, &spine_node) in self.spines.iter().enumerate() {
                for number in 0..topology.ai_factory_su.leaf_to_spine_parallel_links {
                    self.fabric.connect(leaf_node, spine_node, rate_bps, LINK_DELAY_S);
                    self.link_names.push(format!("su1_l_leaf{leaf}_spine{spine}_{number}"));
                }
            }
        }
    }

    fn draw_failures(&mut self, percent: f64, twister: &mut Twister) {
        if percent <= 0.0 {
            return;
        }
        for link in 0..self.link_names.len() {
            if twister.uniform() < percent / 100.0 {
                self.fabric.fail(link);
            }
        }
    }

    fn route_all(&mut self) {
        for dst in 0..self.n_hosts {
            let dst_leaf = self.leaves[self.leaf_of(dst)];
            for host in (0..self.n_hosts).filter(|&host| host != dst) {
                self.fabric.set_route(host, dst, (0..self.fabric.n_ports(host)).collect());
            }
            for spine in self.spines.clone() {
                self.fabric.set_route(spine, dst, self.ports_towards(spine, |peer| peer == dst_leaf));
            }
            for leaf in self.leaves.clone() {
                let ports = if leaf == dst_leaf { self.ports_down(leaf, dst) } else { self.ports_up(leaf) };
                self.fabric.set_route(leaf, dst, ports);
            }
        }
    }

    /// The ports to a server of this leaf; those to all of its servers if none of them is alive.
    fn ports_down(&self, leaf: NodeIdx, dst: NodeIdx) -> Vec<PortIdx> {
        let direct = self.ports_towards(leaf, |peer| peer == dst);
        let alive = direct.iter().any(|&port| !self.is_failed(self.fabric.link_idx(leaf, port)));
        if alive { direct } else { self.ports_towards(leaf, |peer| peer < self.n_hosts) }
    }

    fn ports_up(&self, leaf: NodeIdx) -> Vec<PortIdx> {
        self.ports_towards(leaf, |peer| peer >= self.n_hosts)
    }

    fn ports_towards(&self, node: NodeIdx, wanted: impl Fn(NodeIdx) -> bool) -> Vec<PortIdx> {
        (0..self.fabric.n_ports(node)).filter(|&port| wanted(self.fabric.neighbour(node, port))).collect()
    }

    /// Number of the leaf above a host.
    pub fn leaf_of(&self, host: NodeIdx) -> usize {
        host / self.servers_per_leaf
    }

    /// Number of the server under its leaf.
    pub fn server_of(&self, host: NodeIdx) -> usize {
        host % self.servers_per_leaf
    }

    /// How many servers a leaf has.
    pub fn servers_per_leaf(&self) -> usize {
        self.servers_per_leaf
    }

    /// The host of this name.
    pub fn host_named(&self, name: &str) -> Option<NodeIdx> {
        self.node_names[..self.n_hosts].iter().position(|known| known == name)
    }

    /// Whether a link is down.
    pub fn is_failed(&self, link: LinkIdx) -> bool {
        self.fabric.links()[link].failed
    }

    /// Number of links that are down.
    pub fn n_failed_links(&self) -> usize {
        self.fabric.links().iter().filter(|link| link.failed).count()
    }

    /// Number of switches with at least one link down.
    pub fn n_affected_switches(&self) -> usize {
        (self.n_hosts..self.fabric.n_nodes())
            .filter(|&node| {
                (0..self.fabric.n_ports(node)).any(|port| self.is_failed(self.fabric.link_idx(node, port)))
            })
            .count()
    }

    /// All ports with these peaks, node by node.
    pub(super) fn list_ports(&self, peaks: &[Vec<usize>]) -> Vec<Port> {
        let mut ports = Vec::new();
        for (node, name) in self.node_names.iter().enumerate() {
            for (port, &peak) in peaks[node].iter().enumerate() {
                let link = self.fabric.link_idx(node, port);
                let (link, link_failed) = (self.link_names[link].clone(), self.is_failed(link));
                ports.push(Port { node: name.clone(), number: port + 1, link, link_failed, peak });
            }
        }
        ports
    }
}
