//! The sections `classes` and `traffic`: settings of data classes, and the kinds of traffic.
//!
//! Leaves out: which kind is in which class, and what classes require of other sections; `compile` checks that.

use std::collections::BTreeMap;

use netloom_units::{Kind, Value};

use super::fields::{Fields, items};
use super::{is_word, network, plugin, value};
use crate::diagnostic::Problems;
use crate::location::{Located, Location};
use crate::resolved::{Class, ClassMarking, Classes, Parameters, Traffic, queue_pairs, sections};
use crate::written::Node;

/// The key that names the kind of traffic of messages.
pub(super) const TRAFFIC: &str = "traffic";
/// The word for no named kind.
const NONE: &str = "none";
/// Code points of 6 bits.
const DSCP: Kind = Kind::Count { minimum: 0, maximum: 63 };
const ALPHA: Kind = Kind::Fraction { minimum: 1.0 / 1024.0, maximum: 64.0 };
const NUMBER: Kind = Kind::Count { minimum: 0, maximum: 7 };

/// The traffic classes; the default of control packets is that of the transport.
pub(super) fn classes(
    node: Option<&Node>,
    transport: Option<&Parameters>,
    problems: &mut Problems,
) -> Option<Classes> {
    let (settings, fields) = plugin::section(node, &sections::CLASSES, &["list"], problems)?;
    let mut settings = settings?;
    if fields.get("control").is_none() {
        let class = queue_pairs::default_control_class(transport.map(|transport| transport.spec));
        settings.settings = settings.settings.with("control", Value::Count(class));
    }
    let listed = fields.get("list").and_then(|node| items(node, "list", problems)).unwrap_or_default();
    let list: Vec<Class> = listed.iter().filter_map(|item| class(item, problems)).collect();
    once_each(&list, problems);
    Some(Classes { settings, list })
}

fn class(node: &Node, problems: &mut Problems) -> Option<Class> {
    let others = ["dscp", "schedule", "marking", "pause", "alpha"];
    let (settings, fields) =
        plugin::section_at(Some(node), node.head(), &sections::CLASS, &others, problems)?;
    let dscp = fields.get("dscp").and_then(|node| items(node, "dscp", problems)).unwrap_or_default();
    let dscp = dscp.iter().filter_map(|item| small(item, &DSCP, problems)).collect();
    let schedule = match fields.get("schedule") {
        Some(node) => plugin::plugin(node, "schedule", "schedule", sections::SCHEDULES, problems),
        None => Some(Parameters::defaults(&sections::STRICT)),
    };
    let pause = own(&fields, "pause", &Kind::Flag, problems, |value| match value {
        Value::Flag(pause) => Some(pause),
        _ => None,
    });
    let alpha = own(&fields, "alpha", &ALPHA, problems, |value| match value {
        Value::Fraction(alpha) => Some(alpha),
        _ => None,
    });
    let marking = match fields.get("marking").filter(|node| !is_word(node, Class::AS_QUEUES)) {
        None => Some(ClassMarking::AsQueues),
        Some(node) if is_word(node, NONE) => Some(ClassMarking::Off),
        Some(node) => network::marking(Some(node), problems).map(ClassMarking::Own),
    };
    Some(Class { settings: settings?, dscp, schedule: schedule?, marking: marking?, pause, alpha })
}

/// A class's own setting, unless it is that of `queues`.
fn own<T>(
    fields: &Fields<'_>,
    key: &str,
    kind: &Kind,
    problems: &mut Problems,
    of: impl Fn(Value) -> Option<T>,
) -> Option<Located<T>> {
    let node = fields.get(key).filter(|node| !is_word(node, Class::AS_QUEUES))?;
    let n_before = problems.len();
    let found = value::value(node, kind, problems);
    problems.widen_since(n_before, ", or `as_queues`");
    Some(Located::new(of(found?)?, node.location))
}

fn small(node: &Node, kind: &Kind, problems: &mut Problems) -> Option<Located<u8>> {
    match value::value(node, kind, problems) {
        Some(Value::Count(count)) => Some(Located::new(count as u8, node.location)),
        _ => None,
    }
}

/// Every class is listed once, and every code point means one class.
fn once_each(list: &[Class], problems: &mut Problems) {
    let mut classes: BTreeMap<u8, Location> = BTreeMap::new();
    let mut code_points: BTreeMap<u8, (u8, Location)> = BTreeMap::new();
    for class in list.iter().filter(|class| !class.settings.has_stand_ins) {
        let (number, location) = (class.number(), class.settings.location_of("class"));
        if let Some(first) = classes.insert(number, location) {
            let report = problems.report(location, format!("class {number} is listed twice"));
            report.label("again here").related(first, "first here");
        }
        for dscp in &class.dscp {
            let Some((other, first)) = code_points.insert(dscp.value, (number, dscp.location)) else {
                continue;
            };
            let message = format!("DSCP {} is listed twice", dscp.value);
            let report = problems.report(dscp.location, message);
            report.label(format!("by class {number}")).related(first, format!("by class {other}"));
            report.help("a packet is in one class: leave it to one of them");
        }
    }
}

/// The kinds of traffic.
pub(super) fn traffic(node: Option<&Node>, problems: &mut Problems) -> Vec<Traffic> {
    let listed = node.and_then(|node| items(node, TRAFFIC, problems)).unwrap_or_default();
    let kinds: Vec<Traffic> = listed.iter().filter_map(|item| one(item, problems)).collect();
    let mut first: BTreeMap<&str, Location> = BTreeMap::new();
    for Traffic { name, .. } in &kinds {
        if let Some(location) = first.insert(&name.value, name.location) {
            let message = format!("two kinds of traffic are named `{}`", name.value);
            problems.report(name.location, message).label("again here").related(location, "first here");
        }
    }
    kinds
}

fn one(node: &Node, problems: &mut Problems) -> Option<Traffic> {
    let own = ["name", "dscp", "class"];
    let (settings, fields) = plugin::section_at(Some(node), node.head(), &sections::TRAFFIC, &own, problems)?;
    let name =
        fields.need("name", "storage", problems).and_then(|node| value::new_name(node, "a name", problems));
    let dscp = fields.get("dscp").and_then(|node| small(node, &DSCP, problems));
    let class = fields.get("class").and_then(|node| small(node, &NUMBER, problems));
    let (settings, name) = (settings?, name?);
    if name.value == NONE {
        let report = problems.report(name.location, "`none` means no kind of traffic");
        report.label("choose another name");
    }
    if let (Some(dscp), Some(class)) = (&dscp, &class) {
        let report = problems.report(class.location, "a DSCP and a class are both given");
        report.label("the class").related(dscp.location, "the DSCP, which also determines a class");
        report.help("remove one of the two");
    }
    Some(Traffic { name, dscp, class, settings })
}

/// The kind of traffic of messages, if it is given.
pub(super) fn kind(fields: &Fields<'_>, problems: &mut Problems) -> Option<Located<String>> {
    let node = fields.get(TRAFFIC).filter(|node| !is_word(node, NONE))?;
    value::name(node, "the name of a kind of traffic", problems)
}
