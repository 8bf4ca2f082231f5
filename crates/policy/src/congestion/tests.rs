//! Invariants of every controller, and tests of DCQCN: its steps, its cuts, its shares of a link.

mod by_delay;
mod infiniband;
mod naive;
mod plain;
mod slingshot;
mod telemetry;

use netloom_units::{Bytes, Duration, Random, Rate, StateWriter, Time, Value};

use super::*;

const LINE: Rate = Rate(100_000_000_000);
const SITE: Site = Site { line: LINE, packet: Bytes(4096), n_hosts: 12 };

fn micros(micros: u64) -> Time {
    Time(Duration::from_micros(micros).0)
}

fn with(name: &str, changes: &[(&str, Value)]) -> Controller {
    let mut chosen = Chosen::named(name);
    for (parameter, value) in changes {
        chosen.settings = chosen.settings.with(parameter, value.clone());
    }
    Controller::new(&chosen, SITE)
}

fn words(controller: &Controller, state: &State, at: Time) -> Vec<u64> {
    let mut out = StateWriter::new(at);
    controller.write_state(state, at, &mut out);
    out.into_words()
}

/// Parts of line rate in tenths of a per mille, rounded down.
fn share(rate: Rate) -> u64 {
    rate.0 * 10_000 / LINE.0
}

#[test]
fn names_are_unique_and_specs_complete() {
    for (index, spec) in SPECS.iter().enumerate() {
        assert_eq!(number_of(spec.name), Some(index));
        assert!(!spec.summary.is_empty() && !spec.source.is_empty());
        let controller = Controller::new(&Chosen::named(spec.name), SITE);
        assert_eq!(controller.senses(), senses(spec), "{}", spec.name);
        let mut state = controller.start();
        controller.on_share(&mut state, Time::ZERO, Rate(1));
        let window = controller.window(&state, Time::ZERO);
        assert_eq!(window < u64::MAX, has_window(spec), "{}", spec.name);
    }
    assert_eq!(
        SPECS.iter().map(|spec| spec.name).collect::<Vec<_>>(),
        ["none", "dcqcn", "dcqcn_paper", "infiniband", "hpcc", "timely", "swift", "slingshot"]
    );
}

#[test]
fn the_state_of_a_queue_pair_is_small() {
    assert!(size_of::<State>() <= 72, "{} bytes", size_of::<State>());
}

#[test]
fn without_feedback_every_controller_stays_at_line_rate() {
    for spec in SPECS {
        let controller = with(spec.name, &[]);
        let mut state = controller.start();
        for at in [0, 1, 50, 1000, 1_000_000] {
            assert_eq!(controller.rate(&mut state, micros(at)), LINE, "{}", spec.name);
            controller.on_sent(&mut state, Bytes(4096));
        }
        assert_eq!(words(&controller, &state, micros(3)), words(&controller, &state, micros(77)));
    }
}

#[test]
fn every_rate_is_between_the_smallest_and_line_rate() {
    let changes = |spec: &Spec| {
        let is_given = spec.parameter("minimum").is_some();
        is_given.then_some(("minimum", Value::Rate(Rate(2_000_000_000)))).into_iter().collect::<Vec<_>>()
    };
    for spec in &SPECS[1..] {
        let controller = with(spec.name, &changes(spec));
        let mut slowest = controller.start();
        controller.slow_start(&mut slowest, Time::ZERO);
        let slowest = controller.rate(&mut slowest, Time::ZERO);
        let mut random = Random::stream(5, 0, 0);
        let (mut state, mut now) = (controller.start(), 0);
        for _ in 0..20_000 {
            now += u64::from(random.below(30_000_000));
            match random.below(4) {
                0 => controller.on_congestion(&mut state, Time(now), Signal::Nack),
                1 if random.below(50) == 0 => controller.slow_start(&mut state, Time(now)),
                _ => {
                    let rate = controller.rate(&mut state, Time(now));
                    assert!((slowest..=LINE).contains(&rate), "{}: {rate:?}", spec.name);
                    controller.on_sent(&mut state, Bytes(400_000));
                }
            }
        }
    }
}

#[test]
fn controllers_state_their_kind_of_feedback() {
    let notified = |name| (with(name, &[]).notify(), with(name, &[]).cnp_interval());
    assert_eq!(notified("none"), (None, Duration::ZERO));
    assert_eq!(notified("dcqcn"), (Some(Notify::Acknowledgement), Duration::ZERO));
    assert_eq!(notified("dcqcn_paper"), (Some(Notify::Packet), Duration::from_micros(50)));
    assert_eq!(notified("infiniband"), (Some(Notify::Packet), Duration::ZERO));
}

