//! Estimates the cost of a run before it is made.
//!
//! Models: the messages of one step of a sample of ranks, of a sample of hosts with background traffic, and a sample of
//! finite flows, as the engine would receive them; their packets, the links of a shortest path, ACKs; multiplied by
//! steps, ranks and hosts. Long steps are extrapolated by their bytes. Time follows from instructions per packet-hop.
//! Leaves out: retransmissions, notifications and pause frames, non-minimal paths, the effect of a deadline.
//!
//! Invariants: the number of messages examined is bounded for scenarios of any size; what cannot be estimated is named.
//!
//! Source: round numbers near the instructions per packet-hop of the budgets in `crates/bench`; time per instruction
//! and per message, and memory, fitted to runs on two cores of a shared machine (`docs/concepts/cost.md`).

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

use netloom_catalog::TrainingWork;
use netloom_catalog::workload::volume::bytes_of_step;
use netloom_engine::messages_wait_as_trains;
use netloom_model::ideal::n_links_between;
use netloom_model::{FiniteFlows, Item, Job, Mark, Message, Model, Operation, Phase, TransportKind, Work};
use netloom_units::{ActorId, Bytes, HostId, NodeId, Time};
use serde::Serialize;

use crate::error::LabError;
use crate::prepare::Prepared;

/// Most actors of a job, or of background traffic, that are examined.
const MOST_ACTORS: usize = 64;
/// Most messages of an actor that are examined.
const MOST_MESSAGES: u64 = 4_096;
/// The same of a rank in a step.
const MOST_MESSAGES_OF_STEP: u64 = 1 << 17;
/// Most finite flows that are examined.
const MOST_FLOWS: usize = 65_536;
/// Nanoseconds per instruction, of a run whose memory exceeds the caches.
const NS_PER_INSTRUCTION: f64 = 0.14;
/// Nanoseconds per message in addition to its packets: its rows, its flow, waking its rank.
const NS_PER_MESSAGE: f64 = 1_500.0;
/// Nanoseconds for reading, compiling and storing.
const NS_AT_LEAST: f64 = 3e6;
/// Memory of an idle process, of a port, and of a message of a step.
const BYTES_AT_LEAST: f64 = 24e6;
const BYTES_PER_PORT: f64 = 2_500.0;
const BYTES_PER_MESSAGE: f64 = 120.0;
/// Memory of a host once it sends: its rings and tables.
const BYTES_PER_SENDER: f64 = 4_000.0;
/// Memory of a packet that waits.
const BYTES_PER_WAITING_PACKET: f64 = 40.0;
/// Memory of a finite flow before it starts: its row, its index in the order of its sender.
const BYTES_PER_FINITE_FLOW: f64 = 36.0;

/// The estimated cost of a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Cost {
    /// Messages.
    pub messages: f64,
    /// Data packets.
    pub packets: f64,
    /// Packets that cross a link, ACKs included.
    pub packet_hops: f64,
    /// Memory, in bytes.
    pub memory_bytes: f64,
    /// Time on two cores.
    pub seconds: f64,
    /// Why the actual cost may differ.
    pub but: Vec<&'static str>,
}

/// Load of the messages that were examined, or of all.
#[derive(Debug, Clone, Copy, Default)]
struct Load {
    messages: f64,
    packets: f64,
    hops: f64,
    bytes: f64,
    /// Packets that wait at their senders at once.
    waiting: f64,
    /// Whether the end of a step was not reached.
    is_cut: bool,
}

impl Load {
    fn add(&mut self, other: Load, times: f64) {
        self.bytes += other.bytes * times;
        self.waiting += other.waiting * times;
        self.is_cut |= other.is_cut;
        self.messages += other.messages * times;
        self.packets += other.packets * times;
        self.hops += other.hops * times;
    }
}

