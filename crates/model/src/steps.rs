//! VL steps: how packets change virtual lanes in a fabric of groups, so that no cycle of buffers can fill up.
//!
//! Models: a packet starts at step 0; the step rises when the packet leaves a switch, other than to a host, after it
//! came by a global link, and when it came by a local link and leaves by one.
//! Leaves out: which paths packets take (balancing), and the virtual lanes themselves ([`crate::Credits`]).
//!
//! Invariants: among the channels of one step a packet takes at most one local and then at most one global link, and it
//! never goes back to a lower step. So channels, ordered by step and then local before global, are taken in rising
//! order, whatever the path: the channel dependency graph has no cycle.
//!
//! Source: Kim et al. 2008 (one more virtual channel after every global link); raising it between two local links as
//! well makes progressive routing safe (Jiang et al. 2009). One rule for all policies and both fabrics is a modelling
//! assumption.

use crate::routing::PortKind;

/// Number of steps by which a packet rises that came by one kind of link and leaves by another; a packet made by a
/// switch counts as coming from a host.
#[inline]
pub const fn rise(ingress: PortKind, egress: PortKind) -> u8 {
    match (ingress, egress) {
        (PortKind::Global, PortKind::Local | PortKind::Global) | (PortKind::Local, PortKind::Local) => 1,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vl_steps_are_taken_in_rising_order() {
        // Host links are in no cycle: hosts accept every packet.
        let between = [PortKind::Local, PortKind::Global];
        for (ingress, from) in between.iter().zip(0_u8..) {
            for (egress, to) in between.iter().zip(0_u8..) {
                assert!((0, from) < (rise(*ingress, *egress), to), "{ingress:?} to {egress:?}");
            }
        }
    }
}
