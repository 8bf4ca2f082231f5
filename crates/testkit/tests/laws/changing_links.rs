//! A link that changes in time, against a simulator of one queue written here in a few lines: the packets lost before
//! the failure is detected, the arrival of each packet at the rate of that time, the peak of the queue and the packets
//! it dropped.
//!
//! Host 0 sends over a switch to host 1; the second link changes. At 8 Gbps a byte takes a nanosecond.

use netloom_engine::{Extensions, Status};
use netloom_model::{Errors, Fault, FaultAction, Model, Reaction};
use netloom_records::DropReason;
use netloom_testkit::fixture::{Cable, ListedWork, Run, Sending, chain, model, simulate_with};
use netloom_units::{Bytes, Duration, LinkId, PortId, Random, Rate, Time};

use crate::doubles::port_forms;

const US: u64 = 1_000_000;
const CABLE: Cable = Cable::new(8_000_000_000, US);
/// The egress of the switch towards host 1.
const EGRESS: PortId = PortId(3);

fn scene(faults: &[(u64, FaultAction)]) -> Model {
    let mut model = model(chain(&[CABLE, CABLE]));
    let fault = |&(at, action): &(u64, FaultAction)| Fault { at: Time(at), link: LinkId(1), action };
    model.faults = faults.iter().map(fault).collect();
    model
}

/// The same with every implementation of ports.
fn in_all_forms(model: &Model, work: &ListedWork) -> Run {
    let run = |options| simulate_with(model, work.clone(), options, Extensions::default()).results();
    let [first, others @ ..] = port_forms();
    let expected = run(first);
    for options in others {
        assert_eq!(run(options), expected, "{options:?}");
    }
    expected
}

/// This number of packets, back to back from the start: packet `i` reaches the switch at `i + 2` microseconds.
fn train(n: u64) -> ListedWork {
    let sendings: Vec<Sending> = (0..n).map(|_| Sending::new(0, 0, 1, 1_000)).collect();
    ListedWork::new(&sendings)
}

fn lost(run: &Run, reason: DropReason) -> u64 {
    run.records.drops.iter().filter(|drop| drop.reason == reason).map(|drop| drop.packets).sum()
}

#[test]
fn packets_are_sent_into_a_dead_link_until_the_failure_is_detected() {
    let mut model = scene(&[(10 * US, FaultAction::Down), (30 * US, FaultAction::Up)]);
    model.reaction =
        Reaction { detection: Duration(5 * US), recovery: Duration(2 * US), ..Reaction::default() };
    let run = in_all_forms(&model, &train(50));
    // Packets started from 10 us on are lost; so is the packet that arrives as the port goes down, at 15 us.
    assert_eq!(lost(&run, DropReason::LinkDown), 6);
    // From 16 us on there is no next hop, until the port comes up after the arrival at 32 us.
    assert_eq!(lost(&run, DropReason::Unreachable), 17);
    let arrived = run.records.flows.iter().filter(|row| row.end.is_some()).count();
    assert_eq!(arrived, 50 - 6 - 17);
    let first = run.records.drops.iter().find(|drop| drop.reason == DropReason::LinkDown).expect("seen");
    assert_eq!((first.first, first.last), (Time(10 * US), Time(15 * US)));
}

#[test]
fn a_link_that_recovers_before_detection_loses_the_packets_of_its_outage() {
    for (down, up, n_lost) in [(10, 12, 2), (10, 14, 4), (10, 15, 5)] {
        let mut model = scene(&[(down * US, FaultAction::Down), (up * US, FaultAction::Up)]);
        model.reaction = Reaction { detection: Duration(5 * US), ..Reaction::default() };
        let run = in_all_forms(&model, &train(50));
        assert_eq!(lost(&run, DropReason::LinkDown), n_lost, "{up}");
        assert_eq!(lost(&run, DropReason::Unreachable), 0, "{up}");
    }
    // A packet on the wire as the link goes down is lost, one that starts as it comes up is not.
    let mut model = scene(&[(10 * US + 1, FaultAction::Down), (11 * US, FaultAction::Up)]);
    model.reaction = Reaction { detection: Duration(5 * US), ..Reaction::default() };
    let run = in_all_forms(&model, &train(50));
    assert_eq!(lost(&run, DropReason::LinkDown), 1);
}

