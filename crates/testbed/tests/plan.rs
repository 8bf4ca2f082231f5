//! Planned networks of random fabrics: every host reaches every other one by the planned tables, and fabrics that
//! cannot be
//! built are refused.

use std::collections::{BTreeSet, HashMap};
use std::net::Ipv4Addr;

use netloom_scenario::{Compiled, Style, compile_fabric, resolve};
use netloom_testbed::{Options, Plan, Refusal, RouteMode, Scale, ScaleChoice, plan};
use netloom_units::{Bytes, Random, Rate};

fn compiled(fabric: &str) -> Compiled {
    let text = format!("netloom: 1\n{fabric}\n");
    let compiled = resolve(&text, "test").and_then(|resolved| compile_fabric(&resolved));
    compiled.unwrap_or_else(|mistakes| panic!("{}", mistakes.render(Style::Plain)))
}

fn planned(fabric: &str, options: &Options) -> Result<Plan, Refusal> {
    let compiled = compiled(fabric);
    plan(&compiled.model, &compiled.node_names, options)
}

/// A random fabric of one of four kinds.
fn random_fabric(random: &mut Random) -> String {
    let mut from = |least: u32, most: u32| least + random.below(most - least + 1);
    match from(0, 3) {
        0 => format!("fabric: {{ single_switch: {{ hosts: {} }} }}", from(2, 40)),
        1 => format!(
            "fabric: {{ leaf_spine: {{ leaves: {}, spines: {}, hosts_per_leaf: {}, fabric_links: {} }} }}",
            from(1, 6),
            from(1, 5),
            from(1, 6),
            from(1, 3)
        ),
        2 => "fabric: { fat_tree: { k: 4 } }".to_owned(),
        _ => random_graph(random),
    }
}

/// A tree of switches with additional links, some of them parallel, and hosts at random switches.
fn random_graph(random: &mut Random) -> String {
    let (n_switches, n_hosts) = (1 + random.below(12), 2 + random.below(12));
    let mut links: Vec<String> = Vec::new();
    let mut link = |from: String, to: String, count: u32| {
        links.push(format!("{{ from: {from}, to: {to}, rate: 100Gbps, delay: 1us, count: {count} }}"));
    };
    for switch in 1..n_switches {
        link(format!("s{switch}"), format!("s{}", random.below(switch)), 1 + random.below(2));
    }
    for _ in 0..random.below(8) {
        let (from, to) = (random.below(n_switches), random.below(n_switches));
        if from != to {
            link(format!("s{from}"), format!("s{to}"), 1);
        }
    }
    for host in 0..n_hosts {
        link(format!("h{host}"), format!("s{}", random.below(n_switches)), 1);
    }
    let names = |sign: char, n: u32| (0..n).map(|i| format!("{sign}{i}")).collect::<Vec<_>>().join(", ");
    format!(
        "fabric: {{ custom: {{ hosts: [{}], switches: [{}], links: [{}] }} }}",
        names('h', n_hosts),
        names('s', n_switches),
        links.join(", ")
    )
}

/// The possible next nodes of a packet to a host.
fn next(plan: &Plan, node: usize, host: usize) -> Vec<usize> {
    let by_port = |port: &usize| plan.interfaces[plan.interfaces[*port].peer].node;
    let direct = plan.interfaces.iter().position(|port| {
        port.node == node && plan.interfaces[port.peer].node == host && plan.nodes[node].address.is_none()
    });
    if let Some(port) = direct {
        return vec![by_port(&port)];
    }
    if plan.nodes[node].address.is_some() {
        let port = plan.interfaces.iter().position(|port| port.node == node).expect("a host has a port");
        return vec![by_port(&port)];
    }
    let mut routes = plan.routes.iter().filter(|route| route.switch == node && route.host == host);
    let hops = routes.next().expect("there is a route").next_hops.iter().map(by_port).collect();
    assert!(routes.next().is_none(), "one route per destination");
    hops
}

