//! The work of the hosts: jobs of steps of phases, background traffic, flows that start and stop, and finite flows.
//!
//! A description only; the catalog expands it lazily into operations.

use std::sync::Arc;

use netloom_units::{Bytes, Duration, HostId, Rate, Settings, Time};

use crate::hosts::Hosts;

/// All traffic of a run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Workload {
    /// The jobs, by number.
    pub jobs: Vec<Job>,
    /// Traffic besides the jobs.
    pub background: Option<Background>,
    /// Flows that start and stop at given times.
    pub staged: Option<StagedFlows>,
    /// Flows of one message each.
    pub finite: Option<FiniteFlows>,
    /// Costs of the messages of jobs at hosts.
    pub hosts: Hosts,
}

/// How the fabric is to handle messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FabricService {
    /// Traffic class of their packets; `None` selects that of data.
    pub class: Option<u8>,
    /// Whether packets may overtake each other.
    pub may_reorder: bool,
}

impl Default for FabricService {
    fn default() -> FabricService {
        FabricService { class: None, may_reorder: true }
    }
}

/// The kind of traffic that messages belong to: that of a job, of background traffic, or of flows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TrafficKind {
    /// The job number as messages have it ([`crate::Message::job`]).
    pub job: u16,
    /// The number of the staged flow; of finite flows their service ([`FiniteFlow::service`]); 0 of others.
    pub step: u32,
    /// Number of the kind, in the order in which kinds are named.
    pub kind: u16,
    /// Traffic class of its packets.
    pub class: u8,
    /// Whether its packets may arrive in any order.
    pub may_reorder: bool,
}

/// A job: ranks that repeat a list of phases.
#[derive(Debug, Clone, PartialEq)]
pub struct Job {
    /// The host of each rank.
    pub ranks: Vec<HostId>,
    /// Kinds of groups of ranks that collectives may name, by number.
    pub groups: Vec<RankGroups>,
    /// Largest number of times the phases are repeated.
    pub steps: u32,
    /// The phases of one step.
    pub phases: Vec<Phase>,
    /// In which stream each phase runs, and what it waits for; empty: all phases follow each other in one stream.
    pub schedule: Vec<ScheduledPhase>,
    /// When it starts.
    pub start: Time,
    /// How the fabric is to handle its messages.
    pub handling: FabricService,
    /// How it repeats its steps, and when it has run enough of them.
    pub repetition: Repetition,
}

/// The position of a phase among those that overlap: phases of one stream follow each other, and streams run
/// concurrently within a step.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ScheduledPhase {
    /// Its stream; stream 0 is the only one with barriers.
    pub stream: u16,
    /// Earlier phases of other streams that must have ended at a rank before this one begins there.
    pub after: Vec<u16>,
}

/// One kind of groups of ranks, such as those of tensor parallelism: disjoint, and not necessarily of all ranks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RankGroups {
    /// The members of each group, in the order of their positions.
    pub lists: Vec<Vec<u32>>,
}

/// How the steps of a job follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Repetition {
    /// Whether it continues until every job that is not endless has finished.
    pub endless: bool,
    /// Whether its ranks meet at a modelled barrier before each step; the barrier is not part of the step.
    pub aligned: bool,
    /// Whether its step times are measured: their mean goes into the records.
    pub measured: bool,
    /// Steps excluded from the statistics.
    pub warm_up: WarmUp,
    /// The precision of its mean step time at which it stops.
    pub precision: Option<Precision>,
    /// Steps in bursts; only for aligned jobs.
    pub bursts: Option<Bursts>,
}

/// The first steps of a job, excluded from the statistics: the larger of a number and a share.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct WarmUp {
    /// At least this number of steps.
    pub steps: u32,
    /// At least this share of all steps, rounded up.
    pub share: f64,
}

/// Required precision of the mean step time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Precision {
    /// Half of the 95 % confidence interval of the mean, over the mean.
    pub target: f64,
    /// Smallest number of counted steps.
    pub at_least: u32,
}

