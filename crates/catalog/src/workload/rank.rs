//! The progress of one rank of a job, and its next operations.
//!
//! Models: the walk through steps, segments and streams; a rank generates its operations on demand. Where phases
//! overlap, each stream of phases has streams of operations of its own, which wait for signals of the rank itself.
//! Leaves out: the program itself, which all ranks share.
//!
//! Invariants: the state of a rank is a few words, whatever is still to come; the number of operations handed out at a
//! time changes at most the order in which several streams of a rank act at one instant. A stream of phases is not expanded beyond a signal that is not yet handed out, and its streams
//! of operations wait for one whenever they have nothing to do: so none of them is idle while others are busy.

use std::collections::VecDeque;
use std::sync::Arc;

use netloom_model::{Hosts, Item, Job, Mark, Message, Operation, Order};
use netloom_units::{ActorId, Bytes, Duration, HostId, Rate, Time};

use super::arrangement::{Arrangement, Arrangements, Key};
use super::collective::{Plan, Step};
use super::communicators::Membership;
use super::program::{BucketId, CollectiveStream, Part, PhaseStream, Planned, Program, Segment};
use super::schedule::Signal;
use super::stages::StageStep;
use super::supplied::{RankOperation, RankPhase, Supplied};

/// Approximate number of operations handed out at a time.
const BATCH: usize = 32;
/// Number of operations handed out at a time per stream, where several streams run concurrently.
const STREAM_BATCH: usize = 8;

/// The progress of a rank.
#[derive(Debug, Default)]
pub(super) struct Position {
    rank: u32,
    first: StreamPosition,
    /// Where phases overlap.
    others: Option<Box<Overlapping>>,
}

/// The progress of a rank in further streams of phases.
#[derive(Debug)]
struct Overlapping {
    streams: Vec<StreamPosition>,
    /// Of each signal, how many notifications were handed out, less the waits for them.
    notified: Vec<u8>,
}

/// The progress of a rank in one stream of phases.
#[derive(Debug, Default)]
struct StreamPosition {
    step: u32,
    segment: u32,
    /// Number of operations of the segment handed out, for stages and awaited signals.
    index: u64,
    /// Streams of the segment, once it is entered.
    streams: Vec<StreamState>,
}

#[derive(Debug)]
struct StreamState {
    running: Vec<Running>,
    current: usize,
    /// Whether the sends of a shared stream are complete.
    waiting: bool,
    /// Whether the mark at its end is still to come.
    open: bool,
}

/// A collective in progress.
#[derive(Debug)]
struct Running {
    /// Its index in the program.
    number: usize,
    arrangement: Arc<Arrangement>,
    member: Membership,
    /// Its position in the order of the ranks.
    position: u32,
    index: u64,
    /// What it has posted and not yet waited for, at hosts that grant, add or copy.
    posted: PostedReceives,
}

/// What a rank has posted and not yet waited for.
#[derive(Debug, Default)]
struct PostedReceives {
    /// Tag and number of the completions of its own messages that it must wait for.
    own: Option<(u64, u32)>,
    /// Bytes still to arrive.
    bytes: u64,
    /// Of these, bytes of messages without a grant.
    copied: u64,
}

/// The next action of a stream.
enum Next {
    /// An operation of a collective.
    Step(Step),
    /// Wait for what is posted and was not waited for.
    Rest,
}

/// A rank that is being refilled in a stream of phases.
struct RankExpansion<'a> {
    program: &'a Program,
    stream: &'a PhaseStream,
    rank: u32,
    position: &'a mut StreamPosition,
    notified: &'a mut [u8],
    arrangements: &'a mut Arrangements,
    supplied: &'a mut Supplied,
    queue: &'a mut VecDeque<Item>,
}

impl Position {
    /// A rank before its first operation.
    pub(super) fn new(rank: u32, program: &Program) -> Position {
        let others = program.overlaps().then(|| {
            let streams = program.streams[1..].iter().map(|_| StreamPosition::default()).collect();
            Box::new(Overlapping { streams, notified: vec![0; program.n_signals()] })
        });
        Position { rank, first: StreamPosition::default(), others }
    }

