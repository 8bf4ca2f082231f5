//! One pass over a run folder that feeds every panel.
//!
//! Invariants: tables are read block by block; the memory of each panel is bounded by the fabric, not by the messages.

use netloom_records::statistics::{Over, Span};
use netloom_records::{
    Batch, CauseRow, CellRow, ClassRow, CollectiveRow, CongestedFlowRow, CongestionRow, DropRow, EventRow,
    FaultRow, FlowRow, JobRow, Manifest, MeasureRow, Names, PathRow, PortRow, RateRow, ReorderingRow,
    RepairRow, Row, RunFolder, SeriesRow, SignalRow, SpanRow, StageRow, StepRow, TallyRow, TrafficRow,
};
use netloom_units::{LinkId, NodeId, Time};

use crate::answer::{Observed, StepTimes};
use crate::error::ReportError;
use crate::panels::fct::Fct;
use crate::panels::interference::Interference;
use crate::panels::tier_ports::{self, TierPorts};
use crate::panels::{Collector, Collectors};

/// Key of the number of hosts among the values that the engine derived.
const HOSTS: &str = "hosts";

/// Properties of a run that every panel may use, apart from its rows.
#[derive(Debug)]
pub struct About {
    /// Its name in the report.
    pub name: String,
    /// The manifest of its folder.
    pub manifest: Manifest,
    /// Names of nodes, links, jobs, staged flows and kinds of traffic.
    pub names: Names,
    /// Number of runs on the page.
    pub n_runs: usize,
    /// Hosts come first among the nodes.
    pub n_hosts: u32,
    /// The part over which background messages, mean throughput and utilization are taken.
    pub span: Span,
}

impl About {
    /// Whether a node is a host; hosts come first among the nodes.
    pub fn is_host(&self, node: NodeId) -> bool {
        node.0 < self.n_hosts
    }

    /// Name of a node.
    pub fn node(&self, node: NodeId) -> String {
        self.names.node(node)
    }

    /// Name of a link.
    pub fn link(&self, link: LinkId) -> String {
        self.names.links.get(link.0 as usize).cloned().unwrap_or_else(|| format!("link {}", link.0))
    }

    /// Name of a job.
    pub fn job(&self, job: u16) -> String {
        self.names.job(job)
    }

    /// Name of a staged flow.
    pub fn flow(&self, flow: u16) -> String {
        self.names.flow(flow)
    }

    /// Simulated time, in ps.
    pub fn simulated(&self) -> f64 {
        self.manifest.simulated_ps as f64
    }
}

/// A run that has been read.
#[derive(Debug)]
pub struct Collected {
    /// Its properties.
    pub about: About,
    /// The collectors of all panels.
    pub panels: Collectors,
}

/// Reads the tables of a run that interference needs.
pub fn study(name: String, folder: &RunFolder) -> Result<(About, Interference), ReportError> {
    let about = about(name, folder, 1, Over::All)?;
    let mut kept = Interference::default();
    rows::<CollectiveRow>(folder, |rows| kept.take(&about, Batch::Collectives(rows)))?;
    rows::<MeasureRow>(folder, |rows| kept.take(&about, Batch::Measures(rows)))?;
    rows::<CellRow>(folder, |rows| kept.take(&about, Batch::Cells(rows)))?;
    Ok((about, kept))
}

/// Reads the tables of a run that say which variant is better.
pub fn observed(
    name: String,
    folder: &RunFolder,
    n_runs: usize,
    over: Over,
) -> Result<(About, Observed), ReportError> {
    let about = about(name, folder, n_runs, over)?;
    let (mut steps, mut fct, mut jobs) = (StepTimes::default(), Fct::default(), Vec::new());
    rows::<JobRow>(folder, |rows| jobs.extend_from_slice(rows))?;
    rows::<StepRow>(folder, |rows| steps.take(&about, Batch::Steps(rows)))?;
    if jobs.is_empty() {
        rows::<FlowRow>(folder, |rows| fct.take(&about, Batch::Flows(rows)))?;
    }
    let observed = Observed::new(steps, &about, &jobs).with_messages(&fct.finish());
    Ok((about, observed))
}

/// Reads one of `n_runs` runs of a page, with figures over a part of it.
pub fn run(name: String, folder: &RunFolder, n_runs: usize, over: Over) -> Result<Collected, ReportError> {
    let about = about(name, folder, n_runs, over)?;
    let mut panels = Collectors::default();
    read(folder, &about, &mut panels)?;
    Ok(Collected { about, panels })
}

