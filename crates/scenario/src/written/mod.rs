//! A scenario as written: a tree of YAML nodes, each with its location.
//!
//! Models: scalars, lists and maps, with aliases already expanded.
//! Leaves out: the meaning of keys. The language has no tags and merge keys.
//!
//! Invariants: keys of a map are unique; depth and number of nodes are bounded, whatever the text.

#[cfg(test)]
pub(crate) mod arbitrary;
mod overrides;
mod parse;
mod print;

pub use overrides::Overrides;
pub(crate) use parse::{Unreadable, decode, parse, zero_byte};
pub(crate) use print::print;

use crate::location::Location;

/// One node of the tree.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// Where it is written; for a map or list, its first line.
    pub location: Location,
    /// Where its key is written, if it is the value of one.
    pub owner: Option<Location>,
    /// Its content.
    pub tree: Tree,
}

/// The content of a node.
#[derive(Debug, Clone, PartialEq)]
pub enum Tree {
    /// A scalar's text.
    Text(String),
    /// A name to be printed: it is read back as text, whatever it looks like.
    Name(String),
    /// Empty: a key without a value.
    Nothing,
    /// A list.
    List(Vec<Node>),
    /// A map, in the order written.
    Map(Vec<Entry>),
}

/// One key of a map and its value.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The key.
    pub key: String,
    /// Where the key is written.
    pub key_location: Location,
    /// The value.
    pub value: Node,
}

impl Node {
    /// A node without a location, to be printed.
    pub fn made(tree: Tree) -> Node {
        Node { location: Location::default(), owner: None, tree }
    }

    /// A scalar to be printed.
    pub fn text(text: impl Into<String>) -> Node {
        Node::made(Tree::Text(text.into()))
    }

    /// A name to be printed.
    pub fn name(name: impl Into<String>) -> Node {
        Node::made(Tree::Name(name.into()))
    }

    /// A list to be printed.
    pub fn list(items: impl IntoIterator<Item = Node>) -> Node {
        Node::made(Tree::List(items.into_iter().collect()))
    }

    /// A map to be printed.
    pub fn map<K: Into<String>>(entries: impl IntoIterator<Item = (K, Node)>) -> Node {
        let entry =
            |(key, value): (K, Node)| Entry { key: key.into(), key_location: Location::default(), value };
        Node::made(Tree::Map(entries.into_iter().map(entry).collect()))
    }

    /// Its text on one line, as a value in a command line.
    pub fn in_flow_style(&self) -> String {
        print::flow(self)
    }

    /// Where errors about the node as a whole point: its key, or itself.
    pub fn head(&self) -> Location {
        self.owner.unwrap_or(self.location)
    }

    /// Where errors about its kind point: itself, or its key if it is empty.
    pub fn spot(&self) -> Location {
        if matches!(self.tree, Tree::Nothing) { self.head() } else { self.location }
    }

    /// Its kind, with an article.
    pub fn kind(&self) -> &'static str {
        match &self.tree {
            Tree::Text(_) | Tree::Name(_) => "a single value",
            Tree::Nothing => "nothing",
            Tree::List(items) if items.is_empty() => "an empty list",
            Tree::List(_) => "a list",
            Tree::Map(entries) if entries.is_empty() => "an empty map",
            Tree::Map(_) => "a map",
        }
    }
}
