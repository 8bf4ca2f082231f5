//! Drop-tail: a port accepts a packet exactly while the bytes accepted and not yet sent, this packet included, do not
//! exceed the limit.

use netloom_engine::Extensions;
use netloom_model::Queues;
use netloom_records::DropReason;
use netloom_testkit::fixture::{Cable, ListedWork, Run, Sending, chain, model, pair, simulate_with};
use netloom_units::{Bytes, Time};

use crate::doubles::port_forms;

/// The number of packets, of eight, that a host's port accepts at once.
fn burst(rate: u64, limit: u64) -> Vec<Run> {
    let mut model = model(pair(Cable::new(rate, 1_000_000)));
    model.queues.host_limit = Some(Bytes(limit));
    let work = ListedWork::new(&[Sending::new(0, 0, 1, 8000)]);
    port_forms().map(|options| simulate_with(&model, work.clone(), options, Extensions::default())).into()
}

const LIMITS: [(u64, u64); 7] = [(999, 0), (1000, 1), (4999, 4), (5000, 5), (5001, 5), (7999, 7), (8000, 8)];

fn taken_at_once(rate: u64) {
    for (limit, n_taken) in LIMITS {
        for run in burst(rate, limit) {
            let port = run.records.ports[0];
            assert_eq!((port.packets, port.dropped), (n_taken, 8 - n_taken), "limit {limit}, {rate} bit/s");
            let lost: u64 = run.records.drops.iter().map(|drop| drop.packets).sum();
            assert_eq!(lost, 8 - n_taken);
            assert!(run.records.drops.iter().all(|drop| drop.reason == DropReason::QueueFull));
        }
    }
}

#[test]
fn a_burst_is_accepted_to_the_byte() {
    taken_at_once(8_000_000_000);
}

#[test]
fn the_peak_is_the_accepted_bytes_exactly() {
    for rate in [8_000_000_000, 7_000_000_000, 3] {
        for (limit, n_taken) in LIMITS {
            for run in burst(rate, limit) {
                let peak = run.records.ports[0].peak_size.simulated();
                assert_eq!(peak, Bytes(1000 * n_taken), "limit {limit}, {rate} bit/s");
            }
        }
    }
}

#[test]
fn a_burst_is_accepted_to_the_byte_at_odd_rates() {
    taken_at_once(7_000_000_000);
    taken_at_once(3);
}

/// Packets arrive every half microsecond and take one microsecond: half a packet's room becomes free between two
/// arrivals.
#[test]
fn the_packet_on_the_wire_frees_room_byte_by_byte() {
    let cables = [Cable::new(16_000_000_000, 1_000_000), Cable::new(8_000_000_000, 1_000_000)];
    for (limit, n_taken) in [(1999, 6), (2000, 6), (2499, 6), (2500, 7)] {
        let mut model = model(chain(&cables));
        model.queues = Queues { switch_limit: Some(Bytes(limit)), ..Queues::default() };
        let work = ListedWork::new(&[Sending::new(0, 0, 1, 10_000)]);
        for options in port_forms() {
            let run = simulate_with(&model, work.clone(), options, Extensions::default());
            let port = run.records.ports.iter().find(|port| port.node.0 == 2 && port.index == 1);
            let port = port.expect("the switch's port to the receiver");
            assert_eq!((port.packets, port.dropped), (n_taken, 10 - n_taken), "limit {limit}, {options:?}");
            let drop = run.records.drops[0];
            // Arrivals from 1.5 us on find 0, 500, 1000, 1500, 2000 bytes as long as all are accepted.
            let first = match limit {
                1999 => 2_500_000,
                2000..2500 => 3_000_000,
                _ => 3_500_000,
            };
            assert_eq!(drop.first, Time(first), "limit {limit}, {options:?}");
        }
    }
}
