//! Fabrics for random scenes: a star, a leaf-spine Clos or a chain of switches, rates and delays, and the paths.
//!
//! Invariants: hosts are numbered first, then leaves, then spines; links are added host by host, then leaf by leaf, so
//! that the ports of a leaf are those to its hosts and then those to the spines.

use std::collections::{BTreeMap, VecDeque};

use netloom_testkit::reference_roce::{Decision, Fabric, Kind, NodeIdx, PathChoice, PortIdx};
use netloom_units::Random;

/// Rates of links in ps per byte: primes, so that streams over different links do not stay in step.
const SPEEDS: [u64; 24] =
    [23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107, 109, 113, 127, 131];

/// How a switch chooses among parallel ports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// One for all packets of a queue pair.
    PerQp,
    /// By the PSN for data.
    Spray,
    /// The packets of each in-link in turn.
    RoundRobin,
    /// The one with the least queued bytes, the first of several.
    Adaptive,
}

/// A fabric and the ports of every node towards every host.
#[derive(Clone, Debug)]
pub struct Paths {
    /// How one of several ports is chosen.
    pub choice: Choice,
    /// By node and destination; empty lists at hosts.
    pub candidates: Vec<Vec<Vec<PortIdx>>>,
    /// By node and in-link: number of packets that had a choice.
    turns: BTreeMap<(NodeIdx, PortIdx), usize>,
}

impl PathChoice for Paths {
    fn port(&mut self, decision: &Decision<'_>) -> PortIdx {
        let packet = decision.packet;
        let candidates = &self.candidates[decision.node][packet.destination];
        if let [only] = candidates[..] {
            return only;
        }
        let qp = packet.qp.expect("frames are not forwarded");
        let key = match self.choice {
            Choice::Spray if packet.kind == Kind::Data => packet.psn as usize,
            Choice::PerQp | Choice::Spray => qp + decision.node,
            Choice::RoundRobin => {
                let turn = self.turns.entry((decision.node, decision.ingress)).or_default();
                *turn += 1;
                *turn
            }
            Choice::Adaptive => {
                let waiting = |&index: &usize| decision.waiting[candidates[index]];
                (0..candidates.len()).min_by_key(waiting).expect("there is always a path")
            }
        };
        candidates[key % candidates.len()]
    }

    /// Any number, since no marking probability is above zero.
    fn draw(&mut self, _: NodeIdx, _: PortIdx) -> f64 {
        0.5
    }
}

/// The numbers of nodes and links.
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

/// Rates and delays of links, in the order in which they are added.
struct Cables {
    /// ps per byte, repeated cyclically.
    speeds: Vec<u64>,
    /// The least delay in ps, and the number of ps that may be added at random.
    delay: (u64, u32),
}

impl Cables {
    /// Of odd rates and delays.
    fn odd(random: &mut Random) -> Cables {
        let mut speeds = SPEEDS.to_vec();
        random.shuffle(&mut speeds);
        Cables { speeds, delay: (150_001, 600_000) }
    }

    /// Few rates, and often equal delays or none, so that many events are simultaneous. A byte takes a whole number of
    /// ps.
    fn even(random: &mut Random) -> Cables {
        let even: [&[u64]; 4] = [&[80], &[80, 40], &[160, 80, 80, 20, 40], &[80, 80, 80, 80, 80, 20]];
        let speeds = even[random.below(4) as usize].to_vec();
        let delay = [(300_000, 1), (0, 1), (150_001, 600_000)][random.below(3) as usize];
        Cables { speeds, delay }
    }

    /// A link between two nodes.
    fn lay(&self, fabric: &mut Fabric, random: &mut Random, from: NodeIdx, to: NodeIdx) {
        let speed = self.speeds[fabric.links().len() % self.speeds.len()];
        let delay = self.delay.0 + u64::from(random.below(self.delay.1));
        fabric.connect(from, to, 8_000_000_000_000_u64.div_ceil(speed), delay);
    }
}

/// A random fabric and its paths.
pub fn random(random: &mut Random) -> (Fabric, Paths) {
    let shape = Shape::random(random);
    let fabric = clos(shape, &Cables::odd(random), random);
    let choice = if random.below(3) == 0 { Choice::Spray } else { Choice::PerQp };
    let paths = paths(&fabric, choice);
    (fabric, paths)
}

