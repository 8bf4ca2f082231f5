//! Every algorithm ends, sends the bytes of the textbook, waits for its dependencies, and confuses no messages.

use std::collections::{BTreeMap, BTreeSet};

use netloom_catalog::expand;
use netloom_catalog::workload::collective::{self, Demand, Plan, SPECS, Step};
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
    // `all_reduce` has the plan of another one.
    let all = SPECS.iter().filter(|spec| spec.name != "all_reduce");
    let mut cases: Vec<Case> = all.map(|spec| Case { name: spec.name, settings: spec.defaults() }).collect();
    let mut variant = |name: &'static str, key, value| {
        cases.push(Case { name, settings: spec(name).defaults().with(key, value) });
    };
    let unequal = spec("all_to_all_v").defaults().with("imbalance", Value::Fraction(1.5));
    variant("ring_all_reduce", "volume", Value::Choice("half"));
    variant("broadcast_chain", "chunk", Value::Size(Bytes(64)));
    variant("permutation", "pattern", Value::Choice("shift"));
    for name in ["ring_all_gather", "ring_reduce_scatter", "ring_all_reduce", "tree_all_reduce"] {
        variant(name, "chunk", Value::Size(Bytes(300)));
    }
    for server in [2, 3, 4, 8] {
        variant("hierarchical_all_reduce", "server", Value::Count(server));
        variant("pxn_all_to_all", "server", Value::Count(server));
    }
    for direction in ["dispatch", "combine"] {
        let settings = unequal.clone().with("direction", Value::Choice(direction));
        cases.push(Case { name: "all_to_all_v", settings });
    }
    cases
}

/// Number of ranks in a server.
fn server(case: &Case) -> u32 {
    match case.settings.optional("server") {
        Some(Value::Count(size)) => size as u32,
        _ => 1,
    }
}

/// Whether an algorithm is possible with this number of ranks.
fn fits(case: &Case, n: u32) -> bool {
    case.settings.iter().all(|(key, value)| match (key, value) {
        ("server", Value::Count(size)) => u64::from(n).is_multiple_of(size),
        ("imbalance", Value::Fraction(load)) => load <= f64::from(n),
        _ => true,
    })
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
            schedule: Vec::new(),
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
        "tree_all_reduce" | "halving_doubling_all_reduce" | "hierarchical_all_reduce" => {
            2 * all_chunks_but_one
        }
        "all_to_all_linear" | "all_to_all_pairwise" | "all_to_all_v" | "bruck_all_gather" => {
            all_chunks_but_one
        }
        // A block is sent as often as its distance has bits.
        "bruck_all_to_all" => whole * (0..n).map(|distance| u128::from(distance.count_ones())).sum::<u128>(),
        "pxn_all_to_all" => {
            (2 * u128::from(n) - u128::from(server(case)) - u128::from(n / server(case))) * whole
        }
        "broadcast_chain" | "broadcast_tree" | "incast" => others * whole,
        "permutation" | "in_network_all_reduce" if n == 1 => 0,
        "permutation" | "in_network_all_reduce" => u128::from(n) * whole,
        other => panic!("say what `{other}` sends"),
    }
}

/// log2 n, rounded up.
fn levels(n: u32) -> u64 {
    n.next_power_of_two().ilog2().into()
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
        "tree_all_reduce" => 2 * levels(n),
        "halving_doubling_all_reduce" => 2 * (u64::from(n.ilog2()) + u64::from(!n.is_power_of_two())),
        "hierarchical_all_reduce" => 2 * u64::from(server(case) - 1 + n / server(case) - 1),
        "bruck_all_to_all" | "bruck_all_gather" => levels(n),
        "pxn_all_to_all" => 1 + u64::from(server(case) > 1 && server(case) < n),
        "all_to_all_linear" | "incast" | "permutation" | "in_network_all_reduce" => 1,
        _ => others,
    }
}

