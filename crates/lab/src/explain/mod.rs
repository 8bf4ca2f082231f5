//! Why a step took as long as it did: the chain of messages that it waited for, and what each of them waited for.
//!
//! Models: the chain from the stored messages; a second run that records the causes and packets of its members, and so
//! the parts of their times; a third one that records the ports at which they waited longest, and so who was ahead.
//! Equal models give equal runs, so both are exact for the first. Of a run that recorded causes, all steps without a
//! second run.
//!
//! Invariants: causes add up to the length of the step, to the picosecond.

mod ahead;
mod chain;
mod error;
mod parts;
mod select;
mod steps;
mod sums;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use netloom_engine::Options;
use netloom_model::{NamedFlow, Recording};
use netloom_records::{FlowRow, RepairRow, RunFolder, Sink, StepRow, Table};
use netloom_report::traffic_without_job;
use netloom_units::{Bytes, HostId, LinkId, PortId};
use serde::Serialize;

use crate::error::LabError;
use crate::export::alone::scenario_of;
use crate::prepare::Prepared;
use crate::second_run::second_run;
use crate::watch::Watch;
use ahead::{Ahead, MessageWait, Owner, Shares};
use chain::{Barriers, Chain};
pub use error::ExplainError;
use parts::{Collector, Key, Parts, Wait, key};
use select::Steps;
pub use select::{NotAStep, SelectedStep};
pub use steps::{ExplainedJob, ExplainedStep, explain_all, explain_steps};
use sums::Sums;

/// Number of waits for which those ahead are recorded.
const MOST_WAITS: usize = 8;
/// Number of pairs of hosts that are listed for a wait.
const MOST_AHEAD: usize = 4;

/// Which step is explained, and how.
pub struct ExplainRequest<'a> {
    /// The job by its name; the first one by default.
    pub job: Option<String>,
    /// The step.
    pub step: SelectedStep,
    /// Number of threads; no result depends on it.
    pub threads: usize,
    /// Observers of the second and of the third run.
    pub watch: Watch<'a>,
}

/// Why a step took as long as it did.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explanation {
    /// Name of the job.
    pub job: String,
    /// The step.
    pub step: u32,
    /// Its length in seconds.
    pub time_s: f64,
    /// Number of completed steps that took longer.
    pub slower: usize,
    /// Number of completed steps.
    pub steps: usize,
    /// Median of their lengths in seconds.
    pub median_s: f64,
    /// The causes with their times, which add up to the length; the largest first.
    pub causes: Vec<Cause>,
    /// The chain, in order of time.
    pub messages: Vec<ChainMessage>,
    /// The longest waits in queues, with those ahead.
    pub waits: Vec<PortWait>,
    /// The ports of these waits that would shorten the step if they were faster, those that would most first.
    pub faster: Vec<FasterPort>,
}

/// A port, if it were twice as fast.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FasterPort {
    /// The port, by the nodes at both ends.
    pub port: String,
    /// By how much the chain would be shorter if it stayed the same, in seconds: half of the time in which the port was
    /// sending while messages of the chain waited there.
    pub saved_s: f64,
}

/// A cause and its time.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Cause {
    /// What it is.
    pub name: String,
    /// Its time in the chain, in seconds.
    pub time_s: f64,
}

/// A message of the chain.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ChainMessage {
    /// Name of its sender.
    pub from: String,
    /// Name of its receiver.
    pub to: String,
    /// Number among the sender's messages.
    pub number: u32,
    /// Phase and bucket of the step.
    pub phase: u16,
    /// Bucket of the phase.
    pub bucket: u16,
    /// Its size in bytes.
    pub bytes: u64,
    /// Time before it in which ranks computed or were busy, in seconds.
    pub before_s: f64,
    /// Its completion time in seconds: the sum of the nine that follow.
    pub time_s: f64,
    /// Bits on wires and propagation.
    pub transmission_s: f64,
    /// Waiting at its sender while earlier messages of its queue pair were on the wire.
    pub earlier_s: f64,
    /// Waiting at its sender while other packets of that host were on the wire.
    pub turn_s: f64,
    /// Waiting at its sender for acknowledgements.
    pub window_s: f64,
    /// Waiting at its sender for the rate allowed.
    pub pacing_s: f64,
    /// Waiting at its sender for retransmission timeouts.
    pub timeout_s: f64,
    /// Waiting at its sender for credits or the end of a pause.
    pub pause_s: f64,
    /// Waiting in queues of switches.
    pub queues_s: f64,
    /// Until packets before its last one had arrived as well.
    pub recovery_s: f64,
    /// The port at which its last packet waited longest, if it waited.
    pub port: Option<String>,
    /// Retransmission timeouts.
    pub timeouts: u32,
    /// Retransmitted packets that arrived.
    pub retransmitted: u32,
}

