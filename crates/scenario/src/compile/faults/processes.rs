//! Random outages in time (failure processes).
//!
//! Models: exponential times between outages and to repair, rounded to picoseconds and at least one; a random stream
//! for each component and process, so that the outages of one depend on no other, nor on the length of the run.

use netloom_model::{EventAction, Subject};
use netloom_units::{LinkId, NodeId, Random, Time};

use super::super::built_fabric::BuiltFabric;
use super::causes::{Causes, Effect, MOST_SPANS};
use super::timed;
use crate::diagnostic::Problems;
use crate::quantity::{self, Dimension};
use crate::resolve::LONGEST;
use crate::resolved::Process;

/// Purpose number of the streams of the first process; the next ones follow.
const PURPOSE: u64 = 0x6d_7462_6600;

/// Generates the outages of a process.
pub(super) fn process(
    wanted: &Process,
    number: u64,
    seed: u64,
    built_fabric: &BuiltFabric,
    causes: &mut Causes<'_>,
    notes: &mut Vec<String>,
    problems: &mut Problems,
) {
    let Some((effect, begins, ends)) = outage(wanted, problems) else { return };
    let Some(plan) = Plan::of(wanted, problems) else { return };
    let components = components(wanted, built_fabric, problems);
    slows_down(wanted, effect, &components, built_fabric, causes, problems);
    if !plan.fits(&components, wanted, causes, problems) {
        return;
    }
    let (mut n_outages, mut n_failed) = (0_u64, 0_u64);
    for &(component, subject) in &components {
        let mut random = Random::stream(seed, PURPOSE + number, u64::from(component));
        let before = n_outages;
        let mut at = plan.start;
        loop {
            at = at.saturating_add(exponential(plan.mtbf, &mut random));
            if at >= plan.until || n_outages > 2 * MOST_SPANS {
                break;
            }
            let end = at.saturating_add(exponential(plan.mttr, &mut random));
            let until = Some(Time(end)).filter(|_| end <= LONGEST.0);
            causes.add(subject, Time(at), until, effect);
            causes.record(Time(at), subject, begins);
            if let Some(until) = until {
                causes.record(until, subject, ends);
            }
            n_outages += 1;
            at = end;
        }
        n_failed += u64::from(n_outages > before);
    }
    let what = wanted.settings.settings.choice("what");
    let (of, ending) = (components.len(), if what == "switch" { "es" } else { "s" });
    notes.push(format!(
        "seed {seed} gives {n_outages} outages (`{}`) of {n_failed} among {of} {what}{ending}",
        wanted.kind.spec.name
    ));
}

/// The times of a process, in ps.
struct Plan {
    mtbf: u64,
    mttr: u64,
    start: u64,
    until: u64,
}

impl Plan {
    fn of(wanted: &Process, problems: &mut Problems) -> Option<Plan> {
        let [mtbf, mttr, start, until] =
            ["mtbf", "mttr", "start", "until"].map(|name| wanted.settings.settings.duration(name).0);
        for (name, mean) in [("mtbf", mtbf), ("mttr", mttr)] {
            if mean == 0 {
                let report = problems.report(wanted.settings.location_of(name), format!("`{name}` is zero"));
                report.label("expected a span of time above zero");
                return None;
            }
        }
        if until <= start {
            let report =
                problems.report(wanted.settings.location_of("until"), "the process ends before it starts");
            report.label("too early").related(wanted.settings.location_of("start"), "its start");
            return None;
        }
        Some(Plan { mtbf, mttr, start, until })
    }

    /// Whether the expected number of outages is within the limit.
    fn fits(
        &self,
        components: &[(u32, Subject)],
        wanted: &Process,
        causes: &Causes<'_>,
        problems: &mut Problems,
    ) -> bool {
        let cycle = self.mtbf as f64 + self.mttr as f64;
        let each = (self.until - self.start) as f64 / cycle;
        let n_links: usize = components.iter().map(|&(_, subject)| causes.links(subject).len()).sum();
        let expected = each * n_links as f64;
        if causes.n_spans() as f64 + expected <= MOST_SPANS as f64 {
            return true;
        }
        let message =
            format!("about {expected:.0} outages of links are expected, more than {MOST_SPANS} in all");
        let report = problems.report(wanted.settings.location_of("mtbf"), message);
        report.label("too often for this duration");
        report.help(format!(
            "each of {n_links} links fails about {each:.0} times: a longer `mtbf`, or a shorter span"
        ));
        false
    }
}

/// The effect of an outage, and the events at its start and end.
fn outage(wanted: &Process, problems: &mut Problems) -> Option<(Effect, EventAction, EventAction)> {
    let kind = &wanted.kind;
    Some(match kind.spec.name {
        "degrade" => {
            let rate = kind.settings.rate("rate");
            (Effect::Rate(rate), EventAction::Degrade(rate), EventAction::Restore)
        }
        "errors" => {
            let errors = timed::chances(kind, problems)?;
            (Effect::Errors(errors), EventAction::Errors(errors), EventAction::Clear)
        }
        _ => (Effect::Down, EventAction::Down, EventAction::Up),
    })
}

/// Reports a rate that slows down no link.
fn slows_down(
    wanted: &Process,
    effect: Effect,
    components: &[(u32, Subject)],
    built_fabric: &BuiltFabric,
    causes: &Causes<'_>,
    problems: &mut Problems,
) {
    let Effect::Rate(rate) = effect else { return };
    let links = components.iter().flat_map(|&(_, subject)| causes.links(subject));
    let fastest = links.map(|link| built_fabric.rate(link)).max();
    if let Some(fastest) = fastest.filter(|&fastest| rate >= fastest && !wanted.kind.has_stand_ins) {
        let message = "this rate slows down no link";
        let report = problems.report(wanted.kind.location_of("rate"), message);
        report.label(format!("expected a rate below {}", quantity::print(fastest.0, Dimension::Rate)));
    }
}

/// The components that may fail, each with the number of its random stream.
fn components(wanted: &Process, built_fabric: &BuiltFabric, problems: &mut Problems) -> Vec<(u32, Subject)> {
    let settings = &wanted.settings.settings;
    let (what, among) = (settings.choice("what"), settings.choice("among"));
    if what != "link" && among != "all" {
        let report = problems.report(wanted.settings.location_of("among"), "`among` is about links");
        report.label(format!("all of `what: {what}` may fail")).help("leave `among` out");
    }
    let is_eligible = |link: &LinkId| match (what, among) {
        ("nic", _) | (_, "host") => built_fabric.is_host_link(*link),
        (_, "fabric") => !built_fabric.is_host_link(*link),
        _ => true,
    };
    let fabric = &built_fabric.built.fabric;
    let links = || built_fabric.links().filter(is_eligible);
    match what {
        "switch" => {
            let switches = fabric.n_hosts() as u32..fabric.n_nodes() as u32;
            switches.map(|node| (node, Subject::Switch(NodeId(node)))).collect()
        }
        "nic" => links().map(|link| (link.0, Subject::Nic(link))).collect(),
        _ => links().map(|link| (link.0, Subject::Link(link))).collect(),
    }
}

/// An exponentially distributed time with this mean, in ps.
fn exponential(mean: u64, random: &mut Random) -> u64 {
    let span = -(mean as f64) * libm::log1p(-random.unit());
    (span.round() as u64).max(1)
}
