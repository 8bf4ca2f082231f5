//! State that the nodes of one partition share while they advance: timers, inner links, reports and counters.
//!
//! Models: the local event order: at one instant heads of inner links by in-link, then timers by (node, kind,
//! argument), then arbitrations at crossbars. Timers set for nearly every packet are in a calendar queue, other timers in
//! a heap; a crossbar has one timer, for its next arbitration.
//! Leaves out: the nodes themselves.
//!
//! Invariants: no other partition reads this state; the coordinator reads the reports between rounds, in partition
//! order.

use std::cmp::Reverse;
use std::collections::binary_heap::PeekMut;
use std::collections::{BTreeMap, BinaryHeap};

use netloom_model::Mark;
use netloom_records::DropReason;
use netloom_units::{PortId, StateWriter};

use crate::calendar::{CalendarQueue, Event};
use crate::packet::Packet;
use crate::sender_waits::{SenderEvent, SenderEvents};
use crate::telemetry::Telemetry;
use crate::trace::HopRecord;
use crate::wakes::WakeTimes;

/// A timer event of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Timer {
    /// When, in ps.
    pub at: u64,
    /// The node, by its index in the partition.
    pub node: u32,
    /// The action.
    pub kind: TimerKind,
}

/// The action of a timer. The order of the variants is the order at equal times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TimerKind {
    /// The switch goes down or comes up; its links have timers of their own.
    Switch {
        /// Whether it comes up.
        up: bool,
    },
    /// The link at a port changes.
    Fault {
        /// Local port.
        port: u32,
        /// The change.
        change: Change,
    },
    /// A NIC in a pause storm sends another pause frame.
    Storm {
        /// The number of the storm in the model.
        number: u32,
    },
    /// A barrier releases an actor.
    Release {
        /// The actor, by its index at the host.
        actor: u32,
    },
    /// An actor ends, even if work is left.
    Dismiss {
        /// The actor, by its index at the host.
        actor: u32,
    },
    /// A stream of an actor continues.
    Wake {
        /// The actor, by its index at the host.
        actor: u32,
        /// The stream.
        stream: u8,
    },
    /// A message of the program starts, where one would for which an actor has waited: a program comes after all actors
    /// of its host.
    ProgramStart {
        /// The number of the message, which breaks ties.
        number: u32,
        /// Its slot in the flow table.
        flow: u32,
    },
    /// Messages of the program have completed at this instant: it has its turn.
    ProgramTurn,
    /// A message starts that an actor has delayed.
    DelayedSend {
        /// The actor, by its index at the host.
        actor: u32,
    },
    /// A paced message sends its next packet.
    Pace {
        /// Its number among the host's messages, which breaks ties.
        number: u32,
        /// Its slot among the host's sends.
        send: u32,
    },
    /// The next packets of messages that wait as a whole enter the link.
    Posted,
    /// The retransmission timeout of a queue pair may have expired.
    Timeout {
        /// The queue pair's number at the host, which breaks ties.
        number: u32,
        /// Its slot there.
        pair: u32,
    },
    /// A timer of the switch's hook.
    Hook {
        /// The hook's own number.
        number: u32,
    },
    /// A transmission starts at a port in timed form.
    Start {
        /// Local port.
        port: u32,
    },
    /// Credits return to a port that waits for them.
    Credits {
        /// Local port.
        port: u32,
    },
    /// Arbitration at a crossbar, after all other events of an instant.
    Crossbar,
}

/// Bits of a rank below the node's number: the port, and above it the kind of timer.
const NODE_SHIFT: u32 = 34;

/// Bits of a rank below the kind.
const KIND_SHIFT: u32 = 32;

impl TimerKind {
    /// The rank in the calendar queue of a timer at a node, if it is of a kind set for nearly every packet.
    #[inline(always)]
    fn tie_break(self, node: u32) -> Option<u64> {
        let of_node = match self {
            TimerKind::Start { port } => u64::from(port),
            TimerKind::Credits { port } => 1 << KIND_SHIFT | u64::from(port),
            _ => return None,
        };
        Some(u64::from(node) << NODE_SHIFT | of_node)
    }
}

