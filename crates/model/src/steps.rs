//! Lane steps: how packets change lanes in a fabric of groups, so that no ring of buffers can fill up.
//!
//! Models: a packet starts at step 0; the step rises when it leaves a switch, other than to a host, after it came by a
//! global link, and when it came by a local link and leaves by one.
//! Leaves out: which ways packets take (balancing), and the lanes themselves ([`crate::Credits`]).
//!
//! Invariants: among the channels of one step a packet takes at most one local and then at most one global link, and it never
//! goes back to a lower step. So channels, ordered by step and then local before global, are taken in rising order, whatever
//! the ways: no ring of channels waits for itself.
//!
//! Source: Kim et al. 2008 (a lane more after every global link); that it also rises between two local links is how progressive
//! routing is made safe (Jiang et al. 2009). One rule for all policies and both fabrics is ours.

use crate::routing::PortKind;

/// By how many steps a packet rises that came by one kind of link and leaves by another; a switch's own packets come from a
/// host.
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
    fn channels_are_taken_in_rising_order() {
        // Host links are no part of any ring: hosts take what comes.
        let between = [PortKind::Local, PortKind::Global];
        for (ingress, from) in between.iter().zip(0_u8..) {
            for (egress, to) in between.iter().zip(0_u8..) {
                assert!((0, from) < (rise(*ingress, *egress), to), "{ingress:?} to {egress:?}");
            }
        }
    }
}
