//! The specs of the sections that belong to the language itself, in the form of plug-ins.
//!
//! Reading, printing, hints and the schema all follow from these tables. Lists and names are read by explicit code,
//! because a `Spec` has no kind for them.

use netloom_units::{Bytes, Duration, Kind, Parameter, Spec, Value};

use super::queue_pairs::{GO_BACK_N, IDEAL, IRN, NIC_SR};
pub use super::recording::{CONGESTION_TREE, RECORD};
pub use super::studies::{BURSTS, HOSTS, INTERFERENCE, PRECISE};

pub(super) const ASSUMPTION: &str = "modelling assumption";

/// Largest packet on the wire.
pub const LARGEST_PACKET: u64 = 65_000_000;

/// Shortens the tables below.
pub(super) const fn parameter(
    name: &'static str,
    kind: Kind,
    default: Option<Value>,
    meaning: &'static str,
) -> Parameter {
    Parameter { name, kind, default, meaning }
}

pub(super) const fn count(minimum: u64, maximum: u64) -> Kind {
    Kind::Count { minimum, maximum }
}

pub(super) const fn choice(word: &'static str) -> Value {
    Value::Choice(word)
}

pub(super) const NO: Option<Value> = Some(Value::Flag(false));

const PACKET: Parameter = parameter(
    "packet",
    Kind::Size,
    Some(Value::Size(Bytes(4096))),
    "largest data packet on the wire; there are no header bytes",
);

pub(super) const HASH_INPUT: Parameter = parameter(
    "hash_input",
    Kind::Choice(&["message", "pair", "start"]),
    Some(choice("message")),
    "flow-hash input besides source and destination: a value of its own for each message, nothing, or the message's \
     start time",
);

/// Everything is queued at once or paced; there is no feedback.
pub static OPEN_LOOP: Spec = Spec {
    name: "open_loop",
    summary: "messages are queued at once, or paced; there is no feedback",
    source: "Zeltser 2026",
    parameters: &[
        PACKET,
        HASH_INPUT,
        parameter(
            "rate",
            Kind::Optional(&Kind::Rate),
            Some(Value::Absent),
            "pacing rate of each flow; `none` queues the message at once",
        ),
    ],
};

/// A fixed window per message.
pub static WINDOW: Spec = Spec {
    name: "window",
    summary: "a fixed window of packets in flight per message, with one ACK per packet",
    source: ASSUMPTION,
    parameters: &[
        PACKET,
        HASH_INPUT,
        parameter(
            "packets",
            count(1, u32::MAX as u64),
            Some(Value::Count(128)),
            "packets in flight per message",
        ),
        parameter("acknowledgement", Kind::Size, Some(Value::Size(Bytes(64))), "size of an ACK on the wire"),
    ],
};

/// The transports.
pub static TRANSPORTS: &[&Spec] = &[&OPEN_LOOP, &WINDOW, &GO_BACK_N, &NIC_SR, &IRN, &IDEAL];

/// Number of ranks of a placement.
const RANKS: Parameter = parameter(
    "ranks",
    Kind::Optional(&Kind::Count { minimum: 1, maximum: 1_000_000 }),
    Some(Value::Absent),
    "number of hosts; `none` takes all that remain",
);

/// Every host of the fabric: the default placement of a job.
pub static ALL_HOSTS: Spec =
    Spec { name: "all", summary: "every host of the fabric", source: ASSUMPTION, parameters: &[] };

/// The first free hosts.
static CONTIGUOUS: Spec =
    Spec { name: "contiguous", summary: "the first free hosts", source: ASSUMPTION, parameters: &[RANKS] };

/// Free hosts at a distance from each other.
static STRIDED: Spec = Spec {
    name: "strided",
    summary: "every `stride`-th free host from the first one, then every `stride`-th one from the second, and so on",
    source: ASSUMPTION,
    parameters: &[
        RANKS,
        parameter("stride", count(1, u32::MAX as u64), None, "distance from one host to the next"),
    ],
};

