//! A partition: nodes with one local event order, advanced through one window at a time.
//!
//! Models: the merge of due arrivals with the partition's own timers, in the order (time, in-link; timers last). With
//! one node all arrivals of a window are known at its start: they are sorted once. Inner links of a partition with
//! several nodes may deliver within the window: their first packets are kept in a calendar queue, with the starts of
//! transmissions.
//! Leaves out: other partitions; what they send in this window cannot arrive before the next.
//!
//! Invariants: the event order at each node is the same however nodes are joined into partitions, because a
//! transmission takes at least a picosecond and so never affects another node at its own instant.

use netloom_units::{StateWriter, Time};

use crate::bits::bits;
use crate::context::{Next, PartitionContext, Timer, TimerKind};
use crate::node::Node;
use crate::node::features::{
    BASIC, COMPARING, COUNTED, COUNTED_COMPARING, CREDIT, PAUSING, PAUSING_COMPARING, includes,
};
use crate::packet::Packet;
use crate::pending_starts::PendingStarts;
use crate::ring::Receiver;
use crate::round::Round;
use crate::sort::{Sorting, sort_by_time};
use crate::telemetry::{self, Record};

/// The receiving end of a link: a cache line.
#[repr(align(64))]
pub struct InLink {
    /// The ring.
    pub receiver: Receiver,
    /// Index of the receiving node in the partition.
    pub node: u32,
    /// In-link index at that node: its local port.
    pub port: u32,
    /// Whether credits for that port return beside this in-link, and share its activity bit.
    pub has_credits: bool,
    /// Its first arrival, if that is known to come after the windows processed so far; else zero.
    pub head: u64,
}

const _: () = assert!(size_of::<InLink>() == 64, "an in-link is a cache line");

/// Bits of a sort key that hold the in-link; the rest holds the time since the start of the window.
const LINK_BITS: u32 = 24;
const LINK_MASK: u64 = (1 << LINK_BITS) - 1;

/// The longest window: its time offsets must fit the sort key.
pub const LONGEST_WINDOW: u64 = 1 << (63 - LINK_BITS);

/// Up to this many nodes are all processed at the end of a window, which is cheaper than recording at which ones an event
/// happened; and no transfer is prefetched, since fewer nodes compete for the caches.
const FEW: usize = 32;

/// The largest number of in-links of a partition.
pub const MOST_IN_LINKS: usize = 1 << LINK_BITS;

/// See the module.
///
/// As in [`crate::port::Egress`], fields are in the order in which a window needs them.
#[repr(C)]
pub struct Partition {
    /// Its number.
    pub number: u32,
    /// First word of this partition's bits in the shared activity.
    first_word: u32,
    kind: Kind,
    /// One bit per outer in-link whose ring is known to hold packets.
    live: Box<[u64]>,
    /// One bit per in-link beside which credits return to a port of a switch; empty if there are none.
    credit_links: Box<[u64]>,
    /// In-links of all nodes, node by node.
    pub in_links: Box<[InLink]>,
    /// Its nodes.
    pub nodes: Box<[Node]>,
    /// Remaining arrivals of the window, if it was paused.
    paused: Option<Box<Pause>>,
    /// With more than [`FEW`] nodes: which of them must be advanced at the end of a window.
    pending_starts: Option<Box<PendingStarts>>,
    /// State shared by the nodes.
    pub context: PartitionContext,
    /// The telemetry records beside the packets of each in-link, except in-links for credits; empty without telemetry.
    records: Vec<Option<Receiver<Record>>>,
}

/// The content of a partition, which decides how events are merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A switch, with the feature flags that its packets need.
    Switch(u8),
    Host,
    /// A host with queue pairs.
    Nic,
    /// A host with queue pairs, on links with credits.
    CreditNic,
    /// Several nodes, with the feature flags that any of them needs; or one node with telemetry, which takes this
    /// slower path.
    Several(u8),
}

impl Kind {
    fn of(nodes: &[Node], has_telemetry: bool) -> Kind {
        let features_of_all =
            || nodes.iter().fold(BASIC, |features, node| features | node.feature_flags_among_several());
        match nodes {
            _ if has_telemetry => Kind::Several(COUNTED | features_of_all()),
            [node] if node.returns.is_some() => Kind::CreditNic,
            [node] if node.has_nic() => Kind::Nic,
            [node] if node.host.is_some() => Kind::Host,
            [node] => Kind::Switch(node.feature_flags()),
            _ => Kind::Several(features_of_all()),
        }
    }
}

