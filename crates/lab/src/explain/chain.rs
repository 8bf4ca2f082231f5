//! The chain of messages that made a step as long as it was.
//!
//! Models: a walk back from the end of the step. The message that arrived last is its last member; the member before a
//! message is the one that arrived last at its sender before it started, since a rank sends on when it has what it waited
//! for; behind a barrier it is the one that arrived last anywhere, since all ranks waited for it. What lies between them
//! is the time in which ranks computed or were busy with overheads. Where steps overlap, the chain may go through
//! messages of earlier steps; it ends at one that started before the step did.
//! Leaves out: which of several ranks of one host waited; messages that never arrived.
//!
//! Invariants: members and the times between them cover the step without gaps or overlaps, so they add up to its length.

use netloom_model::Phase;
use netloom_records::{FlowRow, StepRow};
use netloom_units::{Duration, HostId, Time};

use crate::prepare::Prepared;

/// The chain of a step, from its begin to its end.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Chain {
    /// From the begin of the step to the arrival of a message of an earlier step that the first member waited for.
    pub earlier: Duration,
    /// In order of time.
    pub members: Vec<Member>,
    /// From the last arrival to the end of the step.
    pub rest: Duration,
}

/// A message of the chain.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Member {
    /// From the arrival of the message before it, or from the begin of the step, to its start.
    pub before: Duration,
    /// Its row.
    pub row: FlowRow,
    /// When it arrived.
    pub end: Time,
}

impl Member {
    /// Its completion time.
    pub fn time(&self) -> Duration {
        self.end.since(self.row.start)
    }
}

impl Chain {
    /// The chain of a step among the messages of its job, those of earlier steps included, in the order of their table;
    /// barriers are those of its job.
    pub fn of(step: &StepRow, rows: &[FlowRow], barriers: &Barriers) -> Chain {
        let arrivals = Arrivals::of(step, rows);
        let mut members: Vec<Member> = Vec::new();
        let mut next = arrivals.last(step);
        let end_of = |next: Option<(&FlowRow, Time)>| next.map_or(step.start, |(_, end)| end);
        let rest = step.end.since(end_of(next));
        while let Some((row, end)) = next.filter(|(row, _)| row.start >= step.start) {
            next = arrivals.before(row, barriers);
            members.push(Member { before: row.start.since(end_of(next)), row: *row, end });
        }
        members.reverse();
        Chain { earlier: end_of(next).since(step.start), members, rest }
    }
}

/// Whether each phase of a job has a barrier behind each of its buckets.
#[derive(Debug, Default)]
pub(super) struct Barriers(pub Vec<bool>);

impl Barriers {
    /// Of a job of a scenario.
    pub fn of(prepared: &Prepared, job: u16) -> Barriers {
        let job = prepared.compiled.model.workload.jobs.get(usize::from(job));
        Barriers(job.map(|job| job.phases.iter().map(Phase::has_barrier).collect()).unwrap_or_default())
    }

    /// Whether a barrier lies between two messages, by their phases and buckets.
    fn between(&self, earlier: &FlowRow, later: &FlowRow) -> bool {
        if earlier.step < later.step {
            return self.0.iter().any(|has| *has);
        }
        let has = |phase: u16| self.0.get(usize::from(phase)).copied().unwrap_or(false);
        let is_next_bucket = earlier.phase == later.phase && earlier.bucket < later.bucket;
        (is_next_bucket && has(earlier.phase)) || (earlier.phase..later.phase).any(has)
    }
}

/// The messages that arrived during a step.
struct Arrivals<'a> {
    /// By time.
    by_time: Vec<(Time, &'a FlowRow)>,
    /// Their indices, by receiver and time.
    by_host: Vec<u32>,
    /// For each host, where its indices end in that list.
    ends: Vec<u32>,
}

