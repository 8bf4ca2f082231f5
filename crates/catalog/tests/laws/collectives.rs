//! Every algorithm ends, sends the bytes of the textbook, waits for its dependencies, and confuses no messages.

use std::collections::BTreeMap;

use netloom_catalog::expand;
use netloom_catalog::workload::collective::{self, Plan, SPECS};
use netloom_model::{Bucket, Collective, FabricService, Hosts, Job, Order, Phase, Repetition, Workload};
use netloom_units::{Bytes, HostId, Random, Settings, Time, Value};

use crate::executor::{Delay, Trace, run};

/// One algorithm with one set of parameters.
struct Case {
    name: &'static str,
    settings: Settings,
}

/// Every algorithm of the registry with its defaults, and some with other parameters.
fn cases() -> Vec<Case> {
    let spec = |name| SPECS.iter().find(|spec| spec.name == name).expect("in the registry");
    let mut cases: Vec<Case> =
        SPECS.iter().map(|spec| Case { name: spec.name, settings: spec.defaults() }).collect();
    let mut variant = |name: &'static str, key, value| {
        cases.push(Case { name, settings: spec(name).defaults().with(key, value) });
    };
    variant("ring_all_reduce", "volume", Value::Choice("half"));
    variant("broadcast_chain", "chunk", Value::Size(Bytes(64)));
    variant("permutation", "pattern", Value::Choice("shift"));
    cases
}

fn collective(case: &Case, size: u64, dependent: bool, order: Order) -> Collective {
    Collective {
        algorithm: collective::number_of(case.name).expect("in the registry"),
        settings: case.settings.clone(),
        size: Bytes(size),
        dependent,
        order,
        groups: None,
    }
}

fn job(n: u32, steps: u32, collectives: Vec<Collective>) -> Workload {
    let bucket = Bucket { collectives, size: Bytes(0), bus_bytes: Bytes(0) };
    let phases = vec![Phase::Communicate { buckets: vec![bucket], concurrent: false, barrier: false }];
    let ranks = (0..n).map(HostId).collect();
    Workload {
        jobs: vec![Job {
            ranks,
            groups: Vec::new(),
            steps,
            phases,
            start: Time::ZERO,
            handling: FabricService::default(),
            repetition: Repetition::default(),
        }],
        background: None,
        staged: None,
        finite: None,
        hosts: Hosts::default(),
    }
}

fn trace(workload: &Workload, n: u32, delay: Delay) -> Trace {
    let mut work = expand(workload, n as usize, 1).unwrap();
    run(&mut work, delay, 0)
}

const DELAY: u64 = 1000;

fn sizes(n: u32) -> Vec<u64> {
    let n = u64::from(n);
    vec![0, 1, n - 1, n, n + 1, 1000, 9 * 8 * 7 * 5, 1 << 20]
}

/// Bytes that all ranks send together, from the textbook.
fn expected_total(case: &Case, n: u32, size: u64, dependent: bool) -> u128 {
    let others = u128::from(n - 1);
    let whole = u128::from(size);
    let all_chunks_but_one = others * whole;
    // All rounds at once: every rank sends chunk sizes 0 to n - 2, so that the last one is the one left out.
    let at_once = u128::from(n) * (whole - whole / u128::from(n));
    let pass = if dependent { all_chunks_but_one } else { at_once };
    match case.name {
        "ring_all_gather" | "ring_reduce_scatter" => pass,
        "ring_all_reduce" if case.settings.choice("volume") == "half" => pass,
        "ring_all_reduce" => 2 * pass,
        "all_to_all_linear" | "all_to_all_pairwise" => all_chunks_but_one,
        "broadcast_chain" | "broadcast_tree" | "incast" => others * whole,
        "permutation" if n == 1 => 0,
        "permutation" => u128::from(n) * whole,
        other => panic!("say what `{other}` sends"),
    }
}

/// Messages one after the other on the longest chain of dependence, when all chunks are filled.
fn expected_depth(case: &Case, n: u32, dependent: bool) -> u64 {
    let others = u64::from(n - 1);
    if n == 1 {
        return 0;
    }
    match case.name {
        _ if !dependent => 1,
        "ring_all_reduce" if case.settings.choice("volume") == "full" => 2 * others,
        "broadcast_tree" => (0..n).map(|node| u64::from(node.count_ones())).max().unwrap_or(0),
        "all_to_all_linear" | "incast" | "permutation" => 1,
        _ => others,
    }
}

#[test]
fn every_collective_ends_and_sends_the_bytes_of_the_textbook() {
    for case in cases() {
        for n in 1..=9 {
            for (size, dependent) in sizes(n).into_iter().flat_map(|size| [(size, true), (size, false)]) {
                let one = collective(&case, size, dependent, Order::Rank);
                let plan = Plan::new(&one, n).unwrap();
                let trace = trace(&job(n, 1, vec![one]), n, Delay::Fixed(DELAY));
                let what = format!("{} n {n} size {size} dependent {dependent}", case.name);
                let expected = expected_total(&case, n, size, dependent);
                assert_eq!(trace.bytes_sent(), expected, "{what}");
                assert_eq!(plan.total_bytes(), expected, "{what}");
                if size >= u64::from(n) {
                    assert_eq!(trace.end, DELAY * expected_depth(&case, n, dependent), "{what}");
                }
            }
        }
    }
}

