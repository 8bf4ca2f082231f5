//! Planned paths: once the controller has computed a plan, no link carries more than its share, whatever the seed;
//! before that, and where a path is down, flows are hashed.

use netloom_engine::Status;
use netloom_model::{Fault, FaultAction, Model, TransportKind};
use netloom_testkit::fixture::{Clos, ListedWork, Run, Sending, model, policy, simulate};
use netloom_units::{Duration, HostId, LinkId, Rate, Time, Value};

/// Bytes of each message: 3.2 ms at half the rate of a host's link.
const SIZE: u64 = 20_000_000;
const N_HOSTS: u32 = 8;

/// Two leaves, two spines, bundles of two: as many links up as hosts below.
fn fabric(switch: &str, seed: u64) -> Model {
    let mut clos = Clos::new(2, 2, 4);
    clos.shape.fabric_links = 2;
    let mut model = model(clos.wiring());
    let micros = |name, span| (name, Value::Duration(Duration::from_micros(span)));
    model.balances.switch = match switch {
        "nslb" => policy("nslb", &[micros("interval", 20), micros("latency", 10)]),
        other => policy(other, &[]),
    };
    model.transport.kind = TransportKind::OpenLoop { rate: Some(Rate(50_000_000_000)) };
    model.seed = seed;
    model
}

/// Every host sends two messages at once to the other leaf, so that eight flows share four paths.
fn run(model: &Model) -> Run {
    let two = |host: u32| [0, 1].map(|offset| (host, 4 - host / 4 * 4 + (host + offset) % 4));
    let sending = |(from, to)| Sending::new(0, from, to, SIZE);
    let sendings: Vec<Sending> = (0..N_HOSTS).flat_map(two).map(sending).collect();
    let run = simulate(model, ListedWork::new(&sendings));
    assert_eq!(run.outcome.status, Status::Complete);
    run
}

/// The load of each link between leaves and spines, in multiples of an even share, for both directions of all links.
fn shares(model: &Model, run: &Run) -> Vec<f64> {
    let rows = run.records.ports.iter();
    let inner = rows.filter(|row| [row.node, row.peer].iter().all(|&end| !model.fabric.is_host(end)));
    inner.map(|row| row.size.0 as f64 / (2 * SIZE) as f64).collect()
}

#[test]
fn a_plan_gives_every_link_its_share_at_any_seed() {
    let mut n_uneven = 0;
    for seed in 1..=20 {
        let planned = fabric("nslb", seed);
        let shares_planned = shares(&planned, &run(&planned));
        assert_eq!(shares_planned.len(), 16);
        // The first 30 us of 3.2 ms are hashed.
        assert!(
            shares_planned.iter().all(|share| (0.97..1.03).contains(share)),
            "{seed}: {shares_planned:?}"
        );
        let hashed = fabric("ecmp", seed);
        n_uneven += u32::from(shares(&hashed, &run(&hashed)).iter().any(|share| *share > 1.4));
    }
    assert!(n_uneven >= 19, "hashes put more than two of eight flows on one of four links: {n_uneven} of 20");
}

#[test]
fn flows_are_hashed_until_a_plan_arrives() {
    let hashed = fabric("ecmp", 3);
    let mut late = fabric("nslb", 3);
    late.balances.switch = policy("nslb", &[("latency", Value::Duration(Duration::from_micros(100_000)))]);
    let rows = |model: &Model| run(model).records.ports;
    assert!(rows(&late) == rows(&hashed));
    assert!(rows(&fabric("nslb", 3)) != rows(&hashed), "a plan changes the paths");
}

#[test]
fn flows_of_a_path_that_is_down_are_hashed_over_the_others() {
    let mut model = fabric("nslb", 1);
    // The first link of the first leaf, after those of the hosts.
    let link = LinkId(N_HOSTS);
    model.faults = vec![Fault { at: Time::ZERO, link, action: FaultAction::Down }];
    let run = run(&model);
    let ports = model.fabric.port_range(Clos::new(2, 2, 4).shape.leaf_of(HostId(0)));
    let first = ports.start + 4;
    let row = |port: u32| run.records.ports.iter().find(|row| row.port.0 == port).map_or(0, |row| row.size.0);
    let sent: Vec<u64> = (first..first + 4).map(row).collect();
    assert_eq!(sent[0], 0, "{sent:?}");
    assert_eq!(sent.iter().sum::<u64>(), 8 * SIZE);
}
