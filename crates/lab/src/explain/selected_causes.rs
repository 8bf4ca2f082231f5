//! Which causes of messages a run stores by default: those that explain its steps, those of its slowest messages, and a
//! random sample.
//!
//! Models: the chain of each step, found when the step has ended, among the messages that have arrived since the begin of
//! the step before; no later step began earlier. Messages that are then among the slowest so far, or in the random sample
//! so far, are stored as well, so that those of the whole run are.
//! Leaves out: traffic without a job; steps with more than [`MOST_OPEN`] messages.
//!
//! Invariants: rows are stored in order. Memory is that of the messages of two steps of each job, and bounded.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use netloom_records::statistics::RandomMessages;
use netloom_records::{Batch, CauseRow, FIRST_OF_OTHER_TRAFFIC, FlowRow, StepRow};
use netloom_units::{HostId, Time};

use super::chain::{Barriers, Chain, Member};
use crate::prepare::Prepared;

/// Most messages that wait for the end of their step: some 150 MB.
const MOST_OPEN: usize = 1 << 19;
/// Number of slowest messages that are stored.
const MOST_SLOW: usize = 64;

/// The order of a row.
type Order = (Time, HostId, HostId, u32);
/// A completion time in ps, and the order of the row.
type Slowness = (u64, Reverse<Order>);

/// The causes of a run in the course of selection.
pub(crate) struct SelectedCauses<'a> {
    prepared: &'a Prepared,
    notable: Notable,
    jobs: Vec<OpenMessages>,
    /// Most messages that wait for the end of their step, and most selected rows that wait for others.
    most_open: usize,
    /// Number of open messages.
    n_open: usize,
    /// Selected rows that come behind messages of which it is not known yet.
    selected: Vec<CauseRow>,
}

/// The messages so far that are stored whether or not they explain a step.
#[derive(Default)]
struct Notable {
    random: RandomMessages,
    /// The slowest ones; of equal ones the first.
    slowest: BinaryHeap<Reverse<Slowness>>,
}

/// The messages of a job that may be on the chain of a step.
#[derive(Default)]
struct OpenMessages {
    /// In order.
    flows: Vec<FlowRow>,
    /// Their causes.
    causes: Vec<CauseRow>,
    /// Those on chains of steps, by their order.
    on_chains: BTreeSet<Order>,
    /// Messages that arrived up to then have been lost sight of.
    begin: Time,
}

impl<'a> SelectedCauses<'a> {
    /// Of a run of a scenario.
    pub fn new(prepared: &'a Prepared) -> SelectedCauses<'a> {
        SelectedCauses {
            prepared,
            notable: Notable::default(),
            jobs: Vec::new(),
            most_open: MOST_OPEN,
            n_open: 0,
            selected: Vec::new(),
        }
    }

    /// Adds rows of any table, in the order in which a run emits them.
    pub fn take(&mut self, batch: Batch<'_>) {
        match batch {
            Batch::Flows(rows) => {
                for row in rows.iter().filter(|row| row.end.is_some() && row.job < FIRST_OF_OTHER_TRAFFIC) {
                    self.job(row.job).flows.push(*row);
                }
            }
            Batch::Causes(rows) => {
                for row in rows {
                    self.notable.take(row);
                    self.job(row.job).causes.push(*row);
                }
                self.n_open += rows.len();
                if self.n_open > self.most_open {
                    self.lose_sight();
                }
            }
            Batch::Steps(rows) => rows.iter().for_each(|row| self.end_step(row)),
            _ => {}
        }
    }

    fn job(&mut self, job: u16) -> &mut OpenMessages {
        let job = usize::from(job);
        if job >= self.jobs.len() {
            self.jobs.resize_with(job + 1, OpenMessages::default);
        }
        &mut self.jobs[job]
    }

    /// Gives up the open steps of the job that has most messages.
    fn lose_sight(&mut self) {
        let Some(job) = self.jobs.iter_mut().max_by_key(|job| job.causes.len()) else { return };
        let until = job.causes.last().map_or(job.begin, |last| last.end);
        self.n_open -= job.close_until(until, &self.notable, &mut self.selected);
    }

    /// Selects the messages on the chain of a step.
    fn end_step(&mut self, step: &StepRow) {
        let Some(job) = self.jobs.get_mut(usize::from(step.job)) else { return };
        if job.begin <= step.start {
            job.select_chain(step, &Barriers::of(self.prepared, step.job));
        }
        self.n_open -= job.close_until(step.start, &self.notable, &mut self.selected);
        if self.selected.len() > self.most_open {
            self.close_oldest();
        }
    }

    /// Gives up the open steps of the job that others have waited for longest.
    fn close_oldest(&mut self) {
        let first = |job: &&mut OpenMessages| job.causes.first().map_or(Time::NEVER, |first| first.end);
        let Some(job) = self.jobs.iter_mut().min_by_key(first) else { return };
        let until = job.causes.last().map_or(job.begin, |last| last.end);
        self.n_open -= job.close_until(until, &self.notable, &mut self.selected);
    }

    /// The selected rows that come before all messages of which it is not known yet, in order.
    pub fn take_ready(&mut self) -> Vec<CauseRow> {
        let bound = self.jobs.iter().filter_map(|job| job.causes.first()).map(CauseRow::order).min();
        let is_ready = |row: &CauseRow| bound.is_none_or(|bound| row.order() < bound);
        let (mut ready, rest): (Vec<_>, Vec<_>) = self.selected.drain(..).partition(is_ready);
        self.selected = rest;
        ready.sort_unstable_by_key(CauseRow::order);
        ready
    }

    /// The selected rows that are left at the end of the run, in order.
    pub fn finish(mut self) -> Vec<CauseRow> {
        for job in &mut self.jobs {
            job.close_until(Time::NEVER, &self.notable, &mut self.selected);
        }
        self.take_ready()
    }
}

impl Notable {
    fn take(&mut self, row: &CauseRow) {
        self.random.take(row);
        let slowness = Notable::slowness(row);
        if self.slowest.len() < MOST_SLOW {
            self.slowest.push(Reverse(slowness));
        } else if let Some(mut fastest) = self.slowest.peek_mut().filter(|fastest| fastest.0 < slowness) {
            *fastest = Reverse(slowness);
        }
    }

