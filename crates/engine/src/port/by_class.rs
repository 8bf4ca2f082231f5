//! Several classes of data at one port.
//!
//! Models: strict classes before weighted ones, which take turns by deficit round robin; bytes that wait in each class,
//! and its marker; a queue for the packets of each paused class; totals of each class for the report.
//! Leaves out: how classes share the buffer (`buffer.rs`); queue pairs, which a NIC serves class by class (`rdma`).
//!
//! Only ports that separate data by class have this. Such a port takes the slow path at every start, so that others pay
//! nothing.

use std::collections::VecDeque;

use netloom_model::{DataClasses, Model};
use netloom_units::StateWriter;

use super::{Egress, Queues, Start};
use crate::mark::Marker;
use crate::packet::Packet;
use crate::turns::{DeficitRoundRobin, classes_high_first};

/// See the module.
#[derive(Debug)]
pub(super) struct ByClass {
    /// By number; classes without data stay empty.
    classes: [OfClass; 8],
    /// Classes with data, one bit each.
    data: u8,
    /// Of these, the weighted ones, which take turns.
    weighted: u8,
    turns: DeficitRoundRobin,
    /// Whether packets wait here, or in queue pairs.
    has_queues: bool,
}

/// One class.
#[derive(Debug, Default)]
struct OfClass {
    marker: Option<Marker>,
    /// Its packets while it is paused.
    paused_packets: VecDeque<Packet>,
    paused_since: u64,
    totals: ClassTotals,
}

/// Totals of a class of data at a port.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ClassTotals {
    /// Packets that started and were not lost.
    pub packets: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Bytes that wait, the packet on the wire not included.
    pub waiting: u64,
    /// The peak of `waiting`.
    pub peak: u64,
    /// Packets dropped here.
    pub dropped: u64,
    /// Packets marked here.
    pub marked: u64,
    /// Frames sent here that pause the class.
    pub pauses: u64,
    /// How long the class was paused, in ps.
    pub paused: u64,
}

impl ByClass {
    fn new(model: &Model, has_queues: bool) -> ByClass {
        let classes: &DataClasses = &model.queues.classes;
        let turns = DeficitRoundRobin::new(classes, model.transport.packet);
        ByClass {
            classes: Default::default(),
            data: classes.bits(|_| true),
            weighted: turns.weighted(),
            turns,
            has_queues,
        }
    }

    fn of(&mut self, class: u8) -> &mut OfClass {
        &mut self.classes[usize::from(class & 7)]
    }

    /// Counts a packet that joins its queue.
    pub(super) fn came(&mut self, packet: &Packet) {
        if !self.has_queues || !packet.is_data() {
            return;
        }
        let totals = &mut self.of(packet.class()).totals;
        totals.waiting += u64::from(packet.bytes);
        totals.peak = totals.peak.max(totals.waiting);
    }

    /// Counts a packet that starts.
    fn started(&mut self, packet: &Packet) {
        if !packet.is_data() {
            return;
        }
        self.of(packet.class()).totals.waiting -= u64::from(packet.bytes);
        self.count_sent(packet);
    }

    /// Counts a packet as sent.
    fn count_sent(&mut self, packet: &Packet) {
        let totals = &mut self.of(packet.class()).totals;
        totals.packets += 1;
        totals.bytes += u64::from(packet.bytes);
    }

    /// Subtracts a packet that started and is not sent after all.
    fn uncount_sent(&mut self, packet: &Packet) {
        let totals = &mut self.of(packet.class()).totals;
        totals.packets -= 1;
        totals.bytes -= u64::from(packet.bytes);
    }

    /// The class of the next packet, and whether it is a weighted one.
    fn in_turn(&mut self, queues: &Queues) -> (u8, bool) {
        let strict = queues.filled & !u32::from(self.weighted);
        if strict != 0 {
            return (strict.ilog2() as u8, false);
        }
        let first =
            |class: u8| queues.classes[usize::from(class & 7)].front().map_or(0, |packet| packet.bytes);
        (self.turns.next(queues.filled as u8, |class| u64::from(first(class))), true)
    }

    /// Number of packets of paused classes.
    pub(super) fn n_paused_packets(&self) -> u32 {
        self.classes.iter().map(|class| class.paused_packets.len() as u32).sum()
    }

