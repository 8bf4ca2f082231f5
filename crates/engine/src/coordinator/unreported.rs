//! Messages of jobs summed up by sender, if the scenario does not record a row for each.
//!
//! Leaves out: messages that never arrived, which always have their rows.

use netloom_model::Message;
use netloom_records::{FlowRow, RepairRow, TallyRow};
use netloom_units::{Bytes, Duration, HostId};

use super::Coordinator;

/// Whether rows of messages of a job may be left out.
fn is_of_job(job: u16) -> bool {
    job < Message::FIRST_OF_OTHERS
}

impl Coordinator<'_, '_> {
    /// The sums of a job and a sender.
    fn tally(&mut self, job: u16, source: HostId) -> &mut TallyRow {
        let fresh = TallyRow { job, source, ..TallyRow::default() };
        self.unreported.entry((job, source)).or_insert(fresh)
    }

    /// Sums up the messages that have arrived and removes them from the rows to be recorded.
    #[inline(never)]
    pub(super) fn sum_up_messages(&mut self) {
        let mut rows = std::mem::take(&mut self.rows);
        rows.retain(|row| !self.sums_up(row));
        self.rows = rows;
    }

    fn sums_up(&mut self, row: &FlowRow) -> bool {
        let Some(end) = row.end.filter(|_| is_of_job(row.job)) else { return false };
        let tally = self.tally(row.job, row.source);
        tally.messages += 1;
        tally.size = Bytes(tally.size.0 + row.size.0);
        tally.time = Duration(tally.time.0.saturating_add(end.since(row.start).0));
        tally.packets += u64::from(row.packets);
        tally.hops += row.hops;
        true
    }

    /// The same for retransmissions.
    #[inline(never)]
    pub(super) fn sum_up_repairs(&mut self, rows: &mut Vec<RepairRow>) {
        rows.retain(|row| {
            if row.end.is_none() || !is_of_job(row.job) {
                return true;
            }
            *self.tally(row.job, row.source) += row;
            false
        });
    }
}
