//! The planned network: nodes, interfaces with addresses, rates and queues, routes.
//!
//! Models: one namespace per node, one veth pair per link, one route per switch and host that is not attached to it.
//! Leaves out: the commands that create it; see [`crate::Plan::script`].
//!
//! Invariants: planning has no side effects; a fabric is refused either here or by [`crate::require`], before anything
//! is
//! created.

use std::net::Ipv4Addr;

use netloom_model::{Fabric, Model, Routing};
use netloom_units::{Bytes, NodeId, PortId, Rate};

use crate::ignored::{Ignored, ignored};
use crate::options::{Options, RouteMode};
use crate::refusal::Refusal;
use crate::scale::Scale;
use crate::{address, queue, route};

/// Largest number of nodes: one kernel forwards for all of them.
pub const MOST_NODES: usize = 64;
/// Largest number of links.
pub const MOST_LINKS: usize = 1_024;
/// Rates that token buckets keep on machines like those tested, in bits per second.
const RATES: std::ops::RangeInclusive<u64> = 100_000..=10_000_000_000;

/// See the module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The namespaces, by node; hosts come first.
    pub nodes: Vec<Node>,
    /// The interfaces, by port.
    pub interfaces: Vec<Interface>,
    /// The routes, by switch, then by host.
    pub routes: Vec<Route>,
    /// Choice among several next hops.
    pub mode: RouteMode,
    /// The factor of all rates.
    pub scale: Scale,
    /// Settings of the scenario without effect.
    pub ignored: Vec<Ignored>,
}

/// A network namespace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// The name of the node in the scenario.
    pub name: String,
    /// The address of a host; a switch has an address per port instead.
    pub address: Option<Ipv4Addr>,
}

/// One end of a veth pair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interface {
    /// Its node.
    pub node: usize,
    /// Its name at the node: `eth` and the number of the port.
    pub name: String,
    /// The other end.
    pub peer: usize,
    /// Its address.
    pub address: Ipv4Addr,
    /// Its link-layer address.
    pub link_layer: String,
    /// The rate of its token bucket.
    pub rate: Rate,
    /// The burst size of its token bucket.
    pub burst: Bytes,
    /// The limit of its queue.
    pub limit: Bytes,
}

/// Next hops of a switch towards a host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Route {
    /// The node.
    pub switch: usize,
    /// The host.
    pub host: usize,
    /// Ports of the switch.
    pub next_hops: Vec<usize>,
}

/// Plans the network of a compiled fabric.
///
/// # Errors
/// If the fabric cannot be built, with the reason.
pub fn plan(model: &Model, names: &[String], options: &Options) -> Result<Plan, Refusal> {
    let fabric = &model.fabric;
    check_size(fabric)?;
    check_topology(&model.routing)?;
    check_names(names)?;
    check_hosts(fabric, names)?;
    if let Some(Bytes(bytes)) = options.queue.filter(|bytes| bytes.0 < queue::LEAST) {
        return Err(Refusal::Queue(bytes));
    }
    let scale = scale(fabric, options)?;
    let host_address = |node: usize| (node < fabric.n_hosts()).then(|| address::host(node));
    let node = |(number, name): (usize, &String)| Node { name: name.clone(), address: host_address(number) };
    Ok(Plan {
        nodes: names.iter().enumerate().map(node).collect(),
        interfaces: (0..fabric.ports().len()).map(|port| interface(model, options, scale, port)).collect(),
        routes: route::routes(model, options.routes),
        mode: options.routes,
        scale,
        ignored: ignored(model, options.routes),
    })
}

fn interface(model: &Model, options: &Options, scale: Scale, number: usize) -> Interface {
    let fabric = &model.fabric;
    let id = PortId(number as u32);
    let port = fabric.port(id);
    let rate = scale.apply(port.rate);
    Interface {
        node: port.node.index(),
        name: format!("eth{}", fabric.local_index(id)),
        peer: port.peer.index(),
        address: address_of(fabric, id),
        link_layer: address::link_layer(number),
        rate,
        burst: queue::burst(rate),
        limit: queue::limit(fabric, &model.queues, options.queue, port.node, rate),
    }
}

fn address_of(fabric: &Fabric, id: PortId) -> Ipv4Addr {
    let (node, neighbour) = (fabric.port(id).node, fabric.neighbour(id));
    if fabric.is_host(node) {
        return address::host(node.index());
    }
    if fabric.is_host(neighbour) {
        return address::gateway(neighbour.index());
    }
    let link = fabric.port(id).link.index();
    address::switch_port(link, usize::from(fabric.links()[link].ends[1] == id))
}

