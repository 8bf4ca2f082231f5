//! Runs in characters: the pictures of each kind, and their maximum width.

use std::path::PathBuf;

use netloom_lab::text::{self, Look};
use netloom_lab::{Over, Overrides, RunRequest, Source, Style, Watch, read_report, run};
use netloom_records::{
    DropReason, DropRow, FaultRow, FolderSink, JobRow, MemorySink, Names, Outcome, Overwrite, PortRow,
    RunSummary, SeriesRow, Status, StepRow,
};
use netloom_report::{ReportedRun, read};
use netloom_units::{Bytes, Duration, LinkId, NodeId, PortId, Rate, Time};
use serde_json::json;
use tempfile::TempDir;

use crate::text_of_fabrics::{on_the_page, widest};

/// Temporary run folders.
struct Workspace {
    folder: TempDir,
    runs: Vec<ReportedRun>,
}

impl Workspace {
    fn new() -> Workspace {
        Workspace { folder: tempfile::tempdir().expect("a folder can be made"), runs: Vec::new() }
    }

    /// Runs a scenario of the repository.
    fn simulate(&mut self, name: &str, file: &str, set: &[(&str, &str)]) {
        let folder = self.folder.path().join(name);
        let set = set.iter().map(|(path, value)| ((*path).to_owned(), (*value).to_owned())).collect();
        let done = run(RunRequest {
            scenario: Source::file(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(file)),
            overrides: Overrides { set, ..Overrides::default() },
            folder: Some(folder.clone()),
            overwrite: Overwrite::Refuse,
            memory_limit: None,
            threads: Some(1),
            over: Over::Jobs,
            command: Vec::new(),
            live: None,
            programs: None,
            warn: None,
            watch: Watch::default(),
        });
        done.unwrap_or_else(|error| panic!("{}", error.render(Style::Plain)));
        self.runs.push(ReportedRun { name: name.to_owned(), folder });
    }

    /// Stores rows as a run.
    fn store(&mut self, name: &str, rows: &MemorySink, mut names: Names, hosts: u32) {
        let n_links = rows.ports.iter().map(|port| port.link.0 + 1).max().unwrap_or(0);
        names.links.extend((names.links.len() as u32..n_links).map(|number| format!("cable{number}")));
        let folder = self.folder.path().join(format!("run{}", self.runs.len()));
        let mut sink = FolderSink::create(&folder, names, Overwrite::Refuse).expect("a folder can be made");
        rows.replay(&mut sink).expect("rows can be stored");
        sink.finish(RunSummary {
            netloom: "0.1.0".to_owned(),
            build: None,
            scenario_yaml: "netloom: 1\n".to_owned(),
            scenario: json!({ "netloom": "1", "name": name }),
            changed: Vec::new(),
            seed: Some(1),
            outcome: Outcome { status: Status::Complete, details: Vec::new() },
            wall_time_s: 1.0,
            packets: Some(10),
            hops: Some(40),
            simulated_ps: 1_000_000_000,
            threads: Some(1),
            command: Vec::new(),
            engine: json!({ "hosts": hosts }).as_object().cloned().unwrap_or_default(),
            jobs: Vec::new(),
            assumptions: Vec::new(),
            time_scale: None,
            measured: None,
        })
        .expect("the folder can be finished");
        self.runs.push(ReportedRun { name: name.to_owned(), folder });
    }

    /// The text of a width; checks that at several widths it is not wider, and has the same width with colours.
    fn text(&self, width: usize) -> String {
        let folders: Vec<PathBuf> = self.runs.iter().map(|run| run.folder.clone()).collect();
        let are_simulated = self.runs.iter().all(|run| run.folder.ends_with(&run.name));
        let reported = if are_simulated {
            read_report(&folders, Over::Jobs, None, None).expect("the runs can be read")
        } else {
            read(&self.runs, Over::Jobs).expect("the runs can be read")
        };
        let paths: Vec<String> = self.runs.iter().map(|run| format!("out/{}", run.name)).collect();
        for width in [20, 60, 80, 120, 300] {
            let plain = text::report(&reported, &paths, Look { width, colours: false });
            let coloured = text::report(&reported, &paths, Look { width, colours: true });
            assert!(widest(&plain) <= width, "at {width}:\n{plain}");
            assert!(!plain.contains('\u{1b}') && coloured.contains('\u{1b}'));
            assert_eq!(widest(&coloured), widest(&plain), "at {width}");
        }
        text::report(&reported, &paths, Look { width, colours: false })
    }
}

