//! # Idea
//! Each packet takes the next hop with the least backlog at this very node; ties are broken at random.
//!
//! # Source
//! A. Zeltser, "Adaptive Packet Routing vs. Flowlet Switching for Distributed Training Under Link Failures", 2026,
//! section 3.3: minimum egress queue in packets, uniform among ties.
//!
//! # Parameters
//! `backlog`: whether queues are compared in bytes (not yet sent) or in packets (waiting, as the source does).
//!
//! # Invariants
//! Local information only. In bytes, the rest of the packet on the wire counts; in packets, it does not. One draw among
//! the ties.
//!
//! # When it misleads
//! Downstream congestion and failed links further on are invisible to it. Real switches compare quantized and slightly
//! stale queues.

use netloom_units::{Kind, Parameter, Settings, Spec, Value};

use super::{Balance, Context, PacketView, Pick, Ports, Seat};

/// The specification.
pub static SPEC: Spec = Spec {
    name: "adaptive",
    summary: "each packet takes the next hop with the least local backlog, random among ties",
    source: "Zeltser 2026, section 3.3",
    parameters: &[Parameter {
        name: "backlog",
        kind: Kind::Choice(&["bytes", "packets"]),
        default: Some(Value::Choice("bytes")),
        meaning: "how queues are compared",
    }],
};

/// The instance at a node.
#[derive(Debug, Clone)]
pub struct Adaptive {
    in_packets: bool,
}

impl Adaptive {
    pub(super) fn new(settings: &Settings, _: Seat) -> Adaptive {
        Adaptive { in_packets: settings.choice("backlog") == "packets" }
    }
}

impl Balance for Adaptive {
    #[inline]
    fn pick<P: Ports>(&mut self, context: &mut Context, packet: &PacketView, ports: &mut P) -> Pick {
        let in_packets = self.in_packets;
        let least = least(context, ports.n_minimal(), |candidate| {
            if in_packets { ports.waiting_packets(candidate) } else { ports.waiting_bytes(candidate) }
        });
        Pick::plain(least, packet)
    }

    fn counts_packets(&self) -> bool {
        self.in_packets
    }
}

/// A candidate with the least backlog, uniform among ties: one pass to find the least and count, one to pick.
#[inline]
fn least(context: &mut Context, n: usize, mut backlog: impl FnMut(usize) -> u64) -> usize {
    let mut least = u64::MAX;
    let mut n_ties = 0;
    for candidate in 0..n {
        let waiting = backlog(candidate);
        if waiting < least {
            least = waiting;
            n_ties = 1;
        } else if waiting == least {
            n_ties += 1;
        }
    }
    let mut skip = context.random.below(n_ties);
    for candidate in 0..n {
        if backlog(candidate) == least {
            if skip == 0 {
                return candidate;
            }
            skip -= 1;
        }
    }
    unreachable!("one of the candidates has the least backlog")
}
