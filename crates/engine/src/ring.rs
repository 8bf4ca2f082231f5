//! The ring of one link direction: packets between the start of their transmission and their arrival.
//!
//! Models: an unbounded FIFO queue with one sender and one receiver, which may be two threads; of packets, or of
//! records that travel beside them.
//! Leaves out: time; the caller pushes in order of arrival and pops what is due.
//!
//! Beside `prefetch` this is the only module with `unsafe` code. Storage is a chain of segments of [`SEGMENT`] entries.
//! The sender writes an entry and then raises the segment's `ready` count (release); the receiver reads entries below a
//! count it has loaded (acquire). An exhausted segment goes to `spare`, which holds one segment and from which the sender
//! takes its next one: a link in steady state allocates nothing.
//!
//! Invariants: entries below `ready` are written and never written again while the receiver may read them; `head` in
//! the shared part is the oldest segment alive, from which the last owner frees the chain; no memory is allocated
//! before the first packet.

use std::cell::UnsafeCell;
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, Ordering};

use crate::packet::InFlight;
use crate::prefetch::prefetch;

/// Entries per segment: two segments, as a link in steady state holds, take about 2.6 kB per direction.
const SEGMENT: usize = 32;

struct Segment<T> {
    ready: AtomicU32,
    next: AtomicPtr<Segment<T>>,
    entries: [UnsafeCell<MaybeUninit<T>>; SEGMENT],
}

impl<T> Segment<T> {
    /// The written entries from index `index` on.
    ///
    /// # Safety
    /// `segment` is alive for `'a`, and the caller is the receiving end.
    #[inline]
    unsafe fn written<'a>(segment: *const Segment<T>, index: usize) -> &'a [T] {
        // SAFETY: entries below `ready` are written and not written again while the receiver may read them;
        // `UnsafeCell` and `MaybeUninit` have the layout of their contents.
        unsafe {
            let ready = (*segment).ready.load(Ordering::Acquire) as usize;
            let first = (&raw const (*segment).entries).cast::<T>().add(index);
            std::slice::from_raw_parts(first, ready - index)
        }
    }

    fn allocate() -> *mut Segment<T> {
        Box::into_raw(Box::new(Segment {
            ready: AtomicU32::new(0),
            next: AtomicPtr::new(ptr::null_mut()),
            entries: [const { UnsafeCell::new(MaybeUninit::uninit()) }; SEGMENT],
        }))
    }
}

/// Shared by both ends: the oldest segment and a spare one.
struct Shared<T> {
    head: AtomicPtr<Segment<T>>,
    spare: AtomicPtr<Segment<T>>,
    /// Whether the receiving end waits for an entry.
    is_awaited: AtomicBool,
}

impl<T> Drop for Shared<T> {
    fn drop(&mut self) {
        let mut segment = *self.head.get_mut();
        while !segment.is_null() {
            // SAFETY: both ends are gone, so no one else uses the chain; each segment came from `Box::into_raw` and is
            // visited once.
            let mut owned = unsafe { Box::from_raw(segment) };
            segment = *owned.next.get_mut();
        }
        let spare = *self.spare.get_mut();
        if !spare.is_null() {
            // SAFETY: a spare segment is in no chain and came from `Box::into_raw`.
            drop(unsafe { Box::from_raw(spare) });
        }
    }
}

/// The pushing end.
pub struct Sender<T = InFlight> {
    segment: *mut Segment<T>,
    written: usize,
    /// Entries written to segments before this one.
    before: u64,
    shared: Arc<Shared<T>>,
}

/// The popping end.
pub struct Receiver<T = InFlight> {
    segment: *mut Segment<T>,
    /// Number of entries read from the segment; all of them before the first segment is known.
    read: usize,
    /// Number of entries of the segment known to be written.
    available: usize,
    shared: Arc<Shared<T>>,
}

// SAFETY: an end may move to another thread; the two ends only share segments through the protocol above.
unsafe impl<T: Send> Send for Sender<T> {}
// SAFETY: as for `Sender`.
unsafe impl<T: Send> Send for Receiver<T> {}

/// A new, empty ring.
pub fn ring<T: Copy>() -> (Sender<T>, Receiver<T>) {
    let shared = Arc::new(Shared {
        head: AtomicPtr::new(ptr::null_mut()),
        spare: AtomicPtr::new(ptr::null_mut()),
        is_awaited: AtomicBool::new(false),
    });
    let sender =
        Sender { segment: ptr::null_mut(), written: SEGMENT, before: 0, shared: Arc::clone(&shared) };
    let receiver = Receiver { segment: ptr::null_mut(), read: SEGMENT, available: SEGMENT, shared };
    (sender, receiver)
}

impl<T: Copy> Sender<T> {
    /// Number of entries ever pushed.
    pub fn n_pushed(&self) -> u64 {
        if self.segment.is_null() { 0 } else { self.before + self.written as u64 }
    }

    /// Whether the receiving end waits for an entry; a change made in this window may not be visible before the next.
    #[inline(always)]
    pub fn is_awaited(&self) -> bool {
        self.shared.is_awaited.load(Ordering::Relaxed)
    }

