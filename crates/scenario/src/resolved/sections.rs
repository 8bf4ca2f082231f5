//! The specs of the sections that belong to the language itself, in the form of plug-ins.
//!
//! Reading, printing, hints and the schema all follow from these tables. Lists and names are read by explicit code,
//! because a `Spec` has no kind for them.

use netloom_units::{Bytes, Duration, Kind, Parameter, Spec, Value};

use super::queue_pairs::{GO_BACK_N, IDEAL, IRN, NIC_SR};
pub use super::studies::{BURSTS, HOSTS, INTERFERENCE, PRECISE};

pub(super) const OURS: &str = "ours";

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

const NO: Option<Value> = Some(Value::Flag(false));

const PACKET: Parameter = parameter(
    "packet",
    Kind::Size,
    Some(Value::Size(Bytes(4096))),
    "largest data packet on the wire; there are no header bytes",
);

pub(super) const ENTROPY: Parameter = parameter(
    "entropy",
    Kind::Choice(&["message", "pair", "start"]),
    Some(choice("message")),
    "what the flow hash is made of beside source and destination: each message its own, nothing, or its start",
);

/// Everything is queued at once or paced; there is no feedback.
pub static OPEN_LOOP: Spec = Spec {
    name: "open_loop",
    summary: "messages are queued at once, or paced; nothing comes back",
    source: "Zeltser 2026",
    parameters: &[
        PACKET,
        ENTROPY,
        parameter(
            "rate",
            Kind::Optional(&Kind::Rate),
            Some(Value::Absent),
            "pace of each flow; `none` queues the message at once",
        ),
    ],
};

