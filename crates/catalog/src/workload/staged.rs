//! Flows that start and stop at given times: one actor per flow.
//!
//! Models: a stream of messages of equal size, several of them posted at a time so that the NIC never waits for the
//! next one; without acknowledgements, one after the other by the clock. None is posted once the flow is to stop.
//! Leaves out: how messages travel; messages posted before a flow stops are still sent.
//!
//! Invariants: messages are generated on demand, a batch at a time; the state of a flow is a few words, however long it
//! lasts. Without a clock there is no last message: the flow ends by time, which is determined by the engine.

use std::collections::VecDeque;

use netloom_model::{Item, Message, Operation, Posting, StagedFlow, StagedFlows};
use netloom_units::{ActorId, Time};

use super::error::WorkloadError;

/// Number of messages handed out at a time.
const BATCH: usize = 8;
/// Flows are numbered with 16 bits.
const MOST_FLOWS: usize = u16::MAX as usize;

/// The staged flows of a run.
#[derive(Debug)]
pub(super) struct StagedWork {
    staged: StagedFlows,
    /// The progress of each flow.
    positions: Vec<Position>,
    /// The actor of the first flow.
    first_actor: u32,
}

/// The progress of a flow.
#[derive(Debug, Clone, Copy)]
struct Position {
    /// Number of messages handed out.
    n_messages: u64,
    /// When the next one starts, with clocked posting.
    next: Time,
}

impl StagedWork {
    /// The work of a description for a fabric of this many hosts.
    pub(super) fn new(
        staged: &StagedFlows,
        n_hosts: usize,
        first_actor: u32,
    ) -> Result<StagedWork, WorkloadError> {
        if staged.flows.len() > MOST_FLOWS {
            let count = staged.flows.len();
            return Err(WorkloadError::TooMany { what: "flows", count, limit: MOST_FLOWS });
        }
        for (number, flow) in staged.flows.iter().enumerate() {
            let ends = [flow.source, flow.destination];
            if let Some(&host) = ends.iter().find(|host| host.index() >= n_hosts) {
                return Err(WorkloadError::NoSuchHost { host, n_hosts });
            }
            if let Some(reason) = wrong(flow, staged) {
                return Err(WorkloadError::Staged { flow: number, reason });
            }
        }
        let positions = staged.flows.iter().map(|flow| Position { n_messages: 0, next: flow.start });
        Ok(StagedWork { positions: positions.collect(), staged: staged.clone(), first_actor })
    }

    /// Appends the next messages of a flow.
    pub(super) fn refill(&mut self, flow: usize, queue: &mut VecDeque<Item>) {
        let described = self.staged.flows[flow];
        let message = self.message(flow);
        let mut push = |operation| queue.push_back(Item { stream: 0, operation });
        let position = &mut self.positions[flow];
        for _ in 0..BATCH {
            match self.staged.posting {
                Posting::Clocked => {
                    if position.next >= described.stop {
                        return;
                    }
                    push(Operation::Until(position.next));
                    let rate = described.rate.expect("flows by the clock have a rate");
                    position.next += rate.serialization(message.size);
                }
                Posting::Acknowledged { posted } => {
                    if position.n_messages == 0 {
                        push(Operation::Until(described.start));
                    } else if position.n_messages >= u64::from(posted) {
                        push(Operation::Receive { tag: Message::completion_tag(message.tag), messages: 1 });
                    }
                    push(Operation::StopAt(described.stop));
                }
            }
            push(Operation::Send(message));
            position.n_messages += 1;
        }
    }

    fn message(&self, flow: usize) -> Message {
        let described = self.staged.flows[flow];
        let reports_completion = self.staged.posting != Posting::Clocked;
        Message {
            to: described.destination,
            notify: None,
            completion: reports_completion.then(|| ActorId(self.first_actor + flow as u32)),
            // Its actor waits for no other message.
            tag: 0,
            size: self.staged.message,
            rate: described.rate,
            class: described.handling.class,
            may_reorder: described.handling.may_reorder,
            job: Message::STAGED,
            step: flow as u32,
            phase: 0,
            bucket: 0,
        }
    }
}

/// The reason why a flow is invalid.
fn wrong(flow: &StagedFlow, staged: &StagedFlows) -> Option<String> {
    if flow.source == flow.destination {
        return Some("goes from a host to itself".to_owned());
    }
    if flow.stop <= flow.start {
        return Some("stops before it starts".to_owned());
    }
    let is_idle = staged.posting == Posting::Acknowledged { posted: 0 } || staged.message.0 == 0;
    if is_idle {
        return Some("has no message to post".to_owned());
    }
    let Some(rate) = flow.rate else {
        return (staged.posting == Posting::Clocked).then(|| "has no rate".to_owned());
    };
    let bits_ps = u128::from(staged.message.0) * 8_000_000_000_000;
    let lasts = u128::from(flow.stop.since(flow.start).0) * u128::from(rate.0);
    (bits_ps > lasts).then(|| "stops before its first message is sent at its rate".to_owned())
}
