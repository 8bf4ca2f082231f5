//! The shared buffer of each switch: whether it has room for the headroom of pausing, and for at least a packet.

use netloom_model::{Adapting, Buffer, Marking, Pause, Sizes};
use netloom_units::{Bytes, Duration, NodeId, Value};

use super::built_fabric::BuiltFabric;
use super::{choices, classes, rdma};
use crate::diagnostic::Problems;
use crate::location::Location;
use crate::quantity::{self, Dimension};
use crate::resolve::Draft;
use crate::resolved::{Fabric, Parameters, Queues};

/// `alpha` is stored in this number of parts of one.
const ALPHA_PARTS: f64 = 1024.0;
/// Probabilities are stored in this number of parts of one: 2^32.
const CHANCE_PARTS: f64 = 4_294_967_296.0;

/// A probability from 0 to 1 in 2^-32.
pub(super) fn chance(fraction: f64) -> u64 {
    (fraction * CHANCE_PARTS).round() as u64
}

/// The buffer that all ports of a switch share.
pub(super) fn buffer(queues: &Queues) -> Option<Buffer> {
    let settings = &queues.settings.settings;
    let size = choices::optional_size(&queues.settings, "buffer")?;
    Some(Buffer {
        size,
        alpha: alpha(settings.fraction("alpha")),
        pause: settings.flag("pause").then(|| pause(queues)),
    })
}

/// A multiple of the free buffer, in 1/1024.
pub(super) fn alpha(multiple: f64) -> u32 {
    (multiple * ALPHA_PARTS).round() as u32
}

/// Pause frames, if a class is paused.
pub(super) fn pause(queues: &Queues) -> Pause {
    let headroom = queues.headroom.as_ref().map(|headroom| headroom.value);
    Pause { headroom, xon_gap: queues.settings.settings.size("xon_gap") }
}

/// Marking at switches.
pub(super) fn marking(marking: &Parameters) -> Marking {
    Marking {
        minimum: marking.settings.size("minimum"),
        maximum: marking.settings.size("maximum"),
        probability: chance(marking.settings.fraction("probability")),
        at_enqueue: marking.settings.choice("at") == "enqueue",
    }
}

/// Adaptive marking thresholds, if configured.
pub(super) fn adapting(marking: &Parameters) -> Option<Adapting> {
    let settings = &marking.settings;
    let Some(Value::Duration(interval)) = settings.optional("ai_ecn") else { return None };
    Some(Adapting {
        interval,
        busy: chance(settings.fraction("ai_busy")),
        step: settings.size("ai_step"),
        steps: settings.count("ai_steps") as u32,
    })
}

/// Reports adaptive thresholds that cannot work.
fn check_adapting(draft: &Draft, plan: &classes::Plan, problems: &mut Problems) {
    let of_queues = draft.queues.as_ref().and_then(|queues| queues.marking.as_ref());
    let is_asked = |marking: &&Parameters| adapting(marking).is_some();
    for marking in of_queues.into_iter().chain(plan.own_markings()).filter(is_asked) {
        if plan.separates_classes() {
            let report = problems
                .report(marking.location_of("ai_ecn"), "adaptive thresholds are those of a whole port");
            report
                .label("data is in several classes here")
                .help("write `ai_ecn: none`, or leave data in one class");
        }
        if adapting(marking).is_some_and(|adapting| adapting.interval == Duration::ZERO) {
            let report =
                problems.report(marking.location_of("ai_ecn"), "thresholds are adapted at an interval");
            report.label("expected a span above zero").help("write `ai_ecn: 500us`, say, or `none`");
        }
    }
}

/// Whether a value of the fabric was refused, so that its rates and delays allow no conclusion.
fn has_unknown_rates(fabric: &Fabric) -> bool {
    matches!(fabric, Fabric::Parametric(parameters) if parameters.has_stand_ins)
}

