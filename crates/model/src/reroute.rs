//! Shortest paths by breadth-first search: tables for a healthy fabric, an overlay for one with dead links.
//!
//! Models: perfect knowledge of the live links, all shortest paths, or all shortest up-down paths; every link is one
//! hop. In a fabric of groups all paths with the fewest global links, and of these with the fewest local ones, where
//! arriving at a group one local hop from the destination costs nothing, nor does starting one local hop from the
//! global link: so in a healthy fabric these are the minimal paths of [`crate::routing`].
//! Leaves out: how long failure information takes to spread (the engine decides when an overlay takes effect), weights.
//!
//! Invariants: hosts never forward. Hosts that no search can distinguish are searched for once: the cost is groups of
//! destinations times links, the memory switches times groups for tables and the differences alone for an overlay.
//! Nothing depends on the order of a hash.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use netloom_units::{HostId, NodeId};

use crate::fabric::{Fabric, Port};
use crate::fault::ReroutePaths;
use crate::levels::Levels;
use crate::routing::{Difference, Direct, Lists, Overlay, PortKind, Routing, Tables};

/// No path.
const UNREACHABLE: u32 = u32::MAX;
/// Denotes any host in the description of a node's ports.
const A_HOST: u32 = u32::MAX;
/// Denotes a dead link in the description of a node's ports.
const DEAD: u32 = u32::MAX - 1;

/// The healthy next hops of every node towards every host.
pub fn tables(fabric: &Fabric) -> Tables {
    tables_of(fabric, &[Search::next_hops])
}

/// As [`tables`], with the next hops on paths one link longer than minimal: to neighbours at the same distance. If
/// there is no such neighbour the tables are those of [`tables`].
pub fn tables_with_longer(fabric: &Fabric) -> Tables {
    let both = tables_of(fabric, &[Search::next_hops, Search::sideways]);
    if both.has_longer() { both } else { tables(fabric) }
}

/// Selects ports of a switch after a search.
type PortSelector = for<'a> fn(&'a mut Search, &LiveFabric, NodeId) -> &'a [u32];

/// The selected ports of every node towards every host; one selection after the other in each row.
fn tables_of(fabric: &Fabric, selectors: &[PortSelector]) -> Tables {
    let live = LiveFabric::new(fabric, &[], None);
    let groups = live.destinations();
    let classes = live.sources();
    let mut lists = Interner::default();
    let n_groups = groups.members.len();
    let n_columns = n_groups * selectors.len();
    let mut cells = vec![0; classes.members.len() * n_columns];
    let mut search = Search::new(fabric);
    for (group, &host) in groups.members.iter().enumerate() {
        search.run(&live, NodeId(host));
        for (row, &node) in classes.members.iter().enumerate() {
            for (part, select) in selectors.iter().enumerate() {
                let cell = row * n_columns + part * n_groups + group;
                cells[cell] = lists.number(select(&mut search, &live, NodeId(node)));
            }
        }
    }
    let (direct_starts, direct) = last_hops(&live, &mut lists);
    let (row_of_node, cells) = shared_rows(&classes.number_of, &cells, n_columns);
    Tables {
        group_of_host: groups.number_of,
        row_of_node,
        n_groups: n_groups as u32,
        n_columns: n_columns as u32,
        cells,
        direct_starts,
        direct,
        lists: lists.lists,
    }
}

