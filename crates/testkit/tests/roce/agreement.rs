//! The engine against the reference simulator, packet for packet.
//!
//! Compared: every packet on every link (start, end, kind, queue pair, PSN, size, whether it was lost); at every switch
//! whether it was marked or retransmitted; frames; packets dropped by full buffers; messages; marks and retransmissions
//! that arrived at each receiver; marks, pauses and their length at each port.
//!
//! Two simulators need not agree on the order of two events at one node and instant, so scenes with such ties are left
//! out, and counted.

use std::collections::BTreeMap;
use std::fmt::Debug;

use netloom_records::{DropReason as Reason, PacketKind, PacketRow};
use netloom_testkit::reference_roce::{
    BufferRule, Congestion, DropReason, Headroom, Hop, Kind, Loss, MarkAt, NackMeans, NodeIdx, Notify,
    Outcome, PortIdx, QpIdx, QueuePairs, Recovery,
};
use netloom_units::PortId;

use crate::engine_side::{self, Frame, Sight, Witnessed};
use crate::fabric::Choice;
use crate::scene::RoceScene;

/// Scenes compared.
const N_SCENES: usize = 3000;
/// Scenes tried at most.
const MOST_TRIED: u64 = 3300;

#[test]
fn engine_and_reference_agree_packet_for_packet() {
    let mut compared: Vec<(RoceScene, Outcome)> = Vec::new();
    let mut seed = 0;
    while compared.len() < N_SCENES {
        assert!(seed < MOST_TRIED, "too many scenes had ties");
        let (scene, outcome) = compare(RoceScene::random(seed));
        if outcome.ties() == 0 {
            compared.push((scene, outcome));
        }
        seed += 1;
    }
    cover_much(&compared);
}

/// Runs a scene on both sides; if it has no ties, they must agree.
pub fn compare(mut scene: RoceScene) -> (RoceScene, Outcome) {
    let witnessed = engine_side::run(&scene);
    let side = Engine::new(&scene, &witnessed);
    scene.scene.losses = side.losses();
    let outcome = scene.play();
    if outcome.ties() == 0 {
        let sides = Sides { scene: &scene, engine: &side, reference: &outcome };
        sides.packets_agree();
        sides.switches_agree();
        sides.messages_agree();
        // No rule defines how long a port was blocked for lack of credits.
        if sides.scene.scene.credits.is_none() {
            sides.ports_agree();
        }
    }
    (scene, outcome)
}

/// One packet on one link, as recorded by both sides.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Passage {
    started_at: u64,
    node: NodeIdx,
    port: PortIdx,
    kind: &'static str,
    qp: QpIdx,
    psn: u32,
    bytes: u64,
    arrived_at: Option<u64>,
}

/// A packet dropped by a full buffer: when, where, of which queue pair, its number.
type Refusal = (u64, NodeIdx, PortIdx, QpIdx, u32);

struct Engine<'a> {
    witnessed: &'a Witnessed,
    /// Queue pair of a message by sender and number.
    qp_of: BTreeMap<(u32, u32), QpIdx>,
    /// Messages by sender and number.
    message_of: BTreeMap<(u32, u32), usize>,
}

