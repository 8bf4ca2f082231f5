//! Links that fail and recover act at their exact instants; actors that cannot finish are reported, and every run ends.
//!
//! Links take a nanosecond per byte and a microsecond of delay, packets have 1000 bytes: a packet sent at 0 is at the
//! switch at 2 us, on the second link until 3 us, and arrives at 4 us.

use netloom_engine::{Extensions, Options, Stall, Status, Waiting};
use netloom_model::{
    FailureAwareness, Fault, FaultAction, Model, Operation, ReroutePaths, Sampling, TransportKind,
};
use netloom_records::DropReason;
use netloom_testkit::fixture::{
    Cable, Clos, ListedWork, Run, Sending, ThreeTiers, chain, model, policy, simulate, simulate_with,
};
use netloom_units::{ActorId, Bytes, Duration, HostId, LinkId, Time};

use crate::doubles::{port_forms, watched};

const CABLE: Cable = Cable::new(8_000_000_000, 1_000_000);

fn fault(at: u64, link: u32, action: FaultAction) -> Fault {
    Fault { at: Time(at), link: LinkId(link), action }
}

/// One packet over two links, the second of which changes at these instants; with every implementation of ports, all
/// alike.
fn one_packet(faults: &[(u64, FaultAction)]) -> Run {
    let mut model = model(chain(&[CABLE, CABLE]));
    model.faults = faults.iter().map(|&(at, action)| fault(at, 1, action)).collect();
    let work = ListedWork::new(&[Sending::new(0, 0, 1, 1000)]);
    let (expected, _, _) = watched(&model, &work, 2);
    for options in port_forms() {
        let run = simulate_with(&model, work.clone(), options, Extensions::default());
        assert_eq!(run.results(), expected.clone().results(), "{options:?}");
    }
    expected
}

#[test]
fn a_transmission_that_ends_as_the_link_fails_survives() {
    let run = one_packet(&[(3_000_000, FaultAction::Down)]);
    assert_eq!(run.records.flows[0].end, Some(Time(4_000_000)));
    assert_eq!(run.outcome.status, Status::Complete);
}

#[test]
fn a_transmission_that_ends_later_is_lost() {
    for at in [2_000_001, 2_500_000, 2_999_999] {
        let run = one_packet(&[(at, FaultAction::Down)]);
        assert_eq!(run.records.flows[0].end, None);
        assert_eq!(run.records.drops[0].reason, DropReason::LinkDown);
        assert_eq!((run.records.drops.len(), run.records.drops[0].packets), (1, 1));
        assert_eq!(
            run.outcome.status,
            Status::Stalled(Stall { waiting: Vec::new(), given_up: Vec::new(), unfinished: 1 })
        );
    }
}

#[test]
fn a_link_that_recovers_during_the_transmission_does_not_save_it() {
    let run = one_packet(&[(2_400_000, FaultAction::Down), (2_400_001, FaultAction::Up)]);
    assert_eq!(run.records.flows[0].end, None);
}

#[test]
fn a_packet_waiting_as_the_link_fails_is_lost() {
    let run = one_packet(&[(2_000_000, FaultAction::Down)]);
    assert_eq!(run.records.drops[0].reason, DropReason::LinkDown);
    assert_eq!(run.records.flows[0].end, None);
}

#[test]
fn a_packet_that_arrives_at_a_dead_link_has_no_path() {
    let run = one_packet(&[(1_999_999, FaultAction::Down)]);
    assert_eq!((run.records.drops[0].reason, run.records.drops[0].port), (DropReason::Unreachable, None));
    assert_eq!(run.records.drops[0].first, Time(2_000_000));
}

#[test]
fn a_link_serves_from_the_instant_it_recovers() {
    // A packet that arrives at the very instant precedes the events of the node itself.
    for (up, end) in [(1_999_999, Some(Time(4_000_000))), (2_000_000, None)] {
        let run = one_packet(&[(500_000, FaultAction::Down), (up, FaultAction::Up)]);
        assert_eq!(run.records.flows[0].end, end);
        let run = one_packet(&[(0, FaultAction::Down), (up, FaultAction::Up)]);
        assert_eq!(run.records.flows[0].end, end);
    }
}

/// The run is stopped, or sampled, during a transmission that a failure will cut off.
#[test]
fn a_transmission_that_will_be_cut_off_may_be_observed() {
    for options in port_forms() {
        let mut model = model(chain(&[CABLE, CABLE]));
        model.faults = vec![fault(2_800_000, 1, FaultAction::Down)];
        let work = ListedWork::new(&[Sending::new(0, 0, 1, 1000)]);
        let cut = Model { deadline: Some(Time(2_600_000)), ..model.clone() };
        let run = simulate_with(&cut, work.clone(), options, Extensions::default());
        assert_eq!(run.outcome.status, Status::Deadline);
        model.recording.series = Some(Sampling::every(Duration(300_000)));
        let run = simulate_with(&model, work, options, Extensions::default());
        let sent: u64 = run.records.series.iter().filter(|row| row.port.0 == 3).map(|row| row.size.0).sum();
        assert!(sent <= 1000, "{sent} bytes sent of 1000: {options:?}");
    }
}

#[test]
fn a_dead_link_is_known_to_its_ends_or_to_all_switches() {
    // From leaf 0 the path over spine 0 ends at its dead link to leaf 1: only global failure awareness avoids it.
    let clos = Clos::new(2, 2, 1);
    let dead_link = 2 + 2; // after two host links and the two of leaf 0
    for (knowledge, n_lost) in
        [(FailureAwareness::Local, 20), (FailureAwareness::Global(ReroutePaths::Shortest), 0)]
    {
        let mut model = model(clos.wiring());
        model.balances.switch = policy("round_robin", &[]);
        model.awareness = knowledge;
        model.faults = vec![fault(0, dead_link, FaultAction::Down)];
        let run = simulate(&model, ListedWork::new(&[Sending::new(0, 0, 1, 40_000)]));
        let lost: u64 = run.records.drops.iter().map(|drop| drop.packets).sum();
        assert_eq!(lost, n_lost, "{knowledge:?}");
    }
}

