//! Starts of transmissions that are not events, in a partition of many nodes.

use crate::wakes::WakeTimes;

/// Which of many nodes must be advanced at the end of a window.
pub struct PendingStarts {
    /// Nodes with an event in this window, one bit each.
    pub touched: Vec<u64>,
    /// For each of the others: when its next transmission starts that is not an event.
    pub starts: WakeTimes,
}

impl PendingStarts {
    /// Nothing has happened, and nothing starts.
    pub fn new(n_nodes: usize) -> PendingStarts {
        PendingStarts { touched: vec![0; n_nodes.div_ceil(64)], starts: WakeTimes::new(n_nodes) }
    }

    /// Records that an event happened at a node.
    #[inline]
    pub fn touch(&mut self, node: usize) {
        self.touched[node / 64] |= 1 << (node % 64);
    }
}