#[test]
fn without_detection_delay_ports_go_down_with_their_links() {
    let model = scene(&[(10 * US, FaultAction::Down), (30 * US, FaultAction::Up)]);
    let run = in_all_forms(&model, &train(50));
    // The packet that arrives at that very instant.
    assert_eq!((lost(&run, DropReason::LinkDown), lost(&run, DropReason::Unreachable)), (1, 20));
}

/// The fate of packets at a queue before a wire whose rate changes.
struct Expected {
    ends: Vec<Option<u64>>,
    peak: u64,
    refused: u64,
}

/// The simulator: packets arrive one after the other; each is sent at the rate at the instant of its start.
fn expected(arrivals: &[(u64, u64)], rates: &[(u64, u64)], limit: u64) -> Expected {
    let rate_at = |at: u64| rates.iter().rev().find(|change| change.0 <= at).expect("the first is at 0").1;
    let mut wire: Vec<(u64, u64, u64)> = Vec::new(); // start, end, bytes
    let (mut ends, mut peak, mut refused, mut free_at) = (Vec::new(), 0, 0, 0);
    for &(at, bytes) in arrivals {
        let left = |&(start, end, bytes): &(u64, u64, u64)| match (start >= at, end <= at) {
            (true, _) => bytes,
            (_, true) => 0,
            // A byte whose transmission has begun counts as sent.
            _ => (end - at).div_ceil((end - start) / bytes),
        };
        let waiting: u64 = wire.iter().map(left).sum();
        if waiting + bytes > limit {
            refused += 1;
            ends.push(None);
            continue;
        }
        peak = peak.max(waiting + bytes);
        let start = at.max(free_at);
        free_at = start + bytes * 8_000_000_000_000 / rate_at(start);
        wire.push((start, free_at, bytes));
        ends.push(Some(free_at + US));
    }
    Expected { ends, peak, refused }
}

#[test]
fn every_packet_is_sent_at_the_rate_of_its_start() {
    const RATES: [u64; 5] = [8_000_000_000, 4_000_000_000, 2_000_000_000, 1_000_000_000, 800_000_000];
    let (mut n_refused, mut n_changes) = (0, 0);
    for seed in 0..150 {
        let mut random = Random::stream(seed, 5, 5);
        let limit = if seed % 3 == 0 { u64::MAX } else { 4_000 + u64::from(random.below(9_000)) };
        let mut at = 0;
        let mut sendings = Vec::new();
        for _ in 0..80 {
            at += u64::from(random.below(2_500_000));
            sendings.push(Sending::new(at, 0, 1, 64 + u64::from(random.below(937))));
        }
        let mut rates = vec![(0, RATES[0])];
        for _ in 0..=random.below(8) {
            let next = rates.last().expect("at least one").0 + 1 + u64::from(random.below(30_000_000));
            let mut rate = RATES[random.below(5) as usize];
            if rate == rates.last().expect("at least one").1 {
                rate = RATES[(RATES.iter().position(|known| *known == rate).expect("known") + 1) % 5];
            }
            rates.push((next, rate));
        }
        n_changes += rates.len() - 1;
        let faults: Vec<_> =
            rates[1..].iter().map(|&(at, rate)| (at, FaultAction::Rate(Rate(rate)))).collect();
        let mut model = scene(&faults);
        model.queues.switch_limit = (limit != u64::MAX).then_some(Bytes(limit));
        let run = in_all_forms(&model, &ListedWork::new(&sendings));
        // The rate of the first wire is constant: packets leave it back to back.
        let mut free_at = 0;
        let arrivals: Vec<(u64, u64)> = sendings
            .iter()
            .map(|sending| {
                free_at = free_at.max(sending.at.0) + sending.size.0 * 1_000;
                (free_at + US, sending.size.0)
            })
            .collect();
        let wanted = expected(&arrivals, &rates, limit);
        let mut ends = vec![None; sendings.len()];
        for row in &run.records.flows {
            ends[row.number as usize] = row.end.map(|end| end.0);
        }
        assert_eq!(ends, wanted.ends, "seed {seed}: {rates:?}");
        let port = run.records.ports.iter().find(|row| row.port == EGRESS).expect("the port has a row");
        assert_eq!(
            (port.peak_size.simulated(), port.dropped),
            (Bytes(wanted.peak), wanted.refused),
            "seed {seed}"
        );
        n_refused += wanted.refused;
        assert_eq!(port.busy, Duration(busy_of(&arrivals, &wanted.ends)), "seed {seed}");
    }
    assert!(n_refused > 200 && n_changes > 500, "{n_refused} refused, {n_changes} changes");
}