/// Estimates the cost of a prepared scenario.
///
/// # Errors
/// Never for a scenario that the compiler accepts.
pub fn cost(prepared: &Prepared) -> Result<Cost, LabError> {
    let model = &prepared.compiled.model;
    let mut work = prepared.work_without_programs()?;
    let (mut all, mut but) = (Load::default(), Vec::new());
    let (steps, first) = steps(model, &mut work);
    let in_step = steps.iter().map(|step| step.load.messages).sum();
    let posted = steps.iter().map(|step| step.load.waiting).sum::<f64>() + waiting_of_flows(model);
    let waiting = posted * share_with_memory(model);
    let ending = steps.iter().filter(|step| !step.job.repetition.endless);
    let until = ending.map(|step| step.length * f64::from(step.job.steps)).fold(0.0, f64::max);
    for step in &steps {
        if step.job.repetition.endless {
            but.push(
                "an endless job repeats until the others have finished: as often as if none slowed another",
            );
            all.add(step.load, (until / step.length.max(1.0)).ceil().max(1.0));
            continue;
        }
        all.add(step.load, f64::from(step.job.steps));
        if step.job.repetition.precision.is_some() {
            but.push("a job ends as soon as its mean is precise enough, with fewer steps than are counted");
        }
    }
    if let Some(background) = &model.workload.background {
        let n_senders = background.senders.len();
        let end = Time::ZERO + background.settings.duration("end");
        let senders = first..first + n_senders;
        all.add(sampled(model, &mut work, senders, Until::End(end), &mut Received::new()), 1.0);
    }
    if model.workload.staged.is_some() {
        but.push("staged flows are counted as if none shared its port");
        all.add(staged(model), 1.0);
    }
    if let Some(flows) = &model.workload.finite {
        all.add(finite(model, flows), 1.0);
    }
    if model.workload.jobs.iter().any(|job| job.phases.contains(&Phase::Program)) {
        but.push("what programs supply is not counted");
    }
    if model.deadline.is_some() {
        but.push("a deadline may end the run earlier");
    }
    but.dedup();
    Ok(Cost {
        messages: all.messages.round(),
        packets: all.packets.round(),
        packet_hops: all.hops.round(),
        memory_bytes: memory(model, in_step, waiting),
        seconds: seconds(model, all),
        but,
    })
}

/// A step of a job.
struct Step<'a> {
    job: &'a Job,
    load: Load,
    /// The bytes that pass its busiest host, which sends or receives them: a measure of its time.
    length: f64,
}

/// A step of each job, and the index of the first actor after those of jobs.
fn steps<'a>(model: &'a Model, work: &mut TrainingWork) -> (Vec<Step<'a>>, usize) {
    let (mut steps, mut first) = (Vec::new(), 0);
    for job in &model.workload.jobs {
        let n_ranks = job.ranks.len();
        let mut received = Received::new();
        let found = sampled(model, work, first..first + n_ranks, Until::Step, &mut received);
        let load = whole(job, found);
        // Of what the ranks of the sample sent, as if all had sent like them.
        let of_sample: f64 = received.values().sum();
        let most = received.values().copied().fold(0.0, f64::max) * load.bytes / of_sample.max(1.0);
        steps.push(Step { job, load, length: most.max(load.bytes / n_ranks.max(1) as f64) });
        first += n_ranks;
    }
    (steps, first)
}

/// The load of a step, of which `found` may be a part.
fn whole(job: &Job, found: Load) -> Load {
    let mut whole = Load::default();
    let share = if found.is_cut { bytes_of_step(job) as f64 / found.bytes.max(1.0) } else { 1.0 };
    whole.add(found, share.max(1.0));
    whole
}

/// Bytes to each host.
type Received = BTreeMap<HostId, f64>;

/// Up to where an actor is examined.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Until {
    /// The end of its first step.
    Step,
    /// An instant, after which its messages are not counted.
    End(Time),
}

