//! Keys of earlier versions: read under their present names, with a warning that gives these.
//!
//! Models: keys renamed below a section, in texts and in the paths of overrides; renamed values of a key.
//!
//! Invariants: the trees of a scenario, of its bases and of overrides have present names only before they are merged,
//! so it does not matter which of them has the former one. Former names are read for one release.

use crate::diagnostic::Problems;
use crate::location::Location;
use crate::written::{Entry, Node, Tree};

/// A renamed key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Renamed {
    /// The section above it, at any distance.
    section: &'static str,
    former: &'static str,
    present: &'static str,
}

const fn renamed(section: &'static str, former: &'static str, present: &'static str) -> Renamed {
    Renamed { section, former, present }
}

const RENAMED: [Renamed; 11] = [
    renamed("flows", "settle", "warm_up"),
    renamed("transport", "entropy", "hash_input"),
    renamed("faults", "knowledge", "awareness"),
    renamed("credits", "data_lane", "data_vl"),
    renamed("credits", "control_lane", "control_vl"),
    renamed("credits", "extra_steps", "extra_vls"),
    renamed("balance", "longer_above", "non_minimal_above"),
    renamed("balance", "longer_steps", "non_minimal_hops"),
    renamed("balance", "longer_weight", "non_minimal_weight"),
    renamed("balance", "longer", "non_minimal"),
    renamed("balance", "drawn", "candidate_groups"),
];

/// A renamed value of a key of a section.
struct RenamedValue {
    section: &'static str,
    key: &'static str,
    former: &'static str,
    present: &'static str,
}

const RENAMED_VALUES: [RenamedValue; 2] = [
    RenamedValue { section: "record", key: "causes", former: "true", present: "all" },
    RenamedValue { section: "record", key: "causes", former: "false", present: "none" },
];

/// A key, or a value, that a scenario has under its former name.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FormerKey {
    /// Where it is written.
    pub location: Location,
    /// The name as written.
    pub former: &'static str,
    /// The present name.
    pub present: &'static str,
}

/// Gives the keys of a tree their present names, and adds them to the list.
///
/// A key keeps its former name where the same map has the present one, too: it is then reported as unknown.
pub(crate) fn rename(tree: &mut Node, found: &mut Vec<FormerKey>) {
    rename_below(&[], tree, found);
}

/// The same for the tree at a path.
pub(crate) fn rename_below(path: &[&str], tree: &mut Node, found: &mut Vec<FormerKey>) {
    let mut sections: Vec<&str> = path.iter().filter_map(|word| section(word)).collect();
    if let Some(key) = path.last() {
        rename_value(&sections, key, tree, found);
    }
    below(tree, &mut sections, found);
}

/// The same for the words of a path, such as `flows.settle`; the word at `index` has this location.
pub(crate) fn rename_word(
    words: &[&str],
    index: usize,
    location: Location,
    found: &mut Vec<FormerKey>,
) -> Option<&'static str> {
    let key = find(&words[..index], words[index])?;
    found.push(FormerKey { location, former: key.former, present: key.present });
    Some(key.present)
}

/// The present name of a key, wherever it is written.
pub(crate) fn present_name(word: &str) -> Option<&'static str> {
    RENAMED.iter().find(|key| key.former == word).map(|key| key.present)
}

/// Warns of each key under its former name.
pub(crate) fn warn(keys: &[FormerKey], warnings: &mut Problems) {
    for key in keys {
        let report =
            warnings.report(key.location, format!("`{}` is called `{}` now", key.former, key.present));
        report
            .label("former name")
            .help(format!("write `{}`: the former name is read in this release only", key.present));
    }
}

fn below(node: &mut Node, sections: &mut Vec<&'static str>, found: &mut Vec<FormerKey>) {
    match &mut node.tree {
        Tree::List(items) => items.iter_mut().for_each(|item| below(item, sections, found)),
        Tree::Map(entries) => {
            for index in 0..entries.len() {
                if let Some(key) = find(sections, &entries[index].key)
                    && entries.iter().all(|entry| entry.key != key.present)
                {
                    let location = entries[index].key_location;
                    found.push(FormerKey { location, former: key.former, present: key.present });
                    key.present.clone_into(&mut entries[index].key);
                }
                let Entry { key, value, .. } = &mut entries[index];
                rename_value(sections, key, value, found);
                let section = section(&entries[index].key);
                sections.extend(section);
                below(&mut entries[index].value, sections, found);
                sections.truncate(sections.len() - usize::from(section.is_some()));
            }
        }
        Tree::Text(_) | Tree::Name(_) | Tree::Nothing => {}
    }
}

/// Gives the value of a key of these sections its present name.
fn rename_value(sections: &[&'static str], key: &str, node: &mut Node, found: &mut Vec<FormerKey>) {
    let Tree::Text(text) = &mut node.tree else { return };
    let is_renamed =
        |value: &&RenamedValue| value.key == key && value.former == text && sections.contains(&value.section);
    if let Some(value) = RENAMED_VALUES.iter().find(is_renamed) {
        found.push(FormerKey { location: node.location, former: value.former, present: value.present });
        value.present.clone_into(text);
    }
}

/// The section with renamed keys or values that a word names.
fn section(word: &str) -> Option<&'static str> {
    let of_values = RENAMED_VALUES.iter().map(|value| value.section);
    RENAMED.iter().map(|key| key.section).chain(of_values).find(|section| *section == word)
}

fn find(sections: &[&str], word: &str) -> Option<&'static Renamed> {
    RENAMED.iter().find(|key| key.former == word && sections.contains(&key.section))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Problems;
    use crate::written::{parse, print};

    fn present(text: &str) -> (String, Vec<(&'static str, &'static str)>) {
        let mut problems = Problems::default();
        let mut tree = parse(text, 0, 0, &mut problems).expect("the text is well-formed");
        let mut found = Vec::new();
        rename(&mut tree, &mut found);
        let found = found.into_iter().map(|key| (key.former, key.present)).collect();
        (print(&tree).trim_end().to_owned(), found)
    }

    #[test]
    fn former_keys_have_their_present_names_below_their_section() {
        let text = "flows: {settle: 1us}\nbalance: {host: spray, switch: {slingshot: {longer: 3}}}";
        let expected = "flows: {warm_up: 1us}\nbalance: {host: spray, switch: {slingshot: {non_minimal: 3}}}";
        let found = vec![("settle", "warm_up"), ("longer", "non_minimal")];
        assert_eq!(present(text), (expected.to_owned(), found));
    }

    #[test]
    fn the_same_word_elsewhere_stays() {
        let text = "jobs: [{name: settle, settle: 1us}]\nlonger: 2";
        assert_eq!(present(text), (text.to_owned(), vec![]));
    }

    #[test]
    fn a_map_with_both_names_keeps_them() {
        let text = "faults: {knowledge: local, awareness: global}";
        assert_eq!(present(text), (text.to_owned(), vec![]));
    }

    #[test]
    fn paths_of_overrides_are_renamed_word_by_word() {
        let mut found = Vec::new();
        let words = ["transport", "irn", "entropy"];
        let renamed: Vec<_> =
            (0..3).map(|index| rename_word(&words, index, Location::default(), &mut found)).collect();
        assert_eq!(renamed, [None, None, Some("hash_input")]);
        assert_eq!(found.len(), 1);
    }
}
