//! The inside of a switch with input buffers: who waits for which egress, and who may go.
//!
//! Models: heads of queues, ways through the crossbar under way, packets staged at an egress; all as bits, so that whoever
//! may have something to do is found without asking everybody.
//! Leaves out: the queues themselves (`queues.rs`), who goes next (`arbiter.rs`), the wires (`port`).
//!
//! Invariants: a bit in `wanted` stands for the head of a queue; an ingress and an egress have one way each at most; while
//! nothing waits in the switch, ends of ways may be overdue, and are caught up with when something comes; an egress asked in
//! vain does nothing.

use netloom_model::{Credits, Forwarding, InputOrder, Port};
use netloom_units::{Bytes, Rate, StateWriter, Time};

use super::ends::Ends;
use super::queues::{Entry, Line, NONE, Queues};
use super::steps::Steps;
use super::{Returns, Throttle};
use crate::packet::Packet;
use crate::trace::Found;

/// One input buffer.
pub struct Input {
    /// The way back for credits; none for what the switch makes itself.
    pub returns: Option<Returns>,
    /// Where packets may leave before they have come whole: the rate they come at, and what must have come.
    pub cut_through: Option<(Rate, Bytes)>,
}

impl Input {
    /// When the last bit of a packet has come that stands in the buffer at `now`.
    #[inline]
    pub fn whole_at(&self, now: u64, packet: &Packet) -> u64 {
        match self.cut_through {
            None => now,
            Some((rate, header)) => {
                let rest = u64::from(packet.bytes).saturating_sub(header.0);
                now + rate.serialization(Bytes(rest)).0
            }
        }
    }
}

/// One egress, as the crossbar sees it.
#[derive(Debug)]
pub struct Output {
    /// The ingress of the way under way to it, `NONE` for none.
    pub taking: u32,
    /// Packets in input buffers or staged.
    pub n_waiting: u32,
    /// Number of the last way begun to it, from 1; 0 for none.
    pub last_way: u64,
    /// The lane it took last.
    pub lane: usize,
    /// The lane of which a packet started last.
    pub wire_lane: usize,
}

/// One lane of an egress.
#[derive(Debug, Clone)]
pub struct OutputLane {
    /// The ingress it took last.
    pub turn: u32,
    /// What waits at the egress for its wire.
    pub staged: Line,
    /// Bytes of that.
    pub staged_bytes: u64,
}

/// See the module.
pub struct Crossbar {
    /// The first lane of each class.
    lanes: [u8; 8],
    /// How lane steps are taken, in a fabric of groups.
    pub steps: Option<Box<Steps>>,
    /// Lanes.
    pub n_lanes: usize,
    /// How much faster than a link it is.
    pub speedup: u64,
    /// What may be staged of each lane at an egress.
    pub output_buffer: u64,
    /// Input buffers, one more than ports: the last is for what the switch makes itself.
    pub inputs: Vec<Input>,
    /// One for each port.
    pub outputs: Vec<Output>,
    /// For each port and lane.
    output_lanes: Vec<OutputLane>,
    /// What waits.
    pub queues: Queues,
    /// The instant for which something is expected to happen, `u64::MAX` for none.
    pub event_at: u64,
    /// Whether the switch is alone in its partition, which then looks at `event_at`; else that is an event.
    pub is_alone: bool,
    /// Who fills ports towards hosts, at a switch that tells them.
    pub throttle: Option<Box<Throttle>>,
    /// Bytes of a full packet.
    full: u32,
    /// Whether transmissions may end apart from ways.
    has_wires: bool,
    /// Whether packets may be staged at all.
    pub stages: bool,
    /// Packets that wait in the switch.
    n_waiting: u32,
    n_words: usize,
    /// For each egress and lane: a bit for each ingress that has a head for it.
    wanted: Vec<u64>,
    /// A bit for each ingress without a way under way.
    idle: Vec<u64>,
    /// For each ingress: a bit for each egress that a head of it wants.
    wants: Vec<u64>,
    /// Bits of egresses.
    egresses: Vec<EgressBits>,
    /// Ends of ways.
    ways: Ends,
    /// Ends of transmissions that may end apart from ways.
    wires: Ends,
    /// Ways begun so far.
    n_ways: u64,
}

