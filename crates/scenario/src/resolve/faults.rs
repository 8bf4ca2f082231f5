//! The `faults` section: links failed from the start, at random, or at an instant.

use super::fields::items;
use super::{is_word, names, plugin, value};
use crate::diagnostic::Problems;
use crate::resolved::{Faults, TimedFault, sections};
use crate::written::Node;

const OTHERS: &[&str] = &["random", "failed", "timed"];

/// Reads the section.
pub(super) fn faults(node: Option<&Node>, problems: &mut Problems) -> Option<Faults> {
    let (settings, fields) = plugin::section(node, &sections::FAULTS, OTHERS, problems)?;
    let random = fields.get("random").filter(|node| !is_word(node, "none"));
    let random =
        random.and_then(|node| plugin::section(Some(node), &sections::RANDOM_FAULTS, &[], problems)?.0);
    let failed = names(fields.get("failed"), "failed", "the name of a link", problems);
    let timed = fields.get("timed").and_then(|node| items(node, "timed", problems)).unwrap_or_default();
    let timed = timed.iter().filter_map(|node| timed_fault(node, problems)).collect();
    Some(Faults { settings: settings?, random, failed, timed })
}

fn timed_fault(node: &Node, problems: &mut Problems) -> Option<TimedFault> {
    let (settings, fields) =
        plugin::section_at(Some(node), node.place, &sections::TIMED_FAULT, &["link"], problems)?;
    let link = fields.need("link", "NAME", problems)?;
    let link = value::name(link, "the name of a link", problems)?;
    Some(TimedFault { link, settings: settings? })
}
