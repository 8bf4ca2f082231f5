//! At which instants which hosts can start messages.
//!
//! Models: after a completion the receiver of the message is at that instant, and any other host may be ahead of it by a
//! window; when everything before an instant has taken place, all hosts are at it.
//! Leaves out: the messages.
//!
//! Invariants: which instants are possible depends on what the program did, and neither on windows nor on threads.

use std::collections::BTreeSet;

use netloom_units::{Duration, HostId, Time};

/// The instants of a simulation and of its hosts.
#[derive(Debug, Default)]
pub(super) struct Instants {
    /// The present instant.
    pub now: Time,
    /// From here on all hosts can start messages.
    in_step: Time,
    /// Hosts that can start messages now.
    at_now: BTreeSet<HostId>,
    /// The longest window.
    pub lookahead: Duration,
}

impl Instants {
    /// Everything before this instant has taken place.
    pub fn reached(&mut self, now: Time) {
        if now > self.now {
            self.at_now.clear();
            self.now = now;
        }
    }

    /// A message has completely arrived at a host, at the present instant or later.
    pub fn completed(&mut self, destination: HostId, at: Time) {
        self.reached(at);
        self.in_step = self.in_step.max(at + self.lookahead);
        self.at_now.insert(destination);
    }

    /// The earliest instant at which a host can start a message.
    pub fn earliest(&self, host: HostId) -> Time {
        if self.at_now.contains(&host) { self.now } else { self.now.max(self.in_step) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_receivers_can_start_messages_at_a_completion() {
        let mut instants = Instants { lookahead: Duration(500), ..Instants::default() };
        assert_eq!(instants.earliest(HostId(3)), Time(0));
        instants.completed(HostId(1), Time(70));
        instants.completed(HostId(2), Time(70));
        let earliest = |instants: &Instants| [1, 2, 3].map(|host| instants.earliest(HostId(host)).0);
        assert_eq!(earliest(&instants), [70, 70, 570]);
        instants.reached(Time(70));
        assert_eq!(earliest(&instants), [70, 70, 570]);
        instants.completed(HostId(3), Time(90));
        assert_eq!(earliest(&instants), [590, 590, 90]);
        instants.reached(Time(100));
        assert_eq!(earliest(&instants), [590; 3]);
        instants.reached(Time(600));
        assert_eq!(earliest(&instants), [600; 3]);
    }
}
