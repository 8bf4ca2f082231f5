//! One row type per table.
//!
//! Models: the records of a run, a column with unit and meaning per field; the meaning is the field's comment.
//! Leaves out: how rows are produced; names, which are looked up by id when rows are stored.
//!
//! Invariants: rows are pushed in the stated order; units are words of a closed list (a test).

use arrow_array::{Array, ArrayRef};
use netloom_units::{Bytes, Duration, HostId, LinkId, NodeId, PortId, Rate, Time};

use crate::cell::{Cell, KnownSize};
use crate::column::{Column, Storage, TableSpec};
use crate::names::Family;
use crate::registry::{Batch, MemorySink, Table};
use crate::row::{BadCell, Named, Row, RowError, table};

mod arbitration;
mod causes;
mod cells;
mod classes;
mod congestion;
mod events;
mod measures;
mod reordering;
mod rings;
mod spans;

pub use arbitration::{ArbitrationRow, SpuriousTimeoutRow};
pub use causes::{Cause, CauseRow};
pub use cells::{CellOrder, CellRow};
pub use classes::{ClassRow, TrafficRow};
pub use congestion::{CongestedFlowRow, CongestionRow, Part, Role};
pub use events::{EventRow, FaultAction, Target};
pub use measures::{MeasureRow, TallyRow};
pub use reordering::ReorderingRow;
pub use rings::RingRow;
pub use spans::{Activity, SpanRow};

/// Numbers of jobs are below this one; those of traffic without a job are not.
pub const FIRST_OF_OTHER_TRAFFIC: u16 = u16::MAX - 2;

table! {
    /// One message.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct FlowRow in Flows flows {
        /// When its first packet was handed to the NIC.
        pub start: Time, "ps";
        /// When its last byte arrived; absent if it never did.
        pub end: Option<Time>, "ps";
        /// Sender.
        pub source: HostId, "id";
        /// Receiver.
        pub destination: HostId, "id";
        /// Number among the sender's messages, from 0.
        pub number: u32, "number";
        /// Job; 65535 for background traffic, 65534 for staged flows, 65533 for finite flows.
        pub job: u16, "id";
        /// Step of the job; the number of the flow.
        pub step: u32, "number";
        /// Phase of the step; of a finite flow 0, or one above the number of its kind among those of finite flows.
        pub phase: u16, "number";
        /// Bucket of the phase.
        pub bucket: u16, "number";
        /// Payload of the message.
        pub size: Bytes, "B";
        /// Data packets that arrived.
        pub packets: u32, "packets";
        /// Links crossed by these packets, summed.
        pub hops: u64, "links";
        /// Completion time on an otherwise idle fabric (unloaded FCT); absent for messages of jobs.
        pub ideal: Option<Duration>, "ps";
    }
    names {}
    sorted by "end, destination, source, number; unfinished ones last",
        |row: &FlowRow| (row.end.is_none(), row.end, row.destination, row.source, row.number)
}

table! {
    /// One bucket of one step over all ranks.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct CollectiveRow in Collectives collectives {
        /// When the first rank began.
        pub start: Time, "ps";
        /// When the last rank ended.
        pub end: Time, "ps";
        /// Job.
        pub job: u16, "id";
        /// Step.
        pub step: u32, "number";
        /// Phase of the step.
        pub phase: u16, "number";
        /// Bucket of the phase.
        pub bucket: u16, "number";
        /// Number of ranks.
        pub ranks: u32, "ranks";
        /// Bytes of the full vector per rank, summed over the bucket's collectives.
        pub size: Bytes, "B";
        /// Algorithm bandwidth as nccl-tests define it, in bytes per second.
        pub algbw: f64, "B/s";
        /// Bus bandwidth as nccl-tests define it, in bytes per second.
        pub busbw: f64, "B/s";
    }
    names {}
    sorted by "end, job, step, phase, bucket",
        |row: &CollectiveRow| (row.end, row.job, row.step, row.phase, row.bucket)
}

table! {
    /// One step of one job.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct StepRow in Steps steps {
        /// When the first rank began.
        pub start: Time, "ps";
        /// When the last rank ended.
        pub end: Time, "ps";
        /// Job.
        pub job: u16, "id";
        /// Step.
        pub step: u32, "number";
    }
    names {}
    sorted by "end, job, step",
        |row: &StepRow| (row.end, row.job, row.step)
}

