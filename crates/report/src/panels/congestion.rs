//! The congestion tree: scenes in which the same ports were its roots, branches and leaves, drawn over the fabric.
//!
//! Models: consecutive spans with the same roles are one scene, whose figures are means over its time.
//! Leaves out: spans without congestion; all but the longest scenes, of which only the number is given.
//!
//! Invariants: absent for a run without such rows; a fabric with too many nodes for a drawing has only tables.

use std::collections::{BTreeMap, BTreeSet};

use netloom_records::{Batch, CongestedFlowRow, CongestionRow, Part, PortRow, Role};
use netloom_units::{HostId, NodeId, PortId};
use serde::Serialize;

use super::Collector;
use crate::collect::About;
use crate::drawing::tiers::tiers;
use crate::round::{seconds, share, six_digits};

/// Largest number of scenes of a run: the longest ones.
const SCENES: usize = 6;
/// Largest number of scenes in memory.
const KEPT: usize = 2_000;
/// Largest number of ports and of pairs of a scene.
const LISTED: usize = 40;
/// Largest number of nodes in a drawing.
const DRAWN: usize = 80;

/// Data of a run: its ports, and a limited number of scenes.
#[derive(Debug, Default)]
pub struct Congestion {
    ports: Vec<PortRow>,
    /// The current span: its start, its end, and its rows with a role.
    span: Option<Scene>,
    scenes: Vec<Scene>,
    n_scenes: usize,
}

/// Consecutive spans with the same roles.
#[derive(Debug)]
struct Scene {
    start: u64,
    end: u64,
    ports: BTreeMap<PortId, Sums>,
    /// Time for which flows of a pair of hosts were victims or contributors, in ps.
    pairs: BTreeMap<(Part, HostId, HostId), u64>,
    /// The span and pair of the last row.
    last_pair: Option<(u64, HostId, HostId)>,
}

/// A port over a scene: times in ps, bytes multiplied by ps.
#[derive(Debug, Clone, Copy)]
struct Sums {
    row: CongestionRow,
    occupied: u64,
    sending: u64,
    credit_stalled: u64,
    waiting: f64,
    peak: u64,
}

impl Sums {
    fn of(row: &CongestionRow) -> Sums {
        let span = row.end.since(row.start).0 as f64;
        Sums {
            row: *row,
            occupied: row.occupied.map_or(0, |span| span.0),
            sending: row.sending.0,
            credit_stalled: row.credit_stalled.0,
            waiting: row.mean_waiting.map_or(0.0, |mean| mean.0 as f64 * span),
            peak: row.peak_waiting.map_or(0, |peak| peak.0),
        }
    }

    fn add(&mut self, other: &Sums) {
        self.occupied += other.occupied;
        self.sending += other.sending;
        self.credit_stalled += other.credit_stalled;
        self.waiting += other.waiting;
        self.peak = self.peak.max(other.peak);
    }
}

impl Scene {
    /// The span of a row, still without ports.
    fn of(row: &CongestionRow) -> Scene {
        let (start, end) = (row.start.0, row.end.0);
        Scene { start, end, ports: BTreeMap::new(), pairs: BTreeMap::new(), last_pair: None }
    }

    fn roles(&self) -> impl Iterator<Item = (PortId, Role, Option<PortId>)> + '_ {
        self.ports.values().map(|sums| (sums.row.port, sums.row.role, sums.row.blocked_by))
    }

    /// Whether another scene begins at the end of this one, with the same roles.
    fn goes_on_in(&self, next: &Scene) -> bool {
        self.end == next.start && self.roles().eq(next.roles())
    }

    fn length(&self) -> u64 {
        self.end - self.start
    }
}

impl Collector for Congestion {
    fn take(&mut self, _: &About, batch: Batch<'_>) {
        match batch {
            Batch::Ports(rows) => self.ports.extend_from_slice(rows),
            Batch::Congestion(rows) => rows.iter().for_each(|row| self.port(row)),
            Batch::CongestedFlows(rows) => {
                self.close();
                for row in rows {
                    self.flow(row);
                }
            }
            _ => {}
        }
    }
}

