//! Throttling by shares: which hosts are notified of which share, and for how long.

use netloom_units::{Bytes, Duration, Rate, Time};

use super::super::slingshot::Bottleneck;
use super::super::{Chosen, Controller};
use super::{LINE, micros, with};

const KIB: u64 = 1024;

fn port() -> Bottleneck {
    Bottleneck::of(&Chosen::named("slingshot"), LINE, Bytes(4096)).expect("it has such ports")
}

/// The notified hosts and their shares when a packet of a host arrives.
fn came(port: &mut Bottleneck, nanos: u64, host: u32, waiting: u64) -> Vec<(u32, Rate)> {
    let mut notified = Vec::new();
    let at = Time(Duration::from_nanos(nanos).0);
    port.came(at, host, waiting, |host, rate| notified.push((host, rate)));
    notified
}

#[test]
fn other_controllers_have_no_bottleneck_ports() {
    assert!(Bottleneck::of(&Chosen::named("infiniband"), LINE, Bytes(4096)).is_none());
}

#[test]
fn a_single_host_is_not_notified_and_two_only_above_the_threshold() {
    let mut port = port();
    for packet in 0..100 {
        assert!(came(&mut port, packet * 300, 7, 1000 * KIB).is_empty());
    }
    assert!(came(&mut port, 30_000, 8, 64 * KIB).is_empty());
    let notified = came(&mut port, 30_100, 7, 64 * KIB + 1);
    assert_eq!(notified.iter().map(|notified| notified.0).collect::<Vec<_>>(), [7, 8], "all at the onset");
    // 40 KiB is the target, 24 KiB and a byte more are there: in 20 us that is 9.8 Gb/s.
    let excess = (24 * KIB + 1) as f64 * 8.0 / 20e-6;
    assert!((notified[0].1.0 as f64 - (LINE.0 as f64 - excess) / 2.0).abs() < 2.0, "{notified:?}");
}

#[test]
fn shares_follow_the_queue_within_bounds() {
    let share = |waiting| {
        let mut port = port();
        came(&mut port, 0, 1, 0);
        came(&mut port, 1, 2, 65 * KIB);
        came(&mut port, 3_000, 1, waiting)[0].1.0
    };
    assert_eq!(share(40 * KIB), LINE.0 / 2);
    assert_eq!(share(10_000 * KIB), LINE.0 / 8);
    assert!(share(20 * KIB) > LINE.0 / 2);
    assert!(share(0) <= LINE.0 * 5 / 8);
}

#[test]
fn no_host_is_notified_twice_within_the_interval() {
    let mut port = port();
    came(&mut port, 0, 1, 0);
    assert_eq!(came(&mut port, 100, 2, 100 * KIB).len(), 2);
    assert!(came(&mut port, 2_099, 1, 100 * KIB).is_empty());
    assert_eq!(came(&mut port, 2_100, 1, 100 * KIB).len(), 1);
    // A third host is notified at once, of a third of the link.
    let notified = came(&mut port, 2_200, 3, 40 * KIB);
    assert_eq!(notified, [(3, Rate(LINE.0 / 3))]);
}

#[test]
fn silent_hosts_are_forgotten_and_a_single_host_is_not_limited() {
    let mut port = port();
    came(&mut port, 0, 1, 0);
    came(&mut port, 100, 2, 100 * KIB);
    // Host 2 is silent for longer than 20 us and four packets of each.
    let mut notified = Vec::new();
    for nanos in (1_000..60_000).step_by(500) {
        notified.extend(came(&mut port, nanos, 1, 100 * KIB).into_iter().map(|_| nanos));
    }
    assert!(notified.iter().any(|&nanos| nanos > 20_000));
    assert!(notified.iter().all(|&nanos| nanos < 26_000), "{notified:?}");
}

#[test]
fn a_queue_that_stays_low_ends_notifications() {
    let mut port = port();
    came(&mut port, 0, 1, 0);
    came(&mut port, 100, 2, 100 * KIB);
    let mut last = 0;
    for nanos in (2_500..60_000).step_by(500) {
        let host = 1 + (nanos / 500 % 2) as u32;
        if !came(&mut port, nanos, host, 10 * KIB).is_empty() {
            last = nanos;
        }
    }
    assert!((20_000..=23_000).contains(&last), "{last}");
    // A new onset needs the upper threshold.
    assert!(came(&mut port, 60_000, 1, 60 * KIB).is_empty());
    assert_eq!(came(&mut port, 60_500, 2, 66 * KIB).len(), 2);
}

#[test]
fn a_share_is_a_rate_and_a_window_until_it_ends() {
    let controller: Controller = with("slingshot", &[]);
    let mut state = controller.start();
    assert_eq!(controller.window(&state, Time::ZERO), u64::MAX);
    let share = Rate(10_000_000_000);
    controller.on_share(&mut state, micros(5), share);
    assert_eq!(controller.rate(&mut state, micros(6)), share);
    // 10 Gb/s for 10 us and the time of 40 KiB at line rate: 12,500 and 4,096 bytes.
    assert_eq!(controller.window(&state, micros(6)), 5);
    // 20 us and four packets of 3.3 us.
    let end = micros(25).0 + 4 * share.serialization(Bytes(4096)).0;
    assert_eq!(controller.rate(&mut state, Time(end - 1)), share);
    assert_eq!(controller.rate(&mut state, Time(end)), LINE);
    assert_eq!(controller.window(&state, Time(end)), u64::MAX);
    // A tiny share is a window of one packet, and a pace.
    controller.on_share(&mut state, micros(50), Rate(1_000_000));
    assert_eq!(controller.window(&state, micros(51)), 1);
    assert_eq!(controller.rate(&mut state, micros(51)), Rate(1_000_000));
}
