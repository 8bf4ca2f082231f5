//! The ingress ports that compete for each egress port.
//!
//! Models: all paths that the forwarding tables allow for data packets of every pair of hosts; at each egress port of a
//! switch the ingress ports on these paths are counted, separately for those from a higher and from a lower tier.
//! Leaves out: failed links, and load; tables are those of the fabric without failures.
//!
//! Invariants: the policy's own code chooses, as for tables; a switch's tier is its distance from the nearest host.
//!
//! Source: Rocher-Gonzalez et al., table II.

use std::collections::{BTreeMap, BTreeSet};

use netloom_model::{Model, StaticTable};
use netloom_policy::balance::Balancer;
use netloom_scenario::Overrides;
use netloom_units::{HostId, NodeId, PortId};
use serde::Serialize;

use super::ShowError;
use super::routes::{MOST_PAIRS, may_leave, policy_name};
use crate::error::LabError;
use crate::prepare::{Prepared, prepare};
use crate::source::Source;

/// Ingress ports for each egress port of a scenario's switches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Arbitration {
    /// The balancing policy at switches.
    pub policy: String,
    /// Egress ports by tier and direction, from the lowest tier, upwards first.
    pub kinds: Vec<EgressKind>,
    /// Port by port, in the order of switches and of their ports.
    pub ports: Vec<EgressPort>,
}

/// Where a port leads, seen from its node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// To a higher tier, away from hosts.
    Up,
    /// To a switch of the same tier.
    Across,
    /// To a lower tier, towards hosts.
    Down,
}

/// Egress ports of one tier and direction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EgressKind {
    /// Tier of their switches: hops from the nearest host; 1 at leaves.
    pub tier: u32,
    /// Where they lead.
    pub direction: Direction,
    /// Number of egress ports.
    pub egress_ports: u32,
    /// Number of ingress ports for each.
    pub all: Span,
    /// Those of them that receive from a higher tier.
    pub from_above: Span,
    /// Those that receive from the same tier.
    pub from_beside: Span,
    /// Those that receive from a lower tier.
    pub from_below: Span,
}

/// The fewest and the most of several counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Span {
    /// The fewest.
    pub least: u32,
    /// The most.
    pub most: u32,
}

/// An egress port of a switch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EgressPort {
    /// The switch.
    pub at: String,
    /// The link.
    pub link: String,
    /// Tier of the switch: hops from the nearest host.
    pub tier: u32,
    /// Where the port leads.
    pub direction: Direction,
    /// The links by which packets for it arrive from a higher tier.
    pub from_above: Vec<String>,
    /// Those by which they arrive from the same tier.
    pub from_beside: Vec<String>,
    /// Those by which they arrive from a lower tier.
    pub from_below: Vec<String>,
}

impl EgressKind {
    /// Its name in claims and tables.
    pub fn name(&self) -> String {
        let direction = match self.direction {
            Direction::Up => "up",
            Direction::Across => "across",
            Direction::Down => "down",
        };
        format!("tier{}/{direction}", self.tier)
    }
}

/// The ingress ports that compete for the egress ports of a scenario's switches.
///
/// # Errors
/// If the scenario has errors, or too many hosts.
pub fn arbitration(source: &Source, overrides: &Overrides) -> Result<Arbitration, LabError> {
    of(&prepare(source, overrides)?)
}

/// The same for a prepared scenario.
pub(crate) fn of(prepared: &Prepared) -> Result<Arbitration, LabError> {
    let n_hosts = u64::from(prepared.n_hosts());
    let n_pairs = n_hosts * n_hosts.saturating_sub(1);
    if n_pairs > MOST_PAIRS {
        return Err(ShowError::TooManyPairs { n_pairs, most: MOST_PAIRS }.into());
    }
    let mut walk = Walk::new(&prepared.compiled.model);
    for from in 0..prepared.n_hosts() {
        for to in (0..prepared.n_hosts()).filter(|&to| to != from) {
            walk.pair(HostId(from), HostId(to));
        }
    }
    let policy = policy_name(&prepared.compiled.model.balances.switch);
    Ok(described(prepared, &walk, policy))
}

/// All paths of all pairs of hosts.
struct Walk<'a> {
    model: &'a Model,
    tables: Vec<NodeTables>,
    /// For each egress port, the ingress ports by which packets for it arrive.
    met: BTreeMap<PortId, BTreeSet<PortId>>,
}

/// A node with its tables.
struct NodeTables {
    balancer: Balancer,
    static_table: Option<StaticTable>,
}

