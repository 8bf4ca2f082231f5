//! A testbed run as a run folder.
//!
//! Models: tables `ports`, `series` and `drops` from the kernel's counters; facts about the machine.
//! Leaves out: messages and jobs, which only the command knows; the longest queues and lost bytes, which the kernel
//! does not count.
//!
//! Invariants: values that were not counted are absent and never zero; the folder has no seed.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::process::{Command, ExitStatus};
use std::time::SystemTime;
use std::{fs, thread};

use netloom_model::Sampling;
use netloom_records::{
    Batch, ChangedSetting, DropReason, DropRow, FolderSink, KnownSize, Manifest, Measured, Outcome, PortRow,
    RunSummary, Sink, Status,
};
use netloom_testbed::{QueueCounters, RouteMode};
use netloom_units::PortId;
use serde_json::{Map, json};

use super::measurement::Measurement;
use super::{Recording, Testbed};
use crate::error::LabError;
use crate::manifest::HOSTS;
use crate::words;

/// The program that measured.
const BY: &str = "netloom field testbed";

/// Writes the measurements of a command with this exit status, and marks the folder complete.
pub(super) fn write(
    mut sink: FolderSink,
    testbed: &Testbed,
    command: &[OsString],
    recording: &Recording,
    status: ExitStatus,
    machine: BTreeMap<String, String>,
    measurement: Measurement,
) -> Result<Manifest, LabError> {
    let ports = port_rows(testbed, &measurement.ports);
    let n_packets: u64 = ports.iter().map(|row| row.packets).sum();
    let drops = drop_rows(&ports, &measurement);
    let mut summary = summary(testbed, recording, n_packets, &measurement);
    summary.outcome = outcome(status, recording);
    summary.measured = Some(measured(testbed, command, status, machine, &measurement));
    let mut sampler = measurement.sampler;
    sampler.coarsen((n_packets / u64::from(Sampling::HOPS_PER_ROW)).max(Sampling::FEW_ROWS));
    let stored = sampler.emit_rows(|rows| sink.accept(Batch::Series(rows)));
    let stored = stored.and_then(|()| sink.accept(Batch::Ports(&ports)));
    stored.and_then(|()| sink.accept(Batch::Drops(&drops))).map_err(LabError::Storing)?;
    Ok(sink.finish(summary)?)
}

fn port_rows(testbed: &Testbed, counters: &[QueueCounters]) -> Vec<PortRow> {
    let fabric = &testbed.prepared.compiled.model.fabric;
    let row = |(number, counters): (usize, &QueueCounters)| {
        let id = PortId(number as u32);
        let port = fabric.port(id);
        let rate = testbed.plan.interfaces[number].rate;
        PortRow {
            port: id,
            node: port.node,
            index: fabric.local_index(id),
            link: port.link,
            peer: fabric.neighbour(id),
            rate,
            packets: counters.packets,
            size: counters.sent,
            busy: rate.serialization(counters.sent),
            peak_packets: None,
            peak_size: KnownSize::UNKNOWN,
            dropped: counters.dropped,
        }
    };
    counters.iter().enumerate().map(row).collect()
}

fn drop_rows(ports: &[PortRow], measurement: &Measurement) -> Vec<DropRow> {
    let row = |(port, seen): (&PortRow, &Option<_>)| {
        let (first, last) = (*seen)?;
        Some(DropRow {
            node: port.node,
            port: Some(port.port),
            reason: DropReason::QueueFull,
            packets: port.dropped,
            size: KnownSize::UNKNOWN,
            first,
            last,
        })
    };
    let mut rows: Vec<DropRow> = ports.iter().zip(&measurement.drops).filter_map(row).collect();
    rows.sort_by_key(|row| (row.node, row.port));
    rows
}

