//! Staged flows, stage by stage: throughputs and their fairness.
//!
//! Invariants: throughputs are those of table `stages`; figures are over the flows with a row there.

use std::collections::BTreeMap;

use netloom_records::statistics::Fairness;
use netloom_records::{Names, StageRow};
use netloom_units::NodeId;
use serde::{Deserialize, Serialize};

/// All stages of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StagedSummary {
    /// Times of the scenario as a share of those of its source, such as `1/1000`; absent where it states none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_scale: Option<String>,
    /// Stage by stage; those without a flow are left out.
    pub stages: Vec<StageSummary>,
}

/// One stage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StageSummary {
    /// Its number, from 0.
    pub stage: u32,
    /// When it begins.
    pub start_s: f64,
    /// When the measured part begins, after the warm-up.
    pub judged_s: f64,
    /// When it ends.
    pub end_s: f64,
    /// The flows that are active in that part.
    pub flows: Vec<FlowThroughput>,
    /// Sum of their throughputs, in bit/s.
    pub sum_bps: f64,
    /// Jain's index of their throughputs; absent if all are zero.
    pub jain: Option<f64>,
    /// Variance of their throughputs, in (bit/s)^2.
    pub variance_bps2: f64,
}

/// The throughput of a flow in a stage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FlowThroughput {
    /// Its name.
    pub flow: String,
    /// The host that sends.
    pub source: String,
    /// The host that receives.
    pub destination: String,
    /// Payload delivered for the first time, in bit/s.
    pub throughput_bps: f64,
}

/// Collects the rows.
#[derive(Debug, Default)]
pub(super) struct Tally {
    stages: BTreeMap<u32, Vec<StageRow>>,
}

impl Tally {
    pub(super) fn take(&mut self, rows: &[StageRow]) {
        for row in rows {
            self.stages.entry(row.stage).or_default().push(*row);
        }
    }

    pub(super) fn finish(self, names: &Names, time_scale: Option<String>) -> Option<StagedSummary> {
        let stages = self.stages.into_values().filter_map(|rows| stage(&rows, names));
        let stages: Vec<StageSummary> = stages.collect();
        (!stages.is_empty()).then_some(StagedSummary { time_scale, stages })
    }
}

fn stage(rows: &[StageRow], names: &Names) -> Option<StageSummary> {
    let &StageRow { stage, start, measured_from, end, .. } = rows.first()?;
    let throughputs: Vec<f64> = rows.iter().map(|row| row.throughput).collect();
    let Fairness { sum, jain, variance } = Fairness::of(&throughputs)?;
    let flow = |row: &StageRow| FlowThroughput {
        flow: names.flow(row.flow),
        source: names.node(NodeId(row.source.0)),
        destination: names.node(NodeId(row.destination.0)),
        throughput_bps: row.throughput,
    };
    Some(StageSummary {
        stage,
        start_s: start.as_seconds(),
        judged_s: measured_from.as_seconds(),
        end_s: end.as_seconds(),
        flows: rows.iter().map(flow).collect(),
        sum_bps: sum,
        jain,
        variance_bps2: variance,
    })
}
