//! Explicit fault events: each affects its own subject, independent of all others.
//!
//! Invariants: a component that is down cannot go down, and one that is up cannot come up; of two contradictory events
//! both locations are reported.

use std::collections::{BTreeMap, BTreeSet};

use netloom_model::{Errors, EventAction, Subject};
use netloom_units::{LinkId, Rate, Time, Value};

use super::super::built_fabric::BuiltFabric;
use super::causes::{Causes, Effect, MOST_SPANS};
use crate::diagnostic::Problems;
use crate::location::Location;
use crate::quantity::{self, Dimension};
use crate::resolved::{Parameters, Sufferer, TimedFault};

/// Families of events: events of two families do not interact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Family {
    Turns,
    Rates,
    Errors,
    Flaps,
}

/// An event with its instant.
type Event<'a> = (Time, &'a TimedFault);

/// Reads all events.
pub(super) fn timed(
    wanted: &[TimedFault],
    down: &BTreeSet<LinkId>,
    built_fabric: &BuiltFabric,
    causes: &mut Causes<'_>,
    problems: &mut Problems,
) {
    let mut groups: BTreeMap<(Subject, Family), BTreeMap<Time, &TimedFault>> = BTreeMap::new();
    for &link in down {
        groups.entry((Subject::Link(link), Family::Turns)).or_default();
    }
    for fault in wanted {
        let Some(subject) = subject(&fault.subject, built_fabric, problems) else { continue };
        if fault.action.spec.parameters.is_empty() && fault.action.has_stand_ins {
            continue;
        }
        let at = Time::ZERO + fault.settings.settings.duration("at");
        let group = groups.entry((subject, family(&fault.action))).or_default();
        let location = fault.subject.name.location;
        if let Some(first) = group.get(&at) {
            let message = format!("two faults of `{}` at one instant", fault.subject.name.value);
            let report = problems.report(location, message);
            report.label("again here").related(first.subject.name.location, "first here");
            report.help(format!("a {} can change only once at an instant", fault.subject.what));
        } else {
            group.insert(at, fault);
        }
    }
    for ((subject, family), events) in groups {
        let events: Vec<Event<'_>> = events.into_iter().collect();
        match family {
            Family::Turns => {
                let failed = matches!(subject, Subject::Link(link) if down.contains(&link));
                turns(subject, failed, &events, causes, problems);
            }
            Family::Flaps => events.iter().for_each(|event| flap(subject, event, causes, problems)),
            Family::Rates => rates(subject, &events, built_fabric, causes, problems),
            Family::Errors => errors(subject, &events, causes, problems),
        }
    }
}

fn family(action: &Parameters) -> Family {
    match action.spec.name {
        "flap" => Family::Flaps,
        "degrade" | "restore" => Family::Rates,
        "errors" | "clear" => Family::Errors,
        _ => Family::Turns,
    }
}

/// The subject that a name denotes.
fn subject(wanted: &Sufferer, built_fabric: &BuiltFabric, problems: &mut Problems) -> Option<Subject> {
    let name = &wanted.name;
    match wanted.what {
        "switch" => built_fabric.switch(name, problems).map(Subject::Switch),
        "host" => {
            let host = built_fabric.host(name, problems)?;
            Some(Subject::Host(built_fabric.built.fabric.host_node(host)))
        }
        "nic" => {
            let link = built_fabric.link(name, problems)?;
            if built_fabric.is_host_link(link) {
                return Some(Subject::Nic(link));
            }
            let report =
                problems.report(name.location, format!("`{}` does not join a host to a switch", name.value));
            report.label("expected the link of a NIC").help("a link between switches is a `link`");
            None
        }
        _ => built_fabric.link(name, problems).map(Subject::Link),
    }
}

