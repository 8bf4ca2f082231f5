//! Rows of the rings in which switches store recent packets for hosts (Themis).

use arrow_array::{Array, ArrayRef};
use netloom_units::{HostId, NodeId};

use crate::cell::Cell;
use crate::column::{Column, Storage, TableSpec};
use crate::names::Family;
use crate::registry::{Batch, MemorySink, Table};
use crate::row::{BadCell, Named, Row, RowError, table};

table! {
    /// A host whose switch overwrote sequence numbers in the rings of its queue pairs although a NACK caused by them could still arrive.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct RingRow in Rings rings {
        /// The switch.
        pub node: NodeId, "id";
        /// The host.
        pub host: HostId, "id";
        /// Sequence numbers overwritten too early.
        pub overwritten: u64, "packets";
    }
    names {
        /// Name of the switch.
        node_name: Nodes[node];
    }
    sorted by "node, host",
        |row: &RingRow| (row.node, row.host)
}
