//! Rows of the timeline: activities of each rank of a job in the recorded steps.
//!
//! Which steps are recorded is described in `docs/concepts/timeline.md`.

use arrow_array::{Array, ArrayRef};
use netloom_units::{HostId, Time};

use crate::cell::Cell;
use crate::column::{Column, TableSpec};
use crate::names::Family;
use crate::registry::{Batch, MemorySink, Table};
use crate::row::{BadCell, Row, RowError, table};

table! {
    /// One activity of a rank in a recorded step; of each job the first step and the slowest of the others are recorded.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct SpanRow in Spans spans {
        /// When the rank began the activity.
        pub start: Time, "ps";
        /// When the rank ended the activity; absent if it was unfinished when the run ended.
        pub end: Option<Time>, "ps";
        /// Job.
        pub job: u16, "id";
        /// Step of the job.
        pub step: u32, "number";
        /// Rank in the job.
        pub rank: u32, "number";
        /// The host of the rank.
        pub host: HostId, "id";
        /// The activity: `step`, `compute`, `communicate`, `stages`, `barrier`, or `collective`.
        pub activity: Activity, "word";
        /// Phase of the step; absent for steps.
        pub phase: Option<u16>, "number";
        /// Bucket of the phase, for collectives; microbatch, for the passes of a pipeline, forward first.
        pub bucket: Option<u16>, "number";
    }
    names {}
    sorted by "job, step, rank, start, activity, phase, bucket; activities in the order in which they are listed",
        |row: &SpanRow| row.order()
}

/// The sort key of table `spans`.
type SpanOrder = (u16, u32, u32, Time, Activity, Option<u16>, Option<u16>);

impl SpanRow {
    /// Its sort key.
    pub fn order(&self) -> SpanOrder {
        (self.job, self.step, self.rank, self.start, self.activity, self.phase, self.bucket)
    }
}

/// An activity of a rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Activity {
    /// A step: all other activities.
    Step,
    /// A phase of computation.
    Compute,
    /// The buckets of a phase, without the barriers after them.
    Communicate,
    /// Messages along stages, without a barrier after them.
    Stages,
    /// Waiting at a modelled barrier: a phase of its own, or after buckets or stages.
    Barrier,
    /// One bucket within [`Activity::Communicate`].
    Collective,
}

impl Activity {
    /// All of them, in order.
    pub const ALL: [Activity; 6] = [
        Activity::Step,
        Activity::Compute,
        Activity::Communicate,
        Activity::Stages,
        Activity::Barrier,
        Activity::Collective,
    ];

    /// The word stored for it.
    pub const fn word(self) -> &'static str {
        match self {
            Activity::Step => "step",
            Activity::Compute => "compute",
            Activity::Communicate => "communicate",
            Activity::Stages => "stages",
            Activity::Barrier => "barrier",
            Activity::Collective => "collective",
        }
    }
}