fn check_size(fabric: &Fabric) -> Result<(), Refusal> {
    if fabric.n_nodes() > MOST_NODES {
        return Err(Refusal::TooManyNodes(fabric.n_nodes()));
    }
    if fabric.links().len() > MOST_LINKS {
        return Err(Refusal::TooManyLinks(fabric.links().len()));
    }
    Ok(())
}

fn check_topology(routing: &Routing) -> Result<(), Refusal> {
    match routing {
        Routing::LeafSpine(_) | Routing::FatTree(_) | Routing::Tables(_) => Ok(()),
        Routing::Dragonfly(_) | Routing::DragonflyPlus(_) => {
            Err(Refusal::Topology("its groups need routing by virtual lanes and non-minimal paths"))
        }
        Routing::Rail(_) => {
            Err(Refusal::Topology("its servers have internal links, which are not part of a network"))
        }
    }
}

fn check_names(names: &[String]) -> Result<(), Refusal> {
    let is_sign = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let is_good = |name: &str| {
        name.len() <= 63 && name.starts_with(|c: char| c.is_ascii_alphanumeric()) && name.chars().all(is_sign)
    };
    match names.iter().find(|name| !is_good(name)) {
        Some(name) => Err(Refusal::Name(name.clone())),
        None => Ok(()),
    }
}

fn check_hosts(fabric: &Fabric, names: &[String]) -> Result<(), Refusal> {
    for (host, name) in names.iter().enumerate().take(fabric.n_hosts()) {
        let neighbours = fabric.neighbours(NodeId(host as u32));
        let &[neighbour] = &neighbours[..] else {
            return Err(Refusal::HostLinks { host: name.clone(), n_links: neighbours.len() });
        };
        if fabric.is_host(neighbour) {
            return Err(Refusal::HostToHost(name.clone(), names[neighbour.index()].clone()));
        }
    }
    Ok(())
}

fn scale(fabric: &Fabric, options: &Options) -> Result<Scale, Refusal> {
    let rates = || fabric.ports().iter().map(|port| port.rate);
    let fastest = rates().max().unwrap_or(Rate(1));
    let scale = Scale::of(options.scale, fastest);
    let (slowest, fastest) = (scale.apply(rates().min().unwrap_or(fastest)), scale.apply(fastest));
    if RATES.contains(&slowest.0) && RATES.contains(&fastest.0) {
        return Ok(scale);
    }
    Err(Refusal::Rates { scale: scale.to_string(), slowest, fastest })
}

impl Plan {
    /// The hosts, in order.
    pub fn hosts(&self) -> impl Iterator<Item = (&Node, Ipv4Addr)> {
        self.nodes.iter().filter_map(|node| Some((node, node.address?)))
    }

    /// The namespace that the command runs in: that of the first host.
    pub fn first_host(&self) -> &str {
        self.nodes.first().map_or("", |node| &node.name)
    }

    /// Notes for the user, a line each: size, rates and queues, and settings that are not imitated.
    pub fn notes(&self) -> Vec<String> {
        let n_hosts = self.hosts().count();
        let (n_switches, n_links) = (self.nodes.len() - n_hosts, self.interfaces.len() / 2);
        let rates = spread(self.interfaces.iter().map(|port| port.rate.0), bits);
        let of_switches = || self.interfaces.iter().filter(|port| self.nodes[port.node].address.is_none());
        let limits = spread(of_switches().map(|port| port.limit.0), |bytes| format!("{bytes} B"));
        let longest = of_switches().map(|port| port.limit.0 * 8_000 / port.rate.0.max(1)).max().unwrap_or(0);
        let mut lines = vec![
            format!(
                "testbed: {n_hosts} hosts, {n_switches} switches, {n_links} links in namespaces of this machine"
            ),
            format!("rates are {} of those in the scenario: {rates}", self.scale),
            format!("the queue of a switch port holds {limits}, at most {longest} ms at its rate"),
        ];
        let line = |ignored: &Ignored| format!("not imitated: {}; {}", ignored.setting, ignored.instead);
        lines.extend(self.ignored.iter().map(line));
        lines
    }
}

/// One value, or the smallest and the largest.
fn spread(values: impl Iterator<Item = u64> + Clone, shown: impl Fn(u64) -> String) -> String {
    let (least, most) = (values.clone().min().unwrap_or(0), values.max().unwrap_or(0));
    if least == most { shown(least) } else { format!("{} to {}", shown(least), shown(most)) }
}

fn bits(rate: u64) -> String {
    format!("{} Mbit/s", rate as f64 / 1e6)
}