/// A message of 100 packets between pods, over a fat tree of four ports in which this core link is down from the start.
fn between_pods(from_pod: u32, dead: (u32, u32), switch: &str, knowledge: FailureAwareness) -> Run {
    let tree = ThreeTiers::new(4);
    let mut model = model(tree.wiring());
    model.balances.switch = policy(switch, &[]);
    model.awareness = knowledge;
    model.faults = vec![fault(0, tree.core_link(dead.0, dead.1), FaultAction::Down)];
    let (from, to) = (4 * from_pod, 4 * (1 - from_pod) + 2);
    simulate(&model, ListedWork::new(&[Sending::new(0, from, to, 100_000)]))
}

#[test]
fn a_dead_core_link_is_known_in_its_pod_and_not_in_other_pods() {
    for switch in ["adaptive", "round_robin", "spray", "ecmp", "flowlet"] {
        for knowledge in [FailureAwareness::Local, FailureAwareness::Global(ReroutePaths::Shortest)] {
            // Out of the pod with the dead link: the switch below knows. Towards that pod: a quarter of all paths leads
            // over the core behind it, which has no other path down.
            for (aggregation, core) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                let out = between_pods(0, (aggregation, core), switch, knowledge);
                assert_eq!(out.outcome.status, Status::Complete, "{switch} {knowledge:?}");
                assert!(out.records.drops.is_empty(), "{switch} {knowledge:?}");
            }
            let lost = [(0, 0), (0, 1), (1, 0), (1, 1)].map(|dead| {
                let run = between_pods(1, dead, switch, knowledge);
                assert!(run.records.drops.iter().all(|drop| drop.reason == DropReason::Unreachable));
                run.records.drops.iter().map(|drop| drop.packets).sum::<u64>()
            });
            match (switch, knowledge) {
                (_, FailureAwareness::Global(_)) => assert_eq!(lost, [0; 4], "{switch}"),
                // One flow takes one path, and one of the four is the dead one.
                ("ecmp", FailureAwareness::Local) => {
                    assert_eq!(lost.iter().sum::<u64>(), 100);
                    assert!(lost.contains(&100));
                }
                ("round_robin", FailureAwareness::Local) => assert_eq!(lost, [25; 4]),
                (_, FailureAwareness::Local) => assert!(lost.iter().sum::<u64>() > 0, "{switch}: {lost:?}"),
            }
        }
    }
}

#[test]
fn global_failure_awareness_begins_with_the_next_snapshot() {
    // The link fails at 2.5 us; snapshots are taken every 4 us. A packet leaves every half microsecond from 0 on and is
    // at the leaf 1.08 us later.
    let clos = Clos::new(2, 2, 1);
    let mut model = model(clos.wiring());
    model.balances.switch = policy("round_robin", &[]);
    model.awareness = FailureAwareness::Global(ReroutePaths::Shortest);
    model.coordination_delay = Duration(4_000_000);
    model.faults = vec![fault(2_500_000, 4, FaultAction::Down)];
    let sendings: Vec<Sending> = (0..20).map(|k| Sending::new(k * 500_000, 0, 1, 1000)).collect();
    let (_, _, starts) = watched(&model, &ListedWork::new(&sendings), clos.shape.leaf_of(HostId(0)).0);
    let toward_dead = |passed: &&crate::doubles::Passed| passed.1 == 1;
    let last = starts
        .iter()
        .rfind(toward_dead)
        .expect("before the snapshot half of the packets take the dead path")
        .0;
    assert!(last > Time(2_500_000) && last <= Time(4_000_000), "{last:?}");
}

#[test]
fn an_actor_that_waits_in_vain_is_reported() {
    for kind in [
        TransportKind::OpenLoop { rate: None },
        TransportKind::Window { packets: 2, acknowledgement: Bytes(64) },
    ] {
        let mut model = model(chain(&[CABLE, CABLE]));
        model.transport.kind = kind;
        model.faults = vec![fault(0, 1, FaultAction::Down)];
        let mut work = ListedWork::of_hosts([HostId(0), HostId(1)]);
        work.send(&Sending::new(0, 0, 1, 3000).tagged(4));
        work.push(HostId(1), Operation::Receive { tag: 4, messages: 3 });
        let run = simulate_with(&model, work, Options::default(), Extensions::default());
        let waiting = vec![Waiting { actor: ActorId(1), host: HostId(1), messages: 3, at_barrier: false }];
        assert_eq!(
            run.outcome.status,
            Status::Stalled(Stall { waiting, given_up: Vec::new(), unfinished: 1 })
        );
        assert!(run.records.drops.iter().all(|drop| drop.reason == DropReason::Unreachable));
    }
}

#[test]
fn a_barrier_that_no_other_actor_reaches_is_reported() {
    let mut work = ListedWork::of_hosts([HostId(0), HostId(1)]);
    work.push(HostId(0), Operation::Barrier { group: 0 });
    let run = simulate(&model(chain(&[CABLE, CABLE])), work);
    let waiting = vec![Waiting { actor: ActorId(0), host: HostId(0), messages: 0, at_barrier: true }];
    assert_eq!(run.outcome.status, Status::Stalled(Stall { waiting, given_up: Vec::new(), unfinished: 0 }));
}
