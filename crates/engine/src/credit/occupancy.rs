//! Occupancy of a port of a switch with input buffers over time, by source: where it is recorded.
//!
//! Models: packets that have chosen the port and have not started, in bytes: in all, by the in-link they came by, and
//! data by the hosts it goes between; each as a sum over time.
//! Leaves out: the analysis of congestion (`congestion.rs`); the packet on the wire.
//!
//! Invariants: sums are of whole bytes and picoseconds, so they are the same however the run is divided.

use std::collections::BTreeMap;

/// Sender and receiver.
pub type HostPair = (u32, u32);

/// See the module.
#[derive(Debug)]
pub struct QueueOccupancy {
    all: Queue,
    n_packets: u32,
    /// The peak of bytes since the interval began.
    peak: u64,
    /// When packets began to wait, if some do now.
    since: u64,
    /// Time with packets waiting, before that.
    occupied: u64,
    by_link: Vec<Queue>,
    /// Messages of which data waits, by their indices in the flow table, which are not reused meanwhile.
    messages: BTreeMap<u32, (HostPair, Queue)>,
    /// Data of messages that have none waiting any more.
    gone: BTreeMap<HostPair, ByteSums>,
}

/// Bytes that wait, and their sum over time.
#[derive(Debug, Clone, Copy, Default)]
struct Queue {
    bytes: u64,
    /// The instant up to which the sum is computed.
    until: u64,
    sum: u128,
    /// Bytes that have started since the interval began.
    started: u64,
}

impl Queue {
    fn advance(&mut self, now: u64) {
        self.sum += u128::from(self.bytes) * u128::from(now.saturating_sub(self.until));
        self.until = self.until.max(now);
    }

    fn come(&mut self, now: u64, bytes: u32) {
        self.advance(now);
        self.bytes += u64::from(bytes);
    }

    fn leave(&mut self, now: u64, bytes: u32, is_started: bool) {
        self.advance(now);
        self.bytes -= u64::from(bytes);
        self.started += if is_started { u64::from(bytes) } else { 0 };
    }

    /// The sums of the interval that ends now; a new one begins.
    fn take(&mut self, now: u64) -> ByteSums {
        self.advance(now);
        ByteSums { sum: std::mem::take(&mut self.sum), started: std::mem::take(&mut self.started) }
    }
}

/// Bytes that waited and started in an interval.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ByteSums {
    /// Bytes that waited, summed over picoseconds.
    pub sum: u128,
    /// Bytes that started.
    pub started: u64,
}

/// The occupancy in an interval.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OccupancyInterval {
    /// All packets.
    pub all: ByteSums,
    /// The peak of bytes that waited.
    pub peak: u64,
    /// Time with packets waiting, in ps.
    pub occupied: u64,
    /// For each in-link, bytes that came by it and waited, summed over picoseconds; the last is the switch itself.
    pub by_link: Vec<u128>,
    /// For each pair of hosts of which data waited or passed.
    pub by_pair: BTreeMap<HostPair, ByteSums>,
}

impl QueueOccupancy {
    /// No packet waits; packets come by `n_links` in-links.
    pub fn new(n_links: usize) -> QueueOccupancy {
        QueueOccupancy {
            all: Queue::default(),
            n_packets: 0,
            peak: 0,
            since: 0,
            occupied: 0,
            by_link: vec![Queue::default(); n_links],
            messages: BTreeMap::new(),
            gone: BTreeMap::new(),
        }
    }

    /// Adds a packet that has chosen the port; `data` is the index of its message and the hosts, if it is data.
    pub fn come(&mut self, now: u64, bytes: u32, ingress: u32, data: Option<(u32, HostPair)>) {
        if self.n_packets == 0 {
            self.since = now;
        }
        self.n_packets += 1;
        self.all.come(now, bytes);
        self.peak = self.peak.max(self.all.bytes);
        self.by_link[ingress as usize].come(now, bytes);
        if let Some((index, pair)) = data {
            let fresh = Queue { until: now, ..Queue::default() };
            self.messages.entry(index).or_insert((pair, fresh)).1.come(now, bytes);
        }
    }