    /// Appends the next operations; none when the rank has finished.
    pub(super) fn refill(
        &mut self,
        program: &Program,
        (arrangements, supplied): (&mut Arrangements, &mut Supplied),
        queue: &mut VecDeque<Item>,
    ) {
        if program.is_supplied && supplied.has_ended() {
            return;
        }
        if let Some(others) = &mut self.others {
            let Overlapping { streams, notified } = &mut **others;
            let positions = std::iter::once(&mut self.first).chain(streams);
            for (stream, position) in program.streams.iter().zip(positions) {
                let (arrangements, supplied) = (&mut *arrangements, &mut *supplied);
                let (queue, notified, rank) = (&mut *queue, &mut **notified, self.rank);
                RankExpansion { program, stream, rank, position, notified, arrangements, supplied, queue }
                    .advance_overlapping();
            }
            return;
        }
        let before = queue.len();
        let (stream, rank, position) = (&program.streams[0], self.rank, &mut self.first);
        let notified: &mut [u8] = &mut [];
        let mut walk =
            RankExpansion { program, stream, rank, position, notified, arrangements, supplied, queue };
        while walk.position.step < program.steps && walk.queue.len() < before + BATCH {
            walk.advance();
        }
        // Idle streams seem to need a refill; a join states that they have no operation before this batch is done.
        // Between the streams of a segment there must be none.
        let inside = self.first.streams.len() > 1;
        if !inside && queue.len() > before {
            queue.push_back(Item { stream: 0, operation: Operation::Join });
        }
    }
}

impl<'a> RankExpansion<'a> {
    /// Appends a batch of one of several streams of phases, up to a signal that is not yet handed out.
    fn advance_overlapping(&mut self) {
        let before = self.queue.len();
        if self.position.is_at_begin(0) {
            self.wait_at_forks();
        }
        while self.position.step < self.program.steps && self.queue.len() < before + BATCH {
            if !self.advance() {
                return;
            }
        }
        if self.position.step == self.program.steps && self.position.segment == 0 {
            self.finish();
        }
    }

    /// Lets the further streams of operations wait until there is something to do.
    fn wait_at_forks(&mut self) {
        for (number, &fork) in (1..).zip(&self.stream.forks) {
            self.receive_signals(number, fork, 1);
        }
    }

    /// Ends what waits for another step, as if it began.
    fn finish(&mut self) {
        let stream = self.stream;
        // Those of the begin of a step come first.
        for segment in stream.segments.iter().take(self.program.streams.len() - 1) {
            match *segment {
                Segment::Notify(begin) => _ = self.notify(begin),
                Segment::Await(begin) if !self.awaits(begin) => return,
                _ => break,
            }
        }
        for &fork in &stream.forks {
            self.send_signal(0, fork);
        }
        self.position.segment = 1;
    }

    /// Sends a signal to another stream of phases, once this one has come here.
    fn notify(&mut self, signal: Signal) -> bool {
        self.notified[usize::from(signal)] += 1;
        self.send_signal(0, signal)
    }

    /// Sends a signal, once a stream of operations has come here.
    fn send_signal(&mut self, stream: usize, signal: Signal) -> bool {
        let actor = ActorId(self.program.first_actor + self.rank);
        self.push(stream, Operation::Notify { actor, tag: self.program.signal_tag(signal) })
    }

    fn receive_signals(&mut self, stream: usize, signal: Signal, messages: u32) -> bool {
        self.push(stream, Operation::Receive { tag: self.program.signal_tag(signal), messages })
    }

    /// Waits for a signal; returns whether it is handed out, so that the stream may be expanded further.
    fn awaits(&mut self, signal: Signal) -> bool {
        if self.position.index == 0 {
            self.position.index = 1;
            self.receive_signals(0, signal, 1);
        }
        let notified = &mut self.notified[usize::from(signal)];
        let is_notified = *notified > 0;
        *notified -= u8::from(is_notified);
        is_notified
    }

