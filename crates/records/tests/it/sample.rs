//! Runs made up at random: rows of every table in their stated order.

use std::path::{Path, PathBuf};

use netloom_records::{
    Activity, ArbitrationRow, CauseRow, CellRow, ChangedSetting, ClassRow, CollectiveRow, CongestedFlowRow,
    CongestionRow, DropReason, DropRow, EventRow, Fate, FaultAction, FaultRow, FlowRow, FolderSink, JobRow,
    Manifest, MeasureRow, MemorySink, Names, Outcome, Overwrite, PacketKind, PacketRow, Part, PathRow,
    PortRow, RateRow, ReorderingRow, RepairRow, RingRow, Role, RunSummary, SeriesRow, SignalRow, SpanRow,
    SpuriousTimeoutRow, StageRow, Status, StepRow, TallyRow, Target, TrafficRow,
};
use netloom_units::{Bytes, Duration, HostId, LinkId, NodeId, PortId, Random, Rate, Time};
use serde_json::json;

/// Nodes, links and jobs of made-up runs.
const N_NAMED: u32 = 20;

pub fn names() -> Names {
    let mut names = Names::numbered(N_NAMED as usize, N_NAMED as usize, N_NAMED as usize, N_NAMED as usize);
    "Blatt „3“, grün".clone_into(&mut names.nodes[3]);
    names.collectives = (0..N_NAMED).map(|number| format!("collective {number}")).collect();
    names.traffic = (0..N_NAMED).map(|kind| format!("kind {kind}")).collect();
    names
}

/// A run with `n_rows` rows in every table.
pub fn run(seed: u64, n_rows: usize) -> MemorySink {
    let mut random = Random::stream(seed, 0, 0);
    // Tables added later draw apart, so that the rows of the older ones stay.
    let mut later = Random::stream(seed, 0, 1);
    let mut latest = Random::stream(seed, 0, 2);
    let mut newest = Random::stream(seed, 0, 3);
    let mut staged = Random::stream(seed, 0, 4);
    let mut tree = Random::stream(seed, 0, 5);
    let mut classes = Random::stream(seed, 0, 6);
    let mut events = Random::stream(seed, 0, 7);
    let mut order = Random::stream(seed, 0, 8);
    let mut measured = Random::stream(seed, 0, 9);
    let mut timeline = Random::stream(seed, 0, 10);
    let mut waits = Random::stream(seed, 0, 11);
    let mut rings = Random::stream(seed, 0, 12);
    let mut cells = Random::stream(seed, 0, 13);
    let mut causes = Random::stream(seed, 0, 14);
    let mut run = MemorySink::default();
    for _ in 0..n_rows {
        run.flows.push(flow(&mut random));
        run.collectives.push(collective(&mut random));
        run.steps.push(step(&mut random));
        run.jobs.push(job(&mut random));
        run.ports.push(port(&mut random));
        run.series.push(series(&mut random, &mut timeline));
        run.drops.push(drops(&mut random));
        run.faults.push(fault(&mut random));
        run.packets.push(packet(&mut later));
        run.paths.push(path(&mut later));
        run.repairs.push(repair(&mut latest));
        run.signals.push(signal(&mut latest));
        run.rates.push(rate(&mut newest));
        run.stages.push(stage(&mut staged));
        run.congestion.push(congestion(&mut tree));
        run.congested_flows.push(congested_flow(&mut tree));
        run.classes.push(class(&mut classes));
        run.traffic.push(traffic(&mut classes));
        run.events.push(event(&mut events));
        run.reordering.push(reordering(&mut order));
        run.measures.push(measure(&mut measured));
        run.tallies.push(tally(&mut measured));
        run.spans.push(span(&mut timeline));
        run.arbitration.push(arbitration(&mut waits));
        run.spurious_timeouts.push(spurious_timeout(&mut waits));
        run.rings.push(ring(&mut rings));
        run.cells.push(cell(&mut cells));
        run.causes.push(cause(&mut causes));
    }
    sort(&mut run);
    run
}

/// Below 2^63, often small so that keys collide, sometimes the largest value there is.
fn large(random: &mut Random) -> u64 {
    match random.below(8) {
        0 => (1 << 63) - 1,
        1..4 => u64::from(random.below(4)),
        _ => random.next_u64() >> 1,
    }
}

fn time(random: &mut Random) -> Time {
    Time(large(random))
}

fn perhaps<T>(random: &mut Random, value: T) -> Option<T> {
    (random.below(4) > 0).then_some(value)
}

