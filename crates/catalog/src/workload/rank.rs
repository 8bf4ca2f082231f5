//! Where one rank of a job stands, and its next operations.
//!
//! Models: the walk through steps, segments and lanes; a rank makes its operations when it is asked for them.
//! Leaves out: the program itself, which all ranks share.
//!
//! Invariants: a rank holds a few words, whatever is still to come; how much is handed out at a time changes nothing.

use std::collections::VecDeque;
use std::sync::Arc;

use netloom_model::{Item, Mark, Message, Operation};
use netloom_units::{ActorId, Bytes, Time};

use super::arrangement::{Arrangement, Arrangements};
use super::collective::Step;
use super::program::{BucketId, Lane, Planned, Program, Segment};
use super::stages::{StageStep, Stages};

/// Operations handed out at a time, roughly.
const BATCH: usize = 32;
/// Operations handed out at a time per lane where several lanes run side by side.
const LANE_BATCH: usize = 8;

/// Where a rank stands.
#[derive(Debug, Default)]
pub(super) struct Position {
    rank: u32,
    step: u32,
    segment: u32,
    /// Operations of the segment done, for stages.
    index: u64,
    /// Lanes of the segment, once it is entered.
    lanes: Vec<LaneState>,
}

#[derive(Debug)]
struct LaneState {
    running: Vec<Running>,
    current: usize,
    /// Whether the sends of a shared lane are over.
    waiting: bool,
    /// Whether the mark at its end is still to come.
    open: bool,
}

/// A collective under way.
#[derive(Debug)]
struct Running {
    /// Its place in the program.
    number: usize,
    arrangement: Arc<Arrangement>,
    place: u32,
    index: u64,
}

/// A rank that is asked for operations.
struct Walk<'a> {
    program: &'a Program,
    position: &'a mut Position,
    arrangements: &'a mut Arrangements,
    queue: &'a mut VecDeque<Item>,
}

impl Position {
    /// The start of a rank.
    pub(super) fn new(rank: u32) -> Position {
        Position { rank, ..Position::default() }
    }

    /// Appends the next operations; nothing when the rank has finished.
    pub(super) fn refill(
        &mut self,
        program: &Program,
        arrangements: &mut Arrangements,
        queue: &mut VecDeque<Item>,
    ) {
        let before = queue.len();
        let mut walk = Walk { program, position: self, arrangements, queue };
        while walk.position.step < program.steps && walk.queue.len() < before + BATCH {
            walk.advance();
        }
        // Idle lanes seem to ask for more; a join tells that there is nothing for them before this batch is done.
        // Between the lanes of a segment there must be none.
        let inside = self.lanes.len() > 1;
        if !inside && queue.len() > before {
            queue.push_back(Item { lane: 0, operation: Operation::Join });
        }
    }
}

impl<'a> Walk<'a> {
    /// Goes on by one segment, or by a batch of a long one.
    fn advance(&mut self) {
        let program = self.program;
        let (job, step) = (program.job, self.position.step);
        let Some(segment) = program.segments.get(self.position.segment as usize) else {
            if program.segments.is_empty() {
                self.begin_step();
            }
            self.push(0, Operation::Mark(Mark::StepEnds { job, step }));
            self.position.segment = 0;
            self.position.step += 1;
            return;
        };
        if self.position.segment == 0 && self.position.index == 0 && self.position.lanes.is_empty() {
            self.begin_step();
        }
        let done = match segment {
            Segment::Compute(span) => self.push(0, Operation::Compute(*span)),
            Segment::Barrier => self.push(0, Operation::Barrier { group: u32::from(job) }),
            Segment::Begins(bucket) => self.push(0, Operation::Mark(begins(job, step, *bucket))),
            Segment::Ends(bucket) => self.push(0, Operation::Mark(ends(job, step, *bucket))),
            Segment::Stages(stages) => self.advance_stages(stages),
            Segment::Lanes(lanes) => self.advance_lanes(lanes),
        };
        if done {
            self.position.segment += 1;
            self.position.index = 0;
        }
    }

    fn begin_step(&mut self) {
        let (job, step) = (self.program.job, self.position.step);
        if step == 0 && self.program.start > Time::ZERO {
            self.push(0, Operation::Until(self.program.start));
        }
        self.push(0, Operation::Mark(Mark::StepBegins { job, step }));
    }

    /// Appends one operation, which is all that a short segment does.
    fn push(&mut self, lane: usize, operation: Operation) -> bool {
        self.queue.push_back(Item { lane: lane as u8, operation });
        true
    }

