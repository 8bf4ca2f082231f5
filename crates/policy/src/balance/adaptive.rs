//! # Idea
//! Each packet takes the next hop with the least backlog at this node; ties are broken at random.
//!
//! # Source
//! A. Zeltser, "Adaptive Packet Routing vs. Flowlet Switching for Distributed Training Under Link Failures", 2026,
//! section 3.3: minimum egress queue in packets, uniform among ties.
//!
//! # Parameters
//! `backlog`: whether queues are compared in bytes (not yet sent) or in packets (waiting, as the source does).
//!
//! # Invariants
//! Local information only. In bytes, the rest of the packet on the wire counts; in packets, it does not. One random
//! draw per choice among ties.
//!
//! # When it misleads
//! It does not see congestion or failed links downstream. Real switches compare quantized and slightly stale queue
//! lengths.

use netloom_units::{Kind, Parameter, Settings, Spec, Value};

use super::least::{Least, MOST_MASKED, one_of};
use super::{Balance, Context, PacketView, Pick, Ports, Position};

/// The specification.
pub static SPEC: Spec = Spec {
    name: "adaptive",
    summary: "each packet takes the next hop with the least local backlog, random among ties",
    source: "Zeltser 2026, section 3.3",
    parameters: &[Parameter {
        name: "backlog",
        kind: Kind::Choice(&["bytes", "packets"]),
        default: Some(Value::Choice("bytes")),
        meaning: "unit in which queues are compared: bytes not yet sent, or packets waiting",
    }],
};

/// The instance at a node.
#[derive(Debug, Clone)]
pub struct Adaptive {
    in_packets: bool,
    least: Least,
}

impl Adaptive {
    pub(super) fn new(settings: &Settings, _: Position) -> Adaptive {
        Adaptive { in_packets: settings.choice("backlog") == "packets", least: Least::default() }
    }
}

impl Balance for Adaptive {
    #[inline(always)]
    fn pick<P: Ports>(&mut self, context: &mut Context, packet: &PacketView, ports: &mut P) -> Pick {
        let n = ports.n_minimal();
        let least = match (n <= MOST_MASKED, self.in_packets) {
            (true, true) => one_of(ports.fewest_packets(), context.random),
            (true, false) => one_of(ports.fewest_bytes(), context.random),
            (false, true) => self.least.of(context, n, |candidate| ports.waiting_packets(candidate)),
            (false, false) => self.least.of(context, n, |candidate| ports.waiting_bytes(candidate)),
        };
        Pick::unchanged(least, packet)
    }

    fn counts_packets(&self) -> bool {
        self.in_packets
    }

    fn compares_bytes(&self) -> bool {
        !self.in_packets
    }
}