impl Congestion {
    fn port(&mut self, row: &CongestionRow) {
        if self.span.as_ref().is_some_and(|span| span.end != row.end.0) {
            self.close();
        }
        let span = self.span.get_or_insert_with(|| Scene::of(row));
        if row.role != Role::Free {
            span.ports.insert(row.port, Sums::of(row));
        }
    }

    /// Ends the span: it extends the last scene, or begins one.
    fn close(&mut self) {
        let Some(span) = self.span.take().filter(|span| !span.ports.is_empty()) else { return };
        if let Some(scene) = self.scenes.last_mut().filter(|scene| scene.goes_on_in(&span)) {
            scene.end = span.end;
            for (port, sums) in &span.ports {
                scene.ports.get_mut(port).expect("both have the same ports").add(sums);
            }
            return;
        }
        self.n_scenes += 1;
        if self.scenes.len() < KEPT {
            self.scenes.push(span);
        }
    }

    fn flow(&mut self, row: &CongestedFlowRow) {
        let index = self.scenes.partition_point(|scene| scene.end < row.end.0);
        let Some(scene) = self.scenes.get_mut(index).filter(|scene| scene.start <= row.start.0) else {
            return;
        };
        // A pair has a row for each port that it passes: only the first one counts.
        let pair = Some((row.end.0, row.source, row.destination));
        if scene.last_pair != pair {
            scene.last_pair = pair;
            *scene.pairs.entry((row.part, row.source, row.destination)).or_insert(0) +=
                row.end.since(row.start).0;
        }
    }

    /// Of the whole run.
    pub fn finish(mut self, about: &About) -> Option<RunData> {
        self.close();
        let mut scenes = std::mem::take(&mut self.scenes);
        scenes.sort_by_key(|scene| std::cmp::Reverse(scene.length()));
        scenes.truncate(SCENES);
        scenes.sort_by_key(|scene| scene.start);
        let nodes = self.nodes(about);
        (!scenes.is_empty()).then(|| RunData {
            total_scenes: self.n_scenes,
            links: self.links(&nodes),
            nodes: nodes.iter().map(|(&node, &tier)| NodeData { name: about.node(node), tier }).collect(),
            scenes: scenes.iter().map(|scene| self.scene(scene, &nodes, about)).collect(),
        })
    }

    /// Nodes with their tiers. None if there are too many to be drawn.
    fn nodes(&self, about: &About) -> BTreeMap<NodeId, u32> {
        let tiers = tiers(about.n_hosts, &self.ports);
        let found = (0..).zip(tiers).filter_map(|(node, tier)| Some((NodeId(node), tier?)));
        let nodes: BTreeMap<NodeId, u32> = found.collect();
        if nodes.len() > DRAWN { BTreeMap::new() } else { nodes }
    }

    /// Pairs of nodes with a link, by their indices in the list of nodes.
    fn links(&self, nodes: &BTreeMap<NodeId, u32>) -> Vec<[usize; 2]> {
        let index = |node: NodeId| nodes.keys().position(|other| *other == node);
        let ends = |port: &PortRow| Some([index(port.node)?, index(port.peer)?]);
        let links: BTreeSet<[usize; 2]> =
            self.ports.iter().filter_map(ends).filter(|[from, to]| from < to).collect();
        links.into_iter().collect()
    }

