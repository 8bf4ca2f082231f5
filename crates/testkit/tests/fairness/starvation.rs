//! Scenarios in which one flow got next to nothing: its ingress was always busy when it had the turn.

use crate::measurement::{Crossbar, PACKET, PAYLOAD, measure};
use crate::parallel;

/// A flow between two hosts.
type Ends = (&'static str, &'static str);

/// The settings that vary.
#[derive(Debug, Clone, Copy)]
struct Variant {
    speedup: u32,
    forwarding: &'static str,
    gbps: u32,
    seed: u32,
}

fn variants() -> Vec<Variant> {
    let mut variants = Vec::new();
    for speedup in [1, 2, 16] {
        for forwarding in ["cut_through", "store_and_forward"] {
            for gbps in [199, 200] {
                variants.extend((1..=4).map(|seed| Variant { speedup, forwarding, gbps, seed }));
            }
        }
    }
    variants
}

fn scenario(head: &str, credits: &str, flows: &[Ends]) -> String {
    let mut text = format!(
        "netloom: 1\n{head}\nbalance: {{host: deterministic, switch: deterministic}}\ntransport: ideal\n\
         queues: {{credits: {{{credits}}}}}\nflows:\n  message: 1MiB\n  warm_up: 400us\n  list:\n"
    );
    for (flow, (from, to)) in flows.iter().enumerate() {
        text += &format!("    - {{name: f{flow}, from: {from}, to: {to}, stop: 1500us}}\n");
    }
    text
}

fn gbps(text: &str) -> Vec<f64> {
    measure(text, Crossbar::AsWritten).gbps()
}

/// Of four flows, two go to one host; one of these leaves a host that receives another flow.
const FOUR: [Ends; 4] = [
    ("leaf4.host1", "leaf0.host1"),
    ("leaf3.host2", "leaf2.host0"),
    ("leaf2.host0", "leaf0.host1"),
    ("leaf0.host0", "leaf1.host1"),
];

fn four_flows(variant: Variant) -> Vec<f64> {
    let Variant { speedup, forwarding, gbps: rate, seed } = variant;
    let head = format!(
        "seed: {seed}\nfabric:\n  leaf_spine: {{leaves: 5, spines: 3, hosts_per_leaf: 4, host_rate: {rate}Gbps, \
         host_delay: 100ns, fabric_delay: 100ns}}"
    );
    gbps(&scenario(&head, &format!("speedup: {speedup}, forwarding: {forwarding}"), &FOUR))
}

#[test]
fn two_flows_to_one_host_share_its_link_and_others_get_their_links() {
    for (variant, found) in parallel::map(&variants(), |&variant| (variant, four_flows(variant))) {
        let [f0, f1, f2, f7] = found[..] else { panic!("four flows: {found:?}") };
        println!("{variant:?}: {f0:.2} {f1:.2} {f2:.2} {f7:.2} Gb/s");
        let payload = f64::from(variant.gbps) * PAYLOAD as f64 / PACKET as f64;
        let (even, least) = if variant.speedup == 1 {
            (0.06, 0.94 * payload)
        } else {
            (0.02, if variant.gbps == 200 { 193.0 } else { 192.0 })
        };
        let half = payload / 2.0;
        let is_even = [f0, f2].iter().all(|flow| (flow / half - 1.0).abs() <= even);
        assert!(is_even, "{variant:?}: {found:?}, two of them should get {half}");
        assert!(f1.min(f7) >= least, "{variant:?}: {found:?}, two of them should get {least}");
    }
}

/// Three flows below one leaf, none of which shares a link with another one.
const THREE: [Ends; 3] =
    [("leaf0.host0", "leaf0.host1"), ("leaf0.host2", "leaf0.host0"), ("leaf0.host1", "leaf0.host3")];

#[test]
fn three_flows_without_competition_get_the_link_rate() {
    let fabric = "fabric: {leaf_spine: {leaves: 1, spines: 0, hosts_per_leaf: 4, host_rate: 200Gbps, host_delay: 100ns}}";
    let found = gbps(&scenario(fabric, "control_vl: 0", &THREE));
    println!("{found:.2?} Gb/s");
    assert!(found.len() == 3 && found.iter().all(|&flow| flow >= 180.0), "{found:?}");
}

#[test]
fn with_a_fourth_flow_to_one_of_their_receivers_no_flow_starves() {
    let fabric = "fabric: {leaf_spine: {leaves: 2, spines: 1, hosts_per_leaf: 4, host_rate: 200Gbps, host_delay: 100ns, \
                  fabric_delay: 100ns}}";
    let flows: Vec<Ends> = THREE.into_iter().chain([("leaf1.host0", "leaf0.host0")]).collect();
    let found = gbps(&scenario(fabric, "control_vl: 0", &flows));
    println!("{found:.2?} Gb/s");
    assert!(found.len() == 4 && found.iter().all(|&flow| flow >= 20.0), "{found:?}");
}
