//! Several classes of data: weights are kept, strict classes wait for at most one lower packet, a pause stops its own
//! class only, packets are conserved, and records do not depend on execution options.

use netloom_engine::{Extensions, Options};
use netloom_model::{
    Buffer, DataClass, DataClasses, FabricBuilder, Marking, Model, Pause, QueuePairs, Rdma, Schedule, Storm,
    TransportKind,
};
use netloom_policy::transport::Reliability;
use netloom_records::{ClassRow, FlowRow};
use netloom_testkit::fixture::{
    Cable, ListedWork, Run, Sending, Wiring, everything_joined, model, simulate, simulate_with, star,
};
use netloom_units::{Bytes, Duration, HostId, LinkId, NodeId, PortId, Random, Time};

use crate::cases::{DAMAGES, damage, transports};
use crate::rdma::{RULES, SWITCHES, rdma, with};

const N_HOSTS: u32 = 12;
/// One nanosecond per byte.
const RATE: u64 = 8_000_000_000;

fn strict() -> DataClass {
    DataClass { schedule: Schedule::Strict, marking: None, alpha: 1024, pause: false }
}

fn weighted(weight: u32) -> DataClass {
    DataClass { schedule: Schedule::Weighted { weight }, ..strict() }
}

fn classes(known: &[(u8, DataClass)]) -> DataClasses {
    let mut classes = DataClasses::default();
    for &(number, class) in known {
        classes.by_number[usize::from(number)] = Some(class);
    }
    classes
}

/// Messages of random sizes at random instants between random hosts, in these classes.
fn traffic(seed: u64, in_classes: &[u8]) -> ListedWork {
    let mut random = Random::stream(seed, 91, 0);
    let mut one = |number: usize| {
        let (from, offset) = (random.below(N_HOSTS), 1 + random.below(N_HOSTS - 1));
        let at = u64::from(random.below(20_000_000));
        let sending = Sending::new(at, from, (from + offset) % N_HOSTS, u64::from(1 + random.below(9_000)));
        sending.in_class(in_classes[number % in_classes.len()])
    };
    ListedWork::new(&(0..80).map(&mut one).collect::<Vec<_>>())
}

/// One sender for each rate, given in multiples of the slow link, before one switch and one receiver behind that link.
fn funnel(senders: u32, fast: u64) -> Model {
    let mut builder = FabricBuilder::new(senders + 1, 1);
    (0..senders).for_each(|host| Cable::new(fast * RATE, 1_000_000).lay(&mut builder, host, senders + 1));
    Cable::new(RATE, 1_000_000).lay(&mut builder, senders, senders + 1);
    model(Wiring::shortest(builder))
}

/// Bytes of a class that have arrived by an instant.
fn arrived(run: &Run, by: u64, is_of: impl Fn(&FlowRow) -> bool) -> u64 {
    let flows =
        run.records.flows.iter().filter(|flow| flow.end.is_some_and(|end| end.0 <= by) && is_of(flow));
    flows.map(|flow| flow.size.0).sum()
}

#[test]
fn backlogged_classes_share_by_weight_at_any_packet_size() {
    for (weights, sizes) in [([1, 1], [1_000, 130]), ([1, 3], [700, 990]), ([5, 2], [64, 1_000])] {
        let mut model = funnel(2, 1);
        model.queues.classes = classes(&[(1, weighted(weights[0])), (2, weighted(weights[1]))]);
        // One packet per message; both classes have more than the link can carry in 4 ms.
        let of_class = |host: u32| {
            let size = sizes[host as usize];
            (0..4_200_000 / size).map(move |_| Sending::new(0, host, 2, size).in_class(host as u8 + 1))
        };
        let work = ListedWork::new(&of_class(0).chain(of_class(1)).collect::<Vec<_>>());
        let run = simulate(&model, work);
        let by = 4_000_000_000;
        let bytes = [0, 1].map(|host| arrived(&run, by, |flow| flow.source == HostId(host)) as f64);
        let found = bytes[0] / (bytes[0] + bytes[1]);
        let wanted = f64::from(weights[0]) / f64::from(weights[0] + weights[1]);
        assert!((found / wanted - 1.0).abs() < 0.01, "{weights:?} {sizes:?}: {found} of {wanted}");
        // The wire is never idle: except for the latency of the first packet and what is on the wire, all has arrived.
        let total = bytes[0] + bytes[1];
        assert!(total > 3_990_000.0 && total <= 4_000_000.0, "{total}");
    }
}

