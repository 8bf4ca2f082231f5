//! The ports of a fabric tier by tier: a strip of cells for each pair of kinds of nodes and each direction.
//!
//! Models: kinds of nodes by their names, so that ports from GPUs to the switch of their server, to a rail, and from a
//! rail to a spine are in strips of their own; cells of one port, or of neighbouring ports in a large fabric.
//! Leaves out: time; values are of the span or of the whole run, as stated at each.
//!
//! Invariants: every port is in one cell; a cell has the value of its worst port, never a mean, so that one hot port is
//! seen in a fabric of any size.

use std::collections::{BTreeMap, BTreeSet};

use flate2::Compression;
use netloom_records::statistics::PortShares;
use netloom_records::{Batch, DropRow, PortRow, SignalRow};
use netloom_units::{LinkId, NodeId};
use serde::Serialize;

use super::Collector;
use super::port_kinds::ports_by_kinds;
use super::used_ports::UsedPorts;
use crate::collect::About;
use crate::drawing::pack::{pack, pack_text};
use crate::round::share;

/// Most cells of a strip: 512 hosts have a cell per port, 8,192 one per 8 ports.
const MOST_CELLS: usize = 1_024;
/// Fewest cells for which a strip has room with any number of runs.
const LEAST_CELLS: usize = 64;
/// Most cells of all strips of all runs of a page.
const MOST_CELLS_OF_ALL: usize = 65_536;
/// Shares are packed as hundredths of a percent.
const PART: f64 = 1e4;

/// Data of a run.
#[derive(Debug, Default)]
pub struct TierPorts {
    used: UsedPorts,
    /// Packets dropped by port, and time paused in ps.
    dropped: BTreeMap<u32, u64>,
    paused: BTreeMap<u32, u64>,
}

impl Collector for TierPorts {
    fn take(&mut self, about: &About, batch: Batch<'_>) {
        self.used.take(about, batch);
        match batch {
            Batch::Drops(rows) => {
                for (port, packets) in
                    rows.iter().filter_map(|&DropRow { port, packets, .. }| Some((port?, packets)))
                {
                    *self.dropped.entry(port.0).or_default() += packets;
                }
            }
            Batch::Signals(rows) => {
                for &SignalRow { port, paused, .. } in rows.iter().filter(|row| row.paused.0 > 0) {
                    self.paused.insert(port.0, paused.0);
                }
            }
            _ => {}
        }
    }
}

/// The strips of one run.
#[derive(Debug, Clone, Serialize)]
pub struct RunData {
    /// The strips: upwards from the hosts, within a tier, downwards.
    pub strips: Vec<StripData>,
    /// Four numbers of each cell of each strip, each of its worst port: utilization in hundredths of a percent, longest queue in
    /// bytes, packets dropped, time paused in hundredths of a percent; all values of the first kind of a strip come first.
    pub packed: String,
    /// Names of each cell of each strip as a packed text: a line for each cell, with its first and last node and the ends of
    /// its busiest port, separated by tabs.
    pub names: String,
}

/// The ports of one kind of node towards another one.
#[derive(Debug, Clone, Serialize)]
pub struct StripData {
    /// The kind of the nodes that send.
    pub from: String,
    /// The kind of the nodes that receive.
    pub to: String,
    /// Number of ports.
    pub ports: usize,
    /// Ports in a cell; the last cell may have fewer.
    pub each: usize,
    /// Number of cells.
    pub cells: usize,
    /// Mean utilization over the ports: the share of the span in which they were transmitting.
    pub mean: f64,
    /// Median over the ports.
    pub median: f64,
    /// Utilization of the busiest port.
    pub most: f64,
    /// Both ends of that port.
    pub busiest: [String; 2],
    /// Longest queue in bytes; absent if queues are not known.
    pub queue: Option<u64>,
    /// Both ends of the port with that queue; empty if nothing ever waited.
    pub longest: [String; 2],
    /// Packets dropped at these ports.
    pub dropped: u64,
    /// Longest time that a port was paused or had no credits, as a share of the run.
    pub paused: f64,
    /// Utilization of the busiest port of each cell.
    #[serde(skip)]
    pub usage: Vec<f64>,
}