impl Timer {
    /// The timer of an event of the calendar queue.
    #[inline(always)]
    fn from_calendar((at, rank): Event) -> Timer {
        let port = rank as u32;
        let kind = match rank >> KIND_SHIFT & 1 {
            0 => TimerKind::Start { port },
            _ => TimerKind::Credits { port },
        };
        Timer { at, node: (rank >> NODE_SHIFT) as u32, kind }
    }
}

/// The next event of a partition.
#[derive(Debug, Clone, Copy)]
pub enum Next {
    /// The packet at the head of an inner link arrives.
    Arrival {
        /// When, in ps.
        at: u64,
        /// The in-link.
        in_link: u32,
    },
    /// A timer fires.
    Timer(Timer),
}

/// A change of the link at a port; the order of the variants is the order at one instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    /// The link stops carrying packets; the port has not noticed yet.
    LinkLost,
    /// The port goes down.
    Down,
    /// The port comes up.
    Up,
    /// The link carries packets again, and the port never noticed that it did not.
    LinkRestored,
    /// Its rate or its error model changes, as given by the fault of this number.
    RateOrErrors(u32),
}

impl Change {
    fn word(self) -> u64 {
        match self {
            Change::Down => 0,
            Change::Up => 1,
            Change::LinkLost => 2,
            Change::LinkRestored => 3,
            Change::RateOrErrors(number) => 4 + u64::from(number),
        }
    }
}

impl TimerKind {
    /// Writes its kind and arguments, without slot numbers.
    pub fn write_state(self, out: &mut StateWriter) {
        let (kind, argument) = match self {
            TimerKind::Fault { port, change } => (0, u64::from(port) << 34 | change.word()),
            TimerKind::Release { actor } => (1, u64::from(actor)),
            TimerKind::Wake { actor, stream } => (2, u64::from(actor) << 8 | u64::from(stream)),
            TimerKind::Pace { .. } => (3, 0),
            TimerKind::Timeout { .. } => (4, 0),
            TimerKind::Hook { number } => (5, u64::from(number)),
            TimerKind::Start { port } => (6, u64::from(port)),
            TimerKind::Storm { number } => (7, u64::from(number)),
            TimerKind::Crossbar => (8, 0),
            TimerKind::Switch { up } => (9, u64::from(up)),
            TimerKind::Dismiss { actor } => (10, u64::from(actor)),
            TimerKind::DelayedSend { actor } => (11, u64::from(actor)),
            TimerKind::Credits { port } => (12, u64::from(port)),
            TimerKind::ProgramStart { .. } => (13, 0),
            TimerKind::ProgramTurn => (14, 0),
            TimerKind::Posted => (15, 0),
        };
        out.word(kind << 56 | argument);
    }
}

/// A report from a partition to the coordinator.
#[derive(Debug, Clone, Copy)]
pub enum Report {
    /// The first packet of a message was handed to the NIC.
    Started {
        /// Slot in the flow table.
        flow: u32,
        /// Number among the sender's messages.
        number: u32,
        /// When.
        at: u64,
    },
    /// A message's last byte arrived.
    Arrived {
        /// Slot in the flow table.
        flow: u32,
        /// When.
        at: u64,
        /// Data packets that arrived.
        packets: u32,
        /// Sum of the links they crossed.
        hops: u64,
    },
    /// The last packet of a message has arrived at a node.
    Crossed {
        /// Slot in the flow table.
        flow: u32,
        /// The link.
        crossing: Crossing,
    },
    /// A switch generated a packet for a queue pair.
    NackGenerated {
        /// Slot in the flow table.
        flow: u32,
    },
    /// A switch suppressed a packet of a queue pair.
    NackSuppressed {
        /// Slot in the flow table.
        flow: u32,
    },
    /// A packet of a queue pair was lost.
    Lost {
        /// Slot in the flow table.
        flow: u32,
    },
    /// A queue pair retransmits after a timeout.
    TimedOut(Timeout),
    /// The sender has finished a message.
    Sent {
        /// Slot in the flow table.
        flow: u32,
    },
    /// An actor reached a mark.
    Mark {
        /// The mark.
        mark: Mark,
        /// The actor.
        actor: u32,
        /// When.
        at: u64,
    },
    /// An actor arrived at a barrier.
    Barrier {
        /// The group.
        group: u32,
        /// The actor.
        actor: u32,
        /// When.
        at: u64,
    },
    /// An actor will soon need more operations.
    NeedsRefill {
        /// The actor.
        actor: u32,
    },
    /// An actor has done all its operations.
    Finished,
    /// An actor did too many operations at one instant, and was stopped.
    Standstill {
        /// The actor.
        actor: u32,
        /// The instant.
        at: u64,
    },
    /// There are hop records of traced packets.
    HopRecords,
    /// There are events at the senders of messages whose causes are recorded.
    SenderEvents,
}