impl<'a> Engine<'a> {
    fn new(scene: &RoceScene, witnessed: &'a Witnessed) -> Engine<'a> {
        let numbers = engine_side::numbers(scene);
        let key = |message: usize| (scene.scene.messages[message].from as u32, numbers[message]);
        let qps = engine_side::qps(scene);
        let qp_of = qps.into_iter().enumerate().map(|(message, qp)| (key(message), qp)).collect();
        let message_of = (0..numbers.len()).map(|message| (key(message), message)).collect();
        Engine { witnessed, qp_of, message_of }
    }

    fn spot(&self, port: PortId) -> (NodeIdx, PortIdx) {
        let fabric = &self.witnessed.model.fabric;
        (fabric.port(port).node.index(), fabric.local_index(port) as usize)
    }

    fn rows(&self) -> impl Iterator<Item = (&PacketRow, (NodeIdx, PortIdx))> {
        let spot = |row: &PacketRow| self.spot(row.port.expect("there is always a path"));
        self.witnessed.run.records.packets.iter().map(move |row| (row, spot(row)))
    }

    fn qp(&self, row: &PacketRow) -> QpIdx {
        self.qp_of[&(row.source.0, row.number)]
    }

    fn passages(&self) -> Vec<Passage> {
        let passage = |(row, (node, port)): (&PacketRow, (NodeIdx, PortIdx))| {
            let is_lost = row.reason == Some(Reason::Corrupted);
            Some(Passage {
                started_at: row.start?.0,
                node,
                port,
                kind: match row.kind {
                    PacketKind::Data => "Data",
                    PacketKind::Acknowledgement => "Ack",
                    PacketKind::Nack => "Nack",
                    PacketKind::Cnp => "Cnp",
                    PacketKind::Frame => panic!("frames belong to no message"),
                },
                qp: self.qp(row),
                psn: row.packet,
                bytes: row.size.0,
                arrived_at: row.end.map(|end| end.0).filter(|_| !is_lost),
            })
        };
        sorted(self.rows().filter_map(passage))
    }

    fn refusals(&self) -> Vec<Refusal> {
        let refused = |row: &PacketRow| matches!(row.reason, Some(Reason::BufferFull | Reason::HeadroomFull));
        let refusal = |(row, (node, port)): (&PacketRow, (NodeIdx, PortIdx))| {
            (row.end.expect("it was dropped").0, node, port, self.qp(row), row.packet)
        };
        sorted(self.rows().filter(|(row, _)| refused(row)).map(refusal))
    }

    /// The losses on links, as the reference simulator takes them: the number of the data packet at its port.
    fn losses(&self) -> Vec<Loss> {
        let mut starts: Vec<_> = self
            .rows()
            .filter(|(row, _)| row.kind == PacketKind::Data)
            .filter_map(|(row, spot)| Some((spot, row.start?, row.reason == Some(Reason::Corrupted))))
            .collect();
        starts.sort_unstable();
        let mut n_started: BTreeMap<(NodeIdx, PortIdx), u64> = BTreeMap::new();
        let mut losses = Vec::new();
        for ((node, port), _, is_lost) in starts {
            let nth = n_started.entry((node, port)).or_default();
            if is_lost {
                losses.push(Loss { node, port, nth: *nth });
            }
            *nth += 1;
        }
        losses
    }
}

struct Sides<'a> {
    scene: &'a RoceScene,
    engine: &'a Engine<'a>,
    reference: &'a Outcome,
}

fn sorted<T: Ord>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut items: Vec<T> = items.collect();
    items.sort_unstable();
    items
}

fn name(kind: Kind) -> &'static str {
    match kind {
        Kind::Data => "Data",
        Kind::Ack => "Ack",
        Kind::Nack => "Nack",
        Kind::Cnp => "Cnp",
        Kind::Xoff | Kind::Xon => "Frame",
    }
}

fn is_frame(hop: &Hop) -> bool {
    matches!(hop.packet.kind, Kind::Xoff | Kind::Xon)
}

