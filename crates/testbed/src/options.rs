//! What a user may choose about a testbed.

use netloom_units::Bytes;

use crate::scale::ScaleChoice;

/// See the module.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    /// How much slower than the scenario's links are.
    pub scale: ScaleChoice,
    /// How routes with several next hops are used.
    pub routes: RouteMode,
    /// Queue limit of every switch port, instead of the one that follows from the scenario.
    pub queue: Option<Bytes>,
}

/// How a switch uses several next hops to one host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RouteMode {
    /// The kernel picks one per flow, by a hash of addresses and ports.
    #[default]
    Ecmp,
    /// One next hop per destination, as `balance: deterministic` picks it.
    Pinned {
        /// Hosts that follow each other and have one next hop, at least 1.
        together: u32,
    },
}
