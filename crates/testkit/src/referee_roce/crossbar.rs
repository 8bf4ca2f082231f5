//! A switch with input buffers: ways through its crossbar, what is staged at its egresses, and who goes next.
//!
//! Models: one packet at a time for every ingress and every egress; ways as long as the crossbar takes, and as the rest
//! of the packet does; output buffers; turns among lanes and ingresses.
//! Leaves out: input buffers (see `input`), credits (see `account`).
//! Invariants: after an instant no egress can do anything more; what is staged never exceeds the output buffer of its lane.

use std::collections::VecDeque;

use super::clock::Event;
use super::fabric::{NodeIdx, PortIdx, wire_time};
use super::input::Standing;
use super::packet::Packet;
use super::scene::{Credits, Lane, Scene};
use super::world::World;

/// A packet on its way from an ingress to an egress.
#[derive(Debug)]
pub(super) struct Way {
    pub(super) lane: Lane,
    pub(super) bytes: u64,
    egress: PortIdx,
}

/// What a switch remembers of an egress.
#[derive(Debug)]
struct Egress {
    /// What waits for the wire, by lane.
    staged: Vec<VecDeque<Packet>>,
    /// The lane of the last transmission.
    lane_started: Option<Lane>,
    /// The lane of the last packet taken.
    lane_taken: Option<Lane>,
    /// Where the last packet taken of each lane came from.
    ingress_taken: Vec<Option<PortIdx>>,
    /// How many ways had begun at the switch before the last one to this egress.
    began: Option<u64>,
}

/// What a switch with a crossbar remembers; of hosts it is not used.
#[derive(Debug, Default)]
pub(super) struct Crossbar {
    /// What stands in the buffers, by ingress and lane.
    pub(super) inputs: Vec<Vec<VecDeque<Standing>>>,
    /// What each ingress sends through the crossbar.
    pub(super) ways: Vec<Option<Way>>,
    egresses: Vec<Egress>,
    /// Ways begun so far.
    n_ways: u64,
}

/// Numbers below `n` in turn, beginning after the last one.
fn in_turn(last: Option<usize>, n: usize) -> impl Iterator<Item = usize> {
    let first = last.map_or(0, |last| last + 1);
    (0..n).map(move |step| (first + step) % n)
}

/// How a packet may leave its input buffer.
#[derive(Clone, Copy)]
enum Leave {
    /// Through the crossbar on the wire.
    Transmitted,
    /// Through the crossbar to the output buffer.
    Staged,
}

impl Crossbar {
    pub(super) fn new(scene: &Scene, node: NodeIdx) -> Crossbar {
        let Some(credits) = scene.credits.as_ref().filter(|_| !scene.fabric.is_host(node)) else {
            return Crossbar::default();
        };
        let (n_ports, n_lanes) = (scene.fabric.n_ports(node), credits.n_lanes());
        let queues = || (0..n_lanes).map(|_| VecDeque::new()).collect();
        let egress = || Egress {
            staged: (0..n_lanes).map(|_| VecDeque::new()).collect(),
            lane_started: None,
            lane_taken: None,
            ingress_taken: vec![None; n_lanes],
            began: None,
        };
        Crossbar {
            inputs: (0..n_ports).map(|_| queues()).collect(),
            ways: (0..n_ports).map(|_| None).collect(),
            egresses: (0..n_ports).map(|_| egress()).collect(),
            ..Crossbar::default()
        }
    }

    /// Egresses in the order in which they are asked.
    fn order(&self) -> Vec<PortIdx> {
        let mut order: Vec<PortIdx> = (0..self.egresses.len()).collect();
        order.sort_by_key(|&egress| (self.egresses[egress].began, egress));
        order
    }

    fn takes(&self, egress: PortIdx) -> bool {
        self.ways.iter().flatten().any(|way| way.egress == egress)
    }

    fn staged(&self, egress: PortIdx, lane: Lane) -> u64 {
        self.egresses[egress].staged[lane].iter().map(|packet| packet.bytes).sum()
    }

    /// The ingress whose turn it is to send to an egress, and the place of its packet.
    fn turn(&self, credits: &Credits, egress: PortIdx, lane: Lane) -> Option<(PortIdx, usize)> {
        let last = self.egresses[egress].ingress_taken[lane];
        let mut idle = in_turn(last, self.ways.len()).filter(|&ingress| self.ways[ingress].is_none());
        let head = |ingress| Some((ingress, self.head(credits.order, ingress, lane, egress)?));
        idle.find_map(head)
    }

    /// Bytes that have chosen an egress and have not begun to be sent.
    pub(super) fn waiting(&self, egress: PortIdx) -> u64 {
        let staged = (0..self.egresses[egress].staged.len()).map(|lane| self.staged(egress, lane));
        self.chosen_bytes(egress) + staged.sum::<u64>()
    }