/// A link that the last packet of a message has crossed.
#[derive(Debug, Clone, Copy)]
pub struct Crossing {
    /// The port by which it came.
    pub port: PortId,
    /// When it arrived, in ps.
    pub at: u64,
    /// Its size.
    pub bytes: u32,
    /// Whether it was a retransmission.
    pub is_retransmission: bool,
}

/// A timeout of a queue pair.
#[derive(Debug, Clone, Copy)]
pub struct Timeout {
    /// When, in ps.
    pub at: u64,
    /// Packets in flight, sent and not acknowledged.
    pub unacknowledged: u32,
    /// The sending host.
    pub source: u32,
    /// The queue pair's number there.
    pub number: u32,
    /// The receiving host.
    pub destination: u32,
}

/// Drops for one reason at one port or node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DropTally {
    /// Packets.
    pub packets: u64,
    /// Bytes.
    pub bytes: u64,
    /// Data packets among them.
    pub data: u64,
    /// First and last instant, in ps.
    pub span: (u64, u64),
}

/// See the module.
///
/// As in [`crate::port::Egress`], fields are in the order in which a window needs them.
#[repr(C)]
pub struct PartitionContext {
    /// An actor has run out of operations: stop after this event and request a refill.
    pub out_of_tasks: bool,
    /// The program has its turn: stop after this event.
    pub is_held: bool,
    /// Whether there are several nodes, some of them with crossbars; else arbitrations are no events.
    has_arbitrations: bool,
    /// Whether losses are reported one by one: queue pairs are freed when none of their packets is left.
    pub reports_losses: bool,
    /// Whether the number of nodes is large enough for prefetches to pay.
    pub prefetches: bool,
    /// The first instant of timers, heads and arbitrations, `u64::MAX` for none.
    next_event: u64,
    /// A lower bound of the next event in this partition after the current arrival, arbitration excluded, in ps.
    pub next_event_bound: u64,
    /// The instant of the last event, in ps.
    pub now: u64,
    /// Packets that have crossed a link to a node of this partition.
    pub hops: u64,
    /// Credit messages among them, which are not packets.
    pub n_credits: u64,
    /// When the last credits arrive that nodes of this partition have returned to switches, in ps.
    pub credits_until: u64,
    /// The instant of the first of all timers and arbitrations, `u64::MAX` for none.
    next_timer: u64,
    /// The instant of the first of the timers that are set rarely, `u64::MAX` for none.
    next_seldom: u64,
    /// In-links on which credits may have arrived for a port here that has begun to wait for them.
    pub credit_links: Vec<u32>,
    /// Reports for the coordinator.
    pub reports: Vec<Report>,
    /// Timers of starts and credits, once one has been set.
    calendar: Option<Box<CalendarQueue>>,
    /// Events at the senders of messages whose causes are recorded, for the coordinator.
    pub sender_events: Option<Box<SenderEvents>>,
    /// Telemetry that ports wrote about packets here, in runs with telemetry.
    pub telemetry: Option<Box<Telemetry>>,
    /// Data packets created by hosts of this partition.
    pub packets: u64,
    /// When the crossbars of several nodes are next arbitrated.
    arbitrations: WakeTimes,
    /// Heads of inner links: few, and mostly followed by another entry on the same link.
    inner: BinaryHeap<Reverse<(u64, u32)>>,
    /// For each in-link, whether its head is in `inner`.
    queued: Vec<bool>,
    /// Timers that are set rarely.
    timers: BinaryHeap<Reverse<Timer>>,
    /// Completed hop records of traced packets, for the coordinator.
    pub hop_records: Vec<HopRecord>,
    /// Drops, by (node, local port, reason).
    pub drops: BTreeMap<(u32, Option<u32>, DropReason), DropTally>,
    /// Scratch memory for lists of live ports.
    pub scratch: Vec<u32>,
}

