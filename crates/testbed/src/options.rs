//! Options of a testbed.

use netloom_units::Bytes;

use crate::scale::ScaleChoice;

/// See the module.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    /// The factor between the scenario's rates and those of the testbed.
    pub scale: ScaleChoice,
    /// How routes with several next hops are used.
    pub routes: RouteMode,
    /// Queue limit of every switch port, instead of that of the scenario.
    pub queue: Option<Bytes>,
}

/// How a switch uses several next hops to one host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RouteMode {
    /// The kernel chooses one per flow, by a hash of addresses and ports.
    #[default]
    Ecmp,
    /// One next hop per destination, as `balance: deterministic` chooses it.
    Pinned {
        /// Number of successive hosts with the same next hop, at least 1.
        together: u32,
    },
}
