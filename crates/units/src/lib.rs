//! Quantities, ids and random streams: the basic types of all other crates.
//!
//! Models: instants and durations in integer picoseconds, sizes in bytes, rates in bits per second, dense ids,
//! seeded random streams that are the same on every processor, and which characters are not shown as they are.
//! Leaves out: text (units are parsed and printed by the scenario crate), floats, clocks.
//!
//! Invariants: no dependency, no I/O; every rounding is written at the function that does it.

mod character;
mod id;
mod quantity;
mod random;
mod spec;
mod state;
mod time;

pub use character::steers;
pub use id::{ActorId, HostId, LinkId, NodeId, PortId};
pub use quantity::{Bytes, Rate};
pub use random::{Random, mix};
pub use spec::{Kind, Parameter, Settings, Spec, Value};
pub use state::{StateWriter, WriteState};
pub use time::{Duration, Time};
