//! One step of a job as a flat list of segments for each stream of phases, shared by all ranks and all steps.
//!
//! Models: the order of phases and buckets; the assignment of collectives to streams, and of tags.
//! Leaves out: ranks, steps and operations; those are generated on demand.
//!
//! Invariants: anything that cannot be expanded is rejected here; afterwards nothing can fail. Every collective and
//! every point-to-point phase of every step has a range of tags of its own.

use std::borrow::Cow;

use netloom_model::{Collective, FabricService, Hosts, Item, Job, Order, Phase, Repetition};
use netloom_units::{Duration, HostId, Rate, Time};

use super::collective::{Plan, SPECS, Step, channels};
use super::communicators::{Communicators, Membership};
use super::error::WorkloadError;
use super::pipeline::PipelinePlan;
use super::schedule::{Schedule, Signal};
use super::stages::Stages;

/// The reason why a collective has no communicators.
const NO_GROUPS: &str = "there are no such groups";
/// Most operations of steps in which a rank waits for nothing: the engine ends runs with more at one instant.
const MOST_OPERATIONS_AT_ONE_INSTANT: u64 = 500_000;

/// A compiled job.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) job: u16,
    /// The actor of rank 0; the others follow.
    pub(super) first_actor: u32,
    pub(super) hosts: Vec<HostId>,
    pub(super) start: Time,
    pub(super) steps: u32,
    /// How the fabric is to handle its messages.
    pub(super) handling: FabricService,
    pub(super) repetition: Repetition,
    /// Costs of messages at its hosts; `None` if there are none.
    pub(super) costs: Option<Hosts>,
    /// Rate between ranks of one host; `None` if every rank has a host of its own.
    pub(super) local: Option<Rate>,
    /// Whether a program supplies operations of it.
    pub(super) is_supplied: bool,
    /// Phases that follow each other; the first stream begins and ends steps.
    pub(super) streams: Vec<PhaseStream>,
    pub(super) collectives: Vec<Planned>,
    /// All ranks, and then the groups of each kind.
    pub(super) communicators: Vec<Communicators>,
    /// Largest number of orders of ranks in use in a segment.
    pub(super) most_orders: usize,
    tags: Tags,
}

/// Phases that follow each other.
#[derive(Debug, Default)]
pub(super) struct PhaseStream {
    pub(super) segments: Vec<Segment>,
    /// The first of its streams of operations.
    pub(super) first: usize,
    /// What its further streams of operations wait for, where phases overlap.
    pub(super) forks: Vec<Signal>,
    /// What the first one waits for until the others have ended.
    pub(super) join: Signal,
}

/// The next activity of every rank.
#[derive(Debug)]
pub(super) enum Segment {
    /// Send a signal to another stream of phases.
    Notify(Signal),
    /// Wait for one.
    Await(Signal),
    Compute(Duration),
    Begins(Part),
    Ends(Part),
    /// Collectives, stream by stream; all streams end before the next segment.
    Streams(Vec<CollectiveStream>),
    Stages(Box<Stages>),
    Pipeline(Box<PipelinePlan>),
    /// Operations that a program supplies, with the index of the phase among all that take tags in a step.
    Supplied {
        phase: u16,
        sequence: u64,
    },
    Barrier,
}

/// An activity that begins and ends at a rank, besides whole steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// A phase, or the part of it between two barriers.
    Phase(u16),
    /// A barrier of a phase.
    Barrier(u16),
    /// The computing of a microbatch of a phase.
    Microbatch(u16, u16),
    Bucket(BucketId),
}

/// Collectives that share a stream: one, or several that do all their sends before their first wait.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CollectiveStream {
    /// Indices into [`Program::collectives`].
    pub(super) collectives: Vec<usize>,
    /// The bucket that ends with this stream.
    pub(super) ends: Option<BucketId>,
}

/// A bucket within a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BucketId {
    pub(super) phase: u16,
    pub(super) bucket: u16,
}

