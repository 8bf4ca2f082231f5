//! A small run whose figures can be calculated by hand, and the data of a page about it.
//!
//! Two hosts (nodes 0, 1), each below a leaf of its own (2, 3), one spine (4); 10 s long.

use std::path::{Path, PathBuf};

use netloom_records::statistics::Over;
use netloom_records::{
    ChangedSetting, FlowRow, FolderSink, JobRow, MemorySink, Names, Outcome, Overwrite, PortRow, RunSummary,
    Status, StepRow,
};
use netloom_report::{ReportError, ReportedRun, page_data, render};
use netloom_units::{Bytes, Duration, HostId, LinkId, NodeId, PortId, Rate, Time};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A second in picoseconds.
pub const SECOND: u64 = 1_000_000_000_000;

pub fn names(job: &str) -> Names {
    let nodes = ["leaf0.host0", "leaf1.host0", "leaf0", "leaf1", "spine0"];
    let links = ["leaf0.host0.nic0", "leaf1.host0.nic0", "leaf0-spine0.0", "leaf1-spine0.0"];
    Names {
        nodes: nodes.map(str::to_owned).to_vec(),
        links: links.map(str::to_owned).to_vec(),
        jobs: vec![job.to_owned()],
        flows: ["there", "back", "there again"].map(str::to_owned).to_vec(),
        traffic: Vec::new(),
        collectives: Vec::new(),
    }
}

/// A port by its node, its peer, its link, and the seconds for which it was busy.
const PORTS: [(u32, u32, u32, u64); 8] = [
    (0, 2, 0, 5),
    (1, 3, 1, 2),
    (2, 0, 0, 1),
    (2, 4, 2, 4),
    (3, 1, 1, 3),
    (3, 4, 3, 2),
    (4, 2, 2, 8),
    (4, 3, 3, 0),
];

fn port(number: usize, (node, peer, link, busy): (u32, u32, u32, u64)) -> PortRow {
    PortRow {
        port: PortId(number as u32),
        node: NodeId(node),
        index: 0,
        link: LinkId(link),
        peer: NodeId(peer),
        rate: Rate(8_000_000_000),
        packets: busy,
        size: Bytes(busy * 1_000_000_000),
        busy: Duration(busy * SECOND),
        peak_packets: None,
        peak_size: Bytes(1000 * (number as u64 + 1)).into(),
        dropped: 0,
    }
}

/// Steps of 1, 2, 4 and 8 s; three messages of the job and a background message.
pub fn rows() -> MemorySink {
    let step = |(number, seconds): (u32, u64)| StepRow {
        start: Time(0),
        end: Time(seconds * SECOND),
        job: 0,
        step: number,
    };
    MemorySink {
        flows: [(1, 0), (2, 0), (3, u16::MAX), (4, 0)].map(|(end, job)| flow(end * SECOND, job)).to_vec(),
        steps: [1, 2, 4, 8].into_iter().enumerate().map(|(n, seconds)| step((n as u32, seconds))).collect(),
        jobs: vec![JobRow { job: 0, ranks: 2, start: Some(Time(0)), end: Some(Time(9 * SECOND)), steps: 4 }],
        ports: PORTS.into_iter().enumerate().map(|(number, ends)| port(number, ends)).collect(),
        ..MemorySink::default()
    }
}

/// A message that arrived at the given time.
pub fn flow(end: u64, job: u16) -> FlowRow {
    FlowRow {
        start: Time(0),
        end: Some(Time(end)),
        source: HostId(0),
        destination: HostId(1),
        number: (end % (1 << 32)) as u32,
        job,
        step: 0,
        phase: 0,
        bucket: 0,
        size: Bytes(1000),
        packets: 1,
        hops: 4,
        ideal: (job == u16::MAX).then_some(Duration(end / 2)),
    }
}

pub fn summary(balance: &str) -> RunSummary {
    let set = |path: &str, value: &str, default: Option<&str>| ChangedSetting {
        path: path.to_owned(),
        value: value.to_owned(),
        default: default.map(str::to_owned),
    };
    RunSummary {
        netloom: "0.1.0".to_owned(),
        build: None,
        scenario_yaml: format!("netloom: 1\nbalance: {balance}\n"),
        scenario: json!({ "netloom": "1", "name": "small", "balance": { "switch": balance } }),
        changed: vec![set("balance.switch", balance, Some("ecmp"))],
        seed: Some(u64::MAX),
        outcome: Outcome { status: Status::Complete, details: Vec::new() },
        wall_time_s: 1.5,
        packets: Some(4),
        hops: Some(16),
        simulated_ps: 10 * SECOND,
        threads: Some(2),
        command: ["netloom", "run", "a b.yaml"].map(str::to_owned).to_vec(),
        engine: json!({ "hosts": 2 }).as_object().unwrap().clone(),
        jobs: Vec::new(),
        assumptions: vec!["modelling assumption: the barrier is modelled".to_owned()],
        time_scale: None,
        measured: None,
    }
}

/// Run folders in a temporary folder.
pub struct Workspace {
    folder: TempDir,
    runs: Vec<ReportedRun>,
}

impl Workspace {
    pub fn new() -> Workspace {
        Workspace { folder: tempfile::tempdir().unwrap(), runs: Vec::new() }
    }

    /// With the small run in it.
    pub fn small() -> Workspace {
        let mut workspace = Workspace::new();
        workspace.run("spray", &rows(), names("training"), summary("spray"));
        workspace
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a run folder.
    pub fn run(&mut self, name: &str, rows: &MemorySink, names: Names, summary: RunSummary) -> &Path {
        let folder = self.path(&format!("run{}", self.runs.len()));
        let mut sink = FolderSink::create(&folder, names, Overwrite::Refuse).unwrap();
        rows.replay(&mut sink).unwrap();
        sink.finish(summary).unwrap();
        self.runs.push(ReportedRun { name: name.to_owned(), folder });
        &self.runs[self.runs.len() - 1].folder
    }

    pub fn runs(&self) -> &[ReportedRun] {
        &self.runs
    }

    pub fn page(&self) -> Result<String, ReportError> {
        render(&self.runs, Over::Jobs, None)
    }

    /// The data of the page.
    pub fn data(&self) -> Value {
        let page = self.page().unwrap();
        serde_json::from_str(&page_data(&page).expect("it has data")).expect("the data is JSON")
    }
}
