//! What is found about a step and about messages; times in seconds.

use serde::Serialize;

/// Why a step took as long as it did.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explanation {
    /// Name of the job.
    pub job: String,
    /// The step.
    pub step: u32,
    /// When it began, in seconds from the begin of the run.
    pub start_s: f64,
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
    /// Waits with those ahead, the longest first: the longest one of each message, then the longest others, up to 64.
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

/// A message of a chain, or one of the slowest.
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
    /// When it was sent, in seconds from the begin of the run.
    pub start_s: f64,
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
    /// The parts of its completion time by the names of [`Explanation::causes`], those with any time.
    #[serde(skip)]
    pub causes: Vec<Cause>,
    /// Waits of its last packet in queues of switches, in the order of its path.
    pub hops: Vec<HopWait>,
}

/// A wait of a message's last packet in the queue of a port.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HopWait {
    /// The port, by the nodes at both ends.
    pub port: String,
    /// How long, in seconds.
    pub wait_s: f64,
}

/// A wait in a queue.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PortWait {
    /// The port, by the nodes at both ends.
    pub port: String,
    /// Index of the message in the list of messages.
    pub message: usize,
    /// Index among the hops of the message; none at the NIC of the sender.
    #[serde(skip)]
    pub hop: Option<usize>,
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

/// The slowest messages of a run, each by itself.
#[derive(Debug, Clone, PartialEq)]
pub struct SlowMessages {
    /// The slowest first.
    pub messages: Vec<ChainMessage>,
    /// Their waits, as in [`Explanation::waits`].
    pub waits: Vec<PortWait>,
}