/// What a cell states, each of its worst port: utilization in the span and time paused in hundredths of a percent, the
/// longest queue in bytes, packets dropped.
#[derive(Debug, Clone, Copy, Default)]
struct Values {
    usage: f64,
    queue: u64,
    dropped: u64,
    paused: f64,
}

impl Values {
    fn worst(self, other: Values) -> Values {
        Values {
            usage: self.usage.max(other.usage),
            queue: self.queue.max(other.queue),
            dropped: self.dropped.max(other.dropped),
            paused: self.paused.max(other.paused),
        }
    }

    const fn packed(self) -> [u64; 4] {
        [(self.usage * PART).round() as u64, self.queue, self.dropped, (self.paused * PART).round() as u64]
    }
}

impl TierPorts {
    /// The strips of the run; `n_runs` runs share the room of the page.
    pub fn finish(mut self, about: &About, n_runs: usize) -> RunData {
        let shares = self.used.shares(about);
        let labels = Labels {
            node: &|node| about.node(node),
            link: &|link| about.link(link),
            parallel: parallel(&self.used.ports),
        };
        let values = |port: &PortRow| self.values(about, &shares, port);
        RunData::of(about.n_hosts, &labels, &self.used.ports, values, MOST_CELLS_OF_ALL / n_runs.max(1))
    }

    fn values(&self, about: &About, shares: &PortShares, port: &PortRow) -> Values {
        let paused = self.paused.get(&port.port.0).map_or(0.0, |&paused| paused as f64);
        Values {
            usage: shares.usage(port),
            queue: port.peak_size.0.map_or(0, |size| size.0),
            // Table `ports` does not count every reason; table `drops` does.
            dropped: self.dropped.get(&port.port.0).copied().unwrap_or(port.dropped),
            paused: if about.simulated() > 0.0 { paused / about.simulated() } else { 0.0 },
        }
    }
}

/// A port and its values.
type Valued<'a> = (&'a PortRow, Values);

/// The names of a fabric.
struct Labels<'a> {
    node: &'a dyn Fn(NodeId) -> String,
    link: &'a dyn Fn(LinkId) -> String,
    /// Nodes with several links between them: the link distinguishes their ports.
    parallel: BTreeSet<(NodeId, NodeId)>,
}

impl Labels<'_> {
    /// Both ends of a port's link, with the link behind the second one if there are parallel ones.
    fn ends(&self, port: &PortRow) -> [String; 2] {
        let [from, mut to] = [port.node, port.peer].map(self.node);
        if self.parallel.contains(&(port.node, port.peer)) {
            to.push_str(&format!(" ({})", (self.link)(port.link)));
        }
        [from, to]
    }
}

/// Nodes that several ports join.
fn parallel(ports: &[PortRow]) -> BTreeSet<(NodeId, NodeId)> {
    let mut known = BTreeSet::new();
    ports.iter().map(|port| (port.node, port.peer)).filter(|ends| !known.insert(*ends)).collect()
}

impl RunData {
    /// The strips of ports in the order of the nodes, with `room` cells in all if that is possible.
    fn of(
        n_hosts: u32,
        labels: &Labels<'_>,
        ports: &[PortRow],
        values: impl Fn(&PortRow) -> Values,
        room: usize,
    ) -> RunData {
        let strips = strips(n_hosts, labels, ports, values);
        let room = (room / strips.len().max(1)).clamp(LEAST_CELLS, MOST_CELLS);
        let (mut numbers, mut names) = (Vec::new(), String::new());
        let mut made = Vec::new();
        for (kinds, ports) in strips {
            let each = ports.len().div_ceil(room).next_power_of_two();
            let cells: Vec<Values> = ports.chunks(each).map(worst).collect();
            for kind in 0..4 {
                numbers.extend(cells.iter().map(|cell| cell.packed()[kind]));
            }
            for cell in ports.chunks(each) {
                let [from, to] = labels.ends(busiest(cell));
                let [first, last] = [cell[0].0, cell[cell.len() - 1].0].map(|port| (labels.node)(port.node));
                names.push_str(&format!("{first}\t{last}\t{from}\t{to}\n"));
            }
            made.push(StripData::of(labels, kinds, &ports, each, &cells));
        }
        RunData {
            strips: made,
            packed: pack(numbers.into_iter()),
            names: pack_text(&names, Compression::default()),
        }
    }
}

