//! Ingress ports that compete for egress ports: against static routes and formulas of trees; too many hosts are
//! refused.

use netloom_lab::show::arbitration::{Arbitration, Direction, EgressKind, Span, arbitration};
use netloom_lab::{Overrides, Source};

/// A tree of two tiers as in the paper: K hosts and K uplinks at each of 2K leaves.
fn tree(k: u32, policy: &str) -> Arbitration {
    let leaves = 2 * k;
    shown(&format!(
        "netloom: 1
fabric: {{leaf_spine: {{leaves: {leaves}, spines: {k}, hosts_per_leaf: {k}}}}}
balance: {policy}
jobs: [{{phases: [{{compute: 1us}}]}}]
"
    ))
}

fn shown(text: &str) -> Arbitration {
    arbitration(&Source::text("scene.yaml", text), &Overrides::default()).expect("it can be shown")
}

fn kind(tier: u32, direction: Direction, ports: u32, [above, beside, below]: [u32; 3]) -> EgressKind {
    let span = |n: u32| Span { least: n, most: n };
    EgressKind {
        tier,
        direction,
        egress_ports: ports,
        all: span(above + beside + below),
        from_above: span(above),
        from_beside: span(beside),
        from_below: span(below),
    }
}

#[test]
fn trees_of_two_tiers_follow_the_formulas() {
    for k in 1..=6 {
        for (policy, uplinks) in [("deterministic", 1), ("adaptive_infiniband", k), ("spray", k)] {
            let found = tree(k, policy);
            let ports = 2 * k * k;
            let expected = [
                kind(1, Direction::Up, ports, [0, 0, k]),
                kind(1, Direction::Down, ports, [uplinks, 0, k - 1]),
                kind(2, Direction::Down, ports, [0, 0, 2 * k - 1]),
            ];
            assert_eq!(found.kinds, expected, "K = {k}, {policy}");
            assert_eq!(found.policy, policy);
        }
    }
}

/// Two switches with two links between them; hosts A and B at one, C at the other.
fn two_switches(policy: &str, rest: &str) -> String {
    format!(
        "netloom: 1
fabric:
  custom:
    hosts: [A, B, C]
    switches: [left, right]
    links:
      - {{from: A, to: left, rate: 100Gbps, delay: 1us}}
      - {{from: B, to: left, rate: 100Gbps, delay: 1us}}
      - {{from: C, to: right, rate: 100Gbps, delay: 1us}}
      - {{from: left, to: right, rate: 100Gbps, delay: 1us, count: 2}}
balance: {policy}
{rest}jobs: [{{phases: [{{compute: 1us}}]}}]
"
    )
}

/// The links by which packets for an egress port arrive.
fn met<'a>(found: &'a Arbitration, at: &str, link: &str) -> Vec<&'a str> {
    let port = found.ports.iter().find(|port| port.at == at && port.link == link).expect("there is one");
    let all = port.from_above.iter().chain(&port.from_beside).chain(&port.from_below);
    all.map(String::as_str).collect()
}

#[test]
fn static_routes_determine_the_competing_ports() {
    let static_routes = "routes:
  - {at: left, from: A, to: C, link: left-right.0}
  - {at: left, from: B, to: C, link: left-right.1}
";
    let apart = shown(&two_switches("{deterministic: {key: pair}}", static_routes));
    assert_eq!(met(&apart, "left", "left-right.0"), ["A-left"]);
    assert_eq!(met(&apart, "left", "left-right.1"), ["B-left"]);
    assert_eq!(met(&apart, "right", "C-right"), ["left-right.0", "left-right.1"]);
    let together = shown(&two_switches("deterministic", "routes: [{at: left, to: C, link: left-right.1}]\n"));
    assert!(met(&together, "left", "left-right.0").is_empty());
    assert_eq!(met(&together, "left", "left-right.1"), ["A-left", "B-left"]);
    // 0 to 2 ingress ports compete for the links between the switches; both switches are in the same tier.
    let across =
        together.kinds.iter().find(|kind| kind.direction == Direction::Across).expect("there is one");
    assert_eq!((across.tier, across.all), (1, Span { least: 0, most: 2 }));
}

#[test]
fn a_cycle_of_static_routes_terminates() {
    let circle = "deadline: 1ms
routes:
  - {at: left, to: C, link: left-right.0}
  - {at: right, to: C, link: left-right.1, any: true}
";
    let found = shown(&two_switches("deterministic", circle));
    assert!(met(&found, "right", "C-right").is_empty(), "no packet arrives there");
    assert_eq!(met(&found, "left", "left-right.0"), ["left-right.1", "A-left", "B-left"]);
}

#[test]
fn too_many_hosts_are_refused() {
    let text = "netloom: 1
fabric: {leaf_spine: {leaves: 64, spines: 1, hosts_per_leaf: 64}}
jobs: [{phases: [{compute: 1us}]}]
";
    let error = arbitration(&Source::text("scene.yaml", text), &Overrides::default()).expect_err("too many");
    assert!(error.to_string().contains("16773120 pairs"), "{error}");
}
