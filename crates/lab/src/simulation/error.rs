//! What a program asks for and its simulation cannot do.
//!
//! Invariants: every message says what was found and what is possible; instants are printed to the picosecond.

use netloom_scenario::quantity::{Dimension, print};
use netloom_units::Time;

/// A program asked for what its simulation cannot do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SimulationError {
    /// An unknown host.
    #[error("the fabric has no host of this name{}: {name}", .hint.as_deref().map_or_else(String::new, |hint| format!(" ({hint})")))]
    NoHost {
        /// The name.
        name: String,
        /// A similar name.
        hint: Option<String>,
    },
    /// A number that no host has.
    #[error("the fabric has no host {number}: expected a number from 0 to {}", .n_hosts - 1)]
    NoHostNumber {
        /// The number.
        number: u32,
        /// Number of hosts.
        n_hosts: u32,
    },
    /// A message without bytes.
    #[error("a message has at least one byte, and this one from {source_host} to {destination} has none")]
    NoBytes {
        /// The sender.
        source_host: String,
        /// The receiver.
        destination: String,
    },
    /// A message from a host to itself.
    #[error("a message goes from one host to another, and this one from {0} to itself")]
    SameHost(String),
    /// An instant that has passed.
    #[error("{} has passed: the simulation is at {}, expected that instant or a later one", at(*found), at(*now))]
    Past {
        /// The instant.
        found: Time,
        /// The present one.
        now: Time,
    },
    /// An instant that a host may have passed already.
    #[error(
        "{host} cannot start a message at {}: expected {} or later, because it may be ahead of the completion at {}; \
         a message without an instant starts as early as its sender can",
        at(*found), at(*earliest), at(*now)
    )]
    TooEarly {
        /// The host.
        host: String,
        /// The instant.
        found: Time,
        /// The earliest instant at which the host can start a message.
        earliest: Time,
        /// The present instant, that of a completion.
        now: Time,
    },
    /// An instant at which the run has ended.
    #[error("{} is not before the end of the run: the deadline of the scenario is {}", at(*found), at(*deadline))]
    AfterDeadline {
        /// The instant.
        found: Time,
        /// The deadline, or the longest time that can be simulated.
        deadline: Time,
    },
    /// The run has ended.
    #[error("the run has ended at {}: {outcome}", at(*now))]
    Ended {
        /// When.
        now: Time,
        /// How.
        outcome: String,
    },
    /// More messages than a run can number.
    #[error("a run has at most {0} messages of a program")]
    TooMany(u32),
    /// A scenario with finite flows.
    #[error(
        "{0} has finite flows of its own, as which the messages of a program are recorded; let the program send them, \
         or leave them out"
    )]
    OwnFlows(String),
    /// A fabric on which nothing can be sent.
    #[error("{0} has fewer than two hosts, so no message can be sent")]
    TooFewHosts(String),
}

fn at(time: Time) -> String {
    print(time.0, Dimension::Duration)
}
