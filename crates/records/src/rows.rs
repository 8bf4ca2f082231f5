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
mod cells;
mod classes;
mod congestion;
mod events;
mod measures;
mod reordering;
mod rings;
mod spans;

pub use arbitration::{ArbitrationRow, SpuriousTimeoutRow};
pub use cells::{CellOrder, CellRow};
pub use classes::{ClassRow, TrafficRow};
pub use congestion::{CongestedFlowRow, CongestionRow, Part, Role};
pub use events::{EventRow, Happening, Target};
pub use measures::{MeasureRow, TallyRow};
pub use reordering::ReorderingRow;
pub use rings::RingRow;
pub use spans::{Activity, SpanRow};

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
        /// Job; 65535 for background traffic, 65534 for staged flows.
        pub job: u16, "id";
        /// Step of the job; the number of the staged flow.
        pub step: u32, "number";
        /// Phase of the step.
        pub phase: u16, "number";
        /// Bucket of the phase.
        pub bucket: u16, "number";
        /// Payload of the message.
        pub size: Bytes, "B";
        /// Data packets that arrived.
        pub packets: u32, "packets";
        /// Links crossed by these packets, summed.
        pub hops: u64, "links";
        /// Time from start to end that it would have taken alone on the idle fabric; absent for messages of jobs.
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
        /// Its place at that node.
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
        /// Time these bytes take on the wire.
        pub busy: Duration, "ps";
        /// Most packets ever waiting, the one on the wire not included; absent where they were not counted.
        pub peak_packets: Option<u32>, "packets";
        /// Most bytes ever accepted and not yet sent, the rest of the packet on the wire included; absent of a measured run.
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
    /// One interval of one port; intervals with nothing of all this have no row.
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
        /// Bytes waiting at its end.
        pub waiting: Bytes, "B";
        /// Time in the interval for which the other end kept a class from being sent here.
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
    /// All drops of one reason at one place.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct DropRow in Drops drops {
        /// Where.
        pub node: NodeId, "id";
        /// Which egress port; absent where no port had been chosen.
        pub port: Option<PortId>, "id";
        /// Why.
        pub reason: DropReason, "word";
        /// How many packets.
        pub packets: u64, "packets";
        /// Their bytes; absent of a measured run.
        pub size: KnownSize, "B";
        /// The first one; in a measured run the sample that shows it.
        pub first: Time, "ps";
        /// The last one; in a measured run the sample that shows it.
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
    /// One change of one link.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct FaultRow in Faults faults {
        /// When.
        pub time: Time, "ps";
        /// Which link.
        pub link: LinkId, "id";
        /// Whether it carries packets from then on.
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
    /// What was sent again of a message on a queue pair, and why, until nothing of it was under way any more.
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
        /// Job; 65535 for background traffic, 65534 for staged flows.
        pub job: u16, "id";
        /// Data packets that arrived, each counted once.
        pub packets: u32, "packets";
        /// Packets that came and had been sent before.
        pub again: u32, "packets";
        /// Packets that came and had been taken before: sent again for nothing.
        pub duplicates: u32, "packets";
        /// NACKs the receiver sent.
        pub nacks: u32, "packets";
        /// NACKs that the switch above the receiver kept back.
        pub nacks_blocked: u32, "packets";
        /// NACKs that this switch made in the receiver's name.
        pub nacks_made: u32, "packets";
        /// Marked packets that came.
        pub marked: u32, "packets";
        /// CNPs the receiver sent.
        pub cnps: u32, "packets";
        /// CNPs, NACKs and marks told by ACKs that slowed the sender down.
        pub notified: u32, "packets";
        /// Retransmission timeouts of its queue pair while it was the first message there that was not wholly acknowledged.
        pub timeouts: u32, "number";
        /// Most packets by which one came before its turn.
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
    /// What an egress port told of congestion, or was told; ports without any of it have no row.
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
        /// Pause frames sent here that stop a class; each is followed by one that lets it go on.
        pub pauses: u64, "packets";
        /// Time for which the other end kept a class from being sent here.
        pub paused: Duration, "ps";
        /// NACKs of the host at the other end that the switch's filter let pass.
        pub nacks_forwarded: u64, "packets";
        /// NACKs of that host that the filter kept back.
        pub nacks_blocked: u64, "packets";
        /// NACKs that the filter made in the name of that host.
        pub nacks_made: u64, "packets";
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
    /// What a chosen flow sent in an interval, and how fast it might; intervals with nothing of it have no row.
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
        /// Number of the message among the sender's, where a single one was chosen; absent for all to this receiver.
        pub number: Option<u32>, "number";
        /// Data packets put on the wire.
        pub packets: u64, "packets";
        /// Of these, packets that had been sent before.
        pub again: u64, "packets";
        /// Packets that came and had been taken before: sent again for nothing, counted when they come.
        pub duplicates: u64, "packets";
        /// NACKs the receiver sent.
        pub nacks: u64, "packets";
        /// Marked packets that came.
        pub marked: u64, "packets";
        /// Notifications that congestion control took: CNPs, echoed marks, and NACKs where these count as such.
        pub notified: u64, "packets";
        /// Payload that came for the first time.
        pub size: Bytes, "B";
        /// Queue pairs of the flow with something unacknowledged at the end.
        pub queue_pairs: u32, "number";
        /// Rate that congestion control allows these at the end, summed; absent without any.
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
    /// What arrived of a staged flow in the judged part of a stage; flows that are not to send in that part have no row.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct StageRow in Stages stages {
        /// Stage, from 0.
        pub stage: u32, "number";
        /// Start of the stage.
        pub start: Time, "ps";
        /// Start of the part that is judged: what was left out before it is for settling.
        pub judged: Time, "ps";
        /// End of the stage.
        pub end: Time, "ps";
        /// Flow, from 0.
        pub flow: u16, "id";
        /// Sender.
        pub source: HostId, "id";
        /// Receiver.
        pub destination: HostId, "id";
        /// Payload that came for the first time in the judged part.
        pub size: Bytes, "B";
        /// The same over the length of that part.
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
    /// One hop of one recorded packet: a node it came to, and the link it left by.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct PacketRow in Packets packets {
        /// When its last bit had come to the node; at its sender, when it was handed to the NIC.
        pub arrival: Time, "ps";
        /// When its first bit went onto the wire; absent if it never did.
        pub start: Option<Time>, "ps";
        /// When its last bit had left; absent if it never did.
        pub sent: Option<Time>, "ps";
        /// When its last bit came to the other end of the link, or when it was dropped; absent where the run ended before.
        pub end: Option<Time>, "ps";
        /// Sender of the message; an ACK goes to it.
        pub source: HostId, "id";
        /// Receiver of the message; an ACK comes from it.
        pub destination: HostId, "id";
        /// Number of the message among its sender's, from 0.
        pub number: u32, "number";
        /// Number of the packet in its message, from 0, on queue pairs its PSN; an ACK has that of the packet it answers.
        pub packet: u32, "number";
        /// What it is: `data` or `ack`.
        pub kind: PacketKind, "word";
        /// Links it had crossed before.
        pub hop: u16, "links";
        /// The node.
        pub node: NodeId, "id";
        /// Egress port by which it left or was to leave; absent where none had been chosen.
        pub port: Option<PortId>, "id";
        /// Traffic class in which it was queued there.
        pub class: u16, "number";
        /// Size on the wire.
        pub size: Bytes, "B";
        /// Packets it found waiting at the port, the one on the wire not included; absent where no port had been chosen.
        pub queue_packets: Option<u32>, "packets";
        /// Bytes it found accepted and not yet sent, the rest of the packet on the wire included; absent as before.
        pub queue_size: Option<Bytes>, "B";
        /// What became of it at this hop: `forwarded`, `delivered`, `dropped` or `unfinished`.
        pub fate: Fate, "word";
        /// Why it was dropped; absent unless it was.
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
    /// One link on the way of one of the slowest messages, for its data packets together.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct PathRow in Paths paths {
        /// Place of the message among those that arrived, slowest first, from 0.
        pub rank: u32, "number";
        /// Sender.
        pub source: HostId, "id";
        /// Receiver.
        pub destination: HostId, "id";
        /// Number of the message among its sender's, from 0.
        pub number: u32, "number";
        /// Fewest links that any of its packets had crossed before this one.
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
        /// Time they waited at the port, summed over them.
        pub waited: Duration, "ps";
        /// The longest that one of them waited.
        pub longest_wait: Duration, "ps";
        /// Time they took on the wire, summed: of each from its first to its last bit.
        pub serialization: Duration, "ps";
        /// Time the last bits took over the link, summed.
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
