//! The table of a fabric's nodes: where each of them is.

use netloom_lab::show::fabric::fabric;
use netloom_lab::show::nodes::{NodeRow, nodes};
use netloom_lab::{Overrides, Source};

/// The nodes of a fabric without a workload.
fn of(topology: &str) -> Vec<NodeRow> {
    let text = format!("netloom: 1\nfabric: {topology}\n");
    let shown = fabric(&Source::text("fabric", text), &Overrides::default());
    nodes(&shown.unwrap_or_else(|error| panic!("{error}")))
}

/// Kind, tier, block, rail, server and slot of the node of this name.
#[track_caller]
fn at(rows: &[NodeRow], name: &str) -> String {
    let row = rows.iter().find(|row| row.name == name).expect("there is such a node");
    let text = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
    let number = |number: Option<u32>| number.map_or_else(|| "-".to_owned(), |number| number.to_string());
    let parts = [text(&row.block), text(&row.rail), text(&row.server), number(row.slot)];
    format!("{} {} {}", row.kind, number(row.tier), parts.join(" "))
}

#[test]
fn gpus_of_a_rail_have_a_server_a_slot_a_rail_and_a_block() {
    let rows = of("{ rail: { servers: 4, gpus_per_server: 2, servers_per_block: 2, spines: 1 } }");
    assert_eq!(rows.iter().map(|row| row.node).collect::<Vec<_>>(), (0..17).collect::<Vec<_>>());
    assert_eq!(at(&rows, "server0.gpu0"), "gpu 0 block0 rail0 server0 0");
    assert_eq!(at(&rows, "server3.gpu1"), "gpu 0 block1 rail1 server3 1");
    assert_eq!(at(&rows, "server3.inner"), "inner 1 - - server3 -");
    assert_eq!(at(&rows, "block1.rail0"), "rail 1 block1 rail0 - -");
    assert_eq!(at(&rows, "spine0"), "spine 2 - - - -");
}

#[test]
fn hosts_of_pods_and_groups_are_in_those_of_their_switches() {
    let tree = of("{ fat_tree: { k: 4 } }");
    assert_eq!(at(&tree, "pod1.leaf0.host1"), "host 0 pod1 - - -");
    assert_eq!(at(&tree, "pod1.aggregation1"), "aggregation 2 pod1 - - -");
    assert_eq!(at(&tree, "core1.0"), "core 3 - - - -");
    let leaf_spine = of("{ leaf_spine: { leaves: 2, spines: 2, hosts_per_leaf: 2 } }");
    assert_eq!(at(&leaf_spine, "leaf1.host0"), "host 0 - - - -");
    assert_eq!(at(&leaf_spine, "leaf1"), "leaf 1 - - - -");
}

#[test]
fn switches_of_several_planes_are_no_servers() {
    let link = |from, to| format!("{{ from: {from}, to: {to}, rate: 100Gbps, delay: 1us }}");
    let links = [link("a", "one"), link("a", "two"), link("b", "one"), link("b", "two")].join(", ");
    let rows = of(&format!("{{ custom: {{ hosts: [a, b], switches: [one, two], links: [{links}] }} }}"));
    assert_eq!(at(&rows, "a"), "a 0 - - - -");
    assert_eq!(at(&rows, "one"), "one 1 - - - -");
}
