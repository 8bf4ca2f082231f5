//! Combines the marks of all ranks into one row per step and one row per collective.
//!
//! Models: a step (or collective) begins when its first rank begins it and ends when its last rank ends it.
//! Leaves out: what happens in between.
//!
//! Invariants: the rows of a window are sorted before they are emitted; an open entry exists only while ranks are
//! inside it.

use std::collections::BTreeMap;

use netloom_model::{Job, Mark, Phase};
use netloom_records::{CollectiveRow, JobRow, StepRow};
use netloom_units::{Bytes, Time};

use crate::measure;

/// A step or collective that ranks enter and leave.
#[derive(Debug, Clone, Copy)]
struct Span {
    start: Time,
    end: Time,
    n_ended: u32,
}

/// Start, end and progress of one job.
#[derive(Debug, Clone, Copy, Default)]
struct JobProgress {
    start: Option<Time>,
    end: Option<Time>,
    /// End of the last completed step.
    last: Option<Time>,
    steps: u32,
}

/// Step times of a measured job, in ps; `None` for other jobs.
type Times = Option<Vec<u64>>;

/// See the module.
#[derive(Debug)]
pub struct Ledger<'a> {
    jobs: &'a [Job],
    open_steps: BTreeMap<(u16, u32), Span>,
    open_collectives: BTreeMap<(u16, u32, u16, u16), Span>,
    lives: Vec<JobProgress>,
    /// Step times of each measured job, in ps.
    times: Vec<Times>,
    /// The latest end of a job that has completed all its steps since the last [`Ledger::take_ended`].
    ended: Option<Time>,
    steps: Vec<StepRow>,
    collectives: Vec<CollectiveRow>,
}