fn summary(
    testbed: &Testbed,
    recording: &Recording,
    n_packets: u64,
    measurement: &Measurement,
) -> RunSummary {
    let prepared = &testbed.prepared;
    let size = prepared.size();
    let stored = |setting: &netloom_scenario::Changed| ChangedSetting {
        path: setting.path.clone(),
        value: setting.value.clone(),
        default: setting.default.clone(),
    };
    let derived = [(HOSTS, size.hosts), ("switches", size.switches), ("links", size.links)];
    RunSummary {
        netloom: env!("CARGO_PKG_VERSION").to_owned(),
        build: None,
        scenario_yaml: prepared.compiled.resolved_yaml.clone(),
        scenario: prepared.scenario.clone(),
        changed: prepared.compiled.changed.iter().map(stored).collect(),
        seed: None,
        outcome: Outcome { status: Status::Complete, details: Vec::new() },
        wall_time_s: measurement.length.as_seconds(),
        packets: None,
        hops: Some(n_packets),
        simulated_ps: measurement.length.0,
        threads: None,
        command: recording.command_line.clone(),
        engine: Map::from_iter(derived.map(|(key, count)| (key.to_owned(), json!(count)))),
        jobs: Vec::new(),
        assumptions: testbed.plan.notes(),
        time_scale: None,
        measured: None,
    }
}

fn outcome(status: ExitStatus, recording: &Recording) -> Outcome {
    let details =
        if status.success() { Vec::new() } else { vec![format!("The command ended with {status}.")] };
    // A Ctrl-C reaches the command as well, which may end before the flag is set here.
    let is_stopped = recording.is_stopped() || was_interrupted(status);
    Outcome { status: if is_stopped { Status::Stopped } else { Status::Complete }, details }
}

/// Whether an interrupt ended the command; shells report it as an exit status as well.
fn was_interrupted(status: ExitStatus) -> bool {
    const INTERRUPT: i32 = 2;
    #[cfg(unix)]
    let by_signal = std::os::unix::process::ExitStatusExt::signal(&status) == Some(INTERRUPT);
    #[cfg(not(unix))]
    let by_signal = false;
    by_signal || status.code() == Some(128 + INTERRUPT)
}

fn measured(
    testbed: &Testbed,
    command: &[OsString],
    status: ExitStatus,
    machine: BTreeMap<String, String>,
    measurement: &Measurement,
) -> Measured {
    let plan = &testbed.plan;
    let mut facts = machine;
    let mut state = |name: &str, value: String| facts.insert(name.to_owned(), value);
    let shown: Vec<String> = command.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    state("command", shown.join(" "));
    state("ended with", status.to_string());
    state("rates", format!("{} of the scenario's", plan.scale));
    let hops = match plan.mode {
        RouteMode::Ecmp => "by a hash of addresses and ports",
        RouteMode::Pinned { .. } => "one for each destination",
    };
    state("next hops", hops.to_owned());
    let (interval, late) = (measurement.sampler.interval(), measurement.lateness);
    let [interval, late] = [interval, late].map(|span| words::span(span.as_seconds()));
    state(
        "counters",
        format!("read every {interval}, at most {late} late; counts between two readings are interpolated"),
    );
    Measured {
        by: BY.to_owned(),
        source: "counters of the kernel, with link-layer headers".to_owned(),
        facts,
        allocations: Vec::new(),
    }
}

/// Facts about this machine, and about the MPI library that the command names.
pub(super) fn machine(command: &[OsString]) -> BTreeMap<String, String> {
    let read = |path: &str| fs::read_to_string(path).map(|text| text.trim().to_owned()).ok();
    let cores = thread::available_parallelism().ok().map(|cores| cores.to_string());
    let known = [
        ("host", read("/proc/sys/kernel/hostname")),
        ("kernel", read("/proc/sys/kernel/osrelease").map(|release| format!("Linux {release}"))),
        ("processor", processor()),
        ("cores", cores),
        ("MPI library", mpi_library(command)),
        ("begin", Some(humantime::format_rfc3339_seconds(SystemTime::now()).to_string())),
    ];
    known.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}

fn processor() -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("model name"))?;
    Some(line.trim_start_matches([' ', '\t', ':']).to_owned())
}

/// The first line of an MPI launcher's version.
fn mpi_library(command: &[OsString]) -> Option<String> {
    let name = command.iter().find(|word| {
        let word = word.to_string_lossy();
        let file = word.rsplit('/').next().unwrap_or_default();
        file.starts_with("mpiexec") || file.starts_with("mpirun")
    })?;
    let output = Command::new(name).arg("--version").output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().map(str::trim).find(|line| !line.is_empty()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_about_the_machine_are_recorded() {
        let found = machine(&["sh".into(), "-c".into(), "true".into()]);
        assert!(found.contains_key("begin") && !found.contains_key("MPI library"), "{found:?}");
        assert!(found["begin"].ends_with('Z') && found["begin"].len() == 20, "{found:?}");
    }
}
