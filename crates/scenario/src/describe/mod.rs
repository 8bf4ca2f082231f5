//! A resolved scenario converted back to a tree of nodes, every default written out, ready to be printed.
//!
//! Invariants: reading the result gives an equal scenario.

pub(crate) mod changed;
mod workload;

use netloom_model::SizePoint;
use netloom_units::{Duration, Value};

use crate::location::Located;
use crate::quantity::{self, Dimension};
use crate::resolved::{
    Background, Balance, Bundle, Class, ClassMarking, Classes, Congestion, Custom, Fabric, Faults,
    NamedStorm, Parameters, Process, Queues, Record, Resolved, Route, Series, TimedFault, Traffic,
};
use crate::words;
use crate::written::Node;

/// The whole scenario.
pub(crate) fn scenario(resolved: &Resolved) -> Node {
    let coordination_delay = resolved.coordination_delay.as_ref();
    Node::map([
        ("netloom", Node::text("1")),
        ("name", Node::name(&resolved.name)),
        ("seed", Node::text(resolved.seed.to_string())),
        ("fabric", fabric(&resolved.fabric)),
        ("balance", balance(&resolved.balance)),
        ("routes", Node::list(resolved.routes.iter().map(|entry| route(&entry.value)))),
        ("transport", plugin(&resolved.transport)),
        ("congestion", congestion(&resolved.congestion)),
        ("queues", queues(&resolved.queues)),
        ("classes", classes(&resolved.classes)),
        ("traffic", Node::list(resolved.traffic.iter().map(traffic))),
        ("hosts", section(&resolved.hosts)),
        ("jobs", Node::list(resolved.jobs.iter().map(workload::job))),
        ("background", resolved.background.as_ref().map_or_else(|| Node::text("none"), background)),
        ("flows", resolved.flows.as_ref().map_or_else(|| Node::text("none"), workload::flows)),
        ("faults", faults(&resolved.faults)),
        (
            "coordination_delay",
            coordination_delay.map_or_else(|| Node::text("auto"), |span| duration(span.value)),
        ),
        ("deadline", resolved.deadline.map_or_else(|| Node::text("none"), |time| duration(Duration(time.0)))),
        ("record", record(&resolved.record)),
    ])
}

/// A span of time.
fn duration(span: Duration) -> Node {
    Node::text(quantity::print(span.0, Dimension::Duration))
}

/// A value, or a list of them.
fn value(value: Value) -> Node {
    match value {
        Value::Counts(list) => Node::list(list.iter().map(|number| Node::text(number.to_string()))),
        single => Node::text(words::value(&single)),
    }
}

/// The parameters of a section as keys and values.
fn entries(parameters: &Parameters) -> Vec<(String, Node)> {
    parameters.settings.iter().map(|(name, found)| (name.to_owned(), value(found))).collect()
}

/// A section: the map of its parameters.
fn section(parameters: &Parameters) -> Node {
    Node::map(entries(parameters))
}

/// A plug-in: its name, with the map of its parameters if it has any.
fn plugin(parameters: &Parameters) -> Node {
    if parameters.spec.parameters.is_empty() {
        return Node::text(parameters.spec.name);
    }
    Node::map([(parameters.spec.name, section(parameters))])
}

fn names(names: &[Located<String>]) -> Node {
    Node::list(names.iter().map(|name| Node::name(&name.value)))
}

fn fabric(fabric: &Fabric) -> Node {
    match fabric {
        Fabric::Parametric(parameters) => plugin(parameters),
        Fabric::Custom(custom) => Node::map([("custom", custom_body(custom))]),
    }
}

fn custom_body(custom: &Custom) -> Node {
    Node::map([
        ("hosts", names(&custom.hosts.value)),
        ("switches", names(&custom.switches)),
        ("links", Node::list(custom.links.iter().map(|bundle| link(&bundle.value)))),
    ])
}

fn link(bundle: &Bundle) -> Node {
    Node::map([
        ("from", Node::name(&bundle.from.value)),
        ("to", Node::name(&bundle.to.value)),
        ("rate", value(Value::Rate(bundle.rate))),
        ("delay", duration(bundle.delay)),
        ("count", Node::text(bundle.count.to_string())),
    ])
}

fn balance(balance: &Balance) -> Node {
    let or = |found: Option<&Parameters>, word| found.map_or_else(|| Node::text(word), plugin);
    Node::map([
        ("host", plugin(&balance.host)),
        ("switch", plugin(&balance.switch)),
        ("control", or(balance.control.as_ref(), Balance::AS_DATA)),
        ("edge", or(balance.edge.as_ref(), "none")),
    ])
}

fn congestion(Congestion { kind, table }: &Congestion) -> Node {
    if !Congestion::has_table(kind.spec) {
        return plugin(kind);
    }
    let mut all = entries(kind);
    let listed = |table: &Located<Vec<f64>>| {
        Node::list(table.value.iter().map(|&entry| value(Value::Fraction(entry))))
    };
    let table = table.as_ref().map_or_else(|| Node::text("none"), listed);
    all.push((Congestion::TABLE.to_owned(), table));
    Node::map([(kind.spec.name, Node::map(all))])
}

