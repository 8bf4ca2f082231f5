//! Settings of a scenario without effect in a testbed, for notes to the user.
//!
//! Invariants: everything in the model that has an effect on a simulation is either built or listed here.

use netloom_model::{Hosts, Model, TransportKind};

use crate::options::RouteMode;

/// A setting without effect in the testbed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ignored {
    /// Its name in the scenario.
    pub setting: &'static str,
    /// What the testbed does instead.
    pub instead: &'static str,
}

/// All settings without effect, in the order of a scenario.
pub fn ignored(model: &Model, mode: RouteMode) -> Vec<Ignored> {
    let rows = [forwarding(model, mode), queues(model), hosts(model), events(model)];
    let set = rows.into_iter().flatten().filter(|(is_set, ..)| *is_set);
    set.map(|(_, setting, instead)| Ignored { setting, instead }).collect()
}

/// Whether a setting is used, its name, and what the testbed does instead.
type Row = (bool, &'static str, &'static str);

fn forwarding(model: &Model, mode: RouteMode) -> Vec<Row> {
    let has_delay = model.fabric.ports().iter().any(|port| port.delay.0 > 0);
    let (policy, instead) = match mode {
        RouteMode::Ecmp => ("ecmp", "the kernel chooses a next hop per flow, by a hash"),
        RouteMode::Pinned { .. } => {
            ("deterministic", "each destination has one next hop, as with `balance: deterministic`")
        }
    };
    let is_other = !model.balances.switch.is(policy) || !model.balances.static_routes.is_empty();
    vec![
        (has_delay, "delay of links", "the delay of a hop is that of the kernel, without a `netem` delay"),
        (is_other, "balance", instead),
    ]
}

fn queues(model: &Model) -> Vec<Row> {
    let queues = &model.queues;
    let classes = || queues.classes.iter().map(|(_, class)| class);
    let has_marking = queues.marking.is_some()
        || queues.adapting.is_some()
        || queues.root_marking.is_some()
        || classes().any(|class| class.marking.is_some());
    let has_pause =
        queues.buffer.is_some_and(|buffer| buffer.pause.is_some()) || classes().any(|class| class.pause);
    vec![
        (queues.buffer.is_some(), "queues: shared buffer", "each port has an equal part of it to itself"),
        (has_marking, "queues: ECN marking", "no packet is marked; a full queue drops"),
        (has_pause, "queues: pause frames (PFC)", "no port is paused; a full queue drops"),
        (queues.credits.is_some(), "queues: credits", "links have no flow control; a full queue drops"),
        (queues.classes.separates_data(), "classes of traffic", "all packets share one queue per port"),
    ]
}

fn hosts(model: &Model) -> Vec<Row> {
    let transport = match model.transport.kind {
        TransportKind::OpenLoop { .. } => "transport: open_loop",
        TransportKind::Window { .. } => "transport: window",
        TransportKind::Rdma(_) => "transport and congestion control of queue pairs",
    };
    let has_limits = model.workload.hosts != Hosts::default();
    vec![
        (true, transport, "hosts send with the kernel's TCP and CUBIC"),
        (has_limits, "hosts", "overheads and limits are those of this machine"),
    ]
}

fn events(model: &Model) -> Vec<Row> {
    let has_faults = !model.faults.is_empty()
        || !model.switch_faults.is_empty()
        || !model.storms.is_empty()
        || model.loss > 0;
    let workload = &model.workload;
    let has_flows = workload.staged.is_some() || workload.finite.is_some();
    let has_work = !workload.jobs.is_empty() || workload.background.is_some() || has_flows;
    vec![
        (has_faults, "faults", "no link fails, slows down or loses packets"),
        (has_work, "jobs, background traffic and flows", "only the given command sends"),
    ]
}
