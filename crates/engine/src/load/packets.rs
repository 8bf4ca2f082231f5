//! How many packets wait at each port of a node that computes starts, and which ports have the fewest.
//!
//! Models: the packets whose start lies ahead; ports by their number of packets, a mask for each small number; the peak
//! number of packets.
//! Leaves out: irregular ports, which keep packets in class queues and count them themselves.
//!
//! Invariants: starts at a port rise; a packet waits while its start is after now. A count is that of the instant to
//! which its block was last advanced; a block whose earliest start has not come needs no advance.

use std::collections::VecDeque;
use std::ops::Range;

use netloom_model::PortSet;
use netloom_policy::balance::ties_of_least;

use crate::port::Egress;

/// Ports in a block.
const BLOCK: usize = 8;
/// Ports in a word of a mask.
const WORD: usize = 64;
/// Numbers of packets that have a mask of ports; the last mask includes all larger numbers.
const LEVELS: usize = 8;

/// See the module.
pub struct PacketCounts {
    /// The earliest start at any port of each block; `u64::MAX` where no packet waits.
    earliest: Box<[u64]>,
    /// The first start at each port, by block.
    first: Box<[[u64; BLOCK]]>,
    /// Ports with each number of packets, by word.
    levels: Box<[[u64; LEVELS]]>,
    /// The starts of the packets that wait at each port.
    starts: Box<[VecDeque<u64>]>,
    /// The peak number of packets waiting at each port.
    peaks: Box<[u32]>,
    /// Ports that are counted here.
    is_regular: Box<[bool]>,
    all_regular: bool,
}

impl PacketCounts {
    /// Of idle ports; irregular ones count their packets themselves.
    pub fn of(ports: &mut [Egress]) -> PacketCounts {
        let is_regular: Box<[bool]> = ports.iter_mut().map(Egress::list_computed).collect();
        let irregular = ports.iter_mut().zip(&is_regular).filter(|(_, is_regular)| !**is_regular);
        irregular.for_each(|(egress, _)| egress.count_packets());
        let mut idle = [0; LEVELS];
        idle[0] = u64::MAX;
        let n_blocks = ports.len().div_ceil(BLOCK);
        PacketCounts {
            earliest: vec![u64::MAX; n_blocks].into(),
            first: vec![[u64::MAX; BLOCK]; n_blocks].into(),
            levels: vec![idle; ports.len().div_ceil(WORD)].into(),
            starts: ports.iter().map(|_| VecDeque::new()).collect(),
            peaks: vec![0; ports.len()].into(),
            all_regular: is_regular.iter().all(|&is_regular| is_regular),
            is_regular,
        }
    }

    /// Counts a packet accepted at a port that starts at `start`.
    #[inline(always)]
    pub fn push(&mut self, now: u64, port: u32, start: u64) {
        let port = port as usize;
        // A packet that comes to an idle wire waits for this instant; none of the others starts at the next one.
        let start = start + u64::from(start == now);
        let starts = &mut self.starts[port];
        let before = starts.len();
        starts.push_back(start);
        if before == 0 {
            self.first[port / BLOCK][port % BLOCK] = start;
            let earliest = &mut self.earliest[port / BLOCK];
            *earliest = start.min(*earliest);
        }
        self.change(port, before, before + 1);
        if before >= self.peaks[port] as usize {
            self.note_peak(now, port);
        }
    }

    /// Updates the peak of a port where more packets than that wait, unless some have started.
    #[inline(never)]
    fn note_peak(&mut self, now: u64, port: usize) {
        self.advance_to(now, port..port + 1);
        self.peaks[port] = self.peaks[port].max(self.starts[port].len() as u32);
    }

    /// Moves a port between masks as its number of packets changes.
    #[inline(always)]
    fn change(&mut self, port: usize, before: usize, after: usize) {
        let (levels, bit) = (&mut self.levels[port / WORD], 1 << (port % WORD));
        levels[before.min(LEVELS - 1)] ^= bit;
        levels[after.min(LEVELS - 1)] ^= bit;
    }