/// The point where a window was paused because an actor ran out of operations.
struct Pause {
    now: u64,
    keys: Vec<u64>,
    next_arrival: u64,
}

/// Working memory of one thread.
#[derive(Debug, Default)]
pub struct Scratch {
    keys: Vec<u64>,
    sorting: Sorting,
    /// Results of the partitions that the thread advanced.
    pub harvest: Harvest,
}

/// Results of a round.
#[derive(Debug, Default)]
pub struct Harvest {
    /// Partitions that paused.
    pub paused: Vec<u32>,
    /// Partitions with reports for the coordinator.
    pub reporting: Vec<u32>,
    /// Number of packets that crossed a link.
    pub hops: u64,
}

impl Harvest {
    /// Clears everything.
    pub fn clear(&mut self) {
        self.paused.clear();
        self.reporting.clear();
        self.hops = 0;
    }

    /// Adds the results of another thread, and clears those.
    pub fn append(&mut self, other: &mut Harvest) {
        self.paused.append(&mut other.paused);
        self.reporting.append(&mut other.reporting);
        self.hops += std::mem::take(&mut other.hops);
    }
}

impl Partition {
    /// A partition before its first window.
    pub fn new(
        number: u32,
        mut nodes: Vec<Node>,
        (in_links, records): (Vec<InLink>, Vec<Option<Receiver<Record>>>),
        first_word: u32,
    ) -> Partition {
        let n_words = in_links.len().div_ceil(64);
        let mut context = PartitionContext::new(in_links.len());
        let has_telemetry = !records.is_empty();
        context.telemetry = has_telemetry.then(Box::default);
        for node in &mut nodes {
            node.needs_host_slow_path = has_telemetry || node.returns.is_some();
            node.note_inner_ports();
        }
        let kind = Kind::of(&nodes, has_telemetry);
        if matches!(kind, Kind::Several(_)) && nodes.iter().any(|node| node.crossbar.is_some()) {
            context.schedule_arbitrations(nodes.len());
        }
        let live = vec![0; n_words].into();
        let mut credit_links: Box<[u64]> =
            vec![0; if in_links.iter().any(|link| link.has_credits) { n_words } else { 0 }].into();
        for (number, _) in in_links.iter().enumerate().filter(|(_, link)| link.has_credits) {
            credit_links[number / 64] |= 1 << (number % 64);
        }
        context.prefetches = nodes.len() > FEW;
        let pending_starts = (nodes.len() > FEW).then(|| Box::new(PendingStarts::new(nodes.len())));
        Partition {
            number,
            nodes: nodes.into(),
            in_links: in_links.into(),
            context,
            records,
            live,
            credit_links,
            first_word,
            paused: None,
            kind,
            pending_starts,
        }
    }

    /// Advances through a window, or through the rest of it after a pause.
    ///
    /// It pauses when an actor runs out of operations: it must be refilled and advanced again in the same window.
    pub fn advance(&mut self, round: &Round, scratch: &mut Scratch) {
        if round.prefetches && self.nodes.len() == 1 {
            self.nodes[0].prefetch_state();
        }
        let next_arrival = match self.paused.take() {
            Some(pause) => {
                scratch.keys.clone_from(&pause.keys);
                self.resume(round, pause.now);
                pause.next_arrival
            }
            // A compile-time constant, so that partitions without credits pay nothing for it.
            None if self.credit_links.is_empty() => self.gather::<false>(round, scratch),
            None => self.gather::<true>(round, scratch),
        };
        let stopped = if self.context.out_of_tasks {
            Some(0)
        } else {
            match self.kind {
                Kind::Switch(features) => self.run_switch_with(features, round, &scratch.keys),
                Kind::Host => self.run_host::<false, false>(round, &scratch.keys),
                Kind::Nic => self.run_host::<true, false>(round, &scratch.keys),
                Kind::CreditNic => self.run_host::<true, true>(round, &scratch.keys),
                Kind::Several(features) => self.run_several_with(features, round, &scratch.keys),
            }
        };
        if let Some(done) = stopped {
            let keys = scratch.keys[done..].to_vec();
            self.paused = Some(Box::new(Pause { now: self.context.now, keys, next_arrival }));
            scratch.harvest.paused.push(self.number);
        } else {
            self.finish_window(round, next_arrival);
        }
        let n_credits = std::mem::take(&mut self.context.n_credits);
        scratch.harvest.hops += std::mem::take(&mut self.context.hops) - n_credits;
        if !self.context.reports.is_empty() {
            scratch.harvest.reporting.push(self.number);
        }
    }

