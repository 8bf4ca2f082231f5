//! An egress port: the queue before a link, and the rule by which transmissions start.
//!
//! Models: a FIFO per traffic class, the higher class always first, drop-tail at a byte limit; the wire takes one
//! packet at a time; a packet enters the link's ring when its transmission starts.
//! Classes may be paused: a transmission in progress is completed, no packet of the class starts. Data packets may be
//! marked.
//! Leaves out: which port a packet takes; what ports share (`buffer.rs`); credits (`port/credit.rs`) and input buffers
//! (`credit`).
//!
//! Three forms of one rule, equal in every result:
//! - *computed*: with one class and nothing that acts at the start, the start is known at enqueue, `max(now, free_at)`,
//!   and the packet goes into the ring at once;
//! - *lazy*: packets wait in class queues; the next access to the port processes all starts before now. Packets of the
//!   highest class in use cannot be overtaken: their starts are computed;
//! - *timed*: as lazy, but each start is an event of its own, for links inside a partition and ports with hooks.
//!
//! The *backlog* is the time the wire needs for everything accepted and not yet sent, the rest of the packet on the
//! wire included: a subtraction and a sum. Limits, peaks and bytes waiting follow from it.
//!
//! Invariants: an arrival at the very instant of a start sees that packet still waiting (a node's own events come
//! last).

use std::collections::VecDeque;

use netloom_units::{Bytes, PortId, Random, Rate};

use crate::channel::Channel;
use crate::credit::{LinkCredits, QueueOccupancy};
use crate::mark::Marker;
use crate::packet::{InFlight, Packet};
use crate::telemetry::PortTelemetry;
use crate::trace::{QueueSnapshot, Trace};
use crate::waiting::Waiting;

mod by_class;
mod change;
mod counters;
mod credit;
mod guard;
mod pause;
mod probe;
mod queries;
mod train;

use by_class::ByClass;
pub use by_class::ClassTotals;
pub use change::Interruption;
use change::LinkChanges;
pub use counters::Totals;
use pause::Pauses;

/// The form of the start rule a port uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// The start is computed at enqueue.
    Computed,
    /// Starts are processed when the port is next accessed.
    Lazy,
    /// Every start is an event.
    Timed,
}

/// The result of appending a packet to a class queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Enqueued {
    /// It was accepted; there is nothing else to do.
    Taken,
    /// It was accepted into empty queues: a start is due at this instant.
    StartsAt(u64),
    /// The queue was full.
    Full,
}

/// A transmission that starts.
#[derive(Debug, Clone, Copy)]
pub struct Start {
    /// When, in ps.
    pub at: u64,
    /// When it ends, in ps.
    pub end: u64,
    /// The packet.
    pub packet: Packet,
}

/// The egress side of one link direction.
///
/// Its fields are in the order in which packets need them, cache line by cache line: a large fabric has far more ports than
/// the caches hold.
#[repr(C, align(64))]
pub struct Egress {
    /// End of the last known transmission, in ps.
    free_at: u64,
    /// The next start out of the class queues, `u64::MAX` while they are empty.
    next_start: u64,
    /// Picoseconds per byte where that is whole, else 0.
    ps_per_byte: u64,
    /// Transmission time of the packets in the class queues, in ps.
    queued_ps: u64,
    /// Largest backlog so far, in ps.
    peak_ps: u64,
    /// Bytes accepted and not lost.
    bytes: u64,
    delay: u64,
    /// Whether the link carries packets.
    up: bool,
    /// Whether an enqueue is a computed start and nothing else: see [`Egress::uses_fast_path`].
    uses_fast_path: bool,
    /// Whether it would use the fast path if its node did not compare ports: see [`Egress::is_comparable`].
    is_comparable: bool,
    /// Whether starts have effects: see [`Egress::has_start_effects`].
    has_start_effects: bool,
    /// See [`Egress::must_observe_starts`].
    must_observe_starts: bool,
    /// Whether packets that wait are counted, and all of them have a known start.
    counts_starts: bool,
    /// The lowest class whose starts are computed: nothing can overtake it. 255 for none.
    computed_from: u8,
    /// One bit per class that the other end has paused, or that waits for credits.
    blocked_classes: u8,
    /// The link.
    pub channel: Channel,
    /// Credits of the link, where it has credits.
    credits: Option<Box<LinkCredits>>,
    /// Bytes of data in the class queues, where they are counted.
    data_bytes: u64,
    /// Packets in input buffers that will leave here.
    in_input_buffers: u32,
    /// The class, higher than that of data, whose starts are computed while no pause frame can come; 255 for none.
    computed_unless_frames: u8,
    /// The class data travels in.
    data_class: u8,
    form: Form,
    /// See [`Egress::needs_admission_check`].
    needs_admission_check: bool,
    /// Packets that wait, and their peak number, where they are counted.
    count: Option<Box<Count>>,
    /// Fields that are rarely accessed.
    extras: Box<Extras>,
    /// The class queues, in lazy and timed form.
    queues: Option<Box<Queues>>,
    /// The instant for which a start is announced as an event, `u64::MAX` for none.
    timer_at: u64,
    /// See [`Egress::may_join`].
    low_threshold: u64,
    /// Starts that are known, where packets are counted.
    waiting: Waiting,
    rate: Rate,
    /// Its id.
    id: PortId,
}