impl<'a> Ledger<'a> {
    /// A ledger for these jobs.
    pub fn new(jobs: &'a [Job]) -> Ledger<'a> {
        Ledger {
            jobs,
            open_steps: BTreeMap::new(),
            open_collectives: BTreeMap::new(),
            lives: vec![JobProgress::default(); jobs.len()],
            times: jobs.iter().map(|job| job.repetition.measured.then(Vec::new)).collect(),
            ended: None,
            steps: Vec::new(),
            collectives: Vec::new(),
        }
    }

    /// Records a rank's mark.
    pub fn mark(&mut self, mark: Mark, at: Time) {
        match mark {
            Mark::StepBegins { job, step } => {
                let life = &mut self.lives[job as usize];
                life.start = Some(life.start.map_or(at, |start| start.min(at)));
                begin(&mut self.open_steps, (job, step), at);
            }
            Mark::StepEnds { job, step } => {
                let n_ranks = self.n_ranks(job);
                if let Some(span) = end(&mut self.open_steps, (job, step), at, n_ranks) {
                    self.close_step(job, step, span);
                }
            }
            // The activities of a single rank are recorded by the timeline.
            Mark::PhaseBegins { .. }
            | Mark::PhaseEnds { .. }
            | Mark::BarrierBegins { .. }
            | Mark::BarrierEnds { .. }
            | Mark::ComputeBegins { .. }
            | Mark::ComputeEnds { .. } => {}
            Mark::CollectiveBegins { job, step, phase, bucket } => {
                begin(&mut self.open_collectives, (job, step, phase, bucket), at);
            }
            Mark::CollectiveEnds { job, step, phase, bucket } => {
                let key = (job, step, phase, bucket);
                let n_ranks = self.n_ranks(job);
                if let Some(span) = end(&mut self.open_collectives, key, at, n_ranks) {
                    self.close_collective(key, span);
                }
            }
        }
    }

    fn n_ranks(&self, job: u16) -> u32 {
        self.jobs[job as usize].ranks.len() as u32
    }

    fn close_step(&mut self, job: u16, step: u32, span: Span) {
        self.steps.push(StepRow { start: span.start, end: span.end, job, step });
        if let Some(times) = &mut self.times[job as usize] {
            times.push(span.end.since(span.start).0);
        }
        let life = &mut self.lives[job as usize];
        life.steps += 1;
        life.last = Some(span.end);
        if life.steps == self.jobs[job as usize].steps {
            life.end = Some(span.end);
            self.ended = self.ended.max(life.end);
        }
    }

    /// Step times of a measured job, in ps.
    pub fn times(&self, job: u16) -> Option<&[u64]> {
        self.times[job as usize].as_deref()
    }

    /// Whether a job has completed as many steps as its precision requires.
    pub fn has_enough(&self, job: u16) -> bool {
        let repetition = &self.jobs[job as usize].repetition;
        self.times(job).is_some_and(|times| measure::is_enough(times, repetition))
    }

    /// The job runs no further steps: it ends with its last completed step.
    pub fn end_early(&mut self, job: u16) {
        let life = &mut self.lives[job as usize];
        life.end = life.last;
    }

    /// The latest end of the jobs that have completed all their steps since the last call.
    pub fn take_ended(&mut self) -> Option<Time> {
        self.ended.take()
    }

    /// Whether all jobs have ended, endless ones excepted.
    pub fn all_but_endless_ended(&self) -> bool {
        let ended = |(job, life): (&Job, &JobProgress)| job.repetition.endless || life.end.is_some();
        self.jobs.iter().zip(&self.lives).all(ended)
    }

    fn close_collective(&mut self, (job, step, phase, bucket): (u16, u32, u16, u16), span: Span) {
        let (ranks, size, bus_bytes) = self.sizes(job, phase, bucket);
        let seconds = span.end.since(span.start).as_seconds();
        let rate = |bytes: Bytes| if seconds > 0.0 { bytes.0 as f64 / seconds } else { 0.0 };
        self.collectives.push(CollectiveRow {
            start: span.start,
            end: span.end,
            job,
            step,
            phase,
            bucket,
            ranks,
            size,
            algbw: rate(size),
            busbw: rate(bus_bytes),
        });
    }

    /// Number of ranks of the largest communicator of a bucket, and the bytes of its bandwidths.
    fn sizes(&self, job: u16, phase: u16, bucket: u16) -> (u32, Bytes, Bytes) {
        let job = &self.jobs[job as usize];
        match &job.phases[phase as usize] {
            Phase::Communicate { buckets, .. } => {
                let bucket = &buckets[bucket as usize];
                (job.ranks_of_bucket(bucket), bucket.size, bucket.bus_bytes)
            }
            _ => (0, Bytes(0), Bytes(0)),
        }
    }

    /// Rows completed since the last call, in the order of their tables.
    pub fn take_rows(&mut self) -> (Vec<StepRow>, Vec<CollectiveRow>) {
        let mut steps = std::mem::take(&mut self.steps);
        let mut collectives = std::mem::take(&mut self.collectives);
        steps.sort_unstable_by_key(|row| (row.end, row.job, row.step));
        collectives.sort_unstable_by_key(|row| (row.end, row.job, row.step, row.phase, row.bucket));
        (steps, collectives)
    }

    /// Number of steps finished so far, over all jobs that are not endless.
    pub fn n_steps(&self) -> u64 {
        let finite = self.lives.iter().zip(self.jobs).filter(|(_, job)| !job.repetition.endless);
        finite.map(|(life, _)| u64::from(life.steps)).sum()
    }

    /// One row per job.
    pub fn job_rows(&self) -> Vec<JobRow> {
        let row = |(number, life): (usize, &JobProgress)| JobRow {
            job: number as u16,
            ranks: self.n_ranks(number as u16),
            start: life.start,
            end: life.end,
            steps: life.steps,
        };
        self.lives.iter().enumerate().map(row).collect()
    }
}

fn begin<K: Ord>(open: &mut BTreeMap<K, Span>, key: K, at: Time) {
    let span = open.entry(key).or_insert(Span { start: at, end: at, n_ended: 0 });
    span.start = span.start.min(at);
}

/// One more rank has ended; returns the span if it was the last rank.
fn end<K: Ord + Copy>(open: &mut BTreeMap<K, Span>, key: K, at: Time, n_ranks: u32) -> Option<Span> {
    let span = open.get_mut(&key).expect("a span begins before it ends");
    span.n_ended += 1;
    span.end = span.end.max(at);
    if span.n_ended < n_ranks { None } else { open.remove(&key) }
}
