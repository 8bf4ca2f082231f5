//! The order of arrivals: the table agrees with recorded packets under every transport, and recording it does not
//! change other tables.

use std::collections::BTreeMap;

use netloom_engine::{Extensions, Options};
use netloom_model::{Model, TransportKind};
use netloom_policy::transport::Reliability;
use netloom_records::{Fate, PacketKind, PacketRow, ReorderingRow};
use netloom_testkit::fixture::{
    Clos, ListedWork, Run, Sending, everything_joined, model, policy, simulate, simulate_with,
};
use netloom_units::{Bytes, HostId, Time};

use crate::cases::{traffic, transports};
use crate::rdma::{RULES, SWITCHES, with};

const N_HOSTS: u32 = 12;

/// Models with a link per host, each spraying, without queue pairs and with them.
pub fn spraying() -> Vec<(String, Model)> {
    let plain = transports().into_iter().map(|(name, kind, control)| {
        let mut model = model(Clos::new(4, 3, 3).wiring());
        model.balances.switch = policy("spray", &[]);
        (model.transport.kind, model.classes.control) = (kind, control);
        (name.to_owned(), model)
    });
    let cases = RULES.into_iter().flat_map(|rule| SWITCHES.map(|switches| (rule, switches)));
    let pairs =
        cases.map(|(rule, switches)| (format!("{rule:?}, {switches:?}"), with(rule, switches, 1_000_000)));
    plain.chain(pairs).collect()
}

/// The same, with reordering recorded.
fn models() -> Vec<(String, Model)> {
    let mut models = spraying();
    for (_, model) in &mut models {
        model.recording.reordering = true;
    }
    models
}

pub fn work(seed: u64) -> ListedWork {
    ListedWork::new(&traffic(seed, N_HOSTS, 40, 1_500))
}

/// Numbers and sizes of the data packets of each message in the order of arrival at its receiver, each once.
fn arrivals(model: &Model, packets: &[PacketRow]) -> BTreeMap<(HostId, u32), Vec<(u32, u64)>> {
    // On a queue pair of its own a message begins with the first PSN.
    let first = model.transport.rdma().map_or(0, |rdma| rdma.first_psn);
    let came = |row: &&PacketRow| row.kind == PacketKind::Data && row.fate == Fate::Delivered;
    let mut in_time: Vec<&PacketRow> = packets.iter().filter(came).collect();
    in_time.sort_by_key(|row| row.end);
    let mut all: BTreeMap<(HostId, u32), Vec<(u32, u64)>> = BTreeMap::new();
    for row in in_time {
        let message = all.entry((row.source, row.number)).or_default();
        let number = row.packet.wrapping_sub(first) & 0x00ff_ffff;
        if message.iter().all(|other| other.0 != number) {
            message.push((number, row.size.0));
        }
    }
    all
}

/// Late packets, the largest extent and degree, and the most packets and bytes held, by definition.
fn by_definition(came: &[(u32, u64)]) -> [u64; 5] {
    let mut found = [0; 5];
    for (index, &(number, _)) in came.iter().enumerate() {
        let before = &came[..index];
        if let Some(first) = before.iter().position(|other| other.0 > number) {
            let degree = before.iter().rev().take_while(|other| other.0 > number).count();
            found[0] += 1;
            found[1] = found[1].max((index - first) as u64);
            found[2] = found[2].max(degree as u64);
        }
        let so_far = &came[..=index];
        let base = (0..=u32::MAX)
            .find(|base| so_far.iter().all(|other| other.0 != *base))
            .expect("some number is unused");
        let held = so_far.iter().filter(|other| other.0 > base);
        found[3] = found[3].max(held.clone().count() as u64);
        found[4] = found[4].max(held.map(|other| other.1).sum());
    }
    found
}

fn reported(row: &ReorderingRow) -> [u64; 5] {
    let [late, extent, degree, held] =
        [row.late, row.extent, row.degree, row.buffered_packets].map(u64::from);
    [late, extent, degree, held, row.buffered_size.0]
}

