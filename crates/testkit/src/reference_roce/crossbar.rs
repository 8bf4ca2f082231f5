//! A switch with input buffers: transfers through its crossbar, staged packets at its egresses, and their order.
//!
//! Models: one packet at a time for every ingress and every egress, unless the crossbar is ideal; grants, also ahead of
//! time, and to several small packets at once; output buffers; the order of egresses and of virtual lanes.
//! Leaves out: input buffers (see `input`), credits (see `account`), turns of ingresses (see `turn`).
//! Invariants: after an instant no egress can start or grant anything more; a packet that is granted has left its
//! queue, and stays in its input buffer until it departs.

use std::collections::VecDeque;

use super::account::blocks;
use super::clock::Event;
use super::fabric::{NodeIdx, PortIdx, wire_time};
use super::input::BufferedPacket;
use super::outcome::Transfer;
use super::packet::Packet;
use super::scene::{Credits, Lane, Scene};
use super::turn::{Choice, Turn, in_turn};
use super::world::World;

/// A packet that waits for the wire of its egress.
#[derive(Debug)]
struct Staged {
    packet: Packet,
    /// When its transfer begins.
    begins_at: u64,
}

/// The state of an egress.
#[derive(Debug)]
struct Egress {
    /// Packets that wait for the wire, by VL.
    staged: Vec<VecDeque<Staged>>,
    /// The VL of the last transmission.
    lane_started: Option<Lane>,
    /// The VL of the last transfer granted.
    lane_granted: Option<Lane>,
    /// The turn of each VL.
    turns: Vec<Turn>,
    /// Number of transfers granted at the switch before the last one to this egress.
    granted: Option<u64>,
}

/// The state of a switch with a crossbar; at hosts it is not used.
#[derive(Debug, Default)]
pub(super) struct Crossbar {
    /// Packets in the buffers that have not been granted, by ingress and VL.
    pub(super) inputs: Vec<Vec<VecDeque<BufferedPacket>>>,
    /// Transfers granted whose packets have not departed, in the order of grants; a train counts by its parts.
    pub(super) transfers: Vec<Transfer>,
    egresses: Vec<Egress>,
    /// Number of transfers granted so far; a train is one.
    n_granted: u64,
}

/// Where a packet goes when its transfer begins.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Target {
    Wire,
    OutputBuffer,
}

/// A transfer that an egress may grant.
struct Grant {
    lane: Lane,
    ingress: PortIdx,
    /// Index of the packet in its queue.
    index: usize,
    target: Target,
    /// VLs considered before, whose ingresses were busy.
    busy_lanes: Vec<Lane>,
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
            lane_granted: None,
            turns: vec![Turn::new(n_ports); n_lanes],
            granted: None,
        };
        Crossbar {
            inputs: (0..n_ports).map(|_| queues()).collect(),
            egresses: (0..n_ports).map(|_| egress()).collect(),
            ..Crossbar::default()
        }
    }

    /// Egresses in the order of arbitration.
    fn order(&self) -> Vec<PortIdx> {
        let mut order: Vec<PortIdx> = (0..self.egresses.len()).collect();
        order.sort_by_key(|&egress| (self.egresses[egress].granted, egress));
        order
    }

    /// Whether an egress has a transfer, granted or in progress.
    fn has_transfer(&self, egress: PortIdx, now: u64) -> bool {
        self.transfers.iter().any(|transfer| transfer.egress == egress && transfer.ends_at > now)
    }

    /// When all transfers granted at an ingress will have ended; a time that has passed if it is idle.
    fn idle_at(&self, credits: &Credits, ingress: PortIdx) -> u64 {
        let of_ingress = self.transfers.iter().filter(|transfer| transfer.ingress == ingress);
        let last_end = of_ingress.map(|transfer| transfer.ends_at).max();
        if credits.is_ideal { 0 } else { last_end.unwrap_or(0) }
    }

    /// When the last packet granted at an ingress departs; a time that has passed if none is left.
    fn last_departure(&self, ingress: PortIdx) -> u64 {
        let of_ingress = self.transfers.iter().filter(|transfer| transfer.ingress == ingress);
        of_ingress.map(|transfer| transfer.leaves_at).max().unwrap_or(0)
    }

    fn staged(&self, egress: PortIdx, lane: Lane) -> u64 {
        self.egresses[egress].staged[lane].iter().map(|staged| staged.packet.bytes).sum()
    }

    fn staged_in_all_lanes(&self, egress: PortIdx) -> u64 {
        (0..self.egresses[egress].staged.len()).map(|lane| self.staged(egress, lane)).sum()
    }

    /// Bytes that have chosen an egress and have not begun to be sent.
    pub(super) fn waiting(&self, egress: PortIdx) -> u64 {
        self.chosen_bytes(egress) + self.staged_in_all_lanes(egress)
    }

    /// Whether no packet is buffered, in transfer or staged.
    pub(super) fn is_empty(&self) -> bool {
        let nothing_staged = self.egresses.iter().all(|egress| egress.staged.iter().all(VecDeque::is_empty));
        let nothing_buffered = self.inputs.iter().flatten().all(VecDeque::is_empty);
        nothing_buffered && self.transfers.is_empty() && nothing_staged
    }

    /// All turns of the switch are informed of a granted transfer.
    fn count_grant(&mut self, egress: PortIdx, grant: &Grant) {
        for (other, state) in self.egresses.iter_mut().enumerate() {
            for (lane, turn) in state.turns.iter_mut().enumerate() {
                if (other, lane) == (egress, grant.lane) {
                    turn.grant(grant.ingress);
                } else {
                    let was_busy = other == egress && grant.busy_lanes.contains(&lane);
                    turn.see_grant(grant.ingress, was_busy);
                }
            }
        }
    }
}

