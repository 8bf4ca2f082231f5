//! Loss recovery of messages on queue pairs: reported when none of a message's packets is in flight, in order of
//! arrival.
//!
//! Models: rows that wait for those of earlier messages.
//! Leaves out: counting, which the two hosts and the switch above the receiver do.
//!
//! Invariants: rows are emitted in the stated order whatever the length of windows: a message with packets in flight
//! delays the rows of all messages that arrived after it.

use std::collections::VecDeque;

use netloom_records::{FlowRow, RepairOrder, RepairRow};

use super::Coordinator;
use crate::flow::{Flow, FlowTable};
use crate::rdma::{Incoming, Outgoing};

/// Messages that have arrived and are not yet reported, with their rows once these are known.
#[derive(Debug, Default)]
pub(super) struct LossRecovery {
    /// Those of this window, with their slots.
    fresh: Vec<(RepairOrder, u32)>,
    /// Those of earlier windows, in order of arrival.
    line: VecDeque<Option<RepairRow>>,
    /// Number of messages that have left the queue.
    n_taken: u64,
}

impl LossRecovery {
    /// The message in a slot has arrived.
    pub fn expect(&mut self, index: u32, flow: &FlowRow) {
        let end = flow.end.expect("it has arrived");
        self.fresh.push(((end, flow.destination, flow.source, flow.number), index));
    }

    /// The window is over: all later messages arrive later.
    pub fn line_up(&mut self, table: &mut FlowTable) {
        self.fresh.sort_unstable();
        for (_, index) in self.fresh.drain(..) {
            table.number_pair_message(index, self.n_taken + self.line.len() as u64);
            self.line.push_back(None);
        }
    }

    /// The row of the message with this number in the queue is known.
    pub fn insert(&mut self, number: u64, row: RepairRow) {
        self.line[(number - self.n_taken) as usize] = Some(row);
    }

    /// The rows that can be emitted now, in order.
    pub fn take_ready(&mut self) -> Vec<RepairRow> {
        let n_taken = self.line.iter().take_while(|row| row.is_some()).count();
        self.n_taken += n_taken as u64;
        self.line.drain(..n_taken).flatten().collect()
    }
}

impl Coordinator<'_, '_> {
    /// All rows not yet reported, as of the end of the run.
    pub(super) fn repairs_left(&mut self) -> Vec<RepairRow> {
        if self.model.transport.rdma().is_none() {
            return Vec::new();
        }
        let mut unfinished = Vec::new();
        let indices: Vec<u32> = self.table.open().collect();
        for index in indices {
            let flow = self.scheduler.round_state.read().expect("no thread panicked").flows[index as usize];
            let (sent, came) = self.at_ends(&flow);
            let row = self.repair_row(index, &flow, &sent, &came);
            match row.end {
                Some(_) => self.repairs.insert(self.table.number_in_line(index), row),
                None => unfinished.push(row),
            }
        }
        unfinished.sort_unstable_by_key(RepairRow::order);
        let mut rows = self.repairs.take_ready();
        rows.append(&mut unfinished);
        rows
    }

    /// The counters of a message at its two ends and at the switch above the receiver.
    pub(super) fn repair_row(&self, index: u32, flow: &Flow, sent: &Outgoing, came: &Incoming) -> RepairRow {
        let edge = self.table.edge_of(index);
        RepairRow {
            end: self.table.end(index),
            source: flow.source,
            destination: flow.message.to,
            number: self.table.number(index),
            job: flow.message.job,
            packets: came.packets,
            retransmitted: came.tally.again,
            duplicates: came.tally.duplicates,
            nacks: came.tally.nacks,
            nacks_suppressed: edge.suppressed,
            nacks_generated: edge.generated,
            marked: came.tally.marked,
            cnps: came.tally.cnps,
            notifications: sent.notified,
            timeouts: sent.timeouts,
            distance: came.tally.distance,
        }
    }
}
