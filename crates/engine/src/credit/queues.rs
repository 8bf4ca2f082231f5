//! Packets in the input buffers of a switch: one queue for each ingress and VL, or for each egress of these as well.
//!
//! Models: queues of slots in one table, so that a packet is written once and read once at the switch.
//! Leaves out: which queue is served (`crossbar.rs`).

use netloom_model::Credits;

use crate::packet::Packet;
use crate::slab::Slab;
use crate::trace::QueueSnapshot;

/// No slot, no ingress.
pub const NONE: u32 = u32::MAX;

/// A packet in an input buffer, or staged at its egress.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// As it will be on the link.
    pub packet: Packet,
    /// When its last bit arrives, in ps; when it may start, once it is staged.
    pub ready_at: u64,
    /// Since when it has been the head of its queue, in ps.
    pub since: u64,
    /// The egress it has chosen.
    pub egress: u32,
    /// Transfers that the egress had granted in its VL when it became the head, wrapping.
    pub grants: u32,
    next: u32,
}

impl Entry {
    /// A packet that comes at `now` and whose last bit comes at `whole_at`, to an egress that has granted `grants`
    /// transfers in its VL.
    #[inline(always)]
    pub fn new(packet: &Packet, egress: u32, (now, whole_at): (u64, u64), grants: u32) -> Entry {
        Entry { packet: *packet, ready_at: whole_at, since: now, egress, grants, next: NONE }
    }

    /// It is the head of its queue from `now` on; its egress has granted `grants` transfers in its VL.
    #[inline]
    pub fn become_head(&mut self, now: u64, grants: u32) {
        (self.since, self.grants) = (now, grants);
    }
}

/// The first and the last packet of a queue.
#[derive(Debug, Clone, Copy)]
pub struct QueueEnds {
    /// Slot of the first, `NONE` for an empty queue.
    pub first: u32,
    last: u32,
}

impl QueueEnds {
    /// Of an empty queue.
    pub const EMPTY: QueueEnds = QueueEnds { first: NONE, last: NONE };
}

/// See the module.
#[derive(Debug)]
pub struct Queues {
    entries: Slab<Entry>,
    /// The queues that packets found when they came, by slot; empty where that is not recorded.
    snapshots: Vec<Option<QueueSnapshot>>,
    /// Empty until the first packet comes, after [`Queues::put_off`].
    queues: Vec<QueueEnds>,
    n_queues: usize,
    n_vls: usize,
    /// Queues of an ingress and VL: one for each egress, or one.
    per_vl: usize,
}

impl Queues {
    /// Empty queues.
    pub fn new(n_ingresses: usize, n_vls: usize, n_egresses: usize, by_egress: bool) -> Queues {
        let per_vl = if by_egress { n_egresses } else { 1 };
        let n_queues = n_ingresses * n_vls * per_vl;
        let queues = vec![QueueEnds::EMPTY; n_queues];
        Queues { entries: Slab::default(), snapshots: Vec::new(), queues, n_queues, n_vls, per_vl }
    }

    /// Frees memory until a packet comes: the caller must call [`Queues::prepare`] before that.
    pub fn put_off(&mut self) {
        self.queues = Vec::new();
    }

    /// Allocates the queues before a packet comes.
    #[inline]
    pub fn prepare(&mut self) {
        if self.queues.is_empty() {
            self.queues = vec![QueueEnds::EMPTY; self.n_queues];
        }
    }

    #[inline]
    fn number(&self, ingress: u32, vl: usize, egress: u32) -> usize {
        let first = (ingress as usize * self.n_vls + vl) * self.per_vl;
        if self.per_vl == 1 { first } else { first + egress as usize }
    }

    /// Queues a packet that comes by an ingress in a VL; returns its slot, and whether it is the head of its queue.
    #[inline(always)]
    pub fn insert(&mut self, ingress: u32, vl: usize, entry: Entry) -> (u32, bool) {
        let number = self.number(ingress, vl, entry.egress);
        let index = self.entries.insert(entry);
        (index, append(&mut self.entries, &mut self.queues[number], index))
    }

    /// Stores a packet that is in no queue; returns its slot.
    #[inline]
    pub fn hold(&mut self, entry: Entry) -> u32 {
        self.entries.insert(entry)
    }

    /// Stores the queue that a packet found.
    #[cold]
    pub fn note(&mut self, index: u32, snapshot: QueueSnapshot) {
        if self.snapshots.len() <= index as usize {
            self.snapshots.resize(index as usize + 1, None);
        }
        self.snapshots[index as usize] = Some(snapshot);
    }

