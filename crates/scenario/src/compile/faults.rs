//! Failed links: named, drawn at random, or in time.

use std::collections::{BTreeMap, BTreeSet};

use netloom_model::{Fault, FaultAction, Knowledge, Rdma, Storm, Ways};
use netloom_units::{LinkId, PortId, Random, Time};

use super::buffer::chance;
use super::ground::Ground;
use crate::diagnostic::Problems;
use crate::place::Place;
use crate::quantity::{self, Dimension};
use crate::resolve::{Draft, LONGEST};
use crate::resolved::{Faults, Parameters, TimedFault};

/// Purpose number of the streams that draw failed links.
const PURPOSE: u64 = 0x6661_756c_7473;

/// Who avoids a failed link.
pub(super) fn knowledge(faults: &Faults) -> Knowledge {
    match faults.settings.settings.choice("knowledge") {
        "global" => Knowledge::Global(Ways::Shortest),
        "up_down" => Knowledge::Global(Ways::UpDown),
        _ => Knowledge::Local,
    }
}

/// The chance that a link loses a data packet, in 2^-32.
pub(super) fn loss(faults: &Faults) -> u64 {
    chance(faults.settings.settings.fraction("loss"))
}

/// All faults, in order of time.
pub(super) fn faults(
    faults: Option<&Faults>,
    seed: u64,
    ground: &Ground,
    notes: &mut Vec<String>,
    problems: &mut Problems,
) -> Vec<Fault> {
    let Some(faults) = faults else { return Vec::new() };
    let named = faults.failed.iter().filter_map(|name| ground.link(name, problems));
    let mut down: BTreeSet<LinkId> = named.collect();
    if let Some(random) = &faults.random {
        let drawn = draw(random, seed, ground);
        notes.push(note(&drawn, random, seed, ground));
        down.extend(drawn);
    }
    let timed = timed(&faults.timed, &down, ground, problems);
    let from_start = down.iter().map(|&link| Fault { at: Time::ZERO, link, action: FaultAction::Down });
    let mut all: Vec<Fault> = from_start.chain(timed).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// The links that fail at random, in order.
///
/// A coin has a stream for each link, so a link's fate does not depend on which others there are.
fn draw(random: &Parameters, seed: u64, ground: &Ground) -> Vec<LinkId> {
    let fraction = random.settings.fraction("fraction");
    let among = random.settings.choice("among");
    let eligible = |link: &LinkId| match among {
        "fabric" => !ground.is_host_link(*link),
        "host" => ground.is_host_link(*link),
        _ => true,
    };
    let mut links: Vec<LinkId> = ground.links().filter(eligible).collect();
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

fn note(drawn: &[LinkId], random: &Parameters, seed: u64, ground: &Ground) -> String {
    const SHOWN: usize = 64;
    let mut names: Vec<&str> = drawn.iter().take(SHOWN).map(|link| ground.link_name(*link)).collect();
    if drawn.len() > SHOWN {
        names.push("...");
    }
    let kind = match random.settings.choice("among") {
        "all" => "",
        other => other,
    };
    let space = if kind.is_empty() { "" } else { " " };
    format!("seed {seed} drew {} failed {kind}{space}links: {}", drawn.len(), names.join(", "))
}

/// NICs that keep pausing their switch.
pub(super) fn storms(draft: &Draft, ground: &Ground, problems: &mut Problems) -> Vec<Storm> {
    let Some(faults) = &draft.faults else { return Vec::new() };
    let pauses = draft.queues.as_ref().is_none_or(|queues| queues.settings.settings.flag("pause"));
    if let Some(storm) = faults.storms.first().filter(|_| !pauses) {
        let report = problems.report(storm.link.place, "no switch heeds pause frames here");
        report.label("a NIC that pauses its switch").help("add `queues: {buffer: 16MiB, pause: true}`");
    }
    faults.storms.iter().filter_map(|wanted| storm(wanted, ground, problems)).collect()
}

/// More frames than this are a slip of the pen, and would take minutes.
const MOST_FRAMES: u64 = 10_000_000;

fn storm(wanted: &TimedFault, ground: &Ground, problems: &mut Problems) -> Option<Storm> {
    let link = ground.link(&wanted.link, problems)?;
    let fabric = &ground.built.fabric;
    let ends = fabric.links()[link.index()].ends;
    let hosts: Vec<PortId> =
        ends.into_iter().filter(|&port| fabric.is_host(fabric.port(port).node)).collect();
    let [port] = hosts[..] else {
        let message = format!("`{}` joins no host to a switch", wanted.link.value);
        let report = problems.report(wanted.link.place, message);
        report.label("expected the link of a NIC").help("it is the NIC that sends pause frames");
        return None;
    };
    let [at, span, interval] = ["at", "span", "interval"].map(|name| wanted.settings.settings.duration(name));
    let frame = fabric.port(port).rate.serialization(Rdma::FRAME);
    if interval < frame {
        let message = "a NIC cannot send pause frames as often as that";
        let report = problems.report(wanted.settings.place_of("interval"), message);
        report.label("shorter than a frame").help(format!(
            "a frame of {} bytes takes {} here",
            Rdma::FRAME.0,
            quantity::print(frame.0, Dimension::Duration)
        ));
        return None;
    }
    if at.0.saturating_add(span.0) > LONGEST.0 {
        let report = problems.report(wanted.settings.place_of("span"), "the storm ends after 100 days");
        report.label("too late").help("an earlier start, or a shorter `span`");
        return None;
    }
    if span.0 / interval.0 > MOST_FRAMES {
        let message = format!("a storm of more than {MOST_FRAMES} frames");
        let report = problems.report(wanted.settings.place_of("interval"), message);
        report.label("too often for so long").help("a shorter `span`, or a longer `interval`");
        return None;
    }
    let at = Time::ZERO + at;
    Some(Storm { port, at, end: at + span, interval })
}

/// Faults in time; two for one link at one instant contradict each other, and what is up cannot come up.
fn timed(
    wanted: &[TimedFault],
    down: &BTreeSet<LinkId>,
    ground: &Ground,
    problems: &mut Problems,
) -> Vec<Fault> {
    let mut by_link: BTreeMap<(LinkId, Time), (Fault, Place)> = BTreeMap::new();
    for fault in wanted {
        let Some(link) = ground.link(&fault.link, problems) else { continue };
        let at = Time::ZERO + fault.settings.settings.duration("at");
        let action = match fault.settings.settings.choice("action") {
            "up" => FaultAction::Up,
            _ => FaultAction::Down,
        };
        let place = fault.link.place;
        if let Some((_, first)) = by_link.get(&(link, at)) {
            let report =
                problems.report(place, format!("two faults of `{}` at one instant", fault.link.value));
            report.label("again here").related(*first, "first here").help("a link changes once at a time");
        } else {
            by_link.insert((link, at), (Fault { at, link, action }, place));
        }
    }
    let mut state: BTreeMap<LinkId, FaultAction> =
        down.iter().map(|&link| (link, FaultAction::Down)).collect();
    for (fault, place) in by_link.values() {
        let before = state.insert(fault.link, fault.action).unwrap_or(FaultAction::Up);
        if before == fault.action {
            let word = if before == FaultAction::Up { "up" } else { "down" };
            let message = format!("`{}` is already {word} at that instant", ground.link_name(fault.link));
            let report = problems.report(*place, message);
            report.label(format!("cannot go {word}")).help(match before {
                FaultAction::Up => "links are up until something takes them down",
                FaultAction::Down => "it is among `failed`, was drawn by `random`, or went down earlier",
            });
        }
    }
    by_link.into_values().map(|(fault, _)| fault).collect()
}
