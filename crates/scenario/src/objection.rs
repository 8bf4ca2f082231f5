//! Rejection of a valid scenario by a program part that processes it other than by simulation.
//!
//! Leaves out: that processing.

use crate::diagnostic::{Diagnostics, Problems};
use crate::location::Location;
use crate::resolved::Resolved;

/// A reason to refuse a valid scenario.
#[derive(Debug, Clone, PartialEq)]
pub struct Objection {
    /// Where it is written.
    pub location: Location,
    /// The error message.
    pub message: String,
    /// The expectation, shown under the location.
    pub label: String,
    /// A hint.
    pub help: Option<String>,
}

impl Resolved {
    /// These objections as diagnostics, each with its location in the texts of the scenario.
    pub fn refuse(&self, objections: impl IntoIterator<Item = Objection>) -> Diagnostics {
        let mut problems = Problems::default();
        for Objection { location, message, label, help } in objections {
            problems.report(location, message).label(label).maybe_help(help);
        }
        problems.finish(&self.sources)
    }
}