    /// Advances by one segment, or by a batch of a long one; returns whether it can go on.
    fn advance(&mut self) -> bool {
        let (program, stream) = (self.program, self.stream);
        let (job, step) = (program.job, self.position.step);
        let Some(segment) = stream.segments.get(self.position.segment as usize) else {
            if stream.segments.is_empty() {
                self.begin_step();
            }
            if stream.first == 0 {
                self.push(0, Operation::Mark(Mark::StepEnds { job, step }));
            }
            self.position.segment = 0;
            self.position.step += 1;
            return true;
        };
        if stream.first == 0 && self.position.is_at_begin(step) {
            self.begin_step();
        }
        let mut is_blocked = false;
        let done = match segment {
            Segment::Notify(signal) => self.notify(*signal),
            Segment::Await(signal) => {
                is_blocked = !self.awaits(*signal);
                !is_blocked
            }
            Segment::Compute(span) => self.push(0, Operation::Compute(*span)),
            Segment::Barrier => self.push(0, Operation::Barrier { group: u32::from(job) }),
            Segment::Supplied { phase, sequence } => self.advance_supplied(*phase, *sequence),
            Segment::Begins(part) => self.push(0, Operation::Mark(begins(job, step, *part))),
            Segment::Ends(part) => self.push(0, Operation::Mark(ends(job, step, *part))),
            Segment::Stages(stages) => self
                .advance_stages(stages.phase, stages.sequence, |rank, index| stages.operation(rank, index)),
            Segment::Pipeline(plan) => {
                self.advance_stages(plan.phase, plan.sequence, |rank, index| plan.operation(rank, index))
            }
            Segment::Streams(streams) => self.advance_streams(streams),
        };
        if done {
            self.position.segment += 1;
            self.position.index = 0;
        }
        !is_blocked
    }

    fn begin_step(&mut self) {
        let (job, step) = (self.program.job, self.position.step);
        if step == 0 && self.program.start > Time::ZERO {
            self.push(0, Operation::Until(self.program.start));
        }
        if self.program.repetition.aligned {
            self.push(0, Operation::Barrier { group: Job::FIRST_STEP_BARRIER + u32::from(job) });
        }
        self.push(0, Operation::Mark(Mark::StepBegins { job, step }));
    }

    /// Appends one operation, the only one of a short segment; streams are numbered within the stream of phases.
    fn push(&mut self, stream: usize, operation: Operation) -> bool {
        self.queue.push_back(Item { stream: (self.stream.first + stream) as u8, operation });
        true
    }

    /// Appends a batch of a point-to-point phase; returns whether it is over.
    fn advance_stages(
        &mut self,
        phase: u16,
        sequence: u64,
        operation: impl Fn(u32, u64) -> Option<StageStep>,
    ) -> bool {
        for _ in 0..BATCH {
            let Some(stage_step) = operation(self.rank, self.position.index) else { return true };
            self.position.index += 1;
            let (job, step) = (self.program.job, self.position.step);
            let first_tag = self.program.first_tag(step, sequence);
            let bucket = BucketId { phase, bucket: 0 };
            let hosts = self.program.costs.unwrap_or_default();
            match stage_step {
                StageStep::Nothing => continue,
                StageStep::Begins(microbatch) => {
                    self.push(0, Operation::Mark(begins(job, step, Part::Microbatch(phase, microbatch))))
                }
                StageStep::Ends(microbatch) => {
                    self.push(0, Operation::Mark(ends(job, step, Part::Microbatch(phase, microbatch))))
                }
                StageStep::Until(at) => self.push(0, Operation::Until(at)),
                StageStep::Pause(span) => self.push(0, Operation::Compute(span)),
                StageStep::Receive { tag, messages } => {
                    self.push(0, Operation::Receive { tag: first_tag + tag, messages });
                    self.busy(0, Duration(hosts.receive_overhead.0 * u64::from(messages)))
                }
                StageStep::Send { to_rank, tag, bytes } => {
                    self.busy(0, hosts.send_overhead);
                    let message = self.message(to_rank, first_tag + tag, bytes, bucket);
                    self.send(0, message)
                }
            };
        }
        false
    }

    /// Appends a batch of what a program supplies for a phase; returns whether that is over.
    fn advance_supplied(&mut self, phase: u16, sequence: u64) -> bool {
        let (job, step, rank) = (self.program.job, self.position.step, self.rank);
        let first_tag = self.program.first_tag(step, sequence);
        let hosts = self.program.costs.unwrap_or_default();
        // Taken out meanwhile, as it is a part of what is being expanded.
        let mut supplied = std::mem::take(self.supplied);
        let (operations, more) = supplied.pull(RankPhase { job, rank, step, phase }, BATCH);
        for operation in operations {
            self.position.index += 1;
            match operation {
                RankOperation::Send { to, size, tag } => {
                    self.busy(0, hosts.send_overhead);
                    let tag = first_tag + u64::from(tag);
                    let message = self.message(to, tag, size.0, BucketId { phase, bucket: 0 });
                    self.send(0, message)
                }
                RankOperation::Receive { tag, messages } => {
                    self.push(0, Operation::Receive { tag: first_tag + u64::from(tag), messages });
                    self.busy(0, Duration(hosts.receive_overhead.0 * u64::from(messages)))
                }
                // One that takes no time as well: the engine counts what a rank does at one instant.
                RankOperation::Compute(span) => self.push(0, Operation::Compute(span)),
                RankOperation::Barrier => self.push(0, Operation::Barrier { group: u32::from(job) }),
            };
        }
        *self.supplied = supplied;
        !more
    }