/// Sixty-four egresses, a bit for each in each word.
#[derive(Debug, Clone, Copy, Default)]
struct EgressBits {
    /// It has no way under way.
    open: u64,
    /// There may be room for a packet: its wire is free, or packets may wait for it.
    roomy: u64,
    /// There were no credits for the head whose turn it was.
    starved: u64,
    /// It may have something to do.
    stirred: u64,
}

impl EgressBits {
    /// Those that may be able to take something.
    #[inline]
    fn ready(&self) -> u64 {
        self.open & self.roomy
    }
}

impl Crossbar {
    /// Empty buffers behind the in-links of a switch; those of links that may slow down take packets whole.
    pub fn new(
        credits: &Credits,
        packet: Bytes,
        ports: &[Port],
        returns: Vec<Returns>,
        is_steady: impl Fn(&Port) -> bool,
    ) -> Crossbar {
        let (n_ports, n_lanes) = (ports.len(), credits.n_lanes());
        let fastest = ports.iter().map(|port| port.rate).max().unwrap_or(Rate(0));
        let input = |(port, returns): (&Port, Returns)| Input {
            returns: Some(returns),
            cut_through: cut_through(credits, port.rate, fastest)
                .filter(|_| is_steady(port))
                .map(|header| (port.rate, header)),
        };
        let mut inputs: Vec<Input> = ports.iter().zip(returns).map(input).collect();
        inputs.push(Input { returns: None, cut_through: None });
        let (lane, wire_lane) = (n_lanes - 1, n_lanes - 1);
        let output = || Output { taking: NONE, n_waiting: 0, last_way: 0, lane, wire_lane };
        let output_lane = OutputLane { turn: n_ports as u32, staged: Line::EMPTY, staged_bytes: 0 };
        let n_words = inputs.len().div_ceil(64);
        let all = |word: usize| bits_below(n_ports - 64 * word);
        Crossbar {
            lanes: credits.lanes,
            steps: None,
            n_lanes,
            speedup: u64::from(credits.speedup),
            output_buffer: credits.output_buffer.0,
            outputs: (0..n_ports).map(|_| output()).collect(),
            output_lanes: vec![output_lane; n_ports * n_lanes],
            queues: Queues::new(inputs.len(), n_lanes, n_ports, credits.order == InputOrder::Voq),
            event_at: u64::MAX,
            is_alone: false,
            throttle: None,
            full: u32::try_from(packet.0).unwrap_or(u32::MAX),
            // Ways end with transmissions where the crossbar is no faster.
            has_wires: credits.output_buffer.0 > 0 || credits.speedup > 1,
            stages: credits.output_buffer >= packet,
            n_waiting: 0,
            n_words,
            wanted: vec![0; n_ports * n_lanes * n_words],
            idle: (0..n_words).map(|word| bits_below(inputs.len() - 64 * word)).collect(),
            wants: vec![0; inputs.len() * n_ports.div_ceil(64)],
            inputs,
            egresses: (0..n_ports.div_ceil(64))
                .map(|word| EgressBits { open: all(word), roomy: all(word), ..EgressBits::default() })
                .collect(),
            ways: Ends::default(),
            wires: Ends::default(),
            n_ways: 0,
        }
    }

    /// Lets packets rise from lane to lane, before the run.
    pub fn take_steps(&mut self, steps: Steps) {
        self.steps = Some(Box::new(steps));
        self.queues.put_off();
    }

    /// Whether packets that come need more than a place.
    #[inline(always)]
    pub fn is_special(&self) -> bool {
        self.steps.is_some() | self.throttle.is_some()
    }

