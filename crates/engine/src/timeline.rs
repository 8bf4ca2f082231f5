//! Activities of single ranks in some steps of each job: the first step, and the slowest of the others.
//!
//! Models: steps, phases, barriers and collectives of a rank as spans of time; a step's spans are kept while it is in
//! progress, and longer if the step is recorded. Of a job that has not ended, the first step in progress is recorded,
//! too.
//! Leaves out: what ranks do in all other steps; waiting within a collective.
//!
//! Invariants: at most [`ROOM`] rows in all; which steps are recorded follows from the model and from times, never from
//! threads or window boundaries: marks are processed in order of time and host.

use std::collections::BTreeMap;

use netloom_model::{Job, Mark, Phase};
use netloom_records::{Activity, SpanRow};
use netloom_units::{HostId, Time};

/// Largest number of rows of a run.
const ROOM: usize = 1 << 16;
/// Bound on the spans held for steps in progress, over all jobs; one step of each job is held in any case.
const OPEN_STEP_ROOM: usize = 2 * ROOM;

/// A mark of a rank.
#[derive(Debug, Clone, Copy)]
struct RankMark {
    at: u64,
    host: HostId,
    actor: u32,
    mark: Mark,
}

/// See the module.
#[derive(Debug)]
pub struct Timeline<'a> {
    jobs: Vec<JobTimeline<'a>>,
    /// Marks of the current window.
    marks: Vec<RankMark>,
}

/// The timeline of a job.
#[derive(Debug)]
struct JobTimeline<'a> {
    job: &'a Job,
    /// Number of steps to record.
    n_recorded: usize,
    /// Largest number of steps in progress that are held: a step that begins beyond it is not recorded.
    max_open_steps: usize,
    /// Number of spans of a rank in a step.
    n_spans: usize,
    /// The actor of rank 0; the others follow.
    first_actor: u32,
    /// Number of steps that have begun.
    n_begun: u32,
    open_steps: BTreeMap<u32, Step>,
    /// The first step, once it has ended, and the slowest of the others.
    recorded: Vec<Step>,
    /// Steps that are not recorded: their memory is reused.
    spare: Vec<Step>,
}

/// A step of a job.
#[derive(Debug, Default)]
struct Step {
    number: u32,
    start: u64,
    /// From the first rank's start to the last rank's end, in ps.
    length: u64,
    n_ended: u32,
    /// Spans, `n_spans` for each rank.
    spans: Vec<Span>,
    /// Number of spans that each rank has begun.
    counts: Vec<u32>,
}

/// An activity of a rank, without its step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Span {
    start: u64,
    /// `u64::MAX` while it is in progress.
    end: u64,
    what: ActivityId,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ActivityId {
    activity: Activity,
    phase: Option<u16>,
    bucket: Option<u16>,
}

const NOTHING: Span = Span { start: 0, end: u64::MAX, what: ActivityId::STEP };

impl ActivityId {
    const STEP: ActivityId = ActivityId { activity: Activity::Step, phase: None, bucket: None };
}

