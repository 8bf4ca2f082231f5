//! The congestion tree, sampled at all ports.
//!
//! Invariants: between windows every event before the instant has been processed, and reading changes nothing that the
//! simulation depends on.

use netloom_records::{Batch, SinkError};

use super::Coordinator;
use crate::congestion::Reading;
use crate::run::Status;

impl Coordinator<'_, '_> {
    /// A sampling interval ends at `at`; no event happens before `earliest`.
    pub(super) fn congestion_sample(&mut self, at: u64, earliest: u64) {
        if let Some(mut congestion) = self.congestion.take() {
            congestion.take(at, &self.readings(at));
            congestion.pass_quiet(earliest);
            self.congestion = Some(congestion);
        }
    }

    /// The counters of all ports as of `at`, by port id.
    fn readings(&self, at: u64) -> Vec<Reading> {
        let mut readings = Vec::with_capacity(self.model.fabric.ports().len());
        for &(partition, index) in &self.placement.of_node {
            let node = &mut self.scheduler.partition(partition as usize).nodes[index as usize];
            for port in 0..node.ports.len() {
                let starved = node.blocked_time(at, port as u32);
                let egress = &mut node.ports[port];
                let sent = egress.totals_at(at).bytes;
                readings.push(Reading { sent, starved, occupancy: egress.take_occupancy(at) });
            }
        }
        readings
    }

    /// Emits the rows of the intervals that have ended.
    pub(super) fn record_congestion(&mut self) -> Result<(), SinkError> {
        let Some(congestion) = &mut self.congestion else { return Ok(()) };
        let (ports, flows) = congestion.take_rows();
        if !ports.is_empty() {
            self.sink.accept(Batch::Congestion(&ports))?;
        }
        if flows.is_empty() { Ok(()) } else { self.sink.accept(Batch::CongestedFlows(&flows)) }
    }

    /// The run is over: the interval it ended in counts; of the stages only those that were reached, or that cannot
    /// change any more.
    pub(super) fn close_congestion(&mut self, status: &Status) -> Result<(), SinkError> {
        let is_at_rest = !self.is_over && matches!(status, Status::Complete | Status::Stalled(_));
        let end = self.end_of_run(status);
        while let Some(at) = self.congestion.as_ref().and_then(|found| found.last(end, is_at_rest)) {
            self.congestion_sample(at.0, at.0);
        }
        self.record_congestion()
    }
}
