//! A port whose link changes over time: it goes down and comes up, changes its rate, loses packets.
//!
//! Models: transmissions into a dead link, whose failure may go unnoticed; a packet keeps the rate it started at;
//! packets that wait are sent at the current rate, so their backlog in time is recomputed when the rate changes.
//! Leaves out: when links change (`netloom_model::fault`), which nodes notice it and when (`netloom_model::notice`),
//! and what nodes do then.
//!
//! Invariants: such a port computes no start at enqueue, so nothing is decided before its time; other ports pay
//! nothing.

use std::collections::VecDeque;

use netloom_model::Errors;
use netloom_units::{Bytes, Duration, Random, Rate, StateWriter, Time};

use super::{Egress, Start};
use crate::packet::Packet;
use crate::trace::{Trace, TracedPacket};

/// Changes of a link over time.
#[derive(Debug)]
pub(super) struct LinkChanges {
    /// Outages: from, until; those that are over are removed.
    outages: VecDeque<(u64, u64)>,
    /// The packet on the wire, and when its transmission would end, if an outage will cut it off.
    lost_on_wire: Option<(Packet, u64)>,
    errors: Errors,
    /// Size of the last packet for which a loss probability was computed, and that probability, in 2^-64.
    chance: (u32, u64),
    random: Random,
    rate_history: Option<RateHistory>,
}

/// Totals at earlier rates.
#[derive(Debug)]
struct RateHistory {
    /// When the transmission that started at an earlier rate ends, and that rate.
    wire: (u64, Rate),
    /// Peak of the bytes accepted and not yet sent, as far as that is not in `peak`.
    peak: u64,
    /// The queue limit, if there is one.
    limit: Option<Bytes>,
    /// Bytes that started at earlier rates.
    started: u64,
    /// Their time on the wire.
    busy: u64,
}

/// How a dead link cuts off a transmission.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interruption {
    /// The link is down when it starts.
    AtStart,
    /// The link goes down during it.
    Later,
}

/// The longest span in which no more than a number of bytes is sent.
pub(super) fn span_of(rate: Rate, bytes: Bytes) -> u64 {
    match whole_per_byte(rate) {
        // At odd rates each packet's time is rounded up, so the limit leaves up to the time of one more byte for that.
        None => {
            let span = (u128::from(bytes.0) + 1) * 8_000_000_000_000;
            u64::try_from(span.div_ceil(u128::from(rate.0))).unwrap_or(u64::MAX) - 1
        }
        Some(per_byte) => bytes.0.saturating_mul(per_byte),
    }
}

/// The bytes a wire sends in a span. A byte begun is not sent yet, hence rounded up; at odd rates rounded down, since
/// the span is a sum of rounded-up times.
pub(super) fn bytes_of(rate: Rate, span: u64) -> u64 {
    match whole_per_byte(rate) {
        None => rate.bytes_in(Duration(span)).0,
        Some(per_byte) => span.div_ceil(per_byte),
    }
}

/// Picoseconds per byte where that is whole.
fn whole_per_byte(rate: Rate) -> Option<u64> {
    const PER_BYTE: u64 = 8_000_000_000_000;
    PER_BYTE.is_multiple_of(rate.0).then(|| PER_BYTE / rate.0)
}

impl LinkChanges {
    /// Whether the current errors lose a data packet that starts (a random sample).
    pub(super) fn corrupts(&mut self, packet: &Packet) -> bool {
        if self.errors == Errors::NONE {
            return false;
        }
        if self.chance.0 != packet.bytes {
            self.chance = (packet.bytes, self.errors.threshold(packet.bytes));
        }
        self.random.next_u64() < self.chance.1
    }
}

impl Egress {
    /// Prepares for changes of the link, before the run.
    pub fn will_change(&mut self, random: Random) {
        (self.has_start_effects, self.uses_fast_path, self.extras.watched) = (true, false, true);
        self.extras.changing = Some(Box::new(LinkChanges {
            outages: VecDeque::new(),
            lost_on_wire: None,
            errors: Errors::NONE,
            chance: (0, 0),
            random,
            rate_history: None,
        }));
        self.update_admission_conditions();
    }

    /// Prepares for changes of its rate, too, before the run; the queue holds `limit`.
    pub fn will_slow_down(&mut self, limit: Option<Bytes>) {
        // All times are computed from the current rate.
        self.ps_per_byte = 0;
        let rate_history = RateHistory { wire: (0, self.rate), peak: 0, limit, started: 0, busy: 0 };
        self.changing().rate_history = Some(rate_history);
    }

    /// Adds an outage of the link, before the run and in rising order.
    pub fn will_go_down(&mut self, from: u64, until: u64) {
        self.changing().outages.push_back((from, until));
    }

