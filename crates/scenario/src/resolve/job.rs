//! The `jobs` section: placement, repetition, and start of each job.

use std::collections::BTreeMap;

use netloom_units::{Duration, Kind, Time, Value};

use super::classes::{self, TRAFFIC};
use super::fields::{Fields, items, named};
use super::{groups, if_valid, is_word, phase, plugin, report_repeats, value};
use crate::diagnostic::Problems;
use crate::location::{Located, Location};
use crate::resolved::{Job, Parameters, Placement, Steps, WarmUp, sections};
use crate::written::{Node, Tree};

const KEYS: &[&str] = &[
    "name",
    "placement",
    "ranks_per_host",
    "share_hosts",
    "steps",
    "warm_up",
    "bursts",
    "start",
    "groups",
    "orders",
    TRAFFIC,
    "phases",
];

/// Reads the list of jobs; those that cannot be read are reported and left out.
pub(super) fn jobs(node: &Node, problems: &mut Problems) -> Vec<Job> {
    let found = items(node, "jobs", problems).unwrap_or_default();
    let read = |(number, item): (usize, &Node)| job(item, number, problems);
    found.iter().enumerate().filter_map(read).collect()
}

/// Reports jobs with the same name.
pub(super) fn check_names(jobs: &[Job], problems: &mut Problems) {
    let mut first: BTreeMap<&str, Location> = BTreeMap::new();
    for job in jobs {
        if let Some(location) = first.insert(&job.name.value, job.name.location) {
            let report =
                problems.report(job.name.location, format!("two jobs are named `{}`", job.name.value));
            report.label("again here").related(location, "first here");
        }
    }
}

fn job(node: &Node, number: usize, problems: &mut Problems) -> Option<Job> {
    let fields = Fields::open(node, "job", KEYS, problems)?;
    let name = match fields.get("name") {
        Some(node) => value::new_name(node, "a name", problems),
        None => Some(Located::new(format!("job{number}"), fields.head)),
    };
    let placement = match fields.get("placement") {
        Some(node) => if_valid(problems, |problems| placement(node, problems)),
        None => Some(Placement::Rule(Parameters::defaults(&sections::ALL_HOSTS))),
    };
    let ranks_per_host = match fields.get("ranks_per_host") {
        Some(node) => value::count_u32(node, 1, Job::MOST_RANKS_PER_HOST, problems)
            .map(|n| Located::new(n, node.location)),
        None => Some(Located::new(1, fields.head)),
    };
    let share_hosts = match fields.get("share_hosts") {
        Some(node) => match value::value(node, &Kind::Flag, problems) {
            Some(Value::Flag(flag)) => Some(Located::new(flag, node.location)),
            _ => None,
        },
        None => Some(Located::new(false, fields.head)),
    };
    let steps = match fields.get("steps") {
        Some(node) => steps(node, problems).map(|steps| Located::new(steps, location_of_steps(node))),
        None => Some(Located::new(Steps::Count(1), fields.head)),
    };
    let warm_up = match fields.get("warm_up") {
        Some(node) => warm_up(node, problems),
        None => Some(WarmUp::Steps(0)),
    };
    let bursts = if_valid(problems, |problems| bursts(fields.get("bursts"), problems));
    let start = match fields.get("start").map(|node| value::value(node, &Kind::Duration, problems)) {
        Some(Some(Value::Duration(span))) => Time::ZERO + span,
        _ => Time::ZERO,
    };
    let orders = match fields.get("orders") {
        Some(node) => {
            phase::lists_of_ranks(node, "orders", problems).map(|lists| Located::new(lists, node.head()))
        }
        None => Some(Located::new(Vec::new(), fields.head)),
    };
    let groups = fields.get("groups").map_or(Some(Vec::new()), |node| groups::groups(node, problems));
    let traffic = classes::kind(&fields, problems);
    let phases = fields.need("phases", "[{ ring_all_reduce: { size: 1MiB } }]", problems);
    let phases = phases.and_then(|node| phase::phases(node, "phases", problems));
    Some(Job {
        name: name?,
        placement: placement?,
        ranks_per_host: ranks_per_host?,
        share_hosts: share_hosts?,
        steps: steps?,
        warm_up: warm_up?,
        bursts: bursts?,
        start,
        groups: groups?,
        orders: orders?,
        traffic,
        phases: phases?,
    })
}