fn flow(random: &mut Random) -> FlowRow {
    let end = time(random);
    let ideal = Duration(large(random));
    FlowRow {
        start: time(random),
        end: perhaps(random, end),
        source: HostId(random.next_u32()),
        destination: HostId(random.below(3)),
        number: random.next_u32(),
        job: random.next_u32() as u16,
        step: random.next_u32(),
        phase: random.next_u32() as u16,
        bucket: random.next_u32() as u16,
        size: Bytes(large(random)),
        packets: random.next_u32(),
        hops: large(random),
        ideal: perhaps(random, ideal),
    }
}

fn collective(random: &mut Random) -> CollectiveRow {
    CollectiveRow {
        start: time(random),
        end: time(random),
        job: random.next_u32() as u16,
        step: random.next_u32(),
        phase: random.next_u32() as u16,
        bucket: random.next_u32() as u16,
        ranks: random.next_u32(),
        size: Bytes(large(random)),
        algbw: random.unit() * 1e12,
        busbw: -random.unit(),
    }
}

fn step(random: &mut Random) -> StepRow {
    let job = random.next_u32() as u16;
    StepRow { start: time(random), end: time(random), job, step: random.next_u32() }
}

fn job(random: &mut Random) -> JobRow {
    let (start, end) = (time(random), time(random));
    JobRow {
        job: random.below(N_NAMED) as u16,
        ranks: random.next_u32(),
        start: perhaps(random, start),
        end: perhaps(random, end),
        steps: random.next_u32(),
    }
}

fn port(random: &mut Random) -> PortRow {
    PortRow {
        port: PortId(random.next_u32()),
        node: NodeId(random.below(N_NAMED)),
        index: random.next_u32(),
        link: LinkId(random.below(N_NAMED)),
        peer: NodeId(random.below(N_NAMED)),
        rate: Rate(large(random)),
        packets: large(random),
        size: Bytes(large(random)),
        busy: Duration(large(random)),
        peak_packets: (random.below(2) == 0).then(|| random.next_u32()),
        peak_size: Bytes(large(random)).into(),
        dropped: large(random),
    }
}

fn series(random: &mut Random, later: &mut Random) -> SeriesRow {
    SeriesRow {
        time: time(random),
        interval: Duration(large(random)),
        port: PortId(random.next_u32()),
        size: Bytes(large(random)),
        waiting: Bytes(large(random)),
        paused: Duration(large(later)),
        dropped: large(later),
    }
}

fn drops(random: &mut Random) -> DropRow {
    let port = PortId(random.next_u32());
    DropRow {
        node: NodeId(random.below(N_NAMED)),
        port: perhaps(random, port),
        reason: DropReason::ALL[random.below(4) as usize],
        packets: large(random),
        size: Bytes(large(random)).into(),
        first: time(random),
        last: time(random),
    }
}

fn fault(random: &mut Random) -> FaultRow {
    FaultRow { time: time(random), link: LinkId(random.below(N_NAMED)), up: random.below(2) == 1 }
}

fn packet(random: &mut Random) -> PacketRow {
    let (start, sent, end) = (time(random), time(random), time(random));
    let (port, packets, size) = (PortId(random.next_u32()), random.next_u32(), Bytes(large(random)));
    let reason = DropReason::ALL[random.below(4) as usize];
    PacketRow {
        arrival: time(random),
        start: perhaps(random, start),
        sent: perhaps(random, sent),
        end: perhaps(random, end),
        source: HostId(random.next_u32()),
        destination: HostId(random.below(3)),
        number: random.next_u32(),
        packet: random.next_u32(),
        kind: PacketKind::ALL[random.below(2) as usize],
        hop: random.next_u32() as u16,
        node: NodeId(random.below(N_NAMED)),
        port: perhaps(random, port),
        class: random.below(8) as u16,
        size: Bytes(large(random)),
        queue_packets: perhaps(random, packets),
        queue_size: perhaps(random, size),
        fate: Fate::ALL[random.below(4) as usize],
        reason: perhaps(random, reason),
    }
}

fn path(random: &mut Random) -> PathRow {
    PathRow {
        rank: random.below(4),
        source: HostId(random.next_u32()),
        destination: HostId(random.next_u32()),
        number: random.next_u32(),
        hop: random.below(3) as u16,
        port: PortId(random.next_u32()),
        node: NodeId(random.below(N_NAMED)),
        link: LinkId(random.below(N_NAMED)),
        peer: NodeId(random.below(N_NAMED)),
        packets: random.next_u32(),
        size: Bytes(large(random)),
        waited: Duration(large(random)),
        longest_wait: Duration(large(random)),
        serialization: Duration(large(random)),
        propagation: Duration(large(random)),
    }
}