/// Waiting packets, counted.
#[derive(Debug, Default)]
struct Count {
    /// The last instant at which a packet came by a class queue to an idle wire.
    entered: Option<u64>,
    peak: u32,
    /// Whether the peak is reported.
    peak_wanted: bool,
    /// Queue snapshots of recorded packets; those in the class queues have an entry each, in the same order.
    trace: Option<Trace>,
    /// The occupancy before the port, where it is recorded.
    occupancy: Option<QueueOccupancy>,
}

impl Count {
    /// One packet if it came to an idle wire at this very instant: it has not left yet.
    #[inline]
    fn entering(&self, now: u64) -> u32 {
        u32::from(self.entered == Some(now))
    }
}

/// Fields that are rarely accessed.
#[derive(Debug, Default)]
struct Extras {
    /// The marker of data packets, where there is one.
    marker: Option<Marker>,
    /// The chance that the link loses a data packet, in 2^-32, and the stream it is sampled from.
    loss: Option<Box<(u64, Random)>>,
    pauses: Pauses,
    /// Changes of the link over time, if there are any.
    changing: Option<Box<LinkChanges>>,
    /// The largest backlog the queue may hold, in ps.
    limit_ps: u64,
    /// Packets that were refused or lost here.
    dropped: u64,
    /// The packets of the paused class, outside the class queues.
    paused_packets: VecDeque<Packet>,
    /// State of each class of data, where data is separated by class.
    by_class: Option<Box<ByClass>>,
    /// Packets that were lost on the wire, once there are any.
    lost: Option<Box<LostOnWire>>,
    /// Writer of telemetry records of packets that start here, where telemetry is on.
    probe: Option<Box<PortTelemetry>>,
    /// Whether arriving packets need more than to be queued: [`Egress::has_enqueue_effects`].
    has_enqueue_effects: bool,
    /// Whether the bytes of data in the class queues are counted.
    counts_data: bool,
    /// The marker decides about a data packet at its start only if more bytes than these wait behind it.
    marked_above: u64,
    /// Whether the link loses packets, will change, or carries packets that are recorded.
    watched: bool,
}

/// Packets lost on the wire.
#[derive(Debug, Default)]
struct LostOnWire {
    /// Until when the wire is busy with one of them, in ps.
    until: u64,
    /// Their bytes.
    bytes: u64,
}

/// Slots for queues: a power of two, of which classes take eight and pause frames the next one.
pub(crate) const N_QUEUES: usize = 16;

/// A queue for each class, the highest served first, and before them one of pause frames.
#[derive(Debug, Default)]
struct Queues {
    classes: [VecDeque<Packet>; N_QUEUES],
    /// One bit per class that has packets.
    filled: u32,
}

impl Queues {
    fn n_packets(&self) -> u32 {
        self.classes.iter().map(|class| class.len() as u32).sum()
    }
}

