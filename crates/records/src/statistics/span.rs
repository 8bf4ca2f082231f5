//! The part of a run over which statistics are taken that depend on the length of observation: completion times of
//! background messages, mean throughput, utilization.
//!
//! Models: the time in which a job runs (between the first start and the last end of each job, several jobs united),
//! the whole run, or a given interval.
//! Leaves out: statistics that need no span: times of steps and collectives, longest queues, drops.
//!
//! Invariants: every view of a run takes its span from here. A message belongs to the span in which it starts. If no
//! job started, the time of jobs is the whole run. A sampled interval that lies partly within counts by that part,
//! which assumes that it was evenly filled.

use std::fmt;

use netloom_units::{Duration, PortId, Time};

use crate::rows::{JobRow, PortRow, SeriesRow};

/// The requested part of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Over {
    /// The time in which a job runs.
    #[default]
    Jobs,
    /// The whole run.
    All,
    /// From the first instant up to the second.
    Between(Time, Time),
}

/// An interval that is not within the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutsideRun {
    /// Start and end of the interval.
    pub asked: [Time; 2],
    /// The end of the run.
    pub end: Time,
}

/// The selected part of one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    over: Over,
    /// Disjoint, in order, none of them empty unless the run is.
    parts: Vec<[Time; 2]>,
    end: Time,
}

impl fmt::Display for Over {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Over::Jobs => f.write_str("jobs"),
            Over::All => f.write_str("all"),
            Over::Between(from, to) => write!(f, "{}ps..{}ps", from.0, to.0),
        }
    }
}

impl Span {
    /// The whole of a run that ends at `end`.
    pub fn whole(end: Time) -> Span {
        Span { over: Over::All, parts: vec![[Time::ZERO, end]], end }
    }

    /// The time in which these jobs ran; one that did not end ran to the end of the run.
    pub fn of_jobs(jobs: &[JobRow], end: Time) -> Span {
        let ran = |job: &JobRow| Some([job.start?, job.end.unwrap_or(end).min(end)]);
        let mut ran: Vec<[Time; 2]> = jobs.iter().filter_map(ran).filter(|[from, to]| from < to).collect();
        ran.sort_unstable();
        let mut parts: Vec<[Time; 2]> = Vec::new();
        for [from, to] in ran {
            match parts.last_mut() {
                Some(last) if from <= last[1] => last[1] = last[1].max(to),
                _ => parts.push([from, to]),
            }
        }
        if parts.is_empty() {
            parts.push([Time::ZERO, end]);
        }
        Span { over: Over::Jobs, parts, end }
    }

    /// The requested part of a run with these jobs that ends at `end`.
    ///
    /// # Errors
    /// If an interval was given that is empty or not within the run.
    pub fn of(over: Over, jobs: &[JobRow], end: Time) -> Result<Span, OutsideRun> {
        match over {
            Over::Jobs => Ok(Span::of_jobs(jobs, end)),
            Over::All => Ok(Span::whole(end)),
            Over::Between(from, to) if from < to && to <= end => {
                Ok(Span { over, parts: vec![[from, to]], end })
            }
            Over::Between(from, to) => Err(OutsideRun { asked: [from, to], end }),
        }
    }

    /// The request.
    pub fn over(&self) -> Over {
        self.over
    }

    /// Its parts, in order.
    pub fn parts(&self) -> &[[Time; 2]] {
        &self.parts
    }

    /// Whether it is the whole run.
    pub fn is_whole(&self) -> bool {
        self.parts == [[Time::ZERO, self.end]]
    }

    /// Its length.
    pub fn length(&self) -> Duration {
        Duration(self.parts.iter().map(|[from, to]| to.0 - from.0).sum())
    }

    /// Whether a message that starts at `at` belongs to it; the end of the run belongs to its last instant.
    pub fn has(&self, at: Time) -> bool {
        self.is_whole()
            || self.parts.iter().any(|&[from, to]| from <= at && (at < to || at == to && to == self.end))
    }

    /// The part of an interval that lies within, from 0 to 1; time after the end of the run does not count.
    pub fn share(&self, from: Time, to: Time) -> f64 {
        let to = to.min(self.end);
        if from >= to {
            return f64::from(u8::from(self.has(from.min(self.end))));
        }
        let within = |part: &[Time; 2]| part[1].min(to).0.saturating_sub(part[0].max(from).0);
        self.parts.iter().map(within).sum::<u64>() as f64 / (to.0 - from.0) as f64
    }

    /// The part of a sample's interval that lies within.
    pub fn share_of(&self, row: &SeriesRow) -> f64 {
        self.share(Time(row.time.0.saturating_sub(row.interval.0)), row.time)
    }
}

/// The share of each port's bytes that it sent within a span, by its samples.
#[derive(Debug)]
pub struct PortShares {
    span: Span,
    /// Sampled bytes by port: within the span, and all.
    sampled: Vec<(f64, u64)>,
}

impl PortShares {
    /// No samples yet.
    pub fn new(span: Span) -> PortShares {
        PortShares { span, sampled: Vec::new() }
    }

