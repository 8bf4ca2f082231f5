//! The `flows` section: sender, receiver, start and stop of each flow, and the stages over which it is measured.

use std::collections::BTreeMap;

use netloom_units::Duration;

use super::classes::{self, TRAFFIC};
use super::fields::{items, items_like};
use super::{is_word, plugin, span, value};
use crate::diagnostic::Problems;
use crate::place::{Place, Placed};
use crate::resolved::{Flow, Flows, sections};
use crate::written::Node;

const OTHERS: &[&str] = &["scale", "stages", "list"];
/// Example of a list of boundaries.
const BOUNDARIES: &str = "write `[0ms, 5ms, 10ms]`, or `auto`";

/// `none`, or flows with their stages.
pub(super) fn flows(node: Option<&Node>, problems: &mut Problems) -> Option<Flows> {
    let node = node.filter(|node| !is_word(node, "none"))?;
    let (settings, fields) = plugin::section(Some(node), &sections::FLOWS, OTHERS, problems)?;
    let scale = fields.get("scale").filter(|node| !is_word(node, "none"));
    let scale = scale.and_then(|node| scale_of(node, problems));
    let stages = fields.get("stages").filter(|node| !is_word(node, "auto"));
    let stages = stages.and_then(|node| boundaries(node, problems));
    let list = fields.need("list", "[{ from: HOST, to: HOST, stop: 5ms }]", problems);
    let list = list.and_then(|node| Some(Placed::new(listed(node, problems)?, node.head())));
    Some(Flows { settings: settings?, scale, stages, list: list? })
}

/// `1/1000`: the second number.
fn scale_of(node: &Node, problems: &mut Problems) -> Option<u32> {
    let text = value::text(node, "a share such as `1/1000`, or `none`", problems)?;
    let digits = text.strip_prefix("1/").filter(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()));
    let found = digits.and_then(|digits| digits.parse().ok()).filter(|&number: &u32| number > 0);
    if found.is_none() {
        let report = problems.report(node.place, format!("`{text}` is not a scale of times"));
        report.label("expected one over a whole number, or `none`").help("write `1/1000`");
    }
    found
}

/// The instants at which one stage ends and the next one begins.
fn boundaries(node: &Node, problems: &mut Problems) -> Option<Placed<Vec<Placed<Duration>>>> {
    let listed = items_like(node, "`stages`", BOUNDARIES, problems)?;
    let found: Option<Vec<_>> = listed.iter().map(|item| span(item, problems)).collect();
    let found = found?;
    if found.len() < 2 {
        let report = problems.report(node.head(), "a stage needs two boundaries: its start and its end");
        report.label(format!("{} written here", found.len())).help(BOUNDARIES);
        return None;
    }
    if let Some(two) = found.windows(2).find(|two| two[1].value <= two[0].value) {
        let report = problems.report(two[1].place, "boundaries of stages must rise");
        report.label("not after the one before it").related(two[0].place, "the one before it");
        return None;
    }
    Some(Placed::new(found, node.head()))
}

fn listed(node: &Node, problems: &mut Problems) -> Option<Vec<Flow>> {
    let found = items(node, "list", problems)?;
    if found.is_empty() {
        problems.report(node.head(), "`list` is empty").label("expected at least one flow");
        return None;
    }
    let flows: Vec<_> = found.iter().filter_map(|item| flow(item, problems)).collect();
    let mut first: BTreeMap<&str, Place> = BTreeMap::new();
    for Flow { name, .. } in &flows {
        if let Some(place) = first.insert(&name.value, name.place) {
            let report = problems.report(name.place, format!("two flows are named `{}`", name.value));
            report.label("again here").related(place, "first here");
            report.help("give each a `name` of its own; without one a flow is named after its ends");
        }
    }
    Some(flows)
}

fn flow(node: &Node, problems: &mut Problems) -> Option<Flow> {
    let own = ["name", "from", "to", TRAFFIC];
    let (settings, fields) = plugin::section_at(Some(node), node.head(), &sections::FLOW, &own, problems)?;
    let mut host = |key| {
        let found = fields.need(key, "HOST", problems)?;
        value::name(found, "the name of a host", problems)
    };
    let (from, to) = (host("from"), host("to"));
    let name = fields.get("name").map(|node| value::name(node, "a name", problems));
    let traffic = classes::kind(&fields, problems);
    let (settings, from, to) = (settings?, from?, to?);
    if from.value == to.value {
        let report = problems.report(to.place, "a flow goes from one host to another");
        report.label("source and destination are the same").related(from.place, "from here");
    }
    let start = settings.settings.duration("start");
    if !settings.has_stand_ins && settings.settings.duration("stop") <= start {
        let report = problems.report(settings.place_of("stop"), "the flow stops before it sends");
        report.label("expected an instant after `start`");
        if start > Duration::ZERO {
            report.related(settings.place_of("start"), "it starts here");
        }
    }
    let name = match name {
        Some(given) => given?,
        None => Placed::new(format!("{}->{}", from.value, to.value), fields.head),
    };
    Some(Flow { name, from, to, settings, traffic })
}
