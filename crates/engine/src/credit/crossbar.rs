//! The crossbar of a switch with input buffers: which heads wait for which egress, and which ingress is granted a
//! transfer.
//!
//! Models: heads of queues as bits, ends of transfers as instants that waiting egresses read, packets staged at an
//! egress; an egress that may have something to do is found without a scan of all.
//! Leaves out: the queues themselves (`queues.rs`), turns (`turn.rs`), room and credits (`arbiter.rs`), the wires
//! (`port`).
//!
//! Invariants: a bit in `requests_by_output` represents the head of a queue; an egress has one transfer at most, granted
//! or in progress, and those of an ingress follow each other; an egress that could do something at an instant is
//! arbitrated then, and arbitration that finds nothing to do changes nothing.

use netloom_model::{Credits, Forwarding, InputOrder, Port};
use netloom_units::{Bytes, Rate, StateWriter, Time};

use super::grant::Waits;
use super::queues::{Entry, NONE, QueueEnds, Queues};
use super::turn::GrantPointer;
use super::vl_increments::VlIncrements;
use super::{Returns, Throttle};
use crate::bits::bits;
use crate::packet::Packet;
use crate::prefetch::prefetch;
use crate::trace::QueueSnapshot;
use crate::wakes::WakeTimes;

/// One input buffer.
///
/// As in [`crate::port::Egress`], fields are in the order in which packets need them.
#[repr(C, align(64))]
pub struct Input {
    /// When the last transfer granted at this ingress ends.
    pub(super) idle_at: u64,
    /// Packets in the buffer.
    pub(super) n_queued: u32,
    /// Transfers granted at this ingress so far, wrapping.
    pub(super) n_grants: u32,
    /// Where packets may leave before they have arrived whole: the rate they arrive at, and the bytes that must have
    /// arrived.
    pub cut_through: Option<CutThrough>,
    /// The return channel of credits; none for packets that the switch makes itself.
    pub returns: Option<Returns>,
}

impl Input {
    /// When the last bit arrives of a packet that enters the buffer at `now`.
    #[inline]
    pub fn whole_at(&self, now: u64, packet: &Packet) -> u64 {
        match self.cut_through {
            None => now,
            Some(CutThrough { rate, ps_per_byte, header }) => {
                let rest = u64::from(packet.bytes).saturating_sub(header);
                now + if ps_per_byte != 0 { rest * ps_per_byte } else { rate.serialization(Bytes(rest)).0 }
            }
        }
    }
}

/// Arrival of packets that may leave before they have arrived whole.
#[derive(Debug, Clone, Copy)]
pub struct CutThrough {
    rate: Rate,
    /// Picoseconds per byte where that is whole, else 0.
    ps_per_byte: u64,
    /// Bytes that must have arrived.
    header: u64,
}

impl CutThrough {
    fn new(rate: Rate, header: Bytes) -> CutThrough {
        let per_byte = 8_000_000_000_000;
        let is_whole = per_byte % rate.0 == 0;
        CutThrough { rate, ps_per_byte: if is_whole { per_byte / rate.0 } else { 0 }, header: header.0 }
    }
}

/// One egress, as the crossbar sees it: a cache line.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct Output {
    /// It grants no transfer before this instant, in ps: the last one has not ended, or there is no room.
    pub closed_until: u64,
    /// Packets for it in input buffers or staged.
    pub n_waiting: u32,
    /// Virtual lanes (VLs) that have heads for it, one bit each.
    pub vls_with_heads: u32,
    /// VLs that have staged packets, one bit each.
    pub staged_vls: u32,
    /// The VL in which it granted last.
    pub vl: u8,
    /// The VL of the packet that started last.
    pub wire_vl: u8,
    /// Whether the hosts that fill it are throttled.
    pub is_throttled: bool,
    /// Number among the transfers of the switch of the last one that it granted, from 1; 0 for none.
    pub last_grant: u64,
    /// Bytes staged, in all VLs.
    pub staged_bytes: u64,
    /// Transfers that it granted so far.
    pub n_grants: u64,
    /// The longest waits of heads for it.
    pub waits: Waits,
}

