//! Programs that use a simulated network step by step: exact times, the same digest for every pattern of calls, replay.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use netloom_lab::{
    Completion, Digest, Duration, HostId, LabError, Options, Overrides, Overwrite, RunRequest, Simulation,
    SimulationOptions, SimulationReport, Source, Status, Time, run,
};

use crate::scenes::{prepared, simulated};

const FABRIC: &str = "netloom: 1\nname: stepwise\nfabric: { leaf_spine: { leaves: 2, spines: 2, hosts_per_leaf: 3, host_rate: 100Gbps } }\n";

/// Jobs, background traffic, samples over time and adaptive routing beside the program.
const BUSY: &str = "
netloom: 1
name: busy
fabric: { leaf_spine: { leaves: 3, spines: 2, hosts_per_leaf: 4, host_rate: 100Gbps } }
balance: adaptive
transport: nic_sr
jobs: [ { name: ring, placement: { rack_balanced: { ranks: 6 } }, steps: 2, phases: [ { compute: 5us }, { ring_all_reduce: { size: 256KiB } } ] } ]
background: { mice: { end: 60us, interval: 5us } }
record: { series: 5us, slowest_flows: 4 }
";

const MIB: u64 = 1 << 20;

fn started(text: &str) -> Simulation {
    with_options(text, SimulationOptions::default())
}

fn with_options(text: &str, options: SimulationOptions) -> Simulation {
    let source = Source::text("scene.yaml", text);
    Simulation::start(&source, &Overrides::default(), options).expect("the scenario is right")
}

fn stored(text: &str, folder: &Path, threads: usize) -> Simulation {
    let options = SimulationOptions {
        folder: Some(folder.to_owned()),
        overwrite: Overwrite::Replace,
        threads: Some(threads),
        ..SimulationOptions::default()
    };
    with_options(text, options)
}

fn digest(report: &SimulationReport) -> Digest {
    report.manifest.as_ref().expect("it is stored").digest
}

/// The digest of an ordinary run of the scenario in a run folder.
fn replayed(folder: &Path) -> Digest {
    let to: PathBuf = folder.join("replay");
    let request = RunRequest {
        folder: Some(to),
        overwrite: Overwrite::Replace,
        threads: Some(1),
        ..RunRequest::new(Source::file(folder.join("scenario.yaml")))
    };
    run(request).expect("it can be replayed").manifest.digest
}

/// A ring all-reduce of all hosts: each passes a part on as soon as it has arrived. Returns the end.
fn ring(network: &mut Simulation, part: u64) -> Time {
    let n_ranks = network.hosts().len() as u32;
    let next = |rank: HostId| HostId((rank.0 + 1) % n_ranks);
    for rank in (0..n_ranks).map(HostId) {
        network.send(rank, next(rank), part, None).expect("all hosts are at the start");
    }
    let mut received = vec![0; n_ranks as usize];
    let mut end = network.now();
    while let Some(Completion { destination: rank, completed, .. }) =
        network.run_until_completion().expect("it runs")
    {
        assert_eq!(completed, network.now());
        end = completed;
        received[rank.index()] += 1;
        if received[rank.index()] < 2 * (n_ranks - 1) {
            network.send(rank, next(rank), part, None).expect("a receiver is at the completion");
        }
    }
    assert!(received.iter().all(|&count| count == 2 * (n_ranks - 1)));
    end
}

#[test]
fn a_ring_of_single_messages_takes_as_long_as_the_built_in_collective() {
    for transport in ["open_loop", "{window: {packets: 16}}", "ideal", "nic_sr"] {
        let text = format!("{FABRIC}transport: {transport}\n");
        let job = "jobs: [ { name: ring, phases: [ { ring_all_reduce: { size: 6MiB } } ] } ]\n";
        let (_, rows) = simulated(&prepared(&(text.clone() + job), None), Options::default());
        let mut network = started(&text);
        assert_eq!(ring(&mut network, MIB), rows.steps[0].end, "{transport}");
        let report = network.finish().expect("it ends");
        assert_eq!(report.outcome.status, Status::Complete, "{transport}");
    }
}

/// Messages of no particular order.
fn script() -> Vec<(u32, u32, u64, Time)> {
    let message = |number: u64| {
        let (source, destination) = (number * 7 % 12, (number * 5 + 1) % 12);
        let destination = if source == destination { (destination + 1) % 12 } else { destination };
        let start = Time((number * 7_919 % 40) * 1_234_567 + number % 3);
        (source as u32, destination as u32, 1 + number * 4_097 % 300_000, start)
    };
    (0..60).map(message).collect()
}

