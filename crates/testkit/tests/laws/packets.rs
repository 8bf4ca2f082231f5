//! Packets recorded hop by hop: the record does not change other tables, agrees with all of them, and does not depend
//! on execution options.
//!
//! The queue that a packet found is computed again from the rows of the packets before it.

use std::collections::{BTreeMap, BTreeSet};

use netloom_engine::{Extensions, Options};
use netloom_model::{FailureAwareness, Model, NamedFlow, Recording};
use netloom_policy::balance::Chosen;
use netloom_records::{Fate, PacketKind, PacketRow, PortRow};
use netloom_testkit::fixture::{
    Cable, Clos, ListedWork, Run, everything_joined, model, simulate, simulate_with,
};
use netloom_units::{Bytes, HostId, LinkId, Time};

use crate::cases::{DAMAGES, Damage, damage, policies, traffic, transports};

const N_HOSTS: u32 = 9;
const RATE: u64 = 50_000_000_000;
/// The rate of every port: hosts are as fast as the fabric.
const PS_PER_BYTE: u64 = 160;

fn scene(chosen: &Chosen, transport: usize, (wrong, knowledge): (Damage, FailureAwareness)) -> Model {
    let mut clos = Clos::new(3, 2, N_HOSTS / 3);
    clos.host = Cable::new(RATE, 10_000);
    clos.fabric = Cable::new(RATE, 700_000);
    let mut model = model(clos.wiring());
    model.balances.switch = chosen.clone();
    model.balances.host = chosen.clone();
    (model.transport.kind, model.classes.control) = (transports()[transport].1, transports()[transport].2);
    model.queues.switch_limit = Some(Bytes(30_000));
    model.awareness = knowledge;
    damage(&mut model, wrong, N_HOSTS);
    model
}

fn work() -> ListedWork {
    ListedWork::new(&traffic(1, N_HOSTS, 40, 500))
}

/// The same model with every packet recorded everywhere.
fn all_recorded(model: &Model) -> Model {
    let packets_from = (0..N_HOSTS).map(HostId).collect();
    recording(model, Recording { packets_from, ..Recording::default() })
}

fn recording(model: &Model, recording: Recording) -> Model {
    Model { recording, ..model.clone() }
}

/// Checks every combination of policy, transport and fault.
fn everywhere(check: impl Fn(&Model, &str)) {
    for (name, chosen) in policies() {
        for (transport, (kind, ..)) in transports().into_iter().enumerate() {
            for wrong in DAMAGES {
                check(&scene(&chosen, transport, wrong), &format!("{name}, {kind}, {wrong:?}"));
            }
        }
    }
}

type Packet = (HostId, HostId, u32, u32, PacketKind);

fn packet(row: &PacketRow) -> Packet {
    (row.source, row.destination, row.number, row.packet, row.kind)
}

/// The rows of each packet in the order of its path.
fn lives(run: &Run) -> BTreeMap<Packet, Vec<PacketRow>> {
    let mut lives: BTreeMap<Packet, Vec<PacketRow>> = BTreeMap::new();
    run.records.packets.iter().for_each(|row| lives.entry(packet(row)).or_default().push(*row));
    for life in lives.values_mut() {
        life.sort_by_key(|row| row.arrival);
    }
    lives
}

#[test]
fn recording_packets_does_not_change_other_rows() {
    everywhere(|model, case| {
        let plain = simulate(model, work()).results();
        let mut recorded = simulate(&all_recorded(model), work()).results();
        assert!(!recorded.records.packets.is_empty());
        recorded.records.packets.clear();
        assert!(recorded == plain, "{case}");
    });
}