    /// The lane of a packet as it is.
    #[inline]
    pub fn lane(&self, packet: &Packet) -> usize {
        usize::from(self.lanes[usize::from(packet.class() & 7)] + packet.step())
    }

    /// Lanes that a packet rises by between an ingress and an egress.
    #[inline]
    fn rise(&self, ingress: u32, egress: u32) -> usize {
        match &self.steps {
            None => 0,
            Some(steps) => steps.rise(ingress, egress),
        }
    }

    /// The lane in which packets come by an ingress that leave by an egress in a lane.
    #[inline]
    pub fn lane_before(&self, ingress: u32, egress: u32, lane: usize) -> usize {
        lane - self.rise(ingress, egress)
    }

    /// The lane whose turn it is after another one.
    #[inline]
    pub fn lane_after(&self, lane: usize) -> usize {
        if lane + 1 < self.n_lanes { lane + 1 } else { 0 }
    }

    /// A lane of an egress.
    #[inline]
    pub fn output_lane(&mut self, egress: u32, lane: usize) -> &mut OutputLane {
        &mut self.output_lanes[egress as usize * self.n_lanes + lane]
    }

    #[inline]
    fn wanted_word(&self, egress: u32, lane: usize) -> usize {
        (egress as usize * self.n_lanes + lane) * self.n_words
    }

    /// A packet has come. Tells whether it may be able to go at once: its egress is to be asked then.
    #[inline(always)]
    pub fn insert(
        &mut self,
        ingress: u32,
        egress: u32,
        packet: &Packet,
        whole_at: u64,
        found: Option<Found>,
    ) -> bool {
        let lane = self.lane(packet);
        let before = self.lane_before(ingress, egress, lane);
        let (place, is_head) = self.queues.insert(ingress, before, egress, packet, whole_at);
        if let Some(found) = found {
            self.queues.note(place, found);
        }
        self.outputs[egress as usize].n_waiting += 1;
        self.n_waiting += 1;
        if !is_head {
            return false;
        }
        self.want(ingress, lane, egress);
        let is_idle = self.idle[ingress as usize / 64] >> (ingress % 64) & 1 == 1;
        let bits = &mut self.egresses[egress as usize / 64];
        let bit = 1 << (egress % 64);
        if self.n_waiting > 1 && (bits.ready() & bit == 0 || !is_idle) {
            return false;
        }
        bits.stirred |= bit;
        true
    }

    /// A queue has a head for an egress.
    #[inline]
    fn want(&mut self, ingress: u32, lane: usize, egress: u32) {
        let word = self.wanted_word(egress, lane) + ingress as usize / 64;
        self.wanted[word] |= 1 << (ingress % 64);
        let word = ingress as usize * self.egresses.len() + egress as usize / 64;
        self.wants[word] |= 1 << (egress % 64);
    }

    /// A queue has no head for an egress any more.
    #[inline]
    fn want_no_more(&mut self, ingress: u32, lane: usize, egress: u32) {
        let word = self.wanted_word(egress, lane) + ingress as usize / 64;
        self.wanted[word] &= !(1 << (ingress % 64));
        if self.n_lanes == 1 || (0..self.n_lanes).all(|lane| !self.is_wanted(ingress, lane, egress)) {
            let word = ingress as usize * self.egresses.len() + egress as usize / 64;
            self.wants[word] &= !(1 << (egress % 64));
        }
    }

    #[inline]
    fn is_wanted(&self, ingress: u32, lane: usize, egress: u32) -> bool {
        self.wanted[self.wanted_word(egress, lane) + ingress as usize / 64] >> (ingress % 64) & 1 == 1
    }

