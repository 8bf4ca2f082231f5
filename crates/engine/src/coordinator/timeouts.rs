//! Spurious timeouts of queue pairs in a lossless run: what they retransmitted had arrived, or was about to.
//!
//! Leaves out: runs in which any packet is lost, where a timeout may be how a sender detects it; queue pairs that give
//! up.
//!
//! Invariants: memory grows only with queue pairs that time out, and only while nothing is lost.

use std::collections::BTreeMap;

use netloom_records::SpuriousTimeoutRow;
use netloom_units::{HostId, Time};

use crate::context::Timeout;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Timeouts {
    has_losses: bool,
    /// By host and number of the queue pair there.
    rows: BTreeMap<(u32, u32), SpuriousTimeoutRow>,
}

impl Timeouts {
    /// A packet was lost: from now on spurious timeouts cannot be identified.
    pub fn lost(&mut self) {
        self.has_losses = true;
        self.rows.clear();
    }

    /// A queue pair has timed out.
    pub fn take(&mut self, timeout: &Timeout) {
        if self.has_losses {
            return;
        }
        let at = Time(timeout.at);
        let fresh = SpuriousTimeoutRow {
            source: HostId(timeout.source),
            destination: HostId(timeout.destination),
            number: timeout.number,
            timeouts: 0,
            unacknowledged: 0,
            first: at,
            last: at,
        };
        let row = self.rows.entry((timeout.source, timeout.number)).or_insert(fresh);
        row.timeouts += 1;
        row.unacknowledged += u64::from(timeout.unacknowledged);
        row.last = at;
    }

    /// The rows, in order.
    pub fn rows(&self) -> Vec<SpuriousTimeoutRow> {
        self.rows.values().copied().collect()
    }
}
