//! Joins the marks of all ranks into rows of steps and collectives.
//!
//! Models: a step (or collective) begins with its first rank and ends with its last.
//! Leaves out: what happens in between.
//!
//! Invariants: rows of one window are sorted before they are handed on; an entry lives only while ranks are inside it.

use std::collections::BTreeMap;

use netloom_model::{Job, Mark, Phase};
use netloom_records::{CollectiveRow, JobRow, StepRow};
use netloom_units::{Bytes, Time};

use crate::measure;

/// A span that ranks enter and leave.
#[derive(Debug, Clone, Copy)]
struct Span {
    start: Time,
    end: Time,
    n_ended: u32,
}

/// The story of one job.
#[derive(Debug, Clone, Copy, Default)]
struct Life {
    start: Option<Time>,
    end: Option<Time>,
    /// End of the last step done.
    last: Option<Time>,
    steps: u32,
}

/// What is kept of a measured job.
type Times = Option<Vec<u64>>;

/// See the module.
#[derive(Debug)]
pub struct Ledger<'a> {
    jobs: &'a [Job],
    open_steps: BTreeMap<(u16, u32), Span>,
    open_collectives: BTreeMap<(u16, u32, u16, u16), Span>,
    lives: Vec<Life>,
    /// Times of the steps of each measured job, in ps.
    times: Vec<Times>,
    /// The end of a job that has done all its steps since somebody asked.
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
            lives: vec![Life::default(); jobs.len()],
            times: jobs.iter().map(|job| job.repetition.measured.then(Vec::new)).collect(),
            ended: None,
            steps: Vec::new(),
            collectives: Vec::new(),
        }
    }

    /// Takes a rank's mark.
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
            // What a single rank does is kept by the timeline.
            Mark::PhaseBegins { .. }
            | Mark::PhaseEnds { .. }
            | Mark::BarrierBegins { .. }
            | Mark::BarrierEnds { .. } => {}
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

    /// Times in ps of the steps of a measured job.
    pub fn times(&self, job: u16) -> Option<&[u64]> {
        self.times[job as usize].as_deref()
    }

    /// Whether a job has done as many steps as its precision needs.
    pub fn has_enough(&self, job: u16) -> bool {
        let repetition = &self.jobs[job as usize].repetition;
        self.times(job).is_some_and(|times| measure::is_enough(times, repetition))
    }

    /// A job does no more steps.
    pub fn end_early(&mut self, job: u16) {
        let life = &mut self.lives[job as usize];
        life.end = life.last;
    }

    /// The latest end of the jobs that have done all their steps since the last call.
    pub fn take_ended(&mut self) -> Option<Time> {
        self.ended.take()
    }

    /// Whether all jobs have ended but those that are endless.
    pub fn all_but_endless_ended(&self) -> bool {
        let ended = |(job, life): (&Job, &Life)| job.repetition.endless || life.end.is_some();
        self.jobs.iter().zip(&self.lives).all(ended)
    }

    fn close_collective(&mut self, (job, step, phase, bucket): (u16, u32, u16, u16), span: Span) {
        let (size, bus_bytes) = self.sizes(job, phase, bucket);
        let seconds = span.end.since(span.start).as_seconds();
        let rate = |bytes: Bytes| if seconds > 0.0 { bytes.0 as f64 / seconds } else { 0.0 };
        self.collectives.push(CollectiveRow {
            start: span.start,
            end: span.end,
            job,
            step,
            phase,
            bucket,
            ranks: self.n_ranks(job),
            size,
            algbw: rate(size),
            busbw: rate(bus_bytes),
        });
    }

    fn sizes(&self, job: u16, phase: u16, bucket: u16) -> (Bytes, Bytes) {
        match &self.jobs[job as usize].phases[phase as usize] {
            Phase::Communicate { buckets, .. } => {
                let bucket = &buckets[bucket as usize];
                (bucket.size, bucket.bus_bytes)
            }
            _ => (Bytes(0), Bytes(0)),
        }
    }

    /// Rows closed since the last call, in their tables' order.
    pub fn take_rows(&mut self) -> (Vec<StepRow>, Vec<CollectiveRow>) {
        let mut steps = std::mem::take(&mut self.steps);
        let mut collectives = std::mem::take(&mut self.collectives);
        steps.sort_unstable_by_key(|row| (row.end, row.job, row.step));
        collectives.sort_unstable_by_key(|row| (row.end, row.job, row.step, row.phase, row.bucket));
        (steps, collectives)
    }

    /// Steps finished so far, over all jobs that are not endless.
    pub fn n_steps(&self) -> u64 {
        let finite = self.lives.iter().zip(self.jobs).filter(|(_, job)| !job.repetition.endless);
        finite.map(|(life, _)| u64::from(life.steps)).sum()
    }

    /// One row per job.
    pub fn job_rows(&self) -> Vec<JobRow> {
        let row = |(number, life): (usize, &Life)| JobRow {
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

/// One more rank has ended; gives the span when it was the last.
fn end<K: Ord + Copy>(open: &mut BTreeMap<K, Span>, key: K, at: Time, n_ranks: u32) -> Option<Span> {
    let span = open.get_mut(&key).expect("a rank begins what it ends");
    span.n_ended += 1;
    span.end = span.end.max(at);
    if span.n_ended < n_ranks { None } else { open.remove(&key) }
}