/// The same for switches with a defined order of all events of an instant, chains among them. Adaptive choices use even
/// links only: on odd ones a byte takes no whole number of ps, and no rule defines when it counts as sent.
pub fn even_or_odd(random: &mut Random) -> (Fabric, Paths) {
    let choices = [Choice::PerQp, Choice::Spray, Choice::RoundRobin, Choice::Adaptive];
    let choice = choices[random.below(4) as usize];
    let is_odd = choice != Choice::Adaptive && random.below(3) == 0;
    let cables = if is_odd { Cables::odd(random) } else { Cables::even(random) };
    let fabric = match random.below(3) {
        0 => chain(&cables, random),
        _ => clos(Shape::random(random), &cables, random),
    };
    let paths = paths(&fabric, choice);
    (fabric, paths)
}

fn clos(shape: Shape, cables: &Cables, random: &mut Random) -> Fabric {
    let mut fabric = Fabric::default();
    (0..shape.n_hosts()).for_each(|_| _ = fabric.add_host());
    (0..shape.leaves + shape.spines).for_each(|_| _ = fabric.add_switch());
    for host in 0..shape.n_hosts() {
        cables.lay(&mut fabric, random, host, shape.n_hosts() + shape.leaf_of(host));
    }
    for leaf in 0..shape.leaves {
        for spine in 0..shape.spines * shape.fabric_links {
            let spine = shape.n_hosts() + shape.leaves + spine / shape.fabric_links;
            cables.lay(&mut fabric, random, shape.n_hosts() + leaf, spine);
        }
    }
    fabric
}

/// Two to four switches in a row, some hosts at each, one or two links between neighbours.
fn chain(cables: &Cables, random: &mut Random) -> Fabric {
    let mut upto = |most: u32| 1 + random.below(most) as usize;
    let (n_switches, hosts_each, n_parallel) = (1 + upto(3), upto(2), upto(2));
    let n_hosts = n_switches * hosts_each;
    let mut fabric = Fabric::default();
    (0..n_hosts).for_each(|_| _ = fabric.add_host());
    (0..n_switches).for_each(|_| _ = fabric.add_switch());
    for host in 0..n_hosts {
        cables.lay(&mut fabric, random, host, n_hosts + host / hosts_each);
    }
    for switch in n_hosts..n_hosts + n_switches - 1 {
        (0..n_parallel).for_each(|_| cables.lay(&mut fabric, random, switch, switch + 1));
    }
    fabric
}

/// All shortest paths over a fabric whose hosts are numbered first.
pub fn paths(fabric: &Fabric, choice: Choice) -> Paths {
    let is_host = |&node: &NodeIdx| fabric.is_host(node);
    let hosts = (0..fabric.n_nodes()).filter(is_host).count();
    let distances: Vec<Vec<usize>> = (0..hosts).map(|host| distances(fabric, host)).collect();
    let candidates = |node: NodeIdx, host: NodeIdx| {
        let far = |&port: &PortIdx| distances[host][fabric.far_end(node, port).0];
        let leads_there = |port: &PortIdx| far(port) + 1 == distances[host][node];
        let ports = if fabric.is_host(node) { 0 } else { fabric.n_ports(node) };
        (0..ports).filter(leads_there).collect()
    };
    let of_node = |node| (0..hosts).map(|host| candidates(node, host)).collect();
    Paths { choice, candidates: (0..fabric.n_nodes()).map(of_node).collect(), turns: BTreeMap::new() }
}

/// The number of links between every node and a host.
fn distances(fabric: &Fabric, host: NodeIdx) -> Vec<usize> {
    let mut distances = vec![usize::MAX; fabric.n_nodes()];
    distances[host] = 0;
    let mut to_do = VecDeque::from([host]);
    while let Some(node) = to_do.pop_front() {
        for port in 0..fabric.n_ports(node) {
            let (next, _) = fabric.far_end(node, port);
            if distances[next] == usize::MAX {
                distances[next] = distances[node] + 1;
                to_do.push_back(next);
            }
        }
    }
    distances
}