/// Sends the script, each message when `until` lets its start come near, and goes on in steps.
fn in_steps(folder: &Path, threads: usize, step: Option<Duration>, completions: bool) -> Digest {
    let mut network = stored(BUSY, folder, threads);
    let mut taken = Vec::new();
    for (source, destination, bytes, start) in script() {
        network.send(HostId(source), HostId(destination), bytes, Some(start)).expect("it is in time");
    }
    while let Some(step) = step.filter(|_| network.now() < Time(60_000_000)) {
        network.run_until(network.now() + step).expect("it runs");
        if completions {
            taken.extend(network.run_until_completion().expect("it runs"));
        }
    }
    taken.extend(network.completed());
    let report = network.finish().expect("it ends");
    taken.extend(&report.completions);
    let order = |done: &Completion| (done.completed, done.message);
    assert!(taken.is_sorted_by_key(order) && taken.len() == 60, "{}", taken.len());
    digest(&report)
}

#[test]
fn the_digest_depends_neither_on_calls_nor_on_threads() {
    let workspace = tempfile::tempdir().expect("a folder can be made");
    let folder = workspace.path().join("run");
    let first = in_steps(&folder, 1, None, false);
    assert_eq!(replayed(&folder), first, "a replay");
    assert_eq!(in_steps(&folder, 3, None, false), first, "three threads");
    assert_eq!(in_steps(&folder, 1, Some(Duration(1_000)), false), first, "steps of a nanosecond");
    assert_eq!(in_steps(&folder, 1, Some(Duration(777_777)), true), first, "steps and completions");
    assert_eq!(
        in_steps(&folder, 3, Some(Duration(3_000_001)), true),
        first,
        "steps, completions, three threads"
    );
}

/// Answers messages once they have arrived, and starts others elsewhere, as early as that is possible or a while later.
fn reacting(source: &Source, folder: &Path, threads: usize) -> SimulationReport {
    let options = SimulationOptions {
        folder: Some(folder.to_owned()),
        overwrite: Overwrite::Replace,
        threads: Some(threads),
        ..SimulationOptions::default()
    };
    let mut network = Simulation::start(source, &Overrides::default(), options).expect("it is right");
    let n_hosts = network.hosts().len() as u32;
    let to = |host: HostId, distance: u32| HostId((host.0 + distance) % n_hosts);
    for host in (0..n_hosts.min(40)).map(HostId) {
        let start = Time(u64::from(host.0 % 3) * 1_000_000);
        network.send(host, to(host, n_hosts / 2 + 1), 20_000, Some(start)).expect("it is in time");
    }
    network.run_until(Time(3_000_000)).expect("it runs");
    let mut n_sent = 0_u32;
    while let Some(done) = network.run_until_completion().expect("it runs") {
        n_sent += 1;
        if n_sent > 60 {
            continue;
        }
        network.send(done.destination, done.source, 9_000, None).expect("it is at that instant");
        let other = to(done.destination, 1);
        let later = Duration(u64::from(n_sent % 7) * 3_333);
        let start = network.earliest_start(other).expect("it exists") + later;
        network.send(other, to(other, 2), 30_000, Some(start)).expect("it is possible");
        if n_sent.is_multiple_of(16) {
            network.run_until(network.now() + Duration(777_777)).expect("it runs");
        }
    }
    network.finish().expect("it ends")
}

fn assert_replays(source: &Source) {
    let workspace = tempfile::tempdir().expect("a folder can be made");
    let folder = workspace.path().join("run");
    let report = reacting(source, &folder, 1);
    assert_eq!(report.outcome.status, Status::Complete, "{}", source.name());
    assert_eq!(replayed(&folder), digest(&report), "a replay of {}", source.name());
    let rows = fs::read_to_string(folder.join("messages.csv")).expect("it is there");
    let messages = report.summary.background.as_ref().expect("there are messages");
    assert_eq!(rows.lines().count() as u64, 1 + messages.finite_flows, "{}", source.name());
    assert_eq!(digest(&reacting(source, &folder, 3)), digest(&report), "three threads: {}", source.name());
}

