//! Faults: named links, randomly chosen links, or faults in time, of links, switches, NICs and hosts.
//!
//! Models: causes, each of which holds links down, slows them or makes them lose packets for a span; the state of each
//! link when causes overlap.
//!
//! Invariants: sizes that could grow without bound are checked before memory is taken.

mod causes;
mod processes;
mod storms;
mod timed;

use std::collections::BTreeSet;

use netloom_model::{FailureAwareness, Fault, FaultEvent, Reaction, ReroutePaths, SwitchFault};
use netloom_units::{Duration, LinkId, Random, Rate, Value};

use super::buffer::chance;
use super::built_fabric::BuiltFabric;
use crate::diagnostic::Problems;
use crate::resolve::Draft;
use crate::resolved::{Faults, Parameters};
use causes::Causes;

pub(super) use storms::storms;

/// Purpose number of the random streams that choose failed links.
const PURPOSE: u64 = 0x6661_756c_7473;

/// The longest detection or convergence delay: the clock must reach beyond the reaction to the latest event.
const SLOWEST: Duration = Duration(864_000_000_000_000_000);

/// The changes of links and switches, and the events that cause them.
#[derive(Debug, Default)]
pub(super) struct Failing {
    pub faults: Vec<Fault>,
    pub switches: Vec<SwitchFault>,
    pub events: Vec<FaultEvent>,
}

/// Failure awareness: which nodes avoid a failed link.
pub(super) fn awareness(faults: &Faults) -> FailureAwareness {
    match faults.settings.settings.choice("awareness") {
        "global" => FailureAwareness::Global(ReroutePaths::Shortest),
        "up_down" => FailureAwareness::Global(ReroutePaths::UpDown),
        _ => FailureAwareness::Local,
    }
}

/// The probability that a link loses a data packet, in 2^-32.
pub(super) fn loss(faults: &Faults) -> u64 {
    chance(faults.settings.settings.fraction("loss"))
}

/// Failure detection delay, and delay of routing convergence.
pub(super) fn reaction(faults: &Faults) -> Reaction {
    let settings = &faults.settings.settings;
    let detection = settings.duration("detection");
    let recovery = match settings.optional("recovery") {
        Some(Value::Duration(span)) => span,
        _ => detection,
    };
    Reaction { detection, recovery, reconvergence: settings.duration("reconvergence") }
}

/// Everything that fails, in order of time.
pub(super) fn failing(
    draft: &Draft,
    seed: u64,
    built_fabric: &BuiltFabric,
    notes: &mut Vec<String>,
    problems: &mut Problems,
) -> Failing {
    let Some(faults) = &draft.faults else { return Failing::default() };
    check_reaction(faults, problems);
    let named = faults.failed.iter().filter_map(|name| built_fabric.link(name, problems));
    let mut down: BTreeSet<LinkId> = named.collect();
    if let Some(random) = &faults.random {
        let drawn = draw(random, seed, built_fabric);
        notes.push(note(&drawn, random, seed, built_fabric));
        down.extend(drawn);
    }
    let mut causes = Causes::new(built_fabric);
    timed::timed(&faults.timed, &down, built_fabric, &mut causes, problems);
    for (number, process) in (0_u64..).zip(&faults.processes) {
        processes::process(process, number, seed, built_fabric, &mut causes, notes, problems);
    }
    causes.finish()
}

/// The rates of slowed-down links.
pub(super) fn degraded_rates(draft: &Draft) -> impl Iterator<Item = Rate> {
    let faults = draft.faults.iter();
    let actions = faults.flat_map(|faults| {
        let timed = faults.timed.iter().map(|fault| &fault.action);
        timed.chain(faults.processes.iter().map(|process| &process.kind))
    });
    actions.filter(|action| action.spec.name == "degrade").map(|action| action.settings.rate("rate"))
}

/// Reports delays that are too long, or that have no effect.
fn check_reaction(faults: &Faults, problems: &mut Problems) {
    let settings = &faults.settings;
    for name in ["detection", "recovery", "reconvergence"] {
        let Value::Duration(span) = settings.settings.get(name) else { continue };
        if span > SLOWEST {
            let report = problems.report(settings.location_of(name), format!("`{name}` is too long"));
            report.label("expected at most 10 days");
        }
    }
    let is_local = settings.settings.choice("awareness") == "local";
    if is_local && settings.settings.duration("reconvergence") > Duration::ZERO {
        let location = settings.location_of("reconvergence");
        let report = problems.report(location, "`reconvergence` needs `awareness: global`");
        report
            .label("with `awareness: local` no other node is notified")
            .help("write `awareness: global`, or leave it out");
    }
}

/// The links that fail at random, in order.
///
/// Each link has its own random stream, so whether it fails does not depend on which other links exist.
fn draw(random: &Parameters, seed: u64, built_fabric: &BuiltFabric) -> Vec<LinkId> {
    let fraction = random.settings.fraction("fraction");
    let among = random.settings.choice("among");
    let eligible = |link: &LinkId| match among {
        "fabric" => !built_fabric.is_host_link(*link),
        "host" => built_fabric.is_host_link(*link),
        _ => true,
    };
    let mut links: Vec<LinkId> = built_fabric.links().filter(eligible).collect();
    if random.settings.choice("draw") == "coin" {
        links.retain(|link| Random::stream(seed, PURPOSE, u64::from(link.0)).unit() < fraction);
        return links;
    }
    let wanted = (fraction * links.len() as f64).round() as usize;
    Random::stream(seed, PURPOSE, u64::MAX).shuffle(&mut links);
    links.truncate(wanted);
    links.sort_unstable();
    links
}

fn note(drawn: &[LinkId], random: &Parameters, seed: u64, built_fabric: &BuiltFabric) -> String {
    const SHOWN: usize = 64;
    let mut names: Vec<&str> = drawn.iter().take(SHOWN).map(|link| built_fabric.link_name(*link)).collect();
    if drawn.len() > SHOWN {
        names.push("...");
    }
    let kind = match random.settings.choice("among") {
        "all" => "",
        other => other,
    };
    let space = if kind.is_empty() { "" } else { " " };
    format!("seed {seed} gives {} failed {kind}{space}links: {}", drawn.len(), names.join(", "))
}
