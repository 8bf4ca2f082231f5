//! The fabric as a drawing: its squares and edges, their values over the whole run, and over time if recorded.
//!
//! Models: utilization, backlog, pauses, drops and links that were down, for each edge; roles in congestion trees.
//!
//! Invariants: every port is in one edge; a square of several nodes gives their number.

use std::collections::{BTreeMap, BTreeSet};

use netloom_records::{Batch, DropRow, PortRow, SignalRow};
use netloom_units::{NodeId, Time};
use serde::Serialize;

use super::Collector;
use super::used_ports::UsedPorts;
use crate::collect::About;
use crate::drawing::frames::{FrameData, Frames, Outages};
use crate::drawing::squares::{Edge, Square, Squares};
use crate::round::share;

/// Data of a run: its ports, and the values of the edges of its drawing.
#[derive(Debug, Default)]
pub struct Fabric {
    used: UsedPorts,
    drops: Vec<DropRow>,
    outages: Outages,
    signals: Vec<SignalRow>,
    squares: Option<Squares>,
    frames: Option<Frames>,
}

impl Collector for Fabric {
    fn take(&mut self, about: &About, batch: Batch<'_>) {
        self.used.take(about, batch);
        match batch {
            Batch::Drops(rows) => self.drops.extend_from_slice(rows),
            Batch::Signals(rows) => self.signals.extend_from_slice(rows),
            Batch::Faults(rows) => {
                for row in rows {
                    self.outages.take(row);
                }
            }
            Batch::Series(rows) if !rows.is_empty() => {
                let simulated = Time(about.manifest.simulated_ps);
                let squares = draw(&mut self.squares, about, &self.used.ports);
                let start = || Frames::sampled(squares, &rows[0], simulated, about.n_runs);
                let frames = self.frames.get_or_insert_with(start);
                for row in rows {
                    frames.sample(squares, row);
                }
            }
            Batch::Congestion(rows) if !rows.is_empty() => {
                let (squares, frames) = self.drawn(about);
                for row in rows {
                    frames.role(squares, row);
                }
            }
            Batch::CongestedFlows(rows) if !rows.is_empty() => {
                let (squares, frames) = self.drawn(about);
                for row in rows {
                    frames.flow(squares, row);
                }
            }
            _ => {}
        }
    }
}

/// The drawing, made once all ports have been read.
fn draw<'a>(kept: &'a mut Option<Squares>, about: &About, ports: &[PortRow]) -> &'a Squares {
    kept.get_or_insert_with(|| Squares::of(about.n_hosts, ports, about.n_runs))
}

impl Fabric {
    /// The drawing and its spans, also if ports were not sampled.
    fn drawn(&mut self, about: &About) -> (&Squares, &mut Frames) {
        let squares = draw(&mut self.squares, about, &self.used.ports);
        let simulated = Time(about.manifest.simulated_ps);
        let frames = self.frames.get_or_insert_with(|| Frames::unsampled(squares, simulated, about.n_runs));
        (squares, frames)
    }

    /// Links that were down: starts and ends by link.
    fn fail(&mut self, about: &About, outages: &BTreeMap<u32, Vec<(u64, u64)>>) {
        self.drawn(about);
        let (Some(squares), Some(frames)) = (&self.squares, &mut self.frames) else { return };
        let mut edges: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
        for port in self.used.ports.iter().filter(|port| outages.contains_key(&port.link.0)) {
            edges.entry(port.link.0).or_default().insert(squares.edge_of[port.port.index()]);
        }
        for (link, edges) in &edges {
            frames.down(edges, &outages[link]);
        }
    }