/// The placement of jobs at fixed hosts, independent of other jobs.
pub static NUMBERED: Spec = Spec {
    name: "numbered",
    summary: "hosts by their numbers in the fabric; an error if another job has one of them, or a number does not exist",
    source: ASSUMPTION,
    parameters: &[
        RANKS,
        parameter(
            "first",
            count(0, u32::MAX as u64),
            Some(Value::Count(0)),
            "number of the first host, from 0",
        ),
        parameter(
            "stride",
            count(1, u32::MAX as u64),
            Some(Value::Count(1)),
            "distance from one host to the next",
        ),
    ],
};

/// Free hosts in turn with other jobs.
static INTERLEAVED: Spec = Spec {
    name: "interleaved",
    summary: "free hosts, one at a time in turn with all other interleaved jobs",
    source: ASSUMPTION,
    parameters: &[RANKS],
};

/// The placement of jobs at random hosts.
pub static RANDOM: Spec = Spec {
    name: "random",
    summary: "free hosts in random order",
    source: ASSUMPTION,
    parameters: &[
        RANKS,
        parameter("seed", count(0, u64::MAX), Some(Value::Count(0)), "number added to the scenario's seed"),
    ],
};

/// As many hosts of every leaf.
static RACK_BALANCED: Spec = Spec {
    name: "rack_balanced",
    summary: "the same number of free hosts from every leaf",
    source: ASSUMPTION,
    parameters: &[RANKS],
};

/// The placements; a job may list its hosts instead.
pub static PLACEMENTS: &[&Spec] =
    &[&ALL_HOSTS, &CONTIGUOUS, &STRIDED, &NUMBERED, &INTERLEAVED, &RANDOM, &RACK_BALANCED];

/// Queues at egress ports.
pub static QUEUES: Spec = Spec {
    name: "queues",
    summary: "queues at egress ports: limits, shared buffer, pause frames and marking",
    source: ASSUMPTION,
    parameters: &[
        parameter(
            "switch_limit",
            Kind::Optional(&Kind::Size),
            Some(Value::Absent),
            "most bytes queued at a switch port; `none` is unlimited",
        ),
        parameter(
            "host_limit",
            Kind::Optional(&Kind::Size),
            Some(Value::Absent),
            "most bytes queued at a host port; `none` is unlimited",
        ),
        parameter(
            "buffer",
            Kind::Optional(&Kind::Size),
            Some(Value::Absent),
            "shared buffer of a switch, for the data of all its ports; `none` gives each port its own queue",
        ),
        parameter(
            "alpha",
            Kind::Fraction { minimum: 1.0 / 1024.0, maximum: 64.0 },
            Some(Value::Fraction(1.0)),
            "dynamic threshold: what a queue (with `pause`, an ingress port) may occupy, as a multiple of the free \
             buffer; in steps of 1/1024",
        ),
        parameter(
            "pause",
            Kind::Flag,
            NO,
            "whether switches send pause frames (PFC) instead of dropping packets",
        ),
        parameter(
            "xon_gap",
            Kind::Size,
            Some(Value::Size(Bytes(3000))),
            "with `pause`: how far below its threshold an ingress port must fall before its sender may resume (XON)",
        ),
    ],
};

/// Marking of data packets at switches.
pub static MARKING: Spec = Spec {
    name: "marking",
    summary: "switches mark data packets by queue length (ECN)",
    source: "RED (Floyd and Jacobson 1993), as DCQCN has it",
    parameters: &[
        parameter("minimum", Kind::Size, None, "queue length up to which no packet is marked (Kmin)"),
        parameter("maximum", Kind::Size, None, "queue length above which every packet is marked (Kmax)"),
        parameter(
            "probability",
            Kind::Fraction { minimum: 0.0, maximum: 1.0 },
            Some(Value::Fraction(0.2)),
            "marking probability just below `maximum` (Pmax); it rises linearly from 0 at `minimum`",
        ),
        parameter(
            "at",
            Kind::Choice(&["dequeue", "enqueue"]),
            Some(choice("dequeue")),
            "whether a packet is marked by the queue length when its transmission starts, or when it is enqueued",
        ),
        parameter(
            "ai_ecn",
            Kind::Optional(&Kind::Duration),
            Some(Value::Absent),
            "interval at which each port adapts its thresholds; `none` keeps them fixed",
        ),
        parameter(
            "ai_busy",
            Kind::Fraction { minimum: 0.0, maximum: 1.0 },
            Some(Value::Fraction(0.9)),
            "with `ai_ecn`: utilization below which a link that marks packets counts as idle, so that its thresholds \
             rise",
        ),
        parameter(
            "ai_step",
            Kind::Size,
            Some(Value::Size(Bytes(20_000))),
            "with `ai_ecn`: the lowest value of `minimum`; each level above doubles it, and `maximum` with it",
        ),
        parameter("ai_steps", count(1, 20), Some(Value::Count(10)), "with `ai_ecn`: number of levels"),
    ],
};

