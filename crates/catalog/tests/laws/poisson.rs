//! Poisson traffic has the specified load, gaps, sizes and receivers.
//!
//! Seeds are fixed, so a check that passes here passes always; bounds are several standard errors wide, or percentiles
//! of a test statistic.

use netloom_catalog::expand;
use netloom_catalog::workload::background::{self, poisson, published};
use netloom_model::{Background, Hosts, SizePoint, Workload};
use netloom_units::{Bytes, Duration, HostId, Random, Rate, Value};

use crate::background::{CAPACITY, Sent, drained, of_kind};
use crate::executor::{Delay, run};

const SECOND: f64 = 1e12;

fn traffic(sizes: &'static str, load: f64, end: Duration, more: &[(&str, Value)]) -> Background {
    let mut values =
        vec![("load", Value::Fraction(load)), ("end", Value::Duration(end)), ("sizes", Value::Choice(sizes))];
    values.extend(more.iter().cloned());
    let sizes = published::points(sizes).expect("it is published");
    Background { sizes, ..of_kind(&poisson::SPEC, 4, 4, &values) }
}

/// About `n_messages` over all hosts.
fn long(sizes: &'static str, load: f64, n_messages: f64) -> Background {
    let second = traffic(sizes, load, Duration::from_millis(1_000), &[]);
    let bound = background::arrivals(&second, 1).expect("it makes sense").bound();
    // A bound is twice what is expected.
    let seconds = n_messages / (bound.messages as f64 / 2.0);
    traffic(sizes, load, Duration((seconds * SECOND) as u64), &[])
}

fn mean(values: impl Iterator<Item = f64> + Clone) -> f64 {
    values.clone().sum::<f64>() / values.count() as f64
}

/// Gaps of all hosts in ps, the one before the first message included.
fn gaps(sent: &[Sent]) -> Vec<f64> {
    let mut last = [0; 16];
    sent.iter()
        .map(|sent| (sent.at - std::mem::replace(&mut last[sent.from as usize], sent.at)) as f64)
        .collect()
}

#[test]
fn hosts_of_the_next_group_receive_evenly() {
    let values = [("to", Value::Choice("next_group"))];
    let end = Duration::from_millis(20);
    let mut background = traffic("solar", 0.2, end, &values);
    assert!(background::arrivals(&background, 1).is_err(), "there are no groups");
    // Four groups of four hosts, assigned in turn.
    background.groups = (0..16).map(|host| host % 4).collect();
    let sent = drained(&background);
    let mut counts = [0_u32; 16];
    for message in &sent {
        assert_eq!(message.to % 4, (message.from + 1) % 4, "the last group sends to the first");
        counts[message.to as usize] += 1;
    }
    let mean = sent.len() as f64 / 16.0;
    assert!(mean > 1_000.0, "{mean}");
    assert!(counts.iter().all(|&count| (f64::from(count) / mean - 1.0).abs() < 0.2), "{counts:?}");
}

#[test]
fn the_offered_load_is_the_configured_load() {
    // A hundredth is at least three standard errors.
    for (sizes, load, n_messages) in
        [("websearch", 0.3, 1_000_000.0), ("alistorage", 0.8, 3_000_000.0), ("solar", 0.05, 200_000.0)]
    {
        let background = long(sizes, load, n_messages);
        let sent = drained(&background);
        let bytes: u64 = sent.iter().map(|sent| sent.size).sum();
        let capacity = 16.0 * CAPACITY as f64 / 8.0 * background.settings.duration("end").as_seconds();
        let found = bytes as f64 / capacity;
        assert!((found / load - 1.0).abs() < 0.01, "{sizes}: {found} instead of {load}");
        let bound = background::arrivals(&background, 1).expect("it makes sense").bound();
        assert!(sent.len() as u64 <= bound.messages && u128::from(bytes) <= bound.bytes);
    }
}

#[test]
fn a_faster_nic_sends_more() {
    let mut background = long("solar", 0.1, 400_000.0);
    background.senders[5].capacity = Rate(4 * CAPACITY);
    let sent = drained(&background);
    let of = |host| sent.iter().filter(|sent| sent.from == host).count() as f64;
    assert!((of(5) / of(6) - 4.0).abs() < 0.1, "{} {}", of(5), of(6));
}

#[test]
fn gaps_are_exponential() {
    let sent = drained(&long("solar", 0.5, 500_000.0));
    let gaps = gaps(&sent);
    let rate = 0.5 * CAPACITY as f64 / 8.0 / 39_423.504_52;
    let expected = SECOND / rate;
    let found = mean(gaps.iter().copied());
    assert!((found / expected - 1.0).abs() < 0.01, "mean gap {found}, expected {expected}");
    // The standard deviation of an exponential is its mean.
    let variance = mean(gaps.iter().map(|gap| (gap - found) * (gap - found)));
    assert!((variance / (found * found) - 1.0).abs() < 0.02, "variance {variance}");
    let distance = distance(gaps.iter().copied(), |gap| 1.0 - (-gap / expected).exp());
    assert!(distance < critical(gaps.len()), "Kolmogorov-Smirnov distance {distance}");
}

