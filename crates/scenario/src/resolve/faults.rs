//! The `faults` section: links failed from the start, at random, or at an instant, and NICs that pause for nothing.

use netloom_units::Spec;

use super::fields::items;
use super::{is_word, names, plugin, value};
use crate::diagnostic::Problems;
use crate::resolved::{Faults, TimedFault, sections};
use crate::written::Node;

const OTHERS: &[&str] = &["random", "failed", "timed", "storms"];

/// Reads the section.
pub(super) fn faults(node: Option<&Node>, problems: &mut Problems) -> Option<Faults> {
    let (settings, fields) = plugin::section(node, &sections::FAULTS, OTHERS, problems)?;
    let random = fields.get("random").filter(|node| !is_word(node, "none"));
    let random =
        random.and_then(|node| plugin::section(Some(node), &sections::RANDOM_FAULTS, &[], problems)?.0);
    let failed = names(fields.get("failed"), "failed", "the name of a link", problems);
    let mut listed = |spec: &'static Spec| {
        let nodes =
            fields.get(spec.name).and_then(|node| items(node, spec.name, problems)).unwrap_or_default();
        nodes.iter().filter_map(|node| timed_fault(node, spec, problems)).collect()
    };
    let (timed, storms) = (listed(&sections::TIMED_FAULT), listed(&sections::STORM));
    Some(Faults { settings: settings?, random, failed, timed, storms })
}

fn timed_fault(node: &Node, spec: &'static Spec, problems: &mut Problems) -> Option<TimedFault> {
    let (settings, fields) = plugin::section_at(Some(node), node.place, spec, &["link"], problems)?;
    let link = fields.need("link", "NAME", problems)?;
    let link = value::name(link, "the name of a link", problems)?;
    Some(TimedFault { link, settings: settings? })
}