/// Lossless links with credits.
pub static CREDITS: Spec = Spec {
    name: "credits",
    summary: "credit-based flow control: a packet is sent only if the other end of the link has room for it; switches \
              have input buffers",
    source: "InfiniBand (IBTA), and modelling assumptions: see docs/concepts/credits.md",
    parameters: &[
        parameter(
            "buffer",
            Kind::Size,
            Some(Value::Size(Bytes(65_536))),
            "input buffer of each virtual lane at the receiving end of a link",
        ),
        parameter(
            "order",
            Kind::Choice(&["voq", "fifo"]),
            Some(choice("voq")),
            "which packets may leave an input buffer: the first one for each egress port (virtual output queues), or \
             only the first one of all",
        ),
        parameter(
            "speedup",
            count(1, 16),
            Some(Value::Count(2)),
            "speedup of the crossbar: its rate over that of a link",
        ),
        parameter(
            "output_buffer",
            Kind::Size,
            Some(Value::Size(Bytes(16_384))),
            "output buffer of each virtual lane, between crossbar and link; if it is 0, a packet crosses only when its \
             link is free",
        ),
        parameter(
            "forwarding",
            Kind::Choice(&["cut_through", "store_and_forward"]),
            Some(choice("cut_through")),
            "whether a packet may be forwarded when its header has arrived, or when all of it has",
        ),
        parameter(
            "header",
            Kind::Size,
            Some(Value::Size(Bytes(64))),
            "with `cut_through`: bytes of a packet that must have arrived before it may be forwarded",
        ),
        parameter(
            "latency",
            Kind::Duration,
            Some(Value::Duration(Duration::ZERO)),
            "latency of a switch: time from the arrival that `forwarding` waits for until the packet may leave",
        ),
        parameter("data_vl", count(0, 14), Some(Value::Count(0)), "virtual lane of data packets"),
        parameter("control_vl", count(0, 14), Some(Value::Count(0)), "virtual lane of ACKs, NACKs and CNPs"),
        parameter(
            "extra_vls",
            count(0, 6),
            Some(Value::Count(0)),
            "in a fabric of groups: virtual lanes in addition to those that the policy's paths need, for detour paths \
             around failed links",
        ),
        parameter(
            "efficiency",
            Kind::Fraction { minimum: 0.01, maximum: 1.0 },
            Some(Value::Fraction(1.0)),
            "usable fraction of every link's rate (HDR InfiniBand: 188 of 200 Gb/s were measured)",
        ),
    ],
};

/// An explicit entry of a forwarding table.
pub static ROUTE: Spec = Spec {
    name: "routes",
    summary: "a static route: an explicit entry of a switch's forwarding table; needs `balance: deterministic`",
    source: ASSUMPTION,
    parameters: &[parameter(
        "any",
        Kind::Flag,
        NO,
        "whether any link to another switch is allowed, even one on no shortest path, so that packets may loop; needs \
         a `deadline`",
    )],
};

/// Traffic classes.
pub static CLASSES: Spec = Spec {
    name: "classes",
    summary: "the traffic class of each kind of packet; a higher class is always served first",
    source: ASSUMPTION,
    parameters: &[
        parameter(
            "data",
            count(0, 7),
            Some(Value::Count(0)),
            "class of data packets for which `traffic` sets no other",
        ),
        parameter("control", count(0, 7), Some(Value::Count(0)), "class of ACKs, NACKs and CNPs"),
    ],
};