/// A collective with its plan.
#[derive(Debug)]
pub(super) struct Planned {
    pub(super) bucket: BucketId,
    /// Its index in the bucket.
    pub(super) number: u32,
    /// Its index among all that take tags in a step.
    pub(super) sequence: u64,
    /// Its index among the collectives of a step.
    pub(super) ordinal: u64,
    pub(super) order: Order,
    /// Index of its communicators in [`Program::communicators`].
    pub(super) communicators: usize,
    /// A plan for each size of these.
    pub(super) plans: Vec<Plan>,
}

#[derive(Debug, Default)]
struct Tags {
    /// The tag of the first signal.
    signals: u64,
    /// The first tag behind those of signals.
    first: u64,
    /// Number of tags of one collective or point-to-point phase.
    stride: u64,
    /// Number of these in a step.
    per_step: u64,
}

impl Program {
    /// The first tag of a collective or point-to-point phase in a step.
    pub(super) fn first_tag(&self, step: u32, sequence: u64) -> u64 {
        self.tags.first + (u64::from(step) * self.tags.per_step + sequence) * self.tags.stride
    }

    /// The tag of a signal.
    pub(super) fn signal_tag(&self, signal: Signal) -> u64 {
        self.tags.signals + u64::from(signal)
    }

    /// Number of signals.
    pub(super) fn n_signals(&self) -> usize {
        (self.tags.first - self.tags.signals) as usize
    }

    /// Whether phases overlap.
    pub(super) fn overlaps(&self) -> bool {
        self.streams.len() > 1
    }

    pub(super) fn n_ranks(&self) -> u32 {
        self.hosts.len() as u32
    }

    /// The membership of a rank in a collective; `None` if it takes no part.
    pub(super) fn membership(&self, planned: &Planned, rank: u32) -> Option<Membership> {
        self.communicators[planned.communicators].membership(rank)
    }

    /// The first tag that later jobs may use.
    pub(super) fn end_of_tags(&self) -> Option<u64> {
        let Tags { first, stride, per_step, .. } = self.tags;
        let end = u64::from(self.steps).checked_mul(per_step)?.checked_mul(stride)?.checked_add(first)?;
        // The highest bit distinguishes the tags of completions.
        (end <= 1 << 63).then_some(end)
    }

    /// Compiles a job whose first rank is `first_actor` and whose first tag is `first_tag`.
    pub(super) fn new(
        number: usize,
        job: &Job,
        hosts: Hosts,
        (first_actor, first_tag): (u32, u64),
    ) -> Result<Program, WorkloadError> {
        if job.ranks.is_empty() {
            return Err(WorkloadError::NoRanks { job: number });
        }
        let communicators = communicators(number, job)?;
        within("phases", job.phases.len())?;
        let mut compiler = Compiler::new(number, communicators, hosts, schedule(number, job)?);
        compiler.begin_step();
        for (phase, what) in job.phases.iter().enumerate() {
            compiler.scheduled(phase as u16, what)?;
        }
        compiler.end_step();
        compiler.assign_streams(job)?;
        let signals = compiler.schedule.n_signals();
        let first = first_tag.checked_add(signals.into()).ok_or(WorkloadError::TooManyTags)?;
        let tags =
            Tags { signals: first_tag, first, stride: compiler.stride, per_step: compiler.n_sequences };
        let program = Program {
            job: number as u16,
            first_actor,
            hosts: job.ranks.clone(),
            start: job.start,
            steps: job.steps,
            handling: job.handling,
            repetition: job.repetition,
            costs: (!hosts.is_idle()).then_some(hosts),
            local: local_rate(number, job, hosts)?,
            is_supplied: job.phases.contains(&Phase::Program),
            most_orders: compiler.most_orders(),
            streams: compiler.streams,
            collectives: compiler.collectives,
            communicators: compiler.communicators,
            tags,
        };
        let are_many = job.repetition.endless || program.n_operations() > MOST_OPERATIONS_AT_ONE_INSTANT;
        if are_many && !job.repetition.aligned {
            program.check_waits(job.repetition.endless)?;
        }
        Ok(program)
    }

    /// About how many operations of a rank all steps have, messages aside.
    fn n_operations(&self) -> u64 {
        // The marks at the ends of a step.
        let of_step = 2 + self.streams.iter().map(|stream| stream.segments.len()).sum::<usize>();
        u64::from(self.steps).saturating_mul(of_step as u64)
    }