/// Where live paths of the chosen kind differ from the healthy ones without each node's own dead ports.
///
/// `dead` has one entry per link. A node from which a path down is left uses none up, so that tables by destination
/// suffice for up-down paths.
///
/// # Panics
/// If `dead` has another length.
pub fn overlay(fabric: &Fabric, routing: &Routing, dead: &[bool], paths: ReroutePaths) -> Overlay {
    assert_eq!(dead.len(), fabric.links().len(), "one entry per link");
    if !dead.contains(&true) {
        return Overlay::default();
    }
    let by_groups = paths == ReroutePaths::Shortest && routing.n_groups() > 0;
    let live = LiveFabric::new(fabric, dead, by_groups.then_some(routing));
    let groups = live.destinations();
    let classes = live.sources();
    let mut lists = Interner::default();
    let mut entries = Vec::new();
    let mut group_starts = vec![0];
    let mut search = Search::new(fabric);
    search.levels = (paths == ReroutePaths::UpDown).then(|| Levels::new(fabric));
    search.by_groups = by_groups;
    for &host in &groups.members {
        search.run(&live, NodeId(host));
        for (class, &node) in classes.members.iter().enumerate() {
            let (node, class) = (NodeId(node), class as u32);
            if let Some(ports) = search.difference(&live, routing, node, HostId(host)) {
                entries.push(Difference { class, list: lists.number(ports) });
            }
        }
        group_starts.push(entries.len() as u32);
    }
    Overlay {
        group_of_host: groups.number_of,
        class_of_node: classes.number_of,
        group_starts,
        entries,
        joined: live.joined_hosts(),
        lists: lists.lists,
    }
}

/// A fabric without its dead links.
struct LiveFabric<'a> {
    fabric: &'a Fabric,
    /// One entry per link, or empty if every link is live.
    dead: &'a [bool],
    /// Start of each node's links in `switch_links`, with one closing entry.
    starts: Vec<u32>,
    /// The live ports that lead to switches, node by node: the only ones that a search visits.
    switch_links: Vec<SwitchLink>,
}

/// A live port that leads to a switch.
#[derive(Clone, Copy)]
struct SwitchLink {
    switch: u32,
    local: u32,
    /// Whether it leads to another group; unused in searches without groups.
    is_global: bool,
}

impl<'a> LiveFabric<'a> {
    fn new(fabric: &'a Fabric, dead: &'a [bool], groups: Option<&Routing>) -> LiveFabric<'a> {
        let mut live = LiveFabric { fabric, dead, starts: vec![0], switch_links: Vec::new() };
        for node in (0..fabric.n_nodes() as u32).map(NodeId) {
            for (local, port) in (0_u32..).zip(fabric.ports_of(node)) {
                let end = live.far_end(port);
                if live.is_live(port) && !fabric.is_host(end) {
                    let is_global =
                        groups.is_some_and(|routing| routing.port_kind(node, local) == PortKind::Global);
                    live.switch_links.push(SwitchLink { switch: end.0, local, is_global });
                }
            }
            live.starts.push(live.switch_links.len() as u32);
        }
        live
    }

    fn links_of(&self, node: NodeId) -> &[SwitchLink] {
        &self.switch_links[self.starts[node.index()] as usize..self.starts[node.index() + 1] as usize]
    }

    fn is_live(&self, port: &Port) -> bool {
        !self.dead.get(port.link.index()).copied().unwrap_or(false)
    }

    fn far_end(&self, port: &Port) -> NodeId {
        self.fabric.port(port.peer).node
    }

    /// The nodes at the far ends of a node's ports that satisfy `passes`, sorted, each once.
    fn neighbours(&self, node: NodeId, passes: impl Fn(&Port, NodeId) -> bool) -> Vec<u32> {
        let ports = self.fabric.ports_of(node).iter();
        let ends = ports.filter_map(|port| {
            let end = self.far_end(port);
            passes(port, end).then_some(end.0)
        });
        let mut ends: Vec<u32> = ends.collect();
        ends.sort_unstable();
        ends.dedup();
        ends
    }

    /// Host neighbours behind dead links only: neither end can use the other as its neighbour any more.
    fn lost_hosts(&self, node: NodeId) -> Vec<u32> {
        let is_host = |end| self.fabric.is_host(end);
        let live = self.neighbours(node, |port, end| self.is_live(port) && is_host(end));
        let mut all = self.neighbours(node, |_, end| is_host(end));
        all.retain(|end| live.binary_search(end).is_err());
        all
    }

    /// Hosts that all nodes not joined to them by a live link reach over the same ports, healthy or not.
    fn destinations(&self) -> Classes {
        let is_switch = |end| !self.fabric.is_host(end);
        Classes::new(self.fabric.n_hosts(), |host| {
            let node = NodeId(host);
            Some([
                self.neighbours(node, |_, end| is_switch(end)),
                self.neighbours(node, |port, end| self.is_live(port) && is_switch(end)),
                self.lost_hosts(node),
            ])
        })
    }

    /// Nodes that reach every host not joined to them by a live link through the same local ports.
    fn sources(&self) -> Classes {
        Classes::new(self.fabric.n_nodes(), |node| {
            let node = NodeId(node);
            self.fabric.is_host(node).then(|| {
                let healthy = |port: &Port| match self.far_end(port) {
                    end if self.fabric.is_host(end) => A_HOST,
                    end => end.0,
                };
                let now = |port: &Port| if self.is_live(port) { healthy(port) } else { DEAD };
                let ports = self.fabric.ports_of(node);
                let healthy: Vec<u32> = ports.iter().map(healthy).collect();
                [healthy, ports.iter().map(now).collect(), self.lost_hosts(node)]
            })
        })
    }

    /// Pairs of hosts joined by a live link.
    fn joined_hosts(&self) -> Vec<(NodeId, HostId)> {
        let hosts = (0..self.fabric.n_hosts() as u32).map(NodeId);
        let pairs = hosts.flat_map(|node| {
            let near = self.neighbours(node, |p, end| self.is_live(p) && self.fabric.is_host(end));
            near.into_iter().map(move |end| (node, HostId(end)))
        });
        pairs.collect()
    }
}