    /// Removes a packet that starts, or is lost; `index` is the index of its message, if it is data.
    pub fn leave(&mut self, now: u64, bytes: u32, ingress: u32, index: Option<u32>, is_started: bool) {
        self.n_packets -= 1;
        if self.n_packets == 0 {
            self.occupied += now - self.since;
        }
        self.all.leave(now, bytes, is_started);
        self.by_link[ingress as usize].leave(now, bytes, is_started);
        let Some(index) = index else { return };
        let (pair, queue) = self.messages.get_mut(&index).expect("it came before it leaves");
        queue.leave(now, bytes, is_started);
        if queue.bytes == 0 {
            let (pair, passed) = (*pair, queue.take(now));
            self.messages.remove(&index);
            add(&mut self.gone, pair, passed);
        }
    }

    /// Ends the interval now, and begins another one.
    pub fn take(&mut self, now: u64) -> OccupancyInterval {
        let mut by_pair = std::mem::take(&mut self.gone);
        for (pair, queue) in self.messages.values_mut() {
            add(&mut by_pair, *pair, queue.take(now));
        }
        let mut occupied = std::mem::take(&mut self.occupied);
        if self.n_packets > 0 {
            occupied += now - self.since;
            self.since = now;
        }
        let peak = std::mem::replace(&mut self.peak, self.all.bytes);
        let by_link = self.by_link.iter_mut().map(|queue| queue.take(now).sum).collect();
        OccupancyInterval { all: self.all.take(now), peak, occupied, by_link, by_pair }
    }
}

fn add(pairs: &mut BTreeMap<HostPair, ByteSums>, pair: HostPair, passed: ByteSums) {
    let known = pairs.entry(pair).or_default();
    known.sum += passed.sum;
    known.started += passed.started;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_bytes_times_time_whatever_the_cut() {
        let events = |occupancy: &mut QueueOccupancy, cut: Option<u64>| {
            let mut intervals = Vec::new();
            occupancy.come(10, 100, 0, Some((7, (1, 2))));
            occupancy.come(20, 50, 1, None);
            intervals.extend(cut.map(|at| occupancy.take(at)));
            occupancy.leave(40, 100, 0, Some(7), true);
            occupancy.leave(45, 50, 1, None, true);
            occupancy.come(60, 30, 0, Some((7, (3, 2))));
            intervals.push(occupancy.take(100));
            intervals
        };
        let whole = events(&mut QueueOccupancy::new(2), None).remove(0);
        assert_eq!(whole.all, ByteSums { sum: 100 * 30 + 50 * 25 + 30 * 40, started: 150 });
        assert_eq!((whole.peak, whole.occupied), (150, 35 + 40));
        assert_eq!(whole.by_link, [100 * 30 + 30 * 40, 50 * 25]);
        let pairs: Vec<_> = whole.by_pair.iter().map(|(pair, passed)| (*pair, passed.sum)).collect();
        assert_eq!(pairs, [((1, 2), 3000), ((3, 2), 1200)]);

        let parts = events(&mut QueueOccupancy::new(2), Some(25));
        assert_eq!(parts.iter().map(|part| part.all.sum).sum::<u128>(), whole.all.sum);
        assert_eq!(parts.iter().map(|part| part.occupied).sum::<u64>(), whole.occupied);
        assert_eq!(parts[1].peak, 150, "what waits when a span begins counts in it");
    }

    #[test]
    fn packets_that_pass_without_waiting_are_counted() {
        let mut occupancy = QueueOccupancy::new(1);
        occupancy.come(5, 64, 0, Some((0, (4, 5))));
        occupancy.leave(5, 64, 0, Some(0), true);
        occupancy.come(9, 64, 0, Some((0, (4, 5))));
        occupancy.leave(9, 64, 0, Some(0), false);
        assert_eq!(occupancy.take(10).by_pair[&(4, 5)], ByteSums { sum: 0, started: 64 });
        assert_eq!(
            occupancy.take(20),
            OccupancyInterval { by_link: vec![0], ..OccupancyInterval::default() }
        );
    }
}
