//! Transports with queue pairs: sizes on the wire, and the window that follows from the fabric.
//!
//! Invariants: a window is a number of packets, at least one, and less than half of all sequence numbers.

use netloom_catalog::Built;
use netloom_model::{Fabric, NackReaction, QueuePairs, Rdma, Routing};
use netloom_policy::transport::Reliability;
use netloom_units::{Bytes, Duration, NodeId, Rate, Value};

use super::built_fabric::BuiltFabric;
use super::choices::optional_size;
use super::longest_path::{PS_PER_BYTE_AT_1BPS, longest_path};
use crate::diagnostic::Problems;
use crate::quantity::{self, Dimension};
use crate::resolve::Draft;
use crate::resolved::{Parameters, queue_pairs};

/// Packets in flight must be fewer than half of all sequence numbers.
const LARGEST_WINDOW: u64 = queue_pairs::LARGEST_PSN / 2;

/// The largest data packet on the wire.
pub(super) fn packet(transport: &Parameters) -> Bytes {
    match transport.spec.parameter("mtu") {
        Some(_) => Bytes(transport.settings.size("mtu").0 + header(transport).0),
        None => transport.settings.size("packet"),
    }
}

/// A control packet on the wire, of transports with queue pairs; pausing needs one of these.
pub(super) fn control(transport: &Parameters) -> Bytes {
    match transport.spec.parameter("control") {
        Some(_) => transport.settings.size("control"),
        None => Bytes(0),
    }
}

fn header(transport: &Parameters) -> Bytes {
    optional_size(transport, "header").unwrap_or(Bytes(0))
}

/// How queue pairs carry messages.
pub(super) fn rdma(transport: &Parameters, rule: Reliability, window: u64) -> Rdma {
    let settings = &transport.settings;
    let timeout = settings.duration("timeout");
    Rdma {
        rule,
        header: header(transport),
        control: settings.size("control"),
        queue_pairs: match settings.choice("queue_pairs") {
            "pair" => QueuePairs::Pair,
            _ => QueuePairs::Message,
        },
        first_psn: settings.count("first_psn") as u32,
        coalesce: settings.count("coalesce") as u32,
        turn: optional_size(transport, "turn").unwrap_or(Bytes(0)),
        timeout,
        timeout_low: timeout_low(transport).unwrap_or(timeout),
        retries: settings.count("retries") as u32,
        window,
        nack: match settings.choice("nack") {
            "as_cnp" => NackReaction::AsCnp,
            "slow_start" => NackReaction::SlowStart,
            _ => NackReaction::Ignore,
        },
    }
}

fn timeout_low(transport: &Parameters) -> Option<Duration> {
    transport.spec.parameter("timeout_low").map(|_| transport.settings.duration("timeout_low"))
}

/// The longest time without an ACK before a queue pair gives up, in ps.
pub(super) fn longest_silence(transport: &Parameters) -> u128 {
    let timeout = transport.settings.duration("timeout");
    let longer = timeout_low(transport).map_or(timeout, |low| low.max(timeout));
    u128::from(longer.0) * (u128::from(transport.settings.count("retries")) + 1)
}

/// Largest number of packets in flight: as written, or the capacity of the longest path of the fabric.
pub(super) fn window(
    draft: &Draft,
    built_fabric: &BuiltFabric,
    notes: &mut Vec<String>,
    problems: &mut Problems,
) -> u64 {
    let Some(transport) = draft.transport.as_ref().filter(|found| found.spec.parameter("window").is_some())
    else {
        return LARGEST_WINDOW;
    };
    let packet = packet(transport);
    let window = match transport.settings.optional("window") {
        Some(Value::Size(given)) => given_window(transport, given.0 / packet.0, problems),
        _ => own_window(built_fabric, packet, notes),
    };
    let coalesce = transport.settings.count("coalesce");
    if coalesce > window {
        let message =
            format!("an ACK for {coalesce} packets is never sent: no more than {window} are in flight");
        let report = problems.report(transport.location_of("coalesce"), message);
        report.label("more than the window holds").help(format!("at most `coalesce: {window}`"));
    }
    window
}

