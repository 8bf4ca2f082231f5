//! TIMELY and Swift: regions that begin exactly at their thresholds, and flows over a fluid link.

use netloom_units::{Duration, Rate, Time, Value};

use super::super::{Controller, Feedback, Signal, State};
use super::{LINE, jain, with};

/// The `number`th ACK, which ends a round trip of `nanos` nanoseconds.
fn feedback(number: u64, nanos: u64) -> Feedback<'static> {
    Feedback {
        at: Time(Duration::from_micros(number * 1000).0),
        round_trip: Some(Duration::from_nanos(nanos)),
        acknowledged: 1,
        una: number * 10 + 5,
        highest: number * 10 + 10,
        links: 4,
        hops: &[],
        before: &[],
    }
}

/// Rates after round trips of these numbers of nanoseconds, starting from 10 Gb/s.
fn rates(changes: &[(&str, Value)], round_trips: &[u64]) -> Vec<i64> {
    let controller = with("timely", &[&[("minimum", Value::Rate(Rate(10_000_000_000)))], changes].concat());
    let mut state = controller.start();
    controller.slow_start(&mut state, Time::ZERO);
    let rate = |(number, &nanos): (u64, &u64)| {
        controller.on_acknowledgement(&mut state, &feedback(number, nanos));
        controller.rate(&mut state, Time::ZERO).0.cast_signed()
    };
    (1..).zip(round_trips).map(rate).collect()
}

fn steps(rates: &[i64]) -> Vec<i64> {
    rates.windows(2).map(|pair| pair[1] - pair[0]).collect()
}

const STEP: i64 = 100_000_000;

#[test]
fn below_the_low_threshold_the_rate_rises_and_at_it_the_gradient_decides() {
    // From far below: a gradient of (49,999 - 30,000) ns over 20 us would cut.
    assert_eq!(steps(&rates(&[], &[30_000, 49_999])), [STEP]);
    let low = [("minimum", Value::Rate(Rate(1_000_000_000)))];
    let found = rates(&low, &[30_000, 30_000, 50_000]);
    // 1 - 0.8 x 0.875 x 20 us / 20 us = 0.3 of 1.1 Gb/s is below the minimum.
    assert_eq!(found[2], 1_000_000_000, "{found:?}");
    // And without a rise it is a step up.
    assert_eq!(steps(&rates(&[], &[50_000, 50_000])), [STEP]);
}

#[test]
fn above_the_high_threshold_the_rate_falls_without_a_rise() {
    let slow = [("minimum", Value::Rate(Rate(1_000_000)))];
    let up = [vec![10_000; 40], vec![500_000]].concat();
    let controller = with("timely", &slow);
    for (last, falls) in [(500_000, false), (500_001, true), (1_000_000, true)] {
        let mut state = controller.start();
        for (number, &nanos) in (1..).zip(&up) {
            controller.on_acknowledgement(&mut state, &feedback(number, nanos));
        }
        // Enough rounds at the threshold for the gradient to decay, or to become negative.
        for number in 100..140 {
            controller.on_acknowledgement(&mut state, &feedback(number, 600_000));
            controller.on_acknowledgement(&mut state, &feedback(number + 100, 600_000));
        }
        controller.on_acknowledgement(&mut state, &feedback(300, 500_000));
        controller.on_acknowledgement(&mut state, &feedback(301, 500_000));
        let before = controller.rate(&mut state, Time::ZERO).0 as f64;
        controller.on_acknowledgement(&mut state, &feedback(302, last));
        let after = controller.rate(&mut state, Time::ZERO).0 as f64;
        assert_eq!(after < before, falls, "{last}: {before} {after}");
        if last == 1_000_000 {
            // 1 - 0.8 (1 - 500/1000) = 0.6.
            assert!((after / before - 0.6).abs() < 1e-6, "{before} {after}");
        }
    }
}

#[test]
fn after_five_round_trips_without_a_rise_hyper_increases_start() {
    let found = rates(&[], &[60_000, 60_000, 60_000, 60_000, 60_000, 60_000, 60_000, 60_001, 60_000]);
    let found = steps(&found);
    assert_eq!(found[..6], [STEP, STEP, STEP, STEP, 5 * STEP, 5 * STEP]);
    assert!(found[6] < 0, "{found:?}");
    // The average of differences is negative again: the row restarts.
    assert_eq!(found[7], STEP);
}

#[test]
fn between_the_thresholds_the_rate_falls_with_the_gradient() {
    let found = rates(&[("minimum", Value::Rate(Rate(1_000_000)))], &[60_000, 61_000]);
    // 1 - 0.8 x 0.875 x 1 us / 20 us.
    let expected = 1e6 * 0.965;
    assert!((found[1] as f64 - 1e6_f64.max(expected)).abs() <= 1.0, "{found:?}");
    let line = with("timely", &[]);
    let mut state = line.start();
    line.on_acknowledgement(&mut state, &feedback(1, 60_000));
    line.on_acknowledgement(&mut state, &feedback(2, 61_000));
    let part = line.rate(&mut state, Time::ZERO).0 as f64 / LINE.0 as f64;
    assert!((part - 0.965).abs() < 1e-9, "{part}");
}

#[test]
fn within_a_round_trip_the_rate_does_not_change() {
    let controller = with("timely", &[]);
    let mut state = controller.start();
    controller.on_acknowledgement(&mut state, &feedback(1, 60_000));
    for una in 10..=20 {
        controller.on_acknowledgement(&mut state, &Feedback { una, ..feedback(1, 400_000) });
    }
    assert_eq!(controller.rate(&mut state, Time::ZERO), LINE);
    controller.on_acknowledgement(&mut state, &Feedback { una: 21, ..feedback(1, 400_000) });
    assert!(controller.rate(&mut state, Time::ZERO) < LINE);
}