    /// Rejects steps in which some rank waits for nothing: it would run all of them at one instant. Operations from
    /// outside may wait, but cannot be relied on to end endless steps.
    fn check_waits(&self, are_endless: bool) -> Result<(), WorkloadError> {
        let waits = |segment: &Segment, rank: u32| match segment {
            Segment::Compute(span) => span.0 > 0,
            Segment::Barrier => true,
            Segment::Streams(_) => self.collectives.iter().any(|planned| self.waits(planned, rank)),
            Segment::Pipeline(plan) => plan.takes_time(rank),
            Segment::Supplied { .. } | Segment::Stages(_) => !are_endless,
            // The stream that notifies may itself wait for nothing.
            Segment::Notify(_) | Segment::Await(_) | Segment::Begins(_) | Segment::Ends(_) => false,
        };
        let segments = || self.streams.iter().flat_map(|stream| &stream.segments);
        let is_idle = |rank: &u32| !segments().any(|segment| waits(segment, *rank));
        match (0..self.n_ranks()).find(is_idle) {
            Some(rank) => Err(WorkloadError::NeverWaits { job: self.job.into(), rank }),
            None => Ok(()),
        }
    }

    /// Whether a rank waits in a collective, even if only for its own messages.
    fn waits(&self, planned: &Planned, rank: u32) -> bool {
        let Some(member) = self.membership(planned, rank) else { return false };
        let plan = &planned.plans[member.size_index];
        let mut steps = (0..).map_while(|index| plan.operation(member.position, index));
        steps.any(|step| match step {
            Step::Receive { .. } => true,
            Step::Send { bytes, .. } => self.costs.is_some_and(|hosts| hosts.grants(bytes)),
            Step::Nothing => false,
        })
    }
}

/// The rate between ranks of one host, if there are such ranks.
fn local_rate(number: usize, job: &Job, hosts: Hosts) -> Result<Option<Rate>, WorkloadError> {
    let mut sorted = job.ranks.clone();
    sorted.sort_unstable();
    let Some(two) = sorted.windows(2).find(|two| two[0] == two[1]) else { return Ok(None) };
    hosts.local.map(Some).ok_or(WorkloadError::NoLocalRate { job: number, host: two[0] })
}

/// The schedule of the phases of a job.
fn schedule(number: usize, job: &Job) -> Result<Schedule, WorkloadError> {
    Schedule::new(number, &job.schedule, job.phases.len())
}

/// All ranks of a job, and then its groups of each kind.
fn communicators(number: usize, job: &Job) -> Result<Vec<Communicators>, WorkloadError> {
    let n_ranks = job.ranks.len() as u32;
    let listed = job.groups.iter().map(|groups| Communicators::new(groups, n_ranks));
    let wrong = |reason| WorkloadError::Groups { job: number, reason };
    std::iter::once(Ok(Communicators::World { n_ranks }))
        .chain(listed)
        .collect::<Result<_, _>>()
        .map_err(wrong)
}

/// Rejects more than a 16-bit number can distinguish.
fn within(what: &'static str, count: usize) -> Result<(), WorkloadError> {
    let limit = usize::from(u16::MAX);
    if count <= limit { Ok(()) } else { Err(WorkloadError::TooMany { what, count, limit }) }
}

/// A program under construction.
struct Compiler {
    job: usize,
    communicators: Vec<Communicators>,
    hosts: Hosts,
    schedule: Schedule,
    streams: Vec<PhaseStream>,
    /// Those of the current phase.
    segments: Vec<Segment>,
    collectives: Vec<Planned>,
    stride: u64,
    n_sequences: u64,
}

impl Compiler {
    fn new(job: usize, communicators: Vec<Communicators>, hosts: Hosts, schedule: Schedule) -> Compiler {
        let streams = (0..schedule.n_streams()).map(|_| PhaseStream::default()).collect();
        let (segments, collectives) = (Vec::new(), Vec::new());
        let (stride, n_sequences) = (1, 0);
        Compiler { job, communicators, hosts, schedule, streams, segments, collectives, stride, n_sequences }
    }

