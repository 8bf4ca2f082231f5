//! Random small scenes: messages, a transport, congestion control, switches or credits, losses.
//!
//! Invariant: the number alone decides the scene.

use netloom_testkit::reference_roce::{
    BufferRule, Congestion, Credits, Dcqcn, Fabric, Forwarding, Headroom, Loss, MarkAt, Marking, Message,
    NackMeans, Notify, Order, Outcome, PacketSizes, QueuePairs, Recovery, Scene, Switches, Transport, play,
};
use netloom_units::Random;

use crate::fabric::{self, Paths};

/// In ps; long after the last message has arrived.
const DEADLINE: u64 = 200_000_000_000;

/// A scene before it is run.
#[derive(Clone, Debug)]
pub struct RoceScene {
    /// Its number.
    pub seed: u64,
    /// The input without the paths.
    pub scene: Scene,
    /// The paths.
    pub paths: Paths,
}

impl RoceScene {
    /// The scene of this number.
    pub fn random(seed: u64) -> RoceScene {
        let mut random = Random::stream(seed, 91, 0);
        let (fabric, paths) = fabric::random(&mut random);
        let mut scene = Scene::new(fabric);
        scene.packets = sizes(&mut random);
        let n_messages = 1 + Random::stream(scene.packets.mtu, 91, 1).below(6);
        scene.messages = messages(&mut random, &scene, n_messages);
        scene.congestion = congestion(&mut random);
        scene.transport = transport(&mut random, &scene.congestion);
        scene.switches = switches(&mut random, &scene);
        scene.losses = losses(&mut random, &scene.fabric);
        scene.deadline = DEADLINE;
        RoceScene { seed, scene, paths }
    }

    /// The scene of this number with credits on its links.
    pub fn with_credits(seed: u64) -> RoceScene {
        let mut random = Random::stream(seed, 92, 0);
        let (fabric, paths) = fabric::even_or_odd(&mut random);
        let mut scene = Scene::new(fabric);
        scene.packets = sizes(&mut random);
        if random.below(2) == 0 {
            scene.packets = PacketSizes { mtu: 1000, header: 0, control: 64 };
        }
        let n_messages = 2 + random.below(10);
        scene.messages = messages(&mut random, &scene, n_messages);
        if random.below(2) == 0 {
            at_once(&mut scene.messages);
        }
        let is_crowded = random.below(3) == 0;
        if is_crowded {
            scene.packets.control = 64 + from(&mut random, 436);
            scene.messages = crowd(&mut random, &scene);
        }
        scene.transport = transport(&mut random, &Congestion::None);
        scene.credits = Some(credits(&mut random, &scene));
        if let Some(credits) = scene.credits.as_mut().filter(|_| is_crowded) {
            credits.speedup = 1 + from(&mut random, 2);
            [credits.data_lane, credits.control_lane] = one_of(&mut random, &[[0, 0], [0, 1]]);
        }
        if random.below(4) == 0 {
            scene.losses = losses(&mut random, &scene.fabric);
        }
        let mut random = Random::stream(seed, 92, 1);
        if random.below(4) == 0 {
            make_small_packets_queue(&mut random, &mut scene);
        }
        scene.deadline = DEADLINE;
        RoceScene { seed, scene, paths }
    }

    /// Runs it.
    pub fn play(&self) -> Outcome {
        play(&self.scene, &mut self.paths.clone())
    }

    /// Whether switches cannot drop packets for lack of room.
    pub fn is_lossless(&self) -> bool {
        let rule = self.scene.switches.rule;
        matches!(rule, BufferRule::Unlimited | BufferRule::Lossless { headroom: Headroom::Full, .. })
    }
}

/// A number from 0 to below a bound.
fn from(random: &mut Random, bound: u32) -> u64 {
    u64::from(random.below(bound))
}

fn one_of<T: Clone>(random: &mut Random, items: &[T]) -> T {
    items[random.below(items.len() as u32) as usize].clone()
}

fn sizes(random: &mut Random) -> PacketSizes {
    PacketSizes { mtu: 500 + from(random, 1600), header: from(random, 80), control: 64 + from(random, 30) }
}

/// Bytes of the largest data packet on the wire.
fn largest(scene: &Scene) -> u64 {
    scene.packets.mtu + scene.packets.header
}