impl<'a> Walk<'a> {
    fn new(model: &'a Model) -> Walk<'a> {
        let node_tables = |number: usize| {
            let node = NodeId(number as u32);
            let neighbours = model.fabric.neighbours(node);
            let balances = &model.balances;
            let chosen = if model.fabric.is_host(node) { &balances.host } else { &balances.switch };
            let behind = model.behind(node);
            let balancer = Balancer::instantiate(chosen, model.position(node, &neighbours, &behind));
            NodeTables { balancer, static_table: StaticTable::of(&balances.static_routes, node) }
        };
        Walk { model, tables: (0..model.fabric.n_nodes()).map(node_tables).collect(), met: BTreeMap::new() }
    }

    /// Follows all paths from a host to another; a path ends at a port that it has reached before.
    fn pair(&mut self, from: HostId, to: HostId) {
        let fabric = &self.model.fabric;
        let goal = fabric.host_node(to);
        let mut seen = BTreeSet::new();
        let mut ahead: Vec<(NodeId, Option<PortId>)> = vec![(fabric.host_node(from), None)];
        while let Some((at, ingress)) = ahead.pop() {
            if at == goal || !seen.insert((at, ingress)) {
                continue;
            }
            let NodeTables { balancer, static_table } = &mut self.tables[at.index()];
            let first = fabric.port_range(at).start;
            for local in may_leave(self.model, at, from, to, static_table.as_ref(), balancer) {
                let egress = PortId(first + local);
                if let Some(ingress) = ingress {
                    self.met.entry(egress).or_default().insert(ingress);
                }
                let peer = fabric.port(egress).peer;
                ahead.push((fabric.port(peer).node, Some(peer)));
            }
        }
    }
}

fn described(prepared: &Prepared, walk: &Walk<'_>, policy: String) -> Arbitration {
    let fabric = &walk.model.fabric;
    let tiers = fabric.tiers();
    let direction = |port: PortId| {
        let (here, there) = (tiers[fabric.port(port).node.index()], tiers[fabric.neighbour(port).index()]);
        match there.cmp(&here) {
            std::cmp::Ordering::Greater => Direction::Up,
            std::cmp::Ordering::Equal => Direction::Across,
            std::cmp::Ordering::Less => Direction::Down,
        }
    };
    let link = |port: PortId| prepared.compiled.link_names[fabric.port(port).link.index()].clone();
    let nobody = BTreeSet::new();
    let egress = |port: PortId| {
        let node = fabric.port(port).node;
        let met = walk.met.get(&port).unwrap_or(&nobody);
        let from = |side: Direction| -> Vec<String> {
            met.iter().filter(|&&port| direction(port) == side).map(|&port| link(port)).collect()
        };
        EgressPort {
            at: prepared.compiled.node_names[node.index()].clone(),
            link: link(port),
            tier: tiers[node.index()],
            direction: direction(port),
            from_above: from(Direction::Up),
            from_beside: from(Direction::Across),
            from_below: from(Direction::Down),
        }
    };
    let ports = (0..fabric.ports().len() as u32).map(PortId);
    let ports: Vec<EgressPort> =
        ports.filter(|&port| !fabric.is_host(fabric.port(port).node)).map(egress).collect();
    Arbitration { policy, kinds: kinds(&ports), ports }
}

/// Groups ports by tier and direction.
fn kinds(ports: &[EgressPort]) -> Vec<EgressKind> {
    let mut by_kind: BTreeMap<(u32, Direction), Vec<&EgressPort>> = BTreeMap::new();
    for port in ports {
        by_kind.entry((port.tier, port.direction)).or_default().push(port);
    }
    let kind = |((tier, direction), ports): ((u32, Direction), Vec<&EgressPort>)| {
        let span = |count: fn(&EgressPort) -> usize| Span {
            least: ports.iter().map(|port| count(port)).min().unwrap_or(0) as u32,
            most: ports.iter().map(|port| count(port)).max().unwrap_or(0) as u32,
        };
        EgressKind {
            tier,
            direction,
            egress_ports: ports.len() as u32,
            all: span(EgressPort::n_ingress),
            from_above: span(|port| port.from_above.len()),
            from_beside: span(|port| port.from_beside.len()),
            from_below: span(|port| port.from_below.len()),
        }
    };
    by_kind.into_iter().map(kind).collect()
}

impl EgressPort {
    /// Number of ingress ports from which packets for it arrive.
    pub fn n_ingress(&self) -> usize {
        self.from_above.len() + self.from_beside.len() + self.from_below.len()
    }
}
