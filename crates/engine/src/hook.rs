//! A hook: a middlebox in a switch's pipeline.
//!
//! Models: a hook sees each packet when it arrives and when its transmission starts; it may let it pass (changed or
//! not), drop it, keep it, send packets of its own, and set timers.
//! Leaves out: any particular scheme, such as Themis.
//!
//! Invariants: a hook acts at the exact instant of the event, in the node's event order; a packet it keeps is its own
//! to emit later or never.

use netloom_units::{NodeId, StateWriter, Time};

use crate::packet::Packet;

/// The decision about a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It is forwarded.
    Pass,
    /// It is dropped and counted.
    Drop,
    /// The hook keeps it.
    Absorb,
}

/// Actions of a hook beside its verdict.
#[derive(Debug, Default)]
pub struct Actions {
    /// Packets to forward from here, in this order, as if they had arrived on an in-link of their own.
    pub emit: Vec<Packet>,
    /// Timers to set: (instant, the hook's own number).
    pub timers: Vec<(Time, u32)>,
}

/// A middlebox at one switch.
pub trait Hook: Send {
    /// A packet has arrived by in-link `ingress`.
    fn on_arrival(&mut self, now: Time, ingress: u32, packet: &mut Packet, actions: &mut Actions) -> Verdict;

    /// The transmission of a packet is about to start at port `egress`.
    fn on_start(&mut self, _now: Time, _egress: u32, _packet: &mut Packet, _: &mut Actions) -> Verdict {
        Verdict::Pass
    }

    /// A timer has fired.
    fn on_timer(&mut self, _now: Time, _number: u32, _actions: &mut Actions) {}

    /// Writes the state that later behaviour depends on.
    fn write_state(&self, _out: &mut StateWriter) {}
}

/// A hook and its switch.
pub struct PlacedHook {
    /// The switch.
    pub node: NodeId,
    /// The hook.
    pub hook: Box<dyn Hook>,
}