#[test]
fn execution_options_do_not_change_recorded_packets() {
    let plain = Options::default();
    let variants = [
        Options { threads: 2, ..plain },
        Options { threads: 4, shortcut: false, ..plain },
        Options { coarsen: 2, ..plain },
        Options { threads: 2, ..everything_joined() },
    ];
    everywhere(|model, case| {
        for deadline in [None, Some(Time(4_000_000))] {
            let model = Model { deadline, ..all_recorded(model) };
            let expected = simulate(&model, work()).results();
            for options in variants {
                let found = simulate_with(&model, work(), options, Extensions::default()).results();
                assert!(found == expected, "{case}, {deadline:?}, {options:?}");
            }
        }
    });
}

#[test]
fn hops_are_contiguous_and_add_up_to_the_completion_time() {
    everywhere(|model, case| {
        let run = simulate(&all_recorded(model), work());
        let lives = lives(&run);
        for life in lives.values() {
            check_life(life, case);
        }
        for flow in &run.records.flows {
            let data = lives.iter().filter(|((source, destination, number, _, kind), _)| {
                (*source, *destination, *number) == (flow.source, flow.destination, flow.number)
                    && *kind == PacketKind::Data
            });
            let data: Vec<&Vec<PacketRow>> = data.map(|(_, life)| life).collect();
            let arrived: Vec<_> =
                data.iter().filter(|life| life.last().unwrap().fate == Fate::Delivered).collect();
            let first = data.iter().map(|life| life[0].arrival).min();
            assert_eq!(first, Some(flow.start), "{case}");
            assert_eq!(arrived.len(), flow.packets as usize, "{case}");
            assert_eq!(arrived.iter().map(|life| life.len() as u64).sum::<u64>(), flow.hops, "{case}");
            let last = arrived.iter().filter_map(|life| life.last().unwrap().end).max();
            // The completion time of a message is the time of its last packet, from the instant at which it was handed
            // over.
            if flow.end.is_some() {
                assert_eq!(last, flow.end, "{case}");
                assert_eq!(data.iter().map(|life| life[0].size.0).sum::<u64>(), flow.size.0, "{case}");
            }
        }
    });
}

/// Every hop begins where the one before ended, none is missing, and the last one records how the packet ended.
fn check_life(life: &[PacketRow], case: &str) {
    for (slot, row) in life.iter().enumerate() {
        assert_eq!(usize::from(row.hop), slot, "{case}: {row:?}");
        let is_last = slot + 1 == life.len();
        assert_eq!(row.fate == Fate::Forwarded, !is_last, "{case}: {life:?}");
        assert_eq!(row.reason.is_some(), row.fate == Fate::Dropped, "{case}: {row:?}");
        if let (Some(start), Some(sent), Some(end)) = (row.start, row.sent, row.end) {
            assert!(row.arrival <= start, "{case}: {row:?}");
            assert_eq!(sent.since(start).0, row.size.0 * PS_PER_BYTE, "{case}: {row:?}");
            assert!([10_000, 700_000].contains(&end.since(sent).0), "{case}: {row:?}");
        }
        if let Some(next) = life.get(slot + 1) {
            assert_eq!(row.end, Some(next.arrival), "{case}: {life:?}");
        }
    }
}

#[test]
fn ports_and_drops_count_the_same_packets() {
    everywhere(|model, case| {
        let run = simulate(&all_recorded(model), work());
        let rows = &run.records.packets;
        for port in &run.records.ports {
            let sent = rows.iter().filter(|row| row.port == Some(port.port) && row.sent.is_some());
            let bytes: u64 = sent.clone().map(|row| row.size.0).sum();
            assert_eq!((sent.count() as u64, bytes), (port.packets, port.size.0), "{case}: {port:?}");
            let lost = rows.iter().filter(|row| row.port == Some(port.port) && row.fate == Fate::Dropped);
            assert_eq!(lost.count() as u64, port.dropped, "{case}: {port:?}");
        }
        let mut drops = BTreeMap::new();
        for row in rows.iter().filter(|row| row.fate == Fate::Dropped) {
            *drops.entry((row.node, row.port, row.reason.unwrap())).or_insert(0) += 1;
        }
        let stated = run.records.drops.iter().map(|row| ((row.node, row.port, row.reason), row.packets));
        assert_eq!(drops, stated.collect(), "{case}");
    });
}

