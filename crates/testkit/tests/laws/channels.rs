//! Channel dependencies in fabrics of groups: no cycle, whatever path a policy chooses; every choice of a policy is
//! among the allowed ones; and without VL steps there are cycles.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use netloom_model::steps::rise;
use netloom_model::{Model, PortKind, Routing};
use netloom_policy::balance::detour::{Behind, Detour, RemoteQueues};
use netloom_policy::balance::{Balancer, Chosen, Context, PacketView, Ports, SPECS, Senders};
use netloom_scenario::{Style, compile, resolve};
use netloom_units::{HostId, NodeId, PortId, Random, Time};

/// Fabrics of groups with one tier of switches, with one link between two groups and with several, and hosts on two
/// switches.
const ONE_TIER: [&str; 3] = [
    "dragonfly: {groups: 9, switches_per_group: 4, hosts_per_switch: 2",
    "dragonfly: {groups: 4, switches_per_group: 3, hosts_per_switch: 1, local_links: 2, global_links: 4",
    "dragonfly: {groups: 5, switches_per_group: 4, hosts_per_switch: 2, nics: 2, global_links: 2",
];
/// Groups of two tiers: every spine leads to every group, or to one other group only.
const TWO_TIERS: [&str; 2] = [
    "dragonfly_plus: {groups: 4, leaves_per_group: 2, spines_per_group: 2, hosts_per_leaf: 2",
    "dragonfly_plus: {groups: 5, leaves_per_group: 2, spines_per_group: 4, hosts_per_leaf: 2, global_ports: 1",
];

/// A fabric under a policy.
pub fn model(fabric: &str, policy: &str) -> Model {
    let text = format!(
        "netloom: 1\nfabric:\n  {fabric}, host_rate: 100Gbps, host_delay: 100ns, local_delay: 100ns, global_delay: 300ns}}\n\
         balance: {{host: ecmp, switch: {policy}}}\ntransport: ideal\nqueues: {{credits: {{}}}}\n\
         background: {{poisson: {{load: 1%, end: 1us}}}}\n"
    );
    compiled(&text)
}

/// The model of a scenario.
pub fn compiled(text: &str) -> Model {
    let resolved =
        resolve(text, "groups.yaml").unwrap_or_else(|wrong| panic!("{}", wrong.render(Style::Plain)));
    compile(&resolved).unwrap_or_else(|wrong| panic!("{}", wrong.render(Style::Plain))).model
}

/// The names of policies with non-minimal paths through other groups.
pub fn guides() -> Vec<&'static str> {
    let names: Vec<_> =
        SPECS.iter().map(|spec| spec.name).filter(|name| Chosen::named(name).is_guide()).collect();
    assert_eq!(names.len(), 7, "a new policy needs a walk too");
    names
}

/// The candidates at a switch, with random queues.
struct Drawn<'a> {
    routing: &'a Routing,
    node: NodeId,
    list: Vec<u32>,
    n_minimal: usize,
    queues: Vec<u64>,
}

impl Ports for &mut Drawn<'_> {
    fn n_minimal(&self) -> usize {
        self.n_minimal
    }
    fn n_non_minimal(&self) -> usize {
        self.list.len() - self.n_minimal
    }
    fn port(&self, candidate: usize) -> u32 {
        self.list[candidate]
    }
    fn waiting_bytes(&mut self, candidate: usize) -> u64 {
        self.queues[self.list[candidate] as usize]
    }
    fn waiting_packets(&mut self, candidate: usize) -> u64 {
        self.waiting_bytes(candidate) / 1000
    }
    fn open(&mut self, group: u32) -> Range<usize> {
        let start = self.list.len();
        self.list.extend(self.routing.towards_group(self.node, group).iter());
        start..self.list.len()
    }
    fn beyond(&mut self, candidate: usize, group: u32) -> Option<RemoteQueues> {
        let least = self.waiting_bytes(candidate) * u64::from(group + 1) % 60_000;
        Some(RemoteQueues { least, sum: 60_000, count: 2 })
    }
}

/// The group of each host.
#[derive(Debug)]
struct Known<'a>(&'a Routing);

impl Senders for Known<'_> {
    fn sender(&self, _: u32, _: bool) -> HostId {
        HostId(0)
    }
    fn leaf(&self, host: HostId) -> NodeId {
        NodeId(host.0)
    }
    fn group(&self, host: HostId) -> u32 {
        self.0.group_of_host(host)
    }
}

fn packet<'a>(known: &'a Known, destination: HostId, ingress: u32, tag: u32) -> PacketView<'a> {
    PacketView {
        entropy: destination.0,
        sequence: 0,
        bytes: 1000,
        class: 0,
        tag,
        is_data: true,
        may_reorder: true,
        is_drained: true,
        ingress,
        destination,
        message: 0,
        senders: known,
    }
}