impl StripData {
    fn of(
        labels: &Labels<'_>,
        [from, to]: [String; 2],
        ports: &[Valued<'_>],
        each: usize,
        cells: &[Values],
    ) -> StripData {
        let mut usage: Vec<f64> = ports.iter().map(|(_, values)| values.usage).collect();
        usage.sort_by(f64::total_cmp);
        let all = worst(ports);
        let longest = ports.iter().find(|(_, values)| values.queue == all.queue && all.queue > 0);
        let is_known = ports.iter().any(|(port, _)| port.peak_size.0.is_some());
        StripData {
            from,
            to,
            ports: ports.len(),
            each,
            cells: cells.len(),
            mean: share(usage.iter().sum::<f64>() / usage.len() as f64),
            median: share(usage[usage.len() / 2]),
            most: share(all.usage),
            busiest: labels.ends(busiest(ports)),
            queue: is_known.then_some(all.queue),
            longest: longest.map(|(port, _)| labels.ends(port)).unwrap_or_default(),
            dropped: ports.iter().map(|(_, values)| values.dropped).sum(),
            paused: share(all.paused),
            usage: cells.iter().map(|cell| cell.usage).collect(),
        }
    }
}

fn worst(ports: &[Valued<'_>]) -> Values {
    ports.iter().fold(Values::default(), |worst, (_, values)| worst.worst(*values))
}

/// The busiest port of some, the first of those that are equal.
fn busiest<'a>(ports: &[Valued<'a>]) -> &'a PortRow {
    let mut found = &ports[0];
    for port in ports {
        if port.1.usage > found.1.usage {
            found = port;
        }
    }
    found.0
}

/// The ports of each strip with their values.
fn strips<'a>(
    n_hosts: u32,
    labels: &Labels<'_>,
    ports: &'a [PortRow],
    values: impl Fn(&PortRow) -> Values,
) -> Vec<([String; 2], Vec<Valued<'a>>)> {
    let valued = |ports: Vec<&'a PortRow>| ports.into_iter().map(|port| (port, values(port))).collect();
    let found = ports_by_kinds(n_hosts, labels.node, ports);
    found.into_iter().map(|(kinds, ports)| (kinds, valued(ports))).collect()
}

#[cfg(test)]
mod tests {
    use netloom_units::{Bytes, Duration, PortId, Rate};

    use super::*;

    /// A rail of servers: GPUs of a server on its switch and each on the leaf of its rail, leaves on all spines.
    fn rail(servers: u32, spines: u32) -> (u32, Vec<String>, Vec<PortRow>) {
        const RAILS: u32 = 8;
        let n_hosts = servers * RAILS;
        let mut names: Vec<String> =
            (0..n_hosts).map(|gpu| format!("server{}.gpu{}", gpu / RAILS, gpu % RAILS)).collect();
        names.extend((0..servers).map(|server| format!("server{server}.switch")));
        names.extend((0..RAILS).map(|leaf| format!("leaf{leaf}")));
        names.extend((0..spines).map(|spine| format!("spine{spine}")));
        let (inner, leaves) = (n_hosts, n_hosts + servers);
        let mut links: Vec<[u32; 2]> =
            (0..n_hosts).flat_map(|gpu| [[gpu, inner + gpu / RAILS], [gpu, leaves + gpu % RAILS]]).collect();
        links
            .extend((0..RAILS * spines).map(|link| [leaves + link / spines, leaves + RAILS + link % spines]));
        let mut directions: Vec<(u32, [u32; 2])> = (0..)
            .zip(links)
            .flat_map(|(link, [one, other])| [(link, [one, other]), (link, [other, one])])
            .collect();
        directions.sort_by_key(|&(_, [node, _])| node);
        let port = |(number, (link, [node, peer])): (u32, (u32, [u32; 2]))| PortRow {
            port: PortId(number),
            node: NodeId(node),
            index: 0,
            link: LinkId(link),
            peer: NodeId(peer),
            rate: Rate(1),
            packets: 0,
            size: Bytes(0),
            busy: Duration(0),
            peak_packets: None,
            peak_size: Bytes(0).into(),
            dropped: 0,
        };
        (n_hosts, names, (0..).zip(directions).map(port).collect())
    }

