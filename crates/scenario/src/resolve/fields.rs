//! Maps opened for reading: unknown keys are reported with a hint, missing ones by name.

use crate::brought;
use crate::diagnostic::Problems;
use crate::location::Location;
use crate::suggest;
use crate::written::{Entry, Node, Tree};

/// Number of unknown keys of a map that are stored.
const MOST_UNKNOWN: usize = 16;

/// A map whose keys are all known.
pub(super) struct Fields<'a> {
    entries: &'a [Entry],
    /// Where errors about the map as a whole point.
    pub head: Location,
    what: &'a str,
    /// Keys that were refused, the first few of them.
    unknown: Vec<&'a str>,
}

impl<'a> Fields<'a> {
    /// Opens a map; an empty value counts as an empty map.
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
                let help =
                    glued(node, known).unwrap_or_else(|| format!("its keys: {}", suggest::quoted(known)));
                problems.report(node.location, message).label("expected a map").help(help);
                return None;
            }
        };
        for entry in entries.iter().filter(|entry| !known.contains(&entry.key.as_str())) {
            let message = format!("`{what}` has no key `{}`", entry.key);
            let help = problems.hint_for_key(&entry.key, known.iter().copied());
            problems.report(entry.key_location, message).label("unknown key").maybe_help(help);
        }
        let unknown = entries.iter().map(|entry| entry.key.as_str()).filter(|key| !known.contains(key));
        let unknown = unknown.take(MOST_UNKNOWN).collect();
        Some(Fields { entries, head: node.head(), what, unknown })
    }

    /// Whether an unknown key probably means this one: a misspelling of it, or another word for it.
    pub fn misspells(&self, key: &str) -> bool {
        let means =
            |unknown: &str| suggest::closest(unknown, [key]).is_some() || brought::means(unknown, key);
        self.unknown.iter().any(|unknown| means(unknown))
    }

    /// The value of a key, if it is written.
    pub fn get(&self, key: &str) -> Option<&'a Node> {
        self.entries.iter().find(|entry| entry.key == key).map(|entry| &entry.value)
    }

    /// The value of a required key.
    pub fn need(&self, key: &str, example: &str, problems: &mut Problems) -> Option<&'a Node> {
        let found = self.get(key);
        if found.is_none() && !self.misspells(key) {
            let report = problems.report_absence(self.head, format!("`{}` needs `{key}`", self.what));
            report.label(format!("`{key}` is missing")).help(format!("add `{key}: {example}`"));
        }
        found
    }
}

/// A hint if the space after a colon is missing, which makes one text of key and value.
fn glued(node: &Node, known: &[&str]) -> Option<String> {
    let Tree::Text(text) = &node.tree else { return None };
    let (key, value) = text.split_once(':').filter(|(key, _)| known.contains(key))?;
    Some(format!("a space follows the colon: `{key}: {value}`"))
}

/// A plug-in as written: its name, and the map of its parameters if there is one.
pub(super) struct Named<'a> {
    pub name: &'a str,
    pub location: Location,
    pub body: Option<&'a Node>,
}

/// Reads `name` or `{ name: {...} }`.
pub(super) fn named<'a>(node: &'a Node, what: &str, problems: &mut Problems) -> Option<Named<'a>> {
    match &node.tree {
        Tree::Text(name) => return Some(Named { name, location: node.location, body: None }),
        Tree::Map(entries) if entries.len() == 1 => {
            let entry = &entries[0];
            return Some(Named { name: &entry.key, location: entry.key_location, body: Some(&entry.value) });
        }
        Tree::Map(entries) if entries.len() > 1 => refuse_several(entries, what, problems),
        _ => {
            let message = format!("`{what}` needs a name, but {} is written here", node.kind());
            problems.report(node.spot(), message).label("expected a name").help(HOW_TO_NAME);
        }
    }
    None
}

/// Reads a plug-in whose map may have some keys beside the name, and those keys.
pub(super) fn named_beside<'a>(
    node: &'a Node,
    what: &'a str,
    beside: &[&str],
    problems: &mut Problems,
) -> Option<(Named<'a>, Fields<'a>)> {
    let Tree::Map(entries) = &node.tree else {
        let fields = Fields { entries: &[], head: node.head(), what, unknown: Vec::new() };
        return Some((named(node, what, problems)?, fields));
    };
    let is_name = |entry: &&Entry| !beside.contains(&entry.key.as_str());
    let names: Vec<&Entry> = entries.iter().filter(is_name).collect();
    match names[..] {
        [name] => {
            let found = Named { name: &name.key, location: name.key_location, body: Some(&name.value) };
            let fields = Fields { entries, head: name.key_location, what, unknown: Vec::new() };
            Some((found, fields))
        }
        [] if !entries.is_empty() => {
            let report = problems.report(node.head(), format!("`{what}` needs a name"));
            report.label(format!("only keys beside a {what}")).help(HOW_TO_NAME);
            None
        }
        [first, second, ..] if names.len() < entries.len() || is_misspelt(second, beside) => {
            let message = format!("`{what}` takes one name, but {} are written", names.len());
            let help = suggest::hint(&second.key, beside.iter().copied());
            let report = problems.report(second.key_location, message);
            report.label("a second one").related(first.key_location, "the first one").maybe_help(help);
            None
        }
        _ => {
            named(node, what, problems);
            None
        }
    }
}

/// Whether a key is meant to be one of these.
fn is_misspelt(entry: &Entry, keys: &[&str]) -> bool {
    suggest::closest(&entry.key, keys.iter().copied()).is_some()
}

const HOW_TO_NAME: &str = "write `name` or `{ name: { parameters } }`";

/// Reports several names in place of one, the result of a missing indent.
fn refuse_several(entries: &[Entry], what: &str, problems: &mut Problems) {
    let message = format!("`{what}` takes one name, but {} are written", entries.len());
    let report = problems.report(entries[1].key_location, message);
    report.label("a second one").related(entries[0].key_location, "the first one");
    if matches!(entries[0].value.tree, Tree::Nothing) {
        report
            .help(format!("parameters are indented below their name: is this one of `{}`?", entries[0].key));
    } else {
        report.help(HOW_TO_NAME);
    }
}

/// The items of a list.
pub(super) fn items<'a>(node: &'a Node, what: &str, problems: &mut Problems) -> Option<&'a [Node]> {
    let help = match &node.tree {
        Tree::Map(entries) if !entries.is_empty() => {
            format!("begin each item with a dash: `- {}: ...`", entries[0].key)
        }
        _ => "write `[first, second]`, or a line `- item` for each".to_owned(),
    };
    items_like(node, &format!("`{what}`"), &help, problems)
}

/// The items of a list, with the expected form for error messages.
pub(super) fn items_like<'a>(
    node: &'a Node,
    what: &str,
    help: &str,
    problems: &mut Problems,
) -> Option<&'a [Node]> {
    if let Tree::List(items) = &node.tree {
        return Some(items);
    }
    let message = format!("{what} is a list, but {} is written here", node.kind());
    problems.report(node.spot(), message).label("expected a list").help(help);
    None
}