/// One VL of an egress: a cache line.
#[derive(Debug, Clone)]
#[repr(align(64))]
pub struct OutputVl {
    /// The turn among ingresses.
    pub(super) turn: GrantPointer,
    /// Packets that wait at the egress for its wire.
    pub staged: QueueEnds,
    /// Their bytes.
    pub staged_bytes: u64,
    /// Transfers that the egress granted in this VL so far, wrapping.
    pub(super) n_grants: u32,
    /// Whether an ingress may have to be skipped.
    pub(super) has_skips: bool,
}

const _: () = assert!(size_of::<Output>() == 64 && size_of::<OutputVl>() == 64, "each is a cache line");

/// See the module.
///
/// As in [`crate::port::Egress`], fields are in the order in which packets need them.
#[repr(C, align(64))]
pub struct Crossbar {
    /// The instant of the next expected arbitration, `u64::MAX` for none.
    pub event_at: u64,
    /// Input buffers, one more than ports: the last is for packets that the switch makes itself.
    pub inputs: Box<[Input]>,
    /// One for each port.
    pub outputs: Box<[Output]>,
    /// For each port and VL.
    pub(super) output_vls: Box<[OutputVl]>,
    /// The hosts that fill ports towards hosts, at a switch that notifies them.
    pub throttle: Option<Box<Throttle>>,
    /// How VLs rise, in a fabric of groups.
    pub steps: Option<VlIncrements>,
    /// Number of VLs.
    pub n_vls: usize,
    /// The first VL of each class.
    vls: [u8; 8],
    /// Its speedup over a link.
    pub speedup: u64,
    /// Bytes that may be staged in each VL of an egress.
    pub output_buffer: u64,
    /// Transfers granted so far.
    pub(super) n_grants: u64,
    /// Bytes of a full packet.
    full: u32,
    /// Blocks of a full packet.
    pub full_blocks: u32,
    /// Whether ingresses are never busy.
    pub(super) is_ideal: bool,
    /// See [`Crossbar::is_small`].
    is_small: bool,
    pub(super) n_words: usize,
    /// For each egress and VL: a bit for each ingress that has a head for it.
    pub(super) requests_by_output: Box<[u64]>,
    /// For each ingress: a bit for each egress that it has a head for.
    pub(super) requests_by_input: Box<[u64]>,
    /// Bits of egresses.
    pub(super) egresses: Box<[EgressBits]>,
    /// When egresses are next to be arbitrated.
    pub(super) wakes: WakeTimes,
    /// The packets that wait.
    pub queues: Queues,
    /// For each egress and VL: a bit for each ingress that has bypassed a holder, and is skipped once for that.
    pub(super) skip_once: Box<[u64]>,
    /// For each ingress: a bit for each egress at which it may hold a turn.
    pub(super) outputs_with_turn: Box<[u64]>,
}

/// Sixty-four egresses, a bit for each in each word.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct EgressBits {
    /// There were no credits for the head that had the turn.
    pub(super) head_lacks_credits: u64,
    /// It may be able to start a packet or grant a transfer.
    pub(super) to_arbitrate: u64,
}