/// The sum of all transmission times.
fn busy_of(arrivals: &[(u64, u64)], ends: &[Option<u64>]) -> u64 {
    let mut free_at = 0;
    let taken = arrivals.iter().zip(ends).filter_map(|(arrival, end)| Some((arrival.0, (*end)?)));
    let times = taken.map(|(at, end)| {
        let start = at.max(free_at);
        free_at = end - US;
        free_at - start
    });
    times.sum()
}

#[test]
fn a_run_that_stops_early_reports_backlog_at_the_current_rate() {
    // The packet on the wire has 500 ns left at 1 ns per byte; later ones take 4 ns per byte and wait behind it.
    for (cut, waiting) in [(10_500_001, 500), (10_999_999, 1), (12_000_000, 750), (13_500_000, 2_375)] {
        let mut model = scene(&[(10_500_000, FaultAction::Rate(Rate(2_000_000_000)))]);
        model.deadline = Some(Time(cut));
        model.recording.series = None;
        let run = in_all_forms(&model, &train(50));
        assert_eq!(run.outcome.status, Status::Deadline);
        let port = run.records.ports.iter().find(|row| row.port == EGRESS).expect("the port has a row");
        // Packets arrive at 2, 3, ... us; those that have arrived and are not sent are waiting.
        let come = 1_000 * ((cut - 1) / US - 1);
        assert_eq!(port.size.0, come - waiting, "cut at {cut}: {port:?}");
    }
}

#[test]
fn an_error_interval_loses_its_share_of_packets() {
    let errors = Errors::of_packets(0.25);
    let model =
        scene(&[(1_000 * US, FaultAction::Errors(errors)), (3_000 * US, FaultAction::Errors(Errors::NONE))]);
    let run = in_all_forms(&model, &train(5_000));
    let n_lost = lost(&run, DropReason::Corrupted);
    // 2000 packets start in the interval: 500 losses are expected, with a standard deviation of 19.
    assert!((420..580).contains(&n_lost), "{n_lost}");
    let row = &run.records.drops[0];
    assert!(row.first >= Time(1_000 * US) && row.last < Time(3_000 * US), "{row:?}");
    let arrived = run.records.flows.iter().filter(|row| row.end.is_some()).count() as u64;
    assert_eq!(arrived + n_lost, 5_000);
}

#[test]
fn longer_packets_are_lost_more_often() {
    let share = |bytes: u64| {
        let model = scene(&[(0, FaultAction::Errors(Errors::of_bits(1e-4)))]);
        let sendings: Vec<Sending> = (0..4_000).map(|_| Sending::new(0, 0, 1, bytes)).collect();
        let run = in_all_forms(&model, &ListedWork::new(&sendings));
        lost(&run, DropReason::Corrupted) as f64 / 4_000.0
    };
    for bytes in [64_u64, 500, 1_000] {
        let derived = 1.0 - (1.0_f64 - 1e-4).powi(8 * bytes as i32);
        let found = share(bytes);
        assert!((found - derived).abs() < 0.035, "{bytes}: {found}, expected {derived}");
    }
}