#[test]
fn with_even_chunks_every_rank_sends_the_same() {
    for (name, shares) in [
        ("ring_all_gather", 1),
        ("ring_reduce_scatter", 1),
        ("ring_all_reduce", 2),
        ("all_to_all_linear", 1),
        ("all_to_all_pairwise", 1),
    ] {
        let case = cases().into_iter().find(|case| case.name == name).expect("in the registry");
        for (n, dependent) in (2..=9).flat_map(|n| [(n, true), (n, false)]) {
            let size = 1000 * u64::from(n);
            let one = collective(&case, size, dependent, Order::Rank);
            let trace = trace(&job(n, 1, vec![one]), n, Delay::Fixed(DELAY));
            for rank in 0..n {
                assert_eq!(trace.bytes_of(rank), shares * 1000 * u64::from(n - 1), "{name} n {n}");
            }
        }
    }
}

#[test]
fn skewed_ranks_and_shuffled_orders_confuse_no_messages() {
    for case in cases() {
        for (n, seed) in [(2, 1), (5, 2), (9, 3)] {
            for (size, dependent) in [(2, true), (2, false), (1000, true), (1000, false)] {
                let two = vec![
                    collective(&case, size, dependent, Order::Shuffled),
                    collective(&case, size, true, Order::Shuffled),
                ];
                let random = Delay::Random(Random::stream(seed, 1, 1), 100_000);
                let trace = trace(&job(n, 5, two), n, random);
                let once = |dependent| expected_total(&case, n, size, dependent);
                assert_eq!(trace.bytes_sent(), 5 * (once(dependent) + once(true)), "{} n {n}", case.name);
                let mut steps_of_tag = BTreeMap::new();
                for (_, _, message) in &trace.sends {
                    let step = *steps_of_tag.entry(message.tag).or_insert(message.step);
                    assert_eq!(step, message.step, "{}: a tag in two steps", case.name);
                }
            }
        }
    }
}

#[test]
fn no_rank_sends_to_itself_in_any_permutation() {
    let case = Case { name: "permutation", settings: SPECS[8].defaults() };
    for (n, seed) in (2..=9).flat_map(|n| (0..20).map(move |seed| (n, seed))) {
        let settings = case.settings.clone().with("seed", Value::Count(seed));
        let one = collective(&Case { name: case.name, settings }, 10, true, Order::Rank);
        let trace = trace(&job(n, 1, vec![one]), n, Delay::Fixed(1));
        let mut receivers: Vec<u32> = trace.sends.iter().map(|send| send.2.to.0).collect();
        receivers.sort_unstable();
        assert!(receivers.into_iter().eq(0..n), "n {n} seed {seed}");
    }
}

#[test]
fn bus_factors_are_those_of_nccl_tests() {
    let factor = |name: &str, n: u32| {
        let case = cases().into_iter().find(|case| case.name == name).expect("in the registry");
        let bucket = collective::bucket(vec![collective(&case, 1000, true, Order::Rank)], |_| n).unwrap();
        assert_eq!(bucket.size, Bytes(1000));
        bucket.bus_bytes.0
    };
    assert_eq!(factor("ring_all_reduce", 8), 1750);
    for name in ["ring_all_gather", "ring_reduce_scatter", "all_to_all_linear", "all_to_all_pairwise"] {
        assert_eq!(factor(name, 8), 875, "{name}");
    }
    for name in ["broadcast_chain", "broadcast_tree", "incast", "permutation"] {
        assert_eq!(factor(name, 8), 1000, "{name}");
    }
    assert_eq!(factor("ring_all_gather", 3), 667);
}

#[test]
fn inconsistent_parameters_are_rejected() {
    let refuse = |name: &'static str, key, value, n| {
        let number = collective::number_of(name).expect("in the registry");
        let settings = SPECS[usize::from(number)].defaults().with(key, value);
        let one = collective(&Case { name, settings }, 1 << 40, true, Order::Rank);
        assert!(Plan::new(&one, n).is_err(), "{name} {key}");
    };
    refuse("incast", "senders", Value::Count(4), 4);
    refuse("broadcast_tree", "root", Value::Count(4), 4);
    refuse("broadcast_chain", "root", Value::Count(9), 4);
    refuse("broadcast_chain", "chunk", Value::Size(Bytes(0)), 4);
    refuse("broadcast_chain", "chunk", Value::Size(Bytes(1)), 4);
}

#[test]
fn all_at_once_is_the_burst_of_the_seed_simulator() {
    let case = cases().into_iter().find(|case| case.name == "ring_reduce_scatter").expect("in the registry");
    let n = 5;
    let two =
        vec![collective(&case, 13, false, Order::Shuffled), collective(&case, 13, false, Order::Shuffled)];
    let trace = trace(&job(n, 1, two), n, Delay::Fixed(DELAY));
    for rank in 0..n {
        let own: Vec<_> = trace.sends.iter().filter(|send| send.1 == rank).collect();
        let sizes: Vec<u64> = own.iter().map(|send| send.2.size.0).collect();
        assert_eq!(sizes, [3, 3, 3, 2, 3, 3, 3, 2]);
        assert!(own.iter().all(|send| send.0 == 0), "all at the same instant");
        assert!(own[..4].iter().all(|send| send.2.to == own[0].2.to), "all to one neighbour");
    }
    assert_eq!(trace.end, DELAY);
}