/// A fixed window per message.
pub static WINDOW: Spec = Spec {
    name: "window",
    summary: "a fixed window of packets in flight per message, an ACK per packet",
    source: OURS,
    parameters: &[
        PACKET,
        ENTROPY,
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
    "how many hosts; `none` takes all that are left",
);

/// A placement of the catalog.
const fn placement(name: &'static str, summary: &'static str, parameters: &'static [Parameter]) -> Spec {
    Spec { name, summary, source: OURS, parameters }
}

/// Every host of the fabric: the default placement of a job.
pub static ALL_HOSTS: Spec = placement("all", "every host of the fabric", &[]);

/// The placement of jobs at fixed hosts, independent of other jobs.
pub static NUMBERED: Spec = placement(
    "numbered",
    "hosts by their numbers in the fabric; refused where one of them is another job's, or numbers run out",
    &[
        RANKS,
        parameter(
            "first",
            count(0, u32::MAX as u64),
            Some(Value::Count(0)),
            "the number of the first, from 0",
        ),
        parameter("stride", count(1, u32::MAX as u64), Some(Value::Count(1)), "distance between hosts"),
    ],
);

/// The placement of jobs at random hosts.
pub static RANDOM: Spec = placement(
    "random",
    "free hosts drawn at random, ranks in the order of the draw",
    &[RANKS, parameter("seed", count(0, u64::MAX), Some(Value::Count(0)), "added to the scenario's seed")],
);

/// The placements; a job may list its hosts instead.
pub static PLACEMENTS: &[&Spec] = &[
    &ALL_HOSTS,
    &placement("contiguous", "the first hosts that are free", &[RANKS]),
    &placement(
        "strided",
        "every so many-th free host, then the same from the next one on",
        &[RANKS, parameter("stride", count(1, u32::MAX as u64), None, "distance between hosts")],
    ),
    &NUMBERED,
    &placement("interleaved", "free hosts in turns with all other interleaved jobs", &[RANKS]),
    &RANDOM,
    &placement("rack_balanced", "the same number of free hosts of every leaf", &[RANKS]),
];

/// Queues at egress ports.
pub static QUEUES: Spec = Spec {
    name: "queues",
    summary: "how much waits at an egress port before packets are dropped",
    source: OURS,
    parameters: &[
        parameter(
            "switch_limit",
            Kind::Optional(&Kind::Size),
            Some(Value::Absent),
            "bytes that wait at a switch port at most; `none` is unlimited",
        ),
        parameter(
            "host_limit",
            Kind::Optional(&Kind::Size),
            Some(Value::Absent),
            "bytes that wait at a host port at most; `none` is unlimited",
        ),
        parameter(
            "buffer",
            Kind::Optional(&Kind::Size),
            Some(Value::Absent),
            "bytes of data that all ports of a switch share; `none` gives each port a queue of its own",
        ),
        parameter(
            "alpha",
            Kind::Fraction { minimum: 1.0 / 1024.0, maximum: 64.0 },
            Some(Value::Fraction(1.0)),
            "what a queue (with `pause`, an ingress) may take, as a multiple of what is free; in steps of 1/1024",
        ),
        parameter("pause", Kind::Flag, NO, "whether switches send pause frames (PFC) rather than drop"),
        parameter(
            "xon_gap",
            Kind::Size,
            Some(Value::Size(Bytes(3000))),
            "with `pause`: how far below its threshold an ingress must be to go on",
        ),
    ],
};

/// Marking of data packets at switches.
pub static MARKING: Spec = Spec {
    name: "marking",
    summary: "data packets are marked at switches by what waits there (ECN)",
    source: "RED (Floyd and Jacobson 1993), as DCQCN has it",
    parameters: &[
        parameter("minimum", Kind::Size, None, "no packet is marked up to so many bytes waiting"),
        parameter("maximum", Kind::Size, None, "every packet is marked above so many bytes waiting"),
        parameter(
            "probability",
            Kind::Fraction { minimum: 0.0, maximum: 1.0 },
            Some(Value::Fraction(0.2)),
            "the chance of a packet just below `maximum`; it rises evenly from 0 at `minimum`",
        ),
        parameter(
            "at",
            Kind::Choice(&["dequeue", "enqueue"]),
            Some(choice("dequeue")),
            "whether a packet is judged when its transmission starts, or when it joins the queue",
        ),
        parameter(
            "ai_ecn",
            Kind::Optional(&Kind::Duration),
            Some(Value::Absent),
            "how often each port moves its thresholds by itself; `none` keeps them",
        ),
        parameter(
            "ai_busy",
            Kind::Fraction { minimum: 0.0, maximum: 1.0 },
            Some(Value::Fraction(0.9)),
            "with `ai_ecn`: part of its rate below which a link that marks is idle, and thresholds rise",
        ),
        parameter(
            "ai_step",
            Kind::Size,
            Some(Value::Size(Bytes(20_000))),
            "with `ai_ecn`: the lowest `minimum`; each step up doubles it, and `maximum` with it",
        ),
        parameter("ai_steps", count(1, 20), Some(Value::Count(10)), "with `ai_ecn`: how many there are"),
    ],
};

/// Lossless links with credits.
pub static CREDITS: Spec = Spec {
    name: "credits",
    summary: "a packet is sent only where the other end of the link has room for it; switches have input buffers",
    source: "InfiniBand (IBTA), and ours: see docs/concepts/credits.md",
    parameters: &[
        parameter(
            "buffer",
            Kind::Size,
            Some(Value::Size(Bytes(65_536))),
            "room for each virtual lane at the receiving end of a link",
        ),
        parameter(
            "order",
            Kind::Choice(&["voq", "fifo"]),
            Some(choice("voq")),
            "who may leave an input buffer: the first packet of each egress (virtual output queues), or the first",
        ),
        parameter(
            "speedup",
            count(1, 16),
            Some(Value::Count(2)),
            "how many times faster than a link the crossbar is",
        ),
        parameter(
            "output_buffer",
            Kind::Size,
            Some(Value::Size(Bytes(16_384))),
            "room for each virtual lane behind the crossbar, before the wire; 0 lets packets pass only onto a free wire",
        ),
        parameter(
            "forwarding",
            Kind::Choice(&["cut_through", "store_and_forward"]),
            Some(choice("cut_through")),
            "whether a packet may leave when its header has come, or when all of it has",
        ),
        parameter(
            "header",
            Kind::Size,
            Some(Value::Size(Bytes(64))),
            "with `cut_through`: what must have come of a packet",
        ),
        parameter(
            "latency",
            Kind::Duration,
            Some(Value::Duration(Duration::ZERO)),
            "from then until the packet may leave the switch",
        ),
        parameter("data_lane", count(0, 14), Some(Value::Count(0)), "virtual lane of data packets"),
        parameter(
            "control_lane",
            count(0, 14),
            Some(Value::Count(0)),
            "virtual lane of ACKs, NACKs and CNPs",
        ),
        parameter(
            "extra_steps",
            count(0, 6),
            Some(Value::Count(0)),
            "in a fabric of groups: lanes that packets may rise to beyond those that the policy's ways need, for ways round \
             failed links",
        ),
        parameter(
            "efficiency",
            Kind::Fraction { minimum: 0.01, maximum: 1.0 },
            Some(Value::Fraction(1.0)),
            "the share of every link's rate that packets can use (HDR InfiniBand: 188 of 200 Gb/s were measured)",
        ),
    ],
};

/// An explicit entry of a forwarding table.
pub static ROUTE: Spec = Spec {
    name: "routes",
    summary: "an entry of a switch's forwarding table, listed by hand; needs `balance: deterministic`",
    source: OURS,
    parameters: &[parameter(
        "any",
        Kind::Flag,
        NO,
        "whether it may be any link to another switch, even one from which packets stray; needs a `deadline`",
    )],
};

/// Traffic classes.
pub static CLASSES: Spec = Spec {
    name: "classes",
    summary: "the traffic class of each kind of packet; a higher class is always served first",
    source: OURS,
    parameters: &[
        parameter(
            "data",
            count(0, 7),
            Some(Value::Count(0)),
            "class of data packets of which `traffic` says nothing",
        ),
        parameter("control", count(0, 7), Some(Value::Count(0)), "class of ACKs, NACKs and CNPs"),
    ],
};

/// A class of data packets.
pub static CLASS: Spec = Spec {
    name: "class",
    summary: "what a class of data packets has of its own at every port",
    source: "IEEE 802.1Q (priorities, ETS), 802.1Qbb (PFC) and RFC 2474 (DSCP); see docs/concepts/classes.md",
    parameters: &[parameter("class", count(0, 7), None, "its number")],
};

/// A class with strict priority over weighted ones.
pub static STRICT: Spec = Spec {
    name: "strict",
    summary: "before all weighted classes, and before strict ones with a lower number",
    source: "IEEE 802.1Q",
    parameters: &[],
};

/// A class served in weighted round robin.
pub static DWRR: Spec = Spec {
    name: "dwrr",
    summary: "in turns with other weighted classes (deficit round robin), behind all strict ones",
    source: "Shreedhar and Varghese 1995",
    parameters: &[parameter(
        "weight",
        count(1, 1_000),
        None,
        "what a turn is worth, in largest packets: bandwidth is shared in proportion",
    )],
};

/// How ports serve a class.
pub static SCHEDULES: &[&Spec] = &[&STRICT, &DWRR];

/// A kind of traffic.
pub static TRAFFIC: Spec = Spec {
    name: "traffic",
    summary: "a kind of traffic, by whose name jobs, background traffic and flows say what they are",
    source: OURS,
    parameters: &[parameter(
        "may_reorder",
        Kind::Flag,
        Some(Value::Flag(true)),
        "whether its packets are marked as such that may overtake each other",
    )],
};

/// A phase of collectives.
pub static COLLECTIVES: Spec = Spec {
    name: "collectives",
    summary: "buckets of collectives, one after the other or all together",
    source: OURS,
    parameters: &[
        parameter("buckets", count(1, 65_535), Some(Value::Count(1)), "how many buckets, all alike"),
        parameter("concurrent", Kind::Flag, NO, "whether all buckets start together"),
        parameter(
            "barrier",
            Kind::Flag,
            NO,
            "whether ranks meet at a modelled barrier after each bucket (after all when concurrent)",
        ),
    ],
};

/// The parameters of every collective.
pub static COLLECTIVE: Spec = Spec {
    name: "collective",
    summary: "what all collectives have",
    source: OURS,
    parameters: &[
        parameter("size", Kind::Size, None, "bytes of the full vector per rank, as nccl-tests count it"),
        parameter(
            "dependent",
            Kind::Flag,
            Some(Value::Flag(true)),
            "whether a send waits for what it depends on; `false` sends all at once",
        ),
        parameter(
            "order",
            Kind::Choice(&["rank", "shuffled", "given"]),
            Some(choice("rank")),
            "the order of the ranks: as placed, shuffled anew each time, or the job's `orders` one after the other",
        ),
    ],
};

/// Messages along a chain of stages.
pub static POINT_TO_POINT: Spec = Spec {
    name: "point_to_point",
    summary: "messages from stage to stage, as in pipeline parallelism",
    source: "Zeltser 2026",
    parameters: &[
        parameter("size", Kind::Size, None, "bytes of a message"),
        parameter(
            "microbatches",
            count(1, 1_000_000),
            Some(Value::Count(1)),
            "messages per pair of ranks and hop",
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
        parameter("barrier", Kind::Flag, NO, "whether ranks meet at a modelled barrier afterwards"),
    ],
};

/// The parameters of every kind of background traffic.
pub static BACKGROUND: Spec = Spec {
    name: "background",
    summary: "what all background traffic has",
    source: OURS,
    parameters: &[parameter(
        "rate",
        Kind::Optional(&Kind::Rate),
        Some(Value::Absent),
        "pace of each flow; `none` as the transport",
    )],
};

/// Flows that start and stop at given times.
pub static FLOWS: Spec = Spec {
    name: "flows",
    summary: "flows that start and stop at given times, and the stages over which they are judged",
    source: OURS,
    parameters: &[
        parameter(
            "settle",
            Kind::Duration,
            Some(Value::Duration(Duration::ZERO)),
            "what is left out at the start of each stage when throughput is judged",
        ),
        parameter(
            "message",
            Kind::Size,
            Some(Value::Size(Bytes(1 << 20))),
            "a flow is a stream of messages of this size",
        ),
        parameter(
            "posted",
            count(1, 65_536),
            Some(Value::Count(2)),
            "messages of a flow that are posted and not acknowledged, all the time; means nothing in an open loop",
        ),
    ],
};

/// One staged flow.
pub static FLOW: Spec = Spec {
    name: "flow",
    summary: "a stream of messages from one host to another",
    source: OURS,
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
            "what it sends at most, headers included; `none` is as fast as NIC and transport allow",
        ),
    ],
};

