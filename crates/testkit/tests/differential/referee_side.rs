//! The referee's side: the same scene in doubles, with routes found by a search of its own.

use std::collections::{BTreeMap, BTreeSet};

use netloom_model::{Knowledge, Ways};
use netloom_testkit::referee::{
    Choice, Decision, Fabric, Hop, Message, NodeKind, Outcome, Scene, Sending, play as play_scene, shortest,
};
use netloom_units::mix;

use crate::scene::{Draft, Kind};
use crate::witness::{Notes, Witnessed};

/// Seconds as whole picoseconds.
pub fn picoseconds(seconds: f64) -> u64 {
    (seconds * 1e12).round() as u64
}

/// Chooses by what the engine noted of the randomness, and computes the rest.
struct Replay<'a> {
    draft: &'a Draft,
    notes: &'a Notes,
}

impl Replay<'_> {
    /// The flow hash input of a message: the size of its last packet tells.
    fn entropy(&self, flow: usize) -> u32 {
        let packet = self.draft.model.transport.packet.0;
        let last = self.draft.sendings[flow].size.0 - (self.draft.n_packets(flow) - 1) * packet;
        self.notes.entropies[&(last as u32)]
    }

    fn word(&self, decision: &Decision<'_>) -> u64 {
        let entropy = self.entropy(decision.flow);
        u64::from(self.notes.words[&(decision.node as u32, entropy, decision.packet as u32)])
    }
}

impl Choice for Replay<'_> {
    fn pick(&mut self, decision: &Decision<'_>) -> usize {
        let n = decision.candidates.len() as u64;
        if n == 1 {
            return 0;
        }
        match self.draft.kind {
            Kind::Ecmp => {
                let salt = mix(self.draft.model.seed ^ mix(decision.node as u64 + 1));
                (mix(u64::from(self.entropy(decision.flow)) ^ salt) % n) as usize
            }
            Kind::Spray => ((self.word(decision) * n) >> 32) as usize,
            Kind::Adaptive => {
                let ties = shortest(decision.queue_lengths);
                ties[((self.word(decision) * ties.len() as u64) >> 32) as usize]
            }
        }
    }
}

/// Plays the scene.
pub fn play(draft: &Draft, witnessed: &Witnessed) -> Outcome {
    let packet = draft.model.transport.packet.0;
    let sending = |listed: &netloom_testkit::fixture::Sending| Sending {
        start_s: listed.at.0 as f64 * 1e-12,
        message: Message {
            src: listed.from.index(),
            dst: listed.to.index(),
            bytes: listed.size.0,
            mtu: packet,
        },
    };
    let scene =
        Scene { fabric: fabric(draft), sendings: draft.sendings.iter().map(sending).collect(), ttl: 64 };
    play_scene(&scene, &mut Replay { draft, notes: &witnessed.notes })
}

/// The fabric in doubles. With local knowledge the routes are the healthy ones, and the referee leaves out dead ports.
fn fabric(draft: &Draft) -> Fabric {
    let model = &draft.model;
    let mut fabric = Fabric::default();
    for node in 0..model.fabric.n_nodes() {
        if node < model.fabric.n_hosts() {
            fabric.add_host()
        } else {
            fabric.add_switch()
        };
    }
    for (number, link) in model.fabric.links().iter().enumerate() {
        let ends = link.ends.map(|port| model.fabric.port(port).node.index());
        let delay_s = model.fabric.port(link.ends[0]).delay.0 as f64 * 1e-12;
        fabric.connect(ends[0], ends[1], 8e12 / draft.speeds[number] as f64, delay_s);
        if draft.dead[number] {
            fabric.fail(number);
        }
    }
    let none = vec![false; draft.dead.len()];
    let known = if model.knowledge == Knowledge::Global(Ways::Shortest) { &draft.dead } else { &none };
    for destination in 0..model.fabric.n_hosts() {
        let distance = distances(&fabric, destination, known);
        for node in (0..model.fabric.n_nodes()).filter(|&node| node != destination) {
            let ports = next_hops(&fabric, node, destination, known, &distance);
            fabric.set_route(node, destination, ports);
        }
    }
    fabric
}

/// Links from each node to the destination, over live links and switches only.
fn distances(fabric: &Fabric, destination: usize, dead: &[bool]) -> BTreeMap<usize, u32> {
    let mut distance = BTreeMap::from([(destination, 0)]);
    let mut frontier = vec![destination];
    for steps in 1.. {
        let mut next = Vec::new();
        for (_, link) in fabric.links().iter().enumerate().filter(|link| !dead[link.0]) {
            for (near, far) in [(0, 1), (1, 0)].map(|(a, b)| (link.ends[a].0, link.ends[b].0)) {
                let forwards = near == destination || fabric.kind(near) == NodeKind::Switch;
                if frontier.contains(&near) && forwards && !distance.contains_key(&far) {
                    next.push(far);
                }
            }
        }
        if next.is_empty() {
            break;
        }
        distance.extend(next.iter().map(|&node| (node, steps)));
        frontier = next;
    }
    distance
}

fn next_hops(
    fabric: &Fabric,
    node: usize,
    destination: usize,
    dead: &[bool],
    distance: &BTreeMap<usize, u32>,
) -> Vec<usize> {
    let Some(&own) = distance.get(&node) else { return Vec::new() };
    let nearer = |port: &usize| {
        let neighbour = fabric.neighbour(node, *port);
        let forwards = neighbour == destination || fabric.kind(neighbour) == NodeKind::Switch;
        forwards
            && !dead[fabric.link_idx(node, *port)]
            && distance.get(&neighbour).is_some_and(|&other| other + 1 == own)
    };
    (0..fabric.n_ports(node)).filter(nearer).collect()
}

/// Whether two events of one node fall on one picosecond: arrivals, messages, and starts of packets that had to wait.
pub fn has_ties(draft: &Draft, outcome: &Outcome) -> bool {
    let mut seen = BTreeSet::new();
    let mut tied = false;
    let mut event = |node: usize, at: u64| tied |= !seen.insert((node, at));
    for sending in &draft.sendings {
        event(sending.from.index(), sending.at.0);
    }
    for hop in &outcome.hops {
        let next = neighbour(draft, hop);
        event(next, picoseconds(hop.arrives_at));
        if picoseconds(hop.started_at) > picoseconds(hop.enqueued_at) {
            event(hop.node, picoseconds(hop.started_at));
        }
    }
    tied
}

/// The node a hop leads to.
pub fn neighbour(draft: &Draft, hop: &Hop) -> usize {
    let fabric = &draft.model.fabric;
    let first = fabric.port_range(netloom_units::NodeId(hop.node as u32)).start;
    fabric.neighbour(netloom_units::PortId(first + hop.port as u32)).index()
}
