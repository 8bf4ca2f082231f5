//! Limits of the engine's clock and counters.
//!
//! The clock is 2^64 ps, 213 days. An upper bound on the duration of a run (everything one after the other over the
//! slowest link) must stay below that, so that the engine never has to check.

use std::collections::BTreeMap;

use netloom_catalog::workload::background;
use netloom_catalog::workload::volume::{bytes_of_collective, bytes_of_step};
use netloom_model::{
    Background, Collective, Fabric, FiniteFlows, Hosts, Job, Phase, Posting, Routing, StagedFlows,
};
use netloom_policy::congestion::{Controller, Site};
use netloom_units::{Duration, Rate, Time, Value};

use super::built_fabric::BuiltFabric;
use super::{messages, rdma};
use crate::diagnostic::Problems;
use crate::location::Location;
use crate::resolve::{Draft, LONGEST};
use crate::resolved::{Parameters, queue_pairs};

const PS_PER_SECOND: u128 = 1_000_000_000_000;
/// Packets of a message are counted in 32 bits.
const MOST_PACKETS: u32 = u32::MAX;

/// Upper bounds on the work of a job.
#[derive(Default)]
struct Worst {
    bytes: u128,
    messages: u128,
    /// Messages that depend on each other, one after the other.
    rounds: u128,
    /// Time that passes without traffic, in ps.
    idle: u128,
    /// Bytes; for background traffic only, as those of jobs are checked where they are written.
    largest_message: u64,
}

/// The workload, each job with its number in the scenario.
#[derive(Clone, Copy)]
pub(super) struct Traffic<'a> {
    pub jobs: &'a [(usize, Job)],
    pub background: Option<&'a Background>,
    pub staged: Option<&'a StagedFlows>,
    pub finite: Option<&'a FiniteFlows>,
    pub hosts: Hosts,
}

/// Reports excess over the limits.
pub(super) fn check(
    draft: &Draft,
    built_fabric: &BuiltFabric,
    traffic: Traffic<'_>,
    barrier_delay: u64,
    problems: &mut Problems,
) {
    let own = traffic.background.map(of_background).unwrap_or_default();
    if let Some(transport) = &draft.transport {
        let most = u128::from(payload(transport)) * u128::from(MOST_PACKETS);
        messages::check(draft, own.largest_message, most, problems);
    }
    let span = |worst: &Worst| span(worst, draft, built_fabric, traffic);
    let mut spans: Vec<(u128, Location, &str)> = Vec::new();
    if let (Some(wanted), Some(_)) = (&draft.background, traffic.background) {
        let help = "an earlier `end`, fewer messages, or faster links";
        spans.push((span(&own), wanted.kind.location_of("end"), help));
    }
    if let (Some(wanted), Some(staged)) = (&draft.flows, traffic.staged) {
        let help = "flows that stop earlier, smaller messages, or faster links";
        spans.push((span(&of_flows(staged)), wanted.list.location, help));
    }
    if let (Some(wanted), Some(flows)) = (&draft.flows, traffic.finite) {
        let location = wanted.file.as_ref().map_or(wanted.list.location, |file| file.path.location);
        spans.push((
            span(&of_finite(flows)),
            location,
            "smaller or fewer flows, earlier starts, or faster links",
        ));
    }
    // An endless job ends with the others, or at the deadline.
    for (number, job) in traffic.jobs.iter().filter(|(_, job)| !job.repetition.endless) {
        let help = "fewer steps, smaller messages, or faster links";
        spans.push((
            span(&of_job(job, barrier_delay, &traffic.hosts)),
            draft.jobs[*number].steps.location,
            help,
        ));
    }
    let total = spans.iter().fold(0, |total: u128, (span, ..)| total.saturating_add(*span));
    let Some((_, location, help)) = spans.into_iter().max_by_key(|(span, ..)| *span) else { return };
    if total <= u128::from(LONGEST.0) {
        return;
    }
    let timeouts = if has_queue_pairs(draft).is_some() { "; timeouts count as well" } else { "" };
    let report = problems.report(location, "the run could take longer than the clock can count");
    report.label("over 100 days if everything happens one after the other").help(format!("{help}{timeouts}"));
}

/// The transport, if it has queue pairs.
fn has_queue_pairs(draft: &Draft) -> Option<&Parameters> {
    draft.transport.as_ref().filter(|transport| queue_pairs::rule(transport.spec).is_some())
}