#[test]
fn a_program_that_reacts_is_replayed_from_its_run_folder() {
    let roce =
        "transport: { go_back_n: { queue_pairs: pair } }\ncongestion: dcqcn\nrecord: { series: 2us }\n";
    for more in ["", "transport: ideal\n", roce] {
        assert_replays(&Source::text(more, FABRIC.to_owned() + more));
    }
    assert_replays(&Source::text("busy", BUSY));
}

#[test]
fn programs_beside_jobs_faults_and_flows_are_replayed() {
    let scenarios = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    // The first three have causes of messages whose slots could have been taken by messages of the program.
    for name in [
        "collectives/all_reduce",
        "fabrics/two_leaves",
        "jobs/shared_hosts",
        "faults/down_and_up",
        "flows/staged",
        "infiniband/c2",
        "policies/adaptive",
        "rdma/irn",
        "rdma/lossless",
    ] {
        assert_replays(&Source::file(scenarios.join(format!("{name}.yaml"))));
    }
}

#[test]
fn what_follows_a_long_silence_is_replayed_as_well() {
    let workspace = tempfile::tempdir().expect("a folder can be made");
    let folder = workspace.path().join("run");
    let text = format!("{FABRIC}transport: irn\nrecord: {{ series: 10us }}\ndeadline: 30ms\n");
    for is_resumed in [false, true] {
        let mut network = stored(&text, &folder, 1);
        network.send("leaf0.host0", "leaf1.host0", MIB, None).expect("it is in time");
        network.run_until(Time(20_000_000_000)).expect("it runs");
        assert_eq!((network.completed().len(), network.now()), (1, Time(20_000_000_000)));
        if is_resumed {
            network.send("leaf1.host0", "leaf0.host0", MIB, None).expect("it is in time");
        }
        let report = network.finish().expect("it ends");
        assert_eq!(report.outcome.status, Status::Complete);
        assert_eq!(replayed(&folder), digest(&report), "{is_resumed}");
    }
}

#[test]
fn what_is_impossible_is_refused_with_what_is_possible() {
    let mut network = started(&format!("{FABRIC}deadline: 1ms\n"));
    let refused = |result: Result<_, LabError>| {
        result.map(|_: netloom_lab::MessageId| ()).expect_err("it is refused").to_string()
    };
    let unknown = refused(network.send("leaf0.host7", "leaf0.host0", 1, None));
    assert!(unknown.contains("no host of this name (did you mean `leaf0.host"), "{unknown}");
    let unknown = refused(network.send(HostId(6), "leaf0.host0", 1, None));
    assert!(unknown.contains("no host 6: expected a number from 0 to 5"), "{unknown}");
    let none = refused(network.send("leaf0.host0", "leaf0.host1", 0, None));
    assert!(none.contains("at least one byte"), "{none}");
    let itself = refused(network.send("leaf0.host0", HostId(0), 1, None));
    assert!(itself.contains("leaf0.host0 to itself"), "{itself}");
    network.run_until(Time(5_000_001)).expect("it runs");
    let past = refused(network.send(HostId(0), HostId(1), 1, Some(Time(5_000_000))));
    assert_eq!(past, "5us has passed: the simulation is at 5000001ps, expected that instant or a later one");
    assert!(matches!(network.run_until(Time(7)), Err(LabError::Simulation(_))));
    network.send(HostId(0), HostId(1), 1_000, None).expect("it is in time");
    let done = network.run_until_completion().expect("it runs").expect("it arrives");
    let (now, earliest) = (network.now(), network.now() + network.lookahead());
    assert_eq!((done.started, done.completed), (Time(5_000_001), now));
    assert_eq!(network.earliest_start(HostId(1)).expect("it exists"), now);
    assert_eq!(network.earliest_start(HostId(0)).expect("it exists"), earliest);
    let early = refused(network.send(HostId(0), HostId(1), 1, Some(Time(earliest.0 - 1))));
    assert!(early.contains(&format!("expected {}ps or later", earliest.0)), "{early}");
    network.send(HostId(0), HostId(1), 1, Some(earliest)).expect("it is in time");
    let late = refused(network.send(HostId(0), HostId(1), 1, Some(Time(1_000_000_000))));
    assert!(late.contains("the deadline of the scenario is 1ms"), "{late}");
    let own =
        format!("{FABRIC}flows: {{ list: [ {{ from: leaf0.host0, to: leaf1.host0, size: 1MiB }} ] }}\n");
    let own =
        Simulation::start(&Source::text("own", own), &Overrides::default(), SimulationOptions::default());
    assert!(own.expect_err("it has flows").to_string().contains("finite flows of its own"));
}

