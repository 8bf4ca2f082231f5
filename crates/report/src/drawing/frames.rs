//! Values of the edges and squares of a drawing, in intervals ("spans") of time.
//!
//! Models: samples of ports summed up over the ports of an edge and over neighbouring samples; links that were down,
//! and roles in congestion trees, in every span that they overlap.
//! Leaves out: what was not recorded; its numbers are all zero, and a flag says so to the page.
//!
//! Invariants: sums are whole numbers of bytes, packets and picoseconds; if an edge is one port and no samples are
//! combined, a number here equals that in the table.

use std::collections::{BTreeMap, BTreeSet};

use netloom_records::{CongestedFlowRow, CongestionRow, FaultRow, Part, Role, SeriesRow};
use netloom_units::{NodeId, Time};
use serde::Serialize;

use super::pack;
use super::squares::Squares;

/// Largest number of spans of a run.
const MOST_FRAMES: usize = 400;
/// Smallest number of spans of a drawing of any size.
const LEAST_FRAMES: usize = 16;
/// Largest number of spans times edges, over all runs of a page: each takes some bytes.
const MOST_CELLS: usize = 600_000;
/// Number of spans if ports were not sampled.
const UNSAMPLED: u64 = 200;

/// Values by edge and span; see the module.
#[derive(Debug)]
pub struct Frames {
    /// Length of a span, in ps.
    length: u64,
    n_frames: usize,
    n_edges: usize,
    /// Number of samples in a span; none if ports were not sampled.
    joined: Option<u64>,
    sampled: [Vec<u64>; SAMPLED],
    /// Number of links that were down, and the role in a congestion tree.
    down: Vec<u64>,
    roles: Vec<u64>,
    /// By square and span: whether flows of hosts there are victims.
    victims: Vec<u64>,
    has_roles: bool,
}

/// Columns of a sample: bytes sent, bytes waiting, time paused in ps, packets dropped.
const SAMPLED: usize = 4;

impl Frames {
    /// For a run with this first sample, one of `n_runs` runs.
    pub fn sampled(squares: &Squares, first: &SeriesRow, simulated: Time, n_runs: usize) -> Frames {
        let interval = first.interval.0.max(1);
        // The last span may end after the run.
        let n_samples = simulated.0.div_ceil(interval).max(1);
        let joined = n_samples.div_ceil(most_frames(squares, n_runs) as u64);
        let n_frames = n_samples.div_ceil(joined) as usize;
        Frames { joined: Some(joined), ..Frames::empty(squares, interval * joined, n_frames) }
    }

    /// For a run without samples.
    pub fn unsampled(squares: &Squares, simulated: Time, n_runs: usize) -> Frames {
        let n_frames = UNSAMPLED.min(most_frames(squares, n_runs) as u64);
        Frames::empty(squares, simulated.0.div_ceil(n_frames).max(1), n_frames as usize)
    }

    fn empty(squares: &Squares, length: u64, n_frames: usize) -> Frames {
        let n_edges = squares.edges.len();
        let cells = || vec![0; n_edges * n_frames];
        Frames {
            length,
            n_frames,
            n_edges,
            joined: None,
            sampled: [cells(), cells(), cells(), cells()],
            down: cells(),
            roles: cells(),
            victims: vec![0; squares.squares.len() * n_frames],
            has_roles: false,
        }
    }

    fn cell(&self, edge: u32, frame: usize) -> usize {
        edge as usize * self.n_frames + frame
    }

    /// Adds a sample; one after the last span, which only a damaged table has, counts for the last span.
    pub fn sample(&mut self, squares: &Squares, row: &SeriesRow) {
        let number = row.time.0 / row.interval.0.max(1);
        let frame = number.saturating_sub(1) / self.joined.unwrap_or(1);
        let Some(&edge) = squares.edge_of.get(row.port.index()) else { return };
        let cell = self.cell(edge, (frame as usize).min(self.n_frames - 1));
        let [sent, waiting, paused, dropped] = &mut self.sampled;
        sent[cell] += row.size.0;
        waiting[cell] = waiting[cell].max(row.waiting.0);
        paused[cell] += row.paused.0;
        dropped[cell] += row.dropped;
    }

    /// The spans that a stretch of time overlaps.
    fn touched(&self, start: u64, end: u64) -> std::ops::Range<usize> {
        let last = self.n_frames;
        let first = ((start / self.length) as usize).min(last);
        first..(end.div_ceil(self.length) as usize).clamp(first, last)
    }