    /// Lets all streams of phases wait for the first one.
    fn begin_step(&mut self) {
        for (number, &[begin, _]) in (1..).zip(&self.schedule.steps) {
            self.streams[0].segments.push(Segment::Notify(begin));
            self.streams[number].segments.push(Segment::Await(begin));
        }
    }

    /// Lets the first stream of phases wait for all others.
    fn end_step(&mut self) {
        for (number, &[_, end]) in (1..).zip(&self.schedule.steps) {
            self.streams[number].segments.push(Segment::Notify(end));
            self.streams[0].segments.push(Segment::Await(end));
        }
    }

    /// Appends a phase to its stream, with the signals before and behind it.
    fn scheduled(&mut self, number: u16, phase: &Phase) -> Result<(), WorkloadError> {
        let index = usize::from(number);
        let stream = self.schedule.stream_of(index);
        if stream > 0 && phase.has_barrier() {
            let reason = String::from("only phases of the first stream may have a barrier");
            return Err(WorkloadError::Schedule { job: self.job, phase: index, reason });
        }
        self.phase(number, phase)?;
        let signals = |all: &[Vec<Signal>]| all.get(index).cloned().unwrap_or_default().into_iter();
        let segments = &mut self.streams[stream].segments;
        segments.extend(signals(&self.schedule.before).map(Segment::Await));
        segments.append(&mut self.segments);
        segments.extend(signals(&self.schedule.behind).map(Segment::Notify));
        Ok(())
    }

    /// Assigns streams of operations to the streams of phases: as many as their widest phase has.
    fn assign_streams(&mut self, job: &Job) -> Result<(), WorkloadError> {
        if !self.schedule.overlaps() {
            return Ok(());
        }
        let mut first = 0;
        for stream in &mut self.streams {
            let too_many = || WorkloadError::TooManyWaits { job: self.job, phase: job.phases.len() - 1 };
            stream.first = first;
            let width = stream.segments.iter().map(Segment::n_streams).max().unwrap_or(1);
            for _ in 1..width {
                stream.forks.push(self.schedule.signal().ok_or_else(too_many)?);
            }
            stream.join = self.schedule.signal().ok_or_else(too_many)?;
            first += width;
        }
        if first > Item::STREAMS {
            let (phase, limit) = (job.phases.len() - 1, Item::STREAMS);
            return Err(WorkloadError::TooManyStreams { job: self.job, phase, wanted: first, limit });
        }
        Ok(())
    }

    /// Largest number of orders of ranks in use at a time.
    fn most_orders(&self) -> usize {
        let of_stream = |stream: &PhaseStream| {
            let collectives = stream.segments.iter().filter_map(|segment| match segment {
                Segment::Streams(streams) => Some(self.n_orders(streams)),
                _ => None,
            });
            collectives.max().unwrap_or(0)
        };
        self.streams.iter().map(of_stream).sum()
    }

    /// The number of all ranks.
    fn n_ranks(&self) -> usize {
        self.communicators[0].sizes()[0] as usize
    }

