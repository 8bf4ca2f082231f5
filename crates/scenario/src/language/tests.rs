//! Comparison of the language as data with the reader: what is offered is read, and what is read is offered.

use std::collections::BTreeSet;

use super::*;
use crate::diagnostic::Diagnostics;
use crate::resolve::value::example;
use crate::resolve_with;
use crate::written::{Node, print};
use crate::{Overrides, resolve};

/// A scenario with every key of every definition; one definition takes the given member.
struct Writer<'a> {
    language: &'a Language,
    choice: &'a str,
    member: usize,
    /// Whether the last of several shapes is written, rather than the first.
    last: bool,
}

impl Writer<'_> {
    fn node(&self, shape: &Shape, depth: usize) -> Node {
        match shape {
            Shape::Value(Kind::Counts { .. } | Kind::Optional(Kind::Counts { .. })) => {
                Node::list(["4", "2"].map(Node::text))
            }
            Shape::Value(kind) => Node::text(example(kind)),
            Shape::Word(word) => Node::text(*word),
            Shape::Version => Node::text("1"),
            Shape::Text => Node::text(format!("text{depth}")),
            Shape::Share => Node::text("1/4"),
            Shape::Pair(two) => Node::list(two.iter().map(|shape| self.node(shape, depth + 1))),
            Shape::List(of) => Node::list([self.node(of, depth + 1)]),
            Shape::Names(of) => Node::map([("name", self.node(of, depth + 1))]),
            Shape::Either(shapes) if self.last => self.node(shapes.last().unwrap(), depth),
            Shape::Either(shapes) => self.node(&shapes[0], depth),
            Shape::Defined(name) => self.defined(name, depth),
        }
    }

    fn defined(&self, name: &str, depth: usize) -> Node {
        match &self.language.get(name).body {
            Body::Map(keys) => {
                let taken = keys.iter().filter(|key| name != WHOLE || key.name != crate::inherit::FROM);
                Node::map(taken.map(|key| (key.name, self.node(&key.shape, depth + 1))))
            }
            Body::Choice { members, beside } => {
                // Phases repeat phases: deeper down a simpler one is enough.
                let number = if depth > 8 { 1 } else { self.member };
                let member = &members[if name == self.choice { number } else { 0 }];
                let keys = beside.iter().filter(|_| member.name != "repeat");
                let keys = keys.map(|key| (key.name, self.node(&key.shape, depth + 1)));
                Node::map([(member.name, self.node(&member.body, depth + 1))].into_iter().chain(keys))
            }
        }
    }
}

/// All scenarios needed to write every key at least once.
fn texts(language: &Language) -> Vec<String> {
    let mut found = Vec::new();
    for definition in &language.definitions {
        let Body::Choice { members, .. } = &definition.body else { continue };
        for member in 0..members.len() {
            for last in [false, true] {
                let writer = Writer { language, choice: &definition.name, member, last };
                found.push(print(&writer.defined(WHOLE, 0)));
            }
        }
    }
    found
}

fn messages(wrong: &Diagnostics) -> Vec<&str> {
    wrong.problems().iter().map(crate::Problem::message).collect()
}

/// Whether a name or a kind was refused; values may contradict each other, and hosts or switches may not exist.
fn is_unread(message: &str) -> bool {
    let known = |what: &str| message.starts_with(&format!("there is no {what} "));
    let is_name = message.starts_with("there is no ")
        && !["host", "link", "node", "rank", "switch"].into_iter().any(known);
    // Values that require other settings.
    if message.contains("needs `awareness: ") {
        return false;
    }
    is_name || ["has no key", "is written here", "needs `"].iter().any(|part| message.contains(part))
}

#[test]
fn every_key_of_the_language_is_accepted_by_the_reader() {
    let language = Language::new();
    let all = texts(&language);
    assert!(all.len() > 60, "only {} texts", all.len());
    for text in all {
        let Err(wrong) = resolve(&text, "any.yaml") else { continue };
        let unread = |message: &&str| is_unread(message);
        let unread: Vec<_> = messages(&wrong).into_iter().filter(unread).collect();
        assert!(unread.is_empty(), "{unread:?} in\n{text}");
    }
}

