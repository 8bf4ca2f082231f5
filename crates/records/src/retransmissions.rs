//! Retransmissions, summed over messages on queue pairs.
//!
//! Models: the sums of rows of tables `repairs` and `tallies`.
//! Leaves out: NACKs suppressed or generated at the edge.
//!
//! Invariants: a message has a row in `repairs` or is in one of `tallies`, so both may be added.

use std::ops::AddAssign;

use crate::rows::{RepairRow, TallyRow};

/// Sums over messages on queue pairs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Retransmissions {
    /// Number of messages.
    pub messages: u64,
    /// Their packets that arrived, each counted once.
    pub packets: u64,
    /// Retransmitted packets that arrived.
    pub retransmitted: u64,
    /// Those of them that had already been received: spurious retransmissions.
    pub duplicates: u64,
    /// NACKs that receivers sent.
    pub nacks: u64,
    /// Marked packets that arrived.
    pub marked: u64,
    /// CNPs that receivers sent.
    pub cnps: u64,
    /// Notifications that slowed senders down.
    pub notifications: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
    /// Largest number of packets by which one arrived early.
    pub distance: u32,
}

impl From<&RepairRow> for Retransmissions {
    fn from(row: &RepairRow) -> Retransmissions {
        Retransmissions {
            messages: 1,
            packets: row.packets.into(),
            retransmitted: row.retransmitted.into(),
            duplicates: row.duplicates.into(),
            nacks: row.nacks.into(),
            marked: row.marked.into(),
            cnps: row.cnps.into(),
            notifications: row.notifications.into(),
            timeouts: row.timeouts.into(),
            distance: row.distance,
        }
    }
}

impl From<&TallyRow> for Retransmissions {
    fn from(row: &TallyRow) -> Retransmissions {
        let TallyRow {
            retransmitted,
            duplicates,
            nacks,
            marked,
            cnps,
            notifications,
            timeouts,
            distance,
            ..
        } = *row;
        // Without a message on a queue pair, the packets of a row do not count.
        let packets = if row.on_queue_pairs > 0 { row.packets } else { 0 };
        Retransmissions {
            messages: row.on_queue_pairs,
            packets,
            retransmitted,
            duplicates,
            nacks,
            marked,
            cnps,
            notifications,
            timeouts,
            distance,
        }
    }
}

impl AddAssign for Retransmissions {
    fn add_assign(&mut self, other: Retransmissions) {
        self.messages += other.messages;
        self.packets += other.packets;
        self.retransmitted += other.retransmitted;
        self.duplicates += other.duplicates;
        self.nacks += other.nacks;
        self.marked += other.marked;
        self.cnps += other.cnps;
        self.notifications += other.notifications;
        self.timeouts += other.timeouts;
        self.distance = self.distance.max(other.distance);
    }
}

/// Adds a message on a queue pair; its packets are counted with those of all messages.
impl AddAssign<&RepairRow> for TallyRow {
    fn add_assign(&mut self, row: &RepairRow) {
        let mut sums = Retransmissions::from(&*self);
        sums += Retransmissions::from(row);
        let Retransmissions {
            messages,
            packets: _,
            retransmitted,
            duplicates,
            nacks,
            marked,
            cnps,
            notifications,
            timeouts,
            distance,
        } = sums;
        *self = TallyRow {
            on_queue_pairs: messages,
            retransmitted,
            duplicates,
            nacks,
            marked,
            cnps,
            notifications,
            timeouts,
            distance,
            ..*self
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use netloom_units::HostId;

    fn row(number: u32) -> RepairRow {
        RepairRow {
            end: None,
            source: HostId(0),
            destination: HostId(1),
            number,
            job: 0,
            packets: 10 + number,
            retransmitted: 7,
            duplicates: 6,
            nacks: 5,
            nacks_suppressed: 4,
            nacks_generated: 3,
            marked: 2,
            cnps: 1,
            notifications: 8,
            timeouts: 9,
            distance: 20 - number,
        }
    }

    #[test]
    fn rows_and_tallies_of_the_same_messages_have_the_same_sums() {
        let rows = [row(0), row(1)];
        let mut sums = Retransmissions::default();
        for row in &rows {
            sums += Retransmissions::from(row);
        }
        let expected = Retransmissions {
            messages: 2,
            packets: 21,
            retransmitted: 14,
            duplicates: 12,
            nacks: 10,
            marked: 4,
            cnps: 2,
            notifications: 16,
            timeouts: 18,
            distance: 20,
        };
        assert_eq!(sums, expected);
        let mut tally = TallyRow { packets: 21, ..TallyRow::default() };
        assert_eq!(Retransmissions::from(&tally), Retransmissions::default(), "no message on a queue pair");
        for row in &rows {
            tally += row;
        }
        assert_eq!(Retransmissions::from(&tally), expected);
        assert_eq!(tally.packets, 21, "counted elsewhere");
    }
}
