//! What every partition may read while a round runs.

use std::fmt;

use netloom_model::{Model, Overlay};
use netloom_policy::balance::Senders;
use netloom_units::{HostId, NodeId, PortId};

use crate::activity::Activity;
use crate::flow::Flow;

/// The shared, read-only view of one round of one window.
pub struct Round<'a> {
    /// The model.
    pub model: &'a Model,
    /// Next hops recomputed after failures, where nodes have global knowledge.
    pub overlay: Option<&'a Overlay>,
    /// Bytes waiting at every port at the last snapshot, by port id; empty where nobody asks.
    pub port_bytes: &'a [u64],
    /// The messages handed out.
    pub flows: &'a [Flow],
    /// Who has something to do.
    pub activity: &'a Activity,
    /// Number of the window.
    pub window: u64,
    /// Start of the window, in ps.
    pub start: u64,
    /// End of the window, in ps: what happens at or after it belongs to the next.
    pub end: u64,
}

impl fmt::Debug for Round<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "window {} from {} to {} ps", self.window, self.start, self.end)
    }
}

impl Senders for Round<'_> {
    fn sender(&self, message: u32, is_data: bool) -> HostId {
        // What a switch makes is part of no message: it counts as sent by the first host (ours).
        self.flows.get(message as usize).map_or(HostId(0), |flow| flow.sender(is_data))
    }

    fn leaf(&self, host: HostId) -> NodeId {
        let first = self.model.fabric.port_range(NodeId(host.0)).start;
        self.model.fabric.neighbour(PortId(first))
    }

    fn group(&self, host: HostId) -> u32 {
        self.model.routing.group_of_host(host)
    }
}