    /// Resumes the actors that ran out of operations, at the instant of the pause.
    fn resume(&mut self, round: &Round, now: u64) {
        self.context.out_of_tasks = false;
        for node in self.nodes.iter_mut().filter(|node| node.host.is_some()) {
            node.resume_actors(now, &mut self.context, round);
            if matches!(self.kind, Kind::Several(_)) {
                node.set_start_timers(&mut self.context, round);
                if let Some(pending_starts) = &mut self.pending_starts {
                    pending_starts.touch(node.index_in_partition as usize);
                }
            }
        }
    }

    /// Collects the window's arrivals from outer links as sorted keys; returns the first arrival after the window.
    #[inline(never)]
    fn gather<const CREDITS: bool>(&mut self, round: &Round, scratch: &mut Scratch) -> u64 {
        let keys = &mut scratch.keys;
        keys.clear();
        round.activity.take_announced(self.number as usize);
        let mut next_arrival = u64::MAX;
        let mut n_links = 0;
        for word in 0..self.live.len() {
            let news = round.activity.take_news(self.first_word as usize + word);
            let mut live = self.live[word] | news;
            if CREDITS && news & self.credit_links[word] != 0 {
                let links = bits(news & self.credit_links[word]).map(|bit| word as u32 * 64 + bit);
                self.context.credit_links.extend(links);
            }
            let mut rest_of_word = live;
            while rest_of_word != 0 {
                let bit = rest_of_word.trailing_zeros();
                rest_of_word &= rest_of_word - 1;
                let link = word as u32 * 64 + bit;
                let InLink { head, receiver, .. } = &mut self.in_links[link as usize];
                // Skips the ring of a link whose next packet is still in flight.
                if *head >= round.end {
                    next_arrival = next_arrival.min(*head);
                    continue;
                }
                let before = keys.len();
                let rest = receiver.due(round.end, |entries| {
                    keys.extend(entries.iter().map(|entry| key(round, entry.arrival, link)));
                });
                match rest {
                    Some(arrival) => {
                        next_arrival = next_arrival.min(arrival);
                        *head = arrival;
                    }
                    None => live &= !(1 << bit),
                }
                n_links += usize::from(keys.len() > before);
            }
            self.live[word] = live;
        }
        if n_links > 1 {
            sort_by_time(keys, (round.end - round.start) << LINK_BITS, &mut scratch.sorting);
        }
        if CREDITS && !self.context.credit_links.is_empty() {
            self.look_for_credits();
        }
        next_arrival
    }

    /// Schedules arbitration at ports that wait for credits, for when the next ones arrive.
    #[cold]
    fn look_for_credits(&mut self) {
        for link in std::mem::take(&mut self.context.credit_links) {
            let InLink { node, port, .. } = self.in_links[link as usize];
            self.nodes[node as usize].look_for_credits(port, &mut self.context);
        }
    }

    fn run_switch_with(&mut self, features: u8, round: &Round, keys: &[u64]) -> Option<usize> {
        match features {
            BASIC => self.run_switch::<BASIC>(round, keys),
            COMPARING => self.run_switch::<COMPARING>(round, keys),
            COUNTED => self.run_switch::<COUNTED>(round, keys),
            COUNTED_COMPARING => self.run_switch::<COUNTED_COMPARING>(round, keys),
            PAUSING => self.run_switch::<PAUSING>(round, keys),
            PAUSING_COMPARING => self.run_switch::<PAUSING_COMPARING>(round, keys),
            CREDIT => self.run_switch::<CREDIT>(round, keys),
            _ => unreachable!("no switch has these flags"),
        }
    }

    /// One switch: merges arrivals and timers; no actor can run out of operations.
    ///
    /// The feature flags of its ports are a compile-time constant, so that other switches pay nothing for them.
    #[inline(never)]
    fn run_switch<const FEATURES: u8>(&mut self, round: &Round, keys: &[u64]) -> Option<usize> {
        let Partition { nodes, in_links, context, .. } = self;
        let [node] = &mut nodes[..] else { unreachable!("one node") };
        for (number, &key) in keys.iter().enumerate() {
            let at = round.start + (key >> LINK_BITS);
            catch_up::<FEATURES>(at, node, context, round);
            if FEATURES == CREDIT || includes(FEATURES, PAUSING) {
                let next = keys.get(number + 1).map_or(u64::MAX, |key| round.start + (key >> LINK_BITS));
                context.next_event_bound = next.min(context.next_event());
            }
            let link = (key & LINK_MASK) as u32;
            let receiver = &mut in_links[link as usize].receiver;
            node.arrive_at_switch::<FEATURES>(at, link, &receiver.first().packet, context, round);
            receiver.drop_first();
        }
        catch_up::<FEATURES>(round.end, node, context, round);
        self.note_arrivals(round, keys);
        None
    }

