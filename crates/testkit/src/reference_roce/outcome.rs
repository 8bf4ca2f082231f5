//! The records of a run.
//!
//! Models: every packet on every link, every message, loss, pause frame and change of a rate.
//! Leaves out: the length of queues over time.
//! Invariant: rows are in the order of decision; [`Outcome::arrivals`] sorts by arrival.

use super::fabric::{LinkIdx, NodeIdx, PortIdx};
use super::packet::{Kind, Packet, QpIdx};
use super::scene::{Lane, MessageIdx};

/// One packet over one link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hop {
    /// When its first bit left.
    pub started_at: u64,
    /// When its last bit arrived; `None` if the link lost it.
    pub arrived_at: Option<u64>,
    /// When the node at the other end handled it: normally at its arrival; at a switch with a crossbar, according to
    /// its forwarding.
    pub handled_at: Option<u64>,
    /// The node it left.
    pub node: NodeIdx,
    /// The port it left by.
    pub port: PortIdx,
    /// The link.
    pub link: LinkIdx,
    /// The node at the other end.
    pub next: NodeIdx,
    /// The packet as it was on the link.
    pub packet: Packet,
}

/// One packet through one crossbar: a transfer, or a part of one that several packets share as a train.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// Since when the packet had been ready in its input buffer.
    pub buffered_at: u64,
    /// When the egress granted it.
    pub granted_at: u64,
    /// When it began.
    pub begins_at: u64,
    /// Until when it occupies its ingress and its egress.
    pub ends_at: u64,
    /// When the packet has left its input buffer.
    pub leaves_at: u64,
    /// The switch.
    pub node: NodeIdx,
    /// The port it came in by.
    pub ingress: PortIdx,
    /// The port it leaves by.
    pub egress: PortIdx,
    /// Its virtual lane.
    pub lane: Lane,
    /// Its bytes.
    pub bytes: u64,
    /// Number of packets before it that share the transfer.
    pub index: usize,
    /// The ingress that held the turn.
    pub holder: PortIdx,
    /// Number of transfers that had passed the holder.
    pub n_passed: u32,
}

/// One packet reaching one node: the fields that are compared, in the order of comparison.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Arrival {
    /// When its last bit arrived.
    pub at: u64,
    /// The node it reached.
    pub node: NodeIdx,
    /// The link it arrived on.
    pub link: LinkIdx,
    /// What it is.
    pub kind: Kind,
    /// The host it comes from; of a frame, the node.
    pub source: NodeIdx,
    /// The host it goes to; of a frame, the node.
    pub destination: NodeIdx,
    /// Its queue pair.
    pub qp: Option<QpIdx>,
    /// Its message, if it is data.
    pub message: Option<MessageIdx>,
    /// See [`Packet::psn`].
    pub psn: u32,
    /// See [`Packet::marked`].
    pub marked: bool,
    /// Whether it is retransmitted data.
    pub again: bool,
}

/// Why a packet is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DropReason {
    /// The switch had no room for it.
    Buffer,
    /// The link lost it.
    Link,
}

/// A packet that is lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drop {
    /// When: at its arrival, or at its start on the link that loses it.
    pub at: u64,
    /// Where: the switch that has no room, or the node that sends it.
    pub node: NodeIdx,
    /// The port it was to leave by, or left by.
    pub port: PortIdx,
    /// Why.
    pub reason: DropReason,
    /// The packet.
    pub packet: Packet,
}

/// The decision to stop or release a neighbour; the frame itself is among the hops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pause {
    /// When it was decided.
    pub at: u64,
    /// The switch.
    pub node: NodeIdx,
    /// The port that the frame goes out on.
    pub port: PortIdx,
    /// Whether it stops the neighbour.
    pub stop: bool,
}

/// A data packet that was marked; see the hops for which.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// When.
    pub at: u64,
    /// The switch.
    pub node: NodeIdx,
    /// The port it was to leave by.
    pub port: PortIdx,
}

/// A new rate of a queue pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateChange {
    /// When.
    pub at: u64,
    /// The queue pair.
    pub qp: QpIdx,
    /// Bits per second.
    pub rate: u64,
}

/// The fate of a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fate {
    /// When the receiver had all of it.
    pub arrived_at: Option<u64>,
    /// When the sender had it acknowledged.
    pub acknowledged_at: Option<u64>,
    /// Timeouts of its queue pair while it was the first message not acknowledged.
    pub timeouts: u32,
}

/// The results of a run.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Every packet leaving every node.
    pub hops: Vec<Hop>,
    /// Transfers through crossbars, in the order of grants.
    pub transfers: Vec<Transfer>,
    /// The messages, in the order of the scene.
    pub messages: Vec<Fate>,
    /// Lost packets.
    pub drops: Vec<Drop>,
    /// XOFF and XON.
    pub pauses: Vec<Pause>,
    /// Marks.
    pub marks: Vec<Mark>,
    /// Rates of queue pairs.
    pub rates: Vec<RateChange>,
    /// Time of the last event.
    pub end: u64,
    pub(super) causes: Vec<(u64, NodeIdx, Cause)>,
}

/// The cause of an event at a node at an instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Cause {
    Arrival(PortIdx),
    Post(MessageIdx),
    Tick(usize),
    Timeout(usize),
    WireFree(PortIdx),
    Pace(usize),
}

impl Outcome {
    /// All arrivals, in order of time, node, link.
    pub fn arrivals(&self) -> Vec<Arrival> {
        let mut arrivals: Vec<Arrival> = self.hops.iter().filter_map(Hop::arrival).collect();
        arrivals.sort();
        arrivals
    }

    /// Instants at which there were two events of different causes at one node, so that their order may matter. Starts
    /// come after all other events, which is a defined order and no tie; so is all order at a switch with a crossbar;
    /// timers of congestion control of one queue pair that tick together count as one event.
    pub fn ties(&self) -> usize {
        let is_start = |cause: &Cause| matches!(cause, Cause::WireFree(_) | Cause::Pace(_));
        let mut causes: Vec<_> = self.causes.iter().filter(|(.., cause)| !is_start(cause)).collect();
        causes.sort_unstable();
        causes.dedup();
        causes.windows(2).filter(|pair| (pair[0].0, pair[0].1) == (pair[1].0, pair[1].1)).count()
    }
}

impl Hop {
    fn arrival(&self) -> Option<Arrival> {
        let packet = &self.packet;
        Some(Arrival {
            at: self.arrived_at?,
            node: self.next,
            link: self.link,
            kind: packet.kind,
            source: packet.source,
            destination: packet.destination,
            qp: packet.qp,
            message: packet.message,
            psn: packet.psn,
            marked: packet.marked,
            again: packet.again,
        })
    }
}
