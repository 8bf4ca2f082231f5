//! Rows of reordering: packets of a message that arrived after later ones.
//!
//! Late, extent, degree and held are defined in `docs/concepts/reordering.md`.

use arrow_array::{Array, ArrayRef};
use netloom_units::{Bytes, HostId, Time};

use crate::cell::Cell;
use crate::column::{Column, TableSpec};
use crate::names::Family;
use crate::registry::{Batch, MemorySink, Table};
use crate::row::{BadCell, Row, RowError, table};

table! {
    /// Order of arrival of the data packets of a message; of each packet the first arrival.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct ReorderingRow in Reordering reordering {
        /// When the message's last byte arrived; absent if it never did.
        pub end: Option<Time>, "ps";
        /// Sender.
        pub source: HostId, "id";
        /// Receiver.
        pub destination: HostId, "id";
        /// Number among the sender's messages, from 0.
        pub number: u32, "number";
        /// Job; 65535 for background traffic, 65534 for staged flows, 65533 for finite flows.
        pub job: u16, "id";
        /// Data packets that arrived, each counted once.
        pub packets: u32, "packets";
        /// Late packets: those that arrived after one with a higher number.
        pub late: u32, "packets";
        /// Late packets that are retransmissions: the first transmission was lost.
        pub late_retransmitted: u32, "packets";
        /// Largest reordering extent: arrivals from the first packet with a higher number up to the late packet (RFC 4737).
        pub extent: u32, "packets";
        /// Largest n of n-reordering: arrivals directly before a late packet that all had higher numbers (RFC 4737).
        pub degree: u32, "packets";
        /// Largest number of packets that a receiver would have to buffer to deliver in order.
        pub buffered_packets: u32, "packets";
        /// Largest number of bytes on the wire of such packets.
        pub buffered_size: Bytes, "B";
        /// Late packets with an extent of 1.
        pub extent_1: u32, "packets";
        /// Late packets with an extent of 2 to 3.
        pub extent_2: u32, "packets";
        /// Late packets with an extent of 4 to 7.
        pub extent_4: u32, "packets";
        /// Late packets with an extent of 8 to 15.
        pub extent_8: u32, "packets";
        /// Late packets with an extent of 16 to 31.
        pub extent_16: u32, "packets";
        /// Late packets with an extent of 32 to 63.
        pub extent_32: u32, "packets";
        /// Late packets with an extent of 64 to 127.
        pub extent_64: u32, "packets";
        /// Late packets with an extent of 128 and more.
        pub extent_128: u32, "packets";
    }
    names {}
    sorted by "end, destination, source, number; unfinished ones last",
        |row: &ReorderingRow| row.order()
}

impl ReorderingRow {
    /// Its sort key.
    pub fn order(&self) -> (Time, HostId, HostId, u32) {
        (self.end.unwrap_or(Time::NEVER), self.destination, self.source, self.number)
    }

    /// Late packets by extent: 1, 2 to 3, 4 to 7 and so on up to 128 and more.
    pub fn by_extent(&self) -> [u32; 8] {
        [
            self.extent_1,
            self.extent_2,
            self.extent_4,
            self.extent_8,
            self.extent_16,
            self.extent_32,
            self.extent_64,
            self.extent_128,
        ]
    }
}
