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
    /// In what order the data packets of a message came over the wire; of each packet the first one that came.
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
        /// Job; 65535 for background traffic, 65534 for staged flows.
        pub job: u16, "id";
        /// Data packets that came, each counted once.
        pub packets: u32, "packets";
        /// Those that came after one with a higher number.
        pub late: u32, "packets";
        /// Those of them that had been sent before: the first one was lost.
        pub late_again: u32, "packets";
        /// Most arrivals by which one was late, from the first with a higher number on.
        pub extent: u32, "packets";
        /// Most arrivals just before a late one that all had higher numbers: the n of n-reordering.
        pub degree: u32, "packets";
        /// Most packets that a receiver would have had to hold to deliver in order.
        pub held_packets: u32, "packets";
        /// Most bytes on the wire of such packets.
        pub held_size: Bytes, "B";
        /// Late packets with an extent of 1.
        pub back_one: u32, "packets";
        /// Late packets with an extent of 2 to 3.
        pub back_two: u32, "packets";
        /// Late packets with an extent of 4 to 7.
        pub back_four: u32, "packets";
        /// Late packets with an extent of 8 to 15.
        pub back_eight: u32, "packets";
        /// Late packets with an extent of 16 to 31.
        pub back_sixteen: u32, "packets";
        /// Late packets with an extent of 32 to 63.
        pub back_thirty_two: u32, "packets";
        /// Late packets with an extent of 64 to 127.
        pub back_sixty_four: u32, "packets";
        /// Late packets with an extent of 128 and more.
        pub back_more: u32, "packets";
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
    pub fn back(&self) -> [u32; 8] {
        [
            self.back_one,
            self.back_two,
            self.back_four,
            self.back_eight,
            self.back_sixteen,
            self.back_thirty_two,
            self.back_sixty_four,
            self.back_more,
        ]
    }
}