#[test]
fn every_collective_ends_and_sends_the_bytes_of_the_textbook() {
    for case in cases() {
        for n in (1..=9).filter(|&n| fits(&case, n)) {
            for (size, dependent) in sizes(n).into_iter().flat_map(|size| [(size, true), (size, false)]) {
                let one = collective(&case, size, dependent, Order::Rank);
                let plan = Plan::new(&one, n).unwrap();
                let trace = trace(&job(n, 1, vec![one]), n, Delay::Fixed(DELAY));
                let what = format!("{} n {n} size {size} dependent {dependent}", case.name);
                let expected = expected_total(&case, n, size, dependent);
                assert_eq!(trace.bytes_sent(), expected, "{what}");
                assert_eq!(plan.total_bytes(), expected, "{what}");
                // How far members run ahead along trees depends on the number of chunks.
                let is_cut = case.name == "tree_all_reduce" && case.settings.size("chunk").0 < size;
                // Unequal shares of few bytes are empty.
                let filled = if case.name == "all_to_all_v" { 100 } else { 1 } * u64::from(n);
                if size >= filled && !(is_cut && dependent) {
                    assert_eq!(trace.end, DELAY * expected_depth(&case, n, dependent), "{what}");
                }
            }
        }
    }
}

/// Primes, powers of two, and numbers beside these.
const RANKS: [u32; 20] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 16, 17, 24, 31, 32, 33, 47, 64, 65];

/// What members send and wait for, from the plan alone, over more ranks than the executor runs.
#[test]
fn what_is_sent_is_waited_for_under_the_same_tag() {
    for case in cases() {
        for n in RANKS.into_iter().filter(|&n| fits(&case, n)) {
            for (size, dependent) in
                [0, 1, 7, 63, 5000].into_iter().flat_map(|size| [(size, true), (size, false)])
            {
                let plan = Plan::new(&collective(&case, size, dependent, Order::Rank), n).unwrap();
                let what = format!("{} n {n} size {size} dependent {dependent}", case.name);
                // Messages by receiver and tag.
                let [mut sent, mut awaited] = [BTreeMap::new(), BTreeMap::new()];
                let mut bytes_sent = 0;
                for position in 0..n {
                    for step in (0..).map_while(|index| plan.operation(position, index)) {
                        match step {
                            Step::Send { to, tag, bytes } => {
                                assert!(
                                    bytes > 0 && to < n && to != position && tag < plan.n_tags(),
                                    "{what}"
                                );
                                *sent.entry((to, tag)).or_insert(0) += 1;
                                bytes_sent += u128::from(bytes);
                            }
                            Step::Receive { tag, messages } => {
                                *awaited.entry((position, tag)).or_insert(0) += messages;
                            }
                            Step::Nothing => {}
                        }
                    }
                }
                assert_eq!(sent, awaited, "{what}");
                assert_eq!(bytes_sent, plan.total_bytes(), "{what}");
            }
        }
    }
}

/// Every member runs until it waits for messages that were not sent; what a member knows goes along with what it sends.
fn known_in_the_end(plan: &Plan, n: u32) -> Vec<BTreeSet<u32>> {
    let mut known: Vec<BTreeSet<u32>> = (0..n).map(|position| BTreeSet::from([position])).collect();
    let mut arrived: BTreeMap<(u32, u64), Vec<BTreeSet<u32>>> = BTreeMap::new();
    let mut next = vec![0; n as usize];
    loop {
        let before = next.clone();
        for position in 0..n {
            while let Some(step) = plan.operation(position, next[position as usize]) {
                match step {
                    Step::Nothing => {}
                    Step::Send { to, tag, .. } => {
                        arrived.entry((to, tag)).or_default().push(known[position as usize].clone());
                    }
                    Step::Receive { tag, messages } => {
                        let Some(all) = arrived.get_mut(&(position, tag)) else { break };
                        if all.len() < messages as usize {
                            break;
                        }
                        known[position as usize].extend(all.drain(..messages as usize).flatten());
                    }
                }
                next[position as usize] += 1;
            }
        }
        if next == before {
            return known;
        }
    }
}

#[test]
fn in_the_end_every_rank_depends_on_all_ranks() {
    let reaches = |name: &str| {
        // The bound of a reduction in switches, whose dependencies are not between hosts, is an exception.
        let is_whole = name.ends_with("all_reduce") && name != "in_network_all_reduce";
        is_whole
            || name.ends_with("all_gather")
            || name.ends_with("reduce_scatter")
            || name.contains("all_to_all")
    };
    for case in cases().into_iter().filter(|case| reaches(case.name)) {
        for n in RANKS.into_iter().filter(|&n| fits(&case, n)) {
            let plan = Plan::new(&collective(&case, 5000, true, Order::Rank), n).unwrap();
            let known = known_in_the_end(&plan, n);
            assert!(known.iter().all(|known| known.len() == n as usize), "{} n {n}: {known:?}", case.name);
        }
    }
}

