//! The shared buffer of a switch.
//!
//! Models: dynamic thresholds; with lossless classes also a counter per ingress, headroom, and PFC pauses of the
//! upstream sender (`docs/concepts/roce.md`).
//! Where data is separated by class, each class has counters of its own; some classes may pause and others drop.
//! Leaves out: the queues themselves, and pause frames on the wire.
//!
//! Ports are advanced lazily, so the known occupancy is an upper bound. It decides most cases: a packet that fits with
//! the upper bound fits. Only if it does not, all ports are advanced and the packet is checked again. While an ingress
//! is paused every start is an event of its own, and the occupancy is exact.
//!
//! Invariants: in lossless mode the occupancy is the sum of the packets admitted that have not left, and zero when the
//! switch is empty. In lossy mode the occupancy is recounted when it matters.

use std::collections::VecDeque;

use netloom_model::{Buffer, DataClasses, Pause};
use netloom_records::DropReason;

use crate::turns::classes_high_first;

/// Upper limit of a buffer's size: 2^40 bytes.
const LARGEST: u64 = 1 << 40;

/// The decision about a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Admission {
    /// It is admitted.
    Take,
    /// It is admitted, and its ingress is to be paused.
    TakeAndPause,
    /// It is dropped, since there is no room for it.
    Refuse(DropReason),
    /// It depends on which packets have left: advance all ports and check again.
    Unsure,
}

/// A packet to be admitted.
#[derive(Debug, Clone, Copy)]
pub struct Request {
    /// The in-link it arrived on; the number of ports for the switch's own packets.
    pub ingress: u32,
    /// The port it goes to.
    pub egress: u32,
    /// Its class.
    pub class: u8,
    /// Its size.
    pub bytes: u64,
    /// Bytes of data queued at that port, of its class where data is separated by class.
    pub waiting: u64,
}

/// The most that the in-links of a switch can bring.
#[derive(Debug, Clone, Copy)]
pub struct Inflow {
    /// Number of in-links.
    pub n_links: u64,
    /// The sum of their rates, in bit/s.
    pub total: u64,
    /// The rate of the fastest, in bit/s.
    pub fastest: u64,
    /// Size of the largest data packet.
    pub packet: u64,
}

/// See the module.
#[derive(Debug)]
pub struct SharedBuffer {
    /// Size of the shared pool.
    shared: u64,
    /// The part of the free shared pool that one queue or ingress may take, in 1/1024.
    alpha: u64,
    /// Bytes admitted and not known to have left, headroom excluded.
    used: u64,
    /// While occupancy is at most this, the threshold is `low_limit` at least, which spares most packets the exact
    /// check.
    low_used: u64,
    low_limit: u64,
    /// Occupancy when all ports were last advanced.
    counted: u64,
    lossless: Option<Box<Lossless>>,
    /// Classes of data, where data is separated by class.
    classes: Option<Box<Classes>>,
}

/// Classes of data in the order of their counters at each in-link and each port.
#[derive(Debug)]
struct Classes {
    /// Number of classes.
    n: u32,
    /// The index of each class in that order.
    index: [u8; 8],
    /// The alpha of each class: the part of the free pool that a queue or ingress may take, in 1/1024.
    alphas: [u64; 8],
    /// Lossless classes, which pause instead of dropping, one bit each.
    pausing: u8,
}

#[derive(Debug)]
struct Lossless {
    /// By in-link, and by class where data is separated by class.
    ingresses: Vec<Ingress>,
    /// For each port and class, the origins of the packets queued there: (ingress counter, bytes).
    waiting: Vec<VecDeque<(u32, u32)>>,
    n_paused: u32,
    xon_gap: u64,
}

#[derive(Debug, Clone, Copy, Default)]
struct Ingress {
    used: u64,
    headroom: u64,
    capacity: u64,
    is_paused: bool,
    /// The part of the free pool that it may take, in 1/1024.
    alpha: u64,
}

impl Classes {
    fn new(classes: &DataClasses) -> Classes {
        let mut known =
            Classes { n: 0, index: [0; 8], alphas: [0; 8], pausing: classes.bits(|class| class.pause) };
        for (number, class) in classes.iter() {
            known.index[usize::from(number)] = known.n as u8;
            known.alphas[usize::from(number)] = u64::from(class.alpha);
            known.n += 1;
        }
        known
    }