fn no_names() -> Names {
    Names {
        nodes: Vec::new(),
        links: Vec::new(),
        jobs: Vec::new(),
        flows: Vec::new(),
        traffic: Vec::new(),
        collectives: Vec::new(),
    }
}

/// A heavy job under two policies, sampled over time.
fn heavy() -> Workspace {
    let mut workspace = Workspace::new();
    for policy in ["ecmp", "adaptive"] {
        let set = [("balance", policy), ("record.series", "10us")];
        workspace.simulate(policy, "scenarios/demo/heavy-x2.yaml", &set);
    }
    workspace
}

#[test]
fn a_heavy_job_under_two_policies() {
    let workspace = heavy();
    insta::assert_snapshot!("a_heavy_job_in_60_columns", workspace.text(60));
    insta::assert_snapshot!("a_heavy_job_in_120_columns", workspace.text(120));
    on_the_page("netloom report --text out/ecmp out/adaptive", &workspace.text(80));
}

#[test]
fn runs_with_faults_with_staged_flows_and_without_any_job() {
    let mut workspace = Workspace::new();
    workspace.simulate("flap", "scenarios/faults/flap.yaml", &[("jobs.0.steps", "12")]);
    insta::assert_snapshot!("a_run_with_faults", workspace.text(80));
    let mut workspace = Workspace::new();
    workspace.simulate("staged", "scenarios/flows/staged.yaml", &[]);
    workspace.simulate("poisson", "scenarios/background/poisson.yaml", &[]);
    insta::assert_snapshot!("staged_flows_and_no_job", workspace.text(80));
}

#[test]
fn an_empty_run_has_no_pictures() {
    let mut workspace = Workspace::new();
    workspace.store("nothing", &MemorySink::default(), no_names(), 0);
    let text = workspace.text(80);
    assert!(text.contains("No run has a job") && text.contains("No packet was lost."), "{text}");
    assert!(text.contains("record.series"), "{text}");
}

fn port(number: u32, node: u32, peer: u32, busy: u64) -> PortRow {
    PortRow {
        port: PortId(number),
        node: NodeId(node),
        index: 0,
        link: LinkId(number / 2),
        peer: NodeId(peer),
        rate: Rate(8_000_000_000),
        packets: 1,
        size: Bytes(1_000),
        busy: Duration(busy),
        peak_packets: None,
        peak_size: Bytes(1_000).into(),
        dropped: 0,
    }
}

