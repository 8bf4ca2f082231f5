//! Actions on the whole fabric at an instant, between two windows, and the samplers that read it then.
//!
//! Invariants: when such an action runs, all events before its instant have been processed and none at it.

use netloom_model::FailureAwareness;
use netloom_units::Time;

use super::central::Central;
use super::snapshots::Snapshots;
use super::{Coordinator, deadlock};
use crate::congestion::Congestion;
use crate::run::Status;
use crate::stages::Stages;

/// An action on the whole fabric at an instant, between two windows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum GlobalEvent {
    /// Global routing converges on the link failures reported so far.
    Reroute,
    /// Check for a credit deadlock.
    DeadlockCheck,
    /// All jobs except endless ones are done: the run ends.
    Over,
    /// The deadline: the run ends.
    Deadline,
}

impl Coordinator<'_, '_> {
    pub(super) fn plan_global_events(&mut self) {
        let mut cuts = Vec::new();
        if matches!(self.model.awareness, FailureAwareness::Global(_)) {
            self.pending_notices = self.model.link_notices().into();
            let (delay, late) = (self.model.coordination_delay.0, self.model.reaction.reconvergence);
            for (notice, _) in &self.pending_notices {
                // Links that are down at time zero are known from the start; later failures from the next snapshot on.
                let at = if notice.at == Time::ZERO { 0 } else { ((notice.at + late).0 / delay + 1) * delay };
                cuts.push((at, GlobalEvent::Reroute));
            }
        }
        cuts.extend(self.model.deadline.map(|deadline| (deadline.0, GlobalEvent::Deadline)));
        cuts.sort_unstable();
        cuts.dedup();
        self.global_events = cuts.into();
    }

    pub(super) fn next_global_event(&self) -> u64 {
        let cut = self.global_events.front().map_or(u64::MAX, |cut| cut.0);
        let sample = self.sampler.as_ref().map_or(u64::MAX, |sampler| sampler.next().0);
        let rates = self.rates.as_ref().map_or(u64::MAX, |rates| rates.next().0);
        let stages = self.stages.as_ref().and_then(Stages::next).map_or(u64::MAX, |at| at.0);
        let congestion = self.congestion.as_ref().and_then(Congestion::next).map_or(u64::MAX, |at| at.0);
        let central = self.central.as_ref().map_or(u64::MAX, Central::next);
        let snapshot = self.snapshots.as_ref().map_or(u64::MAX, Snapshots::next);
        cut.min(snapshot).min(sample).min(rates).min(stages).min(congestion).min(central)
    }

    /// Carries out all actions up to and including `earliest`; returns the status if one of them ends the run.
    pub(super) fn run_global_events_until(&mut self, earliest: u64) -> Option<Status> {
        while self.next_global_event() <= earliest {
            let at = self.next_global_event();
            if self.snapshots.as_ref().is_some_and(|snapshots| snapshots.next() == at) {
                self.take_snapshot(earliest);
                continue;
            }
            if self.sampler.as_ref().is_some_and(|sampler| sampler.next().0 == at) {
                self.sample(at);
                continue;
            }
            if self.rates.as_ref().is_some_and(|rates| rates.next().0 == at) {
                self.rate_sample(at);
                continue;
            }
            if self.stages.as_ref().and_then(Stages::next).is_some_and(|next| next.0 == at) {
                self.stage_sample();
                continue;
            }
            if self.congestion.as_ref().and_then(Congestion::next).is_some_and(|next| next.0 == at) {
                self.congestion_sample(at, earliest);
                continue;
            }
            if self.central.as_ref().is_some_and(|central| central.next() == at) {
                self.act_centrally(at);
                continue;
            }
            match self.global_events.pop_front().expect("a cut was seen").1 {
                GlobalEvent::Reroute => self.reroute(at),
                GlobalEvent::DeadlockCheck => {
                    let ring = self.find_credit_cycle(at);
                    if !ring.is_empty() {
                        self.now = at;
                        return Some(self.deadlock(ring));
                    }
                    self.schedule_deadlock_check(earliest);
                }
                GlobalEvent::Over => {
                    self.now = at;
                    return Some(Status::Complete);
                }
                // Timers of queue pairs with nothing left to acknowledge may still be pending.
                GlobalEvent::Deadline if self.is_done() => return Some(Status::Complete),
                GlobalEvent::Deadline => {
                    self.now = at;
                    return Some(Status::Deadline);
                }
            }
        }
        None
    }

    /// Whether all actors and the program have finished and none of their messages is in flight.
    fn is_done(&self) -> bool {
        self.has_program_ended() && self.is_work_done()
    }

    /// Whether all actors have finished and no message is in flight.
    pub(super) fn is_work_done(&self) -> bool {
        self.n_finished == self.addresses.len() && self.table.open().next().is_none()
    }

    fn sample(&mut self, at: u64) {
        let is_done = self.is_done();
        let sampler = self.sampler.as_mut().expect("only a sampler asks for samples");
        if is_done {
            // Timers of queue pairs with nothing left to acknowledge may be pending far ahead: the sampling intervals
            // should not grow because of them.
            return sampler.stop();
        }
        let mut cells = sampler.room();
        for &(partition, index) in &self.placement.of_node {
            self.scheduler.partition(partition as usize).nodes[index as usize].sample(at, &mut cells);
        }
        sampler.take(cells);
    }

    /// Schedules the next deadlock check at the first multiple of the interval after an instant.
    pub(super) fn schedule_deadlock_check(&mut self, now: u64) {
        let at = (now / deadlock::INTERVAL + 1).saturating_mul(deadlock::INTERVAL);
        let index = self.global_events.partition_point(|cut| *cut < (at, GlobalEvent::DeadlockCheck));
        self.global_events.insert(index, (at, GlobalEvent::DeadlockCheck));
    }
}