    /// The index of a class's counter at an in-link or port.
    fn counter_index(&self, number: u32, class: u8) -> u32 {
        number * self.n + u32::from(self.index[usize::from(class & 7)])
    }

    /// The alphas of an in-link's counters, in order, and whether they pause.
    fn alphas_in_order(&self) -> Vec<(u64, bool)> {
        let used = (0..8_u8).filter(|&class| self.alphas[usize::from(class)] > 0);
        used.map(|class| (self.alphas[usize::from(class)], self.pausing >> class & 1 == 1)).collect()
    }

    /// The in-link or port of a counter, and the class as a bit.
    fn port_and_class(&self, counter: u32) -> (u32, u8) {
        let is_it = |class: &u8| {
            self.alphas[usize::from(*class)] > 0 && self.counter_index(counter / self.n, *class) == counter
        };
        let class = (0..8).find(is_it).expect("every counter belongs to a class");
        (counter / self.n, 1 << class)
    }

    /// A request with counter indices in place of ingress and egress.
    fn with_counter_indices(&self, request: &Request) -> Request {
        let Request { ingress, egress, class, .. } = *request;
        Request {
            ingress: self.counter_index(ingress, class),
            egress: self.counter_index(egress, class),
            ..*request
        }
    }
}

impl SharedBuffer {
    /// An empty buffer of a switch with these ports.
    pub fn new(
        buffer: &Buffer,
        classes: &DataClasses,
        headrooms: impl ExactSizeIterator<Item = u64>,
    ) -> SharedBuffer {
        let classes = classes.separates_data().then(|| Box::new(Classes::new(classes)));
        let alphas: Vec<(u64, bool)> = match &classes {
            None => vec![(u64::from(buffer.alpha), true)],
            Some(known) => known.alphas_in_order(),
        };
        let lossless = buffer.pause.map(|pause| Box::new(Lossless::new(&pause, &alphas, headrooms)));
        let apart = lossless.as_ref().map_or(0, |lossless| lossless.headroom());
        // This limit prevents overflow of products with alpha.
        let shared = buffer.size.0.saturating_sub(apart).min(LARGEST);
        let (alpha, low_used) = (u64::from(buffer.alpha), shared - shared / 8);
        let low_limit = limit(shared, low_used, alpha);
        SharedBuffer { shared, alpha, used: 0, low_used, low_limit, counted: 0, lossless, classes }
    }

    /// Whether the switch may pause its upstream neighbours.
    pub fn may_pause(&self) -> bool {
        self.lossless.is_some()
    }

    /// Whether every start must be an event of its own.
    #[inline(always)]
    pub fn is_pausing(&self) -> bool {
        self.lossless.as_ref().is_some_and(|lossless| lossless.n_paused > 0)
    }

    /// Of `classes`, which may be paused, those paused at an ingress, one bit each; `None` if the switch never pauses.
    pub fn paused_at(&self, ingress: u32, classes: u8) -> Option<u8> {
        let lossless = self.lossless.as_ref()?;
        let is_paused = |class: &u8| {
            let counter = self.classes.as_ref().map_or(ingress, |known| known.counter_index(ingress, *class));
            lossless.ingresses[counter as usize].is_paused
        };
        Some(classes_high_first(classes).filter(is_paused).fold(0, |paused, class| paused | 1 << class))
    }

    /// Whether data is separated by class.
    #[inline(always)]
    pub fn is_by_class(&self) -> bool {
        self.classes.is_some()
    }

    /// Whether a packet surely fits and requires no pause; it is then admitted.
    #[inline(always)]
    pub fn take_at_once(&mut self, request: &Request) -> bool {
        self.used <= self.low_used && self.take_within(request, self.low_limit)
    }

    /// Whether a packet that arrives at an empty queue surely fits, in a switch that never pauses.
    #[inline(always)]
    pub fn certainly_fits(&self, bytes: u64) -> bool {
        self.lossless.is_none() && self.used <= self.low_used && bytes <= self.low_limit
    }