/// A wait in a queue.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PortWait {
    /// The port, by the nodes at both ends.
    pub port: String,
    /// Index of the message in the chain.
    pub message: usize,
    /// Whether it was at the NIC of the sender; then it is the time in which other messages were on the wire.
    pub at_nic: bool,
    /// Its length in seconds.
    pub wait_s: f64,
    /// How long the port was sending in that time, in seconds: the rest it was held, by pauses or for lack of credits.
    pub sending_s: f64,
    /// Pairs of hosts whose packets left in that time, most bytes first.
    pub ahead: Vec<Sharer>,
    /// Number of further pairs.
    pub more: usize,
}

/// A pair of hosts whose packets were ahead.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Sharer {
    /// Name of the sender.
    pub from: String,
    /// Name of the receiver.
    pub to: String,
    /// Whether these are packets of the message that waited.
    pub own: bool,
    /// What traffic it is, if it is not of the job whose step is explained.
    pub traffic: Option<String>,
    /// Share of the bytes that left.
    pub share: f64,
}

/// Explains a step of a stored run.
///
/// # Errors
/// If the folder is no run whose scenario can be run again, it has no such job or step, its messages were not recorded, or
/// it was stopped.
pub fn explain(folder: &Path, request: ExplainRequest<'_>) -> Result<Explanation, LabError> {
    let folder = RunFolder::open(folder)?;
    error::check(&folder)?;
    let prepared = scenario_of(&folder)?;
    let job = select::job(&folder, request.job.as_deref())?;
    let steps = Steps::of(&folder, job.job)?;
    let step = steps.select(request.step, &folder)?;
    let rows = messages_of(&folder, &step)?;
    if !rows.iter().any(|row| row.step == step.step) {
        return Err(ExplainError::NoMessages(folder.path().to_owned()).into());
    }
    let chain = Chain::of(&step, &rows, &Barriers::of(&prepared, job.job));
    let mut again = Again { prepared: &prepared, threads: request.threads, watch: request.watch };
    let parts = again.parts(&chain)?;
    let longest = longest_waits(&chain, &parts);
    let shares = again.ahead(&chain, &longest)?;
    let repairs = repairs_of(&folder, &step)?;
    let traffic = &traffic_of(&folder, &step, &shares)?;
    let view =
        View { prepared: &prepared, chain: &chain, parts: &parts, repairs: &repairs, job: job.job, traffic };
    Ok(Explanation {
        job: prepared.compiled.job_names.get(usize::from(job.job)).cloned().unwrap_or_default(),
        step: step.step,
        time_s: step.end.since(step.start).as_seconds(),
        slower: steps.slower_than(&step),
        steps: steps.count(),
        median_s: steps.median_s(),
        causes: view.causes(),
        messages: view.messages(),
        waits: view.waits(&longest, &shares),
        faster: view.faster(&longest, &shares),
    })
}

/// The messages of a job that arrived during a step of it, those of earlier steps included.
fn messages_of(folder: &RunFolder, step: &StepRow) -> Result<Vec<FlowRow>, LabError> {
    let mut found = Vec::new();
    for block in folder.rows::<FlowRow>()? {
        let during = |row: &FlowRow| {
            row.job == step.job && row.step <= step.step && row.end.is_some_and(|end| end > step.start)
        };
        found.extend(block?.into_iter().filter(during));
    }
    Ok(found)
}

/// Timeouts and retransmitted packets of the messages of a job within a step.
fn repairs_of(folder: &RunFolder, step: &StepRow) -> Result<BTreeMap<Key, [u32; 2]>, LabError> {
    let mut found = BTreeMap::new();
    // Folders of earlier versions, and runs without queue pairs, lack the table.
    if !folder.manifest().tables.contains_key(Table::Repairs.name()) {
        return Ok(found);
    }
    for block in folder.rows::<RepairRow>()? {
        let during = |row: &RepairRow| {
            row.job == step.job && row.end.is_some_and(|end| step.start < end && end <= step.end)
        };
        let counted =
            |row: RepairRow| ((row.source, row.destination, row.number), [row.timeouts, row.retransmitted]);
        found.extend(block?.into_iter().filter(during).map(counted));
    }
    Ok(found)
}