/// Flows with windows over a fluid link of half line rate, 10 us without a queue: the rates of their windows and the
/// queue's delay, in seconds, after `rounds` steps of a microsecond.
fn over_a_link(controller: &Controller, n_flows: usize, rounds: u64) -> (Vec<f64>, f64) {
    let packet = 4096.0 * 8.0;
    let (base, link) = (10e-6, LINE.0 as f64 / 2.0);
    let mut states: Vec<State> = (0..n_flows).map(|_| controller.start()).collect();
    let (mut queue, mut rates) = (0.0_f64, vec![0.0; n_flows]);
    let (mut una, mut due) = (vec![0_u64; n_flows], vec![0.0_f64; n_flows]);
    let mut delays = 0.0;
    for step in 0..rounds {
        let delay = base + queue / link;
        for (flow, state) in states.iter_mut().enumerate() {
            if step < flow as u64 * 2_000 {
                continue;
            }
            let at = Time(Duration::from_micros(step).0);
            let paced = controller.rate(state, at).0 as f64;
            rates[flow] = (controller.window(state, at) as f64 * packet / delay).min(paced);
            due[flow] += rates[flow] * 1e-6 / packet;
            queue += rates[flow] * 1e-6;
            while due[flow] >= 1.0 {
                due[flow] -= 1.0;
                una[flow] += 1;
                let in_flight = (rates[flow] * delay / packet) as u64;
                let round_trip = Some(Duration((delay * 1e12) as u64));
                let (una, highest) = (una[flow], una[flow] + in_flight.max(1));
                let feedback = Feedback { at, round_trip, una, highest, ..feedback(0, 0) };
                controller.on_acknowledgement(state, &feedback);
            }
        }
        queue = (queue - link * 1e-6).max(0.0);
        if step >= rounds / 2 {
            delays += delay / (rounds - rounds / 2) as f64;
        }
    }
    (rates, delays)
}

#[test]
fn a_single_swift_flow_keeps_the_delay_near_its_target() {
    let controller = with("swift", &[("base_target", Value::Duration(Duration::from_micros(20)))]);
    let (rates, delay) = over_a_link(&controller, 1, 40_000);
    // 20 us + 4 links of 20/6.55 us, and nothing for a window of more than a hundred packets at this delay.
    let window = rates[0] * delay / (4096.0 * 8.0);
    let scaled = |root: f64| 100e-6 / (1.0 / 0.1_f64.sqrt() - 0.1) * (1.0 / root - 0.1);
    let target = 20e-6 + 4.0 * 20e-6 / 6.55 + scaled(window.sqrt()).clamp(0.0, 100e-6);
    assert!((delay / target - 1.0).abs() < 0.05, "{delay} for {target}, window {window}");
    assert!((rates[0] / LINE.0 as f64 - 0.5).abs() < 0.05, "{rates:?}");
}

#[test]
fn swift_flows_share_a_link_evenly() {
    let (rates, delay) = over_a_link(&with("swift", &[]), 4, 200_000);
    assert!(jain(&rates) > 0.95, "{rates:?}");
    assert!(delay < 80e-6, "{delay}");
}

#[test]
fn below_one_packet_swift_paces() {
    let controller = with("swift", &[("initial", Value::Fraction(0.25))]);
    let mut state = controller.start();
    assert_eq!(controller.window(&state, Time::ZERO), 1);
    // A quarter of a packet in 20 us, the value before the first measured round trip.
    let expected = 4096.0 * 8.0 / 80e-6;
    let rate = controller.rate(&mut state, Time::ZERO).0 as f64;
    assert!((rate - expected).abs() <= 1.0, "{rate} {expected}");
    assert_eq!(controller.allowed(&state, Time::ZERO), controller.rate(&mut state, Time::ZERO));
    // Above, packets follow each other at line rate, and the window limits their number.
    let one = with("swift", &[("initial", Value::Fraction(1.5))]);
    assert_eq!(one.rate(&mut one.start(), Time::ZERO), LINE);
    assert_eq!(one.window(&one.start(), Time::ZERO), 2);
    // While below one packet, the window grows by the number of acknowledged packets.
    controller.on_acknowledgement(&mut state, &feedback(1, 30_000));
    assert_eq!(controller.window(&state, Time::ZERO), 2);
    assert_eq!(controller.rate(&mut state, Time::ZERO), LINE);
}

#[test]
fn swift_falls_once_per_round_trip_and_never_by_more_than_it_may() {
    let controller = with("swift", &[("initial", Value::Fraction(64.0))]);
    let mut state = controller.start();
    controller.on_acknowledgement(&mut state, &feedback(1, 10_000_000));
    assert_eq!(controller.window(&state, Time::ZERO), 32);
    // Within 10 ms of that the window does not fall, whatever the feedback.
    controller.on_acknowledgement(&mut state, &feedback(10, 10_000_000));
    controller.on_congestion(&mut state, feedback(10, 0).at, Signal::Nack);
    controller.on_timeout(&mut state, feedback(10, 0).at);
    assert_eq!(controller.window(&state, Time::ZERO), 32);
    controller.on_timeout(&mut state, feedback(11, 0).at);
    assert_eq!(controller.window(&state, Time::ZERO), 16);
}
