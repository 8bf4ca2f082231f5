//! How long the members of a communicator waited for the last of them to begin a collective.

use std::collections::BTreeMap;

use netloom_records::JobLayout;
use netloom_records::SpanRow;
use serde::Serialize;

use super::{CommunicatorKey, communicator_name, for_each_communicator, mean_seconds, phase_name};
use crate::round::seconds;

/// Waiting for the slowest member, in one bucket of a phase and one kind of groups.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MemberWait {
    /// The phase by its number.
    pub phase: u16,
    /// The bucket by its number.
    pub bucket: u16,
    /// The name of the phase.
    pub name: String,
    /// The kind of groups; `all` for all ranks together.
    pub group: String,
    /// Number of collectives: communicators times steps.
    pub collectives: usize,
    /// From the mean begin of the members to the latest, mean over communicators and steps, in seconds.
    pub mean: f64,
    /// From the earliest begin of a communicator to its latest, the largest of them, in seconds.
    pub largest: f64,
    /// That communicator.
    pub communicator: String,
    /// The rank that began last there.
    pub last_rank: u32,
    /// The step.
    pub step: u32,
}

/// Sums over communicators and steps, in ps.
#[derive(Debug)]
struct WaitTally {
    count: usize,
    sum: f64,
    largest: Spread,
}

/// Begins of the members of a communicator.
#[derive(Debug, Clone, Copy)]
struct Spread {
    key: CommunicatorKey,
    step: u32,
    last_rank: u32,
    mean: f64,
    whole: u64,
}

impl Spread {
    fn of(key: CommunicatorKey, members: &[&SpanRow]) -> Option<Spread> {
        let starts = || members.iter().map(|row| row.start.0);
        let (first, latest) = (starts().min()?, starts().max()?);
        let last = members.iter().find(|row| row.start.0 == latest)?;
        let sum: u64 = starts().map(|start| latest - start).sum();
        let mean = sum as f64 / members.len() as f64;
        Some(Spread { key, step: last.step, last_rank: last.rank, mean, whole: latest - first })
    }
}

/// All of them, the longest mean wait first.
pub(super) fn waits(layout: &JobLayout, steps: &[&[SpanRow]]) -> Vec<MemberWait> {
    let mut tallies: BTreeMap<(u16, u16, Option<u16>), WaitTally> = BTreeMap::new();
    for_each_communicator(layout, steps, |key, _, members| {
        let bucket = (members[0].phase.unwrap_or(0), members[0].bucket.unwrap_or(0), key.group);
        if let Some(spread) = Spread::of(key, members) {
            let tally = tallies.entry(bucket).or_insert(WaitTally { count: 0, sum: 0.0, largest: spread });
            tally.add(spread);
        }
    });
    let mut rows: Vec<MemberWait> =
        tallies.into_iter().map(|(bucket, tally)| tally.finish(layout, bucket)).collect();
    rows.sort_by(|one, other| other.mean.total_cmp(&one.mean));
    rows
}

impl WaitTally {
    fn add(&mut self, spread: Spread) {
        self.count += 1;
        self.sum += spread.mean;
        if spread.whole > self.largest.whole {
            self.largest = spread;
        }
    }

    fn finish(self, layout: &JobLayout, (phase, bucket, group): (u16, u16, Option<u16>)) -> MemberWait {
        MemberWait {
            phase,
            bucket,
            name: phase_name(layout, phase),
            group: layout.group_name(group).to_owned(),
            collectives: self.count,
            mean: mean_seconds(self.sum, self.count),
            largest: seconds(self.largest.whole as f64),
            communicator: communicator_name(layout, self.largest.key),
            last_rank: self.largest.last_rank,
            step: self.largest.step,
        }
    }
}
