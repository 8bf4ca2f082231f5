//! Background traffic: one actor per host that may send some.
//!
//! Each kind is one file with a `SPEC` and an `impl Arrivals`; the registry below is the only list.
//! Models: messages that start at their instants whatever else happens.
//! Leaves out: waiting for their arrival.
//!
//! Invariants: messages are made as their hosts ask for them, a batch at a time; no list grows with messages not yet
//! started. What a host sends does not depend on which host asks first.

pub mod mice;
pub mod poisson;
pub mod published;
mod sizes;

use std::collections::VecDeque;
use std::fmt;

use netloom_model::{Background, Handling, Item, Message, Operation};
use netloom_units::{Bytes, HostId, Rate, Spec, Time};

use super::error::WorkloadError;

/// Messages handed out at a time.
const BATCH: usize = 32;

/// Most messages that a kind may make; a host numbers its messages in 32 bits.
const MOST_MESSAGES: u64 = u32::MAX as u64;

/// A message about to start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arrival {
    /// When.
    pub at: Time,
    /// Receiver.
    pub to: HostId,
    /// Size.
    pub size: Bytes,
}

/// What all messages of a run come to at the most; where they are drawn, with next to certainty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bound {
    /// How many.
    pub messages: u64,
    /// Bytes of all of them.
    pub bytes: u128,
    /// Bytes of the largest.
    pub largest: Bytes,
}

/// The messages of a kind of background traffic.
pub trait Arrivals: fmt::Debug + Send {
    /// The next message of a sender, given by its place in the list; none if there will be no more.
    ///
    /// The messages of a sender come in the order of their starts.
    fn next(&mut self, sender: usize) -> Option<Arrival>;

    /// What they come to at the most.
    fn bound(&self) -> Bound;
}

/// Every registered kind.
pub static SPECS: &[&Spec] = &[&mice::SPEC, &poisson::SPEC];

/// The place of a kind in [`SPECS`].
pub fn number_of(name: &str) -> Option<u16> {
    SPECS.iter().position(|spec| spec.name == name).map(|number| number as u16)
}

/// The messages that a description stands for; the seed is that of the run.
///
/// # Errors
/// When there is nobody to send to, or what is asked for has no end or makes no sense.
pub fn arrivals(background: &Background, seed: u64) -> Result<Box<dyn Arrivals>, WorkloadError> {
    let spec = SPECS.get(usize::from(background.kind)).ok_or_else(|| wrong("is of no known kind"))?;
    let made: Box<dyn Arrivals> = if spec.name == mice::SPEC.name {
        Box::new(mice::Mice::new(background)?)
    } else {
        Box::new(poisson::Poisson::new(background, seed)?)
    };
    if made.bound().messages > MOST_MESSAGES {
        return Err(wrong(&format!(
            "has more than the {MOST_MESSAGES} messages that can be told apart before its `end`"
        )));
    }
    Ok(made)
}

/// Says that a host has nobody to send to.
fn nowhere(cross_rack: bool) -> WorkloadError {
    wrong(if cross_rack {
        "has nowhere to go: `cross_rack` asks for a second rack"
    } else {
        "has nowhere to go: there is only one host"
    })
}

/// Says what is wrong with background traffic.
fn wrong(reason: &str) -> WorkloadError {
    WorkloadError::Background { reason: reason.to_owned() }
}

/// The background traffic of a run.
#[derive(Debug)]
pub(super) struct BackgroundWork {
    arrivals: Box<dyn Arrivals>,
    rate: Option<Rate>,
    handling: Handling,
}

impl BackgroundWork {
    /// The work of a description for a fabric of this many hosts.
    pub(super) fn new(
        background: &Background,
        n_hosts: usize,
        seed: u64,
    ) -> Result<BackgroundWork, WorkloadError> {
        if background.racks.len() != n_hosts {
            return Err(wrong("does not know the rack of every host"));
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
                // Nobody waits for it.
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
