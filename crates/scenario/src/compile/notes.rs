//! Notes for readers of the results: modelling assumptions.

use netloom_model::{Job, Phase};
use netloom_policy::balance;
use netloom_policy::transport::Reliability;

use crate::quantity::{self, Dimension};
use crate::resolve::Draft;
use crate::resolved::{Faults, Flows, Parameters, queue_pairs, sections};

/// Adds a note for every modelling assumption that this scenario uses.
pub(super) fn add(draft: &Draft, jobs: &[(usize, Job)], notes: &mut Vec<String>) {
    if let Some(balance) = &draft.balance {
        own_rule("balancing policy", &balance.switch, notes);
        if balance.host != balance.switch {
            own_rule("balancing policy", &balance.host, notes);
        }
    }
    if let Some(transport) = &draft.transport {
        own_rule("transport", transport, notes);
        if let Some(balance) = &draft.balance {
            in_order_only(&balance.switch, transport, notes);
        }
        if queue_pairs::rule(transport.spec).is_some() {
            queue_pairs_travel(draft, notes);
        }
    }
    if jobs.iter().any(|(_, job)| job.repetition.aligned || job.phases.iter().any(Phase::has_barrier)) {
        notes.push(
            "modelling assumption: modelled barriers release all ranks `coordination_delay` after the last one arrives"
                .to_owned(),
        );
    }
    at_hosts(draft, notes);
    if let Some(flows) = draft.flows.as_ref().filter(|flows| flows.staged().next().is_some()) {
        staged(flows, draft.transport.as_ref(), notes);
    }
    let awareness =
        draft.faults.as_ref().map_or("local", |faults| faults.settings.settings.choice("awareness"));
    if awareness == "up_down" {
        notes.push(
            "modelling assumption: with `awareness: up_down` only detour paths around failures go up and then down; of \
             two switches equally far from hosts the one with the higher number is the upper one"
                .to_owned(),
        );
    }
    if let Some(faults) = &draft.faults {
        note_awareness(faults, notes);
    }
    if awareness != "local" {
        notes.push(
            "modelling assumption: with global failure awareness every node learns of a fault at the next snapshot, \
             one every `coordination_delay`"
                .to_owned(),
        );
    }
}

/// Modelling assumptions about hosts.
fn at_hosts(draft: &Draft, notes: &mut Vec<String>) {
    let Some(hosts) = &draft.hosts else { return };
    let is_set = |name| hosts.settings.optional(name).is_some();
    if is_set("rendezvous") {
        notes.push(
            "modelling assumption: a receiver grants a large message by a message of 64 B when it posts the receive, \
             and the sender continues when all of the large message is acknowledged"
                .to_owned(),
        );
    }
    if is_set("reduction") || is_set("copy") {
        notes.push(
            "modelling assumption: a rank reduces and copies received data before it does anything else, a whole \
             message at a time".to_owned(),
        );
    }
}

/// Detection of link failures.
fn note_awareness(faults: &Faults, notes: &mut Vec<String>) {
    let reaction = super::faults::reaction(faults);
    let [down, up] = [reaction.detection, reaction.recovery];
    if down.0 + up.0 > 0 {
        let [down, up] = [down, up].map(|span| quantity::print(span.0, Dimension::Duration));
        notes.push(format!(
            "modelling assumption: the ends of a link detect its failure {down} after it, and its recovery {up} after \
             it, if it lasts"
        ));
    }
}

/// How flows are divided into messages, and what their times mean.
fn staged(flows: &Flows, transport: Option<&Parameters>, notes: &mut Vec<String>) {
    let settings = &flows.settings.settings;
    let size = quantity::print(settings.size("message").0, Dimension::Size);
    let posted = settings.count("posted");
    let is_open_loop = transport.is_some_and(|transport| transport.spec.name == sections::OPEN_LOOP.name);
    let how = if is_open_loop {
        "posted at a fixed rate".to_owned()
    } else {
        format!("{posted} of them posted and not yet acknowledged at a time")
    };
    notes.push(format!(
        "modelling assumption: a flow of `flows` is a stream of messages of {size}, {how}; messages posted before it \
         stops are still sent"
    ));
    if let Some(scale) = flows.time_scale() {
        notes.push(format!("times are {scale} of the source's"));
    }
}

/// Notes on the class of control packets, and on the assumptions of congestion control and marking.
fn queue_pairs_travel(draft: &Draft, notes: &mut Vec<String>) {
    if let Some(classes) = &draft.classes {
        let [data, control] = ["data", "control"].map(|name| classes.settings.settings.count(name));
        notes.push(format!(
            "modelling assumption: ACKs, NACKs and CNPs are in class {control}, data in class {data}, so they never \
             wait behind data"
        ));
    }
    let (Some(congestion), Some(queues)) = (&draft.congestion, &draft.queues) else { return };
    let own = match congestion.kind.spec.name {
        "hpcc" => Some("telemetry of `hpcc` takes no bytes on the wire"),
        "slingshot" => Some("the rule of `slingshot`: which flows contribute, shares, windows and times"),
        _ => None,
    };
    notes.extend(own.map(|own| format!("modelling assumption: {own}")));
    if queues.marking.as_ref().is_some_and(|marking| super::buffer::adapting(marking).is_some()) {
        notes.push("modelling assumption: the rule by which marking thresholds adapt (`ai_ecn`)".to_owned());
    }
}

/// Reordered packets are retransmitted if the receiver accepts them in order only.
fn in_order_only(switch: &Parameters, transport: &Parameters, notes: &mut Vec<String>) {
    let takes_in_order = queue_pairs::rule(transport.spec) == Some(Reliability::GoBackN);
    if takes_in_order && balance::reorders(switch.spec, &switch.settings) {
        notes.push(format!(
            "`{}` reorders packets, but `{}` accepts them in order only: packets that arrive early are retransmitted; \
             `ideal` accepts them in any order",
            switch.spec.name, transport.spec.name
        ));
    }
}

fn own_rule(what: &str, parameters: &Parameters, notes: &mut Vec<String>) {
    if parameters.spec.source.starts_with("modelling assumption") {
        notes.push(format!(
            "modelling assumption: {what} `{}` ({})",
            parameters.spec.name, parameters.spec.summary
        ));
    }
}
