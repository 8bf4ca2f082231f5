//! # Idea
//! All-to-all in which data changes the rail inside the own server: a rank hands what is for another rail to the rank of
//! that rail in its server, which sends one message for each destination on its rail, with the data of the whole server.
//!
//! # Source
//! PXN of NCCL 2.12 (PCI x NVLink); the order of destinations is a modelling assumption.
//!
//! # Parameters
//! `server`: number of consecutive ranks that form a server; it divides the number of ranks. Without it every rank is a
//! server of its own, and nothing is forwarded.
//!
//! # Invariants
//! With s ranks in each of t servers: a rank sends t(s - 1) messages inside its server, one for each destination, in all
//! (s - 1)/s S bytes, and t - 1 messages on its rail, in all (t - 1)/t S bytes; no message leaves its server for another
//! rail. A message to the server k further on waits for the s - 1 parts that it contains, not for others. With
//! `server: 1`, or one server, it is an all-to-all without dependencies.
//!
//! # When it misleads
//! All parts inside a server are sent before the first message on the rail: where both share a NIC they compete, which
//! NVLink is there to prevent. NCCL forwards in chunks while they arrive; here a message waits for all of its parts.
//! Ranks must be placed server by server; nothing checks that. With `dependent: false` a member forwards data that it
//! does not have.

use netloom_units::{Settings, Spec};

use super::servers::{SERVER, Servers};
use super::{Algorithm, Demand, Factor, Frame, Posted, Step, in_form};

/// The specification.
pub static SPEC: Spec = Spec {
    name: "pxn_all_to_all",
    summary: "all-to-all that changes the rail inside the server (PXN)",
    source: "NCCL 2.12; order of destinations: modelling assumption",
    parameters: &[SERVER],
};

/// The plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PxnAllToAll {
    frame: Frame,
    servers: Servers,
}

/// What an operation does. Destinations are numbered by steps from the own server, the own one last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Action {
    /// Hands a part to the member this much further on in the own server.
    Hand { destination: u32, shift: u32 },
    /// Waits for the parts of a message.
    Gather { destination: u32 },
    /// Sends a message on the rail.
    Forward { destination: u32 },
    /// Waits for a message on the rail.
    Arrive { destination: u32 },
}

impl PxnAllToAll {
    fn n_parts(&self) -> u64 {
        u64::from(self.servers.count) * u64::from(self.servers.size - 1)
    }

    /// Number of other servers.
    fn n_others(&self) -> u64 {
        u64::from(self.servers.count - 1)
    }

    fn n_operations(&self) -> u64 {
        self.n_parts() + 3 * self.n_others() + 1
    }

    /// Parts first, then the messages as their parts arrive, then the waits that nothing depends on.
    fn action(&self, index: u64) -> Action {
        let Some(after) = index.checked_sub(self.n_parts()) else {
            let others = u64::from(self.servers.size - 1);
            return Action::Hand { destination: (index / others) as u32, shift: (index % others) as u32 + 1 };
        };
        let destination = (after / 2) as u32;
        match after.checked_sub(2 * self.n_others()) {
            None if after.is_multiple_of(2) => Action::Gather { destination },
            None => Action::Forward { destination },
            Some(0) => Action::Gather { destination },
            Some(number) => Action::Arrive { destination: number as u32 - 1 },
        }
    }

    /// The member on the own rail in a server so many steps further on.
    fn on_rail(&self, position: u32, steps: u32) -> u32 {
        let (server, index) = self.servers.of(position);
        self.servers.position(self.servers.after(server, steps), index)
    }

    /// The member in the own server so many positions further on.
    fn in_server(&self, position: u32, shift: u32) -> u32 {
        let (server, index) = self.servers.of(position);
        self.servers
            .position(server, ((u64::from(index) + u64::from(shift)) % u64::from(self.servers.size)) as u32)
    }

    /// Size of a part that a member is handed by each of its server, for a destination on its rail.
    fn part(&self, position: u32, destination: u32) -> u64 {
        self.frame.part(self.on_rail(position, destination + 1))
    }

    /// Size of a message on the rail to a member.
    fn message(&self, to: u32) -> u64 {
        u64::from(self.servers.size) * self.frame.part(to)
    }

    fn rail_tag(&self, destination: u32) -> u64 {
        u64::from(self.servers.count) + u64::from(destination)
    }

    /// The member whose messages for this destination arrive here.
    fn sender(&self, position: u32, destination: u32) -> u32 {
        self.on_rail(position, self.servers.count - 1 - destination)
    }

    fn step(&self, position: u32, index: u64) -> Step {
        match self.action(index) {
            Action::Hand { destination, shift } => {
                let to = self.in_server(position, shift);
                Step::send(to, destination.into(), self.part(to, destination))
            }
            Action::Gather { destination } => {
                let is_empty = self.part(position, destination) == 0;
                Step::receive(destination.into(), if is_empty { 0 } else { self.servers.size - 1 })
            }
            Action::Forward { destination } => {
                let to = self.on_rail(position, destination + 1);
                Step::send(to, self.rail_tag(destination), self.message(to))
            }
            Action::Arrive { destination } => {
                Step::receive(self.rail_tag(destination), u32::from(self.message(position) > 0))
            }
        }
    }
}

impl Algorithm for PxnAllToAll {
    fn new(frame: Frame, settings: &Settings) -> Result<Self, String> {
        Ok(PxnAllToAll { frame, servers: Servers::new(frame, settings)? })
    }

    fn operation(&self, position: u32, index: u64) -> Option<Step> {
        in_form(self.frame.dependent, index, self.n_operations(), |index| self.step(position, index))
    }

    fn n_tags(&self) -> u64 {
        2 * u64::from(self.servers.count)
    }

    fn bus_factor(&self) -> Factor {
        Factor::of_others(self.frame.n_ranks)
    }

    fn demand(&self) -> Demand {
        Demand::Pairs
    }

    fn total_bytes(&self) -> u128 {
        let n = u128::from(self.frame.n_ranks);
        let (size, count) = (u128::from(self.servers.size), u128::from(self.servers.count));
        ((n - count) + (n - size)) * u128::from(self.frame.size)
    }

    fn sends_first(&self) -> bool {
        !self.frame.dependent
    }

    fn lists_receives(&self) -> bool {
        self.frame.dependent
    }

    /// A receive is posted just before the send of the same number.
    fn posted(&self, position: u32, index: u64, number: u32) -> Option<Posted> {
        if number > 0 || index >= self.n_operations() {
            return None;
        }
        match self.action(index) {
            Action::Hand { destination, shift } => Some(Posted {
                from: self.in_server(position, self.servers.size - shift),
                tag: destination.into(),
                bytes: self.part(position, destination),
            }),
            Action::Forward { destination } => Some(Posted {
                from: self.sender(position, destination),
                tag: self.rail_tag(destination),
                bytes: self.message(position),
            }),
            Action::Gather { .. } | Action::Arrive { .. } => None,
        }
    }
}
