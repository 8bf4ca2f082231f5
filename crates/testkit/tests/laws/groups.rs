//! Dragonflies, Dragonfly+ and rails under load: the latency of a single packet, the throughput of minimal paths, and
//! that failing links lose no packet without counting it.

use netloom_catalog::topology::{Built, SPECS, Topology, build, number_of};
use netloom_engine::{Options, Status};
use netloom_model::{FailureAwareness, Fault, FaultAction, Model, ReroutePaths, TransportKind};
use netloom_policy::transport::Reliability;
use netloom_testkit::fixture::{ListedWork, Sending, Wiring, everything_joined, model, policy, simulate};
use netloom_units::{Duration, LinkId, Rate, Settings, Time, Value};

use crate::cases::{policies, traffic, transports};
use crate::outages::{fail, run};
use crate::rdma::rdma;

const GBPS: u64 = 1_000_000_000;

/// A topology from the catalog with these numbers, all links of 100 Gb/s, the delays of its three kinds of links in ns.
fn built(name: &str, numbers: &[(&str, u64)], delays: [(&str, u64); 3]) -> Built {
    let number = number_of(name).expect("it is registered");
    let value = |parameter: &netloom_units::Parameter| {
        let number = numbers.iter().find(|(name, _)| *name == parameter.name);
        let delay = delays.iter().find(|(name, _)| *name == parameter.name);
        let value = match (number, delay) {
            (Some(&(_, number)), _) => Value::Count(number),
            (_, Some(&(_, delay))) => Value::Duration(Duration(1000 * delay)),
            _ if parameter.name == "host_rate" => Value::Rate(Rate(100 * GBPS)),
            _ => parameter.default.clone().expect("all numbers are given"),
        };
        (parameter.name, value)
    };
    let settings = Settings::new(SPECS[number].parameters.iter().map(value).collect());
    build(&Topology::Parametric { number, settings }).expect("the topology is valid")
}

fn model_of(built: Built) -> Model {
    model(Wiring { fabric: built.fabric, routing: built.routing })
}

const DELAYS: [(&str, u64); 3] = [("host_delay", 100), ("local_delay", 1_000), ("global_delay", 10_000)];

/// Two hosts below each of four switches, nine groups.
fn balanced() -> Model {
    let numbers = [("groups", 9), ("switches_per_group", 4), ("hosts_per_switch", 2)];
    model_of(built("dragonfly", &numbers, DELAYS))
}

/// Five groups of two leaves and two spines, two hosts below each leaf.
fn plus() -> Model {
    let numbers = [("groups", 5), ("leaves_per_group", 2), ("spines_per_group", 2), ("hosts_per_leaf", 2)];
    model_of(built("dragonfly_plus", &numbers, DELAYS))
}

/// The time that one packet of 1,000 bytes takes from host to host.
fn alone(model: &Model, from: u32, to: u32) -> u64 {
    let run = simulate(model, ListedWork::new(&[Sending::new(0, from, to, 1_000)]));
    run.records.flows[0].end.expect("the message arrives").0
}

#[test]
fn a_single_packet_crosses_the_links_of_its_minimal_path() {
    // A link takes 80 ns, and its delay; two of them are host links.
    let over =
        |local: u64, global: u64| 1000 * (80 * (2 + local + global) + 200 + 1_000 * local + 10_000 * global);
    let dragonfly = balanced();
    assert_eq!(alone(&dragonfly, 0, 1), over(0, 0), "below one switch");
    assert_eq!(alone(&dragonfly, 0, 7), over(1, 0), "within the group");
    // Switch 0 of group 0 has the links to groups 1 and 2; they end at switch 0 of each.
    assert_eq!(alone(&dragonfly, 0, 8), over(0, 1));
    assert_eq!(alone(&dragonfly, 0, 10), over(1, 1));
    assert_eq!(alone(&dragonfly, 2, 8), over(1, 1));
    assert_eq!(alone(&dragonfly, 2, 15), over(2, 1));
    let plus = plus();
    assert_eq!(alone(&plus, 0, 1), over(0, 0));
    assert_eq!(alone(&plus, 0, 2), over(2, 0));
    assert_eq!(alone(&plus, 0, 4), over(2, 1));
    assert_eq!(alone(&plus, 3, 19), over(2, 1));
    let delays = [("inner_delay", 10), ("host_delay", 100), ("fabric_delay", 1_000)];
    let numbers = [("servers", 4), ("gpus_per_server", 2), ("servers_per_block", 2), ("spines", 1)];
    let mut built = built("rail", &numbers, delays);
    built.fabric.change_rates(|_| Rate(100 * GBPS));
    let rail = model_of(built);
    assert_eq!(alone(&rail, 0, 1), 1000 * (2 * 80 + 2 * 10), "inside the server");
    assert_eq!(alone(&rail, 0, 2), 1000 * (2 * 80 + 2 * 100), "on the rail");
    assert_eq!(alone(&rail, 0, 3), 1000 * (4 * 80 + 2 * 100 + 2 * 1_000), "from rail to rail");
    assert_eq!(alone(&rail, 0, 4), 1000 * (4 * 80 + 2 * 100 + 2 * 1_000), "to the other block");
}