    /// Prefetches the memory of the next entry.
    #[inline(always)]
    pub fn prefetch_next(&self) {
        if self.written < SEGMENT {
            // SAFETY: `segment` is alive, see `push`, and an index below its length was checked.
            unsafe {
                prefetch((*self.segment).entries.get_unchecked(self.written));
                prefetch(&(*self.segment).ready);
            }
        }
    }

    /// Appends an entry.
    #[inline(always)]
    pub fn push(&mut self, entry: T) {
        if self.written == SEGMENT {
            self.next_segment();
        }
        // SAFETY: `segment` is alive: the receiver frees or recycles a segment only after it has read all its entries,
        // and this one is not full. No one reads the entry before it is below `ready`.
        unsafe {
            (*(*self.segment).entries.get_unchecked(self.written).get()).write(entry);
            self.written += 1;
            (*self.segment).ready.store(self.written as u32, Ordering::Release);
        }
    }

    #[cold]
    #[inline(never)]
    fn next_segment(&mut self) {
        let mut fresh = self.shared.spare.swap(ptr::null_mut(), Ordering::Acquire);
        if fresh.is_null() {
            fresh = Segment::allocate();
        } else {
            // SAFETY: taken out of `spare`, the segment belongs to this end alone.
            unsafe {
                *(*fresh).ready.get_mut() = 0;
                *(*fresh).next.get_mut() = ptr::null_mut();
            }
        }
        if self.segment.is_null() {
            self.shared.head.store(fresh, Ordering::Release);
        } else {
            self.before += SEGMENT as u64;
            // SAFETY: the receiver leaves a segment only through `next`, which is still null: the segment is alive.
            unsafe { (*self.segment).next.store(fresh, Ordering::Release) };
        }
        self.segment = fresh;
        self.written = 0;
    }
}

impl<T: Copy> Receiver<T> {
    /// The oldest entry.
    #[inline(always)]
    pub fn peek(&mut self) -> Option<&T> {
        if self.read == self.available && !self.look_again() {
            return None;
        }
        // SAFETY: entries below `available` are written.
        Some(unsafe { (*(*self.segment).entries.get_unchecked(self.read).get()).assume_init_ref() })
    }

    /// Prefetches the oldest entry.
    #[inline(always)]
    pub fn prefetch_first(&self) {
        if self.read < SEGMENT {
            // SAFETY: this end's segment is alive, and an index below its length was checked.
            unsafe { prefetch((*self.segment).entries.get_unchecked(self.read)) };
        }
    }

    /// Signals to the sending end whether an entry is waited for, from the next window on.
    pub fn set_awaited(&self, is_awaited: bool) {
        self.shared.is_awaited.store(is_awaited, Ordering::Relaxed);
    }

    /// The oldest entry, which must be known to exist. [`Receiver::drop_first`] must follow.
    #[inline(always)]
    pub fn first(&mut self) -> &T {
        // Not through an `Option`: the compiler cannot exclude a null pointer and would check twice.
        assert!(self.read != self.available || self.look_again(), "an entry was seen before it is taken");
        // SAFETY: entries below `available` are written.
        unsafe { (*(*self.segment).entries.get_unchecked(self.read).get()).assume_init_ref() }
    }

    /// Removes the entry that [`Receiver::first`] returned.
    #[inline(always)]
    pub fn drop_first(&mut self) {
        debug_assert!(self.read < self.available);
        self.read += 1;
    }

    /// Calls `each` with every entry in order (for writing state out).
    pub fn for_each(&self, mut each: impl FnMut(&T)) {
        let mut segment = self.segment;
        let mut index = self.read;
        if segment.is_null() {
            segment = self.shared.head.load(Ordering::Acquire);
            index = 0;
        }
        while !segment.is_null() {
            // SAFETY: as in `due`.
            unsafe {
                Segment::written(segment, index).iter().for_each(&mut each);
                segment = (*segment).next.load(Ordering::Acquire);
            }
            index = 0;
        }
    }

    /// Whether there are more entries than known; moves to the next segment when this one is exhausted.
    #[cold]
    #[inline(never)]
    fn look_again(&mut self) -> bool {
        if self.segment.is_null() {
            self.segment = self.shared.head.load(Ordering::Acquire);
            if self.segment.is_null() {
                return false;
            }
            self.read = 0;
        } else if self.read == SEGMENT {
            // SAFETY: this end's segment is alive until it is released below.
            let next = unsafe { (*self.segment).next.load(Ordering::Acquire) };
            if next.is_null() {
                return false;
            }
            let used = std::mem::replace(&mut self.segment, next);
            self.shared.head.store(next, Ordering::Release);
            self.release(used);
            self.read = 0;
            self.available = 0;
        }
        // SAFETY: this end's segment is alive.
        self.available = unsafe { (*self.segment).ready.load(Ordering::Acquire) as usize };
        self.read < self.available
    }

