//! The background messages of `zeltser2026` are the published ones, to the last.

use std::fmt::Write;

use netloom_catalog::expand;
use netloom_catalog::workload::mice::SPEC;
use netloom_catalog::workload::{SeedSimMice, seed_sim_mice};
use netloom_model::{Background, Workload};
use netloom_units::{Bytes, Duration, Value};
use xxhash_rust::xxh64::xxh64;

use crate::executor::{Delay, run};

fn published() -> SeedSimMice {
    let values = SPEC.parameters.iter().map(|parameter| (parameter.name, parameter.default));
    let end = Value::Duration(Duration::from_millis(10_000));
    let settings =
        netloom_units::Settings::new(values.map(|(name, value)| (name, value.unwrap_or(end))).collect());
    SeedSimMice::from_settings(&settings, 8, 4)
}

/// XXH64 of the published list written as lines `time in ps,source,destination,packets`, hosts counted leaf by leaf.
const HASH_OF_THE_PUBLISHED_LIST: u64 = 16_809_464_675_618_387_778;

#[test]
fn they_are_the_published_ones() {
    let mice = seed_sim_mice(&published()).unwrap();
    let mut text = String::new();
    for mouse in &mice {
        let n_packets = mouse.size.0 / 4096;
        writeln!(text, "{},{},{},{n_packets}", mouse.at.0, mouse.from.0, mouse.to.0).unwrap();
    }
    assert_eq!(mice.len(), 10_001);
    assert_eq!(mice.iter().map(|mouse| mouse.size.0 / 4096).sum::<u64>(), 25_123);
    assert_eq!(mice[10_000].at.0, 9_999_999_999_999_897 / 1000 + 1);
    assert_eq!(xxh64(text.as_bytes(), 0), HASH_OF_THE_PUBLISHED_LIST);
}

#[test]
fn without_cross_rack_any_other_host_may_be_drawn() {
    let mice = seed_sim_mice(&SeedSimMice { cross_rack: false, ..published() }).unwrap();
    assert!(mice.iter().all(|mouse| mouse.from != mouse.to));
    assert!(mice.iter().any(|mouse| mouse.from.0 / 4 == mouse.to.0 / 4));
}

#[test]
fn endless_or_impossible_sequences_are_refused() {
    for wrong in [
        SeedSimMice { interval: Duration::ZERO, ..published() },
        SeedSimMice { leaves: 1, ..published() },
        SeedSimMice { minimum_packets: 5, ..published() },
        SeedSimMice { interval: Duration(1), ..published() },
    ] {
        assert!(seed_sim_mice(&wrong).is_err(), "{wrong:?}");
    }
}

#[test]
fn they_start_on_time_whatever_their_host_does_and_are_made_lazily() {
    let mice = seed_sim_mice(&published()).unwrap();
    let background = Some(Background { mice: mice.clone(), rate: None });
    let workload = Workload { jobs: Vec::new(), background };
    let trace = run(&mut expand(&workload, 32, 1).unwrap(), Delay::Fixed(7), 0);
    let sent: Vec<_> = trace.sends.iter().map(|(at, _, message)| (*at, message.to, message.size)).collect();
    let wanted: Vec<_> = mice.iter().map(|mouse| (mouse.at.0, mouse.to, mouse.size)).collect();
    assert_eq!(sent, wanted);
    assert!(trace.most_held <= 64 * 32, "held {}", trace.most_held);
    assert_eq!(published().packet, Bytes(4096));
}
