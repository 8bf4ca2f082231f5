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
    steps: u32,
}

/// See the module.
#[derive(Debug)]
pub struct Ledger<'a> {
    jobs: &'a [Job],
    open_steps: BTreeMap<(u16, u32), Span>,
    open_collectives: BTreeMap<(u16, u32, u16, u16), Span>,
    lives: Vec<Life>,
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
        let life = &mut self.lives[job as usize];
        life.steps += 1;
        if life.steps == self.jobs[job as usize].steps {
            life.end = Some(span.end);
        }
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

    /// Steps finished so far, over all jobs.
    pub fn n_steps(&self) -> u64 {
        self.lives.iter().map(|life| u64::from(life.steps)).sum()
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
