//! Packets that arrive after later ones: how many, by how much, and the buffer that a receiver would need to restore
//! the order.
//!
//! Models: packets as they arrive from the wire, whatever the transport does with them; of each packet number the first
//! arrival. A *stream* is what numbers count in: a message, or a queue pair where messages travel on queue pairs.
//! Leaves out: what a receiver really buffers.
//!
//! Source: RFC 4737: what is reordered (section 3), its extent (4.2.1), its n-reordering (5.2), and the buffer that
//! restores the order. Modelling assumptions: only first arrivals count, and the buffer is measured after each of them.
//!
//! Invariants: memory is that of the span from the first missing number to the highest number that has arrived.

use std::collections::VecDeque;

use netloom_model::Model;
use netloom_records::{FlowRow, ReorderingRow};
use netloom_units::Bytes;

use crate::packet::Packet;

/// The order in which packets arrived at a host.
#[derive(Debug, Default)]
pub struct Reordering {
    /// By slot of the message's state, or of the queue pair's.
    streams: Vec<Stream>,
    /// By slot of the message's state.
    tallies: Vec<ReorderingCounts>,
}

impl Reordering {
    /// `None` where reordering is not recorded.
    pub fn of(model: &Model) -> Option<Box<Reordering>> {
        model.recording.reordering.then(Box::default)
    }

    /// A data packet arrives: its stream, its number there, and its message.
    #[cold]
    #[inline(never)]
    pub fn take(&mut self, (stream, number): (u32, u64), message: u32, packet: &Packet) {
        let Some(arrival) = at(&mut self.streams, stream).take(number, packet.bytes) else { return };
        at(&mut self.tallies, message).count(&arrival, packet.has(Packet::RETRANSMISSION));
    }

    /// Takes the statistics of a message and resets them.
    pub fn take_tally(&mut self, message: u32) -> ReorderingCounts {
        std::mem::take(at(&mut self.tallies, message))
    }

    /// Forgets a stream: its slot is reused.
    pub fn forget_stream(&mut self, stream: u32) {
        *at(&mut self.streams, stream) = Stream::default();
    }
}

/// The entry at an index, created if needed.
fn at<T: Default>(all: &mut Vec<T>, index: u32) -> &mut T {
    let index = index as usize;
    if all.len() <= index {
        all.resize_with(index + 1, T::default);
    }
    &mut all[index]
}

/// The packet numbers of a stream that have arrived.
#[derive(Debug, Default)]
struct Stream {
    /// The lowest number that has not arrived.
    base: u64,
    /// Sizes of the packets from there on, 0 for those that have not arrived; the last one has.
    window: VecDeque<u32>,
    /// The part of them that waits for `base`.
    buffered: BufferUse,
    n_arrived: u64,
    /// From each number up to the next entry's: number of arrivals before the first higher number arrived.
    passed: VecDeque<(u64, u64)>,
    /// Numbers from `base` on after which no lower number has arrived, with the number of arrivals before each.
    rising: VecDeque<(u64, u64)>,
    /// Number of arrivals up to the last arrival of a number below `base`.
    n_below: u64,
}

/// Packets and bytes.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct BufferUse {
    packets: u64,
    bytes: u64,
}

/// The first arrival of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Arrival {
    /// Set if higher numbers arrived before it.
    late: Option<Lateness>,
    /// What is buffered afterwards.
    buffered: BufferUse,
}

/// How late a packet is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Lateness {
    /// Reordering extent: number of arrivals from the first higher number up to the one before this packet.
    extent: u64,
    /// Degree of n-reordering: number of arrivals just before this packet that all had higher numbers.
    degree: u64,
}

