//! Staged flows: throughput of each in each stage, fairness, and throughput over time if rates were recorded.
//!
//! Invariants: absent for a run without such flows; of many flows and stages the first are given with the total number,
//! while sums, Jain's index and variance cover all flows; many intervals are combined with their neighbours.

use std::collections::{BTreeMap, BTreeSet};

use netloom_records::statistics::Fairness;
use netloom_records::{Batch, RateRow, StageRow};
use netloom_units::{HostId, NodeId};
use serde::Serialize;

use super::Collector;
use super::rates::{self, OverTime};
use crate::collect::About;
use crate::round::{seconds, six_digits};

/// Largest number of flows of a run.
const FLOWS: usize = 16;
/// Largest number of stages of a run.
const STAGES: usize = 100;
/// Largest number of intervals over all flows of all runs.
const MOST_POINTS: usize = 30_000;
/// Largest and smallest number of intervals of a flow.
const POINTS: (usize, usize) = (500, 50);

/// Sender and receiver.
type Pair = (HostId, HostId);

/// Data of a run: two tables, whose sizes are bounded when they are recorded.
#[derive(Debug, Default)]
pub struct Stages {
    stages: BTreeMap<u32, Vec<StageRow>>,
    pairs: BTreeSet<Pair>,
    rates: BTreeMap<Pair, Vec<RateRow>>,
}

impl Collector for Stages {
    fn take(&mut self, _: &About, batch: Batch<'_>) {
        match batch {
            Batch::Stages(rows) => {
                for row in rows {
                    self.stages.entry(row.stage).or_default().push(*row);
                    self.pairs.insert((row.source, row.destination));
                }
            }
            Batch::Rates(rows) => {
                for row in rows.iter().filter(|row| row.number.is_none()) {
                    let pair = (row.source, row.destination);
                    if self.pairs.contains(&pair) {
                        self.rates.entry(pair).or_default().push(*row);
                    }
                }
            }
            _ => {}
        }
    }
}

/// The staged flows of one run.
#[derive(Debug, Serialize)]
pub struct RunData {
    /// The scale of its times relative to those of its source, if the scenario gives one.
    pub scale: Option<String>,
    /// Number of flows.
    pub total_flows: usize,
    /// Number of stages with flows.
    pub total_stages: usize,
    /// The first of the flows.
    pub flows: Vec<FlowData>,
    /// The first of the stages.
    pub stages: Vec<StageData>,
    /// Throughput of pairs of hosts over time; flows of one pair share a line. Empty if rates were not recorded.
    pub lines: Vec<LineData>,
}

/// One flow.
#[derive(Debug, Serialize)]
pub struct FlowData {
    /// Its name.
    pub name: String,
    /// Sender and receiver.
    pub pair: String,
}

/// One stage, in seconds and bit/s.
#[derive(Debug, Serialize)]
pub struct StageData {
    /// Its start.
    pub start: f64,
    /// Start of the part over which figures are taken, after the warm-up.
    pub measured_from: f64,
    /// Its end.
    pub end: f64,
    /// Number of flows active in that part.
    pub flows: usize,
    /// Throughput of each flow in the list; absent if it was not active.
    pub throughputs: Vec<Option<f64>>,
    /// Total throughput of all flows.
    pub sum: f64,
    /// Jain's index; absent if all throughputs are zero.
    pub jain: Option<f64>,
    /// Variance, in the square of bit/s.
    pub variance: f64,
}

/// A pair of hosts over time.
#[derive(Debug, Serialize)]
pub struct LineData {
    /// Names of its flows.
    pub name: String,
    /// Payload that arrived for the first time, by interval.
    #[serde(flatten)]
    pub over_time: OverTime,
}

impl Stages {
    /// The data of the whole run; `n_runs` runs share the room of the page.
    pub fn finish(self, about: &About, n_runs: usize) -> Option<RunData> {
        let mut flows: BTreeMap<u16, Pair> = BTreeMap::new();
        for row in self.stages.values().flatten() {
            flows.insert(row.flow, (row.source, row.destination));
        }
        let reported: Vec<(u16, Pair)> =
            flows.iter().take(FLOWS).map(|(&flow, &pair)| (flow, pair)).collect();
        let stages = self.stages.values().take(STAGES).filter_map(|rows| StageData::of(rows, &reported));
        (!flows.is_empty()).then(|| RunData {
            scale: about.manifest.time_scale.clone(),
            total_flows: flows.len(),
            total_stages: self.stages.len(),
            flows: reported.iter().map(|&(flow, pair)| FlowData::of(flow, pair, about)).collect(),
            stages: stages.collect(),
            lines: self.lines(&reported, about, n_runs),
        })
    }

    fn lines(&self, reported: &[(u16, Pair)], about: &About, n_runs: usize) -> Vec<LineData> {
        let mut names: BTreeMap<Pair, Vec<String>> = BTreeMap::new();
        for &(flow, pair) in reported {
            names.entry(pair).or_default().push(about.flow(flow));
        }
        let most = (MOST_POINTS / (reported.len() * n_runs).max(1)).clamp(POINTS.1, POINTS.0) as u64;
        // In the order of the flows, not of the hosts.
        let mut seen = BTreeSet::new();
        let pairs = reported.iter().map(|(_, pair)| pair).filter(|pair| seen.insert(**pair));
        let line = |pair: &Pair| {
            let over_time = rates::over_time(self.rates.get(pair)?, most, about);
            Some(LineData { name: names[pair].join(", "), over_time })
        };
        pairs.filter_map(line).collect()
    }
}

impl FlowData {
    fn of(flow: u16, (source, destination): Pair, about: &About) -> FlowData {
        let [from, to] = [source, destination].map(|host| about.node(NodeId(host.0)));
        FlowData { name: about.flow(flow), pair: format!("{from} → {to}") }
    }
}

impl StageData {
    fn of(rows: &[StageRow], reported: &[(u16, Pair)]) -> Option<StageData> {
        let first = rows.first()?;
        let all: Vec<f64> = rows.iter().map(|row| row.throughput).collect();
        let Fairness { sum, jain, variance } = Fairness::of(&all)?;
        let throughput = |(flow, _): &(u16, Pair)| {
            rows.iter().find(|row| row.flow == *flow).map(|row| six_digits(row.throughput))
        };
        Some(StageData {
            start: seconds(first.start.0 as f64),
            measured_from: seconds(first.measured_from.0 as f64),
            end: seconds(first.end.0 as f64),
            flows: rows.len(),
            throughputs: reported.iter().map(throughput).collect(),
            sum: six_digits(sum),
            jain: jain.map(six_digits),
            variance: six_digits(variance),
        })
    }
}