/// Steps repeated for a while, then a pause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bursts {
    /// Steps begin until this time has passed since the burst began.
    pub length: Duration,
    /// After that no step begins for this time.
    pub pause: Duration,
    /// Time by which a pause exceeds its nominal length.
    pub slack: Duration,
    /// Whether lengths and pauses are drawn at random, from exponential distributions with these means.
    pub exponential: bool,
}

impl WarmUp {
    /// Number of warm-up steps out of `n_steps`.
    pub fn of(&self, n_steps: u64) -> u64 {
        u64::from(self.steps).max((self.share * n_steps as f64).ceil() as u64).min(n_steps)
    }
}

impl Job {
    /// First group number of barriers before steps, by job; those of phases are below.
    pub const FIRST_STEP_BARRIER: u32 = 1 << 16;

    /// Number of ranks of each communicator of a collective: of all ranks, or of each group.
    pub fn communicator_sizes(&self, collective: &Collective) -> impl Iterator<Item = u32> {
        let groups = collective.groups.map(|kind| &self.groups[usize::from(kind)].lists);
        let world = groups.is_none().then_some(self.ranks.len() as u32);
        world.into_iter().chain(groups.into_iter().flatten().map(|list| list.len() as u32))
    }

    /// Number of ranks of the largest communicator of a bucket.
    pub fn ranks_of_bucket(&self, bucket: &Bucket) -> u32 {
        let sizes = bucket.collectives.iter().flat_map(|collective| self.communicator_sizes(collective));
        sizes.max().unwrap_or(0)
    }
}

/// One phase of a step; phases of one stream run in strict sequence per rank.
#[derive(Debug, Clone, PartialEq)]
pub enum Phase {
    /// Every rank computes for a span.
    Compute {
        /// How long.
        span: Duration,
    },
    /// Buckets of communication.
    Communicate {
        /// The buckets.
        buckets: Vec<Bucket>,
        /// Whether all buckets start together, or one after the other.
        concurrent: bool,
        /// Whether the ranks meet at a modelled barrier after each bucket (after all of them when concurrent).
        barrier: bool,
    },
    /// Messages from stage to stage, as in pipeline parallelism.
    PointToPoint(PointToPoint),
    /// Passes of microbatches over the stages of a pipeline.
    Pipeline(Pipeline),
    /// All ranks meet at a modelled barrier.
    Barrier,
    /// Operations that a program outside netloom supplies during the run.
    Program,
}

impl Phase {
    /// Number of tags of messages in a phase of a program.
    pub const TAGS_OF_PROGRAM: u64 = 1 << 32;

    /// Whether ranks may meet at a modelled barrier in it.
    pub fn has_barrier(&self) -> bool {
        match self {
            Phase::Barrier | Phase::Program => true,
            Phase::Communicate { barrier, .. } => *barrier,
            Phase::PointToPoint(what) => what.barrier,
            Phase::Compute { .. } | Phase::Pipeline(_) => false,
        }
    }
}

/// One bucket: collectives that start together at every rank.
#[derive(Debug, Clone, PartialEq)]
pub struct Bucket {
    /// The collectives of this bucket, run concurrently.
    pub collectives: Vec<Collective>,
    /// Bytes that `algbw` counts: the sum of the collectives' sizes.
    pub size: Bytes,
    /// Bytes that `busbw` counts: each size times its algorithm's bus factor, rounded to the nearest byte, summed.
    pub bus_bytes: Bytes,
}

/// One collective over all ranks of the job, or in each group of a kind.
#[derive(Debug, Clone, PartialEq)]
pub struct Collective {
    /// Number of the algorithm in the catalog's registry.
    pub algorithm: u16,
    /// The algorithm's own parameters, checked.
    pub settings: Settings,
    /// Bytes of the full vector per rank, S as nccl-tests count it.
    pub size: Bytes,
    /// Whether a rank's next send waits for the data it depends on; `false` sends all at once (Zeltser 2026).
    pub dependent: bool,
    /// The order of the ranks.
    pub order: Order,
    /// The kind of groups that it runs in, side by side; `None` is one collective of all ranks.
    pub groups: Option<u16>,
}

