//! Rows of events: failures, slow links and packet loss, as named by the user or as drawn at random.
//!
//! The resulting state of each link is in table `faults`.

use arrow_array::{Array, ArrayRef};
use netloom_units::{Duration, LinkId, NodeId, Rate, Time};

use crate::cell::Cell;
use crate::column::{Column, Storage, TableSpec};
use crate::names::Family;
use crate::registry::{Batch, MemorySink, Table};
use crate::row::{BadCell, Named, Row, RowError, table};

table! {
    /// One event of the faults of a scenario.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct EventRow in Events events {
        /// Time.
        pub time: Time, "ps";
        /// When the ends of its links detected it; absent where they did not, or need not.
        pub detected: Option<Time>, "ps";
        /// Kind of its target: `link`, `switch`, `nic` or `host`.
        pub target: Target, "word";
        /// The link; for a switch or a host its first one.
        pub link: LinkId, "id";
        /// The switch or the host; for a link or a NIC the node at its first end.
        pub node: NodeId, "id";
        /// The action: `down`, `up`, `flap`, `steady`, `degrade`, `restore`, `errors` or `clear`.
        pub action: FaultAction, "word";
        /// For `degrade`: the rate from then on.
        pub rate: Option<Rate>, "bit/s";
        /// For `errors`: the probability that a full data packet is lost.
        pub loss: Option<f64>, "number";
        /// For `flap`: time from one down to the next.
        pub period: Option<Duration>, "ps";
    }
    names {
        /// Name of the link.
        link_name: Links[link];
        /// Name of the node.
        node_name: Nodes[node];
    }
    sorted by "time, target, link, node, action",
        |row: &EventRow| row.order()
}

impl EventRow {
    /// Its sort key.
    pub fn order(&self) -> (Time, Target, LinkId, NodeId, FaultAction) {
        (self.time, self.target, self.link, self.node, self.action)
    }
}

/// The target of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Target {
    /// A link.
    Link,
    /// A switch, with all its links.
    Switch,
    /// A NIC, with its link.
    Nic,
    /// A host, with the links of all its NICs.
    Host,
}

impl Target {
    /// All of them, in order.
    pub const ALL: [Target; 4] = [Target::Link, Target::Switch, Target::Nic, Target::Host];

    /// The word stored for it.
    pub const fn word(self) -> &'static str {
        match self {
            Target::Link => "link",
            Target::Switch => "switch",
            Target::Nic => "nic",
            Target::Host => "host",
        }
    }
}

/// The kind of event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FaultAction {
    /// It went down.
    Down,
    /// It came up.
    Up,
    /// It began to flap: to go down and come up repeatedly.
    Flap,
    /// It stopped flapping.
    Steady,
    /// It became slower.
    Degrade,
    /// Its own rate was restored.
    Restore,
    /// It began to lose packets.
    Errors,
    /// It stopped losing packets.
    Clear,
}

impl FaultAction {
    /// All of them, in order.
    pub const ALL: [FaultAction; 8] = [
        FaultAction::Down,
        FaultAction::Up,
        FaultAction::Flap,
        FaultAction::Steady,
        FaultAction::Degrade,
        FaultAction::Restore,
        FaultAction::Errors,
        FaultAction::Clear,
    ];

    /// The word stored for it.
    pub const fn word(self) -> &'static str {
        match self {
            FaultAction::Down => "down",
            FaultAction::Up => "up",
            FaultAction::Flap => "flap",
            FaultAction::Steady => "steady",
            FaultAction::Degrade => "degrade",
            FaultAction::Restore => "restore",
            FaultAction::Errors => "errors",
            FaultAction::Clear => "clear",
        }
    }
}
