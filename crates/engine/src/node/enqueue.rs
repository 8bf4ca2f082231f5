//! Queueing a packet at its egress port.
//!
//! Models: starts that are computed at enqueue, and packets that wait; updates of the port loads that a policy
//! compares.
//! Leaves out: the choice of the port; ports that count or mark data (`admission.rs`), and input buffers (`credit`).
//!
//! Invariants: every change of the instant at which a port will have sent all accepted packets updates the node's
//! loads.

use netloom_records::DropReason;

use super::features::{COMPARING, COUNTED, CREDIT, PAUSING, PAUSING_COMPARING, includes};
use super::pause_bound::certainly_admits;
use super::start::{advance_lazy_port, push};
use super::{Forwarding, Node};
use crate::context::PartitionContext;
use crate::load::PortLoads;
use crate::packet::{InFlight, Packet};
use crate::port::{Egress, Enqueued, Form};
use crate::round::Round;

impl Node {
    /// Queues a packet at a port. The packet is built only where it is stored, which saves a copy in the common case.
    #[inline(always)]
    pub(super) fn enqueue<const FEATURES: u8>(
        &mut self,
        now: u64,
        forwarding: Forwarding,
        class: u8,
        packet: impl Fn() -> Packet,
        context: &mut PartitionContext,
        round: &Round,
    ) {
        // At a switch with input buffers nothing is queued at the port.
        if FEATURES == CREDIT || (includes(FEATURES, PAUSING_COMPARING) && self.crossbar.is_some()) {
            self.buffer_at_input(now, forwarding, &packet(), context, round);
            return self.note_load(forwarding.port);
        }
        let port = forwarding.port;
        let mut egress = &mut self.ports[port as usize];
        let is_alone = includes(FEATURES, PAUSING)
            && egress.starts_before(context.next_event_bound.min(round.end), now, packet().bytes)
            && (now < self.no_pause_before
                || certainly_admits(self.buffer.as_deref(), self.edge.as_deref(), packet().bytes));
        let arrival = if is_alone {
            enqueue_computed::<FEATURES>(egress, &mut self.loads, now, port, packet().bytes)
        } else if (!includes(FEATURES, COUNTED) || egress.is_computed(class)) && egress.uses_fast_path() {
            egress.enqueue_fast(now, packet().bytes)
        } else if includes(FEATURES, COMPARING) && egress.is_comparable() {
            enqueue_listed(egress, &mut self.loads, now, port, packet().bytes)
        } else {
            // Control packets of a switch that sends pause frames may not join: they would overtake data that has
            // started.
            let mut is_computed = egress.is_computed(class);
            if egress.has_start_before(now)
                && (!includes(FEATURES, COUNTED)
                    || is_computed
                    || (includes(FEATURES, PAUSING) && egress.is_computed_unless_frames(class))
                    || !egress.may_join(now, packet().bytes))
            {
                advance_lazy_port(egress, now, context, round);
            }
            if includes(FEATURES, PAUSING)
                && egress.is_computed_unless_frames(class)
                && let Some(start) = egress.start_if_next(now, class)
            {
                is_computed = start < self.no_pause_before || {
                    let is_before = self.is_before_new_bound(now, start, round);
                    egress = &mut self.ports[port as usize];
                    is_before
                };
            }
            if !is_computed {
                return self.enqueue_waiting::<FEATURES>(now, forwarding, &packet(), context, round);
            }
            enqueue_computed::<FEATURES>(egress, &mut self.loads, now, port, packet().bytes)
        };
        match arrival {
            Some(arrival) => push(egress, InFlight { arrival, packet: packet() }, context, round),
            None => context.dropped(now, self.id.0, Some(port), DropReason::QueueFull, &packet()),
        }
    }

    /// Queues a packet whose start is not known yet.
    #[inline(always)]
    fn enqueue_waiting<const FEATURES: u8>(
        &mut self,
        now: u64,
        forwarding: Forwarding,
        packet: &Packet,
        context: &mut PartitionContext,
        round: &Round,
    ) {
        if includes(FEATURES, COUNTED) && self.ports[forwarding.port as usize].has_enqueue_effects() {
            self.enqueue_with_admission::<FEATURES>(now, forwarding, packet, context, round);
        } else {
            self.enqueue_class::<FEATURES>(now, forwarding.port, packet, context);
        }
        if includes(FEATURES, COMPARING) {
            self.note_load(forwarding.port);
        }
    }

    #[inline(always)]
    fn enqueue_class<const FEATURES: u8>(
        &mut self,
        now: u64,
        port: u32,
        packet: &Packet,
        context: &mut PartitionContext,
    ) {
        let egress = &mut self.ports[port as usize];
        match egress.enqueue(now, packet) {
            Enqueued::Taken => {}
            Enqueued::StartsAt(_) if egress.form() == Form::Lazy && !includes(FEATURES, COUNTED) => {
                self.busy[port as usize / 64] |= 1 << (port % 64);
            }
            Enqueued::StartsAt(at) => self.schedule_start(port, at, context),
            Enqueued::Full => self.refuse(now, port, DropReason::QueueFull, packet, context),
        }
    }

    /// Updates the loads of this node after a change at a port.
    #[inline(always)]
    pub(super) fn note_load(&mut self, port: u32) {
        if let Some(loads) = &mut self.loads {
            loads.note(port, &self.ports[port as usize]);
        }
    }
}

/// Appends a packet whose start is known; returns its arrival at the other end, or `None` if the queue is full.
#[inline(always)]
fn enqueue_computed<const FEATURES: u8>(
    egress: &mut Egress,
    loads: &mut Option<Box<PortLoads>>,
    now: u64,
    port: u32,
    bytes: u32,
) -> Option<u64> {
    let arrival = egress.enqueue_computed(now, bytes);
    if includes(FEATURES, COMPARING)
        && let Some(loads) = loads
    {
        loads.note(port, egress);
    }
    arrival
}

/// As [`enqueue_computed`], at a port that would use the fast path if its node did not compare ports.
#[inline(always)]
fn enqueue_listed(
    egress: &mut Egress,
    loads: &mut Option<Box<PortLoads>>,
    now: u64,
    port: u32,
    bytes: u32,
) -> Option<u64> {
    let start = egress.free_at().max(now);
    let arrival = egress.enqueue_fast(now, bytes)?;
    let loads = loads.as_deref_mut().expect("only a node that compares ports lists them");
    loads.accepted(now, port, start, egress);
    Some(arrival)
}
