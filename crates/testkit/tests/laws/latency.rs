//! Store-and-forward on an idle path: serialization and delay of every link, exact to the picosecond.

use netloom_model::Model;
use netloom_testkit::fixture::{Cable, ListedWork, Sending, chain, model, simulate};
use netloom_units::{Bytes, Time};

/// Odd rates, whole ones, slow ones; zero delay among the delays.
const CABLES: [Cable; 6] = [
    Cable::new(25_000_000_000, 1_000_000),
    Cable::new(400_000_000_000, 0),
    Cable::new(7_000_000_000, 333_333),
    Cable::new(3, 5),
    Cable::new(99_999_999_977, 1),
    Cable::new(1_600_000_000_001, 0),
];

/// ceil(bits x 10^12 / rate), computed independently of the units crate.
fn serialization(bytes: u64, rate: u64) -> u64 {
    let picobits = u128::from(bytes) * 8 * 10_u128.pow(12);
    let rate = u128::from(rate);
    (picobits / rate + u128::from(!picobits.is_multiple_of(rate))) as u64
}

fn with_packets(cables: &[Cable], packet: u64) -> Model {
    let mut model = model(chain(cables));
    model.transport.packet = Bytes(packet);
    model
}

fn arrival(cables: &[Cable], packet: u64, start: u64, size: u64) -> Time {
    let run = simulate(&with_packets(cables, packet), ListedWork::new(&[Sending::new(start, 0, 1, size)]));
    let flow = run.records.flows[0];
    assert_eq!(flow.start, Time(start));
    assert_eq!(flow.hops, u64::from(flow.packets) * cables.len() as u64);
    flow.end.expect("the message arrives")
}

#[test]
fn one_packet_takes_the_sum_of_its_links() {
    for n_links in 1..=CABLES.len() {
        for first in 0..CABLES.len() {
            let cables: Vec<Cable> = (0..n_links).map(|link| CABLES[(first + link) % CABLES.len()]).collect();
            for size in [1, 64, 999, 1000, 4096] {
                let expected: u64 =
                    cables.iter().map(|cable| serialization(size, cable.rate.0) + cable.delay.0).sum();
                let start = 123_456_789;
                assert_eq!(
                    arrival(&cables, 4096, start, size),
                    Time(start + expected),
                    "{cables:?}, {size} B"
                );
            }
        }
    }
}

#[test]
fn a_message_adds_one_serialization_per_further_packet() {
    for n_links in 1..=6 {
        let cables = vec![Cable::new(7_000_000_000, 250_000); n_links];
        for n_packets in [1, 2, 9, 100] {
            let one = serialization(1500, 7_000_000_000);
            let expected = n_links as u64 * (one + 250_000) + (n_packets - 1) * one;
            assert_eq!(arrival(&cables, 1500, 0, n_packets * 1500), Time(expected));
        }
    }
}

#[test]
fn the_bottleneck_sets_the_pace_at_any_position() {
    let fast = Cable::new(400_000_000_000, 700);
    let slow = Cable::new(9_000_000_001, 1_100_000);
    for n_links in 1..=6 {
        for bottleneck in 0..n_links {
            let mut cables = vec![fast; n_links];
            cables[bottleneck] = slow;
            let first: u64 =
                cables.iter().map(|cable| serialization(4096, cable.rate.0) + cable.delay.0).sum();
            let expected = first + 49 * serialization(4096, slow.rate.0);
            assert_eq!(arrival(&cables, 4096, 77, 50 * 4096), Time(77 + expected));
        }
    }
}

#[test]
fn the_last_packet_has_the_remainder() {
    let cable = Cable::new(8_000_000_000, 10);
    // 1000 ps per byte: the last, shorter packet waits at the switch until the second whole packet has left.
    let expected = (1000 + 2 * 1000 + 7) * 1000 + 2 * 10;
    assert_eq!(arrival(&[cable, cable], 1000, 0, 2007), Time(expected));
}
