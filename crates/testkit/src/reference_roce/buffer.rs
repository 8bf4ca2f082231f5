//! The shared buffer of a switch: admission, and when a neighbour is stopped.
//!
//! Models: the lossy rule by egress queue and the lossless rule by ingress port, with headroom.
//! Leaves out: control packets, which are never counted; the frames themselves.
//! Invariants: a packet counts from its arrival until its transmission starts; all counted bytes are released again.

use super::fabric::{Fabric, NodeIdx, PortIdx, sent_in, wire_time};
use super::packet::FRAME_BYTES;
use super::scene::{BufferRule, Headroom, Scene};

/// The admission of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Dropped,
    Taken,
    /// Accepted, and the neighbour is to stop.
    TakenAndStop,
}

/// The counters of one ingress port.
#[derive(Debug, Default)]
struct Ingress {
    used: u64,
    headroom: u64,
    /// The most that `headroom` may hold.
    room: u64,
    is_paused: bool,
}

/// The counters of one switch.
#[derive(Debug)]
pub(super) struct Buffer {
    rule: BufferRule,
    buffer: u64,
    alpha: u64,
    ingresses: Vec<Ingress>,
    /// Bytes of data waiting for each egress port.
    waiting: Vec<u64>,
}

/// Headroom of a port: the bytes that can arrive after the decision. The packet decided on; data that the neighbour
/// sends while the frame waits for the packet on the wire, is sent and propagates, and data that was in flight; and the
/// packet that the neighbour has begun.
fn full_headroom(scene: &Scene, node: NodeIdx, port: PortIdx) -> u64 {
    let link = scene.fabric.link(node, port);
    let largest = scene.packets.mtu + scene.packets.header;
    let ahead = largest.max(scene.packets.control).max(FRAME_BYTES);
    let meanwhile = wire_time(ahead, link.rate) + wire_time(FRAME_BYTES, link.rate) + 2 * link.delay;
    2 * largest + sent_in(meanwhile, link.rate)
}

impl Buffer {
    pub(super) fn new(scene: &Scene, node: NodeIdx) -> Buffer {
        let n_ports = Fabric::n_ports(&scene.fabric, node);
        let room = |port| match scene.switches.rule {
            BufferRule::Lossless { headroom: Headroom::Full, .. } => full_headroom(scene, node, port),
            BufferRule::Lossless { headroom: Headroom::Bytes(bytes), .. } => bytes,
            BufferRule::Unlimited | BufferRule::Lossy => 0,
        };
        let ingress = |port| Ingress { room: room(port), ..Ingress::default() };
        Buffer {
            rule: scene.switches.rule,
            buffer: scene.switches.buffer,
            alpha: scene.switches.alpha,
            ingresses: (0..n_ports).map(ingress).collect(),
            waiting: vec![0; n_ports],
        }
    }

    /// Alpha times the free bytes, and no more than those; negative if more bytes are counted than the buffer has.
    fn threshold(&self) -> i128 {
        let counted = |ingress: &Ingress| i128::from(ingress.used) + i128::from(ingress.room);
        let free = match self.rule {
            BufferRule::Lossless { .. } => {
                i128::from(self.buffer) - self.ingresses.iter().map(counted).sum::<i128>()
            }
            _ => i128::from(self.buffer) - self.waiting.iter().map(|&bytes| i128::from(bytes)).sum::<i128>(),
        };
        (free * i128::from(self.alpha)).div_euclid(1024).min(free)
    }

    /// A data packet arrives.
    pub(super) fn arrives(&mut self, ingress: PortIdx, egress: PortIdx, bytes: u64) -> Verdict {
        let verdict = match self.rule {
            BufferRule::Unlimited => Verdict::Taken,
            BufferRule::Lossy => self.arrives_lossy(egress, bytes),
            BufferRule::Lossless { .. } => self.arrives_lossless(ingress, bytes),
        };
        if verdict != Verdict::Dropped {
            self.waiting[egress] += bytes;
        }
        verdict
    }

    fn arrives_lossy(&self, egress: PortIdx, bytes: u64) -> Verdict {
        let fits = i128::from(self.waiting[egress] + bytes) <= self.threshold();
        if fits { Verdict::Taken } else { Verdict::Dropped }
    }

    fn arrives_lossless(&mut self, ingress: PortIdx, bytes: u64) -> Verdict {
        let threshold = self.threshold();
        let ingress = &mut self.ingresses[ingress];
        if ingress.headroom == 0 && i128::from(ingress.used + bytes) <= threshold {
            ingress.used += bytes;
            return Verdict::Taken;
        }
        if ingress.headroom + bytes > ingress.room {
            return Verdict::Dropped;
        }
        ingress.headroom += bytes;
        let was_paused = std::mem::replace(&mut ingress.is_paused, true);
        if was_paused { Verdict::Taken } else { Verdict::TakenAndStop }
    }

