//! # Idea
//! No congestion control: every packet leaves at line rate.
//!
//! # Source
//! Ours; the yardstick that the others are held against.
//!
//! # Parameters
//! None.
//!
//! # Invariants
//! Stateless; nobody needs to be told of marks.
//!
//! # When it misleads
//! Many senders to one receiver fill every buffer on the way: a lossy fabric loses most of it, a lossless one pauses far
//! beyond those who share the cause.

use netloom_units::{Duration, Rate, Spec, StateWriter, Time};

use super::{Chosen, Control, Notify, Signal, Site};

/// The specification.
pub static SPEC: Spec =
    Spec { name: "none", summary: "every packet leaves at line rate", source: "ours", parameters: &[] };

/// The line rate.
#[derive(Debug, Clone)]
pub struct Line {
    line: Rate,
}

impl Line {
    pub(super) fn new(_: &Chosen, site: Site) -> Line {
        Line { line: site.line }
    }
}

impl Control for Line {
    type State = ();

    fn start(&self) {}

    #[inline]
    fn rate(&self, (): &mut (), _: Time) -> Rate {
        self.line
    }

    fn on_congestion(&self, (): &mut (), _: Time, _: Signal) {}

    /// Nothing would raise the rate again, so it stays.
    fn slow_start(&self, (): &mut (), _: Time) {}

    fn notify(&self) -> Option<Notify> {
        None
    }

    fn cnp_interval(&self) -> Duration {
        Duration::ZERO
    }

    fn write_state(&self, (): &(), _: Time, _: &mut StateWriter) {}
}