impl Sides<'_> {
    fn same<T: PartialEq + Debug>(&self, what: &str, engine: &[T], reference: &[T]) {
        let differ = |(slot, (left, right)): (usize, (&T, &T))| (left != right).then_some(slot);
        let slot = engine.iter().zip(reference).enumerate().find_map(differ);
        let Some(slot) =
            slot.or((engine.len() != reference.len()).then_some(engine.len().min(reference.len())))
        else {
            return;
        };
        panic!(
            "scene {}, {what} {slot}:\nengine    {:?}\nreference {:?}\n{:?} {:?} {:?} {:?} {:?}",
            self.scene.seed,
            engine.get(slot),
            reference.get(slot),
            self.scene.scene.transport,
            self.scene.scene.congestion,
            self.scene.scene.switches,
            self.scene.scene.credits,
            self.scene.paths.choice,
        );
    }

    /// The difference between the recorded arrival and that of the last bit: the latency of a switch with a crossbar.
    fn latency(&self, node: NodeIdx) -> u64 {
        let credits = self.scene.scene.credits.as_ref().filter(|_| !self.scene.scene.fabric.is_host(node));
        credits.map_or(0, |credits| credits.latency)
    }

    /// Every packet on every link.
    fn packets_agree(&self) {
        let hops = || self.reference.hops.iter().filter(|hop| !is_frame(hop));
        let passage = |hop: &Hop| Passage {
            started_at: hop.started_at,
            node: hop.node,
            port: hop.port,
            kind: name(hop.packet.kind),
            qp: hop.packet.qp.expect("no frame"),
            psn: hop.packet.psn,
            bytes: hop.packet.bytes,
            arrived_at: hop.arrived_at.map(|at| at + self.latency(hop.next)),
        };
        self.same("passage", &self.engine.passages(), &sorted(hops().map(passage)));
    }

    /// Packets at switches, drops, and frames to neighbours.
    fn switches_agree(&self) {
        let fabric = &self.scene.scene.fabric;
        let comes = |hop: &&Hop| !is_frame(hop) && !fabric.is_host(hop.next);
        let sight = |hop: &Hop| {
            let (_, port) = fabric.far_end(hop.node, hop.port);
            Some(Sight {
                at: hop.handled_at?,
                node: hop.next,
                port,
                kind: name(hop.packet.kind),
                qp: hop.packet.qp.expect("no frame"),
                psn: hop.packet.psn,
                marked: hop.packet.marked,
                again: hop.packet.again,
            })
        };
        let notes = &self.engine.witnessed.notes;
        let seen = sorted(notes.sights.iter().cloned());
        self.same("sight", &seen, &sorted(self.reference.hops.iter().filter(comes).filter_map(sight)));
        let frame =
            |hop: &Hop| -> Frame { (hop.started_at, hop.node, hop.port, hop.packet.kind == Kind::Xoff) };
        let frames = sorted(self.reference.hops.iter().filter(|hop| is_frame(hop)).map(frame));
        self.same("frame", &sorted(notes.frames.iter().copied()), &frames);
        let full = self.reference.drops.iter().filter(|drop| drop.reason == DropReason::Buffer);
        let refusal =
            full.map(|drop| (drop.at, drop.node, drop.port, drop.packet.qp.expect("data"), drop.packet.psn));
        self.same("refusal", &self.engine.refusals(), &sorted(refusal));
    }

    fn messages_agree(&self) {
        let records = &self.engine.witnessed.run.records;
        let message = |source: u32, number: u32| self.engine.message_of[&(source, number)];
        let ends =
            records.flows.iter().map(|row| (message(row.source.0, row.number), row.end.map(|end| end.0)));
        let fates = self.reference.messages.iter().map(|fate| fate.arrived_at).enumerate();
        self.same("message", &sorted(ends), &sorted(fates));
        // Arrivals of a message's packets, including those after its completion.
        let came = |number: usize, holds: fn(&Hop) -> bool| {
            let of_message = |hop: &&Hop| {
                let packet = &hop.packet;
                (packet.message, packet.destination) == (Some(number), hop.next) && hop.arrived_at.is_some()
            };
            self.reference.hops.iter().filter(of_message).filter(|hop| holds(hop)).count() as u32
        };
        let marked = |hop: &Hop| hop.packet.marked;
        let again = |hop: &Hop| hop.packet.again;
        let repairs = records
            .repairs
            .iter()
            .map(|row| (message(row.source.0, row.number), row.marked, row.retransmitted));
        let counted = (0..self.reference.messages.len())
            .map(|number| (number, came(number, marked), came(number, again)));
        self.same("repair", &sorted(repairs), &sorted(counted));
    }

    /// Marks, frames that stop, and the time for which a port was stopped.
    fn ports_agree(&self) {
        let mut counted: BTreeMap<(NodeIdx, PortIdx), (u64, u64, u64)> = BTreeMap::new();
        let fabric = &self.scene.scene.fabric;
        let lost = |mark: &netloom_testkit::reference_roce::Mark| {
            let marking = self.scene.scene.switches.marking.as_ref().expect("something was marked");
            let here = |drop: &&netloom_testkit::reference_roce::Drop| {
                (drop.at, drop.node, drop.port, drop.reason)
                    == (mark.at, mark.node, mark.port, DropReason::Link)
            };
            marking.at == MarkAt::Dequeue && self.reference.drops.iter().any(|drop| here(&drop))
        };
        for mark in self.reference.marks.iter().filter(|mark| !lost(mark)) {
            counted.entry((mark.node, mark.port)).or_default().0 += 1;
        }
        let mut stopped: BTreeMap<(NodeIdx, PortIdx), u64> = BTreeMap::new();
        for frame in self.reference.hops.iter().filter(|hop| is_frame(hop)) {
            let at = frame.arrived_at.expect("only data is lost");
            let neighbour = fabric.far_end(frame.node, frame.port);
            if frame.packet.kind == Kind::Xoff {
                counted.entry((frame.node, frame.port)).or_default().1 += 1;
                stopped.entry(neighbour).or_insert(at);
            } else if let Some(since) = stopped.remove(&neighbour) {
                counted.entry(neighbour).or_default().2 += at - since;
            }
        }
        let rows = &self.engine.witnessed.run.records.signals;
        let reported =
            rows.iter().map(|row| (self.engine.spot(row.port), (row.marked, row.pauses, row.paused.0)));
        let counted = counted.into_iter().filter(|(_, counts)| *counts != (0, 0, 0));
        self.same("port", &sorted(reported), &sorted(counted));
    }
}