    /// The transmission of a data packet starts; returns whether the neighbour it came from may resume.
    pub(super) fn leaves(&mut self, ingress: PortIdx, egress: PortIdx, bytes: u64) -> bool {
        self.waiting[egress] -= bytes;
        let BufferRule::Lossless { xon_gap, .. } = self.rule else { return false };
        let books = &mut self.ingresses[ingress];
        let of_headroom = books.headroom.min(bytes);
        books.headroom -= of_headroom;
        books.used -= bytes - of_headroom;
        let threshold = self.threshold();
        let books = &mut self.ingresses[ingress];
        let is_low = books.used == 0 || i128::from(books.used + xon_gap) <= threshold;
        let goes_on = books.is_paused && books.headroom == 0 && is_low;
        if goes_on {
            books.is_paused = false;
        }
        goes_on
    }

    /// Whether no bytes are counted and no neighbour is stopped.
    pub(super) fn is_empty(&self) -> bool {
        let idle = |ingress: &Ingress| ingress.used == 0 && ingress.headroom == 0 && !ingress.is_paused;
        self.waiting.iter().all(|&bytes| bytes == 0) && self.ingresses.iter().all(idle)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn buffer(rule: BufferRule, bytes: u64, alpha: u64) -> Buffer {
        let mut fabric = Fabric::default();
        let switch = fabric.add_switch();
        for _ in 0..3 {
            let host = fabric.add_host();
            fabric.connect(host, switch, 8_000_000_000, 1);
        }
        let mut scene = Scene::new(fabric);
        scene.switches.rule = rule;
        scene.switches.buffer = bytes;
        scene.switches.alpha = alpha;
        Buffer::new(&scene, switch)
    }

    #[test]
    fn a_lossy_queue_takes_its_share_of_the_free_buffer() {
        let mut buffer = buffer(BufferRule::Lossy, 1000, 512);
        assert_eq!(buffer.arrives(0, 2, 500), Verdict::Taken);
        assert_eq!(buffer.arrives(1, 2, 1), Verdict::Dropped);
        assert_eq!(buffer.arrives(1, 1, 251), Verdict::Dropped);
        assert_eq!(buffer.arrives(1, 1, 250), Verdict::Taken);
        assert!(!buffer.leaves(0, 2, 500));
        assert!(!buffer.is_empty());
    }

    #[test]
    fn a_lossless_port_stops_and_resumes() {
        let rule = BufferRule::Lossless { headroom: Headroom::Bytes(200), xon_gap: 50 };
        let mut buffer = buffer(rule, 1600, 1024);
        assert_eq!(buffer.arrives(0, 2, 500), Verdict::Taken);
        // 500 bytes are free; beyond them the headroom is used, whatever the size.
        assert_eq!(buffer.arrives(0, 2, 100), Verdict::TakenAndStop);
        assert_eq!(buffer.arrives(0, 2, 90), Verdict::Taken);
        assert_eq!(buffer.arrives(0, 2, 11), Verdict::Dropped);
        assert_eq!(buffer.arrives(0, 2, 10), Verdict::Taken);
        // Two hundred bytes leave the headroom, then the rest of the packet the shared part: 500 + 50 > 500.
        assert!(!buffer.leaves(0, 2, 200));
        assert!(!buffer.leaves(0, 2, 10));
        assert!(buffer.leaves(0, 2, 100));
        assert!(!buffer.leaves(0, 2, 390));
        assert!(buffer.is_empty());
    }

    #[test]
    fn headroom_is_filled_until_it_is_empty_again() {
        let rule = BufferRule::Lossless { headroom: Headroom::Bytes(350), xon_gap: 0 };
        let mut buffer = buffer(rule, 3 * 350 + 1000, 1024);
        assert_eq!(buffer.arrives(0, 2, 400), Verdict::Taken);
        assert_eq!(buffer.arrives(0, 2, 300), Verdict::TakenAndStop);
        // 400 + 100 <= 1000 - 400, yet the headroom is in use, and has no room for it.
        assert_eq!(buffer.arrives(0, 2, 100), Verdict::Dropped);
        assert_eq!(buffer.arrives(1, 2, 100), Verdict::Taken);
    }

    #[test]
    fn an_empty_port_resumes_whatever_other_ports_hold() {
        let rule = BufferRule::Lossless { headroom: Headroom::Bytes(100), xon_gap: 50 };
        let mut buffer = buffer(rule, 1300, 8192);
        assert_eq!(buffer.arrives(1, 2, 1000), Verdict::Taken);
        assert_eq!(buffer.arrives(0, 2, 1), Verdict::TakenAndStop);
        assert!(buffer.leaves(0, 2, 1));
    }

    #[test]
    fn full_headroom_covers_a_round_trip() {
        let rule = BufferRule::Lossless { headroom: Headroom::Full, xon_gap: 0 };
        // 2 ps at 1 byte per ns are less than a byte: one byte, and three packets of 1048 bytes, and a frame.
        assert_eq!(buffer(rule, 9999, 1024).ingresses[0].room, 1 + 3 * 1048 + 64);
    }
}