impl World<'_> {
    /// After all other events of an instant: the first egress in order that can start or grant something does, then the
    /// first again, until none can.
    pub(super) fn arbitrate(&mut self, node: NodeIdx) {
        while self.crossbars[node].order().into_iter().any(|egress| self.ask(node, egress)) {}
    }

    /// Lets an egress start and grant what it can; returns whether it did either.
    fn ask(&mut self, node: NodeIdx, egress: PortIdx) -> bool {
        let starts = self.is_free(node, egress) && self.start_staged(node, egress);
        let has_transfer = self.crossbars[node].has_transfer(egress, self.clock.now());
        let grant = if has_transfer { None } else { self.find_grant(node, egress) };
        let grants = grant.is_some();
        if let Some(grant) = grant {
            self.grant(node, egress, &grant);
        }
        starts || grants
    }

    fn credits(&self) -> &Credits {
        self.scene.credits.as_ref().expect("only switches with credits have a crossbar")
    }

    fn is_free(&self, node: NodeIdx, egress: PortIdx) -> bool {
        self.ports[node][egress].free_at <= self.clock.now()
    }

    /// Starts a staged packet, of the first VL in order that can; returns whether there is one.
    fn start_staged(&mut self, node: NodeIdx, egress: PortIdx) -> bool {
        let last = self.crossbars[node].egresses[egress].lane_started;
        let may_start = |lane: &Lane| {
            let first = self.crossbars[node].egresses[egress].staged[*lane].front();
            first.is_some_and(|Staged { packet, begins_at }| {
                *begins_at <= self.clock.now() && self.has_credits(node, egress, packet.kind, packet.bytes)
            })
        };
        let found = in_turn(last, self.credits().n_lanes()).find(may_start);
        if let Some(lane) = found {
            let staged = self.crossbars[node].egresses[egress].staged[lane].pop_front();
            self.start_from(node, egress, lane, staged.expect("a VL that may start has a packet").packet);
        }
        found.is_some()
    }

    fn start_from(&mut self, node: NodeIdx, egress: PortIdx, lane: Lane, packet: Packet) {
        self.crossbars[node].egresses[egress].lane_started = Some(lane);
        self.transmit(node, egress, packet);
    }

    /// When the wire of an egress becomes idle.
    fn dry_at(&self, node: NodeIdx, egress: PortIdx) -> u64 {
        let staged = self.crossbars[node].staged_in_all_lanes(egress);
        self.ports[node][egress].free_at + wire_time(staged, self.scene.fabric.link(node, egress).rate)
    }

    /// The transfer that an egress without one grants, of the first VL in order that can.
    fn find_grant(&mut self, node: NodeIdx, egress: PortIdx) -> Option<Grant> {
        let last = self.crossbars[node].egresses[egress].lane_granted;
        let mut busy_lanes = Vec::new();
        for lane in in_turn(last, self.credits().n_lanes()) {
            match self.choose_ingress(node, egress, lane) {
                Choice::Empty => {}
                Choice::Busy => busy_lanes.push(lane),
                Choice::Ingress(ingress) => {
                    let index =
                        self.head(node, ingress, lane, egress).expect("the chosen ingress has a head");
                    let packet = &self.crossbars[node].inputs[ingress][lane][index].packet;
                    if let Some(target) = self.target(node, egress, lane, packet) {
                        return Some(Grant { lane, ingress, index, target, busy_lanes });
                    }
                }
            }
        }
        None
    }

    fn head(&self, node: NodeIdx, ingress: PortIdx, lane: Lane, egress: PortIdx) -> Option<usize> {
        self.crossbars[node].head(self.credits().order, ingress, lane, egress)
    }

    /// The ingress that a VL of an egress would grant a transfer.
    fn choose_ingress(&mut self, node: NodeIdx, egress: PortIdx, lane: Lane) -> Choice {
        if !self.has_room(node, egress, lane) && !self.is_clear(node, egress, lane) {
            return Choice::Empty;
        }
        let ingresses = 0..self.scene.fabric.n_ports(node);
        let in_time = self.clock.now().max(self.dry_at(node, egress));
        let is_idle = |ingress| self.crossbars[node].idle_at(self.credits(), ingress) <= in_time;
        let has_head = |ingress| self.head(node, ingress, lane, egress).is_some();
        let is_idle: Vec<bool> = ingresses.clone().map(is_idle).collect();
        let has_head: Vec<bool> = ingresses.map(has_head).collect();
        self.crossbars[node].egresses[egress].turns[lane].choose(&has_head, &is_idle)
    }

    /// Whether the output buffer has room for any packet beside the staged bytes of a VL.
    fn has_room(&self, node: NodeIdx, egress: PortIdx, lane: Lane) -> bool {
        let staged = self.crossbars[node].staged(egress, lane);
        staged + self.scene.packets.largest() <= self.credits().output_buffer
    }

    /// Whether the wire is free and nothing of this VL is staged.
    fn is_clear(&self, node: NodeIdx, egress: PortIdx, lane: Lane) -> bool {
        self.is_free(node, egress) && self.crossbars[node].staged(egress, lane) == 0
    }

    fn target(&self, node: NodeIdx, egress: PortIdx, lane: Lane, packet: &Packet) -> Option<Target> {
        let has_credits = self.has_credits(node, egress, packet.kind, packet.bytes);
        if self.is_clear(node, egress, lane) && has_credits {
            Some(Target::Wire)
        } else {
            self.has_room(node, egress, lane).then_some(Target::OutputBuffer)
        }
    }

    /// An egress grants a transfer, which begins now or when its ingress is idle, to the head of a queue and to the
    /// packets behind it that share it.
    fn grant(&mut self, node: NodeIdx, egress: PortIdx, grant: &Grant) {
        let Grant { lane, ingress, index, target, .. } = *grant;
        let head = self.take(node, ingress, lane, index);
        let first = self.transfer(node, lane, ingress, &head);
        self.write_down(&first);
        if target == Target::Wire && first.begins_at == self.clock.now() {
            self.start_from(node, egress, lane, head.packet);
        } else {
            self.stage(head.packet, &first);
        }
        let mut n_blocks = blocks(first.bytes);
        let mut last = first;
        while let Some(index) = self.next_of_train(&last, n_blocks) {
            let buffered = self.take(node, ingress, lane, index);
            last = self.part_behind(&last, &buffered);
            n_blocks += blocks(last.bytes);
            self.write_down(&last);
            self.stage(buffered.packet, &last);
        }
        let crossbar = &mut self.crossbars[node];
        crossbar.count_grant(egress, grant);
        let state = &mut crossbar.egresses[egress];
        state.lane_granted = Some(lane);
        state.granted = Some(crossbar.n_granted);
        crossbar.n_granted += 1;
    }

    /// Takes a packet out of its queue.
    fn take(&mut self, node: NodeIdx, ingress: PortIdx, lane: Lane, index: usize) -> BufferedPacket {
        self.crossbars[node].inputs[ingress][lane].remove(index).expect("there is a packet")
    }

    fn stage(&mut self, packet: Packet, part: &Transfer) {
        let egress = &mut self.crossbars[part.node].egresses[part.egress];
        egress.staged[part.lane].push_back(Staged { packet, begins_at: part.begins_at });
    }

    /// A transfer, or a part of one, is granted now.
    fn write_down(&mut self, part: &Transfer) {
        let &Transfer { node, ingress, .. } = part;
        self.clock.schedule(part.begins_at, Event::Arbitration { node });
        self.clock.schedule(part.ends_at, Event::Arbitration { node });
        self.clock.schedule(part.leaves_at, Event::Departure { node, ingress });
        self.outcome.transfers.push(part.clone());
        self.crossbars[node].transfers.push(part.clone());
    }

    /// The transfer of the head of a queue that is granted now.
    fn transfer(&self, node: NodeIdx, lane: Lane, ingress: PortIdx, buffered: &BufferedPacket) -> Transfer {
        let now = self.clock.now();
        let &BufferedPacket { ref packet, egress, buffered_at, whole_at } = buffered;
        let crossbar = &self.crossbars[node];
        let begins_at = now.max(crossbar.idle_at(self.credits(), ingress));
        let ends_at = begins_at + self.crossing_time(node, egress, packet.bytes);
        let turn = &crossbar.egresses[egress].turns[lane];
        Transfer {
            buffered_at,
            granted_at: now,
            begins_at,
            ends_at,
            leaves_at: ends_at.max(whole_at).max(crossbar.last_departure(ingress)),
            node,
            ingress,
            egress,
            lane,
            bytes: packet.bytes,
            index: 0,
            holder: turn.holder.expect("a turn has a holder when a transfer is granted"),
            n_passed: turn.n_passed,
        }
    }

    /// The time of a packet in the crossbar.
    fn crossing_time(&self, node: NodeIdx, egress: PortIdx, bytes: u64) -> u64 {
        wire_time(bytes, self.credits().speedup * self.scene.fabric.link(node, egress).rate)
    }

    /// The index of the packet that shares a transfer with those granted before it, which take this number of blocks,
    /// if there is one.
    fn next_of_train(&self, last: &Transfer, n_blocks: u64) -> Option<usize> {
        let &Transfer { node, ingress, egress, lane, .. } = last;
        let index = self.head(node, ingress, lane, egress)?;
        let bytes = self.crossbars[node].inputs[ingress][lane][index].packet.bytes;
        let fits = n_blocks + blocks(bytes) <= blocks(self.scene.packets.largest());
        (fits && self.has_room(node, egress, lane)).then_some(index)
    }

    /// The part of a transfer that follows another one.
    fn part_behind(&self, last: &Transfer, buffered: &BufferedPacket) -> Transfer {
        let bytes = buffered.packet.bytes;
        let ends_at = last.ends_at + self.crossing_time(last.node, last.egress, bytes);
        Transfer {
            buffered_at: buffered.buffered_at,
            begins_at: last.ends_at,
            ends_at,
            leaves_at: ends_at.max(buffered.whole_at).max(last.leaves_at),
            bytes,
            index: last.index + 1,
            ..last.clone()
        }
    }

    /// The first granted packet of an ingress has left its input buffer.
    pub(super) fn depart(&mut self, node: NodeIdx, ingress: PortIdx) {
        let transfers = &mut self.crossbars[node].transfers;
        let first = transfers.iter().position(|transfer| transfer.ingress == ingress);
        let transfer = transfers.remove(first.expect("only a packet that was granted departs"));
        assert_eq!(transfer.leaves_at, self.clock.now(), "packets depart in the order of grants");
        self.give_back(node, ingress, transfer.lane, transfer.bytes);
    }
}