fn repair(random: &mut Random) -> RepairRow {
    let row = RepairRow {
        end: (random.below(4) > 0).then(|| time(random)),
        source: HostId(random.below(3)),
        destination: HostId(random.below(3)),
        number: random.next_u32(),
        job: random.next_u32() as u16,
        packets: random.next_u32(),
        retransmitted: random.next_u32(),
        duplicates: random.next_u32(),
        nacks: random.next_u32(),
        nacks_suppressed: random.next_u32(),
        nacks_generated: random.next_u32(),
        marked: random.next_u32(),
        cnps: random.next_u32(),
        notifications: random.next_u32(),
        timeouts: 0,
        distance: random.next_u32(),
    };
    // Added later, so that it moves no other column of the sample.
    RepairRow { timeouts: row.retransmitted / 3, ..row }
}

fn class(random: &mut Random) -> ClassRow {
    ClassRow {
        port: PortId(random.next_u32()),
        class: random.below(8) as u16,
        node: NodeId(random.below(N_NAMED)),
        link: LinkId(random.below(N_NAMED)),
        peer: NodeId(random.below(N_NAMED)),
        packets: large(random),
        size: Bytes(large(random)),
        peak_size: Bytes(large(random)),
        dropped: large(random),
        marked: large(random),
        pauses: large(random),
        paused: Duration(large(random)),
    }
}

fn traffic(random: &mut Random) -> TrafficRow {
    TrafficRow {
        job: random.next_u32() as u16,
        step: random.next_u32(),
        traffic: random.below(N_NAMED) as u16,
        class: random.below(8) as u16,
        may_reorder: random.below(2) == 0,
    }
}

fn signal(random: &mut Random) -> SignalRow {
    SignalRow {
        port: PortId(random.next_u32()),
        node: NodeId(random.below(N_NAMED)),
        link: LinkId(random.below(N_NAMED)),
        peer: NodeId(random.below(N_NAMED)),
        marked: large(random),
        pauses: large(random),
        paused: Duration(large(random)),
        nacks_forwarded: large(random),
        nacks_suppressed: large(random),
        nacks_generated: large(random),
    }
}

fn rate(random: &mut Random) -> RateRow {
    let (number, rate) = (random.next_u32(), Rate(large(random)));
    RateRow {
        time: time(random),
        interval: Duration(large(random)),
        source: HostId(random.below(3)),
        destination: HostId(random.below(3)),
        number: perhaps(random, number),
        packets: large(random),
        retransmitted: large(random),
        duplicates: large(random),
        nacks: large(random),
        marked: large(random),
        notifications: large(random),
        size: Bytes(large(random)),
        queue_pairs: random.next_u32(),
        rate: perhaps(random, rate),
    }
}

fn stage(random: &mut Random) -> StageRow {
    StageRow {
        stage: random.below(4),
        start: time(random),
        measured_from: time(random),
        end: time(random),
        flow: random.below(N_NAMED) as u16,
        source: HostId(random.next_u32()),
        destination: HostId(random.next_u32()),
        size: Bytes(large(random)),
        throughput: random.unit() * 1e12,
    }
}

fn congestion(random: &mut Random) -> CongestionRow {
    CongestionRow {
        start: time(random),
        end: time(random),
        port: PortId(random.next_u32()),
        node: NodeId(random.below(N_NAMED)),
        peer: NodeId(random.below(N_NAMED)),
        role: Role::ALL[random.below(4) as usize],
        occupied: {
            let value = Duration(large(random));
            perhaps(random, value)
        },
        sending: Duration(large(random)),
        credit_stalled: Duration(large(random)),
        mean_waiting: {
            let value = Bytes(large(random));
            perhaps(random, value)
        },
        peak_waiting: {
            let value = Bytes(large(random));
            perhaps(random, value)
        },
        blocked_by: {
            let value = PortId(random.next_u32());
            perhaps(random, value)
        },
        blocked_size: {
            let value = Bytes(large(random));
            perhaps(random, value)
        },
    }
}

fn congested_flow(random: &mut Random) -> CongestedFlowRow {
    CongestedFlowRow {
        start: time(random),
        end: time(random),
        source: HostId(random.next_u32()),
        destination: HostId(random.next_u32()),
        part: Part::ALL[random.below(3) as usize],
        port: PortId(random.next_u32()),
        node: NodeId(random.below(N_NAMED)),
        peer: NodeId(random.below(N_NAMED)),
        role: Role::ALL[random.below(4) as usize],
        mean_waiting: {
            let value = Bytes(large(random));
            perhaps(random, value)
        },
    }
}