/// Follows every planned next hop; panics at a dead end or a loop.
fn assert_reaches(plan: &Plan, from: usize, to: usize) {
    let mut nodes = BTreeSet::from([from]);
    for _ in 0..plan.nodes.len() {
        nodes = nodes.into_iter().filter(|&node| node != to).flat_map(|node| next(plan, node, to)).collect();
        assert!(
            nodes.iter().all(|&node| node == to || plan.nodes[node].address.is_none()),
            "hosts never forward"
        );
        if nodes.is_empty() {
            return;
        }
    }
    panic!("packets from {from} to {to} loop");
}

#[test]
fn every_host_reaches_every_other_one_by_the_planned_tables() {
    let mut random = Random::stream(7, 0, 0);
    for _ in 0..60 {
        let fabric = random_fabric(&mut random);
        for routes in [RouteMode::Ecmp, RouteMode::Pinned { together: 1 }, RouteMode::Pinned { together: 3 }]
        {
            let plan = planned(&fabric, &Options { routes, ..Options::default() }).expect(&fabric);
            let n_hosts = plan.hosts().count();
            for from in 0..n_hosts {
                for to in (0..n_hosts).filter(|&to| to != from) {
                    assert_reaches(&plan, from, to);
                }
            }
            let is_pinned = plan.routes.iter().all(|route| route.next_hops.len() == 1);
            assert!(is_pinned || routes == RouteMode::Ecmp);
        }
    }
}

#[test]
fn addresses_are_unique_and_both_ends_of_a_link_are_in_one_subnet() {
    let mut random = Random::stream(8, 0, 0);
    for _ in 0..60 {
        let fabric = random_fabric(&mut random);
        let plan = planned(&fabric, &Options::default()).expect(&fabric);
        let mut subnets: HashMap<u32, usize> = HashMap::new();
        let addresses: BTreeSet<Ipv4Addr> = plan.interfaces.iter().map(|port| port.address).collect();
        assert_eq!(addresses.len(), plan.interfaces.len());
        for port in &plan.interfaces {
            let subnet = |address: Ipv4Addr| u32::from(address) >> 2;
            assert_eq!(subnet(port.address), subnet(plan.interfaces[port.peer].address));
            *subnets.entry(subnet(port.address)).or_default() += 1;
        }
        assert!(subnets.values().all(|&n| n == 2), "a subnet is one link");
    }
}

#[test]
fn the_script_names_every_part_of_the_plan_once() {
    let plan =
        planned("fabric: { leaf_spine: { leaves: 2, spines: 2, hosts_per_leaf: 1 } }", &Options::default());
    let plan = plan.expect("it can be built");
    let script = plan.script();
    let count = |text: &str| script.lines().filter(|line| line.starts_with(text)).count();
    assert_eq!(count("ip netns add "), plan.nodes.len());
    assert_eq!(count("link add name "), plan.interfaces.len() / 2);
    assert_eq!(count("qdisc add dev "), plan.interfaces.len());
    assert_eq!(count("route add 10.64."), plan.routes.len());
    assert_eq!(count("route add default "), 2);
    // Of leaf0, which is node 2: port 0 leads to its host, ports 1 and 2 to the spines.
    let up = "\nroute add 10.64.1.0/30 nexthop via 10.128.2.2 dev eth1 nexthop via 10.128.3.2 dev eth2\n";
    assert!(script.contains(up), "{script}");
}

#[test]
fn all_rates_have_the_same_scale_and_queues_are_those_of_the_scenario() {
    let fabric = "fabric: { leaf_spine: { leaves: 2, spines: 1, hosts_per_leaf: 4, host_rate: 100Gbps, fabric_rate: 400Gbps } }\n\
                  queues: { switch_limit: 64KiB }";
    let options = Options { scale: ScaleChoice::Fastest(Rate(40_000_000)), ..Options::default() };
    let plan = planned(fabric, &options).expect("it can be built");
    assert_eq!(plan.scale, Scale::new(1, 10_000).expect("it is a ratio"));
    for port in &plan.interfaces {
        let is_host = |node: usize| plan.nodes[node].address.is_some();
        let at_host = is_host(port.node) || is_host(plan.interfaces[port.peer].node);
        assert_eq!(port.rate, Rate(if at_host { 10_000_000 } else { 40_000_000 }));
        // 100 ms at hosts, for which the scenario has no limit.
        assert_eq!(port.limit, Bytes(if is_host(port.node) { 125_000 } else { 65_536 }));
        assert!(port.burst.0 >= 4 * 1_514);
    }
    let chosen = planned(fabric, &Options { queue: Some(Bytes(30_000)), ..Options::default() });
    let chosen = chosen.expect("it can be built");
    let mut of_switches = chosen.interfaces.iter().filter(|port| chosen.nodes[port.node].address.is_none());
    assert!(of_switches.all(|port| port.limit == Bytes(30_000)));
}