#[test]
fn sizes_follow_their_distribution() {
    for name in published::NAMES {
        let sent = drained(&long(name, 0.5, 300_000.0));
        let points = published::points(name).expect("it is published");
        // Sizes are rounded: a size of at most k bytes was below k + 1/2.
        let share = |size: f64| share(&points, size + 0.5);
        let distance = distance(sent.iter().map(|sent| sent.size as f64), share);
        assert!(distance < critical(sent.len()), "{name}: Kolmogorov-Smirnov distance {distance}");
        assert!(sent.iter().all(|sent| sent.size >= 1));
    }
}

/// The largest distance between the measured and the expected cumulative share, over values that may repeat.
fn distance(values: impl Iterator<Item = f64>, share: impl Fn(f64) -> f64) -> f64 {
    let mut sorted: Vec<f64> = values.collect();
    sorted.sort_unstable_by(f64::total_cmp);
    let n = sorted.len() as f64;
    let mut largest = 0.0_f64;
    for (number, value) in sorted.iter().enumerate() {
        if sorted.get(number + 1).is_none_or(|next| next > value) {
            largest = largest.max(((number + 1) as f64 / n - share(*value)).abs());
        }
    }
    largest
}

/// The distance that this number of samples of the distribution exceeds in one of a hundred cases.
fn critical(n: usize) -> f64 {
    1.63 / (n as f64).sqrt()
}

fn share(points: &[SizePoint], size: f64) -> f64 {
    let end = points.partition_point(|point| point.size.0 as f64 <= size);
    let Some(high) = points.get(end) else { return 1.0 };
    let low = points[end - 1];
    let part = (size - low.size.0 as f64) / (high.size.0 - low.size.0) as f64;
    low.share + part * (high.share - low.share)
}

#[test]
fn receivers_are_all_other_hosts_alike() {
    for (cross_rack, n_receivers) in [(false, 15.0), (true, 12.0)] {
        let end = Duration::from_millis(4);
        let sent = drained(&traffic("solar", 0.5, end, &[("cross_rack", Value::Flag(cross_rack))]));
        let mut counts = [[0_u32; 16]; 16];
        for sent in &sent {
            counts[sent.from as usize][sent.to as usize] += 1;
        }
        let mut chi_square = 0.0;
        for (from, row) in counts.iter().enumerate() {
            let expected = f64::from(row.iter().sum::<u32>()) / n_receivers;
            for (to, &count) in row.iter().enumerate() {
                let is_near = if cross_rack { from / 4 == to / 4 } else { from == to };
                assert!(!is_near || count == 0, "{from} sends to {to}");
                chi_square += if is_near { 0.0 } else { (f64::from(count) - expected).powi(2) / expected };
            }
        }
        // Mean and standard deviation of chi-square follow from its degrees of freedom.
        let freedom = 16.0 * (n_receivers - 1.0);
        assert!((chi_square - freedom).abs() < 3.3 * (2.0 * freedom).sqrt(), "chi-square {chi_square}");
    }
}

#[test]
fn samples_of_a_host_do_not_depend_on_others_or_on_load() {
    let end = Duration::from_millis(2);
    let all = traffic("solar", 0.3, end, &[]);
    let mut few = all.clone();
    few.senders.retain(|sender| [3, 9].contains(&sender.host.0));
    let of_nine = |background: &Background| {
        drained(background).into_iter().filter(|sent| sent.from == 9).collect::<Vec<_>>()
    };
    let slow = of_nine(&all);
    assert!(!slow.is_empty());
    assert_eq!(slow, of_nine(&few));
    let fast = of_nine(&traffic("solar", 0.6, end, &[]));
    assert!(fast.len() > slow.len());
    assert!(fast.iter().zip(&slow).all(|(fast, slow)| (fast.to, fast.size) == (slow.to, slow.size)));
}

#[test]
fn messages_start_within_their_span_and_are_generated_lazily() {
    let start = Duration::from_millis(1);
    let background = traffic("solar", 0.5, Duration::from_millis(3), &[("start", Value::Duration(start))]);
    let sent = drained(&background);
    assert!(sent.iter().all(|sent| (start.0..3_000_000_000).contains(&sent.at)));
    let workload = Workload {
        jobs: Vec::new(),
        background: Some(background),
        staged: None,
        finite: None,
        hosts: Hosts::default(),
    };
    for ahead in [0, 100] {
        let random = Delay::Random(Random::stream(1, 2, 3), 1_000_000);
        let trace = run(&mut expand(&workload, 16, crate::background::SEED).unwrap(), random, ahead);
        let mut found: Vec<_> =
            trace.sends.iter().map(|(at, from, sent)| (*at, HostId(*from), sent.to, sent.size)).collect();
        found.sort_unstable_by_key(|sent| (sent.0, sent.1));
        let wanted = sent.iter().map(|sent| (sent.at, HostId(sent.from), HostId(sent.to), Bytes(sent.size)));
        assert!(found.into_iter().eq(wanted));
        assert!(trace.most_held <= 16 * (70 + ahead), "held {}", trace.most_held);
    }
}

#[test]
fn zero_load_has_no_messages_and_missing_receivers_are_rejected() {
    assert!(drained(&traffic("websearch", 0.0, Duration::from_millis(50), &[])).is_empty());
    let alone =
        of_kind(&poisson::SPEC, 1, 4, &[("load", Value::Fraction(0.5)), ("cross_rack", Value::Flag(true))]);
    let alone = Background { sizes: published::points("solar").unwrap(), ..alone };
    assert!(background::arrivals(&alone, 1).is_err());
}