    /// Adds a sample.
    pub fn take(&mut self, row: &SeriesRow) {
        if self.span.is_whole() {
            return;
        }
        let slot = row.port.index();
        if self.sampled.len() <= slot {
            self.sampled.resize(slot + 1, (0.0, 0));
        }
        let (within, all) = &mut self.sampled[slot];
        *within += row.size.0 as f64 * self.span.share_of(row);
        *all = all.saturating_add(row.size.0);
    }

    /// Whether port statistics are available for the span; else only for the whole run, because nothing was sampled.
    pub fn is_known(&self) -> bool {
        self.span.is_whole() || !self.sampled.is_empty()
    }

    /// The length of the time that port statistics cover, in ps.
    pub fn length(&self) -> f64 {
        if self.is_known() { self.span.length().0 as f64 } else { self.span.end.0 as f64 }
    }

    /// The part of a port's bytes that counts.
    fn share(&self, port: PortId) -> f64 {
        if self.span.is_whole() || !self.is_known() {
            return 1.0;
        }
        match self.sampled.get(port.index()) {
            Some(&(within, all)) if all > 0 => within / all as f64,
            // For a port without samples, an even rate is assumed.
            _ => self.span.length().0 as f64 / self.span.end.0.max(1) as f64,
        }
    }

    /// Bytes that a port sent in that time.
    pub fn bytes(&self, port: &PortRow) -> f64 {
        port.size.0 as f64 * self.share(port.port)
    }

    /// How long it was transmitting in that time, in ps.
    pub fn busy(&self, port: &PortRow) -> f64 {
        (port.busy.0 as f64 * self.share(port.port)).min(self.length())
    }

    /// The same as a part of that time.
    pub fn usage(&self, port: &PortRow) -> f64 {
        if self.length() > 0.0 { self.busy(port) / self.length() } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use netloom_units::Random;

    use super::*;

    fn job(start: Option<u64>, end: Option<u64>) -> JobRow {
        JobRow { job: 0, ranks: 2, start: start.map(Time), end: end.map(Time), steps: 1 }
    }

    #[test]
    fn jobs_that_overlap_are_one_part_and_others_stay_apart() {
        let jobs = [job(Some(50), Some(60)), job(Some(0), Some(10)), job(Some(5), Some(20)), job(None, None)];
        let span = Span::of_jobs(&jobs, Time(100));
        assert_eq!(span.parts(), [[Time(0), Time(20)], [Time(50), Time(60)]]);
        assert_eq!(span.length(), Duration(30));
        let holds: Vec<u64> =
            [0, 19, 20, 49, 50, 59, 60, 100].into_iter().filter(|at| span.has(Time(*at))).collect();
        assert_eq!(holds, [0, 19, 50, 59]);
        assert!(!span.is_whole());
    }

    #[test]
    fn a_job_without_end_runs_to_the_end_of_the_run_and_without_jobs_all_counts() {
        assert_eq!(Span::of_jobs(&[job(Some(40), None)], Time(100)).parts(), [[Time(40), Time(100)]]);
        assert!(Span::of_jobs(&[job(Some(40), None)], Time(100)).has(Time(100)));
        for jobs in [vec![], vec![job(None, None)]] {
            assert!(Span::of_jobs(&jobs, Time(100)).is_whole(), "{jobs:?}");
        }
    }

    #[test]
    fn an_interval_must_lie_within_the_run() {
        let of = |from, to| Span::of(Over::Between(Time(from), Time(to)), &[], Time(100));
        assert!(of(0, 100).expect("it is the run").is_whole());
        assert_eq!(of(10, 20).expect("it is within").length(), Duration(10));
        for (from, to) in [(10, 10), (20, 10), (0, 101), (100, 200)] {
            let asked = [Time(from), Time(to)];
            assert_eq!(of(from, to), Err(OutsideRun { asked, end: Time(100) }));
        }
    }

    #[test]
    fn shares_of_intervals_that_tile_a_run_add_up_to_the_span() {
        let mut random = Random::stream(7, 0, 0);
        let mut below = |bound: u64| u64::from(random.below(u32::try_from(bound).expect("it is small")));
        for _ in 0..500 {
            let end = 1 + below(1_000);
            let mut draw = || (below(end + 1), below(end + 1));
            let jobs: Vec<JobRow> = (0..3)
                .map(|_| {
                    let (one, other) = draw();
                    job(Some(one.min(other)), Some(one.max(other)))
                })
                .collect();
            let span = Span::of_jobs(&jobs, Time(end));
            let interval = 1 + below(50);
            let tiles = (0..end.div_ceil(interval)).map(|nth| (nth * interval, (nth + 1) * interval));
            let sum: f64 =
                tiles.map(|(from, to)| span.share(Time(from), Time(to)) * (to.min(end) - from) as f64).sum();
            assert!((sum - span.length().0 as f64).abs() < 1e-6, "{sum} {span:?}");
        }
    }
}
