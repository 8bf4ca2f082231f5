//! The reference simulator's side: the same scene in doubles, with routes found by a search of its own.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use netloom_model::{FailureAwareness, ReroutePaths};
use netloom_testkit::reference::{
    Choice, Decision, Fabric, FlowIdx, Hop, Message, NodeKind, Outcome, play_application, shortest,
};
use netloom_units::{NodeId, PortId, mix};

use crate::ranks::{Numbers, Ranks};
use crate::scene::{Draft, Kind};
use crate::witness::{Notes, Witnessed};

/// Seconds as whole picoseconds.
pub fn picoseconds(seconds: f64) -> u64 {
    (seconds * 1e12).round() as u64
}

/// What the reference simulator made of a scene.
pub struct Played {
    /// Everything that happened.
    pub outcome: Outcome,
    /// For each flow its number among the messages of its source, and its flow-hash input.
    pub messages: Vec<(u32, u32)>,
}

/// Chooses by the random inputs that the engine recorded, and computes the rest.
struct Replay<'a> {
    draft: &'a Draft,
    notes: &'a Notes,
    numbers: Rc<RefCell<Numbers>>,
}

impl Replay<'_> {
    fn hash_input(&self, flow: FlowIdx, message: &Message) -> u32 {
        let ends = ((message.src as u64) << 32) | message.dst as u64;
        let pair = mix(self.draft.model.seed ^ mix(ends));
        let number = self.numbers.borrow().of(flow);
        (mix(pair ^ (u64::from(number) + 1)) >> 32) as u32
    }

    /// The recorded random word; any, if a tie has put the messages of a host in another order.
    fn word(&self, decision: &Decision<'_>, hash_input: u32) -> u64 {
        let sight = (decision.node as u32, hash_input, decision.packet as u32);
        self.notes.words.get(&sight).copied().unwrap_or_default().into()
    }
}

impl Choice for Replay<'_> {
    fn pick(&mut self, decision: &Decision<'_>) -> usize {
        let n = decision.candidates.len() as u64;
        let hash_input = self.hash_input(decision.flow, decision.message);
        if n == 1 {
            return 0;
        }
        match self.draft.kind {
            Kind::Ecmp => {
                let salt = mix(self.draft.model.seed ^ mix(decision.node as u64 + 1));
                (mix(u64::from(hash_input) ^ salt) % n) as usize
            }
            Kind::Spray => ((self.word(decision, hash_input) * n) >> 32) as usize,
            Kind::Adaptive => {
                let ties = shortest(decision.queue_lengths);
                ties[((self.word(decision, hash_input) * ties.len() as u64) >> 32) as usize]
            }
        }
    }
}

/// Runs the scene.
pub fn play(draft: &Draft, witnessed: &Witnessed) -> Played {
    let numbers = Rc::new(RefCell::new(Numbers::default()));
    let mut replay = Replay { draft, notes: &witnessed.notes, numbers: Rc::clone(&numbers) };
    let mut ranks = Ranks::new(draft, Rc::clone(&numbers));
    let outcome = play_application(&fabric(draft), 64, &mut ranks, &mut replay);
    let message =
        |flow: FlowIdx| (numbers.borrow().of(flow), replay.hash_input(flow, &outcome.flows[flow].message));
    let messages = (0..outcome.flows.len()).map(message).collect();
    Played { outcome, messages }
}

/// The fabric in doubles. With local failure awareness the routes are the healthy ones, and the reference simulator
/// leaves out dead ports.
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
    let known =
        if model.awareness == FailureAwareness::Global(ReroutePaths::Shortest) { &draft.dead } else { &none };
    let groups = groups(draft);
    for destination in 0..model.fabric.n_hosts() {
        let search = Search { fabric: &fabric, groups: groups.as_deref(), dead: known, destination };
        let variants = search.variants();
        let nodes = (0..model.fabric.n_nodes()).filter(|&node| node != destination);
        let routes: Vec<_> = nodes.map(|node| (node, search.next_hops(node, &variants))).collect();
        for (node, ports) in routes {
            fabric.set_route(node, destination, ports);
        }
    }
    fabric
}

/// The group of each node, where the fabric has groups: a host is in that of its switches.
fn groups(draft: &Draft) -> Option<Vec<u32>> {
    let routing = &draft.model.routing;
    let nodes = (0..draft.model.fabric.n_nodes() as u32).map(NodeId);
    (routing.n_groups() > 0).then(|| nodes.map(|node| routing.group_of(node)).collect())
}

/// The number of links between groups, then of others, on the path to the destination.
type PathLength = (u32, u32);

/// Searches the minimal paths to one host over links that are not known to be dead.
struct Search<'a> {
    fabric: &'a Fabric,
    groups: Option<&'a [u32]>,
    dead: &'a [bool],
    destination: usize,
}