impl Crossbar {
    /// Empty buffers behind the in-links of a switch; those of links that may slow down store and forward.
    pub fn new(
        credits: &Credits,
        packet: Bytes,
        ports: &[Port],
        returns: Vec<Returns>,
        is_steady: impl Fn(&Port) -> bool,
    ) -> Crossbar {
        let (n_ports, n_vls) = (ports.len(), credits.n_vls());
        let fastest = ports.iter().map(|port| port.rate).max().unwrap_or(Rate(0));
        let input = |(port, returns): (&Port, Returns)| Input {
            returns: Some(returns),
            cut_through: cut_through(credits, port.rate, fastest)
                .filter(|_| is_steady(port))
                .map(|header| CutThrough::new(port.rate, header)),
            idle_at: 0,
            n_queued: 0,
            n_grants: 0,
        };
        let mut inputs: Vec<Input> = ports.iter().zip(returns).map(input).collect();
        inputs.push(Input { returns: None, cut_through: None, idle_at: 0, n_queued: 0, n_grants: 0 });
        let last_vl = n_vls as u8 - 1;
        let output = || Output {
            closed_until: 0,
            n_waiting: 0,
            vls_with_heads: 0,
            staged_vls: 0,
            last_grant: 0,
            vl: last_vl,
            wire_vl: last_vl,
            is_throttled: false,
            staged_bytes: 0,
            n_grants: 0,
            waits: Waits::default(),
        };
        let output_vl = OutputVl {
            turn: GrantPointer::new(n_ports as u32),
            staged: QueueEnds::EMPTY,
            staged_bytes: 0,
            n_grants: 0,
            has_skips: false,
        };
        let n_words = inputs.len().div_ceil(64);
        let full = u32::try_from(packet.0).unwrap_or(u32::MAX);
        Crossbar {
            vls: credits.vls,
            steps: None,
            n_vls,
            speedup: u64::from(credits.speedup),
            output_buffer: credits.output_buffer.0,
            outputs: (0..n_ports).map(|_| output()).collect(),
            output_vls: vec![output_vl; n_ports * n_vls].into(),
            queues: Queues::new(inputs.len(), n_vls, n_ports, credits.order == InputOrder::Voq),
            event_at: u64::MAX,
            throttle: None,
            full,
            full_blocks: Credits::blocks(full),
            n_words,
            requests_by_output: vec![0; n_ports * n_vls * n_words].into(),
            skip_once: vec![0; n_ports * n_vls * n_words].into(),
            requests_by_input: vec![0; inputs.len() * n_ports.div_ceil(64)].into(),
            outputs_with_turn: vec![0; inputs.len() * n_ports.div_ceil(64)].into(),
            inputs: inputs.into(),
            egresses: vec![EgressBits::default(); n_ports.div_ceil(64)].into(),
            wakes: WakeTimes::new(n_ports),
            n_grants: 0,
            is_ideal: credits.is_ideal,
            is_small: n_vls == 1 && n_words == 1,
        }
    }

    /// Prefetches the state of a VL of an egress.
    #[inline(always)]
    pub fn prefetch_output(&self, egress: u32, vl: usize) {
        let number = self.vl_number::<false>(egress, vl);
        prefetch(&self.outputs[egress as usize]);
        prefetch(&self.output_vls[number]);
        prefetch(&self.requests_by_output[number * self.n_words]);
    }

    /// Lets hosts be throttled that fill ports towards hosts, before the run.
    pub fn set_throttle(&mut self, throttle: Throttle) {
        for (port, output) in (0..).zip(&mut self.outputs) {
            output.is_throttled = throttle.watches(port);
        }
        self.throttle = Some(Box::new(throttle));
    }

    /// Lets packets rise from VL to VL, before the run.
    pub fn take_steps(&mut self, steps: VlIncrements) {
        self.steps = Some(steps);
        self.queues.put_off();
    }

    /// Whether arriving packets need more than a buffer slot.
    #[inline(always)]
    pub fn has_slow_arrivals(&self) -> bool {
        self.steps.is_some() | self.throttle.is_some()
    }

    /// The VL of a packet as it is.
    #[inline]
    pub fn vl(&self, packet: &Packet) -> usize {
        usize::from(self.vls[usize::from(packet.class() & 7)] + packet.vl_offset())
    }

    /// Number of VLs that a packet rises by between an ingress and an egress.
    #[inline]
    fn rise(&self, ingress: u32, egress: u32) -> usize {
        rise(self.steps.as_ref(), ingress, egress)
    }