/// This number of messages at odd instants, half of them to host 0.
fn messages(random: &mut Random, scene: &Scene, n_messages: u32) -> Vec<Message> {
    let n_hosts = (0..scene.fabric.n_nodes()).filter(|&node| scene.fabric.is_host(node)).count() as u32;
    let mut at = 0;
    let first_psn = one_of(random, &[0, 0x00ff_fff7, 0x0012_3456]);
    let mut message = |_| {
        at += 1 + from(random, 900_000);
        let to = random.below(2) * random.below(n_hosts);
        let from_host = (to + 1 + random.below(n_hosts - 1)) % n_hosts;
        let bytes = scene.packets.mtu * from(random, 40) + 1 + from(random, scene.packets.mtu as u32);
        Message { at, from: from_host as usize, to: to as usize, bytes, first_psn }
    };
    (0..n_messages).map(&mut message).collect()
}

/// The first message of every host at the same instant, and the others at equal intervals.
fn at_once(messages: &mut [Message]) {
    for number in 0..messages.len() {
        let from = messages[number].from;
        let before = messages[..number].iter().filter(|message| message.from == from).count();
        messages[number].at = 1 + 500_000 * before as u64;
    }
}

/// Three messages of every host to several others at once, so that ingresses are busy when egresses are free.
fn crowd(random: &mut Random, scene: &Scene) -> Vec<Message> {
    let n_hosts = (0..scene.fabric.n_nodes()).filter(|&node| scene.fabric.is_host(node)).count() as u32;
    let mtu = scene.packets.mtu;
    let mut message = |number: u32| {
        let from_host = number % n_hosts;
        let to = (from_host + 1 + random.below(n_hosts - 1)) % n_hosts;
        let bytes = mtu * from(random, 20) + 1 + from(random, mtu as u32);
        // A picosecond apart: no rule defines the order of messages posted at once.
        let at = 1 + u64::from(number / n_hosts);
        Message { at, from: from_host as usize, to: to as usize, bytes, first_psn: 0 }
    };
    (0..3 * n_hosts).map(&mut message).collect()
}

/// From every host a long message and many short ones, almost at once, to two hosts, with room for them.
fn make_small_packets_queue(random: &mut Random, scene: &mut Scene) {
    let n_hosts = (0..scene.fabric.n_nodes()).filter(|&node| scene.fabric.is_host(node)).count() as u32;
    let mtu = scene.packets.mtu as u32;
    let mut message = |number: u32| {
        let from_host = number % n_hosts;
        let to = random.below(2);
        let to = if to == from_host { n_hosts - 1 } else { to };
        let to = if to == from_host { 0 } else { to };
        let nth = number / n_hosts;
        let long = if nth == 0 { u64::from(mtu) * from(random, 12) } else { 0 };
        let parts = one_of(random, &[2, 6, 30]);
        let bytes = long + 1 + from(random, mtu / parts);
        Message { at: 1 + u64::from(nth), from: from_host as usize, to: to as usize, bytes, first_psn: 0 }
    };
    scene.messages = (0..16 * n_hosts).map(&mut message).collect();
    let largest = largest(scene);
    let credits = scene.credits.as_mut().expect("there are credits");
    credits.buffer = largest.div_ceil(64) * 64 * (1 + from(random, 6));
    let outputs = [largest + from(random, largest as u32), 4 * largest, 100_000];
    credits.output_buffer = one_of(random, &outputs);
    if random.below(3) == 0 {
        // Some are granted before they have arrived.
        (credits.speedup, credits.forwarding) = (4, Forwarding::CutThrough { header: 64 });
    }
}

/// Room for one packet or some more, not always in whole blocks.
fn credits(random: &mut Random, scene: &Scene) -> Credits {
    let largest = largest(scene);
    let least = largest.div_ceil(64);
    let rooms = [least, 2 * least, least + from(random, 6 * least as u32)];
    let buffer = 64 * one_of(random, &rooms) + from(random, 64);
    let [data_lane, control_lane] = one_of(random, &[[0, 0], [0, 1], [1, 0], [2, 4]]);
    let outputs = [0, 0, from(random, 3 * largest as u32), 4 * largest, 100_000];
    let headers = [1, 64, 1 + from(random, 300), largest + 1];
    let cut_through = Forwarding::CutThrough { header: one_of(random, &headers) };
    Credits {
        buffer,
        data_lane,
        control_lane,
        order: one_of(random, &[Order::Fifo, Order::Voq]),
        speedup: 1 + from(random, 3),
        output_buffer: one_of(random, &outputs),
        forwarding: one_of(random, &[Forwarding::StoreAndForward, cut_through]),
        latency: one_of(random, &[0, 0, 100_000, 130_001]),
        is_ideal: false,
    }
}

