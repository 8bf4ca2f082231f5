//! The table of delays: the index goes up and down as specified, and the rate follows the entry.

use std::sync::Arc;

use netloom_units::{Bytes, Duration, Random, Rate, Time, Value};

use super::super::infiniband::{SPEC, chance, threshold};
use super::super::{Chosen, Controller, Signal};
use super::{LINE, SITE, micros, with, words};

/// A timer of 10 us and entries of a quarter each.
fn quarters(changes: &[(&str, Value)]) -> Controller {
    let own =
        [("ccti_timer", Value::Duration(Duration::from_micros(10))), ("cct_step", Value::Fraction(0.25))];
    with("infiniband", &[&own[..], changes].concat())
}

#[test]
fn the_rate_is_line_rate_over_one_and_the_entry() {
    let controller = quarters(&[]);
    let mut state = controller.start();
    for index in 0..=140_u64 {
        // 1 + i/4 = (4 + i)/4, and 127 is the last index.
        let expected = Rate(LINE.0 * 4 / (4 + index.min(127)));
        assert_eq!(controller.rate(&mut state, micros(1)), expected, "{index}");
        controller.on_congestion(&mut state, micros(1), Signal::Cnp);
    }
}

#[test]
fn explicit_table_entries_end_with_the_last_one() {
    let table = Arc::from([0.0, 1.0, 3.0]);
    let controller = Controller::new(&Chosen { table, ..Chosen::named("infiniband") }, SITE);
    let mut state = controller.start();
    for expected in [LINE.0, LINE.0 / 2, LINE.0 / 4, LINE.0 / 4, LINE.0 / 4] {
        assert_eq!(controller.rate(&mut state, micros(1)), Rate(expected));
        controller.on_congestion(&mut state, micros(1), Signal::Cnp);
    }
}

#[test]
fn the_timer_lowers_the_index_by_one_and_no_notification_restarts_it() {
    let controller = quarters(&[("ccti_increase", Value::Count(3))]);
    let mut state = controller.start();
    let index = |state: &mut _, at| LINE.0 * 4 / controller.rate(state, at).0 - 4;
    controller.on_congestion(&mut state, micros(5), Signal::Cnp);
    assert_eq!(index(&mut state, Time(micros(15).0 - 1)), 3);
    assert_eq!(index(&mut state, micros(15)), 2);
    // The timer goes on, at 25 us, whatever arrives in between.
    controller.on_congestion(&mut state, micros(21), Signal::Cnp);
    assert_eq!(index(&mut state, micros(24)), 5);
    assert_eq!(index(&mut state, micros(25)), 4);
    // At the instant of the timer the notification comes first.
    controller.on_congestion(&mut state, micros(35), Signal::Cnp);
    assert_eq!(index(&mut state, micros(35)), 6);
    assert_eq!(index(&mut state, micros(85)), 1);
    assert_eq!(index(&mut state, micros(95)), 0);
    // At the smallest index the timer stops; the next notification starts it.
    controller.on_congestion(&mut state, micros(101), Signal::Cnp);
    assert_eq!(index(&mut state, Time(micros(111).0 - 1)), 3);
    assert_eq!(index(&mut state, micros(111)), 2);
}

#[test]
fn the_index_stays_between_its_bounds() {
    let bounds = [("ccti_min", Value::Count(2)), ("ccti_limit", Value::Count(4))];
    let controller = quarters(&bounds);
    let mut state = controller.start();
    assert_eq!(controller.rate(&mut state, micros(0)), Rate(LINE.0 * 4 / 6));
    controller.slow_start(&mut state, micros(0));
    controller.on_congestion(&mut state, micros(0), Signal::Cnp);
    assert_eq!(controller.rate(&mut state, micros(0)), Rate(LINE.0 / 2));
    assert_eq!(controller.rate(&mut state, micros(1_000)), Rate(LINE.0 * 4 / 6));
}

#[test]
fn computed_defaults_fit_hosts_that_all_send_to_one() {
    // 12 hosts: the last entry leaves a twelfth; 12 x 10 packets of 4096 bytes at 100 Gb/s last 39.3216 us.
    let controller = with("infiniband", &[]);
    let mut state = controller.start();
    controller.slow_start(&mut state, micros(0));
    let slowest = controller.rate(&mut state, Time::ZERO);
    assert!(slowest.0.abs_diff(LINE.0 / 12) <= 1, "{slowest:?}");
    assert_eq!(controller.rate(&mut state, Time(39_321_599)), slowest);
    assert!(controller.rate(&mut state, Time(39_321_600)) > slowest);
    // The same with another number of hosts than the fabric has.
    let controller = with("infiniband", &[("num_hosts", Value::Count(100))]);
    let mut state = controller.start();
    controller.slow_start(&mut state, micros(0));
    assert!(controller.rate(&mut state, Time(327_679_999)).0.abs_diff(LINE.0 / 100) <= 1);
    assert!(controller.rate(&mut state, Time(327_680_000)).0 > LINE.0 / 100 + 1);
}

#[test]
fn the_lazy_form_equals_the_form_with_ticks() {
    for seed in 0..40 {
        let mut random = Random::stream(seed, 2, 9);
        let (increase, lowest) = (1 + u64::from(random.below(3)), u64::from(random.below(3)));
        let numbers = [("ccti_increase", Value::Count(increase)), ("ccti_min", Value::Count(lowest))];
        let controller = quarters(&[&numbers[..], &[("ccti_limit", Value::Count(9))]].concat());
        let mut state = controller.start();
        let (mut index, mut next_tick) = (lowest, None);
        let mut now = 0;
        for _ in 0..2_000 {
            // Whole microseconds, so that notifications and ticks often coincide.
            let later = now + u64::from(random.below(25));
            let is_notified = random.below(3) == 0;
            for at in now..=later {
                if at == later && is_notified {
                    index = (index + increase).min(9);
                    next_tick = next_tick.or((index > lowest).then_some(at + 10));
                }
                if next_tick == Some(at) {
                    index -= 1;
                    next_tick = (index > lowest).then_some(at + 10);
                }
            }
            if is_notified {
                controller.on_congestion(&mut state, micros(later), Signal::Cnp);
            }
            if random.below(2) == 0 {
                assert_eq!(controller.rate(&mut state, micros(later)), Rate(LINE.0 * 4 / (4 + index)));
            }
            now = later + 1;
            assert_eq!(words(&controller, &state, micros(now))[0], index);
        }
    }
}

#[test]
fn weights_and_rates_of_marking_become_bytes_and_chances() {
    let buffer = Bytes(65_536);
    let with_weight = |weight| SPEC.defaults().with("threshold", Value::Count(weight));
    assert_eq!(threshold(&SPEC.defaults(), buffer), Some(Bytes(8192)));
    assert_eq!(threshold(&with_weight(1), buffer), Some(Bytes(122_880)));
    assert_eq!(threshold(&with_weight(0), buffer), None);
    let given = with_weight(0).with("threshold_bytes", Value::Size(Bytes(10_000)));
    assert_eq!(threshold(&given, buffer), Some(Bytes(10_000)));
    assert_eq!(chance(&SPEC.defaults()), (1 << 32) / 10);
    assert_eq!(chance(&SPEC.defaults().with("marking_rate", Value::Count(0))), 1 << 32);
}