#[test]
fn a_message_that_is_lost_ends_the_run_and_not_the_program() {
    let workspace = tempfile::tempdir().expect("a folder can be made");
    let folder = workspace.path().join("run");
    let mut network = stored(&format!("{FABRIC}queues: {{ host_limit: 8KiB }}\n"), &folder, 1);
    network.send(HostId(0), HostId(3), 2_000, None).expect("it is in time");
    network.send(HostId(1), HostId(3), MIB, None).expect("it is in time");
    assert_eq!(network.run_until_completion().expect("it runs").map(|done| done.message.0), Some(0));
    assert_eq!(network.run_until_completion().expect("it runs"), None);
    assert_eq!(network.outcome().map(|outcome| outcome.status), Some(Status::Stalled));
    let after = network.send(HostId(0), HostId(3), 1, None).expect_err("it has ended").to_string();
    assert!(after.contains("the run has ended") && after.contains("no progress was possible"), "{after}");
    assert!(network.run_until(Time(u64::MAX / 4)).is_err());
    assert_eq!(network.run_until_completion().expect("it has ended"), None);
    let report = network.finish().expect("it is stored");
    assert_eq!(report.outcome.status, Status::Stalled);
    assert_eq!(replayed(&folder), digest(&report));
}

#[test]
fn a_deadline_ends_the_run_in_a_call() {
    let workspace = tempfile::tempdir().expect("a folder can be made");
    let folder = workspace.path().join("run");
    let mut network = stored(&format!("{FABRIC}deadline: 20us\n"), &folder, 1);
    network.send(HostId(0), HostId(3), MIB, None).expect("it is in time");
    network.run_until(Time(50_000_000)).expect("it runs to its end");
    assert_eq!(network.outcome().map(|outcome| outcome.status), Some(Status::Deadline));
    assert_eq!(network.now(), Time(20_000_000));
    let report = network.finish().expect("it is stored");
    assert_eq!(replayed(&folder), digest(&report));
}

#[test]
fn a_program_that_never_sends_ends_cleanly() {
    let workspace = tempfile::tempdir().expect("a folder can be made");
    let mut network = started(FABRIC);
    assert_eq!(network.run_until_completion().expect("it runs"), None);
    network.run_until(Time(1_000_000)).expect("it runs");
    let report = network.finish().expect("it ends");
    assert_eq!((report.outcome.status, report.manifest.is_none()), (Status::Complete, true));
    let folder = workspace.path().join("run");
    let report = stored(BUSY, &folder, 1).finish().expect("it ends");
    assert_eq!(replayed(&folder), digest(&report));
    let (_, rows) = simulated(&prepared(BUSY, None), Options::default());
    let names = prepared(BUSY, None).names();
    assert_eq!(digest(&report), rows.digest(&names).expect("rows are in order").digest);
}

#[test]
fn a_simulation_that_is_dropped_leaves_an_unfinished_folder() {
    let workspace = tempfile::tempdir().expect("a folder can be made");
    let folder = workspace.path().join("run");
    let mut network = stored(BUSY, &folder, 3);
    network.send(HostId(0), HostId(3), MIB, None).expect("it is in time");
    network.run_until(Time(10_000_000)).expect("it runs");
    drop(network);
    assert!(!folder.join("manifest.json").exists());
    // It can be used for another run.
    drop(stored(BUSY, &folder, 1));
}

#[test]
fn another_thread_can_stop_a_run() {
    let stop = Arc::new(AtomicBool::new(false));
    let options = SimulationOptions { stop: Some(Arc::clone(&stop)), ..SimulationOptions::default() };
    let mut network = with_options(FABRIC, options);
    network.send(HostId(0), HostId(3), MIB, None).expect("it is in time");
    stop.store(true, Ordering::Relaxed);
    assert_eq!(network.run_until_completion().expect("it is stopped"), None);
    assert_eq!(network.outcome().map(|outcome| outcome.status), Some(Status::Stopped));
}

#[test]
fn a_simulation_may_move_to_another_thread() {
    fn moves<T: Send + 'static>(value: T) -> T {
        value
    }
    let mut network = moves(started(FABRIC));
    let elsewhere = std::thread::spawn(move || ring(&mut network, 1_000));
    assert!(elsewhere.join().expect("it runs") > Time::ZERO);
}
