//! Rows about traffic classes: counters per port and class, and the class of each kind of traffic.

use arrow_array::{Array, ArrayRef};
use netloom_units::{Bytes, Duration, LinkId, NodeId, PortId};

use crate::cell::Cell;
use crate::column::{Column, Storage, TableSpec};
use crate::names::Family;
use crate::registry::{Batch, MemorySink, Table};
use crate::row::{BadCell, Named, Row, RowError, table};

table! {
    /// The data of one traffic class at one egress port over the whole run; only if data has several classes.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct ClassRow in Classes classes {
        /// Port, counted over the fabric.
        pub port: PortId, "id";
        /// The traffic class.
        pub class: u16, "number";
        /// Node it belongs to.
        pub node: NodeId, "id";
        /// The link.
        pub link: LinkId, "id";
        /// The node at the other end.
        pub peer: NodeId, "id";
        /// Data packets of the class that were sent, without those lost on the link.
        pub packets: u64, "packets";
        /// Their bytes.
        pub size: Bytes, "B";
        /// Largest number of queued bytes of the class, without the packet in transmission; 0 where queue pairs wait in the NIC.
        pub peak_size: Bytes, "B";
        /// Data packets of the class that were dropped here.
        pub dropped: u64, "packets";
        /// Data packets of the class that were marked here.
        pub marked: u64, "packets";
        /// Pause frames sent here that pause the class.
        pub pauses: u64, "packets";
        /// Time during which the peer had paused the class.
        pub paused: Duration, "ps";
    }
    names {
        /// Name of the node.
        node_name: Nodes[node];
        /// Name of the link.
        link_name: Links[link];
        /// Name of the node at the other end.
        peer_name: Nodes[peer];
    }
    sorted by "port, class",
        |row: &ClassRow| (row.port, row.class)
}

table! {
    /// The kind of traffic of one job, of background traffic or of one staged flow.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct TrafficRow in Traffic traffic {
        /// Job; 65535 for background traffic, 65534 for staged flows, 65533 for finite flows.
        pub job: u16, "id";
        /// The index of the staged flow; 0 for others.
        pub step: u32, "number";
        /// The kind of traffic.
        pub traffic: u16, "id";
        /// The class of its packets.
        pub class: u16, "number";
        /// Whether its packets are marked as packets that may be reordered.
        pub may_reorder: bool, "flag";
    }
    names {
        /// Name of the kind of traffic.
        traffic_name: Traffic[traffic];
    }
    sorted by "job, step",
        |row: &TrafficRow| (row.job, row.step)
}