    /// Takes the head of an ingress, in the lane that it came by, for an egress in a lane of it out of its buffer: its place.
    /// The next one takes its turn.
    #[inline]
    pub fn take_head(&mut self, (ingress, before): (u32, usize), lane: usize, egress: u32) -> u32 {
        let (place, next) = self.queues.take_head(ingress, before, egress);
        if next != Some(egress) {
            self.want_no_more(ingress, lane, egress);
            if let Some(next) = next {
                self.want(ingress, before + self.rise(ingress, next), next);
            }
        }
        place
    }

    /// A packet leaves the switch that is in no queue any more.
    #[inline]
    pub fn remove(&mut self, egress: u32, place: u32) -> (Packet, Option<Found>) {
        self.outputs[egress as usize].n_waiting -= 1;
        self.n_waiting -= 1;
        self.queues.remove(place)
    }

    /// The idle ingress whose turn it is among those with a head for an egress in a lane.
    #[inline]
    pub fn next_ingress(&self, egress: u32, lane: usize) -> Option<u32> {
        let last = self.output_lanes[egress as usize * self.n_lanes + lane].turn;
        let base = self.wanted_word(egress, lane);
        if self.n_words == 1 {
            let candidates = self.wanted[base] & self.idle[0];
            let after = candidates & (u64::MAX << 1 << (last & 63));
            return lowest(0, if after == 0 { candidates } else { after });
        }
        let candidates = |word: usize| self.wanted[base + word] & self.idle[word];
        let (first_word, first_bit) = ((last + 1) as usize / 64, (last + 1) % 64);
        let after = (first_word..self.n_words).find_map(|word| {
            let mask = if word == first_word { u64::MAX << first_bit } else { u64::MAX };
            lowest(word, candidates(word) & mask)
        });
        after.or_else(|| (0..self.n_words).find_map(|word| lowest(word, candidates(word))))
    }

    /// A way begins, and ends at `end`.
    #[inline]
    pub fn begin(&mut self, ingress: u32, egress: u32, lane: usize, end: u64, is_long: bool) {
        self.idle[ingress as usize / 64] &= !(1 << (ingress % 64));
        self.egresses[egress as usize / 64].open &= !(1 << (egress % 64));
        self.n_ways += 1;
        let output = &mut self.outputs[egress as usize];
        (output.taking, output.last_way, output.lane) = (ingress, self.n_ways, lane);
        self.output_lane(egress, lane).turn = ingress;
        self.ways.push(end, egress, is_long);
        // Where a head of this ingress held up a smaller one of another, that may go now.
        let wants = &self.wants[ingress as usize * self.egresses.len()..];
        for (bits, wants) in self.egresses.iter_mut().zip(wants) {
            bits.stirred |= wants & bits.starved;
        }
    }

    /// There are no credits for the head whose turn it is at an egress.
    #[cold]
    pub fn starve(&mut self, egress: u32) {
        self.egresses[egress as usize / 64].starved |= 1 << (egress % 64);
    }

    /// A packet is staged at an egress.
    #[inline]
    pub fn stage(&mut self, egress: u32, lane: usize, place: u32) {
        let bytes = u64::from(self.queues.entry(place).packet.bytes);
        let own = &mut self.output_lanes[egress as usize * self.n_lanes + lane];
        self.queues.append(&mut own.staged, place);
        own.staged_bytes += bytes;
        if own.staged_bytes + u64::from(self.full) > self.output_buffer {
            self.note_room(egress);
        }
    }

    /// Takes the first staged packet of a lane out of its queue: its place.
    #[inline]
    pub fn take_staged(&mut self, egress: u32, lane: usize) -> u32 {
        let own = &mut self.output_lanes[egress as usize * self.n_lanes + lane];
        let place = own.staged.first;
        self.queues.take_first(&mut own.staged);
        own.staged_bytes -= u64::from(self.queues.entry(place).packet.bytes);
        if own.staged_bytes + u64::from(self.full) <= self.output_buffer {
            self.set_roomy(egress, true);
        }
        place
    }