/// Nodes classified by a key; a node without a key is a class of its own.
struct Classes {
    number_of: Vec<u32>,
    /// The first node of each class.
    members: Vec<u32>,
}

impl Classes {
    fn new(n_nodes: usize, key: impl Fn(u32) -> Option<[Vec<u32>; 3]>) -> Classes {
        let mut known = BTreeMap::new();
        let mut members = Vec::new();
        let mut number_of = Vec::with_capacity(n_nodes);
        for node in 0..n_nodes as u32 {
            let fresh = members.len() as u32;
            let number = key(node).map_or(fresh, |key| *known.entry(key).or_insert(fresh));
            if number == fresh {
                members.push(node);
            }
            number_of.push(number);
        }
        Classes { number_of, members }
    }
}

/// Length of a path from a switch to a host in a fabric of groups: global links, and below [`Hops::LOCAL_BITS`] all
/// others.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Hops(u32);

impl Hops {
    /// Bits for the local links of a path, of which there are no more than switches.
    const LOCAL_BITS: u32 = 20;
    /// The last hop, to the host.
    const LAST: u32 = 1;

    fn global(self) -> u32 {
        self.0 >> Hops::LOCAL_BITS
    }

    /// Raised to at least `local` local links after the same number of global ones.
    fn at_least(self, local: u32) -> Hops {
        Hops(self.0.max((self.global() << Hops::LOCAL_BITS) | (Hops::LAST + local)))
    }

    /// The length from the switch at the other end of a link. All switches of a group that are at most one local link
    /// away are equal ends of a global one.
    fn behind(self, is_global: bool) -> Hops {
        if is_global {
            Hops(self.at_least(1).0.saturating_add(1 << Hops::LOCAL_BITS))
        } else {
            Hops(self.0.saturating_add(1))
        }
    }

    /// The length as seen by a host joined to the switch: global links are equally near in its whole group, and so are
    /// other hosts of the group.
    fn seen_by_host(self) -> Hops {
        self.at_least(if self.global() == 0 { 1 } else { 2 })
    }
}

