//! Adaptive routing by grades: uplinks are shared evenly, unmarked messages keep to the paths of ECMP, and non-minimal
//! paths are taken only while the minimal ones are congested.

use netloom_engine::{Extensions, Options, Status};
use netloom_model::{
    FabricBuilder, FailureAwareness, Fault, FaultAction, Model, ReroutePaths, TransportKind,
};
use netloom_testkit::fixture::{
    Cable, Clos, ListedWork, Run, Sending, Wiring, everything_joined, model, policy, simulate, simulate_with,
};
use netloom_units::{Bytes, Duration, HostId, LinkId, Time, Value};

use crate::cases::traffic;

/// One nanosecond per byte.
const CABLE: Cable = Cable::new(8_000_000_000, 500_000);

/// Bytes sent by each uplink of a leaf of four hosts and four uplinks; all hosts send to the other leaf at full rate.
fn uplinks(switch: &str) -> Vec<u64> {
    let clos = Clos::new(2, 4, 4);
    let mut model = model(clos.wiring());
    model.balances.switch = policy(switch, &[]);
    let sendings: Vec<Sending> = (0..4).map(|host| Sending::new(0, host, 4 + host, 8_000_000)).collect();
    let run = simulate(&model, ListedWork::new(&sendings));
    assert_eq!(run.outcome.status, Status::Complete);
    let first = model.fabric.port_range(clos.shape.leaf_of(HostId(0))).start + 4;
    let sent =
        |port: u32| run.records.ports.iter().find(|row| row.port.0 == port).map_or(0, |row| row.size.0);
    (first..first + 4).map(sent).collect()
}

#[test]
fn persistent_flows_share_uplinks_evenly() {
    let even = |sent: &u64| (7_920_000..=8_080_000).contains(sent);
    let adapted = uplinks("adaptive_spectrum");
    assert_eq!(adapted.iter().sum::<u64>(), 32_000_000);
    assert!(adapted.iter().all(even), "{adapted:?}");
    let hashed = uplinks("ecmp");
    assert!(!hashed.iter().all(even), "ECMP is uneven here: {hashed:?}");
}

#[test]
fn unmarked_messages_keep_to_the_paths_of_ecmp() {
    for (kind, control) in [
        (TransportKind::OpenLoop { rate: None }, 0),
        (TransportKind::Window { packets: 6, acknowledgement: Bytes(64) }, 3),
    ] {
        let sendings = traffic(5, 12, 60, 3_000);
        let in_order: Vec<Sending> = sendings.iter().map(|sending| sending.in_order()).collect();
        let records = |switch: &str, sendings: &[Sending]| {
            let mut model = model(Clos::new(4, 3, 3).wiring());
            model.balances.switch = policy(switch, &[]);
            (model.transport.kind, model.classes.control) = (kind, control);
            simulate(&model, ListedWork::new(sendings)).records
        };
        let hashed = records("ecmp", &in_order);
        assert!(records("adaptive_spectrum", &in_order) == hashed, "{kind:?}");
        assert!(
            records("adaptive_spectrum", &sendings) != hashed,
            "marked messages do not keep to them: {kind:?}"
        );
    }
}

/// A full mesh of this number of switches, each with this number of hosts on links four times as fast.
fn mesh(n_switches: u32, hosts_each: u32) -> Model {
    let n_hosts = n_switches * hosts_each;
    let mut builder = FabricBuilder::new(n_hosts, n_switches);
    for host in 0..n_hosts {
        Cable { rate: netloom_units::Rate(32_000_000_000), ..CABLE }.lay(
            &mut builder,
            host,
            n_hosts + host / hosts_each,
        );
    }
    for from in 0..n_switches {
        for to in from + 1..n_switches {
            CABLE.lay(&mut builder, n_hosts + from, n_hosts + to);
        }
    }
    let Wiring { fabric, routing } = Wiring::shortest(builder);
    let routing = routing.with_longer(&fabric);
    let mut model = model(Wiring { fabric, routing });
    model.balances.switch = policy("adaptive_spectrum", &[]);
    model
}

/// The link between two switches of a mesh.
fn between(model: &Model, from: u32, to: u32) -> LinkId {
    let n_hosts = model.fabric.n_hosts() as u32;
    let ends = |link: &netloom_model::Link| link.ends.map(|port| model.fabric.port(port).node.0);
    let index = model.fabric.links().iter().position(|link| ends(link) == [n_hosts + from, n_hosts + to]);
    LinkId(index.expect("every pair of switches is linked") as u32)
}

/// The longest time that a message took, in ns.
fn longest(run: &Run) -> u64 {
    run.records
        .flows
        .iter()
        .map(|row| row.end.expect("the message arrives").0 / 1000)
        .max()
        .expect("messages")
}