/// The longest waits of the chain, at NICs and in queues.
fn longest_waits(chain: &Chain, parts: &BTreeMap<Key, Parts>) -> Vec<MessageWait> {
    let waits = |(message, member): (usize, &chain::Member)| {
        let key = key(&member.row);
        let Parts { causes, nic, queues } = &parts[&key];
        let at_nic = nic.map(|nic| MessageWait {
            message,
            key,
            wait: Wait { from: member.row.start, ..nic },
            is_at_nic: true,
            length: causes.turn.0 + causes.earlier.0,
        });
        let in_queue = move |wait: &Wait| MessageWait {
            message,
            key,
            wait: *wait,
            is_at_nic: false,
            length: wait.length(),
        };
        at_nic.into_iter().chain(queues.iter().map(in_queue))
    };
    let mut all: Vec<MessageWait> = chain.members.iter().enumerate().flat_map(waits).collect();
    all.retain(|wait| wait.length > 0);
    all.sort_by_key(|wait| (std::cmp::Reverse(wait.length), wait.message, wait.wait.port));
    all.truncate(MOST_WAITS);
    all
}

/// The traffic that pairs of hosts in these shares send during a step, by job number.
fn traffic_of(
    folder: &RunFolder,
    step: &StepRow,
    shares: &[Shares],
) -> Result<BTreeMap<(HostId, HostId), u16>, LabError> {
    let owners = shares.iter().flat_map(Shares::keys);
    // An ACK is of the message in the other direction.
    let pairs: BTreeSet<(HostId, HostId)> =
        owners.flat_map(|owner| [(owner.from, owner.to), (owner.to, owner.from)]).collect();
    let mut found = BTreeMap::new();
    for block in folder.rows::<FlowRow>()? {
        for row in block? {
            let pair = (row.source, row.destination);
            let is_during = row.start < step.end && row.end.is_none_or(|end| end > step.start);
            if !is_during || !pairs.contains(&pair) {
                continue;
            }
            let job = found.entry(pair).or_insert(row.job);
            // Of a pair with several kinds of traffic, the job that is explained is named.
            if row.job == step.job {
                *job = row.job;
            }
        }
    }
    Ok(found)
}

/// Runs the scenario again.
struct Again<'a, 'w> {
    prepared: &'a Prepared,
    threads: usize,
    watch: Watch<'w>,
}

impl Again<'_, '_> {
    /// The parts of the members of a chain.
    fn parts(&mut self, chain: &Chain) -> Result<BTreeMap<Key, Parts>, LabError> {
        let named = |member: &chain::Member| NamedFlow {
            source: member.row.source,
            destination: member.row.destination,
            number: Some(member.row.number),
        };
        let packets_of = chain.members.iter().map(named).collect();
        let transport = &self.prepared.compiled.model.transport;
        let of_chain = |member: &chain::Member| (key(&member.row), transport.cut(member.row.size).0);
        let mut collector = Collector::new(chain.members.iter().map(of_chain));
        let recording = Recording { packets_of, causes: true, ..Recording::default() };
        self.run(recording, chain, &mut collector)?;
        let parts = collector.finish().map_err(LabError::Internal)?;
        let differs = |member: &&chain::Member| parts[&key(&member.row)].total() != member.time().0;
        match chain.members.iter().find(differs) {
            None => Ok(parts),
            Some(member) => Err(LabError::Internal(format!(
                "the parts of message {:?} do not add up to its completion time",
                key(&member.row)
            ))),
        }
    }

    /// Who was ahead during these waits.
    fn ahead(&mut self, chain: &Chain, waits: &[MessageWait]) -> Result<Vec<Shares>, LabError> {
        if waits.is_empty() {
            return Ok(Vec::new());
        }
        let fabric = &self.prepared.compiled.model.fabric;
        let packets_on = distinct(waits.iter().map(|waiting| fabric.port(waiting.wait.port).link));
        let mut ahead = Ahead::new(waits);
        self.run(Recording { packets_on, ..Recording::default() }, chain, &mut ahead)?;
        Ok(ahead.finish())
    }

    fn run(&mut self, recording: Recording, chain: &Chain, sink: &mut dyn Sink) -> Result<(), LabError> {
        let Some(last) = chain.members.iter().map(|member| member.end).max() else { return Ok(()) };
        let options = Options { threads: self.threads, ..Options::default() };
        let watch = Watch {
            stop: self.watch.stop,
            on_progress: self.watch.on_progress.as_deref_mut().map(|call| -> &mut dyn FnMut(&_) { call }),
            ..Watch::default()
        };
        if second_run(self.prepared, recording, last, sink, options, watch)? {
            return Ok(());
        }
        Err(ExplainError::Stopped.into())
    }
}