    /// Adds the outages of a link, whose ports are in these edges. In a span a link counts once, however often it was
    /// down.
    pub fn down(&mut self, edges: &BTreeSet<u32>, outages: &[(u64, u64)]) {
        let frames: BTreeSet<usize> =
            outages.iter().flat_map(|&(start, end)| self.touched(start, end)).collect();
        for &edge in edges {
            for &frame in &frames {
                let cell = self.cell(edge, frame);
                self.down[cell] += 1;
            }
        }
    }

    /// Adds the role of a port in a congestion tree.
    pub fn role(&mut self, squares: &Squares, row: &CongestionRow) {
        let Some(&edge) = squares.edge_of.get(row.port.index()) else { return };
        let weight = weight(row.role);
        self.has_roles |= weight > 0;
        for frame in self.touched(row.start.0, row.end.0) {
            let cell = self.cell(edge, frame);
            self.roles[cell] = self.roles[cell].max(weight);
        }
    }

    /// Adds victims of a congestion tree.
    pub fn flow(&mut self, squares: &Squares, row: &CongestedFlowRow) {
        let host = NodeId(row.source.0);
        let Some(square) = squares.square_of.get(host.index()).copied().flatten() else { return };
        if row.part == Part::Victim {
            for frame in self.touched(row.start.0, row.end.0) {
                let cell = self.cell(square, frame);
                self.victims[cell] = 1;
            }
        }
    }

    /// The role of highest rank of an edge in a congestion tree, over the whole run.
    pub fn gravest(&self, edge: usize) -> u64 {
        let cells = &self.roles[edge * self.n_frames..(edge + 1) * self.n_frames];
        cells.iter().copied().max().unwrap_or(0)
    }

    /// The data for the page; none without data over time.
    pub fn finish(self) -> Option<FrameData> {
        let is_known = self.joined.is_some() || self.has_roles || self.down.iter().any(|down| *down > 0);
        let values = self.sampled.iter().chain([&self.down, &self.roles, &self.victims]).flatten();
        is_known.then(|| FrameData {
            length: self.length as f64 / 1e12,
            count: self.n_frames,
            edges: self.n_edges,
            joined: self.joined,
            has_roles: self.has_roles,
            packed: pack::pack(values.copied()),
        })
    }
}

/// The number of spans for which a drawing of this size has room.
fn most_frames(squares: &Squares, n_runs: usize) -> usize {
    let cells = MOST_CELLS / n_runs.max(1);
    (cells / squares.edges.len().max(1)).clamp(LEAST_FRAMES, MOST_FRAMES)
}

/// If ports share an edge, roots rank above branches, and branches above leaves.
fn weight(role: Role) -> u64 {
    match role {
        Role::Root => 3,
        Role::Branch => 2,
        Role::Leaf => 1,
        Role::Free => 0,
    }
}

/// Outages of links, from their state changes in order of time.
#[derive(Debug, Default)]
pub struct Outages {
    open: BTreeMap<u32, u64>,
    closed: BTreeMap<u32, Vec<(u64, u64)>>,
}

impl Outages {
    /// Adds a state change.
    pub fn take(&mut self, row: &FaultRow) {
        if row.up {
            if let Some(start) = self.open.remove(&row.link.0) {
                self.closed.entry(row.link.0).or_default().push((start, row.time.0));
            }
        } else {
            self.open.entry(row.link.0).or_insert(row.time.0);
        }
    }

    /// Starts and ends by link, including outages that last to the end of the run.
    pub fn finish(mut self, end: Time) -> BTreeMap<u32, Vec<(u64, u64)>> {
        for (link, start) in self.open {
            self.closed.entry(link).or_default().push((start, end.0.max(start + 1)));
        }
        self.closed
    }
}

/// Values over time, as the page gets them.
#[derive(Debug, Serialize)]
pub struct FrameData {
    /// Length of a span, in seconds.
    pub length: f64,
    /// Number of spans.
    pub count: usize,
    /// Number of edges.
    pub edges: usize,
    /// Number of samples in a span; absent if ports were not sampled.
    pub joined: Option<u64>,
    /// Whether there was a congestion tree.
    pub has_roles: bool,
    /// For each edge and span, in the order of edges: bytes sent; then likewise the largest number of bytes waiting at
    /// a port, the time paused in ps, packets dropped, links down, and roles in a congestion tree (3 root, 2 branch, 1
    /// leaf); then for each square
    /// and span whether there are victims. See [`pack`].
    pub packed: String,
}