    /// These packets, by class.
    pub(super) fn paused_packets(&self) -> impl Iterator<Item = &Packet> {
        self.classes.iter().flat_map(|class| &class.paused_packets)
    }

    /// Classes that have such packets, one bit each.
    pub(super) fn classes_with_paused_packets(&self) -> u8 {
        (0..8)
            .filter(|&class| !self.classes[class].paused_packets.is_empty())
            .fold(0, |bits, class| bits | 1 << class)
    }

    /// The queue of a class while it is paused.
    pub(super) fn paused_packets_of(&mut self, class: u8) -> &mut VecDeque<Packet> {
        &mut self.of(class).paused_packets
    }

    /// Records that classes are paused, or resumed.
    pub(super) fn note_pauses(&mut self, now: u64, changed: u8, paused: u8) {
        for class in classes_high_first(changed & self.data) {
            let own = self.of(class);
            if paused >> class & 1 == 1 {
                own.paused_since = now;
            } else {
                own.totals.paused += now - own.paused_since;
            }
        }
    }

    /// Counts frames that pause classes at the other end.
    pub(super) fn count_pause(&mut self, classes: u8) {
        classes_high_first(classes & self.data).for_each(|class| self.of(class).totals.pauses += 1);
    }

    /// Subtracts such a frame that will not be sent after all.
    pub(super) fn uncount_pause(&mut self, classes: u8) {
        classes_high_first(classes & self.data).for_each(|class| self.of(class).totals.pauses -= 1);
    }

    /// Clears the bytes that wait: all of them are lost.
    pub(super) fn clear(&mut self) {
        self.classes.iter_mut().for_each(|class| class.totals.waiting = 0);
    }

    /// Number of packets marked.
    pub(super) fn n_marked(&self) -> u64 {
        self.classes.iter().filter_map(|class| class.marker.as_ref()).map(|marker| marker.n_marked).sum()
    }

    /// Writes what later behaviour depends on.
    pub(super) fn write_state(&self, out: &mut StateWriter) {
        self.turns.write_state(out);
    }
}

impl Egress {
    /// Separates data by class, before the run, when the form is chosen; `has_queues` unless data waits in queue pairs.
    pub fn separate_classes(&mut self, model: &Model, has_queues: bool) {
        self.extras.by_class = Some(Box::new(ByClass::new(model, has_queues)));
        if has_queues {
            (self.uses_fast_path, self.has_start_effects, self.extras.watched) = (false, true, true);
            self.count_mut();
        }
        self.update_admission_conditions();
    }

    /// Lets data packets of a class be marked here, before the run.
    pub fn set_class_marker(&mut self, class: u8, marker: Marker) {
        self.by_class_mut().expect("data is counted by class").of(class).marker = Some(marker);
    }

    pub(super) fn by_class_mut(&mut self) -> Option<&mut ByClass> {
        self.extras.by_class.as_deref_mut()
    }

    /// Whether data is separated by class.
    #[inline(always)]
    pub fn is_by_class(&self) -> bool {
        self.extras.by_class.is_some()
    }

    /// The next transmission out of the class queues of a port that may separate data by class.
    #[inline(always)]
    pub fn take_next(&mut self) -> Start {
        if self.has_start_effects && self.extras.by_class.is_some() {
            return self.take_in_turn();
        }
        self.take_start()
    }

    #[inline(never)]
    fn take_in_turn(&mut self) -> Start {
        let queues = self.queues.as_deref().expect("something waits in a class queue");
        let by_class = self.extras.by_class.as_deref_mut().expect("seen by the caller");
        if !by_class.has_queues {
            return self.take_start();
        }
        let (class, takes_turns) = by_class.in_turn(queues);
        let start = self.take_of(class);
        let is_last = self.queues.as_deref().is_some_and(|queues| queues.filled >> class & 1 == 0);
        let by_class = self.extras.by_class.as_deref_mut().expect("seen above");
        if takes_turns {
            by_class.turns.sent(class, start.packet.bytes, is_last);
        }
        by_class.started(&start.packet);
        start
    }

    /// Marks a packet about to join the queue of its class, if the marker decides at enqueue and marks it.
    pub(super) fn mark_at_enqueue(&mut self, packet: Packet) -> Packet {
        let own = self.by_class_mut().expect("seen by the caller").of(packet.class());
        match &mut own.marker {
            Some(marker) if marker.at_enqueue => marker.mark(own.totals.waiting, packet),
            _ => packet,
        }
    }

