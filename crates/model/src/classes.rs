//! Several classes of data packets: how ports serve them, and the settings of each.
//!
//! Models: strict priority and deficit round robin, marking and pausing by class (`docs/concepts/classes.md`).
//! Leaves out: how a message gets its class; its sender decides.

use crate::rdma::Marking;

/// How a port serves a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Schedule {
    /// Before all weighted classes, and before strict ones with a lower number.
    Strict,
    /// In turns with the other weighted classes (deficit round robin).
    Weighted {
        /// Quantum in units of the largest packet; at least 1.
        weight: u32,
    },
}

/// One of several classes of data packets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DataClass {
    /// How ports serve it.
    pub schedule: Schedule,
    /// Marking at switches.
    pub marking: Option<Marking>,
    /// With a shared buffer, the share of the free space that a queue or ingress of this class may take, in 1/1024.
    pub alpha: u32,
    /// Whether switches pause the senders of this class rather than drop its packets; needs a buffer with
    /// [`crate::Pause`].
    pub pause: bool,
}

/// The classes of data packets, by number; empty if all data is in one class without settings of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DataClasses {
    /// Those in use.
    pub by_number: [Option<DataClass>; 8],
}

impl DataClasses {
    /// Whether data packets are distinguished by class.
    #[inline]
    pub fn separates_data(&self) -> bool {
        self.by_number.iter().any(Option::is_some)
    }

    /// The classes with their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (u8, &DataClass)> {
        (0..).zip(&self.by_number).filter_map(|(number, class)| Some((number, class.as_ref()?)))
    }

    /// The classes that satisfy a condition, as a bit mask.
    pub fn bits(&self, is_so: impl Fn(&DataClass) -> bool) -> u8 {
        self.iter().filter(|(_, class)| is_so(class)).fold(0, |bits, (number, _)| bits | 1 << number)
    }
}
