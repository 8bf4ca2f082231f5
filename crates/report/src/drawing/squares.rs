//! The squares of a drawing, each of one or more nodes, and the edges between them, each of one or more ports.
//!
//! Models: neighbouring nodes of a tier in one square, hosts below the same switches together.
//!
//! Invariants: squares depend only on the fabric and the room; a small fabric has a square for every node.

use std::collections::BTreeMap;

use netloom_records::PortRow;
use netloom_units::{NodeId, PortId};

use super::tiers::tiers;

/// Largest number of squares of a tier of switches; more could not be distinguished.
const MOST_SWITCHES: usize = 64;
/// Largest number of squares of hosts.
const MOST_HOSTS: usize = 256;
/// Largest number of edges, counting both directions; more would slow down browsers.
const MOST_EDGES: usize = 4_096;
/// Largest number of edges of all runs of a page.
const MOST_EDGES_OF_ALL: usize = 16_384;
/// Edges for which a drawing has room with any number of runs.
const LEAST_EDGES: usize = 256;

/// The drawing of a fabric.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Squares {
    /// The squares, hosts first, then tier by tier.
    pub squares: Vec<Square>,
    /// Directions between them, by the squares at their ends.
    pub edges: Vec<Edge>,
    /// The edge of each port, by port.
    pub edge_of: Vec<u32>,
    /// The square of each node, by node; absent of nodes without a link.
    pub square_of: Vec<Option<u32>>,
}

/// Neighbouring nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Square {
    /// The first of them.
    pub first: NodeId,
    /// The last of them.
    pub last: NodeId,
    /// How many.
    pub nodes: u32,
    /// Number of links to the nearest host; nodes without a path to a host are in a tier above all others.
    pub tier: u32,
}

/// All ports that send from a square to another one, or within one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge {
    /// The square they belong to.
    pub from: u32,
    /// The square they send to.
    pub to: u32,
    /// The first of them.
    pub first: PortId,
    /// How many.
    pub ports: u32,
}

impl Squares {
    /// The drawing of one of `n_runs` runs, whose first nodes are hosts.
    pub fn of(n_hosts: u32, ports: &[PortRow], n_runs: usize) -> Squares {
        let room = (MOST_EDGES_OF_ALL / n_runs.max(1)).clamp(LEAST_EDGES, MOST_EDGES);
        let nodes = Nodes::of(&tiers(n_hosts, ports), ports);
        let mut most = vec![MOST_SWITCHES; nodes.by_tier.len()];
        if let Some(hosts) = most.first_mut() {
            *hosts = MOST_HOSTS;
        }
        loop {
            let drawing = nodes.draw(&most, ports);
            let widest = (0..most.len()).max_by_key(|&tier| drawing.in_tier(tier as u32));
            let wide = widest.filter(|&tier| drawing.in_tier(tier as u32) > 1);
            match wide {
                Some(tier) if drawing.edges.len() > room => {
                    most[tier] = drawing.in_tier(tier as u32).div_ceil(2);
                }
                _ => return drawing,
            }
        }
    }

    fn in_tier(&self, tier: u32) -> usize {
        self.squares.iter().filter(|square| square.tier == tier).count()
    }

    /// Largest number of nodes in a square.
    pub fn most_nodes(&self) -> u32 {
        self.squares.iter().map(|square| square.nodes).max().unwrap_or(0)
    }
}

/// The nodes of a fabric, tier by tier, each in the order of their ids.
struct Nodes {
    by_tier: Vec<Vec<NodeId>>,
    /// For each host, the first node it is connected to.
    above: BTreeMap<NodeId, NodeId>,
    n_nodes: usize,
}

impl Nodes {
    fn of(tiers: &[Option<u32>], ports: &[PortRow]) -> Nodes {
        // Nodes without a path to a host are in a tier above all others.
        let beyond = tiers.iter().flatten().max().map_or(0, |tier| tier + 1);
        let mut by_tier: Vec<Vec<NodeId>> = vec![Vec::new(); beyond as usize + 1];
        let mut is_joined = vec![false; tiers.len()];
        for port in ports {
            is_joined[port.node.index()] = true;
        }
        for (node, tier) in tiers.iter().enumerate().filter(|(node, _)| is_joined[*node]) {
            by_tier[tier.unwrap_or(beyond) as usize].push(NodeId(node as u32));
        }
        while by_tier.last().is_some_and(Vec::is_empty) {
            by_tier.pop();
        }
        let mut above = BTreeMap::new();
        for port in ports.iter().filter(|port| tiers[port.node.index()] == Some(0)) {
            let first = above.entry(port.node).or_insert(port.peer);
            *first = (*first).min(port.peer);
        }
        Nodes { by_tier, above, n_nodes: tiers.len() }
    }