impl<'a> Timeline<'a> {
    /// A timeline of up to `most` steps of each job, as far as there is room; `None` if no step is to be recorded.
    pub fn new(jobs: &'a [Job], most: u32) -> Option<Timeline<'a>> {
        let shares = shares(jobs, most);
        if shares.iter().all(|&n_reported| n_reported == 0) {
            return None;
        }
        let mut first_actor = 0;
        let timeline_of_job = |(job, n_reported): (&'a Job, usize)| {
            let timeline = JobTimeline::new(job, first_actor, n_reported, jobs.len());
            first_actor += job.ranks.len() as u32;
            timeline
        };
        Some(Timeline { jobs: jobs.iter().zip(shares).map(timeline_of_job).collect(), marks: Vec::new() })
    }

    /// Adds a mark of this window.
    pub fn add_mark(&mut self, mark: Mark, (host, actor): (HostId, u32), at: u64) {
        if self.jobs[usize::from(read(mark).job)].n_recorded > 0 {
            self.marks.push(RankMark { at, host, actor, mark });
        }
    }

    /// Processes the marks of a window that has ended; those of one rank at one instant stay in order.
    pub fn apply_marks(&mut self) {
        if self.marks.is_empty() {
            return;
        }
        self.marks.sort_by_key(|mark| (mark.at, mark.host, mark.actor));
        for RankMark { at, actor, mark, .. } in self.marks.drain(..) {
            let MarkFields { job, step, what, begins } = read(mark);
            self.jobs[usize::from(job)].take(step, actor, (what, begins), at);
        }
    }

    /// All rows, in order.
    pub fn rows(self) -> Vec<SpanRow> {
        let recorded_spans = self.jobs.iter().flat_map(|timeline_of_job| &timeline_of_job.recorded);
        let mut n_rows: usize = recorded_spans.map(Step::n_spans).sum();
        let mut rows = Vec::new();
        let mut steps: Vec<(u16, &JobTimeline, &Step)> = Vec::new();
        for (number, timeline_of_job) in (0..).zip(&self.jobs) {
            steps.extend(timeline_of_job.recorded.iter().map(|step| (number, timeline_of_job, step)));
            // The first step in progress, if there is room for it.
            if let Some(step) = timeline_of_job.open_steps.values().next()
                && n_rows + step.n_spans() <= ROOM
            {
                n_rows += step.n_spans();
                steps.push((number, timeline_of_job, step));
            }
        }
        for (number, timeline_of_job, step) in steps {
            timeline_of_job.emit_step(number, step, &mut rows);
        }
        rows.sort_unstable_by_key(SpanRow::order);
        rows
    }
}

impl<'a> JobTimeline<'a> {
    fn new(job: &'a Job, first_actor: u32, n_recorded: usize, n_jobs: usize) -> JobTimeline<'a> {
        let max_open_steps = (OPEN_STEP_ROOM / n_jobs / n_rows(job).max(1)).max(1);
        let (open_steps, recorded, spare) = (BTreeMap::new(), Vec::new(), Vec::new());
        let n_spans = spans_per_rank(job);
        JobTimeline {
            job,
            n_recorded,
            max_open_steps,
            n_spans,
            first_actor,
            n_begun: 0,
            open_steps,
            recorded,
            spare,
        }
    }

    /// An activity begins or ends at a rank.
    fn take(&mut self, number: u32, actor: u32, (what, begins): (ActivityId, bool), at: u64) {
        if what == ActivityId::STEP && begins && number >= self.n_begun {
            self.n_begun = number + 1;
            self.begin(number, at);
        }
        let Some(step) = self.open_steps.get_mut(&number) else { return };
        let rank = (actor - self.first_actor) as usize;
        if begins {
            step.begin(rank, self.n_spans, what, at);
            return;
        }
        step.end(rank, self.n_spans, what, at);
        if what == ActivityId::STEP {
            step.n_ended += 1;
            step.length = at - step.start;
            if step.n_ended as usize == self.job.ranks.len() {
                let step = self.open_steps.remove(&number).expect("just seen");
                self.keep_if_slow(step);
            }
        }
    }

    /// The first rank begins a step.
    fn begin(&mut self, number: u32, at: u64) {
        if self.open_steps.len() >= self.max_open_steps {
            return;
        }
        let mut step = self.spare.pop().unwrap_or_default();
        (step.number, step.start, step.length, step.n_ended) = (number, at, 0, 0);
        step.counts.clear();
        step.counts.resize(self.job.ranks.len(), 0);
        // Spans that a rank has not begun are never read.
        step.spans.resize(self.job.ranks.len() * self.n_spans, NOTHING);
        self.open_steps.insert(number, step);
    }

    /// A step has ended: it is recorded if it is the first one, or among the slowest; of equally long steps the earlier
    /// one.
    fn keep_if_slow(&mut self, step: Step) {
        self.recorded.push(step);
        if self.recorded.len() <= self.n_recorded {
            return;
        }
        let fastest = |step: &&Step| (step.number != 0, std::cmp::Reverse(step.length), step.number);
        let last = self.recorded.iter().max_by_key(fastest).expect("one was pushed").number;
        let index = self.recorded.iter().position(|step| step.number == last).expect("it is one of them");
        self.spare.push(self.recorded.swap_remove(index));
    }

    fn emit_step(&self, job: u16, step: &Step, rows: &mut Vec<SpanRow>) {
        for (rank, &count) in step.counts.iter().enumerate() {
            let spans = &step.spans[rank * self.n_spans..][..count as usize];
            rows.extend(spans.iter().map(|span| SpanRow {
                start: Time(span.start),
                end: (span.end < u64::MAX).then_some(Time(span.end)),
                job,
                step: step.number,
                rank: rank as u32,
                host: self.job.ranks[rank],
                activity: self.named(span.what),
                phase: span.what.phase,
                bucket: span.what.bucket,
            }));
        }
    }

    /// The activity that a phase stands for, from the job.
    fn named(&self, what: ActivityId) -> Activity {
        match (what.activity, what.phase) {
            (Activity::Communicate, Some(phase)) => match self.job.phases[usize::from(phase)] {
                Phase::Compute { .. } => Activity::Compute,
                Phase::PointToPoint(_) | Phase::Pipeline(_) => Activity::Stages,
                Phase::Communicate { .. } | Phase::Barrier | Phase::Program => Activity::Communicate,
            },
            (activity, _) => activity,
        }
    }
}

impl Step {
    /// Number of spans that ranks have begun.
    fn n_spans(&self) -> usize {
        self.counts.iter().map(|&count| count as usize).sum()
    }

