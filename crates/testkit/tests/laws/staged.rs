//! Staged flows: a flow in isolation gets its rate or the link rate, to the packet; a rate is kept to the picosecond;
//! no message starts once a flow is to stop; rows of stages agree with recorded packets and do not depend on execution
//! options.

use std::collections::{BTreeMap, BTreeSet};

use netloom_catalog::expand;
use netloom_engine::{Extensions, Options, Status};
use netloom_model::{
    Message, Model, Posting, QueuePairs, Rdma, Recording, Stage, StagedFlow, StagedFlows, TransportKind,
};
use netloom_policy::congestion;
use netloom_policy::transport::Reliability;
use netloom_records::{Fate, FlowRow, PacketKind, PacketRow, StageRow};
use netloom_testkit::fixture::{
    Cable, Clos, Run, everything_joined, model, pair, policy, simulate_with, star,
};
use netloom_units::{Bytes, HostId, Rate, Time};

use crate::cases::transports;
use crate::rdma::{RULES, SWITCHES, Switches, rdma, with};

const POSTED: Posting = Posting::Acknowledged { posted: 2 };
/// Payload of a packet of 1000 bytes on a queue pair, and of forty of them.
const PAYLOAD: u64 = 1000 - 62;
const MESSAGE: Bytes = Bytes(40 * PAYLOAD);
const LINE: u64 = 50_000_000_000;
const US: u64 = 1_000_000;

fn flow(from: u32, to: u32, start: u64, stop: u64) -> StagedFlow {
    let (source, destination) = (HostId(from), HostId(to));
    StagedFlow {
        source,
        destination,
        start: Time(start),
        stop: Time(stop),
        rate: None,
        handling: netloom_model::FabricService::default(),
    }
}

fn limited(flow: StagedFlow, rate: u64) -> StagedFlow {
    StagedFlow { rate: Some(Rate(rate)), ..flow }
}

fn stage(start: u64, measured_from: u64, end: u64) -> Stage {
    Stage { start: Time(start), measured_from: Time(measured_from), end: Time(end) }
}

fn staged(model: &Model, flows: &[StagedFlow], stages: &[Stage], posting: Posting) -> Model {
    let (flows, stages) = (flows.to_vec(), stages.to_vec());
    let mut model = model.clone();
    model.workload.staged = Some(StagedFlows { flows, stages, message: MESSAGE, posting });
    model
}

fn simulate(model: &Model) -> Run {
    simulated(model, Options::default())
}

fn simulated(model: &Model, options: Options) -> Run {
    let work = expand(&model.workload, model.fabric.n_hosts(), model.seed).expect("the flows are valid");
    simulate_with(model, work, options, Extensions::default())
}

/// Two hosts on a cable, with queue pairs.
fn two_hosts(rule: Reliability, queue_pairs: QueuePairs) -> Model {
    let mut model = model(pair(Cable::new(LINE, US)));
    model.transport.kind = TransportKind::Rdma(Rdma { queue_pairs, ..rdma(rule) });
    model.classes.control = 1;
    model
}

fn recorded(model: &Model) -> Model {
    let packets_from = (0..model.fabric.n_hosts() as u32).map(HostId).collect();
    Model { recording: Recording { packets_from, ..Recording::default() }, ..model.clone() }
}

/// The start times of the data packets of a host, with their sizes.
fn starts(run: &Run, source: u32) -> Vec<(u64, u64)> {
    let is_first = |row: &&PacketRow| row.hop == 0 && row.kind == PacketKind::Data;
    let rows = run.records.packets.iter().filter(is_first).filter(|row| row.source == HostId(source));
    let mut found: Vec<_> = rows.map(|row| (row.start.expect("the packet was sent").0, row.size.0)).collect();
    found.sort_unstable();
    found
}

/// ceil(bits x 10^12 / rate), computed independently of the units crate.
fn on_wire(bytes: u64, rate: u64) -> u64 {
    (u128::from(bytes) * 8 * 10_u128.pow(12)).div_ceil(u128::from(rate)) as u64
}