/// The order of the ranks in a collective.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Order {
    /// As placed.
    Rank,
    /// Shuffled anew for every collective of every step, by the run's seed.
    Shuffled,
    /// Given: the c-th collective of the job, counted over all its collectives and steps, uses list c; the lists repeat
    /// from the start.
    Given(Vec<Vec<u32>>),
}

/// Messages along a chain of stages.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "four independent yes-or-no choices, each named")]
pub struct PointToPoint {
    /// Ranks per stage; rank `i` of a stage exchanges messages with rank `i` of the next.
    pub stages: Vec<Vec<u32>>,
    /// The kind of groups with a member in each stage, if the stages are those of groups.
    pub groups: Option<u16>,
    /// Messages per pair and hop.
    pub microbatches: u32,
    /// Bytes of a message.
    pub size: Bytes,
    /// Whether messages go from the last stage to the first.
    pub backward: bool,
    /// Whether a stage sends a microbatch only after it has received it (`false` as Zeltser 2026).
    pub dependent: bool,
    /// Microbatch `m` on hop `j` starts no earlier than `(m + j) * gap` after the origin.
    pub gap: Duration,
    /// Whether the gap counts from the start of the run (as Zeltser 2026) or of the phase.
    pub gap_from_run_start: bool,
    /// Whether the ranks meet at a modelled barrier afterwards.
    pub barrier: bool,
}

/// The forward and backward passes of microbatches over the stages of a pipeline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pipeline {
    /// Ranks per stage; rank `i` of a stage exchanges messages with rank `i` of the next.
    pub stages: Vec<Vec<u32>>,
    /// The kind of groups with a member in each stage, if the stages are those of groups.
    pub groups: Option<u16>,
    /// Microbatches of a step, at most 65,536.
    pub microbatches: u32,
    /// Bytes of the activations of a microbatch between two stages, and of their gradients.
    pub size: Bytes,
    /// Time of the forward pass of a microbatch at a stage.
    pub forward: Duration,
    /// Time of the backward pass of a microbatch at a stage.
    pub backward: Duration,
    /// The order of the passes of a stage.
    pub order: PipelineOrder,
}

/// The order of the passes of a stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PipelineOrder {
    /// All forward passes, then all backward passes (`GPipe`).
    ForwardFirst,
    /// One backward pass after each forward pass, once the first microbatch comes back (1F1B).
    OneForwardOneBackward,
}

/// Traffic besides the jobs.
#[derive(Debug, Clone, PartialEq)]
pub struct Background {
    /// Number of the kind in the catalog's registry.
    pub kind: u16,
    /// The kind's own parameters, checked.
    pub settings: Settings,
    /// The hosts that send.
    pub senders: Vec<Sender>,
    /// The rack of each host, by number; racks are numbered from 0.
    pub racks: Vec<u32>,
    /// The group of each host, in a fabric of groups; empty elsewhere.
    pub groups: Vec<u32>,
    /// The size distribution, for kinds that draw sizes at random: points of a cumulative distribution.
    pub sizes: Vec<SizePoint>,
    /// Rate of each flow; only with an open-loop transport.
    pub rate: Option<Rate>,
    /// How the fabric is to handle its messages.
    pub handling: FabricService,
}

/// A host that sends background traffic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sender {
    /// The host.
    pub host: HostId,
    /// The total rate of all its NIC ports.
    pub capacity: Rate,
}

/// A point of a cumulative size distribution, which is linear between two points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SizePoint {
    /// A size.
    pub size: Bytes,
    /// Share of messages that are not larger, from 0 to 1.
    pub share: f64,
}

