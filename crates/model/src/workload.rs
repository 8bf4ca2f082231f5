//! What the hosts have to do: jobs of steps of phases, background traffic, and flows that start and stop.
//!
//! Plain description; the catalog expands it lazily into operations.

use netloom_units::{Bytes, Duration, HostId, Rate, Settings, Time};

use crate::hosts::Hosts;

/// All traffic of a run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Workload {
    /// The jobs, by number.
    pub jobs: Vec<Job>,
    /// Traffic beside the jobs.
    pub background: Option<Background>,
    /// Flows that start and stop at given times.
    pub staged: Option<StagedFlows>,
    /// What hosts take for the messages of jobs.
    pub hosts: Hosts,
}

/// What messages ask of the fabric.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Handling {
    /// The traffic class of their packets; `None` is that of data.
    pub class: Option<u8>,
    /// Whether packets may overtake each other.
    pub may_reorder: bool,
}

impl Default for Handling {
    fn default() -> Handling {
        Handling { class: None, may_reorder: true }
    }
}

/// Which kind of traffic messages are: those of a job, of background traffic, or of a staged flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KindOf {
    /// The job number as messages have it ([`crate::Message::job`]).
    pub job: u16,
    /// The number of the staged flow; 0 of others.
    pub step: u32,
    /// The kind, by the order in which they are named.
    pub kind: u16,
    /// The class its packets travel in.
    pub class: u8,
    /// Whether its packets may arrive in any order.
    pub may_reorder: bool,
}

/// A job: ranks that repeat a list of phases.
#[derive(Debug, Clone, PartialEq)]
pub struct Job {
    /// The host of each rank.
    pub ranks: Vec<HostId>,
    /// How many times the phases are repeated, at most.
    pub steps: u32,
    /// One step.
    pub phases: Vec<Phase>,
    /// When it starts.
    pub start: Time,
    /// What its messages ask of the fabric.
    pub handling: Handling,
    /// When it repeats its steps, and when it has done enough of them.
    pub repetition: Repetition,
}

/// How the steps of a job follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Repetition {
    /// Whether it goes on until every job that is not endless has finished.
    pub endless: bool,
    /// Whether its ranks meet at a modelled barrier before each step, which is no part of the step.
    pub aligned: bool,
    /// Whether its step times are measured: their mean goes into the records.
    pub measured: bool,
    /// Steps that are not counted, as a share of all and at least so many.
    pub warm_up: WarmUp,
    /// When its mean step time is known well enough to stop.
    pub precision: Option<Precision>,
    /// Steps in bursts; only of aligned jobs.
    pub bursts: Option<Bursts>,
}

/// The first steps of a job, which do not count.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct WarmUp {
    /// So many steps.
    pub steps: u32,
    /// And this share of all steps, rounded up.
    pub share: f64,
}

/// How well the mean step time is to be known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Precision {
    /// Half of the 95 % interval of the mean, over the mean.
    pub target: f64,
    /// The fewest steps that are counted.
    pub at_least: u32,
}

/// Steps repeated for a while, then a pause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bursts {
    /// Steps begin until this has passed since the burst began.
    pub length: Duration,
    /// Then nothing is begun for so long.
    pub pause: Duration,
    /// What a pause takes longer than it is meant to.
    pub slack: Duration,
    /// Whether lengths and pauses are drawn, from exponential distributions with these means.
    pub exponential: bool,
}

impl WarmUp {
    /// Steps that do not count, of so many.
    pub fn of(&self, n_steps: u64) -> u64 {
        u64::from(self.steps).max((self.share * n_steps as f64).ceil() as u64).min(n_steps)
    }
}

impl Job {
    /// Barriers before steps have groups from here on, by job; those of phases are below.
    pub const GATES: u32 = 1 << 16;
}

/// One phase of a step; phases run in strict sequence per rank.
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
    /// All ranks meet at a modelled barrier.
    Barrier,
}