    fn phase(&mut self, number: u16, phase: &Phase) -> Result<(), WorkloadError> {
        match phase {
            Phase::Compute { span } => {
                self.segments.extend([begins(number), Segment::Compute(*span), ends(number)]);
            }
            Phase::Barrier => self.barrier(number),
            Phase::Program => {
                if self.hosts.needs_sources() {
                    let reason = of_whom("the operations of a program");
                    return Err(WorkloadError::Stages { job: self.job, phase: number.into(), reason });
                }
                let supplied = Segment::Supplied { phase: number, sequence: self.n_sequences };
                self.take_tags(Phase::TAGS_OF_PROGRAM);
                self.segments.extend([begins(number), supplied, ends(number)]);
            }
            Phase::PointToPoint(what) => {
                let wrong = |reason| WorkloadError::Stages { job: self.job, phase: number.into(), reason };
                if self.hosts.needs_sources() {
                    return Err(wrong(of_whom("messages along stages")));
                }
                let stages = Stages::new(what, number, self.n_sequences, self.n_ranks()).map_err(wrong)?;
                self.take_tags(stages.n_tags());
                let stages = Segment::Stages(Box::new(stages));
                self.segments.extend([begins(number), stages, ends(number)]);
                if what.barrier {
                    self.barrier(number);
                }
            }
            Phase::Pipeline(what) => {
                let wrong = |reason| WorkloadError::Stages { job: self.job, phase: number.into(), reason };
                if self.hosts.needs_sources() {
                    return Err(wrong(of_whom("messages along stages")));
                }
                let plan =
                    PipelinePlan::new(what, number, self.n_sequences, self.n_ranks()).map_err(wrong)?;
                self.take_tags(plan.n_tags());
                self.segments.extend([begins(number), Segment::Pipeline(Box::new(plan)), ends(number)]);
            }
            Phase::Communicate { buckets, concurrent, barrier } => {
                within("buckets", buckets.len())?;
                let together = if *concurrent { buckets.len().max(1) } else { 1 };
                // Without barriers the whole phase is one interval of communication.
                let n_rounds = buckets.len().div_ceil(together);
                for (round, group) in buckets.chunks(together).enumerate() {
                    if round == 0 || *barrier {
                        self.segments.push(begins(number));
                    }
                    let collectives = group.iter().map(|bucket| bucket.collectives.as_slice());
                    self.side_by_side(number, (round * together) as u16, collectives)?;
                    if round + 1 == n_rounds || *barrier {
                        self.segments.push(ends(number));
                    }
                    if *barrier {
                        self.barrier(number);
                    }
                }
            }
        }
        Ok(())
    }

    /// A barrier of all ranks.
    fn barrier(&mut self, phase: u16) {
        let part = Part::Barrier(phase);
        self.segments.extend([Segment::Begins(part), Segment::Barrier, Segment::Ends(part)]);
    }