    /// The VL in which packets come by an ingress that leave by an egress in a given VL.
    #[inline]
    pub fn input_vl(&self, ingress: u32, egress: u32, vl: usize) -> usize {
        vl - self.rise(ingress, egress)
    }

    /// The transfer time of a packet that takes `span` on the wire.
    #[inline]
    pub fn transfer_time(&self, span: u64) -> u64 {
        match self.speedup {
            1 => span,
            2 => span.div_ceil(2),
            speedup => span.div_ceil(speedup),
        }
    }

    /// Whether it has one VL and no more than 63 ports: hot code is compiled separately for such switches (`SMALL`).
    #[inline(always)]
    pub fn is_small(&self) -> bool {
        self.is_small
    }

    /// The index of a VL of an egress.
    #[inline(always)]
    pub(super) fn vl_number<const SMALL: bool>(&self, egress: u32, vl: usize) -> usize {
        if SMALL { egress as usize } else { egress as usize * self.n_vls + vl }
    }

    /// A VL of an egress.
    #[inline(always)]
    pub(super) fn output_vl<const SMALL: bool>(&mut self, egress: u32, vl: usize) -> &mut OutputVl {
        let number = self.vl_number::<SMALL>(egress, vl);
        &mut self.output_vls[number]
    }

    /// The first word of bits of ingresses, of a VL of an egress.
    #[inline(always)]
    pub(super) fn ingress_word<const SMALL: bool>(&self, egress: u32, vl: usize) -> usize {
        let number = self.vl_number::<SMALL>(egress, vl);
        if SMALL { number } else { number * self.n_words }
    }

    /// The first word of bits of egresses, of an ingress.
    #[inline(always)]
    pub(super) fn egress_word<const SMALL: bool>(&self, ingress: u32) -> usize {
        if SMALL { ingress as usize } else { ingress as usize * self.egresses.len() }
    }

    /// Queues a packet that has come at `now`; returns when its egress is to be arbitrated for it, `u64::MAX` for
    /// never.
    #[inline(always)]
    pub fn insert<const SMALL: bool>(
        &mut self,
        now: u64,
        (ingress, egress): (u32, u32),
        packet: &Packet,
        whole_at: u64,
        snapshot: Option<QueueSnapshot>,
    ) -> u64 {
        let vl = if SMALL { 0 } else { self.vl(packet) };
        let input_vl = if SMALL { 0 } else { self.input_vl(ingress, egress, vl) };
        let n_grants = self.output_vl::<SMALL>(egress, vl).n_grants;
        let entry = Entry::new(packet, egress, (now, whole_at), n_grants);
        let (index, is_head) = self.queues.insert(ingress, input_vl, entry);
        if let Some(snapshot) = snapshot {
            self.queues.note(index, snapshot);
        }
        self.inputs[ingress as usize].n_queued += 1;
        self.outputs[egress as usize].n_waiting += 1;
        if !is_head {
            return u64::MAX;
        }
        self.set_request::<SMALL>(ingress, vl, egress);
        self.ask_at(egress, now)
    }

    /// Schedules the arbitration of an egress that has one head more at `now`; returns its instant.
    #[inline]
    fn ask_at(&mut self, egress: u32, now: u64) -> u64 {
        let until = self.outputs[egress as usize].closed_until;
        if until <= now {
            self.request_arbitration(egress);
            return now;
        }
        self.wakes.bring_forward(egress, until);
        until
    }

    /// Records that a queue has a head for an egress.
    #[inline]
    fn set_request<const SMALL: bool>(&mut self, ingress: u32, vl: usize, egress: u32) {
        self.outputs[egress as usize].vls_with_heads |= 1 << vl;
        let word = self.ingress_word::<SMALL>(egress, vl) + ingress as usize / 64;
        self.requests_by_output[word] |= 1 << (ingress % 64);
        let word = self.egress_word::<SMALL>(ingress) + egress as usize / 64;
        self.requests_by_input[word] |= 1 << (egress % 64);
    }