    /// The strips of a rail with these utilizations by port.
    fn found(servers: u32, usage: impl Fn(&PortRow) -> f64) -> (Vec<String>, Vec<PortRow>, RunData) {
        let (n_hosts, names, ports) = rail(servers, 16);
        let values = |port: &PortRow| Values { usage: usage(port), ..Values::default() };
        let made = with_names(n_hosts, &|node| names[node.index()].clone(), &ports, values);
        (names, ports, made)
    }

    fn with_names(
        n_hosts: u32,
        node: &dyn Fn(NodeId) -> String,
        ports: &[PortRow],
        values: impl Fn(&PortRow) -> Values,
    ) -> RunData {
        let labels = Labels { node, link: &|link| format!("link{}", link.0), parallel: parallel(ports) };
        RunData::of(n_hosts, &labels, ports, values, MOST_CELLS_OF_ALL)
    }

    fn kinds(found: &RunData) -> Vec<String> {
        found.strips.iter().map(|strip| format!("{}, {}", strip.from, strip.to)).collect()
    }

    #[test]
    fn one_hot_port_is_seen_in_a_fabric_of_any_size() {
        for servers in [2, 64, 1_024, 8_192] {
            let hot = PortId(rail(servers, 16).2.len() as u32 / 3);
            let (names, ports, found) = found(servers, |port| if port.port == hot { 1.0 } else { 0.01 });
            let wanted =
                ["gpu, leaf", "gpu, switch", "leaf, spine", "spine, leaf", "leaf, gpu", "switch, gpu"];
            assert_eq!(kinds(&found), wanted);
            assert_eq!(found.strips.iter().map(|strip| strip.ports).sum::<usize>(), ports.len());
            let cells: Vec<f64> = found.strips.iter().flat_map(|strip| strip.usage.iter().copied()).collect();
            assert_eq!(cells.iter().filter(|usage| **usage > 0.5).count(), 1, "{servers} servers");
            let port = &ports[hot.index()];
            let ends = [port.node, port.peer].map(|node| names[node.index()].clone());
            assert!(found.strips.iter().any(|strip| strip.busiest == ends && strip.most > 0.99));
            assert!(
                found.strips.iter().all(|strip| strip.cells <= MOST_CELLS && strip.each.is_power_of_two())
            );
        }
    }

    #[test]
    fn cells_have_one_port_up_to_a_thousand_and_else_neighbours() {
        let each = |servers| found(servers, |_| 0.0).2.strips[0].each;
        assert_eq!([each(64), each(1_024), each(8_192)], [1, 8, 64]);
    }

    #[test]
    fn names_that_say_no_kinds_give_strips_of_tiers() {
        let (n_hosts, names, ports) = rail(2, 2);
        let letters = |node: NodeId| char::from(b'a' + node.0 as u8).to_string();
        assert!(names.len() < 32);
        let found = with_names(n_hosts, &letters, &ports, |_| Values::default());
        let [host, one, two] = ["host", "switch of tier 1", "switch of tier 2"];
        let wanted = [(host, one), (one, two), (two, one), (one, host)];
        assert_eq!(kinds(&found), wanted.map(|(from, to)| format!("{from}, {to}")));
    }

    #[test]
    fn parallel_ports_are_named_by_their_links() {
        let (n_hosts, names, mut ports) = rail(2, 2);
        let (first, number) = (ports[0], ports.len() as u32);
        ports.push(PortRow { port: PortId(number), link: LinkId(999), ..first });
        let usage = |port: &PortRow| if port.link == LinkId(999) { 1.0 } else { 0.0 };
        let values = |port: &PortRow| Values { usage: usage(port), ..Values::default() };
        let found = with_names(n_hosts, &|node| names[node.index()].clone(), &ports, values);
        let busiest = &found.strips.iter().find(|strip| strip.most > 0.5).expect("it is there").busiest;
        assert!(busiest[1].ends_with(" (link999)"), "{busiest:?}");
        assert!(!found.strips.iter().any(|strip| strip.most < 0.5 && strip.busiest[1].contains("link")));
    }
}
