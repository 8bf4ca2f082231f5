//! Loads of the ports of a node side by side, for a policy that compares queues.
//!
//! Models: the ports with the least backlog, in bytes or in packets, or with few bytes of data, as a mask: found
//! without reading each of them.
//! Leaves out: *irregular* ports, whose backlog is neither one instant nor a count of known starts: those that are
//! paused, change their rate, or keep packets in class queues where packets are counted. Such ports are queried one by
//! one.
//!
//! Invariants: the result is the same as from the ports themselves; where there is none, each port must be queried.

mod backlogs;
mod data;
mod packets;

use netloom_model::PortSet;
use netloom_policy::balance::Balancer;

use crate::port::Egress;
use backlogs::Backlogs;
use data::DataCounts;
use packets::PacketCounts;

/// See the module.
pub enum PortLoads {
    /// In bytes.
    Bytes(Backlogs),
    /// In packets.
    Packets(PacketCounts),
    /// In bytes of data, the packet on the wire not included.
    Data(DataCounts),
}

impl PortLoads {
    /// The loads of a node whose policy compares queues, before the run; packets that wait at its ports are counted
    /// here where possible.
    pub fn of(balancer: &Balancer, ports: &mut [Egress]) -> Option<PortLoads> {
        if balancer.counts_packets() {
            return Some(PortLoads::Packets(PacketCounts::of(ports)));
        }
        if balancer.compares_bytes() {
            return Some(PortLoads::Bytes(Backlogs::of(ports)));
        }
        balancer.compares_class_bytes().then(|| DataCounts::of(ports)).flatten().map(PortLoads::Data)
    }

    /// The ports with the fewest bytes waiting at `now`, a bit each in the order of the set, of at most 64.
    #[inline]
    pub fn fewest_bytes(&self, set: PortSet<'_>, now: u64) -> Option<u64> {
        match self {
            PortLoads::Bytes(backlogs) => backlogs.fewest(set, now),
            PortLoads::Packets(_) | PortLoads::Data(_) => None,
        }
    }

    /// The ports with the fewest packets waiting at `now`, a bit each in the order of the set, of at most 64.
    #[inline]
    pub fn fewest_packets(&mut self, set: PortSet<'_>, now: u64) -> Option<u64> {
        match self {
            PortLoads::Bytes(_) | PortLoads::Data(_) => None,
            PortLoads::Packets(counts) => counts.fewest(set, now),
        }
    }

    /// Bytes of data of a class waiting at each port, where they are counted here.
    #[inline]
    pub fn data_counts(&mut self, class: u8) -> Option<&mut DataCounts> {
        match self {
            PortLoads::Data(counts) if counts.class() == class => Some(counts),
            _ => None,
        }
    }

    /// Packets waiting at a port at `now`.
    #[inline]
    pub fn packets_at(&mut self, port: u32, now: u64) -> Option<u64> {
        match self {
            PortLoads::Bytes(_) | PortLoads::Data(_) => None,
            PortLoads::Packets(counts) => counts.at(port, now),
        }
    }

    /// The peak number of packets waiting at a port.
    pub fn peak_packets(&self, port: u32) -> Option<u32> {
        match self {
            PortLoads::Bytes(_) | PortLoads::Data(_) => None,
            PortLoads::Packets(counts) => counts.peak(port),
        }
    }

    /// Counts a packet whose start is known, accepted at `now` at a port.
    #[inline(always)]
    pub fn accepted(&mut self, now: u64, port: u32, start: u64, egress: &Egress) {
        match self {
            PortLoads::Packets(counts) => counts.push(now, port, start),
            others => others.note(port, egress),
        }
    }

    /// Updates the load of a port after a change there.
    #[inline]
    pub fn note(&mut self, port: u32, egress: &Egress) {
        match self {
            PortLoads::Bytes(backlogs) => backlogs.note(port, egress),
            PortLoads::Packets(_) => {}
            PortLoads::Data(counts) => counts.note(port, egress),
        }
    }
}