/// Going down and coming up.
fn turns(
    subject: Subject,
    failed: bool,
    events: &[Event<'_>],
    causes: &mut Causes<'_>,
    problems: &mut Problems,
) {
    let mut since = failed.then_some(Time::ZERO);
    let mut last: Option<Location> = None;
    for &(at, fault) in events {
        let up = fault.action.spec.name == "up";
        if up != since.is_some() {
            refuse_turn(fault, up, last, problems);
        } else if let Some(from) = since.take() {
            causes.add(subject, from, Some(at), Effect::Down);
            causes.record(at, subject, EventAction::Up);
        } else {
            since = Some(at);
            causes.record(at, subject, EventAction::Down);
        }
        last = Some(fault.subject.name.location);
    }
    if let Some(from) = since {
        causes.add(subject, from, None, Effect::Down);
    }
}

/// Reports a component that goes up while up, or down while down.
fn refuse_turn(fault: &TimedFault, up: bool, last: Option<Location>, problems: &mut Problems) {
    let Sufferer { what, name } = &fault.subject;
    let word = if up { "up" } else { "down" };
    let report =
        problems.report(name.location, format!("`{}` is already {word} at that instant", name.value));
    report.label(format!("cannot go {word}"));
    match last {
        Some(last) => {
            report.related(last, format!("it went {word} here"));
        }
        None if up => {
            report.help(format!("a {what} is up until an event of a {what} takes it down"));
        }
        None => {
            report.help("it is among `failed`, or was chosen by `random`");
        }
    }
}

/// Link flapping: down and up, repeatedly.
fn flap(subject: Subject, &(at, fault): &Event<'_>, causes: &mut Causes<'_>, problems: &mut Problems) {
    let action = &fault.action;
    let [period, until] = ["period", "until"].map(|name| action.settings.duration(name));
    let down = (period.0 as f64 * action.settings.fraction("down")).round() as u64;
    if down == 0 || down >= period.0 {
        let word = if down == 0 { "down" } else { "up" };
        let report = problems.report(action.location_of("down"), format!("`flap` is never {word}"));
        report.label("expected a share above 0 and below 1");
        return;
    }
    let n_periods = until.0.saturating_sub(at.0) / period.0;
    if n_periods == 0 {
        let report = problems.report(action.location_of("until"), "`flap` ends before its first period does");
        let first = quantity::print(at.0.saturating_add(period.0), Dimension::Duration);
        report.label("too early").help(format!("the first period ends at {first}"));
        return;
    }
    if !causes.has_room(subject, n_periods) {
        let report = problems.report(action.location_of("period"), format!("`flap` has {n_periods} periods"));
        report.label("too many").help(format!(
            "links may go down at most {MOST_SPANS} times in all; a fault of a switch counts for each of its links"
        ));
        return;
    }
    causes.record(at, subject, EventAction::Flap(period));
    let mut end = at;
    for number in 0..n_periods {
        let from = Time(at.0 + number * period.0);
        end = Time(from.0 + down);
        causes.add(subject, from, Some(end), Effect::Down);
    }
    causes.record(end, subject, EventAction::Steady);
}

/// Reduced rate, and its end.
fn rates(
    subject: Subject,
    events: &[Event<'_>],
    built_fabric: &BuiltFabric,
    causes: &mut Causes<'_>,
    problems: &mut Problems,
) {
    let own = causes.links(subject).into_iter().map(|link| built_fabric.rate(link)).max();
    let mut since: Option<(Time, Rate)> = None;
    let mut last = None;
    for &(at, fault) in events {
        let location = fault.subject.name.location;
        if let Some((from, rate)) = since {
            causes.add(subject, from, Some(at), Effect::Rate(rate));
        }
        if fault.action.spec.name == "restore" {
            if since.take().is_none() {
                refuse_end(fault, "has its nominal rate", "degrade", last, problems);
            }
            causes.record(at, subject, EventAction::Restore);
        } else {
            let rate = fault.action.settings.rate("rate");
            since = Some((at, rate));
            causes.record(at, subject, EventAction::Degrade(rate));
            if let Some(own) = own.filter(|&own| rate >= own && !fault.action.has_stand_ins) {
                let message = format!("this rate does not slow down `{}`", fault.subject.name.value);
                let report = problems.report(fault.action.location_of("rate"), message);
                let rate = quantity::print(own.0, Dimension::Rate);
                report.label(format!("expected a rate below {rate}"));
            }
        }
        last = Some(location);
    }
    if let Some((from, rate)) = since {
        causes.add(subject, from, None, Effect::Rate(rate));
    }
}

/// Packet loss, and its end.
fn errors(subject: Subject, events: &[Event<'_>], causes: &mut Causes<'_>, problems: &mut Problems) {
    let mut since: Option<(Time, Errors)> = None;
    let mut last = None;
    for &(at, fault) in events {
        if let Some((from, errors)) = since {
            causes.add(subject, from, Some(at), Effect::Errors(errors));
        }
        if fault.action.spec.name == "clear" {
            if since.take().is_none() {
                refuse_end(fault, "loses no packets by `errors`", "errors", last, problems);
            }
            causes.record(at, subject, EventAction::Clear);
        } else if let Some(errors) = chances(&fault.action, problems) {
            since = Some((at, errors));
            causes.record(at, subject, EventAction::Errors(errors));
        }
        last = Some(fault.subject.name.location);
    }
    if let Some((from, errors)) = since {
        causes.add(subject, from, None, Effect::Errors(errors));
    }
}

/// Reports an end without a start.
fn refuse_end(fault: &TimedFault, how: &str, begins: &str, last: Option<Location>, problems: &mut Problems) {
    let Sufferer { what, name } = &fault.subject;
    let word = fault.action.spec.name;
    let report = problems.report(name.location, format!("`{}` {how} at that instant", name.value));
    report.label(format!("nothing to {word}"));
    if let Some(last) = last {
        report.related(last, "since here");
    }
    report.help(format!("`{word}` ends what `{begins}` of the same {what} began"));
}

/// The loss probabilities of an entry: one of two keys.
pub(super) fn chances(action: &Parameters, problems: &mut Problems) -> Option<Errors> {
    let chance = |name: &str| match action.settings.optional(name) {
        Some(Value::Fraction(chance)) => Some(chance),
        _ => None,
    };
    match (chance("loss"), chance("ber")) {
        (Some(loss), None) => Some(Errors::of_packets(loss)),
        (None, Some(ber)) => Some(Errors::of_bits(ber)),
        (None, None) if action.has_stand_ins => None,
        (None, None) => {
            let report = problems.report_absence(action.location, "`errors` needs `loss` or `ber`");
            report.label("neither is written").help("add `loss: 0.1%` or `ber: 1e-9`");
            None
        }
        (Some(_), Some(_)) => {
            let report =
                problems.report(action.location_of("ber"), "`errors` takes `loss` or `ber`, not both");
            report.label("a second probability").related(action.location_of("loss"), "the first one");
            None
        }
    }
}
