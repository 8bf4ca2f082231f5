//! # Idea
//! A flow may change its path between bursts ("flowlets"), not within one.
//!
//! # Source
//! `by: packets`: A. Zeltser 2026, section 3.3 and its code: a label hashed with the flow is incremented after every
//! `packets` packets; the first flowlet is one packet short. `by: gap`: `LetFlow` (Vanini et al., NSDI 2017,
//! section 3): a flow idle for longer than the gap draws a new next hop uniformly.
//!
//! # Parameters
//! `by`, `packets`, `gap`, `salt` (for `by: packets`, which hashes).
//!
//! # Invariants
//! `by: packets` is stateless: a message of p packets takes 1 + floor(p / n) hashed paths. `by: gap` keeps one entry
//! per flow hash input in a table of fixed size, as switches do; flows that share an entry share its path and its
//! timer.
//!
//! # When it misleads
//! Counting packets ignores gaps, so it reorders. Senders paced in hardware leave no gaps, so `by: gap` degenerates to
//! one random path per flow.

use netloom_units::{Duration, Kind, Parameter, Settings, Spec, StateWriter, Time, Value, mix};

use super::ecmp::{Hash, SALT};
use super::{Balance, Context, PacketView, Pick, Ports, Position};

/// The specification.
pub static SPEC: Spec = Spec {
    name: "flowlet",
    summary: "a flow may change its path between flowlets, which end with an idle gap or after a number of \
              packets",
    source: "Vanini et al., NSDI 2017 (gap); Zeltser 2026 (packets)",
    parameters: &[
        Parameter {
            name: "by",
            kind: Kind::Choice(&["gap", "packets"]),
            default: Some(Value::Choice("gap")),
            meaning: "what ends a flowlet: an idle gap, or a number of packets",
        },
        Parameter {
            name: "gap",
            kind: Kind::Duration,
            default: Some(Value::Duration(Duration::from_micros(100))),
            meaning: "a flow idle for longer than this starts a new flowlet (with `by: gap`)",
        },
        Parameter {
            name: "packets",
            kind: Kind::Count { minimum: 1, maximum: u32::MAX as u64 },
            default: Some(Value::Count(64)),
            meaning: "number of packets per flowlet (with `by: packets`)",
        },
        SALT,
    ],
};

/// Entries of the table of `by: gap`; `LetFlow`'s own table has 64 K, at one entry per 5 bits of flow state.
const TABLE_ENTRIES: usize = 1 << 12;

/// The instance at a node.
#[derive(Debug, Clone)]
pub enum Flowlet {
    /// Cut by packet count.
    Packets(ByPackets),
    /// Cut by idle gap.
    Gap(ByGap),
}

/// Stateless: the label follows from the packet's sequence number.
#[derive(Debug, Clone)]
pub struct ByPackets {
    packets: u32,
    hash: Hash,
}

/// A table of flows with their next hop and the time they were last seen; allocated with the first packet.
#[derive(Debug, Clone)]
pub struct ByGap {
    gap: Duration,
    table: Vec<Entry>,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    last_seen: Time,
    draw: u32,
}

impl Flowlet {
    pub(super) fn new(settings: &Settings, position: Position) -> Flowlet {
        if settings.choice("by") == "packets" {
            let packets = settings.count("packets") as u32;
            return Flowlet::Packets(ByPackets { packets, hash: Hash::mixing(settings, position) });
        }
        Flowlet::Gap(ByGap { gap: settings.duration("gap"), table: Vec::new() })
    }
}

impl ByGap {
    /// The flow's random draw, renewed if the flow has been idle for longer than the gap.
    fn draw(&mut self, context: &mut Context, entropy: u32) -> u32 {
        if self.table.is_empty() {
            self.table = vec![Entry { last_seen: Time::NEVER, draw: 0 }; TABLE_ENTRIES];
        }
        let entry = &mut self.table[mix(u64::from(entropy)) as usize % TABLE_ENTRIES];
        let unseen = entry.last_seen == Time::NEVER;
        if unseen || context.now.since(entry.last_seen) > self.gap {
            entry.draw = context.random.next_u32();
        }
        entry.last_seen = context.now;
        entry.draw
    }
}

impl Balance for Flowlet {
    #[inline]
    fn pick<P: Ports>(&mut self, context: &mut Context, packet: &PacketView, ports: &mut P) -> Pick {
        let n = ports.n_minimal();
        let candidate = match self {
            Flowlet::Packets(by) => {
                // Incremented before packet i when (i + 1) mod n = 0, hence (i + 1) div n.
                let label = (packet.sequence + 1) / by.packets;
                by.hash.choose(packet.entropy, label, n)
            }
            // Stores the draw, not the port: it stays valid when the candidates change.
            Flowlet::Gap(by) => {
                let draw = u64::from(by.draw(context, packet.entropy));
                ((draw * n as u64) >> 32) as usize
            }
        };
        Pick::unchanged(candidate, packet)
    }

    fn write_state(&self, out: &mut StateWriter) {
        if let Flowlet::Gap(by) = self {
            for entry in &by.table {
                out.age(entry.last_seen);
                out.word(u64::from(entry.draw));
            }
        }
    }
}
