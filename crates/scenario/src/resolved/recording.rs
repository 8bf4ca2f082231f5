//! The specs of what is recorded beyond the defaults.
//!
//! Leaves out: keys that are read by explicit code, such as lists of hosts and flows.

use netloom_units::{Bytes, Kind, Spec, Value};

use super::sections::{ASSUMPTION, NO, choice, count, parameter};

/// Recordings beyond the defaults.
pub static RECORD: Spec = Spec {
    name: "record",
    summary: "recordings beyond the defaults",
    source: ASSUMPTION,
    parameters: &[
        parameter(
            "timeline",
            count(0, 1_000),
            Some(Value::Count(4)),
            "number of steps of each job that are recorded rank by rank: the first one, and the slowest of the others",
        ),
        parameter(
            "queue_packets",
            Kind::Flag,
            Some(Value::Flag(false)),
            "whether every port records queued packets in addition to bytes",
        ),
        parameter(
            "reordering",
            Kind::Flag,
            Some(Value::Flag(false)),
            "whether reordering is recorded for each message: packets that arrive after later ones",
        ),
        parameter(
            "causes",
            Kind::Choice(&["steps", "all", "none"]),
            Some(choice("steps")),
            "of which messages the causes of completion times are recorded, which add up to these: of those that \
             explain steps of jobs (the chains of steps, the slowest messages, and a random thousand), of all, or of \
             none",
        ),
        parameter(
            "messages",
            Kind::Choice(&["each", "summed"]),
            Some(choice("each")),
            "whether each message of a job that arrives has its own row, or messages are summed by sender",
        ),
        parameter(
            "slowest_flows",
            count(0, 10_000),
            Some(Value::Count(0)),
            "number of messages, the slowest to arrive, whose paths are recorded; above 0 the scenario is simulated \
             twice",
        ),
        parameter(
            "rates",
            Kind::Optional(&Kind::Duration),
            Some(Value::Absent),
            "initial sampling interval of the rates of flows, doubled in long runs; recorded for the flows of \
             `rates_from` and `rates_of`, or else of `flows`",
        ),
        parameter(
            "classes",
            Kind::Flag,
            NO,
            "whether ports distinguish data by class even if all of it is in one class",
        ),
    ],
};

/// Recording of the congestion tree.
pub static CONGESTION_TREE: Spec = Spec {
    name: "congestion_tree",
    summary: "roots, branches and victims of congestion; needs `queues: {credits: ...}`",
    source: "IBTA's roots and victims of congestion; the rest is a modelling assumption: see \
             docs/concepts/congestion-tree.md",
    parameters: &[
        parameter(
            "interval",
            Kind::Optional(&Kind::Duration),
            Some(Value::Absent),
            "sampling interval, at least 1us; `none` takes the measured part of each stage of `flows`",
        ),
        parameter(
            "threshold",
            Kind::Size,
            Some(Value::Size(Bytes(8_000))),
            "mean queue length from which on a port of a switch counts as congested",
        ),
        parameter(
            "starved",
            Kind::Fraction { minimum: 0.0, maximum: 1.0 },
            Some(Value::Fraction(0.1)),
            "fraction of the time without credits from which on a port counts as blocked from downstream",
        ),
    ],
};
