//! The number of transfers that pass a waiting head of a queue, and spurious timeouts: worked examples and bounds.

use netloom_engine::{Extensions, Options};
use netloom_model::{Credits, Forwarding, InputOrder, Model, QueuePairs, Rdma, TransportKind};
use netloom_policy::transport::Reliability;
use netloom_records::{ArbitrationRow, SpuriousTimeoutRow};
use netloom_testkit::fixture::{
    ListedWork, Run, Sending, chain, everything_joined, simulate, simulate_with, star,
};
use netloom_units::{Bytes, Duration, HostId, Time};

use crate::credits::{CABLE, PACKET, busy, lossless, plain};
use crate::rdma::rdma;

/// Transmission time of a packet on [`CABLE`], in ps.
const SERIALIZATION: u64 = PACKET * 40;

/// The row of the port of a switch towards a host.
fn towards(run: &Run, host: u32) -> ArbitrationRow {
    let found = run.records.arbitration.iter().find(|row| row.peer.0 == host);
    *found.expect("it has granted transfers")
}

#[test]
fn each_head_of_three_equal_senders_is_passed_twice() {
    const N: u64 = 50;
    let model = lossless(star(4, CABLE), plain(16 * PACKET));
    let sendings: Vec<Sending> = (1..4).map(|host| Sending::new(0, host, 0, N * PACKET)).collect();
    let run = simulate(&model, ListedWork::new(&sendings));
    let row = towards(&run, 0);
    assert_eq!(row.transfers, 3 * N);
    // While a packet is the head, each of the other two ingresses is granted one transfer; so it waits for these, and
    // for the packet before it.
    assert_eq!((row.most_passes, row.longest_wait), (2, Duration(3 * SERIALIZATION)));
    // Four ports: three others hold the turn twice each, every holder is passed four times.
    assert_eq!(row.bound, 2 * 3 * 5 + 4);
    for sender in 1..4 {
        let responses = towards(&run, sender);
        assert_eq!((responses.transfers, responses.most_passes), (N, 0));
    }
    assert_eq!(run.records.arbitration.len(), 4, "hosts have no crossbar");
}

#[test]
fn a_single_sender_waits_only_for_its_own_packets() {
    let model = lossless(chain(&[CABLE, CABLE]), plain(16 * PACKET));
    let run = simulate(&model, ListedWork::new(&[Sending::new(0, 0, 1, 20 * PACKET)]));
    let row = towards(&run, 1);
    // Packets arrive as fast as they leave.
    assert_eq!((row.transfers, row.most_passes, row.longest_wait), (20, 0, Duration::ZERO));
    assert_eq!(row.bound, 2 * 5 + 4);
}

/// Settings of crossbars that differ in grants ahead of time and in the rule for heads.
fn crossbars() -> [Credits; 5] {
    let quick = Credits { speedup: 2, output_buffer: Bytes(2 * PACKET), ..plain(3 * PACKET) };
    let forwarding = Forwarding::CutThrough { header: Bytes(64) };
    [
        plain(PACKET),
        plain(16 * PACKET),
        Credits { order: InputOrder::Fifo, vls: [0; 8], ..plain(2 * PACKET) },
        quick,
        Credits { forwarding, latency: Duration(100_000), speedup: 3, ..quick },
    ]
}

#[test]
fn no_head_is_passed_more_often_than_its_bound() {
    let (mut most, mut n_followers) = (0, 0);
    for credits in crossbars() {
        for policy in ["ecmp", "round_robin", "adaptive"] {
            let (model, work) = busy(credits, policy);
            let run = simulate(&model, work);
            assert!(run.records.drops.is_empty());
            for row in &run.records.arbitration {
                assert!(row.most_passes <= row.bound, "{credits:?} {policy} {row:?}");
                most = most.max(row.most_passes);
                // Granted packets leave; consecutive packets may share one transfer, of a full packet's length at most.
                let port = &run.records.ports[row.port.index()];
                assert!(row.transfers <= port.packets, "{credits:?} {policy} {row:?}");
                assert!(row.transfers * PACKET >= port.size.0, "{credits:?} {policy} {row:?}");
                let has_trains = credits.output_buffer.0 > 0;
                assert!(has_trains || row.transfers == port.packets, "{credits:?} {policy} {row:?}");
                n_followers += port.packets - row.transfers;
            }
            let is_switch = |node: u32| node >= model.fabric.n_hosts() as u32;
            let busy_ports = run.records.ports.iter().filter(|row| is_switch(row.node.0) && row.packets > 0);
            assert_eq!(busy_ports.count(), run.records.arbitration.len(), "{credits:?} {policy}");
        }
    }
    assert!(most > 2 && n_followers > 0, "packets compete, and some share transfers: {most}, {n_followers}");
}