#[test]
fn queue_pairs_of_weighted_classes_share_the_wire_of_their_nic() {
    for (weights, is_same_size) in [([1, 1], true), ([1, 3], true), ([2, 1], false)] {
        let mut model = model(star(2, Cable::new(RATE, 1_000_000)));
        let queue_pairs = QueuePairs::Pair;
        model.transport.kind = TransportKind::Rdma(Rdma { queue_pairs, ..rdma(Reliability::Ideal) });
        model.classes.control = 7;
        model.queues.classes = classes(&[(1, weighted(weights[0])), (2, weighted(weights[1]))]);
        // Full packets, or in one class packets of 300 bytes, one message each.
        let small = if is_same_size { 9_380 } else { 238 };
        let of_class = |class: u8, size: u64| {
            (0..3_000_000 / size).map(move |_| Sending::new(0, 0, 1, size).in_class(class))
        };
        let both: Vec<Sending> = of_class(1, 9_380).chain(of_class(2, small)).collect();
        let work = ListedWork::new(&both);
        let run = simulate(&model, work);
        // Every packet of a message takes 62 bytes more.
        let on_wire = |flow: &FlowRow| (flow.size.0 + flow.size.0.div_ceil(938) * 62) as f64;
        let in_class = |class: u8| {
            let is_of = |number: u32| both[number as usize].class == Some(class);
            let by = |flow: &&FlowRow| flow.end.is_some_and(|end| end.0 <= 2_000_000_000);
            let flows = run.records.flows.iter().filter(by).filter(|flow| is_of(flow.number));
            flows.map(on_wire).sum::<f64>()
        };
        let (one, two) = (in_class(1), in_class(2));
        let wanted = f64::from(weights[0]) / f64::from(weights[0] + weights[1]);
        let found = one / (one + two);
        // A message counts once all of it has arrived.
        assert!((found / wanted - 1.0).abs() < 0.02, "{weights:?}: {found} of {wanted}");
        assert!(one + two > 1_970_000.0 && one + two <= 2_000_000.0, "{one} {two}");
    }
}

#[test]
fn a_strict_class_waits_for_one_lower_packet_at_each_port() {
    for lower in [strict(), weighted(7)] {
        let mut model = funnel(3, 1);
        model.queues.classes = classes(&[(2, lower), (1, lower), (3, strict())]);
        let mut sendings: Vec<Sending> =
            (0..2).map(|host| Sending::new(0, host, 3, 2_000_000).in_class(1 + host as u8)).collect();
        let prompt = |n: u64| Sending::new(10_000_000 + n * 13_337_001, 2, 3, 500).in_class(3);
        sendings.extend((0..200).map(prompt));
        let run = simulate(&model, ListedWork::new(&sendings));
        let alone = 2 * 1_000_000 + 2 * 500_000;
        let delays: Vec<u64> = run
            .records
            .flows
            .iter()
            .filter(|flow| flow.source == HostId(2))
            .map(|flow| flow.end.expect("the message arrives").0 - flow.start.0 - alone)
            .collect();
        assert_eq!(delays.len(), 200);
        let most = delays.iter().max().expect("some");
        // One packet of 1000 bytes: the wire is busy all the time.
        assert!(*most <= 1_000_000 && *most > 900_000, "{most}");
    }
}

