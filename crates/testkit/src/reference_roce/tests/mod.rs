//! The whole network on small cases with computed expectations.
//!
//! Links of 8 Gbps take 1 ns per byte; packets carry 1000 bytes behind a header of 48, control packets have 64.

mod congestion;
mod credits;
mod crossbar;
mod latency;
mod lossless;
mod recovery;
mod shares;
mod trains;
mod turns;

use super::{Credits, Fabric, Forwarding, Hop, Kind, Message, NodeIdx, Order, Outcome, Packet, Scene, play};

/// 1 ns per byte.
const RATE: u64 = 8_000_000_000;
/// Delay of every link: 1 us.
const DELAY: u64 = 1_000_000;
/// Transmission time of a full packet at [`RATE`].
const FULL: u64 = 1_048_000;
/// From the last bit of a data packet at the receiver to the ACK at the sender, two links away.
const BACK: u64 = 2 * (64_000 + DELAY);

/// Hosts with links of these rates around a switch, whose ports are numbered like the hosts.
fn star(rates: &[u64]) -> Scene {
    star_at(DELAY, rates)
}

/// The same with another delay.
fn star_at(delay: u64, rates: &[u64]) -> Scene {
    let mut fabric = Fabric::default();
    for _ in rates {
        fabric.add_host();
    }
    let switch = fabric.add_switch();
    for (host, &rate) in rates.iter().enumerate() {
        fabric.connect(host, switch, rate, delay);
    }
    Scene::new(fabric)
}

/// Credits for this number of bytes, data and control packets in VLs of their own; otherwise the simplest settings.
fn credits_for(buffer: u64) -> Credits {
    Credits {
        buffer,
        data_lane: 0,
        control_lane: 1,
        order: Order::Voq,
        speedup: 1,
        output_buffer: 0,
        forwarding: Forwarding::StoreAndForward,
        latency: 0,
        is_ideal: false,
    }
}

/// Sends this number of full packets at an instant.
fn send(scene: &mut Scene, at: u64, from: NodeIdx, to: NodeIdx, n_packets: u64) {
    scene.messages.push(Message { at, from, to, bytes: 1000 * n_packets, first_psn: 0 });
}

/// Runs a scene over a star.
fn played(scene: &Scene) -> Outcome {
    play(scene, &mut |_: NodeIdx, packet: &Packet| packet.destination)
}

/// The packets of a kind that a node sent.
fn sent(outcome: &Outcome, node: NodeIdx, kind: Kind) -> Vec<&Hop> {
    outcome.hops.iter().filter(|hop| hop.node == node && hop.packet.kind == kind).collect()
}

/// When a node started data, and which positions.
fn data_starts(outcome: &Outcome, node: NodeIdx) -> Vec<(u64, u64)> {
    sent(outcome, node, Kind::Data).iter().map(|hop| (hop.started_at, hop.packet.position)).collect()
}
