//! One pass over a run folder that feeds every panel.
//!
//! Invariants: tables are read block by block; each panel keeps a bounded amount, by the fabric and not by the messages.

use netloom_records::{
    Batch, CongestedFlowRow, CongestionRow, DropRow, EventRow, FaultRow, FlowRow, JobRow, Manifest, Names,
    PortRow, RateRow, RepairRow, Row, RunFolder, SignalRow, StageRow, StepRow,
};
use netloom_units::{LinkId, NodeId};

use crate::error::ReportError;
use crate::panels::Collectors;

/// Key of the number of hosts among the values the engine derived.
const HOSTS: &str = "hosts";

/// What every panel may ask about a run beside its rows.
#[derive(Debug)]
pub struct About {
    /// What the report calls it.
    pub name: String,
    /// What its folder says about it.
    pub manifest: Manifest,
    /// Names of nodes, links, jobs and staged flows.
    pub names: Names,
    n_hosts: u32,
}

impl About {
    /// Whether a node is a host; hosts come first among the nodes.
    pub fn is_host(&self, node: NodeId) -> bool {
        node.0 < self.n_hosts
    }

    /// Name of a node.
    pub fn node(&self, node: NodeId) -> String {
        self.names.nodes.get(node.0 as usize).cloned().unwrap_or_else(|| format!("node {}", node.0))
    }

    /// Name of a link.
    pub fn link(&self, link: LinkId) -> String {
        self.names.links.get(link.0 as usize).cloned().unwrap_or_else(|| format!("link {}", link.0))
    }

    /// Name of a job.
    pub fn job(&self, job: u16) -> String {
        self.names.jobs.get(usize::from(job)).cloned().unwrap_or_else(|| format!("job {job}"))
    }

    /// Name of a staged flow.
    pub fn flow(&self, flow: u16) -> String {
        self.names.flows.get(usize::from(flow)).cloned().unwrap_or_else(|| format!("flow {flow}"))
    }

    /// Simulated time, in ps.
    pub fn simulated(&self) -> f64 {
        self.manifest.simulated_ps as f64
    }
}

/// A run that has been read.
#[derive(Debug)]
pub struct Collected {
    /// What is known of it.
    pub about: About,
    /// What each panel kept of it.
    pub panels: Collectors,
}

/// Reads a run.
pub fn run(name: String, folder: &RunFolder) -> Result<Collected, ReportError> {
    let manifest = folder.manifest().clone();
    let n_hosts = manifest.engine.get(HOSTS).and_then(serde_json::Value::as_u64);
    let lacking = || ReportError::Lacking { path: folder.path().to_owned(), what: HOSTS };
    let n_hosts = n_hosts.and_then(|n| u32::try_from(n).ok()).ok_or_else(lacking)?;
    let about = About { name, manifest, names: folder.names()?, n_hosts };
    let mut panels = Collectors::default();
    let mut feed = |batch: Batch<'_>| panels.take(&about, batch);
    rows::<FlowRow>(folder, |rows| feed(Batch::Flows(rows)))?;
    rows::<StepRow>(folder, |rows| feed(Batch::Steps(rows)))?;
    rows::<JobRow>(folder, |rows| feed(Batch::Jobs(rows)))?;
    rows::<PortRow>(folder, |rows| feed(Batch::Ports(rows)))?;
    rows::<DropRow>(folder, |rows| feed(Batch::Drops(rows)))?;
    rows::<FaultRow>(folder, |rows| feed(Batch::Faults(rows)))?;
    rows::<EventRow>(folder, |rows| feed(Batch::Events(rows)))?;
    rows::<RepairRow>(folder, |rows| feed(Batch::Repairs(rows)))?;
    rows::<SignalRow>(folder, |rows| feed(Batch::Signals(rows)))?;
    // Which of the rates over time are those of staged flows is known from their stages.
    rows::<StageRow>(folder, |rows| feed(Batch::Stages(rows)))?;
    rows::<RateRow>(folder, |rows| feed(Batch::Rates(rows)))?;
    // Scenes are known once all ports have been told.
    rows::<CongestionRow>(folder, |rows| feed(Batch::Congestion(rows)))?;
    rows::<CongestedFlowRow>(folder, |rows| feed(Batch::CongestedFlows(rows)))?;
    Ok(Collected { about, panels })
}

fn rows<R: Row>(folder: &RunFolder, mut feed: impl FnMut(&[R])) -> Result<(), ReportError> {
    // Runs of earlier versions lack tables that were added later.
    if !folder.manifest().tables.contains_key(R::TABLE.name()) {
        return Ok(());
    }
    for block in folder.rows::<R>()? {
        feed(&block?);
    }
    Ok(())
}
