//! The `flows` section: sender, receiver, start and stop or size of each flow, the stages over which flows are measured,
//! and a file of finite flows.

use std::collections::BTreeMap;

use netloom_units::Duration;

use super::classes::{self, TRAFFIC};
use super::fields::{Fields, items, items_like};
use super::{is_word, plugin, span, value};
use crate::diagnostic::Problems;
use crate::location::{Located, Location};
use crate::resolved::{Flow, FlowFile, Flows, sections};
use crate::written::{Node, Tree};

const OTHERS: &[&str] = &["scale", "stages", "list", "file", "digest"];
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
    let file = file(&fields, problems);
    let named_file = fields.get("file").filter(|node| !is_word(node, "none"));
    let list = if let (None, Some(node)) = (fields.get("list"), named_file) {
        Some(Located::new(Vec::new(), node.head()))
    } else {
        let node = fields.need("list", "[{ from: HOST, to: HOST, stop: 5ms }]", problems);
        node.and_then(|node| Some(Located::new(listed(node, named_file.is_some(), problems)?, node.head())))
    };
    Some(Flows { settings: settings?, scale, stages, list: list?, file })
}

/// The file, not read yet.
fn file(fields: &Fields<'_>, problems: &mut Problems) -> Option<FlowFile> {
    let given = |key| fields.get(key).filter(|node| !is_word(node, "none"));
    let digest = given("digest").map(|node| (node, digest(node, problems)));
    let Some(node) = given("file") else {
        if let Some((node, _)) = digest {
            let report = problems.report(node.location, "there is no file for this digest");
            report.label("of which file?").help("add `file: flows.csv`, or remove `digest`");
        }
        return None;
    };
    let path = value::name(node, "the path of a file", problems)?;
    Some(FlowFile { path, digest: digest.and_then(|(_, found)| found), table: None })
}

fn digest(node: &Node, problems: &mut Problems) -> Option<Located<String>> {
    let found = value::name(node, "a digest, or `none`", problems)?;
    let is_digest = found.value.len() == 64 && found.value.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !is_digest {
        let report = problems.report(found.location, "this is not a BLAKE3 digest");
        report.label("expected 64 hexadecimal digits, or `none`").help("`b3sum FILE` prints it");
    }
    is_digest.then_some(found)
}

/// `1/1000`: the second number.
fn scale_of(node: &Node, problems: &mut Problems) -> Option<u32> {
    let text = value::text(node, "a share such as `1/1000`, or `none`", problems)?;
    let digits = text.strip_prefix("1/").filter(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()));
    let found = digits.and_then(|digits| digits.parse().ok()).filter(|&number: &u32| number > 0);
    if found.is_none() {
        let report = problems.report(node.location, format!("`{text}` is not a scale of times"));
        report.label("expected one over a whole number, or `none`").help("write `1/1000`");
    }
    found
}

/// The instants at which one stage ends and the next one begins.
fn boundaries(node: &Node, problems: &mut Problems) -> Option<Located<Vec<Located<Duration>>>> {
    let listed = items_like(node, "`stages`", BOUNDARIES, problems)?;
    let found: Option<Vec<_>> = listed.iter().map(|item| span(item, problems)).collect();
    let found = found?;
    if found.len() < 2 {
        let report = problems.report(node.head(), "a stage needs two boundaries: its start and its end");
        report.label(format!("{} written here", found.len())).help(BOUNDARIES);
        return None;
    }
    if let Some(two) = found.windows(2).find(|two| two[1].value <= two[0].value) {
        let report = problems.report(two[1].location, "boundaries of stages must rise");
        report.label("not after the one before it").related(two[0].location, "the one before it");
        return None;
    }
    Some(Located::new(found, node.head()))
}

fn listed(node: &Node, has_file: bool, problems: &mut Problems) -> Option<Vec<Flow>> {
    let found = items(node, "list", problems)?;
    if found.is_empty() && !has_file {
        problems.report(node.head(), "`list` is empty").label("expected at least one flow");
        return None;
    }
    let flows: Vec<_> = found.iter().filter_map(|item| flow(item, problems)).collect();
    let mut first: BTreeMap<&str, Location> = BTreeMap::new();
    for Flow { name, .. } in &flows {
        if let Some(location) = first.insert(&name.value, name.location) {
            let report = problems.report(name.location, format!("two flows are named `{}`", name.value));
            report.label("again here").related(location, "first here");
            report.help("give each a `name` of its own; without one a flow is named after its ends");
        }
    }
    Some(flows)
}

fn flow(node: &Node, problems: &mut Problems) -> Option<Flow> {
    let is_finite = has(node, "size");
    let mut own = vec!["name", "from", "to", TRAFFIC];
    let spec = if is_finite { &sections::FINITE_FLOW } else { &sections::FLOW };
    own.extend(is_finite.then_some("after"));
    // Keys of the other kind are reported below.
    own.extend(others(is_finite).iter().copied().filter(|key| has(node, key)));
    let n_before = problems.len();
    let (settings, fields) = plugin::section_at(Some(node), node.head(), spec, &own, problems)?;
    if !is_finite && fields.get("stop").is_none() {
        problems.widen_since(n_before, ", or `size` for a flow of that size");
    }
    mixed(is_finite, &fields, problems);
    let after = fields.get("after").filter(|node| is_finite && !is_word(node, "none"));
    let after = after.map(|node| value::name(node, "the name of an earlier flow", problems));
    let mut host = |key| {
        let found = fields.need(key, "HOST", problems)?;
        value::name(found, "the name of a host", problems)
    };
    let (from, to) = (host("from"), host("to"));
    let name = fields.get("name").map(|node| value::new_name(node, "a name", problems));
    let traffic = classes::kind(&fields, problems);
    let (settings, from, to) = (settings?, from?, to?);
    if from.value == to.value {
        let report = problems.report(to.location, "a flow goes from one host to another");
        report.label("source and destination are the same").related(from.location, "from here");
    }
    let start = settings.settings.duration("start");
    if !is_finite && !settings.has_stand_ins && settings.settings.duration("stop") <= start {
        let report = problems.report(settings.location_of("stop"), "the flow stops before it sends");
        report.label("expected an instant after `start`");
        if start > Duration::ZERO {
            report.related(settings.location_of("start"), "it starts here");
        }
    }
    let name = match name {
        Some(given) => given?,
        None => Located::new(format!("{}->{}", from.value, to.value), fields.head),
    };
    let after = match after {
        Some(given) => Some(given?),
        None => None,
    };
    Some(Flow { name, from, to, settings, after, traffic })
}

fn has(node: &Node, key: &str) -> bool {
    matches!(&node.tree, Tree::Map(entries) if entries.iter().any(|entry| entry.key == key))
}

/// Keys of the other kind of flows.
fn others(is_finite: bool) -> &'static [&'static str] {
    if is_finite { &["stop", "rate"] } else { &["after"] }
}

/// Reports keys of flows that stop in a finite flow, and those of a finite flow in others.
fn mixed(is_finite: bool, fields: &Fields<'_>, problems: &mut Problems) {
    for key in others(is_finite) {
        let Some(node) = fields.get(key) else { continue };
        let (message, label) = match *key {
            "after" => ("only a flow with a `size` waits for another one", "this flow has no `size`"),
            "stop" => ("a flow has a `stop` or a `size`, not both", "expected one of the two"),
            _ => ("a flow with a `size` has no `rate` of its own", "expected no `rate`"),
        };
        problems.report(node.location, message).label(label);
    }
}