    fn begin(&mut self, rank: usize, n_spans: usize, what: ActivityId, at: u64) {
        let count = self.counts[rank] as usize;
        assert!(count < n_spans, "a rank has no more spans in a step than its job");
        self.spans[rank * n_spans + count] = Span { start: at, end: u64::MAX, what };
        self.counts[rank] += 1;
    }

    fn end(&mut self, rank: usize, n_spans: usize, what: ActivityId, at: u64) {
        let begun = &mut self.spans[rank * n_spans..][..self.counts[rank] as usize];
        let span = begun.iter_mut().rev().find(|span| span.what == what && span.end == u64::MAX);
        span.expect("a span begins before it ends").end = at;
    }
}

/// The fields of a mark.
struct MarkFields {
    job: u16,
    step: u32,
    what: ActivityId,
    begins: bool,
}

/// Splits a mark into its fields; all phases but barriers count as communication here.
fn read(mark: Mark) -> MarkFields {
    let phase = |phase| ActivityId { activity: Activity::Communicate, phase: Some(phase), bucket: None };
    let barrier = |phase| ActivityId { activity: Activity::Barrier, phase: Some(phase), bucket: None };
    let compute = |phase, microbatch| ActivityId {
        activity: Activity::Compute,
        phase: Some(phase),
        bucket: Some(microbatch),
    };
    let bucket = |phase, bucket| ActivityId {
        activity: Activity::Collective,
        phase: Some(phase),
        bucket: Some(bucket),
    };
    let (job, step, what, begins) = match mark {
        Mark::StepBegins { job, step } => (job, step, ActivityId::STEP, true),
        Mark::StepEnds { job, step } => (job, step, ActivityId::STEP, false),
        Mark::PhaseBegins { job, step, phase: number } => (job, step, phase(number), true),
        Mark::PhaseEnds { job, step, phase: number } => (job, step, phase(number), false),
        Mark::BarrierBegins { job, step, phase: number } => (job, step, barrier(number), true),
        Mark::BarrierEnds { job, step, phase: number } => (job, step, barrier(number), false),
        Mark::ComputeBegins { job, step, phase, microbatch } => (job, step, compute(phase, microbatch), true),
        Mark::ComputeEnds { job, step, phase, microbatch } => (job, step, compute(phase, microbatch), false),
        Mark::CollectiveBegins { job, step, phase, bucket: number } => {
            (job, step, bucket(phase, number), true)
        }
        Mark::CollectiveEnds { job, step, phase, bucket: number } => {
            (job, step, bucket(phase, number), false)
        }
    };
    MarkFields { job, step, what, begins }
}

/// Number of spans of a rank in a step: the step, and the parts of its phases.
fn spans_per_rank(job: &Job) -> usize {
    let of_phase = |phase: &Phase| match phase {
        Phase::Compute { .. } | Phase::Barrier | Phase::Program => 1,
        Phase::PointToPoint(stages) => 1 + usize::from(stages.barrier),
        Phase::Pipeline(pipeline) => 1 + 2 * pipeline.microbatches as usize,
        Phase::Communicate { buckets, .. } if buckets.is_empty() => 0,
        Phase::Communicate { buckets, concurrent, barrier } => {
            let n_rounds = if *concurrent { 1 } else { buckets.len() };
            buckets.len() + if *barrier { 2 * n_rounds } else { 1 }
        }
    };
    1 + job.phases.iter().map(of_phase).sum::<usize>()
}

/// Number of rows of a step of a job.
fn n_rows(job: &Job) -> usize {
    job.ranks.len() * spans_per_rank(job)
}

/// Number of steps to record of each job: in turns, a step of each job, those with the fewest rows first, as long as
/// there is room.
fn shares(jobs: &[Job], most: u32) -> Vec<usize> {
    let mut shares = vec![0; jobs.len()];
    let mut room = ROOM;
    let mut line: Vec<(usize, usize)> = jobs.iter().map(n_rows).zip(0..).collect();
    line.sort_unstable();
    for turn in 0..most {
        line.retain(|&(n_rows, number)| {
            let fits = n_rows <= room && turn < jobs[number].steps;
            if fits {
                room -= n_rows;
                shares[number] += 1;
            }
            fits
        });
    }
    shares
}

#[cfg(test)]
mod tests {
    use netloom_model::{FabricService, Repetition};
    use netloom_units::Duration;

    use super::*;

