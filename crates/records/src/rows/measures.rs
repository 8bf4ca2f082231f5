//! Rows of measured jobs, and of messages that have no row of their own.
//!
//! Means and intervals are defined in `docs/concepts/interference.md`.

use arrow_array::{Array, ArrayRef};
use netloom_units::{Bytes, Duration, HostId};

use crate::cell::Cell;
use crate::column::{Column, Storage, TableSpec};
use crate::names::Family;
use crate::registry::{Batch, MemorySink, Table};
use crate::row::{BadCell, Named, Row, RowError, table};

table! {
    /// The mean step time of a measured job: without its warm-up, or repeated until the mean is known precisely.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct MeasureRow in Measures measures {
        /// Job.
        pub job: u16, "id";
        /// Number of steps in the mean.
        pub steps: u32, "steps";
        /// Number of warm-up steps before these.
        pub warm_up: u32, "steps";
        /// Mean time of these steps, each from the first rank's start to the last rank's end.
        pub mean: Duration, "ps";
        /// Half of the 95 % confidence interval of the mean, by ten batch means; absent for fewer than ten steps.
        pub half_interval: Option<Duration>, "ps";
        /// Whether the interval is as narrow as the scenario requires; absent where it requires nothing.
        pub precise: Option<bool>, "flag";
    }
    names {
        /// Name of the job.
        job_name: Jobs[job];
    }
    sorted by "job",
        |row: &MeasureRow| row.job
}

table! {
    /// Sums over the messages of one sender and job that arrived and have no rows of their own.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub struct TallyRow in Tallies tallies {
        /// Job.
        pub job: u16, "id";
        /// Sender.
        pub source: HostId, "id";
        /// Messages that arrived.
        pub messages: u64, "number";
        /// Their payload.
        pub size: Bytes, "B";
        /// Their completion times, summed.
        pub time: Duration, "ps";
        /// Data packets that arrived, each counted once.
        pub packets: u64, "packets";
        /// Links crossed by these packets, summed.
        pub hops: u64, "links";
        /// Retransmitted packets that arrived.
        pub retransmitted: u64, "packets";
        /// Those of them that had been received before: spurious retransmissions.
        pub duplicates: u64, "packets";
        /// NACKs sent.
        pub nacks: u64, "packets";
        /// Marked packets that arrived.
        pub marked: u64, "packets";
        /// CNPs sent.
        pub cnps: u64, "packets";
        /// Congestion notifications that the sender's congestion control handled.
        pub notifications: u64, "packets";
        /// Retransmission timeouts.
        pub timeouts: u64, "number";
        /// Largest reordering distance: number of packets by which a packet arrived before its turn.
        pub distance: u32, "packets";
        /// Number of these messages on queue pairs, to which the ten columns before this one apply.
        pub on_queue_pairs: u64, "number";
    }
    names {}
    sorted by "job, source",
        |row: &TallyRow| (row.job, row.source)
}
