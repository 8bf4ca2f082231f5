//! Next hops of every switch towards every host, as configured in the kernel.
//!
//! Models: the shortest paths of the model's routing: all of them, or if pinned the one in destination-based forwarding
//! tables (`balance: deterministic` by destination).
//! Leaves out: static routes of the scenario, failed links.
//!
//! Invariants: a switch has a route to every host except those attached to it, which it reaches directly.

use netloom_model::{Fabric, Model};
use netloom_units::{HostId, NodeId, PortId};

use crate::options::RouteMode;
use crate::plan::Route;

/// All routes, in the order of switches, then of hosts.
pub fn routes(model: &Model, mode: RouteMode) -> Vec<Route> {
    let fabric = &model.fabric;
    let switches = fabric.n_hosts()..fabric.n_nodes();
    let pairs = switches.flat_map(|switch| (0..fabric.n_hosts()).map(move |host| (switch, host)));
    pairs.filter_map(|(switch, host)| route(model, mode, switch, host)).collect()
}

fn route(model: &Model, mode: RouteMode, switch: usize, host: usize) -> Option<Route> {
    let (node, destination) = (NodeId(switch as u32), HostId(host as u32));
    let set = model.routing.next_hops(node, destination);
    let first = model.fabric.port_range(node).start;
    let mut next_hops: Vec<usize> = set.iter().map(|local| (first + local) as usize).collect();
    if next_hops.is_empty() || leads_to(&model.fabric, next_hops[0], host) {
        return None;
    }
    if let RouteMode::Pinned { together } = mode {
        let turn = model.routing.deal(node).turn(destination) / together.max(1) as usize;
        next_hops = vec![next_hops[turn % next_hops.len()]];
    }
    Some(Route { switch, host, next_hops })
}

fn leads_to(fabric: &Fabric, port: usize, host: usize) -> bool {
    fabric.neighbour(PortId(port as u32)).index() == host
}
