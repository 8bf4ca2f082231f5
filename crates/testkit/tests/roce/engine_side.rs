//! The engine's side: the scene as a model, its paths as a policy from outside, and hooks at every switch that record
//! what no table contains: marks, retransmissions, frames.
//!
//! Losses are sampled by the engine; the reference simulator gets the resulting losses as a list.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use netloom_engine::hook::{Actions, Hook, PlacedHook, Verdict};
use netloom_engine::packet::{Packet, PacketKind};
use netloom_engine::{Extensions, Options};
use netloom_model::{
    Buffer, Credits, FabricBuilder, Forwarding, InputOrder, Marking, Model, NackReaction, Pause, PriorityMap,
    QueuePairs as Sharing, Rdma, TransportKind,
};
use netloom_policy::balance::{Chosen, Context, DynBalance, PacketView, Pick, Ports, Position};
use netloom_policy::congestion::{Chosen as Controller, SPECS, number_of};
use netloom_policy::transport::Reliability;
use netloom_testkit::fixture::{ListedWork, Run, Sending, Wiring, everything_joined, model, simulate_with};
use netloom_testkit::reference_roce::{
    self, BufferRule, Congestion, Headroom, MarkAt, NackMeans, NodeIdx, Notify, Order, PortIdx, QpIdx,
    QueuePairs, Recovery,
};
use netloom_units::{Bytes, Duration, LinkId, NodeId, Rate, Time, Value, mix};

use crate::fabric::Choice;
use crate::scene::RoceScene;

/// The probability of a loss, in 2^-32, in scenes with losses.
const LOSS: u64 = (1 << 32) / 100;

/// The class of data.
const DATA_CLASS: u8 = 0;
/// The class of control packets.
const CONTROL_CLASS: u8 = 5;

/// A packet at a switch, as a hook sees it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Sight {
    /// When its last bit arrived; with credits, when it was ready in the input buffer.
    pub at: u64,
    /// The switch.
    pub node: NodeIdx,
    /// The port it arrived on.
    pub port: PortIdx,
    /// What it is.
    pub kind: &'static str,
    /// Its queue pair.
    pub qp: QpIdx,
    /// Its number, or the expected one.
    pub psn: u32,
    /// It was marked, or answers a packet that was.
    pub marked: bool,
    /// It was retransmitted.
    pub again: bool,
}

/// A frame whose transmission starts: when, where, whether it stops the other end.
pub type Frame = (u64, NodeIdx, PortIdx, bool);

/// The notes of hooks.
#[derive(Debug, Default)]
pub struct Notes {
    /// Packets that arrived at switches.
    pub sights: Vec<Sight>,
    /// Frames that switches sent.
    pub frames: Vec<Frame>,
}

/// A scene run by the engine.
pub struct Witnessed {
    /// The model that was run.
    pub model: Model,
    /// What was recorded.
    pub run: Run,
    /// The notes.
    pub notes: Notes,
}

/// Queue pairs by the hash input of their packets.
type QpOf = Arc<BTreeMap<u32, QpIdx>>;

/// The queue pair of each message: the number of the message that created it.
pub fn qps(scene: &RoceScene) -> Vec<QpIdx> {
    let messages = &scene.scene.messages;
    let maker = |(number, message): (usize, &reference_roce::Message)| {
        let shared = scene.scene.transport.queue_pairs == QueuePairs::PerPair;
        let same = |other: &reference_roce::Message| (other.from, other.to) == (message.from, message.to);
        if shared { messages.iter().position(same).expect("the message matches itself") } else { number }
    };
    messages.iter().enumerate().map(maker).collect()
}

/// The number of each message among its sender's.
pub fn numbers(scene: &RoceScene) -> Vec<u32> {
    let messages = &scene.scene.messages;
    let before = |(number, message): (usize, &reference_roce::Message)| {
        messages[..number].iter().filter(|other| other.from == message.from).count() as u32
    };
    messages.iter().enumerate().map(before).collect()
}