fn event(random: &mut Random) -> EventRow {
    let (noticed, rate, period) = (time(random), Rate(large(random)), Duration(large(random)));
    let loss = random.unit();
    EventRow {
        time: time(random),
        detected: perhaps(random, noticed),
        target: Target::ALL[random.below(4) as usize],
        link: LinkId(random.below(N_NAMED)),
        node: NodeId(random.below(N_NAMED)),
        action: FaultAction::ALL[random.below(8) as usize],
        rate: perhaps(random, rate),
        loss: perhaps(random, loss),
        period: perhaps(random, period),
    }
}

fn cause(random: &mut Random) -> CauseRow {
    let [source, destination] = [random.next_u32(), random.next_u32()].map(HostId);
    let [port_1, port_2, port_3] = std::array::from_fn(|_| {
        let port = PortId(random.next_u32());
        perhaps(random, port)
    });
    let mut some = || Duration(large(random));
    let [transmission, earlier, turn, window, pacing, timeout] = std::array::from_fn(|_| some());
    let [pause, queues, recovery, wait_1, wait_2, wait_3] = std::array::from_fn(|_| some());
    CauseRow {
        end: time(random),
        source,
        destination,
        number: random.next_u32(),
        job: random.next_u32() as u16,
        transmission,
        earlier,
        turn,
        window,
        pacing,
        timeout,
        pause,
        queues,
        recovery,
        port_1,
        wait_1,
        port_2,
        wait_2,
        port_3,
        wait_3,
    }
}

fn reordering(random: &mut Random) -> ReorderingRow {
    let [source, destination] = [random.next_u32(), random.next_u32()].map(HostId);
    let [number, packets, late, late_retransmitted, extent, degree, buffered_packets] =
        std::array::from_fn(|_| random.next_u32());
    let back: [u32; 8] = std::array::from_fn(|_| random.next_u32());
    ReorderingRow {
        end: {
            let value = time(random);
            perhaps(random, value)
        },
        source,
        destination,
        number,
        job: random.next_u32() as u16,
        packets,
        late,
        late_retransmitted,
        extent,
        degree,
        buffered_packets,
        buffered_size: Bytes(large(random)),
        extent_1: back[0],
        extent_2: back[1],
        extent_4: back[2],
        extent_8: back[3],
        extent_16: back[4],
        extent_32: back[5],
        extent_64: back[6],
        extent_128: back[7],
    }
}

fn measure(random: &mut Random) -> MeasureRow {
    let [steps, warm_up] = std::array::from_fn(|_| random.next_u32());
    MeasureRow {
        job: random.below(N_NAMED) as u16,
        steps,
        warm_up,
        mean: Duration(large(random)),
        half_interval: {
            let value = Duration(large(random));
            perhaps(random, value)
        },
        precise: {
            let value = random.below(2) == 1;
            perhaps(random, value)
        },
    }
}

fn cell(random: &mut Random) -> CellRow {
    let [burst, pause, half, median, baseline, baseline_half] =
        std::array::from_fn(|_| Duration(large(random))).map(|value| perhaps(random, value));
    CellRow {
        nodes: random.below(3),
        victim: random.below(N_NAMED) as u16,
        size: Bytes(large(random)),
        aggressor: random.below(N_NAMED) as u16,
        aggressor_size: Bytes(large(random)),
        burst,
        pause,
        mean: Duration(large(random)),
        half_interval: half,
        median,
        steps: random.next_u32(),
        warm_up: random.next_u32(),
        baseline,
        baseline_half_interval: baseline_half,
    }
}

fn tally(random: &mut Random) -> TallyRow {
    let [
        messages,
        packets,
        hops,
        retransmitted,
        duplicates,
        nacks,
        marked,
        cnps,
        notifications,
        on_queue_pairs,
    ] = std::array::from_fn(|_| large(random));
    TallyRow {
        job: random.next_u32() as u16,
        source: HostId(random.next_u32()),
        messages,
        size: Bytes(large(random)),
        time: Duration(large(random)),
        packets,
        hops,
        retransmitted,
        duplicates,
        nacks,
        marked,
        cnps,
        notifications,
        timeouts: retransmitted / 3,
        distance: random.next_u32(),
        on_queue_pairs,
    }
}

fn span(random: &mut Random) -> SpanRow {
    let (end, phase, bucket) = (time(random), random.below(3) as u16, random.below(3) as u16);
    SpanRow {
        start: time(random),
        end: perhaps(random, end),
        job: random.below(3) as u16,
        step: random.below(3),
        rank: random.below(3),
        host: HostId(random.next_u32()),
        activity: Activity::ALL[random.below(6) as usize],
        phase: perhaps(random, phase),
        bucket: perhaps(random, bucket),
    }
}

