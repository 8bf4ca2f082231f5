//! Fabrics for random scenes: a star or a leaf-spine Clos, each link with a rate and a delay of its own, and the ways.
//!
//! Invariants: hosts are numbered first, then leaves, then spines; links are laid host by host, then leaf by leaf, so
//! that the ports of a leaf are those to its hosts and then those to the spines.

use netloom_testkit::referee_roce::{Fabric, Kind, NodeIdx, Packet, PortIdx, Ways};
use netloom_units::Random;

/// Rates of links in ps per byte: primes, so that streams over different links fall out of step.
const SPEEDS: [u64; 24] =
    [23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107, 109, 113, 127, 131];

/// How a switch chooses among parallel ports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// One for all packets of a queue pair.
    PerQp,
    /// For data the PSN decides.
    Spray,
}

/// A fabric and the ports of every node towards every host.
#[derive(Clone, Debug)]
pub struct Paths {
    /// How one of several ports is chosen.
    pub choice: Choice,
    /// By node and destination; empty lists at hosts.
    pub candidates: Vec<Vec<Vec<PortIdx>>>,
}

impl Ways for Paths {
    fn port(&mut self, node: NodeIdx, packet: &Packet) -> PortIdx {
        let candidates = &self.candidates[node][packet.destination];
        let sprays = self.choice == Choice::Spray && packet.kind == Kind::Data;
        let qp = packet.qp.expect("frames are not forwarded");
        let key = if sprays { packet.psn as usize } else { qp + node };
        candidates[key % candidates.len()]
    }

    /// Whatever it is, for no chance is above zero.
    fn draw(&mut self, _: NodeIdx, _: PortIdx) -> f64 {
        0.5
    }
}

/// How many of what.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    leaves: usize,
    spines: usize,
    hosts_per_leaf: usize,
    fabric_links: usize,
}

impl Shape {
    /// A star in every other scene.
    fn random(random: &mut Random) -> Shape {
        let mut upto = |most: u32| 1 + random.below(most) as usize;
        if upto(2) == 1 {
            return Shape { leaves: 1, spines: 0, hosts_per_leaf: 1 + upto(9), fabric_links: 0 };
        }
        let (leaves, spines) = [(2, 1), (2, 2), (3, 1)][upto(3) - 1];
        Shape { leaves, spines, hosts_per_leaf: upto(10 / leaves as u32), fabric_links: upto(2) }
    }

    fn n_hosts(self) -> usize {
        self.leaves * self.hosts_per_leaf
    }

    fn leaf_of(self, host: usize) -> usize {
        host / self.hosts_per_leaf
    }
}

/// A link between two nodes, of an odd rate and delay.
fn lay(fabric: &mut Fabric, speeds: &[u64], random: &mut Random, from: NodeIdx, to: NodeIdx) {
    let number = fabric.links().len();
    let speed = speeds[number % speeds.len()];
    let delay = 150_001 + u64::from(random.below(600_000));
    fabric.connect(from, to, 8_000_000_000_000_u64.div_ceil(speed), delay);
}

/// A random fabric and its ways.
pub fn random(random: &mut Random) -> (Fabric, Paths) {
    let shape = Shape::random(random);
    let mut speeds = SPEEDS.to_vec();
    random.shuffle(&mut speeds);
    let mut fabric = Fabric::default();
    (0..shape.n_hosts()).for_each(|_| _ = fabric.add_host());
    (0..shape.leaves + shape.spines).for_each(|_| _ = fabric.add_switch());
    for host in 0..shape.n_hosts() {
        lay(&mut fabric, &speeds, random, host, shape.n_hosts() + shape.leaf_of(host));
    }
    for leaf in 0..shape.leaves {
        for spine in 0..shape.spines * shape.fabric_links {
            let spine = shape.n_hosts() + shape.leaves + spine / shape.fabric_links;
            lay(&mut fabric, &speeds, random, shape.n_hosts() + leaf, spine);
        }
    }
    let choice = if random.below(3) == 0 { Choice::Spray } else { Choice::PerQp };
    let candidates = (0..fabric.n_nodes()).map(|node| towards_hosts(shape, node)).collect();
    (fabric, Paths { choice, candidates })
}

/// The ports of a node towards each host.
fn towards_hosts(shape: Shape, node: NodeIdx) -> Vec<Vec<PortIdx>> {
    let ports = |host: usize| match node.checked_sub(shape.n_hosts()) {
        None => Vec::new(),
        Some(leaf) if leaf == shape.leaf_of(host) => vec![host % shape.hosts_per_leaf],
        Some(leaf) if leaf < shape.leaves => {
            let n_uplinks = shape.spines * shape.fabric_links;
            (shape.hosts_per_leaf..shape.hosts_per_leaf + n_uplinks).collect()
        }
        Some(_) => {
            let first = shape.leaf_of(host) * shape.fabric_links;
            (first..first + shape.fabric_links).collect()
        }
    };
    (0..shape.n_hosts()).map(ports).collect()
}