    /// Appends a batch of every stream; returns whether all are over.
    fn advance_streams(&mut self, streams: &'a [CollectiveStream]) -> bool {
        let several = streams.len() > 1;
        if self.position.streams.is_empty() {
            self.enter(streams);
            if several {
                self.fork(streams.len());
            }
        }
        let mut states = std::mem::take(&mut self.position.streams);
        let mut over = true;
        for (number, state) in states.iter_mut().enumerate() {
            let limit = if several { STREAM_BATCH } else { BATCH };
            over &= self.advance_stream(number, state, &streams[number], limit);
        }
        if !over {
            self.position.streams = states;
        } else if several {
            self.join(streams.len());
        }
        over
    }

    /// Lets further streams of operations begin where the first one is.
    fn fork(&mut self, n_streams: usize) {
        if !self.program.overlaps() {
            self.push(0, Operation::Join);
            return;
        }
        for &fork in &self.stream.forks[..n_streams - 1] {
            self.send_signal(0, fork);
        }
    }

    /// Lets the first stream of operations wait for the further ones.
    fn join(&mut self, n_streams: usize) {
        if self.program.overlaps() {
            self.receive_signals(0, self.stream.join, n_streams as u32 - 1);
        } else {
            self.push(0, Operation::Join);
        }
    }

    fn enter(&mut self, streams: &[CollectiveStream]) {
        let start = |stream: &CollectiveStream| StreamState {
            running: stream.collectives.iter().filter_map(|&number| self.start(number)).collect(),
            current: 0,
            waiting: false,
            open: true,
        };
        self.position.streams = streams.iter().map(start).collect();
    }

    /// Starts a collective; `None` if the rank takes no part in it.
    fn start(&mut self, number: usize) -> Option<Running> {
        let RankExpansion { program, rank, position, arrangements, .. } = self;
        let planned = &program.collectives[number];
        let member = program.membership(planned, *rank)?;
        let BucketId { phase, bucket } = planned.bucket;
        let collective = [program.job.into(), position.step, phase.into(), bucket.into(), planned.number];
        // Given orders are the same in all groups.
        let group = member.group.filter(|_| planned.order == Order::Shuffled);
        let key = Key { collective, group };
        let sequence = u64::from(position.step) * program.collectives.len() as u64 + planned.ordinal;
        let arrangement = arrangements.find(key, &planned.order, sequence, member.n_ranks);
        let position = arrangement.position_of(member.position);
        Some(Running { number, arrangement, member, position, index: 0, posted: PostedReceives::default() })
    }

    /// Appends up to `limit` operations of a stream; returns whether it is over.
    fn advance_stream(
        &mut self,
        number: usize,
        state: &mut StreamState,
        stream: &CollectiveStream,
        limit: usize,
    ) -> bool {
        for _ in 0..limit {
            if let Some((next, running)) = state.next(self.program) {
                match (self.program.costs.as_ref(), next) {
                    (Some(hosts), next) => self.act(number, hosts, &next, running),
                    (None, Next::Step(step)) => match self.operation(step, running) {
                        Some(Operation::Send(message)) => _ = self.send(number, message),
                        Some(operation) => _ = self.push(number, operation),
                        None => {}
                    },
                    (None, Next::Rest) => {}
                }
                continue;
            }
            if let Some(bucket) = stream.ends.filter(|_| state.open) {
                let mark = ends(self.program.job, self.position.step, Part::Bucket(bucket));
                self.push(number, Operation::Mark(mark));
            }
            if state.open && number > 0 && self.program.overlaps() {
                self.send_signal(number, self.stream.join);
                self.receive_signals(number, self.stream.forks[number - 1], 1);
            }
            state.open = false;
            return true;
        }
        false
    }

    /// Lets a stream be busy for a span, unless that is zero.
    fn busy(&mut self, stream: usize, span: Duration) -> bool {
        span.0 == 0 || self.push(stream, Operation::Compute(span))
    }