    /// Records that a queue has no head for an egress any more.
    #[inline]
    fn clear_request<const SMALL: bool>(&mut self, ingress: u32, vl: usize, egress: u32) {
        let first = self.ingress_word::<SMALL>(egress, vl);
        self.requests_by_output[first + ingress as usize / 64] &= !(1 << (ingress % 64));
        let n_words = if SMALL { 1 } else { self.n_words };
        if self.requests_by_output[first..][..n_words].iter().all(|&word| word == 0) {
            self.outputs[egress as usize].vls_with_heads &= !(1 << vl);
        }
        let wants_other = || (0..self.n_vls).any(|vl| self.has_request::<false>(ingress, vl, egress));
        if SMALL || !wants_other() {
            let word = self.egress_word::<SMALL>(ingress) + egress as usize / 64;
            self.requests_by_input[word] &= !(1 << (egress % 64));
        }
    }

    /// Whether an ingress has a head for a VL of an egress.
    #[inline]
    pub fn has_request<const SMALL: bool>(&self, ingress: u32, vl: usize, egress: u32) -> bool {
        self.requests_by_output[self.ingress_word::<SMALL>(egress, vl) + ingress as usize / 64]
            >> (ingress % 64)
            & 1
            == 1
    }

    /// Takes the head of an ingress, in the VL that it came by, out of its queue for a VL of an egress; returns its
    /// slot. The next packet is the head from `now` on.
    #[inline]
    pub fn take_head<const SMALL: bool>(
        &mut self,
        now: u64,
        (ingress, input_vl): (u32, usize),
        vl: usize,
        egress: u32,
    ) -> u32 {
        self.inputs[ingress as usize].n_queued -= 1;
        let own = self.vl_number::<SMALL>(egress, vl);
        let (index, next) = self.queues.take_head(ingress, input_vl, egress);
        let Some(head) = next else {
            self.clear_request::<SMALL>(ingress, vl, egress);
            return index;
        };
        let next = head.egress;
        if next == egress {
            head.become_head(now, self.output_vls[own].n_grants);
            return index;
        }
        let next_vl = input_vl + rise(self.steps.as_ref(), ingress, next);
        let number = if SMALL { next as usize } else { next as usize * self.n_vls + next_vl };
        head.become_head(now, self.output_vls[number].n_grants);
        self.clear_request::<SMALL>(ingress, vl, egress);
        self.set_request::<SMALL>(ingress, next_vl, next);
        // Its egress may grant it a transfer ahead of time.
        self.ask_at(next, now);
        index
    }

    /// Removes a packet that leaves the switch and is in no queue any more.
    #[inline]
    pub fn remove(&mut self, egress: u32, index: u32) -> (Packet, Option<QueueSnapshot>) {
        self.outputs[egress as usize].n_waiting -= 1;
        self.queues.remove(index)
    }

    /// Records that there are no credits for the head that has the turn at an egress.
    #[cold]
    pub fn note_lacking_credits(&mut self, egress: u32) {
        self.egresses[egress as usize / 64].head_lacks_credits |= 1 << (egress % 64);
    }

    /// Stages a packet at an egress; it may start at `begin`.
    #[inline]
    pub fn stage(&mut self, egress: u32, vl: usize, index: u32, begin: u64) {
        let entry = self.queues.entry_mut(index);
        entry.ready_at = begin;
        let bytes = u64::from(entry.packet.bytes);
        let output = &mut self.outputs[egress as usize];
        output.staged_bytes += bytes;
        output.staged_vls |= 1 << vl;
        let own = &mut self.output_vls[egress as usize * self.n_vls + vl];
        self.queues.append(&mut own.staged, index);
        own.staged_bytes += bytes;
    }

