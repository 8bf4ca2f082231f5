//! The state that every partition may read while a round runs.

use std::fmt;

use netloom_model::{Model, Overlay, RecordedCauses};
use netloom_policy::balance::Senders;
use netloom_units::{HostId, NodeId, PortId};

use crate::activity::Activity;
use crate::flow::Flow;

/// The shared, read-only view of one round of one window.
pub struct Round<'a> {
    /// The model.
    pub model: &'a Model,
    /// Next hops recomputed after failures, where all nodes learn of failures.
    pub overlay: Option<&'a Overlay>,
    /// Bytes waiting at every port at the last snapshot, by port id; empty if no policy needs them.
    pub port_bytes: &'a [u64],
    /// The flow table: messages handed out so far.
    pub flows: &'a [Flow],
    /// Which partitions have something to do.
    pub activity: &'a Activity,
    /// Whether there are more partitions than the caches hold, so that state is prefetched.
    pub prefetches: bool,
    /// Number of the window.
    pub window: u64,
    /// Start of the window, in ps.
    pub start: u64,
    /// End of the window, in ps: events at or after it belong to the next window.
    pub end: u64,
}

impl Round<'_> {
    /// Whether it is recorded what the completion time of a message consists of.
    #[inline]
    pub fn records_causes_of(&self, flow: u32) -> bool {
        let recorded = self.model.recording.causes;
        recorded != RecordedCauses::None && recorded.include(self.flows[flow as usize].message.job)
    }
}

impl fmt::Debug for Round<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "window {} from {} to {} ps", self.window, self.start, self.end)
    }
}

impl Senders for Round<'_> {
    fn sender(&self, message: u32, is_data: bool) -> HostId {
        // A packet made by a switch belongs to no message: it counts as sent by the first host (modelling assumption).
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