/// Flows that start and stop at given times, and the stages in which they are measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StagedFlows {
    /// The flows, by number.
    pub flows: Vec<StagedFlow>,
    /// The stages, in order of time; none begins before the one before it ends.
    pub stages: Vec<Stage>,
    /// Bytes of each message of a flow.
    pub message: Bytes,
    /// When the next message of a flow is posted.
    pub posting: Posting,
}

/// A stream of messages between two hosts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StagedFlow {
    /// Sender.
    pub source: HostId,
    /// Receiver.
    pub destination: HostId,
    /// When its first message is posted.
    pub start: Time,
    /// No message is posted at or after this instant.
    pub stop: Time,
    /// Largest sending rate; with clocked posting the sending rate.
    pub rate: Option<Rate>,
    /// How the fabric is to handle its messages.
    pub handling: FabricService,
}

/// When the next message of a flow is posted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Posting {
    /// While fewer than `posted` of the flow's messages are unacknowledged.
    Acknowledged {
        /// That number.
        posted: u32,
    },
    /// When the messages before it have left at the flow's rate: for transports without acknowledgements.
    Clocked,
}

/// A span of time over which flows are measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stage {
    /// When it begins.
    pub start: Time,
    /// When flows are assumed to have converged: the measured part begins here.
    pub measured_from: Time,
    /// When it ends.
    pub end: Time,
}

impl Stage {
    /// Whether a flow is to send in the measured part.
    pub fn judges(&self, flow: &StagedFlow) -> bool {
        flow.start < self.end && flow.stop > self.measured_from
    }
}

/// Flows of one message each, with their start times or what they wait for.
///
/// There may be millions: the flows are shared, never copied, and their ends are numbers into a list.
#[derive(Debug, Clone, PartialEq)]
pub struct FiniteFlows {
    /// The flows, by number; each comes after the one that it waits for.
    pub flows: Arc<Vec<FiniteFlow>>,
    /// The hosts that flows name.
    pub ends: Vec<HostId>,
    /// How the fabric is to handle messages, by service.
    pub services: Vec<FabricService>,
    /// The highest total rate of a host: no message leaves faster.
    pub fastest: Rate,
}

/// One message from a host to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FiniteFlow {
    /// When it starts: after the start of the run, or after the flow that it waits for has completed.
    pub start: Duration,
    /// Its size.
    pub size: Bytes,
    /// The sender, as an index into [`FiniteFlows::ends`].
    pub source: u32,
    /// The receiver, likewise.
    pub destination: u32,
    /// The number of the flow that it waits for, or [`FiniteFlow::NONE`].
    pub after: u32,
    /// Index into [`FiniteFlows::services`].
    pub service: u16,
}

/// Where it becomes known that a flow has completed, for the one that waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KnownAt {
    /// At its receiver, when its last byte arrives.
    Destination,
    /// At its sender, when all of it is acknowledged.
    Source,
}

impl FiniteFlow {
    /// It waits for no other flow.
    pub const NONE: u32 = u32::MAX;

    /// The number of the flow that it waits for.
    pub fn waits_for(&self) -> Option<u32> {
        (self.after != FiniteFlow::NONE).then_some(self.after)
    }
}

impl FiniteFlows {
    /// The sender of a flow.
    pub fn source(&self, flow: &FiniteFlow) -> HostId {
        self.ends[flow.source as usize]
    }

    /// The receiver of a flow.
    pub fn destination(&self, flow: &FiniteFlow) -> HostId {
        self.ends[flow.destination as usize]
    }

    /// How the sender of a flow knows that the one before it has completed; `None` if it is at neither end of that one.
    pub fn known_at(&self, flow: &FiniteFlow, before: &FiniteFlow) -> Option<KnownAt> {
        let here = self.source(flow);
        if here == self.destination(before) {
            return Some(KnownAt::Destination);
        }
        (here == self.source(before)).then_some(KnownAt::Source)
    }
}
