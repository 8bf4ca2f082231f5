//! The `faults` section: failures from the start, at random, or at an instant, and NICs that pause continuously.

use netloom_units::Spec;

use super::fields::{Fields, items};
use super::{is_word, names, plugin, value};
use crate::diagnostic::Problems;
use crate::resolved::Parameters;
use crate::resolved::faults::{
    ACTIONS, DOWN, FAULTS, Faults, NamedStorm, OUTAGES, PROCESS, Process, RANDOM_FAULTS, STORM, Sufferer,
    TIMED_FAULT, TimedFault,
};
use crate::written::Node;

const OTHERS: &[&str] = &["random", "failed", "timed", "processes", "storms"];

/// Reads the section.
pub(super) fn faults(node: Option<&Node>, problems: &mut Problems) -> Option<Faults> {
    let (settings, fields) = plugin::section(node, &FAULTS, OTHERS, problems)?;
    let random = fields.get("random").filter(|node| !is_word(node, "none"));
    let random = random.and_then(|node| plugin::section(Some(node), &RANDOM_FAULTS, &[], problems)?.0);
    let failed = names(fields.get("failed"), "failed", "the name of a link", problems);
    let timed = listed(&fields, &TIMED_FAULT, timed_fault, problems);
    let processes = listed(&fields, &PROCESS, process, problems);
    let storms = listed(&fields, &STORM, storm, problems);
    Some(Faults { settings: settings?, random, failed, timed, processes, storms })
}

/// The items of a list with the key of their spec.
fn listed<T>(
    fields: &Fields<'_>,
    spec: &'static Spec,
    read: impl Fn(&Node, &mut Problems) -> Option<T>,
    problems: &mut Problems,
) -> Vec<T> {
    let nodes = fields.get(spec.name).and_then(|node| items(node, spec.name, problems)).unwrap_or_default();
    nodes.iter().filter_map(|node| read(node, problems)).collect()
}

fn timed_fault(node: &Node, problems: &mut Problems) -> Option<TimedFault> {
    let others: Vec<&str> = Sufferer::KEYS.into_iter().chain(["action"]).collect();
    let (settings, fields) = plugin::section_at(Some(node), node.location, &TIMED_FAULT, &others, problems)?;
    let subject = subject(&fields, problems);
    let action = fields.need("action", "down", problems);
    let action = action.and_then(|node| plugin::plugin(node, "action", "action", ACTIONS, problems));
    // The name is looked up even if the action is unknown.
    let unknown = || Parameters::defaults(&DOWN).stand_in();
    Some(TimedFault { subject: subject?, settings: settings?, action: action.unwrap_or_else(unknown) })
}

/// The subject of an entry: one of several keys.
fn subject(fields: &Fields<'_>, problems: &mut Problems) -> Option<Sufferer> {
    let mut written = Sufferer::KEYS.into_iter().filter_map(|what| fields.get(what).map(|node| (what, node)));
    let Some((what, node)) = written.next() else {
        fields.need("link", "NAME", problems);
        return None;
    };
    if let Some((other, second)) = written.next() {
        let message = format!("an event happens to a {what} or to a {other}, not to both");
        let report = problems.report(second.location, message);
        report.label("a second one").related(node.location, "the first one").help("write two entries");
    }
    let expected = match what {
        "switch" => "the name of a switch",
        "nic" => "the name of the link of a NIC",
        "host" => "the name of a host",
        _ => "the name of a link",
    };
    Some(Sufferer { what, name: value::name(node, expected, problems)? })
}

fn process(node: &Node, problems: &mut Problems) -> Option<Process> {
    let (settings, fields) = plugin::section_at(Some(node), node.location, &PROCESS, &["kind"], problems)?;
    let kind = match fields.get("kind") {
        Some(node) => plugin::plugin(node, "kind", "kind of outage", OUTAGES, problems),
        None => Some(Parameters::defaults(&DOWN)),
    };
    Some(Process { settings: settings?, kind: kind? })
}

fn storm(node: &Node, problems: &mut Problems) -> Option<NamedStorm> {
    let (settings, fields) = plugin::section_at(Some(node), node.location, &STORM, &["link"], problems)?;
    let link = fields.need("link", "NAME", problems)?;
    let link = value::name(link, "the name of a link", problems)?;
    Some(NamedStorm { link, settings: settings? })
}
