//! Layers of a fabric, and the links between them.
//!
//! Models: hosts; then tier by tier the switches, a layer for each kind of name where a tier has few of these; switches
//! that are connected only to hosts are below the hosts. In a dragonfly, switches without hosts are in the same tier as
//! others.
//!
//! Invariants: every node is in one layer; every link is in one joint (the links between two layers).

use std::collections::{BTreeMap, BTreeSet};

use netloom_model::{Model, PortKind, Routing};
use netloom_units::NodeId;
use serde::Serialize;

use super::names::{Parts, ranges};

/// Most kinds of names into which a tier is split.
const MOST_KINDS: usize = 3;

/// The kind of a layer's nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Hosts.
    Hosts,
    /// Switches.
    Switches,
}

/// Nodes of one kind at one distance from hosts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Layer {
    /// Number of hops to the nearest host.
    pub tier: u32,
    /// Their kind.
    pub kind: Kind,
    /// Number of nodes.
    pub nodes: u64,
    /// Their names, with ranges in brackets where possible.
    pub names: String,
    /// Number of ports of each: minimum and maximum.
    pub ports: [u32; 2],
    /// Capacity from lower layers over that to upper ones and to other groups; absent without uplinks.
    pub oversubscription: Option<f64>,
}

/// The reach of the links of a joint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reach {
    /// Within a group, or anywhere in a fabric without groups.
    Local,
    /// Between groups.
    Global,
}

/// All links between two layers, or within one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Joint {
    /// Index of the lower layer.
    pub lower: usize,
    /// Index of the upper layer; the same for links within a layer.
    pub upper: usize,
    /// Their reach.
    pub reach: Reach,
    /// Number of links.
    pub links: u64,
    /// Number of parallel links of two nodes: minimum and maximum.
    pub bundle: [u64; 2],
    /// Whether every node of the lower layer is connected to every one of the upper layer, within a group where there
    /// are groups.
    pub is_full: bool,
    /// Their rates, in bit/s, each with the number of links.
    pub rates: BTreeMap<u64, u64>,
    /// The shortest and the longest propagation delay, in ps.
    pub delays: [u64; 2],
    /// Sum of their rates in one direction, in bit/s.
    pub capacity: u128,
}

/// The layer of each node.
#[derive(Debug, Clone)]
pub(crate) struct Layers {
    /// Layer by node.
    pub of_node: Vec<usize>,
    /// Tier and nodes by layer.
    pub list: Vec<(u32, Vec<NodeId>)>,
    capacities: Vec<[u128; 2]>,
    ports: Vec<[u32; 2]>,
}

impl Layers {
    /// The layers of a model whose nodes have these names.
    pub(crate) fn of(model: &Model, names: &[String]) -> Layers {
        let fabric = &model.fabric;
        let mut tiers = fabric.tiers();
        if matches!(model.routing, Routing::Dragonfly(_)) {
            tiers[fabric.n_hosts()..].fill(1);
        }
        let kinds = kinds(&tiers, names);
        // From the bottom: switches that are connected only to hosts, then hosts, then tier by tier.
        let mut keyed: BTreeMap<(bool, u32, usize), Vec<NodeId>> = BTreeMap::new();
        let dead_end = dead_ends(model, &tiers, &kinds);
        for node in (0..fabric.n_nodes() as u32).map(NodeId) {
            let slot = (tiers[node.index()], kinds[node.index()]);
            let is_above = !dead_end.contains(&slot);
            keyed.entry((is_above, slot.0, slot.1)).or_default().push(node);
        }
        let mut of_node = vec![0; fabric.n_nodes()];
        let list: Vec<(u32, Vec<NodeId>)> =
            keyed.into_iter().map(|((_, tier, _), nodes)| (tier, nodes)).collect();
        for (layer, (_, nodes)) in list.iter().enumerate() {
            for node in nodes {
                of_node[node.index()] = layer;
            }
        }
        let mut layers = Layers { of_node, capacities: vec![[0; 2]; list.len()], ports: Vec::new(), list };
        layers.count(model);
        layers
    }

    /// Sums ports and capacities, layer by layer.
    fn count(&mut self, model: &Model) {
        let fabric = &model.fabric;
        for port in fabric.ports() {
            let (here, there) =
                (self.of_node[port.node.index()], self.of_node[fabric.port(port.peer).node.index()]);
            let local = fabric.local_index(fabric.port(port.peer).peer);
            let leads_up = there > here || is_global(model, port.node, local);
            if leads_up || there < here {
                self.capacities[here][usize::from(leads_up)] += u128::from(port.rate.0);
            }
        }
        let span = |(_, nodes): &(u32, Vec<NodeId>)| {
            let counts = nodes.iter().map(|&node| fabric.ports_of(node).len() as u32);
            [counts.clone().min().unwrap_or(0), counts.max().unwrap_or(0)]
        };
        self.ports = self.list.iter().map(span).collect();
    }

