//! What is shown of explained messages.

use std::collections::BTreeMap;

use netloom_report::traffic_without_job;
use netloom_units::{Bytes, PortId};

use super::ahead::{MessageWait, Owner, Shares};
use super::chain::{Chain, Member};
use super::found::{Cause, ChainMessage, Explanation, FasterPort, HopWait, PortWait, Sharer};
use super::parts::{Key, Parts, Wait, key};
use super::sums::{self, Sums};
use super::tables::Traffic;
use super::{Selected, Subject};
use crate::prepare::Prepared;

/// Number of pairs of hosts that are listed for a wait, if there are at least two more.
const MOST_AHEAD: usize = 4;

/// What second runs recorded of messages.
pub(super) struct View<'a> {
    pub prepared: &'a Prepared,
    pub parts: &'a BTreeMap<Key, Parts>,
    pub repairs: &'a BTreeMap<Key, [u32; 2]>,
}

/// Waits of a list of messages, with whose packets left during each, and what traffic pairs of hosts had.
pub(super) struct Recorded<'a> {
    pub waits: &'a [MessageWait],
    pub shares: &'a [Shares],
    pub traffic: &'a [Traffic],
}

impl View<'_> {
    /// A step.
    pub fn step(&self, subject: &Subject, recorded: &Recorded<'_>) -> Explanation {
        let Subject { selected: Selected { step, n_steps, n_slower, median_s }, chain } = subject;
        Explanation {
            job: self.prepared.compiled.job_names.get(usize::from(step.job)).cloned().unwrap_or_default(),
            step: step.step,
            start_s: step.start.as_seconds(),
            time_s: step.end.since(step.start).as_seconds(),
            slower: *n_slower,
            steps: *n_steps,
            median_s: *median_s,
            causes: self.causes(chain),
            messages: self.messages(&chain.members),
            waits: self.waits(recorded),
            faster: self.faster(recorded),
        }
    }

    /// The sums of a chain by cause.
    fn causes(&self, chain: &Chain) -> Vec<Cause> {
        let mut sums = Sums::new(self.prepared);
        sums.add_chain(chain);
        for member in &chain.members {
            self.add(member, &mut sums);
        }
        sums.finish()
    }

    fn add(&self, member: &Member, sums: &mut Sums<'_>) {
        let parts = &self.parts[&key(&member.row)];
        sums.add_message(&parts.causes, parts.queues.iter().map(|wait| (wait.port, wait.length())));
    }

    /// The parts of the completion time of a message.
    fn causes_of(&self, member: &Member) -> Vec<Cause> {
        let mut sums = Sums::new(self.prepared);
        self.add(member, &mut sums);
        sums.finish()
    }

    /// Messages with their causes and their paths.
    pub fn messages(&self, members: &[Member]) -> Vec<ChainMessage> {
        let message = |member: &Member| {
            let row = &member.row;
            let parts = &self.parts[&key(row)];
            let causes = &parts.causes;
            let hop = |wait: &Wait| HopWait { port: self.port(wait.port), wait_s: seconds(wait.length()) };
            let longest = parts.queues.iter().max_by_key(|wait| wait.length());
            let [timeouts, retransmitted] = self.repairs.get(&key(row)).copied().unwrap_or_default();
            ChainMessage {
                from: self.node(row.source.index()),
                to: self.node(row.destination.index()),
                number: row.number,
                phase: row.phase,
                bucket: row.bucket,
                bytes: row.size.0,
                start_s: row.start.as_seconds(),
                before_s: member.before.as_seconds(),
                time_s: member.time().as_seconds(),
                transmission_s: causes.transmission.as_seconds(),
                earlier_s: causes.earlier.as_seconds(),
                turn_s: causes.turn.as_seconds(),
                window_s: causes.window.as_seconds(),
                pacing_s: causes.pacing.as_seconds(),
                timeout_s: causes.timeout.as_seconds(),
                pause_s: causes.pause.as_seconds(),
                queues_s: causes.queues.as_seconds(),
                recovery_s: causes.recovery.as_seconds(),
                port: longest.filter(|wait| wait.length() > 0).map(|wait| self.port(wait.port)),
                timeouts,
                retransmitted,
                causes: self.causes_of(member),
                hops: parts.queues.iter().map(hop).collect(),
            }
        };
        members.iter().map(message).collect()
    }

    /// Waits with those ahead.
    pub fn waits(&self, recorded: &Recorded<'_>) -> Vec<PortWait> {
        let Recorded { waits, shares, traffic } = recorded;
        let wait = |((waiting, shares), traffic): ((&MessageWait, &Shares), &Traffic)| {
            let total: u64 = shares.values().sum();
            let mut owners: Vec<(&Owner, &u64)> = shares.iter().collect();
            owners.sort_by_key(|&(owner, bytes)| (std::cmp::Reverse(bytes), owner));
            let n_listed = if owners.len() <= MOST_AHEAD + 1 { owners.len() } else { MOST_AHEAD };
            let sharer = |&(owner, &bytes): &(&Owner, &u64)| Sharer {
                from: self.node(owner.from.index()),
                to: self.node(owner.to.index()),
                own: owner.is_own,
                traffic: self.foreign(owner, waiting.job, traffic),
                share: bytes as f64 / total as f64,
            };
            PortWait {
                port: self.port(waiting.wait.port),
                message: waiting.message,
                hop: waiting.hop,
                at_nic: waiting.hop.is_none(),
                wait_s: seconds(waiting.length),
                sending_s: seconds(self.sending(waiting, total)),
                ahead: owners[..n_listed].iter().map(sharer).collect(),
                more: owners.len() - n_listed,
            }
        };
        waits.iter().zip(*shares).zip(*traffic).map(wait).collect()
    }

    /// How long the port of a wait took to send these bytes, in ps; a packet may begin before the end of the wait and end
    /// after it.
    fn sending(&self, waiting: &MessageWait, bytes: u64) -> u64 {
        let rate = self.prepared.compiled.model.fabric.port(waiting.wait.port).rate;
        rate.serialization(Bytes(bytes)).0.min(waiting.length)
    }

    /// What would be saved if one of the ports were twice as fast, the largest first.
    fn faster(&self, recorded: &Recorded<'_>) -> Vec<FasterPort> {
        let mut saved: BTreeMap<PortId, u64> = BTreeMap::new();
        for (waiting, shares) in recorded.waits.iter().zip(recorded.shares) {
            let sending = self.sending(waiting, shares.values().sum());
            *saved.entry(waiting.wait.port).or_default() += sending / 2;
        }
        let mut saved: Vec<(PortId, u64)> = saved.into_iter().filter(|(_, time)| *time > 0).collect();
        saved.sort_by_key(|&(port, time)| (std::cmp::Reverse(time), port));
        saved
            .into_iter()
            .map(|(port, time)| FasterPort { port: self.port(port), saved_s: seconds(time) })
            .collect()
    }

    /// The traffic that packets are of, if not of this job.
    fn foreign(&self, owner: &Owner, own: u16, traffic: &Traffic) -> Option<String> {
        let ends = [(owner.from, owner.to), (owner.to, owner.from)];
        let job = *ends.iter().find_map(|ends| traffic.get(ends))?;
        let names = &self.prepared.compiled.job_names;
        let of_job = || names.get(usize::from(job)).cloned().unwrap_or_default();
        (job != own).then(|| traffic_without_job(job).map_or_else(of_job, str::to_owned))
    }

    fn node(&self, index: usize) -> String {
        self.prepared.compiled.node_names[index].clone()
    }

    fn port(&self, port: PortId) -> String {
        sums::port_name(self.prepared, port)
    }
}

fn seconds(picoseconds: u64) -> f64 {
    picoseconds as f64 / 1e12
}