/// The hash inputs that the engine gives to data and, inverted, to answers.
fn hash_inputs(scene: &RoceScene, seed: u64) -> BTreeMap<u32, QpIdx> {
    let numbers = numbers(scene);
    let mut found = BTreeMap::new();
    for (message, qp) in qps(scene).into_iter().enumerate().filter(|&(message, qp)| message == qp) {
        let ends = &scene.scene.messages[message];
        let pair = mix(seed ^ mix((ends.from as u64) << 32 | ends.to as u64));
        let entropy = (mix(pair ^ (u64::from(numbers[message]) + 1)) >> 32) as u32;
        for input in [entropy, !entropy] {
            assert_eq!(found.insert(input, qp), None, "two queue pairs have one hash input");
        }
    }
    found
}

/// The paths of the scene, as a policy.
struct Scripted {
    choice: Choice,
    node: usize,
    qp_of: QpOf,
    /// Number of packets of each in-link that had a choice.
    turns: BTreeMap<u32, usize>,
}

impl DynBalance for Scripted {
    fn pick(&mut self, _: &mut Context, packet: &PacketView, ports: &mut dyn Ports) -> Pick {
        let n = ports.n_minimal();
        let key = match self.choice {
            _ if n == 1 => 0,
            Choice::Spray if packet.is_data => packet.sequence as usize,
            Choice::PerQp | Choice::Spray => self.qp_of[&packet.entropy] + self.node,
            Choice::RoundRobin => {
                let turn = self.turns.entry(packet.ingress).or_default();
                *turn += 1;
                *turn
            }
            Choice::Adaptive => {
                let waiting: Vec<u64> = (0..n).map(|candidate| ports.waiting_bytes(candidate)).collect();
                waiting.iter().position(|bytes| Some(bytes) == waiting.iter().min()).expect("there is one")
            }
        };
        Pick::unchanged(key % n, packet)
    }
}

/// Records passing packets.
struct Clerk {
    node: usize,
    qp_of: QpOf,
    notes: Arc<Mutex<Notes>>,
}

impl Hook for Clerk {
    fn on_arrival(&mut self, now: Time, ingress: u32, packet: &mut Packet, _: &mut Actions) -> Verdict {
        let kind = match packet.kind() {
            PacketKind::Data => "Data",
            PacketKind::Acknowledgement => "Ack",
            PacketKind::Nack => "Nack",
            PacketKind::Cnp => "Cnp",
            PacketKind::Pause | PacketKind::Resume | PacketKind::Credit | PacketKind::Notice => {
                panic!("frames, credits and notifications are not forwarded")
            }
        };
        let sight = Sight {
            at: now.0,
            node: self.node,
            port: ingress as usize,
            kind,
            qp: self.qp_of[&packet.entropy],
            psn: packet.sequence,
            marked: packet.has(Packet::MARKED) || packet.has(Packet::ECHO),
            again: packet.has(Packet::RETRANSMISSION),
        };
        self.notes.lock().expect("unbroken").sights.push(sight);
        Verdict::Pass
    }

    fn on_start(&mut self, now: Time, egress: u32, packet: &mut Packet, _: &mut Actions) -> Verdict {
        if packet.is_link_local() {
            let stops = packet.kind() == PacketKind::Pause;
            self.notes.lock().expect("unbroken").frames.push((now.0, self.node, egress as usize, stops));
        }
        Verdict::Pass
    }
}