table! {
    /// One job.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct JobRow in Jobs jobs {
        /// Job.
        pub job: u16, "id";
        /// Number of ranks.
        pub ranks: u32, "ranks";
        /// When the first rank began its first step; absent if none did.
        pub start: Option<Time>, "ps";
        /// When the last rank ended its last step; absent if the job did not finish.
        pub end: Option<Time>, "ps";
        /// Steps finished by all ranks.
        pub steps: u32, "steps";
    }
    names {
        /// Name of the job.
        job_name: Jobs[job];
    }
    sorted by "job",
        |row: &JobRow| row.job
}

table! {
    /// One egress port over the whole run.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct PortRow in Ports ports {
        /// Port, counted over the fabric.
        pub port: PortId, "id";
        /// Node it belongs to.
        pub node: NodeId, "id";
        /// Its index at that node.
        pub index: u32, "number";
        /// The link.
        pub link: LinkId, "id";
        /// The node at the other end.
        pub peer: NodeId, "id";
        /// Rate of this direction.
        pub rate: Rate, "bit/s";
        /// Packets accepted and not lost.
        pub packets: u64, "packets";
        /// Bytes sent.
        pub size: Bytes, "B";
        /// Serialization time of these bytes at the rate of the link.
        pub busy: Duration, "ps";
        /// Largest number of queued packets, without the one in transmission; absent where they were not counted.
        pub peak_packets: Option<u32>, "packets";
        /// Largest backlog: bytes accepted and not yet sent, with the rest of the packet in transmission; absent in a measured run.
        pub peak_size: KnownSize, "B";
        /// Packets dropped here.
        pub dropped: u64, "packets";
    }
    names {
        /// Name of the node it belongs to.
        node_name: Nodes[node];
        /// Name of the link.
        link_name: Links[link];
        /// Name of the node at the other end.
        peer_name: Nodes[peer];
    }
    sorted by "port",
        |row: &PortRow| row.port
}

table! {
    /// One interval of one port; intervals in which all values are zero have no row.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct SeriesRow in Series series {
        /// End of the interval; the run may end before the last one does.
        pub time: Time, "ps";
        /// Length of the interval.
        pub interval: Duration, "ps";
        /// Port, counted over the fabric.
        pub port: PortId, "id";
        /// Bytes whose transmission started in the interval.
        pub size: Bytes, "B";
        /// Bytes queued at its end.
        pub waiting: Bytes, "B";
        /// Time in the interval during which the peer had paused at least one class, or had no credits for one.
        pub paused: Duration, "ps";
        /// Packets dropped here in the interval.
        pub dropped: u64, "packets";
    }
    names {}
    sorted by "time, port",
        |row: &SeriesRow| (row.time, row.port)
}

/// Why packets were dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DropReason {
    /// The queue was full.
    QueueFull,
    /// No live next hop towards the destination.
    Unreachable,
    /// The link went down during transmission or while the packet waited.
    LinkDown,
    /// A hook of the switch pipeline dropped it.
    Hook,
    /// The buffer that the ports of the switch share had no room for it.
    BufferFull,
    /// Its ingress had been paused and had no headroom left.
    HeadroomFull,
    /// The link corrupted it.
    Corrupted,
    /// The switch went down while it held the packet, or was down when it arrived.
    SwitchDown,
}

impl DropReason {
    /// All of them, in order.
    pub const ALL: [DropReason; 8] = [
        DropReason::QueueFull,
        DropReason::Unreachable,
        DropReason::LinkDown,
        DropReason::Hook,
        DropReason::BufferFull,
        DropReason::HeadroomFull,
        DropReason::Corrupted,
        DropReason::SwitchDown,
    ];

    /// The word stored for it.
    pub const fn word(self) -> &'static str {
        match self {
            DropReason::QueueFull => "queue_full",
            DropReason::Unreachable => "unreachable",
            DropReason::LinkDown => "link_down",
            DropReason::Hook => "hook",
            DropReason::BufferFull => "buffer_full",
            DropReason::HeadroomFull => "headroom_full",
            DropReason::Corrupted => "corrupted",
            DropReason::SwitchDown => "switch_down",
        }
    }
}

