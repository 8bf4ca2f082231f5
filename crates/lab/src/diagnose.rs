//! How a run ended, with names: which actors wait for what, and where packets were lost.
//!
//! Models: the engine's outcome joined with the names of jobs, hosts and links and with the rows of drops.
//!
//! Invariants: a list of names is cut after [`SHOWN`] of them, with the number of those left out.

use std::collections::BTreeMap;

use netloom_engine::{
    Deadlock, FailedQueuePair, MOST_AT_ONE_INSTANT, Outcome as EngineOutcome, Stall, Standstill,
    Status as EngineStatus, Waiting,
};
use netloom_records::{DropReason, DropRow, Outcome, Status};
use netloom_units::{ActorId, Duration, PortId, Time};

use crate::prepare::Prepared;
use crate::summary::Gather;
use crate::words;

/// Number of names that a list shows.
const SHOWN: usize = 8;

/// The outcome for the manifest.
pub(crate) fn diagnose(engine: &EngineOutcome, gather: &Gather, prepared: &Prepared) -> Outcome {
    let at = words::time(engine.end);
    match &engine.status {
        EngineStatus::Complete => Outcome { status: Status::Complete, details: losses(gather, prepared) },
        EngineStatus::Deadline => {
            let how = format!("the deadline was reached at {at} of simulated time");
            Outcome { status: Status::Deadline, details: cut_off(how, gather, prepared) }
        }
        EngineStatus::Stopped => {
            let how = stopped_at(engine.end);
            Outcome { status: Status::Stopped, details: cut_off(how, gather, prepared) }
        }
        EngineStatus::Deadlock(deadlock) => deadlocked(deadlock, &at, gather, prepared),
        EngineStatus::Stalled(stall) => stalled(stall, &at, gather, prepared),
        EngineStatus::Standstill(found) => {
            let how = standstill(found, prepared);
            Outcome { status: Status::Stalled, details: cut_off(how, gather, prepared) }
        }
        EngineStatus::SinkFailed(error) => Outcome {
            status: Status::Stopped,
            details: vec![format!("records could not be stored: {error}")],
        },
    }
}

/// How a run was stopped.
pub(crate) fn stopped_at(end: Time) -> String {
    format!("stopped at {} of simulated time", words::time(end))
}

/// The progress of a run that ended early.
fn cut_off(how: String, gather: &Gather, prepared: &Prepared) -> Vec<String> {
    let jobs = &prepared.compiled.model.workload.jobs;
    let finite = jobs.iter().filter(|job| !job.repetition.endless);
    let total: u64 = finite.map(|job| u64::from(job.steps)).sum();
    let mut details = vec![how];
    if total > 0 {
        details.push(format!(
            "{} of {} finished",
            words::count(gather.n_steps()),
            words::some(total, "step")
        ));
    }
    details.extend(losses(gather, prepared));
    details
}

fn stalled(stall: &Stall, at: &str, gather: &Gather, prepared: &Prepared) -> Outcome {
    let unreachable = gather.drops().iter().any(|row| row.reason == DropReason::Unreachable);
    let status = if unreachable { Status::Unreachable } else { Status::Stalled };
    let mut details = vec![format!("no progress was possible after {at} of simulated time")];
    let mut groups: BTreeMap<Group, Vec<&Waiting>> = BTreeMap::new();
    for waiting in &stall.waiting {
        groups.entry(group_of(waiting.actor, prepared)).or_default().push(waiting);
    }
    details.extend(groups.iter().map(|(group, waiting)| group_waits(*group, waiting, prepared)));
    if !stall.given_up.is_empty() {
        let each = stall.given_up.iter().map(|pair| gave_up(pair, prepared)).collect();
        details.push(format!("queue pairs gave up: {}", shortened(each, "; ")));
    }
    if stall.unfinished > 0 {
        let messages = words::some(stall.unfinished, "message");
        details.push(format!("{messages} started and did not arrive completely"));
    }
    details.extend(losses(gather, prepared));
    Outcome { status, details }
}

/// An actor that nothing makes wait.
fn standstill(found: &Standstill, prepared: &Prepared) -> String {
    let who = match group_of(found.actor, prepared) {
        Group::Background => "a sender of background traffic".to_owned(),
        Group::Job(job) => format!("a rank of job `{}`", prepared.compiled.job_names[job]),
        Group::Flows => "the sender of a staged flow".to_owned(),
        Group::Finite => "a sender of finite flows".to_owned(),
    };
    let host = &prepared.compiled.node_names[found.host.index()];
    let (many, at) = (words::count(MOST_AT_ONE_INSTANT.into()), words::time(found.at));
    format!(
        "{who}, at {host}, did {many} operations at {at} of simulated time: none of them takes time or waits"
    )
}

fn gave_up(pair: &FailedQueuePair, prepared: &Prepared) -> String {
    let [source, destination] =
        [pair.source, pair.destination].map(|host| &prepared.compiled.node_names[host.index()]);
    let timeouts = words::some(u64::from(pair.timeouts), "timeout");
    format!("{source} to {destination} (queue pair {}) after {timeouts} in a row", pair.number)
}

fn deadlocked(deadlock: &Deadlock, at: &str, gather: &Gather, prepared: &Prepared) -> Outcome {
    let compiled = &prepared.compiled;
    let port = |id: &PortId| {
        let port = compiled.model.fabric.port(*id);
        let [node, link] = [&compiled.node_names[port.node.index()], &compiled.link_names[port.link.index()]];
        format!("{node} towards link {link}")
    };
    let ring = shortened(deadlock.cycle.iter().map(port).collect(), ", then ");
    let mut details = vec![
        format!("a deadlock, detected at {at} of simulated time: buffers wait for each other in a cycle"),
        format!(
            "each of these ports waits for buffer space that the next one must free, and the last for the first: {ring}"
        ),
    ];
    let messages = words::some(deadlock.unfinished, "message");
    details.push(format!("{messages} started and did not arrive completely"));
    details.extend(losses(gather, prepared));
    Outcome { status: Status::Deadlock, details }
}

