//! Finite flows: one message each, at a given time or after another flow; one actor per host that sends some.
//!
//! Models: flows that start at an instant whatever else happens, and flows that start a while after another one has
//! completed, where its receiver or its sender knows that.
//! Leaves out: how messages travel; knowledge of a completion at any other host.
//!
//! Invariants: a flow is handed out when it may start soon: at its start, or when the flow that it waits for could be
//! complete at the earliest, were the network infinitely fast behind the sender's NIC. So of flows that start at given
//! times no more are handed out than are near, and a flow that waits never delays another one; where the network is
//! slower than that, as it is under load, senders hold the flows that wait for it. Memory here is four bytes per flow, and
//! eight more if any flow waits.

use std::collections::VecDeque;

use netloom_model::{FiniteFlow, FiniteFlows, Item, KnownAt, Message, Operation};
use netloom_units::{ActorId, Bytes, HostId, Rate, Time};

use super::error::WorkloadError;

/// Number of flows handed out at a time.
const BATCH: usize = 32;
/// No host, or no actor.
const NONE: u32 = u32::MAX;

/// The finite flows of a run.
#[derive(Debug)]
pub(super) struct FiniteWork {
    finite: FiniteFlows,
    /// The hosts that send.
    senders: Vec<HostId>,
    /// The index of each host among them.
    sender_of: Vec<u32>,
    /// The flows of each sender in the order in which they are handed out, sender by sender.
    order: Vec<u32>,
    /// Per sender: its next flow in `order`, and the end of its flows.
    positions: Vec<(u32, u32)>,
    /// When each flow is handed out, in ps; empty if no flow waits, as then each is at its start.
    keys: Vec<u64>,
    waits: Waits,
    /// The actor of the first sender.
    first_actor: u32,
}

/// Which flows wait, and for which of them others wait: one bit for each.
#[derive(Debug, Default)]
struct Waits {
    /// A flow waits for this one at its receiver.
    at_destination: Bits,
    /// A flow waits for this one at its sender.
    at_source: Bits,
    /// It is the last that waits for its flow at this host.
    last: Bits,
}

#[derive(Debug, Default)]
struct Bits(Vec<u64>);

impl Bits {
    fn new(length: usize) -> Bits {
        Bits(vec![0; length.div_ceil(64)])
    }

