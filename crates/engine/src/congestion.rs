//! The congestion tree: which ports are its roots, branches and leaves, and which flows contribute or are victims.
//!
//! Models: the rules of `docs/concepts/congestion-tree.md`, interval by interval, from the queue occupancy at each
//! port, the bytes each port sent and the time it was starved of credits.
//! Leaves out: the counters, which the coordinator reads; what happened within an interval.
//!
//! Invariants: sums are compared as integers; ties go to the lower number.

use std::collections::BTreeMap;

use netloom_model::{CongestionTree, Fabric, Model, Stage};
use netloom_records::{CongestedFlowRow, CongestionRow, Part, Role};
use netloom_units::{Bytes, Duration, HostId, NodeId, PortId, Time};

use crate::credit::{ByteSums, HostPair, OccupancyInterval};

/// Counters of a port at a sampling instant.
#[derive(Debug, Clone, Default)]
pub struct Reading {
    /// Bytes sent so far.
    pub sent: u64,
    /// Time starved of credits so far, in ps.
    pub starved: u64,
    /// Queue occupancy in this interval, at a switch.
    pub occupancy: Option<OccupancyInterval>,
}

/// See the module.
#[derive(Debug)]
pub struct Congestion<'a> {
    model: &'a Model,
    asked: CongestionTree,
    stages: &'a [Stage],
    /// Start of the interval, in ps.
    start: u64,
    /// Number of readings; two for each stage, at the start and the end of its measured part.
    n_taken: usize,
    /// For each port: bytes sent and time starved, in ps, before the interval.
    before: Vec<(u64, u64)>,
    /// Whether no port had packets queued in the last interval.
    is_quiet: bool,
    ports: Vec<CongestionRow>,
    flows: Vec<CongestedFlowRow>,
}

impl<'a> Congestion<'a> {
    /// Before the first interval; `None` if the congestion tree is not recorded.
    pub fn new(model: &'a Model) -> Option<Congestion<'a>> {
        let asked = model.recording.congestion.filter(|_| model.queues.credits.is_some())?;
        let stages = model.workload.staged.as_ref().map_or(&[][..], |staged| &staged.stages);
        let before = vec![(0, 0); model.fabric.ports().len()];
        let (ports, flows) = (Vec::new(), Vec::new());
        Some(Congestion { model, asked, stages, start: 0, n_taken: 0, before, is_quiet: false, ports, flows })
    }

    /// When the next reading is due; `None` after the last stage.
    pub fn next(&self) -> Option<Time> {
        if let Some(interval) = self.asked.interval {
            return Some(Time(self.start + interval.0));
        }
        let stage = self.stages.get(self.n_taken / 2)?;
        Some(if self.n_taken.is_multiple_of(2) { stage.measured_from } else { stage.end })
    }

    /// The next reading of a run that has ended; at rest nothing changes any more.
    pub fn last(&self, end: u64, is_at_rest: bool) -> Option<Time> {
        match self.asked.interval {
            Some(_) => (end > self.start).then_some(Time(end)),
            None => self.next().filter(|_| is_at_rest),
        }
    }

    /// An interval ends now.
    pub fn take(&mut self, now: u64, readings: &[Reading]) {
        let is_end_of_interval = self.asked.interval.is_some() || !self.n_taken.is_multiple_of(2);
        let span = Interval { start: self.start, end: now };
        self.is_quiet =
            readings.iter().flat_map(|reading| &reading.occupancy).all(|occupancy| occupancy.all.sum == 0);
        if is_end_of_interval && now > self.start {
            let intervals =
                readings.iter().zip(&self.before).map(|(reading, &(sent, starved))| PortInterval {
                    sent: reading.sent.saturating_sub(sent),
                    starved: reading.starved.saturating_sub(starved),
                    occupancy: reading.occupancy.as_ref(),
                });
            let analysis =
                TreeAnalysis { model: self.model, asked: self.asked, span, intervals: intervals.collect() };
            let roles = analysis.roles();
            self.ports.extend(analysis.port_rows(&roles));
            self.flows.extend(analysis.flow_rows(&roles));
        }
        self.before = readings.iter().map(|reading| (reading.sent, reading.starved)).collect();
        self.start = now;
        self.n_taken += 1;
    }

    /// Nothing happens before `earliest`: skips the intervals in which no packet is queued.
    pub fn pass_quiet(&mut self, earliest: u64) {
        if let Some(interval) = self.asked.interval.filter(|_| self.is_quiet) {
            self.start += earliest.saturating_sub(self.start) / interval.0 * interval.0;
        }
    }

    /// Rows of intervals that are over, in the order of their tables.
    pub fn take_rows(&mut self) -> (Vec<CongestionRow>, Vec<CongestedFlowRow>) {
        (std::mem::take(&mut self.ports), std::mem::take(&mut self.flows))
    }
}

/// Start and end of an interval, in ps.
#[derive(Debug, Clone, Copy)]
struct Interval {
    start: u64,
    end: u64,
}

impl Interval {
    fn length(self) -> u64 {
        self.end - self.start
    }

