//! One step of a job as a flat list of segments, shared by all ranks and all steps.
//!
//! Models: the order of phases and buckets; the assignment of collectives to streams, and of tags.
//! Leaves out: ranks, steps and operations; those are generated on demand.
//!
//! Invariants: anything that cannot be expanded is rejected here; afterwards nothing can fail. Every collective and
//! every point-to-point phase of every step has a range of tags of its own.

use netloom_model::{Collective, FabricService, Hosts, Item, Job, Order, Phase, Repetition};
use netloom_units::{Duration, HostId, Time};

use super::collective::{Plan, SPECS, Step};
use super::error::WorkloadError;
use super::stages::Stages;

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
    pub(super) segments: Vec<Segment>,
    pub(super) collectives: Vec<Planned>,
    /// Largest number of collectives in a segment.
    pub(super) most_collectives: usize,
    tags: Tags,
}

/// The next activity of every rank.
#[derive(Debug)]
pub(super) enum Segment {
    Compute(Duration),
    Begins(Part),
    Ends(Part),
    /// Collectives, stream by stream; all streams end before the next segment.
    Streams(Vec<CollectiveStream>),
    Stages(Box<Stages>),
    Barrier,
}

/// An activity that begins and ends at a rank, besides whole steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// A phase, or the part of it between two barriers.
    Phase(u16),
    /// A barrier of a phase.
    Barrier(u16),
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
    pub(super) plan: Plan,
}

#[derive(Debug, Default)]
struct Tags {
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

    pub(super) fn n_ranks(&self) -> u32 {
        self.hosts.len() as u32
    }

    /// The first tag that later jobs may use.
    pub(super) fn end_of_tags(&self) -> Option<u64> {
        let Tags { first, stride, per_step } = self.tags;
        u64::from(self.steps).checked_mul(per_step)?.checked_mul(stride)?.checked_add(first)
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
        let mut compiler = Compiler::new(number, job.ranks.len(), hosts);
        within("phases", job.phases.len())?;
        for (phase, what) in job.phases.iter().enumerate() {
            compiler.phase(phase as u16, what)?;
        }
        let streams = compiler.segments.iter().filter_map(|segment| match segment {
            Segment::Streams(streams) => Some(streams),
            _ => None,
        });
        let most_collectives = streams.map(|streams| count(streams)).max().unwrap_or(0);
        let program = Program {
            job: number as u16,
            first_actor,
            hosts: job.ranks.clone(),
            start: job.start,
            steps: job.steps,
            handling: job.handling,
            repetition: job.repetition,
            costs: (!hosts.is_idle()).then_some(hosts),
            most_collectives,
            segments: compiler.segments,
            collectives: compiler.collectives,
            tags: Tags { first: first_tag, stride: compiler.stride, per_step: compiler.n_sequences },
        };
        if job.repetition.endless && !job.repetition.aligned {
            program.check_waits()?;
        }
        Ok(program)
    }

    /// Rejects endless steps in which some rank waits for nothing: it would run all of them at one instant.
    fn check_waits(&self) -> Result<(), WorkloadError> {
        let waits = |segment: &Segment, rank: u32| match segment {
            Segment::Compute(span) => span.0 > 0,
            Segment::Barrier => true,
            Segment::Streams(_) => self.collectives.iter().any(|planned| self.waits(planned, rank)),
            Segment::Begins(_) | Segment::Ends(_) | Segment::Stages(_) => false,
        };
        let is_idle = |rank: &u32| !self.segments.iter().any(|segment| waits(segment, *rank));
        match (0..self.n_ranks()).find(is_idle) {
            Some(rank) => Err(WorkloadError::NeverWaits { job: self.job.into(), rank }),
            None => Ok(()),
        }
    }

    /// Whether the rank at this place waits in a collective, even if only for its own messages.
    fn waits(&self, planned: &Planned, place: u32) -> bool {
        let mut steps = (0..).map_while(|index| planned.plan.operation(place, index));
        steps.any(|step| match step {
            Step::Receive { .. } => true,
            Step::Send { bytes, .. } => self.costs.is_some_and(|hosts| hosts.grants(bytes)),
            Step::Nothing => false,
        })
    }
}