impl Search<'_> {
    /// The length of the path that begins with a port, if there is one.
    fn through(
        &self,
        node: usize,
        port: usize,
        variants: &BTreeMap<usize, PathLength>,
    ) -> Option<PathLength> {
        let next = self.fabric.neighbour(node, port);
        if self.dead[self.fabric.link_idx(node, port)] {
            return None;
        }
        if next == self.destination {
            return Some((0, 0));
        }
        let is_switch = |node| self.fabric.kind(node) == NodeKind::Switch;
        let &(between, within) = variants.get(&next).filter(|_| is_switch(next))?;
        let Some(groups) = self.groups else { return Some((0, within + 1)) };
        // At either end of a link between groups another hop within the group may be needed, and switches that do not
        // need it count as no nearer.
        Some(match (is_switch(node), between) {
            (false, 0) => (0, within.max(1)),
            (false, _) => (between, within.max(2)),
            _ if groups[node] != groups[next] => (between + 1, within.max(1)),
            _ => (between, within + 1),
        })
    }

    /// The path length of every switch: repeated until a round finds nothing better.
    fn variants(&self) -> BTreeMap<usize, PathLength> {
        let mut variants = BTreeMap::new();
        loop {
            let before = variants.clone();
            for node in (0..self.fabric.n_nodes()).filter(|&node| self.fabric.kind(node) == NodeKind::Switch)
            {
                let best = self.best(node, &variants);
                if let Some(variant) = best {
                    variants.insert(node, variant);
                }
            }
            if variants == before {
                return variants;
            }
        }
    }

    fn best(&self, node: usize, variants: &BTreeMap<usize, PathLength>) -> Option<PathLength> {
        (0..self.fabric.n_ports(node)).filter_map(|port| self.through(node, port, variants)).min()
    }

    fn next_hops(&self, node: usize, variants: &BTreeMap<usize, PathLength>) -> Vec<usize> {
        let ports = 0..self.fabric.n_ports(node);
        let joins = |port: &usize| {
            let is_live = !self.dead[self.fabric.link_idx(node, *port)];
            is_live && self.fabric.neighbour(node, *port) == self.destination
        };
        let straight: Vec<usize> = ports.clone().filter(joins).collect();
        if !straight.is_empty() {
            return straight;
        }
        let Some(best) = self.best(node, variants) else { return Vec::new() };
        ports.filter(|&port| self.through(node, port, variants) == Some(best)).collect()
    }
}

/// Whether two events of one node fall on one picosecond: arrivals, starts of packets that had to wait, starts of
/// messages. Messages that one activity of a rank starts at once have an order, and may start when one has arrived.
pub fn has_ties(draft: &Draft, outcome: &Outcome) -> bool {
    let mut seen = BTreeSet::new();
    let mut tied = false;
    let arrivals = outcome.hops.iter().map(|hop| (neighbour(draft, hop), picoseconds(hop.arrives_at)));
    let messages = draft.sendings.iter().map(|sending| (sending.from.index(), sending.at.0));
    for event in arrivals.chain(messages) {
        tied |= !seen.insert(event);
    }
    let waited = |hop: &&Hop| picoseconds(hop.started_at) > picoseconds(hop.enqueued_at);
    for hop in outcome.hops.iter().filter(waited) {
        tied |= !seen.insert((hop.node, picoseconds(hop.started_at)));
    }
    tied || has_tied_messages(draft, outcome)
}

/// Whether messages of several activities of one host start at one instant, or one when a transmission ends.
fn has_tied_messages(draft: &Draft, outcome: &Outcome) -> bool {
    let ends: BTreeSet<_> = outcome.hops.iter().map(|hop| (hop.node, end(draft, hop))).collect();
    let mut activities = BTreeMap::new();
    outcome.flows.iter().any(|flow| {
        let start = (flow.message.src, flow.injected_at.map_or(u64::MAX, picoseconds));
        ends.contains(&start) || *activities.entry(start).or_insert(flow.actor) != flow.actor
    })
}

/// When the last bit of a packet has left its node, in ps.
fn end(draft: &Draft, hop: &Hop) -> u64 {
    picoseconds(hop.arrives_at) - draft.model.fabric.port(port(draft, hop)).delay.0
}

/// The node a hop leads to.
pub fn neighbour(draft: &Draft, hop: &Hop) -> usize {
    draft.model.fabric.neighbour(port(draft, hop)).index()
}

/// The port of a hop.
fn port(draft: &Draft, hop: &Hop) -> PortId {
    let first = draft.model.fabric.port_range(NodeId(hop.node as u32)).start;
    PortId(first + hop.port as u32)
}
