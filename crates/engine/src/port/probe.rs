//! A port that records its state when the transmission of a packet starts (in-band telemetry).
//!
//! Leaves out: how records travel (`telemetry.rs`).
//!
//! Invariants: such a port is watched and computes no start at enqueue, so the recorded queue is the one at that
//! instant.

use netloom_policy::congestion::Hop;
use netloom_units::Time;

use super::change::bytes_of;
use super::{Egress, Form, Start};
use crate::context::PartitionContext;
use crate::telemetry::{PortTelemetry, Record};

impl Egress {
    /// Enables telemetry records at this port, before the run.
    ///
    /// # Panics
    /// In computed form.
    pub fn set_probe(&mut self, probe: PortTelemetry) {
        assert!(self.form != Form::Computed, "a computed start is not seen");
        (self.uses_fast_path, self.has_start_effects, self.extras.watched) = (false, true, true);
        self.extras.probe = Some(Box::new(probe));
        self.update_admission_conditions();
    }

    /// The telemetry record of a packet whose transmission starts, where there is one.
    #[inline]
    pub fn add_telemetry(&mut self, start: &mut Start, context: &mut PartitionContext) -> Option<Record> {
        self.extras.probe.as_ref()?;
        self.add_telemetry_now(start, context)
    }

    #[cold]
    fn add_telemetry_now(&mut self, start: &mut Start, context: &mut PartitionContext) -> Option<Record> {
        let (port, at, rate, queued) = (self.id, Time(start.at), self.rate, self.queued_ps);
        let hop = || Hop { port, at, sent: 0, waiting: bytes_of(rate, queued), rate };
        let telemetry = context.telemetry.as_deref_mut()?;
        self.extras.probe.as_deref_mut()?.note(&mut start.packet, hop, telemetry)
    }

    /// Sends the record of a packet that reaches the other end.
    #[cold]
    pub fn send_telemetry(&mut self, record: &Record) {
        if let Some(probe) = &mut self.extras.probe {
            probe.send(record);
        }
    }
}
