//! Rejection of a valid scenario by a program part that processes it other than by simulation.
//!
//! Leaves out: that processing.

use crate::diagnostic::{Diagnostics, Problems};
use crate::place::Place;
use crate::resolved::Resolved;

/// A reason to refuse a valid scenario.
#[derive(Debug, Clone, PartialEq)]
pub struct Objection {
    /// Where it is written.
    pub place: Place,
    /// The error message.
    pub message: String,
    /// The expectation, shown under the place.
    pub label: String,
    /// A hint.
    pub help: Option<String>,
}

impl Resolved {
    /// These objections as diagnostics, each with its place in the texts of the scenario.
    pub fn refuse(&self, objections: impl IntoIterator<Item = Objection>) -> Diagnostics {
        let mut problems = Problems::default();
        for Objection { place, message, label, help } in objections {
            problems.report(place, message).label(label).maybe_help(help);
        }
        problems.finish(&self.sources)
    }
}