#[test]
fn no_wire_is_idle_while_a_class_has_packets() {
    let mut model = funnel(3, 1);
    model.queues.classes = classes(&[(1, weighted(1)), (2, weighted(9)), (4, strict())]);
    let sizes = [400_000, 150_000, 90_000];
    let of_host =
        |host: u32| Sending::new(0, host, 3, sizes[host as usize]).in_class([1, 2, 4][host as usize]);
    let run = simulate(&model, ListedWork::new(&[0, 1, 2].map(of_host)));
    let end =
        |host| run.records.flows.iter().find(|flow| flow.source == HostId(host)).unwrap().end.unwrap().0;
    // The first packets reach the switch after 1000 bytes and the delay; then the wire is busy to the end.
    let total: u64 = sizes.iter().sum();
    assert_eq!((0..3).map(end).max(), Some(1_000_000 + 1_000_000 + total * 1_000 + 1_000_000));
    // The strict class first; of the others, the one of weight 9 gets nine tenths of the rest.
    assert_eq!(end(2), 2_000_000 + 90_000_000 + 1_000_000);
    let nine_tenths = 90_000_000.0 + 150_000_000.0 / 0.9;
    assert!((end(1) as f64 / nine_tenths - 1.0).abs() < 0.03, "{}", end(1));
}

/// The model with all its data in one class that is nevertheless a separate one.
fn with_separate_class(mut model: Model) -> Model {
    let pause = model.queues.buffer.is_some_and(|buffer| buffer.pause.is_some());
    let alpha = model.queues.buffer.map_or(1024, |buffer| buffer.alpha);
    let own = DataClass { schedule: Schedule::Strict, marking: model.queues.marking, alpha, pause };
    model.queues.classes = classes(&[(model.classes.data, own)]);
    model
}

fn without_classes(mut run: Run) -> Run {
    run.records.classes.clear();
    run
}

#[test]
fn a_single_separate_class_does_not_change_other_rows() {
    for rule in RULES {
        for switches in SWITCHES {
            for schedule in [Schedule::Strict, Schedule::Weighted { weight: 1 }] {
                let plain = with(rule, switches, 1_000_000);
                let mut apart = with_separate_class(plain.clone());
                let own = apart.queues.classes.by_number[0].as_mut().expect("the class of data");
                own.schedule = schedule;
                let runs = [plain, apart].map(|model| simulate(&model, crate::rdma::work(3)));
                assert!(!runs[1].records.classes.is_empty());
                let [plain, apart] = runs.map(|run| without_classes(run).results());
                assert!(plain == apart, "{rule:?} {switches:?} {schedule:?}");
            }
        }
    }
    for (name, kind, control) in transports() {
        let mut plain = with(Reliability::NicSr, crate::rdma::Switches::Lossy, 1_000_000);
        (plain.transport.kind, plain.classes.control) = (kind, control);
        let runs =
            [plain.clone(), with_separate_class(plain)].map(|model| simulate(&model, crate::rdma::work(3)));
        let [plain, apart] = runs.map(|run| without_classes(run).results());
        assert!(plain == apart, "{name}");
    }
}

fn marking(minimum: u64) -> Marking {
    Marking {
        minimum: Bytes(minimum),
        maximum: Bytes(3 * minimum),
        probability: 1 << 31,
        at_enqueue: minimum > 4_000,
    }
}

/// Two weighted classes, one lossy and one lossless, below a strict one that is either.
fn three_classes(rule: Reliability, strict_pauses: bool) -> Model {
    let mut model = with(rule, crate::rdma::Switches::Lossless, 1_000_000);
    let buffer = model.queues.buffer.as_mut().expect("set for lossless switches");
    // Each lossless class has headroom.
    buffer.size = Bytes(if strict_pauses { 2 * buffer.size.0 } else { buffer.size.0 });
    model.queues.classes = classes(&[
        (0, DataClass { marking: Some(marking(1_500)), alpha: 512, ..weighted(3) }),
        (1, DataClass { pause: true, alpha: 512, ..weighted(1) }),
        (3, DataClass { pause: strict_pauses, marking: Some(marking(5_000)), ..strict() }),
    ]);
    model
}

/// Execution options.
fn variants() -> [Options; 5] {
    let plain = Options::default();
    [
        Options { threads: 2, ..plain },
        Options { threads: 4, shortcut: false, ..plain },
        Options { coarsen: 2, ..plain },
        Options { coarsen: 7, shortcut: false, ..plain },
        Options { threads: 2, ..everything_joined() },
    ]
}