/// One breadth-first search from a host outwards, through switches only.
struct Search {
    /// Hops from each switch to the host.
    distance: Vec<u32>,
    /// The order of nodes, for up-down paths.
    levels: Option<Levels>,
    /// Whether path lengths count global links first; distances are then those of [`Hops`].
    by_groups: bool,
    /// The switches that the search has reached: with levels, those with a path down to the host.
    queue: Vec<NodeId>,
    /// By node, whether it is among them.
    met: Vec<bool>,
    ports: Vec<u32>,
}

impl Search {
    fn new(fabric: &Fabric) -> Search {
        let n_nodes = fabric.n_nodes();
        let (distance, met) = (vec![UNREACHABLE; n_nodes], vec![false; n_nodes]);
        Search { distance, levels: None, by_groups: false, queue: Vec::new(), met, ports: Vec::new() }
    }

    fn run(&mut self, live: &LiveFabric, host: NodeId) {
        self.distance.fill(UNREACHABLE);
        if self.by_groups {
            return self.run_by_groups(live, host);
        }
        self.queue.clear();
        self.met.fill(false);
        self.visit(live, host, 0);
        let mut next = 0;
        while let Some(&node) = self.queue.get(next) {
            self.visit(live, node, self.distance[node.index()]);
            next += 1;
        }
        if let Some(levels) = &self.levels {
            for &node in &levels.falling {
                if !self.met[node.index()] {
                    let nearest =
                        self.upwards(live, node).map(|link| self.distance[link.switch as usize]).min();
                    self.distance[node.index()] = nearest.map_or(UNREACHABLE, |hops| hops.saturating_add(1));
                }
            }
        }
    }

    /// From the nearest switch to the farthest one: a path is never shorter than its remainder.
    fn run_by_groups(&mut self, live: &LiveFabric, host: NodeId) {
        let mut open = BinaryHeap::new();
        for link in live.links_of(host) {
            self.distance[link.switch as usize] = Hops::LAST;
            open.push(Reverse((Hops::LAST, link.switch)));
        }
        while let Some(Reverse((distance, node))) = open.pop() {
            if distance > self.distance[node as usize] {
                continue;
            }
            for link in live.links_of(NodeId(node)) {
                let farther = Hops(distance).behind(link.is_global).0;
                let known = &mut self.distance[link.switch as usize];
                if farther < *known {
                    *known = farther;
                    open.push(Reverse((farther, link.switch)));
                }
            }
        }
    }

    fn visit(&mut self, live: &LiveFabric, node: NodeId, distance: u32) {
        for link in live.links_of(node) {
            let (switch, position) = (NodeId(link.switch), link.switch as usize);
            let counts = self.levels.as_ref().is_none_or(|levels| levels.is_above(switch, node));
            if counts && self.distance[position] == UNREACHABLE {
                self.distance[position] = distance + 1;
                self.met[position] = true;
                self.queue.push(switch);
            }
        }
    }

