//! Background traffic: one actor per host that may send.
//!
//! Each kind is one file with a `SPEC` and an `impl Arrivals`; the registry below is the only list.
//! Models: messages that start at given instants whatever else happens.
//! Leaves out: waiting for their arrival.
//!
//! Invariants: messages are generated on demand, a batch at a time; no list grows with messages not yet started. What a
//! host sends does not depend on which host is refilled first.

pub mod mice;
pub mod poisson;
pub mod published;
mod sizes;

use std::collections::VecDeque;
use std::fmt;

use netloom_model::{Background, FabricService, Item, Message, Operation};
use netloom_units::{Bytes, HostId, Rate, Spec, Time};

use super::error::WorkloadError;

/// Number of messages handed out at a time.
const BATCH: usize = 32;

/// Largest number of messages of a kind; a host numbers its messages with 32 bits.
const MOST_MESSAGES: u64 = u32::MAX as u64;

/// A message about to start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arrival {
    /// When it starts.
    pub at: Time,
    /// Receiver.
    pub to: HostId,
    /// Size.
    pub size: Bytes,
}

/// An upper bound on all messages of a run; for random messages it holds with near certainty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bound {
    /// Number of messages.
    pub messages: u64,
    /// Bytes of all messages.
    pub bytes: u128,
    /// Size of the largest message.
    pub largest: Bytes,
}

/// The messages of a kind of background traffic.
pub trait Arrivals: fmt::Debug + Send {
    /// The next message of a sender, given by its index in the list; `None` if there are no more.
    ///
    /// The messages of a sender come in the order of their starts.
    fn next(&mut self, sender: usize) -> Option<Arrival>;

    /// An upper bound on all messages.
    fn bound(&self) -> Bound;
}

/// Every registered kind.
pub static SPECS: &[&Spec] = &[&mice::SPEC, &poisson::SPEC];

/// The index of a kind in [`SPECS`].
pub fn number_of(name: &str) -> Option<u16> {
    SPECS.iter().position(|spec| spec.name == name).map(|number| number as u16)
}

/// The messages of a description; the seed is that of the run.
///
/// # Errors
/// When a sender has no receiver, or the traffic is endless or invalid.
pub fn arrivals(background: &Background, seed: u64) -> Result<Box<dyn Arrivals>, WorkloadError> {
    let spec = SPECS.get(usize::from(background.kind)).ok_or_else(|| wrong("is of an unknown kind"))?;
    let made: Box<dyn Arrivals> = if spec.name == mice::SPEC.name {
        Box::new(mice::Mice::new(background)?)
    } else {
        Box::new(poisson::Poisson::new(background, seed)?)
    };
    if made.bound().messages > MOST_MESSAGES {
        return Err(wrong(&format!("has more messages before its `end` than the limit of {MOST_MESSAGES}")));
    }
    Ok(made)
}

/// The error of a host without a receiver.
fn nowhere(cross_rack: bool) -> WorkloadError {
    wrong(if cross_rack {
        "has no receivers: `cross_rack` requires a second rack"
    } else {
        "has no receivers: there is only one host"
    })
}

/// An error about background traffic.
fn wrong(reason: &str) -> WorkloadError {
    WorkloadError::Background { reason: reason.to_owned() }
}

/// The background traffic of a run.
#[derive(Debug)]
pub(super) struct BackgroundWork {
    arrivals: Box<dyn Arrivals>,
    rate: Option<Rate>,
    handling: FabricService,
}

impl BackgroundWork {
    /// The work of a description for a fabric of this many hosts.
    pub(super) fn new(
        background: &Background,
        n_hosts: usize,
        seed: u64,
    ) -> Result<BackgroundWork, WorkloadError> {
        if background.racks.len() != n_hosts {
            return Err(wrong("does not give the rack of every host"));
        }
        if let Some(sender) = background.senders.iter().find(|sender| sender.host.index() >= n_hosts) {
            return Err(WorkloadError::NoSuchHost { host: sender.host, n_hosts });
        }
        Ok(BackgroundWork {
            arrivals: arrivals(background, seed)?,
            rate: background.rate,
            handling: background.handling,
        })
    }

    /// Appends the next messages of an actor.
    pub(super) fn refill(&mut self, actor: usize, queue: &mut VecDeque<Item>) {
        for _ in 0..BATCH {
            let Some(arrival) = self.arrivals.next(actor) else { return };
            let message = Message {
                to: arrival.to,
                notify: None,
                completion: None,
                // No actor waits for it.
                tag: 0,
                size: arrival.size,
                rate: self.rate,
                class: self.handling.class,
                may_reorder: self.handling.may_reorder,
                job: Message::BACKGROUND,
                step: 0,
                phase: 0,
                bucket: 0,
            };
            queue.push_back(Item { stream: 0, operation: Operation::Until(arrival.at) });
            queue.push_back(Item { stream: 0, operation: Operation::Send(message) });
        }
    }
}
