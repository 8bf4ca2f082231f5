//! A scenario as it was written: a tree of YAML nodes, each with its place.
//!
//! Models: scalars, lists and maps, aliases already replaced by what they stand for.
//! Leaves out: what any key means. Tags and merge keys have no place in the language.
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

use crate::place::Place;

/// One node of the tree.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// Where it is written; of a map or list, its first line.
    pub place: Place,
    /// Where the key is written that it is the value of.
    pub owner: Option<Place>,
    /// What it is.
    pub tree: Tree,
}

/// What a node is.
#[derive(Debug, Clone, PartialEq)]
pub enum Tree {
    /// A scalar's text.
    Text(String),
    /// A name, made to be printed: read back it is text, whatever it looks like.
    Name(String),
    /// Nothing: a key without a value.
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
    pub key_place: Place,
    /// The value.
    pub value: Node,
}

impl Node {
    /// A node that is written nowhere: made to be printed.
    pub fn made(tree: Tree) -> Node {
        Node { place: Place::default(), owner: None, tree }
    }

    /// A scalar made to be printed.
    pub fn text(text: impl Into<String>) -> Node {
        Node::made(Tree::Text(text.into()))
    }

    /// A name made to be printed.
    pub fn name(name: impl Into<String>) -> Node {
        Node::made(Tree::Name(name.into()))
    }

    /// A list made to be printed.
    pub fn list(items: impl IntoIterator<Item = Node>) -> Node {
        Node::made(Tree::List(items.into_iter().collect()))
    }

    /// A map made to be printed.
    pub fn map<K: Into<String>>(entries: impl IntoIterator<Item = (K, Node)>) -> Node {
        let entry = |(key, value): (K, Node)| Entry { key: key.into(), key_place: Place::default(), value };
        Node::made(Tree::Map(entries.into_iter().map(entry).collect()))
    }

    /// The best place to point at when the node as a whole is meant: its key, or itself.
    pub fn head(&self) -> Place {
        self.owner.unwrap_or(self.place)
    }

    /// The place to point at when it is of the wrong kind: itself, or its key where nothing is written.
    pub fn spot(&self) -> Place {
        if matches!(self.tree, Tree::Nothing) { self.head() } else { self.place }
    }

    /// What kind of node it is, with an article.
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
