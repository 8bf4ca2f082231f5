//! Merging of two trees: the heir's values over those of its base.
//!
//! Maps merge key by key; lists and single values of the heir replace those of the base. For a plug-in, its name
//! decides: the same plug-in keeps the parameters that the heir does not write, another one replaces it whole. A
//! section that the heir leaves empty stays as in the base.
//!
//! Invariants: a value keeps its location; a map counts as written by the heir if both write it.

use std::collections::BTreeMap;

use crate::resolved::Balance;
use crate::written::{Entry, Node, Tree};

/// Paths at which a plug-in is expected. Lists are not merged, so plug-ins inside them are not listed.
const PLUGIN_PATHS: &[&[&str]] = &[
    &["fabric"],
    &["balance"],
    &["balance", "host"],
    &["balance", "switch"],
    &["balance", "control"],
    &["balance", "edge"],
    &["transport"],
    &["congestion"],
    &["background"],
    &["interference", "victim"],
    &["interference", "aggressor"],
];

/// The tree of an heir over that of its base.
pub(super) fn merge(base: Node, heir: Node) -> Node {
    at(&[], base, heir)
}

fn at(path: &[&str], base: Node, heir: Node) -> Node {
    if path == ["balance"] && has_node_kinds(&heir) {
        return maps(path, by_node_kind(base), heir);
    }
    if PLUGIN_PATHS.contains(&path) { plugin(path, base, heir) } else { maps(path, base, heir) }
}

/// Merges two maps key by key; any other value of the heir replaces that of the base.
fn maps(path: &[&str], base: Node, heir: Node) -> Node {
    let Node { location, owner, tree } = heir;
    let tree = match (base.tree, tree) {
        (Tree::Map(base), Tree::Map(heir)) => Tree::Map(entries(path, base, heir)),
        (base @ Tree::Map(_), Tree::Nothing) => base,
        (_, tree) => tree,
    };
    Node { location, owner, tree }
}

/// The entries of the base in their order, then those that only the heir has.
fn entries(path: &[&str], base: Vec<Entry>, heir: Vec<Entry>) -> Vec<Entry> {
    let numbers: BTreeMap<String, usize> =
        base.iter().enumerate().map(|(number, entry)| (entry.key.clone(), number)).collect();
    let mut merged: Vec<Option<Entry>> = base.into_iter().map(Some).collect();
    for entry in heir {
        let slot = numbers.get(&entry.key).map(|number| &mut merged[*number]);
        match slot {
            None => merged.push(Some(entry)),
            Some(slot) => {
                *slot = slot.take().map(|inherited| {
                    let below = [path, &[entry.key.as_str()]].concat();
                    let value = at(&below, inherited.value, entry.value);
                    Entry { value, ..entry }
                });
            }
        }
    }
    merged.into_iter().flatten().collect()
}

/// Merges the values for one plug-in: `name`, or `{ name: { parameters } }`.
fn plugin(path: &[&str], base: Node, heir: Node) -> Node {
    match (name_of(&base), name_of(&heir)) {
        (Some(one), Some(other)) if one == other => {}
        _ => return heir,
    }
    match (&base.tree, &heir.tree) {
        // The bare name only selects the plug-in.
        (Tree::Map(_), Tree::Text(_)) => renamed(base, heir),
        _ => maps(path, base, heir),
    }
}

/// The plug-in of the base, with its name at the heir's location.
fn renamed(base: Node, heir: Node) -> Node {
    let Tree::Map(mut entries) = base.tree else { return heir };
    for entry in &mut entries {
        entry.key_location = heir.location;
        entry.value.owner = Some(heir.location);
    }
    Node { tree: Tree::Map(entries), ..heir }
}

/// The name of a plug-in, if the node is one.
fn name_of(node: &Node) -> Option<&str> {
    match &node.tree {
        Tree::Text(name) => Some(name),
        Tree::Map(entries) if entries.len() == 1 => Some(&entries[0].key),
        _ => None,
    }
}

/// Whether a balance section has a policy for each kind of node.
fn has_node_kinds(node: &Node) -> bool {
    let is_node_kind = |entry: &Entry| Balance::NODE_KINDS.contains(&entry.key.as_str());
    matches!(&node.tree, Tree::Map(entries) if entries.iter().any(is_node_kind))
}

