//! The ports of a run, and how much each of them was used in the span.
//!
//! Leaves out: use in the span, if ports were not sampled over time; it is of the whole run then.

use netloom_records::statistics::PortShares;
use netloom_records::{Batch, PortRow};

use crate::collect::About;

/// Collected from the rows of a run: its ports, so memory grows with the fabric.
#[derive(Debug, Default)]
pub(super) struct UsedPorts {
    /// The ports, in their order.
    pub ports: Vec<PortRow>,
    shares: Option<PortShares>,
}

impl UsedPorts {
    /// Takes rows of any table.
    pub fn take(&mut self, about: &About, batch: Batch<'_>) {
        match batch {
            Batch::Ports(rows) => self.ports.extend_from_slice(rows),
            Batch::Series(rows) => {
                let shares = self.shares.get_or_insert_with(|| PortShares::new(about.span.clone()));
                for row in rows {
                    shares.take(row);
                }
            }
            _ => {}
        }
    }

    /// The use of the ports.
    pub fn shares(&mut self, about: &About) -> PortShares {
        self.shares.take().unwrap_or_else(|| PortShares::new(about.span.clone()))
    }
}