    /// A job of `n_phases` compute phases on `n_ranks` hosts, in reverse order.
    fn job(n_ranks: u32, n_phases: usize, steps: u32) -> Job {
        Job {
            groups: Vec::new(),
            schedule: Vec::new(),
            ranks: (0..n_ranks).rev().map(HostId).collect(),
            steps,
            phases: vec![Phase::Compute { span: Duration(1) }; n_phases],
            start: Time::ZERO,
            handling: FabricService::default(),
            repetition: Repetition::default(),
        }
    }

    /// A host with its rank of such a job.
    fn on(host: u32, n_ranks: u32) -> (HostId, u32) {
        (HostId(host), n_ranks - 1 - host)
    }

    /// Steps of these lengths, one after the other, at all ranks.
    fn play(timeline: &mut Timeline<'_>, n_ranks: u32, lengths: &[u64]) {
        let mut at = 0;
        for (step, length) in (0..).zip(lengths) {
            for host in 0..n_ranks {
                timeline.add_mark(Mark::StepBegins { job: 0, step }, on(host, n_ranks), at);
                timeline.add_mark(Mark::StepEnds { job: 0, step }, on(host, n_ranks), at + length);
            }
            at += length;
        }
        timeline.apply_marks();
    }

    fn recorded_spans(timeline: Timeline<'_>) -> Vec<u32> {
        let mut steps: Vec<u32> = timeline.rows().iter().map(|row| row.step).collect();
        steps.dedup();
        steps
    }

    #[test]
    fn of_equally_long_steps_the_earlier_is_reported() {
        let jobs = [job(2, 0, 100)];
        for (most, expected) in
            [(1, vec![0]), (2, vec![0, 3]), (4, vec![0, 2, 3, 5]), (9, vec![0, 1, 2, 3, 4, 5])]
        {
            let mut timeline = Timeline::new(&jobs, most).unwrap();
            play(&mut timeline, 2, &[1, 7, 8, 9, 7, 8]);
            assert_eq!(recorded_spans(timeline), expected);
        }
    }

    #[test]
    fn jobs_get_one_step_each_in_turn_fewest_rows_first() {
        assert_eq!(shares(&[job(1000, 59, 9), job(1, 0, 9), job(100, 9, 2)], 4), [1, 4, 2]);
        assert_eq!(shares(&[job(1000, 65, 9), job(1, 0, 9)], 4), [0, 4]);
        assert_eq!(shares(&[job(10, 1, 9)], 0), [0]);
        // Two steps take all the room, and nothing is left for a third.
        assert_eq!(shares(&[job(1 << 15, 0, 9)], 1000), [2]);
        assert!(Timeline::new(&[job(1 << 15, 2, 9)], 1000).is_none());
    }

    #[test]
    fn the_order_of_reports_of_partitions_has_no_effect() {
        let jobs = [job(3, 1, 9)];
        let marks = |host: u32| {
            let at = u64::from(host);
            [
                (Mark::StepBegins { job: 0, step: 0 }, at),
                (Mark::PhaseBegins { job: 0, step: 0, phase: 0 }, at),
                (Mark::PhaseEnds { job: 0, step: 0, phase: 0 }, at + 1),
                (Mark::StepEnds { job: 0, step: 0 }, at + 1),
                (Mark::StepBegins { job: 0, step: 1 }, at + 1),
            ]
        };
        let rows = |hosts: [u32; 3]| {
            let mut timeline = Timeline::new(&jobs, 4).unwrap();
            for host in hosts {
                for (mark, at) in marks(host) {
                    timeline.add_mark(mark, on(host, 3), at);
                }
            }
            timeline.apply_marks();
            timeline.rows()
        };
        let expected = rows([0, 1, 2]);
        assert_eq!(expected.len(), 3 * 2 + 3);
        assert!(
            expected.iter().all(|row| row.rank == 2 - row.host.0 && row.end.is_none() == (row.step == 1))
        );
        assert_eq!(rows([2, 0, 1]), expected);
    }

    #[test]
    fn ranks_that_run_ahead_use_bounded_memory() {
        let jobs = [job(1 << 13, 7, 1 << 20)];
        let mut timeline = Timeline::new(&jobs, 4).unwrap();
        for step in 0..1000 {
            timeline.add_mark(Mark::StepBegins { job: 0, step }, on(5, 1 << 13), u64::from(step));
            timeline.add_mark(Mark::StepEnds { job: 0, step }, on(5, 1 << 13), u64::from(step) + 1);
        }
        timeline.apply_marks();
        // 65,536 rows a step: two are held, and the first one is recorded.
        assert_eq!(timeline.jobs[0].open_steps.len(), 2);
        assert_eq!(recorded_spans(timeline), [0]);
    }
}