fn about(name: String, folder: &RunFolder, n_runs: usize, over: Over) -> Result<About, ReportError> {
    let manifest = folder.manifest().clone();
    let n_hosts = manifest.engine.get(HOSTS).and_then(serde_json::Value::as_u64);
    let lacking = || ReportError::Lacking { path: folder.path().to_owned(), what: HOSTS };
    let n_hosts = n_hosts.and_then(|n| u32::try_from(n).ok()).ok_or_else(lacking)?;
    let outside = |found| ReportError::OutsideRun { path: folder.path().to_owned(), found };
    let span = Span::of(over, &folder.jobs()?, Time(manifest.simulated_ps)).map_err(outside)?;
    Ok(About { name, manifest, names: folder.names()?, n_runs, n_hosts, span })
}

/// Passes the rows of all tables to every panel.
fn read(folder: &RunFolder, about: &About, panels: &mut Collectors) -> Result<(), ReportError> {
    let mut feed = |batch: Batch<'_>| panels.take(about, batch);
    // The kinds of messages are read before the messages.
    rows::<TrafficRow>(folder, |rows| feed(Batch::Traffic(rows)))?;
    rows::<ClassRow>(folder, |rows| feed(Batch::Classes(rows)))?;
    // The messages with recorded paths are read before the messages, too.
    rows::<PathRow>(folder, |rows| feed(Batch::Paths(rows)))?;
    // The ports of hosts are read before the messages, too.
    rows::<PortRow>(folder, |rows| feed(Batch::Ports(rows)))?;
    rows::<FlowRow>(folder, |rows| feed(Batch::Flows(rows)))?;
    rows::<CauseRow>(folder, |rows| feed(Batch::Causes(rows)))?;
    rows::<CollectiveRow>(folder, |rows| feed(Batch::Collectives(rows)))?;
    rows::<StepRow>(folder, |rows| feed(Batch::Steps(rows)))?;
    rows::<JobRow>(folder, |rows| feed(Batch::Jobs(rows)))?;
    rows::<SpanRow>(folder, |rows| feed(Batch::Spans(rows)))?;
    rows::<DropRow>(folder, |rows| feed(Batch::Drops(rows)))?;
    rows::<FaultRow>(folder, |rows| feed(Batch::Faults(rows)))?;
    rows::<EventRow>(folder, |rows| feed(Batch::Events(rows)))?;
    rows::<RepairRow>(folder, |rows| feed(Batch::Repairs(rows)))?;
    rows::<TallyRow>(folder, |rows| feed(Batch::Tallies(rows)))?;
    rows::<SignalRow>(folder, |rows| feed(Batch::Signals(rows)))?;
    // Stages determine which of the rates over time are those of staged flows.
    rows::<StageRow>(folder, |rows| feed(Batch::Stages(rows)))?;
    rows::<RateRow>(folder, |rows| feed(Batch::Rates(rows)))?;
    // Samples and congestion trees are read after all ports.
    rows::<SeriesRow>(folder, |rows| feed(Batch::Series(rows)))?;
    rows::<CongestionRow>(folder, |rows| feed(Batch::Congestion(rows)))?;
    rows::<CongestedFlowRow>(folder, |rows| feed(Batch::CongestedFlows(rows)))?;
    rows::<ReorderingRow>(folder, |rows| feed(Batch::Reordering(rows)))?;
    rows::<MeasureRow>(folder, |rows| feed(Batch::Measures(rows)))?;
    rows::<CellRow>(folder, |rows| feed(Batch::Cells(rows)))
}

/// The ports of a run tier by tier.
pub fn tier_ports(folder: &RunFolder, over: Over) -> Result<tier_ports::RunData, ReportError> {
    let about = about(String::new(), folder, 1, over)?;
    let mut ports = TierPorts::default();
    let mut feed = |batch: Batch<'_>| ports.take(&about, batch);
    rows::<PortRow>(folder, |rows| feed(Batch::Ports(rows)))?;
    rows::<DropRow>(folder, |rows| feed(Batch::Drops(rows)))?;
    rows::<SignalRow>(folder, |rows| feed(Batch::Signals(rows)))?;
    rows::<SeriesRow>(folder, |rows| feed(Batch::Series(rows)))?;
    Ok(ports.finish(&about, 1))
}

fn rows<R: Row>(folder: &RunFolder, mut feed: impl FnMut(&[R])) -> Result<(), ReportError> {
    // Runs of earlier versions do not have tables that were added later.
    if !folder.manifest().tables.contains_key(R::TABLE.name()) {
        return Ok(());
    }
    for block in folder.rows::<R>()? {
        feed(&block?);
    }
    Ok(())
}
