//! The reference simulator against six recorded runs of the seed paper's simulator: every flow, port, link and
//! statistic, to the last bit. The source of the recordings is documented in `golden/README.md`.

use std::fmt::Debug;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use netloom_testkit::seed_sim::{Config, Flow, JobTimes, SeedRun, StepTimes, simulate};
use serde_json::{Value, json};

/// The generator of failures and ties was seeded with this before the fabric was built.
const SEED: u32 = 42;

#[test]
fn seed_sim_golden_dp_ecmp_mid() {
    check_run("dp_ecmp_mid");
}

#[test]
fn seed_sim_golden_dp_ecmp_mid_fail5() {
    check_run("dp_ecmp_mid_fail5");
}

#[test]
fn seed_sim_golden_dp_adaptive_mid() {
    check_run("dp_adaptive_mid");
}

#[test]
fn seed_sim_golden_mixed_ecmp_low() {
    check_run("mixed_ecmp_low");
}

#[test]
fn seed_sim_golden_mixed_flowlet_mid() {
    check_run("mixed_flowlet_mid");
}

#[test]
fn seed_sim_golden_mixed_adaptive_low_fail5() {
    check_run("mixed_adaptive_low_fail5");
}

/// The files of one recorded run.
struct Golden {
    folder: PathBuf,
}

impl Golden {
    fn text(&self, name: &str) -> String {
        let path = self.folder.join(name);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.text(name)).expect("recorded JSON is well-formed")
    }

    fn unzipped(&self, name: &str) -> String {
        let bytes = fs::read(self.folder.join(name)).expect("the recording is there");
        let mut text = String::new();
        GzDecoder::new(bytes.as_slice()).read_to_string(&mut text).expect("the recording is zipped text");
        text
    }
}

fn check_run(name: &str) {
    let golden = Golden { folder: Path::new(env!("CARGO_MANIFEST_DIR")).join("golden").join(name) };
    let config: Config =
        serde_saphyr::from_str(&golden.text("config.yaml")).expect("the configuration is readable");
    let rings: Vec<_> = serde_json::from_value(golden.json("rings.json")).expect("the rings are readable");
    let run = simulate(&config, &rings, SEED);
    check_flows(&run, &golden.unzipped("flows.csv.gz"));
    check_ports(&run, &golden.text("ports.csv"));
    check_links(&run, &golden.text("links.csv"));
    check_summary(&run, &golden.json("summary.json"));
}

/// Compares line by line, so that the first difference is named.
fn check_lines<T: PartialEq + Debug>(what: &str, got: &[T], recorded: &str, parse: impl Fn(&[&str]) -> T) {
    let lines: Vec<_> = recorded.lines().skip(1).collect();
    for (number, (got, line)) in got.iter().zip(&lines).enumerate() {
        let fields: Vec<_> = line.split(',').collect();
        assert_eq!(*got, parse(&fields), "{what} {number} differs (left: reference, right: recording)");
    }
    assert_eq!(got.len(), lines.len(), "number of {what}s");
}

/// A double that is equal only to itself, bit by bit, and prints as a decimal.
#[derive(Debug)]
struct Exact(f64);

impl PartialEq for Exact {
    fn eq(&self, other: &Exact) -> bool {
        self.0.to_bits() == other.0.to_bits()
    }
}

fn number<T: std::str::FromStr>(field: &str) -> T {
    field.parse().unwrap_or_else(|_| panic!("'{field}' is no number"))
}

fn exact(field: &str) -> Exact {
    Exact(number(field))
}

/// The record of a flow.
#[derive(Debug, PartialEq)]
struct FlowLine {
    job: String,
    origin: Option<(usize, usize)>,
    src: String,
    dst: String,
    bytes: u64,
    injected_at: Exact,
    completed_at: Option<Exact>,
}

