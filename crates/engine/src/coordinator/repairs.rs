//! What was repaired of messages on queue pairs: told when nothing of them is under way any more, in the order of arrival.
//!
//! Models: rows that wait for their turn.
//! Leaves out: counting, which the two hosts and the switch above the receiver do.
//!
//! Invariants: rows leave in the stated order whatever the length of windows: a message of which something is under way
//! keeps back all that arrived after it.

use std::collections::BTreeMap;

use netloom_records::{FlowRow, RepairOrder, RepairRow};

use super::Coordinator;
use super::messages::nic;

/// Messages that have arrived and are not told of, with their rows once these are known.
#[derive(Debug, Default)]
pub(super) struct Repairs {
    rows: BTreeMap<RepairOrder, Option<RepairRow>>,
}

impl Repairs {
    /// A message has arrived, later than all that were told of.
    pub fn expect(&mut self, flow: &FlowRow) {
        let end = flow.end.expect("it has arrived");
        self.rows.insert((end, flow.destination, flow.source, flow.number), None);
    }

    /// The row of a message is known.
    pub fn tell(&mut self, row: RepairRow) {
        self.rows.insert(row.order(), Some(row));
    }

    /// The rows whose turn it is, in order.
    pub fn take_told(&mut self) -> Vec<RepairRow> {
        let mut told = Vec::new();
        while let Some(first) = self.rows.first_entry() {
            let Some(row) = *first.get() else { break };
            told.push(row);
            first.remove();
        }
        told
    }
}

impl Coordinator<'_, '_> {
    /// All rows that were not told yet, as things are at the end of the run.
    pub(super) fn repairs_left(&mut self) -> Vec<RepairRow> {
        if self.model.transport.rdma().is_some() {
            let places: Vec<u32> = self.table.open().collect();
            for place in places {
                let row = self.repair_row(place);
                self.repairs.tell(row);
            }
        }
        self.repairs.take_told()
    }

    /// What is known of a message at its two ends and between.
    pub(super) fn repair_row(&self, place: u32) -> RepairRow {
        let (flow, identity) = {
            let board = self.hall.board.read().expect("no thread panicked");
            let identity = self.table.identity(&board.flows, place).expect("it has started");
            (board.flows[place as usize], identity)
        };
        let sent = self.at_host(flow.source, |host| *nic(host).outgoing.get_mut(flow.send_slot));
        let came = self.at_host(flow.message.to, |host| *nic(host).incoming.get_mut(flow.receive_slot));
        let edge = self.table.edge_of(place);
        RepairRow {
            end: self.table.end(place),
            source: identity.source,
            destination: identity.destination,
            number: identity.number,
            job: flow.message.job,
            packets: came.packets,
            again: came.tally.again,
            duplicates: came.tally.duplicates,
            nacks: came.tally.nacks,
            nacks_blocked: edge.blocked,
            nacks_made: edge.made,
            marked: came.tally.marked,
            cnps: came.tally.cnps,
            notified: sent.notified,
            distance: came.tally.distance,
        }
    }
}