/// Packets that start at `from` and every `step` after, and arrive `after` their start within an interval.
fn arrivals(from: u64, step: u64, after: u64, within: (u64, u64)) -> u64 {
    let before = |instant: u64| instant.saturating_sub(from + after).div_ceil(step);
    before(within.1) - before(within.0)
}

#[test]
fn a_flow_in_isolation_gets_the_link_rate_or_its_own_to_the_packet() {
    let (start, stop) = (3 * US, 400 * US);
    let stages = [stage(0, 50 * US, 200 * US), stage(200 * US, 200 * US, 377_777_777)];
    for rule in RULES {
        for queue_pairs in [QueuePairs::Message, QueuePairs::Pair] {
            for rate in [None, Some(49_999_999_999), Some(7_000_000_000), Some(33_333_333_333)] {
                let alone = StagedFlow { rate: rate.map(Rate), ..flow(0, 1, start, stop) };
                let run = simulate(&staged(&two_hosts(rule, queue_pairs), &[alone], &stages, POSTED));
                assert_eq!(run.outcome.status, Status::Complete);
                let step = on_wire(1000, rate.unwrap_or(LINE).min(LINE));
                let after = on_wire(1000, LINE) + US;
                let expected: Vec<u64> = stages
                    .iter()
                    .map(|stage| PAYLOAD * arrivals(start, step, after, (stage.measured_from.0, stage.end.0)))
                    .collect();
                let found: Vec<u64> = run.records.stages.iter().map(|row| row.size.0).collect();
                assert_eq!(found, expected, "{rule:?} {queue_pairs:?} {rate:?}");
                let row = run.records.stages[0];
                let throughput = row.size.0 as f64 * 8e12 / (150 * US) as f64;
                assert!((row.throughput - throughput).abs() <= throughput * 1e-12, "{row:?}");
            }
        }
    }
}

#[test]
fn a_rate_is_kept_to_the_picosecond() {
    for rule in RULES {
        for rate in [20_000_000_000, 49_999_999_999, 7_777_777_777] {
            let alone = limited(flow(0, 1, 7, 300 * US), rate);
            // Messages that are no multiple of a packet: the last packet is short, and so is the pause after it.
            let mut model = recorded(&staged(&two_hosts(rule, QueuePairs::Message), &[alone], &[], POSTED));
            model.workload.staged.as_mut().expect("there are flows").message = Bytes(40 * PAYLOAD + 11);
            let starts = starts(&simulate(&model), 0);
            assert_eq!(starts[0].0, 7);
            assert!(starts.len() > 300 && starts.iter().any(|(_, size)| *size == 73), "{}", starts.len());
            for two in starts.windows(2) {
                assert_eq!(two[1].0 - two[0].0, on_wire(two[0].1, rate), "{rule:?} {rate} {two:?}");
            }
        }
    }
}

#[test]
fn the_rate_of_a_flow_is_never_exceeded_under_congestion_control() {
    for rule in RULES {
        for switches in SWITCHES {
            let rates = [12_000_000_000, 30_000_000_000, 25_000_000_000];
            let flows: Vec<_> =
                (0..3).map(|host| limited(flow(host, 11, 0, 200 * US), rates[host as usize])).collect();
            let mut model = recorded(&staged(&with(rule, switches, US), &flows, &[], POSTED));
            model.congestion = congestion::Chosen::named("dcqcn");
            let run = simulate(&model);
            let mut slowed = 0;
            for (host, rate) in rates.into_iter().enumerate() {
                let starts = starts(&run, host as u32);
                assert!(starts.len() > 50, "{rule:?} {switches:?}");
                for two in starts.windows(2) {
                    let least = on_wire(two[0].1, rate);
                    assert!(two[1].0 - two[0].0 >= least, "{rule:?} {switches:?} {two:?}");
                    slowed += u32::from(two[1].0 - two[0].0 > least);
                }
            }
            assert!(slowed > 0, "{rule:?} {switches:?}: congestion control slowed no flow");
        }
    }
}

