//! The specs of the transports with retransmission: RDMA over Ethernet on queue pairs.
//!
//! Leaves out: their behaviour; it is described in `docs/concepts/roce.md`.

use netloom_policy::transport::Reliability;
use netloom_units::{Bytes, Duration, Kind, Parameter, Spec, Value};

use super::sections::{HASH_INPUT, choice, count, parameter};

/// Sequence numbers of packets have 24 bits.
pub const LARGEST_PSN: u64 = (1 << 24) - 1;

const MTU: Parameter =
    parameter("mtu", Kind::Size, Some(Value::Size(Bytes(4096))), "largest payload of a data packet");

const HEADER: Parameter = parameter(
    "header",
    Kind::Optional(&Kind::Size),
    Some(Value::Size(Bytes(62))),
    "bytes of each data packet in addition to its payload: Ethernet 14, IP 20, UDP 8, BTH 12, ICRC 4, FCS 4",
);

const CONTROL: Parameter = parameter(
    "control",
    Kind::Size,
    Some(Value::Size(Bytes(64))),
    "size of an ACK, a NACK or a CNP on the wire",
);

const QUEUE_PAIRS: Parameter = parameter(
    "queue_pairs",
    Kind::Choice(&["message", "pair"]),
    Some(choice("message")),
    "whether each message has its own queue pair, or all messages of a pair of hosts share one",
);

const FIRST_PSN: Parameter = parameter(
    "first_psn",
    count(0, LARGEST_PSN),
    Some(Value::Count(0)),
    "sequence number of a queue pair's first packet",
);

const COALESCE: Parameter = parameter(
    "coalesce",
    count(1, u32::MAX as u64),
    Some(Value::Count(1)),
    "number of packets, received in order, per ACK",
);

const TURN: Parameter = parameter(
    "turn",
    Kind::Optional(&Kind::Size),
    Some(Value::Absent),
    "bytes that a queue pair sends before the next queue pair of its NIC port is served; `none` is one packet \
     (modelling assumption)",
);

const RETRIES: Parameter = parameter(
    "retries",
    count(0, 1_000_000),
    Some(Value::Count(7)),
    "number of consecutive timeouts after which a queue pair still retransmits; at the next one it gives up",
);

/// The retransmission timeout.
const fn timeout(microseconds: u64, meaning: &'static str) -> Parameter {
    let span = Duration::from_micros(microseconds);
    parameter("timeout", Kind::Duration, Some(Value::Duration(span)), meaning)
}

const UNTIL_AGAIN: &str =
    "retransmission timeout (RTO): time without an acknowledgement after which a queue pair retransmits";

/// The reaction of congestion control to a NACK.
const fn nack(default: &'static str) -> Parameter {
    parameter(
        "nack",
        Kind::Choice(&["ignore", "as_cnp", "slow_start"]),
        Some(choice(default)),
        "reaction of congestion control to a NACK: none, that to a CNP, or a fall to the minimum rate",
    )
}

/// The parameters of all of them, followed by its own.
macro_rules! with_common {
    ($($own:expr),+ $(,)?) => {
        &[MTU, HEADER, CONTROL, HASH_INPUT, QUEUE_PAIRS, FIRST_PSN, COALESCE, TURN, $($own),+]
    };
}

/// In order only; everything from the gap on is retransmitted.
pub static GO_BACK_N: Spec = Spec {
    name: "go_back_n",
    summary: "the receiver accepts packets in order only, and the sender retransmits everything from the first missing \
              packet on",
    source: "InfiniBand reliable connection, as in the public RDMA models",
    parameters: with_common![timeout(4_000, UNTIL_AGAIN), RETRIES, nack("ignore"),],
};

/// One NACK per expected packet, one retransmission per NACK.
pub static NIC_SR: Spec = Spec {
    name: "nic_sr",
    summary: "selective repeat of commodity NICs: one NACK for each expected packet, one retransmission for each NACK",
    source: "Themis, section 2.2",
    parameters: with_common![timeout(4_000, UNTIL_AGAIN), RETRIES, nack("as_cnp"),],
};

/// Selective repeat with NACKs that name the packet that caused them.
pub static IRN: Spec = Spec {
    name: "irn",
    summary: "selective repeat: every NACK names the packet that caused it, and a window limits the data in flight",
    source: "Mittal et al., SIGCOMM 2018",
    parameters: with_common![
        timeout(320, UNTIL_AGAIN),
        parameter(
            "timeout_low",
            Kind::Duration,
            Some(Value::Duration(Duration::from_micros(100))),
            "the retransmission timeout while at most 3 packets are in flight",
        ),
        RETRIES,
        parameter(
            "window",
            Kind::Optional(&Kind::Size),
            Some(Value::Absent),
            "most bytes in flight; `none` takes the bandwidth-delay product of the fabric's longest path",
        ),
        nack("ignore"),
    ],
};

/// Any order, every packet acknowledged individually.
pub static IDEAL: Spec = Spec {
    name: "ideal",
    summary: "the receiver accepts packets in any order and acknowledges each individually; lost packets are \
              retransmitted after a timeout",
    source: "modelling assumption: direct data placement without any heuristic",
    parameters: with_common![timeout(1_000, UNTIL_AGAIN), RETRIES, nack("ignore"),],
};

/// The rule of a transport; `None` if it has no queue pairs.
pub fn rule(transport: &Spec) -> Option<Reliability> {
    let rules = [
        (&GO_BACK_N, Reliability::GoBackN),
        (&NIC_SR, Reliability::NicSr),
        (&IRN, Reliability::Irn),
        (&IDEAL, Reliability::Ideal),
    ];
    rules.into_iter().find(|(spec, _)| spec.name == transport.name).map(|(_, rule)| rule)
}

/// The default class of ACKs: with queue pairs one above that of data.
pub fn default_control_class(transport: Option<&Spec>) -> u64 {
    u64::from(transport.and_then(rule).is_some())
}
