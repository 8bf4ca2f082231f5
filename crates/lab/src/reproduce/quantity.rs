//! The quantities of a run, and the names under which they are published.

use serde::{Deserialize, Serialize};

/// A figure of a run, or of one part of it: a job, collectives of a size, a stage, a flow of a stage, a port, ports of
/// a kind, messages or links beyond a multiple.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Quantity {
    /// Mean step time of a job.
    StepMean,
    /// 95th percentile of the step times of a job.
    StepP95,
    /// 99th percentile of the step times of a job.
    StepP99,
    /// Mean step time of a measured job, warm-up excluded.
    MeasuredMean,
    /// Coefficient of variation of these steps: standard deviation over mean.
    StepVariation,
    /// From a job's start to its finish.
    JobTime,
    /// The end of the simulation.
    SimulatorEnd,
    /// Data packets.
    Packets,
    /// Number of links that are failed from the start.
    FailedLinks,
    /// Background messages that had arrived when the one after the last was due.
    MiceMessages,
    /// Mean completion time of these.
    MiceMean,
    /// 95th percentile of the completion times of these.
    MiceP95,
    /// 99th percentile of the completion times of these.
    MiceP99,
    /// The longest queue of any port, hosts included.
    QueuePeak,
    /// Mean over all nodes, hosts included, of the longest queue of any of a node's ports.
    QueueNodeMean,
    /// The same over hosts only.
    QueueHostMean,
    /// The same over switches only.
    QueueSwitchMean,
    /// The longest time of any collective: that of the slowest group where groups communicate concurrently.
    SlowestCollective,
    /// The largest excess of a collective's time over that of its bytes at the line rate of the slowest NIC.
    CollectiveOverBound,
    /// Mean time of a collective of one size, as benchmarks count it. The part is `JOB/COLLECTIVE/BYTES`.
    CollectiveLatency,
    /// Bus bandwidth of collectives of one size, as nccl-tests count both, in GB/s. The part is
    /// `JOB/COLLECTIVE/vector/BYTES`.
    CollectiveBusbw,
    /// Mean completion time of the messages of jobs over the ideal, in which the busiest NIC transmits all of its
    /// messages.
    FlowMean,
    /// The shortest of these times over the ideal.
    FlowShortest,
    /// The longest of these times over the ideal.
    FlowLongest,
    /// Share of these messages that take longer than a multiple of the ideal. The part is `MULTIPLE`.
    FlowsBeyond,
    /// Share of a switch's links to other switches that carry more bytes than a multiple of their mean. The part is
    /// `NODE/MULTIPLE`.
    LinksBeyond,
    /// 1 where none of them does, else 0.
    LinksClear,
    /// Spurious retransmissions, as a share of all packets that arrived on queue pairs.
    Spurious,
    /// Rate at which messages are sent, retransmissions included, as a share of the line rate: mean over the time of
    /// all messages.
    SendingRate,
    /// Goodput as a share of the line rate: payload of messages over their time.
    Goodput,
    /// Retransmitted packets that arrived.
    PacketsRetransmitted,
    /// Those of them that the receiver had already: duplicates.
    Duplicates,
    /// NACKs that receivers sent.
    Nacks,
    /// NACKs that filters at switches forwarded.
    NacksForwarded,
    /// NACKs that they suppressed.
    NacksSuppressed,
    /// NACKs that they generated.
    NacksGenerated,
    /// Marked packets that arrived.
    Marked,
    /// Pause frames that stop a class.
    Pauses,
    /// Packets that were lost.
    Dropped,
    /// Throughput of a flow in a stage: payload delivered for the first time. The part is `stage0/FLOW`.
    FlowThroughput,
    /// Sum of the throughputs of a stage. The part is `stage0`.
    StageSum,
    /// Jain's index of the throughputs of a stage.
    StageJain,
    /// Variance of the throughputs of a stage.
    StageVariance,
    /// Mean of these variances over all stages.
    VarianceMean,
    /// Bytes that a port sent. The part is `NODE/LINK`.
    PortBytes,
    /// Most ingress ports among which any egress port of a tier and direction arbitrates. The part is `tier1/up`.
    ArbitratedMost,
    /// Fewest such ingress ports.
    ArbitratedLeast,
    /// Most of them that receive from a higher tier.
    ArbitratedUplinks,
    /// Most of them that receive from a lower tier.
    ArbitratedDownlinks,
    /// Share of the time with congestion anywhere in which a port was a root. The part is `NODE/LINK`.
    RootShare,
    /// Share of it in which a port was a branch. The part is `NODE/LINK`.
    BranchShare,
    /// Share of it in which flows between two hosts were victims. The part is `SOURCE->DESTINATION`.
    VictimShare,
    /// Ports that were a root for at least half of that time.
    Roots,
}