    /// Whether a message that has been taken is one of them.
    fn contains(&self, row: &CauseRow) -> bool {
        let is_slow = |fastest: &Reverse<Slowness>| fastest.0 <= Notable::slowness(row);
        self.random.contains(row) || self.slowest.peek().is_some_and(is_slow)
    }

    fn slowness(row: &CauseRow) -> Slowness {
        (row.total(), Reverse(row.order()))
    }
}

impl OpenMessages {
    fn select_chain(&mut self, step: &StepRow, barriers: &Barriers) {
        debug_assert_eq!(self.flows.len(), self.causes.len());
        let chain = Chain::of(step, &self.flows, barriers);
        let order =
            |member: &Member| (member.end, member.row.destination, member.row.source, member.row.number);
        self.on_chains.extend(chain.members.iter().map(order));
    }

    /// Forgets the messages that arrived up to an instant, apart from the causes of those that are selected; returns
    /// their number.
    fn close_until(&mut self, until: Time, notable: &Notable, selected: &mut Vec<CauseRow>) -> usize {
        self.begin = self.begin.max(until);
        let n_closed = self.causes.partition_point(|row| row.end <= until);
        let on_chains = &mut self.on_chains;
        let is_selected = |row: &&CauseRow| {
            notable.contains(row) | (!on_chains.is_empty() && on_chains.remove(&row.order()))
        };
        selected.extend(self.causes[..n_closed].iter().filter(is_selected));
        self.causes.drain(..n_closed);
        self.flows.drain(..n_closed);
        n_closed
    }
}

#[cfg(test)]
mod tests {
    use netloom_scenario::Overrides;
    use netloom_units::{Bytes, Duration};

    use super::*;
    use crate::prepare::prepare;
    use crate::source::Source;

    fn flow(job: u16, step: u32, number: u32, end: u64) -> FlowRow {
        FlowRow {
            start: Time(end - 10),
            end: Some(Time(end)),
            source: HostId(number % 4),
            destination: HostId((number + 1) % 4),
            number,
            job,
            step,
            phase: 0,
            bucket: 0,
            size: Bytes(1),
            packets: 1,
            hops: 1,
            ideal: None,
        }
    }

    fn causes(flow: &FlowRow) -> CauseRow {
        let FlowRow { source, destination, number, job, .. } = *flow;
        let end = flow.end.expect("it arrived");
        CauseRow { end, source, destination, number, job, transmission: Duration(10), ..CauseRow::default() }
    }

    /// Steps of 100 messages, which arrive one after the other; of a second job one message, at the begin.
    fn selected(most_open: usize, n_steps: u32) -> (Vec<CauseRow>, usize) {
        let text = "netloom: 1\nfabric: { leaf_spine: { leaves: 1, spines: 1, hosts_per_leaf: 4 } }\n\
                    jobs: [ { name: one, phases: [ { compute: 1us } ] } ]\n";
        let prepared =
            prepare(&Source::text("scene.yaml", text), &Overrides::default()).expect("it is valid");
        let mut selection = SelectedCauses { most_open, ..SelectedCauses::new(&prepared) };
        let (mut rows, mut most_kept) = (Vec::new(), 0);
        let mut take = |flows: &[FlowRow], steps: &[StepRow], selection: &mut SelectedCauses<'_>| {
            selection.take(Batch::Flows(flows));
            selection.take(Batch::Causes(&flows.iter().map(causes).collect::<Vec<_>>()));
            selection.take(Batch::Steps(steps));
            most_kept = most_kept.max(selection.n_open + selection.selected.len());
            rows.extend(selection.take_ready());
        };
        take(&[flow(1, 0, 0, 15)], &[], &mut selection);
        for step in 0..n_steps {
            let begin = 20 + u64::from(step) * 2_000;
            let flows: Vec<FlowRow> = (0..100)
                .map(|number| flow(0, step, step * 100 + number, begin + 20 + u64::from(number) * 10))
                .collect();
            let row = StepRow { start: Time(begin), end: Time(begin + 1_500), job: 0, step };
            take(&flows, &[row], &mut selection);
        }
        rows.extend(selection.finish());
        (rows, most_kept)
    }

    #[test]
    fn chains_of_all_steps_are_stored_in_order() {
        let (rows, _) = selected(MOST_OPEN, 30);
        assert!(rows.is_sorted_by_key(CauseRow::order));
        // A message starts when the one before it has arrived at its sender: all are on the chain.
        assert_eq!(rows.len(), 1 + 30 * 100);
    }

    #[test]
    fn memory_is_bounded_if_a_step_is_too_large_or_another_job_never_ends_one() {
        for most_open in [50, 150, 250] {
            let (rows, most_kept) = selected(most_open, 60);
            assert!(rows.is_sorted_by_key(CauseRow::order), "{most_open}");
            assert!(most_kept <= 2 * most_open + 300, "{most_open}: {most_kept}");
            // Those of the random sample and the slowest are there in any case.
            assert!(rows.len() >= RandomMessages::SIZE, "{most_open}: {}", rows.len());
        }
    }
}
