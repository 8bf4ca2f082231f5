//! Rows of cells: means of studies of interference, aggregated before they are stored here.
//!
//! The source of such means is described in `docs/concepts/measured.md`.

use arrow_array::{Array, ArrayRef};
use netloom_units::{Bytes, Duration};

use crate::cell::Cell;
use crate::column::{Column, Storage, TableSpec};
use crate::names::Family;
use crate::registry::{Batch, MemorySink, Table};
use crate::row::{BadCell, Named, Row, RowError, table};

table! {
    /// One cell of a study of interference: the time of a victim's collective in isolation, or beside an aggressor.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct CellRow in Cells cells {
        /// Hosts of both groups together.
        pub nodes: u32, "number";
        /// Collective of the victim.
        pub victim: u16, "id";
        /// Bytes of its vector; of an all-to-all those for each peer.
        pub size: Bytes, "B";
        /// Collective of the aggressor; `none` in a cell of the victim in isolation.
        pub aggressor: u16, "id";
        /// Bytes of the aggressor's vector, of an all-to-all those for each peer; zero without an aggressor.
        pub aggressor_size: Bytes, "B";
        /// Length of the aggressor's bursts; absent where it never pauses.
        pub burst: Option<Duration>, "ps";
        /// Pause between its bursts; absent where it never pauses.
        pub pause: Option<Duration>, "ps";
        /// Mean time of the victim's collective, each time that of its slowest rank; beside the aggressor, if there is one.
        pub mean: Duration, "ps";
        /// Half of the 95 % interval of that mean; absent where it is not known.
        pub half_interval: Option<Duration>, "ps";
        /// Median of these times; absent where it is not known.
        pub median: Option<Duration>, "ps";
        /// Number of iterations in the mean; zero where it is not known.
        pub steps: u32, "steps";
        /// Warm-up iterations before these, which are not counted.
        pub warm_up: u32, "steps";
        /// Mean time of the victim in isolation, in the run with which this cell is compared; absent without an aggressor.
        pub baseline: Option<Duration>, "ps";
        /// Half of the 95 % interval of that mean; absent where it is not known.
        pub baseline_half_interval: Option<Duration>, "ps";
    }
    names {
        /// Name of the victim's collective.
        victim_name: Collectives[victim];
        /// Name of the aggressor's collective.
        aggressor_name: Collectives[aggressor];
    }
    sorted by "nodes, victim, aggressor, aggressor_size, burst, pause, size",
        |row: &CellRow| row.order()
}

/// The sort key of table `cells`.
pub type CellOrder = (u32, u16, u16, Bytes, Option<Duration>, Option<Duration>, Bytes);

impl CellRow {
    /// Its sort key.
    pub fn order(&self) -> CellOrder {
        (self.nodes, self.victim, self.aggressor, self.aggressor_size, self.burst, self.pause, self.size)
    }
}
