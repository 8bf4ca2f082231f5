//! Consistency checks between the packet-related sections, without the fabric.
//!
//! Invariants: a section that could not be read causes no further errors here.

use netloom_policy::congestion::{Senses, has_window, infiniband, senses, slingshot};
use netloom_policy::transport::Reliability;
use netloom_units::Value;

use crate::diagnostic::Problems;
use crate::location::Location;
use crate::resolve::Draft;
use crate::resolved::queue_pairs::{self, NIC_SR};
use crate::resolved::{Parameters, Queues, Record};

/// Reports contradictions.
pub(super) fn check(draft: &Draft, problems: &mut Problems) {
    if let Some(record) = &draft.record {
        summed(record, problems);
        rates(record, draft.has_staged_flows, draft.transport.as_ref(), problems);
        congestion_tree(record, draft, problems);
    }
    let Some(transport) = &draft.transport else { return };
    let rule = queue_pairs::rule(transport.spec);
    let congestion = draft.congestion.as_ref().map(|found| &found.kind);
    let congestion = congestion.filter(|found| found.spec.name != "none");
    if let Some(congestion) = congestion.filter(|_| rule.is_none()) {
        no_queue_pairs(congestion, transport, problems);
    }
    let edge = draft.balance.as_ref().and_then(|balance| balance.edge.as_ref());
    if let Some(edge) = edge.filter(|_| rule != Some(Reliability::NicSr)) {
        let message = format!("`{}` works with transport `{}` only", edge.spec.name, NIC_SR.name);
        let report = problems.report(edge.location, message);
        report.label("needs one NACK for each expected packet");
        report.help(format!("write `transport: {}`, or `edge: none`", NIC_SR.name));
        also(transport, "the transport", report);
    }
    if let Some(congestion) = congestion {
        in_order(congestion, problems);
    }
    if let (Some(edge), Some(congestion)) = (edge, congestion)
        && senses(congestion.spec) == Senses::Telemetry
    {
        let name = congestion.spec.name;
        let message = format!("`{name}` needs feedback that comes from receivers");
        let report = problems.report(congestion.location, message);
        report.label(format!("`{}` generates some NACKs and suppresses others", edge.spec.name));
        report.help("write `edge: none`, or another congestion control");
        also(edge, "in the path", report);
    }
    if rule.is_none() {
        pause(draft, transport, problems);
    }
    if let (Some(congestion), Some(queues)) = (congestion, &draft.queues) {
        without_credits(congestion, queues, problems);
    }
    if let Some(congestion) = congestion.filter(|found| rule.is_some() && has_window(found.spec)) {
        coalesced(congestion, transport, problems);
    }
    if rule.is_some() {
        host_limit(draft, transport, problems);
        classes(draft, problems);
        longest_silence(transport, problems);
    }
}

/// Rates over time need an interval, selected or staged flows, and queue pairs with rates.
fn rates(record: &Record, has_flows: bool, transport: Option<&Parameters>, problems: &mut Problems) {
    let is_asked = record.settings.settings.optional("rates").is_some();
    let chosen = record.rates_from.iter().chain(&record.rates_of).next();
    match (is_asked, chosen) {
        (false, None) => return,
        (false, Some(chosen)) => {
            let report = problems.report(chosen.location, "rates over time need an interval");
            report.label("selected, but not recorded");
            report.help("write `rates: 10us` as well");
            return;
        }
        (true, None) if !has_flows => {
            let report = problems.report(
                record.settings.location_of("rates"),
                "rates have an interval, but no flow is selected",
            );
            report.label("for which flows?");
            report.help("write `rates_of: [source->destination]`, or `rates_from` with names of hosts");
            return;
        }
        (true, _) => {}
    }
    let Some(transport) = transport.filter(|found| queue_pairs::rule(found.spec).is_none()) else { return };
    let message = format!("transport `{}` cannot record rates over time", transport.spec.name);
    let report = problems.report(record.settings.location_of("rates"), message);
    report.label("needs queue pairs");
    report
        .help("write `rates: none`, or a transport with queue pairs: `go_back_n`, `nic_sr`, `irn`, `ideal`");
    also(transport, "messages have no queue pairs here", report);
}

/// Per-message records need rows of messages.
fn summed(record: &Record, problems: &mut Problems) {
    let settings = &record.settings.settings;
    if settings.choice("messages") != "summed" {
        return;
    }
    let asked = [
        ("reordering", settings.flag("reordering")),
        ("causes", settings.choice("causes") == "all"),
        ("slowest_flows", settings.count("slowest_flows") > 0),
    ];
    for (key, _) in asked.into_iter().filter(|(_, is_asked)| *is_asked) {
        let report =
            problems.report(record.settings.location_of(key), format!("`{key}` needs rows of messages"));
        report.label("recorded message by message");
        report.related(record.settings.location_of("messages"), "messages are summed up here");
        report.help("write `messages: each`");
    }
}

/// The congestion tree needs credits, and an interval if there are no stages.
fn congestion_tree(record: &Record, draft: &Draft, problems: &mut Problems) {
    let Some(congestion) = &record.congestion else { return };
    if draft.queues.as_ref().is_some_and(|queues| queues.credits.is_none()) {
        let report = problems.report(congestion.location, "there is no congestion tree without credits");
        report.label("no port waits for credits here");
        report.help("write `queues: {credits: {}}` as well, or `congestion: none`");
    }
    if congestion.settings.optional("interval").is_none() && !draft.has_staged_flows {
        let report = problems.report(congestion.location, "the congestion tree needs an interval");
        report.label("there are no stages of `flows` to use instead");
        report.help("write `congestion: {interval: 10us}`");
    }
}

