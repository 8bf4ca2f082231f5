//! Rows of causes: what the completion time of each message consists of.
//!
//! The causes and how they are measured are in `docs/concepts/causes.md`.

use arrow_array::{Array, ArrayRef};
use netloom_units::{Duration, HostId, PortId, Time};

use crate::cell::Cell;
use crate::column::{Column, TableSpec};
use crate::names::Family;
use crate::registry::{Batch, MemorySink, Table};
use crate::row::{BadCell, Row, RowError, table};

table! {
    /// One part of the completion time of a message that arrived; the parts of a message add up to it.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct CauseRow in Causes causes {
        /// When the message's last byte arrived.
        pub end: Time, "ps";
        /// Sender.
        pub source: HostId, "id";
        /// Receiver.
        pub destination: HostId, "id";
        /// Number among the sender's messages, from 0.
        pub number: u32, "number";
        /// Job; 65535 for background traffic, 65534 for staged flows, 65533 for finite flows.
        pub job: u16, "id";
        /// Its number among the parts of the message, from 0, in the order of time; `transmission` comes last.
        pub part: u16, "number";
        /// The cause: `sender`, `queue`, `recovery`, or `transmission`.
        pub cause: Cause, "word";
        /// The port whose queue it was, of `queue`; absent for other causes.
        pub port: Option<PortId>, "id";
        /// How long.
        pub time: Duration, "ps";
    }
    names {}
    sorted by "end, destination, source, number, part",
        |row: &CauseRow| row.order()
}

impl CauseRow {
    /// Its sort key.
    pub fn order(&self) -> (Time, HostId, HostId, u32, u16) {
        (self.end, self.destination, self.source, self.number, self.part)
    }
}

/// A cause of a part of a completion time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// Until the last packet of the message was on the wire at its sender.
    Sender,
    /// The last packet waited in the queue of a port behind the sender.
    Queue,
    /// After the arrival of the last packet: packets before it were retransmitted, or overtaken by it.
    Recovery,
    /// Serialization and propagation of the last packet, over all links.
    Transmission,
}

impl Cause {
    /// All of them, in order.
    pub const ALL: [Cause; 4] = [Cause::Sender, Cause::Queue, Cause::Recovery, Cause::Transmission];

    /// The word stored for it.
    pub const fn word(self) -> &'static str {
        match self {
            Cause::Sender => "sender",
            Cause::Queue => "queue",
            Cause::Recovery => "recovery",
            Cause::Transmission => "transmission",
        }
    }
}
