//! Links that fail and come back, and NICs that keep pausing their switch.

use netloom_units::{Duration, LinkId, PortId, Time};

/// Who avoids a failed link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Knowledge {
    /// Only the two nodes at its ends (seed 000).
    #[default]
    Local,
    /// Every node, from the next snapshot of global knowledge on (ours).
    Global(Ways),
}

/// Which paths count when next hops are worked out anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ways {
    /// The shortest ones; in a tree with failed links they may go down and up again.
    Shortest,
    /// The shortest of those that go up and then down: buffers cannot wait for each other in a ring.
    UpDown,
}

/// One change of one link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fault {
    /// When; `Time::ZERO` with [`FaultAction::Down`] means failed from the start.
    pub at: Time,
    /// Which link, both directions.
    pub link: LinkId,
    /// What happens.
    pub action: FaultAction,
}

/// What happens to a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FaultAction {
    /// The link carries nothing any more; packets whose transmission has not ended are lost.
    Down,
    /// The link carries packets again.
    Up,
}

/// A NIC that sends pause frames although it could take packets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Storm {
    /// Its port.
    pub port: PortId,
    /// When the first frame leaves.
    pub at: Time,
    /// When it lets packets go on.
    pub end: Time,
    /// From one frame to the next.
    pub interval: Duration,
}
