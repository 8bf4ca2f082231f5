//! A tree of nodes as canonical YAML.
//!
//! A node that fits is written on one line (`{leaves: 8, spines: 4}`); otherwise it is spread over lines, indented by
//! two spaces per level.
//!
//! Invariants: parsing the printed text gives the same tree; the same tree always prints the same; a name is text to
//! every YAML reader.

use std::fmt::Write;

use super::{Node, Tree};

/// Longest line that a list or map is folded into.
const WIDTH: usize = 100;

/// The tree as YAML text, ending in a line break.
pub(crate) fn print(node: &Node) -> String {
    let mut out = String::new();
    match &node.tree {
        // The outermost map is always a block.
        Tree::Map(entries) if !entries.is_empty() => block(node, 0, &mut out),
        _ => out.push_str(&flow(node)),
    }
    out.push('\n');
    out
}

/// Writes a non-empty map or list over several lines, the first one starting where `out` ends.
fn block(node: &Node, indent: usize, out: &mut String) {
    match &node.tree {
        Tree::Map(entries) => {
            for (number, entry) in entries.iter().enumerate() {
                line_break(number, indent, out);
                let _ = write!(out, "{}:", scalar(&entry.key));
                value(&entry.value, indent, out);
            }
        }
        Tree::List(items) => {
            for (number, item) in items.iter().enumerate() {
                line_break(number, indent, out);
                out.push('-');
                item_of_list(item, indent, out);
            }
        }
        Tree::Text(_) | Tree::Name(_) | Tree::Nothing => out.push_str(&flow(node)),
    }
}

fn line_break(number: usize, indent: usize, out: &mut String) {
    if number > 0 {
        let _ = write!(out, "\n{:indent$}", "");
    }
}

/// Writes the value of a key: on the same line if it fits, else below, one level deeper.
fn value(node: &Node, indent: usize, out: &mut String) {
    if let Some(line) = fitting(node, out) {
        let _ = write!(out, " {line}");
        return;
    }
    let indent = indent + 2;
    let _ = write!(out, "\n{:indent$}", "");
    block(node, indent, out);
}

/// Writes an item after its dash; a map of one key is more readable without braces.
fn item_of_list(node: &Node, indent: usize, out: &mut String) {
    let single = matches!(&node.tree, Tree::Map(entries) if entries.len() == 1);
    match fitting(node, out) {
        Some(line) if !single => {
            let _ = write!(out, " {line}");
        }
        _ => {
            out.push(' ');
            block(node, indent + 2, out);
        }
    }
}

/// The node on one line, if it fits after the existing text.
fn fitting(node: &Node, out: &str) -> Option<String> {
    let used = out.len() - out.rfind('\n').map_or(0, |at| at + 1);
    let empty = match &node.tree {
        Tree::Text(_) | Tree::Name(_) | Tree::Nothing => true,
        Tree::List(items) => items.is_empty(),
        Tree::Map(entries) => entries.is_empty(),
    };
    let line = flow_within(node, if empty { usize::MAX } else { WIDTH.saturating_sub(used + 1) })?;
    Some(line)
}

/// The node in flow style.
pub(super) fn flow(node: &Node) -> String {
    flow_within(node, usize::MAX).unwrap_or_default()
}

/// The node in flow style, or `None` once it is longer than `width`.
fn flow_within(node: &Node, width: usize) -> Option<String> {
    let (open, close) = match &node.tree {
        Tree::Text(text) => return Some(scalar(text)),
        Tree::Name(name) => return Some(self::name(name)),
        Tree::Nothing => return Some("~".to_owned()),
        Tree::List(_) => ('[', ']'),
        Tree::Map(_) => ('{', '}'),
    };
    let mut line = String::from(open);
    let mut push = |key: Option<&str>, item: &Node| {
        if line.len() > 1 {
            line.push_str(", ");
        }
        if let Some(key) = key {
            let _ = write!(line, "{}: ", scalar(key));
        }
        line.push_str(&flow_within(item, width.saturating_sub(line.len()))?);
        (line.len() < width).then_some(())
    };
    match &node.tree {
        Tree::List(items) => items.iter().try_for_each(|item| push(None, item))?,
        Tree::Map(entries) => {
            entries.iter().try_for_each(|entry| push(Some(&entry.key), &entry.value))?;
        }
        Tree::Text(_) | Tree::Name(_) | Tree::Nothing => {}
    }
    line.push(close);
    (line.len() <= width).then_some(line)
}

/// Words that YAML readers take for a flag, for null, or for a number, in any case.
const WORDS: [&str; 12] =
    ["true", "false", "yes", "no", "on", "off", "y", "n", "null", "nan", "inf", "infinity"];

/// A name, quoted if YAML could take it for something other than text: a number, a date, a flag, null.
fn name(text: &str) -> String {
    let is_word = WORDS.iter().any(|word| text.eq_ignore_ascii_case(word));
    if is_word || text.starts_with(|c: char| c.is_ascii_digit()) { quoted(text) } else { scalar(text) }
}

/// A scalar, quoted if YAML could take it for something other than its own text.
fn scalar(text: &str) -> String {
    let harmless = |c: char| c.is_ascii_alphanumeric() || "_-./%+".contains(c);
    let starts_well = text.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    let words = text.split(' ').all(|word| !word.is_empty() && word.chars().all(harmless));
    // The language knows the kind of each value, so a number, a quantity or `true` needs no quotes.
    if starts_well && words {
        return text.to_owned();
    }
    quoted(text)
}

fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            ' ' => quoted.push(' '),
            c if c.is_ascii_graphic() || c.is_alphanumeric() => quoted.push(c),
            c if (c as u32) < 0x1_0000 => {
                let _ = write!(quoted, "\\u{:04x}", c as u32);
            }
            c => {
                let _ = write!(quoted, "\\U{:08x}", c as u32);
            }
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};

    use super::super::arbitrary::{node, without_locations};
    use super::super::parse;
    use super::*;
    use crate::diagnostic::Problems;
    use proptest::prelude::*;

    /// All scenarios of the repository.
    fn scenarios(folder: &Path) -> Vec<PathBuf> {
        let entries = fs::read_dir(folder).expect("the folder can be read");
        let paths = entries.map(|entry| entry.expect("the entry can be read").path());
        let below = |path: PathBuf| if path.is_dir() { scenarios(&path) } else { vec![path] };
        let is_scenario = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "yaml");
        paths.flat_map(below).filter(is_scenario).collect()
    }

    #[test]
    fn every_scenario_is_printed_and_parsed_unchanged() {
        let found = scenarios(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios"));
        assert!(found.len() >= 20, "only {} scenarios found", found.len());
        for path in found {
            let text = fs::read_to_string(&path).expect("the file can be read");
            let mut problems = Problems::default();
            let mut read = |text: &str| parse(text, 0, 0, &mut problems).map(without_locations);
            let written = read(&text).expect("the scenario is well-formed");
            assert_eq!(read(&print(&written)), Some(written), "{}", path.display());
        }
    }

    proptest! {
        #[test]
        fn a_printed_tree_is_parsed_unchanged(node in node()) {
            let printed = print(&node);
            let mut problems = Problems::default();
            let read = parse(&printed, 0, 0, &mut problems);
            prop_assert!(problems.is_empty(), "{problems:?} in\n{printed}");
            prop_assert_eq!(without_locations(read.unwrap()), node, "printed\n{}", printed);
        }
    }
}