/// The transmission time of a byte in ps, if it is a whole number.
pub fn ps_per_byte(rate: Rate) -> Option<u64> {
    let bit_rate_of_one = 8_000_000_000_000_u64;
    bit_rate_of_one.is_multiple_of(rate.0).then(|| bit_rate_of_one / rate.0)
}

impl Egress {
    /// An idle port.
    pub fn new(id: PortId, channel: Channel, rate: Rate, delay: u64) -> Egress {
        let ps_per_byte = ps_per_byte(rate);
        Egress {
            id,
            free_at: 0,
            next_start: u64::MAX,
            ps_per_byte: ps_per_byte.unwrap_or(0),
            queued_ps: 0,
            peak_ps: 0,
            bytes: 0,
            delay,
            channel,
            computed_from: 0,
            computed_unless_frames: u8::MAX,
            form: Form::Computed,
            uses_fast_path: ps_per_byte.is_some(),
            is_comparable: false,
            has_start_effects: false,
            must_observe_starts: false,
            up: true,
            blocked_classes: 0,
            data_class: 0,
            timer_at: u64::MAX,
            counts_starts: false,
            waiting: Waiting::default(),
            credits: None,
            data_bytes: 0,
            in_input_buffers: 0,
            extras: Box::new(Extras { limit_ps: u64::MAX, ..Extras::default() }),
            count: None,
            low_threshold: 0,
            needs_admission_check: false,
            rate,
            queues: None,
        }
    }

    /// Limits the bytes accepted and not yet sent, before the run.
    pub fn set_limit(&mut self, limit: Bytes) {
        self.extras.limit_ps = change::span_of(self.rate, limit);
    }

    /// Counts waiting packets, before the run.
    pub fn count_packets(&mut self) {
        self.count_mut().peak_wanted = true;
    }

    /// Records the queue that packets find here, before the run: for recorded flows, or for all packets. No start may
    /// be computed at enqueue, so that every start is seen when it happens.
    ///
    /// # Panics
    /// In computed form.
    pub fn trace_packets(&mut self, all: bool) {
        assert!(self.form != Form::Computed, "a computed start is not seen");
        self.has_start_effects = true;
        self.extras.watched = true;
        self.count_mut().trace = Some(Trace::new(self.id, all));
    }

    fn count_mut(&mut self) -> &mut Count {
        self.uses_fast_path = false;
        self.count.get_or_insert_default();
        self.counts_starts = self.form == Form::Computed;
        self.update_admission_conditions();
        self.count.as_deref_mut().expect("just made")
    }

    /// The trace of packets here; absent where none is recorded.
    pub fn trace(&mut self) -> Option<&mut Trace> {
        self.count.as_deref_mut()?.trace.as_mut()
    }

    /// Chooses the form of the start rule, before the run.
    pub fn set_form(&mut self, form: Form) {
        self.form = form;
        self.computed_from = if form == Form::Computed { 0 } else { u8::MAX };
        self.queues = (form != Form::Computed).then(Box::default);
        self.uses_fast_path = form == Form::Computed && self.count.is_none() && self.ps_per_byte != 0;
        self.counts_starts = form == Form::Computed && self.count.is_some();
        self.update_admission_conditions();
    }

    /// Enables computed starts of the highest class in use (lazy form only): one class at most is left to wait.
    pub fn set_top_class(&mut self, class: u8) {
        self.computed_from = class;
        self.update_admission_conditions();
    }

    /// Enables computed starts of the highest class in use while no pause frame can come (lazy form only).
    pub fn set_top_class_unless_frames(&mut self, class: u8) {
        self.computed_unless_frames = class;
        self.update_admission_conditions();
    }

    /// The form of the start rule.
    #[inline]
    pub fn form(&self) -> Form {
        self.form
    }

    /// Whether the link carries packets.
    pub fn is_up(&self) -> bool {
        self.up
    }

    /// Its id.
    pub fn id(&self) -> PortId {
        self.id
    }

    /// From when on the wire is free, as far as is known.
    #[inline(always)]
    pub fn free_at(&self) -> u64 {
        self.free_at
    }

    /// Whether a start needs a timer at an instant; if so, one is counted as set.
    #[inline(always)]
    pub fn is_timer_needed(&mut self, at: u64) -> bool {
        let is_needed = at < self.timer_at;
        self.timer_at = self.timer_at.min(at);
        is_needed
    }

