//! What a reader of the results should know: modelling choices that are ours.

use netloom_model::{Job, Phase};

use crate::resolve::Draft;
use crate::resolved::{Parameters, queue_pairs};

/// Adds a note for every choice labelled *ours* that this scenario makes use of.
pub(super) fn add(draft: &Draft, jobs: &[(usize, Job)], notes: &mut Vec<String>) {
    if let Some(balance) = &draft.balance {
        own_rule("balancing policy", &balance.switch, notes);
        if balance.host != balance.switch {
            own_rule("balancing policy", &balance.host, notes);
        }
    }
    if let Some(transport) = &draft.transport {
        own_rule("transport", transport, notes);
        if queue_pairs::rule(transport.spec).is_some() {
            queue_pairs_travel(draft, transport, notes);
        }
    }
    if jobs.iter().any(|(_, job)| job.phases.iter().any(has_barrier)) {
        notes.push(
            "ours: modelled barriers release all ranks `coordination_delay` after the last one arrives"
                .to_owned(),
        );
    }
    let global = |faults: &crate::resolved::Faults| faults.settings.settings.choice("knowledge") == "global";
    if draft.faults.as_ref().is_some_and(global) {
        notes.push(
            "ours: with `knowledge: global` every node learns of a fault at the next snapshot, one every \
             `coordination_delay`"
                .to_owned(),
        );
    }
}

/// What a reader should know of classes and of who is told of congestion.
fn queue_pairs_travel(draft: &Draft, transport: &Parameters, notes: &mut Vec<String>) {
    if let Some(classes) = &draft.classes {
        let [data, control] = ["data", "control"].map(|name| classes.settings.count(name));
        notes.push(format!(
            "ours: ACKs, NACKs and CNPs are in class {control}, data in class {data}, so they never wait behind data"
        ));
    }
    let (Some(congestion), Some(queues)) = (&draft.congestion, &draft.queues) else { return };
    let hears_nacks = transport.settings.choice("nack") != "ignore";
    if congestion.spec.name != "none" && queues.marking.is_none() && !hears_nacks {
        let name = congestion.spec.name;
        notes.push(format!("congestion control `{name}` is told nothing: no `marking`, and `nack: ignore`"));
    }
}

fn own_rule(what: &str, parameters: &Parameters, notes: &mut Vec<String>) {
    if parameters.spec.source.starts_with("ours") {
        notes.push(format!("ours: {what} `{}` ({})", parameters.spec.name, parameters.spec.summary));
    }
}

fn has_barrier(phase: &Phase) -> bool {
    match phase {
        Phase::Barrier => true,
        Phase::Communicate { barrier, .. } => *barrier,
        Phase::PointToPoint(what) => what.barrier,
        Phase::Compute { .. } => false,
    }
}