    /// Links of a node without a path down that packets may take: those upwards, or all if there are no levels.
    fn upwards<'a>(
        &'a self,
        live: &'a LiveFabric,
        node: NodeId,
    ) -> impl Iterator<Item = &'a SwitchLink> + Clone {
        let is_above = move |link: &&SwitchLink| {
            self.levels.as_ref().is_none_or(|levels| levels.is_above(NodeId(link.switch), node))
        };
        live.links_of(node).iter().filter(is_above)
    }

    /// Links of a node with a path down that packets may take: those downwards, or all if there are no levels.
    fn downwards<'a>(
        &'a self,
        live: &'a LiveFabric,
        node: NodeId,
    ) -> impl Iterator<Item = &'a SwitchLink> + Clone {
        let is_below = move |link: &&SwitchLink| {
            let switch = NodeId(link.switch);
            self.levels
                .as_ref()
                .is_none_or(|levels| self.met[switch.index()] && !levels.is_above(switch, node))
        };
        live.links_of(node).iter().filter(is_below)
    }

    /// The local ports of `node` towards the host, through switches.
    fn next_hops(&mut self, live: &LiveFabric, node: NodeId) -> &[u32] {
        let mut ports = std::mem::take(&mut self.ports);
        ports.clear();
        if self.by_groups {
            self.nearest_by_groups(live, node, &mut ports);
        } else if self.met[node.index()] {
            self.nearest(self.downwards(live, node), &mut ports);
        } else {
            self.nearest(self.upwards(live, node), &mut ports);
        }
        self.ports = ports;
        &self.ports
    }

    /// The local ports of a switch to switches at its own distance from the host.
    fn sideways(&mut self, live: &LiveFabric, node: NodeId) -> &[u32] {
        let own = self.distance[node.index()];
        let links = if own == UNREACHABLE { &[][..] } else { live.links_of(node) };
        let is_level = |link: &&SwitchLink| self.distance[link.switch as usize] == own;
        self.ports.clear();
        self.ports.extend(links.iter().filter(is_level).map(|link| link.local));
        &self.ports
    }

    /// The local ports of those links that lead nearest to the host.
    fn nearest<'a>(&self, links: impl Iterator<Item = &'a SwitchLink> + Clone, ports: &mut Vec<u32>) {
        let distance = |link: &SwitchLink| self.distance[link.switch as usize];
        let nearest = links.clone().map(distance).min().unwrap_or(UNREACHABLE);
        if nearest != UNREACHABLE {
            ports.extend(links.filter(|link| distance(link) == nearest).map(|link| link.local));
        }
    }

    /// The local ports of a node's best paths, counting global links first.
    fn nearest_by_groups(&self, live: &LiveFabric, node: NodeId, ports: &mut Vec<u32>) {
        let is_host = live.fabric.is_host(node);
        let hops = |link: &SwitchLink| match Hops(self.distance[link.switch as usize]) {
            far @ Hops(UNREACHABLE) => far,
            hops if is_host => hops.seen_by_host(),
            hops => hops.behind(link.is_global),
        };
        let links = live.links_of(node);
        let best = links.iter().map(hops).min().unwrap_or(Hops(UNREACHABLE));
        if best != Hops(UNREACHABLE) {
            ports.extend(links.iter().filter(|link| hops(link) == best).map(|link| link.local));
        }
    }

    /// The live next hops where they differ from the healthy ones without the node's own dead ports.
    fn difference(
        &mut self,
        live: &LiveFabric,
        routing: &Routing,
        node: NodeId,
        host: HostId,
    ) -> Option<&[u32]> {
        let ports = live.fabric.ports_of(node);
        if self.distance[node.index()] == 1 {
            // The last hop: the live ones of the links to this very host, which the node selects by itself.
            return None;
        }
        let healthy = routing.next_hops(node, host);
        let by_itself = healthy.iter().filter(|&local| live.is_live(&ports[local as usize]));
        let next_hops = self.next_hops(live, node);
        (!by_itself.eq(next_hops.iter().copied())).then_some(next_hops)
    }
}

/// Stores each list once.
#[derive(Default)]
struct Interner {
    known: BTreeMap<Vec<u32>, u32>,
    lists: Lists,
}

impl Interner {
    fn number(&mut self, ports: &[u32]) -> u32 {
        if let Some(&number) = self.known.get(ports) {
            return number;
        }
        let number = self.known.len() as u32;
        self.known.insert(ports.to_vec(), number);
        if number == 0 {
            self.lists.starts.push(0);
        }
        self.lists.ports.extend(ports);
        self.lists.starts.push(self.lists.ports.len() as u32);
        number
    }
}

/// The links that lead directly to hosts, node by node.
fn last_hops(live: &LiveFabric, lists: &mut Interner) -> (Vec<u32>, Vec<Direct>) {
    let mut starts = vec![0];
    let mut direct = Vec::new();
    for node in (0..live.fabric.n_nodes() as u32).map(NodeId) {
        let ports = live.fabric.ports_of(node);
        let mut ends: Vec<(u32, u32)> = (0_u32..)
            .zip(ports)
            .map(|(local, port)| (live.far_end(port).0, local))
            .filter(|&(end, _)| live.fabric.is_host(NodeId(end)))
            .collect();
        ends.sort_unstable();
        for bundle in ends.chunk_by(|left, right| left.0 == right.0) {
            let locals: Vec<u32> = bundle.iter().map(|&(_, local)| local).collect();
            direct.push(Direct { host: HostId(bundle[0].0), list: lists.number(&locals) });
        }
        starts.push(direct.len() as u32);
    }
    (starts, direct)
}