    fn scene(&self, scene: &Scene, nodes: &BTreeMap<NodeId, u32>, about: &About) -> SceneData {
        let index = |node: NodeId| nodes.keys().position(|other| *other == node);
        let ends: BTreeMap<PortId, (NodeId, NodeId)> =
            self.ports.iter().map(|port| (port.port, (port.node, port.peer))).collect();
        let name = |(from, to): &(NodeId, NodeId)| format!("{} → {}", about.node(*from), about.node(*to));
        let span = scene.length() as f64;
        let port = |sums: &Sums| PortData {
            from: index(sums.row.node),
            to: index(sums.row.peer),
            name: name(&(sums.row.node, sums.row.peer)),
            role: sums.row.role.word(),
            occupied: sums.row.occupied.map(|_| share(sums.occupied as f64 / span)),
            sending: share(sums.sending as f64 / span),
            credit_stalled: share(sums.credit_stalled as f64 / span),
            waiting: sums.row.mean_waiting.map(|_| six_digits(sums.waiting / span)),
            peak: sums.row.peak_waiting.map(|_| sums.peak),
            blocked_by: sums.row.blocked_by.and_then(|port| ends.get(&port)).map(name),
        };
        let mut ports: Vec<&Sums> = scene.ports.values().collect();
        ports.sort_by_key(|sums| (sums.row.role, sums.row.port));
        let pairs = |wanted: Part| {
            let found = scene.pairs.iter().filter(move |((part, ..), _)| *part == wanted);
            let pair = |(&(_, source, destination), &time): (&(Part, HostId, HostId), &u64)| PairData {
                source: index(NodeId(source.0)),
                name: name(&(NodeId(source.0), NodeId(destination.0))),
                share: share(time as f64 / span),
            };
            found.map(pair).collect::<Vec<PairData>>()
        };
        let [mut victims, mut contributors] = [Part::Victim, Part::Contributor].map(pairs);
        let (total_victims, total_contributors) = (victims.len(), contributors.len());
        victims.truncate(LISTED);
        contributors.truncate(LISTED);
        SceneData {
            start: seconds(scene.start as f64),
            end: seconds(scene.end as f64),
            total_ports: ports.len(),
            ports: ports.into_iter().take(LISTED).map(port).collect(),
            total_victims,
            victims,
            total_contributors,
            contributors,
        }
    }
}

/// The tree of one run.
#[derive(Debug, Serialize)]
pub struct RunData {
    /// Number of scenes.
    pub total_scenes: usize,
    /// The nodes, if they are drawn.
    pub nodes: Vec<NodeData>,
    /// The links between them.
    pub links: Vec<[usize; 2]>,
    /// The longest scenes, in order of time.
    pub scenes: Vec<SceneData>,
}

/// A node.
#[derive(Debug, Serialize)]
pub struct NodeData {
    /// Its name.
    pub name: String,
    /// Links to the nearest host.
    pub tier: u32,
}

/// A scene.
#[derive(Debug, Serialize)]
pub struct SceneData {
    /// Its start, in seconds.
    pub start: f64,
    /// Its end, in seconds.
    pub end: f64,
    /// Number of ports with a role.
    pub total_ports: usize,
    /// The first of them: roots, then branches, then leaves.
    pub ports: Vec<PortData>,
    /// Number of pairs of hosts that are victims.
    pub total_victims: usize,
    /// The first of them.
    pub victims: Vec<PairData>,
    /// Number of pairs of hosts that are contributors.
    pub total_contributors: usize,
    /// The first of them.
    pub contributors: Vec<PairData>,
}

/// A port in a scene: times as shares of the scene, and bytes.
#[derive(Debug, Serialize)]
pub struct PortData {
    /// Its node, by its index in the list.
    pub from: Option<usize>,
    /// The node at the other end.
    pub to: Option<usize>,
    /// The names of both.
    pub name: String,
    /// `root`, `branch` or `leaf`.
    pub role: &'static str,
    /// Time with packets waiting; absent for hosts.
    pub occupied: Option<f64>,
    /// Time sending.
    pub sending: f64,
    /// Time without credits.
    pub credit_stalled: f64,
    /// Mean number of bytes waiting; absent for hosts.
    pub waiting: Option<f64>,
    /// Largest number of bytes waiting; absent for hosts.
    pub peak: Option<u64>,
    /// The port that blocks it.
    pub blocked_by: Option<String>,
}

/// A pair of hosts in a scene.
#[derive(Debug, Serialize)]
pub struct PairData {
    /// The sender, by its index in the list of nodes.
    pub source: Option<usize>,
    /// Names of sender and receiver.
    pub name: String,
    /// Share of the scene.
    pub share: f64,
}
