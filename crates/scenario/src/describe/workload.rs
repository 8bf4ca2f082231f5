//! Jobs with their phases, and staged flows, converted back to nodes.

use netloom_units::{Duration, Value};

use super::{duration, entries, kind, names, plugin, section, value};
use crate::location::Located;
use crate::resolved::{
    Collective, Flow, Flows, Group, GroupRanks, Job, Overlap, Phase, PhaseEntry, Placement, Stages, Steps,
    WarmUp,
};
use crate::written::Node;

/// One job.
pub(super) fn job(job: &Job) -> Node {
    Node::map([
        ("name", Node::name(&job.name.value)),
        ("placement", placement(&job.placement)),
        ("ranks_per_host", Node::text(job.ranks_per_host.value.to_string())),
        ("share_hosts", value(Value::Flag(job.share_hosts.value))),
        ("steps", steps(&job.steps.value)),
        ("warm_up", warm_up(job.warm_up)),
        ("bursts", job.bursts.as_ref().map_or_else(|| Node::text("none"), section)),
        ("start", duration(Duration(job.start.0))),
        ("groups", Node::map(job.groups.iter().map(|group| (group.name.value.clone(), group_ranks(group))))),
        ("orders", ranks(&job.orders.value)),
        ("traffic", kind(job.traffic.as_ref())),
        ("phases", Node::list(job.phases.iter().map(phase))),
    ])
}

/// Number of steps.
pub(super) fn steps(steps: &Steps) -> Node {
    match steps {
        Steps::Count(n) => Node::text(n.to_string()),
        Steps::Endless => Node::text(Steps::ENDLESS),
        Steps::Precise(parameters) => section(parameters),
    }
}

/// Steps that do not count (warm-up).
pub(super) fn warm_up(warm_up: WarmUp) -> Node {
    match warm_up {
        WarmUp::Steps(n) => Node::text(n.to_string()),
        WarmUp::Share(share) => value(Value::Fraction(share)),
    }
}

/// The placement on hosts.
pub(super) fn placement(placement: &Placement) -> Node {
    match placement {
        Placement::Rule(parameters) => plugin(parameters),
        Placement::List(hosts) => Node::map([("list", names(&hosts.value))]),
    }
}

/// Which ranks form the groups of a kind.
pub(super) fn group_ranks(group: &Group) -> Node {
    match &group.ranks.value {
        GroupRanks::Dimension(size) => Node::text(size.to_string()),
        GroupRanks::Remaining => Node::text(GroupRanks::AUTO),
        GroupRanks::Within { of, size } => {
            Node::map([("within", Node::name(&of.value)), ("size", Node::text(size.to_string()))])
        }
        GroupRanks::Listed(lists) => ranks(lists),
    }
}

/// A phase with the keys beside it, as far as they are written.
fn phase(PhaseEntry { phase, overlap }: &PhaseEntry) -> Node {
    let Overlap { name, stream, after } = overlap;
    let name_of = |text: &Located<String>| Node::name(&text.value);
    let after = (!after.is_empty()).then(|| Node::list(after.iter().map(name_of)));
    let beside =
        [("name", name.as_ref().map(name_of)), ("stream", stream.as_ref().map(name_of)), ("after", after)];
    match &phase.value {
        Phase::Barrier if overlap.is_default() => Node::text("barrier"),
        Phase::Program if overlap.is_default() => Node::text("program"),
        kind => {
            let beside = beside.into_iter().filter_map(|(key, node)| Some((key, node?)));
            Node::map(std::iter::once(phase_kind(kind)).chain(beside))
        }
    }
}

/// A phase as a name and what is below it.
fn phase_kind(phase: &Phase) -> (&'static str, Node) {
    match phase {
        Phase::Compute(span) => ("compute", duration(*span)),
        Phase::Barrier => ("barrier", Node::map::<&str>([])),
        Phase::Program => ("program", Node::map::<&str>([])),
        Phase::Collectives { settings, each } => {
            let mut all = entries(settings);
            all.push(("each".to_owned(), Node::list(each.iter().map(collective))));
            ("collectives", Node::map(all))
        }
        Phase::PointToPoint { settings, stages } => {
            let mut all = entries(settings);
            all.insert(0, ("stages".to_owned(), stages_node(&stages.value)));
            ("point_to_point", Node::map(all))
        }
        Phase::Pipeline { settings, stages } => {
            let mut all = entries(settings);
            all.insert(0, ("stages".to_owned(), stages_node(&stages.value)));
            ("pipeline", Node::map(all))
        }
        Phase::Repeat { times, phases } => {
            let inner = Node::list(phases.iter().map(self::phase));
            let all = [("times", Node::text(times.value.to_string())), ("phases", inner)];
            ("repeat", Node::map(all))
        }
    }
}

fn collective(collective: &Collective) -> Node {
    let mut all = entries(&collective.common);
    let group = collective.group.as_ref();
    all.push((
        "group".to_owned(),
        group.map_or_else(|| Node::text(Group::ALL), |name| Node::name(&name.value)),
    ));
    all.extend(entries(&collective.algorithm));
    Node::map([(collective.algorithm.spec.name, Node::map(all))])
}

fn stages_node(stages: &Stages) -> Node {
    match stages {
        Stages::Count(n) => Node::text(n.to_string()),
        Stages::Group(name) => Node::name(&name.value),
        Stages::Given(lists) => ranks(lists),
    }
}

fn ranks(lists: &[Located<Vec<u32>>]) -> Node {
    let list =
        |ranks: &Located<Vec<u32>>| Node::list(ranks.value.iter().map(|rank| Node::text(rank.to_string())));
    Node::list(lists.iter().map(list))
}

/// Listed flows, and the file of further ones.
pub(super) fn flows(flows: &Flows) -> Node {
    let mut all = entries(&flows.settings);
    let stages = flows.stages.as_ref().map_or_else(
        || Node::text("auto"),
        |boundaries| Node::list(boundaries.value.iter().map(|boundary| duration(boundary.value))),
    );
    all.push(("scale".to_owned(), Node::text(flows.time_scale().unwrap_or_else(|| "none".to_owned()))));
    all.push(("stages".to_owned(), stages));
    let none = || Node::text("none");
    let file = flows.file.as_ref();
    all.push(("file".to_owned(), file.map_or_else(none, |file| Node::name(&file.path.value))));
    let digest = file.and_then(|file| file.digest.as_ref()).map(|digest| &digest.value);
    all.push(("digest".to_owned(), digest.map_or_else(none, Node::name)));
    all.push(("list".to_owned(), Node::list(flows.list.value.iter().map(flow))));
    Node::map(all)
}

fn flow(flow: &Flow) -> Node {
    let names = [("name", &flow.name), ("from", &flow.from), ("to", &flow.to)];
    let mut all: Vec<(String, Node)> =
        names.into_iter().map(|(key, name)| (key.to_owned(), Node::name(&name.value))).collect();
    all.extend(entries(&flow.settings));
    if flow.is_finite() {
        let after = flow.after.as_ref().map_or_else(|| Node::text("none"), |after| Node::name(&after.value));
        all.push(("after".to_owned(), after));
    }
    all.push(("traffic".to_owned(), kind(flow.traffic.as_ref())));
    Node::map(all)
}