    fn changing(&mut self) -> &mut LinkChanges {
        self.extras.changing.as_deref_mut().expect("the link was said to change")
    }

    /// Whether its rate changes over time.
    pub(super) fn has_rate_history(&self) -> bool {
        self.rate_history().is_some()
    }

    fn rate_history(&self) -> Option<&RateHistory> {
        self.extras.changing.as_ref()?.rate_history.as_ref()
    }

    fn rate_history_mut(&mut self) -> Option<&mut RateHistory> {
        self.extras.changing.as_mut()?.rate_history.as_mut()
    }

    /// Whether an outage of the link cuts off a transmission, and how; a packet cut off later is lost at that instant.
    pub fn interruption_of(&mut self, start: &Start) -> Option<Interruption> {
        let changing = self.extras.changing.as_deref_mut()?;
        while changing.outages.front().is_some_and(|outage| outage.1 <= start.at) {
            changing.outages.pop_front();
        }
        let from = changing.outages.front().map(|outage| outage.0).filter(|&from| from < start.end)?;
        if from <= start.at {
            return Some(Interruption::AtStart);
        }
        changing.lost_on_wire = Some((start.packet, start.end));
        Some(Interruption::Later)
    }

    /// The link carries nothing from `now` on: returns the packet on the wire, which is lost, if there is one, with its
    /// trace where packets are recorded.
    pub fn cut(&mut self, now: u64) -> Option<(Packet, Option<TracedPacket>)> {
        let (packet, end) = self.extras.changing.as_deref_mut()?.lost_on_wire.take()?;
        self.count_lost(&packet, end);
        if let Some(rate_history) = self.rate_history_mut().filter(|rate_history| rate_history.wire.0 > now) {
            rate_history.started -= u64::from(packet.bytes);
            rate_history.busy -= rate_history.wire.1.serialization(Bytes(u64::from(packet.bytes))).0;
        }
        Some((packet, self.trace().and_then(Trace::take_doomed)))
    }

    /// Takes the port down: packets that wait and the one on the wire are lost. Returns each with its trace, where
    /// packets are recorded.
    pub fn go_down(&mut self, now: u64) -> Vec<(Packet, Option<TracedPacket>)> {
        let on_wire = self.cut(now);
        self.up = false;
        self.next_start = u64::MAX;
        self.leave_wire(now);
        self.bring_back();
        let mut traced = self.trace().map(Trace::take_all).unwrap_or_default().into_iter();
        let mut waiting: Vec<Packet> = Vec::new();
        if let Some(queues) = self.queues.as_deref_mut() {
            queues.filled = 0;
            waiting.extend(queues.classes.iter_mut().flat_map(|class| class.drain(..)));
        }
        // Packets in input buffers are still to be dropped there.
        if self.in_input_buffers == 0 {
            (self.queued_ps, self.data_bytes) = (0, 0);
        }
        self.note_all_lost(&waiting);
        self.extras.dropped += waiting.len() as u64;
        self.bytes -= waiting.iter().map(|packet| u64::from(packet.bytes)).sum::<u64>();
        on_wire.into_iter().chain(waiting.into_iter().map(|packet| (packet, traced.next()))).collect()
    }

    /// Frees the wire from `now` on.
    fn leave_wire(&mut self, now: u64) {
        self.free_at = self.free_at.min(now);
        if let Some(lost) = &mut self.extras.lost {
            lost.until = lost.until.min(now);
        }
        if let Some(rate_history) = self.rate_history_mut() {
            rate_history.wire.0 = rate_history.wire.0.min(now);
        }
    }

    /// Packets that still wait, each with its trace, where packets are recorded.
    pub fn left_waiting(&mut self) -> Vec<(Packet, TracedPacket)> {
        let Some(traced) = self.trace().map(Trace::take_all) else { return Vec::new() };
        self.bring_back();
        let in_queues = self.queues.iter().flat_map(|queues| queues.classes.iter().flatten());
        self.lost_on_wire().into_iter().chain(in_queues).copied().zip(traced).collect()
    }

    /// Packets that wait, or will be lost on the wire.
    pub fn queued_packets(&self) -> impl Iterator<Item = &Packet> {
        self.in_queues().chain(self.lost_on_wire())
    }

    /// Packets that wait, those of paused classes included.
    fn in_queues(&self) -> impl Iterator<Item = &Packet> {
        let queues = self.queues.iter().flat_map(|queues| queues.classes.iter().flatten());
        let paused = self.extras.by_class.iter().flat_map(|by_class| by_class.paused_packets());
        queues.chain(&self.extras.paused_packets).chain(paused)
    }

    /// The packet on the wire, if an outage will cut it off.
    pub fn lost_on_wire(&self) -> Option<&Packet> {
        self.extras.changing.as_ref()?.lost_on_wire.as_ref().map(|(packet, _)| packet)
    }