    /// As [`Crossbar::take_staged`], of any lane that has such a packet.
    pub fn take_any_staged(&mut self, egress: u32) -> Option<u32> {
        let lane = (0..self.n_lanes).find(|&lane| self.output_lane(egress, lane).staged.first != NONE)?;
        Some(self.take_staged(egress, lane))
    }

    /// Whether another packet may be staged in a lane.
    #[inline]
    pub fn has_room(&self, egress: u32, lane: usize) -> bool {
        let staged = self.output_lanes[egress as usize * self.n_lanes + lane].staged_bytes;
        staged + u64::from(self.full) <= self.output_buffer
    }

    /// A lane has no more room: maybe none has.
    #[inline]
    fn note_room(&mut self, egress: u32) {
        let is_roomy = self.n_lanes > 1 && (0..self.n_lanes).any(|lane| self.has_room(egress, lane));
        self.set_roomy(egress, is_roomy);
    }

    #[inline]
    fn set_roomy(&mut self, egress: u32, is_roomy: bool) {
        let roomy = &mut self.egresses[egress as usize / 64].roomy;
        *roomy = *roomy & !(1 << (egress % 64)) | u64::from(is_roomy) << (egress % 64);
    }

    /// A transmission begins, and ends at `end`.
    #[inline]
    pub fn occupy(&mut self, egress: u32, end: u64, is_long: bool) {
        if self.has_wires {
            self.wires.push(end, egress, is_long);
        }
        if !self.stages {
            self.set_roomy(egress, false);
        }
    }

    /// Whether a packet takes long.
    #[inline]
    pub fn is_long(&self, bytes: u32) -> bool {
        bytes >= self.full / 2
    }

    /// What ends at `now` ends: ways, and transmissions.
    #[inline]
    pub fn end_all(&mut self, now: u64) {
        while let Some(egress) = self.wires.take(now) {
            if !self.stages {
                self.set_roomy(egress, true);
            }
            if self.outputs[egress as usize].n_waiting > 0 {
                self.stir(egress);
            }
        }
        while let Some(egress) = self.ways.take(now) {
            self.end_way(egress);
        }
    }

    #[inline]
    fn end_way(&mut self, egress: u32) {
        let ingress = std::mem::replace(&mut self.outputs[egress as usize].taking, NONE);
        self.idle[ingress as usize / 64] |= 1 << (ingress % 64);
        let (word, bit) = (egress as usize / 64, 1 << (egress % 64));
        self.egresses[word].open |= bit;
        if !self.has_wires {
            self.egresses[word].roomy |= bit;
        }
        if self.n_waiting == 0 {
            return;
        }
        if self.egresses[word].roomy & bit != 0 && self.outputs[egress as usize].n_waiting > 0 {
            self.egresses[word].stirred |= bit;
        }
        self.stir_wanted(ingress);
    }

    /// Egresses that an ingress has heads for may have something to do.
    #[inline]
    pub fn stir_wanted(&mut self, ingress: u32) {
        let wants = &self.wants[ingress as usize * self.egresses.len()..];
        for (bits, wants) in self.egresses.iter_mut().zip(wants) {
            bits.stirred |= wants & bits.ready();
        }
    }

    /// The next instant at which something ends that somebody may wait for, `u64::MAX` for none.
    #[inline]
    pub fn next_end(&self) -> u64 {
        if self.n_waiting == 0 { u64::MAX } else { self.ways.next().min(self.wires.next()) }
    }

    /// An egress may have something to do: its wire may be free, or it may have room or credits.
    #[inline]
    pub fn stir(&mut self, egress: u32) {
        self.egresses[egress as usize / 64].stirred |= 1 << (egress % 64);
    }