impl PartitionContext {
    /// Stops after this event, at which the program has its turn.
    #[cold]
    pub fn hold(&mut self) {
        (self.is_held, self.out_of_tasks) = (true, true);
    }

    /// The context of a partition with this many in-links.
    pub fn new(n_in_links: usize) -> PartitionContext {
        PartitionContext {
            timers: BinaryHeap::new(),
            calendar: None,
            next_timer: u64::MAX,
            arbitrations: WakeTimes::new(0),
            has_arbitrations: false,
            inner: BinaryHeap::new(),
            next_event: u64::MAX,
            next_seldom: u64::MAX,
            queued: vec![false; n_in_links],
            reports: Vec::new(),
            hop_records: Vec::new(),
            sender_events: None,
            drops: BTreeMap::new(),
            hops: 0,
            n_credits: 0,
            credits_until: 0,
            credit_links: Vec::new(),
            next_event_bound: 0,
            packets: 0,
            now: 0,
            out_of_tasks: false,
            is_held: false,
            scratch: Vec::new(),
            reports_losses: false,
            prefetches: false,
            telemetry: None,
        }
    }

    /// Sets a timer.
    #[inline]
    pub fn set_timer(&mut self, at: u64, node: u32, kind: TimerKind) {
        self.next_timer = self.next_timer.min(at);
        self.next_event = self.next_event.min(at);
        if let Some(rank) = kind.tie_break(node) {
            self.calendar.get_or_insert_default().push(self.now, (at, rank));
        } else {
            self.next_seldom = self.next_seldom.min(at);
            self.timers.push(Reverse(Timer { at, node, kind }));
        }
    }

    /// Reports an event at the sender of a message.
    pub fn report_sender_event(&mut self, event: SenderEvent) {
        let SenderEvents(events) = &mut **self.sender_events.get_or_insert_default();
        if events.is_empty() {
            self.reports.push(Report::SenderEvents);
        }
        events.push(event);
    }

    /// Lets arbitrations at crossbars be events, in a partition of this many nodes, before the run.
    pub fn schedule_arbitrations(&mut self, n_nodes: usize) {
        (self.arbitrations, self.has_arbitrations) = (WakeTimes::new(n_nodes), true);
    }

    /// Schedules the next arbitration at the crossbar of a node, `u64::MAX` for none. A switch that is alone in its
    /// partition needs no event for it.
    #[inline]
    pub fn schedule_arbitration(&mut self, node: u32, at: u64) {
        if !self.has_arbitrations {
            return;
        }
        self.arbitrations.set(node, at);
        self.note_next_timer();
    }

    /// The instant of the next timer, inner arrival or arbitration, `u64::MAX` for none.
    #[inline(always)]
    pub fn next_event(&self) -> u64 {
        self.next_event
    }

    /// Whether an inner in-link with a lower number has an arrival at this instant; no event is pending before it.
    #[cold]
    pub fn has_arrival_before(&self, at: u64, in_link: u32) -> bool {
        self.inner.peek().is_some_and(|&Reverse(first)| first < (at, in_link))
    }

    /// The inner link with the next arrival, if there is one.
    #[inline(always)]
    pub fn first_inner(&self) -> Option<u32> {
        self.inner.peek().map(|&Reverse((_, link))| link)
    }

    /// The next event, which must exist: a timer is removed, an arrival must be removed by
    /// [`PartitionContext::popped_inside`].
    #[inline(always)]
    pub fn take_next(&mut self) -> Next {
        match self.inner.peek() {
            Some(&Reverse((at, in_link))) if at <= self.next_timer => Next::Arrival { at, in_link },
            _ => Next::Timer(self.take_timer()),
        }
    }

    /// Removes and returns the next timer, which must exist, or returns the next arbitration.
    pub fn take_timer(&mut self) -> Timer {
        if !self.is_timer_next() {
            let node = self.arbitrations.first();
            // Not removed: the arbitration schedules the next one.
            return Timer { at: self.next_timer, node, kind: TimerKind::Crossbar };
        }
        let timer = match &mut self.calendar {
            Some(calendar) if !is_seldom_before(&self.timers, calendar.first()) => {
                let timer = Timer::from_calendar(calendar.first());
                calendar.drop_first();
                timer
            }
            _ => self.take_seldom(),
        };
        self.note_next_timer();
        timer
    }