    /// The head of a queue that is known to have one.
    #[inline]
    pub fn head(&self, ingress: u32, vl: usize, egress: u32) -> &Entry {
        self.entries.get(self.queues[self.number(ingress, vl, egress)].first)
    }

    /// Takes the head out of its queue, not out of the table; returns its slot, and the new head.
    #[inline]
    pub fn take_head(&mut self, ingress: u32, vl: usize, egress: u32) -> (u32, Option<&mut Entry>) {
        let number = self.number(ingress, vl, egress);
        let queue = &mut self.queues[number];
        let index = queue.first;
        take_first(&self.entries, queue);
        let next = queue.first;
        (index, (next != NONE).then(|| self.entries.get_mut(next)))
    }

    /// The packet in a slot.
    #[inline]
    pub fn entry(&self, index: u32) -> &Entry {
        self.entries.get(index)
    }

    /// As [`Queues::entry`], to be changed.
    #[inline]
    pub fn entry_mut(&mut self, index: u32) -> &mut Entry {
        self.entries.get_mut(index)
    }

    /// Puts a packet that has left its queue at the end of another one.
    #[inline]
    pub fn append(&mut self, queue: &mut QueueEnds, index: u32) {
        self.entries.get_mut(index).next = NONE;
        append(&mut self.entries, queue, index);
    }

    /// Takes the first packet out of a queue, not out of the table.
    #[inline]
    pub fn take_first(&self, queue: &mut QueueEnds) {
        take_first(&self.entries, queue);
    }

    /// Takes a packet that is in no queue out of the table, with the queue that it found.
    #[inline]
    pub fn remove(&mut self, index: u32) -> (Packet, Option<QueueSnapshot>) {
        let packet = self.entries.get(index).packet;
        self.entries.remove(index);
        let snapshot = if self.snapshots.is_empty() { None } else { self.snapshot_at(index).take() };
        (packet, snapshot)
    }

    #[cold]
    fn snapshot_at(&mut self, index: u32) -> &mut Option<QueueSnapshot> {
        if self.snapshots.len() <= index as usize {
            self.snapshots.resize(index as usize + 1, None);
        }
        &mut self.snapshots[index as usize]
    }

    /// The heads of the queues of an ingress in a VL.
    pub fn heads(&self, ingress: u32, vl: usize) -> impl Iterator<Item = &Entry> {
        let first = (ingress as usize * self.n_vls + vl) * self.per_vl;
        let queues = self.queues.get(first..first + self.per_vl).into_iter().flatten();
        queues.filter(|queue| queue.first != NONE).map(|queue| self.entries.get(queue.first))
    }

    /// Credits that the packets of a VL in the buffer of an ingress occupy.
    pub fn used_credits(&self, ingress: u32, vl: usize) -> u32 {
        let next = |entry: &&Entry| (entry.next != NONE).then(|| self.entries.get(entry.next));
        let packets = self.heads(ingress, vl).flat_map(|head| std::iter::successors(Some(head), next));
        packets.map(|entry| Credits::blocks(entry.packet.bytes)).sum()
    }

    /// The packets of a queue, first to last, and the queues that they found.
    pub fn packets_of(&self, queue: QueueEnds) -> impl Iterator<Item = (&Entry, Option<QueueSnapshot>)> {
        let first = Some(queue.first).filter(|&first| first != NONE);
        let next = |&index: &u32| Some(self.entries.get(index).next).filter(|&next| next != NONE);
        std::iter::successors(first, next)
            .map(|index| (self.entries.get(index), self.snapshots.get(index as usize).copied().flatten()))
    }

    /// The packets in all input buffers.
    pub fn packets(&self) -> impl Iterator<Item = (&Entry, Option<QueueSnapshot>)> {
        self.queues.iter().flat_map(|&queue| self.packets_of(queue))
    }
}

/// Puts a slot at the end of a queue; returns whether it is the first there.
#[inline]
fn append(entries: &mut Slab<Entry>, queue: &mut QueueEnds, index: u32) -> bool {
    let last = std::mem::replace(&mut queue.last, index);
    if last == NONE {
        queue.first = index;
    } else {
        entries.get_mut(last).next = index;
    }
    last == NONE
}

#[inline]
fn take_first(entries: &Slab<Entry>, queue: &mut QueueEnds) {
    queue.first = entries.get(queue.first).next;
    if queue.first == NONE {
        queue.last = NONE;
    }
}
