//! Paths over three tiers that are chosen by sequence numbers: every offset takes its path, for every pair of hosts,
//! and Themis on them causes no spurious retransmission.

use std::collections::BTreeMap;
use std::sync::Arc;

use netloom_engine::{Extensions, Options};
use netloom_model::routing::bits;
use netloom_model::{FatTree, FatTreeNode, Model, NackReaction, Rdma, TransportKind};
use netloom_policy::balance::{Chosen, psn_spray};
use netloom_policy::edge;
use netloom_policy::transport::Reliability;
use netloom_testkit::fixture::{
    ListedWork, Run, Sending, ThreeTiers, everything_joined, model, policy, simulate, simulate_with,
};
use netloom_units::{Bytes, Duration, HostId, Value};

use crate::rdma::rdma;

const K: u32 = 8;
const N_PATHS: u32 = 16;

/// A fat tree of eight ports whose leaves name paths.
pub fn named(tree: &ThreeTiers) -> Model {
    let mut model = model(tree.wiring());
    model.balances.switch = policy("psn_spray", &[("hash", Value::Choice("linear"))]);
    let Chosen::Registered { settings, .. } = &model.balances.switch else {
        unreachable!("it is registered")
    };
    let bits: Vec<u32> = model.routing.choices_up().into_iter().map(bits).collect();
    let paths = psn_spray::path_map(settings, &bits).expect("all paths can be named");
    model.balances.path_map = Some(Arc::new(paths));
    model
}

/// The path of each data packet between pods: choices of leaf and aggregation switch, that of the leaf in the lowest
/// bits.
fn paths(shape: &FatTree, run: &Run) -> BTreeMap<(HostId, HostId), BTreeMap<u32, u32>> {
    let mut paths: BTreeMap<_, BTreeMap<u32, u32>> = BTreeMap::new();
    for row in &run.records.packets {
        let port = row.port.expect("no packet is dropped").0;
        let up = match (shape.what_is(row.node), row.hop) {
            (FatTreeNode::Leaf(leaf), 1) => {
                let first = shape.n_hosts() + leaf * K + shape.hosts_per_leaf;
                port - first
            }
            (FatTreeNode::Aggregation(number), 2) => {
                let first = shape.n_hosts() + shape.n_leaves() * K + number * K + shape.leaves_per_pod;
                (port - first) << bits(shape.aggregations_per_pod)
            }
            _ => continue,
        };
        *paths.entry((row.source, row.destination)).or_default().entry(row.packet).or_default() |= up;
    }
    paths
}

#[test]
fn every_sequence_number_takes_its_path_for_every_pair_of_hosts_in_different_pods() {
    let tree = ThreeTiers::new(K);
    let mut model = named(&tree);
    let shape = tree.shape;
    let (n_hosts, per_pod) = (shape.n_hosts(), shape.hosts_per_pod());
    let mut n_pairs = 0;
    let mut bases = [0; N_PATHS as usize];
    for from in 0..n_hosts {
        let others = (0..n_hosts).filter(|to| to / per_pod != from / per_pod);
        let sendings: Vec<Sending> = others.map(|to| Sending::new(0, from, to, 20_000)).collect();
        model.recording.packets_from = vec![HostId(from)];
        let run = simulate(&model, ListedWork::new(&sendings));
        for paths in paths(&shape, &run).values() {
            assert_eq!(paths.len(), 20);
            let base = paths[&0];
            bases[base as usize] += 1;
            assert!(paths.iter().all(|(psn, path)| *path == base ^ (psn % N_PATHS)), "{paths:?}");
            n_pairs += 1;
        }
    }
    assert_eq!(n_pairs, n_hosts * (n_hosts - per_pod));
    // The flows themselves start at all paths.
    assert!(bases.iter().all(|&flows| (600..1200).contains(&flows)), "{bases:?}");
}

/// Every host sends to the host half the fabric away, on NICs that take reordering for loss.
fn themis(edge: Option<edge::Chosen>) -> Model {
    let mut model = named(&ThreeTiers::new(K));
    let timeout = Duration::from_micros(4_000);
    let rdma = Rdma { nack: NackReaction::AsCnp, timeout, timeout_low: timeout, ..rdma(Reliability::NicSr) };
    model.transport.kind = TransportKind::Rdma(rdma);
    model.transport.packet = Bytes(1_500);
    model.classes.control = 1;
    model.balances.edge = edge;
    model
}

/// All hosts send to one in another pod, in an order that differs from that of the leaves, and to one of their own pod.
fn everybody() -> ListedWork {
    let to = |host: u32, other: u32| Sending::new(u64::from(host % 7) * 50_000, host, other % 128, 200_000);
    ListedWork::new(
        &(0..128).flat_map(|host| [to(host, host * 5 + 3), to(host, host ^ 5)]).collect::<Vec<_>>(),
    )
}

#[test]
fn without_loss_themis_over_three_tiers_retransmits_nothing() {
    let counts = |run: &Run| {
        assert_eq!(run.records.repairs.len(), 256, "{:?}", run.outcome.status);
        let sum = |read: fn(&netloom_records::RepairRow) -> u32| {
            run.records.repairs.iter().map(|row| u64::from(read(row))).sum::<u64>()
        };
        (sum(|row| row.retransmitted), sum(|row| row.nacks))
    };
    let (again, nacks) = counts(&simulate(&themis(None), everybody()));
    assert!(
        again > 1_000 && nacks >= again,
        "without the filter, sprayed packets are retransmitted: {again} {nacks}"
    );
    let model = themis(Some(edge::Chosen::named("themis")));
    let run = simulate(&model, everybody());
    let (again, nacks) = counts(&run);
    assert!(again == 0 && nacks > 1_000, "{again} {nacks}");
    for variant in [Options { threads: 2, ..Options::default() }, everything_joined()] {
        assert!(
            simulate_with(&model, everybody(), variant, Extensions::default()).records == run.records,
            "{variant:?}"
        );
    }
}