#[test]
fn a_triangle_uses_the_non_minimal_path_only_while_the_minimal_one_is_congested() {
    let model = mesh(3, 2);
    let to_next = |rate: u64| {
        let sendings = [0, 1].map(|host| Sending::new(0, host, 2 + host, 4_000_000).paced(rate));
        simulate(&model, ListedWork::new(&sendings))
    };
    // Nine tenths of the capacity of the minimal path.
    for row in &to_next(3_600_000_000).records.flows {
        assert_eq!(row.hops, 3 * u64::from(row.packets), "{row:?}");
    }
    // Twice as much: on the minimal path only it would take 8 ms, with the path over the third switch at best half of
    // that.
    let run = to_next(8_000_000_000);
    assert!((4_000_000..5_000_000).contains(&longest(&run)), "{} ns", longest(&run));
    let (hops, packets) =
        run.records.flows.iter().fold((0, 0), |sum, row| (sum.0 + row.hops, sum.1 + u64::from(row.packets)));
    // One link more for nearly half of them.
    assert!(
        (3 * packets + packets * 2 / 5..=3 * packets + packets / 2).contains(&hops),
        "{hops} of {packets}"
    );
}

#[test]
fn without_non_minimal_steps_the_minimal_path_carries_all_packets() {
    let mut model = mesh(3, 2);
    model.balances.switch = policy("adaptive_spectrum", &[("non_minimal_hops", Value::Count(0))]);
    let sendings = [0, 1].map(|host| Sending::new(0, host, 2 + host, 4_000_000));
    let run = simulate(&model, ListedWork::new(&sendings));
    assert!((8_000_000..8_100_000).contains(&longest(&run)), "{} ns", longest(&run));
    assert!(run.records.flows.iter().all(|row| row.hops == 3 * u64::from(row.packets)));
}

/// A grade for every 500 bytes, so that packets take non-minimal paths at once.
fn restless(steps: u64) -> netloom_policy::balance::Chosen {
    let parameters = [
        ("cell", Value::Size(Bytes(500))),
        ("low", Value::Count(1)),
        ("medium", Value::Count(2)),
        ("high", Value::Count(3)),
        ("sticky", Value::Absent),
        ("non_minimal_above", Value::Count(0)),
        ("non_minimal_hops", Value::Count(steps)),
    ];
    policy("adaptive_spectrum", &parameters)
}

#[test]
fn no_packet_takes_more_than_the_allowed_non_minimal_steps() {
    for steps in [1, 2] {
        let mut most = 0;
        for seed in 0..6 {
            let mut model = mesh(4, 2);
            model.seed = seed;
            model.balances.switch = restless(steps);
            model.recording.packets_from = (0..8).map(HostId).collect();
            let run = simulate(&model, ListedWork::new(&traffic(seed, 8, 60, 4_000)));
            assert_eq!(run.outcome.status, Status::Complete);
            let hops = run.records.packets.iter().map(|row| u64::from(row.hop) + 1).max().expect("packets");
            assert!(hops <= 3 + steps, "{hops} links");
            most = most.max(hops);
        }
        assert_eq!(most, 3 + steps, "some packet takes all allowed steps");
    }
}

#[test]
fn lost_links_leave_no_packet_in_flight() {
    for knowledge in [FailureAwareness::Local, FailureAwareness::Global(ReroutePaths::Shortest)] {
        let mut model = mesh(4, 2);
        model.balances.switch = restless(1);
        model.awareness = knowledge;
        let first = [(0, 1), (1, 3)].map(|(from, to)| between(&model, from, to));
        let fault = |at, link, action| Fault { at: Time(at), link, action };
        model.faults = vec![
            fault(0, first[0], FaultAction::Down),
            fault(3_000_000, first[1], FaultAction::Down),
            fault(40_000_000, first[1], FaultAction::Up),
        ];
        let work = ListedWork::new(&traffic(3, 8, 60, 4_000));
        let expected = simulate(&model, work.clone()).results();
        let n_lost: u64 = expected.records.drops.iter().map(|row| row.packets).sum();
        let n_unfinished = expected.records.flows.iter().filter(|row| row.end.is_none()).count();
        match knowledge {
            FailureAwareness::Local => {
                assert!(n_lost > 0);
                assert!(
                    matches!(&expected.outcome.status, Status::Stalled(stall) if stall.unfinished == n_unfinished as u64)
                );
            }
            FailureAwareness::Global(_) => {
                assert!(n_unfinished < 20, "{n_unfinished} messages of 60 lose packets");
            }
        }
        for options in [
            Options { threads: 4, shortcut: false, ..Options::default() },
            Options { coarsen: 3, ..Options::default() },
            everything_joined(),
        ] {
            let run = simulate_with(&model, work.clone(), options, Extensions::default()).results();
            assert!(run == expected, "{knowledge:?}, {options:?}");
        }
    }
}

#[test]
fn the_non_minimal_path_is_unknown_between_a_link_failure_and_the_next_snapshot() {
    let mut model = mesh(3, 1);
    model.awareness = FailureAwareness::Global(ReroutePaths::Shortest);
    model.coordination_delay = Duration(5_000_000);
    let link = between(&model, 0, 1);
    model.faults = vec![Fault { at: Time(1), link, action: FaultAction::Down }];
    let sendings: Vec<Sending> = (0..20).map(|k| Sending::new(k * 1_000_000, 0, 1, 1_000)).collect();
    let run = simulate(&model, ListedWork::new(&sendings));
    let arrived: Vec<bool> = run.records.flows.iter().map(|row| row.end.is_some()).collect();
    let n_arrived = arrived.iter().filter(|&&arrived| arrived).count();
    assert!((14..=16).contains(&n_arrived), "{n_arrived}");
    assert!(run.records.flows.iter().all(|row| row.end.is_none() || row.hops == 4));
}
