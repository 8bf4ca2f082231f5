//! Figures of the parts of a run: jobs, collectives by size, stages, flows in stages, ports, groups of ports by tier
//! and direction, and the shares beyond a multiple.
//!
//! Models: each part has a name: a job its own; its collectives of a size `JOB/COLLECTIVE/BYTES`, with the size as
//! latency benchmarks count it, or `JOB/COLLECTIVE/vector/BYTES`; a stage `stage0`; a flow there `stage0/FLOW`; what a
//! node sends by a link `NODE/LINK`; egress ports of a tier and direction `tier1/up`; flows between two hosts
//! `SOURCE->DESTINATION`; messages beyond a multiple of the ideal `MULTIPLE`, links beyond a multiple of their mean
//! `NODE/MULTIPLE`.
//!
//! Invariants: ports, tables and collectives are examined only for papers that use them, since large fabrics have many.

use std::collections::{BTreeMap, BTreeSet};

use netloom_records::{CollectiveRow, PortRow};
use netloom_units::PortId;

use super::completion::Completion;
use super::paper::Paper;
use super::quantity::Quantity;
use super::uplinks;
use crate::error::LabError;
use crate::export::alone;
use crate::export::nccl::Bandwidths;
use crate::export::osu::Latencies;
use crate::prepare::Prepared;
use crate::show::arbitration::{self, EgressKind};
use crate::summary::{CongestionSummary, JobSummary, PairTime, PortTime, StageSummary, Summary};

/// Bits per second in 1 Gb/s, the unit of published throughputs.
const GIGABIT: f64 = 1e9;

/// Figures of parts, by their names.
pub type Parts = BTreeMap<String, BTreeMap<Quantity, f64>>;

/// Rows that parts are computed from, where a paper uses them.
#[derive(Debug, Default)]
pub(super) struct Rows {
    /// Completion times of messages.
    pub completion: Completion,
    /// Of ports.
    pub ports: Vec<PortRow>,
    /// Of collectives.
    pub collectives: Vec<CollectiveRow>,
}

/// Optional figures that a paper uses.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "independent flags")]
pub(super) struct Asks {
    /// Bytes that each port sent.
    pub ports: bool,
    /// Numbers of ingress ports that compete for egress ports, by forwarding tables.
    pub tables: bool,
    /// Ports and flows of a congestion tree.
    pub congestion: bool,
    /// Times of collectives, by size.
    pub collectives: bool,
    /// Completion times of messages.
    pub completion: bool,
    /// Multiples of the ideal beyond which messages are counted, as text.
    multiples: BTreeSet<String>,
    /// Switches and multiples of their mean beyond which links are counted, as text.
    uplinks: BTreeSet<String>,
}

impl Asks {
    /// The figures that a paper uses of a run.
    pub fn of(paper: &Paper, run: &str) -> Asks {
        let tables = [
            Quantity::ArbitratedMost,
            Quantity::ArbitratedLeast,
            Quantity::ArbitratedUplinks,
            Quantity::ArbitratedDownlinks,
        ];
        let congestion = [Quantity::RootShare, Quantity::BranchShare, Quantity::VictimShare];
        let collectives = [Quantity::CollectiveLatency, Quantity::CollectiveBusbw];
        let completion =
            [Quantity::FlowMean, Quantity::FlowShortest, Quantity::FlowLongest, Quantity::FlowsBeyond];
        let any = |quantities: &[Quantity]| quantities.iter().any(|quantity| paper.asks_for(*quantity));
        Asks {
            ports: paper.asks_for(Quantity::PortBytes),
            collectives: any(&collectives),
            tables: any(&tables),
            congestion: any(&congestion),
            completion: any(&completion),
            multiples: paper.parts_asked(run, &[Quantity::FlowsBeyond]),
            uplinks: paper.parts_asked(run, &[Quantity::LinksBeyond, Quantity::LinksClear]),
        }
    }

    /// Whether rows of ports are needed.
    pub fn wants_ports(&self) -> bool {
        self.ports || !self.uplinks.is_empty()
    }
}

/// All parts of a run.
pub(super) fn all(
    prepared: &Prepared,
    summary: &Summary,
    rows: &Rows,
    asks: &Asks,
) -> Result<Parts, LabError> {
    let mut parts = Parts::new();
    let mut add = |name: String, values: BTreeMap<Quantity, f64>| {
        parts.entry(name).or_default().extend(values);
    };
    for job in &summary.jobs {
        add(job.name.clone(), of_job(job));
    }
    for stage in summary.flows.iter().flat_map(|flows| &flows.stages) {
        let name = format!("stage{}", stage.stage);
        for flow in &stage.flows {
            let throughput = (Quantity::FlowThroughput, flow.throughput_bps / GIGABIT);
            add(format!("{name}/{}", flow.flow), BTreeMap::from([throughput]));
        }
        add(name, of_stage(stage));
    }
    for row in rows.ports.iter().filter(|_| asks.ports) {
        let node = &prepared.compiled.node_names[row.node.index()];
        let link = &prepared.compiled.link_names[row.link.index()];
        add(format!("{node}/{link}"), BTreeMap::from([(Quantity::PortBytes, row.size.0 as f64)]));
    }
    let sized = of_collectives(prepared, &rows.collectives)?;
    for (name, values) in sized.into_iter().chain(of_multiples(prepared, rows, asks)) {
        add(name, values);
    }
    if asks.tables {
        for kind in arbitration::of(prepared)?.kinds {
            add(kind.name(), of_kind(&kind));
        }
    }
    if let Some(found) = summary.congestion.as_ref().filter(|_| asks.congestion) {
        for (name, values) in of_congestion(prepared, found) {
            parts.entry(name).or_default().extend(values);
        }
    }
    Ok(parts)
}