/// Keys that the reader lists when one is misspelled beyond recognition.
fn known_to_the_reader(set: &str) -> Option<String> {
    let text = "netloom: 1\nfabric: {leaf_spine: {leaves: 2, spines: 2, hosts_per_leaf: 2}}\n\
                jobs: [{phases: [barrier]}]\nroutes: [{at: leaf0, to: leaf1.host0, link: leaf0-spine0.0}]\nfaults: {timed: [{at: 1us, action: down, link: leaf0-spine0.0}]}\n\
                flows: {list: [{from: leaf0.host0, to: leaf1.host0, stop: 1ms}, {name: one, from: leaf0.host0, to: leaf1.host0, size: 1KiB}]}\n";
    let set = vec![(format!("{set}.xxxxxxxxxxxxxxxxx"), "1".to_owned())];
    let wrong = resolve_with(text, "any.yaml", &Overrides { set, ..Overrides::default() }).unwrap_err();
    let unknown = wrong.problems().iter().find(|problem| problem.message().contains("has no key"))?;
    Some(unknown.help()?.to_owned())
}

#[test]
fn every_key_of_the_reader_is_in_the_language() {
    let language = Language::new();
    let locations = [
        ("queues", "queues"),
        ("classes", "classes"),
        ("job", "jobs.0"),
        ("faults", "faults"),
        ("timed", "faults.timed.0"),
        ("routes", "routes.0"),
        ("random", "faults.random"),
        ("record", "record"),
        ("flows", "flows"),
        ("flow", "flows.list.0"),
        ("finite_flow", "flows.list.1"),
        ("transport.window", "transport.window"),
        ("transport.irn", "transport.irn"),
        ("congestion.dcqcn", "congestion.dcqcn"),
        ("congestion.infiniband", "congestion.infiniband"),
        ("marking", "queues.marking"),
        ("edge.themis", "balance.edge.themis"),
        ("background.mice", "background.mice"),
        ("background.poisson", "background.poisson"),
    ];
    for (name, path) in locations {
        let Body::Map(keys) = &language.get(name).body else { panic!("`{name}` is a map") };
        let offered: BTreeSet<&str> = keys.iter().map(|key| key.name).collect();
        let known = known_to_the_reader(path).unwrap_or_else(|| panic!("no hint for `{path}`"));
        let known: BTreeSet<&str> = known.split('`').skip(1).step_by(2).collect();
        assert_eq!(known, offered, "`{name}`");
    }
}

#[test]
fn every_definition_is_used() {
    let language = Language::new();
    let mut used = BTreeSet::from([WHOLE.to_owned()]);
    for definition in &language.definitions {
        let mut open: Vec<&Shape> = match &definition.body {
            Body::Map(keys) => keys.iter().map(|key| &key.shape).collect(),
            Body::Choice { members, beside } => shapes(members, beside).collect(),
        };
        while let Some(shape) = open.pop() {
            match shape {
                Shape::List(of) | Shape::Names(of) => open.push(of),
                Shape::Pair(two) => open.extend(two.iter()),
                Shape::Either(shapes) => open.extend(shapes),
                Shape::Defined(name) => {
                    used.insert(language.get(name).name.clone());
                }
                _ => {}
            }
        }
    }
    let all: BTreeSet<String> =
        language.definitions.iter().map(|definition| definition.name.clone()).collect();
    assert_eq!(used, all);
    assert_eq!(all.len(), language.definitions.len(), "names are unique");
}

#[test]
fn only_definitions_outside_lists_are_inherited_in_part() {
    let language = Language::new();
    let heritable = language.heritable();
    assert!(
        ["fabric.leaf_spine", "balance", "policy.adaptive", "random"]
            .iter()
            .all(|name| heritable.contains(name))
    );
    assert!(
        !["job", "link", "phase", "collective.ring_all_reduce"].iter().any(|name| heritable.contains(name))
    );
}