table! {
    /// All drops of one reason at one port, or at one node before a port was chosen.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct DropRow in Drops drops {
        /// The node.
        pub node: NodeId, "id";
        /// The egress port; absent where none had been chosen.
        pub port: Option<PortId>, "id";
        /// The reason.
        pub reason: DropReason, "word";
        /// Number of packets.
        pub packets: u64, "packets";
        /// Their bytes; absent in a measured run.
        pub size: KnownSize, "B";
        /// Time of the first drop; in a measured run, of the sample that shows it.
        pub first: Time, "ps";
        /// Time of the last drop; in a measured run, of the sample that shows it.
        pub last: Time, "ps";
    }
    names {
        /// Name of the node.
        node_name: Nodes[node];
    }
    sorted by "node, port, reason; those without a port first",
        |row: &DropRow| (row.node, row.port, row.reason)
}

table! {
    /// One change of state of one link.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct FaultRow in Faults faults {
        /// Time.
        pub time: Time, "ps";
        /// The link.
        pub link: LinkId, "id";
        /// Whether the link is up from then on.
        pub up: bool, "flag";
    }
    names {
        /// Name of the link.
        link_name: Links[link];
    }
    sorted by "time, link",
        |row: &FaultRow| (row.time, row.link)
}

table! {
    /// Retransmissions of a message on a queue pair and their causes, until none of its packets is in flight.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct RepairRow in Repairs repairs {
        /// When the message's last byte arrived; absent if it never did.
        pub end: Option<Time>, "ps";
        /// Sender.
        pub source: HostId, "id";
        /// Receiver.
        pub destination: HostId, "id";
        /// Number among the sender's messages, from 0.
        pub number: u32, "number";
        /// Job; 65535 for background traffic, 65534 for staged flows, 65533 for finite flows.
        pub job: u16, "id";
        /// Data packets that arrived, each counted once.
        pub packets: u32, "packets";
        /// Retransmitted packets that arrived.
        pub retransmitted: u32, "packets";
        /// Packets that arrived and had been received before: spurious retransmissions.
        pub duplicates: u32, "packets";
        /// NACKs that the receiver sent.
        pub nacks: u32, "packets";
        /// NACKs that the switch next to the receiver suppressed.
        pub nacks_suppressed: u32, "packets";
        /// NACKs that this switch generated on behalf of the receiver.
        pub nacks_generated: u32, "packets";
        /// Marked packets that arrived.
        pub marked: u32, "packets";
        /// CNPs that the receiver sent.
        pub cnps: u32, "packets";
        /// Congestion notifications that the sender's congestion control handled: CNPs, NACKs and marks echoed by ACKs.
        pub notifications: u32, "packets";
        /// Retransmission timeouts of its queue pair while it was the first message there that was not fully acknowledged.
        pub timeouts: u32, "number";
        /// Largest reordering distance: number of packets by which a packet arrived before its turn.
        pub distance: u32, "packets";
    }
    names {}
    sorted by "end, destination, source, number; unfinished ones last",
        |row: &RepairRow| row.order()
}

/// The sort key of table `repairs`.
pub type RepairOrder = (Time, HostId, HostId, u32);

impl RepairRow {
    /// Its sort key.
    pub fn order(&self) -> RepairOrder {
        (self.end.unwrap_or(Time::NEVER), self.destination, self.source, self.number)
    }
}

table! {
    /// Congestion signals of an egress port: marks, pauses and filtered NACKs; ports without any have no row.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct SignalRow in Signals signals {
        /// Port, counted over the fabric.
        pub port: PortId, "id";
        /// Node it belongs to.
        pub node: NodeId, "id";
        /// The link.
        pub link: LinkId, "id";
        /// The node at the other end.
        pub peer: NodeId, "id";
        /// Data packets marked here.
        pub marked: u64, "packets";
        /// Pause frames sent here that pause a class; each is followed by one that resumes it.
        pub pauses: u64, "packets";
        /// Time during which the peer had paused at least one class, or had no credits for one.
        pub paused: Duration, "ps";
        /// NACKs of the host at the other end that the switch's filter forwarded.
        pub nacks_forwarded: u64, "packets";
        /// NACKs of that host that the filter suppressed.
        pub nacks_suppressed: u64, "packets";
        /// NACKs that the filter generated on behalf of that host.
        pub nacks_generated: u64, "packets";
    }
    names {
        /// Name of the node.
        node_name: Nodes[node];
        /// Name of the link.
        link_name: Links[link];
        /// Name of the node at the other end.
        peer_name: Nodes[peer];
    }
    sorted by "port",
        |row: &SignalRow| row.port
}

