//! What every partition may read while a round runs.

use netloom_model::{Model, Overlay};

use crate::activity::Activity;
use crate::flow::Flow;

/// The shared, read-only view of one round of one window.
pub struct Round<'a> {
    /// The model.
    pub model: &'a Model,
    /// Next hops recomputed after failures, where nodes have global knowledge.
    pub overlay: Option<&'a Overlay>,
    /// The messages handed out.
    pub flows: &'a [Flow],
    /// Who has something to do.
    pub activity: &'a Activity,
    /// Number of the window.
    pub window: u64,
    /// Start of the window, in ps.
    pub start: u64,
    /// End of the window, in ps: what happens at or after it belongs to the next.
    pub end: u64,
}