    /// Marks a packet that has left the queue of its class, if the marker decides at dequeue and marks it.
    pub(super) fn mark_at_dequeue(&mut self, packet: Packet) -> Packet {
        let own = self.by_class_mut().expect("seen by the caller").of(packet.class());
        match &mut own.marker {
            Some(marker) if !marker.at_enqueue => marker.mark(own.totals.waiting, packet),
            _ => packet,
        }
    }

    /// Counts a data packet that is dropped here, `is_sent` if its transmission had started.
    pub(super) fn note_dropped(&mut self, packet: &Packet, is_sent: bool) {
        let Some(by_class) = self.by_class_mut().filter(|_| packet.is_data()) else { return };
        by_class.of(packet.class()).totals.dropped += 1;
        if is_sent {
            by_class.uncount_sent(packet);
        }
    }

    /// Counts packets that are lost as the port goes down.
    pub(super) fn note_all_lost(&mut self, lost: &[Packet]) {
        let Some(by_class) = self.by_class_mut() else { return };
        by_class.clear();
        for packet in lost {
            self.note_dropped(packet, false);
        }
    }

    /// Number of packets marked.
    pub(super) fn n_marked(&self) -> u64 {
        let by_class = self.extras.by_class.as_deref().map_or(0, ByClass::n_marked);
        self.extras.marker.as_ref().map_or(by_class, |marker| marker.n_marked)
    }

    /// Counts a packet that this port refuses.
    #[cold]
    pub fn count_refused_of_class(&mut self, packet: &Packet) {
        self.note_dropped(packet, false);
    }

    /// Counts a packet that starts out of a queue pair.
    pub fn count_started(&mut self, packet: &Packet) {
        self.by_class_mut().expect("data is counted by class").count_sent(packet);
    }

    /// Subtracts a start that is undone.
    pub(super) fn undo_start_of_class(&mut self, packet: &Packet) {
        if let Some(by_class) = self.by_class_mut().filter(|_| packet.is_data()) {
            by_class.uncount_sent(packet);
        }
    }

    /// Number of data packets of a class in its queue; the port must be advanced to now.
    pub fn data_waiting_of(&self, class: u8) -> usize {
        let class = usize::from(class & 7);
        let paused =
            self.extras.by_class.as_ref().map_or(0, |by_class| by_class.classes[class].paused_packets.len());
        self.queues.as_ref().map_or(0, |queues| queues.classes[class].len()) + paused
    }

    /// Bytes of data that a packet of a class finds: those of its class, where data is separated by class; the port
    /// must be advanced to now.
    pub fn data_bytes_in(&self, class: u8) -> u64 {
        if self.is_by_class() { self.data_bytes_of(class) } else { self.data_bytes() }
    }

    /// When the pause of a paused class began, in ps.
    pub(super) fn paused_since(&self, class: u8) -> u64 {
        let own = |by_class: &ByClass| by_class.classes[usize::from(class & 7)].paused_since;
        self.extras.by_class.as_deref().map_or(self.extras.pauses.since, own)
    }

    /// Bytes of data in the queue of a class, where data is separated by class; the port must be advanced to now.
    pub(super) fn data_bytes_of(&self, class: u8) -> u64 {
        let own = |by_class: &ByClass| by_class.classes[usize::from(class & 7)].totals.waiting;
        self.extras.by_class.as_deref().map_or(0, own)
    }

    /// Totals before `now` of each class of data, by number; the port must be advanced to `now`.
    pub fn class_totals_at(&self, now: u64) -> Vec<(u8, ClassTotals)> {
        let Some(by_class) = self.extras.by_class.as_deref() else { return Vec::new() };
        let totals = |class: u8| {
            let own = &by_class.classes[usize::from(class)];
            let rest = if self.is_paused(class) { now.saturating_sub(own.paused_since) } else { 0 };
            let marked = own.marker.as_ref().map_or(0, |marker| marker.n_marked);
            (class, ClassTotals { marked, paused: own.totals.paused + rest, ..own.totals })
        };
        (0..8).filter(|class| by_class.data >> class & 1 == 1).map(totals).collect()
    }
}
