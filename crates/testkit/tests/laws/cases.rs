//! What several invariants are checked with: every policy, kinds of transport, faults, random traffic.

use netloom_model::{FailureAwareness, Fault, FaultAction, Model, ReroutePaths, TransportKind};
use netloom_policy::balance::Chosen;
use netloom_testkit::fixture::{Sending, policy};
use netloom_units::{Bytes, Duration, LinkId, Random, Rate, Time, Value};

/// The policy that uses neither random draws nor hashes.
pub const BY_DESTINATION: &str = "tables by destination";

/// Every registered policy, with all variants of its parameters.
pub fn policies() -> Vec<(&'static str, Chosen)> {
    let by_packets = [("by", Value::Choice("packets")), ("packets", Value::Count(5))];
    let by_gap = [("gap", Value::Duration(Duration(700_000)))];
    let lag_by_load = [("group", Value::Choice("lag")), ("choice", Value::Choice("load"))];
    let quick = [
        ("cell", Value::Size(Bytes(500))),
        ("low", Value::Count(1)),
        ("medium", Value::Count(4)),
        ("high", Value::Count(16)),
        ("sticky", Value::Absent),
        ("utilization", Value::Fraction(0.7)),
        ("utilization_window", Value::Duration(Duration(300_000))),
    ];
    let in_packets = [("backlog", Value::Choice("packets"))];
    let span = |name, ps| (name, Value::Duration(Duration(ps)));
    let soon = [span("interval", 2_000_000), span("latency", 1_500_000), span("memory", 5_000_000)];
    vec![
        ("ecmp", policy("ecmp", &[])),
        ("unsalted ecmp", policy("ecmp", &[("salt", Value::Choice("none"))])),
        ("flowlet by gap", policy("flowlet", &by_gap)),
        ("flowlet by packets", policy("flowlet", &by_packets)),
        ("spray", policy("spray", &[])),
        ("spray by number", policy("psn_spray", &[])),
        ("round robin", policy("round_robin", &[])),
        ("adaptive by bytes", policy("adaptive", &[])),
        ("adaptive by packets", policy("adaptive", &in_packets)),
        (BY_DESTINATION, policy("deterministic", &[])),
        ("tables by pair", policy("deterministic", &[("key", Value::Choice("pair"))])),
        ("tree in turns", policy("adaptive_infiniband", &[])),
        ("lag by load", policy("adaptive_infiniband", &lag_by_load)),
        ("by grades", policy("adaptive_spectrum", &[])),
        ("by grades of few cells", policy("adaptive_spectrum", &quick)),
        ("by plan", policy("nslb", &soon)),
    ]
}

/// Every kind of transport; the last has ACKs in a class of their own.
pub fn transports() -> [(&'static str, TransportKind, u8); 4] {
    let window = TransportKind::Window { packets: 6, acknowledgement: Bytes(64) };
    [
        ("open loop", TransportKind::OpenLoop { rate: None }, 0),
        ("paced", TransportKind::OpenLoop { rate: Some(Rate(20_000_000_000)) }, 0),
        ("window, one class", window, 0),
        ("window, two classes", window, 3),
    ]
}

/// The faults of the links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Damage {
    /// None.
    None,
    /// Some links are down from the start.
    FromStart,
    /// Links fail and recover.
    Timed,
}

/// Every fault, with every failure awareness.
pub const DAMAGES: [(Damage, FailureAwareness); 5] = [
    (Damage::None, FailureAwareness::Local),
    (Damage::FromStart, FailureAwareness::Local),
    (Damage::FromStart, FailureAwareness::Global(ReroutePaths::Shortest)),
    (Damage::Timed, FailureAwareness::Local),
    (Damage::Timed, FailureAwareness::Global(ReroutePaths::Shortest)),
];

/// Makes links between switches fail: some of those from `first_link` on.
pub fn damage(model: &mut Model, damage: Damage, first_link: u32) {
    let n_links = model.fabric.links().len() as u32;
    let mut random = Random::stream(model.seed, 77, 1);
    let mut some_link = || LinkId(first_link + random.below(n_links - first_link));
    match damage {
        Damage::None => {}
        Damage::FromStart => {
            for _ in 0..2 {
                let link = some_link();
                model.faults.push(Fault { at: Time::ZERO, link, action: FaultAction::Down });
            }
        }
        Damage::Timed => {
            for round in 0..4 {
                let link = some_link();
                let down = Time(2_000_000 + round * 1_900_003);
                let up = down + Duration(1_300_001 + 400_000 * round);
                model.faults.push(Fault { at: down, link, action: FaultAction::Down });
                model.faults.push(Fault { at: up, link, action: FaultAction::Up });
            }
        }
    }
    model.faults.sort_unstable();
    model.faults.dedup();
}

/// Messages between random hosts, of which many start at the same instants.
pub fn traffic(seed: u64, n_hosts: u32, n_messages: u32, unit: u64) -> Vec<Sending> {
    let mut random = Random::stream(seed, 77, 2);
    let mut sending = |_| {
        let at = u64::from(random.below(5)) * 1_500_000;
        let from = random.below(n_hosts);
        let to = (from + 1 + random.below(n_hosts - 1)) % n_hosts;
        Sending::new(at, from, to, unit * u64::from(1 + random.below(24)))
    };
    (0..n_messages).map(&mut sending).collect()
}
