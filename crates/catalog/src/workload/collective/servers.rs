//! Servers: consecutive members in groups of equal size, and the rails across them.
//!
//! Models: member p has index p mod s in server p / s; a rail is the members of one index.
//! Leaves out: which links join them; that follows from the fabric and from the placement of ranks.
//!
//! Invariants: every server is whole.

use netloom_units::{Kind, Parameter, Settings, Value};

use super::Frame;

/// The `server` parameter.
pub(super) const SERVER: Parameter = Parameter {
    name: "server",
    kind: Kind::Optional(&Kind::Count { minimum: 1, maximum: u32::MAX as u64 }),
    default: Some(Value::Absent),
    meaning: "number of consecutive ranks that form a server; it divides the number of ranks; `none`: \
              every rank is a server of its own",
};

/// Members in servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Servers {
    /// Number of members in a server.
    pub(super) size: u32,
    /// Number of servers.
    pub(super) count: u32,
}

impl Servers {
    /// Reads `server`.
    pub(super) fn new(frame: Frame, settings: &Settings) -> Result<Servers, String> {
        let n = frame.n_ranks;
        let size = match settings.optional("server") {
            Some(Value::Count(size)) => size,
            _ => 1,
        };
        if size > u64::from(n) || !u64::from(n).is_multiple_of(size) {
            return Err(format!("`server` is {size}, which does not divide {n} ranks"));
        }
        Ok(Servers { size: size as u32, count: n / size as u32 })
    }

    /// Server and index of a position.
    pub(super) fn of(self, position: u32) -> (u32, u32) {
        (position / self.size, position % self.size)
    }

    pub(super) fn position(self, server: u32, index: u32) -> u32 {
        server * self.size + index
    }

    /// The server `steps` further on.
    pub(super) fn after(self, server: u32, steps: u32) -> u32 {
        ((u64::from(server) + u64::from(steps)) % u64::from(self.count)) as u32
    }
}
