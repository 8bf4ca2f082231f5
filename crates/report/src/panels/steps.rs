//! Step times of each job: mean, p95 and p99 with their intervals, the distribution, and step times over time.

use std::collections::BTreeMap;

use netloom_records::{Batch, JobRow};
use serde::Serialize;

use super::Collector;
use crate::collect::About;
use crate::estimate::{Estimate, mean, quantile};
use crate::round::seconds;
use netloom_records::statistics::{Sample, Taken};

/// Distributions of up to this number of values are embedded with every value.
const FEW: u64 = 600;

/// Step times of a run.
#[derive(Debug, Default)]
pub struct Steps {
    times: BTreeMap<u16, Sample>,
    course: BTreeMap<u16, Course>,
    jobs: Vec<JobRow>,
}

impl Collector for Steps {
    fn take(&mut self, _: &About, batch: Batch<'_>) {
        match batch {
            Batch::Steps(rows) => {
                for row in rows {
                    let time = row.end.since(row.start).0;
                    self.times.entry(row.job).or_default().push(time);
                    self.course.entry(row.job).or_default().push(row.start.0, time);
                }
            }
            Batch::Jobs(rows) => self.jobs.extend_from_slice(rows),
            _ => {}
        }
    }
}

/// One job of one run.
#[derive(Debug, Serialize)]
pub struct JobData {
    /// Index of the run, from 0.
    pub run: usize,
    /// Its name.
    pub job: String,
    /// Number of ranks.
    pub ranks: u32,
    /// Steps completed by all ranks.
    pub steps: u32,
    /// From the first rank's start to the last rank's end, in seconds; absent if it did not finish.
    pub time: Option<f64>,
    /// Step times; absent without a completed step.
    pub times: Option<Times>,
    /// Step times over the start of each step.
    pub course: CourseData,
}

/// Step times, in seconds.
#[derive(Debug, Clone, Serialize)]
pub struct Times {
    /// Mean.
    pub mean: Estimate,
    /// 95th percentile.
    pub p95: Estimate,
    /// 99th percentile.
    pub p99: Estimate,
    /// Whether percentiles are exact.
    pub exact: bool,
    /// The distribution.
    pub cdf: Cdf,
}

/// A distribution: values in ascending order, each with the share of values that are not larger.
#[derive(Debug, Clone, Serialize)]
pub struct Cdf {
    /// Values, in seconds.
    pub values: Vec<f64>,
    /// Shares.
    pub shares: Vec<f64>,
    /// Whether it has every value; otherwise these are quantiles, with other values between them.
    pub whole: bool,
}

impl Steps {
    /// The jobs read so far.
    pub fn jobs(&self) -> &[JobRow] {
        &self.jobs
    }

    /// The data of each job.
    pub fn finish(mut self, run: usize, about: &About) -> Vec<JobData> {
        let jobs = std::mem::take(&mut self.jobs);
        let data = |row: JobRow| JobData {
            run,
            job: about.job(row.job),
            ranks: row.ranks,
            steps: row.steps,
            time: row.start.zip(row.end).map(|(start, end)| seconds(end.since(start).0 as f64)),
            times: self.times.remove(&row.job).and_then(Sample::finish).map(|taken| Times::of(&taken)),
            course: self.course.remove(&row.job).unwrap_or_default().finish(),
        };
        jobs.into_iter().map(data).collect()
    }
}

/// Step times over time. If there are many, consecutive steps share a point, which has the slowest of them.
#[derive(Debug)]
struct Course {
    /// Start and time of steps, in ps.
    points: Vec<(u64, u64)>,
    /// Number of steps of a point.
    each: u64,
    /// Number of steps in the last point.
    n_last: u64,
}

impl Default for Course {
    fn default() -> Course {
        Course { points: Vec::new(), each: 1, n_last: 1 }
    }
}

impl Course {
    fn push(&mut self, start: u64, time: u64) {
        if let Some(last) = self.points.last_mut().filter(|_| self.n_last < self.each) {
            *last = slower(*last, (start, time));
            self.n_last += 1;
            return;
        }
        if self.points.len() as u64 == FEW {
            self.points = self
                .points
                .chunks(2)
                .map(|two| two.iter().copied().reduce(slower).unwrap_or_default())
                .collect();
            self.each *= 2;
        }
        self.points.push((start, time));
        self.n_last = 1;
    }

    fn finish(self) -> CourseData {
        let (starts, times) = self.points.into_iter().unzip::<u64, u64, Vec<u64>, Vec<u64>>();
        let in_seconds = |all: Vec<u64>| all.into_iter().map(|time| seconds(time as f64)).collect();
        CourseData { each: self.each, starts: in_seconds(starts), times: in_seconds(times) }
    }
}

fn slower(one: (u64, u64), other: (u64, u64)) -> (u64, u64) {
    if other.1 > one.1 { other } else { one }
}

/// Step times over the start of each step.
#[derive(Debug, Serialize)]
pub struct CourseData {
    /// Number of steps of a point, which has the slowest of them.
    pub each: u64,
    /// When they started, in seconds.
    pub starts: Vec<f64>,
    /// Their step times, in seconds.
    pub times: Vec<f64>,
}

impl Times {
    fn of(taken: &Taken) -> Times {
        Times {
            mean: mean(taken),
            p95: quantile(taken, 0.95),
            p99: quantile(taken, 0.99),
            exact: taken.is_exact(),
            cdf: Cdf::of(taken),
        }
    }
}

impl Cdf {
    /// Every value if they are few, otherwise some 400 quantiles that are denser towards the slow end.
    pub fn of(taken: &Taken) -> Cdf {
        let count = taken.count();
        if count <= FEW {
            let ranks = 0..count;
            let values = ranks.clone().map(|rank| seconds(taken.at(rank) as f64)).collect();
            let shares = ranks.map(|rank| share(rank, count)).collect();
            return Cdf { values, shares, whole: true };
        }
        let shares: Vec<f64> = quantile_shares().collect();
        let values = shares.iter().map(|share| seconds(taken.quantile(*share))).collect();
        Cdf { values, shares, whole: false }
    }
}

/// The share of values up to a rank.
fn share(rank: u64, count: u64) -> f64 {
    crate::round::six_digits((rank + 1) as f64 / count as f64)
}

/// Every quarter of a percent, and above 99 % ever closer to the end.
fn quantile_shares() -> impl Iterator<Item = f64> {
    let even = (0..=396).map(|quarter| f64::from(quarter) / 400.0);
    let tail = (1..=40).map(|nth| crate::round::six_digits(1.0 - 0.01 * 0.8_f64.powi(nth)));
    even.chain(tail).chain([1.0])
}