    /// Takes the first staged packet of a VL out of its queue; returns its slot.
    #[inline]
    pub fn take_staged(&mut self, egress: u32, vl: usize) -> u32 {
        let own = &mut self.output_vls[egress as usize * self.n_vls + vl];
        let index = own.staged.first;
        self.queues.take_first(&mut own.staged);
        let bytes = u64::from(self.queues.entry(index).packet.bytes);
        own.staged_bytes -= bytes;
        let output = &mut self.outputs[egress as usize];
        output.staged_bytes -= bytes;
        output.staged_vls ^= u32::from(own.staged.first == NONE) << vl;
        index
    }

    /// As [`Crossbar::take_staged`], of any VL that has such a packet.
    pub fn take_any_staged(&mut self, egress: u32) -> Option<u32> {
        let vl = (0..self.n_vls).find(|&vl| self.output_vl::<false>(egress, vl).staged.first != NONE)?;
        Some(self.take_staged(egress, vl))
    }

    /// Whether another packet may be staged in a VL, with `ahead` more bytes that leave before it.
    #[inline]
    pub fn has_room<const SMALL: bool>(&self, egress: u32, vl: usize, ahead: u64) -> bool {
        let staged = self.output_vls[self.vl_number::<SMALL>(egress, vl)].staged_bytes;
        staged + ahead + u64::from(self.full) <= self.output_buffer
    }

    /// Requests the arbitrations that are due at `now` or before.
    #[inline]
    pub fn request_due_arbitrations(&mut self, now: u64) {
        let Crossbar { wakes, egresses, .. } = self;
        wakes.take_due(now, |egress| egresses[egress as usize / 64].to_arbitrate |= 1 << (egress % 64));
    }

    /// When the first busy ingress that has a head for an egress becomes idle after `now`, `u64::MAX` for never.
    #[inline(never)]
    pub fn next_idle(&self, egress: u32, now: u64) -> u64 {
        let mut next = u64::MAX;
        for vl in bits(self.outputs[egress as usize].vls_with_heads.into()) {
            let words =
                &self.requests_by_output[self.ingress_word::<false>(egress, vl as usize)..][..self.n_words];
            for (number, &word) in words.iter().enumerate() {
                for ingress in bits(word).map(|bit| number * 64 + bit as usize) {
                    let idle_at = self.inputs[ingress].idle_at;
                    next = if idle_at > now { next.min(idle_at) } else { next };
                }
            }
        }
        next
    }

    /// Requests the arbitration of all egresses that an ingress has heads for.
    #[inline]
    pub fn request_arbitration_for_heads(&mut self, ingress: u32) {
        let wants = &self.requests_by_input[ingress as usize * self.egresses.len()..];
        for (bits, wants) in self.egresses.iter_mut().zip(wants) {
            bits.to_arbitrate |= wants;
        }
    }

    /// Requests the arbitration of an egress: its wire may be free, or it may have room or credits.
    #[inline]
    pub fn request_arbitration(&mut self, egress: u32) {
        self.egresses[egress as usize / 64].to_arbitrate |= 1 << (egress % 64);
    }

    /// Of the egresses to arbitrate, takes the one that granted a transfer the longest ago.
    #[inline]
    pub fn take_next_egress(&mut self) -> Option<u32> {
        let egress = match &mut self.egresses[..] {
            // The common cases: a switch of no more than 64 ports, and one egress or none.
            [bits] if bits.to_arbitrate & bits.to_arbitrate.wrapping_sub(1) == 0 => {
                if bits.to_arbitrate == 0 {
                    return None;
                }
                bits.to_arbitrate.trailing_zeros()
            }
            _ => self.next_egress()?,
        };
        let bits = &mut self.egresses[egress as usize / 64];
        bits.to_arbitrate &= !(1 << (egress % 64));
        bits.head_lacks_credits &= !(1 << (egress % 64));
        self.wakes.forget(egress);
        Some(egress)
    }