/// Without congestion control no marks are reported.
fn transport(random: &mut Random, congestion: &Congestion) -> Transport {
    let timeout = 50_000_001 + from(random, 100_000_000);
    let irn = Recovery::Irn { window: 3 + from(random, 20), timeout_low: timeout / 3 };
    Transport {
        recovery: one_of(random, &[Recovery::GoBackN, Recovery::NicSr, irn, Recovery::Ideal]),
        queue_pairs: one_of(random, &[QueuePairs::PerMessage, QueuePairs::PerPair]),
        coalesce: one_of(random, &[1, 1, 2, 5]),
        timeout,
        notify: match (congestion, random.below(2)) {
            (Congestion::None, _) => Notify::Never,
            (_, 0) => Notify::Acknowledgement,
            _ => Notify::Packet { interval: 500_001 + from(random, 5_000_000) },
        },
    }
}

/// Timers are some ten times faster than in practice, because messages are short.
fn congestion(random: &mut Random) -> Congestion {
    if random.below(3) == 0 {
        return Congestion::None;
    }
    let decrease_period = 700_001 + from(random, 4_000_000);
    Congestion::Dcqcn(Dcqcn {
        alpha_period: 300_007 + from(random, 1_500_000),
        decrease_period,
        increase_period: decrease_period + from(random, 9_000_000),
        gain_divisor: one_of(random, &[16, 205, 256]),
        fast_steps: random.below(4),
        additive: 50_000_000 + from(random, 2_000_000_000),
        hyper: 100_000_000 + from(random, 4_000_000_000),
        smallest: 1_000_000_000 + from(random, 3_000_000_000),
        clamp_target: random.below(2) == 0,
        nack: one_of(random, &[NackMeans::Nothing, NackMeans::Cnp, NackMeans::SlowStart]),
    })
}

fn switches(random: &mut Random, scene: &Scene) -> Switches {
    let largest = largest(scene);
    let alpha = one_of(random, &[512, 1024, 2048, 8192]);
    let shared = largest * (6 + from(random, 20));
    let (rule, reserved_headroom) = match random.below(4) {
        0 => (BufferRule::Unlimited, 0),
        1 => (BufferRule::Lossy, 0),
        _ => {
            let headroom = one_of(random, &[Headroom::Full, Headroom::Full, Headroom::Bytes(largest + 99)]);
            (
                BufferRule::Lossless { headroom, xon_gap: from(random, 3000) },
                reserved_headroom(scene, headroom),
            )
        }
    };
    let at = one_of(random, &[MarkAt::Enqueue, MarkAt::Dequeue]);
    let marking = marking(random, largest, at);
    let marking = (random.below(3) > 0).then_some(marking);
    Switches { buffer: shared + reserved_headroom, alpha, rule, marking }
}

/// No mark is random: either no length is between the thresholds, or the probability there is zero. Often a threshold
/// is just met, or just exceeded, by some number of full packets.
fn marking(random: &mut Random, largest: u64, at: MarkAt) -> Marking {
    let full = largest * from(random, 6);
    let some = full + from(random, 100);
    let maximum = one_of(random, &[full, full.saturating_sub(1), some]);
    let minimum = one_of(random, &[maximum, maximum / 2]);
    Marking { at, minimum, maximum, probability: if minimum == maximum { 1.0 } else { 0.0 } }
}

/// The headroom of all ports of the switch that needs most.
fn reserved_headroom(scene: &Scene, headroom: Headroom) -> u64 {
    let fabric = &scene.fabric;
    let of_port = |node, port| match headroom {
        Headroom::Bytes(bytes) => bytes,
        Headroom::Full => {
            let link = fabric.link(node, port);
            let round_trip = 2 * u128::from(link.rate) * u128::from(link.delay);
            round_trip.div_ceil(8_000_000_000_000) as u64 + 3 * largest(scene) + 64
        }
    };
    let of_node = |node| (0..fabric.n_ports(node)).map(|port| of_port(node, port)).sum();
    let switches = (0..fabric.n_nodes()).filter(|&node| !fabric.is_host(node));
    switches.map(of_node).max().unwrap_or(0)
}

/// In every other scene up to four losses, anywhere.
fn losses(random: &mut Random, fabric: &Fabric) -> Vec<Loss> {
    let n_losses = random.below(2) * (1 + random.below(4));
    let mut loss = |_| {
        let node = random.below(fabric.n_nodes() as u32) as usize;
        let port = random.below(fabric.n_ports(node) as u32) as usize;
        Loss { node, port, nth: from(random, 30) }
    };
    (0..n_losses).map(&mut loss).collect()
}