/// Shares beyond the multiples that a paper uses.
fn of_multiples(prepared: &Prepared, rows: &Rows, asks: &Asks) -> Parts {
    let multiples = asks.multiples.iter().map(String::as_str);
    let mut parts = rows.completion.parts(&prepared.compiled.model, multiples);
    parts.extend(uplinks::parts(prepared, &rows.ports, asks.uplinks.iter().map(String::as_str)));
    parts
}

/// Collectives by size, as benchmarks of latency and of bandwidth count them.
fn of_collectives(prepared: &Prepared, rows: &[CollectiveRow]) -> Result<Parts, LabError> {
    let compiled = &prepared.compiled;
    let alone = alone::of(&compiled.model.workload, &compiled.job_names, rows)?;
    let mut parts = Parts::new();
    for table in Latencies::of(&alone).tables {
        for line in &table.lines {
            let name = format!("{}/{}/{}", table.job, table.collective, line.size_bytes);
            parts.insert(name, [(Quantity::CollectiveLatency, line.average_us)].into());
        }
    }
    for table in Bandwidths::of(&alone).tables {
        for line in &table.lines {
            let name = format!("{}/{}/vector/{}", table.job, table.collective, line.size_bytes);
            parts.insert(name, [(Quantity::CollectiveBusbw, line.busbw)].into());
        }
    }
    Ok(parts)
}

/// Every port, and every pair of hosts that passes a congested one.
fn of_congestion(prepared: &Prepared, found: &CongestionSummary) -> Parts {
    let compiled = &prepared.compiled;
    let mut parts = Parts::new();
    for port in compiled.model.fabric.ports() {
        let [node, link] = [&compiled.node_names[port.node.index()], &compiled.link_names[port.link.index()]];
        let none = [(Quantity::RootShare, 0.0), (Quantity::BranchShare, 0.0)];
        parts.insert(format!("{node}/{link}"), BTreeMap::from(none));
    }
    let mut add = |name: String, quantity, time_s: f64| {
        parts.entry(name).or_default().insert(quantity, time_s / found.judged_s);
    };
    for (ports, quantity) in [(&found.roots, Quantity::RootShare), (&found.branches, Quantity::BranchShare)] {
        for PortTime { port, node, time_s, .. } in ports {
            let link = compiled.model.fabric.port(PortId(*port)).link;
            add(format!("{node}/{}", compiled.link_names[link.index()]), quantity, *time_s);
        }
    }
    for flow in compiled.model.workload.staged.iter().flat_map(|staged| &staged.flows) {
        let [source, destination] =
            [flow.source, flow.destination].map(|host| &compiled.node_names[host.index()]);
        add(format!("{source}->{destination}"), Quantity::VictimShare, 0.0);
    }
    for PairTime { source, destination, time_s } in &found.victims {
        add(format!("{source}->{destination}"), Quantity::VictimShare, *time_s);
    }
    parts
}

/// Number of ports that were a root for at least half of the time in which any port was congested.
pub(super) fn n_roots(found: &CongestionSummary) -> usize {
    found.roots.iter().filter(|port| 2.0 * port.time_s >= found.judged_s).count()
}

fn of_job(job: &JobSummary) -> BTreeMap<Quantity, f64> {
    let mut values = BTreeMap::new();
    if let Some(step) = &job.step {
        values.insert(Quantity::StepMean, step.mean_s * 1e3);
        values.insert(Quantity::StepP95, step.p95_s * 1e3);
        values.insert(Quantity::StepP99, step.p99_s * 1e3);
    }
    if let Some(measured) = &job.measured {
        values.insert(Quantity::MeasuredMean, measured.mean_s * 1e6);
        let variation = measured.deviation_s.map(|deviation| deviation / measured.mean_s);
        values.extend(variation.map(|variation| (Quantity::StepVariation, variation)));
    }
    if let Some(time_s) = job.time_s {
        values.insert(Quantity::JobTime, time_s);
    }
    values
}

fn of_stage(stage: &StageSummary) -> BTreeMap<Quantity, f64> {
    let mut values = BTreeMap::from([
        (Quantity::StageSum, stage.sum_bps / GIGABIT),
        (Quantity::StageVariance, stage.variance_bps2 / (GIGABIT * GIGABIT)),
    ]);
    values.extend(stage.jain.map(|jain| (Quantity::StageJain, jain)));
    values
}

fn of_kind(kind: &EgressKind) -> BTreeMap<Quantity, f64> {
    BTreeMap::from([
        (Quantity::ArbitratedMost, f64::from(kind.all.most)),
        (Quantity::ArbitratedLeast, f64::from(kind.all.least)),
        (Quantity::ArbitratedUplinks, f64::from(kind.from_above.most)),
        (Quantity::ArbitratedDownlinks, f64::from(kind.from_below.most)),
    ])
}

/// Mean over the stages of a run of the variance of flow throughputs.
pub(super) fn variance_mean(summary: &Summary) -> Option<f64> {
    let stages = &summary.flows.as_ref()?.stages;
    let sum: f64 = stages.iter().map(|stage| stage.variance_bps2).sum();
    Some(sum / stages.len() as f64 / (GIGABIT * GIGABIT))
}
