//! How long a switch will send no pause frame, so that starts of control packets can be computed at enqueue.
//!
//! Models: a bound from the occupancy of the shared buffer and the most that in-links can deliver. A control packet
//! that starts before it cannot be overtaken by a frame, so it goes onto its link when it is queued.
//! Leaves out: links that change over time and hooks, with which every control packet waits for its start.
//!
//! Invariants: a bound holds whatever arrives; computing it rarely changes no result.

use super::Node;
use crate::buffer::{Inflow, SharedBuffer};
use crate::edge::TorFilter;
use crate::round::Round;

/// See the module.
pub(super) struct PauseBound {
    inflow: Inflow,
    /// The window in which the bound was last computed.
    window: u64,
}

impl Node {
    /// Enables computed starts of control packets while no pause frame can come, before the run.
    pub fn bound_frames(&mut self, inflow: Inflow) {
        self.frame_bound = Some(Box::new(PauseBound { inflow, window: u64::MAX }));
    }

    /// Whether such a bound is computed here.
    pub fn bounds_frames(&self) -> bool {
        self.frame_bound.is_some()
    }

    /// Whether it ever sends pause frames.
    pub fn may_pause(&self) -> bool {
        self.buffer.as_ref().is_some_and(|buffer| buffer.may_pause())
    }

    /// Computes a new bound, once in a window; returns whether no pause frame leaves until after `start`.
    #[inline(never)]
    pub(super) fn is_before_new_bound(&mut self, now: u64, start: u64, round: &Round) -> bool {
        let is_pausing = self.buffer.as_ref().is_none_or(|buffer| buffer.is_pausing());
        let Some(bound) = self.frame_bound.as_deref_mut().filter(|bound| bound.window != round.window) else {
            return false;
        };
        bound.window = round.window;
        if is_pausing {
            return false;
        }
        for port in 0..self.ports.len() as u32 {
            self.sync_port(port, round);
        }
        if let (Some(buffer), Some(bound)) = (&self.buffer, &self.frame_bound) {
            let until = now.saturating_add(buffer.least_time_to_pause(&bound.inflow));
            self.no_pause_before = self.no_pause_before.max(until);
        }
        start < self.no_pause_before
    }
}

/// Whether a packet with none ahead of it is certain to be accepted, while no ingress is paused.
#[inline(always)]
pub(super) fn certainly_admits(buffer: Option<&SharedBuffer>, edge: Option<&TorFilter>, bytes: u32) -> bool {
    match buffer {
        Some(buffer) => buffer.certainly_fits(u64::from(bytes)),
        // A full queue may drop it, which must be reported to the edge.
        None => edge.is_none(),
    }
}