#[test]
fn one_notification_at_line_rate_gives_the_steps_of_recovery() {
    for signal in [Signal::Cnp, Signal::Nack] {
        let controller = with("dcqcn", &[("preset", Value::Choice("simai"))]);
        let mut state = controller.start();
        controller.on_congestion(&mut state, micros(10), signal);
        assert_eq!(controller.rate(&mut state, micros(10)), LINE);
        assert_eq!(controller.rate(&mut state, Time(micros(14).0 - 1)), LINE);
        // (255/256)^4 = 0.98447 at the first check, so 1 - 0.49223 of the rate remains.
        let mut stairs = Vec::new();
        for stair in 0..6 {
            let begins = micros(14 + stair * 900);
            let rate = controller.rate(&mut state, begins);
            stairs.push(share(rate));
            assert_eq!(controller.rate(&mut state, Time(begins.0 + micros(900).0 - 1)), rate);
        }
        assert_eq!(stairs, [5077, 7538, 8769, 9384, 9692, 9846]);
    }
}

#[test]
fn a_notification_in_every_period_halves_the_rate_down_to_the_smallest() {
    let controller = with("dcqcn", &[("preset", Value::Choice("conweave"))]);
    let mut state = controller.start();
    let mut rates = vec![LINE];
    for at in 0..60 {
        controller.on_congestion(&mut state, micros(at), Signal::Cnp);
        if at > 0 && at % 4 == 0 {
            rates.push(controller.rate(&mut state, micros(at)));
        }
    }
    for pair in rates.windows(2) {
        let halved = pair[0].0 * 50 / 100..=pair[0].0 * 51 / 100;
        assert!(halved.contains(&pair[1].0) || pair[1] == Rate(100_000_000), "{pair:?}");
    }
    assert_eq!(rates.last(), Some(&Rate(100_000_000)));
}

#[test]
fn cuts_without_an_increase_between_them_leave_the_target() {
    let after_two_cuts = |clamp| {
        let changes = [("preset", Value::Choice("simai")), ("clamp_target", Value::Flag(clamp))];
        let controller = with("dcqcn", &changes);
        let mut state = controller.start();
        controller.on_congestion(&mut state, micros(0), Signal::Cnp);
        controller.on_congestion(&mut state, micros(5), Signal::Cnp);
        let low = share(controller.rate(&mut state, micros(8)));
        (low, share(controller.rate(&mut state, micros(908))))
    };
    let (low, unclamped) = after_two_cuts(false);
    let (same, clamped) = after_two_cuts(true);
    assert_eq!(low, same);
    assert_eq!(unclamped, 10_000_u64.midpoint(low));
    assert_eq!(clamped, 5077_u64.midpoint(low));
}

#[test]
fn a_cut_cancels_the_increase_of_its_instant() {
    // The check at 8 us sees the second notification; the increase due since the cut at 4 us is at 8 us, too.
    let changes = [("increase_time", Value::Duration(Duration::from_micros(4)))];
    let controller = with("dcqcn", &changes);
    let mut state = controller.start();
    controller.on_congestion(&mut state, micros(0), Signal::Cnp);
    let first = controller.rate(&mut state, micros(4));
    controller.on_congestion(&mut state, micros(8), Signal::Cnp);
    let second = controller.rate(&mut state, micros(8));
    assert!(second.0 * 100 < first.0 * 53, "{first:?} {second:?}");
    assert_eq!(controller.rate(&mut state, Time(micros(12).0 - 1)), second);
    assert!(controller.rate(&mut state, micros(12)) > second);
}

#[test]
fn slow_start_falls_at_once_and_comes_back_half_way() {
    let controller = with("dcqcn", &[("preset", Value::Choice("simai"))]);
    let mut state = controller.start();
    controller.slow_start(&mut state, micros(3));
    assert_eq!(share(controller.rate(&mut state, micros(3))), 10);
    assert_eq!(share(controller.rate(&mut state, micros(903))), 5005);
}

#[test]
fn the_first_notification_may_lower_the_rate_at_once() {
    let controller = with("dcqcn", &[("rate_on_first_cnp", Value::Fraction(0.5))]);
    let mut state = controller.start();
    controller.on_congestion(&mut state, micros(1), Signal::Cnp);
    assert_eq!(share(controller.rate(&mut state, micros(1))), 5000);
    // It is the target, too: the first increase, after the cut of the first check, goes half way to it.
    assert_eq!(share(controller.rate(&mut state, micros(5))), 2538);
    assert_eq!(share(controller.rate(&mut state, micros(305))), 3769);
}

#[test]
fn the_paper_form_cuts_at_once_and_recovers_in_f_steps() {
    let controller = with("dcqcn_paper", &[]);
    let mut state = controller.start();
    controller.on_congestion(&mut state, micros(10), Signal::Cnp);
    assert_eq!(share(controller.rate(&mut state, micros(10))), 5000);
    // A second one cuts from there, and this is the target from now on.
    controller.on_congestion(&mut state, micros(60), Signal::Cnp);
    assert_eq!(share(controller.rate(&mut state, micros(60))), 2500);
    let shares: Vec<_> =
        (1..=7).map(|step| share(controller.rate(&mut state, micros(60 + 55 * step)))).collect();
    // Five times half way to 50 %, then 40 Mb/s more on the target each time.
    assert_eq!(shares, [3750, 4375, 4687, 4843, 4921, 4962, 4985]);
}