table! {
    /// What a recorded flow sent in an interval, and its allowed rate; intervals in which all values are zero have no row.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct RateRow in Rates rates {
        /// End of the interval; the run may end before the last one does.
        pub time: Time, "ps";
        /// Length of the interval.
        pub interval: Duration, "ps";
        /// Sender.
        pub source: HostId, "id";
        /// Receiver.
        pub destination: HostId, "id";
        /// Index of the message among the sender's if a single message is recorded; absent for all messages to this receiver.
        pub number: Option<u32>, "number";
        /// Data packets that the sender put on the wire.
        pub packets: u64, "packets";
        /// Retransmissions among them.
        pub retransmitted: u64, "packets";
        /// Packets that arrived and had been received before (spurious retransmissions), counted on arrival.
        pub duplicates: u64, "packets";
        /// NACKs that the receiver sent.
        pub nacks: u64, "packets";
        /// Marked packets that arrived.
        pub marked: u64, "packets";
        /// Congestion notifications that congestion control handled: CNPs, echoed marks, and NACKs where these count as such.
        pub notifications: u64, "packets";
        /// Payload that arrived for the first time (goodput).
        pub size: Bytes, "B";
        /// Queue pairs of the flow with unacknowledged packets at the end of the interval.
        pub queue_pairs: u32, "number";
        /// Rate that congestion control allows these queue pairs at the end of the interval, summed; absent without any.
        pub rate: Option<Rate>, "bit/s";
    }
    names {}
    sorted by "time, source, destination, number",
        |row: &RateRow| row.order()
}

impl RateRow {
    /// Its sort key.
    pub fn order(&self) -> (Time, HostId, HostId, Option<u32>) {
        (self.time, self.source, self.destination, self.number)
    }
}

table! {
    /// Goodput of a staged flow in the measured part of a stage; flows that do not send in that part have no row.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct StageRow in Stages stages {
        /// Stage, from 0.
        pub stage: u32, "number";
        /// Start of the stage.
        pub start: Time, "ps";
        /// Start of the measured part: the end of the stage's warm-up.
        pub measured_from: Time, "ps";
        /// End of the stage.
        pub end: Time, "ps";
        /// Flow, from 0.
        pub flow: u16, "id";
        /// Sender.
        pub source: HostId, "id";
        /// Receiver.
        pub destination: HostId, "id";
        /// Payload that arrived for the first time in the measured part.
        pub size: Bytes, "B";
        /// The same, divided by the length of that part.
        pub throughput: f64, "bit/s";
    }
    names {
        /// Name of the flow.
        flow_name: Flows[flow];
    }
    sorted by "stage, flow",
        |row: &StageRow| (row.stage, row.flow)
}

/// The kind of a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PacketKind {
    /// Part of a message.
    Data,
    /// Reports received packets.
    Acknowledgement,
    /// Reports missing packets.
    Nack,
    /// Reports that a packet was marked.
    Cnp,
    /// Pauses or resumes a class of a link.
    Frame,
}

impl PacketKind {
    /// All of them, in order.
    pub const ALL: [PacketKind; 5] =
        [PacketKind::Data, PacketKind::Acknowledgement, PacketKind::Nack, PacketKind::Cnp, PacketKind::Frame];

    /// The word stored for it.
    pub const fn word(self) -> &'static str {
        match self {
            PacketKind::Data => "data",
            PacketKind::Acknowledgement => "ack",
            PacketKind::Nack => "nack",
            PacketKind::Cnp => "cnp",
            PacketKind::Frame => "frame",
        }
    }
}

/// The result of a packet's hop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fate {
    /// It reached the next switch.
    Forwarded,
    /// It reached its destination host.
    Delivered,
    /// It was dropped.
    Dropped,
    /// The run ended while it waited or was in flight.
    Unfinished,
}

impl Fate {
    /// All of them, in order.
    pub const ALL: [Fate; 4] = [Fate::Forwarded, Fate::Delivered, Fate::Dropped, Fate::Unfinished];

    /// The word stored for it.
    pub const fn word(self) -> &'static str {
        match self {
            Fate::Forwarded => "forwarded",
            Fate::Delivered => "delivered",
            Fate::Dropped => "dropped",
            Fate::Unfinished => "unfinished",
        }
    }
}