    /// Appends a batch of a point-to-point phase; tells whether it is over.
    fn advance_stages(&mut self, stages: &Stages) -> bool {
        for _ in 0..BATCH {
            let Some(step) = stages.operation(self.position.rank, self.position.index) else { return true };
            self.position.index += 1;
            let first_tag = self.program.first_tag(self.position.step, stages.sequence);
            let bucket = BucketId { phase: stages.phase, bucket: 0 };
            match step {
                StageStep::Nothing => continue,
                StageStep::Until(at) => self.push(0, Operation::Until(at)),
                StageStep::Pause(span) => self.push(0, Operation::Compute(span)),
                StageStep::Receive { tag, messages } => {
                    self.push(0, Operation::Receive { tag: first_tag + tag, messages })
                }
                StageStep::Send { to_rank, tag, bytes } => {
                    let message = self.message(to_rank, first_tag + tag, bytes, bucket);
                    self.push(0, Operation::Send(message))
                }
            };
        }
        false
    }

    /// Appends a batch of every lane; tells whether all are over.
    fn advance_lanes(&mut self, lanes: &'a [Lane]) -> bool {
        let several = lanes.len() > 1;
        if self.position.lanes.is_empty() {
            self.enter(lanes);
            if several {
                self.push(0, Operation::Join);
            }
        }
        let mut states = std::mem::take(&mut self.position.lanes);
        let mut over = true;
        for (number, state) in states.iter_mut().enumerate() {
            let limit = if several { LANE_BATCH } else { BATCH };
            over &= self.advance_lane(number, state, &lanes[number], limit);
        }
        if !over {
            self.position.lanes = states;
        } else if several {
            self.push(0, Operation::Join);
        }
        over
    }

    fn enter(&mut self, lanes: &[Lane]) {
        let start = |lane: &Lane| LaneState {
            running: lane.collectives.iter().map(|&number| self.start(number)).collect(),
            current: 0,
            waiting: false,
            open: true,
        };
        self.position.lanes = lanes.iter().map(start).collect();
    }

    fn start(&mut self, number: usize) -> Running {
        let Walk { program, position, arrangements, .. } = self;
        let Planned { bucket, number: place, ordinal, ref order, .. } = program.collectives[number];
        let key = [program.job.into(), position.step, bucket.phase.into(), bucket.bucket.into(), place];
        let met = u64::from(position.step) * program.collectives.len() as u64 + ordinal;
        let arrangement = arrangements.find(key, order, met, program.n_ranks());
        let place = arrangement.place_of(position.rank);
        Running { number, arrangement, place, index: 0 }
    }

    /// Appends up to `limit` operations of a lane; tells whether it is over.
    fn advance_lane(&mut self, number: usize, state: &mut LaneState, lane: &Lane, limit: usize) -> bool {
        for _ in 0..limit {
            if let Some((step, running)) = state.next(self.program) {
                if let Some(operation) = self.operation(step, running) {
                    self.push(number, operation);
                }
                continue;
            }
            if let Some(bucket) = lane.ends.filter(|_| state.open) {
                let mark = ends(self.program.job, self.position.step, bucket);
                self.push(number, Operation::Mark(mark));
            }
            state.open = false;
            return true;
        }
        false
    }

    fn operation(&self, step: Step, running: &Running) -> Option<Operation> {
        let planned = &self.program.collectives[running.number];
        let first_tag = self.program.first_tag(self.position.step, planned.sequence);
        match step {
            Step::Nothing => None,
            Step::Receive { tag, messages } => Some(Operation::Receive { tag: first_tag + tag, messages }),
            Step::Send { to, tag, bytes } => {
                let to_rank = running.arrangement.rank_at(to);
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
            may_reorder: true,
            job: self.program.job,
            step: self.position.step,
            phase: bucket.phase,
            bucket: bucket.bucket,
        }
    }
}

impl LaneState {
    /// The next step of this lane and the collective it belongs to; nothing when all is done.
    fn next(&mut self, program: &Program) -> Option<(Step, &Running)> {
        // Collectives that share a lane send before any of them waits, as if each had a lane to itself.
        let shared = self.running.len() > 1;
        loop {
            if self.current == self.running.len() {
                if !shared || self.waiting {
                    return None;
                }
                (self.waiting, self.current) = (true, 0);
            }
            let running = &self.running[self.current];
            let plan = &program.collectives[running.number].plan;
            match plan.operation(running.place, running.index) {
                None => self.current += 1,
                Some(Step::Receive { .. }) if shared && !self.waiting => self.current += 1,
                Some(step) => {
                    let running = &mut self.running[self.current];
                    running.index += 1;
                    return Some((step, running));
                }
            }
        }
    }
}

fn begins(job: u16, step: u32, BucketId { phase, bucket }: BucketId) -> Mark {
    Mark::CollectiveBegins { job, step, phase, bucket }
}

fn ends(job: u16, step: u32, BucketId { phase, bucket }: BucketId) -> Mark {
    Mark::CollectiveEnds { job, step, phase, bucket }
}