    fn has(&self, number: usize) -> bool {
        self.0.get(number / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    /// Sets a bit; returns whether it was not set before.
    fn set(&mut self, number: usize) -> bool {
        let was = self.has(number);
        self.0[number / 64] |= 1 << (number % 64);
        !was
    }
}

impl FiniteWork {
    /// The work of a description for a fabric of this many hosts.
    pub(super) fn new(
        finite: &FiniteFlows,
        n_hosts: usize,
        first_actor: u32,
    ) -> Result<FiniteWork, WorkloadError> {
        let count = finite.flows.len();
        let limit = FiniteFlow::NONE as usize;
        if count >= limit {
            return Err(WorkloadError::TooMany { what: "finite flows", count, limit });
        }
        check(finite, n_hosts)?;
        let (senders, sender_of, firsts) = senders(finite, n_hosts);
        let mut ends = firsts.clone();
        let mut order = vec![0; count];
        for (number, flow) in (0..).zip(finite.flows.iter()) {
            let position = &mut ends[sender_of[finite.source(flow).index()] as usize];
            order[*position as usize] = number;
            *position += 1;
        }
        let positions: Vec<(u32, u32)> = firsts.into_iter().zip(ends).collect();
        let keys = keys(finite);
        let key = |&number: &u32| (key_of(&keys, finite, number), number);
        for &(first, end) in &positions {
            order[first as usize..end as usize].sort_unstable_by_key(key);
        }
        let waits = if keys.is_empty() { Waits::default() } else { Waits::of(finite) };
        Ok(FiniteWork {
            finite: finite.clone(),
            senders,
            sender_of,
            order,
            positions,
            keys,
            waits,
            first_actor,
        })
    }

    /// The host of each actor.
    pub(super) fn senders(&self) -> &[HostId] {
        &self.senders
    }

    /// Appends the next flows of a sender.
    pub(super) fn refill(&mut self, sender: usize, queue: &mut VecDeque<Item>) {
        let (next, end) = self.positions[sender];
        let last = end.min(next + BATCH as u32);
        for position in next..last {
            let number = self.order[position as usize];
            let until = Operation::Until(Time(key_of(&self.keys, &self.finite, number)));
            let operations = [until, self.start(number)];
            queue.extend(operations.map(|operation| Item { stream: 0, operation }));
        }
        self.positions[sender].0 = last;
    }

    fn start(&self, number: u32) -> Operation {
        let flow = &self.finite.flows[number as usize];
        let message = self.message(number, flow);
        flow.waits_for().map_or(Operation::Send(message), |before| Operation::SendAfter {
            message,
            tag: self.awaited_tag(flow, before),
            delay: flow.start,
            is_last: self.waits.last.has(number as usize),
        })
    }

    /// The tag by which the sender of a flow learns that the flow before it is complete.
    fn awaited_tag(&self, flow: &FiniteFlow, before: u32) -> u64 {
        let tag = u64::from(before);
        match self.finite.known_at(flow, &self.finite.flows[before as usize]).expect("checked") {
            KnownAt::Destination => tag,
            KnownAt::Source => Message::completion_tag(tag),
        }
    }

    fn message(&self, number: u32, flow: &FiniteFlow) -> Message {
        let actor = |host: HostId| ActorId(self.first_actor + self.sender_of[host.index()]);
        let (source, to) = (self.finite.source(flow), self.finite.destination(flow));
        let handling = self.finite.services[usize::from(flow.service)];
        Message {
            to,
            notify: self.waits.at_destination.has(number as usize).then(|| actor(to)),
            completion: self.waits.at_source.has(number as usize).then(|| actor(source)),
            tag: u64::from(number),
            size: flow.size,
            rate: None,
            class: handling.class,
            may_reorder: handling.may_reorder,
            job: Message::FINITE,
            step: number,
            phase: flow.service,
            bucket: 0,
        }
    }
}

impl Waits {
    fn of(finite: &FiniteFlows) -> Waits {
        let bits = || Bits::new(finite.flows.len());
        let mut waits = Waits { at_destination: bits(), at_source: bits(), last: bits() };
        // Of several flows that wait for one at the same host, the last is handed out last, and is met first here.
        for (number, flow) in finite.flows.iter().enumerate().rev() {
            let Some(before) = flow.waits_for().map(|before| before as usize) else { continue };
            let known_at = finite.known_at(flow, &finite.flows[before]).expect("checked");
            let waits_there = match known_at {
                KnownAt::Destination => &mut waits.at_destination,
                KnownAt::Source => &mut waits.at_source,
            };
            if waits_there.set(before) {
                waits.last.set(number);
            }
        }
        waits
    }
}

/// When a flow is handed out, in ps.
fn key_of(keys: &[u64], finite: &FiniteFlows, number: u32) -> u64 {
    keys.get(number as usize).copied().unwrap_or_else(|| finite.flows[number as usize].start.0)
}

/// When each flow is handed out: at its start, or when the flow that it waits for has completed at the earliest.
fn keys(finite: &FiniteFlows) -> Vec<u64> {
    if finite.flows.iter().all(|flow| flow.waits_for().is_none()) {
        return Vec::new();
    }
    let mut keys: Vec<u64> = Vec::with_capacity(finite.flows.len());
    for flow in finite.flows.iter() {
        let key = flow.waits_for().map_or(flow.start.0, |before| {
            let before = before as usize;
            earliest_end(keys[before], &finite.flows[before], finite.fastest)
        });
        keys.push(key);
    }
    keys
}

/// The earliest end of a flow that is handed out at this instant.
fn earliest_end(key: u64, flow: &FiniteFlow, fastest: Rate) -> u64 {
    let delay = flow.waits_for().map_or(0, |_| flow.start.0);
    key.saturating_add(delay).saturating_add(fastest.serialization(flow.size).0)
}

/// The sending hosts in ascending order, the index of each host among them, and how many flows those before it send.
fn senders(finite: &FiniteFlows, n_hosts: usize) -> (Vec<HostId>, Vec<u32>, Vec<u32>) {
    let mut counts = vec![0_u32; n_hosts];
    for flow in finite.flows.iter() {
        counts[finite.source(flow).index()] += 1;
    }
    let (mut senders, mut sender_of, mut firsts) = (Vec::new(), vec![NONE; n_hosts], Vec::new());
    let mut n_before = 0;
    for (host, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
        sender_of[host] = senders.len() as u32;
        senders.push(HostId(host as u32));
        firsts.push(n_before);
        n_before += count;
    }
    (senders, sender_of, firsts)
}

fn check(finite: &FiniteFlows, n_hosts: usize) -> Result<(), WorkloadError> {
    if let Some(&host) = finite.ends.iter().find(|host| host.index() >= n_hosts) {
        return Err(WorkloadError::NoSuchHost { host, n_hosts });
    }
    for (number, flow) in finite.flows.iter().enumerate() {
        if let Some(reason) = wrong(finite, number, flow) {
            return Err(WorkloadError::Finite { flow: number, reason });
        }
    }
    Ok(())
}

/// The reason why a flow is invalid.
fn wrong(finite: &FiniteFlows, number: usize, flow: &FiniteFlow) -> Option<&'static str> {
    let n_ends = finite.ends.len();
    if [flow.source, flow.destination].into_iter().any(|end| end as usize >= n_ends) {
        return Some("has an end that is not listed");
    }
    if usize::from(flow.service) >= finite.services.len() {
        return Some("has a service that is not listed");
    }
    if finite.source(flow) == finite.destination(flow) {
        return Some("goes from a host to itself");
    }
    if flow.size == Bytes(0) {
        return Some("has no bytes");
    }
    let before = flow.waits_for()? as usize;
    if before >= number {
        return Some("waits for one that does not come before it");
    }
    let known_at = finite.known_at(flow, &finite.flows[before]);
    known_at.is_none().then_some("waits for one that neither starts nor ends at its sender")
}