/// Number of collectives on these streams.
fn count(streams: &[CollectiveStream]) -> usize {
    streams.iter().map(|stream| stream.collectives.len()).sum()
}

/// Rejects more than a 16-bit number can distinguish.
fn within(what: &'static str, count: usize) -> Result<(), WorkloadError> {
    let limit = usize::from(u16::MAX);
    if count <= limit { Ok(()) } else { Err(WorkloadError::TooMany { what, count, limit }) }
}

/// A program under construction.
struct Compiler {
    job: usize,
    n_ranks: usize,
    hosts: Hosts,
    segments: Vec<Segment>,
    collectives: Vec<Planned>,
    stride: u64,
    n_sequences: u64,
}

impl Compiler {
    fn new(job: usize, n_ranks: usize, hosts: Hosts) -> Compiler {
        let (segments, collectives) = (Vec::new(), Vec::new());
        Compiler { job, n_ranks, hosts, segments, collectives, stride: 1, n_sequences: 0 }
    }

    fn phase(&mut self, number: u16, phase: &Phase) -> Result<(), WorkloadError> {
        match phase {
            Phase::Compute { span } => {
                self.segments.extend([begins(number), Segment::Compute(*span), ends(number)]);
            }
            Phase::Barrier => self.barrier(number),
            Phase::PointToPoint(what) => {
                let wrong = |reason| WorkloadError::Stages { job: self.job, phase: number.into(), reason };
                if self.hosts.needs_sources() {
                    return Err(wrong(of_whom("messages along stages")));
                }
                let stages = Stages::new(what, number, self.n_sequences, self.n_ranks).map_err(wrong)?;
                self.take_tags(stages.n_tags());
                let stages = Segment::Stages(Box::new(stages));
                self.segments.extend([begins(number), stages, ends(number)]);
                if what.barrier {
                    self.barrier(number);
                }
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
        for (place, collectives) in (0_u16..).zip(buckets) {
            let id = BucketId { phase, bucket: first + place };
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
        for (number, collective) in (0_u32..).zip(all) {
            let place = self.collectives.len();
            let planned = self.plan(bucket, number, collective)?;
            if planned.plan.sends_first() {
                shared.collectives.push(place);
            } else {
                alone.push(CollectiveStream { collectives: vec![place], ends: None });
            }
            self.collectives.push(planned);
        }
        if !shared.collectives.is_empty() {
            alone.insert(0, shared);
        }
        Ok(alone)
    }

    fn plan(
        &mut self,
        bucket: BucketId,
        number: u32,
        collective: &Collective,
    ) -> Result<Planned, WorkloadError> {
        let (job, phase) = (self.job, usize::from(bucket.phase));
        if let Order::Given(lists) = &collective.order {
            let is_order = |list: &Vec<u32>| is_permutation(list, self.n_ranks);
            if lists.is_empty() || !lists.iter().all(is_order) {
                return Err(WorkloadError::Order { job, phase, n_ranks: self.n_ranks });
            }
        }
        let plan = Plan::new(collective, self.n_ranks as u32)
            .map_err(|reason| WorkloadError::Collective { job, phase, reason })?;
        if self.hosts.needs_sources() && !plan.lists_receives() {
            let name = SPECS[usize::from(collective.algorithm)].name;
            let how = if collective.dependent { "" } else { " with `dependent: false`" };
            let reason = of_whom(&format!("`{name}`{how}"));
            return Err(WorkloadError::Collective { job, phase, reason });
        }
        let sequence = self.n_sequences;
        let grants = if self.hosts.rendezvous.is_some() { self.n_ranks as u64 } else { 0 };
        self.take_tags(plan.n_tags().saturating_mul(1 + grants));
        let (ordinal, order) = (self.collectives.len() as u64, collective.order.clone());
        Ok(Planned { bucket, number, sequence, ordinal, order, plan })
    }

    fn take_tags(&mut self, n_tags: u64) {
        self.n_sequences += 1;
        self.stride = self.stride.max(n_tags);
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