fn of_job(job: &Job, barrier_delay: u64, hosts: &Hosts) -> Worst {
    let n = job.ranks.len() as u128;
    let mut worst = Worst { bytes: bytes_of_step(job), ..Worst::default() };
    for phase in &job.phases {
        worst.idle += u128::from(barrier_delay);
        match phase {
            Phase::Compute { span } => worst.idle += u128::from(span.0),
            // The run of a program has a deadline.
            Phase::Barrier | Phase::Program => {}
            Phase::Communicate { buckets, .. } => {
                worst.idle += buckets.len() as u128 * u128::from(barrier_delay);
                for collective in buckets.iter().flat_map(|bucket| &bucket.collectives) {
                    of_collective(collective, job, &mut worst);
                }
            }
            Phase::Pipeline(what) => {
                let passes = 2 * u128::from(what.microbatches);
                worst.messages += n * passes;
                worst.rounds += passes + 2 * what.stages.len() as u128;
                let both = u128::from(what.forward.0) + u128::from(what.backward.0);
                worst.idle = worst.idle.saturating_add((passes + what.stages.len() as u128) * both);
            }
            Phase::PointToPoint(what) => {
                let messages = n * u128::from(what.microbatches);
                let waits = u128::from(what.microbatches) + what.stages.len() as u128;
                worst.messages += messages;
                worst.rounds += waits;
                worst.idle = worst.idle.saturating_add(waits * u128::from(what.gap.0));
            }
        }
    }
    at_hosts(&mut worst, hosts);
    if let Some(bursts) = &job.repetition.bursts {
        worst.idle += u128::from(bursts.pause.0) + u128::from(bursts.slack.0);
    }
    let steps = u128::from(job.steps);
    Worst {
        bytes: worst.bytes.saturating_mul(steps),
        messages: worst.messages.saturating_mul(steps),
        rounds: worst.rounds.saturating_mul(steps),
        idle: worst.idle.saturating_mul(steps).saturating_add(u128::from(job.start.0)),
        largest_message: 0,
    }
}

/// The messages of a collective in all of its communicators, which run side by side.
fn of_collective(collective: &Collective, job: &Job, worst: &mut Worst) {
    let mut communicators: BTreeMap<u32, u128> = BTreeMap::new();
    job.communicator_sizes(collective).for_each(|size| *communicators.entry(size).or_default() += 1);
    let setting = |name: &str| collective.settings.iter().find(|(key, _)| *key == name);
    let chunk = match setting("chunk") {
        Some((_, Value::Size(chunk))) => Some(u128::from(chunk.0.max(1))),
        _ => None,
    };
    let channels = match setting("channels") {
        Some((_, Value::Count(channels))) => u128::from(channels),
        _ => 1,
    };
    if let Some(chunk) = chunk {
        worst.messages += 2 * (bytes_of_collective(job, collective) / chunk);
    }
    for (&size, &count) in &communicators {
        // No algorithm sends more: a pair of ranks exchanges at most two messages in each direction and channel, or two
        // for each chunk.
        let pairs = u128::from(size) * u128::from(size) * count * channels;
        worst.messages += 2 * pairs;
    }
    worst.rounds += 2 * communicators.keys().max().map_or(0, |&size| u128::from(size));
}

/// The overhead at hosts: grants, and time for messages and bytes.
fn at_hosts(worst: &mut Worst, hosts: &Hosts) {
    let overheads = u128::from(hosts.send_overhead.0) + u128::from(hosts.receive_overhead.0);
    worst.idle = worst.idle.saturating_add(worst.messages.saturating_mul(overheads));
    for rate in [hosts.reduction, hosts.copy].into_iter().flatten() {
        let bits = worst.bytes.saturating_mul(8);
        worst.idle = worst.idle.saturating_add(bits.saturating_mul(PS_PER_SECOND) / u128::from(rate.0));
    }
    if hosts.rendezvous.is_some() {
        worst.bytes = worst.bytes.saturating_add(worst.messages * u128::from(Hosts::GRANT.0));
        worst.messages *= 2;
        worst.rounds *= 2;
    }
}

fn of_background(background: &Background) -> Worst {
    let Ok(arrivals) = background::arrivals(background, 0) else { return Worst::default() };
    let bound = arrivals.bound();
    Worst {
        bytes: bound.bytes,
        messages: u128::from(bound.messages),
        rounds: 1,
        idle: u128::from(background.settings.duration("end").0),
        largest_message: bound.largest.0,
    }
}

/// After the last stop: messages posted then, or with open-loop flows perhaps all of them.
fn of_flows(staged: &StagedFlows) -> Worst {
    let mut worst = Worst::default();
    for flow in &staged.flows {
        let messages = match staged.posting {
            Posting::Acknowledged { posted } => u128::from(posted),
            Posting::Clocked => {
                let rate = u128::from(flow.rate.map_or(0, |rate| rate.0));
                let bytes = u128::from(flow.stop.since(flow.start).0) * rate / (8 * PS_PER_SECOND);
                bytes / u128::from(staged.message.0) + 1
            }
        };
        worst.messages += messages;
        worst.bytes = worst.bytes.saturating_add(messages * u128::from(staged.message.0));
        worst.rounds += 1;
        worst.idle = worst.idle.max(u128::from(flow.stop.0));
    }
    worst
}

