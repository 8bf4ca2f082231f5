//! The `jobs` section: who runs where, how often, and from when on.

use std::collections::BTreeMap;

use netloom_units::{Kind, Time, Value};

use super::classes::{self, TRAFFIC};
use super::fields::{Fields, items, named};
use super::{phase, plugin, report_repeats, sound, value};
use crate::diagnostic::Problems;
use crate::place::{Place, Placed};
use crate::resolved::{Job, Parameters, Placement, sections};
use crate::written::Node;

const KEYS: &[&str] = &["name", "placement", "steps", "start", "orders", TRAFFIC, "phases"];

/// Reads the list of jobs; those that cannot be read are reported and left out.
pub(super) fn jobs(node: &Node, problems: &mut Problems) -> Vec<Job> {
    let found = items(node, "jobs", problems).unwrap_or_default();
    let read = |(number, item): (usize, &Node)| job(item, number, problems);
    let jobs: Vec<Job> = found.iter().enumerate().filter_map(read).collect();
    let mut first: BTreeMap<&str, Place> = BTreeMap::new();
    for job in &jobs {
        if let Some(place) = first.insert(&job.name.value, job.name.place) {
            let report = problems.report(job.name.place, format!("two jobs are named `{}`", job.name.value));
            report.label("again here").related(place, "first here");
        }
    }
    jobs
}

fn job(node: &Node, number: usize, problems: &mut Problems) -> Option<Job> {
    let fields = Fields::open(node, "job", KEYS, problems)?;
    let name = match fields.get("name") {
        Some(node) => value::name(node, "a name", problems),
        None => Some(Placed::new(format!("job{number}"), fields.head)),
    };
    let placement = match fields.get("placement") {
        Some(node) => sound(problems, |problems| placement(node, problems)),
        None => Some(Placement::Rule(Parameters::defaults(&sections::ALL_HOSTS))),
    };
    let steps = match fields.get("steps") {
        Some(node) => value::count_u32(node, 1, u32::MAX, problems).map(|n| Placed::new(n, node.place)),
        None => Some(Placed::new(1, fields.head)),
    };
    let start = match fields.get("start").map(|node| value::value(node, &Kind::Duration, problems)) {
        Some(Some(Value::Duration(span))) => Time::ZERO + span,
        _ => Time::ZERO,
    };
    let orders = match fields.get("orders") {
        Some(node) => {
            phase::lists_of_ranks(node, "orders", problems).map(|lists| Placed::new(lists, node.head()))
        }
        None => Some(Placed::new(Vec::new(), fields.head)),
    };
    let traffic = classes::kind(&fields, problems);
    let phases = fields.need("phases", "[{ ring_all_reduce: { size: 1MiB } }]", problems);
    let phases = phases.and_then(|node| phase::phases(node, "phases", problems));
    Some(Job {
        name: name?,
        placement: placement?,
        steps: steps?,
        start,
        orders: orders?,
        traffic,
        phases: phases?,
    })
}

/// `all`, `{ contiguous: { ranks: 16 } }`, or `{ list: [host, ...] }`.
pub(super) fn placement(node: &Node, problems: &mut Problems) -> Option<Placement> {
    let found = named(node, "placement", problems)?;
    if found.name == "list" {
        let Some(body) = found.body else {
            let report = problems.report(found.place, "`list` needs the names of hosts");
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
        return Some(Placement::List(Placed::new(names, body.head())));
    }
    let spec = plugin::find(found.name, found.place, "placement", sections::PLACEMENTS, problems)?;
    let (parameters, _) = plugin::section_at(found.body, found.place, spec, &[], problems)?;
    parameters.map(Placement::Rule)
}
