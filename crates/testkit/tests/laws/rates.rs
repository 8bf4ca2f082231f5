//! Rates over time: recording them does not change other tables, they do not depend on execution options, and every
//! packet is counted in the interval in which it started, as in the table `packets`.

use std::collections::{BTreeMap, BTreeSet};

use netloom_engine::{Extensions, Options, Status};
use netloom_model::{Model, NamedFlow, QueuePairs, Rdma, Recording, TransportKind};
use netloom_policy::congestion;
use netloom_policy::transport::Reliability;
use netloom_records::{FlowRow, PacketKind, RateRow};
use netloom_testkit::fixture::{Run, everything_joined, simulate, simulate_with};
use netloom_units::{Duration, HostId, Rate, Time};

use crate::rdma::{RULES, SWITCHES, Switches, rdma, with, work};

const INTERVAL: Duration = Duration(3_000_001);
const FROM: HostId = HostId(1);
const NAMED: NamedFlow = NamedFlow { source: HostId(0), destination: HostId(4), number: None };

/// Every rule on every kind of switch, with a queue pair for each message or for each pair of hosts.
fn everywhere(check: impl Fn(&Model, &str)) {
    for rule in RULES {
        for switches in SWITCHES {
            for queue_pairs in [QueuePairs::Message, QueuePairs::Pair] {
                let mut model = with(rule, switches, 1_000_000);
                model.transport.kind = TransportKind::Rdma(Rdma { queue_pairs, ..rdma(rule) });
                model.congestion = congestion::Chosen::named("dcqcn");
                check(&model, &format!("{rule:?} {switches:?} {queue_pairs:?}"));
            }
        }
    }
}

fn recorded(model: &Model) -> Model {
    let single = NamedFlow { number: Some(0), ..NAMED };
    let recording = Recording {
        rates: Some(INTERVAL),
        rates_from: vec![FROM],
        rates_of: vec![NAMED, single],
        ..Recording::default()
    };
    Model { recording, ..model.clone() }
}

/// Rows of all messages of pairs of hosts, pair by pair.
fn by_pair(run: &Run) -> BTreeMap<(HostId, HostId), Vec<RateRow>> {
    let mut pairs: BTreeMap<_, Vec<RateRow>> = BTreeMap::new();
    for row in run.records.rates.iter().filter(|row| row.number.is_none()) {
        pairs.entry((row.source, row.destination)).or_default().push(*row);
    }
    pairs
}

#[test]
fn recording_rates_does_not_change_other_rows() {
    everywhere(|model, case| {
        let plain = simulate(model, work(5)).results();
        let mut recorded = simulate(&recorded(model), work(5)).results();
        assert!(!recorded.records.rates.is_empty(), "{case}");
        recorded.records.rates.clear();
        assert!(recorded == plain, "{case}");
    });
}

#[test]
fn execution_options_do_not_change_rates() {
    let plain = Options::default();
    let variants = [
        Options { threads: 2, ..plain },
        Options { threads: 4, shortcut: false, ..plain },
        Options { coarsen: 7, shortcut: false, ..plain },
        Options { threads: 2, ..everything_joined() },
    ];
    everywhere(|model, case| {
        for deadline in [None, Some(Time(40_000_000))] {
            let model = Model { deadline, ..recorded(model) };
            let first = simulate(&model, work(5)).results();
            for variant in variants {
                let run = simulate_with(&model, work(5), variant, Extensions::default()).results();
                assert!(run.records.rates == first.records.rates, "{case} {deadline:?} {variant:?}");
            }
        }
    });
}

#[test]
fn execution_options_do_not_change_rates_of_queue_pairs_that_gave_up() {
    let mut model = recorded(&with(Reliability::NicSr, Switches::Corrupting, 1_000_000));
    model.transport.kind = TransportKind::Rdma(Rdma { retries: 0, ..rdma(Reliability::NicSr) });
    model.congestion = congestion::Chosen::named("dcqcn");
    model.loss = 1 << 31;
    let first = simulate(&model, work(5));
    assert!(matches!(first.outcome.status, Status::Stalled(_)), "{:?}", first.outcome.status);
    for variant in [Options { coarsen: 7, ..Options::default() }, everything_joined()] {
        let run = simulate_with(&model, work(5), variant, Extensions::default());
        assert!(run.records.rates == first.records.rates, "{variant:?}");
    }
}