#[test]
fn without_credits_there_is_no_arbitration() {
    let mut model = lossless(star(4, CABLE), plain(16 * PACKET));
    model.queues.credits = None;
    let run = simulate(&model, ListedWork::new(&[Sending::new(0, 1, 0, PACKET)]));
    assert!(run.records.arbitration.is_empty() && run.records.spurious_timeouts.is_empty());
}

/// Queue pairs with a timeout of this number of microseconds.
fn impatient(mut model: Model, rule: Reliability, micros: u64) -> Model {
    let timeout = Duration::from_micros(micros);
    model.transport.kind = TransportKind::Rdma(Rdma {
        header: Bytes(0),
        queue_pairs: QueuePairs::Message,
        timeout,
        timeout_low: timeout,
        ..rdma(rule)
    });
    model
}

#[test]
fn timeouts_shorter_than_a_round_trip_are_reported_by_queue_pair() {
    for rule in [Reliability::GoBackN, Reliability::NicSr, Reliability::Irn, Reliability::Ideal] {
        let model = impatient(lossless(chain(&[CABLE, CABLE]), plain(16 * PACKET)), rule, 1);
        // A round trip takes 2 us of propagation and some serialization, so two timeouts expire before the ACK.
        let work = ListedWork::new(&[Sending::new(7, 0, 1, PACKET), Sending::new(40_000_000, 0, 1, PACKET)]);
        let run = simulate(&model, work);
        let row = |number: u32, start: u64| SpuriousTimeoutRow {
            source: HostId(0),
            destination: HostId(1),
            number,
            timeouts: 2,
            unacknowledged: 2,
            first: Time(start + 1_000_000),
            last: Time(start + 2_000_000),
        };
        assert!(run.records.drops.is_empty());
        assert_eq!(run.records.spurious_timeouts, [row(0, 7), row(1, 40_000_000)], "{rule:?}");
    }
}

#[test]
fn timeouts_after_a_loss_are_not_spurious() {
    let mut model = impatient(lossless(star(4, CABLE), plain(16 * PACKET)), Reliability::GoBackN, 2);
    let sendings: Vec<Sending> = (1..4).map(|host| Sending::new(0, host, 0, 40 * PACKET)).collect();
    let run = simulate(&model, ListedWork::new(&sendings));
    let found: u64 = run.records.spurious_timeouts.iter().map(|row| row.timeouts).sum();
    assert!(run.records.drops.is_empty() && found >= 3, "{found}");
    // The same with switches that drop packets.
    model.queues.credits = None;
    model.queues.switch_limit = Some(Bytes(3 * PACKET));
    let run = simulate(&model, ListedWork::new(&sendings));
    assert!(!run.records.drops.is_empty() && run.records.spurious_timeouts.is_empty());
}

#[test]
fn execution_options_do_not_change_either_table() {
    let (model, work) = busy(crossbars()[3], "ecmp");
    let model = impatient(model, Reliability::GoBackN, 4);
    let first = simulate(&model, work.clone());
    assert!(!first.records.arbitration.is_empty() && !first.records.spurious_timeouts.is_empty());
    let plain = Options::default();
    for how in [
        Options { threads: 2, ..plain },
        Options { threads: 3, ..plain },
        Options { coarsen: 2, shortcut: false, ..plain },
        Options { threads: 2, ..everything_joined() },
    ] {
        let run = simulate_with(&model, work.clone(), how, Extensions::default());
        assert_eq!(run.records.arbitration, first.records.arbitration, "{how:?}");
        assert_eq!(run.records.spurious_timeouts, first.records.spurious_timeouts, "{how:?}");
    }
}