/// A packet at a switch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct At {
    node: NodeId,
    ingress: u32,
    tag: u32,
    step: u8,
}

/// A port and a VL step.
type Channel = (PortId, u8);

/// All paths that packets may take under a policy.
struct Walk<'a> {
    model: &'a Model,
    is_stepped: bool,
    positions: Vec<Option<(Balancer, Vec<Behind>)>>,
    waits: BTreeMap<Channel, BTreeSet<Channel>>,
    highest: u8,
    n_paths_through: usize,
    n_paths_within: usize,
}

impl<'a> Walk<'a> {
    fn new(model: &'a Model, is_stepped: bool) -> Walk<'a> {
        let position = |node| {
            let node = NodeId(node);
            let (neighbours, behind) = (model.fabric.neighbours(node), model.behind(node));
            let switch = &model.balances.switch;
            (!model.fabric.is_host(node))
                .then(|| (Balancer::instantiate(switch, model.position(node, &neighbours, &behind)), behind))
        };
        let positions = (0..model.fabric.n_nodes() as u32).map(position).collect();
        Walk {
            model,
            is_stepped,
            positions,
            waits: BTreeMap::new(),
            highest: 0,
            n_paths_through: 0,
            n_paths_within: 0,
        }
    }

    fn all(mut self) -> Walk<'a> {
        let hosts = || (0..self.model.fabric.n_hosts() as u32).map(HostId);
        for to in hosts() {
            let sources = hosts().filter(|&from| from != to);
            let starts: BTreeSet<At> = sources.flat_map(|from| self.entries(from)).collect();
            self.follow(to, starts.into_iter().map(|at| (at, None)).collect());
        }
        self
    }

    /// The switches to which a host sends its packets.
    fn entries(&self, host: HostId) -> Vec<At> {
        let fabric = &self.model.fabric;
        let entry = |port| {
            let peer = fabric.port(PortId(port)).peer;
            At { node: fabric.port(peer).node, ingress: fabric.local_index(peer), tag: 0, step: 0 }
        };
        fabric.port_range(NodeId(host.0)).map(entry).collect()
    }

    fn follow(&mut self, to: HostId, mut open: Vec<(At, Option<Channel>)>) {
        let mut seen = BTreeSet::new();
        while let Some((at, from)) = open.pop() {
            for (port, tag) in self.paths(to, at) {
                let behind = &self.positions[at.node.index()].as_ref().expect("a switch").1;
                if behind[port as usize] == Behind::Host {
                    continue;
                }
                let kind = |port: u32| self.model.routing.port_kind(at.node, port);
                let rise = if self.is_stepped { rise(kind(at.ingress), kind(port)) } else { 0 };
                let step = at.step + rise;
                self.highest = self.highest.max(step);
                let id = PortId(self.model.fabric.port_range(at.node).start + port);
                let channel = (id, step);
                if let Some(from) = from {
                    self.waits.entry(from).or_default().insert(channel);
                }
                let peer = self.model.fabric.port(id).peer;
                let (node, ingress) =
                    (self.model.fabric.port(peer).node, self.model.fabric.local_index(peer));
                let next = At { node, ingress, tag, step };
                if seen.insert(next) {
                    open.push((next, Some(channel)));
                }
            }
        }
    }

    /// The ports by which a packet may leave, with its tag after each.
    fn paths(&mut self, to: HostId, at: At) -> Vec<(u32, u32)> {
        let routing = &self.model.routing;
        let own = routing.group_of(at.node);
        let detour = Detour::of(at.tag).arrived_in(own);
        let mut paths = Vec::new();
        if let Some(group) = detour.through {
            paths.extend(routing.towards_group(at.node, group).iter().map(|port| (port, detour.tag())));
            return paths;
        }
        let minimal = routing.next_hops(at.node, to);
        for port in minimal.iter() {
            paths.push((port, Detour { is_decided: true, ..detour }.tag()));
            // Some policies may choose again at a later switch.
            if routing.port_kind(at.node, port) == PortKind::Local {
                paths.push((port, detour.tag()));
            }
        }
        if minimal.iter().any(|port| routing.port_kind(at.node, port) == PortKind::Host) {
            return paths;
        }
        let known = Known(routing);
        let (balancer, _) = self.positions[at.node.index()].as_ref().expect("a switch");
        for group in balancer.may_open(&packet(&known, to, at.ingress, detour.tag())) {
            let towards = routing.towards_group(at.node, group);
            assert!(!towards.is_empty() || group == own, "some port leads to every other group");
            let is_minimal = |port: u32| group == own && minimal.iter().any(|other| other == port);
            let longer = towards.iter().filter(|&port| !is_minimal(port));
            let n_before = paths.len();
            paths.extend(longer.map(|port| (port, Detour::through(group).tag())));
            let n_paths = if group == own { &mut self.n_paths_within } else { &mut self.n_paths_through };
            *n_paths += paths.len() - n_before;
        }
        paths
    }