#[test]
fn execution_options_do_not_change_records_of_classes() {
    for rule in RULES {
        for (number, (wrong, knowledge)) in DAMAGES.into_iter().enumerate() {
            let mut model = three_classes(rule, number % 2 == 0);
            damage(&mut model, wrong, N_HOSTS);
            model.awareness = knowledge;
            model.recording.packets_on = if number == 1 { vec![LinkId(3), LinkId(14)] } else { Vec::new() };
            let first = simulate(&model, traffic(5, &[0, 1, 3]));
            for variant in variants() {
                let run = simulate_with(&model, traffic(5, &[0, 1, 3]), variant, Extensions::default());
                assert!(run.records == first.records, "{rule:?} {wrong:?} {knowledge:?} {variant:?}");
            }
        }
    }
    for (name, kind, control) in transports() {
        let mut model = with(Reliability::NicSr, crate::rdma::Switches::Lossy, 1_000_000);
        (model.transport.kind, model.classes.control) = (kind, control);
        model.queues.classes =
            classes(&[(0, DataClass { alpha: 300, ..weighted(2) }), (1, weighted(1)), (2, strict())]);
        let first = simulate(&model, traffic(6, &[0, 1, 2]));
        for variant in variants() {
            let run = simulate_with(&model, traffic(6, &[0, 1, 2]), variant, Extensions::default());
            assert!(run.records == first.records, "{name} {variant:?}");
        }
    }
}

#[test]
fn lossy_classes_drop_and_lossless_ones_pause_in_one_buffer() {
    for rule in RULES {
        let model = three_classes(rule, false);
        let run = simulate(&model, traffic(7, &[0, 1, 3]));
        assert!(run.records.flows.iter().all(|flow| flow.end.is_some()), "{rule:?}");
        let sum = |class: u16, value: fn(&ClassRow) -> u64| {
            run.records.classes.iter().filter(|row| row.class == class).map(value).sum::<u64>()
        };
        assert!(sum(0, |row| row.dropped) > 0, "{rule:?}");
        assert_eq!(sum(1, |row| row.dropped), 0, "{rule:?}");
        assert!(sum(1, |row| row.pauses) > 0 && sum(1, |row| row.paused.0) > 0, "{rule:?}");
        assert_eq!(sum(0, |row| row.pauses) + sum(3, |row| row.pauses), 0, "{rule:?}");
        assert!(sum(0, |row| row.marked) > 0 && sum(1, |row| row.marked) == 0, "{rule:?}");
        let (marked, dropped) = (
            sum(0, |row| row.marked) + sum(3, |row| row.marked),
            sum(0, |row| row.dropped) + sum(3, |row| row.dropped),
        );
        assert_eq!(marked, run.records.signals.iter().map(|row| row.marked).sum::<u64>(), "{rule:?}");
        assert_eq!(dropped, run.records.drops.iter().map(|row| row.packets).sum::<u64>(), "{rule:?}");
    }
}

#[test]
fn counts_of_all_classes_add_up_to_those_of_the_port() {
    for limit in [None, Some(Bytes(6_000))] {
        let mut model = with(Reliability::NicSr, crate::rdma::Switches::Endless, 1_000_000);
        (model.transport.kind, model.queues.switch_limit) = (transports()[0].1, limit);
        model.queues.marking = None;
        model.queues.classes = classes(&[(0, weighted(1)), (1, weighted(2)), (2, strict())]);
        let run = simulate(&model, traffic(8, &[0, 1, 2]));
        assert_eq!(run.records.drops.is_empty(), limit.is_none());
        for port in &run.records.ports {
            let own = || run.records.classes.iter().filter(|row| row.port == port.port);
            let sums = (
                own().map(|row| row.packets).sum::<u64>(),
                own().map(|row| row.size.0).sum::<u64>(),
                own().map(|row| row.dropped).sum::<u64>(),
            );
            assert_eq!(sums, (port.packets, port.size.0, port.dropped), "{port:?}");
            assert!(own().all(|row| row.peak_size <= port.peak_size.simulated()), "{port:?}");
        }
        // Every packet that hosts send in a class arrives or is dropped in it.
        let host = |row: &&ClassRow| row.node.0 < N_HOSTS;
        let to_host = |row: &&ClassRow| row.peer.0 < N_HOSTS;
        for class in 0..3 {
            let of = || run.records.classes.iter().filter(move |row| row.class == class);
            let sent: u64 = of().filter(host).map(|row| row.packets).sum();
            let came: u64 = of().filter(to_host).map(|row| row.packets).sum();
            let dropped: u64 = of().map(|row| row.dropped).sum();
            assert!(sent > 0);
            assert_eq!(sent, came + dropped, "class {class}");
        }
    }
}