/// Three links between two groups of four switches: the ideal time uses the link that ends at the destination's switch.
#[test]
fn the_ideal_time_in_a_dragonfly_is_that_of_the_shortest_minimal_path() {
    let numbers = [("groups", 2), ("switches_per_group", 4), ("hosts_per_switch", 1), ("global_links", 3)];
    let model = model_of(built("dragonfly", &numbers, DELAYS));
    let ideal = |to: u32| {
        let run = simulate(&model, ListedWork::new(&[Sending::new(0, 3, to, 1_000)]));
        run.records.flows[0].ideal.map(|time| time.0)
    };
    let over = |local: u64| Some(1000 * (80 * (3 + local) + 200 + 1_000 * local + 10_000));
    assert_eq!([4, 5, 6, 7].map(ideal), [over(1), over(1), over(1), over(2)]);
}

/// Kim et al., section 4: minimal paths carry 1 / (a p) of what the hosts of a group could send to the next group.
#[test]
fn all_hosts_of_a_group_share_its_one_link_to_the_next() {
    let model = balanced();
    let bytes = 400_000;
    let sendings: Vec<Sending> = (0..72).map(|host| Sending::new(0, host, (host + 8) % 72, bytes)).collect();
    let end = simulate(&model, ListedWork::new(&sendings)).outcome.end.0;
    let on_the_link = 8 * bytes * 80;
    assert!(end >= on_the_link && end < on_the_link + 20_000_000, "{end} ps, {on_the_link} on the link");
}

fn fabrics() -> [(&'static str, Model); 5] {
    let several =
        [("groups", 3), ("switches_per_group", 4), ("hosts_per_switch", 2), ("nics", 2), ("global_links", 3)];
    let some = [
        ("groups", 3),
        ("leaves_per_group", 2),
        ("spines_per_group", 2),
        ("hosts_per_leaf", 2),
        ("global_ports", 1),
    ];
    let rail = [("servers", 4), ("gpus_per_server", 3), ("servers_per_block", 2), ("spines", 2)];
    let delays = [("inner_delay", 0), ("host_delay", 100), ("fabric_delay", 1_000)];
    [
        ("dragonfly", balanced()),
        ("dragonfly of two NICs", model_of(built("dragonfly", &several, DELAYS))),
        ("dragonfly_plus", plus()),
        ("dragonfly_plus of few ports", model_of(built("dragonfly_plus", &some, DELAYS))),
        ("rail", model_of(built("rail", &rail, delays))),
    ]
}

#[test]
fn failures_in_groups_and_rails_lose_no_packet_uncounted() {
    let plain = Options::default();
    let variants = [
        Options { threads: 2, coarsen: 2, ..plain },
        Options { coarsen: 7, shortcut: false, ..plain },
        everything_joined(),
    ];
    let mut n_complete = 0;
    for seed in 0..60 {
        let all = fabrics();
        let (name, mut model) = all[seed as usize % all.len()].clone();
        let (transport, kind, control) = transports()[seed as usize / 5 % 4];
        (model.transport.kind, model.classes.control) = (kind, control);
        if seed % 3 == 2 {
            (model.transport.kind, model.classes.control) =
                (TransportKind::Rdma(rdma(Reliability::NicSr)), 3);
        }
        let policies = policies();
        let (chosen, policy) = &policies[seed as usize % 9];
        model.balances.switch = policy.clone();
        fail(&mut model, seed);
        let what = format!("seed {seed}: {name}, {transport}, {chosen}, {:?}", model.awareness);
        let work = ListedWork::new(&traffic(seed, model.fabric.n_hosts() as u32, 60, 9_000));
        let first = run(&model, &work, plain);
        assert_ne!(first.outcome.status, Status::Stopped, "{what}");
        let other = run(&model, &work, variants[seed as usize % 3]);
        assert!(other.records == first.records, "{what}");
        assert_eq!(other.outcome.end, first.outcome.end, "{what}");
        let unfinished = first.records.flows.iter().filter(|row| row.end.is_none()).count();
        match &first.outcome.status {
            Status::Complete => n_complete += 1,
            Status::Stalled(stall) => assert_eq!(stall.unfinished, unfinished as u64, "{what}"),
            other => panic!("{what}: {other:?}"),
        }
    }
    assert!(n_complete > 10, "{n_complete} complete");
}

/// The only link between groups 0 and 1 is dead: with awareness of it, packets take another group; without, they are
/// lost.
#[test]
fn failure_awareness_routes_around_a_dead_link_between_groups() {
    let mut model = balanced();
    let ports = model.fabric.ports().iter();
    let between = ports.filter(|port| {
        let end = model.fabric.port(port.peer).node;
        (model.routing.group_of(port.node), model.routing.group_of(end)) == (0, 1)
    });
    let links: Vec<LinkId> = between.map(|port| port.link).collect();
    let [link] = links[..] else { panic!("one link between two groups: {links:?}") };
    model.faults = vec![Fault { at: Time::ZERO, link, action: FaultAction::Down }];
    model.balances.switch = policy("spray", &[]);
    let sendings: Vec<Sending> = (0..8).map(|host| Sending::new(0, host, host + 8, 20_000)).collect();
    for (knowledge, arrive) in
        [(FailureAwareness::Global(ReroutePaths::Shortest), 8), (FailureAwareness::Local, 0)]
    {
        model.awareness = knowledge;
        let found = simulate(&model, ListedWork::new(&sendings));
        let arrived = found.records.flows.iter().filter(|row| row.end.is_some()).count();
        assert_eq!(arrived, arrive, "{knowledge:?}");
    }
}