impl<'a> Arrivals<'a> {
    /// Of rows in the order of their table.
    fn of(step: &StepRow, rows: &'a [FlowRow]) -> Arrivals<'a> {
        // A message takes time, so a walk back always comes to an end.
        let during = |row: &FlowRow, end: Time| {
            end > row.start && end > step.start && end <= step.end && row.step <= step.step
        };
        let arrived = |row: &'a FlowRow| Some((row.end.filter(|end| during(row, *end))?, row));
        let by_time: Vec<_> = rows.iter().filter_map(arrived).collect();
        debug_assert!(by_time.is_sorted_by_key(|(end, _)| *end), "rows are in the order of their table");
        let (by_host, ends) = sort_by_host(&by_time);
        Arrivals { by_time, by_host, ends }
    }

    /// The message that another one waited for, with the time of its arrival.
    fn before(&self, row: &FlowRow, barriers: &Barriers) -> Option<(&'a FlowRow, Time)> {
        let here = self.last_at(row.source, row.start);
        if here.is_some_and(|(before, _)| !barriers.between(before, row)) {
            return here;
        }
        let n_before = self.by_time.partition_point(|(end, _)| *end <= row.start);
        let is_behind = |(_, before): &&(Time, &FlowRow)| barriers.between(before, row);
        let anywhere = self.by_time[..n_before].iter().rev().find(is_behind);
        anywhere.map(|&(end, before)| (before, end)).or(here)
    }

    /// The last arrival at a host up to an instant.
    fn last_at(&self, host: HostId, until: Time) -> Option<(&'a FlowRow, Time)> {
        let end = *self.ends.get(host.index())? as usize;
        let begin = host.index().checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        let here = &self.by_host[begin..end];
        let n_before = here.partition_point(|&index| self.by_time[index as usize].0 <= until);
        let (end, row) = self.by_time[here[n_before.checked_sub(1)?] as usize];
        Some((row, end))
    }

    /// The last arrival of the step.
    fn last(&self, step: &StepRow) -> Option<(&'a FlowRow, Time)> {
        let found = self.by_time.iter().rev().find(|(_, row)| row.step == step.step);
        found.map(|&(end, row)| (row, end))
    }
}

/// The indices of arrivals by receiver, in order for each; and where those of each receiver end.
fn sort_by_host(arrivals: &[(Time, &FlowRow)]) -> (Vec<u32>, Vec<u32>) {
    let host = |(_, row): &(Time, &FlowRow)| row.destination.index();
    let n_hosts = arrivals.iter().map(host).max().map_or(0, |last| last + 1);
    let mut ends = vec![0_u32; n_hosts];
    for arrival in arrivals {
        ends[host(arrival)] += 1;
    }
    let mut begin = 0;
    for end in &mut ends {
        begin += std::mem::replace(end, begin);
    }
    let mut by_host = vec![0; arrivals.len()];
    for (index, arrival) in (0..).zip(arrivals) {
        let end = &mut ends[host(arrival)];
        by_host[*end as usize] = index;
        *end += 1;
    }
    (by_host, ends)
}

#[cfg(test)]
mod tests {
    use netloom_units::{Bytes, Random};

    use super::*;

    fn row(source: u32, destination: u32, start: u64, end: u64) -> FlowRow {
        FlowRow {
            start: Time(start),
            end: Some(Time(end)),
            source: HostId(source),
            destination: HostId(destination),
            number: 0,
            job: 0,
            step: 0,
            phase: 0,
            bucket: 0,
            size: Bytes(1),
            packets: 1,
            hops: 1,
            ideal: None,
        }
    }

    const STEP: StepRow = StepRow { start: Time(100), end: Time(1_000), job: 0, step: 0 };

    fn sum(chain: &Chain) -> u64 {
        let members = chain.members.iter().map(|member| member.before.0 + member.time().0).sum::<u64>();
        chain.earlier.0 + members + chain.rest.0
    }