    /// One host: as [`Partition::run_switch`], but an actor may run out of operations.
    #[inline(never)]
    fn run_host<const NIC: bool, const CREDIT: bool>(
        &mut self,
        round: &Round,
        keys: &[u64],
    ) -> Option<usize> {
        let Partition { nodes, in_links, context, .. } = self;
        let [node] = &mut nodes[..] else { unreachable!("one node") };
        let mut done = 0;
        while !context.out_of_tasks {
            let at = keys.get(done).map_or(round.end, |&key| round.start + (key >> LINK_BITS));
            if context.next_event() < at {
                fire_next(node, context, round);
                continue;
            }
            let Some(&key) = keys.get(done) else { break };
            let link = (key & LINK_MASK) as u32;
            let receiver = &mut in_links[link as usize].receiver;
            let packet = &receiver.first().packet;
            if packet.has(Packet::REPORTED) {
                node.report_crossing(at, link, packet, context, round);
            }
            if CREDIT {
                node.return_credits(at, link, packet, context, round);
            }
            if NIC {
                node.receive_at_nic(at, link, packet, context, round);
            } else {
                node.receive(at, packet, context, round);
            }
            receiver.drop_first();
            done += 1;
        }
        let dry = context.out_of_tasks;
        self.note_arrivals(round, &keys[..done]);
        dry.then_some(done)
    }

    fn note_arrivals(&mut self, round: &Round, keys: &[u64]) {
        self.context.hops += keys.len() as u64;
        if let Some(key) = keys.last() {
            self.context.now = self.context.now.max(round.start + (key >> LINK_BITS));
        }
    }

    fn run_several_with(&mut self, features: u8, round: &Round, keys: &[u64]) -> Option<usize> {
        match features {
            BASIC => self.run_several::<BASIC>(round, keys),
            COMPARING => self.run_several::<COMPARING>(round, keys),
            COUNTED => self.run_several::<COUNTED>(round, keys),
            COUNTED_COMPARING => self.run_several::<COUNTED_COMPARING>(round, keys),
            PAUSING => self.run_several::<PAUSING>(round, keys),
            PAUSING_COMPARING => self.run_several::<PAUSING_COMPARING>(round, keys),
            _ => unreachable!("no nodes have these flags"),
        }
    }

    /// Several nodes: if there are many, records at which ones an event happens.
    fn run_several<const FEATURES: u8>(&mut self, round: &Round, keys: &[u64]) -> Option<usize> {
        if self.pending_starts.is_some() {
            self.run::<FEATURES, true>(round, keys)
        } else {
            self.run::<FEATURES, false>(round, keys)
        }
    }

    /// Merges arrivals, inner arrivals and timers. Stops early when an actor runs out of operations; returns the number
    /// of arrivals processed.
    #[inline(never)]
    fn run<const FEATURES: u8, const MANY: bool>(&mut self, round: &Round, keys: &[u64]) -> Option<usize> {
        let arrival = |index: usize| keys.get(index).map_or(u64::MAX, |key| round.start + (key >> LINK_BITS));
        let (mut done, mut at) = (0, arrival(0));
        while !self.context.out_of_tasks {
            let event = self.context.next_event();
            if at.min(event) >= round.end {
                return None;
            }
            let link = keys.get(done).map_or(0, |key| (key & LINK_MASK) as u32);
            let is_outer = at < event || (at == event && !self.context.has_arrival_before(at, link));
            let (now, link) = if is_outer {
                done += 1;
                if MANY && let Some(key) = keys.get(done) {
                    self.prefetch_arrival((key & LINK_MASK) as u32);
                }
                (std::mem::replace(&mut at, arrival(done)), link)
            } else {
                match self.context.take_next() {
                    Next::Arrival { at, in_link } => (at, in_link),
                    Next::Timer(timer) => {
                        self.fire_timer::<MANY>(timer, round);
                        continue;
                    }
                }
            };
            self.deliver::<FEATURES, MANY>(now, (link, !is_outer), at, round);
        }
        Some(done)
    }

