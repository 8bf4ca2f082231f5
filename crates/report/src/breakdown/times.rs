//! Times of ranks in a step: computation, communication and its exposed part, barriers, idle time.
//!
//! Invariants: computation, exposed communication, barriers and idle time sum up to the step; time in several of them
//! counts to the first.

use std::collections::BTreeMap;

use netloom_records::Activity;
use netloom_units::Time;
use serde::Serialize;

use super::{RankSpans, mean_seconds};
use crate::round::seconds;

/// Times of a rank in a step, in ps.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RankTimes {
    /// The step.
    pub step: u64,
    /// In computation.
    pub compute: u64,
    /// In communication, covered by computation or not.
    pub communication: u64,
    /// In communication and not in computation.
    pub exposed: u64,
    /// At barriers, and in neither of these.
    pub barrier: u64,
    /// In none of these.
    pub idle: u64,
}

impl RankTimes {
    /// The times of a rank from its spans in a step; those that were not completed are cut at the end of the run.
    pub fn of(rows: &[netloom_records::SpanRow], run_end: Time) -> RankTimes {
        let spans = RankSpans(rows);
        let of = |activity| spans.union(run_end, move |row| row.activity == activity);
        let [step, compute, barrier] = [Activity::Step, Activity::Compute, Activity::Barrier].map(of);
        let communication = spans.union(run_end, |row| match row.activity {
            Activity::Communicate => true,
            Activity::Stages => !spans.is_pipeline(row.phase),
            _ => false,
        });
        let busy = compute.with(&communication);
        RankTimes {
            step: step.length(),
            compute: compute.length(),
            communication: communication.length(),
            exposed: communication.length_without(&compute),
            barrier: barrier.length_without(&busy),
            idle: step.length_without(&busy.with(&barrier)),
        }
    }
}

/// A time of ranks in a step, in seconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct MeanTime {
    /// Mean over ranks and steps.
    pub mean: f64,
    /// The largest mean of a rank over its steps.
    pub worst: f64,
    /// That rank.
    pub rank: u32,
    /// The mean as a share of the mean step.
    pub share: f64,
}

/// Times of all ranks.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct TimesOverRanks {
    /// Number of ranks.
    #[serde(skip)]
    pub n_ranks: usize,
    /// A rank's step.
    pub step: MeanTime,
    /// Computation.
    pub compute: MeanTime,
    /// Communication.
    pub communication: MeanTime,
    /// Exposed communication.
    pub exposed: MeanTime,
    /// Barriers.
    pub barrier: MeanTime,
    /// Idle time, the bubble.
    pub idle: MeanTime,
}

impl TimesOverRanks {
    /// The times of ranks in completed steps; none without any.
    pub(super) fn of(ranks: &[RankSpans<'_>]) -> Option<TimesOverRanks> {
        let mut times: BTreeMap<u32, Vec<RankTimes>> = BTreeMap::new();
        for spans in ranks {
            times.entry(spans.0.first()?.rank).or_default().push(RankTimes::of(spans.0, Time::ZERO));
        }
        let step = mean_time(&times, |found| found.step, None)?;
        let of = |read| mean_time(&times, read, Some(step.mean));
        Some(TimesOverRanks {
            n_ranks: times.len(),
            step,
            compute: of(|found| found.compute)?,
            communication: of(|found| found.communication)?,
            exposed: of(|found| found.exposed)?,
            barrier: of(|found| found.barrier)?,
            idle: of(|found| found.idle)?,
        })
    }
}

fn mean_time(
    times: &BTreeMap<u32, Vec<RankTimes>>,
    read: fn(&RankTimes) -> u64,
    step: Option<f64>,
) -> Option<MeanTime> {
    let mean_of = |found: &Vec<RankTimes>| found.iter().map(read).sum::<u64>() as f64 / found.len() as f64;
    let means: Vec<(u32, f64)> = times.iter().map(|(rank, found)| (*rank, mean_of(found))).collect();
    // Of equal ranks the first.
    let worst = means.iter().copied().reduce(|one, other| if other.1 > one.1 { other } else { one })?;
    let mean = mean_seconds(means.iter().map(|(_, mean)| mean).sum(), means.len());
    let share = step.map_or(1.0, |step| share_of(mean, step));
    Some(MeanTime { mean, worst: seconds(worst.1), rank: worst.0, share })
}

/// A part as a share of a step; none of a step without length.
pub(super) fn share_of(part: f64, step: f64) -> f64 {
    if step > 0.0 { crate::round::share(part / step) } else { 0.0 }
}