impl Stream {
    fn take(&mut self, number: u64, bytes: u32) -> Option<Arrival> {
        let index = number.checked_sub(self.base)? as usize;
        if self.window.get(index).is_some_and(|&size| size > 0) {
            return None;
        }
        let n_before = self.n_arrived;
        self.n_arrived += 1;
        let is_late = index < self.window.len();
        if is_late {
            self.window[index] = bytes;
        } else {
            let next = self.base + self.window.len() as u64;
            if number > next {
                self.passed.push_back((next, n_before));
            }
            self.window.resize(index, 0);
            self.window.push_back(bytes);
        }
        let late = is_late.then(|| self.lateness(number, n_before));
        self.rising.push_back((number, n_before));
        self.buffered.packets += 1;
        self.buffered.bytes += u64::from(bytes);
        self.advance();
        Some(Arrival { late, buffered: self.buffered })
    }

    fn lateness(&mut self, number: u64, n_before: u64) -> Lateness {
        let gap = self.passed.partition_point(|&(from, _)| from <= number) - 1;
        while self.rising.back().is_some_and(|&(other, _)| other > number) {
            self.rising.pop_back();
        }
        let n_lower = self.rising.back().map_or(self.n_below, |&(_, before)| before + 1);
        Lateness { extent: n_before - self.passed[gap].1, degree: n_before - n_lower }
    }

    /// Releases the packets that need not wait any more.
    fn advance(&mut self) {
        while let Some(&size) = self.window.front().filter(|&&size| size > 0) {
            self.window.pop_front();
            self.base += 1;
            self.buffered.packets -= 1;
            self.buffered.bytes -= u64::from(size);
        }
        while let Some(&(_, before)) = self.rising.front().filter(|&&(number, _)| number < self.base) {
            self.n_below = before + 1;
            self.rising.pop_front();
        }
        while self.passed.get(1).is_some_and(|&(from, _)| from <= self.base) {
            self.passed.pop_front();
        }
        if self.window.is_empty() {
            self.passed.clear();
        }
    }
}

/// Number of power-of-two buckets for extents.
const BUCKETS: usize = 8;

/// Reordering statistics of a message.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct ReorderingCounts {
    packets: u32,
    late: u32,
    late_retransmitted: u32,
    extent: u64,
    degree: u64,
    buffered: BufferUse,
    /// Late packets by extent: 1, 2 to 3, 4 to 7 and so on; the last bucket holds all larger extents.
    by_extent: [u32; BUCKETS],
}

impl ReorderingCounts {
    fn count(&mut self, arrival: &Arrival, is_again: bool) {
        self.packets += 1;
        self.buffered.packets = self.buffered.packets.max(arrival.buffered.packets);
        self.buffered.bytes = self.buffered.bytes.max(arrival.buffered.bytes);
        let Some(Lateness { extent, degree }) = arrival.late else { return };
        self.late += 1;
        self.late_retransmitted += u32::from(is_again);
        self.extent = self.extent.max(extent);
        self.degree = self.degree.max(degree);
        self.by_extent[(extent.ilog2() as usize).min(BUCKETS - 1)] += 1;
    }

    /// Its row.
    pub fn row(&self, flow: &FlowRow) -> ReorderingRow {
        let [extent_1, extent_2, extent_4, extent_8, extent_16, extent_32, extent_64, extent_128] =
            self.by_extent;
        ReorderingRow {
            end: flow.end,
            source: flow.source,
            destination: flow.destination,
            number: flow.number,
            job: flow.job,
            packets: self.packets,
            late: self.late,
            late_retransmitted: self.late_retransmitted,
            extent: self.extent as u32,
            degree: self.degree as u32,
            buffered_packets: self.buffered.packets as u32,
            buffered_size: Bytes(self.buffered.bytes),
            extent_1,
            extent_2,
            extent_4,
            extent_8,
            extent_16,
            extent_32,
            extent_64,
            extent_128,
        }
    }
}

#[cfg(test)]
mod tests {
    use netloom_units::Random;

    use super::*;

    /// The arrivals of these numbers; packet `n` has 10 + `n` bytes.
    fn arrivals(numbers: &[u64]) -> Vec<Option<Arrival>> {
        let mut stream = Stream::default();
        numbers.iter().map(|&number| stream.take(number, 10 + number as u32)).collect()
    }