table! {
    /// One hop of one recorded packet: a node at which it arrived, and the link by which it left.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct PacketRow in Packets packets {
        /// When its last bit had arrived at the node; at its sender, when it was handed to the NIC.
        pub arrival: Time, "ps";
        /// When its first bit went onto the wire; absent if it never did.
        pub start: Option<Time>, "ps";
        /// When its last bit had left; absent if it never did.
        pub sent: Option<Time>, "ps";
        /// When its last bit arrived at the other end of the link, or when it was dropped; absent where the run ended before.
        pub end: Option<Time>, "ps";
        /// Sender of the message: the destination of its ACKs.
        pub source: HostId, "id";
        /// Receiver of the message: the source of its ACKs.
        pub destination: HostId, "id";
        /// Number of the message among its sender's, from 0.
        pub number: u32, "number";
        /// Index of the packet in its message, from 0; on queue pairs its PSN; of an ACK that of the packet it acknowledges.
        pub packet: u32, "number";
        /// Kind: `data` or `ack`.
        pub kind: PacketKind, "word";
        /// Number of links it had crossed before.
        pub hop: u16, "links";
        /// The node.
        pub node: NodeId, "id";
        /// Its egress port; absent where none had been chosen.
        pub port: Option<PortId>, "id";
        /// Traffic class in which it was queued there.
        pub class: u16, "number";
        /// Size on the wire.
        pub size: Bytes, "B";
        /// Packets queued at the port on its arrival, without the one in transmission; absent where no port had been chosen.
        pub queue_packets: Option<u32>, "packets";
        /// Backlog of the port on its arrival in bytes, with the rest of the packet in transmission; absent where no port had been chosen.
        pub queue_size: Option<Bytes>, "B";
        /// Its fate at this hop: `forwarded`, `delivered`, `dropped` or `unfinished`.
        pub fate: Fate, "word";
        /// Reason for which it was dropped; absent if it was not.
        pub reason: Option<DropReason>, "word";
    }
    names {
        /// Name of the node.
        node_name: Nodes[node];
    }
    sorted by "end, node, port, source, destination, number, packet, kind, arrival; unfinished ones last",
        |row: &PacketRow| row.order()
}

/// The sort key of table `packets`.
pub type PacketOrder =
    (bool, Option<Time>, NodeId, Option<PortId>, HostId, HostId, u32, u32, PacketKind, Time);

impl PacketRow {
    /// Its sort key.
    pub fn order(&self) -> PacketOrder {
        (
            self.end.is_none(),
            self.end,
            self.node,
            self.port,
            self.source,
            self.destination,
            self.number,
            self.packet,
            self.kind,
            self.arrival,
        )
    }
}

table! {
    /// One link on the paths of one of the slowest messages, summed over its data packets.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct PathRow in Paths paths {
        /// Rank of the message among those that arrived, slowest first, from 0.
        pub rank: u32, "number";
        /// Sender.
        pub source: HostId, "id";
        /// Receiver.
        pub destination: HostId, "id";
        /// Number of the message among its sender's, from 0.
        pub number: u32, "number";
        /// Smallest number of links that one of its packets had crossed before this one.
        pub hop: u16, "links";
        /// Egress port that sends onto the link.
        pub port: PortId, "id";
        /// Node the port belongs to.
        pub node: NodeId, "id";
        /// The link.
        pub link: LinkId, "id";
        /// The node at the other end.
        pub peer: NodeId, "id";
        /// Packets of the message that crossed the link in this direction.
        pub packets: u32, "packets";
        /// Their bytes.
        pub size: Bytes, "B";
        /// Queueing delay at the port, summed over these packets.
        pub waited: Duration, "ps";
        /// Longest queueing delay of one of these packets.
        pub longest_wait: Duration, "ps";
        /// Serialization delay, summed over these packets: of each from its first to its last bit.
        pub serialization: Duration, "ps";
        /// Propagation delay, summed over these packets.
        pub propagation: Duration, "ps";
    }
    names {
        /// Name of the node the port belongs to.
        node_name: Nodes[node];
        /// Name of the link.
        link_name: Links[link];
        /// Name of the node at the other end.
        peer_name: Nodes[peer];
    }
    sorted by "rank, hop, port",
        |row: &PathRow| (row.rank, row.hop, row.port)
}