/// One policy for all nodes, rewritten as one for each kind.
fn by_node_kind(node: Node) -> Node {
    if has_node_kinds(&node) || matches!(node.tree, Tree::Nothing) {
        return node;
    }
    let Node { location, owner, .. } = node;
    let of_kind = |key: &str| Entry { key: key.to_owned(), key_location: node.head(), value: node.clone() };
    Node { location, owner, tree: Tree::Map(vec![of_kind("host"), of_kind("switch")]) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Problems;
    use crate::written::arbitrary::{node, without_locations};
    use crate::written::{parse, print};
    use proptest::prelude::*;

    fn merged(base: &str, heir: &str) -> String {
        let mut problems = Problems::default();
        let mut read = |text| parse(text, 0, 0, &mut problems).expect("the text is well-formed");
        let (base, heir) = (read(base), read(heir));
        print(&merge(base, heir)).trim_end().to_owned()
    }

    #[test]
    fn maps_merge_and_other_values_are_replaced() {
        let base = "seed: 1\nqueues: {switch_limit: 1MiB, host_limit: none}\njobs: [a, b]";
        let heir = "queues: {host_limit: 2MiB}\njobs: [c]\ndeadline: 1s";
        let expected = "seed: 1\nqueues: {switch_limit: 1MiB, host_limit: 2MiB}\njobs: [c]\ndeadline: 1s";
        assert_eq!(merged(base, heir), expected);
        assert_eq!(merged("queues: {host_limit: 1B}", "queues:"), "queues: {host_limit: 1B}");
        assert_eq!(
            merged("faults: {random: none}", "faults: {random: {fraction: 1%}}"),
            "faults: {random: {fraction: 1%}}"
        );
        assert_eq!(merged("deadline: 1s", "deadline:"), "deadline: ~");
    }

    #[test]
    fn the_same_plug_in_keeps_its_parameters_and_another_replaces_it() {
        let base = "balance: {adaptive: {backlog: packets}}";
        assert_eq!(merged(base, "balance: adaptive"), base);
        assert_eq!(merged(base, "balance: {adaptive: }"), base);
        assert_eq!(
            merged(base, "balance: {adaptive: {backlog: bytes}}"),
            "balance: {adaptive: {backlog: bytes}}"
        );
        assert_eq!(merged(base, "balance: spray"), "balance: spray");
        assert_eq!(merged(base, "balance: {ecmp: {salt: none}}"), "balance: {ecmp: {salt: none}}");
        assert_eq!(merged("balance: ecmp", "balance: {ecmp: {salt: none}}"), "balance: {ecmp: {salt: none}}");
        assert_eq!(merged("background: {mice: {end: 1s}}", "background: none"), "background: none");
    }

    #[test]
    fn a_policy_for_all_is_one_for_each_kind_of_node() {
        let host = "balance: {host: spray}";
        assert_eq!(merged("balance: adaptive", host), "balance: {host: spray, switch: adaptive}");
        assert_eq!(merged("balance: {switch: ecmp}", host), "balance: {switch: ecmp, host: spray}");
        assert_eq!(merged("balance: {host: ecmp, switch: spray}", "balance: adaptive"), "balance: adaptive");
        let edge = "balance: {host: ecmp, switch: ecmp, edge: {themis: {race: literal}}}";
        assert_eq!(merged("balance: ecmp", "balance: {edge: {themis: {race: literal}}}"), edge);
        assert_eq!(merged(edge, "balance: {edge: themis}"), edge);
    }

    const KEYS: &[&str] = &["fabric", "balance", "transport", "queues", "jobs", "background", "seed"];

    /// A map of some sections, with plug-ins at the paths where plug-ins are expected.
    fn scenario() -> impl Strategy<Value = Node> {
        let entry = (proptest::sample::select(KEYS), node());
        proptest::collection::vec(entry, 0..6).prop_map(|entries| {
            let unique: BTreeMap<&str, Node> = entries.into_iter().collect();
            Node::map(unique)
        })
    }

    proptest! {
        #[test]
        fn a_merged_tree_is_printed_and_parsed_unchanged(base in scenario(), heir in scenario()) {
            let whole = without_locations(merge(base, heir));
            let mut problems = Problems::default();
            let read = parse(&print(&whole), 0, 0, &mut problems).map(without_locations);
            prop_assert!(problems.is_empty(), "{problems:?}");
            prop_assert_eq!(read, Some(whole));
        }

        #[test]
        fn an_empty_or_identical_heir_changes_nothing(base in scenario()) {
            prop_assert_eq!(merge(base.clone(), Node::made(Tree::Map(Vec::new()))), base.clone());
            prop_assert_eq!(merge(base.clone(), base.clone()), base);
        }

        #[test]
        fn values_of_the_heir_are_in_the_merged_tree(base in scenario(), heir in scenario()) {
            let Tree::Map(written) = heir.tree.clone() else { unreachable!("a map was made") };
            let Tree::Map(whole) = merge(base, heir).tree else { panic!("two maps make a map") };
            for entry in written {
                let found = whole.iter().find(|other| other.key == entry.key);
                prop_assert!(found.is_some(), "{} is lost", entry.key);
                if let (Tree::List(_), Some(found)) = (&entry.value.tree, found) {
                    prop_assert_eq!(&found.value.tree, &entry.value.tree);
                }
            }
        }
    }
}