#[test]
fn packets_count_in_the_interval_of_their_start() {
    everywhere(|model, case| {
        let mut model = recorded(model);
        model.recording.packets_from = vec![FROM, NAMED.source];
        let run = simulate(&model, work(5));
        // Long runs have doubled the interval.
        let interval = run.records.rates[0].interval.0;
        let mut sent: BTreeMap<(HostId, HostId, Time), [u64; 2]> = BTreeMap::new();
        let mut seen = BTreeSet::new();
        let is_data = |row: &&netloom_records::PacketRow| row.hop == 0 && row.kind == PacketKind::Data;
        let mut rows: Vec<_> = run.records.packets.iter().filter(is_data).collect();
        rows.sort_by_key(|row| row.start);
        for row in rows {
            let start = row.start.expect("packets on the wire have started").0;
            let time = Time((start / interval + 1) * interval);
            let is_again = !seen.insert((row.source, row.destination, row.number, row.packet));
            let counts = sent.entry((row.source, row.destination, time)).or_default();
            counts[0] += 1;
            counts[1] += u64::from(is_again);
        }
        for (pair, rows) in by_pair(&run) {
            for row in rows {
                let counts = sent.remove(&(pair.0, pair.1, row.time)).unwrap_or_default();
                assert_eq!([row.packets, row.retransmitted], counts, "{case} {row:?}");
            }
        }
        sent.retain(|&(source, destination, _), _| {
            source == FROM || (source, destination) == (NAMED.source, NAMED.destination)
        });
        assert!(sent.is_empty(), "{case}: without a row: {sent:?}");
    });
}

#[test]
fn totals_are_those_of_the_other_tables() {
    everywhere(|model, case| {
        let run = simulate(&recorded(model), work(5));
        for (pair, rows) in by_pair(&run) {
            let sum = |of: fn(&RateRow) -> u64| rows.iter().map(of).sum::<u64>();
            let of_pair = |row: &&FlowRow| (row.source, row.destination) == pair;
            let size: u64 = run.records.flows.iter().filter(of_pair).map(|row| row.size.0).sum();
            assert_eq!(sum(|row| row.size.0), size, "{case} {pair:?}");
            let repairs = run.records.repairs.iter().filter(|row| (row.source, row.destination) == pair);
            let reported = repairs.fold([0; 6], |sums, row| {
                let more = [
                    row.packets,
                    row.retransmitted,
                    row.duplicates,
                    row.nacks,
                    row.marked,
                    row.notifications,
                ]
                .map(u64::from);
                std::array::from_fn(|index| sums[index] + more[index])
            });
            let [packets, again, duplicates, nacks, marked, notified] = reported;
            assert_eq!(sum(|row| row.packets - row.retransmitted), packets, "{case} {pair:?}");
            assert_eq!(sum(|row| row.duplicates), duplicates, "{case} {pair:?}");
            assert_eq!(sum(|row| row.nacks), nacks, "{case} {pair:?}");
            assert_eq!(sum(|row| row.marked), marked, "{case} {pair:?}");
            assert_eq!(sum(|row| row.notifications), notified, "{case} {pair:?}");
            // Rates count retransmissions that were sent, repairs those that arrived: the difference was lost.
            assert!(sum(|row| row.retransmitted) >= again && again >= duplicates, "{case} {pair:?}");
        }
    });
}

#[test]
fn the_rate_is_the_link_rate_until_congestion_is_reported() {
    everywhere(|model, case| {
        let run = simulate(&recorded(model), work(5));
        let line = model.fabric.ports_of(model.fabric.host_node(NAMED.source))[0].rate;
        for row in &run.records.rates {
            let reported = |other: &&RateRow| other.source == row.source && other.notifications > 0;
            let is_free = run.records.rates.iter().filter(reported).all(|other| other.time > row.time);
            if let (true, Some(rate)) = (is_free, row.rate) {
                assert_eq!(rate.0, line.0 * u64::from(row.queue_pairs), "{case} {row:?}");
            }
            let most = line.0 * u64::from(row.queue_pairs);
            assert!(row.rate.is_none_or(|rate| rate > Rate(0) && rate.0 <= most), "{case} {row:?}");
            assert_eq!(row.rate.is_some(), row.queue_pairs > 0, "{case} {row:?}");
            if let TransportKind::Rdma(Rdma { queue_pairs: QueuePairs::Pair, .. }) = model.transport.kind {
                assert!(row.queue_pairs <= 1, "{case} {row:?}");
            }
        }
        if model.queues.buffer.is_none() {
            assert!(
                run.records.rates.iter().any(|row| row.notifications > 0),
                "{case}: no sender was notified"
            );
        }
    });
}