/// All delays one after the other, behind the last start.
fn of_finite(finite: &FiniteFlows) -> Worst {
    let mut worst = Worst { messages: finite.flows.len() as u128, rounds: 1, ..Worst::default() };
    let mut last = 0;
    for flow in finite.flows.iter() {
        worst.bytes += u128::from(flow.size.0);
        if flow.waits_for().is_some() {
            worst.rounds += 2;
            worst.idle += u128::from(flow.start.0);
        } else {
            last = last.max(flow.start.0);
        }
    }
    worst.idle += u128::from(last);
    worst
}

/// The upper bound on the duration, in ps.
fn span(worst: &Worst, draft: &Draft, built_fabric: &BuiltFabric, traffic: Traffic<'_>) -> u128 {
    let fabric = &built_fabric.built.fabric;
    let links = fabric.ports().iter().map(|port| port.rate);
    let pace = draft.transport.as_ref().and_then(|transport| {
        transport.spec.parameter("rate").and_then(|_| super::choices::optional_rate(transport, "rate"))
    });
    let background = traffic.background.and_then(|background| background.rate);
    let staged = traffic.staged.iter().flat_map(|staged| &staged.flows).filter_map(|flow| flow.rate);
    let slowest = links
        .chain(pace)
        .chain(smallest_rate(draft, fabric))
        .chain(background)
        .chain(staged)
        .chain(super::faults::degraded_rates(draft))
        .chain(traffic.hosts.injection)
        .chain(traffic.hosts.injection_to_many)
        .min()
        .unwrap_or(Rate(u64::MAX));
    let latency = draft
        .queues
        .as_ref()
        .and_then(|queues| queues.credits.as_ref())
        .map(|credits| credits.settings.duration("latency").0);
    let delay = fabric.ports().iter().map(|port| port.delay.0).max().unwrap_or(0);
    let delay = delay.saturating_add(latency.unwrap_or(0));
    let hops = match &built_fabric.built.routing {
        Routing::LeafSpine(_) | Routing::Rail(_) => 4,
        Routing::FatTree(_) => 6,
        // Through an intermediate group, with a second hop in each.
        Routing::Dragonfly(_) | Routing::DragonflyPlus(_) => 10,
        Routing::Tables(_) => fabric.n_switches() as u128 + 1,
    };
    let (packet, beside) = draft
        .transport
        .as_ref()
        .map_or((1, 0), |transport| (u128::from(payload(transport)), u128::from(overhead_bytes(transport))));
    let packets = (worst.bytes / packet).saturating_add(worst.messages);
    let bits = worst.bytes.saturating_add(packets.saturating_mul(beside)).saturating_mul(8);
    let busy = bits.saturating_mul(PS_PER_SECOND) / u128::from(slowest.0);
    // With credits a link may move one packet per round trip.
    let trips = if latency.is_some() { packets.saturating_mul(2 * hops) } else { 0 };
    let busy = busy.saturating_add(trips.saturating_mul(u128::from(delay)));
    // A silence that is too long by itself is reported where it is written.
    let silence = has_queue_pairs(draft).map_or(0, rdma::longest_silence);
    let silence = if silence > u128::from(LONGEST.0) { 0 } else { silence };
    let flight = worst.rounds.saturating_mul((hops * u128::from(delay)).saturating_add(silence));
    busy.saturating_add(flight).saturating_add(worst.idle)
}

/// Payload bytes per packet.
fn payload(transport: &Parameters) -> u64 {
    let name = if transport.spec.parameter("mtu").is_some() { "mtu" } else { "packet" };
    transport.settings.size(name).0
}

/// Extra bytes on the wire per packet of a message: its header, and the responses to it.
fn overhead_bytes(transport: &Parameters) -> u64 {
    let header = rdma::packet(transport).0 - payload(transport);
    let response =
        ["control", "acknowledgement"].into_iter().find(|name| transport.spec.parameter(name).is_some());
    // A packet causes one ACK or NACK, and at most one CNP.
    header + 2 * response.map_or(64, |name| transport.settings.size(name).0)
}

/// The smallest rate that congestion control can set.
fn smallest_rate(draft: &Draft, fabric: &Fabric) -> Option<Rate> {
    let line = fabric.ports().iter().map(|port| port.rate).max()?;
    let packet = rdma::packet(draft.transport.as_ref()?);
    let site = Site { line, packet, n_hosts: fabric.n_hosts() as u32 };
    let congestion = draft.congestion.as_ref()?;
    let controller = Controller::new(&super::choices::congestion(congestion, Duration(1)), site);
    let mut state = controller.start();
    controller.slow_start(&mut state, Time::ZERO);
    Some(controller.rate(&mut state, Time::ZERO))
}