    /// Keeps an exhausted segment for the sender; frees the spare one it replaces.
    fn release(&self, used: *mut Segment<T>) {
        let before = self.shared.spare.swap(used, Ordering::AcqRel);
        if !before.is_null() {
            // SAFETY: taken out of `spare`, the segment belongs to this end alone and came from `Box::into_raw`.
            drop(unsafe { Box::from_raw(before) });
        }
    }
}

impl Receiver {
    /// Passes `take` the entries that arrive before `end`, in order and in as few slices as their segments allow,
    /// without removing them. Returns the arrival of the first entry left, if any.
    #[inline(always)]
    pub fn due(&mut self, end: u64, mut take: impl FnMut(&[InFlight])) -> Option<u64> {
        if self.read == SEGMENT && !self.look_again() {
            return None;
        }
        let mut segment = self.segment;
        let mut index = self.read;
        loop {
            // `next` is loaded first: if there is one, this segment is full. In the opposite order, entries written in
            // between by a sender that moves on to the next segment would be missed.
            // SAFETY: segments from the read position on are alive, since only this end releases them.
            let (next, entries) =
                unsafe { ((*segment).next.load(Ordering::Acquire), Segment::written(segment, index)) };
            if segment == self.segment {
                self.available = self.read + entries.len();
            }
            // Long packets on short links arrive one per window, so that case is checked first.
            if let [first, second, ..] = entries
                && first.arrival < end
                && second.arrival >= end
            {
                take(std::slice::from_ref(first));
                return Some(second.arrival);
            }
            // Arrivals rise along a link, so the last one decides whether all are due.
            if entries.last().is_some_and(|entry| entry.arrival >= end) {
                let n_due = entries.partition_point(|entry| entry.arrival < end);
                take(&entries[..n_due]);
                return Some(entries[n_due].arrival);
            }
            take(entries);
            if next.is_null() {
                return None;
            }
            segment = next;
            index = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::{Address, HeaderFlags, Packet};

    fn entry(number: u32) -> InFlight {
        let packet = Packet::data(Address { host: 0, slot: 0 }, 0, number, 0, 1, HeaderFlags::new(0, true));
        InFlight { arrival: u64::from(number) * 10, packet }
    }

    fn pop(receiver: &mut Receiver) -> InFlight {
        let entry = *receiver.first();
        receiver.drop_first();
        entry
    }

    #[test]
    fn first_in_first_out_across_segments() {
        let (mut sender, mut receiver) = ring::<InFlight>();
        assert!(receiver.peek().is_none());
        let mut next = 0;
        for burst in [1, 5, 40, 16, 3, 100] {
            (0..burst).for_each(|i| sender.push(entry(next + i)));
            for i in 0..burst {
                assert_eq!(pop(&mut receiver), entry(next + i));
            }
            assert!(receiver.peek().is_none());
            next += burst;
        }
    }

    #[test]
    fn due_lists_without_removing() {
        let (mut sender, mut receiver) = ring();
        (0..50).for_each(|i| sender.push(entry(i)));
        let mut n_seen = 0;
        assert_eq!(receiver.due(355, |entries| n_seen += entries.len()), Some(360));
        assert_eq!(n_seen, 36);
        assert_eq!(pop(&mut receiver), entry(0));
        assert_eq!(receiver.due(u64::MAX, |_| ()), None);
        let mut n_entries = 0;
        receiver.for_each(|_| n_entries += 1);
        assert_eq!(n_entries, 49);
    }

    #[test]
    fn due_entries_have_no_gaps_while_the_sender_continues() {
        const N: u64 = if cfg!(miri) { 300 } else { 2_000_000 };
        let (mut sender, mut receiver) = ring();
        std::thread::scope(|scope| {
            scope.spawn(move || (0..N).for_each(|i| sender.push(entry(i as u32))));
            scope.spawn(move || {
                let mut next = 0;
                while next < N {
                    let mut seen = next;
                    receiver.due(u64::MAX, |entries| {
                        for entry in entries {
                            assert_eq!(entry.arrival, seen * 10);
                            seen += 1;
                        }
                    });
                    while next < seen {
                        assert_eq!(pop(&mut receiver).arrival, next * 10);
                        next += 1;
                    }
                }
            });
        });
    }

    #[test]
    fn two_threads_exchange_all_entries_in_order() {
        const N: u32 = if cfg!(miri) { 200 } else { 100_000 };
        let (mut sender, mut receiver) = ring();
        std::thread::scope(|scope| {
            scope.spawn(move || (0..N).for_each(|i| sender.push(entry(i))));
            scope.spawn(move || {
                let mut next = 0;
                while next < N {
                    if receiver.peek().is_some() {
                        assert_eq!(pop(&mut receiver), entry(next));
                        next += 1;
                    } else {
                        std::thread::yield_now();
                    }
                }
            });
        });
    }

    #[test]
    fn entries_never_received_are_freed() {
        let (mut sender, mut receiver) = ring();
        (0..100).for_each(|i| sender.push(entry(i)));
        (0..40).for_each(|i| assert_eq!(pop(&mut receiver), entry(i)));
        drop(receiver);
        sender.push(entry(100));
    }
}