    /// Of the egresses that may have something to do, the one that is asked first: it began a way the longest ago.
    #[inline]
    pub fn take_stirred(&mut self) -> Option<u32> {
        let egress = match &mut self.egresses[..] {
            // The common cases: a switch of no more than 64 ports, and one egress or none.
            [bits] if bits.stirred & bits.stirred.wrapping_sub(1) == 0 => {
                if bits.stirred == 0 {
                    return None;
                }
                bits.stirred.trailing_zeros()
            }
            _ => self.first_stirred()?,
        };
        let bits = &mut self.egresses[egress as usize / 64];
        bits.stirred &= !(1 << (egress % 64));
        bits.starved &= !(1 << (egress % 64));
        Some(egress)
    }

    #[inline(never)]
    fn first_stirred(&self) -> Option<u32> {
        let mut first: Option<(u64, u32)> = None;
        for (number, bits) in self.egresses.iter().enumerate() {
            let mut bits = bits.stirred;
            while bits != 0 {
                let egress = number as u32 * 64 + bits.trailing_zeros();
                bits &= bits - 1;
                let order = (self.outputs[egress as usize].last_way, egress);
                first = Some(first.map_or(order, |first| first.min(order)));
            }
        }
        first.map(|first| first.1)
    }

    /// Whether so many credits do not suffice for the packet of a lane that an egress sends next, and none can be staged: what
    /// is staged leaves in order, and while nothing is, nobody passes the head whose turn it is.
    pub fn lacks(&self, egress: u32, lane: usize, blocks: u32) -> bool {
        // What may still be staged makes room in its buffer.
        if self.stages && self.has_room(egress, lane) {
            return false;
        }
        let own = &self.output_lanes[egress as usize * self.n_lanes + lane];
        let staged = self.queues.packets_of(own.staged).next().map(|(entry, _)| entry.packet.bytes);
        let head = |ingress| {
            let before = self.lane_before(ingress, egress, lane);
            self.queues.head(ingress, before, egress).packet.bytes
        };
        let next = staged.or_else(|| self.next_ingress(egress, lane).map(head));
        next.is_some_and(|bytes| Credits::blocks(bytes) > blocks)
    }

    /// Packets that wait for an egress, in no order, and what they found.
    pub fn waiting(&self) -> impl Iterator<Item = (&Entry, Option<Found>)> {
        let staged = self.output_lanes.iter().flat_map(|own| self.queues.packets_of(own.staged));
        self.queues.packets().chain(staged)
    }

    /// Writes what later behaviour depends on.
    pub fn write_state(&self, out: &mut StateWriter) {
        for (entry, _) in self.waiting() {
            crate::state::write_packet(&entry.packet, out);
            out.word(u64::from(entry.egress));
            out.instant(Time(entry.whole_at));
        }
        let mut order: Vec<usize> = (0..self.outputs.len()).collect();
        order.sort_by_key(|&egress| self.outputs[egress].last_way);
        for egress in order {
            out.word(egress as u64);
        }
        for own in &self.output_lanes {
            out.word(u64::from(own.turn));
        }
        for output in &self.outputs {
            out.word(u64::from(output.taking) | (output.lane as u64) << 32 | (output.wire_lane as u64) << 40);
        }
        if let Some(throttle) = &self.throttle {
            throttle.write_state(out);
        }
        for (at, egress) in self.ways.sorted().into_iter().chain(self.wires.sorted()) {
            out.instant(Time(at));
            out.word(u64::from(egress));
        }
    }
}

/// What must have come of a packet on a link of this rate, at a switch of which the fastest link is so fast; `None` for all.
pub fn cut_through(credits: &Credits, rate: Rate, fastest: Rate) -> Option<Bytes> {
    match credits.forwarding {
        Forwarding::CutThrough { header } if rate >= fastest => Some(header),
        _ => None,
    }
}

/// The lowest bits of a word.
fn bits_below(count: usize) -> u64 {
    if count >= 64 { u64::MAX } else { (1 << count) - 1 }
}

fn lowest(word: usize, bits: u64) -> Option<u32> {
    (bits != 0).then(|| word as u32 * 64 + bits.trailing_zeros())
}