    /// Prefetches what the next arrival by an in-link will read.
    #[inline(always)]
    fn prefetch_arrival(&self, link: u32) {
        let in_link = &self.in_links[link as usize];
        in_link.receiver.prefetch_first();
        self.nodes[in_link.node as usize].prefetch_arrival(in_link.port);
    }

    /// A timer of one of several nodes fires.
    fn fire_timer<const MANY: bool>(&mut self, timer: Timer, round: &Round) {
        let node = timer.node as usize;
        fire(timer, &mut self.nodes[node], &mut self.context, round);
        self.finish_event::<MANY>(node, round);
    }

    /// Takes an arrival out of the ring of its inner or outer link and delivers it to its node; the next outer arrival
    /// is at `next_outer`.
    #[inline(always)]
    fn deliver<const FEATURES: u8, const MANY: bool>(
        &mut self,
        now: u64,
        (link, is_inner): (u32, bool),
        next_outer: u64,
        round: &Round,
    ) {
        let in_link = &mut self.in_links[link as usize];
        let (node, port) = (in_link.node as usize, in_link.port);
        let mut packet = in_link.receiver.first().packet;
        in_link.receiver.drop_first();
        if includes(FEATURES, COUNTED)
            && let Some(telemetry) = &mut self.context.telemetry
            && let Some(records) = &mut self.records[link as usize]
        {
            let is_at_host = self.nodes[node].host.is_some();
            telemetry.packet_arrived(&mut packet, records, is_at_host);
        }
        self.context.now = now;
        self.context.hops += 1;
        if is_inner {
            let next = in_link.receiver.peek().map(|entry| entry.arrival);
            self.context.popped_inside(link, next);
            if MANY && let Some(next) = self.context.first_inner() {
                self.prefetch_arrival(next);
            }
        }
        if includes(FEATURES, COUNTED) {
            self.context.next_event_bound = next_outer.min(self.context.next_event());
        }
        self.nodes[node].arrive::<FEATURES>(now, port, &packet, &mut self.context, round);
        self.finish_event::<MANY>(node, round);
    }

    /// An event has happened at one of several nodes. Other nodes of the partition may receive a NIC's packets within
    /// the window, so the starts of these packets are events.
    #[inline(always)]
    fn finish_event<const MANY: bool>(&mut self, node: usize, round: &Round) {
        self.nodes[node].set_start_timers(&mut self.context, round);
        if MANY && let Some(pending_starts) = &mut self.pending_starts {
            pending_starts.touch(node);
        }
    }

    /// Processes the starts that are not events, and reports the partition's next event to the shared activity.
    fn finish_window(&mut self, round: &Round, next_arrival: u64) {
        let starts = match &mut self.nodes[..] {
            [node] => {
                let starts = node.advance_all_ports(&mut self.context, round);
                if self.kind == Kind::Switch(CREDIT) {
                    starts.min(node.next_arbitration()).min(self.next_credit_check(round))
                } else {
                    starts
                }
            }
            _ => self.advance_nodes(round).min(self.next_credit_check(round)),
        };
        let next = next_arrival.min(starts).min(self.context.next_event());
        round.activity.set_own(self.number as usize, next);
    }

    /// The next window must be processed if a port has begun to wait for credits.
    fn next_credit_check(&self, round: &Round) -> u64 {
        if self.context.credit_links.is_empty() { u64::MAX } else { round.end }
    }

    /// Processes starts that are not events at several nodes; if there are many, only at those with such a start before
    /// the end of the window or with an event in it. Returns the earliest remaining start, `u64::MAX` for none.
    fn advance_nodes(&mut self, round: &Round) -> u64 {
        let Partition { nodes, context, pending_starts, .. } = self;
        let Some(pending_starts) = pending_starts else {
            return nodes
                .iter_mut()
                .fold(u64::MAX, |next, node| next.min(node.advance_all_ports(context, round)));
        };
        let PendingStarts { touched, starts } = &mut **pending_starts;
        starts.take_due(round.end - 1, |node| touched[node as usize / 64] |= 1 << (node % 64));
        for (first, word) in (0..).step_by(64).zip(touched) {
            for number in bits(std::mem::take(word)).map(|bit| first + bit) {
                starts.forget(number);
                let next = nodes[number as usize].advance_all_ports(context, round);
                if next != u64::MAX {
                    starts.bring_forward(number, next);
                }
            }
        }
        starts.next()
    }

