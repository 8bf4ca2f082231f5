//! Steps and slow messages that were explained by running the scenario again: the chain of messages that a step waited
//! for, and of each message what it waited for, hop by hop, with those ahead.
//!
//! Leaves out: how that was found.
//!
//! Invariants: the times of a message's causes add up to its completion time; of a long chain some messages are shown, and
//! how many it has is said.

use serde::Serialize;

/// Most messages of a chain that are shown: those with the longest times.
pub const MOST_MESSAGES: usize = 100;

/// What was found of a run; times in seconds.
#[derive(Debug, Serialize)]
pub struct ExplainedRun {
    /// Index of the run, from 0.
    pub run: usize,
    /// The causes of all its messages.
    pub causes: Vec<String>,
    /// Of each job its longest step and one of about median length, if that is another one.
    pub steps: Vec<ChainData>,
    /// The slowest messages, the slowest first.
    pub slowest: Vec<MessageData>,
    /// These are the slowest of those that had arrived by then; absent if of the whole run.
    pub until: Option<f64>,
}

impl ExplainedRun {
    /// Whether nothing was found: it has neither steps nor messages.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty() && self.slowest.is_empty()
    }
}

/// A step and its chain.
#[derive(Debug, Serialize)]
pub struct ChainData {
    /// Name of the job.
    pub job: String,
    /// The step.
    pub step: u32,
    /// When it began.
    pub start: f64,
    /// Its length.
    pub time: f64,
    /// Number of completed steps that took longer.
    pub slower: usize,
    /// Number of completed steps.
    pub n_steps: usize,
    /// Median of their lengths.
    pub median: f64,
    /// Causes and their times, which add up to the length; the largest first.
    pub causes: Vec<(String, f64)>,
    /// Number of messages of the chain.
    pub n_messages: usize,
    /// Those that are shown, in order of time.
    pub messages: Vec<MessageData>,
    /// Ports that would shorten the step if they were twice as fast, with the time saved.
    pub faster: Vec<(String, f64)>,
}

/// A message.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MessageData {
    /// Number in the chain, from 1; its rank among the slowest.
    pub number: usize,
    /// Sender, receiver and number among the sender's messages.
    pub message: String,
    /// Phase of the step and bucket of the phase.
    pub phase: u16,
    /// Bucket of the phase.
    pub bucket: u16,
    /// Bytes.
    pub size: u64,
    /// When it was sent, from the begin of the step, or of the run for one of the slowest.
    pub start: f64,
    /// Time before it in which ranks computed or were busy.
    pub before: f64,
    /// Its completion time.
    pub time: f64,
    /// Index of each cause in the list of the run, with its time.
    pub causes: Vec<(usize, f64)>,
    /// Waits at the NIC of its sender and in queues, in the order of its path.
    pub waits: Vec<WaitData>,
    /// Retransmission timeouts.
    pub timeouts: u32,
    /// Retransmitted packets that arrived.
    pub retransmitted: u32,
}

/// A wait of a message at a port.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WaitData {
    /// The nodes at both ends.
    pub port: String,
    /// Whether it is the NIC of the sender.
    pub nic: bool,
    /// Length of the wait.
    pub wait: f64,
    /// How long the port was sending in that time; absent if those ahead were not recorded.
    pub sending: Option<f64>,
    /// Pairs of hosts whose packets left in that time, with their shares of the bytes; most bytes first.
    pub ahead: Vec<SharerData>,
    /// Number of further pairs.
    pub more: usize,
}

/// A pair of hosts whose packets were ahead.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SharerData {
    /// Sender and receiver; absent for packets of the message that waited.
    pub pair: Option<String>,
    /// What traffic it is, if it is not of the job of the message that waited.
    pub traffic: Option<String>,
    /// Share of the bytes that left.
    pub share: f64,
}