/// One bucket: collectives that start together at every rank.
#[derive(Debug, Clone, PartialEq)]
pub struct Bucket {
    /// The collectives of this bucket, side by side.
    pub collectives: Vec<Collective>,
    /// Bytes that `algbw` counts: the sum of the collectives' sizes.
    pub size: Bytes,
    /// Bytes that `busbw` counts: each size times its algorithm's bus factor, rounded to the nearest byte, summed.
    pub bus_bytes: Bytes,
}

/// One collective over all ranks of the job.
#[derive(Debug, Clone, PartialEq)]
pub struct Collective {
    /// Number of the algorithm in the catalog's registry.
    pub algorithm: u16,
    /// The algorithm's own parameters, checked.
    pub settings: Settings,
    /// Bytes of the full vector per rank, S as nccl-tests count it.
    pub size: Bytes,
    /// Whether a rank's next send waits for what it depends on; `false` sends all at once (seed 000).
    pub dependent: bool,
    /// The order of the ranks.
    pub order: Order,
}

/// The order of the ranks in a collective.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Order {
    /// As placed.
    Rank,
    /// Shuffled anew for every collective of every step, by the run's seed.
    Shuffled,
    /// Given: the c-th collective that the job meets, counted over all its collectives and steps, takes list c; the lists
    /// repeat from the start.
    Given(Vec<Vec<u32>>),
}

/// Messages along a chain of stages.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "four independent yes-or-no choices, each named")]
pub struct PointToPoint {
    /// Ranks per stage; rank `i` of a stage talks to rank `i` of the next.
    pub stages: Vec<Vec<u32>>,
    /// Messages per pair and hop.
    pub microbatches: u32,
    /// Bytes of a message.
    pub size: Bytes,
    /// Whether messages go from the last stage to the first.
    pub backward: bool,
    /// Whether a stage sends a microbatch only after it has received it (`false` as seed 000).
    pub dependent: bool,
    /// Microbatch `m` on hop `j` starts no earlier than `(m + j) * gap` after the origin.
    pub gap: Duration,
    /// Whether the gap counts from the start of the run (as seed 000) or of the phase.
    pub gap_from_run_start: bool,
    /// Whether the ranks meet at a modelled barrier afterwards.
    pub barrier: bool,
}

/// Traffic beside the jobs.
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
    /// How sizes are distributed, for kinds that draw them: the points of a cumulative distribution.
    pub sizes: Vec<SizePoint>,
    /// Pace of each flow; only with a transport in open loop.
    pub rate: Option<Rate>,
    /// What its messages ask of the fabric.
    pub handling: Handling,
}

/// A host that sends background traffic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sender {
    /// The host.
    pub host: HostId,
    /// The rate of all its NIC ports together.
    pub capacity: Rate,
}

/// A point of a cumulative distribution of sizes; between two points it is a straight line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SizePoint {
    /// A size.
    pub size: Bytes,
    /// The share of messages that are not larger, from 0 to 1.
    pub share: f64,
}

/// Flows that start and stop at given times, and the stages in which they are judged.
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
    /// No message is posted at this instant or later.
    pub stop: Time,
    /// What it sends at most; by the clock, what it sends.
    pub rate: Option<Rate>,
    /// What its messages ask of the fabric.
    pub handling: Handling,
}

/// When the next message of a flow is posted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Posting {
    /// While fewer than so many of the flow's messages are unacknowledged.
    Acknowledged {
        /// How many.
        posted: u32,
    },
    /// When those before it have left at the flow's rate: for transports to which nothing comes back.
    Clocked,
}

/// A span of time over which flows are judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stage {
    /// When it begins.
    pub start: Time,
    /// When flows are taken to have settled: what they do from here on counts.
    pub judged: Time,
    /// When it ends.
    pub end: Time,
}

impl Stage {
    /// Whether a flow is to send in the part that is judged.
    pub fn judges(&self, flow: &StagedFlow) -> bool {
        flow.start < self.end && flow.stop > self.judged
    }
}
