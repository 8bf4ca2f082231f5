//! Overrides: `path=value` from the command line, written into the tree before it is checked.
//!
//! A path is keys joined by dots. An item of a list is named by its number, from 0, or by its `name`: `jobs.0.steps`,
//! `jobs[0].steps` and `jobs.training.steps` all work. Where the scenario has a bare name (`balance: ecmp`), a path
//! may go on through it (`balance.ecmp.salt=none`).
//!
//! Invariants: a value written by an override has the location of the override, so that every later error points at it.

use super::{Entry, Node, Tree, parse};
use crate::diagnostic::Problems;
use crate::former::{self, FormerKey};
use crate::inherit::FROM;
use crate::location::{Location, Sources};

/// Changes to a scenario from the command line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Overrides {
    /// Pairs of path and value, applied in order.
    pub set: Vec<(String, String)>,
    /// Pairs of path and value that a sweep varies, applied after these.
    pub vary: Vec<(String, String)>,
    /// A seed, applied last.
    pub seed: Option<u64>,
}

impl Overrides {
    /// Writes all changes into the tree.
    pub(crate) fn apply(&self, root: &mut Node, sources: &mut Sources, problems: &mut Problems) {
        for (path, value) in &self.set {
            apply_one(root, "--set", path, value, sources, problems);
        }
        for (path, value) in &self.vary {
            apply_one(root, "--vary", path, value, sources, problems);
        }
        if let Some(seed) = self.seed {
            apply_one(root, "--seed", "seed", &seed.to_string(), sources, problems);
        }
    }
}

/// One word of a path and where it is.
struct Segment {
    word: String,
    location: Location,
}

fn apply_one(
    root: &mut Node,
    option: &str,
    path: &str,
    value: &str,
    sources: &mut Sources,
    problems: &mut Problems,
) {
    let text = format!("{path}={value}");
    let source = sources.add(option, &text);
    let Some(mut node) = parse(value, source, path.len() + 1, problems) else { return };
    let path_location = Location { source, start: 0, end: path.len() as u32 };
    if matches!(node.tree, Tree::Nothing) {
        node.location = Location { source, start: 0, end: text.len() as u32 };
    }
    let Some(mut segments) = segments(path, source) else {
        let report = problems.report(path_location, format!("`{path}` is not a path"));
        report.label("expected keys joined by dots").help("for example `transport.window.packets=64`");
        return;
    };
    if segments[0].word == FROM {
        let report = problems.report(path_location, "what a scenario inherits from cannot be set");
        report.label("overrides are applied after inheritance").help("write `from` in a scenario of its own");
        return;
    }
    rename_former(&mut segments, &mut node, &mut problems.former_keys);
    let mut at = root;
    for segment in &segments {
        at = match descend(at, segment) {
            Ok(below) => below,
            Err(refusal) => {
                problems.report(segment.location, refusal.message).label("set here").maybe_help(refusal.help);
                return;
            }
        };
    }
    node.owner = segments.last().map(|segment| segment.location);
    *at = node;
}

/// Gives the words of a path and the keys of the value there their present names.
fn rename_former(segments: &mut [Segment], value: &mut Node, found: &mut Vec<FormerKey>) {
    for index in 0..segments.len() {
        let words: Vec<&str> = segments.iter().map(|segment| segment.word.as_str()).collect();
        if let Some(present) = former::rename_word(&words, index, segments[index].location, found) {
            present.clone_into(&mut segments[index].word);
        }
    }
    let words: Vec<&str> = segments.iter().map(|segment| segment.word.as_str()).collect();
    former::rename_below(&words, value, found);
}

/// The words of a path, `a.b[0].c` as `a`, `b`, `0`, `c`.
fn segments(path: &str, source: u16) -> Option<Vec<Segment>> {
    let mut found = Vec::new();
    let mut at = 0;
    for (number, part) in path.split('.').enumerate() {
        at += usize::from(number > 0);
        let (word, mut rest) = part.split_at(part.find('[').unwrap_or(part.len()));
        let mut push = |word: &str, start: usize| {
            let location = Location { source, start: start as u32, end: (start + word.len()) as u32 };
            found.push(Segment { word: word.to_owned(), location });
        };
        if word.is_empty() {
            return None;
        }
        push(word, at);
        let mut start = at + word.len();
        while !rest.is_empty() {
            let (index, after) = rest.strip_prefix('[')?.split_once(']')?;
            index.parse::<usize>().ok()?;
            push(index, start + 1);
            start += index.len() + 2;
            rest = after;
        }
        at += part.len();
    }
    Some(found)
}

