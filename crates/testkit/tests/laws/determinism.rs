//! Same model, same seed: the same records, whatever the execution options.
//!
//! Threads, the port shortcut, the joining of partitions and the number of operations per batch must not change
//! records; every policy is combined with every transport, with and without failures, on long, short and zero-delay
//! host links.

use std::cell::Cell;

use netloom_engine::{Extensions, Options};
use netloom_model::{FailureAwareness, Model, Operation, Sampling};
use netloom_policy::balance::Chosen;
use netloom_testkit::fixture::{
    Cable, Clos, ListedWork, Run, Sending, everything_joined, model, policy, simulate, simulate_with,
};
use netloom_units::{Duration, HostId, Random, Value};

use crate::cases::{BY_DESTINATION, DAMAGES, Damage, damage, policies, traffic, transports};

const N_HOSTS: u32 = 12;
const N_LEAVES: u32 = 4;

/// With only four leaves, no quarter of all ports is one leaf with its hosts: host links are joined inside partitions.
fn clos(host_delay: u64) -> Model {
    let mut clos = Clos::new(N_LEAVES, 3, N_HOSTS / N_LEAVES);
    clos.host = Cable::new(50_000_000_000, host_delay);
    clos.shape.host_links = 2;
    let mut model = model(clos.wiring());
    // Longer than any link: windows are as long as the lookahead allows, not a picosecond shorter.
    model.coordination_delay = Duration(5_000_000);
    model.recording.queue_packets = true;
    model.recording.series = Some(Sampling::every(Duration(2_500_000)));
    model.queues.switch_limit = Some(netloom_units::Bytes(60_000));
    model
}

/// Background messages, then an exchange in which all hosts wait for others, a barrier, and the same again.
fn work(seed: u64) -> ListedWork {
    let hosts = (0..N_HOSTS).map(HostId);
    let mut work = ListedWork::of_hosts(hosts.clone());
    for sending in traffic(seed, N_HOSTS, 40, 500) {
        work.push(sending.from, Operation::Until(sending.at));
        work.send(&sending);
    }
    let mut random = Random::stream(seed, 77, 3);
    for tag in 0..2 {
        for from in hosts.clone() {
            for step in [1, 5, 6] {
                let size = 1 + u64::from(random.below(9_000));
                let to = (from.0 + step) % N_HOSTS;
                work.send(&Sending::new(0, from.0, to, size).tagged(tag));
            }
            work.push(from, Operation::Receive { tag, messages: 3 });
            work.push(from, Operation::Compute(Duration(u64::from(from.0 % 3) * 100_000)));
            work.push(from, Operation::Barrier { group: tag as u32 });
        }
    }
    work
}

/// Execution options, which must not matter.
fn variants() -> [Options; 6] {
    let plain = Options::default();
    [
        plain,
        Options { threads: 2, ..plain },
        Options { threads: 4, shortcut: false, ..plain },
        Options { coarsen: 2, ..plain },
        Options { coarsen: 7, shortcut: false, ..plain },
        Options { threads: 2, ..everything_joined() },
    ]
}

fn case(
    chosen: &Chosen,
    transport: usize,
    (wrong, knowledge): (Damage, FailureAwareness),
    host_delay: u64,
) -> Model {
    let mut model = clos(host_delay);
    model.balances.switch = chosen.clone();
    model.balances.host = chosen.clone();
    (model.transport.kind, model.classes.control) = (transports()[transport].1, transports()[transport].2);
    model.awareness = knowledge;
    damage(&mut model, wrong, 2 * N_HOSTS);
    model
}

fn run_as(model: &Model, options: Options) -> Run {
    simulate_with(model, work(1), options, Extensions::default())
}

/// Runs one arrangement of delays with all cases; names the case that differs.
fn same_however_it_runs(host_delay: u64) {
    for (name, chosen) in policies() {
        for (transport, (kind, ..)) in transports().into_iter().enumerate() {
            for wrong in DAMAGES {
                let model = case(&chosen, transport, wrong, host_delay);
                let expected = simulate(&model, work(1)).results();
                for options in variants() {
                    let actual = run_as(&model, options).results();
                    assert!(actual == expected, "{name}, {kind}, {wrong:?}, {options:?}");
                }
                for portion in [1, 3] {
                    let actual = simulate(&model, work(1).at_a_time(portion)).results();
                    assert!(actual == expected, "{name}, {kind}, {wrong:?}, {portion} operations at a time");
                }
            }
        }
    }
}

