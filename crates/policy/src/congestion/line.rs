//! # Idea
//! No congestion control: every packet leaves at line rate.
//!
//! # Source
//! Modelling assumption; the baseline that the others are compared with.
//!
//! # Parameters
//! None.
//!
//! # Invariants
//! Stateless; needs no marks or notifications.
//!
//! # When it misleads
//! Many senders to one receiver fill every buffer on the path: a lossy fabric drops most packets, a lossless one pauses
//! many flows that do not contribute to the congestion.

use netloom_units::{Duration, Rate, Spec, StateWriter, Time};

use super::{Chosen, Control, Notify, Signal, Site};

/// The specification.
pub static SPEC: Spec = Spec {
    name: "none",
    summary: "no congestion control: every packet leaves at line rate",
    source: "modelling assumption",
    parameters: &[],
};

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
