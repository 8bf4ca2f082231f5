//! The figures of a run: times of jobs, steps and collectives, throughputs of staged flows, queues, links, drops.
//!
//! Models: the same figures from a run in memory and from a run folder.
//! Leaves out: plots.
//!
//! Invariants: times in seconds, sizes in bytes, bandwidths in bytes per second (where a name ends in `_bps`, in bits),
//! shares from 0 to 1.
//!
//! Source: peaks in packets, percentiles and utilization are defined as in Zeltser 2026, with one difference: its queue
//! counts for an instant a packet that arrives at an idle port, this one does not, so its peaks are larger by up to
//! one.

mod arbitration;
mod causes;
mod congestion;
mod exposed;
mod gather;
mod queue_pairs;
mod span;
mod staged;
mod statistics;
mod timeouts;
mod traffic;

use std::collections::BTreeMap;
use std::path::Path;

use netloom_records::statistics::{HostPorts, Over, Span};
use netloom_records::{
    Batch, CauseRow, CollectiveRow, CongestedFlowRow, CongestionRow, FlowRow, MemorySink, Names,
    ReorderingRow, RepairRow, RunFolder, SeriesRow, SpanRow, StepRow, Table,
};
use netloom_units::Time;
use serde::{Deserialize, Serialize};

pub use arbitration::{ArbitrationSummary, HeadWait};
pub use causes::{CauseSummary, CausesOver};
pub use congestion::{CongestionSummary, PairTime, PortTime};
pub use exposed::{ExposedSummary, ShareSummary};
pub(crate) use gather::Gather;
pub use gather::Totals;
pub use netloom_records::statistics::Reordering as ReorderingSummary;
pub use netloom_records::statistics::{SizeBucket, Slowdowns};
pub use queue_pairs::QueuePairSummary;
pub use span::{SpanSummary, name as over_name, over};
pub use staged::{FlowThroughput, StageSummary, StagedSummary};
pub use statistics::Distribution;
pub use timeouts::{TimedOut, TimeoutSummary};
pub use traffic::TrafficSummary;

use crate::error::LabError;
use crate::manifest::HOSTS;

/// All figures of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// The part of the run over which background messages, kinds of traffic and links are reported.
    pub span: SpanSummary,
    /// Job by job.
    pub jobs: Vec<JobSummary>,
    /// Background traffic and finite flows.
    pub background: Option<BackgroundSummary>,
    /// Kinds of traffic, if they have names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub traffic: Vec<TrafficSummary>,
    /// Staged flows, stage by stage; absent for a run without any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flows: Option<StagedSummary>,
    /// Roots, branches and victims of congestion; absent if they were not recorded, or there were none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub congestion: Option<CongestionSummary>,
    /// Messages that started.
    pub messages: u64,
    /// Those of them that did not arrive.
    pub unfinished: u64,
    /// The longest queues.
    pub queues: QueueSummary,
    /// Links.
    pub links: LinkSummary,
    /// Lost packets.
    pub drops: DropSummary,
    /// Sums over queue pairs; absent for a run without any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue_pairs: Option<QueuePairSummary>,
    /// Queue pairs with spurious timeouts; absent for a run without timeouts or with losses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeouts: Option<TimeoutSummary>,
    /// Waiting at the heads of queues; absent for a run without credits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arbitration: Option<ArbitrationSummary>,
    /// What completion times consist of; absent if it was not recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub causes: Option<CauseSummary>,
    /// Reordering of packets; absent if it was not recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reordering: Option<ReorderingSummary>,
    /// Data packets created; absent if they were not counted.
    pub packets: Option<u64>,
    /// Packet-hops of packets of all kinds; absent if they were not counted.
    pub hops: Option<u64>,
    /// Simulated time.
    pub simulated_s: f64,
}

/// One job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JobSummary {
    /// Its name.
    pub name: String,
    /// Number of ranks.
    pub ranks: u32,
    /// Steps finished by all ranks.
    pub steps: u32,
    /// From the first rank's start to the last rank's end; absent if it did not finish.
    pub time_s: Option<f64>,
    /// When its first rank started; absent if none did.
    pub start_s: Option<f64>,
    /// Step times, each from the first rank's start to the last rank's end.
    pub step: Option<Distribution>,
    /// The measured mean step time; absent for a job with neither a warm-up nor a required precision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measured: Option<MeasuredSummary>,
    /// Exposed communication; absent for a job that neither computes nor has groups, and without recorded steps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exposed: Option<ExposedSummary>,
    /// Communication, phase by phase.
    pub phases: Vec<PhaseSummary>,
}

