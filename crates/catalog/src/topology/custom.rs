//! # Idea
//! Any connected graph: hosts, switches and links, as listed.
//!
//! # Source
//! Own definition.
//!
//! # Parameters
//! None; lists of hosts, switches and links instead, each link with rate, delay and a number of parallel copies.
//!
//! # Invariants
//! Nodes, links and ports keep the order of the lists. Every host reaches every other one without passing through a
//! third. Routing is by tables from breadth-first search: every link counts as one hop.
//!
//! # When it misleads
//! All shortest paths are used, however slow or oversubscribed a link on them is: hops are counted, not rates.

use std::collections::BTreeMap;

use netloom_model::{Fabric, FabricBuilder, Routing};
use netloom_units::{Duration, NodeId, Rate, Spec};

use super::{Built, MAXIMUM_HOSTS, MAXIMUM_LINKS, MAXIMUM_SWITCHES, TopologyError, within};
use crate::routing;

/// The specification.
pub static SPEC: Spec = Spec {
    name: "custom",
    summary: "hosts, switches and links as listed",
    source: "modelling assumption",
    parameters: &[],
};

/// Nodes and links by name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Graph {
    /// Names of the hosts.
    pub hosts: Vec<String>,
    /// Names of the switches.
    pub switches: Vec<String>,
    /// The links between them.
    pub links: Vec<Bundle>,
}

/// Parallel links between two nodes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bundle {
    /// Name of one end.
    pub from: String,
    /// Name of the other end.
    pub to: String,
    /// Rate of each link.
    pub rate: Rate,
    /// Propagation delay of each link.
    pub delay: Duration,
    /// Number of parallel links.
    pub count: u32,
}

/// Builds the fabric that the lists describe.
///
/// # Errors
/// When it is too large, a name is unknown or used twice, a link is invalid, or a host cannot reach another.
pub fn build(graph: &Graph) -> Result<Built, TopologyError> {
    let n_links = graph.links.iter().map(|bundle| u64::from(bundle.count)).sum();
    within("hosts", "those listed", Some(graph.hosts.len() as u64), MAXIMUM_HOSTS)?;
    within("switches", "those listed", Some(graph.switches.len() as u64), MAXIMUM_SWITCHES)?;
    within("links", "the counts of those listed", Some(n_links), MAXIMUM_LINKS)?;
    let number_of = numbers(graph)?;
    let mut builder = FabricBuilder::new(graph.hosts.len() as u32, graph.switches.len() as u32);
    for (position, bundle) in graph.links.iter().enumerate() {
        let (from, to) = ends(&number_of, position, bundle)?;
        for _ in 0..bundle.count {
            builder.link(from, to, bundle.rate, bundle.delay);
        }
    }
    let link_names = link_names(graph)?;
    let fabric = builder.build();
    check_reach(graph, &fabric)?;
    Ok(Built {
        routing: Routing::Tables(routing::tables(&fabric)),
        fabric,
        node_names: graph.hosts.iter().chain(&graph.switches).cloned().collect(),
        link_names,
    })
}

fn numbers(graph: &Graph) -> Result<BTreeMap<&str, NodeId>, TopologyError> {
    let mut number_of = BTreeMap::new();
    for (number, name) in (0_u32..).zip(graph.hosts.iter().chain(&graph.switches)) {
        if number_of.insert(name.as_str(), NodeId(number)).is_some() {
            return Err(TopologyError::RepeatedNode(name.clone()));
        }
    }
    Ok(number_of)
}

fn ends(
    number_of: &BTreeMap<&str, NodeId>,
    link: usize,
    bundle: &Bundle,
) -> Result<(NodeId, NodeId), TopologyError> {
    let find = |name: &String| {
        let found = number_of.get(name.as_str()).copied();
        found.ok_or_else(|| TopologyError::UnknownNode { link, name: name.clone() })
    };
    let (from, to) = (find(&bundle.from)?, find(&bundle.to)?);
    if from == to {
        return Err(TopologyError::Loop { link, name: bundle.from.clone() });
    }
    if bundle.rate.0 == 0 || bundle.count == 0 {
        return Err(TopologyError::Useless { link, name: bundle.from.clone() });
    }
    Ok((from, to))
}