    /// Handles a timer that announced a start.
    #[inline(always)]
    pub fn timer_came(&mut self, now: u64) {
        if self.timer_at <= now {
            self.timer_at = u64::MAX;
        }
    }

    /// Sets the class that data travels in, before the run.
    pub fn set_data_class(&mut self, class: u8) {
        self.data_class = class;
    }

    #[inline(always)]
    fn serialization(&self, bytes: u32) -> u64 {
        if self.ps_per_byte != 0 {
            return u64::from(bytes) * self.ps_per_byte;
        }
        self.odd_serialization(bytes)
    }

    /// At rates that do not give whole picoseconds per byte.
    #[cold]
    #[inline(never)]
    fn odd_serialization(&self, bytes: u32) -> u64 {
        self.rate.serialization(Bytes(u64::from(bytes))).0
    }

    /// Whether the port has computed form, whole picoseconds per byte and no count of packets: packets come by
    /// [`Egress::enqueue_fast`].
    #[inline(always)]
    pub fn uses_fast_path(&self) -> bool {
        self.uses_fast_path
    }

    /// As [`Egress::uses_fast_path`], where the node's policy compares its ports: each accepted packet must be reported
    /// to the node's loads.
    #[inline(always)]
    pub fn is_comparable(&self) -> bool {
        self.is_comparable
    }

    /// As [`Egress::enqueue_computed`], at a port on the fast path.
    #[inline(always)]
    pub fn enqueue_fast(&mut self, now: u64, bytes: u32) -> Option<u64> {
        let end = self.free_at.max(now) + u64::from(bytes) * self.ps_per_byte;
        if end - now > self.peak_ps && !self.note_peak(now, end - now) {
            return None;
        }
        self.bytes += u64::from(bytes);
        self.free_at = end;
        Some(end + self.delay)
    }

    /// Whether the start of a packet of this class is known at once: it must come by [`Egress::enqueue_computed`].
    #[inline(always)]
    pub fn is_computed(&self, class: u8) -> bool {
        class >= self.computed_from
    }

    /// Whether the start of a packet of this class is known at once if no pause frame comes before it. The packet may
    /// not join its queue while past starts are pending, for it would overtake those packets.
    #[inline(always)]
    pub fn is_computed_unless_frames(&self, class: u8) -> bool {
        class == self.computed_unless_frames
    }

    /// Whether a packet of this class would start next, and when. The port must be advanced to `now`.
    #[inline(always)]
    pub fn start_if_next(&self, now: u64, class: u8) -> Option<u64> {
        let filled = self.queues.as_deref().map_or(0, |queues| queues.filled);
        (filled >> class == 0).then(|| self.free_at.max(now))
    }

    /// Appends a packet whose start is known at once; returns its arrival at the other end, or `None` if the queue is
    /// full. The port must be advanced to `now`.
    #[inline(always)]
    pub fn enqueue_computed(&mut self, now: u64, bytes: u32) -> Option<u64> {
        let start = self.free_at.max(now);
        let end = start + self.serialization(bytes);
        if end + self.queued_ps - now > self.peak_ps && !self.note_peak(now, end + self.queued_ps - now) {
            return None;
        }
        self.bytes += u64::from(bytes);
        self.free_at = end;
        if self.next_start != u64::MAX {
            self.next_start = end;
        }
        if self.count.is_some() {
            self.count_computed(now, start);
        }
        Some(end + self.delay)
    }

    /// Handles a backlog larger than ever; returns whether the queue may hold it.
    #[cold]
    #[inline(never)]
    fn note_peak(&mut self, now: u64, backlog: u64) -> bool {
        // At a port whose rate changes, `ps_per_byte` is zero.
        if self.ps_per_byte == 0
            && let Some(fits) = self.note_mixed_peak(now, backlog)
        {
            return fits;
        }
        if backlog > self.extras.limit_ps {
            self.extras.dropped += 1;
            return false;
        }
        self.peak_ps = backlog;
        true
    }

