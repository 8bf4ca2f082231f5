//! When a policy may change its path: flowlets by gap and by packets, round robin.
//!
//! Eight or sixty-four spines; the uplink each packet takes is read at the leaf.

use std::collections::BTreeSet;

use netloom_model::{FlowHashInput, Model, TransportKind};
use netloom_testkit::fixture::{Clos, ListedWork, Sending, model, policy};
use netloom_units::{Duration, HostId, Rate, Value};

use crate::doubles::watched;

const GAP: u64 = 30_000_000;

fn clos(spines: u32, name: &str, parameters: &[(&str, Value)]) -> Model {
    let mut model = model(Clos::new(2, spines, 1).wiring());
    model.balances.switch = policy(name, parameters);
    model.transport.flow_hash_input = FlowHashInput::Pair;
    model
}

/// The uplink of each packet, in the order in which they pass.
fn uplinks(model: &Model, sendings: &[Sending]) -> Vec<u32> {
    let leaf = HostId(2).0;
    let (_, _, starts) = watched(model, &ListedWork::new(sendings), leaf);
    starts.into_iter().map(|(_, port, _)| port).collect()
}

fn by_gap() -> Model {
    clos(8, "flowlet", &[("gap", Value::Duration(Duration(GAP)))])
}

#[test]
fn a_flow_keeps_its_path_until_it_is_idle_for_more_than_the_gap() {
    for (idle, may_change) in [(GAP, false), (GAP + 1, true)] {
        let sendings: Vec<Sending> = (0..60).map(|k| Sending::new(k * idle, 0, 1, 1000)).collect();
        let distinct = BTreeSet::from_iter(uplinks(&by_gap(), &sendings)).len();
        assert_eq!(distinct, if may_change { 8 } else { 1 }, "idle for {idle} ps");
    }
}

#[test]
fn a_paced_flow_changes_path_only_if_its_pace_leaves_gaps() {
    // A packet every 20 us, and every 40 us.
    for (rate, n_paths) in [(400_000_000, 1), (200_000_000, 8)] {
        let mut model = by_gap();
        model.transport.kind = TransportKind::OpenLoop { rate: Some(Rate(rate)) };
        let distinct = BTreeSet::from_iter(uplinks(&model, &[Sending::new(0, 0, 1, 60_000)])).len();
        assert_eq!(distinct, n_paths, "{rate} bit/s");
    }
}

#[test]
fn paths_change_between_bursts_only() {
    let burst = 7;
    let sendings: Vec<Sending> = (0..40).map(|k| Sending::new(k * 3 * GAP, 0, 1, burst * 1000)).collect();
    let uplinks = uplinks(&by_gap(), &sendings);
    assert_eq!(uplinks.len(), 280);
    let bursts: Vec<&[u32]> = uplinks.chunks(burst as usize).collect();
    assert!(bursts.iter().all(|burst| burst.iter().all(|port| port == &burst[0])));
    let n_changes = bursts.windows(2).filter(|pair| pair[0][0] != pair[1][0]).count();
    // Seven of eight random choices change the path: about 34 of 39.
    assert!((26..=39).contains(&n_changes), "{n_changes} changes");
}

#[test]
fn flowlets_by_packets_change_the_label_once_per_number_of_packets() {
    let packets = 5;
    let model = clos(64, "flowlet", &[("by", Value::Choice("packets")), ("packets", Value::Count(packets))]);
    let n_packets = 203_u64;
    let uplinks = uplinks(&model, &[Sending::new(0, 0, 1, n_packets * 1000)]);
    assert_eq!(uplinks.len() as u64, n_packets);
    let mut n_changes = 0;
    for (number, pair) in (1_u64..).zip(uplinks.windows(2)) {
        let changes = pair[0] != pair[1];
        n_changes += u64::from(changes);
        assert!(!changes || (number + 1).is_multiple_of(packets), "a change before packet {number}");
    }
    // 40 new labels, of which one in 64 gives the same path.
    let n_labels = 1 + n_packets / packets;
    assert!((n_labels - 5..n_labels).contains(&n_changes), "{n_changes} changes of {n_labels} labels");
}

#[test]
fn round_robin_packet_counts_differ_by_at_most_one() {
    for spines in [3, 8] {
        let uplinks = uplinks(&clos(spines, "round_robin", &[]), &[Sending::new(0, 0, 1, 101_000)]);
        let count = |port| uplinks.iter().filter(|&&taken| taken == port).count();
        let counts: Vec<usize> = (1..=spines).map(count).collect();
        let spread = counts.iter().max().expect("ports") - counts.iter().min().expect("ports");
        assert_eq!((counts.iter().sum::<usize>(), spread), (101, 1));
        let in_turn = |round: &[u32]| BTreeSet::from_iter(round).len() == spines as usize;
        assert!(uplinks.windows(spines as usize).all(in_turn));
    }
}