/// `a-b`, or `a-b.0`, `a-b.1` and so on where several links join the same two nodes.
fn link_names(graph: &Graph) -> Result<Vec<String>, TopologyError> {
    let mut copies: BTreeMap<(&str, &str), (u32, u32)> = BTreeMap::new();
    for bundle in &graph.links {
        copies.entry(pair(bundle)).or_default().0 += bundle.count;
    }
    let mut names = Vec::new();
    for bundle in &graph.links {
        let (total, next) = copies.get_mut(&pair(bundle)).expect("all pairs were counted");
        for _ in 0..bundle.count {
            let stem = format!("{}-{}", bundle.from, bundle.to);
            names.push(if *total == 1 { stem } else { format!("{stem}.{next}") });
            *next += 1;
        }
    }
    let mut sorted: Vec<&String> = names.iter().collect();
    sorted.sort_unstable();
    match sorted.windows(2).find(|two| two[0] == two[1]) {
        Some(two) => Err(TopologyError::RepeatedLink(two[0].clone())),
        None => Ok(names),
    }
}

/// The two ends, in an order independent of how the link is written.
fn pair(bundle: &Bundle) -> (&str, &str) {
    let (from, to) = (bundle.from.as_str(), bundle.to.as_str());
    if from < to { (from, to) } else { (to, from) }
}

/// Rejects a fabric in which a host cannot reach another, because every later stage relies on it.
fn check_reach(graph: &Graph, fabric: &Fabric) -> Result<(), TopologyError> {
    let island = islands(fabric);
    let mut hosts_on: BTreeMap<Vec<u32>, Vec<u32>> = BTreeMap::new();
    for host in 0..fabric.n_hosts() as u32 {
        let mut shores: Vec<u32> = neighbours(fabric, NodeId(host))
            .filter(|&end| !fabric.is_host(end))
            .map(|end| island[end.index()])
            .collect();
        shores.sort_unstable();
        shores.dedup();
        hosts_on.entry(shores).or_default().push(host);
    }
    // There are few different sets of connected components: one in a connected fabric.
    for (shores, hosts) in &hosts_on {
        for (others, far_hosts) in &hosts_on {
            if shores.iter().any(|shore| others.contains(shore)) {
                continue;
            }
            if let Some((from, to)) = unjoined(fabric, hosts, far_hosts) {
                let name = |host: u32| graph.hosts[host as usize].clone();
                return Err(TopologyError::Unreachable { from: name(from), to: name(to) });
            }
        }
    }
    Ok(())
}

/// The connected component of each switch when hosts do not forward.
fn islands(fabric: &Fabric) -> Vec<u32> {
    let mut island = vec![u32::MAX; fabric.n_nodes()];
    for start in fabric.n_hosts() as u32..fabric.n_nodes() as u32 {
        if island[start as usize] != u32::MAX {
            continue;
        }
        island[start as usize] = start;
        let mut todo = vec![NodeId(start)];
        while let Some(node) = todo.pop() {
            for end in neighbours(fabric, node) {
                if !fabric.is_host(end) && island[end.index()] == u32::MAX {
                    island[end.index()] = start;
                    todo.push(end);
                }
            }
        }
    }
    island
}

fn neighbours(fabric: &Fabric, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
    fabric.ports_of(node).iter().map(|port| fabric.port(port.peer).node)
}

/// Two different hosts of the two lists that no link joins.
fn unjoined(fabric: &Fabric, hosts: &[u32], far_hosts: &[u32]) -> Option<(u32, u32)> {
    for &host in hosts {
        let mut near: Vec<u32> = neighbours(fabric, NodeId(host)).map(|end| end.0).collect();
        near.push(host);
        near.sort_unstable();
        if let Some(&far) = far_hosts.iter().find(|&far| near.binary_search(far).is_err()) {
            return Some((host, far));
        }
    }
    None
}