    #[inline(never)]
    fn count_computed(&mut self, now: u64, start: u64) {
        // A packet that comes to an idle wire waits for this instant; none of the others starts at the next one.
        let enters = start == now && self.next_start == u64::MAX;
        self.waiting.push(start + u64::from(enters));
        let in_queues = if self.counts_starts { 0 } else { self.waiting_in_queues(now) };
        let count = self.count.as_deref_mut().expect("seen by the caller");
        let others = in_queues + count.entering(now);
        if self.waiting.at_most() + others > count.peak {
            count.peak = count.peak.max(self.waiting.at(now) + others);
        }
    }

    /// Packets in class queues that do not start at `now`.
    fn waiting_in_queues(&self, now: u64) -> u32 {
        self.n_queued() - u32::from(self.next_start == now)
    }

    fn n_queued(&self) -> u32 {
        self.queues.as_ref().map_or(0, |queues| queues.n_packets())
            + self.extras.paused_packets.len() as u32
            + self.extras.by_class.as_ref().map_or(0, |by_class| by_class.n_paused_packets())
            + self.in_input_buffers
    }

    /// Appends a packet to its class queue at `now`; the port must be advanced to `now`.
    #[inline(always)]
    pub fn enqueue(&mut self, now: u64, packet: &Packet) -> Enqueued {
        self.append(now, self.free_at.max(now), packet)
    }

    /// As [`Egress::enqueue`], of a packet that may join while past starts are pending ([`Egress::may_join`]).
    #[inline(always)]
    pub fn join(&mut self, now: u64, packet: &Packet) -> Enqueued {
        self.append(now, self.free_at.max(now.min(self.next_start)), packet)
    }

    /// As [`Egress::enqueue`], where the wire is free for queued packets from `free_at` on.
    #[inline(always)]
    fn append(&mut self, now: u64, free_at: u64, packet: &Packet) -> Enqueued {
        let busy = self.serialization(packet.bytes);
        let backlog = free_at + self.queued_ps - now + busy;
        if backlog > self.peak_ps && !self.note_peak(now, backlog) {
            return Enqueued::Full;
        }
        self.bytes += u64::from(packet.bytes);
        self.queued_ps += busy;
        let class = packet.class();
        let idle = self.next_start == u64::MAX;
        if idle {
            self.next_start = self.free_at.max(now);
        }
        let queues = self.queues.as_deref_mut().expect("class queues exist in this form");
        queues.filled |= 1 << class;
        queues.classes[class as usize % N_QUEUES].push_back(*packet);
        if self.count.is_some() {
            self.count_queued(now, idle && self.next_start == now, packet, busy);
        }
        if idle { Enqueued::StartsAt(self.next_start) } else { Enqueued::Taken }
    }

    #[inline(never)]
    fn count_queued(&mut self, now: u64, starts_now: bool, packet: &Packet, busy: u64) {
        if let Some(by_class) = self.by_class_mut() {
            by_class.came(packet);
        }
        if starts_now {
            self.count.as_deref_mut().expect("seen by the caller").entered = Some(now);
        }
        let waiting = self.waiting_packets(now);
        // The packet itself is counted already.
        let bytes = self.bytes_ahead(now, self.queued_ps - busy);
        let found = QueueSnapshot { at: now, packets: waiting as u32 - 1, bytes, ingress: 0 };
        let count = self.count.as_deref_mut().expect("seen by the caller");
        count.peak = count.peak.max(waiting as u32);
        if let Some(trace) = &mut count.trace {
            trace.queued(packet.class(), found);
        }
    }

    /// The queue that a packet finds which is not accepted; absent where none is recorded. The port must be advanced to
    /// `now`.
    #[cold]
    pub fn snapshot_for_dropped(&mut self, now: u64) -> Option<QueueSnapshot> {
        self.trace()?;
        let (packets, bytes) = (self.waiting_packets(now) as u32, self.waiting_bytes(now));
        Some(QueueSnapshot { at: now, packets, bytes, ingress: 0 })
    }

    /// Whether a transmission out of the class queues starts before `end`.
    #[inline(always)]
    pub fn has_start_before(&self, end: u64) -> bool {
        self.next_start < end
    }