    /// Advances some ports, at least one, to `now`.
    #[inline(always)]
    fn advance_to(&mut self, now: u64, ports: Range<usize>) {
        let blocks = ports.start / BLOCK..(ports.end - 1) / BLOCK + 1;
        if self.earliest[blocks.clone()].iter().any(|&earliest| earliest <= now) {
            self.advance(now, blocks);
        }
    }

    #[inline(never)]
    fn advance(&mut self, now: u64, blocks: Range<usize>) {
        for block in blocks {
            if self.earliest[block] <= now {
                self.advance_block(now, block);
            }
        }
    }

    #[inline(always)]
    fn advance_block(&mut self, now: u64, block: usize) {
        let mut earliest = u64::MAX;
        for index in 0..BLOCK {
            let mut first = self.first[block][index];
            if first <= now {
                let port = block * BLOCK + index;
                let starts = &mut self.starts[port];
                let before = starts.len();
                first = forget_until(now, starts);
                let after = starts.len();
                self.first[block][index] = first;
                self.change(port, before, after);
            }
            earliest = earliest.min(first);
        }
        self.earliest[block] = earliest;
    }

    /// The ports with the fewest packets waiting at `now`, a bit each in the order of the set, of at most 64.
    #[inline(always)]
    pub fn fewest(&mut self, set: PortSet<'_>, now: u64) -> Option<u64> {
        match set {
            _ if !self.all_regular => None,
            PortSet::Range { first, count } => Some(self.fewest_in_row(now, first as usize, count as usize)),
            PortSet::List(list) => Some(self.fewest_of_list(now, list)),
        }
    }

    #[inline(never)]
    fn fewest_of_list(&mut self, now: u64, list: &[u32]) -> u64 {
        list.iter().map(|&port| port as usize).for_each(|port| self.advance_to(now, port..port + 1));
        ties_of_least(list.iter().map(|&port| self.starts[port as usize].len() as u64))
    }

    /// As [`PacketCounts::fewest`], of contiguous ports.
    #[inline(never)]
    fn fewest_in_row(&mut self, now: u64, first: usize, count: usize) -> u64 {
        self.advance_to(now, first..first + count);
        let (levels, shift) = (&self.levels[first / WORD], first % WORD);
        let wanted = u64::MAX >> (WORD - count) << shift;
        if shift + count > WORD || levels[LEVELS - 1] & wanted == wanted {
            return ties_of_least(self.starts[first..][..count].iter().map(|starts| starts.len() as u64));
        }
        let ties = levels.iter().map(|level| level & wanted).find(|&ties| ties != 0);
        ties.map_or(0, |ties| ties >> shift)
    }

    /// Packets waiting at a port at `now`, where they are counted here.
    #[inline]
    pub fn at(&mut self, port: u32, now: u64) -> Option<u64> {
        if !self.is_regular[port as usize] {
            return None;
        }
        let port = port as usize;
        self.advance_to(now, port..port + 1);
        Some(self.starts[port].len() as u64)
    }

    /// The peak number of packets waiting at a port, where they are counted here.
    pub fn peak(&self, port: u32) -> Option<u32> {
        let port = port as usize;
        self.is_regular[port].then(|| self.peaks[port])
    }
}

/// Removes the starts up to `now`, of which the first is one; returns the first that is left, `u64::MAX` for none.
#[inline(always)]
fn forget_until(now: u64, starts: &mut VecDeque<u64>) -> u64 {
    starts.pop_front();
    match starts.front() {
        None => u64::MAX,
        Some(&first) if first > now => first,
        Some(_) => forget_many(now, starts),
    }
}

/// The first start left is found by binary search, since many may have passed between two calls.
#[inline(never)]
fn forget_many(now: u64, starts: &mut VecDeque<u64>) -> u64 {
    starts.drain(..starts.partition_point(|&start| start <= now));
    starts.front().copied().unwrap_or(u64::MAX)
}
