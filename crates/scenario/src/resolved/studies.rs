//! The specs of studies of interference: hosts, steps until their mean is known, bursts, two groups.
//!
//! Leaves out: keys that are read by explicit code.

use netloom_units::{Duration, Kind, Spec, Value};

use super::sections::{choice, count, parameter};

/// Host overheads for the messages of jobs.
pub static HOSTS: Spec = Spec {
    name: "hosts",
    summary: "host overheads for the messages of jobs: processing time, rendezvous, injection limits",
    source: "LogGP (Alexandrov et al. 1995); rendezvous, reduction and copying are modelling assumptions: see \
             docs/concepts/hosts.md",
    parameters: &[
        parameter(
            "send_overhead",
            Kind::Duration,
            Some(Value::Duration(Duration::ZERO)),
            "time to post a message; a rank posts its messages one after the other",
        ),
        parameter(
            "receive_overhead",
            Kind::Duration,
            Some(Value::Duration(Duration::ZERO)),
            "time before a rank continues, for each message that it waited for",
        ),
        parameter(
            "rendezvous",
            Kind::Optional(&Kind::Size),
            Some(Value::Absent),
            "messages of at least this size use rendezvous: they start when their receiver has granted them, and the \
             sender waits for their completion",
        ),
        parameter(
            "handshake",
            Kind::Duration,
            Some(Value::Duration(Duration::ZERO)),
            "time from the arrival of a grant to the start of its message: matching, registration of memory",
        ),
        parameter(
            "injection",
            Kind::Optional(&Kind::Rate),
            Some(Value::Absent),
            "injection limit: maximum rate of a host over all its ports; needs queue pairs",
        ),
        parameter(
            "injection_to_many",
            Kind::Optional(&Kind::Rate),
            Some(Value::Absent),
            "the injection limit while several queue pairs have data to send; needs `injection`, and must not exceed \
             it",
        ),
        parameter(
            "reduction",
            Kind::Optional(&Kind::Rate),
            Some(Value::Absent),
            "rate at which a rank reduces received data into its own before it continues",
        ),
        parameter(
            "copy",
            Kind::Optional(&Kind::Rate),
            Some(Value::Absent),
            "rate at which a rank copies data that arrived without a grant into its final buffer, before the \
             rank continues",
        ),
        parameter(
            "local_rate",
            Kind::Optional(&Kind::Rate),
            Some(Value::Absent),
            "rate at which a rank passes data to another rank of its host, one message after the other, without \
             the fabric (modelling assumption); needed if a host has several ranks of a job",
        ),
    ],
};

/// Steps that are repeated until their mean is known precisely enough.
pub static PRECISE: Spec = Spec {
    name: "steps",
    summary: "steps are repeated until their mean time is known precisely enough",
    source: "modelling assumption: batch means, see docs/concepts/interference.md",
    parameters: &[
        parameter(
            "precision",
            Kind::Fraction { minimum: 0.0001, maximum: 1.0 },
            None,
            "half-width of the 95 % confidence interval of the mean step time, relative to that mean",
        ),
        parameter(
            "at_least",
            count(10, u32::MAX as u64),
            Some(Value::Count(10)),
            "minimum number of steps that count; the precision is checked after every ten",
        ),
        parameter(
            "at_most",
            count(1, 100_000_000),
            Some(Value::Count(1000)),
            "maximum number of steps, including those that do not count",
        ),
    ],
};

/// Steps in bursts.
pub static BURSTS: Spec = Spec {
    name: "bursts",
    summary: "bursts of steps, with pauses between them",
    source: "the bursts of Piarulli et al. 2026; `exponential` is a modelling assumption",
    parameters: &[
        parameter(
            "length",
            Kind::Duration,
            None,
            "length of a burst: steps begin until this time has passed; at least one begins",
        ),
        parameter("pause", Kind::Duration, None, "pause after a burst, in which no step begins"),
        parameter(
            "slack",
            Kind::Duration,
            Some(Value::Duration(Duration::ZERO)),
            "time by which every pause exceeds its specified length",
        ),
        parameter(
            "kind",
            Kind::Choice(&["regular", "exponential"]),
            Some(choice("regular")),
            "whether lengths and pauses are fixed, or exponentially distributed with these means; the same at all \
             ranks",
        ),
    ],
};

/// A study of interference between two jobs.
pub static INTERFERENCE: Spec = Spec {
    name: "interference",
    summary: "a job that is measured while another one interferes with it: the jobs `victim` and `aggressor`",
    source: "Piarulli et al. 2026; see docs/concepts/interference.md",
    parameters: &[
        parameter(
            "first",
            count(0, u32::MAX as u64),
            Some(Value::Count(0)),
            "number, in the fabric, of the first host of the study, if `hosts` is a number",
        ),
        parameter(
            "groups",
            Kind::Choice(&["interleaved", "contiguous", "random"]),
            Some(choice("interleaved")),
            "how hosts are divided between victim and aggressor: alternately with the victim first, in two halves, or \
             at random",
        ),
        parameter(
            "sizes",
            Kind::Choice(&["vector", "per_peer"]),
            Some(choice("vector")),
            "meaning of the size of an all-to-all: the whole vector, as for other collectives, or the part for each \
             peer",
        ),
    ],
};