    /// The mean of bytes summed over picoseconds, rounded down.
    fn mean(self, sum: u128) -> Bytes {
        Bytes((sum / u128::from(self.length())) as u64)
    }
}

/// The counters of a port in an interval.
#[derive(Debug, Clone, Copy)]
struct PortInterval<'a> {
    sent: u64,
    starved: u64,
    occupancy: Option<&'a OccupancyInterval>,
}

/// The position of a port in the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct TreePosition {
    role: Role,
    /// The congested downstream port that holds most of this port's packets, and how much, in bytes times picoseconds.
    blocked_by: Option<(PortId, u128)>,
}

/// Determines the congestion tree of an interval.
struct TreeAnalysis<'a> {
    model: &'a Model,
    asked: CongestionTree,
    span: Interval,
    intervals: Vec<PortInterval<'a>>,
}

impl TreeAnalysis<'_> {
    fn fabric(&self) -> &Fabric {
        &self.model.fabric
    }

    fn is_congested(&self, port: PortId) -> bool {
        let least = u128::from(self.asked.threshold.0) * u128::from(self.span.length());
        self.intervals[port.index()]
            .occupancy
            .is_some_and(|occupancy| occupancy.all.sum > 0 && occupancy.all.sum >= least)
    }

    /// Whether it was starved for at least the threshold share of a time.
    fn is_blocked(&self, port: PortId, of: u64) -> bool {
        let starved = u128::from(self.intervals[port.index()].starved);
        starved > 0 && starved << 32 >= u128::from(self.asked.starved) * u128::from(of)
    }

    /// The congested port at the other end of a link that holds most of the packets that arrived by it.
    fn holder(&self, port: PortId) -> Option<(PortId, u128)> {
        let fabric = self.fabric();
        let peer = fabric.port(port).peer;
        let ingress = fabric.local_index(peer) as usize;
        let mut most = None;
        for next in fabric.port_range(fabric.port(peer).node).map(PortId) {
            let held =
                self.intervals[next.index()].occupancy.map_or(0, |occupancy| occupancy.by_link[ingress]);
            if held > most.map_or(0, |(_, most)| most) && self.is_congested(next) {
                most = Some((next, held));
            }
        }
        most
    }

    fn position_of(&self, port: PortId) -> TreePosition {
        let free = TreePosition { role: Role::Free, blocked_by: None };
        let (role, of) = match self.intervals[port.index()].occupancy {
            Some(occupancy) if self.is_congested(port) => (Role::Branch, occupancy.occupied),
            Some(_) => return free,
            None => (Role::Leaf, self.span.length()),
        };
        let blocked_by = if self.is_blocked(port, of) { self.holder(port) } else { None };
        match (role, blocked_by) {
            (_, Some(_)) => TreePosition { role, blocked_by },
            (Role::Branch, None) => TreePosition { role: Role::Root, blocked_by },
            _ => free,
        }
    }

    fn roles(&self) -> Vec<TreePosition> {
        (0..self.intervals.len() as u32).map(|port| self.position_of(PortId(port))).collect()
    }

    fn port_rows(&self, positions: &[TreePosition]) -> Vec<CongestionRow> {
        let intervals = (0..).map(PortId).zip(&self.intervals);
        let is_reported = |interval: &PortInterval| {
            interval.starved > 0 || interval.occupancy.is_some_and(|occupancy| occupancy.all.sum > 0)
        };
        intervals
            .filter(|(_, interval)| is_reported(interval))
            .map(|(port, _)| self.port_row(port, positions[port.index()]))
            .collect()
    }

    fn port_row(&self, id: PortId, TreePosition { role, blocked_by }: TreePosition) -> CongestionRow {
        let port = self.fabric().port(id);
        let PortInterval { sent, starved, occupancy } = self.intervals[id.index()];
        CongestionRow {
            start: Time(self.span.start),
            end: Time(self.span.end),
            port: id,
            node: port.node,
            peer: self.fabric().neighbour(id),
            role,
            occupied: occupancy.map(|occupancy| Duration(occupancy.occupied)),
            sending: port.rate.serialization(Bytes(sent)),
            credit_stalled: Duration(starved),
            mean_waiting: occupancy.map(|occupancy| self.span.mean(occupancy.all.sum)),
            peak_waiting: occupancy.map(|occupancy| Bytes(occupancy.peak)),
            blocked_by: blocked_by.map(|(port, _)| port),
            blocked_size: blocked_by.map(|(_, held)| self.span.mean(held)),
        }
    }

    /// Bytes that started at the switch above the sender, for each pair of hosts.
    fn injected(&self) -> BTreeMap<HostPair, u64> {
        let mut injected = BTreeMap::new();
        for (port, interval) in (0..).map(PortId).zip(&self.intervals) {
            let node = self.fabric().port(port).node;
            for (&pair, ByteSums { started, .. }) in
                interval.occupancy.iter().flat_map(|occupancy| &occupancy.by_pair)
            {
                let source = self.fabric().host_node(HostId(pair.0));
                if self.fabric().neighbours(source).contains(&node) {
                    *injected.entry(pair).or_insert(0) += started;
                }
            }
        }
        injected
    }

    fn flow_rows(&self, positions: &[TreePosition]) -> Vec<CongestedFlowRow> {
        let mut passed: BTreeMap<HostPair, BTreeMap<PortId, Option<u128>>> = BTreeMap::new();
        for (port, interval) in (0..).map(PortId).zip(&self.intervals) {
            let pairs = interval.occupancy.iter().flat_map(|occupancy| &occupancy.by_pair);
            for (&pair, of_pair) in pairs.filter(|_| positions[port.index()].role != Role::Free) {
                passed.entry(pair).or_default().insert(port, Some(of_pair.sum));
            }
        }
        let injected = self.injected();
        for &pair in injected.keys() {
            let own = self.fabric().port_range(NodeId(self.fabric().host_node(HostId(pair.0)).0));
            for port in own.map(PortId).filter(|port| positions[port.index()].role == Role::Leaf) {
                passed.entry(pair).or_default().insert(port, None);
            }
        }
        let rows = passed.iter().flat_map(|(&pair, ports)| {
            let part = self.part(pair, ports.keys().map(|port| positions[port.index()].role), &injected);
            ports.iter().map(move |(&port, &sum)| self.flow_row((pair, part), (port, sum), positions))
        });
        rows.collect()
    }

    fn part(
        &self,
        pair: HostPair,
        roles: impl Iterator<Item = Role>,
        injected: &BTreeMap<HostPair, u64>,
    ) -> Part {
        let roles: Vec<Role> = roles.collect();
        let has_enough = || injected.get(&pair).is_some_and(|&bytes| self.has_enough(pair, bytes));
        if roles.contains(&Role::Root) {
            Part::Contributor
        } else if roles.contains(&Role::Leaf) && !has_enough() {
            Part::Victim
        } else {
            Part::Free
        }
    }

    /// Whether flows with a rate limit achieved it, up to the share that counts as starved.
    fn has_enough(&self, (source, destination): HostPair, bytes: u64) -> bool {
        let staged = self.model.workload.staged.iter().flat_map(|staged| &staged.flows);
        let mut wanted: Option<u128> = None;
        for flow in staged.filter(|flow| (flow.source.0, flow.destination.0) == (source, destination)) {
            let within = flow.stop.0.min(self.span.end).saturating_sub(flow.start.0.max(self.span.start));
            let Some(rate) = flow.rate.filter(|_| within > 0) else {
                if within > 0 {
                    return false;
                }
                continue;
            };
            *wanted.get_or_insert(0) += u128::from(rate.0) * u128::from(within);
        }
        let most = (1_u128 << 32) - u128::from(self.asked.starved);
        wanted.is_some_and(|wanted| u128::from(bytes) * 8_000_000_000_000 >= (wanted >> 32) * most)
    }

    fn flow_row(
        &self,
        ((source, destination), part): (HostPair, Part),
        (id, sum): (PortId, Option<u128>),
        positions: &[TreePosition],
    ) -> CongestedFlowRow {
        CongestedFlowRow {
            start: Time(self.span.start),
            end: Time(self.span.end),
            source: HostId(source),
            destination: HostId(destination),
            part,
            port: id,
            node: self.fabric().port(id).node,
            peer: self.fabric().neighbour(id),
            role: positions[id.index()].role,
            mean_waiting: sum.map(|sum| self.span.mean(sum)),
        }
    }
}