/// The mean step time of a job after its warm-up.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct MeasuredSummary {
    /// Number of steps that count.
    pub steps: u32,
    /// Number of warm-up steps before these.
    pub warm_up: u32,
    /// Their mean time.
    pub mean_s: f64,
    /// Standard deviation of their times; absent for a single step.
    pub deviation_s: Option<f64>,
    /// Half of the 95 % confidence interval of the mean; absent for fewer than ten steps.
    pub half_interval_s: Option<f64>,
    /// Whether the precision that the scenario requires is reached; absent if it requires none.
    pub precise: Option<bool>,
}

/// The buckets of one phase over all steps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PhaseSummary {
    /// Which phase of the step.
    pub phase: u16,
    /// Times of the buckets.
    pub time: Option<Distribution>,
    /// Algorithm bandwidth as nccl-tests report it: bytes over time, of all buckets together.
    pub algbw: f64,
    /// Bus bandwidth, likewise.
    pub busbw: f64,
    /// Mean over the buckets of the bus bandwidth of each, which claims of papers use.
    #[serde(skip)]
    pub mean_busbw: f64,
}

/// Background traffic and finite flows within the span.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BackgroundSummary {
    /// Messages that started.
    pub messages: u64,
    /// Of these, finite flows.
    pub finite_flows: u64,
    /// Completion times of those that arrived.
    pub fct: Option<Distribution>,
    /// Their slowdown: completion time over that in an empty network.
    pub slowdown: Option<Slowdowns>,
}

impl BackgroundSummary {
    /// What these messages are.
    pub fn what(&self) -> &'static str {
        match self.finite_flows {
            0 => "background",
            all if all == self.messages => "flows",
            _ => "background and flows",
        }
    }
}

/// The longest queues, separately for hosts and switches.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct QueueSummary {
    /// Over all nodes, as Zeltser 2026 counts them.
    pub all: PeakSummary,
    /// At hosts.
    pub hosts: PeakSummary,
    /// At switches.
    pub switches: PeakSummary,
}

/// The longest queues at some nodes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PeakSummary {
    /// Largest backlog of one port in bytes, the rest of the packet on the wire included; absent for a measured run.
    pub bytes: Option<u64>,
    /// Most packets in the queue of one port, the one on the wire excluded; absent unless all of these ports counted
    /// packets.
    pub packets: Option<u64>,
    /// Mean over nodes of the most packets in the queue of any of their ports; absent as above.
    pub node_mean_packets: Option<f64>,
}

/// Links within the span, each direction separately.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LinkSummary {
    /// Bytes sent over the capacity of all links in that time, failed ones included.
    pub utilization: f64,
    /// Share of that time in which the busiest direction of a link was transmitting.
    pub busiest: f64,
}

/// Lost packets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DropSummary {
    /// All lost packets.
    pub packets: u64,
    /// Lost packets by reason.
    pub by_reason: BTreeMap<String, u64>,
}

impl Summary {
    /// The figures of rows in memory, over the time in which a job runs.
    pub fn of_memory(sink: &MemorySink, names: &Names, n_hosts: u32, totals: Totals) -> Summary {
        let ports = HostPorts::of_rows(n_hosts, &sink.ports);
        let mut gather = Gather::over(n_hosts, ports, Span::of_jobs(&sink.jobs, totals.simulated));
        gather.take(Batch::Traffic(&sink.traffic));
        gather.take(Batch::Flows(&sink.flows));
        gather.take(Batch::Collectives(&sink.collectives));
        gather.take(Batch::Measures(&sink.measures));
        gather.take(Batch::Steps(&sink.steps));
        gather.take(Batch::Jobs(&sink.jobs));
        gather.take(Batch::Spans(&sink.spans));
        gather.take(Batch::Series(&sink.series));
        gather.take(Batch::Ports(&sink.ports));
        gather.take(Batch::Drops(&sink.drops));
        gather.take(Batch::Repairs(&sink.repairs));
        gather.take(Batch::Signals(&sink.signals));
        gather.take(Batch::Rings(&sink.rings));
        gather.take(Batch::Stages(&sink.stages));
        gather.take(Batch::Congestion(&sink.congestion));
        gather.take(Batch::CongestedFlows(&sink.congested_flows));
        gather.take(Batch::Reordering(&sink.reordering));
        gather.take(Batch::Tallies(&sink.tallies));
        gather.take(Batch::Arbitration(&sink.arbitration));
        gather.take(Batch::SpuriousTimeouts(&sink.spurious_timeouts));
        gather.take(Batch::Causes(&sink.causes));
        gather.finish(names, totals)
    }

