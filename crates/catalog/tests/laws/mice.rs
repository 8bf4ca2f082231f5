//! The background messages of `zeltser2026` are exactly the published ones.

use std::fmt::Write;

use netloom_catalog::expand;
use netloom_model::{Background, Hosts, Workload};
use netloom_units::{Bytes, Duration, Value};
use xxhash_rust::xxh64::xxh64;

use crate::background::{drained, of_mice};
use crate::executor::{Delay, run};

const END: (&str, Value) = ("end", Value::Duration(Duration::from_millis(10_000)));

fn published() -> Background {
    of_mice(8, 4, &[END])
}

/// XXH64 of the published list written as lines `time in ps,source,destination,packets`, hosts counted leaf by leaf.
const HASH_OF_THE_PUBLISHED_LIST: u64 = 16_809_464_675_618_387_778;

#[test]
fn messages_are_the_published_ones() {
    let mice = drained(&published());
    let mut text = String::new();
    for mouse in &mice {
        writeln!(text, "{},{},{},{}", mouse.at, mouse.from, mouse.to, mouse.size / 4096).unwrap();
    }
    assert_eq!(mice.len(), 10_001);
    assert_eq!(mice.iter().map(|mouse| mouse.size / 4096).sum::<u64>(), 25_123);
    assert_eq!(mice[10_000].at, 9_999_999_999_999_897 / 1000 + 1);
    assert_eq!(xxh64(text.as_bytes(), 0), HASH_OF_THE_PUBLISHED_LIST);
}

#[test]
fn without_cross_rack_any_other_host_may_be_drawn() {
    let mice = drained(&of_mice(8, 4, &[END, ("cross_rack", Value::Flag(false))]));
    assert!(mice.iter().all(|mouse| mouse.from != mouse.to));
    assert!(mice.iter().any(|mouse| mouse.from / 4 == mouse.to / 4));
}

#[test]
fn endless_or_impossible_sequences_are_rejected() {
    let interval = |span| ("interval", Value::Duration(span));
    for wrong in [
        of_mice(8, 4, &[END, interval(Duration::ZERO)]),
        of_mice(1, 4, &[END]),
        of_mice(8, 4, &[END, ("minimum_packets", Value::Count(5))]),
        of_mice(8, 4, &[END, interval(Duration(1))]),
    ] {
        let workload = Workload {
            jobs: Vec::new(),
            background: Some(wrong),
            staged: None,
            finite: None,
            hosts: Hosts::default(),
        };
        assert!(expand(&workload, workload.background.as_ref().unwrap().racks.len(), 1).is_err());
    }
}

#[test]
fn messages_start_on_time_and_are_generated_lazily() {
    let workload = Workload {
        jobs: Vec::new(),
        background: Some(published()),
        staged: None,
        finite: None,
        hosts: Hosts::default(),
    };
    let trace = run(&mut expand(&workload, 32, 1).unwrap(), Delay::Fixed(7), 0);
    let sent = trace.sends.iter().map(|(at, _, message)| (*at, message.to.0, message.size));
    let wanted = drained(&published());
    assert!(sent.eq(wanted.iter().map(|mouse| (mouse.at, mouse.to, Bytes(mouse.size)))));
    assert!(trace.most_held <= 64 * 32, "held {}", trace.most_held);
}