    /// Whether nothing stands, moves or is staged.
    pub(super) fn is_empty(&self) -> bool {
        let nothing_staged = self.egresses.iter().all(|egress| egress.staged.iter().all(VecDeque::is_empty));
        let nothing_moves = self.ways.iter().all(Option::is_none);
        self.inputs.iter().flatten().all(VecDeque::is_empty) && nothing_moves && nothing_staged
    }
}

impl World<'_> {
    /// After all that happens at an instant: the first egress in order that can do something does, then the first again,
    /// until none can.
    pub(super) fn arbitrate(&mut self, node: NodeIdx) {
        while self.crossbars[node].order().into_iter().any(|egress| self.ask(node, egress)) {}
    }

    /// Lets an egress start and take what it can; whether it did either.
    fn ask(&mut self, node: NodeIdx, egress: PortIdx) -> bool {
        let starts = self.is_free(node, egress) && self.start_staged(node, egress);
        let takes = !self.crossbars[node].takes(egress) && self.take(node, egress);
        starts || takes
    }

    fn credits(&self) -> &Credits {
        self.scene.credits.as_ref().expect("only switches with credits have a crossbar")
    }

    fn is_free(&self, node: NodeIdx, egress: PortIdx) -> bool {
        self.ports[node][egress].free_at <= self.clock.now()
    }

    /// Lets a staged packet start, of the first lane in turn that can; whether there is one.
    fn start_staged(&mut self, node: NodeIdx, egress: PortIdx) -> bool {
        let last = self.crossbars[node].egresses[egress].lane_started;
        let may_start = |lane: &Lane| {
            let first = self.crossbars[node].egresses[egress].staged[*lane].front();
            first.is_some_and(|packet| self.has_credits(node, egress, packet.kind, packet.bytes))
        };
        let found = in_turn(last, self.credits().n_lanes()).find(may_start);
        if let Some(lane) = found {
            let packet = self.crossbars[node].egresses[egress].staged[lane].pop_front();
            self.start_from(node, egress, lane, packet.expect("a lane that may start has a packet"));
        }
        found.is_some()
    }

    fn start_from(&mut self, node: NodeIdx, egress: PortIdx, lane: Lane, packet: Packet) {
        self.crossbars[node].egresses[egress].lane_started = Some(lane);
        self.transmit(node, egress, packet);
    }

    /// Lets an egress take a packet, of the first lane in turn of which one can go; whether there is one.
    fn take(&mut self, node: NodeIdx, egress: PortIdx) -> bool {
        let last = self.crossbars[node].egresses[egress].lane_taken;
        for lane in in_turn(last, self.credits().n_lanes()) {
            let Some((ingress, place)) = self.crossbars[node].turn(self.credits(), egress, lane) else {
                continue;
            };
            let packet = &self.crossbars[node].inputs[ingress][lane][place].packet;
            if let Some(leave) = self.may_leave(node, egress, lane, packet) {
                self.begin_way(node, ingress, lane, place, leave);
                return true;
            }
        }
        false
    }

    fn may_leave(&self, node: NodeIdx, egress: PortIdx, lane: Lane, packet: &Packet) -> Option<Leave> {
        let staged = self.crossbars[node].staged(egress, lane);
        let has_credits = self.has_credits(node, egress, packet.kind, packet.bytes);
        if self.is_free(node, egress) && staged == 0 && has_credits {
            Some(Leave::Transmitted)
        } else if staged + self.scene.packets.largest() <= self.credits().output_buffer {
            Some(Leave::Staged)
        } else {
            None
        }
    }

    /// The packet at this place of an ingress sets out for its egress.
    fn begin_way(&mut self, node: NodeIdx, ingress: PortIdx, lane: Lane, place: usize, leave: Leave) {
        let now = self.clock.now();
        let crossbar = &mut self.crossbars[node];
        let standing = crossbar.inputs[ingress][lane].remove(place).expect("a packet stands there");
        let Standing { packet, egress, whole_at } = standing;
        crossbar.ways[ingress] = Some(Way { lane, bytes: packet.bytes, egress });
        let books = &mut crossbar.egresses[egress];
        books.lane_taken = Some(lane);
        books.ingress_taken[lane] = Some(ingress);
        books.began = Some(crossbar.n_ways);
        crossbar.n_ways += 1;
        let rate = self.credits().speedup * self.scene.fabric.link(node, egress).rate;
        let end = (now + wire_time(packet.bytes, rate)).max(whole_at);
        self.clock.schedule(end, Event::WayEnd { node, ingress });
        match leave {
            Leave::Transmitted => self.start_from(node, egress, lane, packet),
            Leave::Staged => self.crossbars[node].egresses[egress].staged[lane].push_back(packet),
        }
    }

    /// A packet has left its input buffer.
    pub(super) fn end_way(&mut self, node: NodeIdx, ingress: PortIdx) {
        let way = self.crossbars[node].ways[ingress].take().expect("only a way that began can end");
        self.give_back(node, ingress, way.lane, way.bytes);
        self.look_at(node, way.egress);
    }
}