    /// Admits a packet if there is room for it within a limit.
    #[inline(always)]
    fn take_within(&mut self, request: &Request, limit: u64) -> bool {
        let fits = match &mut self.lossless {
            None => request.waiting + request.bytes <= limit,
            Some(lossless) => lossless.take_within(request, limit),
        };
        if fits {
            self.used += request.bytes;
        }
        fits
    }

    /// Decides about a packet and admits it if there is room; `is_sure` if all ports have been advanced.
    pub fn admit(&mut self, request: &Request, is_sure: bool) -> Admission {
        let is_sure = is_sure || self.is_pausing();
        if !is_sure && self.is_stale() {
            return Admission::Unsure;
        }
        if self.classes.is_some() {
            return self.admit_of_class(request, is_sure);
        }
        if self.take_within(request, limit(self.shared, self.used, self.alpha)) {
            return Admission::Take;
        }
        match &mut self.lossless {
            _ if !is_sure => Admission::Unsure,
            Some(lossless) => lossless.admit_to_headroom(request),
            None => Admission::Refuse(DropReason::BufferFull),
        }
    }

    /// As [`SharedBuffer::admit`], where data is separated by class.
    #[inline(never)]
    fn admit_of_class(&mut self, request: &Request, is_sure: bool) -> Admission {
        let classes = self.classes.as_deref().expect("seen by the caller");
        let limit = limit(self.shared, self.used, classes.alphas[usize::from(request.class & 7)]);
        let pauses = classes.pausing >> request.class & 1 == 1;
        let by_counter = classes.with_counter_indices(request);
        let fits = match &mut self.lossless {
            Some(lossless) if pauses => lossless.take_within(&by_counter, limit),
            _ => request.waiting + request.bytes <= limit,
        };
        match &mut self.lossless {
            _ if fits => self.used += request.bytes,
            _ if !is_sure => return Admission::Unsure,
            Some(lossless) if pauses => return lossless.admit_to_headroom(&by_counter),
            _ => return Admission::Refuse(DropReason::BufferFull),
        }
        if let Some(lossless) = self.lossless.as_deref_mut().filter(|_| !pauses) {
            lossless.take_lossy(&by_counter);
        }
        Admission::Take
    }

    /// Whether the real occupancy may be much lower than the known one: a recount makes exact checks rare.
    fn is_stale(&self) -> bool {
        self.used > self.low_used && self.used > self.counted + self.shared / 16
    }

    /// As [`SharedBuffer::sync`], for a class at a port. Returns the ingress, and the class as a bit.
    pub fn sync_of_class(&mut self, egress: u32, class: u8, waiting: usize) -> Option<(u32, u8)> {
        let counter = self.classes.as_deref()?.counter_index(egress, class);
        let resumed = self.sync(counter as usize, waiting)?;
        Some(self.classes.as_deref()?.port_and_class(resumed))
    }

    /// Releases the packets that have left a port, in lossless mode; `waiting` is the number of packets still queued
    /// there. Returns an ingress to be resumed; there may be more, so call it again.
    pub fn sync(&mut self, egress: usize, waiting: usize) -> Option<u32> {
        let lossless = self.lossless.as_mut()?;
        while lossless.waiting[egress].len() > waiting {
            let (number, bytes) = lossless.waiting[egress].pop_front().expect("it is longer than `waiting`");
            let ingress = &mut lossless.ingresses[number as usize];
            self.used -= ingress.release(u64::from(bytes));
            let limit = limit(self.shared, self.used, ingress.alpha);
            if ingress.may_go_on(lossless.xon_gap, limit) {
                ingress.is_paused = false;
                lossless.n_paused -= 1;
                return Some(number);
            }
        }
        None
    }

    /// All ports have been advanced: records their occupancy, which in lossy mode is not counted otherwise.
    pub fn recount(&mut self, held: u64) {
        if self.lossless.is_none() {
            self.used = held;
        }
        self.counted = self.used;
    }