/// Bytes that the busiest member sends and receives, with parts of equal size.
#[test]
fn no_position_carries_more_than_its_share() {
    for case in cases() {
        for n in RANKS.into_iter().filter(|&n| fits(&case, n)) {
            let size = 1000 * u64::from(n) * u64::from(n.next_power_of_two());
            let plan = Plan::new(&collective(&case, size, true, Order::Rank), n).unwrap();
            let Some((least, most)) = share(&case, n, size) else { continue };
            let [mut sent, mut received] = [vec![0; n as usize], vec![0; n as usize]];
            for position in 0..n {
                for step in (0..).map_while(|index| plan.operation(position, index)) {
                    if let Step::Send { to, bytes, .. } = step {
                        sent[position as usize] += bytes;
                        received[to as usize] += bytes;
                    }
                }
            }
            for bytes in sent.into_iter().chain(received) {
                assert!((least..=most).contains(&bytes), "{} n {n}: {bytes}", case.name);
            }
        }
    }
}

/// The fewest and the most bytes that a member sends, and receives; `None` where members differ by their roles.
fn share(case: &Case, n: u32, size: u64) -> Option<(u64, u64)> {
    let over =
        |passes: u64| Some((passes * (size - size / u64::from(n)), passes * (size - size / u64::from(n))));
    match case.name {
        "ring_all_reduce" if case.settings.choice("volume") == "full" => over(2),
        "hierarchical_all_reduce" => over(2),
        "tree_all_reduce" if n > 1 => Some((size, 2 * size)),
        "halving_doubling_all_reduce" => {
            let blocks = 1 << n.ilog2();
            let rounds = 2 * (size - size / blocks);
            let is_folded = !n.is_power_of_two();
            Some(if is_folded { (size.min(rounds), rounds + size) } else { (rounds, rounds) })
        }
        "in_network_all_reduce" if n > 1 => Some((size, size)),
        "bruck_all_to_all" => {
            let hops = (0..n).map(|distance| u64::from(distance.count_ones())).sum::<u64>();
            Some((size / u64::from(n) * hops, size / u64::from(n) * hops))
        }
        "pxn_all_to_all" => {
            let inside = size - size / u64::from(server(case));
            let rail = size - size * u64::from(server(case)) / u64::from(n);
            Some((inside + rail, inside + rail))
        }
        "all_to_all_v" if case.settings.fraction("imbalance") > 1.0 => {
            Some((0, (1.5 * over(1)?.1 as f64) as u64 + u64::from(n)))
        }
        "broadcast_chain" | "broadcast_tree" | "incast" | "permutation" => None,
        _ => over(1),
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
        for (n, seed) in [(2, 1), (5, 2), (8, 4), (9, 3)].into_iter().filter(|&(n, _)| fits(&case, n)) {
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
    for spec in SPECS.iter().filter(|spec| spec.name.ends_with("_all_reduce")) {
        assert_eq!(factor(spec.name, 8), 1750, "{}", spec.name);
    }
    let is_part = |name: &str| {
        let ends = ["all_gather", "reduce_scatter"].iter().any(|end| name.ends_with(end));
        ends || name.contains("all_to_all")
    };
    for spec in SPECS.iter().filter(|spec| is_part(spec.name)) {
        assert_eq!(factor(spec.name, 8), 875, "{}", spec.name);
    }
    for name in ["broadcast_chain", "broadcast_tree", "incast", "permutation"] {
        assert_eq!(factor(name, 8), 1000, "{name}");
    }
    assert_eq!(factor("ring_all_gather", 3), 667);
}

/// Bytes that a server of `g` of `n` ranks lacks; `None` where that depends on who sends to whom.
fn lacked(demand: Demand, g: u32, n: u32, size: u64) -> Option<u128> {
    let [g, n, size] = [u128::from(g), u128::from(n), u128::from(size)];
    match demand {
        Demand::Blocks(times) => Some(u128::from(times) * size * (n - g) / n),
        Demand::Pairs => Some(g * size * (n - g) / n),
        Demand::Vector => Some(size),
        Demand::Unknown => None,
    }
}

#[test]
fn what_the_ranks_of_a_server_lack_enters_it() {
    for (case, servers, g) in
        cases().iter().flat_map(|case| (2..5).flat_map(move |k| (1..5).map(move |g| (case, k, g))))
    {
        let n = servers * g;
        let size = u64::from(n) * 5040;
        let one = collective(case, size, true, Order::Rank);
        let Some(needed) = Plan::new(&one, n).ok().and_then(|plan| lacked(plan.demand(), g, n, size)) else {
            continue;
        };
        let mut entering = vec![0; servers as usize];
        for (_, sender, message) in trace(&job(n, 1, vec![one]), n, Delay::Fixed(DELAY)).sends {
            if sender / g != message.to.0 / g {
                entering[(message.to.0 / g) as usize] += u128::from(message.size.0);
            }
        }
        let most = entering.into_iter().max().unwrap_or(0);
        assert!(most >= needed, "{} n {n} g {g}: {most} of {needed}", case.name);
    }
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
    refuse("all_to_all_v", "imbalance", Value::Fraction(4.5), 4);
    for name in ["hierarchical_all_reduce", "pxn_all_to_all"] {
        refuse(name, "server", Value::Count(3), 4);
        refuse(name, "server", Value::Count(8), 4);
    }
    for name in ["broadcast_chain", "tree_all_reduce", "ring_all_reduce"] {
        refuse(name, "chunk", Value::Size(Bytes(0)), 4);
        refuse(name, "chunk", Value::Size(Bytes(1)), 4);
    }
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

#[test]
fn all_reduce_is_the_algorithm_that_it_names() {
    let spec = |name: &str| SPECS.iter().find(|spec| spec.name == name).expect("in the registry");
    for (algorithm, name) in [
        ("ring", "ring_all_reduce"),
        ("tree", "tree_all_reduce"),
        ("halving_doubling", "halving_doubling_all_reduce"),
    ] {
        for (n, size) in [(1, 100), (5, 4000), (8, 1 << 20), (6, 3 << 20)] {
            let one = |name, settings| collective(&Case { name, settings }, size, true, Order::Rank);
            let chosen = spec("all_reduce").defaults().with("algorithm", Value::Choice(algorithm));
            let mut named = spec(name).defaults();
            if name != "halving_doubling_all_reduce" {
                named = named.with("chunk", chosen.get("chunk"));
            }
            let sends = |one| trace(&job(n, 1, vec![one]), n, Delay::Fixed(DELAY)).sends;
            assert_eq!(sends(one("all_reduce", chosen)), sends(one(name, named)), "{algorithm} {n} {size}");
        }
    }
}

#[test]
fn channels_share_the_bytes_and_the_exits_of_servers() {
    let spec = |name: &str| SPECS.iter().find(|spec| spec.name == name).expect("in the registry");
    let (n, server, size) = (16, 4, 64_000);
    for name in ["ring_all_gather", "ring_reduce_scatter", "ring_all_reduce", "tree_all_reduce"] {
        let run = |channels, server| {
            let settings = spec(name).defaults().with("channels", Value::Count(channels));
            let settings = settings.with("server", server);
            let one = collective(&Case { name, settings }, size, true, Order::Rank);
            trace(&job(n, 1, vec![one]), n, Delay::Fixed(DELAY))
        };
        let single = run(1, Value::Absent);
        for channels in [2, 4, 8] {
            let several = run(channels, Value::Count(server));
            assert_eq!(several.bytes_sent(), single.bytes_sent(), "{name} {channels}");
            assert_eq!(several.end, single.end, "{name} {channels}: channels run side by side");
        }
        if !name.starts_with("ring") {
            continue;
        }
        // Bytes that leave the servers by the rank in a server.
        let mut exits = vec![0; server as usize];
        for (_, rank, message) in run(4, Value::Count(server)).sends {
            if u64::from(rank) / server != u64::from(message.to.0) / server {
                assert_eq!(u64::from(rank) % server, u64::from(message.to.0) % server, "on one rail");
                exits[(u64::from(rank) % server) as usize] += message.size.0;
            }
        }
        assert!(exits.iter().all(|&bytes| bytes == exits[0] && bytes > 0), "{name}: {exits:?}");
    }
    let settings = spec("ring_all_reduce").defaults().with("channels", Value::Count(4));
    let case = Case { name: "ring_all_reduce", settings: settings.with("server", Value::Count(3)) };
    let refused = expand(&job(16, 1, vec![collective(&case, 100, true, Order::Rank)]), 16, 1);
    assert_eq!(
        refused.unwrap_err().to_string(),
        "job 0, phase 0: `server` is 3, which does not divide 16 ranks"
    );
}