/// A class of data packets.
pub static CLASS: Spec = Spec {
    name: "class",
    summary: "settings of one class of data packets at every port",
    source: "IEEE 802.1Q (priorities, ETS), 802.1Qbb (PFC) and RFC 2474 (DSCP); see docs/concepts/classes.md",
    parameters: &[parameter("class", count(0, 7), None, "number of the class")],
};

/// A class with strict priority over weighted ones.
pub static STRICT: Spec = Spec {
    name: "strict",
    summary: "strict priority: served before all weighted classes, and before strict ones with a lower number",
    source: "IEEE 802.1Q",
    parameters: &[],
};

/// A class served in weighted round robin.
pub static DWRR: Spec = Spec {
    name: "dwrr",
    summary: "deficit round robin with the other weighted classes, served after all strict ones",
    source: "Shreedhar and Varghese 1995",
    parameters: &[parameter(
        "weight",
        count(1, 1_000),
        None,
        "quantum of a round, in packets of the largest size: weighted classes share bandwidth in proportion to it",
    )],
};

/// How ports serve a class.
pub static SCHEDULES: &[&Spec] = &[&STRICT, &DWRR];

/// A kind of traffic.
pub static TRAFFIC: Spec = Spec {
    name: "traffic",
    summary: "a named kind of traffic, to which jobs, background traffic and flows refer",
    source: ASSUMPTION,
    parameters: &[parameter(
        "may_reorder",
        Kind::Flag,
        Some(Value::Flag(true)),
        "whether its packets are marked as allowed to overtake each other",
    )],
};

/// A phase of collectives.
pub static COLLECTIVES: Spec = Spec {
    name: "collectives",
    summary: "buckets of collectives, one after the other or concurrent",
    source: ASSUMPTION,
    parameters: &[
        parameter("buckets", count(1, 65_535), Some(Value::Count(1)), "number of buckets, all identical"),
        parameter("concurrent", Kind::Flag, NO, "whether all buckets start at once"),
        parameter(
            "barrier",
            Kind::Flag,
            NO,
            "whether a modelled barrier follows each bucket (all buckets, if concurrent)",
        ),
    ],
};

/// The parameters of every collective.
pub static COLLECTIVE: Spec = Spec {
    name: "collective",
    summary: "parameters of all collectives",
    source: ASSUMPTION,
    parameters: &[
        parameter("size", Kind::Size, None, "bytes of the full vector per rank, as nccl-tests count it"),
        parameter(
            "dependent",
            Kind::Flag,
            Some(Value::Flag(true)),
            "whether a send waits for the messages it depends on; `false` sends all at once",
        ),
        parameter(
            "order",
            Kind::Choice(&["rank", "shuffled", "given"]),
            Some(choice("rank")),
            "order of the ranks: as placed, a new random permutation each time, or the job's `orders` one after the \
             other",
        ),
    ],
};

/// Messages along a chain of stages.
pub static POINT_TO_POINT: Spec = Spec {
    name: "point_to_point",
    summary: "messages from stage to stage, as in pipeline parallelism",
    source: "Zeltser 2026",
    parameters: &[
        parameter("size", Kind::Size, None, "size of a message"),
        parameter(
            "microbatches",
            count(1, 1_000_000),
            Some(Value::Count(1)),
            "number of messages per pair of ranks and hop",
        ),
        parameter("backward", Kind::Flag, NO, "whether messages go from the last stage to the first"),
        parameter(
            "dependent",
            Kind::Flag,
            Some(Value::Flag(true)),
            "whether a stage sends a microbatch only after it has received it",
        ),
        parameter(
            "gap",
            Kind::Duration,
            Some(Value::Duration(Duration::ZERO)),
            "microbatch m on hop j starts no earlier than (m + j) gaps after the origin",
        ),
        parameter(
            "gap_from",
            Kind::Choice(&["phase", "run"]),
            Some(choice("phase")),
            "the origin of the gaps: start of the phase, or of the run",
        ),
        parameter("barrier", Kind::Flag, NO, "whether a modelled barrier follows"),
    ],
};

