//! The order in which packets of messages arrived, reported together with the messages.
//!
//! Models: a row for each message that has arrived, then one for each that has not.
//! Leaves out: measuring the order, which receivers do.
//!
//! Invariants: when a message has arrived all its packets have, so its row is final.

use netloom_records::{Batch, FlowRow, ReorderingRow, SinkError};

use super::Coordinator;
use super::messages::nic;
use crate::reordering::ReorderingCounts;

impl Coordinator<'_, '_> {
    /// The message in a slot has arrived.
    pub(super) fn judge_order(&mut self, index: u32, row: &FlowRow) {
        let tally = self.take_order(index);
        self.reordering.push(tally.row(row));
    }

    fn take_order(&self, index: u32) -> ReorderingCounts {
        let flow = self.scheduler.round_state.read().expect("no thread panicked").flows[index as usize];
        let is_on_pair = self.model.transport.rdma().is_some();
        self.at_host(flow.message.to, |host| {
            if is_on_pair {
                let reordering = nic(host).reordering.as_mut().expect("it is recorded");
                return reordering.take_tally(flow.receive_slot);
            }
            let reordering = host.reordering.as_mut().expect("it is recorded");
            reordering.forget_stream(flow.receive_slot);
            reordering.take_tally(flow.receive_slot)
        })
    }

    /// Emits the rows of this window.
    pub(super) fn record_reordering(&mut self) -> Result<(), SinkError> {
        if self.reordering.is_empty() {
            return Ok(());
        }
        self.reordering.sort_unstable_by_key(ReorderingRow::order);
        self.sink.accept(Batch::Reordering(&self.reordering))?;
        self.reordering.clear();
        Ok(())
    }

    /// Emits the rows of messages that never arrived.
    pub(super) fn record_remaining_reordering(&mut self) -> Result<(), SinkError> {
        if !self.model.recording.reordering {
            return Ok(());
        }
        let indices: Vec<u32> = self.table.unfinished().collect();
        for index in indices {
            let round_state = self.scheduler.round_state.read().expect("no thread panicked");
            let row = self.table.row(self.model, &round_state.flows, index, None, (0, 0));
            drop(round_state);
            self.judge_order(index, &row);
        }
        self.record_reordering()
    }
}