/// The messages of some actors: those of a sample, scaled to all; adds what the hosts receive of the sample's.
fn sampled(
    model: &Model,
    work: &mut TrainingWork,
    actors: Range<usize>,
    until: Until,
    received: &mut Received,
) -> Load {
    let n_actors = actors.len();
    // An odd stride: racks hold an even number of ranks, and ranks at one position in a rack do not represent all.
    let each = n_actors.div_ceil(MOST_ACTORS).max(1) | 1;
    let mut sum = Load::default();
    let mut n_seen = 0;
    for actor in actors.step_by(each) {
        sum.add(of_actor(model, work, ActorId(actor as u32), until, received), 1.0);
        n_seen += 1;
    }
    let mut all = Load::default();
    all.add(sum, n_actors as f64 / f64::from(n_seen.max(1)));
    all
}

/// The messages of an actor; adds what hosts receive of them.
fn of_actor(
    model: &Model,
    work: &mut TrainingWork,
    actor: ActorId,
    until: Until,
    received: &mut Received,
) -> Load {
    let from = work.actors()[actor.index()];
    let mut queue: VecDeque<Item> = VecDeque::new();
    let (mut found, mut now, mut start) = (Load::default(), Time::ZERO, None);
    let mut posted = 0.0;
    loop {
        work.refill(actor, &mut queue);
        if queue.is_empty() {
            return found;
        }
        for item in queue.drain(..) {
            match item.operation {
                Operation::Send(message)
                | Operation::SendWhen { message, .. }
                | Operation::SendAfter { message, .. } => {
                    let load = of_message(model, from, &message);
                    found.add(load, 1.0);
                    posted += if posts_whole(model) && message.rate.is_none() { load.packets } else { 0.0 };
                    found.waiting = found.waiting.max(posted);
                    *received.entry(message.to).or_default() += message.size.0 as f64;
                    start = start.or(Some(now));
                }
                Operation::Until(at) => (now, posted) = (at, 0.0),
                Operation::Receive { .. } | Operation::Barrier { .. } => posted = 0.0,
                Operation::Mark(Mark::StepEnds { .. }) if until == Until::Step => return found,
                _ => {}
            }
        }
        if until == Until::Step && found.messages >= MOST_MESSAGES_OF_STEP as f64 {
            return Load { is_cut: true, ..found };
        }
        if found.messages >= MOST_MESSAGES as f64
            && let Until::End(end) = until
        {
            let seen = now.since(start.unwrap_or_default()).0.max(1) as f64;
            let whole = end.since(start.unwrap_or_default()).0 as f64;
            let mut all = Load::default();
            all.add(found, (whole / seen).max(1.0));
            return all;
        }
    }
}

/// A message: its packets over a shortest path, and its ACKs.
fn of_message(model: &Model, from: HostId, message: &Message) -> Load {
    load(model, from, message.to, message.size)
}

fn load(model: &Model, from: HostId, to: HostId, size: Bytes) -> Load {
    let (packets, _) = model.transport.cut(Bytes(size.0.max(1)));
    let links = f64::from(n_links_between(model, from, to).unwrap_or(0));
    let answers = match &model.transport.kind {
        TransportKind::OpenLoop { .. } => 0.0,
        TransportKind::Window { .. } => packets as f64,
        TransportKind::Rdma(rdma) => (packets as f64 / f64::from(rdma.coalesce.max(1))).ceil(),
    };
    let hops = (packets as f64 + answers) * links;
    let (packets, bytes) = (packets as f64, size.0 as f64);
    Load { messages: 1.0, packets, hops, bytes, waiting: 0.0, is_cut: false }
}

/// Staged flows, each at the rate of its port or its own limit.
fn staged(model: &Model) -> Load {
    let mut all = Load::default();
    let Some(staged) = &model.workload.staged else { return all };
    for flow in &staged.flows {
        let port =
            model.fabric.ports_of(model.fabric.host_node(flow.source)).iter().map(|port| port.rate).max();
        let rate = flow.rate.into_iter().chain(port).min().map_or(0, |rate| rate.0);
        let bytes = rate as f64 / 8.0 * flow.stop.since(flow.start).as_seconds();
        let one = load(model, flow.source, flow.destination, staged.message);
        all.add(one, (bytes / staged.message.0.max(1) as f64).max(1.0));
    }
    all
}

