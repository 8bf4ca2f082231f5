//! The specs of studies of interference: hosts, steps until their mean is known, bursts, two groups.
//!
//! Leaves out: keys that are read by explicit code.

use netloom_units::{Duration, Kind, Spec, Value};

use super::sections::{choice, count, parameter};

/// Host overheads for the messages of jobs.
pub static HOSTS: Spec = Spec {
    name: "hosts",
    summary: "what hosts take for the messages of jobs: overheads, rendezvous, limits of their own",
    source: "LogGP (Alexandrov et al. 1995); rendezvous, adding and copying: ours, see docs/concepts/hosts.md",
    parameters: &[
        parameter(
            "send_overhead",
            Kind::Duration,
            Some(Value::Duration(Duration::ZERO)),
            "what posting a message takes: messages of a rank are posted one after the other",
        ),
        parameter(
            "receive_overhead",
            Kind::Duration,
            Some(Value::Duration(Duration::ZERO)),
            "how much later a rank goes on, per message that it waited for",
        ),
        parameter(
            "rendezvous",
            Kind::Optional(&Kind::Size),
            Some(Value::Absent),
            "messages of at least this size start when their receiver has granted them, and are waited for",
        ),
        parameter(
            "handshake",
            Kind::Duration,
            Some(Value::Duration(Duration::ZERO)),
            "how much later than its grant comes a message starts: matching, registration of memory",
        ),
        parameter(
            "injection",
            Kind::Optional(&Kind::Rate),
            Some(Value::Absent),
            "the most that a host starts to send, over all its ports; needs queue pairs",
        ),
        parameter(
            "injection_to_many",
            Kind::Optional(&Kind::Rate),
            Some(Value::Absent),
            "the same while several queue pairs have something to send; beside `injection`, and not above it",
        ),
        parameter(
            "reduction",
            Kind::Optional(&Kind::Rate),
            Some(Value::Absent),
            "how fast a rank adds what has come to what it has, before it goes on",
        ),
        parameter(
            "copy",
            Kind::Optional(&Kind::Rate),
            Some(Value::Absent),
            "how fast a rank copies what has come without a grant to its place, before it goes on",
        ),
    ],
};

/// Steps that are repeated until their mean is known precisely enough.
pub static PRECISE: Spec = Spec {
    name: "steps",
    summary: "steps are repeated until their mean time is known well enough",
    source: "batch means: ours, see docs/concepts/interference.md",
    parameters: &[
        parameter(
            "precision",
            Kind::Fraction { minimum: 0.0001, maximum: 1.0 },
            None,
            "half of the 95 % interval of the mean step time, over that mean",
        ),
        parameter(
            "at_least",
            count(10, u32::MAX as u64),
            Some(Value::Count(10)),
            "the fewest steps that are counted; it is looked at after every ten",
        ),
        parameter(
            "at_most",
            count(1, 100_000_000),
            Some(Value::Count(1000)),
            "the most steps that are done, those not counted included",
        ),
    ],
};

/// Steps in bursts.
pub static BURSTS: Spec = Spec {
    name: "bursts",
    summary: "steps are repeated for a while, then nothing is begun for a while",
    source: "the bursts of Piarulli et al. 2026; `exponential`: ours",
    parameters: &[
        parameter(
            "length",
            Kind::Duration,
            None,
            "steps begin until this has passed since the burst began; at least one does",
        ),
        parameter("pause", Kind::Duration, None, "then nothing is begun for so long"),
        parameter(
            "slack",
            Kind::Duration,
            Some(Value::Duration(Duration::ZERO)),
            "what every pause takes longer than it is meant to",
        ),
        parameter(
            "kind",
            Kind::Choice(&["regular", "exponential"]),
            Some(choice("regular")),
            "whether lengths and pauses are these, or drawn with these means; the same at all ranks",
        ),
    ],
};

/// A study of interference between two jobs.
pub static INTERFERENCE: Spec = Spec {
    name: "interference",
    summary: "a job that is measured while another one gets in its way: the jobs `victim` and `aggressor`",
    source: "Piarulli et al. 2026; see docs/concepts/interference.md",
    parameters: &[
        parameter(
            "first",
            count(0, u32::MAX as u64),
            Some(Value::Count(0)),
            "the number in the fabric of the first host, where `hosts` is a number",
        ),
        parameter(
            "groups",
            Kind::Choice(&["interleaved", "contiguous", "random"]),
            Some(choice("interleaved")),
            "which hosts are whose: in turns with the victim first, half and half, or drawn",
        ),
        parameter(
            "sizes",
            Kind::Choice(&["vector", "per_peer"]),
            Some(choice("vector")),
            "what the size of an all-to-all is: that of the whole vector as elsewhere, or of the part for each peer",
        ),
    ],
};