#[test]
fn bytes_and_timer_together_cause_hyper_increases() {
    let changes = [("increase_bytes", Value::Size(Bytes(1000)))];
    let (timer, both) = (with("dcqcn_paper", &[]), with("dcqcn_paper", &changes));
    let rates = [&timer, &both].map(|controller| {
        let mut state = controller.start();
        for at in [0, 50, 100] {
            controller.on_congestion(&mut state, micros(at), Signal::Cnp);
        }
        for step in 1..=8 {
            controller.rate(&mut state, micros(100 + 55 * step));
            controller.on_sent(&mut state, Bytes(1000));
        }
        controller.rate(&mut state, micros(600)).0
    });
    // Timer: 3 x R_AI on the target of 25 %. Both: 3 x R_AI by each, and 400 + 400 + 800 Mb/s in hyper increases.
    assert_eq!(rates.map(|rate| rate > 25_200_000_000), [false, true], "{rates:?}");
}

#[test]
fn an_idle_queue_pair_reaches_a_steady_state() {
    for (name, cycle) in [("dcqcn", 300), ("dcqcn_paper", 55)] {
        let controller = with(name, &[]);
        let mut state = controller.start();
        for at in [0, 3, 17, 60, 61, 62, 150] {
            controller.on_congestion(&mut state, micros(at), Signal::Cnp);
        }
        // No calls in between. Then the state recurs with the least common multiple of the periods.
        let rest = 10_000_000;
        let found = words(&controller, &state, micros(rest));
        assert_eq!(found[..3], [LINE.0, LINE.0, 0], "{name}");
        for cycles in [1, 2, 1000] {
            assert_eq!(words(&controller, &state, micros(rest + cycles * cycle)), found, "{name}");
        }
        // A call changes nothing about that.
        assert_eq!(controller.rate(&mut state, micros(rest)), LINE);
        assert_eq!(words(&controller, &state, micros(rest + 5 * cycle)), found, "{name}");
    }
}

#[test]
#[should_panic(expected = "another congestion control")]
fn a_state_of_another_controller_panics() {
    with("dcqcn", &[]).rate(&mut with("none", &[]).start(), Time::ZERO);
}

/// Sums of rates over a measured interval, of flows that share one link and start one after the other.
///
/// A fluid queue, marked as a switch would mark it; every packet of 1000 bytes is marked or not, and the mark reaches
/// its sender 4 us later.
fn shares_of_a_link(controller: &Controller, n_flows: u64, spacing: u64) -> (Vec<f64>, f64) {
    let mut random = Random::stream(11, 0, n_flows);
    let mut states: Vec<State> = (0..n_flows).map(|_| controller.start()).collect();
    let (mut sums, mut credit) = (vec![0.0; states.len()], vec![0.0; states.len()]);
    let mut last_notified = vec![0; states.len()];
    let (mut queue, mut queue_sum, mut measured) = (0.0_f64, 0.0, 0.0);
    for step in 0..60_000 {
        let now = micros(step);
        let chance = ((queue - 400e3) / 1200e3 * 0.2).clamp(0.0, 0.2) + f64::from(u8::from(queue > 1600e3));
        let mut arrived = 0.0;
        for (flow, state) in states.iter_mut().enumerate() {
            if step < flow as u64 * 500 {
                continue;
            }
            let bytes = controller.rate(state, now).0 as f64 / 8e6;
            arrived += bytes;
            credit[flow] += bytes;
            controller.on_sent(state, Bytes(bytes as u64));
            while credit[flow] >= 1000.0 {
                credit[flow] -= 1000.0;
                if random.unit() < chance && step - last_notified[flow] >= spacing {
                    last_notified[flow] = step;
                    controller.on_congestion(state, micros(step + 1), Signal::Cnp);
                }
            }
            if step >= 30_000 {
                sums[flow] += bytes;
            }
        }
        queue = (queue + arrived - LINE.0 as f64 / 8e6).max(0.0);
        if step >= 30_000 {
            (queue_sum, measured) = (queue_sum + queue, measured + 1.0);
        }
    }
    (sums, queue_sum / measured)
}

fn jain(shares: &[f64]) -> f64 {
    let (sum, squares) = shares.iter().fold((0.0, 0.0), |(sum, squares), x| (sum + x, squares + x * x));
    sum * sum / (shares.len() as f64 * squares)
}

#[test]
fn flows_that_share_a_link_converge_to_equal_shares() {
    for (name, spacing) in [("dcqcn", 0), ("dcqcn_paper", 50)] {
        for n_flows in [2, 4, 8] {
            let (shares, queue) = shares_of_a_link(&with(name, &[]), n_flows, spacing);
            let used = shares.iter().sum::<f64>() / (LINE.0 as f64 / 8.0 * 30e-3);
            assert!(jain(&shares) > 0.95, "{name}, {n_flows} flows: {shares:?}");
            assert!(used > 0.8, "{name}, {n_flows} flows use {used} of the link");
            assert!(queue < 1600e3, "{name}, {n_flows} flows: {queue} bytes wait");
        }
    }
}