#[test]
fn packets_queued_at_the_end_are_reported() {
    everywhere(|model, case| {
        let model = Model { deadline: Some(Time(3_300_000)), ..all_recorded(model) };
        let run = simulate(&model, work());
        let rows = &run.records.packets;
        assert!(rows.iter().any(|row| row.fate == Fate::Unfinished), "{case}");
        for row in rows {
            assert_eq!(row.end.is_none(), row.fate == Fate::Unfinished, "{case}: {row:?}");
            assert!(row.end.is_none_or(|end| end < Time(3_300_000)), "{case}: {row:?}");
        }
        for life in lives(&run).values() {
            check_life(life, case);
        }
        // A packet on a link that goes down during its transmission no longer counts as the port's.
        if model.faults.iter().all(|fault| fault.at == Time::ZERO) {
            for port in &run.records.ports {
                let accepted =
                    rows.iter().filter(|row| row.port == Some(port.port) && row.fate != Fate::Dropped);
                assert_eq!(accepted.count() as u64, port.packets, "{case}: {port:?}");
            }
        }
    });
}

/// One class, no failures: the waiting time is the transmission time of the bytes found.
#[test]
fn the_queue_found_by_a_packet_explains_its_waiting_time() {
    for (name, chosen) in policies() {
        for transport in [0, 1, 2] {
            let run = simulate(&all_recorded(&scene(&chosen, transport, DAMAGES[0])), work());
            for port in &run.records.ports {
                check_queue(&run, port, name);
            }
        }
    }
}

fn check_queue(run: &Run, port: &PortRow, case: &str) {
    let here = run.records.packets.iter().filter(|row| row.port == Some(port.port));
    let mut sent: Vec<&PacketRow> = here.filter(|row| row.start.is_some()).collect();
    sent.sort_by_key(|row| row.start);
    for (slot, row) in sent.iter().enumerate() {
        let waited = row.start.unwrap().since(row.arrival).0;
        assert_eq!(row.queue_size, Some(Bytes(waited.div_ceil(PS_PER_BYTE))), "{case}: {row:?}");
        // A packet whose transmission ends at this very instant still counts.
        let waits = |other: &&&PacketRow| {
            let start = other.start.unwrap();
            start > row.arrival || (start == row.arrival && other.arrival == start)
        };
        let waiting = sent[..slot].iter().filter(waits).count();
        assert_eq!(row.queue_packets, Some(waiting as u32), "{case}: {row:?}");
    }
}

#[test]
fn records_of_selected_links_and_flows_are_subsets_of_all() {
    everywhere(|model, case| {
        let whole = simulate(&all_recorded(model), work());
        let link = LinkId(N_HOSTS + 1);
        let only = Recording { packets_on: vec![link], ..Recording::default() };
        let on_link = simulate(&recording(model, only), work());
        let ends: BTreeSet<_> = model.fabric.links()[link.index()].ends.into_iter().map(Some).collect();
        let expected: Vec<PacketRow> =
            whole.records.packets.iter().filter(|row| ends.contains(&row.port)).copied().collect();
        assert!(on_link.records.packets == expected, "{case}");

        let flow = whole.records.flows[whole.records.flows.len() / 2];
        for number in [None, Some(flow.number)] {
            let named = NamedFlow { source: flow.source, destination: flow.destination, number };
            let only = Recording { packets_of: vec![named], ..Recording::default() };
            let run = simulate(&recording(model, only), work());
            let is_meant = |row: &&PacketRow| {
                (row.source, row.destination) == (flow.source, flow.destination)
                    && number.is_none_or(|number| number == row.number)
            };
            let expected: Vec<PacketRow> = whole.records.packets.iter().filter(is_meant).copied().collect();
            assert!(!expected.is_empty() && run.records.packets == expected, "{case}, {number:?}");
        }
    });
}