/// Recordings beyond the defaults.
pub static RECORD: Spec = Spec {
    name: "record",
    summary: "what is recorded beyond the defaults",
    source: OURS,
    parameters: &[
        parameter(
            "timeline",
            count(0, 1_000),
            Some(Value::Count(4)),
            "steps of each job that are recorded rank by rank: the first one, and the slowest of the others",
        ),
        parameter(
            "queue_packets",
            Kind::Flag,
            Some(Value::Flag(false)),
            "whether every port counts waiting packets beside bytes",
        ),
        parameter(
            "reordering",
            Kind::Flag,
            Some(Value::Flag(false)),
            "whether packets that arrive after later ones are counted, message by message",
        ),
        parameter(
            "messages",
            Kind::Choice(&["each", "summed"]),
            Some(choice("each")),
            "whether messages of jobs that arrive have a row each, or are summed up by sender",
        ),
        parameter(
            "slowest_flows",
            count(0, 10_000),
            Some(Value::Count(0)),
            "messages, the slowest to arrive, whose paths are recorded; above 0 the scenario is simulated twice",
        ),
        parameter(
            "rates",
            Kind::Optional(&Kind::Duration),
            Some(Value::Absent),
            "first interval of the rates of flows over time: those of `rates_from` and `rates_of`, or else of `flows`",
        ),
        parameter(
            "classes",
            Kind::Flag,
            NO,
            "whether ports tell data apart by class even where all of it is in one",
        ),
    ],
};

/// Recording of the congestion tree.
pub static CONGESTION_TREE: Spec = Spec {
    name: "congestion_tree",
    summary: "roots, branches and victims of congestion; needs `queues: {credits: ...}`",
    source: "IBTA's roots and victims of congestion; the rest is ours: see docs/concepts/congestion-tree.md",
    parameters: &[
        parameter(
            "interval",
            Kind::Optional(&Kind::Duration),
            Some(Value::Absent),
            "from one look to the next, at least 1us; `none` looks at the judged part of each stage of `flows`",
        ),
        parameter(
            "threshold",
            Kind::Size,
            Some(Value::Size(Bytes(8_000))),
            "a port of a switch is congested if at least so many bytes wait there, as a mean",
        ),
        parameter(
            "starved",
            Kind::Fraction { minimum: 0.0, maximum: 1.0 },
            Some(Value::Fraction(0.1)),
            "the share of the time without credits from which on a port is held up by what is behind it",
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
            &POINT_TO_POINT,
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
