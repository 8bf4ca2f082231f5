//! The groups of a job's ranks: by parallel dimension, as parts of other groups, or by list.

use super::fields::Fields;
use super::{is_word, phase, value};
use crate::diagnostic::Problems;
use crate::location::Located;
use crate::resolved::{Group, GroupRanks};
use crate::written::{Entry, Node, Tree};

/// Reads a map from names to groups; those that cannot be read are reported and left out.
pub(super) fn groups(node: &Node, problems: &mut Problems) -> Option<Vec<Group>> {
    match &node.tree {
        Tree::Nothing => Some(Vec::new()),
        Tree::Map(entries) => {
            let all: Vec<_> = entries.iter().map(|entry| group(entry, problems)).collect();
            all.into_iter().collect()
        }
        _ => {
            let message = format!("`groups` is a map, but {} is written here", node.kind());
            let report = problems.report(node.spot(), message);
            report.label("expected a map from names to groups").help("write `groups: { tp: 8, dp: 4 }`");
            None
        }
    }
}

fn group(entry: &Entry, problems: &mut Problems) -> Option<Group> {
    let name = Located::new(entry.key.clone(), entry.key_location);
    if entry.key == Group::ALL {
        let report = problems.report(entry.key_location, format!("a group cannot be named `{}`", Group::ALL));
        report.label("this word stands for all ranks").help("choose another name");
        return None;
    }
    if value::report_formula(&name, problems) {
        return None;
    }
    Some(Group { name, ranks: ranks(&entry.value, problems)? })
}

fn ranks(node: &Node, problems: &mut Problems) -> Option<Located<GroupRanks>> {
    if is_word(node, GroupRanks::AUTO) {
        return Some(Located::new(GroupRanks::Remaining, node.location));
    }
    let found = match &node.tree {
        Tree::Map(_) => {
            let fields = Fields::open(node, "group", &["within", "size"], problems)?;
            let within = fields.need("within", "dp", problems);
            let within = within.and_then(|node| value::name(node, "the name of a group", problems));
            let size = fields.need("size", "4", problems);
            let size = size.and_then(|node| value::count_u32(node, 1, u32::MAX, problems));
            GroupRanks::Within { of: within?, size: size? }
        }
        Tree::List(_) => GroupRanks::Listed(phase::lists_of_ranks(node, "the lists of a group", problems)?),
        _ => {
            let n_before = problems.len();
            let size = value::count_u32(node, 1, u32::MAX, problems);
            problems.widen_since(n_before, ", `auto`, a map with `within` and `size`, or lists of ranks");
            GroupRanks::Dimension(size?)
        }
    };
    Some(Located::new(found, node.head()))
}
