//! Phases of a step: their mean time, and how much of it computation did not cover.
//!
//! Invariants: a time in which several phases communicate counts for each of them, so exposed times of phases may sum
//! up to more than that of the step.

use std::collections::{BTreeMap, BTreeSet};

use netloom_records::{Activity, JobLayout, SpanRow};
use netloom_units::Time;
use serde::Serialize;

use super::times::share_of;
use super::{RankSpans, mean_seconds, phase_name};
use crate::round::seconds;

/// A phase, or the barriers after it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PhaseTime {
    /// The phase by its number.
    pub phase: u16,
    /// Its name.
    pub name: String,
    /// The activity of ranks in it; `bubble` for the passes of a pipeline, of which only what they do not compute counts.
    pub activity: &'static str,
    /// The kinds of groups that communicate; `all` for all ranks together.
    pub group: String,
    /// Mean time of a rank that takes part, in seconds.
    pub time: f64,
    /// The part of it that computation of the same rank did not cover; absent for computation and barriers.
    pub exposed: Option<f64>,
    /// The larger of these as a share of the mean step: the exposed time, else the time.
    pub share: f64,
    /// The largest exposed time, or time, of a rank in a step.
    pub worst: f64,
    /// That rank.
    pub worst_rank: u32,
}

/// Sums over ranks and steps, in ps.
#[derive(Debug)]
struct PhaseTally {
    activity: &'static str,
    count: usize,
    time: f64,
    cost: f64,
    worst: (u64, u32),
    /// Whether what computation does not cover is exposed communication.
    is_exposable: bool,
}

/// All phases, those that cost most first.
pub(super) fn phases(layout: &JobLayout, ranks: &[RankSpans<'_>], step: f64) -> Vec<PhaseTime> {
    let mut tallies: BTreeMap<(u16, Activity), PhaseTally> = BTreeMap::new();
    for spans in ranks {
        let compute = spans.union(Time::ZERO, |row| row.activity == Activity::Compute);
        for key in keys(spans.0) {
            let own = spans.union(Time::ZERO, |row| (row.phase, row.activity) == (Some(key.0), key.1));
            let uncovered = || own.length_without(&compute);
            let tally = tallies.entry(key).or_insert_with(|| PhaseTally::of(spans, key));
            let (time, cost) = match tally.activity {
                "bubble" => (uncovered(), uncovered()),
                _ if tally.is_exposable => (own.length(), uncovered()),
                _ => (own.length(), own.length()),
            };
            tally.add(spans.0[0].rank, time, cost);
        }
    }
    let mut rows: Vec<PhaseTime> =
        tallies.into_iter().map(|(key, tally)| tally.finish(layout, key, step)).collect();
    rows.sort_by(|one, other| {
        let order = |row: &PhaseTime| (row.exposed.unwrap_or(-1.0), row.time);
        order(other).partial_cmp(&order(one)).unwrap_or(std::cmp::Ordering::Equal)
    });
    rows
}

/// The phases and activities of a rank in a step, each once.
fn keys(rows: &[SpanRow]) -> BTreeSet<(u16, Activity)> {
    let is_phase = |row: &&SpanRow| !matches!(row.activity, Activity::Step | Activity::Collective);
    rows.iter().filter(is_phase).filter_map(|row| Some((row.phase?, row.activity))).collect()
}

fn is_communication(activity: Activity) -> bool {
    matches!(activity, Activity::Communicate | Activity::Stages)
}

impl PhaseTally {
    /// What computation does not cover of a pipeline that computes is its bubble, not communication.
    fn of(spans: &RankSpans<'_>, (phase, activity): (u16, Activity)) -> PhaseTally {
        let is_bubble = activity == Activity::Stages && spans.is_pipeline(Some(phase));
        PhaseTally {
            activity: if is_bubble { "bubble" } else { activity.word() },
            is_exposable: is_communication(activity) && !is_bubble,
            count: 0,
            time: 0.0,
            cost: 0.0,
            worst: (0, 0),
        }
    }

    fn add(&mut self, rank: u32, time: u64, cost: u64) {
        self.count += 1;
        self.time += time as f64;
        self.cost += cost as f64;
        if self.count == 1 || cost > self.worst.0 {
            self.worst = (cost, rank);
        }
    }

    fn finish(self, layout: &JobLayout, (phase, activity): (u16, Activity), step: f64) -> PhaseTime {
        let cost = mean_seconds(self.cost, self.count);
        PhaseTime {
            phase,
            name: phase_name(layout, phase),
            activity: self.activity,
            group: group(layout, phase, activity),
            time: mean_seconds(self.time, self.count),
            exposed: self.is_exposable.then_some(cost),
            share: share_of(cost, step),
            worst: seconds(self.worst.0 as f64),
            worst_rank: self.worst.1,
        }
    }
}

/// The kinds of groups of a phase.
fn group(layout: &JobLayout, phase: u16, activity: Activity) -> String {
    let Some(phase) = layout.phases.get(usize::from(phase)) else { return "all".to_owned() };
    if activity != Activity::Communicate {
        return layout.group_name(phase.stages).to_owned();
    }
    let names: Vec<&str> = phase.groups().into_iter().map(|kind| layout.group_name(kind)).collect();
    names.join(" + ")
}