fn check_flows(run: &SeedRun, recorded: &str) {
    let name = |host: usize| run.unit.node_names[host].clone();
    let line = |flow: &Flow| FlowLine {
        job: flow.job.clone(),
        origin: flow.origin,
        src: name(flow.src),
        dst: name(flow.dst),
        bytes: flow.bytes,
        injected_at: Exact(flow.injected_at),
        completed_at: flow.completed_at.map(Exact),
    };
    let flows: Vec<_> = run.flows.iter().map(line).collect();
    check_lines("flow", &flows, recorded, |fields| {
        let &[_, job, _, step, _, bucket, src, dst, bytes, injected_at, completed_at] = fields else {
            panic!("a flow has eleven fields, not {fields:?}");
        };
        FlowLine {
            job: job.into(),
            origin: (job != "mice").then(|| (number(step), number(bucket))),
            src: src.into(),
            dst: dst.into(),
            bytes: number(bytes),
            injected_at: exact(injected_at),
            completed_at: (!completed_at.is_empty()).then(|| exact(completed_at)),
        }
    });
}

fn check_ports(run: &SeedRun, recorded: &str) {
    let ports: Vec<_> = run
        .ports
        .iter()
        .map(|port| (port.node.clone(), port.number, port.link.clone(), port.link_failed, port.peak))
        .collect();
    check_lines("port", &ports, recorded, |fields| {
        let &[node, port, link, failed, peak] = fields else {
            panic!("a port has five fields, not {fields:?}")
        };
        (node.into(), number(port), link.into(), failed == "1", number(peak))
    });
}

fn check_links(run: &SeedRun, recorded: &str) {
    let loads = run.link_bytes.iter().zip(&run.link_busy_s);
    let links: Vec<_> = loads
        .enumerate()
        .map(|(link, (&bytes, &busy_s))| {
            (run.unit.link_names[link].clone(), run.unit.is_failed(link), bytes, Exact(busy_s))
        })
        .collect();
    check_lines("link", &links, recorded, |fields| {
        let &[link, failed, bytes, busy_s] = fields else { panic!("a link has four fields, not {fields:?}") };
        (link.into(), failed == "1", number(bytes), exact(busy_s))
    });
}

fn check_summary(run: &SeedRun, recorded: &Value) {
    let fabric = &run.unit.fabric;
    let topology = json!({
        "hosts count": run.unit.n_hosts,
        "switches count": fabric.n_nodes() - run.unit.n_hosts,
        "links count": fabric.links().len(),
        "failed_links": run.unit.n_failed_links(),
        "affected switches": run.unit.n_affected_switches(),
    });
    let queues = &run.statistics.queues;
    let jobs = run.jobs.iter().map(|job| (job.name.clone(), job_as_recorded(job)));
    let jobs: serde_json::Map<_, _> = jobs.collect();
    let got = json!({
        "topology": topology,
        "statistics": run.statistics,
        "jobs": jobs,
        "mean_host_peak_queue": queues.host_peak_mean,
        "max_host_peak_queue": queues.host_peak_max,
        "mean_switch_peak_queue": queues.switch_peak_mean,
        "max_switch_peak_queue": queues.switch_peak_max,
    });
    for (key, value) in got.as_object().expect("a table was just made") {
        check_value(key, value, &recorded[key]);
    }
}

fn job_as_recorded(job: &JobTimes) -> Value {
    let step = |step: &StepTimes| json!({ "start": step.start_s, "end": step.end_s, "phases": step.phases });
    json!({ "start": job.start_s, "end": job.end_s, "steps": job.steps.iter().map(step).collect::<Vec<_>>() })
}

/// Compares tables key by key, in both directions, so that the first difference is named.
fn check_value(index: &str, got: &Value, recorded: &Value) {
    if let (Value::Object(got), Value::Object(recorded)) = (got, recorded) {
        for key in got.keys().chain(recorded.keys()) {
            let at = |table: &serde_json::Map<_, _>| table.get(key).cloned().unwrap_or(Value::Null);
            check_value(&format!("{index} / {key}"), &at(got), &at(recorded));
        }
        return;
    }
    assert_eq!(got, recorded, "{index} (left: reference, right: recording)");
}