    /// Buckets that start together, the first of them with number `first`.
    fn side_by_side<'a>(
        &mut self,
        phase: u16,
        first: u16,
        buckets: impl Iterator<Item = &'a [Collective]>,
    ) -> Result<(), WorkloadError> {
        let mut streams = Vec::new();
        let mut begun = Vec::new();
        let mut open = Vec::new();
        for (position, collectives) in (0_u16..).zip(buckets) {
            let id = BucketId { phase, bucket: first + position };
            let mut own = self.streams_of(id, collectives)?;
            if let [only] = own.as_mut_slice() {
                only.ends = Some(id);
            } else {
                open.push(id);
            }
            begun.push(id);
            streams.append(&mut own);
        }
        if streams.len() > Item::STREAMS {
            let (wanted, limit) = (streams.len(), Item::STREAMS);
            return Err(WorkloadError::TooManyStreams { job: self.job, phase: phase.into(), wanted, limit });
        }
        self.segments.extend(begun.into_iter().map(|id| Segment::Begins(Part::Bucket(id))));
        if !streams.is_empty() {
            self.segments.push(Segment::Streams(streams));
        }
        self.segments.extend(open.into_iter().map(|id| Segment::Ends(Part::Bucket(id))));
        Ok(())
    }

    /// Assigns the collectives of a bucket to streams: all that send before they wait to the first one, each of the
    /// others to a stream of its own.
    fn streams_of(
        &mut self,
        bucket: BucketId,
        all: &[Collective],
    ) -> Result<Vec<CollectiveStream>, WorkloadError> {
        let mut shared = CollectiveStream { collectives: Vec::new(), ends: None };
        let mut alone = Vec::new();
        let all: Result<Vec<_>, _> = all.iter().map(|each| self.channels(bucket, each)).collect();
        for (number, collective) in (0_u32..).zip(all?.iter().flat_map(|channels| channels.iter())) {
            let position = self.collectives.len();
            let planned = self.plan(bucket, number, collective)?;
            if planned.plans.iter().all(Plan::sends_first) {
                shared.collectives.push(position);
            } else {
                alone.push(CollectiveStream { collectives: vec![position], ends: None });
            }
            self.collectives.push(planned);
        }
        if !shared.collectives.is_empty() {
            alone.insert(0, shared);
        }
        Ok(alone)
    }

    /// The channels of a collective.
    fn channels<'a>(
        &self,
        bucket: BucketId,
        collective: &'a Collective,
    ) -> Result<Cow<'a, [Collective]>, WorkloadError> {
        let wrong = |reason| WorkloadError::Collective { job: self.job, phase: bucket.phase.into(), reason };
        let sizes = self.communicators_of(collective).ok_or_else(|| wrong(NO_GROUPS.to_owned()))?.1.sizes();
        let channels = channels(collective, sizes).map_err(wrong)?;
        Ok(channels.map_or_else(|| Cow::Borrowed(std::slice::from_ref(collective)), Cow::Owned))
    }

    /// The communicators of a collective, with their index.
    fn communicators_of(&self, collective: &Collective) -> Option<(usize, &Communicators)> {
        let index = collective.groups.map_or(0, |kind| usize::from(kind) + 1);
        Some((index, self.communicators.get(index)?))
    }

    fn plan(
        &mut self,
        bucket: BucketId,
        number: u32,
        collective: &Collective,
    ) -> Result<Planned, WorkloadError> {
        let wrong = |reason| WorkloadError::Collective { job: self.job, phase: bucket.phase.into(), reason };
        let found = self.communicators_of(collective);
        let (communicators, groups) = found.ok_or_else(|| wrong(NO_GROUPS.to_owned()))?;
        let sizes = groups.sizes();
        self.check_order(bucket, &collective.order, sizes)?;
        let plans: Result<Vec<Plan>, String> =
            sizes.iter().map(|&n_ranks| Plan::new(collective, n_ranks)).collect();
        let plans = plans.map_err(wrong)?;
        if self.hosts.needs_sources() && !plans.iter().all(Plan::lists_receives) {
            let name = SPECS[usize::from(collective.algorithm)].name;
            let how = if collective.dependent { "" } else { " with `dependent: false`" };
            return Err(wrong(of_whom(&format!("`{name}`{how}"))));
        }
        let sequence = self.n_sequences;
        let grants = if self.hosts.rendezvous.is_some() { self.n_ranks() as u64 } else { 0 };
        let n_tags = plans.iter().map(Plan::n_tags).max().unwrap_or(0);
        self.take_tags(n_tags.saturating_mul(1 + grants));
        let (ordinal, order) = (self.collectives.len() as u64, collective.order.clone());
        Ok(Planned { bucket, number, sequence, ordinal, order, communicators, plans })
    }

    /// Checks that given orders are permutations of the ranks of a communicator.
    fn check_order(&self, bucket: BucketId, order: &Order, sizes: &[u32]) -> Result<(), WorkloadError> {
        let Order::Given(lists) = order else { return Ok(()) };
        let is_order = |list: &Vec<u32>| sizes.iter().all(|&size| is_permutation(list, size as usize));
        if !lists.is_empty() && lists.iter().all(is_order) {
            return Ok(());
        }
        let n_ranks = sizes.iter().copied().max().unwrap_or(0) as usize;
        Err(WorkloadError::Order { job: self.job, phase: bucket.phase.into(), n_ranks })
    }

    /// Number of orders of ranks in use on these streams: one for each collective and group.
    fn n_orders(&self, streams: &[CollectiveStream]) -> usize {
        let of = |&number: &usize| self.communicators[self.collectives[number].communicators].n_groups();
        streams.iter().flat_map(|stream| &stream.collectives).map(of).sum()
    }

    fn take_tags(&mut self, n_tags: u64) {
        self.n_sequences += 1;
        self.stride = self.stride.max(n_tags);
    }
}

impl Segment {
    /// Number of streams of operations.
    fn n_streams(&self) -> usize {
        match self {
            Segment::Streams(streams) => streams.len(),
            _ => 1,
        }
    }
}

fn begins(phase: u16) -> Segment {
    Segment::Begins(Part::Phase(phase))
}

fn ends(phase: u16) -> Segment {
    Segment::Ends(Part::Phase(phase))
}

/// The reason why ranks cannot grant, add or copy.
fn of_whom(what: &str) -> String {
    format!(
        "{what}: the sender of a message is unknown at its receiver, but `rendezvous`, `reduction` and \
         `copy` of `hosts` need it"
    )
}

fn is_permutation(list: &[u32], n: usize) -> bool {
    let mut sorted = list.to_vec();
    sorted.sort_unstable();
    sorted.into_iter().eq(0..n as u32)
}
