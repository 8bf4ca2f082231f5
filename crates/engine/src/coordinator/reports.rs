//! What partitions report of a window.
//!
//! Models: reports, events at the senders of messages and hop records, read partition by partition.
//! Leaves out: what follows from each report.

use netloom_units::{ActorId, Time};

use super::{Coordinator, Ending};
use crate::context::Report;
use crate::trace::HopRecord;

/// Memory is kept for this number of reports of each partition: bursts are rare.
pub(super) const MOST_KEPT: usize = 32;

impl Coordinator<'_, '_> {
    /// Reads the reports of partitions, in order.
    pub(super) fn collect(&mut self, partitions: &[u32]) {
        for &number in partitions {
            let mut reports = std::mem::take(&mut self.reports);
            let hop_records = {
                let context = &mut self.scheduler.partition(number as usize).context;
                // The memory of the last reports goes to this partition.
                std::mem::swap(&mut context.reports, &mut reports);
                std::mem::take(&mut context.hop_records)
            };
            for report in &reports {
                self.handle_report(report);
            }
            reports.clear();
            reports.shrink_to(MOST_KEPT);
            self.reports = reports;
            self.take_sender_events(number);
            // After the reports: by then a message has its number, and it keeps its slot until more work is handed out.
            self.trace(&hop_records);
        }
    }

    pub(super) fn trace(&mut self, hop_records: &[HopRecord]) {
        if hop_records.is_empty() {
            return;
        }
        let round_state = self.scheduler.round_state.read().expect("no thread panicked");
        for hop_record in hop_records {
            if let Some(flow) = self.table.identity(&round_state.flows, hop_record.packet.flow) {
                self.tracer.take(hop_record, flow);
            }
        }
    }

    fn handle_report(&mut self, report: &Report) {
        match *report {
            Report::Started { flow, number, at } => {
                self.table.started(flow, Time(at), number);
                if let Some(causes) = &mut self.causes {
                    causes.started(flow);
                }
                if self.rates.is_some() {
                    self.rate_started(flow);
                }
                if self.stages.is_some() {
                    self.stage_started(flow);
                }
            }
            Report::Arrived { flow, at, packets, hops } => {
                let round_state = self.scheduler.round_state.read().expect("no thread panicked");
                let row = self.table.arrived(self.model, &round_state.flows, flow, Time(at), (packets, hops));
                if let Some(turns) = &mut self.turns {
                    turns.arrived(&round_state.flows[flow as usize].message, at);
                }
                drop(round_state);
                self.n_arrived += u64::from(packets);
                self.rows.push(row);
                if self.model.recording.reordering {
                    self.judge_order(flow, &row);
                }
                if let Some(causes) = &mut self.causes {
                    causes.arrived(flow, &row);
                }
                if self.model.transport.rdma().is_some() {
                    self.repairs.expect(flow, &row);
                }
                if self.stages.is_some() {
                    self.stage_arrived(flow);
                }
                self.retire(flow);
            }
            Report::Crossed { flow, crossing } => {
                if let Some(causes) = &mut self.causes {
                    causes.crossed(flow, crossing);
                }
            }
            Report::NackGenerated { flow } => self.table.at_edge(flow).generated += 1,
            Report::NackSuppressed { flow } => self.table.at_edge(flow).suppressed += 1,
            Report::Lost { flow } => {
                self.table.lost(flow);
                self.timeouts.lost();
            }
            Report::TimedOut(ref timeout) => self.timeouts.take(timeout),
            Report::Sent { flow } => {
                self.table.sent(flow);
                self.retire(flow);
            }
            Report::Mark { mark, actor, at } => {
                self.ledger.mark(mark, Time(at));
                if let Some(timeline) = &mut self.timeline {
                    timeline.add_mark(mark, (self.addresses[actor as usize].host, actor), at);
                }
            }
            Report::Barrier { group, actor, at } => self.arrive_at_barrier(group, actor, at),
            Report::NeedsRefill { actor } => self.to_refill.push(actor),
            Report::Finished => self.n_finished += 1,
            Report::Standstill { actor, at } => {
                let found = Ending::Standstill { at, actor: ActorId(actor) };
                self.ending = Some(self.ending.map_or(found, |first| first.min(found)));
            }
            Report::HopRecords | Report::SenderEvents => {}
        }
    }
}
