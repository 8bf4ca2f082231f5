//! Rows of the congestion tree: ports with waiting packets, and the flows through congested ones.
//!
//! Roots, branches and leaves are defined in `docs/concepts/congestion-tree.md`.

use arrow_array::{Array, ArrayRef};
use netloom_units::{Bytes, Duration, HostId, NodeId, PortId, Time};

use crate::cell::Cell;
use crate::column::{Column, Storage, TableSpec};
use crate::names::Family;
use crate::registry::{Batch, MemorySink, Table};
use crate::row::{BadCell, Named, Row, RowError, table};

table! {
    /// One egress port of a link with credits in one interval; only ports with queued packets or without credits.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct CongestionRow in Congestion congestion {
        /// Start of the interval.
        pub start: Time, "ps";
        /// End of the interval.
        pub end: Time, "ps";
        /// Port, counted over the fabric.
        pub port: PortId, "id";
        /// Node it belongs to.
        pub node: NodeId, "id";
        /// The node at the other end of its link.
        pub peer: NodeId, "id";
        /// Its role in the congestion tree: `root`, `branch`, `leaf` (of hosts), or `free` of congestion.
        pub role: Role, "word";
        /// Time during which packets were queued; absent for hosts.
        pub occupied: Option<Duration>, "ps";
        /// Time during which it sent.
        pub sending: Duration, "ps";
        /// Time during which it had packets to send, an idle wire and no credits.
        pub credit_stalled: Duration, "ps";
        /// Mean number of queued bytes over the interval, without the packet in transmission; absent for hosts.
        pub mean_waiting: Option<Bytes>, "B";
        /// Largest number of queued bytes in the interval; absent for hosts.
        pub peak_waiting: Option<Bytes>, "B";
        /// For a branch or a leaf: the egress port of the peer in which most of the packets that came from here were queued.
        pub blocked_by: Option<PortId>, "id";
        /// Mean number of bytes from here that were queued for that port over the interval; absent where no port is named.
        pub blocked_size: Option<Bytes>, "B";
    }
    names {
        /// Name of the node.
        node_name: Nodes[node];
        /// Name of the node at the other end.
        peer_name: Nodes[peer];
    }
    sorted by "end, port",
        |row: &CongestionRow| (row.end, row.port)
}

table! {
    /// One congested port that data of a pair of hosts crossed or was queued at, in one interval.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct CongestedFlowRow in CongestedFlows congested_flows {
        /// Start of the interval.
        pub start: Time, "ps";
        /// End of the interval.
        pub end: Time, "ps";
        /// Sender.
        pub source: HostId, "id";
        /// Receiver.
        pub destination: HostId, "id";
        /// What the flows of the pair are to the congestion tree: `contributor`, `victim`, or `free` of harm.
        pub part: Part, "word";
        /// The port, counted over the fabric.
        pub port: PortId, "id";
        /// Node it belongs to.
        pub node: NodeId, "id";
        /// The node at the other end of its link.
        pub peer: NodeId, "id";
        /// Role of the port in the congestion tree: `root`, `branch` or `leaf`.
        pub role: Role, "word";
        /// Mean number of bytes of the pair queued there over the interval; absent for hosts.
        pub mean_waiting: Option<Bytes>, "B";
    }
    names {
        /// Name of the node.
        node_name: Nodes[node];
        /// Name of the node at the other end.
        peer_name: Nodes[peer];
    }
    sorted by "end, source, destination, port",
        |row: &CongestedFlowRow| (row.end, row.source, row.destination, row.port)
}

/// The role of a port in a congestion tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Congested, and limited by its own link rate or by the host behind it.
    Root,
    /// Congested, and blocked by a congested port behind it.
    Branch,
    /// A host's port that is blocked by a congested port.
    Leaf,
    /// None of these.
    Free,
}

impl Role {
    /// All of them, in order.
    pub const ALL: [Role; 4] = [Role::Root, Role::Branch, Role::Leaf, Role::Free];

    /// The word stored for it.
    pub const fn word(self) -> &'static str {
        match self {
            Role::Root => "root",
            Role::Branch => "branch",
            Role::Leaf => "leaf",
            Role::Free => "free",
        }
    }
}

/// The role of the flows of a pair of hosts in a congestion tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// They pass a root.
    Contributor,
    /// They pass no root, but are blocked by a branch.
    Victim,
    /// They pass a branch, and are not blocked.
    Free,
}

impl Part {
    /// All of them, in order.
    pub const ALL: [Part; 3] = [Part::Contributor, Part::Victim, Part::Free];

    /// The word stored for it.
    pub const fn word(self) -> &'static str {
        match self {
            Part::Contributor => "contributor",
            Part::Victim => "victim",
            Part::Free => "free",
        }
    }
}