/// Runs the scene with and without hooks: all runs must record the same.
pub fn run(scene: &RoceScene) -> Witnessed {
    let mut model = model_of(scene);
    let qp_of: QpOf = Arc::new(hash_inputs(scene, model.seed));
    let (choice, qp_numbers) = (scene.paths.choice, Arc::clone(&qp_of));
    let script = move |position: Position| -> Box<dyn DynBalance> {
        let (node, qp_of) = (position.node as usize, Arc::clone(&qp_numbers));
        Box::new(Scripted { choice, node, qp_of, turns: BTreeMap::new() })
    };
    model.balances.switch = Chosen::Dyn(Arc::new(script));
    let notes = Arc::<Mutex<Notes>>::default();
    let switches = model.fabric.n_hosts()..model.fabric.n_nodes();
    let clerk = |node| Clerk { node, qp_of: Arc::clone(&qp_of), notes: Arc::clone(&notes) };
    let position = |node| PlacedHook { node: NodeId(node as u32), hook: Box::new(clerk(node)) };
    let extensions = Extensions { hooks: switches.map(position).collect(), ..Extensions::default() };
    let work = work(scene);
    let run = simulate_with(&model, work.clone(), Options::default(), extensions);
    let notes = std::mem::take(&mut *notes.lock().expect("unbroken"));

    let plain = simulate_with(&model, work.clone(), Options::default(), Extensions::default());
    assert!(plain.clone().results() == run.clone().results(), "scene {}: without hooks", scene.seed);
    let joined = simulate_with(&model, work.clone(), everything_joined(), Extensions::default());
    assert!(joined.results() == plain.results(), "scene {}: joined", scene.seed);
    let mut silent = model.clone();
    silent.recording.packets_on.clear();
    let silent = simulate_with(&silent, work, Options::default(), Extensions::default()).records;
    let same = silent.flows == run.records.flows
        && silent.repairs == run.records.repairs
        && silent.signals == run.records.signals
        && silent.drops == run.records.drops;
    assert!(same, "scene {}: without a record of packets", scene.seed);
    Witnessed { model, run, notes }
}

fn work(scene: &RoceScene) -> ListedWork {
    let sending = |message: &reference_roce::Message| {
        Sending::new(message.at, message.from as u32, message.to as u32, message.bytes)
    };
    ListedWork::new(&scene.scene.messages.iter().map(sending).collect::<Vec<_>>())
}

fn model_of(scene: &RoceScene) -> Model {
    let given = &scene.scene;
    let mut model = model(wiring(scene));
    model.seed = scene.seed;
    model.coordination_delay = Duration(5_000_000);
    model.classes = PriorityMap { data: DATA_CLASS, control: CONTROL_CLASS };
    model.transport.packet = Bytes(given.packets.mtu + given.packets.header);
    model.transport.kind = TransportKind::Rdma(transport(scene));
    model.congestion = congestion(scene);
    model.queues.buffer = buffer(scene);
    model.queues.credits = given.credits.as_ref().map(credits);
    model.queues.marking = given.switches.marking.as_ref().map(|marking| Marking {
        minimum: Bytes(marking.minimum),
        maximum: Bytes(marking.maximum),
        probability: (marking.probability * (1_u64 << 32) as f64) as u64,
        at_enqueue: marking.at == MarkAt::Enqueue,
    });
    model.loss = if given.losses.is_empty() { 0 } else { LOSS };
    model.recording.packets_on = (0..given.fabric.links().len() as u32).map(LinkId).collect();
    model
}

fn wiring(scene: &RoceScene) -> Wiring {
    let fabric = &scene.scene.fabric;
    let n_hosts = (0..fabric.n_nodes()).filter(|&node| fabric.is_host(node)).count();
    let mut builder = FabricBuilder::new(n_hosts as u32, (fabric.n_nodes() - n_hosts) as u32);
    for link in fabric.links() {
        let [from, to] = link.ends.map(|(node, _)| NodeId(node as u32));
        builder.link(from, to, Rate(link.rate), Duration(link.delay));
    }
    Wiring::shortest(builder)
}