#[test]
fn two_flows_to_one_receiver_share_its_link_evenly() {
    for rule in RULES {
        let mut model = model(star(3, Cable::new(LINE, US)));
        model.transport.kind = TransportKind::Rdma(rdma(rule));
        model.classes.control = 1;
        let flows = [flow(0, 2, 0, 900 * US), flow(1, 2, 0, 900 * US)];
        let (measured_from, end) = (100 * US, 800 * US);
        let run = simulate(&staged(&model, &flows, &[stage(0, measured_from, end)], POSTED));
        let [one, other] = run.records.stages[..] else { panic!("two rows: {:?}", run.records.stages) };
        // The link is never idle, so together they get its capacity, to the packet at either end.
        let carried = (end - measured_from) / on_wire(1000, LINE);
        let packets = (one.size.0 + other.size.0) / PAYLOAD;
        assert!(packets.abs_diff(carried) <= 1, "{rule:?}: {packets} of {carried}");
        // Each has at most two messages in flight, so none is ahead by more than these.
        let ahead = one.size.0.abs_diff(other.size.0);
        assert!(ahead <= 2 * MESSAGE.0, "{rule:?}: {ahead} ahead");
    }
}

/// Every kind of transport, with the posting it needs.
fn kinds() -> Vec<(String, TransportKind, Posting, u8)> {
    let pairs = RULES.map(|rule| (format!("{rule:?}"), TransportKind::Rdma(rdma(rule)), POSTED, 1));
    let others = transports().map(|(name, kind, control)| {
        let is_open = matches!(kind, TransportKind::OpenLoop { .. });
        (name.to_owned(), kind, if is_open { Posting::Clocked } else { POSTED }, control)
    });
    pairs.into_iter().chain(others).collect()
}

/// Flows that start and stop over a Clos, on every kind of transport; all have a rate where the transport is paced by
/// time.
fn everywhere(stages: &[Stage], check: impl Fn(&Model, &[StagedFlow], &str)) {
    let mut clos = Clos::new(3, 2, 3);
    clos.host = Cable::new(LINE, 600_000);
    for (name, kind, posting, control) in kinds() {
        let flows = [
            flow(0, 8, 0, 300 * US),
            limited(flow(1, 8, 10 * US, 200 * US), 9_000_000_000),
            flow(4, 8, 77_777_777, 250 * US),
            flow(4, 1, 100 * US, 250 * US),
            limited(flow(0, 8, 5 * US, 120 * US), 4_000_000_000),
        ];
        let paced = |flow: &StagedFlow| match posting {
            Posting::Clocked => StagedFlow { rate: flow.rate.or(Some(Rate(20_000_000_000))), ..*flow },
            // A window paces itself.
            Posting::Acknowledged { .. } if !matches!(kind, TransportKind::Rdma(_)) => {
                StagedFlow { rate: None, ..*flow }
            }
            Posting::Acknowledged { .. } => *flow,
        };
        let flows: Vec<StagedFlow> = flows.iter().map(paced).collect();
        let mut model = model(clos.wiring());
        (model.transport.kind, model.classes.control) = (kind, control);
        check(&staged(&model, &flows, stages, posting), &flows, &name);
    }
}

const SEVERAL: [Stage; 4] = [
    Stage { start: Time(0), measured_from: Time(20 * US), end: Time(77_777_777) },
    Stage { start: Time(77_777_777), measured_from: Time(90 * US), end: Time(100 * US) },
    Stage { start: Time(110 * US), measured_from: Time(110 * US), end: Time(240_000_001) },
    Stage { start: Time(240_000_001), measured_from: Time(251 * US), end: Time(5_000 * US) },
];

fn of_flow(run: &Run, flow: usize) -> impl Iterator<Item = &FlowRow> {
    run.records.flows.iter().filter(move |row| row.step == flow as u32)
}

#[test]
fn no_message_starts_before_the_start_or_after_the_stop() {
    everywhere(&SEVERAL, |model, flows, case| {
        let run = simulate(model);
        assert_eq!(run.outcome.status, Status::Complete, "{case}");
        assert!(run.records.flows.iter().all(|row| row.job == Message::STAGED && row.size == MESSAGE));
        for (number, flow) in flows.iter().enumerate() {
            let starts: BTreeSet<Time> = of_flow(&run, number).map(|row| row.start).collect();
            assert_eq!(starts.first(), Some(&flow.start), "{case} {number}");
            assert!(starts.last().is_some_and(|last| *last < flow.stop), "{case} {number}");
            assert!(starts.len() > 1, "{case} {number} {starts:?}");
            assert!(
                of_flow(&run, number)
                    .all(|row| (row.source, row.destination) == (flow.source, flow.destination))
            );
        }
    });
}

