//! Progress of staged flows, read at the receivers.
//!
//! Invariants: between windows all packets that arrive before the instant have been received, and reading changes
//! nothing.

use netloom_records::StageRow;

use super::Coordinator;
use crate::run::Status;

impl Coordinator<'_, '_> {
    /// A message has started: it may belong to a staged flow.
    pub(super) fn stage_started(&mut self, index: u32) {
        let Some(stages) = &mut self.stages else { return };
        let message =
            self.scheduler.round_state.read().expect("no thread panicked").flows[index as usize].message;
        if let Some(flow) = message.staged_flow() {
            stages.started(flow, index);
        }
    }

    /// A message has arrived.
    pub(super) fn stage_arrived(&mut self, index: u32) {
        let Some(stages) = &mut self.stages else { return };
        let message =
            self.scheduler.round_state.read().expect("no thread panicked").flows[index as usize].message;
        if let Some(flow) = message.staged_flow() {
            stages.arrived(flow, index, message.size);
        }
    }

    /// The measured part of a stage begins or ends now.
    pub(super) fn stage_sample(&mut self) {
        if let Some(mut stages) = self.stages.take() {
            stages.take(|index| self.came(index));
            self.stages = Some(stages);
        }
    }

    /// All rows; once no event is left, including those of stages still to come.
    pub(super) fn stage_rows(&mut self, status: &Status) -> Vec<StageRow> {
        let is_at_rest = !self.is_over && matches!(status, Status::Complete | Status::Stalled(_));
        while is_at_rest && self.stages.as_ref().is_some_and(|stages| stages.next().is_some()) {
            self.stage_sample();
        }
        self.stages.take().map(crate::stages::Stages::rows).unwrap_or_default()
    }

    /// Payload received of a message in flight, each byte counted once.
    fn came(&self, index: u32) -> u64 {
        let flow = self.scheduler.round_state.read().expect("no thread panicked").flows[index as usize];
        let missing = self.at_host(flow.message.to, |host| match host.nic.as_deref_mut() {
            Some(nic) => nic.incoming.get_mut(flow.receive_slot).missing,
            None => host.receives.get_mut(flow.receive_slot).missing,
        });
        flow.message.size.0 - missing
    }
}