/// Two senders and two receivers at a switch; the second receiver keeps pausing class 1, which pauses.
fn stormy() -> Model {
    let mut model = model(star(4, Cable::new(100_000_000_000, 1_000_000)));
    model.transport.kind = TransportKind::Rdma(rdma(Reliability::NicSr));
    model.classes.control = 5;
    let pause = Pause { headroom: None, xon_gap: Bytes(1_000) };
    model.queues.buffer = Some(Buffer { size: Bytes(300_000), alpha: 512, pause: Some(pause) });
    model.queues.classes =
        classes(&[(0, weighted(1)), (1, DataClass { pause: true, alpha: 512, ..weighted(1) })]);
    let port = PortId(model.fabric.port_range(NodeId(3)).start);
    let (at, end) = (Time(10_000_000), Time(400_000_000));
    model.storms = vec![Storm { port, at, end, interval: Duration(15_000_000) }];
    model
}

#[test]
fn a_paused_class_blocks_neither_other_classes_nor_its_nic() {
    let model = stormy();
    // 80 us at line rate, and 32 us; the third goes to another host in the paused class, from the NIC that will be
    // paused.
    let sendings = [
        Sending::new(0, 0, 3, 1_000_000).in_class(1),
        Sending::new(20_000_000, 0, 3, 400_000).in_class(0),
        Sending::new(30_000_000, 0, 2, 400_000).in_class(1),
        Sending::new(100_000_000, 1, 3, 400_000).in_class(0),
    ];
    let run = simulate(&model, ListedWork::new(&sendings));
    let end = |source: u32, number: u32| {
        let is_it = |flow: &&FlowRow| flow.source == HostId(source) && flow.number == number;
        run.records.flows.iter().find(is_it).expect("it has a row").end.expect("the message arrives")
    };
    let storm_end = model.storms[0].end;
    assert!(end(0, 0) > storm_end, "the paused class resumes after the storm");
    // Class 0 is sent at full rate to the very host that pauses, while class 1 is blocked.
    assert!(end(0, 1) < Time(75_000_000) && end(1, 0) < Time(145_000_000), "{:?} {:?}", end(0, 1), end(1, 0));
    // Packets of class 1 from the same NIC to another host are victims: its switch has paused that NIC for class 1.
    assert!(end(0, 2) > storm_end, "{:?}", end(0, 2));
    let row = |node: u32, peer: u32, class: u16| {
        let is_it =
            |row: &&ClassRow| row.node == NodeId(node) && row.peer == NodeId(peer) && row.class == class;
        run.records.classes.iter().find(is_it).copied().expect("every port has a row for every class")
    };
    assert!(row(0, 4, 1).paused > Duration(300_000_000) && row(0, 4, 0).paused == Duration::ZERO);
    assert!(row(4, 3, 1).paused > Duration(380_000_000) && row(4, 3, 0).paused == Duration::ZERO);
    assert_eq!((row(4, 0, 1).pauses, row(4, 0, 0).pauses), (1, 0));
    assert!(run.records.drops.is_empty());
    for variant in variants() {
        let other = simulate_with(&model, ListedWork::new(&sendings), variant, Extensions::default());
        assert!(other.records == run.records, "{variant:?}");
    }
}