/// The capacity of the longest path of the fabric, in packets.
fn own_window(built_fabric: &BuiltFabric, packet: Bytes, notes: &mut Vec<String>) -> u64 {
    let product = bandwidth_delay_product(built_fabric, packet);
    let window = product.div_ceil(u128::from(packet.0)).clamp(1, LARGEST_WINDOW.into()) as u64;
    let size = quantity::print(window.saturating_mul(packet.0), Dimension::Size);
    notes.push(format!(
        "modelling assumption: `window: none` of `irn` is {window} packets here ({size}): rate of a host times the \
         round trip over the longest path, with full packets in both directions"
    ));
    window
}

fn given_window(transport: &Parameters, packets: u64, problems: &mut Problems) -> u64 {
    if packets > LARGEST_WINDOW {
        let message = "a window must hold fewer packets than half of all sequence numbers";
        let report = problems.report(transport.location_of("window"), message);
        report.label(format!("{packets} packets, expected at most {LARGEST_WINDOW}"));
        report.help("a smaller window, or a larger `mtu`");
    }
    packets.max(1)
}

/// The largest round trip of the fabric without queues: a packet there, its ACK back. Computed only if congestion
/// control needs it.
pub(super) fn round_trip(draft: &Draft, built_fabric: &BuiltFabric, notes: &mut Vec<String>) -> Duration {
    let (Some(congestion), Some(transport)) = (&draft.congestion, &draft.transport) else {
        return Duration::ZERO;
    };
    let kind = &congestion.kind;
    let is_asked = kind.spec.parameter("base_rtt").is_some() && kind.settings.optional("base_rtt").is_none();
    if !is_asked || queue_pairs::rule(transport.spec).is_none() {
        return Duration::ZERO;
    }
    let credits = draft.queues.as_ref().and_then(|queues| queues.credits.as_ref());
    let header = credits
        .filter(|credits| credits.settings.choice("forwarding") == "cut_through")
        .map(|credits| credits.settings.size("header"));
    let latency = credits.map_or(0, |credits| credits.settings.duration("latency").0);
    let one_direction = |bytes: Bytes| {
        let at_switches = header.map_or(bytes, |header| header.min(bytes));
        let whole = slowest(&built_fabric.built.fabric).serialization(Bytes(bytes.0 - at_switches.0)).0;
        longest_path(&built_fabric.built, at_switches, latency).saturating_add(whole)
    };
    let sum =
        one_direction(packet(transport)).saturating_add(one_direction(transport.settings.size("control")));
    let span = quantity::print(sum, Dimension::Duration);
    notes.push(format!(
        "modelling assumption: `base_rtt: none` of `{}` is {span} here: a packet over the longest path, and its \
         acknowledgement back",
        kind.spec.name
    ));
    Duration(sum)
}

/// The slowest port of any host.
fn slowest(fabric: &Fabric) -> Rate {
    let ports = (0..fabric.n_hosts() as u32).flat_map(|host| fabric.ports_of(NodeId(host)));
    ports.map(|port| port.rate).min().unwrap_or(Rate(1))
}

/// Bytes that a host can send until the ACK of the first of them arrives.
fn bandwidth_delay_product(built_fabric: &BuiltFabric, packet: Bytes) -> u128 {
    let fabric = &built_fabric.built.fabric;
    let rate = (0..fabric.n_hosts() as u32)
        .map(|host| capacity(&built_fabric.built, NodeId(host)).0)
        .max()
        .unwrap_or(0);
    let round_trip = 2 * u128::from(longest_path(&built_fabric.built, packet, 0));
    u128::from(rate).saturating_mul(round_trip).div_ceil(PS_PER_BYTE_AT_1BPS)
}

/// The summed rate of all ports of a host, without its link to a switch inside its server.
pub(super) fn capacity(built: &Built, node: NodeId) -> Rate {
    let n_inner = usize::from(matches!(built.routing, Routing::Rail(_)));
    let ports = &built.fabric.ports_of(node)[n_inner..];
    Rate(ports.iter().fold(0, |sum: u64, port| sum.saturating_add(port.rate.0)))
}