/// What is shown of a chain.
struct View<'a> {
    prepared: &'a Prepared,
    chain: &'a Chain,
    parts: &'a BTreeMap<Key, Parts>,
    repairs: &'a BTreeMap<Key, [u32; 2]>,
    /// The job whose step is explained, and the traffic of pairs of hosts.
    job: u16,
    traffic: &'a BTreeMap<(HostId, HostId), u16>,
}

impl View<'_> {
    /// The sums of the chain by cause.
    fn causes(&self) -> Vec<Cause> {
        let mut sums = Sums::new(self.prepared);
        sums.add_chain(self.chain);
        for member in &self.chain.members {
            let parts = &self.parts[&key(&member.row)];
            sums.add_message(&parts.causes, parts.queues.iter().map(|wait| (wait.port, wait.length())));
        }
        sums.finish()
    }

    fn messages(&self) -> Vec<ChainMessage> {
        let message = |member: &chain::Member| {
            let row = &member.row;
            let parts = &self.parts[&key(row)];
            let causes = &parts.causes;
            let longest = parts.queues.iter().max_by_key(|wait| wait.length());
            let [timeouts, retransmitted] = self.repairs.get(&key(row)).copied().unwrap_or_default();
            ChainMessage {
                from: self.node(row.source.index()),
                to: self.node(row.destination.index()),
                number: row.number,
                phase: row.phase,
                bucket: row.bucket,
                bytes: row.size.0,
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
            }
        };
        self.chain.members.iter().map(message).collect()
    }

    fn waits(&self, longest: &[MessageWait], shares: &[Shares]) -> Vec<PortWait> {
        let wait = |(waiting, shares): (&MessageWait, &Shares)| {
            let total: u64 = shares.values().sum();
            let mut owners: Vec<(&Owner, &u64)> = shares.iter().collect();
            owners.sort_by_key(|&(owner, bytes)| (std::cmp::Reverse(bytes), owner));
            let sharer = |&(owner, &bytes): &(&Owner, &u64)| Sharer {
                from: self.node(owner.from.index()),
                to: self.node(owner.to.index()),
                own: owner.is_own,
                traffic: self.foreign(owner),
                share: bytes as f64 / total as f64,
            };
            PortWait {
                port: self.port(waiting.wait.port),
                message: waiting.message,
                at_nic: waiting.is_at_nic,
                wait_s: seconds(waiting.length),
                sending_s: seconds(self.sending(waiting, total)),
                ahead: owners.iter().take(MOST_AHEAD).map(sharer).collect(),
                more: owners.len().saturating_sub(MOST_AHEAD),
            }
        };
        longest.iter().zip(shares).map(wait).collect()
    }

    /// How long the port of a wait took to send these bytes, in ps; a packet may begin before the end of the wait and end
    /// after it.
    fn sending(&self, waiting: &MessageWait, bytes: u64) -> u64 {
        let rate = self.prepared.compiled.model.fabric.port(waiting.wait.port).rate;
        rate.serialization(Bytes(bytes)).0.min(waiting.length)
    }

    /// What would be saved if one of the ports were twice as fast, the largest first.
    fn faster(&self, longest: &[MessageWait], shares: &[Shares]) -> Vec<FasterPort> {
        let mut saved: BTreeMap<PortId, u64> = BTreeMap::new();
        for (waiting, shares) in longest.iter().zip(shares) {
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

    /// The traffic that packets are of, if not of the job whose step is explained.
    fn foreign(&self, owner: &Owner) -> Option<String> {
        let ends = [(owner.from, owner.to), (owner.to, owner.from)];
        let job = *ends.iter().find_map(|ends| self.traffic.get(ends))?;
        let names = &self.prepared.compiled.job_names;
        let of_job = || names.get(usize::from(job)).cloned().unwrap_or_default();
        (job != self.job).then(|| traffic_without_job(job).map_or_else(of_job, str::to_owned))
    }

    fn node(&self, index: usize) -> String {
        self.prepared.compiled.node_names[index].clone()
    }

    /// A port by the nodes at both ends of its link.
    fn port(&self, port: PortId) -> String {
        sums::ends(self.prepared, port).join(" -> ")
    }
}

fn distinct(links: impl Iterator<Item = LinkId>) -> Vec<LinkId> {
    let mut links: Vec<LinkId> = links.collect();
    links.sort_unstable();
    links.dedup();
    links
}

fn seconds(picoseconds: u64) -> f64 {
    picoseconds as f64 / 1e12
}
