//! Second models of HPCC, TIMELY and Swift, written as in their papers, in seconds, bits and packets: over random ACKs
//! both forms agree.
//!
//! Written from the description, sharing no code with the controllers. Floats are added in another order, so the two
//! may differ in the last digits; random values never fall exactly on a threshold.

use netloom_units::{Duration, PortId, Random, Rate, Time, Value};

use super::super::{Controller, Feedback, Hop, State};
use super::{LINE, with};

const GIGA: f64 = 1e9;
const PACKET: f64 = 4096.0;

/// Random ACKs of a queue pair: instants and positions rise.
struct Stream {
    random: Random,
    at: u64,
    una: u64,
    highest: u64,
    sent: u64,
}

/// One ACK, in floating-point units.
struct Plain {
    at: f64,
    round_trip: f64,
    acknowledged: f64,
    una: u64,
    highest: u64,
    links: f64,
    hop: Hop,
}

impl Stream {
    fn new(seed: u64) -> Stream {
        Stream { random: Random::stream(seed, 3, 3), at: 0, una: 0, highest: 20, sent: 0 }
    }

    fn next(&mut self) -> Plain {
        let mut below = |most| u64::from(self.random.below(most));
        // Odd picoseconds: never at a threshold.
        self.at += 1 + 2 * below(3_000_000);
        let most = if below(4) == 0 { 400_000_000 } else { 40_000_000 };
        let round_trip = 8_000_001 + 2 * below(most);
        let acknowledged = below(4);
        let (ahead, sent, waiting) = (1 + below(12), below(80_000), below(200_000));
        self.una += acknowledged;
        self.highest = self.highest.max(self.una + ahead);
        self.sent += sent;
        Plain {
            at: self.at as f64 / 1e12,
            round_trip: round_trip as f64 / 1e12,
            acknowledged: acknowledged as f64,
            una: self.una,
            highest: self.highest,
            links: below(6) as f64,
            hop: Hop { port: PortId(1), at: Time(self.at), sent: self.sent, waiting, rate: LINE },
        }
    }
}

/// Feeds the same ACKs to a controller and to the second model, and compares what both allow.
fn compare(
    name: &str,
    controller: &Controller,
    seed: u64,
    mut plain: impl FnMut(&Plain, Option<&Hop>) -> f64,
) {
    let (mut stream, mut state): (Stream, State) = (Stream::new(seed), controller.start());
    let mut before: Option<Hop> = None;
    let mut distinct = 0;
    let mut last = 0.0;
    for number in 0..3_000 {
        let now = stream.next();
        let feedback = Feedback {
            at: now.hop.at,
            round_trip: Some(Duration((now.round_trip * 1e12).round() as u64)),
            acknowledged: now.acknowledged as u64,
            una: now.una,
            highest: now.highest,
            links: now.links as u8,
            hops: std::slice::from_ref(&now.hop),
            before: before.as_slice(),
        };
        controller.on_acknowledgement(&mut state, &feedback);
        let allowed = controller.allowed(&state, now.hop.at).0 as f64;
        let expected = plain(&now, before.as_ref()).min(LINE.0 as f64);
        let is_close = (allowed - expected).abs() <= 2.0 + expected * 1e-6;
        assert!(is_close, "{name}, seed {seed}, {number}: {allowed} for {expected}");
        distinct += u32::from((expected - last).abs() > 1.0);
        last = expected;
        before = Some(now.hop);
    }
    assert!(distinct > 50, "{name}, seed {seed}: too few distinct values");
}

#[test]
fn timely_agrees_with_the_form_of_its_paper() {
    for seed in 0..20 {
        let controller = with("timely", &[("minimum", Value::Rate(Rate(1_000_000_000)))]);
        let (mut rate, mut previous, mut average, mut calm) = (100.0 * GIGA, None, 0.0, 0);
        let mut round_until = None;
        compare("timely", &controller, seed, |now, _| {
            if round_until.is_some_and(|until| now.una <= until) {
                return rate;
            }
            round_until = Some(now.highest);
            let Some(earlier) = previous.replace(now.round_trip) else { return rate };
            average = 0.125 * average + 0.875 * (now.round_trip - earlier);
            let gradient = average / 20e-6;
            let in_middle = (50e-6..=500e-6).contains(&now.round_trip);
            calm = if in_middle && gradient <= 0.0 { calm + 1 } else { 0 };
            rate = if now.round_trip < 50e-6 {
                rate + 0.1 * GIGA
            } else if now.round_trip > 500e-6 {
                rate - rate * 0.8 * (1.0 - 500e-6 / now.round_trip)
            } else if gradient <= 0.0 {
                rate + if calm < 5 { 0.1 * GIGA } else { 0.5 * GIGA }
            } else {
                rate - rate * 0.8 * gradient
            };
            rate = rate.clamp(GIGA, 100.0 * GIGA);
            rate
        });
    }
}

#[test]
fn swift_agrees_with_the_form_of_its_paper() {
    for seed in 0..20 {
        let controller = with("swift", &[("base_target", Value::Duration(Duration::from_micros(10)))]);
        let (mut window, mut fell) = (12.0_f64, None::<(f64, f64)>);
        compare("swift", &controller, seed, |now, _| {
            let root = window.sqrt();
            let ends = [1.0 / 0.1_f64.sqrt(), 1.0 / 100_f64.sqrt()];
            let scaled = 50e-6 * (1.0 / root - ends[1]) / (ends[0] - ends[1]);
            let target = 10e-6 + now.links * 10e-6 / 6.55 + scaled.clamp(0.0, 50e-6);
            if now.round_trip < target {
                window += now.acknowledged / if window < 1.0 { 1.0 } else { window };
            } else if fell.is_none_or(|(at, span)| now.at >= at + span - 1e-13) {
                let part = 0.8 * (now.round_trip - target) / now.round_trip;
                window -= window * part.min(0.5);
                window = window.max(0.01);
                fell = Some((now.at, now.round_trip));
            }
            window * PACKET * 8.0 / now.round_trip
        });
    }
}

#[test]
fn hpcc_agrees_with_the_form_of_its_paper() {
    for seed in 0..20 {
        let base = Value::Duration(Duration::from_micros(10));
        let controller = with("hpcc", &[("base_rtt", base), ("stages", Value::Count(2))]);
        let (line, base) = (100.0 * GIGA, 10e-6);
        let full = line * base;
        let (mut window, mut reference, mut busy, mut stage) = (full, full, 1.0, 0);
        let mut round_until = None;
        compare("hpcc", &controller, seed, |now, before| {
            let ends_round = round_until.is_none_or(|until| now.una > until);
            if ends_round && round_until.replace(now.highest).is_none() {
                return line;
            }
            let before = before.expect("there was a first one");
            let span = (now.hop.at.0 - before.at.0) as f64 / 1e12;
            let bits = (now.hop.sent - before.sent) as f64 * 8.0;
            let queue = now.hop.waiting.min(before.waiting) as f64 * 8.0;
            let weight = if span > base { 1.0 } else { span / base };
            busy += weight * (bits / span / line + queue / full - busy);
            let step = 10e6 * 4.0 * base;
            let aims = busy >= 0.95 || stage >= 2;
            window = step + if aims { reference * 0.95 / busy } else { reference };
            window = window.clamp(100e6 * base, full);
            if ends_round {
                (reference, stage) = (window, if aims { 0 } else { stage + 1 });
            }
            window / base
        });
    }
}