#[test]
fn reported_rows_agree_with_recorded_packets() {
    for (name, model) in models() {
        let mut n_late = 0;
        for seed in 0..3 {
            let mut model = model.clone();
            model.seed = seed;
            model.recording.packets_from = (0..N_HOSTS).map(HostId).collect();
            let run = simulate(&model, work(seed));
            let arrivals = arrivals(&model, &run.records.packets);
            assert_eq!(run.records.reordering.len(), run.records.flows.len(), "{name}");
            for row in &run.records.reordering {
                let came = arrivals.get(&(row.source, row.number)).map_or(&[][..], Vec::as_slice);
                assert_eq!(row.packets as usize, came.len(), "{name}, {row:?}");
                assert_eq!(reported(row), by_definition(came), "{name}, {row:?}");
                assert_eq!(row.by_extent().iter().sum::<u32>(), row.late, "{name}, {row:?}");
                n_late += row.late;
            }
        }
        // Packets of one message that leave with such gaps do not overtake each other.
        assert!(n_late > 5 || name == "paced", "{name}: {n_late} packets are late");
    }
}

#[test]
fn on_one_path_only_retransmitted_packets_are_late() {
    for (name, mut model) in models() {
        model.balances.switch = policy("ecmp", &[]);
        let run = simulate(&model, work(7));
        let sum = |of: fn(&ReorderingRow) -> u32| run.records.reordering.iter().map(of).sum::<u32>();
        assert!(sum(|row| row.packets) > 400, "{name}");
        assert_eq!(sum(|row| row.late), sum(|row| row.late_retransmitted), "{name}");
        let is_repaired = ["Lossy", "Corrupting"].iter().any(|word| name.contains(word));
        assert!(is_repaired || sum(|row| row.late) == 0, "{name}");
        assert!(!name.contains("Corrupting") || sum(|row| row.late) > 0, "{name}");
    }
}

#[test]
fn reordering_rows_change_no_other_table_and_do_not_depend_on_execution_options() {
    for (name, model) in models() {
        let expected = simulate(&model, work(5)).results();
        let mut without = expected.clone();
        assert!(!without.records.reordering.is_empty());
        without.records.reordering.clear();
        let mut silent = model.clone();
        silent.recording.reordering = false;
        assert!(simulate(&silent, work(5)).results() == without, "{name}");
        for options in [
            Options { threads: 4, shortcut: false, ..Options::default() },
            Options { coarsen: 7, ..Options::default() },
            everything_joined(),
        ] {
            let run: Run = simulate_with(&model, work(5), options, Extensions::default()).results();
            assert!(run == expected, "{name}, {options:?}");
        }
    }
}

#[test]
fn a_run_that_stops_early_reports_what_had_arrived() {
    let (_, mut model) = models().swap_remove(0);
    model.deadline = Some(Time(6_000_000));
    let run = simulate(&model, work(5));
    let unfinished = run.records.reordering.iter().filter(|row| row.end.is_none());
    assert!(unfinished.clone().count() > 0);
    assert!(unfinished.map(|row| row.packets).sum::<u32>() > 0);
}

#[test]
fn messages_that_share_a_queue_pair_are_one_stream() {
    let mut model = with(Reliability::Ideal, SWITCHES[0], 1_000_000);
    model.recording.reordering = true;
    if let TransportKind::Rdma(rdma) = &mut model.transport.kind {
        rdma.queue_pairs = netloom_model::QueuePairs::Pair;
    }
    // Messages of one packet each, so none can be late within its message; and other messages that they wait for.
    let from_others =
        [1, 2, 6, 7, 8, 9, 10, 11].map(|from| Sending::new(0, from, 3 + 2 * (from % 2), 200_000));
    let mut sendings = from_others.to_vec();
    sendings.extend((0..400).map(|_| Sending::new(0, 0, 4, 900)));
    let run = simulate(&model, ListedWork::new(&sendings));
    let single = run.records.reordering.iter().filter(|row| row.packets == 1);
    let late: u32 = single.clone().map(|row| row.late).sum();
    assert!(late > 0, "messages overtake each other");
    assert!(single.clone().count() >= 400);
    assert!(single.clone().any(|row| row.buffered_size > Bytes(962)), "packets of other messages are held");
}
