//! NICs that send pause frames continuously (pause storms).

use netloom_model::{Rdma, Storm};
use netloom_units::{PortId, Time};

use super::super::built_fabric::BuiltFabric;
use super::super::classes;
use crate::diagnostic::Problems;
use crate::quantity::{self, Dimension};
use crate::resolve::{Draft, LONGEST};
use crate::resolved::NamedStorm;

/// The NICs that send pause frames continuously.
pub(in crate::compile) fn storms(
    draft: &Draft,
    built_fabric: &BuiltFabric,
    problems: &mut Problems,
) -> Vec<Storm> {
    let Some(faults) = &draft.faults else { return Vec::new() };
    let pauses = classes::Plan::new(draft).is_none_or(|plan| plan.n_pausing() > 0);
    if let Some(storm) = faults.storms.first().filter(|_| !pauses) {
        let report = problems.report(storm.link.location, "no switch reacts to pause frames here");
        report.label("a NIC that pauses its switch").help("add `queues: {buffer: 16MiB, pause: true}`");
    }
    faults.storms.iter().filter_map(|wanted| storm(wanted, built_fabric, problems)).collect()
}

/// More frames than this are most likely a mistake, and would take minutes.
const MOST_FRAMES: u64 = 10_000_000;

fn storm(wanted: &NamedStorm, built_fabric: &BuiltFabric, problems: &mut Problems) -> Option<Storm> {
    let link = built_fabric.link(&wanted.link, problems)?;
    let fabric = &built_fabric.built.fabric;
    let ends = fabric.links()[link.index()].ends;
    let hosts: Vec<PortId> =
        ends.into_iter().filter(|&port| fabric.is_host(fabric.port(port).node)).collect();
    let [port] = hosts[..] else {
        let message = format!("`{}` does not join a host to a switch", wanted.link.value);
        let report = problems.report(wanted.link.location, message);
        report.label("expected the link of a NIC").help("it is the NIC that sends pause frames");
        return None;
    };
    let [at, span, interval] = ["at", "span", "interval"].map(|name| wanted.settings.settings.duration(name));
    let frame = fabric.port(port).rate.serialization(Rdma::FRAME);
    if interval < frame {
        let message = "a NIC cannot send pause frames at this interval";
        let report = problems.report(wanted.settings.location_of("interval"), message);
        report.label("shorter than a frame").help(format!(
            "a frame of {} bytes takes {} here",
            Rdma::FRAME.0,
            quantity::print(frame.0, Dimension::Duration)
        ));
        return None;
    }
    if at.0.saturating_add(span.0) > LONGEST.0 {
        let report = problems.report(wanted.settings.location_of("span"), "the storm ends after 100 days");
        report.label("too late").help("an earlier start, or a shorter `span`");
        return None;
    }
    if span.0 / interval.0 > MOST_FRAMES {
        let message = format!("a storm of more than {MOST_FRAMES} frames");
        let report = problems.report(wanted.settings.location_of("interval"), message);
        report.label("too often for this duration").help("a shorter `span`, or a longer `interval`");
        return None;
    }
    let at = Time::ZERO + at;
    Some(Storm { port, at, end: at + span, interval })
}
