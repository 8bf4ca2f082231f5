//! What switches know of queues elsewhere: snapshots of the whole fabric.
//!
//! Models: bytes waiting at every port, renewed at multiples of the coordination delay (ours), where the balancing policy asks.
//! Leaves out: who may look at which of them, which policies state.
//!
//! Invariants: a snapshot holds what all before its instant has come to, and reading changes nothing; while nothing happens the
//! last multiple counts.

use super::Coordinator;
use netloom_model::Model;

/// When the next snapshot is due.
#[derive(Debug)]
pub(super) struct Snapshots {
    next: u64,
    delay: u64,
}

impl Snapshots {
    /// None where nobody asks.
    pub(super) fn new(model: &Model) -> Option<Snapshots> {
        let asks = model.routing.n_groups() > 0 && model.balances.switch.asks_beyond();
        asks.then(|| Snapshots { next: 0, delay: model.coordination_delay.0.max(1) })
    }

    /// The instant of the next one, in ps.
    pub(super) fn next(&self) -> u64 {
        self.next
    }
}

impl Coordinator<'_, '_> {
    /// Takes the last snapshot that is due at or before `earliest`, before which nothing happens any more.
    pub(super) fn take_snapshot(&mut self, earliest: u64) {
        let Some(snapshots) = &mut self.snapshots else { return };
        let at = earliest / snapshots.delay * snapshots.delay;
        snapshots.next = at.saturating_add(snapshots.delay);
        let known = self.ports_at(at, at).map(|totals| totals.waiting).collect();
        self.hall.board.write().expect("no thread panicked").known = known;
    }
}
