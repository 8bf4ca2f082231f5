//! A leaf with 64 hosts of 100 Gbps below and 64 uplinks of 100 Gbps above, and 256 flows of 25 Gbps: a perfect
//! balancer ends all of them after T = size / 25 Gbps, ECMP ends the last one when the most loaded uplink has drained.
//!
//! Only the uplinks are contended: the links behind them are sixteen times as fast. Expectation for ECMP: flows are
//! hashed onto uplinks like balls into bins, flows that share an uplink end together, so the last one ends at (most
//! flows on an uplink) / 4 T, in the mean 9.370 / 4 = 2.343 T; 21.1 % of the flows share an uplink with six others or
//! more.

use netloom_model::{Model, TransportKind};
use netloom_policy::balance::Chosen;
use netloom_testkit::fixture::{Cable, Clos, ListedWork, Sending, model, simulate};
use netloom_units::{Bytes, Rate};

const N_HOSTS: u32 = 64;
const FLOWS_PER_HOST: u32 = 4;
const LINE: u64 = 100_000_000_000;
const PACE: u64 = 25_000_000_000;
const PACKET: u64 = 2048;
const DELAY: u64 = 1_000_000;

fn example(policy: &str, seed: u64) -> Model {
    let clos = Clos::new(2, 64, N_HOSTS);
    let slow = Cable::new(LINE, DELAY);
    let fast = Cable::new(16 * LINE, DELAY);
    let wiring = clos.wiring_with(
        |host| if host < N_HOSTS { slow } else { fast },
        |leaf, _| if leaf == 0 { slow } else { fast },
    );
    let mut model = model(wiring);
    model.balances.switch = Chosen::named(policy);
    model.transport.packet = Bytes(PACKET);
    model.transport.kind = TransportKind::OpenLoop { rate: Some(Rate(PACE)) };
    model.seed = seed;
    model
}

/// The end of each flow, in units of T; the latency of one packet on an idle path is subtracted.
fn ends(policy: &str, seed: u64, size: u64) -> Vec<f64> {
    let sending = |number: u32| {
        let host = number % N_HOSTS;
        // The destination, shifted by flow: all receivers get four flows.
        let to = N_HOSTS + (host + 16 * (number / N_HOSTS)) % N_HOSTS;
        Sending::new(0, host, to, size)
    };
    let sendings: Vec<Sending> = (0..N_HOSTS * FLOWS_PER_HOST).map(sending).collect();
    let run = simulate(&example(policy, seed), ListedWork::new(&sendings));
    let packet = Rate(LINE).serialization(Bytes(PACKET)).0;
    let idle = 4 * DELAY + 2 * packet + 2 * packet / 16;
    let ideal = Rate(PACE).serialization(Bytes(size)).0 as f64;
    let end =
        |row: &netloom_records::FlowRow| (row.end.expect("the message arrives").0 - idle) as f64 / ideal;
    run.records.flows.iter().map(end).collect()
}

fn all_end_in_time(policy: &str) {
    let ends = ends(policy, 1, 32 << 20);
    let last = ends.iter().copied().fold(0.0, f64::max);
    let first = ends.iter().copied().fold(f64::MAX, f64::min);
    println!("{policy}: {first:.5} T to {last:.5} T");
    assert!(first >= 0.999 && last <= 1.02, "{policy}: flows end between {first} and {last} T");
}

#[test]
fn adaptive_routing_ends_every_flow_in_the_ideal_time() {
    all_end_in_time("adaptive");
}

#[test]
fn spraying_ends_every_flow_in_the_ideal_time() {
    all_end_in_time("spray");
}

#[test]
fn ecmp_ends_the_last_flow_with_the_most_loaded_uplink() {
    const N_SEEDS: u64 = 100;
    let (mut last, mut n_late) = (0.0, 0);
    for seed in 0..N_SEEDS {
        let ends = ends("ecmp", seed, 256 << 10);
        last += ends.iter().copied().fold(0.0, f64::max) / N_SEEDS as f64;
        // Six flows on an uplink end slightly after 1.5 T, seven at 1.75 T.
        n_late += ends.iter().filter(|&&end| end > 1.6).count();
    }
    let late = n_late as f64 / (256 * N_SEEDS) as f64;
    println!("the last flow ends at {last:.3} T, {:.1} % end late", 100.0 * late);
    assert!((last - 2.343).abs() < 0.1, "the last flow ends at {last} T in the mean");
    assert!((late - 0.211).abs() < 0.02, "{late} of the flows end late");
}