    /// Writes the state that later behaviour depends on, relative to `base`.
    pub fn state(&self, base: Time) -> Vec<u64> {
        let mut out = StateWriter::new(base);
        self.nodes.iter().for_each(|node| node.write_state(&mut out));
        for in_link in &self.in_links {
            in_link.receiver.for_each(|entry| crate::state::write_in_flight(entry, &mut out));
        }
        for records in self.records.iter().flatten() {
            telemetry::write_state(records, &mut out);
        }
        if let Some(telemetry) = &self.context.telemetry {
            telemetry.write_state(&mut out);
        }
        let mut timers: Vec<_> = self.context.timers().collect();
        timers.sort_unstable();
        for timer in timers {
            out.instant(Time(timer.at));
            out.word(u64::from(timer.node));
            timer.kind.write_state(&mut out);
        }
        out.into_words()
    }
}

/// The sort key of an arrival within the window: time first, then in-link.
#[inline(always)]
fn key(round: &Round, arrival: u64, link: u32) -> u64 {
    ((arrival - round.start) << LINK_BITS) | u64::from(link)
}

/// Processes the events of a switch before `at`.
#[inline(always)]
fn catch_up<const FEATURES: u8>(at: u64, node: &mut Node, context: &mut PartitionContext, round: &Round) {
    if FEATURES != CREDIT {
        while context.next_event() < at {
            fire_next(node, context, round);
        }
        return;
    }
    loop {
        let (timer, arbitration) = (context.next_event(), node.next_arbitration());
        if timer.min(arbitration) >= at {
            return;
        }
        // Arbitration comes after all other events of an instant.
        if timer <= arbitration {
            fire_next(node, context, round);
        } else {
            node.arbitrate_until(timer.min(at), context, round);
        }
    }
}

/// Fires the next timer, which belongs to this node.
#[inline(never)]
fn fire_next(node: &mut Node, context: &mut PartitionContext, round: &Round) {
    fire(context.take_timer(), node, context, round);
}

/// Fires a timer of this node.
fn fire(timer: Timer, node: &mut Node, context: &mut PartitionContext, round: &Round) {
    // A void timer is no event: it must not prolong the run. Nor is a start, because elsewhere it is none.
    let is_event = match timer.kind {
        TimerKind::Timeout { number, pair } => node.timeout(timer.at, pair, number, context, round),
        TimerKind::Start { port } => {
            node.start(timer.at, port, context, round);
            false
        }
        TimerKind::Crossbar => {
            node.arbitrate(timer.at, context, round);
            false
        }
        // Whatever it does to packets, a fault after all work is done must not prolong the run.
        TimerKind::Fault { port, change } => {
            node.fault(timer.at, port, change, context, round);
            false
        }
        TimerKind::Switch { up } => {
            node.is_dead = !up;
            false
        }
        TimerKind::Credits { port } => {
            node.look_for_credits(port, context);
            false
        }
        _ => true,
    };
    if !is_event {
        return;
    }
    context.now = timer.at;
    match timer.kind {
        TimerKind::Timeout { .. }
        | TimerKind::Start { .. }
        | TimerKind::Credits { .. }
        | TimerKind::Crossbar
        | TimerKind::Fault { .. }
        | TimerKind::Switch { .. } => {}
        TimerKind::Storm { number } => node.storm(timer.at, number, context, round),
        TimerKind::Dismiss { actor } => {
            node.actor_mut(actor).stop();
            node.run_actor(timer.at, actor, context, round);
        }
        TimerKind::Release { actor } => {
            node.actor_mut(actor).release();
            node.run_actor(timer.at, actor, context, round);
        }
        TimerKind::Wake { actor, stream } => {
            node.actor_mut(actor).wake(stream);
            node.run_actor(timer.at, actor, context, round);
        }
        TimerKind::ProgramStart { flow, .. } => {
            node.start_message_of_program(timer.at, flow, context, round);
        }
        TimerKind::ProgramTurn => context.hold(),
        TimerKind::DelayedSend { actor } => {
            node.actor_mut(actor).start_later();
            node.run_actor(timer.at, actor, context, round);
        }
        TimerKind::Pace { send, .. } => node.pace(timer.at, send, context, round),
        TimerKind::Posted => node.send_posted(context, round),
        TimerKind::Hook { number } => node.hook_timer(timer.at, number, context, round),
    }
}