    /// Brings the port up again.
    pub fn come_up(&mut self, now: u64) {
        self.up = true;
        self.free_at = now;
    }

    /// Sets the loss probabilities of packets that start from now on; the port must be advanced to now.
    pub fn set_errors(&mut self, errors: Errors) {
        let changing = self.changing();
        (changing.errors, changing.chance) = (errors, (0, errors.threshold(0)));
    }

    /// Sets the rate of packets that start from `now` on; the port must be advanced to `now`. `outside` are the sizes
    /// of packets in input buffers that will leave here.
    pub fn set_rate(&mut self, now: u64, rate: Rate, outside: impl Iterator<Item = u32>) {
        let inside = self.in_queues().map(|packet| packet.bytes);
        let (mut bytes, mut span) = (0, 0);
        for size in inside.chain(outside).map(|size| Bytes(u64::from(size))) {
            bytes += size.0;
            span += rate.serialization(size).0;
        }
        let (old, free_at, started) = (self.rate, self.free_at, self.bytes - bytes);
        let peak = bytes_of(old, self.peak_ps);
        let rate_history = self.rate_history_mut().expect("the rate was said to change");
        // A packet that started before the last change still has its earlier rate.
        if rate_history.wire.0 <= now {
            rate_history.busy += old.serialization(Bytes(started.saturating_sub(rate_history.started))).0;
            rate_history.started = started;
            rate_history.wire = (free_at, old);
        }
        rate_history.peak = rate_history.peak.max(peak);
        let limit = rate_history.limit;
        let limit = limit.map_or(u64::MAX, |limit| span_of(rate, limit));
        (self.rate, self.queued_ps, self.peak_ps, self.extras.limit_ps) = (rate, span, 0, limit);
    }

    /// As [`Egress::note_peak`], while the wire has a packet of an earlier rate; `None` if it has none.
    #[inline(never)]
    pub(super) fn note_mixed_peak(&mut self, now: u64, backlog: u64) -> Option<bool> {
        let rate = self.rate;
        let rate_history = self.rate_history_mut().filter(|rate_history| rate_history.wire.0 > now)?;
        let rest = rate_history.wire.0 - now;
        let bytes = bytes_of(rate_history.wire.1, rest) + bytes_of(rate, backlog - rest);
        let fits = rate_history.limit.is_none_or(|limit| bytes <= limit.0);
        if fits {
            // Where `peak` stays at zero, every enqueue comes here.
            rate_history.peak = rate_history.peak.max(bytes);
        } else {
            self.extras.dropped += 1;
        }
        Some(fits)
    }

    /// As [`Egress::bytes_ahead`], at odd rates or ones that change.
    #[cold]
    #[inline(never)]
    pub(super) fn odd_bytes_ahead(&self, now: u64, rest: u64, queued: u64) -> u64 {
        match self.rate_history().filter(|rate_history| rate_history.wire.0 > now) {
            Some(rate_history) => bytes_of(rate_history.wire.1, rest) + bytes_of(self.rate, queued),
            None => bytes_of(self.rate, rest + queued),
        }
    }

    /// Bytes left of the packet on the wire when the wire is busy with it for `rest` ps more.
    pub(super) fn bytes_on_wire(&self, now: u64, rest: u64) -> u64 {
        let earlier = self.rate_history().filter(|rate_history| rate_history.wire.0 > now);
        bytes_of(earlier.map_or(self.rate, |rate_history| rate_history.wire.1), rest)
    }

    /// Peak of the bytes accepted and not yet sent.
    pub(super) fn peak_bytes(&self) -> u64 {
        bytes_of(self.rate, self.peak_ps).max(self.rate_history().map_or(0, |rate_history| rate_history.peak))
    }

    /// How long the wire was busy before `now` with the bytes it has sent, where its rate changes.
    pub(super) fn busy_at(&self, now: u64, sent: u64) -> Option<u64> {
        let rate_history = self.rate_history()?;
        let rest = if self.lost_until() > now { 0 } else { rate_history.wire.0.saturating_sub(now) };
        let fresh = self.rate.serialization(Bytes(sent.saturating_sub(rate_history.started))).0;
        Some(if rest > 0 { rate_history.busy - rest } else { rate_history.busy + fresh })
    }

    /// Writes what later behaviour depends on.
    pub(super) fn write_changes(&self, out: &mut StateWriter) {
        let Some(changing) = &self.extras.changing else { return };
        out.word(self.rate.0);
        out.word(changing.errors.threshold(1));
        out.word(changing.errors.threshold(2));
        out.random(&changing.random);
        for instant in changing.outages.iter().flat_map(|&(from, until)| [Time(from), Time(until)]) {
            out.instant(instant.max(out.base()));
        }
    }
}