    /// Starts a message; one to a rank of the same host takes time on the stream, and is not sent.
    fn send(&mut self, stream: usize, message: Message) -> bool {
        let (Some(rate), Some(actor)) = (self.program.local, message.notify) else {
            return self.push(stream, Operation::Send(message));
        };
        if !self.is_local(message.to) {
            return self.push(stream, Operation::Send(message));
        }
        self.push(stream, Operation::Compute(rate.serialization(message.size)));
        self.push(stream, Operation::Notify { actor, tag: message.tag })
    }

    /// Whether a host is that of this rank.
    fn is_local(&self, host: HostId) -> bool {
        self.program.hosts[self.rank as usize] == host
    }

    /// An operation of a collective at hosts where messages have costs.
    fn act(&mut self, stream: usize, hosts: &Hosts, next: &Next, running: &mut Running) {
        let Next::Step(step) = *next else {
            if let Some((tag, messages)) = running.posted.own.take() {
                self.push(stream, Operation::Receive { tag, messages });
            }
            return;
        };
        self.post_receives(stream, hosts, running);
        match self.operation(step, running) {
            Some(Operation::Send(message)) => self.post_send(stream, hosts, (step, message), running),
            Some(Operation::Receive { tag, messages }) => {
                if let Some((tag, messages)) = running.posted.own.take() {
                    self.push(stream, Operation::Receive { tag, messages });
                }
                self.push(stream, Operation::Receive { tag, messages });
                let plan = running.plan(self.program);
                let [bytes, copied] =
                    [&mut running.posted.bytes, &mut running.posted.copied].map(std::mem::take);
                let adding = hosts.reduction.filter(|_| plan.adds(running.index - 1));
                let takes =
                    |rate: Option<Rate>, bytes| rate.map_or(0, |rate| rate.serialization(Bytes(bytes)).0);
                let span = takes(adding, bytes) + takes(hosts.copy, copied);
                self.busy(stream, Duration(span + hosts.receive_overhead.0 * u64::from(messages)));
            }
            _ => {}
        }
    }

    /// The receives that belong to the operation just begun: those of large messages are granted.
    fn post_receives(&mut self, stream: usize, hosts: &Hosts, running: &mut Running) {
        let planned = &self.program.collectives[running.number];
        let plan = running.plan(self.program);
        let posted = |number| plan.posted(running.position, running.index - 1, number);
        for receive in (0..).map_while(posted) {
            running.posted.bytes += receive.bytes;
            let from = running.rank_at(self.program, receive.from);
            let is_local = self.is_local(self.program.hosts[from as usize]);
            let is_granted = receive.bytes > 0 && !is_local && hosts.grants(receive.bytes);
            // Granted messages are received directly at their destination, and so are those of the same host.
            running.posted.copied += if is_granted || is_local { 0 } else { receive.bytes };
            if is_granted {
                let tag = self.grant_tag(planned, receive.tag, running.position);
                let grant = self.message(from, tag, Hosts::GRANT.0, planned.bucket);
                self.push(stream, Operation::Send(grant));
            }
        }
    }

    /// Posts a message: at once, or when it is granted; in that case the rank waits for its end.
    fn post_send(
        &mut self,
        stream: usize,
        hosts: &Hosts,
        (step, message): (Step, Message),
        running: &mut Running,
    ) {
        self.busy(stream, hosts.send_overhead);
        let Step::Send { to, tag, bytes } = step else { return };
        if !hosts.grants(bytes) || self.is_local(message.to) {
            self.send(stream, message);
            return;
        }
        let own = ActorId(self.program.first_actor + self.rank);
        let planned = &self.program.collectives[running.number];
        let granted = self.grant_tag(planned, tag, to);
        if let Some((tag, messages)) = running.posted.count_own(Message::completion_tag(message.tag)) {
            self.push(stream, Operation::Receive { tag, messages });
        }
        let message = Message { completion: Some(own), ..message };
        self.push(stream, Operation::SendWhen { message, tag: granted, after: hosts.handshake });
    }

    /// The tag with which the receiving member grants a message.
    fn grant_tag(&self, planned: &Planned, tag: u64, receiver: u32) -> u64 {
        let n_tags = planned.plans.iter().map(Plan::n_tags).max().unwrap_or(0);
        let first = self.program.first_tag(self.position.step, planned.sequence) + n_tags;
        first + tag * u64::from(self.program.n_ranks()) + u64::from(receiver)
    }