    /// The drawing with at most `most` squares in each tier, as far as hosts below different squares allow it.
    fn draw(&self, most: &[usize], ports: &[PortRow]) -> Squares {
        let mut drawing = Squares { square_of: vec![None; self.n_nodes], ..Squares::default() };
        let mut above: Vec<Vec<Square>> = Vec::new();
        // Switches first: hosts are grouped by the squares they are connected to.
        for tier in (1..self.by_tier.len()).rev() {
            let nodes = &self.by_tier[tier];
            let each = nodes.len().div_ceil(most[tier]).max(1);
            above.push(nodes.chunks(each).map(|chunk| square(chunk, tier as u32)).collect());
        }
        let leaves = above.last().map_or(&[][..], Vec::as_slice);
        let mut squares = self.hosts(leaves, most.first().copied().unwrap_or(1));
        squares.extend(above.into_iter().rev().flatten());
        for (number, square) in squares.iter().enumerate() {
            for &node in &self.by_tier[square.tier as usize] {
                if (square.first..=square.last).contains(&node) {
                    drawing.square_of[node.index()].get_or_insert(number as u32);
                }
            }
        }
        drawing.squares = squares;
        drawing.join(ports);
        drawing
    }

    /// Squares of hosts: neighbours whose first link leads to the same square.
    fn hosts(&self, leaves: &[Square], most: usize) -> Vec<Square> {
        let Some(hosts) = self.by_tier.first() else { return Vec::new() };
        let leaf = |host: &NodeId| {
            let above = self.above.get(host);
            above.and_then(|node| leaves.iter().position(|leaf| (leaf.first..=leaf.last).contains(node)))
        };
        let runs: Vec<&[NodeId]> = hosts.chunk_by(|left, right| leaf(left) == leaf(right)).collect();
        // Rails connect neighbours to different switches: then hosts are grouped by their order only.
        let room = (most / runs.len().max(1)).max(1);
        if runs.len() > most {
            let each = hosts.len().div_ceil(most);
            return hosts.chunks(each).map(|chunk| square(chunk, 0)).collect();
        }
        let cut = |run: &[NodeId]| {
            let each = run.len().div_ceil(room).max(1);
            run.chunks(each).map(|chunk| square(chunk, 0)).collect::<Vec<_>>()
        };
        runs.into_iter().flat_map(cut).collect()
    }
}

fn square(nodes: &[NodeId], tier: u32) -> Square {
    let (first, last) = (nodes[0], nodes[nodes.len() - 1]);
    Square { first, last, nodes: nodes.len() as u32, tier }
}

impl Squares {
    /// Groups ports by the squares at their ends.
    fn join(&mut self, ports: &[PortRow]) {
        let mut found: BTreeMap<(u32, u32), Edge> = BTreeMap::new();
        let ends = |port: &PortRow| {
            let at = |node: NodeId| self.square_of[node.index()].expect("a node with a port has a square");
            (at(port.node), at(port.peer))
        };
        for port in ports {
            let (from, to) = ends(port);
            let edge = found.entry((from, to)).or_insert(Edge { from, to, first: port.port, ports: 0 });
            edge.ports += 1;
        }
        let slots: BTreeMap<(u32, u32), u32> = found.keys().copied().zip(0..).collect();
        let n_ports = ports.iter().map(|port| port.port.index() + 1).max().unwrap_or(0);
        let mut edge_of = vec![u32::MAX; n_ports];
        for port in ports {
            edge_of[port.port.index()] = slots[&ends(port)];
        }
        self.edge_of = edge_of;
        self.edges = found.into_values().collect();
    }
}

#[cfg(test)]
mod tests {
    use netloom_units::{Bytes, Duration, LinkId, Rate};

    use super::*;

