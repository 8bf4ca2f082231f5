//! Messages that wait as a whole at their hosts: as if every packet waited by itself, in memory that does not grow with
//! their size.

use netloom_engine::{Extensions, Options, Status, messages_wait_as_trains};
use netloom_model::{
    FailureAwareness, Fault, FaultAction, Model, RecordedCauses, ReroutePaths, Sampling, TransportKind,
};
use netloom_records::DropReason;
use netloom_testkit::fixture::{
    Cable, Clos, ListedWork, Run, Sending, everything_joined, model, pair, simulate, simulate_with,
};
use netloom_units::{Bytes, Duration, LinkId, Time};

use crate::cases::{DAMAGES, damage, traffic};

const LINE: u64 = 50_000_000_000;
const US: u64 = 1_000_000;
const N_HOSTS: u32 = 9;

fn clos() -> Model {
    let mut clos = Clos::new(3, 2, 3);
    clos.host = Cable::new(LINE, 600_000);
    let mut model = model(clos.wiring());
    model.transport.kind = TransportKind::OpenLoop { rate: None };
    model.recording.series = Some(Sampling::every(Duration(2_500_000)));
    model.recording.causes = RecordedCauses::All;
    model.recording.reordering = true;
    model
}

/// Messages of 10 to 240 packets, of which some are paced.
fn messages(seed: u64) -> Vec<Sending> {
    let all = traffic(seed, N_HOSTS, 60, 10_000).into_iter().zip(0..);
    all.map(|(sending, number)| if number % 4 == 0 { sending.paced(LINE / 3) } else { sending }).collect()
}

/// The same work with every packet by itself, and with trains under several execution options: equal records.
#[track_caller]
fn equal_packet_by_packet(model: &Model, work: &ListedWork, case: &str) -> Run {
    let plain = Options::default();
    let run = |options| simulate_with(model, work.clone(), options, Extensions::default()).results();
    let expected = run(Options { shortcut: false, ..plain });
    for options in [
        plain,
        Options { threads: 3, ..plain },
        Options { coarsen: 3, ..plain },
        Options { threads: 2, ..everything_joined() },
    ] {
        assert!(run(options) == expected, "{case}, {options:?}");
    }
    expected
}

#[test]
fn trains_are_sent_as_if_every_packet_waited_by_itself() {
    for wrong in DAMAGES {
        for (seed, deadline) in [(1, None), (2, None), (3, Some(Time(40 * US)))] {
            let mut model = Model { seed, deadline, awareness: wrong.1, ..clos() };
            damage(&mut model, wrong.0, N_HOSTS);
            let run =
                equal_packet_by_packet(&model, &ListedWork::new(&messages(seed)), &format!("{wrong:?}"));
            assert!(!run.records.flows.is_empty(), "{wrong:?} {seed}");
        }
    }
}

#[test]
fn a_packet_without_a_path_does_not_disturb_the_train_before_it() {
    let mut model = clos();
    model.awareness = FailureAwareness::Global(ReroutePaths::Shortest);
    // Host 0 loses all paths to other leaves while a message to its neighbour waits.
    let uplinks = model.fabric.links().iter().zip(0..).skip(N_HOSTS as usize).take(2);
    model.faults = uplinks
        .map(|(_, link)| Fault { at: Time(5 * US), link: LinkId(link), action: FaultAction::Down })
        .collect();
    let sendings = [
        Sending::new(0, 0, 1, 300_000),
        Sending::new(20 * US, 0, 8, 200_000),
        Sending::new(20 * US, 0, 2, 100_000),
    ];
    let run = equal_packet_by_packet(&model, &ListedWork::new(&sendings), "cut off");
    let lost = run.records.drops.iter().filter(|row| row.reason == DropReason::Unreachable);
    assert_eq!(lost.map(|row| row.packets).sum::<u64>(), 200);
    let arrived = run.records.flows.iter().filter(|row| row.end.is_some()).count();
    assert_eq!(arrived, 2);
}

#[test]
fn memory_does_not_grow_with_the_size_of_messages() {
    // Four thousand million packets, each of which would take 40 bytes by itself.
    let size = 4_000_000_000_000;
    let mut clos = Clos::new(3, 2, 3);
    clos.host = Cable::new(LINE, US);
    for wiring in [pair(Cable::new(LINE, US)), clos.wiring()] {
        let mut model = model(wiring);
        model.transport.kind = TransportKind::OpenLoop { rate: None };
        model.deadline = Some(Time(100 * US));
        assert!(messages_wait_as_trains(&model));
        let run = simulate(&model, ListedWork::new(&[Sending::new(0, 0, 1, size), Sending::new(0, 0, 1, 1)]));
        assert_eq!(run.outcome.status, Status::Deadline);
        assert_eq!(run.outcome.packets, 4_000_000_001);
        // What 100 us at 50 Gb/s carry.
        let port = run.records.ports.iter().max_by_key(|row| row.packets).expect("there are some");
        assert_eq!((port.size, port.packets), (Bytes(625_000), 4_000_000_001));
    }
}
