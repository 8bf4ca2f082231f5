//! Background traffic: one actor per host that sends some.
//!
//! Models: messages that start at their instants whatever else happens, in the order of the list.
//! Leaves out: waiting for their arrival.
//!
//! Invariants: a host's messages are handed out a batch at a time.

use std::collections::VecDeque;

use netloom_model::{Background, Item, Message, Mouse, Operation};
use netloom_units::{HostId, Rate};

use super::error::WorkloadError;

/// Messages handed out at a time.
const BATCH: usize = 32;

/// The background traffic of a run.
#[derive(Debug)]
pub(super) struct BackgroundWork {
    /// The messages, host by host.
    mice: Vec<(u32, Mouse)>,
    /// What is left of each actor's share of `mice`.
    shares: Vec<std::ops::Range<usize>>,
    rate: Option<Rate>,
}

impl BackgroundWork {
    /// Sorts the messages by their hosts; gives the hosts as well.
    pub(super) fn new(
        background: &Background,
        n_hosts: usize,
    ) -> Result<(BackgroundWork, Vec<HostId>), WorkloadError> {
        check(&background.mice, n_hosts)?;
        let mut mice: Vec<(u32, Mouse)> = (0..).zip(background.mice.iter().copied()).collect();
        mice.sort_by_key(|(number, mouse)| (mouse.from, *number));
        let mut shares = Vec::new();
        let mut hosts = Vec::new();
        let mut start = 0;
        for share in mice.chunk_by(|left, right| left.1.from == right.1.from) {
            hosts.push(share[0].1.from);
            shares.push(start..start + share.len());
            start += share.len();
        }
        Ok((BackgroundWork { mice, shares, rate: background.rate }, hosts))
    }

    /// Appends the next messages of an actor.
    pub(super) fn refill(&mut self, actor: usize, queue: &mut VecDeque<Item>) {
        for number in self.shares[actor].by_ref().take(BATCH) {
            let (tag, mouse) = self.mice[number];
            let message = Message {
                to: mouse.to,
                notify: None,
                tag: u64::from(tag),
                size: mouse.size,
                rate: self.rate,
                job: Message::BACKGROUND,
                step: 0,
                phase: 0,
                bucket: 0,
            };
            queue.push_back(Item { lane: 0, operation: Operation::Until(mouse.at) });
            queue.push_back(Item { lane: 0, operation: Operation::Send(message) });
        }
    }
}

fn check(mice: &[Mouse], n_hosts: usize) -> Result<(), WorkloadError> {
    if mice.len() > u32::MAX as usize {
        let (count, limit) = (mice.len(), u32::MAX as usize);
        return Err(WorkloadError::TooMany { what: "background messages", count, limit });
    }
    for (number, mouse) in mice.iter().enumerate() {
        let wrong = |reason| Err(WorkloadError::Background { number, reason });
        if let Some(&host) = [mouse.from, mouse.to].iter().find(|host| host.index() >= n_hosts) {
            return Err(WorkloadError::NoSuchHost { host, n_hosts });
        }
        if mouse.from == mouse.to {
            return wrong("goes from a host to itself");
        }
        if mouse.size.0 == 0 {
            return wrong("is empty");
        }
        if number > 0 && mice[number - 1].at > mouse.at {
            return wrong("starts before the one listed before it");
        }
    }
    Ok(())
}
