//! Maps opened for reading: unknown keys are reported with a hint, missing ones by name.

use crate::diagnostic::Problems;
use crate::place::Place;
use crate::suggest;
use crate::written::{Entry, Node, Tree};

/// A map whose keys are all known.
pub(super) struct Fields<'a> {
    entries: &'a [Entry],
    /// Where the map as a whole is pointed at.
    pub head: Place,
    what: &'a str,
}

impl<'a> Fields<'a> {
    /// Opens a map; nothing at all counts as an empty one.
    pub fn open(
        node: &'a Node,
        what: &'a str,
        known: &[&str],
        problems: &mut Problems,
    ) -> Option<Fields<'a>> {
        let entries: &[Entry] = match &node.tree {
            Tree::Map(entries) => entries,
            Tree::Nothing => &[],
            _ => {
                let message = format!("`{what}` is a map, but {} is written here", node.kind());
                let report = problems.report(node.place, message);
                report.label("expected a map").help(format!("its keys: {}", suggest::quoted(known)));
                return None;
            }
        };
        for entry in entries.iter().filter(|entry| !known.contains(&entry.key.as_str())) {
            let message = format!("`{what}` has no key `{}`", entry.key);
            let help = suggest::hint(&entry.key, known.iter().copied());
            problems.report(entry.key_place, message).label("unknown key").maybe_help(help);
        }
        Some(Fields { entries, head: node.head(), what })
    }

    /// The value of a key, if it is written.
    pub fn get(&self, key: &str) -> Option<&'a Node> {
        self.entries.iter().find(|entry| entry.key == key).map(|entry| &entry.value)
    }

    /// The value of a key that must be written.
    pub fn need(&self, key: &str, example: &str, problems: &mut Problems) -> Option<&'a Node> {
        let found = self.get(key);
        if found.is_none() {
            let report = problems.report_absence(self.head, format!("`{}` needs `{key}`", self.what));
            report.label(format!("`{key}` is missing")).help(format!("add `{key}: {example}`"));
        }
        found
    }
}

/// A plug-in as written: its name, and the map of its parameters if there is one.
pub(super) struct Named<'a> {
    pub name: &'a str,
    pub place: Place,
    pub body: Option<&'a Node>,
}

/// Reads `name` or `{ name: {...} }`.
pub(super) fn named<'a>(node: &'a Node, what: &str, problems: &mut Problems) -> Option<Named<'a>> {
    let report = match &node.tree {
        Tree::Text(name) => return Some(Named { name, place: node.place, body: None }),
        Tree::Map(entries) if entries.len() == 1 => {
            let entry = &entries[0];
            return Some(Named { name: &entry.key, place: entry.key_place, body: Some(&entry.value) });
        }
        Tree::Map(entries) if entries.len() > 1 => {
            let message = format!("`{what}` takes one name, but {} are written", entries.len());
            let report = problems.report(entries[1].key_place, message);
            report.label("a second one").related(entries[0].key_place, "the first one")
        }
        _ => problems.report(node.head(), format!("`{what}` needs a name, but there is {}", node.kind())),
    };
    report.help("write `name` or `{ name: { parameters } }`");
    None
}

/// The items of a list.
pub(super) fn items<'a>(node: &'a Node, what: &str, problems: &mut Problems) -> Option<&'a [Node]> {
    if let Tree::List(items) = &node.tree {
        return Some(items);
    }
    let message = format!("`{what}` is a list, but {} is written here", node.kind());
    problems.report(node.place, message).label("expected a list").help("write `[first, second]`");
    None
}