    /// Of the whole run.
    pub fn finish(mut self, about: &About) -> RunData {
        let outages = std::mem::take(&mut self.outages).finish(Time(about.manifest.simulated_ps));
        if !outages.is_empty() {
            self.fail(about, &outages);
        }
        draw(&mut self.squares, about, &self.used.ports);
        let shares = self.used.shares(about);
        let (squares, frames) = (self.squares.unwrap_or_default(), self.frames);
        let mut edges: Vec<EdgeData> = squares.edges.iter().map(EdgeData::of).collect();
        for port in &self.used.ports {
            edges[squares.edge_of[port.port.index()] as usize].add(port, shares.usage(port));
        }
        // Table `ports` does not count every reason; table `drops` does.
        for drops in &self.drops {
            if let Some(port) = drops.port {
                edges[squares.edge_of[port.index()] as usize].dropped += drops.packets;
            }
        }
        for signal in &self.signals {
            edges[squares.edge_of[signal.port.index()] as usize].signal(signal);
        }
        for (slot, edge) in edges.iter_mut().enumerate() {
            edge.role = frames.as_ref().map_or(0, |frames| frames.gravest(slot));
            edge.busy = share(edge.busy / f64::from(edge.ports));
        }
        let mut nodes: Vec<SquareData> =
            squares.squares.iter().map(|square| SquareData::of(|node| about.node(node), square)).collect();
        for drops in &self.drops {
            if let Some(Some(square)) = squares.square_of.get(drops.node.index()) {
                nodes[*square as usize].dropped += drops.packets;
            }
        }
        RunData {
            most_nodes: squares.most_nodes(),
            ports: self.used.ports.len(),
            squares: nodes,
            edges,
            frames: frames.and_then(Frames::finish),
        }
    }
}

/// The fabric of one run.
#[derive(Debug, Serialize)]
pub struct RunData {
    /// Largest number of nodes in a square.
    pub most_nodes: u32,
    /// Number of ports of the fabric.
    pub ports: usize,
    /// Hosts first, then tier by tier.
    pub squares: Vec<SquareData>,
    /// Directions between squares.
    pub edges: Vec<EdgeData>,
    /// Values over time; absent if there are none.
    pub frames: Option<FrameData>,
}

/// A square.
#[derive(Debug, Serialize)]
pub struct SquareData {
    /// Name of its first node.
    pub name: String,
    /// Name of its last node, if there are several.
    pub last: Option<String>,
    /// Number of nodes.
    pub nodes: u32,
    /// Links to the nearest host.
    pub tier: u32,
    /// Packets dropped by these nodes.
    pub dropped: u64,
}

impl SquareData {
    /// A square without drops.
    pub fn of(name: impl Fn(NodeId) -> String, square: &Square) -> SquareData {
        SquareData {
            name: name(square.first),
            last: (square.nodes > 1).then(|| name(square.last)),
            nodes: square.nodes,
            tier: square.tier,
            dropped: 0,
        }
    }
}

/// A direction between squares, over the whole run unless noted.
#[derive(Debug, Serialize)]
pub struct EdgeData {
    /// The square that sends.
    pub from: u32,
    /// The square that receives.
    pub to: u32,
    /// Id of its first port.
    pub port: u32,
    /// Number of ports.
    pub ports: u32,
    /// Sum of their rates, in bit/s.
    pub rate: u64,
    /// Bytes sent.
    pub sent: u64,
    /// Utilization in the span, mean over its ports; of the whole run if ports were not sampled.
    pub busy: f64,
    /// Utilization of the busiest port.
    pub busiest: f64,
    /// Largest number of bytes that ever waited at one of them; absent for a measured run.
    pub peak: Option<u64>,
    /// Packets dropped there.
    pub dropped: u64,
    /// Time for which they were blocked by pauses or lack of credits, summed, in ps.
    pub paused: u64,
    /// Packets marked there.
    pub marked: u64,
    /// The role of highest rank in a congestion tree: 3 root, 2 branch, 1 leaf, 0 none.
    pub role: u64,
}

impl EdgeData {
    /// A direction with all values zero.
    pub fn of(edge: &Edge) -> EdgeData {
        EdgeData {
            from: edge.from,
            to: edge.to,
            port: edge.first.0,
            ports: edge.ports,
            rate: 0,
            sent: 0,
            busy: 0.0,
            busiest: 0.0,
            peak: Some(0),
            dropped: 0,
            paused: 0,
            marked: 0,
            role: 0,
        }
    }

    /// Adds the values of one of its ports, of which the utilization is known.
    pub fn add(&mut self, port: &PortRow, busy: f64) {
        self.rate += port.rate.0;
        self.sent += port.size.0;
        self.busy += busy;
        self.busiest = self.busiest.max(share(busy));
        self.peak = self.peak.zip(port.peak_size.0).map(|(peak, size)| peak.max(size.0));
    }

    fn signal(&mut self, signal: &SignalRow) {
        self.paused += signal.paused.0;
        self.marked += signal.marked;
    }
}