/// Actors that are reported together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Group {
    Background,
    Job(usize),
    Flows,
    Finite,
}

/// The group of an actor: ranks come first, job by job; then the senders of background traffic; then staged flows; then
/// the senders of finite flows.
fn group_of(actor: ActorId, prepared: &Prepared) -> Group {
    let workload = &prepared.compiled.model.workload;
    let mut end = 0;
    let job = workload.jobs.iter().position(|job| {
        end += job.ranks.len();
        actor.index() < end
    });
    let n_senders = workload.background.as_ref().map_or(0, |background| background.senders.len());
    let others = || match actor.index() - end {
        location if location < n_senders => Group::Background,
        _ if flow_of(actor, prepared).is_some() => Group::Flows,
        _ => Group::Finite,
    };
    job.map_or_else(others, Group::Job)
}

/// The name of an actor's staged flow.
fn flow_of(actor: ActorId, prepared: &Prepared) -> Option<&str> {
    let workload = &prepared.compiled.model.workload;
    let n_ranks: usize = workload.jobs.iter().map(|job| job.ranks.len()).sum();
    let n_senders = workload.background.as_ref().map_or(0, |background| background.senders.len());
    let flow = actor.index().checked_sub(n_ranks + n_senders)?;
    prepared.compiled.flow_names.get(flow).map(String::as_str)
}

fn group_waits(group: Group, waiting: &[&Waiting], prepared: &Prepared) -> String {
    let who = match group {
        Group::Job(job) => {
            let n_ranks = prepared.compiled.model.workload.jobs[job].ranks.len() as u64;
            let name = &prepared.compiled.job_names[job];
            let n_waiting = words::count(waiting.len() as u64);
            format!("job `{name}`: {n_waiting} of {} are blocked", words::some(n_ranks, "rank"))
        }
        Group::Background => {
            format!("background traffic: {} blocked", words::some(waiting.len() as u64, "sender"))
        }
        Group::Flows => format!("{} blocked", words::some(waiting.len() as u64, "staged flow")),
        Group::Finite => format!("finite flows: {} blocked", words::some(waiting.len() as u64, "sender")),
    };
    let each = waiting.iter().map(|waiting| actor_waits(waiting, prepared)).collect();
    format!("{who}: {}", shortened(each, "; "))
}

fn actor_waits(waiting: &Waiting, prepared: &Prepared) -> String {
    let host = &prepared.compiled.node_names[waiting.host.index()];
    if let Some(flow) = flow_of(waiting.actor, prepared) {
        return format!("`{flow}` waits at {host} for confirmation that a message has arrived");
    }
    match (waiting.messages, waiting.at_barrier) {
        (0, true) => format!("{host} waits at a barrier"),
        (0, false) => format!("{host} has not finished"),
        (n, true) => format!("{host} waits for {} and at a barrier", words::some(n, "message")),
        (n, false) => format!("{host} waits for {}", words::some(n, "message")),
    }
}

/// Where packets were lost, a sentence for each location and reason.
fn losses(gather: &Gather, prepared: &Prepared) -> Vec<String> {
    let rows = gather.drops();
    let mut shown: Vec<String> = rows.iter().take(SHOWN).map(|row| loss(row, prepared)).collect();
    if let Some(rest) = rows.get(SHOWN..).filter(|rest| !rest.is_empty()) {
        let packets = rest.iter().map(|row| row.packets).sum();
        let locations = words::some(rest.len() as u64, "more location");
        shown.push(format!("{} lost at {locations}", words::some(packets, "packet")));
    }
    shown
}

fn loss(row: &DropRow, prepared: &Prepared) -> String {
    let node = &prepared.compiled.node_names[row.node.index()];
    let location = match row.port {
        None => node.clone(),
        Some(port) => {
            let link = prepared.compiled.model.fabric.port(port).link;
            format!("{node} towards link {}", prepared.compiled.link_names[link.index()])
        }
    };
    let why = match row.reason {
        DropReason::QueueFull => "the queue was full",
        DropReason::BufferFull => "the shared buffer had no room",
        DropReason::HeadroomFull => "the headroom of a paused ingress was full",
        DropReason::Corrupted => "the link corrupted them",
        DropReason::Unreachable => "no live next hop leads to the destination",
        DropReason::LinkDown => "the link was down",
        DropReason::SwitchDown => "the switch was down",
        DropReason::Hook => "a hook dropped them",
    };
    let packets = words::some(row.packets, "packet");
    let bytes = row.size.0.map_or_else(String::new, |size| format!(" ({})", words::size(size.0 as f64)));
    format!("{packets}{bytes} lost at {location}: {why} ({})", when(row.first, row.last))
}

fn when(first: Time, last: Time) -> String {
    if last.since(first) == Duration::ZERO {
        return format!("at {}", words::time(first));
    }
    format!("from {} to {}", words::time(first), words::time(last))
}

fn shortened(mut each: Vec<String>, between: &str) -> String {
    let n_left_out = each.len().saturating_sub(SHOWN);
    each.truncate(SHOWN);
    if n_left_out > 0 {
        each.push(format!("and {} more", words::count(n_left_out as u64)));
    }
    each.join(between)
}