#[test]
fn settings_without_effect_are_listed() {
    let plain = "fabric: { single_switch: { hosts: 2 } }";
    let named = |text: &str| {
        let plan = planned(text, &Options::default()).expect("it can be built");
        plan.ignored.iter().map(|ignored| ignored.setting).collect::<Vec<_>>()
    };
    for setting in ["balance", "queues: pause frames (PFC)", "faults", "hosts"] {
        assert!(!named(plain).contains(&setting), "{setting}: {:?}", named(plain));
    }
    let lossless = "fabric: { single_switch: { hosts: 2 } }\n\
                    transport: go_back_n\n\
                    queues: { buffer: 1MiB, pause: true, marking: { minimum: 10KiB, maximum: 20KiB } }";
    let named = named(lossless);
    for setting in
        ["delay of links", "queues: shared buffer", "queues: ECN marking", "queues: pause frames (PFC)"]
    {
        assert!(named.contains(&setting), "{setting}: {named:?}");
    }
}

#[test]
fn fabrics_that_cannot_be_built_are_refused_with_reason_and_hint() {
    let link = |from: &str, to: &str| format!("{{ from: {from}, to: {to}, rate: 100Gbps, delay: 1us }}");
    let lists = |hosts: &str, links: &[String]| {
        format!("fabric: {{ custom: {{ hosts: [{hosts}], switches: [s], links: [{}] }} }}", links.join(", "))
    };
    let one_each = [link("a", "s"), link("b", "s")];
    let cases = [
        ("fabric: { single_switch: { hosts: 64 } }".to_owned(), "has 65 nodes, and a testbed has at most 64"),
        (
            "fabric: { leaf_spine: { leaves: 1, spines: 1, hosts_per_leaf: 2, fabric_links: 1100 } }"
                .to_owned(),
            "at most 1024",
        ),
        (
            "fabric: { dragonfly: { groups: 3, switches_per_group: 2, hosts_per_switch: 1 } }\nbalance: ecmp"
                .to_owned(),
            "virtual lanes",
        ),
        (
            "fabric: { rail: { servers: 2, gpus_per_server: 2, servers_per_block: 2, spines: 1 } }"
                .to_owned(),
            "internal links",
        ),
        (lists("a, b", &[&one_each[..], &[link("a", "s")]].concat()), "host `a` has 2 links"),
        (lists("'a b', c", &[link("'a b'", "s"), link("c", "s")]), "`a b` cannot be the name of a host"),
    ];
    for (fabric, reason) in cases {
        let refusal = planned(&fabric, &Options::default()).expect_err(&fabric).to_string();
        assert!(refusal.contains(reason) && refusal.contains("\nhint: "), "{fabric}: {refusal}");
    }
    let small = "fabric: { single_switch: { hosts: 2 } }";
    for scale in [Scale::new(1, 1), Scale::new(1, 1_000_000_000)] {
        let scale = ScaleChoice::Factor(scale.expect("it is a ratio"));
        let refusal =
            planned(small, &Options { scale, ..Options::default() }).expect_err("it is out of range");
        assert!(matches!(refusal, Refusal::Rates { .. }));
    }
    let refusal = planned(small, &Options { queue: Some(Bytes(3_027)), ..Options::default() });
    assert!(matches!(refusal, Err(Refusal::Queue(3_027))));
}
