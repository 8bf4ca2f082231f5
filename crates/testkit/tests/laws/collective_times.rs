//! Completion times of collectives on an idle, non-blocking fabric: the bytes of the busiest link over its rate.

use netloom_catalog::expand;
use netloom_catalog::workload::collective::{self, Plan, SPECS, Step};
use netloom_engine::{Extensions, Options, Status};
use netloom_model::{
    Bucket, Collective, FabricService, Hosts, Job, Order, Phase, Repetition, TransportKind, Workload,
};
use netloom_testkit::fixture::{Cable, model, simulate_with, star};
use netloom_units::{Bytes, HostId, Rate, Settings, Time, Value};

const N: u32 = 8;
/// Of the vector: large, so that latencies are small against it.
const SIZE: u64 = 16_000_000;
const RATE: u64 = 100_000_000_000;
/// Of a cable, in ps.
const DELAY: u64 = 50_000;

fn with(name: &str, change: &[(&str, Value)]) -> Collective {
    let algorithm = collective::number_of(name).expect("in the registry");
    let defaults = SPECS[usize::from(algorithm)].defaults();
    let settings: Settings =
        change.iter().fold(defaults, |settings, (key, value)| settings.with(key, value.clone()));
    Collective { algorithm, settings, size: Bytes(SIZE), dependent: true, order: Order::Rank, groups: None }
}

/// The time that a collective takes of eight hosts below one switch, in ps.
fn time(one: &Collective) -> u64 {
    let bucket = collective::bucket(vec![one.clone()], |_| N).expect("it fits");
    let buckets: Vec<Bucket> = vec![bucket];
    let job = Job {
        ranks: (0..N).map(HostId).collect(),
        groups: Vec::new(),
        steps: 1,
        phases: vec![Phase::Communicate { buckets, concurrent: false, barrier: false }],
        schedule: Vec::new(),
        start: Time::ZERO,
        handling: FabricService::default(),
        repetition: Repetition::default(),
    };
    let jobs = vec![job];
    let mut model = model(star(N, Cable::new(RATE, DELAY)));
    model.transport.kind = TransportKind::OpenLoop { rate: None };
    model.workload = Workload { jobs, background: None, staged: None, finite: None, hosts: Hosts::default() };
    let work = expand(&model.workload, N as usize, 1).expect("the workload is valid");
    let run = simulate_with(&model, work, Options::default(), Extensions::default());
    assert_eq!(run.outcome.status, Status::Complete);
    run.records.jobs[0].end.expect("the job completes").0
}

/// The time in which the busiest link carries its bytes, in ps.
fn bound(one: &Collective) -> u64 {
    let plan = Plan::new(one, N).expect("it fits");
    let [mut sent, mut received] = [vec![0; N as usize], vec![0; N as usize]];
    for slot in 0..N {
        for step in (0..).map_while(|index| plan.operation(slot, index)) {
            if let Step::Send { to, bytes, .. } = step {
                sent[slot as usize] += bytes;
                received[to as usize] += bytes;
            }
        }
    }
    let busiest = sent.into_iter().chain(received).max().unwrap_or(0);
    Rate(RATE).serialization(Bytes(busiest)).0
}

/// Time over bound.
fn excess(one: &Collective) -> f64 {
    time(one) as f64 / bound(one) as f64 - 1.0
}

const CHUNK: (&str, Value) = ("chunk", Value::Size(Bytes(20_000)));
const SERVER: (&str, Value) = ("server", Value::Count(4));

#[test]
fn collectives_complete_within_a_hundredth_of_their_bound() {
    for (name, change) in [
        ("ring_all_gather", vec![]),
        ("ring_reduce_scatter", vec![]),
        ("ring_all_reduce", vec![]),
        ("ring_all_reduce", vec![CHUNK]),
        ("halving_doubling_all_reduce", vec![]),
        ("hierarchical_all_reduce", vec![SERVER]),
        ("in_network_all_reduce", vec![]),
        ("all_to_all_linear", vec![]),
        ("all_to_all_pairwise", vec![]),
        ("bruck_all_gather", vec![]),
        ("bruck_all_to_all", vec![]),
        ("broadcast_chain", vec![CHUNK]),
        ("incast", vec![]),
        ("permutation", vec![]),
        ("tree_all_reduce", vec![CHUNK]),
        ("pxn_all_to_all", vec![SERVER]),
        ("all_reduce", vec![]),
    ] {
        let one = with(name, &change);
        let excess = excess(&one);
        assert!((-1e-9..0.01).contains(&excess), "{name} {change:?}: {:.3} %", 100.0 * excess);
    }
}

#[test]
fn two_levels_take_as_long_as_one_where_both_are_equal() {
    let flat = time(&with("ring_all_reduce", &[])) as f64;
    for server in [2, 4] {
        let two = time(&with("hierarchical_all_reduce", &[("server", Value::Count(server))])) as f64;
        assert!((two / flat - 1.0).abs() < 0.01, "{server}: {two} against {flat}");
    }
}
