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
    /// The mean step time of a job that is measured: its first steps do not count, or it repeats until the mean is known.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct MeasureRow in Measures measures {
        /// Job.
        pub job: u16, "id";
        /// Steps that count.
        pub steps: u32, "steps";
        /// Steps before these, which do not.
        pub warm_up: u32, "steps";
        /// Mean time of the steps that count, each from the first rank's start to the last rank's end.
        pub mean: Duration, "ps";
        /// Half of the 95 % interval of that mean, by ten batch means; absent of fewer than ten steps.
        pub half_interval: Option<Duration>, "ps";
        /// Whether that is as little as the scenario asks for; absent where it asks for nothing.
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
    /// Messages of a job that arrived and have no rows of their own, by their sender.
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
        /// Their times from start to end, summed.
        pub time: Duration, "ps";
        /// Data packets that arrived, each counted once.
        pub packets: u64, "packets";
        /// Links crossed by these packets, summed.
        pub hops: u64, "links";
        /// Packets that came and had been sent before.
        pub again: u64, "packets";
        /// Those of them that had been taken before.
        pub duplicates: u64, "packets";
        /// NACKs sent.
        pub nacks: u64, "packets";
        /// Marked packets that came.
        pub marked: u64, "packets";
        /// CNPs sent.
        pub cnps: u64, "packets";
        /// Notifications that slowed the sender down.
        pub notified: u64, "packets";
        /// Retransmission timeouts.
        pub timeouts: u64, "number";
        /// Most packets by which one came before its turn.
        pub distance: u32, "packets";
        /// Messages of these of which the last ten columns are known: those on queue pairs.
        pub on_pairs: u64, "number";
    }
    names {}
    sorted by "job, source",
        |row: &TallyRow| (row.job, row.source)
}