    /// Both directions of links between these nodes.
    fn ports(links: impl Iterator<Item = (u32, u32)>) -> Vec<PortRow> {
        let both =
            links.enumerate().flat_map(|(link, (one, other))| [(link, one, other), (link, other, one)]);
        let port = |(number, (link, node, peer)): (usize, (usize, u32, u32))| PortRow {
            port: PortId(number as u32),
            node: NodeId(node),
            index: 0,
            link: LinkId(link as u32),
            peer: NodeId(peer),
            rate: Rate(1),
            packets: 0,
            size: Bytes(0),
            busy: Duration(0),
            peak_packets: None,
            peak_size: Bytes(0).into(),
            dropped: 0,
        };
        both.enumerate().map(port).collect()
    }

    fn leaf_spine(leaves: u32, spines: u32, hosts: u32) -> (u32, Vec<PortRow>) {
        let n_hosts = leaves * hosts;
        let below = (0..n_hosts).map(move |host| (host, n_hosts + host / hosts));
        let above =
            (0..leaves * spines).map(move |pair| (n_hosts + pair / spines, n_hosts + leaves + pair % spines));
        (n_hosts, ports(below.chain(above)))
    }

    /// Every port is in one edge, whose ends are the squares of its nodes.
    fn check(drawing: &Squares, ports: &[PortRow]) {
        assert_eq!(drawing.edges.iter().map(|edge| edge.ports as usize).sum::<usize>(), ports.len());
        for port in ports {
            let edge = drawing.edges[drawing.edge_of[port.port.index()] as usize];
            assert_eq!(Some(edge.from), drawing.square_of[port.node.index()]);
            assert_eq!(Some(edge.to), drawing.square_of[port.peer.index()]);
        }
        for (number, square) in drawing.squares.iter().enumerate() {
            let inside = drawing.square_of.iter().filter(|found| **found == Some(number as u32)).count();
            assert_eq!(inside, square.nodes as usize);
        }
    }

    #[test]
    fn a_small_fabric_has_a_square_for_every_node_and_an_edge_for_every_port() {
        let (n_hosts, ports) = leaf_spine(8, 4, 4);
        let drawing = Squares::of(n_hosts, &ports, 1);
        check(&drawing, &ports);
        assert_eq!((drawing.squares.len(), drawing.edges.len()), (44, ports.len()));
        let tiers: Vec<u32> = drawing.squares.iter().map(|square| square.tier).collect();
        assert!(tiers.is_sorted() && tiers[31] == 0 && tiers[32] == 1 && tiers[40] == 2);
    }

    #[test]
    fn a_large_fabric_is_drawn_in_squares_of_neighbours_below_the_same_leaves() {
        let (n_hosts, ports) = leaf_spine(256, 32, 32);
        for n_runs in [1, 4, 100] {
            let drawing = Squares::of(n_hosts, &ports, n_runs);
            check(&drawing, &ports);
            assert!(drawing.edges.len() <= MOST_EDGES, "{} edges", drawing.edges.len());
            // No square of hosts has links to two squares of leaves.
            for (number, _) in drawing.squares.iter().enumerate().filter(|(_, square)| square.tier == 0) {
                assert_eq!(drawing.edges.iter().filter(|edge| edge.from == number as u32).count(), 1);
            }
        }
    }

    #[test]
    fn hosts_with_a_link_to_every_leaf_are_grouped_by_their_order() {
        let rails = ports((0..2_048).flat_map(|host| (0..8).map(move |rail| (host, 2_048 + rail))));
        let drawing = Squares::of(2_048, &rails, 1);
        check(&drawing, &rails);
        assert!(drawing.edges.len() <= MOST_EDGES);
    }

    #[test]
    fn switches_without_a_path_to_a_host_are_drawn_and_nodes_without_a_link_are_not() {
        // Hosts 0 and 1 are linked to switch 2, switch 3 to 4, and 6 to 7; node 5 has no link.
        let ports = ports([(0, 2), (1, 2), (3, 4), (6, 7)].into_iter());
        let drawing = Squares::of(2, &ports, 1);
        check(&drawing, &ports);
        assert_eq!(drawing.squares.len(), 7);
        assert_eq!(drawing.square_of[5], None);
        assert_eq!(Squares::of(0, &[], 1), Squares::default());
    }
}