fn arbitration(random: &mut Random) -> ArbitrationRow {
    ArbitrationRow {
        port: PortId(random.next_u32()),
        node: NodeId(random.below(N_NAMED)),
        link: LinkId(random.below(N_NAMED)),
        peer: NodeId(random.below(N_NAMED)),
        transfers: large(random),
        most_passes: large(random),
        bound: large(random),
        longest_wait: Duration(large(random)),
    }
}

fn spurious_timeout(random: &mut Random) -> SpuriousTimeoutRow {
    SpuriousTimeoutRow {
        source: HostId(random.below(3)),
        destination: HostId(random.next_u32()),
        number: random.next_u32(),
        timeouts: large(random),
        unacknowledged: large(random),
        first: time(random),
        last: time(random),
    }
}

fn ring(random: &mut Random) -> RingRow {
    RingRow {
        node: NodeId(random.below(N_NAMED)),
        host: HostId(random.next_u32()),
        overwritten: large(random),
    }
}

fn sort(run: &mut MemorySink) {
    run.arbitration.sort_by_key(|row| row.port);
    run.spurious_timeouts.sort_by_key(|row| (row.source, row.number));
    run.rings.sort_by_key(|row| (row.node, row.host));
    run.cells.sort_by_key(CellRow::order);
    run.spans.sort_by_key(SpanRow::order);
    run.measures.sort_by_key(|row| row.job);
    run.tallies.sort_by_key(|row| (row.job, row.source));
    run.reordering.sort_by_key(ReorderingRow::order);
    run.causes.sort_by_key(CauseRow::order);
    run.flows.sort_by_key(|row| (row.end.unwrap_or(Time::NEVER), row.destination, row.source, row.number));
    run.collectives.sort_by_key(|row| (row.end, row.job, row.step, row.phase, row.bucket));
    run.steps.sort_by_key(|row| (row.end, row.job, row.step));
    run.jobs.sort_by_key(|row| row.job);
    run.ports.sort_by_key(|row| row.port);
    run.series.sort_by_key(|row| (row.time, row.port));
    run.drops.sort_by_key(|row| (row.node, row.port, row.reason));
    run.faults.sort_by_key(|row| (row.time, row.link));
    run.packets.sort_by_key(PacketRow::order);
    run.paths.sort_by_key(|row| (row.rank, row.hop, row.port));
    run.repairs.sort_by_key(RepairRow::order);
    run.signals.sort_by_key(|row| row.port);
    run.rates.sort_by_key(RateRow::order);
    run.stages.sort_by_key(|row| (row.stage, row.flow));
    run.congestion.sort_by_key(|row| (row.end, row.port));
    run.congested_flows.sort_by_key(|row| (row.end, row.source, row.destination, row.port));
    run.classes.sort_by_key(|row| (row.port, row.class));
    run.traffic.sort_by_key(|row| (row.job, row.step));
    run.events.sort_by_key(EventRow::order);
}

pub fn summary(status: Status) -> RunSummary {
    let changed = ChangedSetting { path: "seed".to_owned(), value: "7".to_owned(), default: None };
    let engine = json!({ "window_ps": 1_000_000, "lookahead_ps": 1_000_000 });
    RunSummary {
        netloom: "0.1.0".to_owned(),
        build: None,
        scenario_yaml: "netloom: 1\n".to_owned(),
        scenario: json!({ "netloom": 1 }),
        changed: vec![changed],
        seed: Some(u64::MAX),
        outcome: Outcome { status, details: vec!["host 3 waits for host 4".to_owned()] },
        wall_time_s: 1.5,
        packets: Some(7),
        hops: Some(28),
        simulated_ps: 12,
        threads: Some(2),
        command: vec!["netloom".to_owned(), "run".to_owned()],
        engine: engine.as_object().unwrap().clone(),
        jobs: Vec::new(),
        assumptions: vec!["The barrier is modelled.".to_owned()],
        time_scale: Some("1/1000".to_owned()),
        measured: None,
    }
}

/// Writes a run as a complete folder.
pub fn write(run: &MemorySink, folder: &Path) -> Manifest {
    let mut sink = FolderSink::create(folder, names(), Overwrite::Refuse).unwrap();
    run.replay(&mut sink).unwrap();
    sink.finish(summary(Status::Complete)).unwrap()
}

/// A temporary folder and a path in it where nothing is yet.
pub fn workspace() -> (tempfile::TempDir, PathBuf) {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("run");
    (home, folder)
}

/// Copies the files of a folder, as another process would see them at this instant.
pub fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        std::fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}