fn no_queue_pairs(congestion: &Parameters, transport: &Parameters, problems: &mut Problems) {
    let message = format!("transport `{}` has no congestion control", transport.spec.name);
    let report = problems.report(congestion.location, message);
    report.label("needs queue pairs");
    report.help(
        "write `congestion: none`, or a transport with queue pairs: `go_back_n`, `nic_sr`, `irn`, `ideal`",
    );
    also(transport, "no sender is notified of marks here", report);
}

/// Roots of congestion are ports with credits.
fn without_credits(congestion: &Parameters, queues: &Queues, problems: &mut Problems) {
    let name = congestion.spec.name;
    let needs_credits = [infiniband::SPEC.name, slingshot::SPEC.name].contains(&name);
    if !needs_credits || queues.credits.is_some() {
        return;
    }
    let message = format!("congestion control `{name}` needs links with credits");
    let report = problems.report(congestion.location, message);
    let is_of_marks = name == infiniband::SPEC.name;
    report.label(if is_of_marks { "no switch would mark packets" } else { "no switch would notify senders" });
    report.help("write `queues: { credits: {} }`, or another congestion control");
}

/// Pairs of parameters; the first must not exceed the second.
const IN_ORDER: [(&str, &str, &str); 4] = [
    ("timely", "low", "high"),
    ("slingshot", "low", "high"),
    ("swift", "scale_from", "scale_to"),
    ("swift", "smallest", "largest"),
];

fn in_order(congestion: &Parameters, problems: &mut Problems) {
    for (_, low, high) in IN_ORDER.into_iter().filter(|entry| entry.0 == congestion.spec.name) {
        let [least, most] = [low, high].map(|name| match congestion.settings.get(name) {
            Value::Duration(span) => span.0 as f64,
            Value::Size(size) => size.0 as f64,
            _ => congestion.settings.fraction(name),
        });
        if least > most {
            let report = problems.report(congestion.location_of(low), format!("`{low}` is above `{high}`"));
            report.label("the lower bound").related(congestion.location_of(high), "the upper bound");
            report.help(format!("a smaller `{low}`, or a larger `{high}`"));
        }
    }
}

/// If congestion control limits the data in flight, an ACK must not wait for more packets than that.
fn coalesced(congestion: &Parameters, transport: &Parameters, problems: &mut Problems) {
    let coalesce = transport.settings.count("coalesce");
    if coalesce <= 1 {
        return;
    }
    let name = congestion.spec.name;
    let message = format!("with `{name}` an ACK for {coalesce} packets may never be sent");
    let report = problems.report(transport.location_of("coalesce"), message);
    report.label("fewer packets may be in flight").help("write `coalesce: 1`");
    also(congestion, "limits the data in flight, down to one packet", report);
}

/// Hosts without queue pairs cannot be paused.
fn pause(draft: &Draft, transport: &Parameters, problems: &mut Problems) {
    let Some(queues) = draft.queues.as_ref().filter(|queues| queues.settings.settings.flag("pause")) else {
        return;
    };
    heeds_no_frames(queues.settings.location_of("pause"), transport, problems);
}

/// Reports pauses that no host obeys.
pub(super) fn heeds_no_frames(location: Location, transport: &Parameters, problems: &mut Problems) {
    let message = format!("hosts with transport `{}` ignore pause frames", transport.spec.name);
    let report = problems.report(location, message);
    report.label("would lose packets that do not fit into the buffer");
    report.help("a transport with queue pairs: `go_back_n`, `nic_sr`, `irn`, `ideal`; or no `pause`");
    also(transport, "the transport", report);
}

/// Also points at a plug-in, if it is written.
pub(super) fn also(plugin: &Parameters, what: &str, report: &mut crate::diagnostic::Draft) {
    if plugin.location.end > 0 {
        report.related(plugin.location, what);
    }
}

/// Queue pairs wait in the NIC until the link is free, so nothing queues at a host's port.
fn host_limit(draft: &Draft, transport: &Parameters, problems: &mut Problems) {
    let Some(queues) = &draft.queues else { return };
    if queues.settings.settings.optional("host_limit").is_some() {
        let message = format!("with transport `{}` nothing queues at hosts", transport.spec.name);
        let report = problems.report(queues.settings.location_of("host_limit"), message);
        report.label("limits nothing");
        report.help("remove it: messages wait in the NIC until the link is free");
    }
}

fn classes(draft: &Draft, problems: &mut Problems) {
    let Some(classes) = &draft.classes else { return };
    let [data, control] = ["data", "control"].map(|name| classes.settings.settings.count(name));
    if control > data {
        return;
    }
    let message = "ACKs, NACKs and CNPs need a higher class than data with queue pairs";
    let report = problems.report(classes.settings.location_of("control"), message);
    report.label(format!("control is in class {control}, data in class {data}"));
    report.help(match data {
        7 => "7 is the highest class: choose a lower one for data".to_owned(),
        _ => format!("write `control: {}`", data + 1),
    });
}

/// The clock must be able to represent the time until a queue pair gives up.
fn longest_silence(transport: &Parameters, problems: &mut Problems) {
    if super::rdma::longest_silence(transport) <= u128::from(crate::resolve::LONGEST.0) {
        return;
    }
    let report =
        problems.report(transport.location_of("timeout"), "a queue pair would take over 100 days to give up");
    report.label("too long for this number of `retries`").help("a shorter `timeout`, or fewer `retries`");
}