/// Reports a buffer that is too small.
pub(super) fn check(draft: &Draft, built_fabric: &BuiltFabric, problems: &mut Problems) {
    if let Some(plan) = classes::Plan::new(draft) {
        check_adapting(draft, &plan, problems);
    }
    let (Some(queues), Some(transport)) = (&draft.queues, &draft.transport) else { return };
    let Some(buffer) = buffer(queues) else { return };
    let packet = rdma::packet(transport);
    let Some(plan) = classes::Plan::new(draft) else { return };
    if plan.n_pausing() > 0 && !draft.fabric.as_ref().is_some_and(has_unknown_rates) {
        let sizes = Sizes { packet, control: rdma::control(transport) };
        headroom(queues, &buffer, (&pause(queues), plan.n_pausing()), &sizes, built_fabric, problems);
    }
    if let Some((alpha, location)) = plan.smallest_alpha_that_loses() {
        one_packet(queues, &buffer, (alpha, location), packet, problems);
    }
}

/// Without pausing, a packet that does not fit into an empty buffer never gets through. `alpha` is that of a class,
/// with its location if it has one.
fn one_packet(
    queues: &Queues,
    buffer: &Buffer,
    (alpha, location): (u32, Option<Location>),
    packet: Bytes,
    problems: &mut Problems,
) {
    let limit = (u128::from(buffer.size.0) * u128::from(alpha)) >> 10;
    let limit = limit.min(buffer.size.0.into()) as u64;
    if limit >= packet.0 {
        return;
    }
    let [most, packet] = [Bytes(limit), packet].map(|size| quantity::print(size.0, Dimension::Size));
    let of_alpha = || location.unwrap_or_else(|| queues.settings.location_of("alpha"));
    let location = if limit < buffer.size.0 { of_alpha() } else { queues.settings.location_of("buffer") };
    let report = problems.report(location, "a packet does not fit even into an empty buffer");
    report.label(format!("a queue gets {most} of it at most, a packet has {packet}"));
    report.help("a larger `buffer`, or a larger `alpha`");
}

/// The headroom of all ports is reserved; some buffer must remain to be shared.
fn headroom(
    queues: &Queues,
    buffer: &Buffer,
    (pause, n_classes): (&Pause, usize),
    sizes: &Sizes,
    built_fabric: &BuiltFabric,
    problems: &mut Problems,
) {
    let fabric = &built_fabric.built.fabric;
    let switches = fabric.n_hosts() as u32..fabric.n_nodes() as u32;
    let needs = |node: u32| {
        let ports = fabric.ports_of(NodeId(node));
        let of_port = |port| u128::from(pause.headroom_of(port, sizes, n_classes as u64)) * n_classes as u128;
        ports.iter().map(of_port).sum::<u128>()
    };
    // Of several equal switches the first one is named.
    let Some((node, needed)) =
        switches.rev().map(|node| (node, needs(node))).max_by_key(|(_, needed)| *needed)
    else {
        return;
    };
    if needed < u128::from(buffer.size.0) {
        return;
    }
    let print = |bytes: u128| quantity::print(u64::try_from(bytes).unwrap_or(u64::MAX), Dimension::Size);
    let name = &built_fabric.built.node_names[node as usize];
    let n_ports = fabric.ports_of(NodeId(node)).len();
    let message = format!("the headroom of `{name}` leaves nothing of its buffer to share");
    let report = problems.report(queues.settings.location_of("buffer"), message);
    let (needed, size) = (print(needed), print(buffer.size.0.into()));
    let each = if n_classes > 1 { format!(" for {n_classes} classes that pause") } else { String::new() };
    report.label(format!("{n_ports} ports need {needed} of headroom{each}, the buffer has {size}"));
    match &queues.headroom {
        Some(given) => {
            report.related(given.location, "for each port").help("a larger `buffer`, or `headroom: auto`");
        }
        None => {
            report.help(format!(
                "a `buffer` above {needed}; headroom is for data that arrives after a pause frame was sent"
            ));
        }
    }
}
