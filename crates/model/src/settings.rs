//! The choices of a run: balancing, transport, queues, classes, recording.

use std::sync::Arc;

use netloom_policy::balance::{Chosen, deterministic};
use netloom_policy::edge::{self, path_map::PathMap};
use netloom_units::{Bytes, Duration, HostId, LinkId, Rate};

use crate::classes::DataClasses;
use crate::credits::Credits;
use crate::rdma::{Adapting, Buffer, Marking, Rdma, RootMarking};
use crate::static_routes;
use crate::work::Message;

/// The balancing policy at each kind of node.
#[derive(Debug, Clone)]
pub struct Balances {
    /// At hosts: the choice of NIC port.
    pub host: Chosen,
    /// At switches: the choice of egress.
    pub switch: Chosen,
    /// At switches, of ACKs, NACKs and CNPs; `None` treats them as data.
    pub control: Option<Chosen>,
    /// The state of queue pairs kept by the switches that hosts are attached to; `None` for none.
    pub edge: Option<edge::Chosen>,
    /// How they identify paths over several tiers; `None` if every switch chooses by itself.
    pub path_map: Option<Arc<PathMap>>,
    /// Static table entries, for switches with tables.
    pub static_routes: Vec<static_routes::Entry>,
}

impl Balances {
    /// Whether ACKs, NACKs and CNPs follow the tables of switches as well, and so the static entries.
    pub fn controls_by_table(&self) -> bool {
        self.control.as_ref().is_none_or(|control| control.is(deterministic::SPEC.name))
    }
}

/// How hosts send messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transport {
    /// Largest data packet on the wire.
    pub packet: Bytes,
    /// Input of the flow hash of a message.
    pub flow_hash_input: FlowHashInput,
    /// When packets leave, and how they are acknowledged.
    pub kind: TransportKind,
}

/// Input of the flow hash of a message, besides source and destination.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FlowHashInput {
    /// Each message has its own: a fresh source port per message.
    #[default]
    Message,
    /// Nothing else: one queue pair per pair of hosts.
    Pair,
    /// The instant it starts (Zeltser 2026): messages of a pair that start together share one path.
    Start,
}

/// When packets leave, and how they are acknowledged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TransportKind {
    /// The whole message is queued at once, or paced; no acknowledgements (Zeltser 2026).
    OpenLoop {
        /// Rate of each flow; `None` queues the message at once.
        rate: Option<Rate>,
    },
    /// A fixed window of packets in flight per message, an ACK per packet, out-of-order receiver.
    Window {
        /// Packets in flight per message.
        packets: u32,
        /// Size of an ACK on the wire.
        acknowledgement: Bytes,
    },
    /// Queue pairs that acknowledge, retransmit and control congestion.
    Rdma(Rdma),
}

impl Transport {
    /// Bytes of each data packet that carry no payload.
    #[inline]
    pub fn header(&self) -> Bytes {
        self.rdma().map_or(Bytes(0), |rdma| rdma.header)
    }

    /// Number of packets that a message is cut into, and the size of the last one on the wire.
    #[inline]
    pub fn cut(&self, size: Bytes) -> (u64, Bytes) {
        let payload = self.packet.0 - self.header().0;
        let n_packets = size.0.div_ceil(payload);
        (n_packets, Bytes(size.0 - (n_packets - 1) * payload + self.header().0))
    }

    /// The queue pairs, if messages travel on queue pairs.
    #[inline]
    pub fn rdma(&self) -> Option<&Rdma> {
        match &self.kind {
            TransportKind::Rdma(rdma) => Some(rdma),
            _ => None,
        }
    }
}

/// Queues at egress ports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Queues {
    /// Largest number of bytes in a switch port, accepted and not yet sent, all classes together; `None` is unlimited.
    pub switch_limit: Option<Bytes>,
    /// Largest number of bytes in a host port; `None` is unlimited.
    pub host_limit: Option<Bytes>,
    /// The shared buffer of a switch, used instead; `None` gives each port a queue of its own.
    pub buffer: Option<Buffer>,
    /// Marking at switches, for classes without marking of their own.
    pub marking: Option<Marking>,
    /// Thresholds of that marking that adapt to the traffic.
    pub adapting: Option<Adapting>,
    /// Classes of data that ports distinguish.
    pub classes: DataClasses,
    /// Input buffers and credits, in place of all the above.
    pub credits: Option<Credits>,
    /// With credits, marking at the root of congestion.
    pub root_marking: Option<RootMarking>,
}

/// Traffic class of each kind of packet, 0 to 7; a higher class is always served first, unless it is weighted
/// ([`crate::Schedule`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PriorityMap {
    /// Class of data packets of messages without a class.
    pub data: u8,
    /// Class of ACKs.
    pub control: u8,
}

