//! Rows of arbitration at switches with credits, and of timeouts in a network without losses.
//!
//! The rule of arbitration and its bound are in `docs/concepts/credits.md`.

use arrow_array::{Array, ArrayRef};
use netloom_units::{Duration, HostId, LinkId, NodeId, PortId, Time};

use crate::cell::Cell;
use crate::column::{Column, Storage, TableSpec};
use crate::names::Family;
use crate::registry::{Batch, MemorySink, Table};
use crate::row::{BadCell, Named, Row, RowError, table};

table! {
    /// Waiting for one egress port of a switch with credits at the heads of queues; ports that granted no transfer have no row.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct ArbitrationRow in Arbitration arbitration {
        /// Port, counted over the fabric.
        pub port: PortId, "id";
        /// Node it belongs to.
        pub node: NodeId, "id";
        /// The link.
        pub link: LinkId, "id";
        /// The node at the other end.
        pub peer: NodeId, "id";
        /// Crossbar transfers that it granted; a train of packets counts as one.
        pub transfers: u64, "number";
        /// Largest number of transfers of a virtual lane that it granted to other ingresses while a packet of that lane was the head of its queue.
        pub most_passes: u64, "number";
        /// The bound on this number that the arbitration guarantees while no link of the switch fails.
        pub bound: u64, "number";
        /// Longest time from when a packet became the head of its queue until its transfer began, with waiting for credits and for buffer space.
        pub longest_wait: Duration, "ps";
    }
    names {
        /// Name of the node.
        node_name: Nodes[node];
        /// Name of the link.
        link_name: Links[link];
        /// Name of the node at the other end.
        peer_name: Nodes[peer];
    }
    sorted by "port",
        |row: &ArbitrationRow| row.port
}

table! {
    /// One queue pair that retransmitted after a timeout although the network lost nothing; no rows in a run in which any packet was dropped.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct SpuriousTimeoutRow in SpuriousTimeouts spurious_timeouts {
        /// Sender.
        pub source: HostId, "id";
        /// Receiver.
        pub destination: HostId, "id";
        /// Number among the sender's queue pairs, from 0 in the order of their first packets.
        pub number: u32, "number";
        /// Timeouts after which it retransmitted packets.
        pub timeouts: u64, "number";
        /// Unacknowledged packets in flight at a timeout, summed over timeouts.
        pub unacknowledged: u64, "packets";
        /// Time of the first timeout.
        pub first: Time, "ps";
        /// Time of the last timeout.
        pub last: Time, "ps";
    }
    names {}
    sorted by "source, number",
        |row: &SpuriousTimeoutRow| (row.source, row.number)
}