/// Fails unless the scenes, all together, cover the cases that they are meant to cover.
fn cover_much(compared: &[(RoceScene, Outcome)]) {
    let met = |holds: &dyn Fn(&RoceScene, &Outcome) -> bool| {
        compared.iter().filter(|(scene, outcome)| holds(scene, outcome)).count()
    };
    let has = |kind: Kind| met(&|_, outcome| outcome.hops.iter().any(|hop| hop.packet.kind == kind));
    let recovery = |holds: fn(Recovery) -> bool| {
        let drops = |outcome: &Outcome| !outcome.drops.is_empty();
        let all = met(&|scene, _| holds(scene.scene.transport.recovery));
        (all, met(&|scene, outcome| holds(scene.scene.transport.recovery) && drops(outcome)))
    };
    let transports = [
        ("go_back_n", recovery(|recovery| recovery == Recovery::GoBackN)),
        ("nic_sr", recovery(|recovery| recovery == Recovery::NicSr)),
        ("irn", recovery(|recovery| matches!(recovery, Recovery::Irn { .. }))),
        ("ideal", recovery(|recovery| recovery == Recovery::Ideal)),
    ];
    let lost = |reason| met(&|_, outcome| outcome.drops.iter().any(|drop| drop.reason == reason));
    let nack = |means: NackMeans| {
        met(&|scene, outcome| {
            let Congestion::Dcqcn(dcqcn) = &scene.scene.congestion else { return false };
            dcqcn.nack == means && outcome.hops.iter().any(|hop| hop.packet.kind == Kind::Nack)
        })
    };
    let counts = [
        ("spray", met(&|scene, _| scene.paths.choice == Choice::Spray), 600),
        ("nack", has(Kind::Nack), 800),
        ("cnp", has(Kind::Cnp), 300),
        (
            "echo",
            met(&|scene, outcome| {
                scene.scene.transport.notify == Notify::Acknowledgement && !outcome.marks.is_empty()
            }),
            300,
        ),
        ("pause", has(Kind::Xoff), 500),
        (
            "headroom full",
            met(&|scene, outcome| {
                let rule = scene.scene.switches.rule;
                matches!(rule, BufferRule::Lossless { headroom: Headroom::Bytes(_), .. })
                    && outcome.drops.iter().any(|drop| drop.reason == DropReason::Buffer)
            }),
            100,
        ),
        ("full", lost(DropReason::Buffer), 400),
        ("lost", lost(DropReason::Link), 800),
        ("timeout", met(&|_, outcome| outcome.messages.iter().any(|fate| fate.timeouts > 0)), 500),
        ("rates", met(&|_, outcome| outcome.rates.len() > 5), 800),
        ("again", met(&|_, outcome| outcome.hops.iter().any(|hop| hop.packet.again)), 1000),
        ("coalesced", met(&|scene, _| scene.scene.transport.coalesce > 1), 1000),
        ("nack as cnp", nack(NackMeans::Cnp), 150),
        ("shared", met(&|scene, _| scene.scene.transport.queue_pairs == QueuePairs::PerPair), 1000),
        ("wrapped", met(&|scene, _| scene.scene.messages[0].first_psn > 1 << 23), 600),
        ("slow start", nack(NackMeans::SlowStart), 150),
    ];
    assert!(transports.iter().all(|(_, (all, dropping))| *all >= 600 && *dropping >= 250), "{transports:?}");
    let few: Vec<_> = counts.iter().filter(|(_, met, least)| met < least).collect();
    assert!(few.is_empty(), "too few scenes: {few:?} of {counts:?}");
}