/// Passes of microbatches over the stages of a pipeline.
pub static PIPELINE: Spec = Spec {
    name: "pipeline",
    summary: "forward and backward passes of microbatches over the stages of a pipeline",
    source: "GPipe, Huang et al., NeurIPS 2019; 1F1B, Narayanan et al., SC 2021",
    parameters: &[
        parameter(
            "size",
            Kind::Size,
            None,
            "size of the activations of a microbatch, and of their gradients",
        ),
        parameter("microbatches", count(1, 65_536), None, "number of microbatches in a step"),
        parameter("forward", Kind::Duration, None, "time of the forward pass of a microbatch at a stage"),
        parameter("backward", Kind::Duration, None, "time of the backward pass of a microbatch at a stage"),
        parameter(
            "schedule",
            Kind::Choice(&["1f1b", "gpipe"]),
            Some(choice("1f1b")),
            "`1f1b`: a backward pass after each forward pass; `gpipe`: all forward passes first",
        ),
    ],
};

/// The parameters of every kind of background traffic.
pub static BACKGROUND: Spec = Spec {
    name: "background",
    summary: "parameters of all background traffic",
    source: ASSUMPTION,
    parameters: &[parameter(
        "rate",
        Kind::Optional(&Kind::Rate),
        Some(Value::Absent),
        "pacing rate of each flow; `none` takes that of the transport",
    )],
};

/// Flows that start and stop at given times.
pub static FLOWS: Spec = Spec {
    name: "flows",
    summary: "flows that start and stop at given times, and the stages over which they are measured",
    source: ASSUMPTION,
    parameters: &[
        parameter(
            "warm_up",
            Kind::Duration,
            Some(Value::Duration(Duration::ZERO)),
            "warm-up: time at the start of each stage that measurements of throughput leave out",
        ),
        parameter("message", Kind::Size, Some(Value::Size(Bytes(1 << 20))), "size of each message of a flow"),
        parameter(
            "posted",
            count(1, 65_536),
            Some(Value::Count(2)),
            "number of messages of a flow that are posted and not yet acknowledged, at any time; no effect in an open \
             loop",
        ),
    ],
};

/// One staged flow.
pub static FLOW: Spec = Spec {
    name: "flow",
    summary: "a stream of messages from one host to another",
    source: ASSUMPTION,
    parameters: &[
        parameter(
            "start",
            Kind::Duration,
            Some(Value::Duration(Duration::ZERO)),
            "when its first message is posted",
        ),
        parameter("stop", Kind::Duration, None, "no message is posted at this instant or later"),
        parameter(
            "rate",
            Kind::Optional(&Kind::Rate),
            Some(Value::Absent),
            "its maximum rate, headers included; `none` is as fast as NIC and transport allow",
        ),
    ],
};

/// One finite flow.
pub static FINITE_FLOW: Spec = Spec {
    name: "finite_flow",
    summary: "a flow of one message from one host to another",
    source: ASSUMPTION,
    parameters: &[
        parameter("size", Kind::Size, None, "its size"),
        parameter(
            "start",
            Kind::Duration,
            Some(Value::Duration(Duration::ZERO)),
            "when it is posted; with `after`, the delay from the completion of that flow",
        ),
    ],
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resolved::faults;

    #[test]
    fn names_are_unique_within_each_spec() {
        let sections = [
            &QUEUES,
            &MARKING,
            &CREDITS,
            &ROUTE,
            &CLASSES,
            &CLASS,
            &STRICT,
            &DWRR,
            &TRAFFIC,
            &COLLECTIVES,
            &COLLECTIVE,
            &BACKGROUND,
            &FLOWS,
            &FLOW,
            &FINITE_FLOW,
            &POINT_TO_POINT,
            &PIPELINE,
            &faults::FAULTS,
            &faults::RANDOM_FAULTS,
            &faults::TIMED_FAULT,
            &faults::PROCESS,
            &faults::STORM,
            &RECORD,
            &CONGESTION_TREE,
        ];
        for spec in sections
            .iter()
            .chain(TRANSPORTS)
            .chain(netloom_catalog::workload::background::SPECS)
            .chain(PLACEMENTS)
            .chain(faults::ACTIONS)
        {
            let mut names: Vec<_> = spec.parameters.iter().map(|parameter| parameter.name).collect();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), spec.parameters.len(), "{}", spec.name);
        }
    }
}