    fn operation(&self, step: Step, running: &Running) -> Option<Operation> {
        let planned = &self.program.collectives[running.number];
        let first_tag = self.program.first_tag(self.position.step, planned.sequence);
        match step {
            Step::Nothing => None,
            Step::Receive { tag, messages } => Some(Operation::Receive { tag: first_tag + tag, messages }),
            Step::Send { to, tag, bytes } => {
                let to_rank = running.rank_at(self.program, to);
                Some(Operation::Send(self.message(to_rank, first_tag + tag, bytes, planned.bucket)))
            }
        }
    }

    fn message(&self, to_rank: u32, tag: u64, bytes: u64, bucket: BucketId) -> Message {
        Message {
            to: self.program.hosts[to_rank as usize],
            notify: Some(ActorId(self.program.first_actor + to_rank)),
            completion: None,
            tag,
            size: Bytes(bytes),
            rate: None,
            class: self.program.handling.class,
            may_reorder: self.program.handling.may_reorder,
            job: self.program.job,
            step: self.position.step,
            phase: bucket.phase,
            bucket: bucket.bucket,
        }
    }
}

impl StreamPosition {
    /// Whether nothing of a step is handed out.
    fn is_at_begin(&self, step: u32) -> bool {
        self.step == step && self.segment == 0 && self.index == 0 && self.streams.is_empty()
    }
}

impl StreamState {
    /// The next action of this stream and the collective it belongs to; `None` when all are done.
    fn next(&mut self, program: &Program) -> Option<(Next, &mut Running)> {
        // Collectives that share a stream send before any of them waits, as if each had a stream of its own.
        let shared = self.running.len() > 1;
        loop {
            if self.current == self.running.len() {
                if !shared || self.waiting {
                    return None;
                }
                (self.waiting, self.current) = (true, 0);
            }
            let running = &self.running[self.current];
            match running.plan(program).operation(running.position, running.index) {
                None if running.posted.own.is_some() && (!shared || self.waiting) => {
                    return Some((Next::Rest, &mut self.running[self.current]));
                }
                None => self.current += 1,
                Some(Step::Receive { .. }) if shared && !self.waiting => self.current += 1,
                Some(step) => {
                    let running = &mut self.running[self.current];
                    running.index += 1;
                    return Some((Next::Step(step), running));
                }
            }
        }
    }
}

impl Running {
    /// The plan for the size of its communicator.
    fn plan<'a>(&self, program: &'a Program) -> &'a Plan {
        &program.collectives[self.number].plans[self.member.size_index]
    }

    /// The rank of the job at a position of the plan.
    fn rank_at(&self, program: &Program, position: u32) -> u32 {
        let communicators = &program.communicators[program.collectives[self.number].communicators];
        communicators.rank_at(self.member.group, self.arrangement.rank_at(position))
    }
}

impl PostedReceives {
    /// Counts one more message under a tag; returns those under another tag, which must be waited for first.
    fn count_own(&mut self, tag: u64) -> Option<(u64, u32)> {
        let before = self.own.filter(|&(other, _)| other != tag);
        let so_far = self.own.filter(|&(same, _)| same == tag).map_or(0, |(_, messages)| messages);
        self.own = Some((tag, so_far + 1));
        before
    }
}

fn begins(job: u16, step: u32, part: Part) -> Mark {
    match part {
        Part::Phase(phase) => Mark::PhaseBegins { job, step, phase },
        Part::Barrier(phase) => Mark::BarrierBegins { job, step, phase },
        Part::Microbatch(phase, microbatch) => Mark::ComputeBegins { job, step, phase, microbatch },
        Part::Bucket(BucketId { phase, bucket }) => Mark::CollectiveBegins { job, step, phase, bucket },
    }
}

fn ends(job: u16, step: u32, part: Part) -> Mark {
    match part {
        Part::Phase(phase) => Mark::PhaseEnds { job, step, phase },
        Part::Barrier(phase) => Mark::BarrierEnds { job, step, phase },
        Part::Microbatch(phase, microbatch) => Mark::ComputeEnds { job, step, phase, microbatch },
        Part::Bucket(BucketId { phase, bucket }) => Mark::CollectiveEnds { job, step, phase, bucket },
    }
}