    /// A lower bound of the time until a pause, in ps: all in-links bring data at their rates, after one packet each
    /// that is about to arrive, and nothing leaves. Where data is separated by class the bound is 0.
    pub fn least_time_to_pause(&self, inflow: &Inflow) -> u64 {
        const BIT_PS_PER_BYTE: u128 = 8_000_000_000_000;
        let Some(lossless) = self.lossless.as_ref().filter(|_| self.classes.is_none()) else { return 0 };
        if lossless.ingresses.iter().any(|ingress| ingress.headroom > 0) {
            return 0;
        }
        let used = lossless.ingresses.iter().map(|ingress| ingress.used).max().unwrap_or(0);
        let free = self.shared.saturating_sub(self.used + inflow.n_links * inflow.packet);
        // The threshold of an ingress falls by this part of the total arrivals; one byte for each rounding.
        let part = self.alpha.min(1 << 10);
        let slack = ((free * part) >> 10).saturating_sub(used + inflow.packet + 2);
        let closing = inflow.fastest + ((inflow.total * part) >> 10) + 1;
        (u128::from(slack) * BIT_PS_PER_BYTE / u128::from(closing)) as u64
    }

    /// Writes the state that later behaviour depends on.
    pub fn write_state(&self, out: &mut netloom_units::StateWriter) {
        for ingress in self.lossless.iter().flat_map(|lossless| &lossless.ingresses) {
            out.word(ingress.used);
            out.word(ingress.headroom | u64::from(ingress.is_paused) << 63);
        }
    }
}

/// The dynamic threshold: alpha times the free pool, at most the free pool.
#[inline]
fn limit(shared: u64, held: u64, alpha: u64) -> u64 {
    let free = shared.saturating_sub(held);
    ((free * alpha) >> 10).min(free)
}

impl Ingress {
    /// A packet of `bytes` bytes has left; returns how many of them were not headroom.
    fn release(&mut self, bytes: u64) -> u64 {
        let from_headroom = self.headroom.min(bytes);
        self.headroom -= from_headroom;
        self.used -= bytes - from_headroom;
        bytes - from_headroom
    }

    /// Whether it is paused and may be resumed (XON).
    fn may_go_on(&self, xon_gap: u64, limit: u64) -> bool {
        self.is_paused && self.headroom == 0 && (self.used == 0 || self.used + xon_gap <= limit)
    }
}

impl Lossless {
    /// Counters for the given classes, each with its alpha and whether it has headroom.
    fn new(
        pause: &Pause,
        classes: &[(u64, bool)],
        headrooms: impl ExactSizeIterator<Item = u64>,
    ) -> Lossless {
        let n_ports = headrooms.len();
        // The last ingress is for the switch's own packets: no upstream sender could be paused for them.
        let of_ingress = |headroom: u64| {
            let of_class = move |&(alpha, pauses): &(u64, bool)| {
                let capacity = if pauses { headroom } else { 0 };
                Ingress { capacity, alpha, ..Ingress::default() }
            };
            classes.iter().map(of_class)
        };
        let ingresses: Vec<Ingress> = headrooms.chain([0]).flat_map(of_ingress).collect();
        let waiting = (0..n_ports * classes.len()).map(|_| VecDeque::new()).collect();
        Lossless { ingresses, waiting, n_paused: 0, xon_gap: pause.xon_gap.0 }
    }

    /// Admits a packet if its ingress has room within a limit.
    #[inline(always)]
    fn take_within(&mut self, request: &Request, limit: u64) -> bool {
        let ingress = &mut self.ingresses[request.ingress as usize];
        let fits = ingress.headroom == 0 && ingress.used + request.bytes <= limit;
        if fits {
            ingress.used += request.bytes;
            self.remember(request);
        }
        fits
    }

    /// Admits a packet of a lossy class that fits at its egress.
    fn take_lossy(&mut self, request: &Request) {
        self.ingresses[request.ingress as usize].used += request.bytes;
        self.remember(request);
    }

    fn headroom(&self) -> u64 {
        self.ingresses.iter().map(|ingress| ingress.capacity).sum()
    }

    #[inline(always)]
    fn remember(&mut self, request: &Request) {
        self.waiting[request.egress as usize].push_back((request.ingress, request.bytes as u32));
    }