fn transport(scene: &RoceScene) -> Rdma {
    let given = &scene.scene.transport;
    let timeout = Duration(given.timeout);
    let (rule, window, timeout_low) = match given.recovery {
        Recovery::GoBackN => (Reliability::GoBackN, 0, timeout),
        Recovery::NicSr => (Reliability::NicSr, 0, timeout),
        Recovery::Irn { window, timeout_low } => (Reliability::Irn, window, Duration(timeout_low)),
        Recovery::Ideal => (Reliability::Ideal, 0, timeout),
    };
    let nack = match &scene.scene.congestion {
        Congestion::None => NackReaction::Ignore,
        Congestion::Dcqcn(dcqcn) => match dcqcn.nack {
            NackMeans::Nothing => NackReaction::Ignore,
            NackMeans::Cnp => NackReaction::AsCnp,
            NackMeans::SlowStart => NackReaction::SlowStart,
        },
    };
    Rdma {
        rule,
        header: Bytes(scene.scene.packets.header),
        control: Bytes(scene.scene.packets.control),
        queue_pairs: match given.queue_pairs {
            QueuePairs::PerMessage => Sharing::Message,
            QueuePairs::PerPair => Sharing::Pair,
        },
        first_psn: scene.scene.messages[0].first_psn,
        coalesce: given.coalesce,
        turn: Bytes(0),
        timeout,
        timeout_low,
        retries: 10_000,
        window,
        nack,
    }
}

fn congestion(scene: &RoceScene) -> Controller {
    let Congestion::Dcqcn(given) = &scene.scene.congestion else { return Controller::named("none") };
    let time = |picos| Value::Duration(Duration(picos));
    let rate = |bits| Value::Rate(Rate(bits));
    let (notify, interval) = match scene.scene.transport.notify {
        Notify::Packet { interval } => ("packet", interval),
        Notify::Acknowledgement => ("acknowledgement", 0),
        Notify::Never => panic!("congestion control needs reports of marks"),
    };
    let number = number_of("dcqcn").expect("it is registered");
    let settings = SPECS[number]
        .defaults()
        .with("alpha_time", time(given.alpha_period))
        .with("decrease_time", time(given.decrease_period))
        .with("increase_time", time(given.increase_period))
        .with("gain", Value::Count(given.gain_divisor))
        .with("initial_alpha", Value::Fraction(1.0))
        .with("fast_recovery", Value::Count(u64::from(given.fast_steps)))
        .with("additive", rate(given.additive))
        .with("hyper", rate(given.hyper))
        .with("minimum", rate(given.smallest))
        .with("clamp_target", Value::Flag(given.clamp_target))
        .with("notify", Value::Choice(notify))
        .with("cnp_interval", time(interval));
    Controller::with(number, settings)
}

fn buffer(scene: &RoceScene) -> Option<Buffer> {
    let given = &scene.scene.switches;
    let pause = match given.rule {
        BufferRule::Unlimited => return None,
        BufferRule::Lossy => None,
        BufferRule::Lossless { headroom, xon_gap } => {
            let headroom = match headroom {
                Headroom::Full => None,
                Headroom::Bytes(bytes) => Some(Bytes(bytes)),
            };
            Some(Pause { headroom, xon_gap: Bytes(xon_gap) })
        }
    };
    Some(Buffer { size: Bytes(given.buffer), alpha: given.alpha as u32, pause })
}

fn credits(given: &reference_roce::Credits) -> Credits {
    let mut lanes = [given.data_lane as u8; 8];
    lanes[usize::from(CONTROL_CLASS)] = given.control_lane as u8;
    Credits {
        buffer: Bytes(given.buffer),
        vls: lanes,
        n_steps: 1,
        order: match given.order {
            Order::Fifo => InputOrder::Fifo,
            Order::Voq => InputOrder::Voq,
        },
        speedup: given.speedup as u32,
        output_buffer: Bytes(given.output_buffer),
        forwarding: match given.forwarding {
            reference_roce::Forwarding::StoreAndForward => Forwarding::StoreAndForward,
            reference_roce::Forwarding::CutThrough { header } => {
                Forwarding::CutThrough { header: Bytes(header) }
            }
        },
        latency: Duration(given.latency),
        is_ideal: given.is_ideal,
    }
}
