//! The nodes of a fabric, one by one, with where each of them is.
//!
//! Models: tiers by distance from hosts; servers as the hosts that share a switch without links to others, while
//! they have links to switches with such links;
//! blocks (pods, groups) and rails by the names that topologies give to the switch above a host.
//! Leaves out: ports and links, which table `ports` of a run lists.
//!
//! Invariants: nodes are in the order of their numbers, which are those of tables of runs.

use netloom_model::Fabric;
use netloom_records::node_kind;
use netloom_units::NodeId;
use serde::Serialize;

use super::fabric::ShownFabric;

/// The kind of the switches of a rail.
const RAIL: &str = "rail";

/// A node, and where it is; absent where a fabric has no such part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NodeRow {
    /// Its number, as in tables of runs.
    pub node: u32,
    /// Its name.
    pub name: String,
    /// Its kind: the last word of its name, such as `gpu` or `spine`.
    pub kind: String,
    /// Number of links to the nearest host; absent without a path to a host.
    pub tier: Option<u32>,
    /// The block, pod or group: of a host, that of the switch above it.
    pub block: Option<String>,
    /// The rail: of a host, that of the switch above it.
    pub rail: Option<String>,
    /// The server, of hosts that share a switch inside it, and of that switch.
    pub server: Option<String>,
    /// The number of a host within its server, from 0.
    pub slot: Option<u32>,
}

/// All nodes of a fabric.
pub fn nodes(shown: &ShownFabric) -> Vec<NodeRow> {
    let compiled = &shown.prepared.compiled;
    let (fabric, names) = (&compiled.model.fabric, &compiled.node_names);
    let tiers = fabric.tiers();
    let inner = inner_switches(fabric);
    let row = |node: NodeId| {
        let name = &names[node.index()];
        let mut row = NodeRow {
            node: node.0,
            name: name.clone(),
            kind: node_kind(name),
            tier: Some(tiers[node.index()]).filter(|tier| *tier != u32::MAX),
            block: outer(name),
            rail: (node_kind(name) == RAIL).then(|| last(name)),
            server: None,
            slot: None,
        };
        if inner[node.index()] {
            (row.block, row.server) = (None, Some(outer(name).unwrap_or_else(|| name.clone())));
        } else if node.index() < fabric.n_hosts() {
            row.stand(fabric, names, &inner);
        }
        row
    };
    (0..fabric.n_nodes() as u32).map(NodeId).map(row).collect()
}

impl NodeRow {
    /// Sets where a host is.
    fn stand(&mut self, fabric: &Fabric, names: &[String], inner: &[bool]) {
        let host = NodeId(self.node);
        let neighbours = fabric.neighbours(host);
        let above =
            neighbours.iter().find(|switch| !inner[switch.index()]).map(|switch| &names[switch.index()]);
        self.block = above.and_then(|name| outer(name));
        self.rail = above.filter(|name| node_kind(name) == RAIL).map(|name| last(name));
        if let Some(&switch) = neighbours.iter().find(|switch| inner[switch.index()]) {
            let name = &names[switch.index()];
            self.server = Some(outer(name).unwrap_or_else(|| name.clone()));
            self.slot =
                fabric.neighbours(switch).iter().position(|other| *other == host).map(|slot| slot as u32);
        }
    }
}

/// By node, whether it is a switch inside a server: it leads to no other switch, but one beside it does.
fn inner_switches(fabric: &Fabric) -> Vec<bool> {
    let is_host = |node: &NodeId| node.index() < fabric.n_hosts();
    let nodes = || (0..fabric.n_nodes() as u32).map(NodeId);
    let leads_on: Vec<bool> =
        nodes().map(|node| !is_host(&node) && !fabric.neighbours(node).iter().all(is_host)).collect();
    let is_beside_one_that_does =
        |host: &NodeId| fabric.neighbours(*host).iter().any(|switch| leads_on[switch.index()]);
    let is_inner = |node: NodeId| {
        !is_host(&node)
            && !leads_on[node.index()]
            && fabric.neighbours(node).iter().any(is_beside_one_that_does)
    };
    nodes().map(is_inner).collect()
}

/// All words of a name but the last one: `pod3` of `pod3.leaf1`; none if the last one is a number, as of `core0.3`.
fn outer(name: &str) -> Option<String> {
    let (outer, last) = name.rsplit_once('.')?;
    last.contains(|letter: char| !letter.is_ascii_digit()).then(|| outer.to_owned())
}

/// The last word of a name.
fn last(name: &str) -> String {
    name.rsplit('.').next().unwrap_or(name).to_owned()
}