    fn admit_to_headroom(&mut self, request: &Request) -> Admission {
        let ingress = &mut self.ingresses[request.ingress as usize];
        if ingress.headroom + request.bytes > ingress.capacity {
            return Admission::Refuse(DropReason::HeadroomFull);
        }
        ingress.headroom += request.bytes;
        let is_first = !ingress.is_paused;
        ingress.is_paused = true;
        self.n_paused += u32::from(is_first);
        self.remember(request);
        if is_first { Admission::TakeAndPause } else { Admission::Take }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use netloom_units::{Bytes, Random};

    /// For three ports.
    fn headrooms(buffer: &Buffer) -> impl ExactSizeIterator<Item = u64> {
        let each = buffer.pause.and_then(|pause| pause.headroom).map_or(0, |headroom| headroom.0);
        [each; 3].into_iter()
    }

    fn request(ingress: u32, waiting: u64) -> Request {
        Request { ingress, egress: 2, class: 0, bytes: 1_000, waiting }
    }

    #[test]
    fn a_queue_takes_its_share_of_the_free_buffer() {
        let buffer = Buffer { size: Bytes(10_000), alpha: 512, pause: None };
        let mut shared = SharedBuffer::new(&buffer, &DataClasses::default(), headrooms(&buffer));
        let mut waiting = 0;
        while shared.admit(&request(0, waiting), true) == Admission::Take {
            waiting += 1_000;
        }
        // q + 1000 <= (10000 - q) / 2: up to 3000 are taken.
        assert_eq!(waiting, 3_000);
        assert_eq!(shared.admit(&request(0, waiting), false), Admission::Unsure);
        assert_eq!(shared.admit(&request(0, waiting), true), Admission::Refuse(DropReason::BufferFull));
        shared.recount(1_000);
        assert_eq!(shared.admit(&request(0, 1_000), false), Admission::Take);
    }

    #[test]
    fn an_ingress_is_paused_once_and_resumed() {
        let pause = Pause { headroom: Some(Bytes(2_000)), xon_gap: Bytes(500) };
        let buffer = Buffer { size: Bytes(16_000), alpha: 1024, pause: Some(pause) };
        let mut shared = SharedBuffer::new(&buffer, &DataClasses::default(), headrooms(&buffer));
        // Half of the 10000 shared bytes: 5000 in use leave 5000 free.
        let admissions: Vec<Admission> = (0..8).map(|_| shared.admit(&request(0, 0), true)).collect();
        assert!(admissions[..5].iter().all(|admission| *admission == Admission::Take));
        assert_eq!(
            admissions[5..],
            [Admission::TakeAndPause, Admission::Take, Admission::Refuse(DropReason::HeadroomFull)]
        );
        assert!(shared.is_pausing());
        let resumed: Vec<Option<u32>> = (0..7).rev().map(|left| shared.sync(2, left)).collect();
        // The first two releases are headroom; then 4000 + 500 is within 6000.
        assert_eq!(resumed, [None, None, Some(0), None, None, None, None]);
        assert!(!shared.is_pausing() && shared.used == 0);
    }

    #[test]
    fn no_ingress_is_paused_before_the_least_time_to_pause() {
        // Three links of a byte per ns.
        let inflow = Inflow { n_links: 3, total: 24_000_000_000, fastest: 8_000_000_000, packet: 1_000 };
        let mut n_bounds = 0;
        for seed in 0..300 {
            let mut random = Random::stream(seed, 1, 1);
            let pause = Pause { headroom: Some(Bytes(3_000)), xon_gap: Bytes(500) };
            let size = Bytes(20_000 + random.next_u64() % 100_000);
            let buffer = Buffer { size, alpha: 1 << (random.next_u32() % 13), pause: Some(pause) };
            let mut shared = SharedBuffer::new(&buffer, &DataClasses::default(), headrooms(&buffer));
            let n_held = random.next_u32() % 20;
            if (0..n_held).any(|_| shared.admit(&request(random.next_u32() % 3, 0), true) != Admission::Take)
            {
                assert_eq!(shared.least_time_to_pause(&inflow), 0, "an ingress is paused already");
                continue;
            }
            let until = shared.least_time_to_pause(&inflow);
            n_bounds += u32::from(until > 0);
            // The first packets are about to arrive; some links then send nothing.
            let senders = 1 + random.next_u32() % 3;
            for at in (0..).map(|packet| packet * 1_000_000).take_while(|&at| at < until) {
                for ingress in 0..senders {
                    assert_eq!(shared.admit(&request(ingress, 0), true), Admission::Take, "{seed} at {at}");
                }
            }
        }
        assert!(n_bounds > 50, "{n_bounds}");
    }
}
