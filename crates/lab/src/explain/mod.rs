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

use std::collections::BTreeMap;
use std::path::Path;

use netloom_engine::Options;
use netloom_model::{NamedFlow, Recording};
use netloom_records::{FlowRow, RepairRow, RunFolder, Sink, StepRow, Table};
use netloom_units::{HostId, LinkId, PortId};
use serde::Serialize;

use crate::error::LabError;
use crate::export::alone::scenario_of;
use crate::prepare::Prepared;
use crate::second_run::second_run;
use crate::watch::Watch;
use ahead::{Ahead, Shares};
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
    /// Its length in seconds.
    pub wait_s: f64,
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
    let view = View { prepared: &prepared, chain: &chain, parts: &parts, repairs: &repairs };
    Ok(Explanation {
        job: prepared.compiled.job_names.get(usize::from(job.job)).cloned().unwrap_or_default(),
        step: step.step,
        time_s: step.end.since(step.start).as_seconds(),
        slower: steps.slower_than(&step),
        steps: steps.count(),
        median_s: steps.median_s(),
        causes: view.causes(),
        messages: view.messages(),
        waits: view.waits(&longest, shares),
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

/// The longest waits of the chain: index of the message, and the wait.
fn longest_waits(chain: &Chain, parts: &BTreeMap<Key, Parts>) -> Vec<(usize, Wait)> {
    let waits = |(index, member): (usize, &chain::Member)| {
        parts[&key(&member.row)].queues.iter().map(move |wait| (index, *wait))
    };
    let mut all: Vec<(usize, Wait)> = chain.members.iter().enumerate().flat_map(waits).collect();
    all.retain(|(_, wait)| wait.length() > 0);
    all.sort_by_key(|(index, wait)| (std::cmp::Reverse(wait.length()), *index, wait.port));
    all.truncate(MOST_WAITS);
    all
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
    fn ahead(&mut self, chain: &Chain, waits: &[(usize, Wait)]) -> Result<Vec<Shares>, LabError> {
        if waits.is_empty() {
            return Ok(Vec::new());
        }
        let fabric = &self.prepared.compiled.model.fabric;
        let packets_on = distinct(waits.iter().map(|(_, wait)| fabric.port(wait.port).link));
        let mut ahead = Ahead::new(waits.iter().map(|(_, wait)| *wait));
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

    fn waits(&self, longest: &[(usize, Wait)], shares: Vec<Shares>) -> Vec<PortWait> {
        let wait = |(&(message, wait), shares): (&(usize, Wait), Shares)| {
            let total: u64 = shares.values().sum();
            let mut pairs: Vec<_> = shares.into_iter().collect();
            pairs.sort_by_key(|&(ends, bytes)| (std::cmp::Reverse(bytes), ends));
            let sharer = |&((from, to), bytes): &((HostId, HostId), u64)| Sharer {
                from: self.node(from.index()),
                to: self.node(to.index()),
                share: bytes as f64 / total as f64,
            };
            PortWait {
                port: self.port(wait.port),
                message,
                wait_s: seconds(wait.length()),
                ahead: pairs.iter().take(MOST_AHEAD).map(sharer).collect(),
                more: pairs.len().saturating_sub(MOST_AHEAD),
            }
        };
        longest.iter().zip(shares).map(wait).collect()
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