    /// The figures of a run folder.
    ///
    /// # Errors
    /// If it is not a complete run folder or cannot be read, or an interval is not within the run.
    pub fn of_folder(folder: &RunFolder, over: Over) -> Result<Summary, LabError> {
        let span = span_of_folder(folder, over)?;
        let manifest = folder.manifest();
        let n_hosts = manifest.engine.get(HOSTS).and_then(serde_json::Value::as_u64);
        let lacking = || LabError::Lacking { path: folder.path().to_owned(), what: HOSTS };
        let n_hosts = n_hosts.and_then(|n| u32::try_from(n).ok()).ok_or_else(lacking)?;
        let ports = folder.ports()?;
        let mut gather = Gather::over(n_hosts, HostPorts::of_rows(n_hosts, &ports), span);
        let is_there = |table: Table| folder.path().join(table.file_name()).is_file();
        if is_there(Table::Traffic) {
            gather.take(Batch::Traffic(&folder.traffic()?));
        }
        if is_there(Table::Measures) {
            gather.take(Batch::Measures(&folder.measures()?));
        }
        for block in folder.rows::<FlowRow>()? {
            gather.take(Batch::Flows(&block?));
        }
        for block in folder.rows::<CollectiveRow>()? {
            gather.take(Batch::Collectives(&block?));
        }
        for block in folder.rows::<StepRow>()? {
            gather.take(Batch::Steps(&block?));
        }
        gather.take(Batch::Jobs(&folder.jobs()?));
        // The bytes that ports sent within the span follow from their samples, which are added first.
        if is_there(Table::Series) {
            for block in folder.rows::<SeriesRow>()? {
                gather.take(Batch::Series(&block?));
            }
        }
        gather.take(Batch::Ports(&ports));
        gather.take(Batch::Drops(&folder.drops()?));
        take_later_tables(folder, &mut gather)?;
        let totals = Totals {
            packets: manifest.packets,
            hops: manifest.hops,
            simulated: Time(manifest.simulated_ps),
            time_scale: manifest.time_scale.clone(),
            layouts: manifest.jobs.clone(),
        };
        Ok(gather.finish(&folder.names()?, totals))
    }
}

/// The selected part of a stored run.
pub(crate) fn span_of_folder(folder: &RunFolder, over: Over) -> Result<Span, LabError> {
    let end = Time(folder.manifest().simulated_ps);
    let outside = |found| LabError::OutsideRun { path: folder.path().to_owned(), found };
    Span::of(over, &folder.jobs()?, end).map_err(outside)
}

/// The figures over a part of a run that was just stored, given those over the whole run.
pub(crate) fn taken_over(path: &Path, over: Over, whole: Summary) -> Result<Summary, LabError> {
    if over == Over::All {
        return Ok(whole);
    }
    let folder = RunFolder::open(path)?;
    if span_of_folder(&folder, over)?.is_whole() {
        return Ok(Summary { span: SpanSummary { over: over_name(over), ..whole.span }, ..whole });
    }
    Summary::of_folder(&folder, over)
}

/// Adds tables that folders of older versions lack.
fn take_later_tables(folder: &RunFolder, gather: &mut Gather) -> Result<(), LabError> {
    let is_there = |table: Table| folder.path().join(table.file_name()).is_file();
    if is_there(Table::Repairs) {
        for block in folder.rows::<RepairRow>()? {
            gather.take(Batch::Repairs(&block?));
        }
    }
    if is_there(Table::Signals) {
        gather.take(Batch::Signals(&folder.signals()?));
    }
    if is_there(Table::Rings) {
        gather.take(Batch::Rings(&folder.rings()?));
    }
    if is_there(Table::Spans) {
        for block in folder.rows::<SpanRow>()? {
            gather.take(Batch::Spans(&block?));
        }
    }
    if is_there(Table::Stages) {
        gather.take(Batch::Stages(&folder.stages()?));
    }
    if is_there(Table::Congestion) {
        for block in folder.rows::<CongestionRow>()? {
            gather.take(Batch::Congestion(&block?));
        }
        for block in folder.rows::<CongestedFlowRow>()? {
            gather.take(Batch::CongestedFlows(&block?));
        }
    }
    if is_there(Table::Tallies) {
        gather.take(Batch::Tallies(&folder.tallies()?));
    }
    if is_there(Table::Arbitration) {
        gather.take(Batch::Arbitration(&folder.arbitration()?));
        gather.take(Batch::SpuriousTimeouts(&folder.spurious_timeouts()?));
    }
    if is_there(Table::Causes) {
        for block in folder.rows::<CauseRow>()? {
            gather.take(Batch::Causes(&block?));
        }
    }
    if is_there(Table::Reordering) {
        for block in folder.rows::<ReorderingRow>()? {
            gather.take(Batch::Reordering(&block?));
        }
    }
    Ok(())
}

/// The figures of a run folder, over the time in which a job runs.
///
/// # Errors
/// If it is not a complete run folder, or cannot be read.
pub fn summary(path: &Path) -> Result<Summary, LabError> {
    Summary::of_folder(&RunFolder::open(path)?, Over::Jobs)
}
