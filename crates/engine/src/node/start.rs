//! Starts of transmissions: packets go from the class queues of a port onto its link.
//!
//! Models: starts that are processed when the port is next accessed; effects at a start, where there are any: random
//! loss, marks, links that are dead or about to go down, packets that are recorded.
//! Leaves out: when a packet may start (`port`).

use netloom_records::DropReason;

use crate::context::PartitionContext;
use crate::packet::InFlight;
use crate::port::{Egress, Interruption, Start};
use crate::round::Round;
use crate::trace::{HopRecord, TracedPacket};

/// Processes the starts of a lazy port before `now`; a timed port has none, and at a computed one nothing waits.
#[inline(always)]
pub fn advance_port(egress: &mut Egress, now: u64, context: &mut PartitionContext, round: &Round) {
    if egress.has_start_before(now) {
        advance_lazy_port(egress, now, context, round);
    }
}

#[inline(never)]
pub(super) fn advance_lazy_port(
    egress: &mut Egress,
    now: u64,
    context: &mut PartitionContext,
    round: &Round,
) {
    if egress.has_start_effects() {
        return advance_port_with_effects(egress, now, context, round);
    }
    while egress.has_start_before(now) {
        let start = egress.take_start();
        let entry = egress.entry(&start);
        push(egress, entry, context, round);
    }
}

/// As [`advance_lazy_port`], at a port where starts have effects.
#[inline(never)]
fn advance_port_with_effects(egress: &mut Egress, now: u64, context: &mut PartitionContext, round: &Round) {
    if egress.is_watched() {
        return advance_watched_port(egress, now, context, round);
    }
    if egress.precomputes_starts() {
        return egress.pass_departures(now);
    }
    while egress.has_start_before(now) {
        let entry = egress.take_dequeued();
        push(egress, entry, context, round);
    }
}

/// As [`advance_port_with_effects`], at a port that is watched.
#[inline(never)]
fn advance_watched_port(egress: &mut Egress, now: u64, context: &mut PartitionContext, round: &Round) {
    while egress.has_start_before(now) {
        let start = egress.take_next();
        transmit_watched(start.packet.class(), egress, start, context, round);
    }
}

/// Puts a packet whose transmission starts onto the link, unless the link goes down during the transmission.
#[inline(always)]
pub fn transmit(egress: &mut Egress, start: &Start, context: &mut PartitionContext, round: &Round) {
    transmit_as(start.packet.class(), egress, start, context, round);
}

/// As [`transmit`], of a packet that was queued in a class that may no longer be its own.
#[inline(always)]
pub(super) fn transmit_as(
    class: u8,
    egress: &mut Egress,
    start: &Start,
    context: &mut PartitionContext,
    round: &Round,
) {
    // By value: the start has to be in memory only on the slow path.
    if egress.has_start_effects() {
        return transmit_with_effects(class, egress, *start, context, round);
    }
    let entry = egress.entry(start);
    push(egress, entry, context, round);
}

/// As [`transmit_as`], at a port where starts have effects.
#[inline(never)]
fn transmit_with_effects(
    class: u8,
    egress: &mut Egress,
    start: Start,
    context: &mut PartitionContext,
    round: &Round,
) {
    if egress.is_watched() {
        return transmit_watched(class, egress, start, context, round);
    }
    transmit_dequeued(egress, &start, context, round);
}

/// As [`transmit_as`], of a packet that is no longer counted at this port, and may be marked.
#[inline(always)]
fn transmit_dequeued(egress: &mut Egress, start: &Start, context: &mut PartitionContext, round: &Round) {
    let mut entry = egress.entry(start);
    entry.packet = egress.dequeued(entry.packet);
    push(egress, entry, context, round);
}

/// As [`transmit_as`], at a port that is watched.
#[inline(never)]
fn transmit_watched(
    class: u8,
    egress: &mut Egress,
    mut start: Start,
    context: &mut PartitionContext,
    round: &Round,
) {
    if egress.only_spends() {
        egress.spend(start.at, &start.packet);
        let entry = egress.entry(&egress.cut_through_end(start));
        return push(egress, entry, context, round);
    }
    let record = egress.add_telemetry(&mut start, context);
    egress.observe(&start);
    if start_with_faults_and_trace(class, egress, start, context, round) {
        if let Some(record) = record {
            egress.send_telemetry(&record);
        }
        egress.spend(start.at, &start.packet);
        let start = egress.cut_through_end(start);
        transmit_dequeued(egress, &start, context, round);
    } else {
        egress.spend_turn(start.at, &start.packet);
        egress.uncount(start.packet);
    }
}

/// Puts an entry into the ring of a port's link.
#[inline(always)]
pub fn push(egress: &mut Egress, entry: InFlight, context: &mut PartitionContext, round: &Round) {
    egress.channel.push(entry, context, round);
}

/// A start at a link that loses packets, will change, or whose packets are recorded; returns whether the packet reaches
/// the other end.
#[cold]
#[inline(never)]
fn start_with_faults_and_trace(
    class: u8,
    egress: &mut Egress,
    start: Start,
    context: &mut PartitionContext,
    round: &Round,
) -> bool {
    let reason = loses(egress, &start);
    let cut_off = reason.is_none() && egress.interruption_of(&start) == Some(Interruption::Later);
    let end = egress.entry(&start).arrival;
    if let Some(reason) = reason {
        let from = egress.id();
        let node = round.model.fabric.port(from).node.0;
        let port = round.model.fabric.local_index(from);
        context.dropped(start.at, node, Some(port), reason, &start.packet);
        egress.count_lost(&start.packet, start.end);
    }
    let Some(trace) = egress.trace() else { return !cut_off && reason.is_none() };
    let snapshot = trace.left(class);
    if cut_off {
        trace.will_be_lost(snapshot, start.at);
        return false;
    }
    let traced = TracedPacket { snapshot, start: Some(start.at) };
    if trace.records(&start.packet, round.flows) {
        let record = trace.hop_record(&start.packet, traced);
        context.record_hop(match reason {
            Some(reason) => HopRecord { dropped: Some((start.at, reason)), ..record },
            None => HopRecord { sent: Some((start.end, end)), ..record },
        });
    }
    reason.is_none()
}

/// Why a packet is lost as soon as it starts; `None` if it is not.
fn loses(egress: &mut Egress, start: &Start) -> Option<DropReason> {
    // Losses are sampled in any case, so that no other event shifts the random stream.
    if start.packet.is_data() && egress.is_lost(&start.packet) {
        return Some(DropReason::Corrupted);
    }
    (egress.interruption_of(start) == Some(Interruption::AtStart)).then_some(DropReason::LinkDown)
}