    #[inline(never)]
    fn take_seldom(&mut self) -> Timer {
        let timer = self.timers.pop().expect("a timer was seen before it is taken").0;
        self.next_seldom = self.timers.peek().map_or(u64::MAX, |next| next.0.at);
        timer
    }

    /// Whether a timer is the next of all timers and arbitrations, which come after timers of their instant.
    #[inline(always)]
    fn is_timer_next(&self) -> bool {
        let arbitration = self.arbitrations.next();
        self.next_timer < arbitration || self.first_timer() <= arbitration
    }

    /// The instant of the first timer, `u64::MAX` for none.
    #[inline(always)]
    fn first_timer(&self) -> u64 {
        let first = self.calendar.as_ref().map_or(u64::MAX, |calendar| calendar.first().0);
        self.next_seldom.min(first)
    }

    #[inline(always)]
    fn note_next_timer(&mut self) {
        self.next_timer = self.first_timer().min(self.arbitrations.next());
        self.note_next_event();
    }

    #[inline(always)]
    fn note_next_event(&mut self) {
        self.next_event = self.inner.peek().map_or(self.next_timer, |head| self.next_timer.min(head.0.0));
    }

    /// All timers, unordered (to write the state out).
    pub fn timers(&self) -> impl Iterator<Item = Timer> + '_ {
        let ranked = self.calendar.iter().flat_map(|calendar| calendar.iter());
        self.timers.iter().map(|timer| timer.0).chain(ranked.map(Timer::from_calendar))
    }

    /// An entry was pushed onto an inner link.
    #[inline]
    pub fn pushed_inside(&mut self, in_link: u32, arrival: u64) {
        if !self.queued[in_link as usize] {
            self.queued[in_link as usize] = true;
            self.next_event = self.next_event.min(arrival);
            self.inner.push(Reverse((arrival, in_link)));
        }
    }

    /// The next inner link's head has left its ring; `next` is the arrival of the entry after it.
    #[inline(always)]
    pub fn popped_inside(&mut self, in_link: u32, next: Option<u64>) {
        let mut head = self.inner.peek_mut().expect("the head was seen");
        if let Some(arrival) = next {
            *head = Reverse((arrival, in_link));
            // Dropping this restores the heap order.
            drop(head);
        } else {
            PeekMut::pop(head);
            self.queued[in_link as usize] = false;
        }
        self.note_next_event();
    }

    /// Emits a hop record of a traced packet.
    #[cold]
    pub fn record_hop(&mut self, hop_record: HopRecord) {
        // The coordinator reads only partitions with reports; hop records alone would be missed.
        if self.hop_records.is_empty() {
            self.reports.push(Report::HopRecords);
        }
        self.hop_records.push(hop_record);
    }

    /// A packet queued in a node is lost, and its telemetry record with it.
    #[cold]
    pub fn forget_record(&mut self, packet: &Packet) {
        if let Some(telemetry) = &mut self.telemetry {
            telemetry.forget(packet);
        }
    }

    /// Counts a drop.
    #[cold]
    pub fn dropped(&mut self, at: u64, node: u32, port: Option<u32>, reason: DropReason, packet: &Packet) {
        // A pause frame belongs to no message, nor does a rate notice of a switch.
        if self.reports_losses && !packet.is_link_local() && !packet.belongs_to_no_message() {
            self.reports.push(Report::Lost { flow: packet.flow });
        }
        let key = (node, port, reason);
        let fresh = DropTally { packets: 0, bytes: 0, data: 0, span: (at, at) };
        let tally = self.drops.entry(key).or_insert(fresh);
        tally.packets += 1;
        tally.bytes += u64::from(packet.bytes);
        tally.data += u64::from(packet.is_data());
        tally.span.1 = tally.span.1.max(at);
        tally.span.0 = tally.span.0.min(at);
    }
}

/// Whether the first rarely set timer comes before one of the calendar queue: with equal instant and node it does.
#[inline(always)]
fn is_seldom_before(timers: &BinaryHeap<Reverse<Timer>>, first: Event) -> bool {
    let node = Timer::from_calendar(first).node;
    let is_before = |timer: &Timer| timer.at < first.0 || (timer.at == first.0 && timer.node <= node);
    timers.peek().is_some_and(|Reverse(timer)| is_before(timer))
}