/// Whether all packets of a message wait at its sender from its start on.
fn posts_whole(model: &Model) -> bool {
    matches!(model.transport.kind, TransportKind::OpenLoop { rate: None })
}

/// The share of the packets of messages posted as a whole that take memory of their own: all, or, where they wait as
/// trains at their senders, those that the leaf with the least uplinks cannot send on.
fn share_with_memory(model: &Model) -> f64 {
    if !messages_wait_as_trains(model) {
        return 1.0;
    }
    if model.queues.switch_limit.is_some() {
        return 0.0;
    }
    let fabric = &model.fabric;
    let kept_back = |switch: usize| {
        let (mut down, mut up) = (0.0, 0.0);
        for port in fabric.ports_of(NodeId(switch as u32)) {
            let is_down = fabric.is_host(fabric.port(port.peer).node);
            *(if is_down { &mut down } else { &mut up }) += port.rate.0 as f64;
        }
        if up > 0.0 { (1.0 - up / down).max(0.0) } else { 0.0 }
    };
    (fabric.n_hosts()..fabric.n_nodes()).map(kept_back).fold(0.0, f64::max)
}

/// Packets of finite flows that wait at their senders at once: the largest flow of each sender.
fn waiting_of_flows(model: &Model) -> f64 {
    let Some(finite) = model.workload.finite.as_ref().filter(|_| posts_whole(model)) else { return 0.0 };
    let each = finite.flows.len().div_ceil(MOST_FLOWS).max(1) | 1;
    let mut largest: BTreeMap<HostId, u64> = BTreeMap::new();
    for flow in finite.flows.iter().step_by(each) {
        let most = largest.entry(finite.source(flow)).or_default();
        *most = (*most).max(flow.size.0);
    }
    largest.into_values().map(|size| model.transport.cut(Bytes(size.max(1))).0 as f64).sum()
}

/// Finite flows: those of a sample, scaled to all.
fn finite(model: &Model, finite: &FiniteFlows) -> Load {
    let n_flows = finite.flows.len();
    let each = n_flows.div_ceil(MOST_FLOWS).max(1) | 1;
    let (mut sum, mut n_seen) = (Load::default(), 0);
    for flow in finite.flows.iter().step_by(each) {
        sum.add(load(model, finite.source(flow), finite.destination(flow), flow.size), 1.0);
        n_seen += 1;
    }
    let mut all = Load::default();
    all.add(sum, n_flows as f64 / f64::from(n_seen.max(1)));
    all
}

/// Instructions per packet-hop, as in the budgets.
fn instructions_per_hop(model: &Model) -> f64 {
    match &model.transport.kind {
        _ if model.queues.credits.is_some() => 1_000.0,
        TransportKind::Rdma(_) => 330.0,
        TransportKind::OpenLoop { .. } | TransportKind::Window { .. } => 200.0,
    }
}

fn seconds(model: &Model, all: Load) -> f64 {
    let ns = all.hops * instructions_per_hop(model) * NS_PER_INSTRUCTION + all.messages * NS_PER_MESSAGE;
    // A second thread, which fabrics of 1,024 hosts use, saves time only on dense traffic.
    (NS_AT_LEAST + ns) / 1e9
}

fn memory(model: &Model, in_step: f64, waiting: f64) -> f64 {
    let workload = &model.workload;
    let n_ranks: usize = workload.jobs.iter().map(|job| job.ranks.len()).sum();
    let n_senders = workload.background.as_ref().map_or(0, |background| background.senders.len());
    let senders = (n_ranks + n_senders).min(model.fabric.n_hosts()) as f64;
    let ports = model.fabric.ports().len() as f64;
    let n_finite = model.workload.finite.as_ref().map_or(0, |finite| finite.flows.len()) as f64;
    BYTES_AT_LEAST
        + ports * BYTES_PER_PORT
        + senders * BYTES_PER_SENDER
        + in_step * BYTES_PER_MESSAGE
        + waiting * BYTES_PER_WAITING_PACKET
        + n_finite * BYTES_PER_FINITE_FLOW
}