#[test]
fn records_are_the_same_with_equal_delays() {
    same_however_it_runs(1_000_000);
}

#[test]
fn records_are_the_same_with_short_host_links() {
    same_however_it_runs(10_000);
}

#[test]
fn records_are_the_same_with_host_links_without_delay() {
    same_however_it_runs(0);
}

/// One host, two long paced messages, and a series of short ones beside them, all in step: their packets reach the
/// host's queue at the same instants.
fn paced_in_step() -> ListedWork {
    let step = 400_000;
    let mut sendings = vec![Sending::new(0, 0, 3, 400_000), Sending::new(7 * step, 0, 4, 400_000)];
    for number in 0..120 {
        let size = 1_000 * (1 + u64::from(number) % 7);
        sendings.push(Sending::new(u64::from(number) * 3 * step, 0, 5 + number % 7, size));
    }
    ListedWork::new(&sendings)
}

#[test]
fn simultaneous_paced_packets_leave_in_a_defined_order() {
    let mut model = clos(10_000);
    model.transport.kind = transports()[1].1;
    let expected = simulate(&model, paced_in_step()).results();
    let mut different = Vec::new();
    for portion in [1, 2, 40, usize::MAX] {
        for options in variants() {
            let work = paced_in_step().at_a_time(portion);
            if simulate_with(&model, work, options, Extensions::default()).results() != expected {
                different.push((portion, options));
            }
        }
    }
    assert!(different.is_empty(), "(operations at a time, options): {different:#?}");
}

#[test]
fn many_windows_with_many_threads() {
    let model = case(&policy("spray", &[]), 2, DAMAGES[4], 1_000_000);
    let expected = simulate(&model, work(1)).results();
    for _ in 0..20 {
        assert!(run_as(&model, Options { threads: 4, ..Options::default() }).results() == expected);
    }
}

#[test]
fn sharing_rounds_by_measured_time_gives_the_same_rows() {
    let n_reads = Cell::new(0_u64);
    // Rounds of 0 to 3 ms in turn: trials of sharing succeed and fail.
    let clock = || {
        n_reads.set(n_reads.get() + 1);
        n_reads.get() * 1_500_000 + n_reads.get() % 3 * 750_000
    };
    for (name, chosen) in policies() {
        let model = case(&chosen, 0, DAMAGES[0], 1_000_000);
        let expected = simulate(&model, work(1)).results();
        for threads in [2, 3, 8] {
            let options = Options { threads, ..Options::default() };
            let extensions = Extensions { clock: Some(&clock), ..Extensions::default() };
            assert!(
                simulate_with(&model, work(1), options, extensions).results() == expected,
                "{name}, {threads}"
            );
        }
    }
    assert!(n_reads.get() > 1_000, "rounds are timed: {} reads", n_reads.get());
}

#[test]
fn short_host_links_are_inside_partitions_and_all_links_may_be() {
    let windows = |host_delay| {
        let model = case(&policy("spray", &[]), 0, DAMAGES[0], host_delay);
        simulate(&model, work(1)).outcome.window
    };
    assert_eq!([0, 10_000, 1_000_000].map(windows), [Duration(1_000_000); 3]);
}

#[test]
fn different_seeds_give_different_records() {
    for (name, chosen) in policies() {
        let model = case(&chosen, 0, DAMAGES[0], 10_000);
        let other = Model { seed: 2, ..model.clone() };
        let runs = [&model, &other].map(|model| simulate(model, work(1)));
        // A table that is computed by rule is the same in every run.
        assert_eq!(runs[0].records == runs[1].records, name == BY_DESTINATION, "{name}");
    }
}

#[test]
fn without_random_draws_and_hashes_the_seed_does_not_matter() {
    // Round robin starts its pointers at random; on single paths there is no choice.
    let mut model = clos(10_000);
    model.fabric = Clos::new(2, 1, N_HOSTS / 2).wiring().fabric;
    model.routing = Clos::new(2, 1, N_HOSTS / 2).wiring().routing;
    model.balances.switch = policy("flowlet", &[("by", Value::Choice("packets"))]);
    let other = Model { seed: 2, ..model.clone() };
    assert!(simulate(&model, work(1)) == simulate(&other, work(1)));
}