#[test]
fn the_next_message_is_posted_the_instant_one_is_acknowledged() {
    let window = TransportKind::Window { packets: 16, acknowledgement: Bytes(64) };
    let kinds = RULES.map(|rule| TransportKind::Rdma(rdma(rule))).into_iter().chain([window]);
    for kind in kinds {
        for posted in [1, 2, 5] {
            let mut model = two_hosts(Reliability::Ideal, QueuePairs::Message);
            model.transport.kind = kind;
            let alone = flow(0, 1, 9, 400 * US);
            let run = simulate(&staged(&model, &[alone], &[], Posting::Acknowledged { posted }));
            let mut rows = run.records.flows.clone();
            rows.sort_by_key(|row| row.number);
            assert!(rows.len() > 30, "{kind:?} {posted}: {}", rows.len());
            assert!(rows[..posted as usize].iter().all(|row| row.start == Time(9)), "{kind:?} {posted}");
            // Messages may overtake each other in windows of their own: an arrived message is acknowledged.
            let mut reported: Vec<u64> = rows.iter().map(|row| row.end.expect("it arrived").0).collect();
            reported.sort_unstable();
            let back = on_wire(64, LINE) + US;
            for (row, arrived) in rows[posted as usize..].iter().zip(reported) {
                assert_eq!(row.start.0, arrived + back, "{kind:?} {posted} {row:?}");
            }
        }
    }
}

#[test]
fn rows_of_stages_agree_with_recorded_packets() {
    everywhere(&SEVERAL, |model, flows, case| {
        let run = simulate(&recorded(model));
        let number_of: BTreeMap<(HostId, u32), u32> =
            run.records.flows.iter().map(|row| ((row.source, row.number), row.step)).collect();
        let header = model.transport.header().0;
        let delivered = |row: &&PacketRow| row.fate == Fate::Delivered && row.kind == PacketKind::Data;
        for (number, stage) in SEVERAL.iter().enumerate() {
            let mut bytes: BTreeMap<u32, u64> = BTreeMap::new();
            for row in run.records.packets.iter().filter(delivered) {
                if row.end.is_some_and(|end| (stage.measured_from..stage.end).contains(&end)) {
                    *bytes.entry(number_of[&(row.source, row.number)]).or_default() += row.size.0 - header;
                }
            }
            let rows = run.records.stages.iter().filter(|row| row.stage == number as u32);
            let reported: BTreeMap<u32, u64> = rows.map(|row| (u32::from(row.flow), row.size.0)).collect();
            for (index, flow) in flows.iter().enumerate() {
                let expected = stage.judges(flow).then(|| bytes.get(&(index as u32)).copied().unwrap_or(0));
                assert_eq!(reported.get(&(index as u32)).copied(), expected, "{case} {number} {index}");
            }
        }
    });
}

#[test]
fn stages_without_gaps_add_up_to_the_bytes_sent() {
    let stages =
        [stage(0, 0, 40 * US), stage(40 * US, 40 * US, 77 * US), stage(77 * US, 77 * US, 9_000 * US)];
    everywhere(&stages, |model, flows, case| {
        let run = simulate(model);
        for number in 0..flows.len() {
            let of = |row: &&StageRow| usize::from(row.flow) == number;
            let measured: u64 = run.records.stages.iter().filter(of).map(|row| row.size.0).sum();
            let sent: u64 = of_flow(&run, number).map(|row| row.size.0).sum();
            assert_eq!(measured, sent, "{case} {number}");
        }
    });
}

#[test]
fn rows_of_stages_do_not_change_other_tables() {
    everywhere(&SEVERAL, |measured, flows, case| {
        let staged = measured.workload.staged.as_ref().expect("there are flows");
        let plain = self::staged(measured, flows, &[], staged.posting);
        let (mut measured, plain) = (simulate(measured).results(), simulate(&plain).results());
        assert!(!measured.records.stages.is_empty() && plain.records.stages.is_empty(), "{case}");
        measured.records.stages.clear();
        assert!(measured == plain, "{case}");
    });
}