/// `1000`, `endless`, or `{ precision: 2% }`.
pub(super) fn steps(node: &Node, problems: &mut Problems) -> Option<Steps> {
    if is_word(node, Steps::ENDLESS) {
        return Some(Steps::Endless);
    }
    if matches!(node.tree, Tree::Map(_)) {
        let found =
            if_valid(problems, |problems| plugin::section(Some(node), &sections::PRECISE, &[], problems)?.0);
        return found.map(Steps::Precise);
    }
    let n_before = problems.len();
    let found = value::count_u32(node, 1, u32::MAX, problems).map(Steps::Count);
    problems.widen_since(n_before, ", `endless`, or a map with `precision`");
    found
}

/// Where errors about steps point: their number, or the key of their map.
pub(super) fn location_of_steps(node: &Node) -> Location {
    if matches!(node.tree, Tree::Map(_)) { node.head() } else { node.location }
}

/// A number of steps, or a share of all.
pub(super) fn warm_up(node: &Node, problems: &mut Problems) -> Option<WarmUp> {
    let is_share = matches!(&node.tree, Tree::Text(text) if text.contains(['%', '.']));
    if is_share {
        let kind = Kind::Fraction { minimum: 0.0, maximum: 0.9 };
        return match value::value(node, &kind, problems)? {
            Value::Fraction(share) => Some(WarmUp::Share(share)),
            _ => None,
        };
    }
    let n_before = problems.len();
    let found = value::count_u32(node, 0, u32::MAX, problems).map(WarmUp::Steps);
    problems.widen_since(n_before, ", or a share of all steps such as `10%`");
    found
}

/// `none`, or `{ length: 1ms, pause: 10ms }`.
#[expect(clippy::option_option, reason = "none at all, and none because it is wrong")]
pub(super) fn bursts(node: Option<&Node>, problems: &mut Problems) -> Option<Option<Parameters>> {
    let Some(node) = node.filter(|node| !is_word(node, "none")) else { return Some(None) };
    let found = plugin::section(Some(node), &sections::BURSTS, &[], problems)?.0?;
    let spans = ["pause", "slack"].map(|name| found.settings.duration(name));
    if spans == [Duration::ZERO; 2] {
        let report = problems.report(found.location_of("pause"), "bursts need a pause between them");
        report.label("expected a span above zero").help("write `bursts: none` for steps one after the other");
    }
    Some(Some(found))
}

/// `all`, `{ contiguous: { ranks: 16 } }`, or `{ list: [host, ...] }`.
pub(super) fn placement(node: &Node, problems: &mut Problems) -> Option<Placement> {
    let found = named(node, "placement", problems)?;
    if found.name == "list" {
        let Some(body) = found.body else {
            let report = problems.report(found.location, "`list` needs the names of hosts");
            report.label("nothing is listed").help("write `list: [host, ...]`");
            return None;
        };
        let listed = items(body, "list", problems)?;
        if listed.is_empty() {
            problems.report(body.head(), "`list` is empty").label("expected at least one host");
            return None;
        }
        let names: Vec<_> =
            listed.iter().filter_map(|item| value::name(item, "the name of a host", problems)).collect();
        report_repeats(&names, problems);
        return Some(Placement::List(Located::new(names, body.head())));
    }
    let known = (sections::PLACEMENTS, &["list"][..]);
    let spec = plugin::find_beside(found.name, found.location, "placement", known, problems)?;
    let (parameters, _) = plugin::section_at(found.body, found.location, spec, &[], problems)?;
    parameters.map(Placement::Rule)
}