    /// The next start out of the class queues.
    pub fn next_start(&self) -> Option<u64> {
        (self.next_start != u64::MAX).then_some(self.next_start)
    }

    /// Takes the next transmission out of the class queues.
    #[inline(always)]
    pub fn take_start(&mut self) -> Start {
        let queues = self.queues.as_deref().expect("something waits in a class queue");
        self.take_of((queues.filled | 1).ilog2() as u8)
    }

    /// Takes the first data packet, regardless of the order of classes; it starts when the next packet would.
    pub fn take_start_of_data(&mut self) -> Start {
        self.take_of(self.data_class)
    }

    /// Takes the next transmission of a class.
    #[inline(always)]
    fn take_of(&mut self, class: u8) -> Start {
        let queues = self.queues.as_deref_mut().expect("something waits in a class queue");
        let queue = &mut queues.classes[class as usize % N_QUEUES];
        let packet = queue.pop_front().expect("the class is marked as filled");
        if queue.is_empty() {
            queues.filled &= !(1 << class);
        }
        let more = queues.filled != 0;
        let busy = self.serialization(packet.bytes);
        let at = self.next_start;
        let end = at + busy;
        self.queued_ps -= busy;
        self.free_at = end;
        self.next_start = if more { end } else { u64::MAX };
        Start { at, end, packet }
    }

    /// Undoes a start that the hook refused: the wire is free for the next packet at the same instant.
    pub fn take_back(&mut self, start: &Start) {
        self.lose(&start.packet);
        self.undo_start_of_class(&start.packet);
        self.uncount(start.packet);
        self.free_at = start.at;
        if self.next_start != u64::MAX {
            self.next_start = start.at;
        }
    }

    /// Subtracts an accepted packet that is not sent after all.
    fn lose(&mut self, packet: &Packet) {
        self.bytes -= u64::from(packet.bytes);
    }

    /// Whether the link loses packets, will change, or carries packets that are recorded.
    pub fn is_watched(&self) -> bool {
        self.extras.watched
    }

    /// Whether starts have effects: the port is watched, or guarded.
    #[inline(always)]
    pub fn has_start_effects(&self) -> bool {
        self.has_start_effects
    }

    /// Counts a packet that a hook refused.
    pub fn count_refused(&mut self) {
        self.extras.dropped += 1;
    }

    /// The link's entry for a transmission that starts.
    #[inline]
    pub fn entry(&self, start: &Start) -> InFlight {
        InFlight { arrival: start.end + self.delay, packet: start.packet }
    }

    /// Bytes accepted and not yet sent at `now`; the port must be advanced to `now`.
    #[inline]
    pub fn waiting_bytes(&self, now: u64) -> u64 {
        self.bytes_ahead(now, self.queued_ps)
    }

    /// The bytes that the wire sends from `now` until it is free, and then for `queued` ps.
    #[inline]
    fn bytes_ahead(&self, now: u64, queued: u64) -> u64 {
        let rest = self.free_at.max(now) - now;
        match (rest + queued, self.ps_per_byte) {
            (0, _) => 0,
            (_, 0) => self.odd_bytes_ahead(now, rest, queued),
            (span, per_byte) => span.div_ceil(per_byte),
        }
    }

    /// Packets waiting at `now`, the one on the wire not included; the port must be advanced to `now`.
    ///
    /// A packet that starts at this instant has left; one that has come to an idle wire at this instant has not
    /// (Zeltser 2026, its simulator: a queue is drained before what arrives at the same instant is handled).
    ///
    /// # Panics
    /// Unless the port counts packets.
    #[inline(always)]
    pub fn waiting_packets(&mut self, now: u64) -> u64 {
        if self.counts_starts { self.waiting.at(now).into() } else { self.waiting_anywhere(now) }
    }

    #[inline(never)]
    fn waiting_anywhere(&mut self, now: u64) -> u64 {
        if self.free_at <= now && self.queued_ps == 0 {
            return 0;
        }
        let in_queues = self.waiting_in_queues(now);
        let count = self.count.as_deref().expect("this port counts packets");
        u64::from(self.waiting.at(now) + in_queues + count.entering(now))
    }
}
