//! Random trees, for property tests.

use proptest::prelude::*;

use super::{Node, Tree};

/// Any tree that a text can hold.
pub(crate) fn node() -> impl Strategy<Value = Node> {
    let text = prop_oneof![
        3 => "[a-z0-9_.]{1,12}",
        1 => any::<String>(),
        1 => "[-:#{}\\[\\]&*!|>'\"%@` ,?~\\n\\t]{0,8}",
    ];
    let scalar = text.prop_map(|text| {
        // A zero byte means a binary file, quoted or not.
        Node::text(text.replace('\0', "0"))
    });
    scalar.prop_recursive(4, 40, 6, |inner| {
        let key = prop_oneof![3 => "[a-z_]{1,8}", 1 => "[-:#~' \"]{1,6}"];
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..6).prop_map(Node::list),
            proptest::collection::btree_map(key, inner, 0..6).prop_map(Node::map),
        ]
    })
}

/// The tree without locations.
pub(crate) fn without_locations(node: Node) -> Node {
    let tree = match node.tree {
        Tree::List(items) => Tree::List(items.into_iter().map(without_locations).collect()),
        Tree::Map(entries) => {
            return Node::map(entries.into_iter().map(|e| (e.key, without_locations(e.value))));
        }
        other => other,
    };
    Node::made(tree)
}