/// Stores each row of cells once: in a Clos all switches of a tier but the lowest have the same.
fn shared_rows(row_of_node: &[u32], cells: &[u32], n_columns: usize) -> (Vec<u32>, Vec<u32>) {
    let mut known = BTreeMap::new();
    let mut shared = Vec::new();
    let mut number_of = Vec::new();
    // Without hosts there is no group, and no row is ever looked up.
    for row in cells.chunks_exact(n_columns.max(1)) {
        let fresh = known.len() as u32;
        let number = *known.entry(row).or_insert(fresh);
        if number == fresh {
            shared.extend_from_slice(row);
        }
        number_of.push(number);
    }
    let new_row = |&row: &u32| number_of.get(row as usize).copied().unwrap_or(0);
    (row_of_node.iter().map(new_row).collect(), shared)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabric::FabricBuilder;
    use netloom_units::{Duration, Rate};

    /// Two hosts on two switches each, switches joined, and one link from host to host.
    fn fabric(links: &[(u32, u32)]) -> Fabric {
        let mut builder = FabricBuilder::new(3, 2);
        for &(from, to) in links {
            builder.link(NodeId(from), NodeId(to), Rate(1), Duration(1));
        }
        builder.build()
    }

    fn list(set: Option<crate::PortSet>) -> Option<Vec<u32>> {
        set.map(|set| set.iter().collect())
    }

    const LINKS: &[(u32, u32)] = &[(0, 3), (0, 4), (1, 3), (1, 4), (0, 1), (2, 4), (3, 4), (2, 4)];

    #[test]
    fn a_link_between_two_hosts_is_used_by_these_two_only() {
        let tables = tables(&fabric(LINKS));
        let next = |node, host| -> Vec<u32> { tables.next_hops(NodeId(node), HostId(host)).iter().collect() };
        assert_eq!(next(0, 1), [2]);
        assert_eq!(next(1, 0), [2]);
        assert_eq!(next(0, 2), [1]);
        assert_eq!(next(4, 2), [2, 4]);
        assert_eq!(next(3, 2), [2]);
        assert_eq!(next(2, 0), [0, 1]);
    }

    #[test]
    fn an_overlay_holds_differences_only() {
        let fabric = fabric(LINKS);
        let routing = Routing::Tables(tables(&fabric));
        let with_dead = |dead_links: &[usize]| {
            let mut dead = vec![false; LINKS.len()];
            for &link in dead_links {
                dead[link] = true;
            }
            overlay(&fabric, &routing, &dead, ReroutePaths::Shortest)
        };
        assert!(with_dead(&[]).is_empty());
        assert!(with_dead(&[5]).is_empty(), "one of two parallel links: its ends see it");
        let direct = with_dead(&[4]);
        assert_eq!(list(direct.next_hops(NodeId(0), HostId(1))), Some(vec![0, 1]));
        assert_eq!(list(direct.next_hops(NodeId(0), HostId(2))), None);
        let cut = with_dead(&[5, 7]);
        for node in [0, 1, 3, 4] {
            let expected = if node == 4 { None } else { Some(vec![]) };
            assert_eq!(list(cut.next_hops(NodeId(node), HostId(2))), expected, "node {node}");
        }
        assert_eq!(list(cut.next_hops(NodeId(0), HostId(1))), None);
    }

    #[test]
    fn a_fabric_without_hosts_has_no_tables() {
        assert_eq!(tables(&FabricBuilder::new(0, 2).build()).heap_bytes(), 4 * (2 + 3));
    }
}