    #[test]
    fn a_chain_follows_who_waited_for_whom() {
        // 0 -> 1 arrives at 300; host 1 computes for 50 and sends to 2, which sends on at once.
        let rows = [row(0, 1, 120, 300), row(1, 2, 350, 600), row(3, 0, 110, 700), row(2, 3, 600, 990)];
        let chain = Chain::of(&STEP, &rows, &Barriers::default());
        let ends: Vec<(u32, u64)> =
            chain.members.iter().map(|member| (member.row.source.0, member.before.0)).collect();
        assert_eq!(ends, [(0, 20), (1, 50), (2, 0)]);
        assert_eq!((chain.rest, sum(&chain)), (Duration(10), 900));
    }

    #[test]
    fn behind_a_barrier_all_waited_for_the_last_arrival_anywhere() {
        let next = |row: FlowRow| FlowRow { bucket: 1, ..row };
        // Host 0 has received at 300 what it needed, and waits at the barrier until 2 -> 3 has arrived at 600.
        let rows = [
            row(1, 0, 120, 300),
            row(2, 3, 120, 600),
            next(row(0, 1, 610, 900)),
            next(row(1, 0, 900, 1_000)),
        ];
        let sources = |barriers: &[bool]| -> Vec<u32> {
            let chain = Chain::of(&STEP, &rows, &Barriers(barriers.to_vec()));
            assert_eq!(sum(&chain), 900);
            chain.members.iter().map(|member| member.row.source.0).collect()
        };
        assert_eq!(sources(&[true]), [2, 0, 1]);
        assert_eq!(sources(&[false]), [1, 0, 1]);
        // Phases between them count as well.
        let later = rows.map(|row| FlowRow { phase: 2 * row.bucket, bucket: 0, ..row });
        let first = |barriers: &[bool]| {
            Chain::of(&STEP, &later, &Barriers(barriers.to_vec())).members[0].row.source.0
        };
        assert_eq!((first(&[false, true, false]), first(&[false, false, true])), (2, 1));
    }

    #[test]
    fn where_steps_overlap_a_chain_goes_through_messages_of_earlier_steps() {
        let step = StepRow { step: 1, ..STEP };
        let own = FlowRow { step: 1, ..row(2, 3, 500, 950) };
        // Host 2 was busy with the step before: a message from 1, which waited for one that started before this step.
        let rows = [row(0, 1, 40, 200), row(1, 2, 230, 480), own];
        let chain = Chain::of(&step, &rows, &Barriers::default());
        let members: Vec<_> =
            chain.members.iter().map(|member| (member.row.source.0, member.before.0)).collect();
        assert_eq!(members, [(1, 30), (2, 20)]);
        assert_eq!((chain.earlier, chain.rest, sum(&chain)), (Duration(100), Duration(50), 900));
    }

    #[test]
    fn a_step_without_messages_is_all_rest() {
        let chain = Chain::of(&STEP, &[], &Barriers::default());
        assert_eq!((chain.members.len(), chain.rest), (0, Duration(900)));
    }

    #[test]
    fn any_chain_adds_up_to_its_step() {
        let mut random = Random::stream(5, 0, 0);
        for _ in 0..300 {
            let n_rows = random.below(60);
            let mut rows: Vec<FlowRow> = (0..n_rows)
                .map(|_| {
                    let step = random.below(2);
                    let start = if step == 1 { 100 } else { 0 } + u64::from(random.below(900));
                    let end = (start + u64::from(random.below(300))).min(1_000);
                    let bucket = random.below(3) as u16;
                    FlowRow { step, bucket, ..row(random.below(6), random.below(6), start.min(end), end) }
                })
                .collect();
            rows.sort_by_key(|row| row.end);
            let step = StepRow { step: 1, ..STEP };
            let chain = Chain::of(&step, &rows, &Barriers(vec![true]));
            assert_eq!(sum(&chain), 900, "{rows:?}");
            assert!(chain.members.windows(2).all(|two| two[0].end <= two[1].row.start));
        }
    }
}
