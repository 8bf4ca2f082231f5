//! Ideal completion time of a message in an unloaded fabric: the time that slowdown is measured against.
//!
//! Models: store and forward of its packets over one shortest path of the healthy, idle fabric, paced at its rate if it
//! has one. With packets of equal size, the last one smaller, over links of serialization `s_i` (of the last packet
//! `t_i`) and delay `d_i`, and packet `k` of `0..n` handed over at `p_k`:
//!
//! - the last of the equal ones has left link i at `F_i = s_1 + .. + s_i + d_1 + .. + d_(i-1) + max((n-2)
//!   max(s_1..s_i), p_(n-2))`;
//! - the last one of all has left it at `L_i = max(L_(i-1) + d_(i-1), F_i) + t_i`, where `L_0 + d_0` is `p_(n-1)`;
//! - it arrives at `L_h + d_h` over h links.
//!
//! Leaves out: windows (a window below the bandwidth-delay product slows a message even in an unloaded fabric), several
//! paths at once (a message spread over several NIC ports may be faster), failed links.
//!
//! Invariants: exact to the picosecond: an unloaded message of an open-loop transport on this path takes this time.
//! Where the next hops of a node differ, the path takes the one with the highest rate, then with the shortest delay,
//! then, in a fabric of groups, where minimal paths may differ in length, one with the fewest links behind it, then the
//! first.

use std::cmp::Reverse;

use netloom_units::{Bytes, Duration, HostId, NodeId, Rate};

use crate::{Message, Model, Port, TransportKind};

/// The time from the hand-over of the first packet to the arrival of the last one; `None` if no path leads there.
pub fn completion_time(model: &Model, from: HostId, message: &Message) -> Option<Duration> {
    let mut flight = Flight::new(model, message);
    let mut node = model.fabric.host_node(from);
    let goal = model.fabric.host_node(message.to);
    // A shortest path has fewer links than there are nodes.
    for _ in 0..model.fabric.n_nodes() {
        if node == goal {
            return Some(Duration(flight.now));
        }
        let port = next_port(model, node, message.to)?;
        flight.cross(port);
        node = model.fabric.port(port.peer).node;
    }
    None
}

/// Number of links of the path that a message is measured by; `None` if none leads there.
pub fn n_links_between(model: &Model, from: HostId, to: HostId) -> Option<u32> {
    let (mut node, goal) = (model.fabric.host_node(from), model.fabric.host_node(to));
    let mut n_links = 0;
    while node != goal {
        // A shortest path has fewer links than there are nodes.
        if n_links as usize > model.fabric.n_nodes() {
            return None;
        }
        node = model.fabric.port(next_port(model, node, to)?.peer).node;
        n_links += 1;
    }
    Some(n_links)
}

/// The best next hop of a node.
fn next_port(model: &Model, node: NodeId, to: HostId) -> Option<&Port> {
    let ports = model.fabric.ports_of(node);
    let hops = model.routing.next_hops(node, to);
    let differ_in_length = hops.len() > 1 && model.routing.n_groups() > 0;
    let best = hops.iter().min_by_key(|&port| {
        let port = &ports[port as usize];
        let end = model.fabric.port(port.peer).node;
        (Reverse(port.rate), port.delay, if differ_in_length { n_links(model, end, to) } else { 0 })
    })?;
    Some(&ports[best as usize])
}

/// Number of links of the shortest minimal path from a node. Minimal paths have few links, so this ends soon.
fn n_links(model: &Model, node: NodeId, to: HostId) -> u32 {
    if node == model.fabric.host_node(to) {
        return 0;
    }
    let ports = model.fabric.ports_of(node);
    let ends = model.routing.next_hops(node, to);
    let lengths = ends.iter().map(|port| {
        let end = model.fabric.port(ports[port as usize].peer).node;
        n_links(model, end, to)
    });
    1 + lengths.min().unwrap_or(0)
}

/// A message in flight: the times of its last two packets behind the links crossed so far.
struct Flight {
    /// Size of all packets but the last one.
    packet: Bytes,
    last: Bytes,
    /// Number of packets between the first and the last one.
    n_between: u64,
    /// When the last packet but one is handed over; `None` if there is only one packet.
    last_but_one: Option<u64>,
    /// Serializations and delays of the links crossed so far, summed, for a packet of full size.
    latency: u64,
    /// The longest of these serializations.
    slowest: u64,
    /// When the last packet has arrived.
    now: u64,
}

impl Flight {
    fn new(model: &Model, message: &Message) -> Flight {
        let packet = model.transport.packet;
        let (n_packets, last) = model.transport.cut(message.size);
        let pace = match model.transport.kind {
            TransportKind::OpenLoop { rate } => message.rate.or(rate),
            TransportKind::Window { .. } | TransportKind::Rdma(_) => None,
        };
        let handed_over = |number| hand_over(pace, packet, number);
        Flight {
            packet,
            last,
            n_between: n_packets.saturating_sub(2),
            last_but_one: n_packets.checked_sub(2).map(handed_over),
            latency: 0,
            slowest: 0,
            now: handed_over(n_packets - 1),
        }
    }

    fn cross(&mut self, port: &Port) {
        let full = port.rate.serialization(self.packet).0;
        self.latency += full;
        self.slowest = self.slowest.max(full);
        if let Some(handed_over) = self.last_but_one {
            let left = self.latency + handed_over.max(self.n_between * self.slowest);
            self.now = self.now.max(left);
        }
        self.now += port.rate.serialization(self.last).0 + port.delay.0;
        self.latency += port.delay.0;
    }
}

/// When a packet is handed over, counted from the first one.
fn hand_over(pace: Option<Rate>, packet: Bytes, number: u64) -> u64 {
    pace.map_or(0, |rate| rate.serialization(Bytes(number * packet.0)).0)
}