    /// The layers as they are shown.
    pub(super) fn described(&self, names: &[String]) -> Vec<Layer> {
        let layer = |(number, (tier, nodes)): (usize, &(u32, Vec<NodeId>))| {
            let [below, above] = self.capacities[number];
            let is_between = below > 0 && above > 0 && *tier > 0;
            Layer {
                tier: *tier,
                kind: if *tier == 0 { Kind::Hosts } else { Kind::Switches },
                nodes: nodes.len() as u64,
                names: ranges(nodes.iter().map(|node| names[node.index()].as_str())),
                ports: self.ports[number],
                oversubscription: is_between.then(|| below as f64 / above as f64),
            }
        };
        self.list.iter().enumerate().map(layer).collect()
    }

    /// The links between layers, the lowest first.
    pub(super) fn joints(&self, model: &Model) -> Vec<Joint> {
        let fabric = &model.fabric;
        let mut by_slot: BTreeMap<(usize, usize, Reach), Vec<u32>> = BTreeMap::new();
        for (number, link) in fabric.links().iter().enumerate() {
            let [one, other] = link.ends.map(|port| self.of_node[fabric.port(port).node.index()]);
            let node = fabric.port(link.ends[0]).node;
            let is_global = is_global(model, node, fabric.local_index(link.ends[0]));
            let reach = if is_global { Reach::Global } else { Reach::Local };
            by_slot.entry((one.min(other), one.max(other), reach)).or_default().push(number as u32);
        }
        by_slot.into_iter().map(|(slot, links)| self.joint(model, slot, &links)).collect()
    }

    fn joint(&self, model: &Model, (lower, upper, reach): (usize, usize, Reach), links: &[u32]) -> Joint {
        let fabric = &model.fabric;
        let mut bundles: BTreeMap<[u32; 2], u64> = BTreeMap::new();
        let (mut rates, mut capacity) = (BTreeMap::new(), 0);
        let mut delays = [u64::MAX, 0];
        for &link in links {
            let ends = fabric.links()[link as usize].ends;
            let mut nodes = ends.map(|port| fabric.port(port).node.0);
            nodes.sort_unstable();
            *bundles.entry(nodes).or_default() += 1;
            let port = fabric.port(ends[0]);
            *rates.entry(port.rate.0).or_default() += 1;
            capacity += u128::from(port.rate.0);
            delays = [delays[0].min(port.delay.0), delays[1].max(port.delay.0)];
        }
        let n_groups = u64::from(model.routing.n_groups().max(1));
        let [below, above] = [lower, upper].map(|layer| self.list[layer].1.len() as u64 / n_groups);
        let pairs = n_groups * if lower == upper { below * (below - 1) / 2 } else { below * above };
        Joint {
            lower,
            upper,
            reach,
            links: links.len() as u64,
            bundle: [
                bundles.values().min().copied().unwrap_or(0),
                bundles.values().max().copied().unwrap_or(0),
            ],
            is_full: reach == Reach::Local && bundles.len() as u64 == pairs,
            rates,
            delays,
            capacity,
        }
    }
}

fn is_global(model: &Model, node: NodeId, local: u32) -> bool {
    model.routing.n_groups() > 0 && model.routing.port_kind(node, local) == PortKind::Global
}

/// For each node, the index of its kind of name within its tier.
fn kinds(tiers: &[u32], names: &[String]) -> Vec<usize> {
    let texts: Vec<Option<Vec<String>>> =
        names.iter().map(|name| Some(Parts::of(name).texts).filter(|texts| texts.len() > 1)).collect();
    let mut known: BTreeMap<u32, Vec<&[String]>> = BTreeMap::new();
    let mut unnumbered = BTreeSet::new();
    for (tier, texts) in tiers.iter().zip(&texts) {
        let known = known.entry(*tier).or_default();
        match texts {
            Some(texts) if known.len() <= MOST_KINDS && !known.contains(&texts.as_slice()) => {
                known.push(texts);
            }
            Some(_) => {}
            None => drop(unnumbered.insert(*tier)),
        }
    }
    let kind = |(tier, texts): (&u32, &Option<Vec<String>>)| {
        let known = &known[tier];
        let are_few = known.len() <= MOST_KINDS && !unnumbered.contains(tier) && *tier > 0;
        let texts = texts.as_deref().filter(|_| are_few)?;
        known.iter().position(|one| *one == texts)
    };
    tiers.iter().zip(&texts).map(|both| kind(both).unwrap_or(0)).collect()
}

/// Tiers and kinds of switches that are connected only to hosts, while others of their tier have uplinks.
fn dead_ends(model: &Model, tiers: &[u32], kinds: &[usize]) -> BTreeSet<(u32, usize)> {
    let fabric = &model.fabric;
    let mut slots: BTreeMap<(u32, usize), bool> = BTreeMap::new();
    for node in (fabric.n_hosts() as u32..fabric.n_nodes() as u32).map(NodeId) {
        let leads_on = fabric.neighbours(node).into_iter().any(|peer| !fabric.is_host(peer));
        *slots.entry((tiers[node.index()], kinds[node.index()])).or_default() |= leads_on;
    }
    let leads_on = slots.values().any(|leads_on| *leads_on);
    slots.into_iter().filter(|(_, on)| leads_on && !on).map(|(slot, _)| slot).collect()
}