fn route(route: &Route) -> Node {
    let Route { at, from, to, link, settings } = route;
    let named = [("at", Some(at)), ("from", from.as_ref()), ("to", Some(to)), ("link", Some(link))];
    let named = named.into_iter().filter_map(|(key, name)| Some((key.to_owned(), Node::name(&name?.value))));
    Node::map(named.chain(entries(settings)))
}

fn queues(queues: &Queues) -> Node {
    let mut all = entries(&queues.settings);
    let headroom = queues.headroom.as_ref();
    let headroom = headroom.map_or_else(|| Node::text("auto"), |size| value(Value::Size(size.value)));
    all.push(("headroom".to_owned(), headroom));
    let marking = queues.marking.as_ref().map_or_else(|| Node::text("none"), section);
    all.push(("marking".to_owned(), marking));
    let credits = queues.credits.as_ref().map_or_else(|| Node::text("none"), section);
    all.push(("credits".to_owned(), credits));
    Node::map(all)
}

fn classes(Classes { settings, list }: &Classes) -> Node {
    let mut all = entries(settings);
    all.push(("list".to_owned(), Node::list(list.iter().map(class))));
    Node::map(all)
}

fn class(class: &Class) -> Node {
    let Class { settings, dscp, schedule, marking, pause, alpha } = class;
    let own = |found: Option<Value>| found.map_or_else(|| Node::text(Class::AS_QUEUES), value);
    let marking = match marking {
        ClassMarking::AsQueues => Node::text(Class::AS_QUEUES),
        ClassMarking::Off => Node::text("none"),
        ClassMarking::Own(marking) => section(marking),
    };
    let mut all = entries(settings);
    let others = [
        ("dscp", Node::list(dscp.iter().map(|dscp| Node::text(dscp.value.to_string())))),
        ("schedule", plugin(schedule)),
        ("marking", marking),
        ("pause", own(pause.as_ref().map(|pause| Value::Flag(pause.value)))),
        ("alpha", own(alpha.as_ref().map(|alpha| Value::Fraction(alpha.value)))),
    ];
    all.extend(others.map(|(key, node)| (key.to_owned(), node)));
    Node::map(all)
}

fn traffic(Traffic { name, dscp, class, settings }: &Traffic) -> Node {
    let mut all = vec![("name".to_owned(), Node::name(&name.value))];
    for (key, number) in [("dscp", dscp), ("class", class)] {
        all.extend(number.as_ref().map(|number| (key.to_owned(), Node::text(number.value.to_string()))));
    }
    all.extend(entries(settings));
    Node::map(all)
}

/// The name of a kind of traffic.
fn kind(name: Option<&Located<String>>) -> Node {
    name.map_or_else(|| Node::text("none"), |name| Node::name(&name.value))
}

fn background(background: &Background) -> Node {
    let mut all = entries(&background.kind);
    all.extend(entries(&background.common));
    all.push(("traffic".to_owned(), kind(background.traffic.as_ref())));
    if Background::draws_sizes(background.kind.spec) {
        let point = |point: &SizePoint| {
            Node::list([Value::Size(point.size), Value::Fraction(point.share)].into_iter().map(value))
        };
        all.push(("senders".to_owned(), workload::placement(&background.senders)));
        all.push(("given".to_owned(), Node::list(background.given.value.iter().map(point))));
    }
    Node::map([(background.kind.spec.name, Node::map(all))])
}

fn faults(faults: &Faults) -> Node {
    let mut all = entries(&faults.settings);
    let random = faults.random.as_ref().map_or_else(|| Node::text("none"), section);
    all.push(("random".to_owned(), random));
    all.push(("failed".to_owned(), names(&faults.failed)));
    all.push(("timed".to_owned(), Node::list(faults.timed.iter().map(timed_fault))));
    all.push(("processes".to_owned(), Node::list(faults.processes.iter().map(process))));
    all.push(("storms".to_owned(), Node::list(faults.storms.iter().map(storm))));
    Node::map(all)
}

fn timed_fault(fault: &TimedFault) -> Node {
    let mut all = entries(&fault.settings);
    all.push((fault.subject.what.to_owned(), Node::name(&fault.subject.name.value)));
    all.push(("action".to_owned(), plugin(&fault.action)));
    Node::map(all)
}

fn process(process: &Process) -> Node {
    let mut all = entries(&process.settings);
    all.push(("kind".to_owned(), plugin(&process.kind)));
    Node::map(all)
}

fn storm(storm: &NamedStorm) -> Node {
    let mut all = entries(&storm.settings);
    all.insert(1, ("link".to_owned(), Node::name(&storm.link.value)));
    Node::map(all)
}

fn record(record: &Record) -> Node {
    let mut all = entries(&record.settings);
    let series = match record.series {
        Series::Auto => Node::text("auto"),
        Series::Every(interval) => duration(interval),
        Series::Off => Node::text("none"),
    };
    all.insert(0, ("series".to_owned(), series));
    all.push(("packets_from".to_owned(), names(&record.packets_from)));
    all.push(("packets_of".to_owned(), names(&record.packets_of)));
    all.push(("packets_on".to_owned(), names(&record.packets_on)));
    all.push(("rates_from".to_owned(), names(&record.rates_from)));
    all.push(("rates_of".to_owned(), names(&record.rates_of)));
    let congestion = record.congestion.as_ref().map_or_else(|| Node::text("none"), section);
    all.push(("congestion".to_owned(), congestion));
    Node::map(all)
}