#[cfg(test)]
mod tests {
    use netloom_policy::balance::ties_of_least;
    use netloom_units::{PortId, Random, Rate};

    use super::*;
    use crate::bits::bits;
    use crate::channel::{Channel, ReceiverLocation};
    use crate::packet::{Address, HeaderFlags, Packet};
    use crate::port::Form;
    use crate::ring::ring;

    /// Ports of 1 ns per byte.
    fn ports(n_ports: usize, form: Form) -> Vec<Egress> {
        let port = |_| {
            let channel = Channel::new(ring().0, ReceiverLocation::Inside(0));
            let mut port = Egress::new(PortId(0), channel, Rate(8_000_000_000), 0);
            port.set_form(form);
            port
        };
        (0..n_ports).map(port).collect()
    }

    /// Contiguous ports, or every second one of them.
    fn some_ports(random: &mut Random, n_ports: usize) -> (u32, Vec<u32>) {
        let first = random.below(n_ports as u32);
        let count = 1 + random.below((n_ports as u32 - first).min(64));
        let all: Vec<u32> = (first..first + count).collect();
        (count, if random.below(2) == 0 { all } else { all.into_iter().step_by(2).collect() })
    }

    /// As a range, where the ports are contiguous.
    fn set_of(count: u32, list: &[u32]) -> PortSet<'_> {
        if list.len() == count as usize {
            PortSet::Range { first: list[0], count }
        } else {
            PortSet::List(list)
        }
    }

    #[test]
    fn the_fewest_packets_are_those_that_the_ports_count() {
        for seed in 0..60 {
            let mut random = Random::stream(seed, 1, 1);
            let n_ports = 1 + random.below(140) as usize;
            let (mut listed, mut counted) = (ports(n_ports, Form::Computed), ports(n_ports, Form::Computed));
            let mut loads = PortLoads::Packets(PacketCounts::of(&mut listed));
            counted.iter_mut().for_each(Egress::count_packets);
            let mut now = 0;
            for _ in 0..2_000 {
                now += u64::from(random.below(4)) * [0, 1, 1_000, 50_000][random.below(4) as usize];
                let (count, list) = some_ports(&mut random, n_ports);
                let own = list.iter().map(|&port| counted[port as usize].waiting_packets(now));
                let expected = ties_of_least(own);
                let ties = loads.fewest_packets(set_of(count, &list), now).expect("all are regular");
                assert_eq!(ties, expected, "{seed} {now} {list:?}");
                let index = random.below(list.len() as u32) as usize;
                let port = list[if random.below(4) == 0 { index } else { ties.trailing_zeros() as usize }];
                let bytes = [1_000, 1_000, 64, 300][random.below(4) as usize];
                let egress = &mut listed[port as usize];
                let start = egress.free_at().max(now);
                let arrival = egress.enqueue_fast(now, bytes);
                loads.accepted(now, port, start, egress);
                assert_eq!(counted[port as usize].enqueue_computed(now, bytes), arrival);
                let waiting = counted[port as usize].waiting_packets(now);
                assert_eq!(loads.packets_at(port, now), Some(waiting), "{seed} {now}");
            }
            for (port, counted) in (0..).zip(&counted) {
                assert_eq!(loads.peak_packets(port), counted.totals_at(now).peak_packets, "{seed}");
            }
        }
    }

    #[test]
    fn bytes_of_data_below_limits_are_those_that_the_ports_count() {
        let mut n_stale = 0;
        for seed in 0..60 {
            let mut random = Random::stream(seed, 1, 3);
            let n_ports = 1 + random.below(80) as usize;
            let (mut late, mut eager) = (ports(n_ports, Form::Lazy), ports(n_ports, Form::Lazy));
            late.iter_mut().chain(&mut eager).for_each(Egress::enable_data_counting);
            let mut counts = DataCounts::of(&late).expect("all count data");
            let mut now = 0;
            for number in 0..1_000 {
                now += u64::from(random.below(4)) * [0, 1, 1_000, 50_000][random.below(4) as usize];
                let (count, list) = some_ports(&mut random, n_ports);
                let set = set_of(count, &list);
                for index in bits(counts.stale(set, now)) {
                    let port = list[index as usize];
                    advance_port(&mut late[port as usize], now);
                    counts.note(port, &late[port as usize]);
                    n_stale += 1;
                }
                for port in &mut eager {
                    advance_port(port, now);
                }
                let waiting: Vec<_> =
                    list.iter().map(|&port| eager[port as usize].class_bytes(now, 0)).collect();
                let limits = [1_000, 3_000, 10_000].map(|limit| limit + u64::from(random.below(1_000)));
                let (index, below) = counts.below_limits(set, &limits);
                let least = waiting.iter().min().expect("a set has ports");
                assert_eq!(index, limits.iter().filter(|limit| least >= limit).count(), "{seed} {number}");
                for (own, waiting) in waiting.iter().enumerate() {
                    let is_below = limits.get(index).is_none_or(|limit| waiting < limit);
                    assert_eq!(below >> own & 1 == 1, is_below, "{seed} {number} {own}");
                }
                let port = list[below.trailing_zeros() as usize];
                let bytes = [1_000, 1_000, 64, 300][random.below(4) as usize];
                let to = Address { host: 1, slot: 0 };
                let packet = Packet::data(to, 0, number, 0, bytes, HeaderFlags::new(0, true));
                for egress in [&mut late[port as usize], &mut eager[port as usize]] {
                    advance_port(egress, now);
                    egress.count_in(&packet);
                    egress.enqueue(now, &packet);
                }
                counts.note(port, &late[port as usize]);
            }
        }
        assert!(n_stale > 1_000, "{n_stale}");
    }

    /// Processes the starts before `now` at a port.
    fn advance_port(port: &mut Egress, now: u64) {
        while port.has_start_before(now) {
            let start = port.take_start();
            port.uncount(start.packet);
        }
    }

    #[test]
    fn the_fewest_bytes_need_no_start_to_have_happened() {
        for seed in 0..60 {
            let mut random = Random::stream(seed, 1, 2);
            let n_ports = 1 + random.below(80) as usize;
            let (mut late, mut eager) = (ports(n_ports, Form::Lazy), ports(n_ports, Form::Lazy));
            let mut loads = PortLoads::Bytes(Backlogs::of(&mut late));
            let (mut now, mut n_known) = (0, 0);
            for number in 0..1_000 {
                now += u64::from(random.below(4)) * [0, 1, 1_000, 50_000][random.below(4) as usize];
                for port in &mut eager {
                    advance_port(port, now);
                }
                let (count, list) = some_ports(&mut random, n_ports);
                let expected =
                    ties_of_least(list.iter().map(|&port| eager[port as usize].waiting_bytes(now)));
                let ties = loads.fewest_bytes(set_of(count, &list), now);
                assert!(ties.is_none_or(|ties| ties == expected), "{seed} {now} {list:?}");
                n_known += u32::from(ties.is_some());
                let port = list[expected.trailing_zeros() as usize];
                advance_port(&mut late[port as usize], now);
                let bytes = [1_000, 1_000, 64, 300][random.below(4) as usize];
                let packet = Packet::data(
                    Address { host: 1, slot: 0 },
                    0,
                    number,
                    0,
                    bytes,
                    HeaderFlags::new(0, true),
                );
                let pauses = random.below(40) == 0;
                for egress in [&mut late[port as usize], &mut eager[port as usize]] {
                    match (pauses, egress.is_paused(0)) {
                        (_, true) => _ = egress.set_paused(now, 1, false),
                        (true, false) => _ = egress.set_paused(now, 1, true),
                        (false, false) => _ = egress.enqueue(now, &packet),
                    }
                }
                loads.note(port, &late[port as usize]);
            }
            assert!(n_known > 100, "{seed}: {n_known}");
        }
    }
}