    fn lateness(numbers: &[u64]) -> Vec<Option<(u64, u64)>> {
        let late = |arrival: Option<Arrival>| arrival?.late.map(|late| (late.extent, late.degree));
        arrivals(numbers).into_iter().map(late).collect()
    }

    #[test]
    fn packets_in_order_are_never_late_nor_buffered() {
        for arrival in arrivals(&[0, 1, 2, 3, 4]) {
            assert_eq!(arrival, Some(Arrival { late: None, buffered: BufferUse::default() }));
        }
    }

    #[test]
    fn one_packet_that_is_overtaken_by_three() {
        assert_eq!(lateness(&[0, 2, 3, 4, 1, 5]), [None, None, None, None, Some((3, 3)), None]);
        let buffered: Vec<_> = arrivals(&[0, 2, 3, 4, 1, 5]).iter().map(|a| a.unwrap().buffered).collect();
        let expected = [(0, 0), (1, 12), (2, 25), (3, 39), (0, 0), (0, 0)];
        assert_eq!(
            buffered.iter().map(|buffered| (buffered.packets, buffered.bytes)).collect::<Vec<_>>(),
            expected
        );
    }

    #[test]
    fn the_extent_looks_back_to_the_first_and_the_degree_to_the_last_lower_one() {
        assert_eq!(
            lateness(&[0, 1, 2, 4, 5, 6, 3, 8, 7]),
            [None, None, None, None, None, None, Some((3, 3)), None, Some((1, 1))]
        );
        assert_eq!(lateness(&[3, 0, 2, 1]), [None, Some((1, 1)), Some((2, 0)), Some((3, 1))]);
    }

    #[test]
    fn only_the_first_copy_of_a_packet_counts() {
        let taken = arrivals(&[0, 0, 2, 2, 1, 1, 2]);
        assert_eq!(
            taken.iter().map(Option::is_some).collect::<Vec<_>>(),
            [true, false, true, false, true, false, false]
        );
    }

    /// By definition, from the list of all arrivals.
    fn by_definition(came: &[u64]) -> Arrival {
        let (&number, before) = came.split_last().expect("something came");
        let first_higher = before.iter().position(|&other| other > number);
        let late = first_higher.map(|first| Lateness {
            extent: (before.len() - first) as u64,
            degree: before.iter().rev().take_while(|&&other| other > number).count() as u64,
        });
        let base = (0..=came.len() as u64).find(|number| !came.contains(number)).expect("one more than came");
        let buffered = came.iter().filter(|&&number| number > base);
        let bytes = buffered.clone().map(|number| 10 + number).sum();
        Arrival { late, buffered: BufferUse { packets: buffered.count() as u64, bytes } }
    }

    #[test]
    fn any_order_is_reported_as_defined() {
        for seed in 0..300 {
            let mut random = Random::stream(seed, 5, 5);
            let reach = 1 + u64::from(random.below(12));
            let mut sent: Vec<(u64, u64)> = Vec::new();
            for number in 0..80 {
                let at = number + u64::from(random.below(reach as u32));
                if seed % 2 == 0 || !random.next_u32().is_multiple_of(11) {
                    sent.push((at, number));
                }
            }
            // Some arrive twice.
            let again: Vec<_> =
                sent.iter().filter(|(_, number)| number % 7 == 0).map(|&(at, n)| (at + 3, n)).collect();
            sent.extend(again);
            sent.sort_unstable();
            let mut stream = Stream::default();
            let mut came = Vec::new();
            for (_, number) in sent {
                let is_new = !came.contains(&number);
                let taken = stream.take(number, 10 + number as u32);
                if is_new {
                    came.push(number);
                }
                assert_eq!(taken, is_new.then(|| by_definition(&came)), "seed {seed}: {came:?}");
            }
        }
    }
}
