//! Refusals of a valid scenario by a part that does something else with it than simulate it.
//!
//! Leaves out: what that part does with it.

use crate::diagnostic::{Diagnostics, Problems};
use crate::place::Place;
use crate::resolved::Resolved;

/// A reason to refuse a valid scenario.
#[derive(Debug, Clone, PartialEq)]
pub struct Objection {
    /// Where it is written.
    pub place: Place,
    /// What is wrong.
    pub message: String,
    /// What is expected there.
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
