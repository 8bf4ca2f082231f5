//! Global links: those that join every two groups of switches.
//!
//! Models: their ends and names, in order: for each two groups, the lower one first, and each parallel link.
//! Leaves out: which switch of a group has which number; the topology defines it.
//!
//! Invariants: the global ports of a switch are in the order of groups.

use netloom_model::{Arrangement, GlobalLinkMap};
use netloom_units::{Kind, NodeId, Parameter, Settings, Value};

use super::product;

/// How global links may be arranged.
pub(super) const ARRANGEMENT: Parameter = Parameter {
    name: "arrangement",
    kind: Kind::Choice(&["absolute", "relative"]),
    default: Some(Value::Choice("absolute")),
    meaning: "order of the other groups in which a group distributes its global links over its switches: by \
              number (`absolute`), or from the next group on (`relative`)",
};

/// The arrangement that the settings choose.
pub(super) fn arrangement(settings: &Settings) -> Arrangement {
    match settings.choice("arrangement") {
        "relative" => Arrangement::Relative,
        _ => Arrangement::Absolute,
    }
}

/// Number of global links.
pub(super) fn n_links(groups: u64, per_pair: Option<u64>) -> Option<u64> {
    // One of two neighbouring numbers is even.
    let pairs = product(&[groups, groups - 1])? / 2;
    product(&[pairs, per_pair?])
}

/// The ends of the global links in order: group and number of a switch, on both sides.
pub(super) fn global_links(dealing: &GlobalLinkMap) -> impl Iterator<Item = [(u32, u32); 2]> + '_ {
    let groups = dealing.groups();
    let pairs = (0..groups).flat_map(move |lower| (lower + 1..groups).map(move |upper| (lower, upper)));
    pairs.flat_map(move |(lower, upper)| {
        let end = move |own, other, number| (own, dealing.switch(own, other, number));
        (0..dealing.per_pair()).map(move |number| [end(lower, upper, number), end(upper, lower, number)])
    })
}

/// The names of the global links, from the names of the nodes at their ends and the index among parallel links.
pub(super) fn link_names(
    dealing: &GlobalLinkMap,
    node_names: &[String],
    node: impl Fn((u32, u32)) -> NodeId,
) -> Vec<String> {
    let mut before = None;
    let mut position = 0;
    let name = |end| node_names[node(end).index()].as_str();
    let named = global_links(dealing).map(|ends| {
        position = if before == Some(ends) { position + 1 } else { 0 };
        before = Some(ends);
        format!("{}-{}.{position}", name(ends[0]), name(ends[1]))
    });
    named.collect()
}