/// What to record beyond the defaults.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Recording {
    /// The sampled series of every port; `None` for no series.
    pub series: Option<Sampling>,
    /// Number of steps of each job that are recorded rank by rank: the first one, and the slowest of the others.
    pub timeline: u32,
    /// Whether every port counts waiting packets, for the column `peak_packets`.
    pub queue_packets: bool,
    /// Flows from these hosts are recorded packet by packet.
    pub packets_from: Vec<HostId>,
    /// These flows are recorded packet by packet.
    pub packets_of: Vec<NamedFlow>,
    /// Both directions of these links are recorded packet by packet.
    pub packets_on: Vec<LinkId>,
    /// Number of messages, the slowest to arrive, whose paths are recorded. The engine cannot know them before the end:
    /// the caller names them in `packets_of` of a second run.
    pub slowest_flows: u32,
    /// Whether messages of jobs that have arrived are summed by sender rather than recorded individually.
    pub sums_messages: bool,
    /// Whether the arrival order of packets is recorded, in the table `reordering`.
    pub reordering: bool,
    /// Of which messages it is recorded what their completion times consist of, in the table `causes`.
    pub causes: RecordedCauses,
    /// First interval of the table `rates`; doubles when it has had 1,000 intervals. `None` for no such table.
    pub rates: Option<Duration>,
    /// Flows from these hosts have rows in that table, a row for each receiver.
    pub rates_from: Vec<HostId>,
    /// These flows have rows in that table.
    pub rates_of: Vec<NamedFlow>,
    /// The congestion tree, with credits; `None` does not record it.
    pub congestion: Option<CongestionTree>,
}

/// Of which messages the causes of completion times are recorded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RecordedCauses {
    /// Of none.
    #[default]
    None,
    /// Of those of jobs, to explain steps; the caller may keep a part of the rows.
    Steps,
    /// Of all.
    All,
}

impl RecordedCauses {
    /// Whether those of messages of a job, or of other traffic, are recorded.
    #[inline]
    pub fn include(self, job: u16) -> bool {
        match self {
            RecordedCauses::None => false,
            RecordedCauses::Steps => job < Message::FIRST_OF_OTHERS,
            RecordedCauses::All => true,
        }
    }
}

/// How ports are sampled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sampling {
    /// Initial interval between samples; doubles when the largest number of samples is reached.
    pub interval: Duration,
    /// Largest number of samples kept of each port.
    pub most_samples: u32,
    /// Largest number of samples kept of all ports together.
    pub most_cells: u32,
    /// At the end intervals are merged until there is at most one row per this number of packets that crossed a link,
    /// or there are [`Sampling::FEW_ROWS`]; `None` does not merge them.
    pub hops_per_row: Option<u32>,
}

impl Sampling {
    /// With a chosen interval: 1,000 samples of each port, or fewer, so that those of all ports take at most 256 MB.
    pub fn every(interval: Duration) -> Sampling {
        Sampling { interval, most_samples: 1_000, most_cells: 8 << 20, hops_per_row: None }
    }

    /// Without a chosen interval: an overview of the run at little cost. `None` if it would be too coarse.
    pub fn automatic(n_ports: usize) -> Option<Sampling> {
        let sampling = Sampling {
            interval: Duration::from_micros(1),
            most_samples: Sampling::AUTOMATIC_SAMPLES,
            most_cells: Sampling::AUTOMATIC_CELLS,
            hops_per_row: Some(Sampling::HOPS_PER_ROW),
        };
        (sampling.kept(n_ports) >= Sampling::FEWEST_AUTOMATIC as usize).then_some(sampling)
    }

    /// Samples kept of each port without a chosen interval.
    pub const AUTOMATIC_SAMPLES: u32 = 200;
    /// Samples kept of all ports together in that case.
    pub const AUTOMATIC_CELLS: u32 = 131_072;
    /// Packets that cross a link for each row in that case: a row costs about as much as ten of them.
    pub const HOPS_PER_ROW: u32 = 64;
    /// Number of rows that is always acceptable, however few packets there are.
    pub const FEW_ROWS: u64 = 8_192;
    /// Smallest useful number of samples of each port.
    pub const FEWEST_AUTOMATIC: u32 = 32;

    /// Number of samples kept of each of `n_ports` ports: even, so that merging keeps whole pairs.
    pub fn kept(&self, n_ports: usize) -> usize {
        (self.most_cells as usize / n_ports.max(1)).clamp(2, self.most_samples as usize) & !1
    }
}

/// Recording of the congestion tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CongestionTree {
    /// Interval between evaluations; `None` evaluates the measured part of each stage of staged flows.
    pub interval: Option<Duration>,
    /// A port of a switch is congested if at least this number of bytes waited there on average.
    pub threshold: Bytes,
    /// It is blocked by its downstream neighbour if it starved of credits for at least this share of the time, in
    /// 2^-32.
    pub starved: u64,
}

/// One message, or all of a pair of hosts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct NamedFlow {
    /// Sender.
    pub source: HostId,
    /// Receiver.
    pub destination: HostId,
    /// Number among the sender's messages, from 0; `None` means every message to this receiver.
    pub number: Option<u32>,
}

impl Recording {
    /// Whether packets of some flow are recorded on their whole path.
    pub fn follows_flows(&self) -> bool {
        !self.packets_from.is_empty() || !self.packets_of.is_empty()
    }
}