#[test]
fn execution_options_do_not_change_records() {
    let plain = Options::default();
    let variants = [
        Options { threads: 2, ..plain },
        Options { threads: 4, shortcut: false, ..plain },
        Options { coarsen: 3, shortcut: false, ..plain },
        Options { threads: 2, ..everything_joined() },
    ];
    everywhere(&SEVERAL, |model, _, case| {
        for deadline in [None, Some(Time(240_000_001)), Some(Time(111 * US))] {
            let model = Model { deadline, ..model.clone() };
            let first = simulate(&model).results();
            for variant in variants {
                let run = simulated(&model, variant).results();
                assert!(run.records == first.records, "{case} {deadline:?} {variant:?}");
                assert_eq!(run.outcome.end, first.outcome.end);
            }
        }
    });
    let flows: Vec<_> = (0..6).map(|host| flow(host, 11 - host % 2, u64::from(host), 150 * US)).collect();
    for rule in RULES {
        for switches in [Switches::Lossy, Switches::Lossless, Switches::Corrupting] {
            let mut model = staged(&with(rule, switches, 70_000), &flows, &SEVERAL[..1], POSTED);
            model.congestion = congestion::Chosen::named("dcqcn");
            let first = simulate(&model).results();
            assert_eq!(first.outcome.status, Status::Complete, "{rule:?} {switches:?}");
            for variant in variants {
                let run = simulated(&model, variant).results();
                assert!(run == first, "{rule:?} {switches:?} {variant:?}");
            }
        }
    }
}

#[test]
fn a_stage_whose_end_the_run_does_not_reach_has_no_row() {
    everywhere(&SEVERAL, |model, _, case| {
        let of = |deadline: u64| {
            let run = simulate(&Model { deadline: Some(Time(deadline)), ..model.clone() });
            assert_eq!(run.outcome.status, Status::Deadline, "{case}");
            run.records.stages.iter().map(|row| row.stage).collect::<BTreeSet<_>>()
        };
        assert_eq!(of(100 * US - 1), BTreeSet::from([0]), "{case}");
        assert_eq!(of(100 * US), BTreeSet::from([0, 1]), "{case}");
    });
}

#[test]
fn a_flow_keeps_to_one_path_and_one_queue_pair() {
    everywhere(&[], |model, flows, case| {
        for queue_pairs in [QueuePairs::Message, QueuePairs::Pair] {
            let mut model = recorded(model);
            model.balances.switch = policy("ecmp", &[]);
            if let TransportKind::Rdma(rdma) = &mut model.transport.kind {
                rdma.queue_pairs = queue_pairs;
            }
            let run = simulate(&model);
            let number_of: BTreeMap<(HostId, u32), u32> =
                run.records.flows.iter().map(|row| ((row.source, row.number), row.step)).collect();
            let mut ports: BTreeMap<(u32, u16), BTreeSet<_>> = BTreeMap::new();
            for row in run.records.packets.iter().filter(|row| row.kind == PacketKind::Data) {
                ports.entry((number_of[&(row.source, row.number)], row.hop)).or_default().insert(row.port);
            }
            assert!(ports.len() > flows.len(), "{case}");
            assert!(ports.values().all(|ports| ports.len() == 1), "{case} {queue_pairs:?}: {ports:?}");
        }
    });
}

#[test]
fn messages_in_flight_never_exceed_the_posting_limit() {
    let two = two_hosts(Reliability::Ideal, QueuePairs::Message);
    let alone = flow(0, 1, 0, 2_000 * US);
    let run = simulate(&staged(&two, &[alone], &[], POSTED));
    let mut edges: Vec<(Time, i32)> = Vec::new();
    for row in &run.records.flows {
        edges.extend([(row.start, 1), (row.end.expect("it arrived"), -1)]);
    }
    edges.sort_unstable();
    let mut in_flight = 0;
    for (_, change) in edges {
        in_flight += change;
        assert!(in_flight <= 2, "{in_flight} at a time");
    }
    assert!(run.records.flows.len() > 300);
}