/// 128 leaves, each with one host that has the traffic of 64, and 32 spines: the heat map of a fabric of 8,192 hosts.
#[test]
fn a_large_fabric_is_drawn_in_blocks() {
    let (leaves, spines) = (128, 32);
    let mut ports = Vec::new();
    let mut add = |node: u32, peer: u32, busy: u64| {
        ports.push(port(ports.len() as u32, node, peer, busy));
    };
    for leaf in 0..leaves {
        add(leaf, leaves + leaf, 900_000_000);
        for spine in 0..spines {
            add(leaves + leaf, 2 * leaves + spine, 1_000_000_000 * u64::from(leaf) / u64::from(leaves));
            add(2 * leaves + spine, leaves + leaf, 1_000_000_000 * u64::from(spine) / u64::from(spines));
        }
    }
    let words = [("host", leaves), ("leaf", leaves), ("spine", spines)];
    let nodes =
        words.iter().flat_map(|(word, n)| (0..*n).map(move |number| format!("{word}{number}"))).collect();
    let names = Names { nodes, ..no_names() };
    let mut workspace = Workspace::new();
    workspace.store("large", &MemorySink { ports, ..MemorySink::default() }, names, leaves);
    let text = workspace.text(80);
    assert!(text.contains("The fabric is drawn in blocks"), "{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn missing_samples_are_zero_and_a_switch_is_the_sum_of_its_ports() {
    // A switch (node 1) with two ports to host 0, and the port of the host.
    let ports = vec![port(0, 0, 1, 10), port(1, 1, 0, 10), port(2, 1, 0, 10)];
    let sample = |time: u64, port: u32, size: u64, waiting: u64| SeriesRow {
        time: Time(time),
        interval: Duration(100_000_000),
        port: PortId(port),
        size: Bytes(size),
        waiting: Bytes(waiting),
        paused: Duration(0),
        dropped: 0,
    };
    let series = vec![
        sample(100_000_000, 0, 700, 9_000),
        sample(100_000_000, 1, 1_000, 300),
        sample(100_000_000, 2, 250, 200),
        sample(400_000_000, 1, 500, 100),
    ];
    let names = Names { nodes: vec!["host".to_owned(), "switch".to_owned()], ..no_names() };
    let mut workspace = Workspace::new();
    workspace.store("sampled", &MemorySink { ports, series, ..MemorySink::default() }, names, 1);
    let reported = read(&workspace.runs, Over::Jobs).expect("the run can be read");
    let over_time = reported.over_time[0].as_ref().expect("it has samples");
    // 1,250 B in 100 us are 100 Mbps.
    assert_eq!(over_time.throughput[..5], [1e8, 0.0, 0.0, 4e7, 0.0]);
    assert_eq!((over_time.throughput.len(), over_time.backlog[..4].to_vec()), (10, vec![500, 0, 0, 100]));
    assert_eq!(over_time.worst.as_deref(), Some("switch"));
    assert!(workspace.text(80).contains("│█  ▄      │"), "{}", workspace.text(80));
}

#[test]
fn control_characters_in_names_are_escaped() {
    let bad = "a\u{1b}[31m\u{202e}\n";
    let names = Names {
        nodes: vec![bad.to_owned(); 3],
        links: vec![bad.to_owned(); 3],
        jobs: vec![bad.to_owned()],
        ..no_names()
    };
    let rows = MemorySink {
        steps: vec![StepRow { start: Time(0), end: Time(5_000), job: 0, step: 0 }],
        jobs: vec![JobRow { job: 0, ranks: 2, start: Some(Time(0)), end: Some(Time(5_000)), steps: 1 }],
        ports: vec![port(0, 0, 1, 10), port(1, 1, 0, 10)],
        drops: vec![DropRow {
            node: NodeId(1),
            port: Some(PortId(1)),
            reason: DropReason::QueueFull,
            packets: 3,
            size: Bytes(3_000).into(),
            first: Time(10),
            last: Time(20),
        }],
        faults: vec![FaultRow { time: Time(10), link: LinkId(0), up: false }],
        ..MemorySink::default()
    };
    let mut workspace = Workspace::new();
    workspace.store(bad, &rows, names, 1);
    let text = workspace.text(80);
    assert!(!text.contains('\u{202e}') && text.contains("queue full") && text.contains("▼"), "{text}");
    // With colours there are escape sequences, but none from a name.
    let reported = read(&workspace.runs, Over::Jobs).expect("the run can be read");
    let coloured = text::report(&reported, &[bad.to_owned()], Look { width: 80, colours: true });
    assert!(!coloured.contains("a\u{1b}[31m"), "{coloured:?}");
}

#[test]
fn runs_are_named_by_their_folders_and_the_command_for_the_page_is_shown() {
    let mut workspace = Workspace::new();
    workspace.store("nothing", &MemorySink::default(), no_names(), 0);
    let folder = workspace.runs[0].folder.clone();
    let text = crate::scenes::text(&[folder], Over::Jobs, Look { width: 160, colours: false })
        .expect("it can be read");
    assert!(text.contains("run0") && text.contains("netloom report "), "{text}");
    assert!(crate::scenes::text(&[PathBuf::from("nowhere")], Over::Jobs, Look::PLAIN).is_err());
}