impl Quantity {
    /// All of them.
    pub const ALL: [Quantity; 53] = [
        Quantity::StepMean,
        Quantity::StepP95,
        Quantity::StepP99,
        Quantity::MeasuredMean,
        Quantity::StepVariation,
        Quantity::JobTime,
        Quantity::SimulatorEnd,
        Quantity::Packets,
        Quantity::FailedLinks,
        Quantity::MiceMessages,
        Quantity::MiceMean,
        Quantity::MiceP95,
        Quantity::MiceP99,
        Quantity::QueuePeak,
        Quantity::QueueNodeMean,
        Quantity::QueueHostMean,
        Quantity::QueueSwitchMean,
        Quantity::SlowestCollective,
        Quantity::CollectiveOverBound,
        Quantity::CollectiveLatency,
        Quantity::CollectiveBusbw,
        Quantity::FlowMean,
        Quantity::FlowShortest,
        Quantity::FlowLongest,
        Quantity::FlowsBeyond,
        Quantity::LinksBeyond,
        Quantity::LinksClear,
        Quantity::Spurious,
        Quantity::SendingRate,
        Quantity::Goodput,
        Quantity::PacketsRetransmitted,
        Quantity::Duplicates,
        Quantity::Nacks,
        Quantity::NacksForwarded,
        Quantity::NacksSuppressed,
        Quantity::NacksGenerated,
        Quantity::Marked,
        Quantity::Pauses,
        Quantity::Dropped,
        Quantity::FlowThroughput,
        Quantity::StageSum,
        Quantity::StageJain,
        Quantity::StageVariance,
        Quantity::VarianceMean,
        Quantity::PortBytes,
        Quantity::ArbitratedMost,
        Quantity::ArbitratedLeast,
        Quantity::ArbitratedUplinks,
        Quantity::ArbitratedDownlinks,
        Quantity::RootShare,
        Quantity::BranchShare,
        Quantity::VictimShare,
        Quantity::Roots,
    ];

    /// Name and unit, as the heading of a column.
    pub fn column(self) -> &'static str {
        match self {
            Quantity::StepMean => "step_mean_ms",
            Quantity::StepP95 => "step_p95_ms",
            Quantity::StepP99 => "step_p99_ms",
            Quantity::MeasuredMean => "measured_mean_us",
            Quantity::StepVariation => "step_variation_share",
            Quantity::JobTime => "job_time_s",
            Quantity::SimulatorEnd => "simulator_end_s",
            Quantity::Packets => "packets",
            Quantity::FailedLinks => "failed_links",
            Quantity::MiceMessages => "mice_messages",
            Quantity::MiceMean => "mice_mean_ms",
            Quantity::MiceP95 => "mice_p95_ms",
            Quantity::MiceP99 => "mice_p99_ms",
            Quantity::QueuePeak => "queue_peak_packets",
            Quantity::QueueNodeMean => "queue_node_mean_packets",
            Quantity::QueueHostMean => "queue_host_mean_packets",
            Quantity::QueueSwitchMean => "queue_switch_mean_packets",
            Quantity::SlowestCollective => "slowest_collective_ms",
            Quantity::CollectiveOverBound => "collective_over_bound",
            Quantity::CollectiveLatency => "collective_latency_us",
            Quantity::CollectiveBusbw => "collective_busbw_gbytes",
            Quantity::FlowMean => "flow_mean_over_ideal",
            Quantity::FlowShortest => "flow_shortest_over_ideal",
            Quantity::FlowLongest => "flow_longest_over_ideal",
            Quantity::FlowsBeyond => "flows_beyond_share",
            Quantity::LinksBeyond => "links_beyond_share",
            Quantity::LinksClear => "links_clear_share",
            Quantity::Spurious => "spurious_share",
            Quantity::SendingRate => "sending_rate_share",
            Quantity::Goodput => "goodput_share",
            Quantity::PacketsRetransmitted => "packets_retransmitted",
            Quantity::Duplicates => "duplicates",
            Quantity::Nacks => "nacks",
            Quantity::NacksForwarded => "nacks_forwarded",
            Quantity::NacksSuppressed => "nacks_suppressed",
            Quantity::NacksGenerated => "nacks_generated",
            Quantity::Marked => "marked_packets",
            Quantity::Pauses => "pauses",
            Quantity::Dropped => "dropped_packets",
            Quantity::FlowThroughput => "flow_throughput_gbps",
            Quantity::StageSum => "stage_sum_gbps",
            Quantity::StageJain => "stage_jain",
            Quantity::StageVariance => "stage_variance_gbps2",
            Quantity::VarianceMean => "variance_mean_gbps2",
            Quantity::PortBytes => "port_bytes",
            Quantity::ArbitratedMost => "arbitrated_most_ports",
            Quantity::ArbitratedLeast => "arbitrated_least_ports",
            Quantity::ArbitratedUplinks => "arbitrated_uplinks",
            Quantity::ArbitratedDownlinks => "arbitrated_downlinks",
            Quantity::RootShare => "root_share",
            Quantity::BranchShare => "branch_share",
            Quantity::VictimShare => "victim_share",
            Quantity::Roots => "roots",
        }
    }

    /// Whether it is a quantity of parts of a run, not of the whole run.
    pub fn is_of_a_part(self) -> bool {
        Quantity::OF_PARTS.contains(&self)
    }

    /// Whether a part may have this name; the multiples in names are numbers.
    pub(super) fn suits(self, part: &str) -> bool {
        let multiple = match self {
            Quantity::FlowsBeyond => part,
            Quantity::LinksBeyond | Quantity::LinksClear => {
                part.rsplit_once('/').map_or("", |(_, multiple)| multiple)
            }
            _ => return true,
        };
        multiple.parse::<f64>().is_ok()
    }

    const OF_PARTS: [Quantity; 23] = [
        Quantity::StepMean,
        Quantity::StepP95,
        Quantity::StepP99,
        Quantity::MeasuredMean,
        Quantity::StepVariation,
        Quantity::JobTime,
        Quantity::CollectiveLatency,
        Quantity::CollectiveBusbw,
        Quantity::FlowsBeyond,
        Quantity::LinksBeyond,
        Quantity::LinksClear,
        Quantity::FlowThroughput,
        Quantity::StageSum,
        Quantity::StageJain,
        Quantity::StageVariance,
        Quantity::PortBytes,
        Quantity::ArbitratedMost,
        Quantity::ArbitratedLeast,
        Quantity::ArbitratedUplinks,
        Quantity::ArbitratedDownlinks,
        Quantity::RootShare,
        Quantity::BranchShare,
        Quantity::VictimShare,
    ];
}