    #[inline(never)]
    fn next_egress(&self) -> Option<u32> {
        let mut first: Option<(u64, u32)> = None;
        for (number, bits) in self.egresses.iter().enumerate() {
            let mut bits = bits.to_arbitrate;
            while bits != 0 {
                let egress = number as u32 * 64 + bits.trailing_zeros();
                bits &= bits - 1;
                let order = (self.outputs[egress as usize].last_grant, egress);
                first = Some(first.map_or(order, |first| first.min(order)));
            }
        }
        first.map(|first| first.1)
    }

    /// Whether `blocks` credits do not suffice for the packet of a VL that an egress sends next, and no packet can be
    /// staged: staged packets leave in order, and while there are none, no packet passes the head that has the turn.
    /// `ahead` bytes leave before.
    pub fn lacks(&self, egress: u32, vl: usize, blocks: u32, ahead: u64) -> bool {
        // A packet that may still be staged frees its input buffer.
        if self.has_room::<false>(egress, vl, ahead) {
            return false;
        }
        let own = &self.output_vls[egress as usize * self.n_vls + vl];
        let staged = self.queues.packets_of(own.staged).next().map(|(entry, _)| entry.packet.bytes);
        let head = |ingress| {
            let input_vl = self.input_vl(ingress, egress, vl);
            self.queues.head(ingress, input_vl, egress).packet.bytes
        };
        let next = staged.or_else(|| self.next_ingress(egress, vl).map(head));
        next.is_some_and(|bytes| Credits::blocks(bytes) > blocks)
    }

    /// Packets that wait for an egress, in no order, and the queues they found.
    pub fn waiting(&self) -> impl Iterator<Item = (&Entry, Option<QueueSnapshot>)> {
        let staged = self.output_vls.iter().flat_map(|own| self.queues.packets_of(own.staged));
        self.queues.packets().chain(staged)
    }

    /// Writes what later behaviour depends on.
    pub fn write_state(&self, out: &mut StateWriter) {
        for (entry, _) in self.waiting() {
            crate::state::write_packet(&entry.packet, out);
            out.word(u64::from(entry.egress));
            out.instant(Time(entry.ready_at));
        }
        let mut order: Vec<usize> = (0..self.outputs.len()).collect();
        order.sort_by_key(|&egress| self.outputs[egress].last_grant);
        for egress in order {
            out.word(egress as u64);
        }
        for own in &self.output_vls {
            let holder = self.inputs.get(own.turn.holder as usize);
            own.turn.write_state(holder.map_or(0, |input| input.n_grants), out);
        }
        for output in &self.outputs {
            out.word(u64::from(output.vl) | u64::from(output.wire_vl) << 8);
            out.word(output.closed_until.saturating_sub(out.base().0));
        }
        self.skip_once.iter().for_each(|&word| out.word(word));
        for input in &self.inputs {
            out.word(input.idle_at.saturating_sub(out.base().0));
        }
        if let Some(throttle) = &self.throttle {
            throttle.write_state(out);
        }
    }
}

/// Bytes of a packet that must have arrived on a link of this rate, at a switch whose fastest link has the rate
/// `fastest`; `None` for all.
pub fn cut_through(credits: &Credits, rate: Rate, fastest: Rate) -> Option<Bytes> {
    match credits.forwarding {
        Forwarding::CutThrough { header } if rate >= fastest => Some(header),
        _ => None,
    }
}

/// Number of VLs that packets rise by between an ingress and an egress.
#[inline]
fn rise(steps: Option<&VlIncrements>, ingress: u32, egress: u32) -> usize {
    steps.map_or(0, |steps| steps.vl_increment(ingress, egress))
}

/// The VLs whose bits are set, in turn after VL `last`.
#[inline]
pub(super) fn in_turn(vls: u32, last: u8) -> impl Iterator<Item = usize> {
    let after = u64::MAX << 1 << last;
    bits(u64::from(vls) & after).chain(bits(u64::from(vls) & !after)).map(|vl| vl as usize)
}