    /// Whether there is a cycle of channels that wait for each other: what is left when channels that wait for no other
    /// are removed repeatedly.
    fn has_ring(&self) -> bool {
        let mut left = self.waits.clone();
        loop {
            let n_before = left.len();
            let held: BTreeSet<Channel> = left.keys().copied().collect();
            left.retain(|_, waits| waits.iter().any(|channel| held.contains(channel)));
            if left.is_empty() || left.len() == n_before {
                return !left.is_empty();
            }
        }
    }
}

#[test]
fn channel_dependencies_have_no_cycle() {
    for (fabrics, two_tiers) in [(&ONE_TIER[..], false), (&TWO_TIERS[..], true)] {
        let mut highest: BTreeMap<&str, u8> = BTreeMap::new();
        for &fabric in fabrics {
            for name in guides().into_iter().chain(["ecmp"]) {
                let model = model(fabric, name);
                let n_steps = model.queues.credits.expect("the scenario has credits").n_steps;
                let walk = Walk::new(&model, true).all();
                assert!(!walk.has_ring(), "{name} in {fabric}");
                assert!(walk.highest < n_steps, "{name} in {fabric}: step {} of {n_steps}", walk.highest);
                assert_eq!(walk.n_paths_through > 0, name != "ecmp", "{name} in {fabric}");
                let has_paths_within = name == "slingshot" && !two_tiers;
                assert_eq!(walk.n_paths_within > 0, has_paths_within, "{name} in {fabric}");
                let known = highest.entry(name).or_default();
                *known = walk.highest.max(*known);
            }
        }
        // Every VL step is needed by some fabric.
        for (name, highest) in highest {
            assert_eq!(highest + 1, Chosen::named(name).lane_steps(two_tiers), "{name}");
        }
    }
}

#[test]
fn without_vl_steps_channel_dependencies_have_a_cycle() {
    for fabric in ONE_TIER.into_iter().chain(TWO_TIERS) {
        for name in guides() {
            assert!(Walk::new(&model(fabric, name), false).all().has_ring(), "{name} in {fabric}");
        }
    }
    // Local, global and local is not deadlock-free by itself; up, across and down again is.
    assert!(Walk::new(&model(ONE_TIER[0], "ecmp"), false).all().has_ring());
    for fabric in TWO_TIERS {
        assert!(!Walk::new(&model(fabric, "ecmp"), false).all().has_ring(), "{fabric}");
    }
}

#[test]
fn every_choice_of_a_policy_is_an_allowed_one() {
    let mut random = Random::stream(1, 2, 3);
    for fabric in ONE_TIER.into_iter().chain(TWO_TIERS) {
        for name in guides() {
            let model = model(fabric, name);
            let mut n_through = 0;
            let mut walk = Walk::new(&model, true);
            let n_hosts = model.fabric.n_hosts() as u32;
            for _ in 0..2_000 {
                let node = n_hosts + random.below(model.fabric.n_switches() as u32);
                let n_ports = model.fabric.ports_of(NodeId(node)).len() as u32;
                let to = HostId(random.below(n_hosts));
                let at = At { node: NodeId(node), ingress: random.below(n_ports), tag: 0, step: 0 };
                let allowed = walk.paths(to, at);
                let minimal: Vec<u32> = model.routing.next_hops(at.node, to).iter().collect();
                let n_minimal = minimal.len();
                let queues = (0..n_ports).map(|_| u64::from(random.below(100_000))).collect();
                let (routing, list) = (&model.routing, minimal);
                let mut ports = Drawn { routing, node: at.node, list, n_minimal, queues };
                let known = Known(&model.routing);
                let (balancer, _) = walk.positions[node as usize].as_mut().expect("a switch");
                let mut context = Context { now: Time(0), random: &mut random };
                let view = packet(&known, to, at.ingress, 0);
                let pick = balancer.pick(&mut context, || view, || &mut ports);
                let (port, through) = (ports.list[pick.candidate], Detour::of(pick.tag).through);
                let is_allowed =
                    allowed.iter().any(|&(may, tag)| (may, Detour::of(tag).through) == (port, through));
                assert!(is_allowed, "{name} in {fabric}: {at:?} to {to:?}: port {port} through {through:?}");
                n_through += usize::from(through.is_some());
            }
            // Where all spines lead to all groups, the queues of a leaf are the same for every path.
            let is_blind = fabric == TWO_TIERS[0] && ["ugal_l", "slingshot"].contains(&name);
            assert!(is_blind || n_through > 20, "{name} in {fabric}: {n_through}");
        }
    }
}
