//! The candidate ports of a packet, as a policy sees them.
//!
//! Models: backlogs in bytes and packets, one by one or compared; the state of queues at the switches behind them.
//! Leaves out: how the values are obtained.

use std::ops::Range;

use netloom_units::{Duration, Rate};

use super::detour::RemoteQueues;
use super::least::ties_of_least;

/// The candidate ports: first the minimal, then the non-minimal ones, each in the order of the node's ports.
pub trait Ports {
    /// Number of candidates on shortest paths; at least one.
    fn n_minimal(&self) -> usize;
    /// Number of candidates on non-minimal paths.
    fn n_non_minimal(&self) -> usize;
    /// A candidate's index among the node's ports.
    fn port(&self, candidate: usize) -> u32;
    /// Bytes accepted and not yet sent at a candidate, the rest of the packet on the wire included.
    fn waiting_bytes(&mut self, candidate: usize) -> u64;
    /// Packets waiting at a candidate, the one on the wire not included.
    fn waiting_packets(&mut self, candidate: usize) -> u64;
    /// The candidates on shortest paths where the fewest bytes wait, a bit each, of at most [`super::MOST_MASKED`].
    fn fewest_bytes(&mut self) -> u64 {
        ties_of_least((0..self.n_minimal()).map(|candidate| self.waiting_bytes(candidate)))
    }
    /// The candidates on shortest paths where the fewest packets wait, a bit each, of at most [`super::MOST_MASKED`].
    fn fewest_packets(&mut self) -> u64 {
        ties_of_least((0..self.n_minimal()).map(|candidate| self.waiting_packets(candidate)))
    }
    /// Data bytes of a class waiting at a candidate, the packet on the wire not included; all waiting bytes if they are
    /// not counted per class.
    fn class_bytes(&mut self, candidate: usize, _class: u8) -> u64 {
        self.waiting_bytes(candidate)
    }
    /// Given rising limits: the index of the first limit that the data bytes of a class are below at some candidate on
    /// a shortest path, and these candidates, a bit each, of at most [`super::MOST_MASKED`]; past the last limit all of
    /// them. `None` if each candidate must be read separately.
    fn below_limits(&mut self, _class: u8, _limits: &[u64]) -> Option<(usize, u64)> {
        None
    }
    /// Bytes sent at a candidate so far.
    fn sent_bytes(&mut self, _candidate: usize) -> u64 {
        0
    }
    /// The rate of a candidate's link.
    fn rate(&self, _candidate: usize) -> Rate {
        Rate(u64::MAX)
    }
    /// How long a class has been paused at a candidate; zero if it is not.
    fn paused_for(&mut self, _candidate: usize, _class: u8) -> Duration {
        Duration(0)
    }

    /// Adds to the candidates the ports towards a group of a fabric of groups, or, for the own group, to all its
    /// switches; returns their indices. Empty if no working port leads there.
    fn open(&mut self, _group: u32) -> Range<usize> {
        0..0
    }
    /// The known queues of the global links of the switch behind a candidate, and of the least of those towards a
    /// group; `None` for a port that is itself a global link, or if nothing is known.
    fn beyond(&mut self, _candidate: usize, _group: u32) -> Option<RemoteQueues> {
        None
    }

    /// Number of ports on shortest paths while nothing has failed.
    fn n_healthy(&self) -> usize {
        self.n_minimal()
    }

    /// The index of one of those among the node's ports, in their order.
    fn healthy_port(&self, number: usize) -> u32 {
        self.port(number)
    }
}

impl Ports for &mut dyn Ports {
    fn n_minimal(&self) -> usize {
        (**self).n_minimal()
    }

    fn n_non_minimal(&self) -> usize {
        (**self).n_non_minimal()
    }

    fn port(&self, candidate: usize) -> u32 {
        (**self).port(candidate)
    }

    fn waiting_bytes(&mut self, candidate: usize) -> u64 {
        (**self).waiting_bytes(candidate)
    }

    fn waiting_packets(&mut self, candidate: usize) -> u64 {
        (**self).waiting_packets(candidate)
    }

    fn fewest_bytes(&mut self) -> u64 {
        (**self).fewest_bytes()
    }

    fn fewest_packets(&mut self) -> u64 {
        (**self).fewest_packets()
    }

    fn class_bytes(&mut self, candidate: usize, class: u8) -> u64 {
        (**self).class_bytes(candidate, class)
    }

    fn below_limits(&mut self, class: u8, limits: &[u64]) -> Option<(usize, u64)> {
        (**self).below_limits(class, limits)
    }

    fn sent_bytes(&mut self, candidate: usize) -> u64 {
        (**self).sent_bytes(candidate)
    }

    fn rate(&self, candidate: usize) -> Rate {
        (**self).rate(candidate)
    }

    fn paused_for(&mut self, candidate: usize, class: u8) -> Duration {
        (**self).paused_for(candidate, class)
    }

    fn open(&mut self, group: u32) -> Range<usize> {
        (**self).open(group)
    }

    fn beyond(&mut self, candidate: usize, group: u32) -> Option<RemoteQueues> {
        (**self).beyond(candidate, group)
    }

    fn n_healthy(&self) -> usize {
        (**self).n_healthy()
    }

    fn healthy_port(&self, number: usize) -> u32 {
        (**self).healthy_port(number)
    }
}