fn no_item(word: &str, n_items: usize) -> Refusal {
    let help = match n_items {
        0 => "the list is empty".to_owned(),
        1 => "its only item is `0`".to_owned(),
        n => format!("items are named by their number, 0 to {}, or by their `name`", n - 1),
    };
    Refusal { message: format!("the list has no item `{word}`"), help: Some(help) }
}

struct Refusal {
    message: String,
    help: Option<String>,
}

/// The node one word further down, added if a map lacks it.
fn descend<'a>(node: &'a mut Node, segment: &Segment) -> Result<&'a mut Node, Refusal> {
    let word = &segment.word;
    if let Tree::Text(name) = &node.tree {
        if name != word {
            let help = "replace the whole value instead".to_owned();
            let message = format!("the scenario has `{name}` here, not a map with `{word}`");
            return Err(Refusal { message, help: Some(help) });
        }
        node.tree = Tree::Nothing;
    }
    if matches!(node.tree, Tree::Nothing) {
        node.tree = Tree::Map(Vec::new());
    }
    match &mut node.tree {
        Tree::Map(entries) => Ok(entry(entries, segment)),
        Tree::List(items) => {
            let n = items.len();
            let found = word.parse().ok().or_else(|| items.iter().position(|item| is_named(item, word)));
            found.and_then(|index: usize| items.get_mut(index)).ok_or_else(|| no_item(word, n))
        }
        Tree::Text(_) | Tree::Name(_) | Tree::Nothing => unreachable!("made a map above"),
    }
}

fn entry<'a>(entries: &'a mut Vec<Entry>, segment: &Segment) -> &'a mut Node {
    let found = entries.iter().position(|entry| entry.key == segment.word);
    let index = found.unwrap_or_else(|| {
        let value = Node { location: segment.location, owner: Some(segment.location), tree: Tree::Nothing };
        let key = segment.word.clone();
        entries.push(Entry { key, key_location: segment.location, value });
        entries.len() - 1
    });
    &mut entries[index].value
}

fn is_named(item: &Node, wanted: &str) -> bool {
    let Tree::Map(entries) = &item.tree else { return false };
    let named = |entry: &Entry| matches!(&entry.value.tree, Tree::Text(name) if entry.key == "name" && name == wanted);
    entries.iter().any(named)
}

#[cfg(test)]
mod tests {
    use super::super::print;
    use super::*;
    use crate::diagnostic::Style;

    fn with(text: &str, set: &[(&str, &str)]) -> Result<String, String> {
        let (mut sources, mut problems) = (Sources::default(), Problems::default());
        sources.add("test.yaml", text);
        let mut root = parse(text, 0, 0, &mut problems).unwrap();
        let set = set.iter().map(|(path, value)| ((*path).to_owned(), (*value).to_owned())).collect();
        Overrides { set, ..Overrides::default() }.apply(&mut root, &mut sources, &mut problems);
        if problems.is_empty() {
            Ok(print(&root))
        } else {
            Err(problems.finish(&sources).render(Style::Plain))
        }
    }

    #[test]
    fn paths_reach_maps_lists_and_bare_names() {
        let text = "balance: ecmp\njobs: [{name: one, steps: 1}, {name: two, steps: 2}]\n";
        let set = [
            ("balance.ecmp.salt", "none"),
            ("jobs.two.steps", "7"),
            ("jobs[0].steps", "5"),
            ("queues.host_limit", "1KiB"),
        ];
        let expected = "balance: {ecmp: {salt: none}}\njobs: [{name: one, steps: 5}, {name: two, steps: 7}]\nqueues: \
                        {host_limit: 1KiB}\n";
        assert_eq!(with(text, &set).unwrap(), expected);
    }

    #[test]
    fn mistakes_point_at_the_override() {
        let refused = with("balance: ecmp\n", &[("balance.flowlet.gap", "3us")]).unwrap_err();
        assert!(refused.contains("[--set:1:9]") && refused.contains("has `ecmp` here"), "{refused}");
        let refused = with("jobs: [{name: a}]\n", &[("jobs.3.steps", "3")]).unwrap_err();
        assert!(refused.contains("no item `3`"), "{refused}");
        let refused = with("a: 1\n", &[("a..b", "3")]).unwrap_err();
        assert!(refused.contains("not a path"), "{refused}");
    }
}
