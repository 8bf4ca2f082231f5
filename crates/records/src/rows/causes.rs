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
    /// What the completion time of a message that arrived consists of: the causes add up to it.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
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
        /// Its packets on the wire of its sender, then its last packet on each further link, with propagation.
        pub transmission: Duration, "ps";
        /// Waiting at its sender while packets of earlier messages of its queue pair were on the wire.
        pub earlier: Duration, "ps";
        /// Waiting at its sender while other packets of that host were on the wire.
        pub turn: Duration, "ps";
        /// The wire of its sender was idle: the queue pair waited for acknowledgements.
        pub window: Duration, "ps";
        /// The wire of its sender was idle: the next packet was not due yet at the rate allowed.
        pub pacing: Duration, "ps";
        /// The wire of its sender was idle: the queue pair waited for a retransmission timeout.
        pub timeout: Duration, "ps";
        /// The wire of its sender was idle: the link was paused, had no credits, or was down.
        pub pause: Duration, "ps";
        /// Waiting of its last packet in queues behind the sender.
        pub queues: Duration, "ps";
        /// After the arrival of its last packet: packets before it were retransmitted, or overtaken by it.
        pub recovery: Duration, "ps";
        /// The port in whose queue its last packet waited longest; absent if it never waited.
        pub port_1: Option<PortId>, "id";
        /// How long it waited there.
        pub wait_1: Duration, "ps";
        /// The port of the second longest wait; absent if there was none.
        pub port_2: Option<PortId>, "id";
        /// How long it waited there.
        pub wait_2: Duration, "ps";
        /// The port of the third longest wait; absent if there was none.
        pub port_3: Option<PortId>, "id";
        /// How long it waited there.
        pub wait_3: Duration, "ps";
    }
    names {}
    sorted by "end, destination, source, number", |row: &CauseRow| row.order()
}

impl CauseRow {
    /// Its sort key.
    pub fn order(&self) -> (Time, HostId, HostId, u32) {
        (self.end, self.destination, self.source, self.number)
    }

    /// The longest waits in queues, with their ports, the longest first.
    pub fn waits(&self) -> impl Iterator<Item = (PortId, Duration)> {
        let all = [(self.port_1, self.wait_1), (self.port_2, self.wait_2), (self.port_3, self.wait_3)];
        all.into_iter().filter_map(|(port, wait)| Some((port?, wait)))
    }

    /// Adds a wait in the queue of a port.
    pub fn add_wait(&mut self, port: PortId, wait: Duration) {
        self.queues = self.queues + wait;
        let mut next = (Some(port), wait);
        let longest = [
            (&mut self.port_1, &mut self.wait_1),
            (&mut self.port_2, &mut self.wait_2),
            (&mut self.port_3, &mut self.wait_3),
        ];
        for (port, wait) in longest {
            if next.1 > *wait {
                next = (std::mem::replace(port, next.0), std::mem::replace(wait, next.1));
            }
        }
    }

    /// Their sum in ps: the completion time.
    pub fn total(&self) -> u64 {
        self.times().iter().map(|time| time.0).sum()
    }

    /// The times by cause, in the order of [`Cause::ALL`].
    pub fn times(&self) -> [Duration; Cause::ALL.len()] {
        [
            self.transmission,
            self.earlier,
            self.turn,
            self.window,
            self.pacing,
            self.timeout,
            self.pause,
            self.queues,
            self.recovery,
        ]
    }

    /// The time of a cause.
    pub fn time(&self, cause: Cause) -> Duration {
        self.times()[cause as usize]
    }
}

/// A cause of a part of a completion time; each is a column, and they are in the order of the columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// Bits on wires, and propagation.
    Transmission,
    /// Earlier messages of the same queue pair.
    Earlier,
    /// Other packets of the sender.
    Turn,
    /// Acknowledgements.
    Window,
    /// The rate allowed.
    Pacing,
    /// A retransmission timeout.
    Timeout,
    /// A pause, credits, or a failed link at the sender.
    Pause,
    /// Queues behind the sender.
    Queues,
    /// Packets that arrived after the last one.
    Recovery,
}

impl Cause {
    /// All of them, in the order of the columns.
    pub const ALL: [Cause; 9] = [
        Cause::Transmission,
        Cause::Earlier,
        Cause::Turn,
        Cause::Window,
        Cause::Pacing,
        Cause::Timeout,
        Cause::Pause,
        Cause::Queues,
        Cause::Recovery,
    ];

    /// The name of its column.
    pub const fn word(self) -> &'static str {
        match self {
            Cause::Transmission => "transmission",
            Cause::Earlier => "earlier",
            Cause::Turn => "turn",
            Cause::Window => "window",
            Cause::Pacing => "pacing",
            Cause::Timeout => "timeout",
            Cause::Pause => "pause",
            Cause::Queues => "queues",
            Cause::Recovery => "recovery",
        }
    }
}
